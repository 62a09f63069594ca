!     Constants of the FORTRAN 77 interface, for INCLUDE in fixed and in
!     free source form. Put SION_CURRENT_POS into an INTEGER*8 variable
!     before you give it to FSION_SEEK. The names with a type, such as
!     FSION_WRITE_REAL, serve programs that transfer several types.
      integer SION_MAIN_VERSION
      parameter (SION_MAIN_VERSION = 1)
      integer SION_SUB_VERSION
      parameter (SION_SUB_VERSION = 7)
      integer SION_VERSION_PATCHLEVEL
      parameter (SION_VERSION_PATCHLEVEL = 6)
      integer SION_FILEFORMAT_VERSION
      parameter (SION_FILEFORMAT_VERSION = 5)
      integer SION_SUCCESS
      parameter (SION_SUCCESS = 1)
      integer SION_CURRENT_RANK
      parameter (SION_CURRENT_RANK = -101)
      integer SION_CURRENT_BLK
      parameter (SION_CURRENT_BLK = -102)
      integer SION_CURRENT_CHUNK
      parameter (SION_CURRENT_CHUNK = -102)
      integer SION_CURRENT_POS
      parameter (SION_CURRENT_POS = -103)
      integer SION_ABSOLUTE_POS
      parameter (SION_ABSOLUTE_POS = -104)
      integer SION_END_POS
      parameter (SION_END_POS = -105)
      integer SION_SHARE_TASKS
      parameter (SION_SHARE_TASKS = -301)
      integer SION_SHARE_BYTES
      parameter (SION_SHARE_BYTES = -302)
