program consumer
  use mpi
  use sion_f90_ompi
  implicit none
  integer :: bad = 0, sid, ierr, rank, provided
  integer*8 :: rc
  character(len=30) :: newname

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  !$omp parallel num_threads(2) private(sid, ierr, rank, rc, newname) reduction(+:bad)
  call fsion_paropen_ompi('consumer_ompi_f90.sion', 'w', 1, MPI_COMM_WORLD, MPI_COMM_WORLD, 100_8, &
                          512, rank, newname, sid)
  call fsion_write('hello', 1_8, 5_8, sid, rc)
  call fsion_parclose_ompi(sid, ierr)
  if (rc /= 5 .or. ierr /= 1) bad = bad + 1
  !$omp end parallel
  call MPI_Finalize(ierr)
  if (bad > 0) stop 1
end program consumer
