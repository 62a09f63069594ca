/* Routines that need neither MPI nor OpenMP. names.h has the form of all of them. */
#include "sion_common.h"
#include "sion_error.h"
#include "sion_serial.h"
#include "sion_stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/bindings.h"
#include "api/mode_writes.h"
#include "fortran/convert.h"
#include "fortran/names.h"

/* ---- open and close ---- */

/* When reading, the arrays are not changed: their length is not known yet. */
void ROUTINE(fsion_open, FSION_OPEN)(const char *fname, const char *file_mode, int *ntasks,
                                     int *nfiles, sion_int64 *chunksizes, sion_int32 *fsblksize,
                                     int *globalranks, int *sid, size_t fname_length,
                                     size_t mode_length)
{
    char *name = scion_fortran_string(fname, fname_length);
    char *mode = scion_fortran_string(file_mode, mode_length);
    int writes = scion_mode_writes(mode), tasks = *ntasks, files = *nfiles;
    sion_int32 blocksize = *fsblksize;

    *sid = sion_open(name, mode, &tasks, &files, writes ? &chunksizes : NULL, &blocksize,
                     writes ? &globalranks : NULL, NULL);
    STORE_CHANGED(ntasks, tasks);
    STORE_CHANGED(nfiles, files);
    STORE_CHANGED(fsblksize, blocksize);
    free(name);
    free(mode);
}

void ROUTINE(fsion_open_rank, FSION_OPEN_RANK)(const char *fname, const char *file_mode,
                                               sion_int64 *chunksize, sion_int32 *fsblksize,
                                               int *rank, int *sid, size_t fname_length,
                                               size_t mode_length)
{
    char *name = scion_fortran_string(fname, fname_length);
    char *mode = scion_fortran_string(file_mode, mode_length);
    sion_int64 size = *chunksize;
    sion_int32 blocksize = *fsblksize;
    int task = *rank;

    *sid = sion_open_rank(name, mode, &size, &blocksize, &task, NULL);
    STORE_CHANGED(chunksize, size);
    STORE_CHANGED(fsblksize, blocksize);
    STORE_CHANGED(rank, task);
    free(name);
    free(mode);
}

DEFINE_IERR(fsion_close, FSION_CLOSE, (const int *sid, int *ierr), sion_close(*sid))

/* newsid: a duplicate, to be closed by fsion_dedup. */
DEFINE_OUTPUT(fsion_dup, FSION_DUP,
              (const int *sid, const int *mode, const int *rank, const sion_int64 *key,
               int *newsid),
              newsid, sion_dup(*sid, *mode, *rank, (uint64_t)*key))

DEFINE_IERR(fsion_dedup, FSION_DEDUP, (const int *sid, int *ierr), sion_dedup(*sid))

/* ---- position ---- */

DEFINE_OUTPUT(fsion_feof, FSION_FEOF, (const int *sid, int *eof), eof, sion_feof(*sid))
DEFINE_IERR(fsion_seek, FSION_SEEK,
            (const int *sid, const int *rank, const int *currentblocknr, const sion_int64 *posinblk,
             int *ierr),
            sion_seek(*sid, *rank, *currentblocknr, *posinblk))
DEFINE_IERR(fsion_ensure_free_space, FSION_ENSURE_FREE_SPACE,
            (const int *sid, const sion_int64 *bytes, int *ierr),
            sion_ensure_free_space(*sid, *bytes))
DEFINE_IERR(fsion_publish, FSION_PUBLISH, (const int *sid, int *ierr), sion_publish(*sid))
DEFINE_FUNCTION(fsion_refresh, FSION_REFRESH, sion_refresh)
DEFINE_IERR(fsion_get_generation, FSION_GET_GENERATION,
            (const int *sid, sion_int64 *generation, sion_int64 *forgotten, int *ierr),
            sion_get_generation(*sid, generation, forgotten))
DEFINE_IERR(fsion_forget, FSION_FORGET, (const int *sid, const sion_int64 *before, int *ierr),
            sion_forget(*sid, *before))
DEFINE_IERR(fsion_flush, FSION_FLUSH, (const int *sid, int *ierr), sion_flush(*sid))
DEFINE_FUNCTION(fsion_bytes_avail_in_block, FSION_BYTES_AVAIL_IN_BLOCK, sion_bytes_avail_in_block)
DEFINE_FUNCTION(fsion_bytes_avail_in_chunk, FSION_BYTES_AVAIL_IN_CHUNK, sion_bytes_avail_in_chunk)
DEFINE_FUNCTION(fsion_get_position, FSION_GET_POSITION, sion_get_position)
DEFINE_FUNCTION(fsion_get_bytes_written, FSION_GET_BYTES_WRITTEN, sion_get_bytes_written)
DEFINE_FUNCTION(fsion_get_bytes_read, FSION_GET_BYTES_READ, sion_get_bytes_read)
DEFINE_OUTPUT(fsion_skip_stream, FSION_SKIP_STREAM,
              (const int *sid, const sion_int64 *bytes, sion_int64 *skipped), skipped,
              sion_stream_skip(*sid, *bytes))
DEFINE_FUNCTION(fsion_tell_stream, FSION_TELL_STREAM, sion_stream_tell)
DEFINE_FUNCTION(fsion_size_stream, FSION_SIZE_STREAM, sion_stream_size)
DEFINE_OUTPUT(fsion_stream_sizes, FSION_STREAM_SIZES,
              (const int *sid, const int *ntasks, const int *ranks, sion_int64 *starts,
               sion_int64 *bytes),
              bytes, sion_stream_sizes(*sid, *ntasks, ranks, starts))

/* ---- information ---- */

static sion_int64 address(const void *pointer)
{
    return (sion_int64)(intptr_t)pointer;
}

/* Fortran gets the addresses of the arrays. */
void ROUTINE(fsion_get_locations,
             FSION_GET_LOCATIONS)(const int *sid, int *ntasks, int *maxblocks,
                                  sion_int64 *globalskip, sion_int64 *start_of_varheader,
                                  sion_int64 *localsizes, sion_int64 *globalranks,
                                  sion_int64 *chunkcount, sion_int64 *chunksizes, int *ierr)
{
    sion_int64 *sizes = NULL, *ranks = NULL, *counts = NULL, *used = NULL;
    int rc = sion_get_locations(*sid, ntasks, maxblocks, globalskip, start_of_varheader, &sizes,
                                &ranks, &counts, &used);

    *localsizes = address(sizes);
    *globalranks = address(ranks);
    *chunkcount = address(counts);
    *chunksizes = address(used);
    STORE(ierr, rc);
}

/* Likewise. */
void ROUTINE(fsion_get_current_locations,
             FSION_GET_CURRENT_LOCATIONS)(const int *sid, int *ntasks, sion_int64 *currentpos,
                                          sion_int64 *currentblocknr, int *ierr)
{
    sion_int64 *positions = NULL, *chunks = NULL;
    int rc = sion_get_current_locations(*sid, ntasks, &positions, &chunks);

    *currentpos = address(positions);
    *currentblocknr = address(chunks);
    STORE(ierr, rc);
}

void ROUTINE(fsion_get_chunksizes, FSION_GET_CHUNKSIZES)(const int *sid, sion_int64 *chunksizes,
                                                         int *ierr)
{
    int ntasks = 0, task, done;
    sion_int64 *sizes = NULL;

    done =
        sion_get_locations(*sid, &ntasks, NULL, NULL, NULL, &sizes, NULL, NULL, NULL) == 1 && sizes;
    for (task = 0; done && task < ntasks; task++)
        chunksizes[task] = sizes[task];
    STORE(ierr, done ? SION_SUCCESS : -1);
}

void ROUTINE(fsion_get_globalranks, FSION_GET_GLOBALRANKS)(const int *sid, int *globalranks,
                                                           int *ierr)
{
    int ntasks = 0, task, done;
    sion_int64 *ranks = NULL;

    done =
        sion_get_locations(*sid, &ntasks, NULL, NULL, NULL, NULL, &ranks, NULL, NULL) == 1 && ranks;
    for (task = 0; done && task < ntasks; task++)
        globalranks[task] = (int)ranks[task];
    STORE(ierr, done ? SION_SUCCESS : -1);
}

void ROUTINE(fsion_get_shared_ranks, FSION_GET_SHARED_RANKS)(const int *sid, int *ranks, int *ierr)
{
    int rc = sion_layer_task_ranks(*sid, ranks);

    STORE(ierr, rc == 0 ? SION_SUCCESS : -1);
}

void ROUTINE(fsion_get_mapping_spec, FSION_GET_MAPPING_SPEC)(const int *sid, int *mapping_size,
                                                             int *numfiles, int *ierr)
{
    int rc = sion_get_mapping(*sid, mapping_size, NULL, numfiles);

    STORE(ierr, rc == 1 ? SION_SUCCESS : -1);
}

void ROUTINE(fsion_get_mapping, FSION_GET_MAPPING)(const int *sid, sion_int32 *mapping, int *ierr)
{
    int size, done;
    sion_int32 *pairs = NULL;

    done = sion_get_mapping(*sid, &size, &pairs, NULL) == 1 && pairs;
    if (done)
        memcpy(mapping, pairs, 2 * (size_t)size * sizeof *mapping);
    STORE(ierr, done ? SION_SUCCESS : -1);
}

DEFINE_OUTPUT(fsion_get_file_endianness, FSION_GET_FILE_ENDIANNESS,
              (const int *sid, int *endianness), endianness, sion_get_file_endianness(*sid))
DEFINE_OUTPUT(fsion_get_file_endianess, FSION_GET_FILE_ENDIANESS, (const int *sid, int *endianness),
              endianness, sion_get_file_endianness(*sid))
DEFINE_OUTPUT(fsion_get_endianness, FSION_GET_ENDIANNESS, (int *endianness), endianness,
              sion_get_endianness())
DEFINE_OUTPUT(fsion_get_endianess, FSION_GET_ENDIANESS, (int *endianness), endianness,
              sion_get_endianness())
DEFINE_OUTPUT(fsion_endianness_swap_needed, FSION_ENDIANNESS_SWAP_NEEDED,
              (const int *sid, int *needed), needed, sion_endianness_swap_needed(*sid))
DEFINE_OUTPUT(fsion_get_fileno, FSION_GET_FILENO, (const int *sid, int *filenumber), filenumber,
              sion_layer_fileno(*sid))

/* The text of this thread's last error. */
void ROUTINE(fsion_error_text, FSION_ERROR_TEXT)(char *text, size_t length)
{
    scion_fortran_fill(text, length, sion_error_text());
}
