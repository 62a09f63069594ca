/*
 * Checkpoints of all tasks of an application's own communicator, made of threads. 1 to 8 tasks
 * write and recover variables that grow, in one container, each stream of which is an FTI-FF file.
 */
#include <signal.h>
#include <sys/wait.h>

#include "sion.h"

#include "fti_check.h"
#include "codes.h"
#include "sion_ftiff.h"
#include "src/parallel/callbacks.h"
#include "lack.h"
#include "vfs/fault.h"

enum { MOST = 8, VALUES = 500 };

/* One case, and its results on each task. */
static struct {
    int aid, tasks, ckptid, version, odd_one;
    long nth; /* number of the odd task's allocation that fails */
    int data[MOST][3][VALUES];
    int rc[MOST], wrong[MOST];
} sample;

/* Tasks have variables of different sizes, and one more from the second checkpoint on. */
static int size_of_variable(int rank, int id, int ckptid)
{
    if (id == 2)
        return ckptid == 1 ? -1 : 10 * rank;
    return id == 0 ? 7 + rank : 100 + (ckptid * 37 + rank * 11) % 60;
}

static void protect(sion_ftiff *handle, int rank)
{
    int id;

    for (id = 0; id < 3; id++) {
        int n = size_of_variable(rank, id, sample.ckptid);

        if (n >= 0 && code_of(sion_ftiff_protect(handle, id, sample.data[rank][id],
                                                 n * (sion_int64)sizeof(int))) != 0)
            sample.wrong[rank]++;
    }
}

static sion_ftiff *open_handle(struct scion_comm *comm)
{
    sion_ftiff *handle =
        sion_ftiff_open_generic("t.sion", sample.aid, comm, comm->rank, comm->size);

    sample.wrong[comm->rank] +=
        !handle || code_of(sion_ftiff_set_version(handle, sample.version)) != 0;
    return handle;
}

/* Write three checkpoints, the last one after a restart. */
static void *write_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    sion_ftiff *handle = open_handle(comm);
    int rank = comm->rank, id;

    for (id = 1; id <= 3; id++) {
        if (rank == 0)
            sample.ckptid = id;
        generic_wait_for_all(comm);
        if (id == 3) {
            sion_ftiff_close(handle);
            handle = open_handle(comm);
            sample.wrong[rank] += number_or_code(sion_ftiff_status(handle, NULL)) != 1;
        }
        protect(handle, rank);
        sample.wrong[rank] += code_of(sion_ftiff_checkpoint(handle, id)) != 0;
    }
    sion_ftiff_close(handle);
    comm->ops->free(comm);
    return NULL;
}

static void *read_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    sion_ftiff *handle = open_handle(comm);
    struct sion_ftiff_info info = {.size = sizeof info};
    int rank = comm->rank, id;

    sample.wrong[rank] += number_or_code(sion_ftiff_status(handle, &info)) != 1 ||
                          info.ckptid != (sample.version <= SION_FTIFF_1_2 ? -1 : 3) ||
                          info.variables != 3 || info.version != sample.version;
    for (id = 0; id < 3; id++)
        sample.wrong[rank] += sion_ftiff_stored_size(handle, id) !=
                              size_of_variable(rank, id, 3) * (sion_int64)sizeof(int);
    protect(handle, rank);
    sample.rc[rank] = code_of(sion_ftiff_recover(handle));
    sion_ftiff_close(handle);
    comm->ops->free(comm);
    return NULL;
}

/* One task calls with another argument: all get the same error. */
static void *disagree_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    sion_ftiff *handle = open_handle(comm);
    int is_odd = comm->rank == sample.odd_one;

    protect(handle, comm->rank);
    sample.rc[comm->rank] = code_of(sion_ftiff_checkpoint(handle, is_odd ? 4 : 5));
    if (is_odd)
        code_of(sion_ftiff_protect(handle, 1, sample.data[comm->rank][1], 4));
    sample.wrong[comm->rank] += code_of(sion_ftiff_recover(handle)) != SION_ERR_MISMATCH;
    sion_ftiff_close(handle);
    comm->ops->free(comm);
    return NULL;
}

/* rc: 1 if an allocation of the odd task failed, plus 2 if the open succeeded. */
static void *open_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    sion_ftiff *handle;

    lack_in = comm->rank == sample.odd_one ? sample.nth : 0;
    handle = sion_ftiff_open_generic("t.sion", sample.aid, comm, comm->rank, comm->size);
    sample.rc[comm->rank] = (handle ? 2 : 0) + (comm->rank == sample.odd_one && lack_in == 0);
    lack_in = 0;
    sion_ftiff_close(handle);
    comm->ops->free(comm);
    return NULL;
}

static void run_threads(void *(*function)(void *))
{
    int i;

    memset(sample.rc, 0, sizeof sample.rc);
    memset(sample.wrong, 0, sizeof sample.wrong);
    generic_run_threads(sample.tasks, function);
    for (i = 0; i < sample.tasks; i++)
        CHECK_INT(sample.wrong[i], 0);
}

static void fill(void)
{
    int rank, id, i;

    for (rank = 0; rank < MOST; rank++)
        for (id = 0; id < 3; id++)
            for (i = 0; i < VALUES; i++)
                sample.data[rank][id][i] = rank * 10000 + id * 1000 + i;
}

static void compare(void)
{
    int rank, id, i;

    for (rank = 0; rank < sample.tasks; rank++) {
        CHECK_INT(sample.rc[rank], 0);
        for (id = 0; id < 3; id++)
            for (i = 0; i < size_of_variable(rank, id, 3); i++)
                CHECK(sample.data[rank][id][i] == rank * 10000 + id * 1000 + i);
    }
}

static void all_numbers_of_tasks_and_both_layouts(void)
{
    int killed = support_count_new(); /* files that killed writers have left */

    for (sample.version = 1; sample.version <= 6; sample.version++) {
        for (sample.tasks = 1; sample.tasks <= MOST; sample.tasks++) {
            fill();
            run_threads(write_in_thread);
            CHECK_INT(support_count_new(), killed);
            memset(sample.data, 0, sizeof sample.data);
            run_threads(read_in_thread);
            compare();
        }
    }
}

/* A task's stream equals the file that the task would write alone. */
static void streams_are_fti_files(void)
{
    char name[] = "t.sion";
    int ntasks, nfiles, *ranks = NULL, sid, t;

    sample.version = SION_FTIFF_LATEST;
    sample.tasks = 3;
    fill();
    run_threads(write_in_thread);
    sid = sion_open(name, "br", &ntasks, &nfiles, NULL, NULL, &ranks, NULL);
    CHECK(sid >= 0 && ntasks == 3 && nfiles == 1);
    for (t = 0; t < 3; t++) {
        sion_int64 size = 0;
        unsigned char *bytes;

        CHECK_INT(ranks[t], t);
        CHECK_INT(sion_seek(sid, t, SION_END_POS, 0), 1);
        size = sion_get_bytes_read(sid);
        bytes = malloc((size_t)size);
        CHECK_INT(sion_seek(sid, t, 0, 0), 1);
        CHECK_INT(sion_fread(bytes, 1, (size_t)size, sid), size);
        CHECK_INT(fti_accept(bytes, (size_t)size, "Ckpt3-Rank0.fti"), 0);
        free(bytes);
    }
    CHECK_INT(sion_close(sid), 1);
    free(ranks);
}

static void another_number_of_tasks_is_refused(void)
{
    int i;

    support_catch();
    sample.tasks = 4;
    run_threads(write_in_thread);
    for (sample.tasks = 3; sample.tasks <= 5; sample.tasks += 2) {
        generic_run_threads(sample.tasks, read_in_thread);
        for (i = 0; i < sample.tasks; i++)
            CHECK_INT(sample.rc[i], SION_ERR_MISMATCH);
        CHECK_CONTAINS(support_message, "t.sion is a checkpoint of 4 tasks, but this program has ");
    }
    /* Two runs, in which status and recover each print one message. */
    CHECK_INT(support_errors, 4);
}

static void differences_between_tasks_fail_on_all(void)
{
    int i;

    sample.tasks = 4;
    sample.ckptid = 3;
    run_threads(write_in_thread);
    for (sample.odd_one = 0; sample.odd_one < 4; sample.odd_one++) {
        support_catch();
        run_threads(disagree_in_thread);
        for (i = 0; i < 4; i++)
            CHECK_INT(sample.rc[i], SION_ERR_MISMATCH);
        CHECK_INT(support_errors, 2);
        CHECK_CONTAINS(support_message, "variable 1 has ");
    }
}

/* The open fails on all tasks, or, where the reserve of memory was used, on none. 1: it failed. */
static int check_lack(void)
{
    int succeeded = sample.rc[0] & 2, i;

    for (i = 0; i < 3; i++)
        CHECK_INT(sample.rc[i], succeeded + (i == sample.odd_one));
    CHECK_INT(support_errors, !succeeded);
    if (!succeeded)
        CHECK_CONTAINS(support_message, "out of memory");
    return !succeeded;
}

static void memory_that_one_task_lacks_fails_on_all(void)
{
    int failed, i;

    sample.tasks = 3;
    for (sample.odd_one = 0; sample.odd_one < 3; sample.odd_one++) {
        failed = 0;
        for (sample.nth = 1; sample.nth < 20; sample.nth++) {
            support_catch();
            run_threads(open_in_thread);
            if (sample.rc[sample.odd_one] == 2)
                break;
            failed += check_lack();
        }
        for (i = 0; i < 3; i++)
            CHECK_INT(sample.rc[i], 2);
        CHECK(failed > 0 && sample.nth > 3 && sample.nth < 20);
    }
}

static void an_interface_must_stay(void)
{
    struct thread_group *group = thread_group_new(1);
    struct scion_comm *comm = thread_comm_new(group, 0);
    int aid = generic_make_api();
    sion_ftiff *handle = sion_ftiff_open_generic("gone.sion", aid, comm, 0, 1);

    support_catch();
    CHECK_INT(sion_generic_free_api(aid), 1);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), SION_ERR_COMM);
    CHECK_CONTAINS(support_message, "its interface was freed");
    CHECK_INT(support_errors, 1);
    sion_ftiff_close(handle);
    comm->ops->free(comm);
}

static void an_interface_must_be_complete(void)
{
    char name[] = "half";
    int aid = sion_generic_create_api(name);

    support_catch();
    CHECK(sion_ftiff_open_generic("t.sion", aid, NULL, 0, 1) == NULL);
    CHECK_CONTAINS(support_message, "not correctly initalized");
    CHECK(sion_ftiff_open_generic("t.sion", 999, NULL, 0, 1) == NULL);
    CHECK(sion_ftiff_open_generic("t.sion", sample.aid, NULL, 2, 1) == NULL);
    CHECK_INT(support_errors, 3);
    CHECK_INT(sion_generic_free_api(aid), 1);
}

/* ---- kills ---- */

/* Write a checkpoint of several tasks; the process dies in its nth changing call; 0: never. */
static struct {
    int tasks, ckptid;
    long nth;
    int values[MOST][VALUES], rc[MOST];
} state;

static sion_ftiff *open_state(struct scion_comm *comm)
{
    sion_ftiff *handle =
        sion_ftiff_open_generic("k.sion", sample.aid, comm, comm->rank, comm->size);

    code_of(
        sion_ftiff_protect(handle, 1, state.values[comm->rank], sizeof state.values[comm->rank]));
    return handle;
}

static void *write_state(void *argument)
{
    struct scion_comm *comm = argument;
    sion_ftiff *handle = open_state(comm);
    int i;

    for (i = 0; i < VALUES; i++)
        state.values[comm->rank][i] = state.ckptid;
    if (comm->rank == 0 && state.nth > 0)
        scion_fault_kill_in(state.nth);
    generic_wait_for_all(comm);
    state.rc[comm->rank] = code_of(sion_ftiff_checkpoint(handle, state.ckptid));
    sion_ftiff_close(handle);
    comm->ops->free(comm);
    return NULL;
}

static void *read_state(void *argument)
{
    struct scion_comm *comm = argument;
    sion_ftiff *handle = open_state(comm);

    memset(state.values[comm->rank], 0, sizeof state.values[comm->rank]);
    state.rc[comm->rank] = code_of(sion_ftiff_recover(handle));
    sion_ftiff_close(handle);
    comm->ops->free(comm);
    return NULL;
}

/* Returns 0 if all tasks have written it. */
static int write_ckpt(int ckptid, long nth)
{
    int failed = 0, i;

    state.ckptid = ckptid;
    state.nth = nth;
    generic_run_threads(state.tasks, write_state);
    for (i = 0; i < state.tasks; i++)
        failed |= state.rc[i] != 0;
    return failed;
}

/* The existing checkpoint if it is complete; else 0. */
static int read_ckpt(void)
{
    int there, task, i;

    generic_run_threads(state.tasks, read_state);
    there = state.values[0][0];
    for (task = 0; task < state.tasks; task++) {
        for (i = 0; i < VALUES; i++) {
            if (state.rc[task] != 0 || state.values[task][i] != there)
                return 0;
        }
    }
    return there;
}

/* Whether the process that writes the second checkpoint was killed in its nth changing call. */
static int killed_in(long nth)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(write_ckpt(2, nth) == 0 ? 0 : 4);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : status == 0);
    return WIFSIGNALED(status);
}

static void a_kill_at_any_moment_leaves_the_old_or_the_new(void)
{
    for (state.tasks = 1; state.tasks <= 3; state.tasks++) {
        int seen[3] = {0, 0, 0}, killed = 1;
        long n;

        for (n = 1; killed && n < 100; n++) {
            int there;

            CHECK_INT(write_ckpt(1, 0), 0);
            killed = killed_in(n);
            there = read_ckpt();
            CHECK(there == 1 || there == 2);
            CHECK(seen[2] == 0 || there == 2);
            seen[there]++;
        }
        /* The kills hit the syncs of the streams and the file, the rename, and all calls before. */
        CHECK(seen[1] >= 8 + 2 * state.tasks && seen[2] == 2 && n < 100);
    }
}

int main(void)
{
    support_enter_folder();
    sample.aid = generic_make_api();
    RUN(a_kill_at_any_moment_leaves_the_old_or_the_new);
    RUN(all_numbers_of_tasks_and_both_layouts);
    RUN(streams_are_fti_files);
    RUN(another_number_of_tasks_is_refused);
    RUN(differences_between_tasks_fail_on_all);
    RUN(memory_that_one_task_lacks_fails_on_all);
    RUN(an_interface_must_be_complete);
    RUN(an_interface_must_stay);
    support_leave_folder();
    return check_done();
}
