! The interface for mpi_f08. Writes mpi.sion, which must equal the file of write_c; stops with 1 if
! a call fails.
program f08
  use mpi_f08
  use sion_f08
  implicit none
  integer :: sid, ierr, i, rank, grank, tasks, nfiles, data(100), back(2, 25), whole(125), n, copy
  integer*4 :: fsblksize
  integer*8 :: size, rc, skip, place, list(4)
  character(len=40) :: newname
  type(MPI_Comm) :: world
  logical :: good

  call MPI_Init()
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank)
  call MPI_Comm_size(world, tasks)
  size = 300
  fsblksize = 512
  call fsion_paropen_mpi('mpi.sion', 'bw', min(2, tasks), world, MPI_COMM_NULL, size, fsblksize, grank, newname, &
                         sid, ierror=ierr)
  good = sid >= 0 .and. ierr == 1 .and. grank == rank
  data = [(rank*1000 + i, i=1, 100)]
  call fsion_write(data, 4_8, 50_8, sid, rc, ierr)
  good = good .and. rc == 50 .and. ierr == 1
  call fsion_coll_fwrite_mpi(data(51:99:2), 4_8, 25_8, sid, rc)
  call fsion_write(reshape(data(1:50), [5, 10]), 4_8, 50_8, sid, rc)
  good = good .and. rc == 50
  call fsion_fwrite(data, 4_8, 1000_8, sid, rc, ierr) ! more than a chunk
  good = good .and. rc == 0 .and. ierr == -1
  call fsion_parclose_mpi(sid)

  nfiles = 0
  call fsion_paropen_mpi('mpi.sion', 'br', nfiles, world, world, size, fsblksize, grank, newname, sid)
  call fsion_get_mapping_spec(sid, n, nfiles)
  good = good .and. nfiles == min(2, tasks)
  call fsion_read(back, 4_8, 50_8, sid, rc)
  good = good .and. rc == 50 .and. back(2, 25) == rank*1000 + 50
  call fsion_parclose_mpi(sid, ierr)
  good = good .and. ierr == 1
  nfiles = 0 ! A blank constant in place of newname
  call fsion_paropen_mpi('mpi.sion', 'br', nfiles, world, world, size, fsblksize, grank, '      ', sid)
  call fsion_parclose_mpi(sid, ierr)
  good = good .and. ierr == 1
  call fsion_paropen_mpi('transaction.sion', 'w', 1, world, world, 100_8, 512, grank, newname, sid, ierr)
  call fsion_startof_transaction_mpi(sid, ierror=ierr)
  good = good .and. ierr == 1
  call fsion_endof_transaction_mpi(sid, ierror=ierr)
  good = good .and. ierr == 1
  call fsion_write_stream(data, 400_8, sid, rc, ierr)
  good = good .and. rc == 400 .and. ierr == 1
  call fsion_read_stream(data, 400_8, sid, rc, ierr) ! not open for reading
  good = good .and. rc == -1 .and. ierr == -1
  call fsion_get_locations(sid, n, i, skip, place, list(1), list(2), list(3), list(4), ierror=ierr)
  good = good .and. ierr == 1 .and. n > 0
  call fsion_get_current_locations(sid, n, list(1), list(2), ierror=ierr)
  good = good .and. ierr == 1
  call fsion_fread_key_iterator_reset(sid, ierror=ierr) ! not a container of records
  good = good .and. ierr /= 1
  call fsion_dup(sid, sion_dup_all, 0, 0_8, copy, ierror=ierr) ! not open for reading
  good = good .and. ierr == -1 .and. copy < 0
  call fsion_dedup(sid, ierror=ierr) ! not a duplicate
  good = good .and. ierr /= 1
  call fsion_parclose_mpi(sid, ierr)
  good = good .and. ierr == 1

  call fsion_paropen_mapped_mpi('mpi.sion', 'r', nfiles, world, 1, rank, size, n, i, fsblksize, sid, &
                                ierror=ierr)
  good = good .and. ierr == 1 .and. size == 512
  call fsion_stream_sizes(sid, 1, [rank], list, skip, ierr)
  good = good .and. ierr == 1 .and. skip == 500 .and. list(2) == 500
  call fsion_stream_read_tasks(data, 400_8, 1, [rank], list, sid, rc, ierr)
  good = good .and. ierr == -1 .and. rc == -1 ! they are more
  call fsion_stream_read_tasks(whole, skip, 1, [rank], list, sid, rc, ierr)
  good = good .and. ierr == 1 .and. rc == 500 .and. whole(125) == rank*1000 + 50
  call fsion_parclose_mapped_mpi(sid, ierror=ierr)
  good = good .and. ierr == 1
  call MPI_Barrier(world)
  call MPI_Finalize()
  if (.not. good) stop 1
end program f08
