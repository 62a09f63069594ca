! The name of the file has no room in newfname.
program short
  use mpi_f08
  use sion_f08
  implicit none
  integer :: sid, ierr, rank
  integer*4 :: fsblksize
  integer*8 :: size
  character(len=6) :: newname
  logical :: good

  call MPI_Init()
  size = 300
  fsblksize = 512
  rank = 0
  newname = ' x'
  call fsion_paropen_mpi('mpi.sion', 'bw', 1, MPI_COMM_SELF, MPI_COMM_SELF, size, fsblksize, rank, newname, &
                         sid, ierr)
  good = sid >= 0 .and. ierr == -1
  call fsion_parclose_mpi(sid, ierr)
  good = good .and. ierr == 1
  call MPI_Finalize()
  if (.not. good) stop 1
end program short
