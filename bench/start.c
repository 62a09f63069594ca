#include "start.h"

#include <mpi.h>
#include <stdlib.h>

/* Whether this process is one of several that a launcher started. */
static int has_launcher(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return 1;
    return 0;
}

/* Whether this process prints for all. All processes wait until it is done, because an abort could
   cut it off. */
static void begin_printing(int *prints)
{
    int rank;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *prints = rank == 0;
}

void bench_arguments(int argc, char **argv, const char *program, struct bench_options *options)
{
    int parsed = bench_parse(argc, argv, NULL, options), prints = 1, many = has_launcher();

    if (parsed == BENCH_RUN)
        return;
    if (many)
        begin_printing(&prints);
    if (prints && parsed == BENCH_WRONG)
        bench_parse(argc, argv, stderr, options);
    if (prints)
        bench_usage(parsed == BENCH_HELP ? stdout : stderr, program);
    if (many)
        MPI_Finalize();
    exit(parsed == BENCH_WRONG);
}
