/* Faults of OpenMP writers and readers: a thread for each task. */
#include <omp.h>

#include "one_process.h"

static const struct kind kinds[] = {
    {"OpenMP, ansi", "bw,ansi", "br,ansi", ALONE, 1},
    {"OpenMP, posix", "bw,posix", "br,posix", ALONE, 1},
    {"OpenMP, recover", "bw,recover", "br", ALONE, 1},
    {"OpenMP, keys", "bw,keyval=inline,recover", "br,keyval=inline", BY_KEY, 1},
    {"OpenMP, atomic", "bw,atomic", "br", ALONE, 1},
    {"OpenMP, collective", "bw,collective", "br,collective", TOGETHER, 1},
#ifdef WITH_CHECKSUM
    {"OpenMP, checksum", "bw,checksum", "br,checksum", ALONE, 1},
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
    sion_int64 chunksize = CHUNK;
    sion_int32 fsblksize = BLOCK;
    int globalrank;

    (void)worker;
    return sion_paropen_omp(NAME, mode, &chunksize, &fsblksize, &globalrank, NULL, NULL);
}

static int product_close(int sid)
{
    return sion_parclose_omp(sid);
}

int main(int argc, char **argv)
{
    product_options(argc, argv);
    product.threads = 3;
    product.streams_each = 1;
    return product_of_kinds(kinds, sizeof kinds / sizeof kinds[0]);
}
