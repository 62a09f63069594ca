! The same with the module mpi, or with mpi_f08 if F08 is defined.
program ranks
#ifdef F08
    use mpi_f08
#else
    use mpi
#endif
    implicit none
    integer :: rank, unit, ierr
    character(len=32) :: name
#ifdef THREADS
    integer :: provided

    call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
#else

    call MPI_Init(ierr)
#endif
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    write (name, '("m/rank",I0)') rank
    open (newunit=unit, file=name, status='new')
    write (unit, '(I0)') rank
    close (unit)
    call MPI_Finalize(ierr)
end program
