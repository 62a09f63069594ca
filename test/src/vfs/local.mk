# System calls, and how they fail.
EXTRA_DIST += test/src/vfs/descriptors.sh

vfs_tests = test/src/vfs/app_file test/src/vfs/file test/src/vfs/folder test/src/vfs/path \
	test/src/vfs/replace test/src/vfs/storage
check_PROGRAMS += $(vfs_tests)
TESTS += $(vfs_tests)
test_src_vfs_app_file_LDADD = $(layer_vfs)
test_src_vfs_file_LDADD = $(layer_vfs)
test_src_vfs_folder_LDADD = $(layer_vfs)
test_src_vfs_path_LDADD = $(layer_vfs)
test_src_vfs_replace_LDADD = $(layer_vfs)
test_src_vfs_storage_LDADD = $(layer_vfs)

if HAVE_PTHREADS
TESTS += test/src/vfs/descriptors.sh
endif

test/src/vfs/descriptors.log: test/src/parallel/sets test/src/parallel/mapped test/src/parallel/atomic test/src/parallel/buddy \
	test/src/file/file test/src/array/many test/api/serial test/api/export test/api/stream_tasks test/api/atomic
