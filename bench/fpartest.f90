!> fpartest measures how fast MPI tasks write and read through the library's Fortran interface.
program fpartest
  use mpi
  use sion_f90_mpi
  implicit none
  integer, parameter :: i8 = selected_int_kind(18)
  character(len=1016) :: filename = 'test_sionfile.sion'
  integer :: nfiles = 1, rank, ntasks, ierr
  integer*4 :: fsblksize = 2097152
  integer(i8) :: bufsize = 10485760, localsize = 20971520, chunksize = 10485760
  double precision :: factor = 0
  logical :: collective = .true.
  character, allocatable :: buffer(:)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ntasks, ierr)
  call read_options()
  if (rank == 0) call print_settings()
  localsize = localsize + int(localsize*factor*rank/ntasks, i8)
  allocate (buffer(bufsize))
  buffer = achar(65 + modulo(rank, 26))
  call write_container()
  call read_container()
  call MPI_Finalize(ierr)

contains

  subroutine fail(text)
    character(len=*), intent(in) :: text
    integer :: ierr

    write (*, '(a,i0,2a)') 'fpartest: task ', rank, ': ', trim(text)
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine fail

  !> End after a failure of all tasks: rank 0 prints it, and no task aborts the job before.
  subroutine fail_together(text)
    character(len=*), intent(in) :: text
    integer :: ierr

    if (rank == 0) write (*, '(2a)') 'fpartest: ', trim(text)
    call MPI_Finalize(ierr)
    stop 1
  end subroutine fail_together

  !> Pairs of a letter and a value.
  subroutine read_options()
    character(len=1016) :: option, value
    integer :: i, status
    integer(i8) :: blocks

    do i = 1, command_argument_count(), 2
      call get_command_argument(i, option)
      call get_command_argument(i + 1, value)
      status = 0
      select case (option)
      case ('-h', '--help')
        if (rank == 0) call print_usage()
        call MPI_Finalize(status)
        stop
      case ('-f')
        filename = value
      case ('-F')
        read (value, *, iostat=status) factor
      case ('-b', '-B')
        call read_size(value, bufsize, status)
      case ('-s', '-S')
        call read_size(value, localsize, status)
      case ('-n')
        read (value, *, iostat=status) nfiles
      case ('-r', '-R')
        call read_size(value, chunksize, status)
      case ('-q', '-Q')
        call read_size(value, blocks, status)
        fsblksize = int(blocks, 4)
      case ('-T')
        collective = value /= '0'
      case default
        status = 1
      end select
      if (value == '' .or. bufsize < 1 .or. localsize < 0 .or. factor < 0) status = 1
      if (status /= 0) then
        if (rank == 0) call print_usage()
        call fail_together('wrong option '//trim(option)//' '//trim(value))
      end if
    end do
  end subroutine read_options

  !> A size: bytes, or KiB, MiB or GiB with the suffix k, M or G.
  subroutine read_size(text, bytes, status)
    character(len=*), intent(in) :: text
    integer(i8), intent(inout) :: bytes
    integer, intent(out) :: status
    integer :: place, power

    place = scan(text, 'kKmMgG')
    power = 0
    if (place > 0) power = (index('kKmMgG', text(place:place)) + 1)/2
    if (place == 0) place = len_trim(text) + 1
    read (text(:place - 1), *, iostat=status) bytes
    bytes = bytes*1024_i8**power
  end subroutine read_size

  subroutine print_usage()
    print '(a)', 'Usage: fpartest options', '', 'Options:', &
      '  [-f filename]          container (test_sionfile.sion)', &
      '  [-n <number of files>] number of files (1)', &
      '  [-b <bufsize>]         bytes written in one call, or -B', &
      '  [-s <localsize>]       bytes written by each task, or -S', &
      '  [-r <chunksize>]       chunk size, or -R', &
      '  [-q <fsblksize>]       size of file system blocks, or -Q', &
      '  [-F <factor>]          higher ranks write up to this fraction more (0)', &
      '  [-T <0|1>]             1: collective writes and reads (1)', &
      '  [-h, --help]           this text', &
      ' Sizes are in bytes, or with a suffix k, M or G in KiB, MiB or GiB.'
  end subroutine print_usage

  subroutine print_settings()
    print '(a)', 'partest parameter:                 Checksum DISABLED!!'
    print '(a)', ' '
    print '(a,a33,a,a)', 'partest parameter:   ', 'datafile', '              = ', trim(filename)
    print '(a,a33,a,i10)', 'partest parameter:   ', 'number of files', '              = ', nfiles
    call print_bytes('local buffer size / task', bufsize)
    call print_bytes('total data size / task', localsize)
    call print_bytes('sion chunk size', chunksize)
    call print_bytes('fs block size', int(fsblksize, i8))
    print '(a,a33,a,l5)', 'partest parameter:   ', 'Collective', '              = ', collective
  end subroutine print_settings

  subroutine print_bytes(name, bytes)
    character(len=*), intent(in) :: name
    integer(i8), intent(in) :: bytes

    print '(a,a33,a,i10,a,f10.4,a)', 'partest parameter:   ', name, '              = ', bytes, &
      ' bytes (', bytes/1048576d0, ' MB)'
  end subroutine print_bytes

  !> The calls that the task with the most data needs; all tasks make as many collective calls.
  integer function common_calls()
    integer :: mine, ierr

    mine = int((localsize + bufsize - 1)/bufsize)
    call MPI_Allreduce(mine, common_calls, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  end function common_calls

  subroutine open_container(access, sid, blocksize)
    character(len=*), intent(in) :: access
    integer, intent(out) :: sid
    integer*4, intent(out) :: blocksize
    integer :: files, local, task
    integer(i8) :: size
    character(len=1024) :: new_name

    files = nfiles
    local = MPI_COMM_WORLD
    size = chunksize
    blocksize = fsblksize
    task = rank
    call fsion_paropen_mpi(filename, access//trim(merge(',collective', '           ', collective)), &
                           files, MPI_COMM_WORLD, local, size, blocksize, task, new_name, sid)
    if (sid < 0) call fail_together('cannot open '//filename)
  end subroutine open_container

  subroutine write_container()
    integer :: sid, ierr, call_number
    integer*4 :: blocksize
    integer(i8) :: left, n, done
    double precision :: start

    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    start = MPI_Wtime()
    call open_container('bw', sid, blocksize)
    if (rank == 0) call print_bytes('fs block size (calc)', int(blocksize, i8))
    left = localsize
    do call_number = 1, common_calls()
      n = min(left, bufsize)
      if (collective) then
        call fsion_coll_fwrite_mpi(buffer, 1_i8, n, sid, done)
      else
        done = 0
        if (n > 0) call fsion_fwrite(buffer, 1_i8, n, sid, done)
      end if
      if (done /= n) call fail('cannot write to '//filename)
      left = left - n
    end do
    call fsion_parclose_mpi(sid, ierr)
    if (ierr /= 1) call fail_together('cannot close '//filename)
    call print_result('wrote', start)
  end subroutine write_container

  subroutine read_container()
    integer :: sid, ierr, call_number
    integer*4 :: blocksize
    integer(i8) :: left, n, done
    double precision :: start

    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    start = MPI_Wtime()
    call open_container('br', sid, blocksize)
    left = localsize
    do call_number = 1, common_calls()
      n = min(left, bufsize)
      if (collective) then
        call fsion_coll_fread_mpi(buffer, 1_i8, n, sid, done)
      else
        done = 0
        if (n > 0) call fsion_fread(buffer, 1_i8, n, sid, done)
      end if
      if (done /= n .or. any(buffer(:n) /= achar(65 + modulo(rank, 26)))) &
        call fail('cannot read back '//filename)
      left = left - n
    end do
    call fsion_parclose_mpi(sid, ierr)
    if (ierr /= 1) call fail_together('cannot close '//filename)
    call print_result('read ', start)
  end subroutine read_container

  subroutine print_result(done, start)
    character(len=*), intent(in) :: done
    double precision, intent(in) :: start
    integer :: ierr
    double precision :: seconds, most, all

    seconds = MPI_Wtime() - start
    call MPI_Reduce(seconds, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
    call MPI_Reduce(dble(localsize), all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(3a,i0,a,f12.6,a,f12.4,a)', 'partest result: ', done, ' ', int(all, i8), &
      ' bytes in ', most, ' s, ', all/1d6/max(most, 1d-9), ' MB/s'
  end subroutine print_result

end program fpartest
