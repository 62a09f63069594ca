/* Arrays of the generic interface: tasks are threads, with callbacks of the application. */
#include "sion.h"

#include "layers/generic_callbacks.h"

#include "array/teams.h"
#include "support.h"

#define NAME "generic.sion"

enum { MOST = 6 };

static struct {
    int aid, tasks, nfiles;
    int put[MOST], closed[MOST];
    char reasons[MOST][300];
} sample;

/* Tasks are dealt out to the files in turn. */
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

static void definitions_that_differ_fail_on_all_tasks(void)
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
    RUN(definitions_that_differ_fail_on_all_tasks);
    support_leave_folder();
    return check_done();
}
