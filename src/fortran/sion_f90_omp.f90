!> Containers opened by all threads of an OpenMP team: the routines of sion_omp.h, called inside a
!! parallel region.
module sion_f90_omp
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_size_t
  use sion_f90
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_size_t

  interface
    subroutine fsion_parclose_omp(sid, ierr) bind(C, name="fsion_parclose_omp_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out), optional :: ierr
    end subroutine fsion_parclose_omp
  end interface

contains

  !> Arguments that are input when writing and output when reading have no intent, so that constants
  !! may be passed when writing. newfname receives the name of the physical file; a
  !! constant does not change, nor does a blank variable if that name is fname.
  !! A name that has no room is cut off, with a warning.
  subroutine fsion_paropen_omp(fname, file_mode, chunksize, fsblksize, globalrank, newfname, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int64_t) :: chunksize
    integer(c_int32_t) :: fsblksize
    integer(c_int) :: globalrank
    character(len=*) :: newfname
    integer(c_int), intent(out) :: sid

    interface
      subroutine c_paropen(fname, file_mode, chunksize, fsblksize, globalrank, newfname, sid, &
                           fname_length, mode_length, newfname_length) &
          bind(C, name="fsion_paropen_omp_c_")
        import :: c_char, c_int, c_int32_t, c_int64_t, c_size_t
        character(kind=c_char), intent(in) :: fname(*), file_mode(*)
        integer(c_int64_t) :: chunksize
        integer(c_int32_t) :: fsblksize
        integer(c_int) :: globalrank
        character(kind=c_char) :: newfname(*)
        integer(c_int), intent(out) :: sid
        integer(c_size_t), value :: fname_length, mode_length, newfname_length
      end subroutine c_paropen
    end interface

    call c_paropen(fname, file_mode, chunksize, fsblksize, globalrank, newfname, sid, &
                   len(fname, c_size_t), len(file_mode, c_size_t), len(newfname, c_size_t))
  end subroutine fsion_paropen_omp

  !> Open for reading with any number of threads; by is sion_share_tasks or sion_share_bytes.
  !! ntasks receives the number of tasks that this thread reads, fsion_get_shared_ranks returns
  !! their ranks, and fsion_parclose_omp closes the container.
  subroutine fsion_paropen_shared_omp(fname, file_mode, by, ntasks, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int), intent(in) :: by
    integer(c_int), intent(inout) :: ntasks
    integer(c_int), intent(out) :: sid

    interface
      subroutine c_paropen_shared(fname, file_mode, by, ntasks, sid, fname_length, &
                                  mode_length) bind(C, &
                                  name="fsion_paropen_shared_omp_c_")
        import :: c_char, c_int, c_size_t
        character(kind=c_char), intent(in) :: fname(*), file_mode(*)
        integer(c_int), intent(in) :: by
        integer(c_int), intent(inout) :: ntasks
        integer(c_int), intent(out) :: sid
        integer(c_size_t), value :: fname_length, mode_length
      end subroutine c_paropen_shared
    end interface

    call c_paropen_shared(fname, file_mode, by, ntasks, sid, len(fname, c_size_t), &
                          len(file_mode, c_size_t))
  end subroutine fsion_paropen_shared_omp

end module sion_f90_omp
