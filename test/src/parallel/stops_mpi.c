/*
 * Close is the safe exit from any state of collective calls: each task stops at its own first
 * failure, and closes while the others still write or read. All get the same result, and data that
 * were accepted can be read if the close has succeeded.
 */
#include "stops_mpi.h"

static const char *const writers[] = {
    "bw,collective",        "bw,collective,posix",          "bw,collective,recover",
    "bw,collective,cmerge", "bw,collective,cmerge,recover", "bw,buddy",
    "bw,buddy,recover",     "bw,collective,buddy",
};
enum { WRITERS = sizeof writers / sizeof writers[0] };

static const char *const readers[] = {
    "br,collective,collread",
    "br,collective,collread,posix",
    "br,collective,cmerge",
    "br,buddy",
};
enum { READERS = sizeof readers / sizeof readers[0] };

static int is_buddy(const char *mode)
{
    return strstr(mode, "buddy") != NULL;
}

/* Write up to `calls` records; returns how many were accepted before the first failure. */
static int write_until(int sid, int calls)
{
    int i = 0;

    while (i < calls) {
        check_fill(data, mpi_rank, i * (long)now.bytes, now.bytes);
        if (sion_coll_fwrite(data, 1, now.bytes, sid) != now.bytes)
            break;
        i++;
    }
    return i;
}

static int read_until(int sid, int calls)
{
    int i = 0;

    while (i < calls && sion_coll_fread(data, 1, now.bytes, sid) == now.bytes) {
        CHECK_INT(check_compare(data, mpi_rank, i * (long)now.bytes, now.bytes), -1);
        i++;
    }
    return i;
}

static void check_accepted(int accepted)
{
    int sid = open_now(strstr(now.mode, "cmerge") ? "br,collective,cmerge" : "br"), i;

    for (i = 0; i < accepted; i++) {
        CHECK_INT(sion_fread(data, 1, now.bytes, sid), now.bytes);
        CHECK_INT(check_compare(data, mpi_rank, i * (long)now.bytes, now.bytes), -1);
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* All combinations, with a record size that goes round. */
static void choose(const char *mode, int collsize)
{
    static int next;

    now.mode = mode;
    now.collsize = is_buddy(mode) && !strstr(mode, "collective") && collsize > 0 ? 0 : collsize;
    now.nfiles = is_buddy(mode) ? 2 : 1;
    now.bytes = sizes[next++ % SIZES];
}

typedef void case_function(int victim, int n);

/* victim: a rank, or their number: all. n goes round, too. */
static void try_all(const char *const *modes, int nmodes, case_function *function)
{
    static const int collsizes[] = {2, 3, -1};
    static int n;
    int m, c, victim, before;

    for (m = 0; m < nmodes; m++) {
        for (c = 0; c < 3; c++) {
            for (victim = 0; victim <= mpi_size; victim++) {
                before = check_failed_here;
                choose(modes[m], collsizes[c]);
                n = n % 4 + 1;
                function(victim, n);
                name_failures(before);
            }
        }
    }
    alarm(0);
}

/* ---- the number of calls differs, for reasons that only the task knows ---- */

/* Calls of this rank, if the victim makes n of them. */
static int calls_of(int victim, int n)
{
    return victim == mpi_size ? (n * 5 + mpi_rank * 7) % CALLS : victim == mpi_rank ? n : CALLS;
}

static void stop_writing(int victim, int n)
{
    int sid, done;

    watch("stops writing after", n, victim);
    sid = open_now(now.mode);
    done = write_until(sid, calls_of(victim, n - 1));
    CHECK_INT(done, calls_of(victim, n - 1));
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_accepted(done);
}

static void a_task_may_stop_writing_before_the_others(void)
{
    try_all(writers, WRITERS, stop_writing);
}

static void write_for(const char *reader)
{
    const char *mode = now.mode;
    int sid;

    sid = open_now(is_buddy(reader)           ? "bw,buddy"
                   : strstr(reader, "cmerge") ? "bw,collective,cmerge"
                                              : "bw,collective");
    CHECK_INT(write_until(sid, CALLS), CALLS);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    now.mode = mode;
}

static void stop_reading(int victim, int n)
{
    int sid;

    watch("stops reading after", n, victim);
    write_for(now.mode);
    sid = open_now(now.mode);
    CHECK_INT(read_until(sid, calls_of(victim, n - 1)), calls_of(victim, n - 1));
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void a_task_may_stop_reading_before_the_others(void)
{
    try_all(readers, READERS, stop_reading);
}

/* ---- calls of the system fail ---- */

static long hits;

/* On some rank, calls have failed. */
static void check_hits(void)
{
    MPI_Allreduce(MPI_IN_PLACE, &hits, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(hits > 0);
    hits = 0;
}

static void fail_on(enum scion_fault_call call, int victim, int n)
{
    int is_victim = victim == mpi_rank || victim == mpi_size;

    scion_fault_arm(1u << call, is_victim ? n : 0, n % 2 ? 1000 : 1,
                    call == SCION_FAULT_PREAD ? EIO : ENOSPC);
}

static void fail_to_write(int victim, int n)
{
    int sid, done, closed;

    watch("write fails", n, victim);
    scion_fault_arm(0, 0, 0, 0); /* files take the table when they are opened */
    sid = open_now(now.mode);
    fail_on(SCION_FAULT_PWRITE, victim, n);
    done = write_until(sid, CALLS);
    closed = sion_parclose_mpi(sid);
    hits += scion_fault_hits();
    scion_fault_disarm();
    CHECK_SAME(closed);
    MPI_Barrier(MPI_COMM_WORLD);
    if (closed == 1)
        check_accepted(done);
}

static void tasks_whose_writes_fail_close_at_once(void)
{
    try_all(writers, WRITERS, fail_to_write);
    check_hits();
}

static void fail_to_read(int victim, int n)
{
    int sid, closed;

    watch("read fails", n, victim);
    write_for(now.mode);
    scion_fault_arm(0, 0, 0, 0);
    sid = open_now(now.mode);
    fail_on(SCION_FAULT_PREAD, victim, n);
    read_until(sid, CALLS + 1);
    closed = sion_parclose_mpi(sid);
    hits += scion_fault_hits();
    scion_fault_disarm();
    CHECK_SAME(closed);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void tasks_whose_reads_fail_close_at_once(void)
{
    try_all(readers, READERS, fail_to_read);
    check_hits();
}

/* ---- transactions ---- */

/* Where a task stops: inside of a transaction, after it, or before the first record. */
static int write_in_turns(int sid, int stops_inside, int calls)
{
    int i;

    for (i = 0; i < CALLS; i++) {
        CHECK_INT(sion_startof_transaction_mpi(sid), 1);
        if (i == calls && stops_inside)
            break;
        check_fill(data, mpi_rank, i * (long)now.bytes, now.bytes);
        CHECK_INT(sion_fwrite(data, 1, now.bytes, sid), now.bytes);
        CHECK_INT(sion_endof_transaction_mpi(sid), 1);
        if (i + 1 == calls && !stops_inside)
            return calls;
    }
    return i;
}

static void stop_in_turns(int victim, int n)
{
    static const char *const at_once[] = {"1", "2", ""};
    int sid, done, stops_inside = n % 2, calls = calls_of(victim, n) + !stops_inside;

    setenv("SION_SERBLOCKSIZE", at_once[n % 3], 1);
    watch(stops_inside ? "stops inside of transaction" : "stops after transaction", n, victim);
    sid = open_now(now.mode);
    done = write_in_turns(sid, stops_inside, calls);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    unsetenv("SION_SERBLOCKSIZE");
    check_accepted(done);
}

static void a_task_may_stop_in_transactions(void)
{
    static const char *const modes[] = {"bw", "bw,posix", "bw,recover"};
    int i;

    for (i = 0; i < 4; i++)
        try_all(modes, 3, stop_in_turns);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    make_locals();
    RUN_MPI(a_task_may_stop_writing_before_the_others);
    RUN_MPI(a_task_may_stop_reading_before_the_others);
    RUN_MPI(tasks_whose_writes_fail_close_at_once);
    RUN_MPI(tasks_whose_reads_fail_close_at_once);
    RUN_MPI(a_task_may_stop_in_transactions);
    return mpi_end();
}
