/*
 * The parallel layer with threads, without MPI: random containers are read back, and failures reach
 * all tasks.
 */
#include "parallel/parallel.h"

#include "base/error.h"
#include "support.h"
#include "src/comm/thread_comm.h"

enum { MOST = 9 };

/* One case, on which all threads work, each with its own rank. */
static struct {
    int tasks, nfiles, by_leader, bad_task, posix;
    int chunksizes[MOST], records;
    int fsblksize;
} sample;

static struct result {
    int rank, opened, closed, wrong;
    char text[SCION_ERROR_TEXT];
} results[MOST];

static struct scion_comm *comms[MOST];

/* Deterministic record sizes that fit into the task's chunk. */
static size_t record_size(int rank, int i)
{
    return (size_t)((rank * 37 + i * 61) % sample.chunksizes[rank]) + 1;
}

static struct scion_parallel_args arguments(int rank, int writing)
{
    struct scion_parallel_args args = {
        .name = "c.sion",
        .chunksize = sample.chunksizes[rank],
        .fsblksize = sample.fsblksize,
        .nfiles = sample.by_leader ? 0 : sample.nfiles,
        .mode = {.access = writing ? SCION_ACCESS_WRITE : SCION_ACCESS_READ,
                 .keyval = 55,
                 .posix = sample.posix},
    };

    if (sample.by_leader) {
        /* Task r shares a file with r +- nfiles. */
        args.leader = rank % sample.nfiles;
        args.lrank = rank / sample.nfiles;
        args.lsize = (sample.tasks - args.leader + sample.nfiles - 1) / sample.nfiles;
    }
    if (rank == sample.bad_task)
        args.status = scion_fail(SION_ERR_ARGUMENT, "this one is bad");
    return args;
}

static void *write_in_thread(void *argument)
{
    static _Thread_local unsigned char data[5000];
    struct scion_comm *comm = argument;
    struct result *result = &results[comm->rank];
    int rank = comm->rank, i;
    struct scion_parallel_args args = arguments(rank, 1);
    struct scion_container *container;
    long total = 0;

    result->opened = scion_parallel_open(comm, &args, &container);
    strcpy(result->text, result->opened ? scion_error_text() : "");
    if (result->opened != 0)
        return NULL;
    for (i = 0; i < sample.records; i++) {
        size_t n = record_size(rank, i);

        check_fill(data, rank, total, n);
        result->wrong += scion_stream_write(scion_container_stream(container), data, n) != 1;
        total += (long)n;
    }
    result->closed = scion_parallel_close(container, NULL);
    return NULL;
}

static void *read_in_thread(void *argument)
{
    static _Thread_local unsigned char data[5000];
    struct scion_comm *comm = argument;
    struct result *result = &results[comm->rank];
    int rank = comm->rank, i, at_end = 0;
    struct scion_parallel_args args = arguments(rank, 0);
    struct scion_container *container;
    long total = 0;

    result->opened = scion_parallel_open(comm, &args, &container);
    strcpy(result->text, result->opened ? scion_error_text() : "");
    if (result->opened != 0)
        return NULL;
    for (i = 0; i < sample.records; i++) {
        size_t n = record_size(rank, i);

        result->wrong += scion_stream_read(scion_container_stream(container), data, n) != 1 ||
                         check_compare(data, rank, total, n) != -1;
        total += (long)n;
    }
    result->wrong +=
        scion_stream_at_end(scion_container_stream(container), &at_end) != 0 || !at_end;
    result->closed = scion_parallel_close(container, NULL);
    return NULL;
}

static void run_threads(void *(*function)(void *))
{
    struct thread_group *group = thread_group_new(sample.tasks);
    pthread_t threads[MOST];
    int i;

    memset(results, 0, sizeof results);
    for (i = 0; i < sample.tasks; i++)
        comms[i] = thread_comm_new(group, i);
    for (i = 0; i < sample.tasks; i++)
        pthread_create(&threads[i], NULL, function, comms[i]);
    for (i = 0; i < sample.tasks; i++)
        pthread_join(threads[i], NULL);
}

static void check_success(void)
{
    int i;

    for (i = 0; i < sample.tasks; i++) {
        CHECK_INT(results[i].opened, 0);
        CHECK_INT(results[i].wrong, 0);
        CHECK_INT(results[i].closed, 0);
    }
}

static void random_case(void)
{
    int i;

    memset(&sample, 0, sizeof sample);
    sample.tasks = 1 + (int)check_below(MOST);
    sample.nfiles = 1 + (int)check_below((size_t)sample.tasks);
    sample.by_leader = (int)check_below(2);
    sample.posix = (int)check_below(2);
    sample.bad_task = -1;
    sample.records = (int)check_below(30);
    sample.fsblksize = 1 + (int)check_below(300);
    for (i = 0; i < sample.tasks; i++)
        sample.chunksizes[i] = 1 + (int)check_below(2000);
}

static void random_containers_are_read_back(void)
{
    int i;

    check_seed(4711);
    for (i = 0; i < 60; i++) {
        random_case();
        run_threads(write_in_thread);
        check_success();
        run_threads(read_in_thread);
        check_success();
    }
}

static void one_bad_task_fails_all(void)
{
    int bad, i;

    for (bad = 0; bad < 6; bad++) {
        random_case();
        sample.tasks = 6;
        sample.nfiles = 1 + bad % 3;
        for (i = 0; i < 6; i++)
            sample.chunksizes[i] = 100;
        sample.bad_task = bad;
        run_threads(write_in_thread);
        for (i = 0; i < 6; i++) {
            char expected[64];

            snprintf(expected, sizeof expected, "rank %d: this one is bad", bad);
            CHECK_INT(results[i].opened, SION_ERR_ARGUMENT);
            CHECK_STR(results[i].text, expected);
        }
    }
}

static void a_set_read_by_another_number_of_tasks_fails_on_all(void)
{
    int i;

    random_case();
    sample.tasks = 6;
    sample.nfiles = 2;
    sample.by_leader = 0;
    for (i = 0; i < MOST; i++)
        sample.chunksizes[i] = 100;
    run_threads(write_in_thread);
    check_success();
    for (sample.tasks = 1; sample.tasks < 9; sample.tasks++) {
        run_threads(read_in_thread);
        for (i = 0; i < sample.tasks; i++)
            CHECK_INT(results[i].opened, sample.tasks == 6 ? 0 : SION_ERR_MISMATCH);
    }
}

int main(void)
{
    support_enter_folder();
    RUN(random_containers_are_read_back);
    RUN(one_bad_task_fails_all);
    RUN(a_set_read_by_another_number_of_tasks_fails_on_all);
    support_leave_folder();
    return check_done();
}
