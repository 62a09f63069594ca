/*
 * Containers that any number of processes divide among them, through the generic interface with
 * callbacks made of plain threads: refused calls, unusual ranks of a serial writer, and the warning
 * of an ordinary open that leaves tasks out.
 */
#include <stdatomic.h>

#include "sion.h"

#include "callbacks.h"
#include "support.h"

enum { TASKS = 5, MOST = 8 };

static struct {
    int aid, by[MOST];
    const char *name;
    int has_list, expected_sid; /* expected_sid: 1 stands for any valid one */
    int first[MOST], ntasks[MOST];
} sample;

static atomic_int wrong;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition) && atomic_fetch_add(&wrong, 1) < 10)                                      \
            printf("# %s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                       \
    } while (0)

/* Task t's data is its number, bytes[t] times. */
static void write_serially(const int *numbers, const size_t *bytes)
{
    int n = TASKS, nfiles = 1, ranks[TASKS], *r = ranks, t, sid;
    sion_int64 sizes[TASKS], *s = sizes;
    sion_int32 fsblksize = 64;
    char name[] = "s.sion";

    for (t = 0; t < TASKS; t++) {
        ranks[t] = numbers[t];
        sizes[t] = 64;
    }
    sid = sion_open(name, "bw", &n, &nfiles, &s, &fsblksize, &r, NULL);
    for (t = 0; t < TASKS; t++) {
        char data[1000];

        memset(data, t, sizeof data);
        CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_stream_write(sid, data, (sion_int64)bytes[t]), (sion_int64)bytes[t]);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void read_tasks(int sid, int n, const int *ranks)
{
    int i;
    char byte;

    for (i = 0; i < n; i++) {
        EXPECT(sion_seek(sid, ranks[i], 0, 0) == 1);
        EXPECT(sion_stream_read(sid, &byte, 1) == 1 && byte == ranks[i] % 10);
    }
    EXPECT(n > 0 || sion_seek(sid, 0, 0, 0) == 0);
}

static void *open_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int ntasks = -7, *ranks = NULL, me = comm->rank;
    int sid = sion_generic_paropen_shared(sample.aid, sample.name, "br", comm, me, comm->size,
                                          sample.by[me], &ntasks, sample.has_list ? &ranks : NULL);

    if (sample.expected_sid < 0) {
        EXPECT(sid == -1 && ntasks == -7 && ranks == NULL);
    } else if (sid >= 0) {
        sample.ntasks[me] = ntasks;
        sample.first[me] = ntasks > 0 ? ranks[0] : -1;
        read_tasks(sid, ntasks, ranks);
        EXPECT(sion_generic_parclose_mapped(sid) == -1);
        EXPECT(sion_generic_parclose(sid) == 1);
    } else {
        EXPECT(sid >= 0);
    }
    comm->ops->free(comm);
    return NULL;
}

static void run(int processes, int by)
{
    int p;

    for (p = 0; p < MOST; p++)
        sample.by[p] = by;
    support_catch();
    wrong = 0;
    sample.has_list = sample.expected_sid = 1;
    sample.name = "s.sion";
    generic_run_threads(processes, open_in_thread);
    CHECK_INT(wrong, 0);
}

static const int in_order[] = {0, 1, 2, 3, 4};
static const size_t equal[] = {10, 10, 10, 10, 10};

static void fewer_processes_have_several_tasks_each(void)
{
    write_serially(in_order, equal);
    run(3, SION_SHARE_TASKS);
    CHECK_INT(sample.ntasks[0], 2);
    CHECK_INT(sample.ntasks[1], 2);
    CHECK_INT(sample.ntasks[2], 1);
    CHECK_INT(sample.first[2], 4);
    CHECK_INT(support_warnings, 0);
}

static void more_processes_than_tasks_leave_some_without(void)
{
    write_serially(in_order, equal);
    run(8, SION_SHARE_TASKS);
    CHECK_INT(sample.ntasks[4], 1);
    CHECK_INT(sample.ntasks[5], 0);
    CHECK_INT(sample.ntasks[7], 0);
}

static void shares_have_about_as_many_bytes(void)
{
    static const size_t bytes[] = {1, 1, 1000, 1, 1};

    write_serially(in_order, bytes);
    run(3, SION_SHARE_BYTES);
    CHECK_INT(sample.ntasks[0], 2);
    CHECK_INT(sample.ntasks[1], 1);
    CHECK_INT(sample.ntasks[2], 2);
}

static void tasks_are_in_the_order_of_their_ranks(void)
{
    static const int backwards[] = {40, 31, 22, 13, 4};

    write_serially(backwards, equal);
    run(2, SION_SHARE_TASKS);
    CHECK_INT(sample.first[0], 4);
    CHECK_INT(sample.first[1], 31);
}

/* By ranks that are not unique, sion_seek could not find all tasks. */
static void other_ranks_are_replaced_by_places(void)
{
    static const int same[] = {7, 7, 7, 7, 7}, negative[] = {0, 1, -101, 3, 4};

    write_serially(same, equal);
    run(2, SION_SHARE_TASKS);
    CHECK_INT(sample.first[0], 0);
    CHECK_INT(sample.first[1], 3);
    write_serially(negative, equal);
    run(2, SION_SHARE_BYTES);
    CHECK_INT(sample.first[0], 0);
}

static void refuse(const char *reason)
{
    support_catch();
    wrong = 0;
    sample.expected_sid = -1;
    generic_run_threads(3, open_in_thread);
    CHECK_INT(wrong, 0);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, reason);
}

static void wrong_shared_opens_are_refused_on_all(void)
{
    write_serially(in_order, equal);
    run(3, SION_SHARE_TASKS);
    sample.by[1] = SION_SHARE_BYTES;
    refuse("shares the tasks otherwise than rank 0");
    sample.by[1] = 5;
    refuse("by is 5");
    sample.by[1] = SION_SHARE_TASKS;
    sample.has_list = 0;
    refuse("ranks is NULL");
    sample.has_list = 1;
    sample.name = "missing.sion";
    refuse("missing.sion");
}

static void *open_plainly_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int file = 0, nfiles = 1, place = comm->rank, size = comm->size;
    int sid =
        sion_generic_paropen(sample.aid, "s.sion", "br", &chunksize, &fsblksize, comm, comm->rank,
                             comm->size, &file, &nfiles, &place, &size, NULL, NULL);

    EXPECT(sid >= 0);
    EXPECT(sion_generic_parclose(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

static void an_ordinary_open_warns_of_unread_tasks(void)
{
    int n;

    write_serially(in_order, equal);
    for (n = 3; n <= TASKS; n++) {
        support_catch();
        wrong = 0;
        generic_run_threads(n, open_plainly_in_thread);
        CHECK_INT(wrong, 0);
        CHECK_INT(support_errors, 0);
        CHECK_INT(support_warnings, n < TASKS);
        if (n == 3)
            CHECK_CONTAINS(support_message, "2 of 5 tasks of s.sion are not read");
    }
}

/* ---- ordinary opens ---- */

static struct {
    const char *mode, *reason;
    int has_fsblksize;
} refused;

/* Open with a file for each task. */
static int open_to_write(struct scion_comm *comm, const char *mode, sion_int32 *fsblksize)
{
    sion_int64 chunksize = 10;
    int file = comm->rank, nfiles = comm->size, place = 0, size = 1;

    return sion_generic_paropen(sample.aid, "r.sion", mode, &chunksize, fsblksize, comm, comm->rank,
                                comm->size, &file, &nfiles, &place, &size, NULL, NULL);
}

static void *open_refused_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    sion_int32 fsblksize = 64;

    EXPECT(open_to_write(comm, refused.mode, refused.has_fsblksize ? &fsblksize : NULL) == -1);
    EXPECT(strstr(sion_error_text(), refused.reason) != NULL);
    comm->ops->free(comm);
    return NULL;
}

static void refuse_open(const char *mode, int has_fsblksize, const char *reason)
{
    support_catch();
    wrong = 0;
    refused.mode = mode;
    refused.has_fsblksize = has_fsblksize;
    refused.reason = reason;
    generic_run_threads(3, open_refused_in_thread);
    CHECK_INT(wrong, 0);
    CHECK_INT(support_errors, 1);
}

static void wrong_opens_for_writing_are_refused_on_all(void)
{
    refuse_open("bw", 0, "fsblksize and globalrank, and one is NULL");
    refuse_open("bw,buddy,keyval=inline", 1, "no buddy checkpoints with key-value records");
    refuse_open("bw,buddy,cmerge", 1, "no buddy checkpoints with merging collectors");
}

static void *ask_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    sion_int32 fsblksize = 64;
    int sid = open_to_write(comm, "bw,buddy", &fsblksize);
    sion_io_stat_t *info;

    info = sion_get_io_info(sid);
    EXPECT(info && info->nfiles > 0 && strncmp(info->names[0], "r.sion", 6) == 0);
    EXPECT(sion_free_io_info(info) == 1);
    EXPECT(sion_generic_parclose(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

static void each_task_of_a_buddy_checkpoint_knows_its_files(void)
{
    support_catch();
    wrong = 0;
    generic_run_threads(3, ask_in_thread);
    CHECK_INT(wrong, 0);
    CHECK_INT(support_errors, 0);
}

int main(void)
{
    support_enter_folder();
    sample.aid = generic_make_api();
    generic_add_transfers(sample.aid);
    RUN(fewer_processes_have_several_tasks_each);
    RUN(more_processes_than_tasks_leave_some_without);
    RUN(shares_have_about_as_many_bytes);
    RUN(tasks_are_in_the_order_of_their_ranks);
    RUN(other_ranks_are_replaced_by_places);
    RUN(wrong_shared_opens_are_refused_on_all);
    RUN(an_ordinary_open_warns_of_unread_tasks);
    RUN(wrong_opens_for_writing_are_refused_on_all);
    RUN(each_task_of_a_buddy_checkpoint_knows_its_files);
    support_leave_folder();
    return check_done();
}
