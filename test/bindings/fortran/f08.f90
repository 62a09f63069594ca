! The interface for mpi_f08. Writes mpi.sion, which must equal the file of write_c; stops with 1 if
! a call fails.
program f08
  use mpi_f08
  use sion_f08
  implicit none
  integer :: sid, ierr, i, rank, grank, tasks, nfiles, data(100), back(2, 25), whole(125), n, copy, calls = 0
  integer*4 :: fsblksize
  integer*8 :: size, rc, skip, place, list(4)
  character(len=40) :: newname
  type(MPI_Comm) :: world
  logical :: good

  call MPI_Init()
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank)
  call MPI_Comm_size(world, tasks)
  good = .true.
  call one_task_of_two()
  call records()
  call duplicate()
  size = 300
  fsblksize = 512
  call fsion_paropen_mpi('mpi.sion', 'bw', min(2, tasks), world, MPI_COMM_NULL, size, fsblksize, grank, newname, &
                         sid, ierror=ierr)
  good = good .and. sid >= 0 .and. ierr == 1 .and. grank == rank
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
  call fsion_get_generation(sid, skip, place, ierror=ierr) ! not open for reading
  good = good .and. ierr /= 1
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
  call together()
  call staged()
  call MPI_Barrier(world)
  call MPI_Finalize()
  if (.not. good) stop 1

contains

  ! Staged in the same folder. A blank name means all containers.
  subroutine staged()
    integer :: waiting, failed
    character(len=20) :: failure

    call fsion_paropen_mpi('staged.sion', 'w,stage=.', 1, world, world, 100_8, 512, grank, newname, sid, ierr)
    call fsion_parclose_mpi(sid, ierr)
    good = good .and. ierr == 1
    call fsion_drain_wait('staged.sion', ierr)
    good = good .and. ierr == 1
    call fsion_drain_test(' ', i, ierr)
    good = good .and. ierr == 1 .and. i == 1
    call fsion_drain_get_progress(' ', waiting, failed, rc, size, failure, ierror=ierr)
    good = good .and. ierr == 1 .and. waiting == 0 .and. failed == 0 .and. rc == 0 .and. failure == ''
  end subroutine staged

  ! What a call has told, and nothing for the next one to inherit.
  subroutine expect(told, holds)
    integer, intent(in) :: told
    logical, intent(in) :: holds

    calls = calls + 1
    if (ierr /= told .or. .not. holds) then
      good = .false.
      print '(a,i0,a,i0)', 'call ', calls, ' of those that expect() looks at tells ', ierr
    end if
    ierr = -9
  end subroutine expect

  ! The serial calls, in a file of this rank's own.
  subroutine one_task_of_two()
    integer*8 :: sizes(2)
    integer :: ranks(2), mapping(4), ntasks, swapped(2)

    ierr = -9
    data = [(rank*1000 + i, i=1, 100)]
    write (newname, '(a,i0)') 'f08.', rank
    sizes = [512_8, 512_8]
    ranks = [7, 8]
    call fsion_open(newname, 'w', 2, 1, sizes, 512, ranks, sid, ierr)
    call expect(1, sid >= 0)
    call fsion_seek(sid, 1, 0, 0_8, ierr)
    call expect(1, .true.)
    call fsion_ensure_free_space(sid, 400_8, ierr)
    call expect(1, .true.)
    call fsion_fwrite(data, 4_8, 100_8, sid, rc, ierr)
    call expect(1, rc == 100)
    call fsion_flush(sid, ierr)
    call expect(1, .true.)
    call fsion_close(sid, ierr)
    call expect(1, .true.)

    call fsion_open_rank(newname, 'r', size, fsblksize, 1, sid, ierr)
    call expect(1, size == 512)
    call fsion_fread(whole, 4_8, 100_8, sid, rc, ierr)
    call expect(1, rc == 100 .and. all(whole(1:100) == data))
    call fsion_close(sid, ierr)
    call expect(1, .true.)
    call fsion_open_rank(newname, 'r', size, fsblksize, 2, sid, ierr) ! no such task
    call expect(-1, sid < 0)

    call fsion_open(newname, 'r', ntasks, nfiles, sizes, fsblksize, ranks, sid, ierr)
    call expect(1, ntasks == 2)
    sizes = 0
    ranks = 0
    call fsion_get_chunksizes(sid, sizes, ierr)
    call expect(1, all(sizes == 512))
    call fsion_get_globalranks(sid, ranks, ierr)
    call expect(1, all(ranks == [7, 8]))
    call fsion_get_mapping(sid, mapping, ierr) ! of one file
    call expect(-1, .true.)
    call fsion_close(sid, ierr)
    call expect(1, .true.)
    call fsion_swap(swapped, [1, 256], 4, 2, 1, i, ierr)
    call expect(1, all(swapped == [16777216, 65536]))
  end subroutine one_task_of_two

  subroutine records()
    integer*8 :: key, bytes

    call fsion_open(newname, 'w,keyval=inline', 1, 1, [512_8], 512, [0], sid, ierr)
    call expect(1, .true.)
    call fsion_fwrite_key(data, 7_8, 4_8, 3_8, sid, rc, ierr)
    call expect(1, rc == 3)
    call fsion_close(sid, ierr)
    call expect(1, .true.)
    call fsion_open_rank(newname, 'r,keyval=inline', size, fsblksize, 0, sid, ierr)
    call expect(1, .true.)
    call fsion_fread_key_iterator_next(sid, key, bytes, ierr)
    call expect(1, key == 7 .and. bytes == 12)
    call fsion_fread_key_iterator_next(sid, key, bytes, ierr)
    call expect(0, .true.)
    call fsion_fread_key_iterator_reset(sid, ierr)
    call expect(1, .true.)
    key = 0
    call fsion_fread_key_iterator_next(sid, key, bytes, ierr)
    call expect(1, key == 7)
    call fsion_seek_key(sid, 7_8, 0, 8_8, ierr)
    call expect(1, .true.)
    call fsion_fread_key(whole, 7_8, 4_8, 1_8, sid, rc, ierr)
    call expect(1, rc == 1 .and. whole(1) == data(3))
    call fsion_fread_key(whole, 7_8, 4_8, 1_8, sid, rc, ierr) ! no more
    call expect(-1, rc == 0)
    call fsion_close(sid, ierr)
    call expect(1, .true.)
  end subroutine records

  ! Numbers are given out in turn: one of the duplicates has 0, because no parallel call has taken it.
  subroutine duplicate()
    integer :: first
    logical :: has_0

    call fsion_open_rank(newname, 'r,keyval=inline', size, fsblksize, 0, first, ierr)
    call expect(1, first == 0)
    call fsion_open_rank(newname, 'r,keyval=inline', size, fsblksize, 0, sid, ierr)
    call expect(1, .true.)
    call fsion_close(first)
    has_0 = .false.
    do i = 1, 8
      call fsion_dup(sid, sion_dup_all, 0, 0_8, copy, ierr)
      call expect(1, copy >= 0)
      has_0 = has_0 .or. copy == 0
      call fsion_dedup(copy, ierr)
      call expect(1, .true.)
    end do
    ierr = 1
    call expect(1, has_0)
    call fsion_close(sid)
  end subroutine duplicate

  subroutine together()
    integer :: ntasks, ranks(2)

    call fsion_paropen_mpi('together.sion', 'w,collective', 1, world, world, 100_8, 512, grank, newname, sid, ierr)
    call expect(1, .true.)
    call fsion_parreinit_mpi(sid, 400_8, ierr)
    call expect(1, .true.)
    call fsion_coll_fwrite_mpi(data, 4_8, 100_8, sid, rc, ierr)
    call expect(1, rc == 100)
    call fsion_parclose_mpi(sid)
    call fsion_paropen_mpi('together.sion', 'r,collective', nfiles, world, world, size, fsblksize, grank, newname, &
                           sid, ierr)
    call expect(1, nfiles == 1)
    whole = 0
    call fsion_coll_fread_mpi(whole, 4_8, 100_8, sid, rc, ierr)
    call expect(1, rc == 100 .and. all(whole(1:100) == data))
    call fsion_parclose_mpi(sid)
    call fsion_paropen_shared_mpi('together.sion', 'br', world, sion_share_tasks, ntasks, sid, ierr)
    call expect(1, ntasks == 1)
    call fsion_get_shared_ranks(sid, ranks, ierr)
    call expect(1, ranks(1) == rank)
    call fsion_parclose_mpi(sid)
  end subroutine together
end program f08
