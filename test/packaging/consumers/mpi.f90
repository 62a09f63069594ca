program consumer
  use mpi
  use sion_f90_mpi
  implicit none
  integer :: sid, ierr, rank
  integer*8 :: rc
  character(len=30) :: newname

  call MPI_Init(ierr)
  call fsion_paropen_mpi('consumer_mpi_f90.sion', 'w', 1, MPI_COMM_WORLD, MPI_COMM_WORLD, 100_8, 512, &
                         rank, newname, sid)
  call fsion_write('hello', 1_8, 5_8, sid, rc)
  call fsion_parclose_mpi(sid, ierr)
  if (rc /= 5 .or. ierr /= 1) stop 1
  call MPI_Finalize(ierr)
end program consumer
