! Data on a device by type(c_ptr): c_f_pointer makes an array of it, whose elements nobody touches.
program pointer
  use, intrinsic :: iso_c_binding
  use sion_f90
  implicit none
  integer, parameter :: n = 100000
  interface
    function fake_allocate(bytes, kind, device) bind(c)
      import
      integer(c_size_t), value :: bytes
      integer(c_int), value :: kind, device
      type(c_ptr) :: fake_allocate
    end function fake_allocate
    subroutine fake_use(device) bind(c)
      import
      integer(c_int), value :: device
    end subroutine fake_use
    subroutine fake_put(data, from, bytes) bind(c)
      import
      type(c_ptr), value :: data
      real(8), intent(in) :: from(*)
      integer(c_size_t), value :: bytes
    end subroutine fake_put
    subroutine fake_get(to, data, bytes) bind(c)
      import
      real(8), intent(out) :: to(*)
      type(c_ptr), value :: data
      integer(c_size_t), value :: bytes
    end subroutine fake_get
  end interface
  type(c_ptr) :: memory
  real(8), pointer, contiguous :: device(:) ! or the compiler copies it
  real(8) :: host(n), found(n)
  integer :: i, sid, ntasks, nfiles, fsblksize, ranks(1)
  integer(8) :: chunksizes(1), rc

  call fake_use(0_c_int)
  memory = fake_allocate(8_c_size_t * n, 0_c_int, 1_c_int)
  call c_f_pointer(memory, device, [n])
  host = [(real(i, 8), i = 1, n)]
  call fake_put(memory, host, 8_c_size_t * n)

  ntasks = 1; nfiles = 1; fsblksize = 4096; ranks = 0; chunksizes = 8 * n
  call fsion_open('pointer.sion', 'bw', ntasks, nfiles, chunksizes, fsblksize, ranks, sid)
  call fsion_fwrite(device, 8_8, int(n, 8), sid, rc)
  if (rc /= n) error stop 'not written'
  call fsion_close(sid, i)
  host = 0
  call fake_put(memory, host, 8_c_size_t * n)
  call fsion_open('pointer.sion', 'br', ntasks, nfiles, chunksizes, fsblksize, ranks, sid)
  call fsion_fread(device, 8_8, int(n, 8), sid, rc)
  if (rc /= n) error stop 'not read'
  call fsion_close(sid, i)
  call fake_get(found, memory, 8_c_size_t * n)
  if (any(nint(found) /= [(i, i = 1, n)])) error stop 'other data'
end program pointer
