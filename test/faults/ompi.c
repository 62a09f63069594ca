/* Faults of hybrid writers and readers: two threads in each rank, a thread for each task. */
#include "mpi_check.h"

#include <omp.h>

#include "mpi_report.h"

static const struct kind kinds[] = {
    {"hybrid, one file", "bw", "br", ALONE, 1},
    {"hybrid, two files", "bw,posix,recover", "br,posix", ALONE, 2},
    {"hybrid, keys", "bw,keyval=inline", "br,keyval=inline", BY_KEY, 1},
    {"hybrid, collective", "bw,collective", "br,collective", TOGETHER, 1},
#ifdef WITH_CHECKSUM
    {"hybrid, checksum", "bw,checksum,recover", "br,checksum", ALONE, 1},
#endif
};

static void product_run(void (*work)(struct worker *worker))
{
#pragma omp parallel num_threads(product.threads)
    {
        struct worker worker = product_worker(omp_get_thread_num());

        work(&worker);
    }
}

static int product_open(struct worker *worker, const char *mode)
{
    MPI_Comm local = MPI_COMM_WORLD;
    int nfiles = product.kind->nfiles, globalrank;
    sion_int64 chunksize = CHUNK;
    sion_int32 fsblksize = BLOCK;

    (void)worker;
    return sion_paropen_ompi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                             &globalrank, NULL, NULL);
}

static int product_close(int sid)
{
    return sion_parclose_ompi(sid);
}

int main(int argc, char **argv)
{
    size_t i;

    mpi_begin(&argc, &argv);
    product_options(argc, argv);
    product.streams_each = 1;
    product.threads = 2;
    product.processes = mpi_size;
    product.process = mpi_rank;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].nfiles > mpi_size)
            continue;
        product_begin(&kinds[i]);
        mpi_run_test(kinds[i].name, product_of_faults);
    }
    return mpi_end();
}
