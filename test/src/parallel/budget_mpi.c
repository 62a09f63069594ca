/*
 * Counts the MPI collectives of an open and a close on every rank, through the profiling interface.
 * Their number is constant, whatever the number of chunks.
 */
#include "mapped_mpi.h"

#define NAME "c.sion"

static int collectives, splits;

#define COUNT(name, parameters, arguments)                                                         \
    int MPI_##name parameters;                                                                     \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        collectives++;                                                                             \
        return PMPI_##name arguments;                                                              \
    }

COUNT(Bcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e))
COUNT(Barrier, (MPI_Comm a), (a))
COUNT(Gather,
      (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),
      (a, b, c, d, e, f, g, h))
COUNT(Gatherv,
      (const void *a, int b, MPI_Datatype c, void *d, const int *e, const int *f, MPI_Datatype g,
       int h, MPI_Comm i),
      (a, b, c, d, e, f, g, h, i))
COUNT(Scatter,
      (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),
      (a, b, c, d, e, f, g, h))
COUNT(Scatterv,
      (const void *a, const int *b, const int *c, MPI_Datatype d, void *e, int f, MPI_Datatype g,
       int h, MPI_Comm i),
      (a, b, c, d, e, f, g, h, i))
COUNT(Allreduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
      (a, b, c, d, e, f))
COUNT(Reduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g),
      (a, b, c, d, e, f, g))
COUNT(Allgather, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g),
      (a, b, c, d, e, f, g))
COUNT(Scan, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
      (a, b, c, d, e, f))
COUNT(Comm_dup, (MPI_Comm a, MPI_Comm *b), (a, b))
COUNT(Comm_split_type, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm *e), (a, b, c, d, e))
COUNT(Comm_create, (MPI_Comm a, MPI_Group b, MPI_Comm *c), (a, b, c))

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    collectives++;
    splits++;
    return PMPI_Comm_split(comm, color, key, part);
}

static int nfiles_wanted, nchunks;
static int other_names;                 /* every rank passes another name */
static MPI_Comm local = MPI_COMM_WORLD; /* with nfiles_wanted <= 0 */

static const char *choose_name(void)
{
    static char name[32];

    snprintf(name, sizeof name, "d%d.sion", mpi_rank);
    return other_names && mpi_rank > 0 ? name : NAME;
}

/* Count the collectives of open and close for writing, and of open for reading. */
static void measure(int *writing, int *reading)
{
    sion_int64 chunksize = 10;
    sion_int32 fsblksize = 10;
    int nfiles = nfiles_wanted, globalrank, sid, i;

    collectives = splits = 0;
    sid = sion_paropen_mpi(choose_name(), "bw", &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                           &fsblksize, &globalrank, NULL, NULL);
    for (i = 0; i < nchunks; i++)
        sion_fwrite("0123456789", 1, 10, sid);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    *writing = collectives;
    collectives = 0;
    sid = sion_paropen_mpi(choose_name(), "br", &nfiles, MPI_COMM_WORLD, &local, NULL, NULL, NULL,
                           NULL, NULL);
    *reading = collectives;
    CHECK_INT(sion_parclose_mpi(sid), 1);
    printf("# rank %d: %d files, %d chunks: %d collectives to write, %d to open for reading\n",
           mpi_rank, nfiles_wanted, nchunks, *writing, *reading);
}

static void measure_one_file(int nfiles)
{
    static const int counts[] = {0, 1, 5, 100, 20000};
    int i, writing, reading;

    nfiles_wanted = nfiles;
    for (i = 0; i < 5; i++) {
        nchunks = counts[i];
        measure(&writing, &reading);
        CHECK_INT(writing, 6 + other_names);
        CHECK_INT(reading, (nchunks > 1 ? 4 : 3) + other_names);
        CHECK_INT(splits, 0);
    }
}

static void one_file(void)
{
    measure_one_file(1);
}

static void one_file_under_several_names(void)
{
    other_names = 1;
    measure_one_file(1);
    other_names = 0;
}

/* A local communicator has all tasks in another order. */
static void one_file_against_the_order(void)
{
    PMPI_Comm_split(MPI_COMM_WORLD, 0, -mpi_rank, &local);
    measure_one_file(-1);
    MPI_Comm_free(&local);
    local = MPI_COMM_WORLD;
}

static void measure_set(int nfiles)
{
    static const int counts[] = {0, 1, 100};
    int i, writing, reading;

    nfiles_wanted = nfiles;
    for (i = 0; i < 3; i++) {
        nchunks = counts[i];
        measure(&writing, &reading);
        CHECK(writing <= 6 + 3 + 1); /* 1: the mapping, if rank 0 is not the first of file 0 */
        CHECK_INT(reading, (nchunks > 1 ? 4 : 3) + 3);
    }
}

static void a_set_of_files(void)
{
    measure_set(mpi_size);
}

/* Local communicators in which rank 0 is not first, and does not have the name that counts. */
static void a_set_against_the_order(void)
{
    PMPI_Comm_split(MPI_COMM_WORLD, mpi_rank % 2, -mpi_rank, &local);
    measure_set(-1);
    other_names = 1;
    measure_set(-1);
    other_names = 0;
    MPI_Comm_free(&local);
    local = MPI_COMM_WORLD;
}

/* To folders of nodes: all find their node, ask once more, and agree; the close agrees twice. */
static void staged(void)
{
    int writing, reading;

    nchunks = 1;
    setenv("SION_STAGE", ".", 1);
    nfiles_wanted = 1;
    measure(&writing, &reading);
    CHECK_INT(writing, 6 + 5 + 1);
    CHECK_INT(reading, 3);
    nfiles_wanted = mpi_size;
    measure(&writing, &reading);
    CHECK_INT(writing, 9 + 5 + 1);
    unsetenv("SION_STAGE");
}

/* Count the collectives of a mapped open of the tasks in `own`, for writing or reading. */
static int measure_mapped(const char *mode, int *sid)
{
    char name[] = NAME;
    int nfiles = 1;
    sion_int32 fsblksize = 10;

    collectives = 0;
    *sid = open_writing(name, mode, &nfiles, &fsblksize);
    CHECK(*sid >= 0);
    return collectives;
}

/* A list of one task fits into the request, so it needs no collective of its own. */
static void measure_lists(int per_process, int expected)
{
    int sid;

    deal(per_process * mpi_size, 1, thousand);
    CHECK_INT(measure_mapped("bw", &sid), expected);
    write_tasks(sid, twice_500);
    collectives = 0;
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    CHECK_INT(collectives, 3);
    CHECK_INT(measure_mapped("br", &sid), expected);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static void mapped_with_one_task_each(void)
{
    measure_lists(1, 5);
}

static void mapped_with_lists(void)
{
    measure_lists(2, 7);
}

/* In shared opens, no task has a list. */
static void shares(void)
{
    int ntasks, *shared, sid, by;

    for (by = 0; by < 2; by++) {
        collectives = 0;
        sid = sion_paropen_shared_mpi(NAME, "br", MPI_COMM_WORLD,
                                      by == 0 ? SION_SHARE_TASKS : SION_SHARE_BYTES, &ntasks,
                                      &shared);
        CHECK_INT(collectives, 5);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(one_file);
    RUN_MPI(one_file_under_several_names);
    RUN_MPI(one_file_against_the_order);
    RUN_MPI(a_set_of_files);
    RUN_MPI(a_set_against_the_order);
    RUN_MPI(staged);
    RUN_MPI(mapped_with_one_task_each);
    RUN_MPI(mapped_with_lists);
    RUN_MPI(shares);
    return mpi_end();
}
