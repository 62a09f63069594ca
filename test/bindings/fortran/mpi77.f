C     The MPI interface as a FORTRAN 77 program uses it. Writes
C     mpi.sion, which must be what write_c makes; exits with 1 if a
C     call fails.
      PROGRAM MPI77
      INCLUDE 'mpif.h'
      INCLUDE 'sion_f77.h'
      INTEGER SID, IERR, I, DATA(100), ODD(25), RANK, GRANK, NFILES
      INTEGER LCOMM, TASKS, MINE, LIST(8)
      INTEGER*4 FSBLK
      INTEGER*8 SIZE, RC, FOUR, MANY
      CHARACTER*40 NEWNAM
      LOGICAL GOOD
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, TASKS, IERR)
      LCOMM = MPI_COMM_WORLD
      FOUR = 4
      SIZE = 300
      FSBLK = 512
      NFILES = MIN(2, TASKS)
      CALL FSION_PAROPEN_MPI('mpi.sion', 'bw', NFILES, MPI_COMM_WORLD,
     &     LCOMM, SIZE, FSBLK, GRANK, NEWNAM, SID)
      GOOD = SID .GE. 0 .AND. NEWNAM(1:8) .EQ. 'mpi.sion'
      DO 10 I = 1, 100
         DATA(I) = RANK * 1000 + I
 10   CONTINUE
      DO 15 I = 1, 25
         ODD(I) = DATA(49 + 2 * I)
 15   CONTINUE
      MANY = 50
      CALL FSION_WRITE(DATA, FOUR, MANY, SID, RC)
      MANY = 25
      CALL FSION_COLL_FWRITE_MPI_INTEGER(ODD, FOUR, MANY, SID, RC)
      GOOD = GOOD .AND. RC .EQ. 25
      MANY = 50
      CALL FSION_FWRITE(DATA, FOUR, MANY, SID, RC)
      CALL FSION_PARCLOSE_MPI(SID, IERR)
      GOOD = GOOD .AND. RC .EQ. 50 .AND. IERR .EQ. 1
C     Blank constants in place of NEWNAM, of one file and of a set.
      NFILES = 1
      CALL FSION_PAROPEN_MPI('blank.sion', 'bw', NFILES, MPI_COMM_WORLD,
     &     LCOMM, SIZE, FSBLK, GRANK, ' ', SID)
      CALL FSION_PARCLOSE_MPI(SID, IERR)
      GOOD = GOOD .AND. IERR .EQ. 1
      NFILES = MIN(2, TASKS)
      CALL FSION_PAROPEN_MPI('blank.sion', 'bw', NFILES, MPI_COMM_WORLD,
     &     LCOMM, SIZE, FSBLK, GRANK, '                    ', SID)
      CALL FSION_PARCLOSE_MPI(SID, IERR)
      GOOD = GOOD .AND. IERR .EQ. 1
      CALL FSION_PAROPEN_SHARED_MPI('mpi.sion', 'br', MPI_COMM_WORLD,
     &     SION_SHARE_BYTES, MINE, SID)
      CALL FSION_GET_SHARED_RANKS(SID, LIST, IERR)
      GOOD = GOOD .AND. MINE .EQ. 1 .AND. IERR .EQ. 1 .AND.
     &     LIST(1) .EQ. RANK
      CALL FSION_PARCLOSE_MPI(SID, IERR)
      GOOD = GOOD .AND. IERR .EQ. 1
C     Staged in the same folder.
      NFILES = 1
      CALL FSION_PAROPEN_MPI('staged.sion', 'bw,stage=.', NFILES,
     &     MPI_COMM_WORLD, LCOMM, SIZE, FSBLK, GRANK, NEWNAM, SID)
      CALL FSION_PARCLOSE_MPI(SID, IERR)
      GOOD = GOOD .AND. IERR .EQ. 1
      CALL FSION_DRAIN_WAIT('staged.sion ', IERR)
      GOOD = GOOD .AND. IERR .EQ. 1
      CALL FSION_DRAIN_TEST(' ', I)
      GOOD = GOOD .AND. I .EQ. 1
      CALL FSION_DRAIN_GET_PROGRESS(' ', I, MINE, RC, MANY, NEWNAM,
     &     IERR)
      GOOD = GOOD .AND. IERR .EQ. 1 .AND. I .EQ. 0 .AND.
     &     MINE .EQ. 0 .AND. RC .EQ. 0 .AND. NEWNAM .EQ. ' '
      CALL MPI_FINALIZE(IERR)
      IF (.NOT. GOOD) STOP 1
      END
