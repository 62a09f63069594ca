!> Containers opened by one process: the module of Fortran 90 programs.
!!
!! The routines are those of sion_common.h and sion_serial.h, which describe each of them. They have
!! the names and arguments of SIONlib's module; the result of a C function is the last argument,
!! ierr, which is optional. Data may be of any type and rank; data not contiguous are copied.
!! Trailing blanks of strings are ignored. integer(c_int) and integer(c_int32_t) are the default
!! integer, integer(c_int64_t) is integer*8.
module sion_f90
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, c_size_t
  use sion_f90_forms
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

  ! The arguments of the routines below that are bound to C, by forward.awk.
  != integer(c_int), intent(out) :: newsid, eof, ntasks, maxblocks, mapping_size, numfiles
  != integer(c_int), intent(out) :: endianness, needed, filenumber
  != integer(c_int64_t), intent(out) :: skipped, globalskip, start_of_varheader, localsizes
  != integer(c_int64_t), intent(out) :: globalranks, chunkcount, chunksizes, currentpos
  != integer(c_int), intent(in) :: sid, mode, rank, currentblocknr, entrynum
  != integer(c_int64_t), intent(in) :: key, posinblk, bytes, posinentry
  != integer(c_int), intent(out), optional :: ierr
  != integer(c_int), intent(in) * :: ranks
  != integer(c_int64_t), intent(inout) * :: starts
  != integer(c_int64_t), intent(inout) :: size

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
      integer(c_int64_t), intent(inout) :: key
      integer(c_int), intent(out) :: ierr
  end interface

  ! ---- transfer; routines for each type of data are passed the first item ----

  procedure(fsion_write_form), bind(C) :: fsion_write_integer, fsion_write_integer8, &
    fsion_write_real, fsion_write_double_precision, fsion_write_complex, fsion_write_logical, &
    fsion_write_character
  procedure(fsion_write_form), bind(C) :: fsion_fwrite_integer, fsion_fwrite_integer8, &
    fsion_fwrite_real, fsion_fwrite_double_precision, fsion_fwrite_complex, fsion_fwrite_logical, &
    fsion_fwrite_character
  procedure(fsion_read_form), bind(C) :: fsion_read_integer, fsion_read_integer8, fsion_read_real, &
    fsion_read_double_precision, fsion_read_complex, fsion_read_logical, fsion_read_character
  procedure(fsion_read_form), bind(C) :: fsion_fread_integer, fsion_fread_integer8, &
    fsion_fread_real, fsion_fread_double_precision, fsion_fread_complex, fsion_fread_logical, fsion_fread_character
  procedure(fsion_write_stream_form), bind(C) :: fsion_write_stream_integer, &
    fsion_write_stream_integer8, fsion_write_stream_real, fsion_write_stream_double_precision, &
    fsion_write_stream_complex, fsion_write_stream_logical, fsion_write_stream_character
  procedure(fsion_read_stream_form), bind(C) :: fsion_read_stream_integer, &
    fsion_read_stream_integer8, fsion_read_stream_real, fsion_read_stream_double_precision, &
    fsion_read_stream_complex, fsion_read_stream_logical, fsion_read_stream_character
  procedure(fsion_stream_read_tasks_form), bind(C) :: fsion_stream_read_tasks_integer, &
    fsion_stream_read_tasks_integer8, fsion_stream_read_tasks_real, &
    fsion_stream_read_tasks_double_precision, fsion_stream_read_tasks_complex, &
    fsion_stream_read_tasks_logical, fsion_stream_read_tasks_character
  procedure(fsion_swap_form), bind(C) :: fsion_swap_integer, fsion_swap_integer8, fsion_swap_real, &
    fsion_swap_double_precision, fsion_swap_complex, fsion_swap_logical, fsion_swap_character

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
  subroutine fsion_open(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: ntasks, nfiles
    integer(c_int64_t), target, contiguous :: chunksizes(..)
    integer(c_int32_t) :: fsblksize
    integer(c_int), target, contiguous :: globalranks(..)
    integer(c_int), intent(out) :: sid

    interface
      subroutine c_open(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, sid, &
                        fname_length, mode_length) bind(C, name="fsion_open_c_")
        import :: c_char, c_int, c_int32_t, c_ptr, c_size_t
        character(kind=c_char), intent(in) :: fname(*), file_mode(*)
        integer(c_int) :: ntasks, nfiles
        type(c_ptr), value :: chunksizes, globalranks
        integer(c_int32_t) :: fsblksize
        integer(c_int), intent(out) :: sid
        integer(c_size_t), value :: fname_length, mode_length
      end subroutine c_open
    end interface

    call c_open(fname, file_mode, ntasks, nfiles, c_loc(chunksizes), fsblksize, &
                c_loc(globalranks), sid, len(fname, c_size_t), len(file_mode, c_size_t))
  end subroutine fsion_open

  subroutine fsion_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int64_t) :: chunksize
    integer(c_int32_t) :: fsblksize
    integer(c_int) :: rank
    integer(c_int), intent(out) :: sid

    interface
      subroutine c_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid, fname_length, &
                             mode_length) bind(C, name="fsion_open_rank_c_")
        import :: c_char, c_int, c_int32_t, c_int64_t, c_size_t
        character(kind=c_char), intent(in) :: fname(*), file_mode(*)
        integer(c_int64_t) :: chunksize
        integer(c_int32_t) :: fsblksize
        integer(c_int) :: rank
        integer(c_int), intent(out) :: sid
        integer(c_size_t), value :: fname_length, mode_length
      end subroutine c_open_rank
    end interface

    call c_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid, len(fname, c_size_t), &
                     len(file_mode, c_size_t))
  end subroutine fsion_open_rank

  !> One size for each task, in bytes. ierr is 1, or -1 if there are none: the sid is invalid, or
  !! the container was opened in parallel.
  subroutine fsion_get_chunksizes(sid, chunksizes, ierr)
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), target, contiguous, intent(inout) :: chunksizes(..)
    integer(c_int), intent(out), optional :: ierr

    procedure(fsion_list_form), bind(C, name="fsion_get_chunksizes_c_") :: c_get_chunksizes

    call c_get_chunksizes(sid, c_loc(chunksizes), ierr)
  end subroutine fsion_get_chunksizes

  !> One rank for each task. ierr is as for fsion_get_chunksizes.
  subroutine fsion_get_globalranks(sid, globalranks, ierr)
    integer(c_int), intent(in) :: sid
    integer(c_int), target, contiguous, intent(inout) :: globalranks(..)
    integer(c_int), intent(out), optional :: ierr

    procedure(fsion_list_form), bind(C, name="fsion_get_globalranks_c_") :: c_get_globalranks

    call c_get_globalranks(sid, c_loc(globalranks), ierr)
  end subroutine fsion_get_globalranks

  !> The ranks of the tasks that fsion_paropen_shared_mpi, _omp or _ompi has given to this process
  !! or thread, for fsion_seek: as many as its ntasks. ierr is 1, or -1 if there are none: the sid
  !! is invalid, or the container was opened otherwise.
  subroutine fsion_get_shared_ranks(sid, ranks, ierr)
    integer(c_int), intent(in) :: sid
    integer(c_int), target, contiguous, intent(inout) :: ranks(..)
    integer(c_int), intent(out), optional :: ierr

    procedure(fsion_list_form), bind(C, name="fsion_get_shared_ranks_c_") :: c_get_shared_ranks

    call c_get_shared_ranks(sid, c_loc(ranks), ierr)
  end subroutine fsion_get_shared_ranks

  !> mapping receives a pair (file, task in the file) for each task. ierr is -1 for a single file.
  subroutine fsion_get_mapping(sid, mapping, ierr)
    integer(c_int), intent(in) :: sid
    integer(c_int32_t), target, contiguous, intent(inout) :: mapping(..)
    integer(c_int), intent(out), optional :: ierr

    procedure(fsion_list_form), bind(C, name="fsion_get_mapping_c_") :: c_get_mapping

    call c_get_mapping(sid, c_loc(mapping), ierr)
  end subroutine fsion_get_mapping

  subroutine write_any(data, size, nitems, sid, rc)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_data_form), bind(C, name="fsion_write_c_") :: c_write

    call c_write(c_loc(data), size, nitems, sid, rc)
  end subroutine write_any

  subroutine read_any(data, size, nitems, sid, rc)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_data_form), bind(C, name="fsion_read_c_") :: c_read

    call c_read(c_loc(data), size, nitems, sid, rc)
  end subroutine read_any

  !> Bytes over any number of chunks, without the limits of a record: rc is the number of bytes
  !! written, less than `bytes` after an error, -1 if there are none.
  subroutine fsion_write_stream(data, bytes, sid, rc)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_bytes_form), bind(C, name="fsion_write_stream_c_") :: c_write_stream

    call c_write_stream(c_loc(data), bytes, sid, rc)
  end subroutine fsion_write_stream

  !> rc is the number of bytes read, less than `bytes` at the end of the stream or after an error,
  !! -1 if there are none because of one.
  subroutine fsion_read_stream(data, bytes, sid, rc)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_bytes_form), bind(C, name="fsion_read_stream_c_") :: c_read_stream

    call c_read_stream(c_loc(data), bytes, sid, rc)
  end subroutine fsion_read_stream

  !> data has room for `bytes` bytes; starts are those of fsion_stream_sizes, or others, from 0 on.
  !! rc is the number of bytes read; -1 if a task or a byte cannot be read, after which data may
  !! hold a part of them. Positions and the selected task stay as they are.
  subroutine fsion_stream_read_tasks(data, bytes, ntasks, ranks, starts, sid, rc)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int), intent(in) :: ntasks, ranks(*)
    integer(c_int64_t), intent(in) :: starts(*)
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    interface
      subroutine c_read_tasks(data, bytes, ntasks, ranks, starts, sid, rc) &
          bind(C, name="fsion_stream_read_tasks_c_")
        import :: c_int, c_int64_t, c_ptr
        type(c_ptr), value :: data
        integer(c_int64_t), intent(in) :: bytes
        integer(c_int), intent(in) :: ntasks, ranks(*)
        integer(c_int64_t), intent(in) :: starts(*)
        integer(c_int), intent(in) :: sid
        integer(c_int64_t), intent(out) :: rc
      end subroutine c_read_tasks
    end interface

    call c_read_tasks(c_loc(data), bytes, ntasks, ranks, starts, sid, rc)
  end subroutine fsion_stream_read_tasks

  subroutine swap_any(target, source, size, n, do_swap, rc)
    type(*), target, contiguous, intent(inout) :: target(..)
    type(*), target, contiguous, intent(in) :: source(..)
    integer(c_int), intent(in) :: size, n, do_swap
    integer(c_int), intent(out) :: rc

    interface
      subroutine c_swap(target, source, size, n, do_swap, rc) bind(C, name="fsion_swap_c_")
        import :: c_int, c_ptr
        type(c_ptr), value :: target, source
        integer(c_int), intent(in) :: size, n, do_swap
        integer(c_int), intent(out) :: rc
      end subroutine c_swap
    end interface

    call c_swap(c_loc(target), c_loc(source), size, n, do_swap, rc)
  end subroutine swap_any

  subroutine fsion_fwrite_key(data, key, size, nitems, sid, rc)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: key, size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_key_form), bind(C, name="fsion_fwrite_key_c_") :: c_write_key

    call c_write_key(c_loc(data), key, size, nitems, sid, rc)
  end subroutine fsion_fwrite_key

  subroutine fsion_fread_key(data, key, size, nitems, sid, rc)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: key, size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_key_form), bind(C, name="fsion_fread_key_c_") :: c_read_key

    call c_read_key(c_loc(data), key, size, nitems, sid, rc)
  end subroutine fsion_fread_key

  !> The reason of the last failure in the calling thread.
  subroutine fsion_error_text(text)
    character(len=*), intent(out) :: text

    interface
      subroutine c_error_text(text, length) bind(C, name="fsion_error_text_c_")
        import :: c_char, c_size_t
        character(kind=c_char), intent(out) :: text(*)
        integer(c_size_t), value :: length
      end subroutine c_error_text
    end interface

    call c_error_text(text, len(text, c_size_t))
  end subroutine fsion_error_text

end module sion_f90
