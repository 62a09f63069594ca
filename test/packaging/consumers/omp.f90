program consumer
  use sion_f90_omp
  implicit none
  integer :: bad = 0, sid, ierr, rank
  integer*8 :: rc
  character(len=30) :: newname

  !$omp parallel num_threads(2) private(sid, ierr, rank, rc, newname) reduction(+:bad)
  call fsion_paropen_omp('consumer_omp_f90.sion', 'w', 100_8, 512, rank, newname, sid)
  call fsion_write('hello', 1_8, 5_8, sid, rc)
  call fsion_parclose_omp(sid, ierr)
  if (rc /= 5 .or. ierr /= 1) bad = bad + 1
  !$omp end parallel
  if (bad > 0) stop 1
end program consumer
