/**
 * @file sion_const.h
 * Constants of the SIONlib 1.7 interface. Values are part of the binary interface.
 */
#ifndef SION_CONST_H
#define SION_CONST_H

/* Version of the interface and of the file format that this library is compatible with. */
#define SION_MAIN_VERSION       1
#define SION_SUB_VERSION        7
#define SION_VERSION_PATCHLEVEL 6
#define SION_FILEFORMAT_VERSION 5

#ifndef GIT_REV
#define GIT_REV "Unknown"
#endif
#define SION_GIT_VERSION GIT_REV
#define SION_SVN_VERSION GIT_REV
#ifndef SION_LVERSION_PREFIX
#define SION_LVERSION_PREFIX ""
#endif

/* Return values. Most functions return SION_SUCCESS, which is 1. */
#define SION_SUCCESS         1
#define SION_NOT_SUCCESS     0
#define SION_STD_SUCCESS     0
#define SION_STD_NOT_SUCCESS 1

#define SION_SMALLEST_VALID_ID   0
#define _SION_DEFAULT_RANK       (-1) /* in place of a rank where none is known */
#define SION_ID_UNDEF            (-1)
#define SION_ID_NOT_VALID        (-1)
#define SION_UNKNOWN             (-1)
#define SION_AUTOMATIC           (-1)
#define SION_SIZE_NOT_VALID      (-1)
#define SION_ANSI_SIZE_NOT_VALID 0

/* Special values of sion_seek's arguments. */
#define SION_CURRENT_RANK  (-101)
#define SION_CURRENT_BLK   (-102)
#define SION_CURRENT_CHUNK (-102)
#define SION_CURRENT_BLOCK (-102)
#define SION_CURRENT_POS   (-103)
#define SION_ABSOLUTE_POS  (-104)
#define SION_END_POS       (-105)

/* Modes of sion_dup. */
#define SION_DUP_ALL      (-201)
#define SION_DUP_RANK     (-202)
#define SION_DUP_RANK_KEY (-203)

/* How readers share the tasks (sion_paropen_shared_mpi): equal numbers of tasks, or of their
   bytes. */
#define SION_SHARE_TASKS (-301)
#define SION_SHARE_BYTES (-302)

/* Key-value modes of a container (sion_get_keyval_mode). */
#define SION_KEYVAL_NONE    50
#define SION_KEYVAL_INLINE  51
#define SION_KEYVAL_META    52
#define SION_KEYVAL_HASH    53
#define SION_KEYVAL_UNKNOWN 54
#define SION_KEYVAL_NOTSET  55

/* Element types of the generic interface's callbacks. */
#define _SION_INT32 10
#define _SION_INT64 11
#define _SION_CHAR  12

/* Roles in sion_io_stat_t. */
#define SION_ROLE_NONE             0
#define SION_ROLE_COLLECTOR        1
#define SION_ROLE_SENDER           2
#define SION_ROLE_WRITER           4
#define SION_ROLE_NOWRITER         8
#define SION_ROLE_READER           16
#define SION_ROLE_NOREADER         32
#define SION_ROLE_COLLECTOR_READER 64

#define SION_GET_IO_INFO_FLAG_NONE 0

#endif
