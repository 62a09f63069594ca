/*
 * How many MPI collectives an open and a close cost, counted through the profiling interface on
 * every rank: constants, whatever the number of chunks.
 */
#include "mpi_check.h"

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
COUNT(Comm_create, (MPI_Comm a, MPI_Group b, MPI_Comm *c), (a, b, c))

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    collectives++;
    splits++;
    return PMPI_Comm_split(comm, color, key, part);
}

static int nfiles_wanted, chunks;

/* Collectives of open and close for writing, and of open for reading. */
static void measure(int *writing, int *reading)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = 10;
    sion_int32 fsblksize = 10;
    int nfiles = nfiles_wanted, globalrank, sid, i;

    collectives = splits = 0;
    sid = sion_paropen_mpi(NAME, "bw", &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                           &globalrank, NULL, NULL);
    for (i = 0; i < chunks; i++)
        sion_fwrite("0123456789", 1, 10, sid);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    *writing = collectives;
    collectives = 0;
    sid =
        sion_paropen_mpi(NAME, "br", &nfiles, MPI_COMM_WORLD, &world, NULL, NULL, NULL, NULL, NULL);
    *reading = collectives;
    CHECK_INT(sion_parclose_mpi(sid), 1);
    printf("# rank %d: %d files, %d chunks: %d collectives to write, %d to open for reading\n",
           mpi_rank, nfiles_wanted, chunks, *writing, *reading);
}

static void one_file(void)
{
    static const int counts[] = {0, 1, 5, 100, 20000};
    int i, writing, reading;

    nfiles_wanted = 1;
    for (i = 0; i < 5; i++) {
        chunks = counts[i];
        measure(&writing, &reading);
        CHECK(writing <= 7);
        CHECK(reading <= 6);
        CHECK_INT(splits, 0);
    }
}

static void a_set_of_files(void)
{
    static const int counts[] = {0, 1, 100};
    int i, writing, reading;

    nfiles_wanted = mpi_size;
    for (i = 0; i < 3; i++) {
        chunks = counts[i];
        measure(&writing, &reading);
        CHECK(writing <= 7 + 3);
        CHECK(reading <= 6 + 3);
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(one_file);
    RUN_MPI(a_set_of_files);
    return mpi_end();
}
