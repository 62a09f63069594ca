/*
 * Collective writes in batches: how many messages they take, what a flush and a close guarantee,
 * how losses are reported, and that no task waits for what another one does in a later call.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "collective_mpi.h"
#include "vfs/fault.h"

enum { SMALL = 100, LARGE = 400000, ROOM = 1 << 20 };

/* ---- messages ---- */

static long messages;
static long largest;

static int note(int count, MPI_Datatype type)
{
    int size;

    PMPI_Type_size(type, &size);
    messages++;
    largest = (long)count * size > largest ? (long)count * size : largest;
    return 0;
}

int MPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    note(count, type);
    return PMPI_Send(from, count, type, to, tag, comm);
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    note(count, type);
    return PMPI_Isend(from, count, type, to, tag, comm, request);
}

/* Messages that all ranks send while each writes `n` records, and in the close. */
static long count_messages(int n, size_t bytes)
{
    long all;
    int sid, i;

    usual(4096);
    sid = do_open("bw,collective,collsize=8,posix", (long long)n * (long long)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    messages = largest = 0;
    for (i = 0; i < n; i++)
        CHECK_INT(put(sid, i, bytes), bytes);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    PMPI_Allreduce(&messages, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (mpi_rank == 0)
        printf("# %d records of %zu bytes each: %ld messages\n", n, bytes, all);
    return all;
}

/*
 * Batches are sent in calls 1, 3, 7, .. 255, then, if records are small, in every 256th one, and at
 * the close: 10 in 600 calls. A large one takes a second message. Each has an outcome.
 */
static void a_batch_takes_few_messages(void)
{
    int senders = mpi_size - 1;

    CHECK_INT(count_messages(1, 10), senders * 2 * 2);
    CHECK_INT(count_messages(1, 4096), senders * 2 * 2); /* up to this size, in one message */
    CHECK_INT(count_messages(1, 4097), senders * (2 * 2 + 1));
    CHECK_INT(count_messages(600, 10), senders * 10 * 2);
    CHECK(count_messages(600, 4096) <= senders * 10 * 3);
    CHECK(count_messages(64, 65536) <= senders * 8 * 3);
    CHECK(largest <= ROOM);
}

/* ---- contents ---- */

struct step {
    size_t bytes;
    int how; /* 0 .. 2: a collective record; 3: an individual one; 4: a flush before it */
};

static void draw(struct step *steps, int n, int rank)
{
    static const size_t most[] = {1, SMALL, 5000, 70000, LARGE};
    int i, size = 1;

    check_seed((unsigned)(77 + rank));
    for (i = 0; i < n; i++) {
        if (check_below(8) == 0)
            size = (int)check_below(5);
        steps[i] = (struct step){check_below(most[size] + 1), (int)check_below(i % 3 ? 3 : 5)};
    }
}

/* Where all tasks wait for each other after each call, a wait for a later call would not end. */
static long write_steps(int sid, const struct step *steps, int n)
{
    long total = 0;
    int i;

    for (i = 0; i < n; i++) {
        if (steps[i].how == 4)
            CHECK_INT(sion_flush(sid), 1);
        if (steps[i].how == 3) {
            check_fill(data, mpi_rank, total, 50);
            CHECK_INT(sion_fwrite(data, 1, 50, sid), 50);
            total += 50;
        }
        CHECK_INT(put(sid, total, steps[i].bytes), steps[i].bytes);
        total += (long)steps[i].bytes;
        CHECK_INT(sion_get_bytes_written(sid), total);
        if (i % 2)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    return total;
}

static void check_steps(const struct step *steps, int n)
{
    int sid = do_open("br", 0), i;
    long total = 0;

    for (i = 0; i < n; i++) {
        if (steps[i].how == 3) {
            CHECK_INT(sion_fread(data, 1, 50, sid), 50);
            CHECK_INT(check_compare(data, mpi_rank, total, 50), -1);
            total += 50;
        }
        CHECK_INT(sion_fread(data, 1, steps[i].bytes, sid), steps[i].bytes);
        CHECK_INT(check_compare(data, mpi_rank, total, steps[i].bytes), -1);
        total += (long)steps[i].bytes;
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void sizes_change_and_other_calls_come_in_between(void)
{
    enum { STEPS = 700 };
    static struct step steps[STEPS];
    static const char *const modes[] = {"bw,collective,collsize=8",
                                        "bw,collective,collsize=2,posix"};
    int i, sid;

    for (i = 0; i < 2; i++) {
        usual(512);
        draw(steps, STEPS, 10 * i + mpi_rank);
        sid = do_open(modes[i], i % 2 ? LARGE + 100 : 3 * LARGE);
        write_steps(sid, steps, STEPS);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        check_steps(steps, STEPS);
    }
}

/* After a flush of the task, other programs see its records. */
static void a_flush_of_one_task_is_enough(void)
{
    unsigned char seen[SMALL];
    sion_int64 at;
    int sid, file, i;

    usual(512);
    sid = do_open("bw,collective,collsize=8,posix", 10000);
    for (i = 0; i < 40; i++) {
        at = sion_get_position(sid);
        CHECK_INT(put(sid, 100 * i, SMALL), SMALL);
        CHECK_INT(sion_flush(sid), 1);
        file = open(NAME, O_RDONLY);
        CHECK_INT(pread(file, seen, SMALL, at), SMALL);
        CHECK_INT(check_compare(seen, mpi_rank, 100 * i, SMALL), -1);
        close(file);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void a_new_start_forgets_what_is_gathered(void)
{
    int sid, i, round;

    usual(512);
    sid = do_open("bw,collective,collsize=8", 10000);
    for (round = 0; round < 3; round++) {
        for (i = 0; i < 5 + round; i++)
            CHECK_INT(put(sid, 7000 + 100 * i, SMALL), SMALL);
        CHECK_INT(sion_parreinit_mpi(sid, 9000), 1);
        CHECK_INT(sion_get_bytes_written(sid), 0);
    }
    for (i = 0; i < 20; i++)
        CHECK_INT(put(sid, 100 * i, SMALL), SMALL);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br", 0);
    CHECK_INT(get(sid, mpi_rank, 0, 2000), 2000);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* ---- losses ---- */

static void arm(int rank, long calls)
{
    scion_fault_arm(1 << SCION_FAULT_PWRITE, mpi_rank == rank, calls, ENOSPC);
}

static void check_first_bytes(long bytes)
{
    int sid = do_open("br", 0);
    long done, part;

    for (done = 0; done < bytes; done += part) {
        part = bytes - done < LARGE ? bytes - done : LARGE;
        CHECK_INT(get(sid, mpi_rank, done, (size_t)part), part);
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* The collector cannot write the record of call 3. A sender learns it in the next call. */
static void a_loss_is_reported_by_the_next_call_and_the_close(void)
{
    size_t bytes = ROOM - 10;
    int sid, i;

    scion_fault_arm(0, 0, 0, 0);
    usual(512);
    sid = do_open("bw,collective,collsize=8,posix", (long long)(5 * bytes));
    for (i = 0; i < 2; i++)
        CHECK_INT(put(sid, i * (long)bytes, bytes), bytes);
    support_catch();
    arm(0, 1000);
    CHECK_INT(put(sid, 2 * (long)bytes, bytes), mpi_rank == 0 ? 0 : bytes);
    scion_fault_arm(0, 0, 0, 0);
    for (i = 0; i < 2 && mpi_rank == 0; i++)
        CHECK_INT(put(sid, (2 + i) * (long)bytes, bytes), bytes);
    for (i = 0; i < 2 && mpi_rank > 0; i++) {
        CHECK_INT(put(sid, 0, bytes), 0);
        CHECK_INT(support_errors, i + 1);
        CHECK_CONTAINS(support_message, "its collector, task 0");
        CHECK_CONTAINS(support_message, "No space left");
        CHECK_INT(sion_get_bytes_written(sid), 2 * (long)bytes);
    }
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK_CONTAINS(sion_error_text(), "No space left");
    CHECK_CONTAINS(sion_error_text(), "rank 1");
    check_first_bytes((mpi_rank == 0 ? 4 : 2) * (long)bytes);
}

/* Of what is gathered at the close, the collector writes nothing. */
static void a_loss_at_the_close_is_reported_by_all(void)
{
    int sid, i;

    scion_fault_arm(0, 0, 0, 0);
    usual(512);
    sid = do_open("bw,collective,collsize=8,posix", 2000);
    for (i = 0; i < 12; i++) /* batches in calls 1, 3 and 7 */
        CHECK_INT(put(sid, 100 * i, SMALL), SMALL);
    support_catch();
    arm(0, mpi_size - 1);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    scion_fault_disarm();
    CHECK_CONTAINS(sion_error_text(), "No space left");
    check_first_bytes(mpi_rank == 0 ? 1200 : 700);
}

/* A record of sion_fwrite is between two runs of the last batch. The second run is lost. */
static void what_was_stored_before_a_loss_stays(void)
{
    int sid, i;

    if (mpi_size > 2) {
        SKIP("the order of the senders is not known");
        return;
    }
    scion_fault_arm(0, 0, 0, 0);
    usual(512);
    sid = do_open("bw,collective,collsize=8,posix", 2000);
    for (i = 0; i < 9; i++)
        CHECK_INT(put(sid, 100 * i, SMALL), SMALL);
    check_fill(data, mpi_rank, 900, 50);
    CHECK_INT(sion_fwrite(data, 1, 50, sid), 50);
    for (i = 0; i < 3; i++)
        CHECK_INT(put(sid, 950 + 100 * i, SMALL), SMALL);
    support_catch();
    scion_fault_arm(1 << SCION_FAULT_PWRITE, mpi_rank == 0 ? 2 : 0, 1, ENOSPC);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    scion_fault_disarm();
    check_first_bytes(mpi_rank == 0 ? 1250 : 950);
}

/* A sender that cannot write what it has gathered itself. */
static void a_flush_reports_a_loss(void)
{
    int sid, i;

    scion_fault_arm(0, 0, 0, 0);
    usual(512);
    sid = do_open("bw,collective,collsize=8,posix", 2000);
    for (i = 0; i < 12; i++)
        CHECK_INT(put(sid, 100 * i, SMALL), SMALL);
    support_catch();
    arm(1, 1);
    CHECK_INT(sion_flush(sid), mpi_rank == 1 ? 0 : 1);
    scion_fault_disarm();
    CHECK_INT(sion_get_bytes_written(sid), mpi_rank == 1 ? 700 : 1200);
    CHECK_INT(put(sid, 1200, SMALL), mpi_rank == 1 ? 0 : SMALL);
    CHECK_INT(support_errors, mpi_rank == 1 ? 2 : 0);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK_CONTAINS(sion_error_text(), "rank 1");
    check_first_bytes(mpi_rank == 1 ? 700 : 1300);
}

/* A record that a sender writes itself, because it has no room for it, fails alone. */
static void a_record_without_room_fails_alone(void)
{
    int sid, i;

    scion_fault_arm(0, 0, 0, 0);
    usual(512);
    sid = do_open("bw,collective,collsize=8,posix", 3 * ROOM);
    for (i = 0; i < 8; i++)
        CHECK_INT(put(sid, 100 * i, SMALL), SMALL);
    support_catch();
    arm(1, 1);
    CHECK_INT(put(sid, 800, 2 * ROOM), mpi_rank == 1 ? 0 : 2 * ROOM);
    scion_fault_disarm();
    CHECK_INT(support_errors, mpi_rank == 1);
    CHECK_INT(put(sid, mpi_rank == 1 ? 800 : 800 + 2 * ROOM, SMALL), SMALL);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br", 0);
    CHECK_INT(get(sid, mpi_rank, 0, 800), 800);
    if (mpi_rank != 1)
        CHECK_INT(get(sid, mpi_rank, 800, 2 * ROOM), 2 * ROOM);
    CHECK_INT(get(sid, mpi_rank, mpi_rank == 1 ? 800 : 800 + 2 * ROOM, SMALL), SMALL);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(a_batch_takes_few_messages);
    RUN_MPI(sizes_change_and_other_calls_come_in_between);
    RUN_MPI(a_flush_of_one_task_is_enough);
    RUN_MPI(a_new_start_forgets_what_is_gathered);
    RUN_MPI(a_loss_is_reported_by_the_next_call_and_the_close);
    RUN_MPI(a_loss_at_the_close_is_reported_by_all);
    RUN_MPI(what_was_stored_before_a_loss_stays);
    RUN_MPI(a_flush_reports_a_loss);
    RUN_MPI(a_record_without_room_fails_alone);
    return mpi_end();
}
