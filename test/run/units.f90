! What Fortran programs do with files: new units, inquire, direct access, delete at the close.
program units
    implicit none
    integer :: unit, other, i, size, value
    logical :: there
    character(len=40) :: line

    open (newunit=unit, file='m/formatted', status='new', action='write')
    do i = 1, 5
        write (unit, '(A,I3)') 'line', i
    end do
    close (unit)
    inquire (file='m/formatted', exist=there, size=size)
    print *, 'exists', there, size
    inquire (file='m/none', exist=there)
    print *, 'exists', there
    open (newunit=unit, file='m/formatted', status='old', position='append')
    write (unit, '(A)') 'the end'
    rewind (unit)
    read (unit, '(A)') line
    print *, trim(line)
    inquire (file='m/formatted', opened=there, number=other)
    print *, 'opened', there, other == unit
    close (unit)
    open (newunit=unit, file='m/direct', access='direct', recl=8, form='unformatted')
    do i = 1, 10
        write (unit, rec=i) i * i
    end do
    read (unit, rec=7) value
    print *, 'record', value
    close (unit)
    open (newunit=unit, file='m/temporary')
    write (unit, *) 'x'
    close (unit, status='delete')
    inquire (file='m/temporary', exist=there)
    print *, 'exists', there
    open (newunit=unit, file='m/stream', access='stream', form='unformatted', status='replace')
    write (unit) 'bytes'
    close (unit)
    open (newunit=unit, file='m/formatted', status='new', iostat=i)
    print *, 'new again', i /= 0
    call execute_command_line('cat m/formatted')
end program
