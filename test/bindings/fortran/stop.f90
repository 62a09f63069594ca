! Writes 500 records of 100 bytes, and stops without a close.
program stop_early
  use sion_f90
  implicit none
  integer :: sid, ntasks, nfiles, ranks(1), i
  integer*4 :: fsblksize
  integer*8 :: sizes(1), rc
  character :: record(100)

  ntasks = 1
  nfiles = 1
  sizes = 20000
  ranks = 0
  fsblksize = 4096
  record = 'A'
  call fsion_open('stop.sion', 'bw,recover', ntasks, nfiles, sizes, fsblksize, ranks, sid)
  do i = 1, 500
    call fsion_write(record, 1_8, 100_8, sid, rc)
    if (rc /= 100) error stop 'not written'
  end do
  stop
end program stop_early
