/* ompi_partest measures how fast the threads of MPI tasks write and read through the library. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sion_common.h"
#include "sion_generic.h"
#include "sion_omp.h"
#include "sion_ompi.h"
#include "sion_serial.h"

#include "options.h"
#include "report.h"
#include "settings.h"
#include "start.h"

static const char *const type_names[] = {"sion OMPI, collective read",
                                         "sion OMPI, independant read", "sion OMP, collective read",
                                         "sion OMP, independant read"};

struct run {
    struct bench_options options;
    MPI_Comm local; /* tasks of the same file */
    int rank, size; /* processes */
    int threads;    /* of each */
    int file, nfiles;
    char filename[1100]; /* type 2 and 3: each process has its own container */
    const char *buffer;
};

/* The slowest thread's seconds, and the bytes of all threads. */
struct result {
    double open, transfer, close, bytes;
};

static int hybrid(const struct run *run)
{
    return run->options.type < 2;
}

static void fail(const struct run *run, const char *what)
{
    fprintf(stderr, "ompi_partest: task %d thread %d: %s %s: failed\n", run->rank,
            omp_get_thread_num(), what, run->filename);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_for_all(void)
{
#pragma omp barrier
#pragma omp master
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
}

static void file_mode(const struct run *run, const char *access, int collective, char *mode)
{
    strcpy(mode, access);
    strcat(mode, run->options.posix ? ",posix" : ",ansi");
    if (collective)
        strcat(mode, ",collective");
    if (collective && run->options.collmsa)
        strcat(mode, ",collmsa");
}

/* All threads open the container together, for writing and for collective reads. */
static int open_together(struct run *run, const char *mode, sion_int64 *chunksize)
{
    int files = run->options.numfiles < 1 ? -1 : run->nfiles, rank, fsblksize;

    fsblksize = (int)run->options.fsblksize;
    if (hybrid(run))
        return sion_paropen_ompi(run->filename, mode, &files, MPI_COMM_WORLD, &run->local,
                                 chunksize, &fsblksize, &rank, NULL, NULL);
    return sion_paropen_omp(run->filename, mode, chunksize, &fsblksize, &rank, NULL, NULL);
}

static int open_alone(struct run *run, const char *mode, sion_int64 *chunksize)
{
    int task = omp_get_thread_num() + (hybrid(run) ? run->rank * run->threads : 0), fsblksize;

    return sion_open_rank(run->filename, mode, chunksize, &fsblksize, &task, NULL);
}

static int close_together(const struct run *run, int sid)
{
    return hybrid(run) ? sion_parclose_ompi(sid) : sion_parclose_omp(sid);
}

static void transfer(struct run *run, int sid, int writing, int collective, char *buffer)
{
    long long left = run->options.localsize, bufsize = run->options.bufsize;
    size_t n, done;

    for (; left > 0; left -= (long long)n) {
        n = (size_t)(left < bufsize ? left : bufsize);
        if (writing)
            done = collective ? sion_coll_fwrite(run->buffer, 1, n, sid)
                              : sion_fwrite(run->buffer, 1, n, sid);
        else
            done = collective ? sion_coll_fread(buffer, 1, n, sid) : sion_fread(buffer, 1, n, sid);
        if (done != n)
            fail(run, writing ? "writing" : "reading");
    }
}

static double lap(double *start)
{
    double before = *start;

    *start = omp_get_wtime();
    return *start - before;
}

/* The work of each thread. Its times include the wait for the other threads. */
static void thread_run(struct run *run, int writing, struct result *mine)
{
    const struct bench_options *o = &run->options;
    int collective = writing ? o->collwrite : o->collread, sid;
    int together = writing || o->type % 2 == 0;
    sion_int64 chunksize = o->chunksize < 0 ? o->localsize : o->chunksize;
    char mode[64], *buffer = malloc((size_t)o->bufsize);
    double start;

    if (!buffer)
        fail(run, "memory for a buffer of");
    file_mode(run, writing ? "bw" : "br", collective && together, mode);
    wait_for_all();
    start = omp_get_wtime();
    sid = together ? open_together(run, mode, &chunksize) : open_alone(run, mode, &chunksize);
    if (sid < 0)
        fail(run, "opening");
    wait_for_all();
    mine->open = lap(&start);
    transfer(run, sid, writing, collective && together, buffer);
    wait_for_all();
    mine->transfer = lap(&start);
    if ((together ? close_together(run, sid) : sion_close(sid)) != SION_SUCCESS)
        fail(run, "closing");
    wait_for_all();
    mine->close = lap(&start);
    mine->bytes = (double)o->localsize;
    free(buffer);
}

static void run_threads(struct run *run, int writing, struct result *result)
{
    double open = 0, transfer_time = 0, close_time = 0, bytes = 0;

#pragma omp parallel num_threads(run->threads) reduction(max : open, transfer_time, close_time) \
    reduction(+ : bytes)
    {
        struct result mine;

        thread_run(run, writing, &mine);
        open = mine.open;
        transfer_time = mine.transfer;
        close_time = mine.close;
        bytes = mine.bytes;
    }
    *result = (struct result){open, transfer_time, close_time, bytes};
}

/* One line for each file. */
static void print_file(const struct run *run, int writing, double bytes)
{
    double all;
    int rank;

    MPI_Comm_rank(run->local, &rank);
    MPI_Reduce(&bytes, &all, 1, MPI_DOUBLE, MPI_SUM, 0, run->local);
    if (rank != 0)
        return;
    if (writing)
        fprintf(stderr,
                "partest result: local totalsize=%10.4f MB  wrote %10.4f MB to %s all_rank=%d\n",
                (double)run->options.localsize / 1048576, all / 1048576, run->filename, run->rank);
    else
        fprintf(stderr, "partest result: read  %10.4f MB from %s\n", all / 1048576, run->filename);
}

static void print_total(const struct run *run, int writing, const struct result *mine)
{
    double times[] = {mine->open, mine->transfer, mine->close}, most[3], bytes, mb;

    MPI_Reduce(times, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine->bytes, &bytes, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (run->rank != 0)
        return;
    mb = bytes / 1048576;
    fprintf(stderr, BENCH_LINE);
    fprintf(stderr,
            "TOTAL result: open=%10.6fs close=%10.6fs %s %10.4f MB %s=%10.6fs %s=%10.4f MB/s %s %d "
            "files\n",
            most[0], most[2], writing ? "wrote" : "read", mb, writing ? "write" : "read", most[1],
            writing ? "bw" : "br", mb / most[1], writing ? "to" : "from", run->nfiles);
    fprintf(stderr, BENCH_LINE);
    if (writing)
        fprintf(stderr,
                "****************************************************************************"
                "*****************\n");
}

static void phase(struct run *run, int writing)
{
    struct result result;

    run_threads(run, writing, &result);
    print_file(run, writing, result.bytes);
    print_total(run, writing, &result);
}

static void unlink_files(struct run *run)
{
    int number;

    if (!hybrid(run)) {
        unlink(run->filename);
        return;
    }
    for (number = 0; run->rank == 0 && number < run->nfiles; number++) {
        if (number > 0)
            snprintf(run->filename, sizeof run->filename, "%s.%06d", run->options.filename, number);
        fprintf(stderr, "partest result: unlink file %s ...\n", run->filename);
        unlink(run->filename);
    }
}

static void print_comm(const char *name, MPI_Comm comm)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    fprintf(stderr, "partest parameter:   (  )    %-27s = %d of %d\n", name, rank, size);
}

static void print_head(const struct run *run, long long total)
{
    const struct bench_options *o = &run->options;

    fprintf(stderr, BENCH_LINE);
    bench_print_time("ompi_partest", "start");
    fprintf(stderr,
            "partest Number of MPI tasks that will use the file tasks:       running on %d tasks\n",
            run->size);
    fprintf(stderr, BENCH_LINE);
    bench_print_settings(o, "sion task", type_names[o->type], total);
    bench_print_number("(-P)", "Blue Gene, I/O nodes", o->bgionode);
    bench_print_number("()", "Blue Gene: tasks/IO-node", o->bgtaskperionode);
    bench_print_number("(-w)", "MPI-IO, IBM, Large Block IO", o->hint_large_block);
    fprintf(stderr, "partest parameter:   (-W)    MPI-IO, IBM, IO bufsize     = %d KB\n",
            o->hint_io_bufsize);
    bench_print_number("(-x)", "MPI-IO, IBM, sparse access ", o->hint_sparse_access);
    bench_print_number("(  )", "OpenMP number of threads   ", run->threads);
    bench_print_number("(  )", "commwork_size64            ", run->size * run->threads);
    bench_print_number("(  )", "suppress_checksum          ", o->nochecksum);
    bench_print_number("(  )", "do_write                   ", o->write);
    bench_print_number("(  )", "do_read                    ", o->read);
    bench_print_number("(  )", "use_posix                  ", o->posix);
    print_comm("comm(all)", MPI_COMM_WORLD);
    print_comm("comm(work)", MPI_COMM_WORLD);
    print_comm("comm(local)", run->local);
    fprintf(stderr, BENCH_LINE);
    fprintf(stderr, "partest parameter:   (  )    new totalsize                = %lld\n",
            o->localsize);
}

/* Sets the file that each process uses. Computes the size of each task from the size of all, or the
   reverse, and returns the size of all. */
static long long settle(struct run *run)
{
    struct bench_options *o = &run->options;
    long long tasks = (long long)run->size * run->threads;
    int files = o->numfiles < 1 ? 2 : o->numfiles, length;

    if (!hybrid(run) || files > run->size)
        files = run->size;
    length = run->size / files;
    run->nfiles = files;
    run->file = run->rank / length < files ? run->rank / length : files - 1;
    MPI_Comm_split(MPI_COMM_WORLD, run->file, run->rank, &run->local);
    snprintf(run->filename, sizeof run->filename, hybrid(run) ? "%s" : "%s.%06d", o->filename,
             run->rank);
    if (o->totalsize >= 0)
        o->localsize = o->totalsize / tasks;
    return o->totalsize >= 0 ? o->totalsize : o->localsize * tasks;
}

static void run_all(struct run *run, long long total)
{
    int times;

    if (run->rank == 0)
        print_head(run, total);
    for (times = 0; times < run->options.write; times++)
        phase(run, 1);
    if (run->options.read)
        phase(run, 0);
    if (run->options.unlink_files)
        unlink_files(run);
    if (run->rank == 0) {
        bench_print_time("ompi_partest", "end");
        fprintf(stderr, "\n");
    }
}

int main(int argc, char **argv)
{
    struct run run = {.threads = omp_get_max_threads()};
    char *buffer;
    int provided;

    bench_arguments(argc, argv, "ompi_partest", &run.options);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.size);
    buffer = calloc(1, (size_t)run.options.bufsize);
    if (!buffer)
        fail(&run, "memory for a buffer of");
    run.buffer = buffer;
    run_all(&run, settle(&run));
    free(buffer);
    MPI_Comm_free(&run.local);
    MPI_Finalize();
    return 0;
}
