! The hybrid interface for mpi_f08: three threads of each rank write and read; stops with 1 if a call
! fails.
program ompi08
  use mpi_f08
  use omp_lib
  use sion_f08_ompi
  implicit none
  integer :: bad = 0, process, provided

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, process)
  call write_and_read(bad)
  call MPI_Finalize()
  if (bad > 0) stop 1

contains

  subroutine write_and_read(bad)
    integer, intent(inout) :: bad
    integer :: sid, ierr, rank, data(10), nfiles, me
    integer*4 :: fsblksize
    integer*8 :: size, rc
    character(len=30) :: newname

    !$omp parallel num_threads(3) reduction(+:bad) &
    !$omp private(sid, ierr, rank, data, fsblksize, size, rc, newname, nfiles, me)
    me = 3*process + omp_get_thread_num()
    rank = -1; data = me; nfiles = 0
    call fsion_paropen_ompi('ompi08.sion', 'bw', 1, MPI_COMM_WORLD, MPI_COMM_NULL, 100_8, 512, rank, &
                            newname, sid, ierror=ierr)
    if (ierr /= 1 .or. rank /= me .or. newname /= 'ompi08.sion') bad = bad + 1
    call fsion_coll_fwrite_mpi(data, 4_8, 10_8, sid, rc, ierr)
    if (rc /= 10 .or. ierr /= 1) bad = bad + 1
    call fsion_parclose_ompi(sid, ierror=ierr)
    if (ierr /= 1) bad = bad + 1
    data = -1
    call fsion_paropen_ompi('ompi08.sion', 'br', nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, size, &
                            fsblksize, rank, newname, sid)
    call fsion_read(data, 4_8, 10_8, sid, rc)
    if (nfiles /= 1 .or. size /= 512 .or. rc /= 10 .or. any(data /= me)) bad = bad + 1
    call fsion_parclose_ompi(sid)
    ! A blank constant in place of newname.
    call fsion_paropen_ompi('ompi08.sion', 'br', nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, size, &
                            fsblksize, rank, ' ', sid)
    call fsion_parclose_ompi(sid, ierr)
    if (ierr /= 1) bad = bad + 1
    call fsion_paropen_ompi('nothing.sion', 'br', nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, size, &
                            fsblksize, rank, ' ', sid, ierr)
    if (ierr /= -1 .or. sid >= 0) bad = bad + 1
    call fsion_paropen_shared_ompi('ompi08.sion', 'br', MPI_COMM_WORLD, sion_share_tasks, &
                                   nfiles, sid, ierr)
    if (ierr /= 1 .or. nfiles /= 1) bad = bad + 1
    call fsion_parclose_ompi(sid, ierr)
    if (ierr /= 1) bad = bad + 1
    call fsion_paropen_shared_ompi('nothing.sion', 'br', MPI_COMM_WORLD, sion_share_tasks, &
                                   nfiles, sid, ierr)
    if (ierr /= -1 .or. sid >= 0) bad = bad + 1
    call fsion_parclose_ompi(99, ierr)
    if (ierr /= -1) bad = bad + 1
    !$omp end parallel
  end subroutine write_and_read

end program ompi08
