!> The hybrid interface for programs that use mpi_f08.
!!
!! It provides all names of sion_f08 and the routines of sion_f90_ompi, which are called inside a
!! parallel region: all threads of all tasks of an MPI communicator open a container.
module sion_f08_ompi
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t
  use mpi_f08, only: MPI_Comm
  use sion_f08
  use sion_f90_ompi, only: f90_paropen_ompi => fsion_paropen_ompi, &
    f90_parclose_ompi => fsion_parclose_ompi, f90_paropen_shared_ompi => fsion_paropen_shared_ompi
  implicit none
  private :: MPI_Comm, c_int, c_int32_t, c_int64_t, f90_paropen_ompi, f90_parclose_ompi, &
    f90_paropen_shared_ompi

contains

  !> If newfname is too short for the name of the file, ierror says so, although sid is valid.
  subroutine fsion_paropen_ompi(fname, file_mode, nfiles, gcomm, lcomm, chunksize, fsblksize, &
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
      integer(c_int) function is_cut() bind(C, name="fsion_paropen_is_cut_ompi_c_")
        import :: c_int
      end function is_cut
    end interface

    local = lcomm%MPI_VAL
    call f90_paropen_ompi(fname, file_mode, nfiles, gcomm%MPI_VAL, local, chunksize, fsblksize, &
                          globalrank, newfname, sid)
    if (present(ierror)) ierror = merge(sion_success, -1, sid >= 0 .and. is_cut() == 0)
  end subroutine fsion_paropen_ompi

  subroutine fsion_paropen_shared_ompi(fname, file_mode, gcomm, by, ntasks, sid, ierror)
    character(len=*), intent(in) :: fname, file_mode
    type(MPI_Comm), intent(in) :: gcomm
    integer(c_int), intent(in) :: by
    integer(c_int), intent(inout) :: ntasks
    integer(c_int), intent(out) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_paropen_shared_ompi(fname, file_mode, gcomm%MPI_VAL, by, ntasks, sid)
    if (present(ierror)) ierror = merge(sion_success, -1, sid >= 0)
  end subroutine fsion_paropen_shared_ompi

  subroutine fsion_parclose_ompi(sid, ierror)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out), optional :: ierror

    call f90_parclose_ompi(sid, ierror)
  end subroutine fsion_parclose_ompi

end module sion_f08_ompi
