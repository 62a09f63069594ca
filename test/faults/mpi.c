/* Faults of MPI writers and readers: a rank for each task, or for two of a mapped container. */
#include "mpi_check.h"

#include "mpi_report.h"

static const struct kind kinds[] = {
    {"MPI, ansi", "bw,ansi", "br,ansi", ALONE, 1},
    {"MPI, posix", "bw,posix", "br,posix", ALONE, 1},
    {"MPI, two files", "bw", "br", ALONE, 2},
    {"MPI, two files, posix", "bw,posix,sync=close", "br,posix", ALONE, 2},
    {"MPI, recover", "bw,recover", "br", ALONE, 1},
    {"MPI, two files, recover", "bw,posix,recover", "br", ALONE, 2},
    {"MPI, atomic", "bw,atomic", "br", ALONE, 1},
    {"MPI, keys", "bw,keyval=inline", "br,keyval=inline", BY_KEY, 1},
    {"MPI, keys, recover", "bw,keyval=inline,recover", "br,keyval=inline", BY_KEY, 2},
    {"MPI, collective", "bw,collective,collsize=2", "br,collective,collsize=2,collread", TOGETHER,
     1},
    {"MPI, collective, two files", "bw,collective,collsize=2", "br,collective,collsize=2", TOGETHER,
     2},
    {"MPI, collective, recover", "bw,collective,collsize=2,recover", "br", TOGETHER, 1},
    {"MPI, mapped", "bw", "br", MAPPED, 1},
    {"MPI, mapped, two files", "bw", "br", MAPPED, 2},
    {"MPI, mapped, recover", "bw,recover", "br", MAPPED, 2},
    {"MPI, buddy", "bw,buddy", "br,buddy", TOGETHER, 2},
    {"MPI, buddy, recover", "bw,buddy,recover", "br,buddy", TOGETHER, 2},
#ifdef WITH_CHECKSUM
    {"MPI, checksum", "bw,checksum", "br,checksum", ALONE, 1},
    {"MPI, checksum, two files", "bw,checksum", "br,checksum", ALONE, 2},
    {"MPI, checksum, collective", "bw,checksum,collective", "br,checksum", TOGETHER, 1},
    {"MPI, checksum, mapped", "bw,checksum,recover", "br,checksum", MAPPED, 2},
    {"MPI, checksum, recover", "bw,checksum,recover", "br,checksum", ALONE, 1},
#endif
};

static int is_mapped(void)
{
    return product.kind->how == MAPPED;
}

static void product_run(void (*work)(struct worker *worker))
{
    struct worker worker = product_worker(0);

    work(&worker);
}

/* The tasks of a process are one after the other in the files. */
static int open_mapped(const struct worker *worker, const char *mode)
{
    int n = worker->nstreams, nfiles = product.kind->nfiles, i;
    int ranks[2], files[2], places[2], *r = ranks, *f = files, *p = places;
    sion_int64 chunks[2] = {CHUNK, CHUNK}, *c = chunks;
    sion_int32 fsblksize = BLOCK;

    for (i = 0; i < n; i++) {
        ranks[i] = worker->told[i].rank;
        files[i] = ranks[i] % nfiles;
        places[i] = ranks[i] / nfiles;
    }
    return sion_paropen_mapped_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &n, &r, &c, &f, &p,
                                   &fsblksize, NULL);
}

/* A file for every second rank. */
static MPI_Comm make_files(int nfiles)
{
    MPI_Comm local;

    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % nfiles, mpi_rank, &local);
    return local;
}

static int product_open(struct worker *worker, const char *mode)
{
    int nfiles = product.kind->nfiles > 1 ? -1 : 1, globalrank, sid;
    sion_int64 chunksize = CHUNK;
    sion_int32 fsblksize = BLOCK;
    MPI_Comm local;

    if (is_mapped())
        return open_mapped(worker, mode);
    local = make_files(product.kind->nfiles);
    sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                           &globalrank, NULL, NULL);
    MPI_Comm_free(&local);
    return sid;
}

static int product_close(int sid)
{
    return is_mapped() ? sion_parclose_mapped_mpi(sid) : sion_parclose_mpi(sid);
}

int main(int argc, char **argv)
{
    size_t i;

    mpi_begin(&argc, &argv);
    product_options(argc, argv);
    product.threads = 1;
    product.processes = mpi_size;
    product.process = mpi_rank;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].nfiles > mpi_size && kinds[i].how != MAPPED)
            continue;
        product_begin(&kinds[i]);
        product.streams_each = is_mapped() ? 2 : 1;
        mpi_run_test(kinds[i].name, product_of_faults);
    }
    return mpi_end();
}
