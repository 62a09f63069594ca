!> Containers opened by one process: the module of Fortran 90 programs.
!!
!! The routines are those of sion_common.h and sion_serial.h, which describe each of them. They have
!! the names and arguments of SIONlib's module; the result of a C function is the last argument,
!! ierr, which is optional. Data may be of any type and rank; data not contiguous are copied.
!! Trailing blanks of strings are ignored. integer(c_int) and integer(c_int32_t) are the default
!! integer, integer(c_int64_t) is integer*8.
module sion_f90
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, c_size_t
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, c_size_t

  integer, parameter :: sion_main_version = 1
  integer, parameter :: sion_sub_version = 7
  integer, parameter :: sion_version_patchlevel = 6
  integer, parameter :: sion_fileformat_version = 5
  integer, parameter :: sion_success = 1
  integer, parameter :: sion_current_rank = -101
  integer, parameter :: sion_current_blk = -102
  integer, parameter :: sion_current_chunk = -102
  integer(c_int64_t), parameter :: sion_current_pos = -103
  integer, parameter :: sion_absolute_pos = -104
  integer, parameter :: sion_end_pos = -105
  integer, parameter :: sion_dup_all = -201
  integer, parameter :: sion_dup_rank = -202
  integer, parameter :: sion_dup_rank_key = -203
  integer, parameter :: sion_share_tasks = -301
  integer, parameter :: sion_share_bytes = -302

  ! ---- close, and position ----

  ! The arguments of the routines below, which forward.awk makes.
  != integer(c_int), intent(out) :: newsid, eof, ntasks, maxblocks, mapping_size, numfiles
  != integer(c_int), intent(out) :: endianness, needed, filenumber
  != integer(c_int64_t), intent(out) :: skipped, globalskip, start_of_varheader, localsizes
  != integer(c_int64_t), intent(out) :: globalranks, chunkcount, chunksizes, currentpos, rc
  != integer(c_int64_t), intent(out) :: generation, forgotten
  != integer(c_int), intent(in) :: sid, mode, rank, currentblocknr, entrynum, n, do_swap
  != integer(c_int64_t), intent(in) :: key, posinblk, bytes, before, posinentry, size, nitems
  != integer(c_int), intent(out), optional :: ierr
  != integer(c_int), intent(in) * :: ranks
  != integer(c_int64_t), intent(in) * :: starts
  != type(*), target, contiguous, intent(inout) :: data, target
  != type(*), target, contiguous, intent(in) :: source
  != character(len=*), intent(in) :: fname, file_mode
  != integer(c_int32_t) :: fsblksize

  interface
    bind fsion_close(sid, ierr)

    !> fsion_dedup closes newsid.
    bind fsion_dup(sid, mode, rank, key, newsid)
    bind fsion_dedup(sid, ierr)

    !> eof is 1 at the end of the stream, 0 before, -1 for an invalid sid.
    bind fsion_feof(sid, eof)
    bind fsion_seek(sid, rank, currentblocknr, posinblk, ierr)
    bind fsion_ensure_free_space(sid, bytes, ierr)
    bind fsion_flush(sid, ierr)
    bind fsion_publish(sid, ierr)

    !> The bytes that the selected task has got, -1 after an error.
    bind integer(c_int64_t) :: fsion_refresh(sid)
    bind fsion_get_generation(sid, generation, forgotten, ierr)
    bind fsion_forget(sid, before, ierr)
    bind integer(c_int64_t) :: fsion_bytes_avail_in_block(sid)
    bind integer(c_int64_t) :: fsion_bytes_avail_in_chunk(sid)
    bind integer(c_int64_t) :: fsion_get_position(sid)
    bind integer(c_int64_t) :: fsion_get_bytes_written(sid)
    bind integer(c_int64_t) :: fsion_get_bytes_read(sid)

    !> skipped is bytes, or less at the end of the stream; -1 after a failure.
    bind fsion_skip_stream(sid, bytes, skipped)
    bind integer(c_int64_t) :: fsion_tell_stream(sid)
    bind integer(c_int64_t) :: fsion_size_stream(sid)

    !> starts has ntasks + 1 elements, which count bytes from 0: the stream of ranks(i) goes from
    !! starts(i) to starts(i + 1). bytes is the sum of the streams' sizes; -1 after a failure.
    bind fsion_stream_sizes(sid, ntasks, ranks, starts, bytes)
      integer(c_int), intent(in) :: ntasks
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int64_t), intent(inout) * :: starts
  end interface

  ! ---- information ----

  interface
    !> The last four arguments are the addresses of C arrays.
    bind fsion_get_locations(sid, ntasks, maxblocks, globalskip, start_of_varheader, localsizes, &
         globalranks, chunkcount, chunksizes, ierr)

    !> The last arguments are the addresses of C arrays.
    bind fsion_get_current_locations(sid, ntasks, currentpos, currentblocknr, ierr)
      integer(c_int64_t), intent(out) :: currentblocknr

    !> The numbers of tasks and physical files. ierr is 1, or -1 if sid is invalid.
    bind fsion_get_mapping_spec(sid, mapping_size, numfiles, ierr)

    !> endianness is 1 for big endian, 0 for little endian.
    bind fsion_get_file_endianness(sid, endianness)

    !> The same in SIONlib's spelling.
    bind fsion_get_file_endianess(sid, endianness)
    bind fsion_get_endianness(endianness)

    !> The same in SIONlib's spelling.
    bind fsion_get_endianess(endianness)
    bind fsion_endianness_swap_needed(sid, needed)

    !> The descriptor of the container's file, for system calls.
    bind fsion_get_fileno(sid, filenumber)
  end interface

  ! ---- key-value records; a key above 2**63 - 1 is negative ----

  interface
    bind fsion_seek_key(sid, key, entrynum, posinentry, ierr)
    bind fsion_fread_key_iterator_reset(sid, ierr)

    !> After the last record, ierr is 0, and key and size do not change.
    bind fsion_fread_key_iterator_next(sid, key, size, ierr)
      integer(c_int64_t), intent(inout) :: key, size
      integer(c_int), intent(out) :: ierr
  end interface

  ! ---- transfer; routines for each type of data are passed the first item ----

  each fsion_write(data, size, nitems, sid, rc)
    type(*), intent(in) :: data
  each fsion_fwrite(data, size, nitems, sid, rc)
    type(*), intent(in) :: data
  each fsion_read(data, size, nitems, sid, rc)
  each fsion_fread(data, size, nitems, sid, rc)
  each fsion_write_stream(data, bytes, sid, rc)
    type(*), intent(in) :: data
  each fsion_read_stream(data, bytes, sid, rc)
  each fsion_stream_read_tasks(data, bytes, ntasks, ranks, starts, sid, rc)
    integer(c_int), intent(in) :: ntasks
  each fsion_swap(target, source, size, n, do_swap, rc)
    integer(c_int), intent(in) :: size
    integer(c_int), intent(out) :: rc

  interface fsion_write
    module procedure write_any
  end interface fsion_write
  interface fsion_fwrite
    module procedure write_any
  end interface fsion_fwrite
  interface fsion_read
    module procedure read_any
  end interface fsion_read
  interface fsion_fread
    module procedure read_any
  end interface fsion_fread
  interface fsion_swap
    module procedure swap_any
  end interface fsion_swap
  private :: write_any, read_any, swap_any

contains

  !> Arguments that are input when writing and output when reading have no intent, so that constants
  !! may be passed when writing. Reading does not change the arrays: call fsion_get_chunksizes and
  !! fsion_get_globalranks to fill them when ntasks is known.
  pass fsion_open(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, sid)
    integer(c_int) :: ntasks, nfiles
    integer(c_int64_t), target, contiguous :: chunksizes
    integer(c_int), target, contiguous :: globalranks
    integer(c_int), intent(out) :: sid
  pass fsion_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid)
    integer(c_int64_t) :: chunksize
    integer(c_int) :: rank
    integer(c_int), intent(out) :: sid

  !> One size for each task, in bytes. ierr is 1, or -1 if there are none: the sid is invalid, or
  !! the container was opened in parallel.
  pass fsion_get_chunksizes(sid, chunksizes, ierr)
    integer(c_int64_t), target, contiguous, intent(inout) :: chunksizes

  !> One rank for each task. ierr is as for fsion_get_chunksizes.
  pass fsion_get_globalranks(sid, globalranks, ierr)
    integer(c_int), target, contiguous, intent(inout) :: globalranks

  !> The ranks of the tasks that fsion_paropen_shared_mpi, _omp or _ompi has given to this process
  !! or thread, for fsion_seek: as many as its ntasks. ierr is 1, or -1 if there are none: the sid
  !! is invalid, or the container was opened otherwise.
  pass fsion_get_shared_ranks(sid, ranks, ierr)
    integer(c_int), target, contiguous, intent(inout) :: ranks

  !> mapping receives a pair (file, task in the file) for each task. ierr is -1 for a single file.
  pass fsion_get_mapping(sid, mapping, ierr)
    integer(c_int32_t), target, contiguous, intent(inout) :: mapping

  pass write_any(data, size, nitems, sid, rc) to fsion_write
    type(*), target, contiguous, intent(in) :: data
  pass read_any(data, size, nitems, sid, rc) to fsion_read

  !> Bytes over any number of chunks, without the limits of a record: rc is the number of bytes
  !! written, less than `bytes` after an error, -1 if there are none.
  pass fsion_write_stream(data, bytes, sid, rc)
    type(*), target, contiguous, intent(in) :: data

  !> rc is the number of bytes read, less than `bytes` at the end of the stream or after an error,
  !! -1 if there are none because of one.
  pass fsion_read_stream(data, bytes, sid, rc)

  !> data has room for `bytes` bytes; starts are those of fsion_stream_sizes, or others, from 0 on.
  !! rc is the number of bytes read; -1 if a task or a byte cannot be read, after which data may
  !! hold a part of them. Positions and the selected task stay as they are.
  pass fsion_stream_read_tasks(data, bytes, ntasks, ranks, starts, sid, rc)
    integer(c_int), intent(in) :: ntasks

  pass swap_any(target, source, size, n, do_swap, rc) to fsion_swap
    integer(c_int), intent(in) :: size
    integer(c_int), intent(out) :: rc
  pass fsion_fwrite_key(data, key, size, nitems, sid, rc)
    type(*), target, contiguous, intent(in) :: data
  pass fsion_fread_key(data, key, size, nitems, sid, rc)

  !> Whether staged containers are complete: done is 1, 0 if they are not yet, -1 if a drain has
  !! failed. Here and below, a blank fname means all that this process has staged.
  pass fsion_drain_test(fname, done)
    integer(c_int), intent(out) :: done

  !> Wait until staged containers are complete. ierr is 1, or 0 if a drain has failed.
  pass fsion_drain_wait(fname, ierr)

  !> How many containers wait for their drains, and how many drains have failed, and why; the bytes
  !! that this process has copied, and will have.
  pass fsion_drain_get_progress(fname, waiting, failed, drained, total, failure, ierr)
    integer(c_int), intent(out) :: waiting, failed
    integer(c_int64_t), intent(out) :: drained, total
    character(len=*), intent(out) :: failure

  !> The reason of the last failure in the calling thread.
  pass fsion_error_text(text)
    character(len=*), intent(out) :: text

end module sion_f90
