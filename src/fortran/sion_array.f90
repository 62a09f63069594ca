!> Arrays in containers: named, typed, with a global shape, written by blocks and read by any part.
!!
!! The routines are those of sion_array.h, which describes each of them. A program uses this module
!! and the one that opens its containers. In the container, the dimensions are in C's order; the
!! module reverses shapes, offsets and counts, so Fortran's first dimension is the last one in C,
!! Python and sionarray(1), and no data are moved. An offset is the number of elements before the
!! block in each dimension: field(i:j) has the offset i - 1. Offsets count from 0, as do the indexes
!! of arrays, keys and blocks, and ranks and positions in the other modules.
!!
!! NUMBER stands for integers of 1, 2, 4 and 8 bytes, and real and complex of c_float and c_double.
!! Data must be of the array's type, except for fsion_array_reader_get_as; integers stand for
!! unsigned ones, too. Data may have any rank, and may be a section that is not contiguous, which is
!! copied. STEP and PLACE stand for c_int (the default integer) and c_int64_t. Trailing blanks of
!! strings are ignored.
!!
!! ierr is sion_success or sion_not_success; fsion_error_text of the other modules returns the
!! reason.
module sion_array
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_double_complex, &
    c_f_pointer, c_float, c_float_complex, c_int, c_int8_t, c_int16_t, c_int32_t, c_int64_t, c_loc, &
    c_null_char, c_null_ptr, c_ptr, c_size_t, c_sizeof
  use sion_f90, only: sion_success
  implicit none
  private
  public :: sion_success, sion_not_success, sion_array_dims, sion_array_name, sion_array_newest
  public :: sion_i8, sion_u8, sion_i16, sion_u16, sion_i32, sion_u32, sion_i64, sion_u64, sion_f32, &
    sion_f64, sion_c64, sion_c128
  public :: sion_array_reader, sion_array_info, sion_array_block
  public :: fsion_array_define, fsion_array_codec, fsion_array_put, fsion_array_set_attribute
  public :: fsion_array_reader_open, fsion_array_reader_count, fsion_array_reader_name, fsion_array_reader_info, &
    fsion_array_reader_step, fsion_array_reader_attribute, fsion_array_reader_key, fsion_array_reader_get, &
    fsion_array_reader_get_as, fsion_array_reader_blocks, fsion_array_reader_close

  integer, parameter :: sion_not_success = 0
  integer, parameter :: sion_i8 = 1, sion_u8 = 2, sion_i16 = 3, sion_u16 = 4
  integer, parameter :: sion_i32 = 5, sion_u32 = 6, sion_i64 = 7, sion_u64 = 8
  integer, parameter :: sion_f32 = 9, sion_f64 = 10, sion_c64 = 11, sion_c128 = 12
  integer, parameter :: sion_array_dims = 8, sion_array_name = 1023, sion_array_newest = -1

  type :: sion_array_reader ! the arrays of a container that is open for reading
    private
    type(c_ptr) :: handle = c_null_ptr
  end type sion_array_reader

  type :: sion_array_info
    integer :: type = 0, ndims = 0
    integer(c_int64_t) :: shape(sion_array_dims) = 0 ! the first ndims elements count
    integer(c_int64_t) :: size = 0 ! bytes of an element
    integer(c_int64_t) :: blocks = 0, bytes = 0, steps = 0
    logical :: has_range = .false. ! whether low and high are known
    real(c_double) :: low = 0, high = 0 ! smallest and largest element; NaN does not count
    integer(c_int64_t) :: low_integer = 0, high_integer = 0 ! the same of integers, exactly
    integer(c_int64_t) :: stored = 0 ! bytes that the blocks take in the container
    character(len=:), allocatable :: codec ! of the blocks, without a level; '': they are not compressed
  end type sion_array_info

  type :: sion_array_block
    integer(c_int64_t) :: step = 0
    integer :: task = 0
    character(len=:), allocatable :: file ! its physical file
    integer(c_int64_t) :: position = -1 ! bytes before its data in the file; -1: in pieces, or compressed
    integer(c_int64_t) :: bytes = 0
    logical :: big_endian = .false.
    integer(c_int64_t) :: offset(sion_array_dims) = 0, count(sion_array_dims) = 0
    logical :: has_range = .false.
    real(c_double) :: low = 0, high = 0
    integer(c_int64_t) :: low_integer = 0, high_integer = 0
    integer(c_int64_t) :: stored = 0, stored_position = -1 ! the same as they are in the file
    character(len=:), allocatable :: codec
  end type sion_array_block

  ! The C functions.
  type, bind(C) :: c_numbers
    integer(c_int) :: n = -1
    integer(c_int64_t) :: at(15) = 0
  end type c_numbers

  type, bind(C) :: c_data
    integer(c_int) :: type
    type(c_ptr) :: address
    type(c_numbers) :: extents, offset, count
  end type c_data

  type, bind(C) :: c_info
    integer(c_size_t) :: own_size
    integer(c_int) :: type, ndims
    integer(c_int64_t) :: shape(sion_array_dims), size, blocks, bytes, steps
    integer(c_int) :: has_range
    integer(c_int64_t) :: low, high, stored
    type(c_ptr) :: codec
  end type c_info

  type, bind(C) :: c_block
    integer(c_size_t) :: own_size
    integer(c_int64_t) :: step
    integer(c_int) :: task
    type(c_ptr) :: file
    integer(c_int64_t) :: position, bytes
    integer(c_int) :: big_endian
    integer(c_int64_t) :: offset(sion_array_dims), count(sion_array_dims)
    integer(c_int) :: has_range
    integer(c_int64_t) :: low, high, stored, stored_position
    type(c_ptr) :: codec
  end type c_block

  ! The arguments of the C functions, whose interfaces forward.awk makes.
  != integer(c_int), value :: sid, type, ndims, index, converts
  != character(kind=c_char), intent(in) * :: name, key, value, file, mode, codec
  != integer(c_int64_t), intent(in) * :: shape
  != integer(c_int64_t), value :: step, first, n
  != type(c_data), intent(in) :: data
  != type(c_ptr), value :: arrays, string
  != type(c_info), intent(inout) :: info
  != type(c_block), intent(inout) * :: blocks

  interface fsion_array_define
    module procedure define
  end interface fsion_array_define
  interface fsion_array_put
    module procedure put
  end interface fsion_array_put
  interface fsion_array_reader_step
    module procedure step_of
  end interface fsion_array_reader_step
  interface fsion_array_reader_get
    module procedure get
  end interface fsion_array_reader_get
  interface fsion_array_reader_get_as
    module procedure get_as
  end interface fsion_array_reader_get_as
  interface fsion_array_reader_blocks
    module procedure blocks_of
  end interface fsion_array_reader_blocks
  interface numbers
    module procedure numbers_of
  end interface numbers

contains

  ! ---- writing ----

  !> shape has one number for each dimension; type is one of the constants, such as sion_f64.
  subroutine define(sid, name, type, shape, ierr)
    integer(c_int), intent(in) :: sid
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: type
    integer(PLACE), intent(in) :: shape(:)
    integer(c_int), intent(out), optional :: ierr

    calls integer(c_int) :: c_define(sid, name, type, ndims, shape) to sion_array_define

    call report(ierr, c_define(sid, terminated(name), type, size(shape), &
                               int(shape(size(shape):1:-1), c_int64_t)))
  end subroutine define

  !> The block has the extents of data, unless count gives others. count is needed if data are of
  !! assumed size, or have another rank than the array, such as a plane of it. data must have as
  !! many elements as count.
  subroutine put(sid, name, step, offset, data, ierr, count)
    integer(c_int), intent(in) :: sid
    character(len=*), intent(in) :: name
    integer(STEP), intent(in) :: step
    integer(PLACE), intent(in) :: offset(:)
    NUMBER, target, contiguous, intent(in) :: data(..)
    integer(c_int), intent(out), optional :: ierr
    integer(PLACE), intent(in), optional :: count(:)
    type(c_numbers) :: extents

    if (present(count)) extents = numbers(count)
    call put_data(sid, name, int(step, c_int64_t), &
                  c_data(TYPE_OF_NUMBER, c_loc(data), numbers(shape(data, c_int64_t)), &
                         numbers(offset), extents), ierr)
  end subroutine put

  subroutine put_data(sid, name, step, data, ierr)
    integer(c_int), intent(in) :: sid
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: step
    type(c_data), intent(in) :: data
    integer(c_int), intent(out), optional :: ierr

    calls integer(c_int) :: c_put(sid, name, step, data) to fsion_array_put_c_

    call report(ierr, c_put(sid, terminated(name), step, data))
  end subroutine put_data

  !> 'zstd', 'zstd:LEVEL', ',shuffle' behind that; 'zfp:accuracy=NUMBER', 'zfp:rate=BITS'; or 'none'.
  !! It is called before the first block.
  subroutine fsion_array_codec(sid, name, codec, ierr)
    integer(c_int), intent(in) :: sid
    character(len=*), intent(in) :: name, codec
    integer(c_int), intent(out), optional :: ierr

    calls integer(c_int) :: c_codec(sid, name, codec) to sion_array_codec

    call report(ierr, c_codec(sid, terminated(name), terminated(codec)))
  end subroutine fsion_array_codec

  !> A blank name stands for the container.
  subroutine fsion_array_set_attribute(sid, name, key, value, ierr)
    integer(c_int), intent(in) :: sid
    character(len=*), intent(in) :: name, key, value
    integer(c_int), intent(out), optional :: ierr
    character(len=:), allocatable :: array

    calls integer(c_int) :: c_attribute(sid, name, key, value) to sion_array_set_attribute
      character(kind=c_char), intent(in), optional * :: name

    if (name /= '') array = terminated(name) ! else it is an absent argument
    call report(ierr, c_attribute(sid, array, terminated(key), terminated(value)))
  end subroutine fsion_array_set_attribute

  ! ---- reading ----

  !> Closes arrays that are still open first. mode: as of fsion_open for reading; 'rb' if it is absent.
  subroutine fsion_array_reader_open(file, arrays, ierr, mode)
    character(len=*), intent(in) :: file
    type(sion_array_reader), intent(inout) :: arrays
    integer(c_int), intent(out), optional :: ierr
    character(len=*), intent(in), optional :: mode

    calls type(c_ptr) :: c_open(file, mode) to sion_array_reader_open_mode

    call fsion_array_reader_close(arrays)
    if (present(mode)) then
      arrays%handle = c_open(terminated(file), terminated(mode))
    else
      arrays%handle = c_open(terminated(file), terminated('rb'))
    end if
    call report(ierr, merge(sion_success, sion_not_success, c_associated(arrays%handle)))
  end subroutine fsion_array_reader_open

  !> The number of arrays; 0 if none are open.
  function fsion_array_reader_count(arrays)
    type(sion_array_reader), intent(in) :: arrays
    integer(c_int) :: fsion_array_reader_count

    calls integer(c_int) :: c_count(arrays) to sion_array_reader_count

    fsion_array_reader_count = c_count(arrays%handle)
  end function fsion_array_reader_count

  !> The name of array 0 <= index < fsion_array_reader_count; empty for others.
  function fsion_array_reader_name(arrays, index)
    type(sion_array_reader), intent(in) :: arrays
    integer(c_int), intent(in) :: index
    character(len=:), allocatable :: fsion_array_reader_name

    calls type(c_ptr) :: c_name(arrays, index) to sion_array_reader_name

    fsion_array_reader_name = text_of(c_name(arrays%handle, index))
  end function fsion_array_reader_name

  !> info does not change if there is no such array.
  subroutine fsion_array_reader_info(arrays, name, info, ierr)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    type(sion_array_info), intent(inout) :: info
    integer(c_int), intent(out), optional :: ierr
    type(c_info) :: known
    integer(c_int) :: rc

    call info_of(arrays, name, known, rc)
    call report(ierr, rc)
    if (rc /= sion_success) return
    info = sion_array_info(type=known%type, ndims=known%ndims, size=known%size, blocks=known%blocks, &
                           bytes=known%bytes, steps=known%steps, has_range=known%has_range /= 0, &
                           stored=known%stored)
    info%codec = text_of(known%codec)
    info%shape(:known%ndims) = known%shape(known%ndims:1:-1)
    call set_range(known, known%low, info%low, info%low_integer)
    call set_range(known, known%high, info%high, info%high_integer)
  end subroutine fsion_array_reader_info

  subroutine info_of(arrays, name, info, rc)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    type(c_info), intent(out) :: info
    integer(c_int), intent(out) :: rc

    calls integer(c_int) :: c_info_of(arrays, name, info) to sion_array_reader_info

    info%own_size = c_sizeof(info)
    rc = c_info_of(arrays%handle, terminated(name), info)
  end subroutine info_of

  !> Step 0 <= index < steps of the array, in ascending order; -1 if there is none.
  function step_of(arrays, name, index) result(step)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    integer(PLACE), intent(in) :: index
    integer(c_int64_t) :: step

    calls integer(c_int64_t) :: c_step(arrays, name, index) to sion_array_reader_step
      integer(c_int64_t), value :: index

    step = c_step(arrays%handle, terminated(name), int(index, c_int64_t))
  end function step_of

  !> value is as long as the text. A blank name stands for the container. ierr is sion_not_success,
  !! and value is empty, if there is no such text; no message is printed.
  subroutine fsion_array_reader_attribute(arrays, name, key, value, ierr)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name, key
    character(len=:), allocatable, intent(out) :: value
    integer(c_int), intent(out), optional :: ierr
    character(len=:), allocatable :: array
    type(c_ptr) :: text

    calls type(c_ptr) :: c_attribute(arrays, name, key) to sion_array_reader_attribute
      character(kind=c_char), intent(in), optional * :: name

    if (name /= '') array = terminated(name)
    text = c_attribute(arrays%handle, array, terminated(key))
    value = text_of(text)
    call report(ierr, merge(sion_success, sion_not_success, c_associated(text)))
  end subroutine fsion_array_reader_attribute

  !> The key of text 0 <= index of an array or, if name is blank, of the container; empty if there
  !! are fewer texts.
  function fsion_array_reader_key(arrays, name, index)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: index
    character(len=:), allocatable :: fsion_array_reader_key
    character(len=:), allocatable :: array

    calls type(c_ptr) :: c_key(arrays, name, index) to sion_array_reader_key
      character(kind=c_char), intent(in), optional * :: name

    if (name /= '') array = terminated(name)
    fsion_array_reader_key = text_of(c_key(arrays%handle, array, index))
  end function fsion_array_reader_key

  !> step may be sion_array_newest. data and count are as for fsion_array_put.
  subroutine get(arrays, name, step, offset, data, ierr, count)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    integer(STEP), intent(in) :: step
    integer(PLACE), intent(in) :: offset(:)
    NUMBER, target, contiguous, intent(inout) :: data(..)
    integer(c_int), intent(out), optional :: ierr
    integer(PLACE), intent(in), optional :: count(:)
    type(c_numbers) :: extents

    if (present(count)) extents = numbers(count)
    call get_data(arrays, name, int(step, c_int64_t), &
                  c_data(TYPE_OF_NUMBER, c_loc(data), numbers(shape(data, c_int64_t)), &
                         numbers(offset), extents), 0, ierr)
  end subroutine get

  !> The same into data of any type: the elements are converted. Integers have a sign; so those of an
  !! array of unsigned ones may be too large. The message about an element has its index in C's order,
  !! from 0.
  subroutine get_as(arrays, name, step, offset, data, ierr, count)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    integer(STEP), intent(in) :: step
    integer(PLACE), intent(in) :: offset(:)
    NUMBER, target, contiguous, intent(inout) :: data(..)
    integer(c_int), intent(out), optional :: ierr
    integer(PLACE), intent(in), optional :: count(:)
    type(c_numbers) :: extents

    if (present(count)) extents = numbers(count)
    call get_data(arrays, name, int(step, c_int64_t), &
                  c_data(TYPE_OF_NUMBER, c_loc(data), numbers(shape(data, c_int64_t)), &
                         numbers(offset), extents), 1, ierr)
  end subroutine get_as

  subroutine get_data(arrays, name, step, data, converts, ierr)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: step
    type(c_data), intent(in) :: data
    integer(c_int), intent(in) :: converts
    integer(c_int), intent(out), optional :: ierr

    calls integer(c_int) :: c_get(arrays, name, step, data, converts) to fsion_array_reader_get_c_

    call report(ierr, c_get(arrays%handle, terminated(name), step, data, converts))
  end subroutine get_data

  !> Skips the first `first` blocks, and stores as many as there is room for. n is the number of all
  !! blocks that are not skipped; -1: there is no such array.
  subroutine blocks_of(arrays, name, step, first, blocks, n)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    integer(STEP), intent(in) :: step
    integer(PLACE), intent(in) :: first
    type(sion_array_block), intent(inout) :: blocks(:)
    integer(PLACE), intent(out) :: n
    integer(c_int64_t) :: following

    call list_blocks(arrays, name, int(step, c_int64_t), int(first, c_int64_t), blocks, following)
    n = int(following, PLACE)
  end subroutine blocks_of

  subroutine list_blocks(arrays, name, step, first, blocks, n)
    type(sion_array_reader), intent(in) :: arrays
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: step, first
    type(sion_array_block), intent(inout) :: blocks(:)
    integer(c_int64_t), intent(out) :: n
    type(c_block) :: list(size(blocks))
    type(c_info) :: info
    integer(c_int) :: rc
    integer :: i

    calls integer(c_int64_t) :: c_blocks(arrays, name, step, first, n, blocks) &
          to sion_array_reader_blocks

    n = -1
    call info_of(arrays, name, info, rc)
    if (rc /= sion_success) return
    if (size(list) > 0) list(1)%own_size = c_sizeof(list(1))
    n = c_blocks(arrays%handle, terminated(name), step, first, size(blocks, kind=c_int64_t), list)
    do i = 1, int(min(n, size(blocks, kind=c_int64_t)))
      blocks(i) = block_of(info, list(i))
    end do
  end subroutine list_blocks

  function block_of(info, known) result(block)
    type(c_info), intent(in) :: info
    type(c_block), intent(in) :: known
    type(sion_array_block) :: block

    block%step = known%step
    block%task = known%task
    block%file = text_of(known%file)
    block%position = known%position
    block%bytes = known%bytes
    block%big_endian = known%big_endian /= 0
    block%offset(:info%ndims) = known%offset(info%ndims:1:-1)
    block%count(:info%ndims) = known%count(info%ndims:1:-1)
    block%has_range = known%has_range /= 0
    call set_range(info, known%low, block%low, block%low_integer)
    call set_range(info, known%high, block%high, block%high_integer)
    block%stored = known%stored
    block%stored_position = known%stored_position
    block%codec = text_of(known%codec)
  end function block_of

  subroutine fsion_array_reader_close(arrays)
    type(sion_array_reader), intent(inout) :: arrays

    calls c_close(arrays) to sion_array_reader_close

    call c_close(arrays%handle)
    arrays%handle = c_null_ptr
  end subroutine fsion_array_reader_close

  ! ---- arguments and results ----

  subroutine report(ierr, rc)
    integer(c_int), intent(out), optional :: ierr
    integer(c_int), intent(in) :: rc

    if (present(ierr)) ierr = rc
  end subroutine report

  function numbers_of(list) result(numbers)
    integer(PLACE), intent(in) :: list(:)
    type(c_numbers) :: numbers
    integer :: n

    numbers%n = size(list)
    n = min(size(list), size(numbers%at))
    numbers%at(:n) = list(:n)
  end function numbers_of

  ! The number that the bits of a C union stand for.
  subroutine set_range(info, bits, value, exact)
    type(c_info), intent(in) :: info
    integer(c_int64_t), intent(in) :: bits
    real(c_double), intent(out) :: value
    integer(c_int64_t), intent(out) :: exact

    exact = merge(bits, 0_c_int64_t, info%type <= sion_u64)
    value = merge(transfer(bits, value), real(bits, c_double), info%type > sion_u64)
    if (info%type == sion_u64 .and. bits < 0) value = value + 2d0**64
  end subroutine set_range

  function terminated(text)
    character(len=*), intent(in) :: text
    character(len=:), allocatable :: terminated

    terminated = trim(text)//c_null_char
  end function terminated

  ! The text of a C string; empty for NULL.
  function text_of(string) result(text)
    type(c_ptr), intent(in) :: string
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer(c_size_t) :: i, n

    calls integer(c_size_t) :: strlen(string) to strlen

    text = ''
    if (.not. c_associated(string)) return
    n = strlen(string)
    call c_f_pointer(string, letters, [n])
    deallocate (text)
    allocate (character(len=n) :: text)
    do i = 1, n
      text(i:i) = letters(i)
    end do
  end function text_of

end module sion_array
