C     The serial interface as a FORTRAN 77 program uses it. Writes
C     serial.sion, which must be what write_c makes; prints TAP.
      PROGRAM SER77
      INCLUDE 'sion_f77.h'
      INTEGER SID, IERR, T, I, DATA(100), EVEN(25), RANKS(3), TESTS
      INTEGER NTASKS, NFILES, EOF, FILENO, RC4
      INTEGER*4 FSBLK
      INTEGER*8 SIZES(3), RC, POS, FSION_BYTES_AVAIL_IN_BLOCK
      INTEGER*8 FSION_GET_POSITION, ONE, FOUR, MANY
      INTEGER*8 FSION_TELL_STREAM, FSION_SIZE_STREAM
      INTEGER LAST, BACK(100)
      REAL X, Y
      CHARACTER*20 FNAME
      CHARACTER*5 WORD
      COMMON /COUNT/ TESTS
      EXTERNAL FSION_BYTES_AVAIL_IN_BLOCK, FSION_GET_POSITION
      TESTS = 0
      ONE = 1
      FOUR = 4
      FNAME = 'serial.sion'
      SIZES(1) = 400
      SIZES(2) = 500
      SIZES(3) = 600
      RANKS(1) = 5
      RANKS(2) = 6
      RANKS(3) = 7
      NTASKS = 3
      NFILES = 1
      FSBLK = 512
      CALL FSION_OPEN(FNAME, 'bw', NTASKS, NFILES, SIZES, FSBLK,
     &     RANKS, SID)
      CALL CHECK(SID .GE. 0, 'write: open')
      DO 20 T = 0, 2
         POS = SION_CURRENT_POS
         CALL FSION_SEEK(SID, T, SION_CURRENT_BLK, POS, IERR)
         DO 10 I = 1, 100
            DATA(I) = T * 1000 + I
 10      CONTINUE
         DO 15 I = 1, 25
            EVEN(I) = DATA(49 + 2 * I)
 15      CONTINUE
         MANY = 50
         CALL FSION_WRITE(DATA, FOUR, MANY, SID, RC)
         MANY = 25
         CALL FSION_FWRITE(EVEN, FOUR, MANY, SID, RC)
         CALL CHECK(RC .EQ. 25, 'write: items')
         MANY = 50
         CALL FSION_WRITE_INTEGER(DATA, FOUR, MANY, SID, RC)
 20   CONTINUE
      CALL FSION_CLOSE(SID, IERR)
      CALL CHECK(IERR .EQ. 1, 'write: close')

      CALL FSION_OPEN(FNAME, 'rb', NTASKS, NFILES, SIZES, FSBLK,
     &     RANKS, SID)
      CALL CHECK(NTASKS .EQ. 3, 'read: number of tasks')
      IERR = 0
      CALL FSION_GET_CHUNKSIZES(SID, SIZES, IERR)
      CALL CHECK(IERR .EQ. 1 .AND. SIZES(3) .EQ. 1024,
     &     'read: chunk sizes')
      IERR = 0
      CALL FSION_GET_GLOBALRANKS(SID, RANKS, IERR)
      CALL CHECK(IERR .EQ. 1 .AND. RANKS(3) .EQ. 7,
     &     'read: global ranks')
      POS = 0
      CALL FSION_SEEK(SID, 2, 0, POS, IERR)
      CALL CHECK(FSION_BYTES_AVAIL_IN_BLOCK(SID) .EQ. 500,
     &     'read: bytes in the chunk')
      CALL CHECK(FSION_GET_POSITION(SID) .GT. 0, 'read: position')
      MANY = 50
      CALL FSION_READ(DATA, FOUR, MANY, SID, RC)
      CALL CHECK(RC .EQ. 50 .AND. DATA(50) .EQ. 2050, 'read: items')
      CALL FSION_FEOF(SID, EOF)
      CALL CHECK(EOF .EQ. 0, 'read: not yet at the end')
      CALL FSION_GET_FILENO(SID, FILENO)
      CALL CHECK(FILENO .GT. 2, 'read: a descriptor')
      CALL FSION_CLOSE(SID, IERR)

C     Several types in one program unit: the names with the type.
      NTASKS = 1
      SIZES(1) = 512
      CALL FSION_OPEN('types77.sion', 'w', NTASKS, NFILES, SIZES,
     &     FSBLK, RANKS, SID)
      CALL CHECK(SID .GE. 0, 'types: open')
      X = 1.5
      CALL FSION_WRITE_REAL(X, FOUR, ONE, SID, RC)
      MANY = 5
      CALL FSION_WRITE_CHARACTER('hello', ONE, MANY, SID, RC)
      CALL CHECK(RC .EQ. 5, 'types: characters')
      CALL FSION_CLOSE(SID, IERR)
      CALL FSION_OPEN_RANK('types77.sion', 'r', SIZES, FSBLK, 0, SID)
      CALL FSION_READ_REAL(Y, FOUR, ONE, SID, RC)
      CALL FSION_READ_CHARACTER(WORD, ONE, MANY, SID, RC)
      CALL CHECK(Y .EQ. X .AND. WORD .EQ. 'hello', 'types: read back')
      CALL FSION_CLOSE(SID, IERR)
C     Larger than a chunk.
      NTASKS = 1
      SIZES(1) = 64
      FSBLK = 64
      CALL FSION_OPEN('stream77.sion', 'w', NTASKS, NFILES, SIZES,
     &     FSBLK, RANKS, SID)
      MANY = 400
      CALL FSION_WRITE_STREAM_INTEGER(DATA, MANY, SID, RC)
      CALL CHECK(RC .EQ. 400 .AND. FSION_TELL_STREAM(SID) .EQ. 400,
     &     'streams: written')
      CALL FSION_CLOSE(SID, IERR)
      CALL FSION_OPEN_RANK('stream77.sion', 'r', SIZES, FSBLK, 0, SID)
      MANY = 396
      CALL FSION_SKIP_STREAM(SID, MANY, RC)
      CALL CHECK(RC .EQ. 396 .AND. FSION_SIZE_STREAM(SID) .EQ. 400,
     &     'streams: skipped')
      MANY = 4
      CALL FSION_READ_STREAM_INTEGER(LAST, MANY, SID, RC)
      CALL CHECK(RC .EQ. 4 .AND. LAST .EQ. DATA(100),
     &     'streams: read back')
C     By one call, with its place; SIZES has two elements for it.
      CALL FSION_STREAM_SIZES(SID, 1, 0, SIZES, RC)
      CALL CHECK(RC .EQ. 400 .AND. SIZES(2) .EQ. 400,
     &     'streams: their sizes')
      MANY = 400
      CALL FSION_STREAM_READ_TASKS_INTEGER(BACK, MANY, 1, 0, SIZES,
     &     SID, RC)
      CALL CHECK(RC .EQ. 400 .AND. BACK(100) .EQ. DATA(100),
     &     'streams: read by one call')
      CALL FSION_CLOSE(SID, IERR)
      CALL FSION_SWAP_INTEGER(EVEN, DATA, 4, 2, 0, RC4)
      CALL CHECK(RC4 .EQ. 1 .AND. EVEN(2) .EQ. 2002, 'types: copied')
      WRITE (*, '(A,I0)') '1..', TESTS
      END

      SUBROUTINE CHECK(GOOD, NAME)
      LOGICAL GOOD
      CHARACTER*(*) NAME
      INTEGER TESTS
      COMMON /COUNT/ TESTS
      TESTS = TESTS + 1
      IF (GOOD) THEN
         WRITE (*, '(A,I0,2A)') 'ok ', TESTS, ' - ', NAME
      ELSE
         WRITE (*, '(A,I0,2A)') 'not ok ', TESTS, ' - ', NAME
      END IF
      END
