/**
 * @file sion_recover.h
 * Recover what is left of a container that was never closed.
 *
 * A container that is written with the word "recover" in the mode string, or with the environment
 * variable SION_RECOVER=1, has commit records in its chunks. With these it can be closed later:
 * every byte before a task's last successful sion_flush is recovered. For containers without commit
 * records only an upper bound is known, from the holes of their files.
 *
 * Do not use these functions on a container that is still being written.
 *
 * @param recovery what sion_recover_open returned
 */
#ifndef SION_RECOVER_H
#define SION_RECOVER_H

#include <stddef.h>

#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A container that was opened by sion_recover_open. */
typedef struct sion_recovery sion_recovery;

/** The source of what is known of a container, the best one first. */
enum sion_recover_evidence {
    SION_RECOVER_CLOSED,     /**< its tables: it was closed */
    SION_RECOVER_COMMITTED,  /**< commit records */
    SION_RECOVER_UPPER_BOUND /**< only sizes and holes: an upper bound of the data */
};

/** A container. */
typedef struct sion_recover_info {
    size_t size;       /**< of this struct: SION_INIT sets it */
    int evidence;      /**< enum sion_recover_evidence: the weakest of all files */
    int ntasks;        /**< tasks of the files that exist */
    int nfiles;        /**< physical files of the container */
    int missing_files; /**< of these, the missing ones */
    int keyval;        /**< SION_KEYVAL_* */
} sion_recover_info;

/** A task, with its numbers of bytes. */
typedef struct sion_recover_task {
    size_t size;           /**< of this struct: SION_INIT sets it */
    sion_int64 globalrank; /**< its global rank */
    int file;              /**< number of the physical file that it is in */
    int lrank;             /**< its index there */
    sion_int64 bytes;      /**< bytes that are recovered: the length of its stream */
    sion_int64 certain;    /**< of these, those that tables or commit records vouch for */
    sion_int64 possible;   /**< more bytes that seem to have been written; without commit records,
                              these are the recovered ones */
    sion_int64 lost;       /**< bytes with commit records, after bytes that have none */
} sion_recover_task;

/** For sion_recover_open: files of a set may be missing. */
#define SION_RECOVER_ALLOW_MISSING 1

/**
 * Find out what is left of a container. Nothing is changed.
 *
 * Local.
 *
 * @param fname name of the container, or of one of its files, which is then examined alone; copied
 * @param flags 0 or SION_RECOVER_ALLOW_MISSING
 * @return the recovery, which must be closed; NULL with a message
 * @threads different recoveries may be used by different threads
 */
sion_recovery *sion_recover_open(const char *fname, int flags);

/**
 * Get what is known of the container as a whole.
 *
 * Local.
 *
 * @param info [out] prepared by SION_INIT
 * @return 1; 0 with a message if its size is not set
 * @threads as sion_recover_open
 */
int sion_recover_get_info(const sion_recovery *recovery, sion_recover_info *info);

/**
 * Get what is known of a task.
 *
 * Local.
 *
 * @param task [out] its numbers; prepared by SION_INIT
 * @param index 0 .. ntasks - 1, in the order of a set's global ranks, or of a file's tasks
 * @return 1; 0 with a message if there is no such task, or the size of task is not set
 * @threads as sion_recover_open
 */
int sion_recover_get_task(const sion_recovery *recovery, int index, sion_recover_task *task);

/**
 * Read bytes of the stream of a task. Of a compressed one these are what is stored.
 *
 * Local.
 *
 * @param index as for sion_recover_get_task
 * @param offset of the first byte in the task's stream
 * @param data [out] room for the bytes
 * @param bytes how many; they must be among those that are recovered
 * @return 1; 0 with a message
 * @threads as sion_recover_open
 */
int sion_recover_read(const sion_recovery *recovery, int index, sion_int64 offset, void *data,
                      size_t bytes);

/**
 * Close the container in place, so that it can be opened for reading.
 *
 * The bytes in the files stay as they are, and the tables are written after them and forced to the
 * disk. After an interruption at any point the call can be repeated, with the same result. A
 * container that was closed is not changed. The call fails if there are no commit records, or if
 * files are missing: then copy the data with sion_recover_read.
 *
 * Local.
 *
 * @return 1; 0 with a message
 * @threads as sion_recover_open
 */
int sion_recover_in_place(sion_recovery *recovery);

/**
 * Free a recovery.
 *
 * Local.
 *
 * @param recovery NULL is ignored
 * @threads as sion_recover_open
 */
void sion_recover_close(sion_recovery *recovery);

#ifdef __cplusplus
}
#endif

#endif
