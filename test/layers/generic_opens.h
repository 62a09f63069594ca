/* One open and close of each kind through the generic interface, with two threads as tasks. */
#ifndef TEST_GENERIC_OPENS_H
#define TEST_GENERIC_OPENS_H

#include "generic_callbacks.h"

enum { GENERIC_TASKS = 2 };

static struct {
    int aid, nfiles, mapped;
    int transferred[GENERIC_TASKS]; /* whether the task's last record was transferred */
} generic_sample;

static inline int generic_open_normal(struct scion_comm *comm, const char *mode)
{
    sion_int64 chunksize = 100;
    sion_int32 fsblksize = 10;
    int nfiles = generic_sample.nfiles, filenumber = comm->rank % nfiles,
        lrank = comm->rank / nfiles;
    int lsize = GENERIC_TASKS / nfiles;

    return sion_generic_paropen(generic_sample.aid, "y.sion", mode, &chunksize, &fsblksize, comm,
                                comm->rank, comm->size, &filenumber, &nfiles, &lrank, &lsize, NULL,
                                NULL);
}

static inline int generic_open_mapped(struct scion_comm *comm, const char *mode)
{
    int n = 1, rank = comm->rank, nfiles = generic_sample.nfiles;
    int file = rank % nfiles, place = rank / nfiles;
    int *ranks = &rank, *files = &file, *places = &place;
    sion_int64 chunk = 100, *chunks = &chunk;
    sion_int32 fsblksize = 10;
    char name[] = "y.sion";

    return sion_generic_paropen_mapped(generic_sample.aid, name, mode, &nfiles, comm, comm->rank,
                                       comm->size, &n, &ranks, &chunks, &files, &places, &fsblksize,
                                       NULL);
}

/* Write or read a record of each task. Returns 1 if the open or the close fails. */
static inline int generic_open_and_close(struct scion_comm *comm, const char *mode)
{
    int sid =
        generic_sample.mapped ? generic_open_mapped(comm, mode) : generic_open_normal(comm, mode);
    char data[50] = {0};
    size_t bytes;

    if (sid < 0)
        return 1;
    if (mode[0] == 'b' && mode[1] == 'w')
        bytes = sion_coll_fwrite(data, 1, sizeof data, sid);
    else
        bytes = sion_coll_fread(data, 1, sizeof data, sid);
    generic_sample.transferred[comm->rank] = bytes == sizeof data;
    return (generic_sample.mapped ? sion_generic_parclose_mapped(sid)
                                  : sion_generic_parclose(sid)) != 1;
}

#endif
