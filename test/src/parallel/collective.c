/*
 * Collective reads and writes with callbacks of the application, made of plain threads: arguments
 * of the callbacks, all kinds of groups, records that fail, and interfaces that lack the callbacks.
 */
#include <errno.h>

#include "sion.h"

#include "transfer.h"
#include "support.h"
#include "vfs/fault.h"

enum { MOST = 8, RECORDS = 12, LARGEST = 6000 };

static struct {
    int aid, tasks, nfiles, fsblksize, chunksize, victim;
    char writer[60], reader[60];
    int sizes[MOST][RECORDS];
    int accepted[MOST][RECORDS];
    long long chunksizes[MOST]; /* as stored */
    int starts_anew;            /* in the middle of writing */
    int in_turns;               /* tasks go to the files in turn */
} sample;

/* Open a container; each file has an equal run of tasks, unless in_turns. */
static int open_sample(struct scion_comm *comm, const char *mode)
{
    int share = sample.tasks / sample.nfiles, last = sample.nfiles - 1, rank = comm->rank;
    int filenumber = rank / share < last ? rank / share : last, nfiles = sample.nfiles;
    int lrank = rank - filenumber * share;
    int lsize = filenumber < last ? share : sample.tasks - last * share;
    int turn = rank % nfiles;
    sion_int64 chunksize = sample.chunksize;
    sion_int32 fsblksize = sample.fsblksize;
    int sid;

    if (sample.in_turns) {
        filenumber = turn;
        lsize = (sample.tasks - turn + nfiles - 1) / nfiles;
        lrank = lsize - 1 - rank / nfiles;
    }
    sid = sion_generic_paropen(sample.aid, "g.sion", mode, &chunksize, &fsblksize, comm, rank,
                               comm->size, &filenumber, &nfiles, &lrank, &lsize, NULL, NULL);

    sample.chunksizes[rank] = chunksize;
    return sid;
}

static void *write_in_thread(void *argument)
{
    static _Thread_local unsigned char data[LARGEST * 2];
    struct scion_comm *comm = argument;
    int sid = open_sample(comm, sample.writer), rank = comm->rank, i;
    long total = 0;

    EXPECT(sid >= 0);
    for (i = 0; sid >= 0 && i < RECORDS; i++) {
        size_t bytes = (size_t)sample.sizes[rank][i], done;

        check_fill(data, rank, total, bytes);
        done = sion_coll_fwrite(data, 1, bytes, sid);
        EXPECT(done == 0 || done == bytes);
        sample.accepted[rank][i] = done == bytes;
        total += (long)done;
        if (sample.starts_anew && i == RECORDS / 2) {
            EXPECT(sion_generic_parreinit(sid, 700) == 1);
            memset(sample.accepted[rank], 0, sizeof sample.accepted[rank]);
            total = 0;
        }
    }
    if (!strstr(sample.writer, "cmerge"))
        EXPECT(sion_get_bytes_written(sid) == total);
    EXPECT(sion_generic_parclose(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

static void *read_in_thread(void *argument)
{
    static _Thread_local unsigned char data[LARGEST * 2];
    struct scion_comm *comm = argument;
    int sid = open_sample(comm, sample.reader), rank = comm->rank, i;
    long total = 0;

    EXPECT(sid >= 0);
    for (i = 0; sid >= 0 && i < RECORDS; i++) {
        size_t bytes = sample.accepted[rank][i] ? (size_t)sample.sizes[rank][i] : 0;

        memset(data, 0xee, sizeof data);
        EXPECT(sion_coll_fread(data, 1, bytes, sid) == bytes);
        EXPECT(check_compare(data, rank, total, bytes) == -1 && data[bytes] == 0xee);
        total += (long)bytes;
    }
    EXPECT(sion_coll_fread(data, 1, 1, sid) == 0);
    EXPECT(sion_feof(sid) == 1);
    EXPECT(sion_generic_parclose(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

/* The collector's task has all records of its group; there is one group. */
static void *read_merged_in_thread(void *argument)
{
    static _Thread_local unsigned char data[LARGEST * 2];
    struct scion_comm *comm = argument;
    int sid = open_sample(comm, "br"), i, rank;
    long totals[MOST] = {0};

    for (i = 0; comm->rank == 0 && i < RECORDS; i++) {
        for (rank = 0; rank < sample.tasks; rank++) {
            size_t bytes = sample.accepted[rank][i] ? (size_t)sample.sizes[rank][i] : 0, done = 0;

            while (done < bytes && !sion_feof(sid)) {
                size_t left = (size_t)sion_bytes_avail_in_block(sid);

                left = left < bytes - done ? left : bytes - done;
                EXPECT(sion_fread(data + done, 1, left, sid) == left);
                done += left;
            }
            EXPECT(done == bytes && check_compare(data, rank, totals[rank], bytes) == -1);
            totals[rank] += (long)bytes;
        }
    }
    EXPECT(sion_feof(sid) == 1);
    EXPECT(sion_generic_parclose(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

static void run(void *(*function)(void *))
{
    wrong = 0;
    generic_run_threads(sample.tasks, function);
    CHECK_INT(wrong, 0);
}

/* Choose sizes that fit into a chunk, many of them 0. Some of the victim's do not fit. */
static void choose_sizes(void)
{
    int rank, i;

    for (rank = 0; rank < sample.tasks; rank++) {
        for (i = 0; i < RECORDS; i++) {
            sample.sizes[rank][i] =
                check_below(3) ? (int)check_below((size_t)sample.chunksize + 1) : 0;
            if (rank == sample.victim && i % 4 == 1)
                sample.sizes[rank][i] = LARGEST + LARGEST / 2;
        }
    }
}

/* Threads report failures at the same time. */
static void catch (int level, int rank, int rc, const char *text, void *user)
{
    pthread_mutex_lock(&mutex);
    support_handler(level, rank, rc, text, user);
    pthread_mutex_unlock(&mutex);
}

static void usual(int level)
{
    memset(&sample, 0, sizeof sample);
    memset(&app, 0, sizeof app);
    app.fails = app.fails_scattering = app.none = sample.victim = -1;
    app.who_can = 1;
    sample.aid = make_api(level);
    sample.tasks = 5;
    sample.nfiles = 1;
    sample.fsblksize = 512;
    sample.chunksize = 300;
    strcpy(sample.writer, "bw,collective,collsize=8");
    strcpy(sample.reader, "br,collective,collsize=8,collread");
    support_catch();
    sion_error_set_handler(catch, NULL);
}

/* Every task writes something, so that no group is without data. */
static void set_first_sizes(void)
{
    int rank;

    for (rank = 0; rank < sample.tasks; rank++)
        sample.sizes[rank][0] = 1 + rank % sample.chunksize;
}

static void random_case(void)
{
    usual(2);
    sample.tasks = 1 + (int)check_below(MOST);
    sample.nfiles = 1 + (int)check_below((size_t)sample.tasks);
    sample.fsblksize = 10 + (int)check_below(1000);
    sample.chunksize = 1 + (int)check_below(LARGEST / 2);
    sample.victim = (int)check_below(2 * MOST);
    app.portion = (int)check_below(2) * (1 + (int)check_below(700));
    app.who_can = 1 + (int)check_below(3);
    snprintf(sample.writer, sizeof sample.writer, "bw,collective,collsize=%d%s",
             (int)check_below(6), check_below(3) ? "" : ",posix");
    snprintf(sample.reader, sizeof sample.reader, "br%s,collsize=%d",
             check_below(3) ? ",collective" : "", (int)check_below(6));
    choose_sizes();
}

static void random_records_are_read_back(void)
{
    int round;

    check_seed(20261121);
    for (round = 0; round < 60; round++) {
        random_case();
        run(write_in_thread);
        run(read_in_thread);
        CHECK_INT(sion_generic_free_api(sample.aid), 1);
    }
}

static void merged_records_keep_their_order(void)
{
    int round;

    for (round = 0; round < 30; round++) {
        random_case();
        sample.nfiles = 1;
        app.who_can = MOST;
        strcpy(sample.writer, "bw,collective,cmerge");
        run(write_in_thread);
        run(read_merged_in_thread);
        CHECK_INT(sion_generic_free_api(sample.aid), 1);
    }
}

static void merged_records_are_read_back_by_their_writers(void)
{
    int round;

    for (round = 0; round < 30; round++) {
        random_case();
        sample.victim = -1;
        choose_sizes();
        strcpy(sample.writer, "bw,collective,cmerge");
        strcpy(sample.reader, "br,collective,cmerge");
        set_first_sizes();
        run(write_in_thread);
        run(read_in_thread);
        CHECK_INT(support_errors, 0);
        CHECK_INT(sion_generic_free_api(sample.aid), 1);
    }
}

static void groups_use_the_callbacks(void)
{
    usual(2);
    choose_sizes();
    run(write_in_thread);
    CHECK_INT(app.gathers, sample.tasks * RECORDS);
    CHECK_INT(app.scatters, sample.tasks * RECORDS); /* the verdicts */
    app.gathers = app.scatters = 0;
    run(read_in_thread);
    CHECK_INT(app.gathers, 0);
    CHECK_INT(app.scatters, 2 * sample.tasks * (RECORDS + 1));
    app.scatters = 0;
    strcpy(sample.reader, "br");
    run(read_in_thread);
    CHECK_INT(app.gathers + app.scatters, 0);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void tasks_that_cannot_collect_join_the_group_before(void)
{
    static const long long all_can[] = {200, 312, 200, 312, 512},
                           first_can[] = {200, 200, 200, 200, 224};
    int i;

    for (i = 0; i < 2; i++) {
        usual(2);
        sample.chunksize = 200;
        app.who_can = i ? MOST : 1;
        strcpy(sample.writer, "bw,collective,collsize=1");
        run(write_in_thread);
        run(read_in_thread);
        CHECK(memcmp(sample.chunksizes, i ? first_can : all_can, sizeof all_can) == 0);
        CHECK_INT(sion_generic_free_api(sample.aid), 1);
    }
}

static void check_individual(void)
{
    int i;

    choose_sizes();
    run(write_in_thread);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "falling back to individual mode");
    run(read_in_thread);
    for (i = 0; i < sample.tasks; i++)
        CHECK_INT(sample.chunksizes[i], 512);
    CHECK_INT(app.gathers + app.scatters, 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void without_the_callbacks_each_task_works_alone(void)
{
    int level;

    for (level = 0; level < 2; level++) {
        usual(level);
        check_individual();
    }
    usual(2);
    app.none = 3;
    check_individual();
}

/* A group begins with its collector, and no task precedes the file's first one. */
static void a_first_task_that_only_sends_ends_collective_mode(void)
{
    usual(2);
    app.who_can = 2;
    app.before_who_can = 1;
    check_individual();
}

/* If a callback fails on one task, only that task's records fail. */
static void fail_on(int rank, int *knob)
{
    int i;

    usual(2);
    choose_sizes();
    *knob = rank;
    run(write_in_thread);
    for (i = 0; i < RECORDS; i++) {
        CHECK(sample.sizes[rank][i] == 0 || !sample.accepted[rank][i]);
        CHECK(sample.accepted[(rank + 1) % 5][i]);
    }
    CHECK_CONTAINS(support_message, "between the tasks failed");
    *knob = -1;
    run(read_in_thread);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void a_callback_that_fails_affects_only_its_task(void)
{
    int rank;

    for (rank = 0; rank < 5; rank++) {
        fail_on(rank, &app.fails);
        fail_on(rank, &app.fails_scattering);
    }
}

/* ---- figures of the groups ---- */

static void statistics_of_the_groups_are_printed(void)
{
    int saved = dup(2), count = 0, collectors = 0;
    char line[200];
    FILE *file;

    usual(2);
    sample.chunksize = 200;
    setenv("SION_COLLDEBUG", "3", 1);
    fflush(stderr);
    CHECK(freopen("figures", "w", stderr) != NULL);
    run(write_in_thread);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    unsetenv("SION_COLLDEBUG");
    file = fopen("figures", "r");
    while (file && fgets(line, sizeof line, file)) {
        count += strncmp(line, "collective statistics:", 22) == 0;
        collectors += strstr(line, "COLLECTOR") != NULL;
        if (strstr(line, "num_collectors") && !strstr(line, "req_"))
            CHECK_CONTAINS(line, " =           1\n");
    }
    CHECK_INT(count, 13 + sample.tasks);
    CHECK_INT(collectors, 1);
    if (file)
        fclose(file);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

/* ---- a disk that refuses writes: the file has only the accepted records ---- */

static void fail_some_writes(void *(*check)(void *))
{
    int n;

    for (n = 0; n < 25; n++) {
        choose_sizes();
        scion_fault_arm(1 << SCION_FAULT_PWRITE, 3 + n, 1 + n % 4, EIO);
        wrong = 0;
        generic_run_threads(sample.tasks, write_in_thread);
        scion_fault_disarm();
        CHECK_INT(wrong, 0);
        run(check);
    }
}

static void records_that_cannot_be_stored_fail(void)
{
    usual(2);
    app.portion = 100;
    strcpy(sample.writer, "bw,collective,collsize=8,posix");
    fail_some_writes(read_in_thread);
    CHECK(support_errors > 0);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void merged_records_that_cannot_be_stored_leave_nothing(void)
{
    usual(2);
    app.portion = 100;
    strcpy(sample.writer, "bw,collective,cmerge,collsize=8,posix");
    fail_some_writes(read_merged_in_thread);
    CHECK(support_errors > 0);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void a_new_start_forms_new_groups(void)
{
    usual(2);
    choose_sizes();
    sample.starts_anew = 1;
    run(write_in_thread);
    run(read_in_thread);
    CHECK_INT(support_errors, 0);
    CHECK_INT(sample.chunksizes[0], 700);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

/* The tasks of other files keep copies; as many groups read what is left. */
static void lose_files(int in_turns)
{
    static const char *const lost[] = {"g.sion", "g.sion.000002", "g.sion_BUDDY_00.000002", NULL};
    int i;

    usual(2);
    sample.tasks = 7;
    sample.nfiles = 3;
    sample.victim = 4;
    strcpy(sample.writer, "bw,buddy=2");
    strcpy(sample.reader, "br,buddy=2");
    choose_sizes();
    sample.in_turns = in_turns;
    run(write_in_thread);
    CHECK(app.gathers > 0);
    for (i = 0; lost[i]; i++) {
        run(read_in_thread);
        CHECK_INT(unlink(lost[i]), 0);
    }
    run(read_in_thread);
    CHECK(app.scatters > 0);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void buddy_checkpoints(void)
{
    lose_files(0);
    lose_files(1);
}

/* One task can do nothing: all opens are refused, and no task waits for it. */
static void *refused_in_thread(void *argument)
{
    struct scion_comm *comm = argument;

    EXPECT(open_sample(comm, sample.writer) == -1);
    EXPECT(open_sample(comm, sample.reader) == -1);
    comm->ops->free(comm);
    return NULL;
}

static void buddy_checkpoints_need_all_tasks(void)
{
    usual(2);
    sample.tasks = 6;
    sample.nfiles = 3;
    strcpy(sample.writer, "bw,buddy");
    strcpy(sample.reader, "br,buddy");
    app.none = 1;
    run(refused_in_thread);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(random_records_are_read_back);
    RUN(merged_records_keep_their_order);
    RUN(merged_records_are_read_back_by_their_writers);
    RUN(groups_use_the_callbacks);
    RUN(tasks_that_cannot_collect_join_the_group_before);
    RUN(without_the_callbacks_each_task_works_alone);
    RUN(a_first_task_that_only_sends_ends_collective_mode);
    RUN(a_callback_that_fails_affects_only_its_task);
    RUN(statistics_of_the_groups_are_printed);
    RUN(records_that_cannot_be_stored_fail);
    RUN(merged_records_that_cannot_be_stored_leave_nothing);
    RUN(a_new_start_forms_new_groups);
    RUN(buddy_checkpoints);
    RUN(buddy_checkpoints_need_all_tasks);
    support_leave_folder();
    return check_done();
}
