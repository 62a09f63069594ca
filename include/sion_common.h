/**
 * @file sion_common.h
 * Functions for containers of every kind, serial or parallel: transfer, position, information.
 *
 * The functions of sion_serial.h, sion_mpi.h, sion_omp.h and sion_ompi.h open a container and
 * return its sid. A chunk is the space of one task in one block; function and parameter names use
 * chunk and block for the same thing. Unless a comment says otherwise, a function is local (it does
 * not communicate), and sizes are in bytes. Different threads may work on different sids at the
 * same time, but not on the same sid. A function that fails prints one line on stderr; sion_error.h
 * says how to receive that line instead.
 *
 * @param sid an open container of this process, serial or parallel, reading or writing: the number
 *            that the open returned. An invalid sid only causes an error with a message.
 */
#ifndef SION_COMMON_H
#define SION_COMMON_H

#include <stdint.h>
#include <stdio.h>

#include "sion_const.h"
#include "sion_datatypes.h"

/* Names of SIONlib's header that programs may still use. */
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

/** Statistics of a key (sion_key_get_stat). */
typedef struct _sion_key_stat_struct {
    uint64_t key;
    sion_int64 num_blocks; /**< records */
    sion_int64 total_size; /**< bytes in all records */
} sion_key_stat_t;

/** The files that hold the data of an open container (sion_get_io_info). */
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
 * A record is never split: if it does not fit into the rest of the chunk, it goes into the task's
 * next chunk, and the rest stays unused. A task may use any number of chunks. Small records wait in
 * a buffer (in posix mode only with the mode word `buffered`) until sion_flush or the close writes
 * them to the file. The environment variable SION_BUFFERSIZE sets the size of the buffer in bytes;
 * -1 means one file system block.
 *
 * In a key-value container, use sion_fwrite_key. There, sion_fwrite adds the raw bytes to the
 * stream, across chunk borders, because such a stream has no gaps.
 *
 * @param data   [in] size * nitems bytes; they may be in memory of a CUDA or HIP device (sion(7))
 * @param size   bytes per item
 * @param nitems number of items
 * @param sid    container open for writing
 * @return nitems; 0 if size or nitems is 0, and on every error: the sid is invalid or open for
 *         reading, the record is larger than a chunk, the system reports an error (disk full). A
 *         record that failed is not in the stream.
 * @see doc/format.md, "Using chunks"
 */
size_t sion_fwrite(const void *data, size_t size, size_t nitems, int sid);

/**
 * Read one record of size * nitems bytes from the selected task's stream, all or nothing.
 *
 * Reads from one chunk only: the current one or, if all of that was read, the next one that holds
 * data. sion_bytes_avail_in_chunk tells how many bytes are left.
 *
 * @param data   [out] size * nitems bytes; they may be in memory of a CUDA or HIP device (sion(7))
 * @param size   bytes per item
 * @param nitems number of items
 * @param sid    container open for reading
 * @return nitems; 0 without a message if size or nitems is 0 or at the end of the stream; 0 with a
 *         message if the chunk holds fewer bytes, data is NULL, the sid is invalid or open for
 *         writing, or the file is truncated. If 0 is returned, the position has not changed.
 */
size_t sion_fread(void *data, size_t size, size_t nitems, int sid);

/**
 * Make sure that the next `bytes` bytes fit into the current chunk. Call it before writing directly
 * to the FILE* or to a descriptor. If the chunk has no room for them, the position moves to the
 * next chunk.
 *
 * @param sid   container open for writing
 * @param bytes bytes that will be written; a negative number counts as 0
 * @return 1; 0 with a message if bytes is more than a chunk holds, the position of the FILE* or of
 *         the descriptor is outside the task's chunk, or sid is invalid or open for reading
 */
int sion_ensure_free_space(int sid, sion_int64 bytes);

/**
 * Test whether the selected task's stream is at its end. If only the chunk is at its end, the
 * position moves to the next chunk that holds data.
 *
 * @return 0 if there are bytes to read at the position, else 1; 1 for a container open for
 *         writing; -1 invalid sid
 */
int sion_feof(int sid);

/** Bytes left to read in the current chunk (0 while writing); -1 for an invalid sid. */
sion_int64 sion_bytes_avail_in_chunk(int sid);
/** The same as sion_bytes_avail_in_chunk. */
sion_int64 sion_bytes_avail_in_block(int sid);

/**
 * Write buffered data to the file; in posix mode also force them to the disk (fsync). In a
 * container with commit records (mode word `recover`) the data of all tasks of this process can be
 * recovered from now on, even if the container is never closed.
 *
 * In a container that one process has opened with the mode word `publish=SECONDS`, it is also a
 * sion_publish if so much time has passed since the last one. Local in all others.
 *
 * @return 1; 0 if the system reports an error, or the publish fails, or sid is invalid
 */
int sion_flush(int sid);

/**
 * Publish what all tasks have written so far: programs that open the container from now on, also
 * those that use SIONlib, read all of that, as if it were closed. The container stays open, and
 * what is written later is seen at the next publish or at the close. If the program is killed, the
 * container that was published last is left.
 *
 * For containers that one process has opened. Each publish that has something new writes the tables
 * of the container behind its data (doc/format.md, "Published states"). The data are on the disk
 * before it returns if the mode says sync=close or sync=flush.
 *
 * @return 1; 0 with a message if the system reports an error, or the container cannot be published
 *         (modes recover and atomic; open for reading; opened in parallel). Readers still see what
 *         was published before
 */
int sion_publish(int sid);

/**
 * Go on with the newest state of a container that another program writes and publishes. Until this
 * call a reader sees the state that was the newest one when it was opened. All tasks keep their
 * positions, records with keys too. Arrays that queries have returned before, as those of
 * sion_get_locations, are freed if there is a newer state: ask again.
 *
 * A container with generations (mode word `keep`) goes on to another generation: to the newest
 * one, or with `generation=-1` to the one before that, and so on. All tasks are then at its first
 * byte. If there is none that is newer, they stay. With `generation=all`, tasks whose next bytes
 * are forgotten go to the first byte that is left; a warning names generations that were forgotten
 * before all of them was read, also those that came and went between two calls. `generation=N` does
 * not change; it is an error if it is forgotten. What the writer has forgotten since the last call
 * may read as zeros.
 *
 * For containers that are open for reading. Where several tasks have opened it together, also as a
 * mapped container, the call is collective over them: all see the same state, and if it fails on
 * one, it fails on all. A call that finds no newer state costs a read or two, by one task, and one
 * collective; with a newer one it costs as much as the open. Of what was forgotten on any task, one
 * warns for all. Not for buddy checkpoints, nor for what sion_dup has made of a container of several
 * tasks.
 *
 * @return how many bytes have come for the selected task, 0 if it has no more: of another
 *         generation, all that it has; -1 with a message if the container cannot be read any more,
 *         or is another one, and then nothing has changed
 */
sion_int64 sion_refresh(int sid);

/**
 * Which generation of a container that has them (mode word `keep`) is shown, from the open or the
 * last sion_refresh on. Outputs may be NULL.
 *
 * With `generation=all`, and of a container without generations, the number is 0: all that there
 * is. Then sion_refresh drops what the writer has forgotten from the beginning of the streams, and
 * `forgotten` is how much of what the open has shown that was: a byte that was there then has got a
 * position smaller by so much. What was forgotten before the open, and what came and went between
 * two calls, does not count.
 *
 * For containers that are open for reading. Where several tasks have opened it together, also as a
 * mapped container, the call is collective over them, as sion_refresh. Not for what sion_dup has
 * made of a container of several tasks.
 *
 * @param generation [out] the number of the generation; 0: all that there is
 * @param forgotten  [out] bytes of the selected task's stream that were forgotten since the open; 0
 *                   of one generation
 * @return 1; 0 with a message if the container is open for writing or such a duplicate, sid is
 *         invalid, or there is no memory
 */
int sion_get_generation(int sid, sion_int64 *generation, sion_int64 *forgotten);

/**
 * Forget generations of a container that has them (mode word `keep`): those with smaller numbers
 * than `before` are no part of the container any more from the next publish or close on, and their
 * bytes are freed where the file system can do that. The newest one stays in any case. All tasks of
 * the container have to pass the same number before that; if they differ, the publish fails on all
 * of them, and what they have passed does not count.
 *
 * Local: nothing is written. The larger number of two calls counts.
 *
 * @param sid    container open for writing
 * @param before the smallest number that stays
 * @return 1; 0 with a message if the container has no generations, is open for reading, or sid is
 *         invalid
 */
int sion_forget(int sid, sion_int64 before);

/* ---- position ---- */

/**
 * Select a task and move to a position in its stream.
 *
 * Reading: `currentblocknr` is a chunk (0 ..), SION_CURRENT_BLK, SION_ABSOLUTE_POS (then posinblk
 * counts from the start of the stream over all chunks) or SION_END_POS (from its end, <= 0);
 * `posinblk` is an offset in the chunk (0 .. bytes used) or SION_CURRENT_POS. Each task keeps its
 * own position: (rank, SION_CURRENT_BLK, SION_CURRENT_POS) continues where the task stopped. If
 * that chunk of a container opened by sion_open has no bytes left, the position moves to the next
 * chunk that has, so that a loop over tasks can use sion_bytes_avail_in_chunk; this does not hold
 * for key-value records. Writing: selects a task; the position must be the current end of its
 * stream, given as numbers or as SION_CURRENT_BLK and SION_CURRENT_POS.
 *
 * @param sid            any open container
 * @param rank           task: 0 .. tasks - 1, or SION_CURRENT_RANK. In a container opened for one
 *                       rank or in parallel, only that task can be selected (by its global rank or
 *                       its index in the file).
 * @param currentblocknr see above
 * @param posinblk       see above
 * @return 1; 0 with a message: a parameter is out of range or sid is invalid, and nothing changes;
 *         or the task is damaged: it is selected then, and every read of it fails
 */
int sion_seek(int sid, int rank, int currentblocknr, sion_int64 posinblk);

/**
 * The same as sion_seek; also returns the FILE* at that position.
 *
 * @param rank,currentblocknr,posinblk as for sion_seek
 * @param fileptr [out] what sion_get_fp returns, also if the seek fails; pass NULL if you do not
 *                want it
 * @return as sion_seek
 */
int sion_seek_fp(int sid, int rank, int currentblocknr, sion_int64 posinblk, FILE **fileptr);

/** Absolute offset of the next byte in the physical file; -1 for an invalid sid. */
sion_int64 sion_get_position(int sid);
/** Bytes that the selected task has written, in all chunks; -1 if not open for writing. */
sion_int64 sion_get_bytes_written(int sid);
/** Bytes of the selected task's stream before the position; -1 if not open for reading. */
sion_int64 sion_get_bytes_read(int sid);

/* ---- FILE* and descriptors ---- */

/**
 * The FILE* of the selected task, at the current position.
 *
 * Between calls, the application may use it like any FILE*, and even close it; it must not write
 * past the end of the chunk (see sion_ensure_free_space). The library takes the length of the data
 * from its position. A sid has one FILE*, which follows sion_seek, also to another physical file.
 *
 * A write through the FILE* past the end of the chunk fails: the write itself or the next flush
 * returns an error, and the close fails too. The task's data then end with the last byte that was
 * in the chunk.
 *
 * fileno() returns a separate descriptor for it (with C libraries that let the library set it, such
 * as glibc; -1 with others). As with every FILE*, call fflush() before you use the descriptor; it
 * is then at the position of the FILE*. Data written or read through the descriptor, or through a
 * dup() of it, count like data that go through the FILE*. Nothing stops writes through the
 * descriptor at the end of the chunk, where other tasks' data begin: sion_ensure_free_space,
 * sion_flush and the close check its position, fail if it is outside the chunk, and cut the task's
 * data at the end of the chunk.
 *
 * @return the FILE*, owned by the library and closed with the sid; the second FILE* if one is set;
 *         NULL in posix mode and for an invalid sid
 */
FILE *sion_get_fp(int sid);

/**
 * The descriptor in posix mode, at the current position.
 *
 * If the container has several physical files, call this function again after sion_seek to another
 * task. Writing past the end of the chunk destroys other tasks' data; see sion_ensure_free_space.
 * The library reports this in a later call, and cuts the task's data at the end of the chunk.
 *
 * @return descriptor owned by the library; -1 in ansi mode and for an invalid sid
 */
int sion_get_fd(int sid);

/**
 * Make fp the FILE* of the sid: the library reads and writes through it, at the position of fp, and
 * data that the application writes or reads through it belong to the stream.
 *
 * fp is a FILE* that the application opened on the selected task's physical file, for the same kind
 * of access ("r+" while writing), and whose position is in the task's current chunk, at the offset
 * that sion_get_position returns. The library uses the position of fp as soon as it has moved.
 * sion_ensure_free_space and sion_feof move fp to the next chunk, and sion_seek moves it to another
 * task in the same physical file. The library cannot stop fp from writing past the end of the
 * chunk: sion_ensure_free_space, sion_flush, sion_unset_second_fp and the close fail if its
 * position is outside the chunk, and cut the task's data at the end of the chunk. Until then the
 * library writes nothing through fp.
 *
 * @param fp owned by the library afterwards, which closes it with the sid
 * @return 1, also (with a message) if a second FILE* is already set, which then stays; 0 in posix
 *         mode, for a NULL fp and for an invalid sid
 */
int sion_set_second_fp(int sid, FILE *fp);
/**
 * End sion_set_second_fp: fp is flushed and belongs to the application again; the stream continues
 * at the position of fp.
 *
 * @return 1; 0 with a message if fp could not be flushed or its position is outside the task's
 *         chunk, in posix mode and for an invalid sid
 */
int sion_unset_second_fp(int sid);
/**
 * Tell the library that the application has closed the FILE*; if it is still open, the library
 * closes it now.
 *
 * @return 1; 0 for an invalid sid
 */
int sion_set_fp_closed(int sid);
/** Use a buffer of one file system block from now on. Returns 1; 0 on an error. */
int sion_optimize_fp_buffer(int sid);

/* ---- information ---- */

/**
 * Metadata of all tasks.
 *
 * Pass NULL for each output that you do not want. The library owns the arrays, which are valid
 * until the close; for a container open for writing they describe the state at this call. A
 * container opened by sion_open gives all arrays, those of several physical files in global order.
 * A container opened for one rank gives only chunksizes and globalranks. A container opened in
 * parallel gives no arrays.
 *
 * @param ntasks             [out] tasks
 * @param maxblocks          [out] the largest number of chunks of any task
 * @param globalskip         [out] bytes of one block in the physical file of the selected task
 * @param start_of_varheader [out] offset of the second metadata block; -1 while writing
 * @param chunksizes         [out] [ntasks] bytes per chunk
 * @param globalranks        [out] [ntasks]
 * @param blockcount         [out] [ntasks] chunks
 * @param blocksizes         [out] [maxblocks * ntasks] bytes used in chunk b of task t at
 *                           [ntasks * b + t]; 0 or -1 where a task has no chunk b
 * @return 1; 0 if sid is invalid or memory runs out
 */
int sion_get_locations(int sid, int *ntasks, int *maxblocks, sion_int64 *globalskip,
                       sion_int64 *start_of_varheader, sion_int64 **chunksizes,
                       sion_int64 **globalranks, sion_int64 **blockcount, sion_int64 **blocksizes);

/**
 * The current position of the selected task. Outputs may be NULL.
 *
 * @param blknr      [out] current chunk
 * @param pos_in_blk [out] offset in it
 * @param maxchunks  [out] chunks of the task
 * @param chunksizes [out] [maxchunks] bytes *used* in each; owned by the library, valid until the
 *                   close
 * @return 1; 0 invalid sid
 */
int sion_get_current_location(int sid, int *blknr, sion_int64 *pos_in_blk, int *maxchunks,
                              sion_int64 **chunksizes);

/**
 * The current positions of all tasks of a serial container. Outputs may be NULL.
 *
 * @param ntasks         [out] tasks
 * @param currentpos     [out] [ntasks] absolute offsets; NULL if the container has several physical
 *                       files or was opened for one rank
 * @param currentblocknr [out] [ntasks] chunks; NULL in the same cases. The library owns both
 *                       arrays, which are valid until the close; the next call overwrites them
 * @return 1; 0 invalid sid
 */
int sion_get_current_locations(int sid, int *ntasks, sion_int64 **currentpos,
                               sion_int64 **currentblocknr);

/**
 * The physical file of each task. Outputs may be NULL.
 *
 * @param mapping_size [out] tasks; -1 if there is no mapping, and *mapping does not change then
 * @param mapping      [out] [2 * mapping_size] pairs (file, task in the file), owned by the
 *                     library. NULL in a mapped container open for writing, where no process knows
 *                     all pairs
 * @param numfiles     [out] physical files
 * @return 1; 0 invalid sid
 */
int sion_get_mapping(int sid, int *mapping_size, sion_int32 **mapping, int *numfiles);

/** Physical files of the container; -1 invalid sid. */
int sion_get_number_of_files(int sid);
/**
 * Number of the physical file, as stored in its header. For several physical files opened by
 * sion_open it is the number of the first one; for a mapped container open for writing, that of the
 * selected task's file.
 *
 * @return the number; -1 invalid sid
 */
int sion_get_filenumber(int sid);
/** 1 if opened by sion_open or sion_open_rank, 0 if in parallel, -1 for an invalid sid. */
int sion_is_serial_opened(int sid);
/** 1 if file system hints are in use, 0 if not, -1 for an invalid sid. */
int sion_using_hints(int sid);
/** Byte order of the users' data: 1 big endian, 0 little endian, -1 for an invalid sid. */
int sion_get_file_endianness(int sid);
/** 1 if the byte order of the users' data is not that of the host, else 0; 1 for an invalid sid. */
int sion_endianness_swap_needed(int sid);
/** Byte order of the host: 1 big endian, 0 little endian. */
int sion_get_endianness(void);
/** 1 if the library was built with thread support, else 0. */
int sion_is_thread_safe(void);
/**
 * Version of the interface and of the format. Outputs may be NULL.
 *
 * @param main_version [out] interface: 1
 * @param sub_version [out] interface: 7
 * @param patch_level [out] interface: 6
 * @param fileformat   [out] format of new containers: 5
 * @return 1
 */
int sion_get_version(int *main_version, int *sub_version, int *patch_level, int *fileformat);
/**
 * The memory and the descriptors that a sid uses.
 *
 * @param numbytes [out] bytes of memory, an estimate; -1 for an invalid sid
 * @param numfds   [out] open descriptors; -1 for an invalid sid
 * @return 1; -1 invalid sid
 */
int sion_get_sizeof(int sid, int *numbytes, int *numfds);

/* ---- key-value records ---- */

/*
 * In a container opened with the mode word keyval=inline, a task's stream is a sequence of records,
 * each with a key. Any 64-bit number is a key, and a key may have any number of records. Records
 * may be longer than a chunk. While reading, the library indexes the selected task's records only
 * as far as calls need them, and each key has its own reading position. Unless a comment says
 * otherwise, the functions return 0 with a message for an invalid sid, for a container opened in
 * another mode or for the other access, and if the stream is damaged.
 */

/**
 * Write one record of size * nitems bytes to the selected task's stream; all or nothing.
 *
 * @param data   [in] size * nitems bytes, as for sion_fwrite; may be NULL if that is 0
 * @param key    any number
 * @param size   bytes per item, > 0
 * @param nitems number of items; 0 writes an empty record
 * @param sid    container open for writing
 * @return nitems; 0 if size is 0, and on every error
 * @see doc/format.md, "Key-value streams"
 */
size_t sion_fwrite_key(const void *data, uint64_t key, size_t size, size_t nitems, int sid);

/**
 * Read whole items from the current record of a key or, if all of that was read, from its next
 * record.
 *
 * One call never reads from two records.
 *
 * @param data   [out] size * nitems bytes, as for sion_fread
 * @param key    the key whose records are read
 * @param size   bytes per item
 * @param nitems number of items to read
 * @param sid    container open for reading
 * @return items read; 0 if the key has no more data, or less than one whole item is left in the
 *         record
 */
size_t sion_fread_key(void *data, uint64_t key, size_t size, size_t nitems, int sid);

/** Start an iteration over the selected task's records. Returns 1. */
int sion_fread_key_iterator_reset(int sid);
/**
 * Go to the next record, in the order of writing; the position of its key is then at its start.
 *
 * @param key  [out] may be NULL
 * @param size [out] bytes of the record, may be NULL
 * @return 1; 0 if there are no more records, and the outputs do not change then
 */
int sion_fread_key_iterator_next(int sid, uint64_t *key, size_t *size);

/**
 * Set the reading position of a key.
 *
 * @param key        the key whose position is set
 * @param entrynum   record of the key, 0 ..; SION_ABSOLUTE_POS: posinentry counts over all records
 *                   of the key; SION_CURRENT_BLOCK: its current record
 * @param posinentry byte of that record; SION_CURRENT_POS with SION_CURRENT_BLOCK changes nothing
 *                   and tests whether there is anything to read
 * @return 1; 0 if there is no such byte. Byte 0 of an empty record is a valid position.
 */
int sion_seek_key(int sid, uint64_t key, int entrynum, sion_int64 posinentry);

/** Index all records of the selected task. Returns 1, also if it has none. */
int sion_key_full_scan(int sid);

/** Start an iteration over the keys indexed so far. Returns 1, also if there are none. */
int sion_key_list_iterator_reset(int sid);
/**
 * Go to the next key, in the order of the keys' first records.
 *
 * @param key [out] may be NULL; set to 0 if there are no more keys, and on an error
 * @return 1; 0 if there are no more keys
 */
int sion_key_list_iterator_next(int sid, uint64_t *key);
/**
 * Number of records and bytes of a key, as far as indexed.
 *
 * @param key     the key to look up
 * @param keystat [out] may be NULL; not changed if 0 is returned
 * @return 1; 0 if no such key is indexed
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
 * The files that hold this task's data in a buddy checkpoint, and the copies that its group writes
 * for others.
 *
 * Local. The normal file comes first (SION_ROLE_WRITER, with the bytes that this task has written),
 * then for each level the file that the task's group writes, with 0 bytes: SION_ROLE_COLLECTOR for
 * the task that writes it, SION_ROLE_NOWRITER for the others.
 *
 * @return a list that the caller frees with sion_free_io_info; without files if the container is
 *         open for reading; NULL if it is no buddy checkpoint, or sid is invalid
 */
sion_io_stat_t *sion_get_io_info(int sid);
/**
 * The same as sion_get_io_info, for some roles only.
 *
 * @param roles sum of SION_ROLE_*; with SION_ROLE_SENDER also the copies of this task's own data
 * @param flag  SION_GET_IO_INFO_FLAG_NONE; not used
 * @return as sion_get_io_info
 */
sion_io_stat_t *sion_get_io_info_by_spec(int sid, int roles, int flag);
/**
 * Free what sion_get_io_info returned.
 *
 * @param info freed with its arrays and names; NULL is ignored
 * @return 1
 */
int sion_free_io_info(sion_io_stat_t *info);
/**
 * The name of a role, for messages.
 *
 * @param role one of SION_ROLE_*
 * @return "SION_ROLE_WRITER", ...; "unknown" for other numbers, also for sums. Owned by the library,
 *         constant
 */
char *_sion_buddy_role_to_str(int role);

/* ---- duplicates ---- */

/**
 * Open a second sid for the same container, with its own descriptor and its own position, which
 * starts at the current one.
 *
 * Local. Works for all containers opened for reading. The index of keys is copied, and each key is
 * read from its start. The original may be closed first.
 *
 * @param sid  the original
 * @param mode SION_DUP_ALL, or SION_DUP_RANK for `rank` only; SION_DUP_RANK_KEY needs a key-value
 *             container
 * @param rank task for SION_DUP_RANK and SION_DUP_RANK_KEY: any of the tasks that sid reads,
 *             numbered as in sion_seek; ignored if sid reads one task only, as after a parallel
 *             open or sion_open_rank. SION_DUP_ALL duplicates all
 * @param key  used with SION_DUP_RANK_KEY only
 * @return a sid, which sion_dedup closes; -1 on an error
 */
int sion_dup(int sid, int mode, int rank, uint64_t key);
/** Close a duplicate. Returns 1; 0 if sid is not a duplicate; -1 for an invalid sid. */
int sion_dedup(int sid);

/* ---- helpers ---- */

/**
 * Copy n elements of `size` bytes each; reverse the order of the bytes of each element on request.
 *
 * @param target  [out] size * n bytes; may be equal to source, but must not overlap it in another
 *                way
 * @param source  [in] size * n bytes
 * @param size    bytes of an element; 0 or less: the call does nothing
 * @param n       number of elements; 0 or less: the call does nothing
 * @param do_swap not 0: reverse the bytes; 0: only copy
 * @threads any thread at any time
 */
void sion_swap(void *target, void *source, int size, int n, int do_swap);

/**
 * Use the application's lock in place of the built-in one. Only the first registration counts.
 *
 * The library holds the lock while it creates or frees sids, never during transfers. It ignores the
 * return values of the callbacks.
 *
 * @param lock      waits for the lock and takes it
 * @param unlock    releases the lock
 * @param lock_data passed to both; must live until the end of the program
 * @return 1; 0 if callbacks are already registered
 */
int sion_lock_register_lock_callbacks(int lock(void *), int unlock(void *), void *lock_data);
/** 1 if the application has registered lock callbacks, else 0. */
int sion_lock_user_callbacks_defined(void);

/**
 * Test whether a file or folder exists.
 *
 * @param fname its name; for NULL the result is 0
 * @return 1 or 0, without a message
 */
int _sion_file_stat_file(const char *fname);
/** An older name of it. */
#define _sion_stat_file _sion_file_stat_file
/** The same as sion_close. */
int _sion_close_sid(int sid);

#ifdef __cplusplus
}
#endif

#endif
