!> Containers opened by all threads of all tasks of an MPI communicator: the routines of sion_ompi.h,
!! called inside a parallel region.
module sion_f90_ompi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_size_t
  use sion_f90
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_size_t

  interface
    subroutine fsion_parclose_ompi(sid, ierr) bind(C, name="fsion_parclose_ompi_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out), optional :: ierr
    end subroutine fsion_parclose_ompi
  end interface

contains

  !> Arguments that are input when writing and output when reading have no intent, so that constants
  !! may be passed when writing. newfname receives the name of the task's physical file; a
  !! constant does not change, nor does a blank variable if that name is fname.
  !! A name that has no room is cut off, with a warning.
  subroutine fsion_paropen_ompi(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, &
                              globalrank, newfname, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: nfiles, globalrank
    integer, intent(in) :: fgcomm
    integer :: flcomm
    integer(c_int64_t) :: chunksize
    integer(c_int32_t) :: fsblksize
    character(len=*) :: newfname
    integer(c_int), intent(out) :: sid

    procedure(fsion_paropen_form), bind(C, name="fsion_paropen_ompi_c_") :: c_paropen

    call c_paropen(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, globalrank, &
                   newfname, sid, len(fname, c_size_t), len(file_mode, c_size_t), &
                   len(newfname, c_size_t))
  end subroutine fsion_paropen_ompi

  !> Open for reading with any number of threads; by is sion_share_tasks or sion_share_bytes.
  !! ntasks receives the number of tasks that this thread reads, fsion_get_shared_ranks returns
  !! their ranks, and fsion_parclose_ompi closes the container.
  subroutine fsion_paropen_shared_ompi(fname, file_mode, fgcomm, by, ntasks, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer, intent(in) :: fgcomm
    integer(c_int), intent(in) :: by
    integer(c_int), intent(inout) :: ntasks
    integer(c_int), intent(out) :: sid

    procedure(fsion_paropen_shared_form), bind(C, name="fsion_paropen_shared_ompi_c_") :: &
      c_paropen_shared

    call c_paropen_shared(fname, file_mode, fgcomm, by, ntasks, sid, len(fname, c_size_t), &
                          len(file_mode, c_size_t))
  end subroutine fsion_paropen_shared_ompi

end module sion_f90_ompi
