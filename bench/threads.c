/*
 * Compares the records of OpenMP threads in one container with a FILE* for each thread, in turn.
 *
 *     OMP_NUM_THREADS=4 threads FILE [RECORD_BYTES [MiB [ROUNDS]]]
 *
 * Prints the medians in MiB/s, and the median of the ratios of each round.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sion.h>
#include <sion_omp.h>

#include "median.h"

enum { CONTAINER, FILES, KINDS };

static struct {
    const char *file;
    long long records; /* of each thread */
    size_t bytes;
} job = {NULL, 0, 64};

static void own_name(char *name, size_t size)
{
    snprintf(name, size, "%s.%d", job.file, omp_get_thread_num());
}

/* Both functions are called by all threads, and return whether the thread has written all. */
static int write_container(const char *record)
{
    sion_int64 chunksize = job.records * (sion_int64)job.bytes;
    sion_int32 fsblksize = -1;
    int rank = omp_get_thread_num(), good;
    long long i;
    int sid = sion_paropen_omp(job.file, "bw", &chunksize, &fsblksize, &rank, NULL, NULL);

    good = sid >= 0;
    for (i = 0; i < job.records && good; i++)
        good = sion_fwrite(record, 1, job.bytes, sid) == job.bytes;
    return sid >= 0 && sion_parclose_omp(sid) == SION_SUCCESS && good;
}

static int write_file(const char *record)
{
    char name[1100];
    FILE *file;
    long long i;
    int good;

    own_name(name, sizeof name);
    file = fopen(name, "wb");
    good = file != NULL;
    for (i = 0; i < job.records && good; i++)
        good = fwrite(record, 1, job.bytes, file) == job.bytes;
    return file && fclose(file) == 0 && good;
}

static void remove_files(void)
{
    char name[1100];

    own_name(name, sizeof name);
    remove(name);
#pragma omp barrier
#pragma omp master
    remove(job.file);
}

/* Returns the seconds that all threads need, or ends the program. */
static double run(int kind, const char *record)
{
    int failed = 0;
    double start = omp_get_wtime(), seconds;

#pragma omp parallel reduction(+ : failed)
    failed += !(kind == CONTAINER ? write_container(record) : write_file(record));
    seconds = omp_get_wtime() - start;
    if (failed > 0)
        exit(EXIT_FAILURE);
#pragma omp parallel
    remove_files();
    return seconds;
}

int main(int argc, char **argv)
{
    int rounds = argc > 4 ? atoi(argv[4]) : 9, round, kind;
    double mib = argc > 3 ? atof(argv[3]) : 16, *rates[KINDS], *ratios;
    double all = mib * omp_get_max_threads();
    char *record;

    if (argc < 2 || rounds < 1 || mib <= 0 || (argc > 2 && atoi(argv[2]) < 1)) {
        fprintf(stderr, "Usage: threads FILE [RECORD_BYTES [MiB [ROUNDS]]]\n");
        return 2;
    }
    job.file = argv[1];
    job.bytes = argc > 2 ? (size_t)atoi(argv[2]) : 64;
    job.records = (long long)(mib * 1048576) / (long long)job.bytes;
    record = calloc(1, job.bytes);
    ratios = malloc((size_t)rounds * sizeof *ratios);
    for (kind = 0; kind < KINDS; kind++)
        rates[kind] = malloc((size_t)rounds * sizeof *rates[kind]);
    if (!record || !ratios || !rates[CONTAINER] || !rates[FILES])
        return EXIT_FAILURE;
    for (round = 0; round < rounds; round++) {
        for (kind = 0; kind < KINDS; kind++) {
            int turn = (kind + round) % KINDS;

            rates[turn][round] = all / run(turn, record);
        }
        ratios[round] = rates[CONTAINER][round] / rates[FILES][round];
    }
    printf("%d threads, records of %zu bytes: container %.0f MiB/s, FILE* %.0f MiB/s, ratio %.2f\n",
           omp_get_max_threads(), job.bytes, bench_median(rates[CONTAINER], rounds),
           bench_median(rates[FILES], rounds), bench_median(ratios, rounds));
    for (kind = 0; kind < KINDS; kind++)
        free(rates[kind]);
    free(ratios);
    free(record);
    return 0;
}
