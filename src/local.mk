# One convenience library per layer. A unit test links its layer and those below, so a call in the
# wrong direction does not link there.
noinst_LTLIBRARIES += \
	liblayer_base.la liblayer_lock_none.la liblayer_device.la liblayer_format.la liblayer_geometry.la \
	liblayer_vfs.la liblayer_stream.la liblayer_keyval.la liblayer_file.la liblayer_recover.la liblayer_stage.la liblayer_comm.la liblayer_parallel.la \
	liblayer_api_common.la liblayer_api_serial.la liblayer_api_parallel.la

liblayer_base_la_SOURCES = \
	src/base/byteorder.c src/base/byteorder.h src/base/checked.h src/base/crc.c src/base/crc.h \
	src/base/crc32c.c src/base/crc32c.h src/base/crc_sum.c src/base/crc_sum.h src/base/env.c \
	src/base/env.h src/base/error.c src/base/error.h src/base/escape.c src/base/escape.h \
	src/base/fail.c src/base/handles.c src/base/handles.h src/base/hash.h src/base/json.c \
	src/base/json.h src/base/library.c src/base/library.h src/base/loaded.c src/base/loaded.h \
	src/base/lock.h src/base/log.c src/base/log.h src/base/memory.c src/base/memory.h \
	src/base/mode.c src/base/mode.h src/base/mode_compress.c src/base/numerals.c \
	src/base/numerals.h src/base/shuffle.c src/base/shuffle.h src/base/sized.c \
	src/base/sized.h src/base/table.h src/base/trace.c src/base/trace.h src/base/warning.h \
	src/base/zfp.c src/base/zfp.h src/base/zstd.c src/base/zstd.h

liblayer_base_la_CPPFLAGS = $(AM_CPPFLAGS) -DSCION_LIBDIR='"$(libdir)"'

liblayer_lock_none_la_SOURCES = src/base/lock.c src/base/lock_none.c

liblayer_device_la_SOURCES = \
	src/device/cuda.c src/device/device.h src/device/driver.h src/device/find.c \
	src/device/hip.c src/device/stage.c

liblayer_format_la_SOURCES = \
	src/format/checksum.c src/format/checksum.h src/format/cover.c src/format/cover.h \
	src/format/damage.c src/format/damage.h src/format/frames.c src/format/frames.h \
	src/format/generations.c src/format/generations.h src/format/members.c \
	src/format/members.h src/format/meta1.c src/format/meta1.h src/format/meta2.c \
	src/format/meta2.h src/format/places.c src/format/places.h src/format/record.c \
	src/format/record.h src/format/slot.c \
	src/format/slot.h src/format/state.c src/format/state.h src/format/strides.c \
	src/format/strides.h

liblayer_geometry_la_SOURCES = \
	src/geometry/buddy.c src/geometry/buddy.h src/geometry/collective.c src/geometry/collective.h \
	src/geometry/layout.c src/geometry/layout.h src/geometry/share.c src/geometry/share.h \
	src/geometry/split.c src/geometry/split.h

liblayer_vfs_la_SOURCES = \
	src/vfs/app_file.c src/vfs/app_file.h src/vfs/below.c src/vfs/below.h src/vfs/fault.c \
	src/vfs/fault.h src/vfs/file.h src/vfs/folder_handle.c src/vfs/folder_handle.h \
	src/vfs/guard.h src/vfs/harm.c src/vfs/inject.c src/vfs/inject.h src/vfs/older.c \
	src/vfs/older.h src/vfs/path.c src/vfs/path.h src/vfs/path_name.c src/vfs/stdio_inside.h src/vfs/stdio_named.c \
	src/vfs/stdio_named.h src/vfs/storage.c src/vfs/storage.h src/vfs/system.c \
	src/vfs/system.h src/vfs/transfer.c src/vfs/vfs.c src/vfs/vfs.h src/vfs/view.c \
	src/vfs/view.h src/vfs/whole.c src/vfs/writer_lock.c src/vfs/writer_lock.h

liblayer_stream_la_SOURCES = \
	src/stream/commit.c src/stream/commit.h src/stream/cursor.c src/stream/export.c \
	src/stream/hold.c src/stream/hold.h src/stream/lengths.c src/stream/lengths.h \
	src/stream/lent.c src/stream/pieces.c src/stream/read.c src/stream/remote.c \
	src/stream/stream.c src/stream/stream.h src/stream/stream_private.h src/stream/write.c \
	src/stream/zip.c src/stream/zip.h

liblayer_keyval_la_SOURCES = \
	src/keyval/access.c src/keyval/index.c src/keyval/keyval.h src/keyval/private.h

liblayer_file_la_SOURCES = \
	src/file/area_table.c src/file/area_table.h src/file/checksum.c src/file/checksum.h \
	src/file/checksum_area.c src/file/checksum_area.h src/file/checksum_guard.c \
	src/file/checksum_publish.c src/file/checksum_publish.h src/file/checksum_serial.c src/file/checksum_tap.c \
	src/file/checksum_tap.h src/file/column.c src/file/column.h src/file/commits.c \
	src/file/commits.h src/file/container.c src/file/container.h src/file/duplicate.c \
	src/file/facts.c src/file/flush.c src/file/forget.c src/file/forget.h src/file/gather.c \
	src/file/generations.c src/file/generations.h src/file/growth.c src/file/growth.h \
	src/file/guard.c src/file/guard.h src/file/guard_pieces.c src/file/guard_pieces.h \
	src/file/keys.c src/file/mapped.c src/file/mapped.h src/file/mapping.c src/file/mapping.h \
	src/file/mapping_pairs.c src/file/mapping_pairs.h src/file/member_view.c \
	src/file/members.c src/file/members.h src/file/newer.c src/file/newer.h src/file/nonce.c \
	src/file/nonce.h src/file/one_rank.c src/file/parallel_view.c src/file/physical.c \
	src/file/physical.h src/file/physical_append.c src/file/physical_name.c \
	src/file/physical_open.c src/file/physical_publish.c src/file/physical_read.c \
	src/file/physical_read.h src/file/physical_tables.c src/file/physical_tables.h \
	src/file/physical_window.c src/file/physical_write.c src/file/piece_view.c \
	src/file/piece_view.h src/file/piece_writer.c src/file/piece_writer.h src/file/private.h \
	src/file/query.c src/file/refresh.c src/file/refresh_together.c src/file/seek.c \
	src/file/select.c src/file/serial.c \
	src/file/serial_publish.c src/file/slots.c src/file/slots.h src/file/sound.c \
	src/file/sound.h src/file/stats.c src/file/stats.h src/file/survey.c src/file/survey.h \
	src/file/task_place.h src/file/tasks.c src/file/unclosed.c src/file/unzip.c \
	src/file/unzip.h src/file/unzip_raw.c src/file/unzip_raw.h src/file/unzip_table.c \
	src/file/unzip_table.h src/file/unzip_view.c src/file/unzip_view.h src/file/zips.c \
	src/file/zips.h

liblayer_recover_la_SOURCES = \
	src/recover/complete.c src/recover/data.c src/recover/given.c src/recover/in_place.c src/recover/mend.c \
	src/recover/open.c src/recover/private.h \
	src/recover/read.c src/recover/records.c src/recover/recover.h src/recover/slots.c src/recover/view.c

liblayer_stage_la_SOURCES = \
	src/stage/begin.c src/stage/begin.h src/stage/copy.c src/stage/copy.h src/stage/drain.c \
	src/stage/drain.h src/stage/find.c src/stage/find.h src/stage/names.c src/stage/part.c \
	src/stage/part.h src/stage/queue.c src/stage/queue.h src/stage/queue_private.h \
	src/stage/report.c src/stage/report.h src/stage/rows.c src/stage/rows.h src/stage/thread.c

liblayer_comm_la_SOURCES = \
	src/comm/agree.c src/comm/agree.h src/comm/comm.c src/comm/comm.h src/comm/exchange.c \
	src/comm/node.c src/comm/rows.h src/comm/self.c \
	src/comm/transfer.c src/comm/transfer.h src/comm/user.c src/comm/user.h \
	src/comm/user_private.h src/comm/user_transfer.c

liblayer_parallel_la_SOURCES = \
	src/parallel/alike.c src/parallel/append.c src/parallel/buddy.c src/parallel/buddy.h \
	src/parallel/buddy_find.c src/parallel/buddy_read.c src/parallel/buddy_read.h \
	src/parallel/buddy_write.c src/parallel/checksum.c src/parallel/checksum.h \
	src/parallel/checksum_buddy.c src/parallel/checksum_gather.c \
	src/parallel/checksum_gather.h src/parallel/checksum_mapped.c \
	src/parallel/checksum_watch.c src/parallel/close.c src/parallel/collective.c \
	src/parallel/collective.h src/parallel/consult.c src/parallel/consult.h \
	src/parallel/decide.c src/parallel/decide_alike.c src/parallel/endings.c \
	src/parallel/endings.h src/parallel/file_count.c src/parallel/files.c src/parallel/files.h \
	src/parallel/generations.c src/parallel/generations.h src/parallel/groups.c \
	src/parallel/hook.h src/parallel/leave.c src/parallel/lengths.c src/parallel/lengths.h \
	src/parallel/mapped.c src/parallel/mapped.h src/parallel/mapped_catalog.c \
	src/parallel/mapped_catalog.h src/parallel/mapped_close.c src/parallel/mapped_root.c \
	src/parallel/meetings.c src/parallel/meetings.h src/parallel/member_log.c \
	src/parallel/members.c src/parallel/members.h src/parallel/open.c src/parallel/opening.h \
	src/parallel/own_column.c src/parallel/parallel.c src/parallel/parallel.h \
	src/parallel/pieces.c src/parallel/publish.c src/parallel/refresh.c src/parallel/refresh.h \
	src/parallel/request.c src/parallel/request.h src/parallel/restart.c src/parallel/rows.c \
	src/parallel/rows.h src/parallel/seats.c src/parallel/single.c src/parallel/sound.c \
	src/parallel/sound.h src/parallel/staging.c src/parallel/staging.h src/parallel/state.h \
	src/parallel/statistics.c src/parallel/tables.c src/parallel/tables.h \
	src/parallel/task_place.c src/parallel/task_place.h src/parallel/transaction.c \
	src/parallel/transaction.h src/parallel/write_batch.c src/parallel/write_batch.h

liblayer_api_common_la_SOURCES = \
	src/api/bindings.h src/api/checksum.c src/api/close.c src/api/debug.c src/api/device.c \
	src/api/device.h src/api/drain.c src/api/drain.h src/api/dup.c src/api/ending.c \
	src/api/error.c src/api/handle.c src/api/handle.h src/api/keyval.c src/api/private_abi.c \
	src/api/private_abi.h src/api/public.h src/api/query.c src/api/recover.c src/api/stats.c \
	src/api/stats.h src/api/stats_text.c src/api/stream.c src/api/transfer.c \
	src/api/unclosed.c src/api/unclosed.h
liblayer_api_serial_la_SOURCES = src/api/serial.c
liblayer_api_parallel_la_SOURCES = src/api/collective.c src/api/generic.c src/api/hook.c src/api/mapped.c \
	src/api/parallel.c src/api/parallel.h src/api/parallel_private.h

if HAVE_PTHREADS
noinst_LTLIBRARIES += liblayer_lock_pthreads.la
liblayer_lock_pthreads_la_SOURCES = src/base/lock.c src/base/lock_pthreads.c
lock_layer = liblayer_lock_pthreads.la
else
lock_layer = liblayer_lock_none.la
endif

if HAVE_MPI
noinst_LTLIBRARIES += liblayer_mpi.la liblayer_comm_mpi.la
liblayer_mpi_la_SOURCES = src/api/io_comm.h src/api/mpi.c
liblayer_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
# It includes what it needs of the layers below, so that libsion_mpi can contain it, too.
liblayer_comm_mpi_la_SOURCES = \
	src/base/loaded.c src/base/loaded.h src/base/memory.c src/base/memory.h src/comm/mpi.c \
	src/comm/mpi.h src/comm/mpi_batch.c src/comm/mpi_private.h src/comm/mpi_state.c \
	src/comm/mpi_transfer.c
liblayer_comm_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
endif

if HAVE_OPENMP
noinst_LTLIBRARIES += liblayer_threads.la liblayer_omp.la liblayer_api_omp.la
liblayer_threads_la_SOURCES = src/comm/threads.c src/comm/threads.h
liblayer_omp_la_SOURCES = \
	src/api/omp_lock.c src/api/omp_lock.h src/comm/omp.c src/comm/omp.h
liblayer_omp_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
liblayer_api_omp_la_SOURCES = src/api/omp.c
liblayer_api_omp_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
omp_layers = liblayer_api_omp.la liblayer_omp.la liblayer_threads.la
endif

noinst_LTLIBRARIES += liblayer_pair.la
liblayer_pair_la_SOURCES = src/comm/pair.c src/comm/pair.h

if HAVE_HYBRID
noinst_LTLIBRARIES += liblayer_ompi.la
liblayer_ompi_la_SOURCES = src/api/ompi.c
liblayer_ompi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
liblayer_ompi_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
hybrid_layers = liblayer_ompi.la liblayer_pair.la liblayer_omp.la liblayer_threads.la
endif

core_layers = \
	liblayer_stage.la liblayer_recover.la liblayer_file.la liblayer_keyval.la liblayer_stream.la liblayer_vfs.la liblayer_geometry.la \
	liblayer_format.la liblayer_device.la liblayer_base.la
parallel_layers = liblayer_api_parallel.la liblayer_parallel.la liblayer_comm.la

# ---- static archives, under the names in users' link lines ----
lib_LTLIBRARIES += \
	libsioncom_64.la libsioncom_64_lock_none.la libsionser_64.la libsiongen_64.la

# Some link lines name libsionser after it. It has that one's parts, too, so that they need nothing of
# the members that the linker has passed by then.
libsioncom_64_la_SOURCES =
libsioncom_64_la_LIBADD = liblayer_api_common.la liblayer_api_serial.la $(core_layers)
libsioncom_64_la_LDFLAGS = $(AM_LDFLAGS) -static

libsioncom_64_lock_none_la_SOURCES =
libsioncom_64_lock_none_la_LIBADD = liblayer_lock_none.la
libsioncom_64_lock_none_la_LDFLAGS = $(AM_LDFLAGS) -static

libsionser_64_la_SOURCES =
libsionser_64_la_LIBADD = liblayer_api_serial.la
libsionser_64_la_LDFLAGS = $(AM_LDFLAGS) -static

libsiongen_64_la_SOURCES =
libsiongen_64_la_LIBADD = $(parallel_layers)
libsiongen_64_la_LDFLAGS = $(AM_LDFLAGS) -static

if HAVE_PTHREADS
lib_LTLIBRARIES += libsioncom_64_lock_pthreads.la
libsioncom_64_lock_pthreads_la_SOURCES =
libsioncom_64_lock_pthreads_la_LIBADD = liblayer_lock_pthreads.la
libsioncom_64_lock_pthreads_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

if HAVE_MPI
lib_LTLIBRARIES += libsionmpi_64.la
# Link lines that are older than libsiongen do not name it, so its parts are here, too. A program
# gets each part once, from the first archive that has it.
libsionmpi_64_la_SOURCES =
libsionmpi_64_la_LIBADD = liblayer_mpi.la liblayer_comm_mpi.la $(parallel_layers)
libsionmpi_64_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

if HAVE_OPENMP
lib_LTLIBRARIES += libsionomp_64.la
libsionomp_64_la_SOURCES =
libsionomp_64_la_LIBADD = $(omp_layers) $(parallel_layers)
libsionomp_64_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

if HAVE_HYBRID
lib_LTLIBRARIES += libsionompi_64.la
# It includes the MPI interface, which the Fortran modules call, but link lines of hybrid programs
# do not name.
libsionompi_64_la_SOURCES =
libsionompi_64_la_LIBADD = $(hybrid_layers) liblayer_mpi.la liblayer_comm_mpi.la $(parallel_layers)
libsionompi_64_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

# ---- shared libraries, under names of their own ----
if BUILD_SHARED
lib_LTLIBRARIES += libsion.la
libsion_la_SOURCES =
libsion_la_LIBADD = \
	liblayer_api_common.la liblayer_api_serial.la $(omp_layers) $(parallel_layers) \
	$(core_layers) $(lock_layer)
libsion_la_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CFLAGS) -shared -version-info $(LIBSION_VERSION) \
	$(VERSION_SCRIPT)src/abi/libsion.map
EXTRA_libsion_la_DEPENDENCIES = src/abi/libsion.map

# MPI's folder comes before that of the installation, which may have a link to the libraries of another MPI.
if HAVE_MPI
lib_LTLIBRARIES += libsion_mpi.la
libsion_mpi_la_SOURCES =
libsion_mpi_la_LIBADD = \
	$(MPI_LIBS) liblayer_mpi.la liblayer_comm_mpi.la $(hybrid_layers) libsion.la
libsion_mpi_la_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CFLAGS) -shared -version-info $(LIBSION_MPI_VERSION) \
	$(VERSION_SCRIPT)src/abi/libsion_mpi.map
EXTRA_libsion_mpi_la_DEPENDENCIES = src/abi/libsion_mpi.map
endif
endif

if BUILD_SHARED
# The libraries besides libsion contain copies of the few internal functions that they need, because
# libsion hides its own. Errors go to libsion's record.
noinst_LTLIBRARIES += liblayer_beside.la liblayer_beside_memory.la liblayer_beside_zip.la
liblayer_beside_la_SOURCES = \
	src/base/beside.c src/base/byteorder.c src/base/crc32c.c src/base/env.c src/base/escape.c \
	src/base/fail.c src/base/json.c src/base/numerals.c src/base/sized.c src/comm/agree.c \
	src/comm/comm.c src/comm/exchange.c src/comm/node.c src/comm/self.c src/comm/transfer.c \
	src/geometry/layout.c src/vfs/fault.c src/vfs/folder_handle.c src/vfs/harm.c \
	src/vfs/inject.c src/vfs/older.c src/vfs/path.c src/vfs/path_name.c src/vfs/system.c src/vfs/transfer.c \
	src/vfs/vfs.c src/vfs/view.c src/vfs/whole.c src/vfs/writer_lock.c
# Separate, because the layer of MPI communicators already includes it.
liblayer_beside_memory_la_SOURCES = src/base/memory.c
# What compresses.
liblayer_beside_zip_la_SOURCES = src/base/library.c src/base/shuffle.c src/base/zfp.c src/base/zstd.c
endif

include $(srcdir)/src/rename.mk
include $(srcdir)/src/array/local.mk
include $(srcdir)/src/crc/local.mk
include $(srcdir)/src/ftiff/local.mk
include $(srcdir)/src/pack/local.mk
include $(srcdir)/src/run/local.mk
include $(srcdir)/src/scr/local.mk
include $(srcdir)/src/cxx/local.mk
include $(srcdir)/src/fortran/local.mk
