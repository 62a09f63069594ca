!> Containers opened by all tasks of an MPI communicator: the routines of sion_mpi.h. Communicators
!! are integers, as in the module mpi; programs that use mpi_f08 use sion_f08.
module sion_f90_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, c_size_t
  use sion_f90
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_loc, c_ptr, c_size_t

  ! The arguments of the routines below that are bound to C, by forward.awk.
  != integer(c_int), intent(in) :: sid
  != integer(c_int), intent(out), optional :: ierr
  != integer(c_int64_t), intent(in) :: chunksize

  interface
    bind fsion_parclose_mpi(sid, ierr)
    bind fsion_parreinit_mpi(sid, chunksize, ierr)
    bind fsion_startof_transaction_mpi(sid, ierr)
    bind fsion_endof_transaction_mpi(sid, ierr)
    bind fsion_parclose_mapped_mpi(sid, ierr)
  end interface

  procedure(fsion_write_form), bind(C) :: fsion_coll_fwrite_mpi_integer, fsion_coll_fwrite_mpi_integer8, &
    fsion_coll_fwrite_mpi_real, fsion_coll_fwrite_mpi_double_precision, &
    fsion_coll_fwrite_mpi_complex, fsion_coll_fwrite_mpi_logical, fsion_coll_fwrite_mpi_character
  procedure(fsion_read_form), bind(C) :: fsion_coll_fread_mpi_integer, fsion_coll_fread_mpi_integer8, &
    fsion_coll_fread_mpi_real, fsion_coll_fread_mpi_double_precision, &
    fsion_coll_fread_mpi_complex, fsion_coll_fread_mpi_logical, fsion_coll_fread_mpi_character

contains

  !> Arguments that are input when writing and output when reading have no intent, so that constants
  !! may be passed when writing. newfname receives the name of the task's physical file; a
  !! constant does not change, nor does a blank variable if that name is fname.
  !! A name that has no room is cut off, with a warning.
  subroutine fsion_paropen_mpi(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, &
                              globalrank, newfname, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: nfiles, globalrank
    integer, intent(in) :: fgcomm
    integer :: flcomm
    integer(c_int64_t) :: chunksize
    integer(c_int32_t) :: fsblksize
    character(len=*) :: newfname
    integer(c_int), intent(out) :: sid

    procedure(fsion_paropen_form), bind(C, name="fsion_paropen_mpi_c_") :: c_paropen

    call c_paropen(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, globalrank, &
                   newfname, sid, len(fname, c_size_t), len(file_mode, c_size_t), &
                   len(newfname, c_size_t))
  end subroutine fsion_paropen_mpi

  !> Open for reading with any number of processes; by is sion_share_tasks or sion_share_bytes.
  !! ntasks receives the number of tasks that this process reads, fsion_get_shared_ranks returns
  !! their ranks, and fsion_parclose_mpi closes the container.
  subroutine fsion_paropen_shared_mpi(fname, file_mode, fgcomm, by, ntasks, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer, intent(in) :: fgcomm
    integer(c_int), intent(in) :: by
    integer(c_int), intent(inout) :: ntasks
    integer(c_int), intent(out) :: sid

    procedure(fsion_paropen_shared_form), bind(C, name="fsion_paropen_shared_mpi_c_") :: &
      c_paropen_shared

    call c_paropen_shared(fname, file_mode, fgcomm, by, ntasks, sid, len(fname, c_size_t), &
                          len(file_mode, c_size_t))
  end subroutine fsion_paropen_shared_mpi

  !> Each process has nlocaltasks tasks, which the arrays describe: see sion_paropen_mapped_mpi. When
  !! reading, globalranks names the tasks to read, and the call fills the other arrays.
  subroutine fsion_paropen_mapped_mpi(fname, file_mode, nfiles, fgcomm, nlocaltasks, globalranks, &
                                      chunksizes, mapping_filenrs, mapping_lranks, fsblksize, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: nfiles
    integer, intent(in) :: fgcomm
    integer(c_int), intent(in) :: nlocaltasks
    integer(c_int), target, contiguous :: globalranks(..), mapping_filenrs(..), mapping_lranks(..)
    integer(c_int64_t), target, contiguous :: chunksizes(..)
    integer(c_int32_t) :: fsblksize
    integer(c_int), intent(out) :: sid

    interface
      subroutine c_paropen_mapped(fname, file_mode, nfiles, fgcomm, nlocaltasks, globalranks, &
                                  chunksizes, mapping_filenrs, mapping_lranks, fsblksize, sid, &
                                  fname_length, mode_length) &
          bind(C, name="fsion_paropen_mapped_mpi_c_")
        import :: c_char, c_int, c_int32_t, c_ptr, c_size_t
        character(kind=c_char), intent(in) :: fname(*), file_mode(*)
        integer(c_int) :: nfiles
        integer(c_int), intent(in) :: fgcomm, nlocaltasks
        type(c_ptr), value :: globalranks, chunksizes, mapping_filenrs, mapping_lranks
        integer(c_int32_t) :: fsblksize
        integer(c_int), intent(out) :: sid
        integer(c_size_t), value :: fname_length, mode_length
      end subroutine c_paropen_mapped
    end interface

    call c_paropen_mapped(fname, file_mode, nfiles, fgcomm, nlocaltasks, c_loc(globalranks), &
                          c_loc(chunksizes), c_loc(mapping_filenrs), c_loc(mapping_lranks), &
                          fsblksize, sid, len(fname, c_size_t), len(file_mode, c_size_t))
  end subroutine fsion_paropen_mapped_mpi

  !> Collective if the container was opened with a collective mode word.
  subroutine fsion_coll_fwrite_mpi(data, size, nitems, sid, rc)
    type(*), target, contiguous, intent(in) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_data_form), bind(C, name="fsion_coll_fwrite_mpi_c_") :: c_coll_write

    call c_coll_write(c_loc(data), size, nitems, sid, rc)
  end subroutine fsion_coll_fwrite_mpi

  subroutine fsion_coll_fread_mpi(data, size, nitems, sid, rc)
    type(*), target, contiguous, intent(inout) :: data(..)
    integer(c_int64_t), intent(in) :: size, nitems
    integer(c_int), intent(in) :: sid
    integer(c_int64_t), intent(out) :: rc

    procedure(fsion_data_form), bind(C, name="fsion_coll_fread_mpi_c_") :: c_coll_read

    call c_coll_read(c_loc(data), size, nitems, sid, rc)
  end subroutine fsion_coll_fread_mpi

end module sion_f90_mpi
