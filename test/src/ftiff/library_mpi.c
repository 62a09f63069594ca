/*
 * Checkpoints of MPI ranks. Each system call fails on each rank: all ranks return the failure, and
 * either the old checkpoint or the new one exists.
 *
 * `quick` leaves the failures out.
 * With other arguments: `write N ID VICTIM CALL` writes checkpoint ID to state.sion in the working
 * folder, and VICTIM is killed in its CALLth changing call (0: never). `read` prints which
 * checkpoint exists. `model FILE` recovers the state of two ranks of model.py's program at their
 * second checkpoint.
 */
#include <errno.h>

#include "lack.h"
#include "mpi_check.h"
#include "codes.h"
#include "sion_ftiff_mpi.h"
#include "vfs/fault.h"

enum { VALUES = 3000 };

static int values[2][VALUES];

static void set_values(int ckptid)
{
    int i;

    for (i = 0; i < VALUES; i++) {
        values[0][i] = ckptid * 1000000 + mpi_rank * 10000 + i;
        values[1][i] = mpi_rank * 10000 + i;
    }
}

static sion_ftiff *open_state(int version)
{
    sion_ftiff *handle = sion_ftiff_open_mpi("state.sion", MPI_COMM_WORLD);

    if (!handle)
        return NULL;
    code_of(sion_ftiff_set_version(handle, version));
    code_of(
        sion_ftiff_protect(handle, 10, values[0], (VALUES - mpi_rank) * (sion_int64)sizeof(int)));
    code_of(sion_ftiff_protect(handle, 20, values[1], (sion_int64)sizeof values[1]));
    return handle;
}

static int write_state(int version, int ckptid)
{
    sion_ftiff *handle = open_state(version);
    int rc;

    set_values(ckptid);
    rc = handle ? code_of(sion_ftiff_checkpoint(handle, ckptid)) : -1;
    sion_ftiff_close(handle);
    return rc;
}

/* The number of the checkpoint that can be recovered; 0: there is none; or an error code. */
static int read_state(void)
{
    sion_ftiff *handle = open_state(SION_FTIFF_LATEST);
    struct sion_ftiff_info info = {.size = sizeof info, .ckptid = 0};
    int rc = handle ? number_or_code(sion_ftiff_status(handle, &info)) : -1, i, wrong = 0;

    memset(values, 0, sizeof values);
    if (rc == 1)
        rc = code_of(sion_ftiff_recover(handle));
    for (i = 0; i < VALUES && rc == 0 && info.ckptid != 0; i++) {
        int expected = info.ckptid * 1000000 + mpi_rank * 10000 + i;

        wrong |= values[0][i] != (i < VALUES - mpi_rank ? expected : 0);
        wrong |= values[1][i] != mpi_rank * 10000 + i;
    }
    sion_ftiff_close(handle);
    return rc != 0 ? rc : wrong ? -99 : info.ckptid;
}

static void checkpoints_are_read_back(void)
{
    int version;

    if (mpi_rank == 0)
        unlink("state.sion");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(read_state(), 0);
    for (version = 1; version <= 6; version += version == 1 ? 4 : 1) {
        CHECK_INT(write_state(version, 5), 0);
        if (version != 1)
            CHECK_INT(read_state(), 5);
        CHECK_INT(write_state(version, 6), 0);
        if (version != 1)
            CHECK_INT(read_state(), 6);
    }
}

/* One rank has more bytes than the sizes of layout E can hold. */
static void a_rank_that_cannot_write_stops_all(void)
{
    sion_ftiff *handle;
    int rc, errors;

    CHECK_INT(write_state(SION_FTIFF_RELEASE_LATEST, 1), 0);
    handle = open_state(SION_FTIFF_RELEASE_LATEST);
    if (mpi_rank == mpi_size - 1)
        code_of(sion_ftiff_protect(handle, 30, values, 0x7fffffff)); /* never read */
    support_catch();
    rc = code_of(sion_ftiff_checkpoint(handle, 2));
    CHECK_SAME(rc);
    CHECK_INT(rc, SION_ERR_ARGUMENT);
    MPI_Reduce(&support_errors, &errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (mpi_rank == 0) {
        CHECK_INT(errors, 1);
        CHECK_CONTAINS(support_message, "state.sion: the checkpoint has 2147");
        CHECK_CONTAINS(support_message, "FTI 1.4.1 to 1.6 holds at most 2147483647");
    }
    sion_ftiff_close(handle);
    CHECK_INT(read_state(), 1);
}

/* Whether the victim made an nth call, which failed. */
static int fail_nth(int victim, long n)
{
    unsigned all = (1 << SCION_FAULT_CALLS) - 1 - (1 << SCION_FAULT_UNLINK);
    int hit, rc, there, descriptors, errors, is_folder;

    CHECK_INT(write_state(SION_FTIFF_LATEST, 1), 0);
    descriptors = support_descriptors();
    support_catch();
    scion_fault_arm(all, mpi_rank == victim ? n : 0, 1, EIO);
    rc = write_state(SION_FTIFF_LATEST, 2);
    hit = scion_fault_hits() > 0;
    scion_fault_disarm();
    is_folder = strstr(sion_error_text(), "flush folder") != NULL;
    CHECK_INT(support_descriptors(), descriptors);
    MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD);
    MPI_Reduce(&support_errors, &errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK_SAME(rc);
    CHECK(hit || rc == 0);
    if (mpi_rank == 0)
        CHECK_INT(errors, rc != 0);
    there = read_state();
    CHECK(rc == 0 ? there == 2 : there == (is_folder ? 2 : 1));
    CHECK_INT(support_count_new(), 0);
    return hit;
}

static void every_failing_call_fails_on_all(void)
{
    int victim;

    for (victim = 0; victim < mpi_size; victim++) {
        long n = 1;

        while (fail_nth(victim, n) && n < 100)
            n++;
        CHECK(n > 6 && n < 100);
    }
}

static void a_failing_read_fails_on_all(void)
{
    int victim;

    CHECK_INT(write_state(SION_FTIFF_LATEST, 1), 0);
    for (victim = 0; victim < mpi_size; victim++) {
        int hit = 1, rc;
        long n;

        for (n = 1; hit && n < 200; n++) {
            support_catch();
            scion_fault_arm(1 << SCION_FAULT_PREAD | 1 << SCION_FAULT_OPEN,
                            mpi_rank == victim ? n : 0, 1, EIO);
            rc = read_state();
            hit = scion_fault_hits() > 0;
            scion_fault_disarm();
            MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD);
            CHECK_SAME(rc);
            CHECK(hit ? rc < 0 : rc == 1);
        }
        CHECK(n > 5 && n < 200);
    }
}

/* The open fails on all ranks, or, where the reserve of memory was used, on none. */
static void memory_that_one_rank_lacks_fails_on_all(void)
{
    int victim, hit = 1, failed, errors;
    long n;

    for (victim = 0; victim < mpi_size; victim++) {
        failed = 0;
        for (n = 1; n < 20; n++) {
            sion_ftiff *handle;

            support_catch();
            lack_in = mpi_rank == victim ? n : 0;
            handle = sion_ftiff_open_mpi("state.sion", MPI_COMM_WORLD);
            hit = lack_in == 0;
            lack_in = 0;
            MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD);
            CHECK_SAME(handle != NULL);
            CHECK(hit || handle);
            failed += !handle;
            sion_ftiff_close(handle);
            MPI_Reduce(&support_errors, &errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
            if (mpi_rank == 0)
                CHECK_INT(errors, !handle);
            if (!hit)
                break;
        }
        CHECK(failed > 1 && n > 3 && n < 20);
    }
}

/* One rank's stream is damaged: all ranks learn which one, and where. */
static void damage_of_one_rank_is_reported_to_all(void)
{
    int victim = mpi_size - 1;
    char text[100];

    CHECK_INT(write_state(SION_FTIFF_LATEST, 1), 0);
    if (mpi_rank == 0) {
        char name[] = "state.sion";
        int ntasks, nfiles, sid;
        sion_int64 position;
        unsigned char *bytes;
        size_t size = 0;

        sid = sion_open(name, "br", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
        CHECK_INT(sion_seek(sid, victim, 0, 100), 1);
        position = sion_get_position(sid);
        CHECK_INT(sion_close(sid), 1);
        bytes = support_load(name, &size);
        bytes[position] ^= 1;
        support_store(name, bytes, size);
        free(bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    support_catch();
    CHECK_INT(read_state(), SION_ERR_DAMAGED);
    CHECK_CONTAINS(sion_error_text(), "variable 10, container 0 (");
    snprintf(text, sizeof text, "rank %d: ", victim);
    if (mpi_size > 1)
        CHECK_CONTAINS(sion_error_text(), text);
    CHECK_INT(support_errors, mpi_rank == 0);
}

/* Whether the variables 1 to 3 follow model.py's rule: 16, 5 and no elements, and the rank. */
static int recover_model(const char *path)
{
    static const int elements[] = {16, 5, 0};
    sion_ftiff *handle = sion_ftiff_open_mpi(path, MPI_COMM_WORLD);
    unsigned data[3][20] = {{0}};
    int rc, wrong = 0, i, k, n;

    for (i = 0; i < 3; i++) {
        n = elements[i] > 0 ? elements[i] + mpi_rank : 0;
        code_of(sion_ftiff_protect(handle, i + 1, data[i], n * 4LL));
    }
    rc = code_of(sion_ftiff_recover(handle));
    for (i = 0; i < 3; i++) {
        n = elements[i] > 0 ? elements[i] + mpi_rank : 0;
        for (k = 0; k < n; k++)
            wrong |= data[i][k] != (unsigned)((i + 1) * 100000000 + k + mpi_rank * 1000000000);
    }
    sion_ftiff_close(handle);
    return rc != 0 || wrong;
}

static int run_command(int argc, char **argv)
{
    int rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi_size);
    if (strcmp(argv[1], "write") == 0 && argc == 5) {
        if (mpi_rank == atoi(argv[3]) && atoi(argv[4]) > 0)
            scion_fault_kill_in(atoi(argv[4]));
        rc = write_state(SION_FTIFF_LATEST, atoi(argv[2]));
    } else if (strcmp(argv[1], "model") == 0 && argc == 3) {
        rc = recover_model(argv[2]);
    } else {
        rc = read_state();
        if (mpi_rank == 0)
            printf("there is %d\n", rc);
        rc = rc < 0;
    }
    MPI_Finalize();
    return rc != 0;
}

int main(int argc, char **argv)
{
    int is_quick = argc == 2 && strcmp(argv[1], "quick") == 0;

    if (argc > 1 && !is_quick)
        return run_command(argc, argv);
    mpi_begin(&argc, &argv);
    RUN_MPI(checkpoints_are_read_back);
    RUN_MPI(a_rank_that_cannot_write_stops_all);
    RUN_MPI(memory_that_one_rank_lacks_fails_on_all);
    RUN_MPI(damage_of_one_rank_is_reported_to_all);
    if (is_quick)
        return mpi_end();
    RUN_MPI(every_failing_call_fails_on_all);
    RUN_MPI(a_failing_read_fails_on_all);
    return mpi_end();
}
