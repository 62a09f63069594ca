!> Containers opened by all threads of all tasks of an MPI communicator: the routines of sion_ompi.h,
!! called inside a parallel region.
module sion_f90_ompi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_size_t
  use sion_f90
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_size_t

  ! The arguments of the routines below, which forward.awk makes.
  != character(len=*), intent(in) :: fname, file_mode
  != integer(c_int) :: nfiles, globalrank
  != integer, intent(in) :: fgcomm
  != integer :: flcomm
  != integer(c_int64_t) :: chunksize
  != integer(c_int32_t) :: fsblksize
  != character(len=*) :: newfname
  != integer(c_int), intent(in) :: by
  != integer(c_int), intent(inout) :: ntasks
  != integer(c_int), intent(out) :: sid

  interface
    bind fsion_parpublish_ompi(sid, ierr)
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out), optional :: ierr
    bind fsion_parclose_ompi(sid, ierr)
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out), optional :: ierr
  end interface

contains

  !> Arguments that are input when writing and output when reading have no intent, so that constants
  !! may be passed when writing. newfname receives the name of the task's physical file; a
  !! constant does not change, nor does a blank variable if that name is fname.
  !! A name that has no room is cut off, with a warning.
  pass fsion_paropen_ompi(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, &
                          globalrank, newfname, sid)

  !> Open for reading with any number of threads; by is sion_share_tasks or sion_share_bytes.
  !! ntasks receives the number of tasks that this thread reads, fsion_get_shared_ranks returns
  !! their ranks, and fsion_parclose_ompi closes the container.
  pass fsion_paropen_shared_ompi(fname, file_mode, fgcomm, by, ntasks, sid)

end module sion_f90_ompi
