!> Forms of the C routines that several modules bind to. Programs do not use this module themselves:
!! sion_f90 contains it.
module sion_f90_forms
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t

  abstract interface
    !> SIONlib's routines for each type of data; `data` is the first item.
    subroutine fsion_write_form(data, size, nitems, sid, rc) bind(C)
      import :: c_int, c_int64_t
      type(*), intent(in) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_write_form

    subroutine fsion_read_form(data, size, nitems, sid, rc) bind(C)
      import :: c_int, c_int64_t
      type(*), intent(inout) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_read_form

    subroutine fsion_write_stream_form(data, bytes, sid, rc) bind(C)
      import :: c_int, c_int64_t
      type(*), intent(in) :: data
      integer(c_int64_t), intent(in) :: bytes
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_write_stream_form

    subroutine fsion_read_stream_form(data, bytes, sid, rc) bind(C)
      import :: c_int, c_int64_t
      type(*), intent(inout) :: data
      integer(c_int64_t), intent(in) :: bytes
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_read_stream_form

    subroutine fsion_stream_read_tasks_form(data, bytes, ntasks, ranks, starts, sid, rc) bind(C)
      import :: c_int, c_int64_t
      type(*), intent(inout) :: data
      integer(c_int64_t), intent(in) :: bytes
      integer(c_int), intent(in) :: ntasks, ranks(*)
      integer(c_int64_t), intent(in) :: starts(*)
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_stream_read_tasks_form

    subroutine fsion_swap_form(target, source, size, n, do_swap, rc) bind(C)
      import :: c_int
      type(*), intent(inout) :: target
      type(*), intent(in) :: source
      integer(c_int), intent(in) :: size, n, do_swap
      integer(c_int), intent(out) :: rc
    end subroutine fsion_swap_form

    !> Data of any type and rank, by their address.
    subroutine fsion_data_form(data, size, nitems, sid, rc) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_data_form

    subroutine fsion_bytes_form(data, bytes, sid, rc) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: bytes
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_bytes_form

    subroutine fsion_key_form(data, key, size, nitems, sid, rc) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in) :: key, size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_key_form

    subroutine fsion_list_form(sid, list, ierr) bind(C)
      import :: c_int, c_ptr
      integer(c_int), intent(in) :: sid
      type(c_ptr), value :: list
      integer(c_int), intent(out), optional :: ierr
    end subroutine fsion_list_form

    !> The opens of MPI and hybrid programs, which have two communicators.
    subroutine fsion_paropen_form(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, &
                                  globalrank, newfname, sid, fname_length, mode_length, &
                                  newfname_length) bind(C)
      import :: c_char, c_int, c_int32_t, c_int64_t, c_size_t
      character(kind=c_char), intent(in) :: fname(*), file_mode(*)
      integer(c_int) :: nfiles, globalrank
      integer(c_int), intent(in) :: fgcomm, flcomm
      integer(c_int64_t) :: chunksize
      integer(c_int32_t) :: fsblksize
      character(kind=c_char) :: newfname(*)
      integer(c_int), intent(out) :: sid
      integer(c_size_t), value :: fname_length, mode_length, newfname_length
    end subroutine fsion_paropen_form

    !> The opens of MPI and hybrid programs that read with any number of processes or threads.
    subroutine fsion_paropen_shared_form(fname, file_mode, fgcomm, by, ntasks, sid, fname_length, &
                                         mode_length) bind(C)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: fname(*), file_mode(*)
      integer(c_int), intent(in) :: fgcomm
      integer(c_int), intent(in) :: by
      integer(c_int), intent(inout) :: ntasks
      integer(c_int), intent(out) :: sid
      integer(c_size_t), value :: fname_length, mode_length
    end subroutine fsion_paropen_shared_form
  end interface

end module sion_f90_forms
