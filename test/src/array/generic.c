/* Arrays with the generic interface: tasks are threads, with callbacks of the application. */
#include "sion.h"

#include "src/parallel/callbacks.h"

#include "teams.h"
#include "support.h"

#define NAME "generic.sion"

enum { MOST = 6 };

static struct {
    int aid, tasks, nfiles;
    int put[MOST], closed[MOST];
    char reasons[MOST][300];
} sample;

/* Open a task's stream; tasks go to the files in turn. */
static int open_own(struct scion_comm *comm)
{
    int filenumber = comm->rank % sample.nfiles, nfiles = sample.nfiles;
    int lsize = (sample.tasks - filenumber + nfiles - 1) / nfiles, lrank = comm->rank / nfiles;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 512;

    return sion_generic_paropen(sample.aid, NAME, "bw", &chunksize, &fsblksize, comm, comm->rank,
                                comm->size, &filenumber, &nfiles, &lrank, &lsize, NULL, NULL);
}

static void *write_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = open_own(comm);

    sample.put[comm->rank] = sid >= 0 && teams_put(sid, comm->rank, comm->size);
    sample.closed[comm->rank] = sion_generic_parclose(sid) == 1;
    comm->ops->free(comm);
    return NULL;
}

/* After a new start, every second task puts a step again, and the last task nothing. */
static void *start_anew_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    const sion_int64 offset[] = {(sion_int64)comm->rank * TEAMS_ROWS, 0};
    const sion_int64 count[] = {1, 1};
    int sid = open_own(comm), task = comm->rank, one = 1;

    sample.put[task] = sid >= 0 && teams_put(sid, task, comm->size) &&
                       sion_generic_parreinit(sid, 2000) == SION_SUCCESS;
    if (task % 2 == 0 && task < comm->size - 1)
        sample.put[task] &= put_any(sid, "T", 7, offset, count, &one) == SION_SUCCESS;
    sample.closed[task] = sion_generic_parclose(sid) == 1;
    comm->ops->free(comm);
    return NULL;
}

static void *differ_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = open_own(comm);

    sample.put[comm->rank] = sid >= 0 && teams_define_differently(sid, comm->rank, comm->size);
    sample.closed[comm->rank] = sion_generic_parclose(sid) == 1;
    snprintf(sample.reasons[comm->rank], sizeof sample.reasons[0], "%s", teams_reason());
    comm->ops->free(comm);
    return NULL;
}

static void threads_write_and_one_reads(void)
{
    int task;

    for (sample.tasks = 1; sample.tasks <= MOST; sample.tasks++) {
        for (sample.nfiles = 1; sample.nfiles <= sample.tasks; sample.nfiles += 2) {
            generic_run_threads(sample.tasks, write_in_thread);
            for (task = 0; task < sample.tasks; task++)
                CHECK(sample.put[task] && sample.closed[task]);
            CHECK_INT(teams_count_wrong(NAME, sample.tasks), 0);
        }
    }
}

static void a_new_start_discards_old_blocks(void)
{
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;
    int task;

    for (sample.tasks = 1; sample.tasks <= MOST; sample.tasks++) {
        sample.nfiles = 1;
        generic_run_threads(sample.tasks, start_anew_in_thread);
        for (task = 0; task < sample.tasks; task++)
            CHECK(sample.put[task] && sample.closed[task]);
        arrays = sion_array_reader_open(NAME);
        CHECK_INT(sion_array_reader_info(arrays, "T", &info), SION_SUCCESS);
        CHECK_INT(info.blocks, sample.tasks / 2);
        CHECK_INT(sion_array_reader_step(arrays, "T", 0), sample.tasks > 1 ? 7 : -1);
        sion_array_reader_close(arrays);
    }
}

static void different_definitions_fail_on_all_tasks(void)
{
    int task;

    for (sample.tasks = 2; sample.tasks <= MOST; sample.tasks++) {
        sample.nfiles = sample.tasks % 2 + 1;
        generic_run_threads(sample.tasks, differ_in_thread);
        for (task = 0; task < sample.tasks; task++) {
            CHECK(sample.put[task] && !sample.closed[task]);
            CHECK_CONTAINS(sample.reasons[task], "array T is defined with another type or shape");
            CHECK_STR(sample.reasons[task], sample.reasons[0]);
        }
    }
}

int main(void)
{
    support_enter_folder();
    sample.aid = generic_make_api();
    RUN(threads_write_and_one_reads);
    RUN(a_new_start_discards_old_blocks);
    RUN(different_definitions_fail_on_all_tasks);
    support_leave_folder();
    return check_done();
}
