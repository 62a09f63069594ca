/*
 * Each communication of an open and of a close fails in turn, on all tasks: all of them return a
 * failure, and nothing leaks. Tasks are threads.
 */
#include <stdatomic.h>

#include "sion.h"
#include "sion_checksum.h"

#include "callbacks.h"
#include "support.h"

/* Every task makes the same calls in the same order. */
static _Thread_local long calls;
static long fail_at; /* the call that fails, 0: none */

static int end(int rc)
{
    return ++calls == fail_at ? 1 : rc;
}

static int failing_create(void **lcomm, void *gcomm, int grank, int gsize, int lrank, int lsize,
                          int filenumber, int numfiles)
{
    int rc = generic_create_group(lcomm, gcomm, grank, gsize, lrank, lsize, filenumber, numfiles);

    if (end(rc) == 0)
        return 0;
    if (*lcomm)
        generic_free_group(*lcomm);
    *lcomm = NULL;
    return 1;
}

static int failing_bcast(void *data, void *comm, int dtype, int nelem, int root)
{
    return end(generic_bcast(data, comm, dtype, nelem, root));
}

static int failing_gather(void *in, void *out, void *comm, int dtype, int nelem, int root)
{
    return end(generic_gather(in, out, comm, dtype, nelem, root));
}

static int failing_scatter(void *in, void *out, void *comm, int dtype, int nelem, int root)
{
    return end(generic_scatter(in, out, comm, dtype, nelem, root));
}

static int failing_gatherv(void *in, void *out, void *comm, int dtype, int *counts, int nelem,
                           int root)
{
    return end(generic_gatherv(in, out, comm, dtype, counts, nelem, root));
}

static int failing_barrier(void *comm)
{
    return end(generic_wait_for_all(comm));
}

static int failing_transfer(const void *data, sion_int64 *spec, int spec_len, sion_int64 fsblksize,
                            void *group, int collector, int first, int last, int sid,
                            int process(const void *, sion_int64 *, int))
{
    (void)data, (void)spec, (void)spec_len, (void)fsblksize, (void)group, (void)collector;
    (void)first, (void)last, (void)sid, (void)process;
    return 1; /* this test transfers nothing */
}

static int failing_transfer_back(void *data, sion_int64 *spec, int spec_len, sion_int64 fsblksize,
                                 void *group, int collector, int first, int last, int sid,
                                 int process(void *, sion_int64 *, int))
{
    (void)data, (void)spec, (void)spec_len, (void)fsblksize, (void)group, (void)collector;
    (void)first, (void)last, (void)sid, (void)process;
    return 1;
}

static int can_collect(void *group)
{
    (void)group;
    return SION_CAPABILITY_FULL;
}

static int make_api(void)
{
    char name[] = "failing";
    int aid = sion_generic_create_api(name);

    CHECK_INT(sion_generic_register_create_local_commgroup_cb(aid, failing_create), 1);
    CHECK_INT(sion_generic_register_free_local_commgroup_cb(aid, generic_free_group), 1);
    CHECK_INT(sion_generic_register_barrier_cb(aid, failing_barrier), 1);
    CHECK_INT(sion_generic_register_bcastr_cb(aid, failing_bcast), 1);
    CHECK_INT(sion_generic_register_gatherr_cb(aid, failing_gather), 1);
    CHECK_INT(sion_generic_register_scatterr_cb(aid, failing_scatter), 1);
    CHECK_INT(sion_generic_register_gathervr_cb(aid, failing_gatherv), 1);
    CHECK_INT(sion_generic_register_scattervr_cb(aid, generic_scatterv), 1);
    CHECK_INT(sion_generic_register_gather_and_execute_cb(aid, failing_transfer), 1);
    CHECK_INT(sion_generic_register_execute_and_scatter_cb(aid, failing_transfer_back), 1);
    CHECK_INT(sion_generic_register_get_capability_cb(aid, can_collect), 1);
    return aid;
}

static struct {
    int aid, tasks, nfiles, mapped, buddies, reading;
    const char *words; /* more of the mode */
} sample;

static atomic_int failures, reasons, total_calls;

static const char *mode_of_open(void)
{
    static _Thread_local char mode[64];

    snprintf(mode, sizeof mode, "%s%s", sample.reading ? "br" : "bw", sample.words);
    return mode;
}

static int open_normal(struct scion_comm *comm)
{
    sion_int64 chunksize = 100;
    sion_int32 fsblksize = 10;
    int nfiles = sample.nfiles, filenumber = comm->rank % nfiles, lrank = comm->rank / nfiles;
    int lsize = sample.tasks / nfiles;

    return sion_generic_paropen(sample.aid, "f.sion", mode_of_open(), &chunksize, &fsblksize, comm,
                                comm->rank, comm->size, &filenumber, &nfiles, &lrank, &lsize, NULL,
                                NULL);
}

static int open_mapped(struct scion_comm *comm)
{
    sion_int64 chunks[2] = {100, 100}, *chunk_list = chunks;
    sion_int32 fsblksize = 10;
    int ranks[2] = {2 * comm->rank, 2 * comm->rank + 1}, files[2] = {0, sample.nfiles - 1};
    int places[2] = {sample.nfiles == 1 ? 2 * comm->rank : comm->rank,
                     sample.nfiles == 1 ? 2 * comm->rank + 1 : comm->rank};
    int *rank_list = ranks, *file_list = files, *place_list = places;
    int n = 2, nfiles = sample.nfiles;
    char name[] = "f.sion";

    return sion_generic_paropen_mapped(sample.aid, name, mode_of_open(), &nfiles, comm, comm->rank,
                                       comm->size, &n, &rank_list, &chunk_list, &file_list,
                                       &place_list, &fsblksize, NULL);
}

static void *open_and_close(void *argument)
{
    static const char data[100];
    struct scion_comm *comm = argument;
    int sid, i, ok;

    calls = 0;
    sid = sample.mapped ? open_mapped(comm) : open_normal(comm);
    for (i = 0; sid >= 0 && !sample.reading && i < 10; i++)
        sion_fwrite(data, 10, 10, sid);
    ok = sid >= 0 &&
         (sample.mapped ? sion_generic_parclose_mapped(sid) : sion_generic_parclose(sid)) == 1;
    failures += !ok;
    reasons += !ok && strlen(sion_error_text()) > 0;
    if (comm->rank == 0)
        total_calls = (int)calls;
    comm->ops->free(comm);
    return NULL;
}

/* The first run has no failure, and counts the calls. */
static void fail_each_call(void)
{
    int descriptors = support_descriptors(), n;

    support_catch();
    failures = reasons = 0;
    fail_at = 0;
    generic_run_threads(sample.tasks, open_and_close);
    CHECK_INT(failures, 0);
    n = total_calls;
    CHECK(n >= 5);
    for (fail_at = 1; fail_at <= n; fail_at++) {
        failures = reasons = 0;
        generic_run_threads(sample.tasks, open_and_close);
        CHECK_INT(failures, sample.tasks);
        CHECK_INT(reasons, sample.tasks);
        CHECK_INT(support_descriptors(), descriptors);
    }
    CHECK(support_errors > 0);
}

static void run_case(int nfiles, int mapped)
{
    sample.tasks = sample.buddies ? 2 : 4;
    sample.nfiles = nfiles;
    sample.mapped = mapped;
    for (sample.reading = 0; sample.reading < 2; sample.reading++) {
        if (sample.reading) { /* write what the test will read */
            sample.reading = 0;
            fail_at = 0;
            generic_run_threads(sample.tasks, open_and_close);
            sample.reading = 1;
        }
        fail_each_call();
    }
}

static void one_file(void)
{
    run_case(1, 0);
}

static void a_set_of_files(void)
{
    run_case(2, 0);
}

static void mapped_containers(void)
{
    run_case(1, 1);
    run_case(2, 1);
}

static void with(const char *words)
{
    sample.words = words;
    run_case(1, 0);
    run_case(2, 0);
    run_case(2, 1);
    sample.words = "";
}

static void with_commit_records(void)
{
    with(",recover");
}

static void with_keys(void)
{
    with(",keyval=inline");
}

static void that_replace_others(void)
{
    with(",atomic");
}

static void with_groups(void)
{
    with(",collective,collsize=2");
    with(",collective,cmerge,collsize=2");
}

static void with_checksums(void)
{
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
    with(",checksum");
#else
    SKIP("no function for checksums");
#endif
}

/* Each of the two tasks is owner and keeper in turn, so both make the same calls. */
static void buddy_checkpoints(void)
{
    sample.buddies = 1;
    sample.words = ",buddy";
    run_case(2, 0);
    sample.words = ",buddy,recover";
    run_case(2, 0);
    sample.words = "";
    sample.buddies = 0;
}

int main(void)
{
    support_enter_folder();
    sample.aid = make_api();
    sample.words = "";
    RUN(one_file);
    RUN(a_set_of_files);
    RUN(mapped_containers);
    RUN(with_commit_records);
    RUN(with_keys);
    RUN(that_replace_others);
    RUN(with_groups);
    RUN(with_checksums);
    RUN(buddy_checkpoints);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
    support_leave_folder();
    return check_done();
}
