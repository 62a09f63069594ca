! The MPI interface in a Fortran 90 program, with collective and independent calls. Writes mpi.sion,
! which must equal the file of write_c; rank 0 prints TAP for all ranks.
program parallel
  use mpi
  use sion_f90_mpi
  implicit none
  integer :: passed = 0, failed = 0, rank, tasks, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierr)
  call write_container()
  call read_container()
  call own_communicators()
  call collective()
  call mapped()
  call shared()
  call wrong()
  call constants()
  call staged()
  if (rank == 0) print '(a,i0)', '1..', passed + failed
  call MPI_Finalize(ierr)
  if (failed > 0) stop 1

contains

  subroutine check(mine, name)
    logical, intent(in) :: mine
    character(len=*), intent(in) :: name
    logical :: good
    integer :: ierr

    call MPI_Allreduce(mine, good, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
    if (good) passed = passed + 1
    if (.not. good) failed = failed + 1
    if (rank == 0) print '(a,i0,2a)', trim(merge('ok    ', 'not ok', good))//' ', passed + failed, &
      ' - ', name
  end subroutine check

  subroutine write_container()
    integer :: sid, ierr, i, lcomm, grank, data(100)
    integer*4 :: fsblksize
    integer*8 :: size, rc
    character(len=40) :: name, newname

    name = 'mpi.sion'
    size = 300
    fsblksize = 512
    lcomm = MPI_COMM_NULL ! not used here
    grank = -1
    call fsion_paropen_mpi(name, 'bw', min(2, tasks), MPI_COMM_WORLD, lcomm, size, fsblksize, grank, newname, sid)
    call check(sid >= 0 .and. grank == rank, 'write: open, with a constant')
    call check(newname == trim('mpi.sion'//merge('       ', '.000001', rank < max(1, tasks/2))), &
               'write: name of the physical file')
    data = [(rank*1000 + i, i=1, 100)]
    call fsion_write(data, 4_8, 50_8, sid, rc)
    call fsion_fwrite(data(51:99:2), 4_8, 25_8, sid, rc)
    call fsion_write_integer(data(1), 4_8, 50_8, sid, rc)
    call check(rc == 50, 'write: items')
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1, 'write: close')
  end subroutine write_container

  subroutine read_container()
    integer :: sid, ierr, nfiles, grank, size_of_mapping, data(50), lcomm
    integer*4 :: fsblksize
    integer*8 :: size, rc
    character(len=40) :: newname

    nfiles = 0; size = 0; fsblksize = 0; grank = -1; lcomm = MPI_COMM_WORLD
    call fsion_paropen_mpi('mpi.sion', 'br', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, grank, &
                           newname, sid)
    call check(sid >= 0 .and. nfiles == min(2, tasks) .and. size == 512 .and. fsblksize == 512 .and. &
               grank == rank, 'read: open')
    call fsion_get_mapping_spec(sid, size_of_mapping, nfiles, ierr)
    call check(ierr == 1 .and. nfiles == min(2, tasks), 'read: mapping')
    call fsion_read(data, 4_8, 50_8, sid, rc)
    call check(rc == 50 .and. data(50) == rank*1000 + 50, 'read: items')
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1, 'read: close')
  end subroutine read_container

  ! One file for each half of the tasks; a new start with other chunk sizes.
  subroutine own_communicators()
    integer :: sid, ierr, nfiles, grank, lcomm
    integer*4 :: fsblksize
    integer*8 :: size, rc
    character(len=40) :: newname

    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, 1, rank < (tasks + 1)/2), rank, lcomm, ierr)
    nfiles = -1; size = 100; fsblksize = 512; grank = -1
    call fsion_paropen_mpi('own.sion', 'w', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, grank, &
                           newname, sid)
    call check(sid >= 0 .and. nfiles == min(2, tasks), 'own communicators: open')
    call fsion_parreinit_mpi(sid, 1000_8, ierr)
    call check(ierr == 1, 'own communicators: new start')
    call fsion_write([rank], 4_8, 1_8, sid, rc)
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1 .and. rc == 1, 'own communicators: close')
    call MPI_Comm_free(lcomm, ierr)
  end subroutine own_communicators

  ! `mapped` has written two tasks for each rank. All ranks but the last read them; one rank reads
! all.
  subroutine shared()
    integer :: sid, ierr, ntasks, readers, i, value
    integer, allocatable :: ranks(:)
    integer*8 :: rc
    logical :: good

    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, 1, rank < max(1, tasks - 1)), rank, readers, ierr)
    ntasks = -1
    call fsion_paropen_shared_mpi('mapped.sion', 'br', readers, sion_share_tasks, ntasks, sid)
    call check(sid >= 0 .and. ntasks >= 2, 'shared: open')
    allocate (ranks(ntasks))
    call fsion_get_shared_ranks(sid, ranks, ierr)
    good = ierr == 1
    do i = 1, ntasks
      call fsion_seek(sid, ranks(i), 0, 0_8, ierr)
      call fsion_read_stream(value, 4_8, sid, rc)
      good = good .and. ierr == 1 .and. rc == 4 .and. value == ranks(i)
      if (i > 1) good = good .and. ranks(i) > ranks(max(1, i - 1))
    end do
    call check(good, 'shared: each task is read')
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1, 'shared: close')
    call MPI_Comm_free(readers, ierr)
  end subroutine shared

  subroutine collective()
    integer :: sid, ierr, nfiles, grank, lcomm
    integer*4 :: fsblksize
    integer*8 :: size, rc
    double precision :: data(10), back(10)
    character(len=40) :: newname

    nfiles = 1; size = 80; fsblksize = 512; lcomm = MPI_COMM_WORLD; data = rank + 0.25d0
    call fsion_paropen_mpi('coll.sion', 'w,collective,collsize=2', nfiles, MPI_COMM_WORLD, lcomm, &
                           size, fsblksize, grank, newname, sid)
    call fsion_coll_fwrite_mpi(data, 8_8, 10_8, sid, rc)
    call check(rc == 10, 'collective: written')
    call fsion_parclose_mpi(sid, ierr)
    call fsion_paropen_mpi('coll.sion', 'r,collective,collsize=2', nfiles, MPI_COMM_WORLD, lcomm, &
                           size, fsblksize, grank, newname, sid)
    call fsion_coll_fread_mpi_double_precision(back(1), 8_8, 10_8, sid, rc)
    call check(rc == 10 .and. all(back == data), 'collective: read')
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1, 'collective: close')
  end subroutine collective

  ! Staged in the same folder. A blank name means all containers.
  subroutine staged()
    integer :: sid, ierr, grank, done, waiting, failed
    integer*8 :: rc, drained, total
    character(len=40) :: name, newname, failure

    name = 'staged.sion'
    call fsion_paropen_mpi(name, 'w,stage=.', 1, MPI_COMM_WORLD, MPI_COMM_WORLD, 100_8, 512, grank, newname, sid)
    call fsion_write([rank], 4_8, 1_8, sid, rc)
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1 .and. rc == 1, 'staged: written')
    failure = 'x'
    call fsion_drain_get_progress(' ', waiting, failed, drained, total, failure, ierr)
    call check(ierr == 1 .and. waiting <= 1 .and. failed == 0 .and. drained <= total .and. failure == '', &
               'staged: progress')
    call fsion_drain_wait(name, ierr)
    call fsion_drain_test('', done)
    call check(ierr == 1 .and. done == 1, 'staged: complete')
  end subroutine staged

  ! Any constant may stand for newfname, for one file and for a set. A blank variable gets the name
  ! of a file of a set.
  subroutine constants()
    integer :: sid, ierr, nfiles, grank, lcomm
    integer*4 :: fsblksize
    integer*8 :: size
    character(len=12) :: newname

    nfiles = 1; size = 100; fsblksize = 512; lcomm = MPI_COMM_WORLD
    call fsion_paropen_mpi('one.sion', 'w', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, grank, ' ', sid)
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1, 'newfname is a blank constant, one file')
    nfiles = min(2, tasks)
    call fsion_paropen_mpi('set.sion', 'w', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, grank, &
                           '                              ', sid)
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1, 'newfname is a blank constant, a set')
    call fsion_paropen_mpi('one.sion', 'r', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, grank, 'no name', sid)
    call fsion_parclose_mpi(sid, ierr)
    call check(ierr == 1, 'newfname is another constant')
    newname = ' '
    call fsion_paropen_mpi('set.sion', 'r', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, grank, newname, sid)
    call fsion_parclose_mpi(sid, ierr)
    call check(newname == merge('            ', 'set.sion.000', rank < max(1, tasks/2)), &
               'newfname is a blank variable, cut off')
  end subroutine constants

  ! Each process has two tasks, in two files; another process reads both.
  subroutine mapped()
    integer :: sid, ierr, nfiles, ranks(2), files(2), places(2), i, value, other, copy
    integer*4 :: fsblksize
    integer*8 :: sizes(2), rc
    logical :: good

    fsblksize = 512; nfiles = 2
    ranks = [2*rank, 2*rank + 1]; sizes = [100_8, 200_8]; files = [0, 1]; places = rank
    call fsion_paropen_mapped_mpi('mapped.sion', 'w', nfiles, MPI_COMM_WORLD, 2, ranks, sizes, files, &
                                  places, fsblksize, sid)
    good = sid >= 0
    do i = 1, 2
      call fsion_seek(sid, ranks(i), sion_current_blk, sion_current_pos, ierr)
      call fsion_write(ranks(i), 4_8, 1_8, sid, rc)
      good = good .and. ierr == 1 .and. rc == 1
    end do
    call fsion_parclose_mapped_mpi(sid, ierr)
    call check(good .and. ierr == 1, 'mapped: written')
    other = modulo(rank + 1, tasks)
    ranks = [2*other + 1, 2*other]; files = -1; nfiles = 0
    call fsion_paropen_mapped_mpi('mapped.sion', 'r', nfiles, MPI_COMM_WORLD, 2, ranks, sizes, files, &
                                  places, fsblksize, sid)
    good = sid >= 0 .and. nfiles == 2 .and. all(files == [1, 0]) .and. all(places == other)
    do i = 1, 2
      call fsion_seek(sid, ranks(i), 0, 0_8, ierr)
      call fsion_read(value, 4_8, 1_8, sid, rc)
      good = good .and. rc == 1 .and. value == ranks(i)
    end do
    call check(good, 'mapped: read by another process')
    call fsion_dup(sid, sion_dup_all, 0, 0_8, copy)
    call check(copy >= 0, 'mapped: duplicated')
    call fsion_dedup(copy, ierr)
    call check(ierr == 1, 'mapped: duplicate closed')
    call fsion_parclose_mapped_mpi(sid, ierr)
    call check(ierr == 1, 'mapped: closed')
  end subroutine mapped

  subroutine wrong()
    integer :: sid, ierr, nfiles, grank, lcomm
    integer*4 :: fsblksize
    integer*8 :: size
    character(len=40) :: newname

    nfiles = 1; size = 80; fsblksize = 512; lcomm = MPI_COMM_WORLD
    call fsion_paropen_mpi('missing.sion', 'r', nfiles, MPI_COMM_WORLD, lcomm, size, fsblksize, &
                           grank, newname, sid)
    call check(sid == -1 .and. newname == '', 'a missing file: -1 on every rank')
    call fsion_parclose_mpi(99, ierr)
    call check(ierr == -1, 'an invalid sid cannot be closed')
  end subroutine wrong

end program parallel
