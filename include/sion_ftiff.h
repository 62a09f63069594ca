/**
 * @file sion_ftiff.h
 * Checkpoints in FTI-FF, the file format of the Fault Tolerance Interface (FTI).
 *
 * A program registers once the memory that makes up its state, and then writes and reads all of it
 * together. A single process writes a file that FTI reads; the tasks of a communicator write one
 * Scion container, in which the stream of each task is such a file.
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
 * This header goes beyond SIONlib 1.7. Its functions are in a library of their own (libsionfti_64,
 * libsion_fti), which needs nettle. Functions return SION_SUCCESS, or SION_NOT_SUCCESS with a
 * message, whose code is named here (sion_error.h); every task of a collective call returns the
 * same value, and no task hangs. Unless a comment says otherwise, a failed call changes neither the
 * file nor the handle. If the handle is NULL, functions fail with SION_ERR_HANDLE.
 *
 * @param handle [local] what one of the opening functions returned, and sion_ftiff_close has not
 *               yet closed
 * @threads different handles may be used by different threads at once
 * @see doc/fti-ff.md
 */
#ifndef SION_FTIFF_H
#define SION_FTIFF_H

#include <stddef.h>

#include "sion_datatypes.h"
#include "sion_error.h"

/* Layouts for new checkpoints. */
#define SION_FTIFF_1_1            1              /* that of FTI 1.1 */
#define SION_FTIFF_1_2            2              /* that of FTI 1.2 */
#define SION_FTIFF_1_3            3              /* that of FTI 1.3 */
#define SION_FTIFF_1_4            4              /* that of FTI 1.4 */
#define SION_FTIFF_1_6            5              /* that of FTI 1.4.1 to 1.6 */
#define SION_FTIFF_LATEST         6              /* that of FTI after 1.6, which is no release */
#define SION_FTIFF_RELEASE_LATEST SION_FTIFF_1_6 /* that of the newest release of FTI */

#ifdef __cplusplus
extern "C" {
#endif

/** Variables and the file that stores them. */
typedef struct sion_ftiff sion_ftiff;

/** Information about a checkpoint. */
struct sion_ftiff_info {
    size_t size;   /**< of this struct: SION_INIT sets it */
    int version;   /**< layout: 1 FTI 1.1, 2 1.2, 3 1.3, 4 1.4, 5 1.4.1 to 1.6, 6 later */
    int ckptid;    /**< number of the checkpoint; -1 for layouts 1 and 2, which do not store it */
    int variables; /**< number of the calling task's variables */
    sion_int64 bytes;     /**< bytes of the calling task's variables */
    sion_int64 timestamp; /**< ns since 1970; layouts 5 and 6 store the low 32 bits only */
};

/**
 * Open a handle for the checkpoints of one process.
 *
 * Local. The call does not access any file.
 *
 * @param fname name of the checkpoint file, 1 to 984 bytes. A new file in the same folder is used
 *        while writing.
 * @return a handle, which the caller closes with sion_ftiff_close; NULL with a message if path is
 *         NULL, empty or too long, or memory runs out
 */
sion_ftiff *sion_ftiff_open(const char *fname);

/**
 * Open a handle for the checkpoints of all tasks of an application's communicator, in one
 * container.
 *
 * Collective over group, which must live until the close. In the descriptions of collective
 * functions, [collective] marks a parameter that must be equal on all tasks, and [local] one that
 * every task chooses for itself.
 *
 * @param fname [collective] as for sion_ftiff_open
 * @param aid   [local] interface made with sion_generic_create_api, with the callbacks that an open
 *              needs; it must also live until the close
 * @param group the communicator of all tasks, passed to the callbacks
 * @param rank  [local] the caller's rank in group
 * @param size  [collective] the size of group
 * @return a handle; NULL with a message on all tasks if the call fails on any task; NULL on this
 *         task only for an invalid or incomplete aid
 */
sion_ftiff *sion_ftiff_open_generic(const char *fname, int aid, void *group, int rank, int size);

/**
 * Write to another file from now on.
 *
 * Local; all tasks must make the same call. The handle keeps the structure of the last checkpoint:
 * the next one continues it, and unchanged data are cloned from the old file.
 *
 * @param fname [collective] as for sion_ftiff_open; copied
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT as for sion_ftiff_open, SION_ERR_MEMORY
 */
int sion_ftiff_set_path(sion_ftiff *handle, const char *fname);

/**
 * Choose the layout of later checkpoints. The default is SION_FTIFF_LATEST.
 *
 * Local; all tasks must make the same call. Every layout can be recovered. A release of FTI
 * restarts only from its own layout: choose it if FTI shall restart from the checkpoints.
 * SION_FTIFF_RELEASE_LATEST holds at most 2147483647 bytes for each task: data, metadata, and space
 * that variables no longer use. If a task has more, sion_ftiff_checkpoint fails with
 * SION_ERR_ARGUMENT on all tasks, and the old checkpoint stays.
 *
 * @param version [collective] SION_FTIFF_1_1 to SION_FTIFF_1_4, SION_FTIFF_1_6, SION_FTIFF_LATEST
 *                or SION_FTIFF_RELEASE_LATEST
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT for another number
 */
int sion_ftiff_set_version(sion_ftiff *handle, int version);

/**
 * Choose whether chunks that have not changed since this handle's last checkpoint (written or
 * recovered) are cloned from its file instead of being written from memory. The contents of the new
 * file are the same. Cloning costs next to nothing on file systems that share storage between
 * files, but the new file inherits damage of the old one. Containers are always written in full.
 * The default is 0.
 *
 * Local.
 *
 * @param incremental not 0: clone unchanged chunks; 0: write all chunks from memory
 * @return SION_SUCCESS
 */
int sion_ftiff_set_incremental(sion_ftiff *handle, int incremental);

/**
 * Choose how many threads compute the digests of later checkpoints, each those of other containers.
 * A single variable is not faster.
 *
 * Local.
 *
 * @param threads number of threads, of which at most 64 are used; 0: as many as SION_FTI_THREADS in
 *                the environment says, or 1
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT if it is negative
 */
int sion_ftiff_set_threads(sion_ftiff *handle, int threads);

/**
 * Add a variable to later checkpoints, or change the address and size of a variable.
 *
 * Local. The caller keeps ownership of the memory, which must be valid whenever a checkpoint is
 * written or recovered. The file never releases the space of a variable: if the variable grows, it
 * gets further containers of FTI-FF.
 *
 * @param id    any number; use the same one at a restart
 * @param data  may be NULL if bytes is 0
 * @param bytes >= 0
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT, SION_ERR_MEMORY
 */
int sion_ftiff_protect(sion_ftiff *handle, int id, void *data, sion_int64 bytes);

/**
 * Remove a variable from later checkpoints; its containers of FTI-FF stay in the file, empty.
 *
 * Local.
 *
 * @param id the number passed to sion_ftiff_protect
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT if there is no such variable
 */
int sion_ftiff_unprotect(sion_ftiff *handle, int id);

/**
 * Write a checkpoint of all variables.
 *
 * Collective. The new checkpoint replaces the old one when it is complete and on the disk: at any
 * time, one of them exists and is complete. Memory O(variables) and on rank 0 O(tasks), time
 * O(bytes); four collectives beyond those of a container's open and close. Most of the time goes
 * into MD5, which the format requires for each container: sion_ftiff_set_threads lets threads
 * compute the digests of different containers.
 *
 * @param ckptid [collective] number of the checkpoint, >= 0; if the path ends in
 *               Ckpt<id>-Rank<rank>.fti, it must be that id
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT, SION_ERR_MISMATCH (ids or versions
 * differ between tasks), SION_ERR_MEMORY, SION_ERR_SYSTEM (no space, no permission, ...),
 * SION_ERR_COMM. If only the sync of the folder failed, the new checkpoint may already have
 * replaced the old one.
 */
int sion_ftiff_checkpoint(sion_ftiff *handle, int ckptid);

/**
 * Test whether there is a checkpoint.
 *
 * Collective. The call reads and checks the metadata, but not the data. The next checkpoint
 * continues the structure of this one.
 *
 * @param info [out] [local] prepared by SION_INIT; may be NULL; set only if 1 is returned
 * @return the number of checkpoints, 0 or 1; -1 with a message: SION_ERR_DAMAGED,
 *         SION_ERR_NOT_SION (something else has this name), SION_ERR_MISMATCH (a container of
 *         another number of tasks), SION_ERR_SYSTEM, SION_ERR_MEMORY, SION_ERR_COMM;
 *         SION_ERR_ARGUMENT on a task whose info was not prepared
 */
int sion_ftiff_status(sion_ftiff *handle, struct sion_ftiff_info *info);

/**
 * Get the size of a variable in the checkpoint that this handle last wrote, recovered or passed to
 * sion_ftiff_status. Allocate and protect this many bytes before a recover.
 *
 * Local.
 *
 * @param id number of the variable
 * @return bytes; -1 without a message if the checkpoint has no such variable, or handle is NULL
 */
sion_int64 sion_ftiff_stored_size(const sion_ftiff *handle, int id);

/**
 * Read the checkpoint into the variables.
 *
 * Collective. Each variable must have the size that it had in the checkpoint. Variables of the file
 * that are not protected are skipped. All data that are read are compared with their digests; with
 * layouts 1 and 2, all data of the file are compared.
 *
 * @return SION_SUCCESS; SION_NOT_SUCCESS: as sion_ftiff_status (SION_ERR_SYSTEM if there is no
 * checkpoint); SION_ERR_MISMATCH if a variable is not in the checkpoint or has another size (no
 * variable has changed then). If the data are damaged, the contents of the variables are undefined.
 */
int sion_ftiff_recover(sion_ftiff *handle);

/**
 * Close a handle. Local. The file and the variables stay.
 *
 * @param handle invalid afterwards; NULL is ignored
 */
void sion_ftiff_close(sion_ftiff *handle);

#ifdef __cplusplus
}
#endif

#endif
