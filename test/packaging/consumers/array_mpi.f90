! Each task writes one number of an array.
program consumer
  use mpi
  use sion_f90_mpi
  use sion_array
  implicit none
  integer :: sid, ierr, rank, ranks, last(1), fsblksize = -1
  character(len=30) :: newname
  type(sion_array_reader) :: arrays

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call fsion_paropen_mpi('array_mpi_f90.sion', 'w', 1, MPI_COMM_WORLD, MPI_COMM_WORLD, 4096_8, fsblksize, &
                         rank, newname, sid)
  call fsion_array_define(sid, 'T', sion_i32, [ranks])
  call fsion_array_put(sid, 'T', 0, [rank], [rank])
  call fsion_parclose_mpi(sid, ierr)
  if (ierr /= sion_success) stop 1
  call fsion_array_reader_open('array_mpi_f90.sion', arrays)
  call fsion_array_reader_get(arrays, 'T', 0, [ranks - 1], last, ierr)
  call fsion_array_reader_close(arrays)
  if (ierr /= sion_success .or. last(1) /= ranks - 1) stop 1
  call MPI_Finalize(ierr)
end program consumer
