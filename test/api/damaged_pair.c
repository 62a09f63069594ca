/*
 * The mapping of a set: a rank whose pair and task do not agree cannot be read, and all others are
 * read as before; a mapping that does not have as many tasks as the files is refused.
 */
#include "sion.h"

#include <limits.h>

#include "damage.h"
#include "support.h"

#define NAME "m01_multi.sion"
#define WHAT "is not where the mapping says, or has another number there"

enum { TASKS = 8, FILES = 3, MOST = 4096, IN_FILE_1 = 3, ALL = 255 };

static unsigned char good[TASKS][MOST];
static size_t bytes[TASKS];

static const char *file_name(int file)
{
    static char name[64];

    snprintf(name, sizeof name, file > 0 ? "%s.%06d" : "%s", NAME, file);
    return name;
}

static void copy_set(void)
{
    static char all[1 << 20], from[300];
    int file;

    for (file = 0; file < FILES; file++) {
        const char *name = file_name(file);
        FILE *in, *out = fopen(name, "w");
        size_t n;

        snprintf(from, sizeof from, "mpi/%s", name);
        in = fopen(support_golden(from), "r");
        n = fread(all, 1, sizeof all, in);
        CHECK_INT(fwrite(all, 1, n, out), n);
        fclose(in);
        fclose(out);
    }
}

static int open_set(void)
{
    int ntasks = 0, nfiles = 0;
    sion_int32 fsblksize;

    support_catch();
    return sion_open(NAME, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
}

/* The selected task's stream; -1: it cannot be read. */
static long load(int sid, unsigned char *to)
{
    long done = 0;

    while (!sion_feof(sid)) {
        sion_int64 left = sion_bytes_avail_in_block(sid);

        if (left <= 0 || sion_fread(to + done, 1, (size_t)left, sid) != (size_t)left)
            return -1;
        done += (long)left;
    }
    return support_errors > 0 ? -1 : done;
}

static void load_good(void)
{
    int sid, t;

    copy_set();
    sid = open_set();
    for (t = 0; t < TASKS; t++) {
        long n;

        CHECK_INT(sion_seek(sid, t, 0, 0), 1);
        n = load(sid, good[t]);
        CHECK(n >= 0);
        bytes[t] = (size_t)n;
    }
    CHECK_INT(sion_close(sid), 1);
}

static void set_pair(int rank, int file, int lrank)
{
    CHECK(damage_set_pair(NAME, rank, file, lrank));
}

static void set_rank(int file, int lrank, int64_t rank)
{
    CHECK(damage_write(file_name(file), DAMAGE_ARRAYS + 8L * lrank, rank));
}

static void check_selected(int sid, int rank, int is_locked)
{
    unsigned char found[MOST];
    long n = load(sid, found);

    CHECK_INT(n, is_locked ? -1 : (long)bytes[rank]);
    CHECK(is_locked || memcmp(found, good[rank], bytes[rank]) == 0);
    if (is_locked)
        CHECK_CONTAINS(support_message, WHAT);
    support_catch();
}

/* locked: bits of the ranks that cannot be read. */
static void check_all(unsigned locked)
{
    int sid = open_set(), t, order[2] = {0, TASKS - 1}, round;

    CHECK(sid >= 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, NAME ": rank ");
    CHECK_CONTAINS(support_message, WHAT);
    for (round = 0; round < 2; round++) {
        for (t = 0; t < TASKS; t++) {
            int rank = abs(order[round] - t), is_locked = locked >> rank & 1;

            support_catch();
            CHECK_INT(sion_seek(sid, rank, 0, 0), !is_locked);
            support_catch();
            check_selected(sid, rank, is_locked);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

/* Such an open has no other task, so it fails. */
static void check_one_rank(unsigned locked)
{
    int rank, own, sid;

    for (rank = 0; rank < TASKS; rank++) {
        support_catch();
        own = rank;
        sid = sion_open_rank(NAME, "rb", NULL, NULL, &own, NULL);
        CHECK_INT(sid >= 0, !(locked >> rank & 1));
        CHECK_INT(support_errors, locked >> rank & 1);
        support_catch();
        if (sid >= 0) {
            check_selected(sid, rank, 0);
            CHECK_INT(sion_close(sid), 1);
        }
    }
}

static void check_locked(unsigned locked)
{
    check_all(locked);
    check_one_rank(locked);
    copy_set();
}

static void a_pair_that_names_no_task_locks_out_its_rank(void)
{
    static const int pairs[][2] = {{FILES, 0},   {-1, 0},      {INT_MAX, 0}, {0, -1},
                                   {1, INT_MAX}, {INT_MIN, 3}, {2, 4},       {0, INT_MIN}};
    size_t i;
    int rank;

    for (i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        rank = (int)i % TASKS;
        set_pair(rank, pairs[i][0], pairs[i][1]);
        check_locked(1U << rank);
    }
}

/* The task says whose it is: the rank that has it keeps it. */
static void a_pair_that_names_another_ranks_task_locks_out_its_own_rank(void)
{
    set_pair(0, 1, 1);
    check_locked(1);
    set_pair(7, 0, 0);
    check_locked(128);
    set_pair(2, 1, 1);
    set_pair(3, 1, 0);
    check_locked(12);
    set_pair(1, 2, 3);
    set_pair(6, 2, 3);
    check_locked(66);
}

static void a_task_that_says_another_rank_is_locked_out(void)
{
    static const int64_t ranks[] = {0, 7, TASKS, -4, INT64_MAX, INT64_MIN};
    size_t i;

    for (i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        set_rank(1, 1, ranks[i]);
        check_locked(1U << IN_FILE_1);
    }
}

static void all_pairs_may_be_damaged(void)
{
    int rank;

    for (rank = 0; rank < TASKS; rank++)
        set_pair(rank, FILES + rank, rank);
    check_locked(ALL);
}

static void check_refused(const char *what)
{
    CHECK_INT(open_set(), -1);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, what);
    CHECK_INT(sion_error_code(), SION_ERR_DAMAGED);
    copy_set();
}

/* Nobody knows which ranks there are. */
static void a_mapping_of_another_number_of_tasks_is_refused(void)
{
    int32_t size;

    for (size = FILES; size < TASKS; size++) {
        CHECK(damage_set_mapping_size(NAME, size));
        check_refused("and none of them is task 3 of m01_multi.sion.000002");
    }
    CHECK(damage_set_mapping_size(NAME, size));
    size = FILES - 1;
    CHECK(damage_set_mapping_size(NAME, size));
    check_refused("fewer than the 3 files");
    set_pair(TASKS, 2, 3);
    size = TASKS + 1;
    CHECK(damage_set_mapping_size(NAME, size));
    check_refused("mapping has 9 tasks, more than its files have");
}

int main(void)
{
    support_enter_folder();
    RUN(load_good);
    RUN(a_pair_that_names_no_task_locks_out_its_rank);
    RUN(a_pair_that_names_another_ranks_task_locks_out_its_own_rank);
    RUN(a_task_that_says_another_rank_is_locked_out);
    RUN(all_pairs_may_be_damaged);
    RUN(a_mapping_of_another_number_of_tasks_is_refused);
    support_leave_folder();
    return check_done();
}
