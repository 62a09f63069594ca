! A serial Fortran program writes and reads arrays: it reads from_c.sion, which arrays_c writes, and
! writes arrays.sion, which arrays_c checks; prints TAP.
program arrays_of_fortran
  use sion_f90
  use sion_array
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  implicit none
  integer, parameter :: nx = 6, ny = 4, nz = 3, steps = 3
  integer :: passed = 0, failed = 0
  real*8 :: plane(nx, ny)
  integer :: cube(nx, ny, nz)

  call write_for_c()
  call read_what_c_wrote('from_c.sion')
  call read_what_c_wrote('arrays.sion')
  call types()
  call ranks()
  call sections()
  call counts()
  call codecs()
  call texts()
  call facts()
  call blocks()
  call refused_when_writing()
  call refused_when_reading()
  call read_as_each_type()
  call read_as_another_type()
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

  subroutine compute(step)
    integer, intent(in) :: step
    integer :: x, y, z

    do z = 1, nz
      do y = 1, ny
        do x = 1, nx
          plane(x, y) = step + 0.5d0*(x - 1 + 10*(y - 1))
          cube(x, y, z) = 1000*step + 100*(z - 1) + 10*(y - 1) + x - 1
        end do
      end do
    end do
  end subroutine compute

  ! Open a container of two tasks for writing.
  integer function created(name) result(sid)
    character(len=*), intent(in) :: name
    integer*8 :: sizes(2) = 4096
    integer*4 :: fsblksize

    fsblksize = 512
    call fsion_open(name, 'w', 2, 1, sizes, fsblksize, [0, 1], sid)
  end function created

  subroutine open_arrays(name, arrays)
    character(len=*), intent(in) :: name
    type(sion_array_reader), intent(inout) :: arrays
    integer :: ierr

    call fsion_array_reader_open(name, arrays, ierr)
    call check(ierr == sion_success, name//': opened')
  end subroutine open_arrays

  ! Two tasks write halves of the plane, by columns and by rows, and layers of the cube, at steps
  ! in any order.
  subroutine write_for_c()
    integer :: sid, step, y, z, ierr, n = 0
    integer*8 :: shape(3) = [nx, ny, nz]
    real*8, allocatable :: half(:, :)
    integer, pointer :: layers(:, :, :)

    sid = created('arrays.sion')
    call fsion_array_define(sid, 'plane  ', sion_f64, [nx, ny], ierr); n = n + ierr
    call fsion_array_define(sid, 'cube', sion_i32, shape, ierr); n = n + ierr
    call fsion_array_define(sid, 'cube', sion_i32, [nx, ny, nz], ierr); n = n + ierr
    call fsion_array_set_attribute(sid, 'plane', 'units ', 'K    ', ierr); n = n + ierr
    call fsion_array_set_attribute(sid, '', 'title', 'two words', ierr); n = n + ierr
    call check(n == 5, 'arrays.sion: defined')
    n = 0
    do step = steps - 1, 0, -1
      call compute(step)
      half = plane(:, 1:2)
      allocate (layers, source=cube(:, :, 2:3))
      call fsion_seek(sid, 0, sion_current_blk, sion_current_pos)
      call fsion_array_put(sid, 'plane', step, [0, 0], half, ierr); n = n + ierr
      call fsion_array_put(sid, 'cube', int(step, 8), [0, 0, 0], cube(:, :, 1:1), ierr); n = n + ierr
      call fsion_seek(sid, 1, sion_current_blk, sion_current_pos)
      do y = 3, ny
        call fsion_array_put(sid, 'plane', step, [0, y - 1], plane(:, y:y), ierr); n = n + ierr
      end do
      call fsion_array_put(sid, 'cube', step, [0_8, 0_8, 1_8], layers, ierr); n = n + ierr
      do z = 2, nz
        call fsion_array_put(sid, 'cube', int(step, 8), [0_8, 0_8, z - 1_8], cube(:, :, z), ierr, &
                             count=[shape(1:2), 1_8]); n = n + ierr
      end do
      deallocate (layers)
    end do
    call check(n == 7*steps, 'arrays.sion: written')
    call fsion_close(sid, ierr)
    call check(ierr == 1, 'arrays.sion: closed')
  end subroutine write_for_c

  subroutine read_what_c_wrote(name)
    character(len=*), intent(in) :: name
    type(sion_array_reader) :: arrays
    type(sion_array_info) :: info
    real*8 :: got_plane(nx, ny)
    integer :: got_cube(nx, ny, nz), part(2, 3, 1), step, ierr, good = 0
    character(len=:), allocatable :: text

    call open_arrays(name, arrays)
    call fsion_array_reader_info(arrays, 'cube', info, ierr)
    call check(ierr == 1 .and. info%type == sion_i32 .and. info%ndims == 3 .and. &
               all(info%shape(:3) == [nx, ny, nz]) .and. info%steps == steps, name//': the shape of the cube')
    good = 0
    do step = 0, steps - 1
      call compute(step)
      call fsion_array_reader_get(arrays, 'plane', step, [0, 0], got_plane, ierr)
      if (ierr == 1 .and. all(got_plane == plane)) good = good + 1
      call fsion_array_reader_get(arrays, 'cube', step, [0, 0, 0], got_cube, ierr)
      if (ierr == 1 .and. all(got_cube == cube)) good = good + 1
      call fsion_array_reader_get(arrays, 'cube', step, [3_8, 1_8, 2_8], part, ierr)
      if (ierr == 1 .and. all(part == cube(4:5, 2:4, 3:3))) good = good + 1
    end do
    call check(good == 3*steps, name//': whole arrays and parts are read')
    call fsion_array_reader_attribute(arrays, 'plane', 'units', text, ierr)
    call check(ierr == 1 .and. text == 'K' .and. len(text) == 1, name//': the text of an array')
    call fsion_array_reader_attribute(arrays, '', 'title', text, ierr)
    call check(ierr == 1 .and. text == 'two words' .and. len(text) == 9, name//': the text of the container')
    call fsion_array_reader_close(arrays)
  end subroutine read_what_c_wrote

  ! Each type of data, and the two types that integers stand for.
  subroutine types()
    integer*1 :: i1(2) = [-1_1, 2_1], j1(2)
    integer*2 :: i2(2) = [-300_2, 4_2], j2(2)
    integer*4 :: i4(2) = [-70000, 6], j4(2)
    integer*8 :: i8(2) = [-2_8**40, 8_8], j8(2)
    real*4 :: r4(2) = [1.5, -2.5], s4(2)
    real*8 :: r8(2) = [1d300, -3d0], s8(2)
    complex*8 :: c4(2) = [(1., 2.), (3., -4.)], d4(2)
    complex*16 :: c8(2) = [(1d300, 2d0), (-3d0, 4d0)], d8(2)
    character(len=4) :: names(12) = ['i8  ', 'u8  ', 'i16 ', 'u16 ', 'i32 ', 'u32 ', 'i64 ', 'u64 ', 'f32 ', &
                                     'f64 ', 'c64 ', 'c128']
    type(sion_array_reader) :: arrays
    type(sion_array_info) :: info
    integer :: sid, ierr, type, n

    sid = created('types_of_arrays.sion')
    n = 0
    do type = sion_i8, sion_c128
      call fsion_array_define(sid, names(type), type, [2], ierr); n = n + ierr
    end do
    do type = sion_i8, sion_u8
      call fsion_array_put(sid, names(type), 0, [0], i1, ierr); n = n + ierr
      call fsion_array_put(sid, names(type + 2), 0, [0], i2, ierr); n = n + ierr
      call fsion_array_put(sid, names(type + 4), 0, [0], i4, ierr); n = n + ierr
      call fsion_array_put(sid, names(type + 6), 0, [0], i8, ierr); n = n + ierr
    end do
    call fsion_array_put(sid, 'f32', 0, [0], r4, ierr); n = n + ierr
    call fsion_array_put(sid, 'f64', 0, [0], r8, ierr); n = n + ierr
    call fsion_array_put(sid, 'c64', 0, [0], c4, ierr); n = n + ierr
    call fsion_array_put(sid, 'c128', 0, [0], c8, ierr); n = n + ierr
    call check(n == 24, 'types: written')
    call fsion_close(sid)

    call open_arrays('types_of_arrays.sion', arrays)
    n = 0
    do type = sion_i8, sion_u8
      call fsion_array_reader_get(arrays, names(type), 0, [0], j1); n = n + merge(1, 0, all(j1 == i1))
      call fsion_array_reader_get(arrays, names(type + 2), 0, [0], j2); n = n + merge(1, 0, all(j2 == i2))
      call fsion_array_reader_get(arrays, names(type + 4), 0, [0], j4); n = n + merge(1, 0, all(j4 == i4))
      call fsion_array_reader_get(arrays, names(type + 6), 0, [0], j8); n = n + merge(1, 0, all(j8 == i8))
    end do
    call fsion_array_reader_get(arrays, 'f32', 0, [0], s4); n = n + merge(1, 0, all(s4 == r4))
    call fsion_array_reader_get(arrays, 'f64', 0, [0], s8); n = n + merge(1, 0, all(s8 == r8))
    call fsion_array_reader_get(arrays, 'c64', 0, [0], d4); n = n + merge(1, 0, all(d4 == c4))
    call fsion_array_reader_get(arrays, 'c128', 0, [0], d8); n = n + merge(1, 0, all(d8 == c8))
    call check(n == 12, 'types: read back')
    n = 0
    do type = sion_i8, sion_c128
      call fsion_array_reader_info(arrays, names(type), info)
      if (info%type == type .and. info%has_range .eqv. type <= sion_f64) n = n + 1
    end do
    call check(n == 12, 'types: the container knows them')
    call fsion_array_reader_info(arrays, 'i64', info)
    call check(info%low_integer == i8(1) .and. info%high_integer == 8 .and. info%low == real(i8(1), 8), &
               'types: range of integers')
    call fsion_array_reader_info(arrays, 'u64', info)
    call check(info%low_integer == 8 .and. info%high_integer == i8(1) .and. &
               info%high == 2d0**64 - 2d0**40 .and. info%low == 8, 'types: range of unsigned integers')
    call fsion_array_reader_info(arrays, 'f32', info)
    call check(info%low == -2.5 .and. info%high == 1.5 .and. info%low_integer == 0, 'types: range of reals')
    call fsion_array_reader_close(arrays)
  end subroutine types

  ! From a single number to the largest number of dimensions.
  subroutine ranks()
    integer :: i
    real :: d0 = 0.5, d1(2), d4(2, 1, 3, 1), d7(2, 1, 2, 1, 2, 1, 2), d8(2, 1, 2, 1, 2, 1, 2, 3), e0
    real :: e1(2), e4(2, 1, 3, 1), e7(2, 1, 2, 1, 2, 1, 2), e8(2, 1, 2, 1, 2, 1, 2, 3)
    type(sion_array_reader) :: arrays
    type(sion_array_info) :: info
    integer :: sid, ierr, n

    d1 = [1., 2.]
    d4 = reshape([(real(i), i=1, 6)], shape(d4))
    d7 = reshape([(real(i), i=1, 16)], shape(d7))
    d8 = reshape([(real(i), i=1, 48)], shape(d8))
    sid = created('ranks.sion')
    call fsion_array_define(sid, '0', sion_f32, [integer ::], ierr); n = ierr
    call fsion_array_define(sid, '1', sion_f32, shape(d1), ierr); n = n + ierr
    call fsion_array_define(sid, '4', sion_f32, shape(d4), ierr); n = n + ierr
    call fsion_array_define(sid, '7', sion_f32, shape(d7), ierr); n = n + ierr
    call fsion_array_define(sid, '8', sion_f32, shape(d8), ierr); n = n + ierr
    call fsion_array_put(sid, '0', 0, [integer ::], d0, ierr); n = n + ierr
    call fsion_array_put(sid, '1', 0, [0], d1, ierr); n = n + ierr
    call fsion_array_put(sid, '4', 0, [0, 0, 0, 0], d4, ierr); n = n + ierr
    call fsion_array_put(sid, '7', 0, [(0, i=1, 7)], d7, ierr); n = n + ierr
    call fsion_array_put(sid, '8', 0, [(0, i=1, 8)], d8, ierr); n = n + ierr
    call check(n == 10, 'ranks: written')
    call fsion_array_define(sid, '9', sion_f32, [(1, i=1, 9)], ierr)
    call check(ierr == 0, 'ranks: too many dimensions')
    call fsion_close(sid)
    call open_arrays('ranks.sion', arrays)
    call fsion_array_reader_get(arrays, '0', 0, [integer ::], e0, ierr); n = ierr
    call fsion_array_reader_get(arrays, '1', 0, [0], e1, ierr); n = n + ierr
    call fsion_array_reader_get(arrays, '4', 0, [0, 0, 0, 0], e4, ierr); n = n + ierr
    call fsion_array_reader_get(arrays, '7', 0, [(0, i=1, 7)], e7, ierr); n = n + ierr
    call fsion_array_reader_get(arrays, '8', 0, [(0, i=1, 8)], e8, ierr); n = n + ierr
    call check(n == 5 .and. e0 == d0 .and. all(e1 == d1) .and. all(e4 == d4) .and. all(e7 == d7) .and. &
               all(e8 == d8), 'ranks: read back')
    call fsion_array_reader_info(arrays, '8', info)
    call check(all(info%shape == shape(d8)), 'ranks: eight extents')
    call fsion_array_reader_info(arrays, '0', info)
    call check(info%ndims == 0 .and. info%low == 0.5, 'ranks: no extents')
    call fsion_array_reader_close(arrays)
  end subroutine ranks

  ! Data with gaps in memory have none in the container; a read does not change the gaps.
  subroutine sections()
    integer :: wide(10, 10), back(10, 10), sid, ierr, i
    type(sion_array_reader) :: arrays

    wide = reshape([(i, i=1, 100)], [10, 10])
    sid = created('sections.sion')
    call fsion_array_define(sid, 'T', sion_i32, [10, 10])
    call fsion_array_put(sid, 'T', 0, [0, 0], wide(1:10:2, :), ierr)
    call check(ierr == 1, 'sections: every other row is written')
    call fsion_array_put(sid, 'T', 1, [2, 3], wide(10:1:-3, 2:8:3), ierr)
    call check(ierr == 1, 'sections: backwards')
    call fsion_array_put(sid, 'T', 2, [0, 0], transpose(wide), ierr)
    call check(ierr == 1, 'sections: an expression')
    call fsion_array_put(sid, 'T', 3, [0, 0], wide([1, 7], [9, 2, 5]), ierr)
    call check(ierr == 1, 'sections: by lists of rows and columns')
    call fsion_array_put(sid, 'T', 4, [0, 0], wide(:, 1:0), ierr)
    call check(ierr == 1, 'sections: nothing')
    call fsion_close(sid)
    call open_arrays('sections.sion', arrays)
    back = -7
    call fsion_array_reader_get(arrays, 'T', 0, [0, 0], back(:5, :), ierr)
    call check(ierr == 1 .and. all(back(:5, :) == wide(1:10:2, :)) .and. all(back(6:, :) == -7), &
               'sections: every other row is read')
    back = -7
    call fsion_array_reader_get(arrays, 'T', 1, [2, 3], back(10:1:-3, 2:8:3), ierr)
    call check(ierr == 1 .and. all(back(10:1:-3, 2:8:3) == wide(10:1:-3, 2:8:3)) .and. &
               count(back == -7) == 100 - 12, 'sections: into the same section')
    call fsion_array_reader_get(arrays, 'T', 2, [0, 0], back, ierr)
    call check(ierr == 1 .and. all(back == transpose(wide)), 'sections: the expression is read')
    call fsion_array_reader_get(arrays, 'T', 3, [0, 0], back(:2, :3), ierr)
    call check(ierr == 1 .and. all(back(:2, :3) == wide([1, 7], [9, 2, 5])), 'sections: the lists are read')
    call check(fsion_array_reader_step(arrays, 'T', 3_8) == 3 .and. fsion_array_reader_step(arrays, 'T', 4) == 4 .and. &
               fsion_array_reader_step(arrays, 'T', 5) == -1, 'sections: an empty section is a step')
    call fsion_array_reader_close(arrays)
  end subroutine sections

  ! Legacy code passes the first element, and knows the size.
  subroutine put_assumed_size(sid, data, n, ierr)
    integer, intent(in) :: sid, n(2)
    integer, intent(in) :: data(*)
    integer, intent(out) :: ierr

    call fsion_array_put(sid, 'line', 1, [0], data, ierr)
    call refused(ierr, 'array line: the size of the data is not known: pass count')
    call fsion_array_put(sid, 'T', 1, [1, 0], data, ierr, count=[-1, -6])
    call refused(ierr, 'array T: -1 elements after the first 1 are not within the 4 of dimension 1')
    call fsion_array_put(sid, 'T', 1, [1, 0], data, ierr, count=n)
  end subroutine put_assumed_size

  subroutine counts()
    integer :: field(4, 6), back(4, 6), line(24), sid, ierr, i
    type(sion_array_reader) :: arrays

    line = [(i, i=1, 24)]
    field = reshape(line, [4, 6])
    sid = created('counts.sion')
    call fsion_array_define(sid, 'T', sion_i32, [4, 6])
    call fsion_array_define(sid, 'line', sion_i32, [24])
    call fsion_array_put(sid, 'T', 0, [0, 0], line, ierr, count=[4, 6])
    call check(ierr == 1, 'counts: data of another rank')
    call put_assumed_size(sid, line, [3, 2], ierr)
    call check(ierr == 1, 'counts: data of assumed size')
    call fsion_array_put(sid, 'T', 2, [1, 0], field(2, :), ierr, count=[1, 6])
    call check(ierr == 1, 'counts: one row')
    call fsion_array_put(sid, 'T', 2_8, [3_8, 5_8], 77, ierr, count=[1_8, 1_8])
    call check(ierr == 1, 'counts: one element')
    call fsion_close(sid)
    call open_arrays('counts.sion', arrays)
    call fsion_array_reader_get(arrays, 'T', 0, [0, 0], back, ierr)
    call check(ierr == 1 .and. all(back == field), 'counts: data of another rank are read')
    call fsion_array_reader_get(arrays, 'T', 1, [0, 0], back, ierr)
    call check(ierr == 1 .and. all(back(2:4, 1:2) == reshape(line(:6), [3, 2])) .and. sum(back) == 21, &
               'counts: data of assumed size are read, and nothing else')
    back = 0
    call fsion_array_reader_get(arrays, 'T', 2, [1, 0], back(3, :), ierr, count=[1, 6])
    call check(ierr == 1 .and. all(back(3, :) == field(2, :)) .and. sum(back) == sum(field(2, :)), &
               'counts: a row is read')
    call fsion_array_reader_get(arrays, 'T', sion_array_newest, [0, 0], back, ierr)
    field(2:4, 1:2) = reshape(line(:6), [3, 2])
    field(2, :) = [(line(2 + 4*i), i=0, 5)]
    field(4, 6) = 77
    call check(ierr == 1 .and. all(back == field), 'counts: the newest of each element')
    call fsion_array_reader_close(arrays)
  end subroutine counts

  ! Without libzstd, the array stays as it is.
  subroutine codecs()
    integer :: field(40, 60) = 7, back(40, 60), sid, ierr, has_zstd
    type(sion_array_reader) :: arrays
    type(sion_array_info) :: info
    type(sion_array_block) :: blocks(1)

    sid = created('codecs.sion')
    call fsion_array_define(sid, 'T', sion_i32, [40, 60])
    call fsion_array_codec(sid, 'T', 'zip ', ierr)
    call check(ierr == 0, 'codecs: there is no such codec')
    call fsion_array_codec(sid, 'T ', 'zstd:2,shuffle ', has_zstd)
    if (has_zstd == 1) then
      call fsion_array_put(sid, 'T', 0, [0, 0], field, ierr)
    else
      call fsion_array_put(sid, 'T', 0, [0, 0], field(:, :20), ierr)
    end if
    call check(ierr == 1, 'codecs: a block is put')
    call fsion_close(sid)
    call open_arrays('codecs.sion', arrays)
    call fsion_array_reader_info(arrays, 'T', info)
    call fsion_array_reader_blocks(arrays, 'T', 0, 0, blocks, ierr)
    call check(info%codec == trim(merge('zstd,shuffle', '            ', has_zstd == 1)) .and. &
               info%codec == blocks(1)%codec, 'codecs: it is told')
    call check(has_zstd == 0 .or. (info%stored < info%bytes .and. info%stored == blocks(1)%stored .and. &
               blocks(1)%position == -1 .and. blocks(1)%stored_position > 0), 'codecs: it shrinks')
    call fsion_array_reader_get(arrays, 'T', 0, [0, 0], back(:, :20), ierr, count=[40, 20])
    call check(ierr == 1 .and. all(back(:, :20) == field(:, :20)), 'codecs: a part is read')
    call fsion_array_reader_close(arrays)
  end subroutine codecs

  subroutine texts()
    character(len=*), parameter :: temperature = 'Temp'//char(195)//char(169)//'rature' ! UTF-8
    character(len=40) :: name
    character(len=:), allocatable :: text
    type(sion_array_reader) :: arrays
    integer :: sid, ierr

    sid = created('texts.sion')
    name = temperature
    call fsion_array_define(sid, name, sion_f64, [3])
    call fsion_array_define(sid, 'a b', sion_f64, [3])
    call fsion_array_set_attribute(sid, name, 'long', repeat('0123456789', 500), ierr)
    call check(ierr == 1, 'texts: a long one')
    call fsion_array_set_attribute(sid, name, 'nothing', '   ', ierr)
    call check(ierr == 1, 'texts: an empty one')
    call fsion_array_set_attribute(sid, ' ', 'title', ' leading blanks stay', ierr)
    call check(ierr == 1, 'texts: of the container')
    call fsion_array_set_attribute(sid, 'missing', 'key', 'value', ierr)
    call check(ierr == 0, 'texts: of an array that is not defined')
    call fsion_array_put(sid, 'a b', 0, [0], [1d0], ierr)
    call fsion_close(sid)
    call open_arrays('texts.sion   ', arrays)
    call check(fsion_array_reader_count(arrays) == 2 .and. fsion_array_reader_name(arrays, 0) == temperature .and. &
               len(fsion_array_reader_name(arrays, 0)) == len(temperature), 'texts: a name')
    call check(fsion_array_reader_name(arrays, 1) == 'a b' .and. len(fsion_array_reader_name(arrays, 2)) == 0 .and. &
               len(fsion_array_reader_name(arrays, -1)) == 0, 'texts: one more key, and no others')
    call fsion_array_reader_attribute(arrays, name, 'long   ', text, ierr)
    call check(ierr == 1 .and. text == repeat('0123456789', 500), 'texts: the long one is read')
    call fsion_array_reader_attribute(arrays, name, 'nothing', text, ierr)
    call check(ierr == 1 .and. len(text) == 0, 'texts: the empty one is read')
    call fsion_array_reader_attribute(arrays, name, 'title', text, ierr)
    call check(ierr == 0 .and. len(text) == 0, 'texts: a missing one')
    call fsion_array_reader_attribute(arrays, '', 'title', text)
    call check(text == ' leading blanks stay', 'texts: that of the container is read')
    call check(fsion_array_reader_key(arrays, name, 0) == 'long' .and. fsion_array_reader_key(arrays, name, 1) == 'nothing' &
               .and. len(fsion_array_reader_key(arrays, name, 2)) == 0 .and. &
               fsion_array_reader_key(arrays, '', 0) == 'title', 'texts: keys')
    call fsion_array_reader_close(arrays)
    call check(fsion_array_reader_count(arrays) == 0, 'texts: none after the close')
  end subroutine texts

  subroutine facts()
    type(sion_array_reader) :: arrays
    type(sion_array_info) :: info
    real*8 :: all_of_it(4)
    integer :: sid, ierr

    sid = created('facts.sion')
    call fsion_array_define(sid, 'T', sion_f64, [4])
    call fsion_array_put(sid, 'T', 5, [1], [1.5d0, -2d0])
    call fsion_array_put(sid, 'T', 2**30, [0], [7d0])
    call fsion_array_put(sid, 'T', 2_8**40, [0], [8d0])
    call fsion_close(sid)
    call open_arrays('facts.sion', arrays)
    call fsion_array_reader_info(arrays, 'T', info, ierr)
    call check(ierr == 1 .and. info%type == sion_f64 .and. info%ndims == 1 .and. info%shape(1) == 4 .and. &
               info%size == 8 .and. info%blocks == 3 .and. info%bytes == 32 .and. info%steps == 3, 'facts: numbers')
    call check(info%has_range .and. info%low == -2 .and. info%high == 8, 'facts: range')
    call check(fsion_array_reader_step(arrays, 'T', 0) == 5 .and. fsion_array_reader_step(arrays, 'T', 1) == 2**30 .and. &
               fsion_array_reader_step(arrays, 'T', 2) == 2_8**40 .and. fsion_array_reader_step(arrays, 'T', 3) == -1, &
               'facts: steps')
    call fsion_array_reader_get(arrays, 'T', 5, [0], all_of_it, ierr)
    call check(ierr == 1 .and. ieee_is_nan(all_of_it(1)) .and. all(all_of_it(2:3) == [1.5d0, -2d0]) .and. &
               ieee_is_nan(all_of_it(4)), 'facts: elements that no task wrote')
    call fsion_array_reader_info(arrays, 'U', info, ierr)
    call check(ierr == 0 .and. info%steps == 3, 'facts: no such array')
    call fsion_array_reader_open('types_of_arrays.sion', arrays, ierr)
    call check(ierr == 1 .and. fsion_array_reader_count(arrays) == 12, 'facts: another container in its place')
    call fsion_array_reader_open('facts.sion', arrays, ierr, mode='rb')
    call check(ierr == 1 .and. fsion_array_reader_count(arrays) == 1, 'facts: by a mode')
    call fsion_array_reader_open('facts.sion', arrays, ierr, mode='rb,generation=1')
    call check(ierr == 0 .and. fsion_array_reader_count(arrays) == 0, 'facts: no such generation')
    call fsion_array_reader_open('missing.sion', arrays, ierr)
    call check(ierr == 0 .and. fsion_array_reader_count(arrays) == 0, 'facts: no such container')
    call fsion_array_reader_close(arrays)
    call fsion_array_reader_close(arrays)
  end subroutine facts

  subroutine blocks()
    type(sion_array_reader) :: arrays
    type(sion_array_block) :: list(2)
    integer :: sid, n, unit, ierr, numbers(6), i
    integer*8 :: n8

    sid = created('blocks.sion')
    call fsion_array_define(sid, 'T', sion_i32, [10, 10])
    call fsion_array_put(sid, 'T', 3, [1, 2], reshape([(i, i=1, 6)], [2, 3]))
    call fsion_seek(sid, 1, sion_current_blk, sion_current_pos)
    call fsion_array_put(sid, 'T', 3, [5, 0], reshape([(-i, i=1, 4)], [1, 4]))
    call fsion_array_put(sid, 'T', 4, [0, 0], reshape([9], [1, 1]))
    call fsion_close(sid)
    call open_arrays('blocks.sion', arrays)
    call fsion_array_reader_blocks(arrays, 'T', 3, 0, list, n)
    call check(n == 2 .and. all(list%step == 3) .and. all(list%task == [0, 1]) .and. all(list%bytes == [24, 16]), &
               'blocks: of a step')
    call check(all(list(1)%offset(:2) == [1, 2]) .and. all(list(1)%count(:2) == [2, 3]) .and. &
               all(list(2)%offset(:2) == [5, 0]) .and. all(list(2)%count(:2) == [1, 4]), 'blocks: their places')
    call check(list(1)%has_range .and. list(1)%low == 1 .and. list(1)%high_integer == 6 .and. &
               list(2)%low_integer == -4 .and. list(2)%high == -1, 'blocks: their ranges')
    call check(list(1)%file == 'blocks.sion' .and. .not. list(1)%big_endian, 'blocks: their file')
    open (newunit=unit, file=list(1)%file, access='stream', form='unformatted', action='read')
    read (unit, pos=list(1)%position + 1) numbers
    close (unit)
    call check(all(numbers == [(i, i=1, 6)]), 'blocks: their bytes')
    call fsion_array_reader_blocks(arrays, 'T', int(sion_array_newest, 8), 2_8, list(1:2:2), n8)
    call check(n8 == 1 .and. list(1)%step == 4 .and. list(2)%step == 3, 'blocks: of all steps, from the third on')
    call fsion_array_reader_blocks(arrays, 'T', 3, 0, list(1:0), n)
    call check(n == 2, 'blocks: counted')
    call fsion_array_reader_blocks(arrays, 'U', 3, 0, list, n)
    call check(n == -1, 'blocks: no such array')
    call fsion_array_reader_get(arrays, 'T', 3, [1, 2], numbers, ierr, count=[2, 3])
    call check(ierr == 1 .and. all(numbers == [(i, i=1, 6)]), 'blocks: read')
    call fsion_array_reader_close(arrays)
  end subroutine blocks

  subroutine refused(ierr, reason)
    integer, intent(in) :: ierr
    character(len=*), intent(in) :: reason
    character(len=300) :: text

    call fsion_error_text(text)
    call check(ierr == sion_not_success .and. index(text, reason) > 0, 'refused: '//reason)
    if (index(text, reason) == 0) print '(2a)', '# ', trim(text)
  end subroutine refused

  subroutine refused_when_writing()
    real*4 :: single(2, 2) = 0
    real*8 :: double(2, 2) = 0
    integer :: sid, ierr

    sid = created('refused.sion')
    call fsion_array_define(sid, 'T', sion_f64, [4, 4])
    call fsion_array_define(sid, 'T', sion_f64, [4, 5], ierr)
    call refused(ierr, 'array T was defined with another type or shape')
    call fsion_array_define(sid, 'V', 13, [4, 4], ierr)
    call refused(ierr, 'array V: type 13')
    call fsion_array_define(sid, '', sion_f64, [4, 4], ierr)
    call refused(ierr, 'name')
    call fsion_array_put(sid, 'T', 0, [0, 0], single, ierr)
    call refused(ierr, 'array T: the data are f32, the array is f64')
    call fsion_array_put(sid, 'T', 0, [0, 0], 1_8, ierr, count=[1, 1])
    call refused(ierr, 'array T: the data are i64, the array is f64')
    call fsion_array_put(sid, 'T', 0, [0], double, ierr)
    call refused(ierr, 'array T: offset has 1 dimensions, the array has 2')
    call fsion_array_put(sid, 'T', 0, [0, 0], double(1, :), ierr)
    call refused(ierr, 'array T: the data have 1 dimensions, the array has 2: pass count')
    call fsion_array_put(sid, 'T', 0, [0, 0], double, ierr, count=[4])
    call refused(ierr, 'array T: count has 1 dimensions, the array has 2')
    call fsion_array_put(sid, 'T', 0, [0, 0], double, ierr, count=[2, 3])
    call refused(ierr, 'array T: the data do not have as many elements as count says')
    call fsion_array_put(sid, 'T', 0, [0, 0], double, ierr, count=[-2, -2])
    call refused(ierr, 'array T: the data do not have as many elements as count says')
    call fsion_array_put(sid, 'T', 0, [3, 0], double, ierr)
    call refused(ierr, 'array T: 2 elements after the first 3 are not within the 4 of dimension 1')
    call fsion_array_put(sid, 'T', 0, [0, -1], double, ierr)
    call refused(ierr, 'array T: 2 elements after the first -1 are not within the 4 of dimension 2')
    call fsion_array_put(sid, 'T', 0_8, [0_8, huge(1_8)], double, ierr)
    call refused(ierr, 'of dimension 2')
    call fsion_array_put(sid, 'T', -1, [0, 0], double, ierr)
    call refused(ierr, 'array T: step -1')
    call fsion_array_put(sid, 'U', 0, [0, 0], double, ierr)
    call refused(ierr, 'array U is not defined')
    call fsion_array_set_attribute(sid, 'T', '_FillValue', 'zero', ierr)
    call refused(ierr, '_FillValue')
    call fsion_close(sid, ierr)
    call check(ierr == 1, 'refused: the container is closed nevertheless')
    call fsion_array_put(sid, 'T', 0, [0, 0], double, ierr)
    call refused(ierr, 'sion_filedesc')
  end subroutine refused_when_writing

  subroutine refused_when_reading()
    type(sion_array_reader) :: arrays
    integer*8 :: long(2, 2)
    integer :: back(2, 2) = -7, line(4), ierr

    call fsion_array_reader_get(arrays, 'T', 0, [0, 0], back, ierr)
    call refused(ierr, 'there is no array T')
    call open_arrays('blocks.sion', arrays)
    call fsion_array_reader_get(arrays, 'U', 3, [0, 0], back, ierr)
    call refused(ierr, 'there is no array U')
    call fsion_array_reader_get(arrays, 'T', 3, [0, 0], long, ierr)
    call refused(ierr, 'array T: the data are i64, the array is i32')
    call fsion_array_reader_get(arrays, 'T', 3, [0, 0, 0], back, ierr)
    call refused(ierr, 'array T: offset has 3 dimensions, the array has 2')
    call fsion_array_reader_get(arrays, 'T', 3, [0, 0], line, ierr)
    call refused(ierr, 'array T: the data have 1 dimensions, the array has 2: pass count')
    call fsion_array_reader_get(arrays, 'T', 3, [0, 0], back, ierr, count=[10, 10])
    call refused(ierr, 'array T: the data do not have as many elements as count says')
    call fsion_array_reader_get(arrays, 'T', 3, [0, 9], back, ierr)
    call refused(ierr, 'array T: 2 elements after the first 9 are not within the 10 of dimension 2')
    call fsion_array_reader_get(arrays, 'T', -2, [0, 0], back, ierr)
    call refused(ierr, 'array T: step -2')
    call check(all(back == -7), 'refused: nothing was read')
    call fsion_array_reader_close(arrays)
  end subroutine refused_when_reading

  ! The array i16 has -300 and 4.
  subroutine read_as_each_type()
    integer*1 :: i1(1)
    integer*2 :: i2(2)
    integer*4 :: i4(2)
    integer*8 :: i8(2)
    real*4 :: r4(2)
    real*8 :: r8(2)
    complex*8 :: c4(2)
    complex*16 :: c8(2)
    type(sion_array_reader) :: arrays
    integer :: ierr, n

    call open_arrays('types_of_arrays.sion', arrays)
    call fsion_array_reader_get_as(arrays, 'i16', 0, [1], i1, ierr); n = merge(1, 0, ierr == 1 .and. all(i1 == 4))
    call fsion_array_reader_get_as(arrays, 'i16', 0, [0], i2, ierr); n = n + merge(1, 0, all(i2 == [-300, 4]))
    call fsion_array_reader_get_as(arrays, 'i16', 0, [0], i4, ierr); n = n + merge(1, 0, all(i4 == [-300, 4]))
    call fsion_array_reader_get_as(arrays, 'i16', 0, [0], i8, ierr); n = n + merge(1, 0, all(i8 == [-300, 4]))
    call fsion_array_reader_get_as(arrays, 'i16', 0, [0], r4, ierr); n = n + merge(1, 0, all(r4 == [-300, 4]))
    call fsion_array_reader_get_as(arrays, 'i16', 0, [0], r8, ierr); n = n + merge(1, 0, all(r8 == [-300, 4]))
    call fsion_array_reader_get_as(arrays, 'i16', 0, [0], c4, ierr); n = n + merge(1, 0, all(c4 == [-300, 4]))
    call fsion_array_reader_get_as(arrays, 'i16', 0, [0], c8, ierr); n = n + merge(1, 0, all(c8 == [-300, 4]))
    call check(n == 8, 'converted: to each type')
    call fsion_array_reader_get_as(arrays, 'u32', 0, [0], i8, ierr)
    call check(ierr == 1 .and. i8(1) == 2_8**32 - 70000, 'converted: an unsigned integer')
    call fsion_array_reader_get_as(arrays, 'u32', 0, [0], i4, ierr)
    call refused(ierr, 'array u32: element (0) of type u32 is 4294897296, which i32 cannot represent')
    call fsion_array_reader_close(arrays)
  end subroutine read_as_each_type

  subroutine read_as_another_type()
    real*8 :: field(nx, ny, nz), wide(2*nx, ny, nz)
    integer*1 :: small(nx, ny, nz)
    type(sion_array_reader) :: arrays
    integer :: ierr

    call compute(0)
    call open_arrays('arrays.sion', arrays)
    call fsion_array_reader_get_as(arrays, 'cube', 0, [0, 0, 0], field, ierr)
    call check(ierr == 1 .and. all(field == cube), 'converted: the cube')
    wide = -7
    call fsion_array_reader_get_as(arrays, 'cube', 0_8, [0, 0, 0], wide(1:2*nx:2, :, :), ierr)
    call check(ierr == 1 .and. all(wide(1:2*nx:2, :, :) == cube) .and. all(wide(2:2*nx:2, :, :) == -7), &
               'converted: into a section')
    call fsion_array_reader_get_as(arrays, 'cube', 0, [1, 2, 0], field(1:2, 1, 1), ierr, count=[2, 1, 1])
    call check(ierr == 1 .and. all(field(1:2, 1, 1) == cube(2:3, 3, 1)), 'converted: a part, with count')
    call fsion_array_reader_get_as(arrays, 'cube', 0, [0, 0, 0], small, ierr)
    call refused(ierr, 'array cube: element (1, 3, 0) of type i32 is 130, which i8 cannot represent')
    call fsion_array_reader_get_as(arrays, 'cube', 0, [0, 0], small, ierr)
    call refused(ierr, 'fsion_array_reader_get_as: array cube: offset has 2 dimensions, the array has 3')
    call fsion_array_reader_get_as(arrays, 'V', 0, [0, 0], small, ierr)
    call refused(ierr, 'there is no array V')
    call fsion_array_reader_close(arrays)
  end subroutine read_as_another_type
end program arrays_of_fortran
