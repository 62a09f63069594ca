!> The MPI interface for programs that use mpi_f08.
!!
!! Communicators are of type(MPI_Comm), and data may be of any type and rank (data that are not
!! contiguous are copied). ierror is optional: it is 1 if the call succeeded; after any other value,
!! fsion_error_text returns the reason. Names and order of the arguments are those of sion_f90_mpi,
!! whose other names this module also provides.
module sion_f08
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t
  use mpi_f08, only: MPI_Comm
  use sion_f90_mpi, &
    f90_open => fsion_open, &
    f90_open_rank => fsion_open_rank, &
    f90_close => fsion_close, &
    f90_dup => fsion_dup, &
    f90_dedup => fsion_dedup, &
    f90_seek => fsion_seek, &
    f90_ensure_free_space => fsion_ensure_free_space, &
    f90_flush => fsion_flush, &
    f90_get_locations => fsion_get_locations, &
    f90_get_current_locations => fsion_get_current_locations, &
    f90_get_chunksizes => fsion_get_chunksizes, &
    f90_get_globalranks => fsion_get_globalranks, &
    f90_get_mapping => fsion_get_mapping, &
    f90_get_shared_ranks => fsion_get_shared_ranks, &
    f90_paropen_shared_mpi => fsion_paropen_shared_mpi, &
    f90_get_mapping_spec => fsion_get_mapping_spec, &
    f90_write => fsion_write, &
    f90_fwrite => fsion_fwrite, &
    f90_read => fsion_read, &
    f90_fread => fsion_fread, &
    f90_write_stream => fsion_write_stream, &
    f90_read_stream => fsion_read_stream, &
    f90_stream_sizes => fsion_stream_sizes, &
    f90_stream_read_tasks => fsion_stream_read_tasks, &
    f90_swap => fsion_swap, &
    f90_fwrite_key => fsion_fwrite_key, &
    f90_fread_key => fsion_fread_key, &
    f90_seek_key => fsion_seek_key, &
    f90_fread_key_iterator_reset => fsion_fread_key_iterator_reset, &
    f90_fread_key_iterator_next => fsion_fread_key_iterator_next, &
    f90_paropen_mpi => fsion_paropen_mpi, &
    f90_parclose_mpi => fsion_parclose_mpi, &
    f90_parreinit_mpi => fsion_parreinit_mpi, &
    f90_startof_transaction_mpi => fsion_startof_transaction_mpi, &
    f90_endof_transaction_mpi => fsion_endof_transaction_mpi, &
    f90_paropen_mapped_mpi => fsion_paropen_mapped_mpi, &
    f90_parclose_mapped_mpi => fsion_parclose_mapped_mpi, &
    f90_coll_fwrite_mpi => fsion_coll_fwrite_mpi, &
    f90_coll_fread_mpi => fsion_coll_fread_mpi
  implicit none
  private :: report, dup, MPI_Comm, c_int, c_int32_t, c_int64_t
  private :: f90_open, f90_open_rank, f90_close, f90_dup, f90_dedup, f90_seek, &
    f90_ensure_free_space, f90_flush, f90_get_locations, f90_get_current_locations, &
    f90_get_chunksizes, f90_get_globalranks, f90_get_mapping, f90_get_mapping_spec, f90_write, &
    f90_fwrite, f90_read, f90_fread, f90_swap, f90_fwrite_key, f90_fread_key, f90_seek_key, &
    f90_fread_key_iterator_reset, f90_fread_key_iterator_next, f90_paropen_mpi, &
    f90_parclose_mpi, f90_parreinit_mpi, f90_startof_transaction_mpi, f90_endof_transaction_mpi, &
    f90_coll_fwrite_mpi, f90_coll_fread_mpi, f90_paropen_mapped_mpi, f90_parclose_mapped_mpi, &
    f90_write_stream, f90_read_stream, f90_stream_sizes, f90_stream_read_tasks, &
    f90_get_shared_ranks, f90_paropen_shared_mpi

  interface fsion_dup
    module procedure dup
  end interface fsion_dup

contains

  subroutine report(ierror, good)
    integer(c_int), intent(out), optional :: ierror
    logical, intent(in) :: good

    if (present(ierror)) ierror = merge(sion_success, -1, good)
  end subroutine report

  subroutine fsion_open(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, &
                        sid, ierror)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: ntasks, nfiles
    integer(c_int64_t), target, contiguous :: chunksizes(..)
    integer(c_int32_t) :: fsblksize
    integer(c_int), target, contiguous :: globalranks(..)
    integer(c_int), intent(out) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_open(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, sid)
    call report(ierror, sid >= 0)
  end subroutine fsion_open

  subroutine fsion_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid, ierror)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int64_t) :: chunksize
    integer(c_int32_t) :: fsblksize
    integer(c_int) :: rank
    integer(c_int), intent(out) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid)
    call report(ierror, sid >= 0)
  end subroutine fsion_open_rank

  subroutine fsion_close(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_close(sid, ierror)
  end subroutine fsion_close

  subroutine dup(sid, mode, rank, key, newsid, ierror)
    integer(c_int), intent(in) :: sid, mode, rank
    integer(c_int64_t), intent(in) :: key
    integer(c_int), intent(out) :: newsid
    integer(c_int), intent(out), optional :: ierror

    call f90_dup(sid, mode, rank, key, newsid)
    call report(ierror, newsid >= 0)
  end subroutine dup

  subroutine fsion_dedup(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_dedup(sid, ierror)
  end subroutine fsion_dedup

  subroutine fsion_flush(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_flush(sid, ierror)
  end subroutine fsion_flush

  subroutine fsion_seek(sid, rank, currentblocknr, posinblk, ierror)
    integer(c_int), intent(in) :: sid, rank, currentblocknr
    integer(c_int64_t), intent(in) :: posinblk
    integer(c_int), intent(out), optional :: ierror

    call f90_seek(sid, rank, currentblocknr, posinblk, ierror)
  end subroutine fsion_seek

  subroutine fsion_ensure_free_space(sid, bytes, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int), intent(out), optional :: ierror

    call f90_ensure_free_space(sid, bytes, ierror)
  end subroutine fsion_ensure_free_space

  subroutine fsion_get_locations(sid, ntasks, maxblocks, globalskip, start_of_varheader, &
                                 localsizes, globalranks, chunkcount, chunksizes, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out) :: ntasks, maxblocks
    integer(c_int64_t), intent(out) :: globalskip, start_of_varheader
    integer(c_int64_t), intent(out) :: localsizes, globalranks, chunkcount, chunksizes
    integer(c_int), intent(out), optional :: ierror

    call f90_get_locations(sid, ntasks, maxblocks, globalskip, start_of_varheader, localsizes, &
                           globalranks, chunkcount, chunksizes, ierror)
  end subroutine fsion_get_locations

  subroutine fsion_get_current_locations(sid, ntasks, currentpos, currentblocknr, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out) :: ntasks
    integer(c_int64_t), intent(out) :: currentpos, currentblocknr
    integer(c_int), intent(out), optional :: ierror

    call f90_get_current_locations(sid, ntasks, currentpos, currentblocknr, ierror)
  end subroutine fsion_get_current_locations

  subroutine fsion_get_chunksizes(sid, chunksizes, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), target, contiguous, intent(inout) :: chunksizes(..)
    integer(c_int), intent(out), optional :: ierror

    call f90_get_chunksizes(sid, chunksizes, ierror)
  end subroutine fsion_get_chunksizes

  subroutine fsion_get_globalranks(sid, globalranks, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), target, contiguous, intent(inout) :: globalranks(..)
    integer(c_int), intent(out), optional :: ierror

    call f90_get_globalranks(sid, globalranks, ierror)
  end subroutine fsion_get_globalranks

  subroutine fsion_get_mapping_spec(sid, mapping_size, numfiles, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out) :: mapping_size, numfiles
    integer(c_int), intent(out), optional :: ierror

    call f90_get_mapping_spec(sid, mapping_size, numfiles, ierror)
  end subroutine fsion_get_mapping_spec

  subroutine fsion_get_mapping(sid, mapping, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int32_t), target, contiguous, intent(inout) :: mapping(..)
    integer(c_int), intent(out), optional :: ierror

    call f90_get_mapping(sid, mapping, ierror)
  end subroutine fsion_get_mapping

  !> rc is the number of items, as in sion_f90_mpi; ierror is 1 if that is nitems.
  subroutine fsion_write(data, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_write(data, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_write

  subroutine fsion_fwrite(data, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_fwrite(data, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_fwrite

  subroutine fsion_coll_fwrite_mpi(data, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_coll_fwrite_mpi(data, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_coll_fwrite_mpi

  subroutine fsion_read(data, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_read(data, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_read

  subroutine fsion_fread(data, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_fread(data, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_fread

  subroutine fsion_coll_fread_mpi(data, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_coll_fread_mpi(data, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_coll_fread_mpi

  subroutine fsion_paropen_shared_mpi(fname, file_mode, gcomm, by, ntasks, sid, ierror)
    character(len=*), intent(in) :: fname, file_mode
    type(MPI_Comm), intent(in) :: gcomm
    integer(c_int), intent(in) :: by
    integer(c_int), intent(inout) :: ntasks
    integer(c_int), intent(out) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_paropen_shared_mpi(fname, file_mode, gcomm%MPI_VAL, by, ntasks, sid)
    call report(ierror, sid >= 0)
  end subroutine fsion_paropen_shared_mpi

  subroutine fsion_get_shared_ranks(sid, ranks, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), target, contiguous, intent(inout) :: ranks(..)
    integer(c_int), intent(out), optional :: ierror

    call f90_get_shared_ranks(sid, ranks, ierror)
  end subroutine fsion_get_shared_ranks

  subroutine fsion_write_stream(data, bytes, sid, rc, ierror)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_write_stream(data, bytes, sid, rc)
    call report(ierror, rc == bytes)
  end subroutine fsion_write_stream

  !> ierror is not 1 at the end of the stream either, where rc is less than `bytes`.
  subroutine fsion_read_stream(data, bytes, sid, rc, ierror)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_read_stream(data, bytes, sid, rc)
    call report(ierror, rc == bytes)
  end subroutine fsion_read_stream

  subroutine fsion_stream_sizes(sid, ntasks, ranks, starts, bytes, ierror)
    integer(c_int), intent(in) :: sid, ntasks, ranks(*)
    integer(c_int64_t), intent(inout) :: starts(*)
    integer(c_int64_t), intent(out) :: bytes
    integer(c_int), intent(out), optional :: ierror

    call f90_stream_sizes(sid, ntasks, ranks, starts, bytes)
    call report(ierror, bytes >= 0)
  end subroutine fsion_stream_sizes

  subroutine fsion_stream_read_tasks(data, bytes, ntasks, ranks, starts, sid, rc, ierror)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int), intent(in) :: ntasks, ranks(*)
    integer(c_int64_t), intent(in) :: starts(*)
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_stream_read_tasks(data, bytes, ntasks, ranks, starts, sid, rc)
    call report(ierror, rc >= 0)
  end subroutine fsion_stream_read_tasks

  subroutine fsion_fwrite_key(data, key, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: key, size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_fwrite_key(data, key, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_fwrite_key

  subroutine fsion_fread_key(data, key, size, nitems, sid, rc, ierror)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: key, size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_fread_key(data, key, size, nitems, sid, rc)
    call report(ierror, rc == nitems)
  end subroutine fsion_fread_key

  subroutine fsion_seek_key(sid, key, entrynum, posinentry, ierror)
    integer(c_int), intent(in) :: sid, entrynum
    integer(c_int64_t), intent(in) :: key, posinentry
    integer(c_int), intent(out), optional :: ierror

    call f90_seek_key(sid, key, entrynum, posinentry, ierror)
  end subroutine fsion_seek_key

  subroutine fsion_fread_key_iterator_reset(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_fread_key_iterator_reset(sid, ierror)
  end subroutine fsion_fread_key_iterator_reset

  !> After the last record, ierror is 0, and key and size do not change.
  subroutine fsion_fread_key_iterator_next(sid, key, size, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(inout) :: key, size
    integer(c_int), intent(out) :: ierror

    call f90_fread_key_iterator_next(sid, key, size, ierror)
  end subroutine fsion_fread_key_iterator_next

  subroutine fsion_swap(target, source, size, n, do_swap, rc, ierror)
    type(*), target, contiguous, intent(inout) :: target(..)
    type(*), target, contiguous, intent(in) :: source(..)
    integer(c_int), intent(in) :: size, n, do_swap
    integer(c_int), intent(out) :: rc
    integer(c_int), intent(out), optional :: ierror

    call f90_swap(target, source, size, n, do_swap, rc)
    call report(ierror, rc == sion_success)
  end subroutine fsion_swap

  !> If newfname is too short for the name of the file, ierror says so, although sid is valid.
  subroutine fsion_paropen_mpi(fname, file_mode, nfiles, gcomm, lcomm, chunksize, fsblksize, &
                               globalrank, newfname, sid, ierror)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: nfiles, globalrank
    type(MPI_Comm), intent(in) :: gcomm, lcomm
    integer(c_int64_t) :: chunksize
    integer(c_int32_t) :: fsblksize
    character(len=*) :: newfname
    integer(c_int), intent(out) :: sid
    integer(c_int), intent(out), optional :: ierror
    integer :: local
    interface
      integer(c_int) function is_cut() bind(C, name="fsion_paropen_is_cut_mpi_c_")
        import :: c_int
      end function is_cut
    end interface

    local = lcomm%MPI_VAL
    call f90_paropen_mpi(fname, file_mode, nfiles, gcomm%MPI_VAL, local, chunksize, fsblksize, &
                         globalrank, newfname, sid)
    call report(ierror, sid >= 0 .and. is_cut() == 0)
  end subroutine fsion_paropen_mpi

  subroutine fsion_parclose_mpi(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_parclose_mpi(sid, ierror)
  end subroutine fsion_parclose_mpi

  subroutine fsion_parreinit_mpi(sid, chunksize, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(in) :: chunksize
    integer(c_int), intent(out), optional :: ierror

    call f90_parreinit_mpi(sid, chunksize, ierror)
  end subroutine fsion_parreinit_mpi

  subroutine fsion_startof_transaction_mpi(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_startof_transaction_mpi(sid, ierror)
  end subroutine fsion_startof_transaction_mpi

  subroutine fsion_endof_transaction_mpi(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_endof_transaction_mpi(sid, ierror)
  end subroutine fsion_endof_transaction_mpi

  subroutine fsion_paropen_mapped_mpi(fname, file_mode, nfiles, gcomm, nlocaltasks, globalranks, &
                                      chunksizes, mapping_filenrs, mapping_lranks, fsblksize, sid, &
                                      ierror)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: nfiles
    type(MPI_Comm), intent(in) :: gcomm
    integer(c_int), intent(in) :: nlocaltasks
    integer(c_int), target, contiguous :: globalranks(..), mapping_filenrs(..), mapping_lranks(..)
    integer(c_int64_t), target, contiguous :: chunksizes(..)
    integer(c_int32_t) :: fsblksize
    integer(c_int), intent(out) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_paropen_mapped_mpi(fname, file_mode, nfiles, gcomm%MPI_VAL, nlocaltasks, globalranks, &
                                chunksizes, mapping_filenrs, mapping_lranks, fsblksize, sid)
    call report(ierror, sid >= 0)
  end subroutine fsion_paropen_mapped_mpi

  subroutine fsion_parclose_mapped_mpi(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_parclose_mapped_mpi(sid, ierror)
  end subroutine fsion_parclose_mapped_mpi

end module sion_f08
