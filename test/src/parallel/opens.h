/* One open and close of each kind through the generic interface, with two threads as tasks. */
#ifndef TEST_GENERIC_OPENS_H
#define TEST_GENERIC_OPENS_H

#include "callbacks.h"

enum { GENERIC_TASKS = 2 };

static struct {
    int aid, nfiles, mapped;
    int keys, shared;               /* key-value records; readers share the tasks out */
    int duplicates;                 /* readers read once more, through a duplicate */
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

static inline int generic_open_shared(struct scion_comm *comm)
{
    int n = 0, *ranks = NULL;

    return sion_generic_paropen_shared(generic_sample.aid, "y.sion", "br", comm, comm->rank,
                                       comm->size, SION_SHARE_BYTES, &n, &ranks);
}

static inline int generic_is_writing(const char *mode)
{
    return strncmp(mode, "bw", 2) == 0;
}

/* Whether the task's record is transferred, and is the right one. */
static inline int generic_transfer_record(int sid, int rank, int writing)
{
    unsigned char data[50];
    size_t bytes, n = sizeof data;

    check_fill(data, rank, 0, n);
    if (!writing)
        memset(data, 0, n);
    if (generic_sample.keys)
        bytes = writing ? sion_fwrite_key(data, 4711, 1, n, sid)
                        : sion_fread_key(data, 4711, 1, n, sid);
    else if (generic_sample.shared)
        bytes = sion_fread(data, 1, n, sid);
    else
        bytes = writing ? sion_coll_fwrite(data, 1, n, sid) : sion_coll_fread(data, 1, n, sid);
    return bytes == n && check_compare(data, rank, 0, n) == -1;
}

/* Whether a duplicate has the task's record, too. */
static inline int generic_read_duplicate(int sid, int rank)
{
    unsigned char data[50];
    int copy = sion_dup(sid, SION_DUP_ALL, 0, 0), good;

    if (copy < 0)
        return 0;
    good = sion_fread(data, 1, sizeof data, copy) == sizeof data &&
           check_compare(data, rank, 0, sizeof data) == -1;
    return sion_dedup(copy) == 1 && good;
}

/* Write or read a record of each task. Returns 1 if the open or the close fails. */
static inline int generic_open_and_close(struct scion_comm *comm, const char *mode)
{
    int shared = generic_sample.shared && !generic_is_writing(mode);
    int sid = shared                  ? generic_open_shared(comm)
              : generic_sample.mapped ? generic_open_mapped(comm, mode)
                                      : generic_open_normal(comm, mode);

    generic_sample.transferred[comm->rank] = 0;
    if (sid < 0)
        return 1;
    generic_sample.transferred[comm->rank] =
        (!generic_sample.duplicates || generic_is_writing(mode) ||
         generic_read_duplicate(sid, comm->rank)) &&
        generic_transfer_record(sid, comm->rank, generic_is_writing(mode));
    return (generic_sample.mapped && !shared ? sion_generic_parclose_mapped(sid)
                                             : sion_generic_parclose(sid)) != 1;
}

#endif
