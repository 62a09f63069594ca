!> The hybrid interface for programs that use mpi_f08.
!!
!! It provides all names of sion_f08 and the routines of sion_f90_ompi, which are called inside a
!! parallel region: all threads of all tasks of an MPI communicator open a container.
module sion_f08_ompi
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t
  use mpi_f08, only: MPI_Comm
  use sion_f08
  use sion_f90_ompi, only: &
    FORWARDED_FROM
  implicit none
  private :: is_cut, MPI_Comm, c_int, c_int32_t, c_int64_t
  private :: &
    FORWARDED

contains

  ! Whether newfname was too short in this thread's last open.
  logical function is_cut()
    interface
      integer(c_int) function in_c() bind(C, name="fsion_paropen_is_cut_ompi_c_")
        import :: c_int
      end function in_c
    end interface

    is_cut = in_c() /= 0
  end function is_cut

  ! forward.awk makes the routines that are forwarded, of arguments of these types.
  != character(len=*), intent(in) :: fname, file_mode
  != integer(c_int) :: nfiles, globalrank
  != type(MPI_Comm), intent(in) :: gcomm, lcomm
  != integer(c_int64_t) :: chunksize
  != integer(c_int32_t) :: fsblksize
  != character(len=*) :: newfname
  != integer(c_int), intent(in) :: by
  != integer(c_int), intent(inout) :: ntasks
  != integer(c_int), intent(out) :: sid
  != integer(c_int), intent(out), optional :: ierror

  !> If newfname is too short for the name of the file, ierror says so, although sid is valid.
  forward fsion_paropen_ompi(fname, file_mode, nfiles, gcomm, lcomm, chunksize, fsblksize, &
                             globalrank, newfname, sid) if sid >= 0 .and. .not. is_cut()
  forward fsion_paropen_shared_ompi(fname, file_mode, gcomm, by, ntasks, sid) if sid >= 0
  forward fsion_parpublish_ompi(sid)
    integer(c_int), intent(in) :: sid
  forward fsion_parclose_ompi(sid)
    integer(c_int), intent(in) :: sid

end module sion_f08_ompi
