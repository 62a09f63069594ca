/*
 * Opens and closes of so many tasks that rank 0 should not hold a number of each: where all ask for
 * the same, or have written as much, or read a file in the order of its tasks, it holds none; files
 * and failures are those of few tasks.
 */

#include <errno.h>

#include "damage.h"
#include "vfs/fault.h"
#include "parallel/parallel.h"
#include "alike_mpi.h"

#define FEW  "few.sion"
#define MANY "many.sion"

/* What is written. */
static struct {
    const char *mode;
    int uneven_chunks, uneven_bytes, chunks, publishes;
    int bytes_apart;     /* _bytes: of a task to the next one */
    sion_int64 more;     /* bytes of the last chunk size */
    int gathers, others; /* that the last of these took */
} how = {.chunks = 1, .bytes_apart = 1};

static int open_file(const char *name, const char *mode)
{
    MPI_Comm none = MPI_COMM_NULL;
    sion_int64 chunksize = 100 + (how.uneven_chunks ? 30 * mpi_rank : 0);
    sion_int32 fsblksize = 64;
    int one = 1, rank = mpi_rank;

    if (mpi_rank == mpi_size - 1)
        chunksize += how.more;
    return sion_paropen_mpi(name, mode, &one, MPI_COMM_WORLD, &none, &chunksize, &fsblksize, &rank,
                            NULL, NULL);
}

static size_t bytes_of(int task)
{
    return (size_t)(60 * how.chunks + (how.uneven_bytes ? task * how.bytes_apart : 0));
}

/* Each task writes its bytes; returns 1 if all succeeded. */
static int write_file(const char *name)
{
    unsigned char data[1000];
    size_t bytes = bytes_of(mpi_rank), first = 0;
    int sid = open_file(name, how.mode);

    check_fill(data, mpi_rank, 0, sizeof data);
    if (sid < 0)
        return 0;
    if (how.publishes)
        first = 20 + (size_t)mpi_rank;
    if (sion_stream_write(sid, data, (sion_int64)first) != (sion_int64)first ||
        (how.publishes && sion_parpublish_mpi(sid) != SION_SUCCESS))
        return 0;
    bytes -= first;
    return sion_stream_write(sid, data + first, (sion_int64)bytes) == (sion_int64)bytes &&
           sion_parclose_mpi(sid) == SION_SUCCESS;
}

/* As task `task` has written; counts the collectives of the open. */
static int read_task(const char *name, int task)
{
    unsigned char data[1000], wanted[1000];
    size_t bytes = bytes_of(task);
    int sid;

    gathers = others = 0;
    sid = open_file(name, "br");
    how.gathers = gathers;
    how.others = others;
    check_fill(wanted, task, 0, sizeof wanted);
    return sid >= 0 && sion_stream_read(sid, data, sizeof data) == (sion_int64)bytes &&
           memcmp(data, wanted, bytes) == 0 && sion_parclose_mpi(sid) == SION_SUCCESS;
}

static int read_back(const char *name)
{
    return read_task(name, mpi_rank);
}

/* The whole file but for the name and, where there is one, the nonce in its header. */
static int is_same(int has_nonce)
{
    static unsigned char few[1 << 16], many[1 << 16];
    FILE *a = fopen(FEW, "rb"), *b = fopen(MANY, "rb");
    size_t n = a ? fread(few, 1, sizeof few, a) : 0, m = b ? fread(many, 1, sizeof many, b) : 0;
    size_t begin = has_nonce ? 0 : 52; /* flag2 before the name */

    if (a)
        fclose(a);
    if (b)
        fclose(b);
    if (has_nonce)
        return n == m && n > 1076;
    return n == m && n > 1076 && memcmp(few, many, begin) == 0 &&
           memcmp(few + 1076, many + 1076, n - 1076) == 0;
}

/* Writes as few tasks do, and as many; counts the second. */
static void write_both(const char *mode, int has_nonce)
{
    int written[2];

    how.mode = mode;
    scion_large_from = 1 << 20;
    CHECK(write_file(FEW));
    scion_large_from = 1;
    gathers = others = 0;
    CHECK(write_file(MANY));
    printf("# rank %d: %s: %d gathers and scatters, %d others\n", mpi_rank, mode, gathers, others);
    written[0] = gathers;
    written[1] = others;
    CHECK(read_back(MANY));
    scion_large_from = 1 << 20;
    CHECK(read_back(MANY));
    how.gathers = written[0];
    how.others = written[1];
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(mpi_rank > 0 || is_same(has_nonce));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Few tasks take three collectives to open, and three to close. */
static void check_collectives(int wanted_gathers, int wanted_others)
{
    CHECK_INT(how.gathers, wanted_gathers);
    CHECK_INT(how.others, wanted_others);
}

static void equal_tasks_send_nothing_of_their_own(void)
{
    write_both("bw", 0);
    check_collectives(0, 3 + 2);
}

/* So do those who write collectively, in groups that they compute. */
static void equal_tasks_know_their_groups(void)
{
    static const char *const modes[] = {"bw,collective", "bw,collective,collsize=2",
                                        "bw,collective,collsize=1", "bw,collmsa,collsize=2",
                                        "bw,collective,collsize=3,recover"};
    int i;

    for (i = 0; i < 5; i++) {
        write_both(modes[i], i == 4);
        check_collectives(0, 3 + 2 + 1);
    }
}

/* Rank 0 gets the chunk sizes, and each task learns what is before its own chunk. */
static void chunk_sizes_differ(void)
{
    how.uneven_chunks = 1;
    write_both("bw", 0);
    check_collectives(mpi_size > 1, 5);
    how.uneven_bytes = 1;
    write_both("bw", 0);
    how.uneven_bytes = 0;
    check_collectives(2 * (mpi_size > 1), 5);
    how.uneven_chunks = 0;
}

/* Sizes of more than 32 bits go the way of few tasks. */
static void chunk_sizes_are_large(void)
{
    how.more = ((sion_int64)1 << 32) - 101;
    write_both("bw", 0);
    check_collectives(mpi_size > 1, 5);
    how.more++;
    write_both("bw", 0);
    check_collectives(mpi_size == 1 ? 0 : 2, mpi_size == 1 ? 5 : 4);
    how.more = 0;
}

static void bytes_differ(void)
{
    how.uneven_bytes = 1;
    write_both("bw", 0);
    how.uneven_bytes = 0;
    check_collectives(mpi_size > 1, 5);
}

static void tasks_have_several_chunks(void)
{
    how.chunks = 5;
    write_both("bw", 0);
    check_collectives(0, 5);
    how.uneven_bytes = 1;
    write_both("bw", 0);
    how.uneven_bytes = 0;
    how.chunks = 1;
}

/* Pieces of one number, or more, of each task. */
static void tasks_have_other_numbers_of_chunks(void)
{
    static const sion_int64 pieces[] = {1, 64 << 20};
    int i;

    how.chunks = 2;
    how.uneven_bytes = 1;
    how.bytes_apart = 140;
    for (i = 0; i < 4; i++) {
        scion_small_piece = pieces[i % 2];
        scion_piece_numbers = i / 2 ? 3 * mpi_size : SCION_GATHER_MOST;
        write_both("bw", 0);
        write_both("bw,recover", 1);
    }
    scion_piece_numbers = SCION_GATHER_MOST;
    how.publishes = 1;
    write_both("bw", 1);
    how.publishes = how.uneven_bytes = 0;
    how.bytes_apart = how.chunks = 1;
}

/* Small lengths that were published, and then many, of several chunks. */
static void published_before(void)
{
    how.publishes = 1;
    write_both("bw", 1);
    how.chunks = 5;
    how.uneven_bytes = 1;
    write_both("bw", 1);
    how.uneven_bytes = how.publishes = 0;
    how.chunks = 1;
}

static void in_other_modes(void)
{
    static const char *const modes[] = {"bw,recover",    "bw,atomic",           "bw,posix",
                                        "bw,collective", "bw,sync=close",       "bw,files=2",
                                        "bw,stage=.",    "bw,collective,cmerge"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_both(modes[i], 1);
        how.uneven_chunks = how.uneven_bytes = 1;
        write_both(modes[i], 1);
        how.uneven_chunks = how.uneven_bytes = 0;
    }
}

/* ---- reading ---- */

static int is_last(void)
{
    return mpi_rank == mpi_size - 1;
}

/* Written by few tasks, with different sizes of everything. */
static void write_uneven(const char *mode, int chunks)
{
    scion_large_from = 1 << 20;
    how.mode = mode;
    how.chunks = chunks;
    how.uneven_chunks = how.uneven_bytes = 1;
    CHECK(write_file(MANY));
    MPI_Barrier(MPI_COMM_WORLD);
    scion_large_from = 1;
}

static void end_uneven(void)
{
    scion_large_from = 1 << 20;
    how.chunks = 1;
    how.uneven_chunks = how.uneven_bytes = 0;
}

/* Two reductions, what rank 0 has seen, and a prefix sum. */
static void readers_get_nothing_from_rank_0(void)
{
    write_uneven("bw", 1);
    CHECK(read_back(MANY));
    check_collectives(0, 4);
    write_uneven("bw,recover", 5);
    CHECK(read_back(MANY));
    check_collectives(0, 4);
    how.more = 77; /* what the application has in the variable of the chunk size */
    CHECK(read_back(MANY));
    check_collectives(0, 4);
    how.more = 0;
    end_uneven();
}

static void set_number(long offset, sion_int64 number)
{
    int64_t word = number;

    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(mpi_rank > 0 || damage_move(MANY, "r+", offset, &word, sizeof word));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Then rank 0 tells each of them where it is. */
static void ranks_in_another_order_get_their_tasks(void)
{
    int other = is_last() ? 0 : mpi_rank == 0 ? mpi_size - 1 : mpi_rank;

    write_uneven("bw", 1);
    set_number(DAMAGE_ARRAYS, mpi_size - 1);
    set_number(DAMAGE_ARRAYS + 8 * (mpi_size - 1), 0);
    CHECK(read_task(MANY, other));
    check_collectives(mpi_size > 1, mpi_size > 1 ? 5 : 4);
    end_uneven();
}

/* Rank 0 finds a wrong number of chunks, and the task itself a wrong number of bytes. */
static void a_damaged_task_is_that_of_few_tasks(void)
{
    static const sion_int64 wrong[] = {7350, 9};
    char byte;
    int i, sid;

    for (i = 0; i < 2; i++) {
        write_uneven("bw", 3);
        set_number(i == 0 ? damage_used_at(MANY, mpi_size - 1, 0)
                          : damage_count_at(MANY, mpi_size - 1),
                   wrong[i]);
        support_catch();
        gathers = 0;
        sid = open_file(MANY, "br");
        CHECK(sid >= 0);
        CHECK_INT(gathers > 0, i == 1);
        CHECK_INT(sion_fread(&byte, 1, 1, sid), !is_last());
        CHECK_INT(support_errors, is_last());
        CHECK(!is_last() || strstr(support_message, "nothing is read of this task"));
        CHECK_INT(sion_parclose_mpi(sid), SION_SUCCESS);
    }
    end_uneven();
}

/* Each call of the open in turn, on one rank: the open fails on all, or not at all. */
static void reads_that_fail_are_a_failure_of_all(void)
{
    int n, hit = 1, sid;

    write_uneven("bw", 2);
    for (n = 1; hit; n++) {
        support_catch();
        scion_fault_arm(1 << SCION_FAULT_OPEN | 1 << SCION_FAULT_PREAD, is_last() ? n : 0, 1, EIO);
        sid = open_file(MANY, "br");
        hit = scion_fault_hits() > 0;
        scion_fault_disarm();
        MPI_Bcast(&hit, 1, MPI_INT, mpi_size - 1, MPI_COMM_WORLD);
        CHECK(mpi_size == 1 || (sid < 0) == hit);
        CHECK_SAME(sid < 0);
        if (sid >= 0)
            CHECK_INT(sion_parclose_mpi(sid), SION_SUCCESS);
    }
    CHECK(n > 4);
    end_uneven();
}

static void check_refused(const char *name, const char *mode)
{
    support_errors = 0;
    CHECK(open_file(name, mode) < 0);
    CHECK_SAME(sion_error_code());
    CHECK(sion_error_code() != 0);
}

static void failures_are_those_of_all(void)
{
    scion_large_from = 1;
    check_refused("nothing/x.sion", "bw");
    check_refused("missing.sion", "br");
    how.uneven_chunks = 1;
    check_refused("nothing/x.sion", "bw");
    how.uneven_chunks = 0;
    how.more = -101 - 30 * (mpi_size - 1);
    check_refused(MANY, "bw");
    how.more = 0;
    check_refused(is_last() ? "" : MANY, "bw");
    if (mpi_size > 1)
        check_refused(MANY, is_last() ? "br" : "bw");
    scion_large_from = 1 << 20;
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(equal_tasks_know_their_groups);
    RUN_MPI(equal_tasks_send_nothing_of_their_own);
    RUN_MPI(chunk_sizes_differ);
    RUN_MPI(chunk_sizes_are_large);
    RUN_MPI(bytes_differ);
    RUN_MPI(tasks_have_several_chunks);
    RUN_MPI(tasks_have_other_numbers_of_chunks);
    RUN_MPI(published_before);
    RUN_MPI(in_other_modes);
    RUN_MPI(readers_get_nothing_from_rank_0);
    RUN_MPI(ranks_in_another_order_get_their_tasks);
    RUN_MPI(a_damaged_task_is_that_of_few_tasks);
    RUN_MPI(reads_that_fail_are_a_failure_of_all);
    RUN_MPI(failures_are_those_of_all);
    return mpi_end();
}
