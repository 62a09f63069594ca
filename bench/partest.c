/* partest measures how fast MPI tasks write and read: with the library, MPI-IO, and a file each. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "sion_checksum.h"
#include "sion_const.h"

#include "methods.h"
#include "settings.h"
#include "start.h"

static const struct {
    const char *name;
    void (*write)(struct bench *bench);
    void (*read)(struct bench *bench);
} tests[] = {
    {"sion, collective read", bench_sion_write, bench_sion_read},
    {"sion, independant read", bench_sion_write, bench_sion_read},
    {"mpi-io", bench_mpiio_write, bench_mpiio_read},
    {"single files", bench_files_write, bench_files_read},
};

static void print_hints(const struct bench_options *o)
{
    bench_print_number("(-c)", "MSA-aware collective I/O", o->collmsa);
    bench_print_number("(-w)", "MPI-IO, IBM, Large Block IO", o->hint_large_block);
    fprintf(stderr, "partest parameter:   (-W)    MPI-IO, IBM, IO bufsize     = %d KB\n",
            o->hint_io_bufsize);
    bench_print_number("(-x)", "MPI-IO, IBM, sparse access ", o->hint_sparse_access);
    bench_print_number("(-C)", "suppress_checksum          ", o->nochecksum);
    bench_print_number("(-O)", "do_write                   ", o->write);
    bench_print_number("(-I)", "do_read                    ", o->read);
    bench_print_number("(-L)", "use_posix                  ", o->posix);
    bench_print_number("(-P)", "Blue Gene, I/O nodes       ", o->bgionode);
    bench_print_number("(-p)", "Blue Gene: task/IO-nodes   ", o->bgtaskperionode);
    bench_print_number("(-Y)", "Blue Gene: task sort       ", o->bgtasksort);
}

static void print_version(void)
{
    fprintf(stderr, "partest versioninfo:         SION_MAIN_VERSION           = %d\n",
            SION_MAIN_VERSION);
    fprintf(stderr, "partest versioninfo:         SION_SUB_VERSION            = %d\n",
            SION_SUB_VERSION);
    fprintf(stderr, "partest versioninfo:         SION_VERSION_PATCHLEVEL     = %d\n",
            SION_VERSION_PATCHLEVEL);
    fprintf(stderr, "partest versioninfo:         SION_FILEFORMAT_VERSION     = %d\n",
            SION_FILEFORMAT_VERSION);
    fprintf(stderr, "partest versioninfo:         SION_GIT_REVISION           = %s\n", GIT_REV);
}

static void print_comm(const char *name, MPI_Comm comm)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    fprintf(stderr, "partest parameter:   (  )    %-27s = %d of %d\n", name, rank, size);
}

static void print_head(const struct bench *bench, long long total)
{
    const struct bench_options *o = &bench->options;

    fprintf(stderr, BENCH_LINE);
    bench_print_time("partest", "start");
    fprintf(stderr,
            "partest Number of tasks that will use the file tasks:       running on %d tasks\n",
            bench->size);
    fprintf(stderr, BENCH_LINE);
    bench_print_settings(o, "task", tests[o->type].name, total);
    print_hints(o);
    bench_print_number("(  )", "commwork_size64            ", bench->size);
    print_version();
    print_comm("comm(all)", bench->all);
    print_comm("comm(work)", bench->all);
    print_comm("comm(local)", bench->local);
    fprintf(stderr, BENCH_LINE);
    fprintf(stderr, "partest parameter:   (  )    new totalsize                = %lld\n",
            bench_task_bytes(bench, 0));
}

/* Rank 0 prints one line for each task, in order. */
static void print_tasks(const struct bench *bench)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "", *hosts = NULL;
    int length, t;

    MPI_Get_processor_name(host, &length);
    if (bench->rank == 0)
        hosts = calloc((size_t)bench->size, sizeof host);
    if (bench->rank == 0 && !hosts)
        bench_fail(bench, "out of memory for the names of %d hosts", bench->size);
    MPI_Gather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, 0, bench->all);
    for (t = 0; bench->rank == 0 && t < bench->size; t++)
        fprintf(stderr,
                "LINUX[%03d] diff_comm: %4d of %4d  same_comm: %4d of %4d file_comm: %4d of %4d "
                "%s\n",
                t, t, bench->size, -2, -2, -2, -2, hosts + (size_t)t * sizeof host);
    free(hosts);
}

static void unlink_files(const struct bench *bench)
{
    const struct bench_options *o = &bench->options;
    char name[1100];
    int number, count = o->type == 3 ? bench->size : bench->nfiles;

    MPI_Barrier(bench->all);
    for (number = 0; bench->rank == 0 && number < count; number++) {
        if (number == 0 && o->type < 2)
            snprintf(name, sizeof name, "%s", o->filename);
        else
            snprintf(name, sizeof name, "%s.%06d", o->filename, number);
        bench_unlink(name);
    }
}

static void run(struct bench *bench)
{
    struct bench_options *o = &bench->options;
    int times;

    for (times = 0; times < o->write; times++)
        tests[o->type].write(bench);
    if (o->read)
        tests[o->type].read(bench);
    if (o->unlink_files)
        unlink_files(bench);
}

/* Allocate the buffer, with data that do not compress. */
static void fill_buffer(struct bench *bench)
{
    long long i, size = bench_buffer_size(&bench->options);

    bench->buffer = malloc((size_t)size);
    if (!bench->buffer)
        bench_fail(bench, "out of memory for a buffer of %lld bytes", size);
    for (i = 0; i < size; i++)
        bench->buffer[i] =
            (char)(((unsigned long long)i * 2654435761u + (unsigned)bench->rank) >> 7);
}

/* MPI-IO passes the number of bytes as an int. */
#define MOST_OF_MPIIO (1LL << 30)

/* Compute the size of each task from the size of all, or the reverse. Returns the size of all. */
static long long settle_sizes(struct bench *bench)
{
    struct bench_options *o = &bench->options;

    if (o->totalsize >= 0)
        o->localsize = o->totalsize / bench->size;
    if (tests[o->type].write == bench_mpiio_write && o->bufsize > MOST_OF_MPIIO)
        o->bufsize = MOST_OF_MPIIO;
    return o->totalsize >= 0 ? o->totalsize : o->localsize * bench->size;
}

/* The report that users of SIONlib know. */
static void report(struct bench *bench, long long total)
{
    if (bench->options.verbose)
        print_tasks(bench);
    if (bench->rank == 0)
        print_head(bench, total);
    run(bench);
    if (bench->rank == 0) {
        bench_print_time("partest", "end");
        fprintf(stderr, "\n");
    }
}

static void compare(struct bench *bench)
{
    if (bench->options.bufsize > MOST_OF_MPIIO)
        bench->options.bufsize = MOST_OF_MPIIO;
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    bench_compare(bench, bench_methods);
    if (bench->options.simulate > 0)
        bench_compare_many(bench);
}

int main(int argc, char **argv)
{
    struct bench bench = {.all = MPI_COMM_WORLD};
    long long total;

    bench_arguments(argc, argv, "partest", &bench.options);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(bench.all, &bench.rank);
    MPI_Comm_size(bench.all, &bench.size);
    total = settle_sizes(&bench);
    bench_make_local(&bench);
    fill_buffer(&bench);
    if (bench.options.repeats > 0)
        compare(&bench);
    else
        report(&bench, total);
    free(bench.buffer);
    MPI_Comm_free(&bench.local);
    MPI_Finalize();
    return 0;
}
