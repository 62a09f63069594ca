/**
 * @file sion_serial.h
 * Containers opened by one process: all tasks at once, or one of them.
 */
#ifndef SION_SERIAL_H
#define SION_SERIAL_H

#include <stdio.h>

#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a container with all its tasks.
 *
 * Local. Writing creates one physical file, or empties it if it exists. Reading opens the whole set
 * if fname is the name of its first file, and otherwise only the file fname; it checks all
 * metadata. The open selects task 0, at its start.
 *
 * @param fname       1 to 1016 bytes
 * @param file_mode   words, which sion(7) describes, separated by commas; without an access word
 *                    the container is read. Words for parallel containers have no effect; each
 *                    unknown word gives a warning.
 * @param ntasks      writing: [in] tasks, at least 1. Reading: [out].
 * @param nfiles      writing: [in] at most 1. Reading: [out] physical files.
 * @param chunksizes  writing: [in] [ntasks] bytes wanted per chunk, not negative; each is rounded
 *                    up to whole file system blocks, the array is not changed. Reading: [out] pass
 *                    NULL if you do not want them; the address of a NULL pointer to get an array
 *                    that you free; or an array to be filled.
 * @param fsblksize   writing: [in,out] block size in bytes; 0 or less: that of the file system
 *                    (the stripe size on Lustre),
 *                    which is returned. Reading: [out], may be NULL.
 * @param globalranks writing: [in] [ntasks] numbers to store with the tasks. Reading: [out] like
 *                    chunksizes.
 * @param fileptr     [out] the FILE* (see sion_get_fp), NULL in posix mode; pass NULL if you do
 *                    not want it
 * @return the sid; -1 with a message if an argument is wrong, or the file cannot be opened, is not
 *         a container, is damaged or was never closed, or a file of the set is missing
 * @threads any thread at any time
 */
int sion_open(SION_NAME *fname, const char *file_mode, int *ntasks, int *nfiles,
              sion_int64 **chunksizes, sion_int32 *fsblksize, int **globalranks, FILE **fileptr);

/**
 * Open one task of a container for reading.
 *
 * Local. Of a set of files, the function opens only the first one and the one that holds the task.
 *
 * @param fname     name of the container, or of one file of a set
 * @param file_mode as for sion_open, reading only
 * @param chunksize [out] the task's chunk size in bytes, may be NULL
 * @param fsblksize [out] may be NULL
 * @param rank      [in] task: its global number in a set, or its index in a single file
 * @param fileptr   [out] as for sion_open
 * @return the sid; -1 with a message as for sion_open, and if the mode writes or rank is out of
 *         range
 */
int sion_open_rank(SION_NAME *fname, const char *file_mode, sion_int64 *chunksize,
                   sion_int32 *fsblksize, int *rank, FILE **fileptr);

/**
 * Close a container opened by sion_open or sion_open_rank. After writing, the close writes the
 * second metadata block, without which the container cannot be read.
 *
 * Local. Pointers and the FILE* that the library handed out are invalid afterwards.
 *
 * @param sid what sion_open or sion_open_rank returned
 * @return 1; 0 with a message if sid is invalid or was opened in parallel (it stays valid then), or
 *         if data could not be written. The data that reached the file can be read.
 */
int sion_close(int sid);

#ifdef __cplusplus
}
#endif

#endif
