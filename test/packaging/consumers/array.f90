program consumer
  use sion_f90
  use sion_array
  implicit none
  integer :: sid, ierr, values(3), fsblksize = -1
  integer*8 :: chunksize(1) = 4096
  type(sion_array_reader) :: arrays

  call fsion_open('array_f90.sion', 'w', 1, 1, chunksize, fsblksize, [0], sid)
  call fsion_array_define(sid, 'T', sion_i32, [3])
  call fsion_array_put(sid, 'T', 0, [0], [1, 2, 3], ierr)
  call fsion_close(sid)
  if (ierr /= sion_success) stop 1
  call fsion_array_reader_open('array_f90.sion', arrays)
  call fsion_array_reader_get(arrays, 'T', 0, [0], values, ierr)
  call fsion_array_reader_close(arrays)
  if (ierr /= sion_success .or. any(values /= [1, 2, 3])) stop 1
end program consumer
