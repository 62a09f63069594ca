! The OpenMP interface: three threads write and read; stops with 1 if a call fails.
program omp
  use omp_lib
  use sion_f90_omp
  implicit none
  integer :: bad = 0

  call write_and_read(bad)
  if (bad > 0) stop 1

contains

  subroutine write_and_read(bad)
    integer, intent(inout) :: bad
    integer :: sid, ierr, rank, data(10), ntasks, ranks(3)
    integer*4 :: fsblksize
    integer*8 :: size, rc
    character(len=30) :: newname

    !$omp parallel num_threads(3) private(sid, ierr, rank, data, fsblksize, size, rc, newname) &
    !$omp reduction(+:bad)
    size = 100; fsblksize = 512; rank = -1; data = omp_get_thread_num()
    call fsion_paropen_omp('omp.sion  ', 'bw', size, fsblksize, rank, newname, sid)
    if (sid < 0 .or. rank /= omp_get_thread_num() .or. newname /= 'omp.sion') bad = bad + 1
    call fsion_write(data, 4_8, 10_8, sid, rc)
    call fsion_parclose_omp(sid, ierr)
    if (rc /= 10 .or. ierr /= 1) bad = bad + 1
    !$omp barrier
    data = -1
    call fsion_paropen_omp('omp.sion', 'br', size, fsblksize, rank, newname, sid)
    call fsion_read(data, 4_8, 10_8, sid, rc)
    if (size /= 512 .or. rc /= 10 .or. any(data /= omp_get_thread_num())) bad = bad + 1
    call fsion_parclose_omp(sid)
    ! A blank constant in place of newname.
    call fsion_paropen_omp('omp.sion', 'br', size, fsblksize, rank, ' ', sid)
    call fsion_parclose_omp(sid, ierr)
    if (ierr /= 1) bad = bad + 1
    !$omp end parallel
    ! Two threads read as many tasks.
    !$omp parallel num_threads(2) private(sid, ierr, rank, data, rc, ntasks, ranks) reduction(+:bad)
    call fsion_paropen_shared_omp('omp.sion', 'br', sion_share_tasks, ntasks, sid)
    if (ntasks /= 2 - omp_get_thread_num()) bad = bad + 1
    call fsion_get_shared_ranks(sid, ranks, ierr)
    if (ierr /= 1 .or. ranks(1) /= 2*omp_get_thread_num()) bad = bad + 1
    call fsion_seek(sid, ranks(1), 0, 0_8, ierr)
    call fsion_read_stream(data, 40_8, sid, rc)
    if (rc /= 40 .or. any(data /= ranks(1))) bad = bad + 1
    call fsion_parclose_omp(sid, ierr)
    if (ierr /= 1) bad = bad + 1
    !$omp end parallel
  end subroutine write_and_read

end program omp
