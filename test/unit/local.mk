# One program for each topic. It links the convenience library of its layer and those below, and
# nothing else: a call in the wrong direction is a link error here.
unit_base = liblayer_base.la $(lock_layer)
unit_format = liblayer_format.la $(unit_base)
unit_geometry = liblayer_geometry.la $(unit_base)
unit_vfs = liblayer_vfs.la $(unit_base)
unit_stream = liblayer_stream.la liblayer_geometry.la liblayer_format.la $(unit_vfs)

unit_programs = \
	test/unit/base_byteorder test/unit/base_error test/unit/base_handles test/unit/base_lock \
	test/unit/base_lock_none test/unit/base_memory test/unit/base_mode test/unit/format_checksum test/unit/format_members test/unit/format_meta1 test/unit/format_meta2 test/unit/format_slot \
	test/unit/geometry_collective test/unit/geometry_layout test/unit/geometry_share test/unit/geometry_split test/unit/geometry_buddy test/unit/lengths \
	test/unit/stream_export test/unit/stream_property test/unit/stream_read test/unit/stream_write test/unit/vfs_app_file test/unit/vfs_file test/unit/vfs_folder test/unit/vfs_path test/unit/vfs_replace test/unit/vfs_storage

check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs) test/unit/collective_model.sh test/unit/musl.sh
test/unit/collective_model.log: test/unit/geometry_collective
EXTRA_DIST += \
	test/unit/collective_model.py test/unit/collective_model.sh test/unit/musl.sh \
	test/unit/bytes.h test/unit/wide.h test/unit/scratch.h test/unit/stream_fixture.h test/unit/warnings.h

test_unit_base_byteorder_SOURCES = test/unit/base_byteorder.c
test_unit_base_byteorder_LDADD = $(unit_base)
test_unit_base_error_SOURCES = test/unit/base_error.c
test_unit_base_error_LDADD = $(unit_base)
test_unit_base_handles_SOURCES = test/unit/base_handles.c
test_unit_base_handles_LDADD = $(unit_base)
test_unit_base_lock_SOURCES = test/unit/base_lock.c
test_unit_base_lock_LDADD = $(unit_base)
test_unit_base_lock_none_SOURCES = test/unit/base_lock.c
test_unit_base_lock_none_LDADD = liblayer_base.la liblayer_lock_none.la
test_unit_base_memory_SOURCES = test/unit/base_memory.c
test_unit_base_memory_LDADD = $(unit_base)
test_unit_base_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=madvise
test_unit_base_mode_SOURCES = test/unit/base_mode.c
test_unit_base_mode_LDADD = $(unit_base)

test_unit_format_meta1_SOURCES = test/unit/format_meta1.c
test_unit_format_meta1_LDADD = $(unit_format)
test_unit_format_meta2_SOURCES = test/unit/format_meta2.c
test_unit_format_meta2_LDADD = $(unit_format)

test_unit_format_checksum_SOURCES = test/unit/format_checksum.c
test_unit_format_checksum_LDADD = $(unit_format)
test_unit_format_members_SOURCES = test/unit/format_members.c
test_unit_format_members_LDADD = $(unit_format)
test_unit_format_slot_SOURCES = test/unit/format_slot.c
test_unit_format_slot_LDADD = $(unit_format)

test_unit_geometry_collective_SOURCES = test/unit/geometry_collective.c
test_unit_geometry_collective_LDADD = $(unit_geometry)
test_unit_geometry_layout_SOURCES = test/unit/geometry_layout.c
test_unit_geometry_layout_LDADD = $(unit_geometry)
test_unit_geometry_buddy_SOURCES = test/unit/geometry_buddy.c
test_unit_geometry_buddy_LDADD = $(unit_geometry)
test_unit_geometry_share_SOURCES = test/unit/geometry_share.c
test_unit_geometry_share_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_unit_geometry_share_LDADD = $(unit_geometry)
test_unit_geometry_split_SOURCES = test/unit/geometry_split.c
test_unit_geometry_split_LDADD = $(unit_geometry)

test_unit_lengths_SOURCES = test/unit/lengths.c
test_unit_lengths_LDADD = $(unit_stream)

test_unit_vfs_app_file_SOURCES = test/unit/vfs_app_file.c
test_unit_vfs_app_file_LDADD = $(unit_vfs)
test_unit_vfs_folder_SOURCES = test/unit/vfs_folder.c
test_unit_vfs_folder_LDADD = $(unit_vfs)
test_unit_vfs_path_SOURCES = test/unit/vfs_path.c
test_unit_vfs_path_LDADD = $(unit_vfs)
test_unit_vfs_storage_SOURCES = test/unit/vfs_storage.c
test_unit_vfs_storage_LDADD = $(unit_vfs)
test_unit_vfs_replace_SOURCES = test/unit/vfs_replace.c
test_unit_vfs_replace_LDADD = $(unit_vfs)
test_unit_vfs_file_SOURCES = test/unit/vfs_file.c
test_unit_vfs_file_LDADD = $(unit_vfs)

test_unit_stream_export_SOURCES = test/unit/stream_export.c
test_unit_stream_export_LDADD = $(unit_stream)
test_unit_stream_property_SOURCES = test/unit/stream_property.c
test_unit_stream_property_LDADD = $(unit_stream)
test_unit_stream_read_SOURCES = test/unit/stream_read.c
test_unit_stream_read_LDADD = $(unit_stream)
test_unit_stream_write_SOURCES = test/unit/stream_write.c
test_unit_stream_write_LDADD = $(unit_stream)
