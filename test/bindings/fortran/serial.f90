! The serial interface in a Fortran 90 program. Writes and reads serial.sion, which must equal the
! file of write_c; prints TAP.
program serial
  use sion_f90
  implicit none
  integer, parameter :: ntasks = 3
  integer :: passed = 0, failed = 0

  call write_container()
  call read_container()
  call read_rank()
  call types()
  call strings()
  call keys()
  call streams()
  call many_streams()
  call failures()
  print '(a,i0)', '1..', passed + failed
  if (failed > 0) stop 1

contains

  subroutine check(good, name)
    logical, intent(in) :: good
    character(len=*), intent(in) :: name

    if (good) passed = passed + 1
    if (.not. good) failed = failed + 1
    print '(a,i0,2a)', trim(merge('ok    ', 'not ok', good))//' ', passed + failed, ' - ', name
  end subroutine check

  ! Item i of task t, as in write_c.
  elemental integer function item(t, i)
    integer, intent(in) :: t, i

    item = t*1000 + i
  end function item

  subroutine write_container()
    integer :: sid, ierr, ranks(ntasks) = [5, 6, 7], t, i, data(100)
    integer*4 :: fsblksize
    integer*8 :: sizes(ntasks) = [400_8, 500_8, 600_8], rc
    character(len=40) :: name, mode

    name = 'serial.sion' ! with blanks at the end
    mode = 'wb'
    fsblksize = 512
    call fsion_open(name, mode, ntasks, 1, sizes, fsblksize, ranks, sid)
    call check(sid >= 0, 'write: open, with constants and trailing blanks')
    call check(all(sizes == [400, 500, 600]), 'write: chunk sizes are not changed')
    do t = 0, ntasks - 1
      call fsion_seek(sid, t, sion_current_blk, sion_current_pos, ierr)
      data = [(item(t, i), i=1, 100)]
      call fsion_write(data(1), 4_8, 50_8, sid, rc)
      call check(rc == 50, 'write: first item of an array')
      call fsion_fwrite(data(51:99:2), 4_8, 25_8, sid, rc) ! every other item
      call check(rc == 25, 'write: an array that is not contiguous')
      call fsion_ensure_free_space(sid, 200_8, ierr)
      call fsion_write_integer(data(1), 4_8, 50_8, sid, rc)
      call check(rc == 50 .and. ierr == 1, 'write: into the next chunk if necessary')
    end do
    call check(fsion_get_bytes_written(sid) == 500, 'write: bytes written')
    call fsion_flush(sid, ierr)
    call check(ierr == 1, 'write: flush')
    call fsion_close(sid, ierr)
    call check(ierr == 1, 'write: close')
  end subroutine write_container

  subroutine read_container()
    integer :: sid, ierr, tasks, files, blocks, t, i, eof, fileno
    integer :: ranks(8), swap, big, mine, mapping(2), size
    integer*4 :: fsblksize
    integer*8 :: sizes(8), rc, skip, varheader, addresses(4)
    integer :: expected(100), data(100), halves(2, 25)

    sizes = -7
    ranks = -7
    call fsion_open('serial.sion', 'rb', tasks, files, sizes(1), fsblksize, ranks(1), sid)
    call check(sid >= 0 .and. tasks == ntasks .and. files == 1 .and. fsblksize == 512, 'read: open')
    call check(all(sizes == -7) .and. all(ranks == -7), 'read: open does not change the arrays')
    ierr = 0
    call fsion_get_chunksizes(sid, sizes(1), ierr)
    call check(ierr == 1 .and. all(sizes(1:4) == [512, 512, 1024, -7]), 'read: chunk sizes')
    ierr = 0
    call fsion_get_globalranks(sid, ranks, ierr)
    call check(ierr == 1 .and. all(ranks(1:4) == [5, 6, 7, -7]), 'read: global ranks')
    call fsion_get_locations(sid, tasks, blocks, skip, varheader, addresses(1), addresses(2), &
                             addresses(3), addresses(4), ierr)
    call check(ierr == 1 .and. tasks == ntasks .and. blocks == 1 .and. skip == 2048 .and. &
               varheader > 0 .and. all(addresses /= 0), 'read: locations')
    call fsion_get_current_locations(sid, tasks, addresses(1), addresses(2), ierr)
    call check(ierr == 1 .and. tasks == ntasks .and. all(addresses(1:2) /= 0), 'read: current locations')
    call fsion_get_generation(sid, skip, varheader, ierr)
    call check(ierr == 1 .and. skip == 0 .and. varheader == 0, 'read: of no generation')
    ierr = 0
    call fsion_get_mapping_spec(sid, size, files, ierr)
    call check(ierr == 1 .and. files == 1 .and. size == -1, 'read: no mapping')
    call fsion_get_mapping(sid, mapping, ierr)
    call check(ierr == -1, 'read: a missing mapping')
    do t = 0, ntasks - 1
      expected = [(item(t, i), i=1, 100)]
      call fsion_seek(sid, t, 0, 0_8, ierr)
      call check(ierr == 1, 'read: seek')
      call check(fsion_bytes_avail_in_block(sid) == 500 .and. fsion_bytes_avail_in_chunk(sid) == 500, &
                 'read: bytes in the chunk')
      data = 0
      call fsion_read(data(1:99:2), 4_8, 50_8, sid, rc) ! copied back into every other item
      call check(rc == 50 .and. all(data(1:99:2) == expected(1:50)) .and. all(data(2:100:2) == 0), &
                 'read: into an array that is not contiguous')
      call fsion_fread(data, 4_8, 25_8, sid, rc)
      call check(rc == 25 .and. all(data(1:25) == expected(51:99:2)), 'read: a whole array')
      call check(fsion_get_bytes_read(sid) == 300, 'read: bytes read')
      call fsion_feof(sid, eof)
      call check(eof == 0, 'read: not yet at the end')
      call fsion_read(halves, 4_8, 50_8, sid, rc)
      call check(rc == 50 .and. all(reshape(halves, [50]) == expected(1:50)), 'read: a matrix')
      call fsion_feof(sid, eof)
      call check(eof == 1, 'read: at the end')
    end do
    call fsion_get_file_endianness(sid, big)
    call fsion_get_endianness(mine)
    call fsion_endianness_swap_needed(sid, swap)
    call check(big == mine .and. swap == 0, 'read: byte order')
    call fsion_get_fileno(sid, fileno)
    call check(fileno > 2, 'read: a descriptor')
    call check(fsion_get_position(sid) > 0, 'read: position')
    call fsion_close(sid)
  end subroutine read_container

  subroutine read_rank()
    integer :: sid, ierr, data(50)
    integer*4 :: fsblksize
    integer*8 :: size, rc

    call fsion_open_rank('serial.sion   ', 'rb  ', size, fsblksize, 1, sid)
    call check(sid >= 0 .and. size == 512 .and. fsblksize == 512, 'one rank: open')
    call fsion_read(data, 4_8, 50_8, sid, rc)
    call check(rc == 50 .and. all(data == item(1, [(ierr, ierr=1, 50)])), 'one rank: data')
    call fsion_close(sid, ierr)
    call check(ierr == 1, 'one rank: close')
  end subroutine read_rank

  ! Scalars and arrays of every type are written and read.
  subroutine types()
    type record
      integer :: number = 3
      double precision :: weight = 0.5d0
    end type record
    type(record) :: r, r2
    integer*1 :: i1, j1
    integer*2 :: i2(2), j2(2)
    integer*8 :: i8, j8, rc
    real :: x, y
    double precision :: d(3), e(3)
    complex :: c, c2
    complex*16 :: z, z2
    logical :: l, l2
    character(len=5) :: s, s2
    character :: letters(3), letters2(3)
    integer :: sid, ierr, i, j, tasks, files, n, swapped(2)
    integer*4 :: fsblksize

    i1 = 1; i2 = [2_2, 3_2]; i8 = 2_8**40; x = 1.5; d = [1d0, 2d0, 3d0]; c = (1., 2.)
    z = (3d0, 4d0); l = .true.; s = 'hello'; letters = ['a', 'b', 'c']; i = 42; n = 0
    fsblksize = 512
    call fsion_open('types.sion', 'w,posix', 1, 1, 512_8, fsblksize, 0, sid)
    call check(sid >= 0, 'types: open with a mode of two words and scalars')
    call fsion_write(i, 4_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write(i1, 1_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write(i2, 2_8, 2_8, sid, rc); n = n + int(rc)
    call fsion_write(i8, 8_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write(x, 4_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write(d, 8_8, 3_8, sid, rc); n = n + int(rc)
    call fsion_write(c, 8_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write(z, 16_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write(l, 4_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write(s, 1_8, 5_8, sid, rc); n = n + int(rc)
    call fsion_write(letters, 1_8, 3_8, sid, rc); n = n + int(rc)
    call fsion_write(r, 16_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write_real(x, 4_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_write_double_precision(d(1), 8_8, 3_8, sid, rc); n = n + int(rc)
    call fsion_fwrite_character(s, 1_8, 5_8, sid, rc); n = n + int(rc)
    call fsion_fwrite_integer8(i8, 8_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_fwrite_complex(c, 8_8, 1_8, sid, rc); n = n + int(rc)
    call fsion_fwrite_logical(l, 4_8, 1_8, sid, rc); n = n + int(rc)
    call check(n == 33, 'types: written')
    call fsion_close(sid, ierr)

    n = 0
    call fsion_open_rank('types.sion', 'r', i8, fsblksize, 0, sid)
    call fsion_read(j, 4_8, 1_8, sid, rc); n = n + merge(1, 0, j == 42)
    call fsion_read(j1, 1_8, 1_8, sid, rc); n = n + merge(1, 0, j1 == i1)
    call fsion_read(j2, 2_8, 2_8, sid, rc); n = n + merge(1, 0, all(j2 == i2))
    call fsion_read(j8, 8_8, 1_8, sid, rc); n = n + merge(1, 0, j8 == 2_8**40)
    call fsion_read(y, 4_8, 1_8, sid, rc); n = n + merge(1, 0, y == x)
    call fsion_read(e, 8_8, 3_8, sid, rc); n = n + merge(1, 0, all(e == d))
    call fsion_read(c2, 8_8, 1_8, sid, rc); n = n + merge(1, 0, c2 == c)
    call fsion_read(z2, 16_8, 1_8, sid, rc); n = n + merge(1, 0, z2 == z)
    call fsion_read(l2, 4_8, 1_8, sid, rc); n = n + merge(1, 0, l2)
    call fsion_read(s2, 1_8, 5_8, sid, rc); n = n + merge(1, 0, s2 == 'hello')
    call fsion_read(letters2, 1_8, 3_8, sid, rc); n = n + merge(1, 0, all(letters2 == letters))
    r2%number = 0; r2%weight = 0
    call fsion_read(r2, 16_8, 1_8, sid, rc); n = n + merge(1, 0, r2%number == 3 .and. r2%weight == 0.5d0)
    call fsion_read_real(y, 4_8, 1_8, sid, rc); n = n + merge(1, 0, y == x)
    call fsion_read_double_precision(e(1), 8_8, 3_8, sid, rc); n = n + merge(1, 0, all(e == d))
    call fsion_fread_character(s2, 1_8, 5_8, sid, rc); n = n + merge(1, 0, s2 == 'hello')
    call fsion_fread_integer8(j8, 8_8, 1_8, sid, rc); n = n + merge(1, 0, j8 == 2_8**40)
    call fsion_fread_complex(c2, 8_8, 1_8, sid, rc); n = n + merge(1, 0, c2 == c)
    call fsion_fread_logical(l2, 4_8, 1_8, sid, rc); n = n + merge(1, 0, l2)
    call check(n == 18, 'types: read back')
    call fsion_close(sid, ierr)
    call fsion_swap(swapped, [1, 256], 4, 2, 1, ierr)
    call check(ierr == 1 .and. all(swapped == [16777216, 65536]), 'types: swapped')
    call fsion_swap_integer(swapped(1), swapped(1), 4, 2, 1, ierr)
    call check(all(swapped == [1, 256]), 'types: swapped in place')
    tasks = 0; files = 0
  end subroutine types

  subroutine strings()
    character(len=3) :: mode = 'w'
    character(len=200) :: text
    integer :: sid, tasks, files
    integer*4 :: fsblksize

    tasks = 1; files = 1; fsblksize = 512
    call fsion_open('in_posix.sion', mode, tasks, files, 100_8, fsblksize, 0, sid)
    call check(sid >= 0, 'strings: a mode with blanks')
    call fsion_close(sid)
    call fsion_open('missing.sion', 'r', tasks, files, 100_8, fsblksize, 0, sid)
    call fsion_error_text(text)
    call check(sid == -1 .and. index(text, 'missing.sion') > 0 .and. text(200:200) == ' ', &
               'strings: the text of an error')
  end subroutine strings

  subroutine keys()
    integer :: sid, ierr, tasks, files, data(4)
    integer*4 :: fsblksize
    integer*8 :: rc, key, bytes

    fsblksize = 512
    call fsion_open('keys.sion', 'w,keyval=inline', 1, 1, 512_8, fsblksize, 0, sid)
    call fsion_fwrite_key([1, 2, 3], 7_8, 4_8, 3_8, sid, rc)
    call check(rc == 3, 'keys: written')
    call fsion_fwrite_key(4, -1_8, 4_8, 1_8, sid, rc)
    call fsion_close(sid)
    call fsion_open('keys.sion', 'r,keyval=unknown', tasks, files, bytes, fsblksize, data(1), sid)
    call fsion_fread_key_iterator_reset(sid, ierr)
    call fsion_fread_key_iterator_next(sid, key, bytes, ierr)
    call check(ierr == 1 .and. key == 7 .and. bytes == 12, 'keys: iterated')
    call fsion_fread_key_iterator_next(sid, key, bytes, ierr)
    call check(ierr == 1 .and. key == -1 .and. bytes == 4, 'keys: a key above 2**63 - 1')
    call fsion_fread_key_iterator_next(sid, key, bytes, ierr)
    call check(ierr == 0, 'keys: no more')
    call fsion_seek_key(sid, 7_8, 0, 4_8, ierr)
    call fsion_fread_key(data, 7_8, 4_8, 2_8, sid, rc)
    call check(ierr == 1 .and. rc == 2 .and. data(1) == 2 .and. data(2) == 3, 'keys: read from a position')
    call fsion_close(sid)
  end subroutine keys

  ! An array that is larger than a chunk, of any type and rank.
  subroutine streams()
    integer :: sid, ierr, tasks, files, i, ranks(1)
    integer*4 :: fsblksize
    integer*8 :: sizes(1), rc, skipped
    real*8 :: field(30, 40), back(30, 40)

    field = reshape([(0.5d0*i, i=1, 1200)], [30, 40])
    fsblksize = 512
    call fsion_open('streams.sion', 'w', 1, 1, 512_8, fsblksize, 0, sid)
    call fsion_write_stream(field, 9600_8, sid, rc)
    call check(rc == 9600 .and. fsion_tell_stream(sid) == 9600, 'streams: written')
    call fsion_write_stream([7, 8, 9], 12_8, sid, rc)
    call check(rc == 12 .and. fsion_size_stream(sid) == 9612, 'streams: another type')
    call fsion_close(sid, ierr)
    call fsion_open('streams.sion', 'r', tasks, files, sizes, fsblksize, ranks, sid)
    back = 0
    call fsion_read_stream(back, 9600_8, sid, rc)
    call check(rc == 9600 .and. all(back == field), 'streams: read')
    call fsion_skip_stream(sid, 4_8, skipped)
    call fsion_read_stream(ranks, 4_8, sid, rc)
    call check(skipped == 4 .and. rc == 4 .and. ranks(1) == 8, 'streams: skipped')
    call fsion_read_stream(back, 9600_8, sid, rc)
    call check(rc == 4, 'streams: the end')
    call fsion_write_stream(back, 1_8, sid, rc)
    call check(rc == -1, 'streams: not open for writing')
    call fsion_close(sid)
    call fsion_write_stream_real(1.0, 4_8, sid, rc)
    call check(rc == -1, 'streams: the routine for one type')
  end subroutine streams

  ! One call reads several tasks, in any order, into data of any type.
  subroutine many_streams()
    integer :: sid, t, i, tasks, files, numbers(6), ranks(3) = [0, 1, 2]
    integer*4 :: fsblksize
    integer*8 :: sizes(3) = 8, starts(7), total, rc
    real :: back(2, 6)

    fsblksize = 8
    call fsion_open('many_streams.sion', 'w', 3, 1, sizes, fsblksize, ranks, sid)
    do t = 0, 2 ! 3, 4 and 5 numbers, over several chunks
      call fsion_seek(sid, t, sion_current_blk, sion_current_pos)
      call fsion_write_stream([(item(t, i), i=1, 5)], int(4*(3 + t), 8), sid, rc)
    end do
    call fsion_close(sid)
    call fsion_open('many_streams.sion', 'r', tasks, files, sizes, fsblksize, ranks, sid)
    starts = -7
    call fsion_stream_sizes(sid, 2, [2, 0], starts(1:5:2), total)
    call check(total == 32 .and. all(starts == [0_8, -7_8, 20_8, -7_8, 32_8, -7_8, -7_8]), &
               'many streams: their sizes, into an array that is not contiguous')
    numbers = -7
    call fsion_stream_read_tasks(numbers(:5), 20_8, 1, [2], starts, sid, rc)
    call check(rc == 20 .and. all(numbers == [(item(2, i), i=1, 5), -7]), 'many streams: one task')
    back = 0
    call fsion_stream_read_tasks(back(1, :), 24_8, 2, [0, 0], [12_8, 0_8], sid, rc)
    numbers = [(item(0, i), i=1, 3), (item(0, i), i=1, 3)]
    call check(rc == 24 .and. all(transfer(back(1, :), numbers) == numbers) .and. all(back(2, :) == 0), &
               'many streams: one repeatedly, by places of our own, a row of a matrix')
    call fsion_stream_read_tasks(numbers, 8_8, 1, [0], [0_8], sid, rc)
    call check(rc == -1, 'many streams: too little room')
    call fsion_stream_sizes(sid, 1, [3], starts, total)
    call check(total == -1, 'many streams: no such task')
    call fsion_stream_read_tasks_integer(numbers(1), 12_8, 1, [0], [0_8], sid, rc)
    call check(rc == 12 .and. numbers(3) == item(0, 3), 'many streams: one type')
    call fsion_close(sid)
  end subroutine many_streams

  ! Each call sets ierr.
  subroutine failures()
    integer :: ierr, size, files
    integer*8 :: sizes(1)

    ierr = 7
    call fsion_get_chunksizes(99, sizes, ierr)
    call check(ierr == -1, 'invalid sid: chunk sizes')
    call fsion_close(99, ierr)
    call check(ierr == 0, 'invalid sid: close')
    ierr = 7
    call fsion_get_mapping_spec(99, size, files, ierr)
    call check(ierr == -1, 'invalid sid: mapping')
    call fsion_feof(99, ierr)
    call check(ierr == -1, 'invalid sid: end of file')
    call fsion_get_fileno(99, ierr)
    call check(ierr == -1, 'invalid sid: descriptor')
  end subroutine failures

end program serial
