/* Faults of writers and readers through the generic interface: a thread for each task. */
#include <stdlib.h>

#include "lack.h"

/* The callbacks' own allocations do not fail. */
#define malloc __real_malloc
#define calloc __real_calloc
#include "src/parallel/callbacks.h"

#include "one_process.h"

static const struct kind kinds[] = {
    {"generic, one file", "bw", "br", ALONE, 1},
    {"generic, two files", "bw,posix,recover", "br,posix", ALONE, 2},
    {"generic, keys", "bw,keyval=inline", "br,keyval=inline", BY_KEY, 2},
    {"generic, atomic", "bw,atomic", "br", ALONE, 2},
    {"generic, mapped", "bw,recover", "br", MAPPED, 2},
#ifdef WITH_CHECKSUM
    {"generic, checksum", "bw,checksum,recover", "br,checksum", ALONE, 2},
#endif
};

enum { THREADS = 4 };

static int aid;
static _Thread_local struct scion_comm *team; /* of this thread */
static void (*what)(struct worker *worker);

static void *run_worker(void *argument)
{
    struct scion_comm *comm = argument;
    struct worker worker = product_worker(comm->rank);

    team = comm;
    what(&worker);
    comm->ops->free(comm);
    return NULL;
}

static void product_run(void (*work)(struct worker *worker))
{
    what = work;
    generic_run_threads(THREADS, run_worker);
}

static int open_mapped(const struct worker *worker, const char *mode)
{
    int n = 1, nfiles = product.kind->nfiles, rank = worker->number, *r = &rank;
    int file = rank % nfiles, place = rank / nfiles, *f = &file, *p = &place;
    sion_int64 chunk = CHUNK, *c = &chunk;
    sion_int32 fsblksize = BLOCK;
    char name[] = NAME;

    return sion_generic_paropen_mapped(aid, name, mode, &nfiles, team, team->rank, team->size, &n,
                                       &r, &c, &f, &p, &fsblksize, NULL);
}

static int product_open(struct worker *worker, const char *mode)
{
    int nfiles = product.kind->nfiles, file = worker->number % nfiles;
    int lrank = worker->number / nfiles, lsize = THREADS / nfiles;
    sion_int64 chunksize = CHUNK;
    sion_int32 fsblksize = BLOCK;

    if (product.kind->how == MAPPED)
        return open_mapped(worker, mode);
    return sion_generic_paropen(aid, NAME, mode, &chunksize, &fsblksize, team, team->rank,
                                team->size, &file, &nfiles, &lrank, &lsize, NULL, NULL);
}

static int product_close(int sid)
{
    return product.kind->how == MAPPED ? sion_generic_parclose_mapped(sid)
                                       : sion_generic_parclose(sid);
}

int main(int argc, char **argv)
{
    product_options(argc, argv);
    product.threads = THREADS;
    product.streams_each = 1;
    aid = generic_make_api();
    return product_of_kinds(kinds, sizeof kinds / sizeof kinds[0]);
}
