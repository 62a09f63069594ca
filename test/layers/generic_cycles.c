/*
 * Two thousand opens and closes of each kind through the generic interface, with two tasks made of
 * threads: no descriptor and no memory is left behind.
 */
#include <malloc.h>
#include <stdatomic.h>

#include "sion.h"

#include "generic_callbacks.h"
#include "support.h"

enum { TASKS = 2, CYCLES = 2000, WARM = 20 };

static struct {
    int aid, nfiles, mapped, cycles;
    const char *writer, *reader;
} sample;

static atomic_int wrong;

static int open_normal(struct scion_comm *comm, const char *mode)
{
    sion_int64 chunksize = 100;
    sion_int32 fsblksize = 10;
    int nfiles = sample.nfiles, filenumber = comm->rank % nfiles, lrank = comm->rank / nfiles;
    int lsize = TASKS / nfiles;

    return sion_generic_paropen(sample.aid, "y.sion", mode, &chunksize, &fsblksize, comm,
                                comm->rank, comm->size, &filenumber, &nfiles, &lrank, &lsize, NULL,
                                NULL);
}

static int open_mapped(struct scion_comm *comm, const char *mode)
{
    int n = 1, rank = comm->rank, nfiles = sample.nfiles;
    int file = rank % nfiles, place = rank / nfiles;
    int *ranks = &rank, *files = &file, *places = &place;
    sion_int64 chunk = 100, *chunks = &chunk;
    sion_int32 fsblksize = 10;
    char name[] = "y.sion";

    return sion_generic_paropen_mapped(sample.aid, name, mode, &nfiles, comm, comm->rank,
                                       comm->size, &n, &ranks, &chunks, &files, &places, &fsblksize,
                                       NULL);
}

static int open_and_close(struct scion_comm *comm, const char *mode)
{
    int sid = sample.mapped ? open_mapped(comm, mode) : open_normal(comm, mode);
    char data[50] = {0};

    if (sid < 0)
        return 1;
    if (mode[0] == 'b' && mode[1] == 'w')
        sion_coll_fwrite(data, 1, sizeof data, sid);
    else
        sion_coll_fread(data, 1, sizeof data, sid);
    return (sample.mapped ? sion_generic_parclose_mapped(sid) : sion_generic_parclose(sid)) != 1;
}

static void *run_cycles(void *argument)
{
    struct scion_comm *comm = argument;
    int i;

    for (i = 0; i < sample.cycles; i++)
        wrong += open_and_close(comm, sample.writer) + open_and_close(comm, sample.reader);
    comm->ops->free(comm);
    return NULL;
}

static size_t memory_in_use(void)
{
    return mallinfo2().uordblks;
}

static void check_cycles(const char *writer, const char *reader, int nfiles, int mapped)
{
    int descriptors;
    size_t before;

    sample.writer = writer;
    sample.reader = reader;
    sample.nfiles = nfiles;
    sample.mapped = mapped;
    sample.cycles = WARM;
    generic_run_threads(TASKS, run_cycles);
    descriptors = support_descriptors();
    before = memory_in_use();
    sample.cycles = CYCLES;
    generic_run_threads(TASKS, run_cycles);
    CHECK_INT(wrong, 0);
    CHECK_INT(support_descriptors(), descriptors);
    /* A byte for each cycle would be more. */
    CHECK(memory_in_use() < before + CYCLES);
}

static void normal_opens(void)
{
    check_cycles("bw", "br", 1, 0);
    check_cycles("bw", "br", 2, 0);
}

static void mapped_opens(void)
{
    check_cycles("bw", "br", 2, 1);
}

static void buddy_checkpoints(void)
{
    check_cycles("bw,buddy", "br,buddy", 2, 0);
}

static void collective_opens(void)
{
    check_cycles("bw,collective,collsize=2", "br,collective,collsize=2", 1, 0);
}

int main(void)
{
    support_enter_folder();
    sample.aid = generic_make_api();
    generic_add_transfers(sample.aid);
    RUN(normal_opens);
    RUN(mapped_opens);
    RUN(collective_opens);
    RUN(buddy_checkpoints);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
    support_leave_folder();
    return check_done();
}
