/*
 * Damaged numbers of one task: the open succeeds with one warning, that task cannot be read by any
 * call, whatever a program does after a failure, and all others are read as before.
 */
#include "sion.h"

#include <limits.h>

#include "damage.h"
#include "support.h"

#define NAME "c.sion"

enum { TASKS = 4, CHUNKS = 3, CHUNK = 200, BYTES = CHUNKS * CHUNK, BAD = 2, KEY = 7 };

static char data[TASKS][BYTES];

/* Full chunks, of which task `longest` has one more than the others; all have so many if it is
 * -1. */
static void write_container(const char *mode, int longest)
{
    sion_int64 chunksizes[TASKS];
    int ranks[TASKS], ntasks = TASKS, nfiles = 1, sid, t;
    sion_int32 fsblksize = 100;
    sion_int64 *sizes = chunksizes;
    int *rank = ranks;

    for (t = 0; t < TASKS; t++) {
        ranks[t] = t;
        chunksizes[t] = CHUNK;
        check_fill((unsigned char *)data[t], t, 0, BYTES);
    }
    sid = sion_open(NAME, mode, &ntasks, &nfiles, &sizes, &fsblksize, &rank, NULL);
    for (t = 0; t < TASKS; t++) {
        int chunks = longest < 0 || longest == t ? CHUNKS : CHUNKS - 1, c;

        sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS);
        for (c = 0; c < chunks; c++)
            CHECK_INT(sion_fwrite(data[t] + (size_t)c * CHUNK, 1, CHUNK, sid), CHUNK);
    }
    CHECK_INT(sion_close(sid), 1);
}

static int open_all(FILE **fp)
{
    int ntasks, nfiles;
    sion_int32 fsblksize;

    support_catch();
    return sion_open(NAME, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, fp);
}

static void check_opened(int sid, const char *what)
{
    CHECK(sid >= 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, NAME ": ");
    CHECK_CONTAINS(support_message, what);
}

/* A call has failed with this reason. */
static void check_reason(const char *what)
{
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, what);
    CHECK_INT(sion_error_code(), SION_ERR_DAMAGED);
    support_catch();
}

/* All ways to read the selected task, which is damaged. */
static void check_locked(int sid, const char *what)
{
    char buffer[8] = "";

    CHECK_INT(sion_fread(buffer, 1, 1, sid), 0);
    check_reason(what);
    CHECK_INT(sion_bytes_avail_in_block(sid), -1);
    check_reason(what);
    CHECK_INT(sion_feof(sid), 1);
    check_reason(what);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, 0, 0), 0);
    check_reason(what);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, SION_END_POS, 0), 0);
    check_reason(what);
    CHECK_STR(buffer, "");
}

/* A program that goes on after a failed seek does not get another task's bytes. */
static void check_tasks(int sid, const char *what, int bytes)
{
    char buffer[BYTES];
    int round, t, c;

    for (round = 0; round < 2; round++) {
        for (t = TASKS - 1; t >= 0; t--) {
            int found = sion_seek(sid, t, 0, 0);

            CHECK_INT(found, t != BAD);
            if (t == BAD) {
                check_reason(what);
                check_locked(sid, what);
                continue;
            }
            for (c = 0; c * CHUNK < bytes; c++)
                CHECK_INT(sion_fread(buffer + (size_t)c * CHUNK, 1, CHUNK, sid), CHUNK);
            CHECK(memcmp(buffer, data[t], (size_t)bytes) == 0);
            CHECK_INT(sion_feof(sid), 1);
        }
    }
    CHECK_INT(support_errors, 0);
}

static void check_one_rank(const char *what, int bytes)
{
    char buffer[BYTES];
    int rank, sid, c;

    for (rank = 0; rank < TASKS; rank++) {
        support_catch();
        sid = sion_open_rank(NAME, "rb", NULL, NULL, &rank, NULL);
        CHECK(sid >= 0);
        CHECK_INT(support_errors, 0);
        CHECK_INT(support_warnings, rank == BAD);
        support_catch();
        if (rank == BAD)
            check_locked(sid, what);
        for (c = 0; rank != BAD && c * CHUNK < bytes; c++)
            CHECK_INT(sion_fread(buffer + (size_t)c * CHUNK, 1, CHUNK, sid), CHUNK);
        CHECK(rank == BAD || memcmp(buffer, data[rank], (size_t)bytes) == 0);
        CHECK_INT(sion_close(sid), 1);
    }
}

static void check_duplicate(int sid, const char *what)
{
    int copy;

    CHECK_INT(sion_seek(sid, BAD, 0, 0), 0);
    support_catch();
    copy = sion_dup(sid, SION_DUP_ALL, 0, 0);
    CHECK(copy >= 0);
    support_catch();
    check_locked(copy, what);
    CHECK_INT(sion_dedup(copy), 1);
}

static void check_all(const char *what, int bytes)
{
    int sid = open_all(NULL);

    check_opened(sid, what);
    support_catch();
    check_tasks(sid, what, bytes);
    check_duplicate(sid, what);
    CHECK_INT(sion_close(sid), 1);
    check_one_rank(what, bytes);
}

static void damaged_lengths_lock_out_one_task(void)
{
    static const struct {
        int64_t number;
        const char *what;
    } bad[] = {
        {CHUNK + 1, "chunk 1 of task 2 says 201 bytes used of 200"},
        {735, "chunk 1 of task 2 says 735 bytes used of 200"},
        {-2, "chunk 1 of task 2 says -2 bytes used of 200"},
        {INT64_MAX, "chunk 1 of task 2 says 9223372036854775807 bytes used of 200"},
        {INT64_MIN, "chunk 1 of task 2 says -9223372036854775808 bytes used of 200"},
    };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_container("bw", -1);
        CHECK(damage_write(NAME, damage_used_at(NAME, BAD, 1), bad[i].number));
        check_all(bad[i].what, BYTES);
    }
}

static void damaged_counts_lock_out_one_task(void)
{
    static const struct {
        int64_t number;
        const char *what;
    } bad[] = {
        {0, "task 2 says 0 chunks, of at most 3"},
        {-1, "task 2 says -1 chunks, of at most 3"},
        {CHUNKS + 1, "task 2 says 4 chunks, of at most 3"},
        {INT64_MAX, "task 2 says 9223372036854775807 chunks, of at most 3"},
    };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_container("bw", -1);
        CHECK(damage_write(NAME, damage_count_at(NAME, BAD), bad[i].number));
        check_all(bad[i].what, BYTES);
    }
}

/* The header says 3 chunks, and no task has them any more. */
static void a_count_that_is_too_small_locks_out_the_task_with_bytes_behind(void)
{
    int sid;

    write_container("bw", BAD);
    CHECK(damage_write(NAME, damage_count_at(NAME, BAD), 2));
    sid = open_all(NULL);
    check_opened(sid, "task 2 says 2 chunks, but its chunk 2 has bytes");
    support_catch();
    check_tasks(sid, "task 2 says 2 chunks", BYTES - CHUNK);
    CHECK_INT(sion_close(sid), 1);
}

static void write_records(void)
{
    sion_int64 chunksizes[TASKS] = {CHUNK, CHUNK, CHUNK, CHUNK}, *sizes = chunksizes;
    int ranks[TASKS] = {0, 1, 2, 3}, *rank = ranks, ntasks = TASKS, nfiles = 1, sid, t;
    sion_int32 fsblksize = 100;

    sid = sion_open(NAME, "bw,keyval=inline", &ntasks, &nfiles, &sizes, &fsblksize, &rank, NULL);
    for (t = 0; t < TASKS; t++) {
        sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS);
        CHECK_INT(sion_fwrite_key(data[t], KEY, 1, BYTES - 100, sid), BYTES - 100);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* Records go on from chunk to chunk, so an inner one that is not full is damaged. */
static void partly_filled_chunks_of_keyval_lock_out_one_task(void)
{
    int sid, t;
    char buffer[BYTES];

    write_records();
    CHECK(damage_write(NAME, damage_used_at(NAME, BAD, 1), CHUNK - 1));
    sid = open_all(NULL);
    check_opened(sid, "key-value file, but chunk 1 of task 2 is only partly filled");
    for (t = 0; t < TASKS; t++) {
        support_catch();
        CHECK_INT(sion_seek(sid, t, 0, 0), t != BAD);
        support_catch();
        CHECK_INT(sion_fread_key(buffer, KEY, 1, BYTES - 100, sid), t == BAD ? 0 : BYTES - 100);
        CHECK_INT(support_errors, t == BAD);
        CHECK(t == BAD || memcmp(buffer, data[t], BYTES - 100) == 0);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* The FILE* of a damaged task gives no bytes and has an error; it works in the others. */
static void a_file_handed_out_gives_nothing_of_a_damaged_task(void)
{
    char buffer[CHUNK];
    FILE *fp = NULL;
    int sid;

    write_container("bw", -1);
    CHECK(damage_write(NAME, damage_used_at(NAME, 0, 0), CHUNK + 1));
    sid = open_all(&fp);
    check_opened(sid, "chunk 0 of task 0");
    CHECK(fp != NULL);
    CHECK_INT(fread(buffer, 1, 1, fp), 0);
    CHECK(ferror(fp));
    clearerr(fp);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(fread(buffer, 1, CHUNK, fp), CHUNK);
    CHECK(memcmp(buffer, data[1], CHUNK) == 0);
    sion_seek(sid, 0, 0, 0);
    CHECK_INT(fread(buffer, 1, 1, fp), 0);
    CHECK_INT(sion_close(sid), 1);
}

static void every_task_may_be_damaged(void)
{
    int sid, t;
    char buffer[1];

    write_container("bw", -1);
    for (t = 0; t < TASKS; t++)
        CHECK(damage_write(NAME, damage_count_at(NAME, t), 0));
    sid = open_all(NULL);
    check_opened(sid, "task 0 says 0 chunks, of at most 3: this task and 3 others");
    for (t = 0; t < TASKS; t++) {
        CHECK_INT(sion_seek(sid, t, 0, 0), 0);
        CHECK_INT(sion_fread(buffer, 1, 1, sid), 0);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* A set of SIONlib's mapped writer, with the length of another task in a chunk that is not there.
 */
static void sets_with_a_phantom_are_read(void)
{
    char path[512], buffer[8];
    int ntasks, nfiles, sid, t, locked = 0;
    sion_int32 fsblksize;

    snprintf(path, sizeof path, "%s", support_golden("damaged/100014.sion"));
    support_catch();
    sid = sion_open(path, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, ".000001: chunk 1 of task 3 says 735 bytes used of 200");
    for (t = 0; t < ntasks; t++) {
        support_catch();
        if (sion_seek(sid, t, 0, 0) == 1)
            continue;
        CHECK_CONTAINS(support_message, "sionrecover --in-place");
        CHECK_INT(sion_fread(buffer, 1, 1, sid), 0);
        CHECK_INT(t, 9);
        locked++;
    }
    CHECK_INT(locked, 1);
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(damaged_lengths_lock_out_one_task);
    RUN(damaged_counts_lock_out_one_task);
    RUN(a_count_that_is_too_small_locks_out_the_task_with_bytes_behind);
    RUN(partly_filled_chunks_of_keyval_lock_out_one_task);
    RUN(a_file_handed_out_gives_nothing_of_a_damaged_task);
    RUN(every_task_may_be_damaged);
    RUN(sets_with_a_phantom_are_read);
    support_leave_folder();
    return check_done();
}
