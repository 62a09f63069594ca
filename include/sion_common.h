/**
 * @file sion_common.h
 * Functions for containers of every kind, serial or parallel: transfer, position, information.
 *
 * A container is opened by the functions of sion_serial.h, sion_mpi.h, sion_omp.h or sion_ompi.h,
 * which return a sid. A chunk is the space of one task in one block; the words chunk and block are
 * used alike in names. Unless a comment says otherwise a function is local (no communication),
 * sizes are in bytes, and different threads may work on different sids at the same time, but not on
 * the same one.
 * A function that fails prints one line on stderr (sion_error.h tells how to get it instead).
 *
 * @param sid an open container of this process, serial or parallel, reading or writing: the number
 *            that the open gave. An invalid one is an error with a message, never more than that.
 */
#ifndef SION_COMMON_H
#define SION_COMMON_H

#include <stdint.h>
#include <stdio.h>

#include "sion_const.h"
#include "sion_datatypes.h"

/* Relics of SIONlib's header that programs may use. */
#define SION_SERIAL_MASTER
#define SION_MAX_FSBLOCKSIZE     (32 * 1024 * 1024)
#define SION_DEFAULT_FSBLOCKSIZE (2 * 1024 * 1024)
#define SION_FILENAME_LENGTH     1024
#define MAXCHUNKS                100
#define WFLARGEMETABLOCK_none
#ifndef DPRINTF
#define DPRINTF(A)
#define DPRINTFP(A)
#define DPRINTTS(A, B)
#define DPRINTFTS2(A, B)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of a key (sion_key_get_stat). */
typedef struct _sion_key_stat_struct {
    uint64_t key;
    sion_int64 num_blocks; /**< records */
    sion_int64 total_size; /**< bytes in all of them */
} sion_key_stat_t;

/** Files that an open container's data went to (sion_get_io_info). */
typedef struct _sion_io_stat_struct {
    int nfiles;         /**< entries of the arrays */
    const char **names; /**< file names */
    size_t *sizes;      /**< bytes of this task in each */
    int *roles;         /**< SION_ROLE_* of this task */
} sion_io_stat_t;

/* ---- transfer ---- */

/**
 * Write one record of size * nitems bytes to the selected task's stream.
 *
 * The record is never split: if it does not fit into the rest of the chunk, the task goes on in its
 * next chunk, and the rest stays unused. Any number of chunks may be used. Small records wait in a
 * buffer (in posix mode only with the word `buffered`); sion_flush or the close give them to the system. The environment
 * variable SION_BUFFERSIZE sets its size in bytes, -1: one file system block.
 *
 * In a key-value container the bytes go into the stream as they are, over chunk borders, because
 * such a stream has no gaps: sion_fwrite_key is what belongs there.
 *
 * @param data   [in] size * nitems bytes
 * @param size   bytes per item
 * @param nitems number of items
 * @param sid    container open for writing
 * @return nitems; 0 if size or nitems is 0, and on every error: invalid sid, open for reading,
 *         record larger than the chunk, the system refuses (disk full). A record that failed is
 *         not in the stream.
 * @see doc/format.md, "Using chunks"
 */
size_t sion_fwrite(const void *data, size_t size, size_t nitems, int sid);

/**
 * Read one record of size * nitems bytes from the selected task's stream, all or nothing.
 *
 * Reads from one chunk only: from the present one, or, if that is used up, from the next one that
 * holds data. Ask sion_bytes_avail_in_chunk what is left.
 *
 * @param data   [out] size * nitems bytes
 * @param size   bytes per item
 * @param nitems number of items
 * @param sid    container open for reading
 * @return nitems; 0 without a message if size or nitems is 0 or at the end of the stream; 0 with
 *         a message if the chunk holds fewer bytes, data is NULL, the sid is invalid or open for
 *         writing, or the file is cut off. After 0 the position is where it was.
 */
size_t sion_fread(void *data, size_t size, size_t nitems, int sid);

/**
 * Make sure that the next `bytes` bytes go into one chunk; needed before direct use of the FILE*
 * or of a descriptor. Where the chunk has no room for them, the FILE* goes to the next one.
 *
 * @param sid   container open for writing
 * @param bytes bytes to come; a negative number asks for nothing
 * @return 1; 0 with a message if bytes is more than a chunk holds, the FILE* or the descriptor
 *         stands outside of the task's chunk, or sid is invalid or open for reading
 */
int sion_ensure_free_space(int sid, sion_int64 bytes);

/**
 * Is the task's stream at its end? If only the chunk is, goes to the next one that holds data. Where
 * merged records are read collectively it is the collector's stream that counts (sion_coll_fread).
 *
 * @return 0 if there are bytes to read at the position, else 1; 1 for a container open for
 *         writing; -1 invalid sid
 */
int sion_feof(int sid);

/** Bytes left to read in the present chunk (0 while writing); -1 invalid sid. */
sion_int64 sion_bytes_avail_in_chunk(int sid);
/** The same as sion_bytes_avail_in_chunk. */
sion_int64 sion_bytes_avail_in_block(int sid);

/**
 * Give what is buffered to the system; in posix mode bring it to the disk too (fsync).
 *
 * @return 1; 0 if the system refuses or sid is invalid
 */
int sion_flush(int sid);

/* ---- position ---- */

/**
 * Select a task and go to a position of its stream.
 *
 * Reading: `currentblocknr` is a chunk (0 ..), SION_CURRENT_BLK, SION_ABSOLUTE_POS (then posinblk
 * counts from the start of the stream over all chunks) or SION_END_POS (from its end, <= 0);
 * `posinblk` is an offset in the chunk (0 .. bytes used) or SION_CURRENT_POS. Each task keeps its
 * own position: (rank, SION_CURRENT_BLK, SION_CURRENT_POS) goes on where the task was left. If a
 * container opened by sion_open has no more bytes in that chunk, it goes on in the next one that
 * has, so that a loop over tasks can ask sion_bytes_avail_in_chunk; not so with key-value records.
 * Writing: selects a task; the position must be its present end, as numbers or as
 * SION_CURRENT_BLK and SION_CURRENT_POS.
 *
 * @param sid            any open container
 * @param rank           task: 0 .. tasks - 1, or SION_CURRENT_RANK. A container opened for one
 *                       rank or in parallel has just its own (global rank or index in the file).
 * @param currentblocknr see above
 * @param posinblk       see above
 * @return 1; 0 with a message if anything is out of range or sid is invalid; nothing has changed
 */
int sion_seek(int sid, int rank, int currentblocknr, sion_int64 posinblk);

/**
 * As sion_seek, and hand out the FILE* at that position.
 *
 * @param rank,currentblocknr,posinblk as for sion_seek
 * @param fileptr [out] as sion_get_fp gives it, also if the seek fails; NULL: not wanted
 * @return as sion_seek
 */
int sion_seek_fp(int sid, int rank, int currentblocknr, sion_int64 posinblk, FILE **fileptr);

/** Absolute offset in the physical file of the next byte; -1 invalid sid. */
sion_int64 sion_get_position(int sid);
/** Bytes written so far by the selected task, over all chunks; -1 if not open for writing. */
sion_int64 sion_get_bytes_written(int sid);
/** Bytes of the selected task's stream before the position; -1 if not open for reading. */
sion_int64 sion_get_bytes_read(int sid);

/* ---- FILE* and descriptors ---- */

/**
 * The FILE* of the selected task, standing at the position.
 *
 * The application may use it between calls like any FILE* (writes only up to the end of the chunk,
 * see sion_ensure_free_space) and even close it; lengths come from its position. There is one
 * FILE* per sid; it follows sion_seek, also to another file of a set.
 *
 * A write through the FILE* that leaves the chunk is refused: the write or the next flush fails, and
 * so does the close; the task's data end with the last byte before.
 *
 * fileno() of it is a descriptor of its own (with C libraries that let the library set it, such as
 * glibc; -1 with others). After fflush() it stands at the FILE*'s position, and what is written or
 * read through it or a dup() of it counts like what goes through the FILE*. As with every FILE*,
 * fflush() comes before the descriptor is used. Writes through the descriptor are not held back at
 * the end of the chunk, where other tasks' data begin: sion_ensure_free_space, sion_flush and the
 * close look where it stands, fail if that is outside, and let the chunk end at its border.
 *
 * @return the FILE*, owned by the library and closed with the sid; the second one if set; NULL in
 *         posix mode and for an invalid sid
 */
FILE *sion_get_fp(int sid);

/**
 * The descriptor in posix mode, standing at the position.
 *
 * Ask again after sion_seek to another task of a set of files. Writing past the end of the chunk
 * destroys other tasks' data; see sion_ensure_free_space. The library tells where it is asked next,
 * and the chunk ends at its border.
 *
 * @return descriptor owned by the library; -1 in ansi mode and for an invalid sid
 */
int sion_get_fd(int sid);

/**
 * From now on fp is the FILE* of the sid: transfers of the library go through it, at fp's own
 * position, and what the application writes or reads through it counts.
 *
 * fp is the application's own FILE* over the selected task's physical file, opened for the same
 * kind of access ("r+" while writing) and standing in the task's present chunk, where
 * sion_get_position says. Its position counts as soon as it has moved. sion_ensure_free_space and
 * sion_feof take it to the next chunk, sion_seek to another task in the same physical file. The
 * library cannot keep fp from writing past the end of the chunk: sion_ensure_free_space,
 * sion_flush, sion_unset_second_fp and the close fail if it stands outside, and let the chunk end
 * at its border. While it stands outside the library writes nothing through it.
 *
 * @param fp owned by the library from now on: closed with the sid
 * @return 1, also (with a message) if one is set already, which then stays; 0 in posix mode, for a
 *         NULL fp and for an invalid sid
 */
int sion_set_second_fp(int sid, FILE *fp);
/**
 * End of sion_set_second_fp: fp is written out and is the application's again; the stream goes on
 * where fp stood.
 *
 * @return 1; 0 with a message if fp could not be written out or was left outside of the task's
 *         chunk, in posix mode and for an invalid sid
 */
int sion_unset_second_fp(int sid);
/** The application has closed the FILE*, or the library is to close it now: 1; 0 invalid sid. */
int sion_set_fp_closed(int sid);
/** Use a buffer of one file system block from now on: 1; 0 on an error. */
int sion_optimize_fp_buffer(int sid);

/* ---- information ---- */

/**
 * Metadata of all tasks.
 *
 * Every output may be NULL: not wanted. Arrays are owned by the library, valid until the close;
 * those of a container open for writing say what is true at this call. Serial containers: complete,
 * sets of files in global order. Opened for one rank: only chunksizes and globalranks. Parallel: no
 * arrays.
 *
 * @param ntasks             [out] tasks
 * @param maxblocks          [out] most chunks of any task
 * @param globalskip         [out] bytes of one block of the file that the selected task is in
 * @param start_of_varheader [out] offset of the second metadata block; -1 while writing
 * @param chunksizes         [out] [ntasks] bytes per chunk
 * @param globalranks        [out] [ntasks]
 * @param blockcount         [out] [ntasks] chunks
 * @param blocksizes         [out] [maxblocks * ntasks] bytes used in chunk b of task t at
 *                           [ntasks * b + t]; 0 or -1 where a task has no chunk b
 * @return 1; 0 invalid sid or out of memory
 */
int sion_get_locations(int sid, int *ntasks, int *maxblocks, sion_int64 *globalskip,
                       sion_int64 *start_of_varheader, sion_int64 **chunksizes,
                       sion_int64 **globalranks, sion_int64 **blockcount, sion_int64 **blocksizes);

/**
 * Where the selected task stands. Outputs may be NULL.
 *
 * @param blknr      [out] present chunk
 * @param pos_in_blk [out] offset in it
 * @param maxchunks  [out] chunks of the task
 * @param chunksizes [out] [maxchunks] bytes *used* in each; owned by the library, valid until the
 *                   close
 * @return 1; 0 invalid sid
 */
int sion_get_current_location(int sid, int *blknr, sion_int64 *pos_in_blk, int *maxchunks,
                              sion_int64 **chunksizes);

/**
 * Where all tasks of a serial container stand. Outputs may be NULL.
 *
 * @param ntasks         [out] tasks
 * @param currentpos     [out] [ntasks] absolute offsets; NULL for sets of files and single tasks
 * @param currentblocknr [out] [ntasks] chunks; likewise. Both owned by the library, valid until
 *                       the close, and set again by the next call
 * @return 1; 0 invalid sid
 */
int sion_get_current_locations(int sid, int *ntasks, sion_int64 **currentpos,
                               sion_int64 **currentblocknr);

/**
 * Which physical file each task of a set is in. Outputs may be NULL.
 *
 * @param mapping_size [out] tasks; -1 if there is no mapping, then *mapping stays as it is
 * @param mapping      [out] [2 * mapping_size] pairs (file, task in the file), the library's. NULL
 *                     in a mapped container that is written: no process knows all pairs
 * @param numfiles     [out] physical files
 * @return 1; 0 invalid sid
 */
int sion_get_mapping(int sid, int *mapping_size, sion_int32 **mapping, int *numfiles);

/** Physical files of the container; -1 invalid sid. */
int sion_get_number_of_files(int sid);
/**
 * Number of the physical file, as its header says: of a set opened by sion_open, of its first file;
 * of a mapped container that is written, of the selected task's.
 *
 * @return the number; -1 invalid sid
 */
int sion_get_filenumber(int sid);
/** 1 opened by sion_open or sion_open_rank, 0 in parallel, -1 invalid sid. */
int sion_is_serial_opened(int sid);
/** 1 if file system hints are in use, 0 if not, -1 invalid sid. */
int sion_using_hints(int sid);
/** Byte order of the users' data: 1 big, 0 little, -1 invalid sid. */
int sion_get_file_endianness(int sid);
/** 1 if the users' data are in the other byte order than the host's, else 0; 1 invalid sid. */
int sion_endianness_swap_needed(int sid);
/** Byte order of the host: 1 big, 0 little. */
int sion_get_endianness(void);
/** 1 if the library was built with thread support, else 0. */
int sion_is_thread_safe(void);
/**
 * Version of the interface and of the format. Outputs may be NULL.
 *
 * @param main_version [out] of the interface: 1
 * @param sub_version  [out] of the interface: 7
 * @param patch_level  [out] of the interface: 6
 * @param fileformat   [out] that is written: 5
 * @return 1
 */
int sion_get_version(int *main_version, int *sub_version, int *patch_level, int *fileformat);
/**
 * What the sid costs.
 *
 * @param numbytes [out] bytes of memory, an estimate; -1 invalid sid
 * @param numfds   [out] open descriptors; -1 invalid sid
 * @return 1; -1 invalid sid
 */
int sion_get_sizeof(int sid, int *numbytes, int *numfds);

/* ---- key-value records ---- */

/*
 * In a container opened with the mode word keyval=inline a task's stream is a sequence of records,
 * each with a key; all numbers are keys, and a key may have any number of records. Records may be
 * longer than a chunk. While reading, the selected task's records are indexed as far as it was
 * necessary, and each key has a reading position of its own. Unless a comment says otherwise the
 * functions return 0 with a message for an invalid sid, for a container of another mode or access,
 * and where the stream is damaged.
 */

/**
 * Write one record of size * nitems bytes to the selected task's stream; all or nothing.
 *
 * @param data   [in] size * nitems bytes; may be NULL if that is 0
 * @param key    any number
 * @param size   bytes per item, > 0
 * @param nitems number of items; 0 writes an empty record
 * @param sid    container open for writing
 * @return nitems; 0 if size is 0, and on every error
 * @see doc/format.md, "Key-value streams"
 */
size_t sion_fwrite_key(const void *data, uint64_t key, size_t size, size_t nitems, int sid);

/**
 * Read whole items from the present record of a key; if it is used up, from its next one.
 *
 * Never goes from one record to the next within a call.
 *
 * @param data   [out] size * nitems bytes
 * @param key    key
 * @param size   bytes per item
 * @param nitems items wanted
 * @param sid    container open for reading
 * @return items read; 0 if the key has no more data or not even one whole item is left in the
 * record
 */
size_t sion_fread_key(void *data, uint64_t key, size_t size, size_t nitems, int sid);

/** Begin to iterate over the selected task's records: 1. */
int sion_fread_key_iterator_reset(int sid);
/**
 * The next record in the order of writing; the key's position is then at its start.
 *
 * @param key  [out] may be NULL
 * @param size [out] bytes of the record, may be NULL
 * @return 1; 0 if there are no more, then the outputs are untouched
 */
int sion_fread_key_iterator_next(int sid, uint64_t *key, size_t *size);

/**
 * Set the reading position of a key.
 *
 * @param key        key
 * @param entrynum   record of the key, 0 ..; SION_ABSOLUTE_POS: posinentry counts over all records
 * of the key; SION_CURRENT_BLOCK: its present record
 * @param posinentry byte of that record; SION_CURRENT_POS with SION_CURRENT_BLOCK changes nothing
 * and tells whether there is anything to read
 * @return 1; 0 if there is no such byte. Byte 0 of an empty record may be gone to.
 */
int sion_seek_key(int sid, uint64_t key, int entrynum, sion_int64 posinentry);

/** Index all records of the selected task: 1, also if it has none. */
int sion_key_full_scan(int sid);

/** Begin to iterate over the keys that are indexed so far: 1, also if there is none. */
int sion_key_list_iterator_reset(int sid);
/**
 * The next of them, in the order of their first records.
 *
 * @param key [out] may be NULL; 0 if there are no more, and on an error
 * @return 1; 0 if there are no more
 */
int sion_key_list_iterator_next(int sid, uint64_t *key);
/**
 * Records and bytes of a key, as far as indexed.
 *
 * @param key     key
 * @param keystat [out] may be NULL; untouched if 0 is returned
 * @return 1; 0 if the key is not known
 */
int sion_key_get_stat(int sid, uint64_t key, sion_key_stat_t *keystat);

/** SION_KEYVAL_* of the container; SION_KEYVAL_UNKNOWN for an invalid sid. */
int sion_get_keyval_mode(int sid);
/**
 * The name of a key-value mode.
 *
 * @param keyval_type SION_KEYVAL_*
 * @return "SION_KEYVAL_NONE", ...; "unknown" for other numbers. Owned by the library, constant
 */
char *sion_keyval_type_to_str(int keyval_type);

/* ---- buddy checkpoints ---- */

/**
 * Files to which a buddy checkpoint's data of this task go, or that its group keeps for others.
 *
 * Local. The normal file first (SION_ROLE_WRITER, with the bytes that this task has written), then
 * of every level the file that the task's group holds: SION_ROLE_COLLECTOR for the task that writes
 * it, SION_ROLE_NOWRITER for the others, 0 bytes.
 *
 * @return to be freed by sion_free_io_info; without files if the container is read; NULL: no buddy
 *         checkpoint, or sid is invalid
 */
sion_io_stat_t *sion_get_io_info(int sid);
/**
 * As sion_get_io_info, for some roles only.
 *
 * @param roles sum of SION_ROLE_*; with SION_ROLE_SENDER also the copies of this task's own data
 * @param flag  SION_GET_IO_INFO_FLAG_NONE; not used
 * @return as sion_get_io_info
 */
sion_io_stat_t *sion_get_io_info_by_spec(int sid, int roles, int flag);
/**
 * Free what sion_get_io_info gave.
 *
 * @param info with its arrays and names; NULL: nothing
 * @return 1
 */
int sion_free_io_info(sion_io_stat_t *info);

/* ---- duplicates ---- */

/**
 * A second sid with a descriptor and a position of its own, beginning at the present position.
 *
 * For all containers opened for reading, local. What is known of the keys is copied; each key is
 * read from its start. The original may be closed first.
 *
 * @param sid  the original
 * @param mode SION_DUP_ALL, or SION_DUP_RANK for `rank` only; SION_DUP_RANK_KEY needs a key-value
 *             container
 * @param rank task of SION_DUP_RANK and SION_DUP_RANK_KEY: any of the tasks that sid reads, as
 *             sion_seek names it; ignored where that is one, as in parallel and with sion_open_rank.
 *             SION_DUP_ALL gives all
 * @param key  used with SION_DUP_RANK_KEY only
 * @return a sid, to be closed by sion_dedup; -1 on an error
 */
int sion_dup(int sid, int mode, int rank, uint64_t key);
/** Close a duplicate: 1; 0 if sid is no duplicate; -1 invalid sid. */
int sion_dedup(int sid);

/* ---- helpers ---- */

/**
 * Copy n elements of `size` bytes, with the bytes of each in reverse order or as they are.
 *
 * @param target  [out] size * n bytes; may be source, must not overlap it otherwise
 * @param source  [in] size * n bytes
 * @param size    bytes of an element; 0 or less: nothing is done
 * @param n       elements; 0 or less: nothing is done
 * @param do_swap not 0: reverse; 0: only copy
 * @threads any thread at any time
 */
void sion_swap(void *target, void *source, int size, int n, int do_swap);

/**
 * Use the application's lock in place of the built-in one. The first registration wins.
 *
 * The lock is held while sids are made or freed, never during transfers. The callbacks' return
 * values are ignored.
 *
 * @param lock      waits until it has the lock
 * @param unlock    gives it back
 * @param lock_data passed to both; must live until the end of the program
 * @return 1; 0 if callbacks are registered already
 */
int sion_lock_register_lock_callbacks(int lock(void *), int unlock(void *), void *lock_data);
/** 1 if the application has registered lock callbacks, else 0. */
int sion_lock_user_callbacks_defined(void);

/**
 * Whether something of this name exists.
 *
 * @param fname file or folder; NULL: no
 * @return 1 or 0, without a message
 */
int _sion_file_stat_file(const char *fname);
/** The same as sion_close. */
int _sion_close_sid(int sid);

#ifdef __cplusplus
}
#endif

#endif
