/**
 * @file sion_ftiff.h
 * Checkpoints in FTI-FF, the file format of the Fault Tolerance Interface (FTI).
 *
 * A program tells once which memory makes up its state, and then writes and reads all of it
 * together. One process writes a file that FTI reads; the tasks of a communicator write one Scion
 * container, in which the stream of each task is such a file.
 *
 *     sion_ftiff *state = sion_ftiff_open("state.fti");
 *     sion_ftiff_protect(state, 1, field, sizeof field);
 *     if (sion_ftiff_status(state, NULL) == 1)
 *         sion_ftiff_recover(state);
 *     ...
 *     sion_ftiff_checkpoint(state, step);
 *     ...
 *     sion_ftiff_close(state);
 *
 * This header goes beyond SIONlib 1.7; it is a library of its own (libsionfti_64, libsion_fti),
 * which needs nettle. Functions return 0, or on a failure a negative number of enum sion_error_code
 * and a message (sion_error.h); every task of a collective call returns the same. Nothing hangs,
 * and a failed call changes neither the file nor what the handle knows, if not said otherwise.
 * Without a handle (NULL) functions return SION_ERR_HANDLE.
 *
 * @param handle what one of the opening functions gave and sion_ftiff_close has not had yet
 * @threads different handles may be used by different threads at once
 * @see doc/fti-ff.md
 */
#ifndef SION_FTIFF_H
#define SION_FTIFF_H

#include "sion_datatypes.h"
#include "sion_error.h"

/* Layouts that can be written. */
#define SION_FTIFF_1_1            1              /* that of FTI 1.1 */
#define SION_FTIFF_1_6            5              /* that of FTI 1.4.1 to 1.6 */
#define SION_FTIFF_LATEST         6              /* that of FTI after 1.6, which is no release */
#define SION_FTIFF_RELEASE_LATEST SION_FTIFF_1_6 /* that of the newest release of FTI */

#ifdef __cplusplus
extern "C" {
#endif

/** Variables and the file that they are saved in. */
typedef struct sion_ftiff sion_ftiff;

/** What is known about a checkpoint. */
struct sion_ftiff_info {
    int version;          /**< layout: 1 FTI 1.1, 2 1.2, 3 1.3, 4 1.4, 5 1.4.1 to 1.6, 6 later */
    int ckptid;           /**< number of the checkpoint; -1: layouts 1 and 2 do not store it */
    int variables;        /**< of the calling task */
    sion_int64 bytes;     /**< of the calling task's variables */
    sion_int64 timestamp; /**< ns since 1970; layouts 5 and 6 have the low 32 bits only */
};

/**
 * Begin with the checkpoints of one process.
 *
 * Local. No file is touched.
 *
 * @param path file of the checkpoint: 1 to 1012 bytes. `<path>.new` is used while writing.
 * @return a handle, to be closed with sion_ftiff_close; NULL with a message if path is NULL, empty
 * or too long, or memory is short
 */
sion_ftiff *sion_ftiff_open(const char *path);

/**
 * Begin with the checkpoints of all tasks of a communicator of the application, in one container.
 *
 * Collective over group, which must live until the close.
 *
 * @param path  as for sion_ftiff_open, the same on all tasks
 * @param aid   interface made with sion_generic_create_api, with the callbacks for opening; it must
 *              live as long, too
 * @param group all tasks, passed to the callbacks
 * @param rank  the caller's rank in it
 * @param size  its size
 * @return a handle; NULL with a message on all tasks if one fails, and for an aid that is invalid
 * or incomplete (local)
 */
sion_ftiff *sion_ftiff_open_generic(const char *path, int aid, void *group, int rank, int size);

/**
 * Write to another file from now on.
 *
 * Local; all tasks must do the same. The structure of the last checkpoint is kept, so the next one
 * continues it, and unchanged data are cloned from the file where it is.
 *
 * @param path as for sion_ftiff_open; copied
 * @return 0; SION_ERR_ARGUMENT as for sion_ftiff_open, SION_ERR_MEMORY
 */
int sion_ftiff_set_path(sion_ftiff *handle, const char *path);

/**
 * Choose the layout of checkpoints to come. Without a call it is SION_FTIFF_LATEST.
 *
 * Local; all tasks must choose the same. Recovering reads every layout. Choose
 * SION_FTIFF_RELEASE_LATEST if a release of FTI shall restart from the checkpoints. Its layout
 * holds at most 2147483647 bytes for each task, data and metadata together, and space that
 * variables once had counts: sion_ftiff_checkpoint fails with SION_ERR_ARGUMENT on all tasks if one
 * has more, and the old checkpoint stays.
 *
 * @param version SION_FTIFF_1_1, SION_FTIFF_1_6, SION_FTIFF_LATEST or SION_FTIFF_RELEASE_LATEST
 * @return 0; SION_ERR_ARGUMENT for another number
 */
int sion_ftiff_set_version(sion_ftiff *handle, int version);

/**
 * Whether chunks that have not changed since the last checkpoint of this handle (written or
 * recovered) are cloned from its file instead of being written from memory. The result is the same.
 * On file systems that share storage cloning costs next to nothing; damage of the old file is
 * inherited. Containers are always written in full. Default 0.
 *
 * Local.
 *
 * @param incremental not 0: they are cloned; 0: all is written from memory
 * @return 0
 */
int sion_ftiff_set_incremental(sion_ftiff *handle, int incremental);

/**
 * Make memory a variable of the checkpoints to come, or tell a variable's new place and size.
 *
 * Local. The memory stays the caller's, and must be there whenever a checkpoint is written or
 * recovered. Space that a variable once had in the file is never given back: it grows into further
 * containers.
 *
 * @param id    any number, the same at a restart
 * @param data  may be NULL if bytes is 0
 * @param bytes >= 0
 * @return 0; SION_ERR_ARGUMENT, SION_ERR_MEMORY
 */
int sion_ftiff_protect(sion_ftiff *handle, int id, void *data, sion_int64 bytes);

/**
 * Take a variable out of the checkpoints to come; its containers stay in the file, empty.
 *
 * Local.
 *
 * @param id as it was given to sion_ftiff_protect
 * @return 0; SION_ERR_ARGUMENT if there is no such variable
 */
int sion_ftiff_unprotect(sion_ftiff *handle, int id);

/**
 * Write a checkpoint of all variables.
 *
 * Collective. The old checkpoint is replaced when the new one is complete and on the disk: whatever
 * happens, and whenever, one of them is there, whole. Memory O(variables) and on rank 0 O(tasks),
 * time O(bytes); four collectives beyond those of a container's open and close.
 *
 * @param ckptid its number, >= 0, the same on all tasks; if the path ends in
 * Ckpt<id>-Rank<rank>.fti it must be that id
 * @return 0; SION_ERR_ARGUMENT, SION_ERR_MISMATCH (ids or versions differ between tasks),
 *         SION_ERR_MEMORY, SION_ERR_SYSTEM (no space, no permission, ...), SION_ERR_COMM. If only
 *         the folder could not be synced, the new checkpoint may be the one that is there.
 */
int sion_ftiff_checkpoint(sion_ftiff *handle, int ckptid);

/**
 * Whether there is a checkpoint.
 *
 * Collective. Its metadata are read and checked, the data are not. The next checkpoint continues
 * its structure.
 *
 * @param info [out] may be NULL; untouched unless 1 is returned
 * @return 1; 0 there is none, without a message; SION_ERR_DAMAGED, SION_ERR_NOT_SION (something
 * else has this name), SION_ERR_MISMATCH (a container of another number of tasks), SION_ERR_SYSTEM,
 *         SION_ERR_MEMORY, SION_ERR_COMM
 */
int sion_ftiff_status(sion_ftiff *handle, struct sion_ftiff_info *info);

/**
 * Bytes of a variable in the checkpoint that was last written, recovered or asked about: what to
 * allocate and protect before a recover.
 *
 * Local.
 *
 * @param id of the variable
 * @return bytes; -1 without a message if it has no such variable, and without a handle
 */
sion_int64 sion_ftiff_stored_size(const sion_ftiff *handle, int id);

/**
 * Read the checkpoint into the variables.
 *
 * Collective. Each variable must have the size that it had then; variables of the file that are not
 * protected are skipped. All data that are read are compared with their digests; for layouts 1 and
 * 2 all data of the file are.
 *
 * @return 0; as sion_ftiff_status (SION_ERR_SYSTEM if there is none); SION_ERR_MISMATCH if a
 * variable is not in the checkpoint or has another size (nothing has been changed then). If the
 * data are damaged the variables' contents are undefined.
 */
int sion_ftiff_recover(sion_ftiff *handle);

/**
 * End. Local. The file and the variables stay.
 *
 * @param handle is invalid afterwards; NULL: nothing
 */
void sion_ftiff_close(sion_ftiff *handle);

#ifdef __cplusplus
}
#endif

#endif
