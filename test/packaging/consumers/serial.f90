program consumer
  use sion_f90
  implicit none
  integer :: sid, ierr
  integer*4 :: fsblksize = 512
  integer*8 :: rc

  call fsion_open('consumer_f90.sion', 'w', 1, 1, 100_8, fsblksize, 0, sid)
  call fsion_write('hello', 1_8, 5_8, sid, rc)
  call fsion_close(sid, ierr)
  if (rc /= 5 .or. ierr /= 1) stop 1
end program consumer
