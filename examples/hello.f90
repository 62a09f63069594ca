! One process writes a task's numbers to a container, and reads them back.
program hello
  use sion_f90
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  integer(int64), parameter :: bytes = 8, count = 1000
  integer(int64) :: chunksize = bytes * count, items
  integer(int32) :: fsblksize = -1
  integer :: ntasks = 1, nfiles = 1, rank = 0, sid, status, i
  real(real64) :: written(count), read(count)

  written = [(sqrt(real(i, real64)), i = 1, int(count))]
  call fsion_open('hello_f90.sion', 'w', ntasks, nfiles, chunksize, fsblksize, rank, sid)
  if (sid < 0) error stop 'cannot create the container'
  call fsion_write(written, bytes, count, sid, items)
  call fsion_close(sid, status)
  if (items /= count .or. status /= 1) error stop 'cannot write the container'

  call fsion_open('hello_f90.sion', 'r', ntasks, nfiles, chunksize, fsblksize, rank, sid)
  if (sid < 0) error stop 'cannot open the container'
  call fsion_read(read, bytes, count, sid, items)
  call fsion_close(sid, status)
  if (items /= count .or. any(read /= written)) error stop 'the numbers read differ'
  print '(a, i0, a)', 'read ', count, ' numbers, all equal to those written'
end program hello
