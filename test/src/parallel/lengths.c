/*
 * The lengths of all chunks come to the first task piece by piece, whose size the tests choose: how
 * many there are, that they make no difference to the file, and that the tables still find a place
 * on a full disk.
 */
#include <errno.h>

#include "parallel/parallel.h"

#include "base/error.h"
#include "support.h"
#include "src/comm/thread_comm.h"
#include "vfs/fault.h"

enum { MOST = 9, MOST_CHUNKS = 40 };

static struct {
    const char *name;
    int chunks[MOST], nfiles, fsblksize;
    int closed[MOST];
    int tasks;
    int is_full; /* the write of the tables that finds the disk full; 0: none */
    int gathers; /* at the close, of rank 0 */
} sample;

/* ---- a communicator that counts ---- */

static const struct scion_comm_ops *usual_ops;

static int count_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    if (comm->rank == 0)
        sample.gathers++;
    return usual_ops->gather(comm, from, to, bytes, root);
}

static struct scion_comm *counting_comm(struct thread_group *group, int rank)
{
    static struct scion_comm_ops ops;
    struct scion_comm *comm = thread_comm_new(group, rank);

    usual_ops = comm->ops;
    ops = *usual_ops;
    ops.gather = count_gather;
    comm->ops = &ops;
    return comm;
}

/* ---- writing ---- */

/* 1 to 10 bytes in each chunk. */
static void write_chunks(struct scion_stream *stream, int chunks)
{
    int i;

    for (i = 0; i < chunks; i++) {
        if (i > 0)
            CHECK_INT(scion_stream_ensure_free_space(stream, stream->place.chunksize), 0);
        CHECK_INT(scion_stream_write(stream, "0123456789", 1 + (size_t)i % 10), 1);
    }
}

static void *write_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int rank = comm->rank;
    struct scion_parallel_args args = {
        .name = sample.name,
        .chunksize = 10,
        .fsblksize = sample.fsblksize,
        .nfiles = sample.nfiles,
        .mode = {.access = SCION_ACCESS_WRITE, .keyval = 55, .posix = 1},
    };
    struct scion_container *container;

    CHECK_INT(scion_parallel_open(comm, &args, &container), 0);
    write_chunks(scion_container_stream(container), sample.chunks[rank]);
    CHECK_INT(scion_stream_flush(scion_container_stream(container)), 0);
    thread_wait(group_of(comm));
    if (rank == 0) {
        sample.gathers = 0;
        if (sample.is_full)
            scion_fault_arm(1 << SCION_FAULT_PWRITE, sample.is_full, 1, ENOSPC);
    }
    thread_wait(group_of(comm));
    sample.closed[rank] = scion_parallel_close(container, NULL);
    return NULL;
}

static void write_sample(const char *name, int numbers)
{
    struct thread_group *group = thread_group_new(sample.tasks);
    struct scion_comm *comms[MOST];
    pthread_t threads[MOST];
    int i;

    sample.name = name;
    scion_piece_numbers = numbers;
    for (i = 0; i < sample.tasks; i++)
        comms[i] = counting_comm(group, i);
    for (i = 0; i < sample.tasks; i++)
        pthread_create(&threads[i], NULL, write_in_thread, comms[i]);
    for (i = 0; i < sample.tasks; i++)
        pthread_join(threads[i], NULL);
    scion_piece_numbers = SCION_GATHER_MOST;
}

static void check_closed(int rc)
{
    int i;

    for (i = 0; i < sample.tasks; i++)
        CHECK_INT(sample.closed[i], rc);
}

static void random_sample(int most_files)
{
    int i;

    memset(&sample, 0, sizeof sample);
    sample.tasks = 1 + (int)check_below(MOST);
    sample.nfiles =
        1 + (int)check_below((size_t)(sample.tasks < most_files ? sample.tasks : most_files));
    sample.fsblksize = 1 + (int)check_below(40);
    for (i = 0; i < sample.tasks; i++)
        sample.chunks[i] = (int)check_below(2) ? 1 : (int)check_below(MOST_CHUNKS);
}

static int most_chunks(void)
{
    int most = 1, i;

    for (i = 0; i < sample.tasks; i++)
        most = sample.chunks[i] > most ? sample.chunks[i] : most;
    return most;
}

static const char *member(const char *base, int number)
{
    static char names[2][32];
    static int turn;
    char *name = names[turn = !turn];

    snprintf(name, sizeof names[0], number == 0 ? "%s" : "%s.%06d", base, number);
    return name;
}

static void put_aside(void)
{
    int i;

    for (i = 0; i < sample.nfiles; i++)
        CHECK_INT(rename(member("c.sion", i), member("whole", i)), 0);
}

static void check_same_files(void)
{
    int i;

    for (i = 0; i < sample.nfiles; i++)
        CHECK(support_same_files(member("c.sion", i), member("whole", i)));
}

static void pieces_make_the_same_files(void)
{
    int i;

    check_seed(4712);
    for (i = 0; i < 150; i++) {
        random_sample(3);
        write_sample("c.sion", SCION_GATHER_MOST);
        check_closed(0);
        put_aside();
        write_sample("c.sion", 1 + (int)check_below(100));
        check_closed(0);
        check_same_files();
    }
}

/* The count and all lengths of every task, or two numbers of each, at least. */
static void a_piece_takes_one_gather(void)
{
    int i;

    check_seed(4713);
    for (i = 0; i < 100; i++) {
        int numbers = 1 + (int)check_below(200), each;

        random_sample(1);
        write_sample("a.sion", numbers);
        each = numbers / sample.tasks > 2 ? numbers / sample.tasks : 2;
        CHECK_INT(sample.gathers, (1 + most_chunks() + each - 1) / each);
        write_sample("a.sion", SCION_GATHER_MOST);
        CHECK_INT(sample.gathers, 1);
    }
}

static int readable(const char *name)
{
    struct scion_mode mode;
    struct scion_container *container;
    const struct scion_physical *physical;
    int rc, t, b;

    CHECK_INT(scion_mode_parse("r", &mode), 0);
    rc = scion_container_open(name, &mode, &container);
    CHECK_INT(rc, 0);
    if (rc != 0)
        return 0;
    physical = scion_container_file(container, 0);
    for (t = 0; t < sample.tasks; t++) {
        int chunks = sample.chunks[t];

        CHECK_INT(physical->counts[t], chunks > 0 ? chunks : 1);
        for (b = 0; b < chunks; b++)
            CHECK_INT(physical->used[b * sample.tasks + t], 1 + b % 10);
    }
    return scion_container_close(container) == 0;
}

/* Each write of the tables finds the disk full once: they go before the data, in pieces or not. */
static void tables_of_many_pieces_fit_before_the_data_on_a_full_disk(void)
{
    int numbers, full;

    for (numbers = 4; numbers <= 400; numbers *= 10) {
        for (full = 1; full <= 2; full++) {
            memset(&sample, 0, sizeof sample);
            sample.tasks = 4;
            sample.nfiles = 1;
            sample.fsblksize = 8192;
            sample.chunks[0] = 1;
            sample.chunks[1] = 100;
            sample.chunks[3] = 25;
            sample.is_full = full;
            scion_fault_arm(0, 0, 0, 0);
            write_sample("full.sion", numbers);
            scion_fault_disarm();
            check_closed(SION_ERR_SYSTEM);
            CHECK(readable("full.sion"));
        }
    }
}

int main(void)
{
    support_enter_folder();
    RUN(pieces_make_the_same_files);
    RUN(a_piece_takes_one_gather);
    RUN(tables_of_many_pieces_fit_before_the_data_on_a_full_disk);
    support_leave_folder();
    return check_done();
}
