!> Containers opened by all tasks of an MPI communicator: the routines of sion_mpi.h. Communicators
!! are integers, as in the module mpi; programs that use mpi_f08 use sion_f08.
module sion_f90_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, c_size_t
  use sion_f90
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, c_size_t

  ! The arguments of the routines below, which forward.awk makes.
  != character(len=*), intent(in) :: fname, file_mode
  != integer(c_int) :: nfiles, globalrank
  != integer, intent(in) :: fgcomm
  != integer :: flcomm
  != integer(c_int64_t) :: chunksize
  != integer(c_int32_t) :: fsblksize
  != character(len=*) :: newfname
  != integer(c_int), intent(in) :: sid, by, nlocaltasks
  != integer(c_int), intent(inout) :: ntasks
  != integer(c_int), target, contiguous :: globalranks, mapping_filenrs, mapping_lranks
  != integer(c_int64_t), target, contiguous :: chunksizes
  != type(*), target, contiguous, intent(inout) :: data
  != integer(c_int64_t), intent(in) :: size, nitems
  != integer(c_int64_t), intent(out) :: rc
  != integer(c_int), intent(out), optional :: ierr

  interface
    bind fsion_parclose_mpi(sid, ierr)
    bind fsion_parpublish_mpi(sid, ierr)
    bind fsion_parreinit_mpi(sid, chunksize, ierr)
      integer(c_int64_t), intent(in) :: chunksize
    bind fsion_startof_transaction_mpi(sid, ierr)
    bind fsion_endof_transaction_mpi(sid, ierr)
    bind fsion_parclose_mapped_mpi(sid, ierr)
  end interface

  each fsion_coll_fwrite_mpi(data, size, nitems, sid, rc)
    type(*), intent(in) :: data
  each fsion_coll_fread_mpi(data, size, nitems, sid, rc)

contains

  !> Arguments that are input when writing and output when reading have no intent, so that constants
  !! may be passed when writing. newfname receives the name of the task's physical file; a
  !! constant does not change, nor does a blank variable if that name is fname.
  !! A name that has no room is cut off, with a warning.
  pass fsion_paropen_mpi(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, &
                         globalrank, newfname, sid)
    integer(c_int), intent(out) :: sid

  !> Open for reading with any number of processes; by is sion_share_tasks or sion_share_bytes.
  !! ntasks receives the number of tasks that this process reads, fsion_get_shared_ranks returns
  !! their ranks, and fsion_parclose_mpi closes the container.
  pass fsion_paropen_shared_mpi(fname, file_mode, fgcomm, by, ntasks, sid)
    integer(c_int), intent(out) :: sid

  !> Each process has nlocaltasks tasks, which the arrays describe: see sion_paropen_mapped_mpi. When
  !! reading, globalranks names the tasks to read, and the call fills the other arrays.
  pass fsion_paropen_mapped_mpi(fname, file_mode, nfiles, fgcomm, nlocaltasks, globalranks, &
                                chunksizes, mapping_filenrs, mapping_lranks, fsblksize, sid)
    integer(c_int), intent(out) :: sid

  !> Collective if the container was opened with a collective mode word.
  pass fsion_coll_fwrite_mpi(data, size, nitems, sid, rc)
    type(*), target, contiguous, intent(in) :: data
  pass fsion_coll_fread_mpi(data, size, nitems, sid, rc)

end module sion_f90_mpi
