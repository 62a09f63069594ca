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
    FORWARDED_FROM
  implicit none
  private :: dup, is_cut, MPI_Comm, c_int, c_int32_t, c_int64_t
  private :: &
    FORWARDED

  interface fsion_dup
    module procedure dup
  end interface fsion_dup

contains

  ! Whether newfname was too short in this thread's last open.
  logical function is_cut()
    interface
      integer(c_int) function in_c() bind(C, name="fsion_paropen_is_cut_mpi_c_")
        import :: c_int
      end function in_c
    end interface

    is_cut = in_c() /= 0
  end function is_cut

  ! forward.awk makes the routines that are forwarded, of arguments of these types.
  != integer(c_int), intent(in) :: sid, currentblocknr, by, entrynum, n, do_swap, nlocaltasks
  != integer(c_int64_t), intent(in) :: posinblk, bytes, before, size, nitems, key, posinentry
  != integer(c_int64_t), intent(out) :: globalskip, start_of_varheader, localsizes, chunkcount
  != integer(c_int64_t), intent(out) :: currentpos, rc, generation, forgotten
  != integer(c_int), intent(out) :: ntasks, maxblocks, mapping_size, numfiles
  != integer(c_int), target, contiguous :: globalranks, mapping_filenrs, mapping_lranks
  != character(len=*), intent(in) :: fname, file_mode
  != integer(c_int) :: nfiles, rank, globalrank
  != type(*), target, contiguous, intent(inout) :: data, target
  != integer(c_int64_t), target, contiguous :: chunksizes
  != integer(c_int32_t) :: fsblksize
  != integer(c_int), intent(out), optional :: ierror
  != integer(c_int64_t) :: chunksize
  != integer(c_int32_t), target, contiguous, intent(inout) :: mapping
  != character(len=*) :: newfname
  != type(MPI_Comm), intent(in) :: gcomm, lcomm
  != integer(c_int), intent(in) * :: ranks
  != integer(c_int64_t), intent(inout) * :: starts
  != type(*), target, contiguous, intent(in) :: source

  forward fsion_open(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, &
                     sid) if sid >= 0
    integer(c_int) :: ntasks
    integer(c_int), intent(out) :: sid
  forward fsion_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid) if sid >= 0
    integer(c_int), intent(out) :: sid
  forward fsion_close(sid)

  subroutine dup(sid, mode, rank, key, newsid, ierror)
    integer(c_int), intent(in) :: sid, mode, rank
    integer(c_int64_t), intent(in) :: key
    integer(c_int), intent(out) :: newsid
    integer(c_int), intent(out), optional :: ierror

    call f90_dup(sid, mode, rank, key, newsid)
    if (present(ierror)) ierror = merge(sion_success, -1, newsid >= 0)
  end subroutine dup

  forward fsion_dedup(sid)
  forward fsion_flush(sid)
  forward fsion_publish(sid)
  forward fsion_get_generation(sid, generation, forgotten)
  forward fsion_forget(sid, before)
  forward fsion_seek(sid, rank, currentblocknr, posinblk)
    integer(c_int), intent(in) :: rank
  forward fsion_ensure_free_space(sid, bytes)
  forward fsion_get_locations(sid, ntasks, maxblocks, globalskip, start_of_varheader, &
          localsizes, globalranks, chunkcount, chunksizes)
    integer(c_int64_t), intent(out) :: globalranks, chunksizes
  forward fsion_get_current_locations(sid, ntasks, currentpos, currentblocknr)
    integer(c_int64_t), intent(out) :: currentblocknr
  forward fsion_get_chunksizes(sid, chunksizes)
    integer(c_int64_t), target, contiguous, intent(inout) :: chunksizes
  forward fsion_get_globalranks(sid, globalranks)
    integer(c_int), target, contiguous, intent(inout) :: globalranks
  forward fsion_get_mapping_spec(sid, mapping_size, numfiles)
  forward fsion_get_mapping(sid, mapping)

  !> rc is the number of items, as in sion_f90_mpi; ierror is 1 if that is nitems.
  forward fsion_write(data, size, nitems, sid, rc) if rc == nitems
    type(*), target, contiguous, intent(in) :: data
  forward fsion_fwrite(data, size, nitems, sid, rc) if rc == nitems
    type(*), target, contiguous, intent(in) :: data
  forward fsion_coll_fwrite_mpi(data, size, nitems, sid, rc) if rc == nitems
    type(*), target, contiguous, intent(in) :: data
  forward fsion_read(data, size, nitems, sid, rc) if rc == nitems
  forward fsion_fread(data, size, nitems, sid, rc) if rc == nitems
  forward fsion_coll_fread_mpi(data, size, nitems, sid, rc) if rc == nitems
  forward fsion_paropen_shared_mpi(fname, file_mode, gcomm, by, ntasks, sid) if sid >= 0
    integer(c_int), intent(inout) :: ntasks
    integer(c_int), intent(out) :: sid
  forward fsion_get_shared_ranks(sid, ranks)
    integer(c_int), target, contiguous, intent(inout) :: ranks
  forward fsion_write_stream(data, bytes, sid, rc) if rc == bytes
    type(*), target, contiguous, intent(in) :: data

  !> ierror is not 1 at the end of the stream either, where rc is less than `bytes`.
  forward fsion_read_stream(data, bytes, sid, rc) if rc == bytes
  forward fsion_stream_sizes(sid, ntasks, ranks, starts, bytes) if bytes >= 0
    integer(c_int), intent(in) :: ntasks
    integer(c_int64_t), intent(out) :: bytes
  forward fsion_stream_read_tasks(data, bytes, ntasks, ranks, starts, sid, rc) if rc >= 0
    integer(c_int), intent(in) :: ntasks
    integer(c_int64_t), intent(in) * :: starts
  forward fsion_fwrite_key(data, key, size, nitems, sid, rc) if rc == nitems
    type(*), target, contiguous, intent(in) :: data
  forward fsion_fread_key(data, key, size, nitems, sid, rc) if rc == nitems
  forward fsion_seek_key(sid, key, entrynum, posinentry)
  forward fsion_fread_key_iterator_reset(sid)

  !> After the last record, ierror is 0, and key and size do not change.
  forward fsion_fread_key_iterator_next(sid, key, size)
    integer(c_int64_t), intent(inout) :: key, size
    integer(c_int), intent(out) :: ierror
  forward fsion_drain_test(fname, done) if done >= 0
    integer(c_int), intent(out) :: done
  forward fsion_drain_wait(fname)
  forward fsion_drain_get_progress(fname, waiting, failed, drained, total, failure)
    integer(c_int), intent(out) :: waiting, failed
    integer(c_int64_t), intent(out) :: drained, total
    character(len=*), intent(out) :: failure
  forward fsion_swap(target, source, size, n, do_swap, rc) if rc == sion_success
    integer(c_int), intent(in) :: size
    integer(c_int), intent(out) :: rc

  !> If newfname is too short for the name of the file, ierror says so, although sid is valid.
  forward fsion_paropen_mpi(fname, file_mode, nfiles, gcomm, lcomm, chunksize, fsblksize, &
                            globalrank, newfname, sid) if sid >= 0 .and. .not. is_cut()
    integer(c_int), intent(out) :: sid
  forward fsion_parclose_mpi(sid)
  forward fsion_parpublish_mpi(sid)
  forward fsion_parreinit_mpi(sid, chunksize)
    integer(c_int64_t), intent(in) :: chunksize
  forward fsion_startof_transaction_mpi(sid)
  forward fsion_endof_transaction_mpi(sid)
  forward fsion_paropen_mapped_mpi(fname, file_mode, nfiles, gcomm, nlocaltasks, globalranks, &
          chunksizes, mapping_filenrs, mapping_lranks, fsblksize, sid) if sid >= 0
    integer(c_int), intent(out) :: sid
  forward fsion_parclose_mapped_mpi(sid)

end module sion_f08
