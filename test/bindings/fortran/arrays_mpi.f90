! Arrays of MPI programs: each rank writes its share of a plane and of a cube, at several steps, and
! reads the whole arrays. arrays_c checks the container.
program arrays_mpi
  use mpi
  use sion_f90_mpi
  use sion_array
  implicit none
  integer, parameter :: nx = 6, ny = 4, nz = 3, steps = 3
  integer :: rank, ranks, sid, ierr, step, x, y, z, grank, from, to, bad = 0
  integer*4 :: fsblksize = 512
  character(len=20) :: newname
  real*8 :: plane(nx, ny), wide(2*nx, ny), all_planes(nx, ny)
  integer :: cube(nx, ny, nz), all_cubes(nx, ny, nz)
  type(sion_array_reader) :: arrays

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call fsion_paropen_mpi('arrays_mpi.sion', 'w', 1, MPI_COMM_WORLD, MPI_COMM_WORLD, 2048_8, fsblksize, &
                         grank, newname, sid)
  call fsion_array_define(sid, 'plane', sion_f64, [nx, ny], ierr)
  call expect(ierr == sion_success)
  call fsion_array_define(sid, 'cube', sion_i32, [nx, ny, nz], ierr)
  call expect(ierr == sion_success)
  if (rank == 0) call fsion_array_set_attribute(sid, 'plane', 'units', 'K')
  if (rank == ranks - 1) call fsion_array_set_attribute(sid, ' ', 'title', 'two words  ')
  from = rank*nx/ranks + 1 ! rows of the plane, which are not contiguous
  to = (rank + 1)*nx/ranks
  do step = steps - 1, 0, -1
    call compute(step)
    wide(1::2, :) = plane
    call fsion_array_put(sid, 'plane', step, [from - 1, 0], wide(2*from - 1:2*to - 1:2, :), ierr)
    call expect(ierr == sion_success)
    do z = 1 + rank, nz, ranks ! and layers of the cube
      call fsion_array_put(sid, 'cube', step, [0, 0, z - 1], cube(:, :, z), ierr, count=[nx, ny, 1])
      call expect(ierr == sion_success)
    end do
  end do
  call fsion_parclose_mpi(sid, ierr)
  call expect(ierr == sion_success)

  call fsion_array_reader_open('arrays_mpi.sion', arrays, ierr)
  call expect(ierr == sion_success .and. fsion_array_reader_count(arrays) == 2)
  do step = 0, steps - 1
    call compute(step)
    call fsion_array_reader_get(arrays, 'plane', step, [0, 0], all_planes, ierr)
    call expect(ierr == sion_success .and. all(all_planes == plane))
    call fsion_array_reader_get(arrays, 'cube', step, [0, 0, 0], all_cubes, ierr)
    call expect(ierr == sion_success .and. all(all_cubes == cube))
  end do
  call fsion_array_reader_close(arrays)
  call MPI_Finalize(ierr)
  if (bad > 0) stop 1

contains

  subroutine expect(good)
    logical, intent(in) :: good

    if (.not. good) bad = bad + 1
    if (.not. good) print *, 'rank ', rank, ': step ', step, ' is wrong'
  end subroutine expect

  subroutine compute(step)
    integer, intent(in) :: step

    do z = 1, nz
      do y = 1, ny
        do x = 1, nx
          plane(x, y) = step + 0.5d0*(x - 1 + 10*(y - 1))
          cube(x, y, z) = 1000*step + 100*(z - 1) + 10*(y - 1) + x - 1
        end do
      end do
    end do
  end subroutine compute
end program arrays_mpi
