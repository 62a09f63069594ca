! The hybrid interface: three threads of each rank write and read; stops with 1 if a call fails.
program ompi
  use mpi
  use omp_lib
  use sion_f90_ompi
  implicit none
  integer :: bad = 0, process, provided, ierr

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, process, ierr)
  call write_and_read(bad)
  call MPI_Finalize(ierr)
  if (bad > 0) stop 1

contains

  subroutine write_and_read(bad)
    integer, intent(inout) :: bad
    integer :: sid, ierr, rank, data(10), nfiles, lcomm, me
    integer*4 :: fsblksize
    integer*8 :: size, rc
    character(len=30) :: newname

    !$omp parallel num_threads(3) reduction(+:bad) &
    !$omp private(sid, ierr, rank, data, fsblksize, size, rc, newname, nfiles, lcomm, me)
    me = 3*process + omp_get_thread_num()
    size = 100; fsblksize = 512; rank = -1; data = me; nfiles = 1; lcomm = MPI_COMM_WORLD
    call fsion_paropen_ompi('ompi.sion', 'bw', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, rank, &
                            newname, sid)
    if (sid < 0 .or. rank /= me .or. newname /= 'ompi.sion') bad = bad + 1
    call fsion_write(data, 4_8, 10_8, sid, rc)
    call fsion_parclose_ompi(sid, ierr)
    if (rc /= 10 .or. ierr /= 1) bad = bad + 1
    data = -1
    call fsion_paropen_ompi('ompi.sion', 'br', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, rank, &
                            newname, sid)
    call fsion_read(data, 4_8, 10_8, sid, rc)
    if (size /= 512 .or. rc /= 10 .or. any(data /= me)) bad = bad + 1
    call fsion_parclose_ompi(sid)
    ! A blank constant in place of newname.
    call fsion_paropen_ompi('ompi.sion', 'br', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, rank, &
                            ' ', sid)
    call fsion_parclose_ompi(sid, ierr)
    if (ierr /= 1) bad = bad + 1
    !$omp end parallel
  end subroutine write_and_read

end program ompi
