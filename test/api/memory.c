/*
 * Each allocation of the library fails in turn, and each system call: the call fails and reports
 * the reason. Nothing is lost silently, nothing stays open, and nothing ends the program.
 */
#include <errno.h>

#include "sion.h"
#include "sion_checksum.h"
#include "sion_recover.h"

#include "lack.h"
#include "support.h"
#include "vfs/fault.h"

enum { TASKS = 3, CHUNK = 100, KEYS = 40 };

static const char *mode;
static size_t record = 70; /* bytes */
static char name[512] = "m.sion";

/* ---- the functions that are tried: each returns whether all of it worked ---- */

static int create(void)
{
    int ntasks = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *ranks_pointer = ranks;
    sion_int64 sizes[TASKS] = {CHUNK, CHUNK, CHUNK}, *sizes_pointer = sizes;
    sion_int32 fsblksize = 10;

    return sion_open(name, mode, &ntasks, &nfiles, &sizes_pointer, &fsblksize, &ranks_pointer,
                     NULL);
}

/* Several chunks of two tasks, in turn. */
static int write_records(int sid)
{
    char data[CHUNK] = {0};
    int i, good = 1;

    for (i = 0; i < 12 && good; i++) {
        check_fill((unsigned char *)data, i % 2, i / 2 * (long)record, record);
        good = sion_seek(sid, i % 2, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               sion_fwrite(data, 1, record, sid) == record;
    }
    return good;
}

static int write_plain(void)
{
    int sid = create(), good = sid >= 0 && write_records(sid);

    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int write_keys(void)
{
    int sid = create(), good = sid >= 0, i;

    for (i = 0; i < KEYS && good; i++)
        good = sion_fwrite_key(&i, (uint64_t)i, sizeof i, 1, sid) == 1 &&
               sion_fwrite_key(&i, 0, sizeof i, 1, sid) == 1;
    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int open_to_read(void)
{
    int ntasks, nfiles;
    sion_int32 fsblksize;

    return sion_open(name, mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
}

/* Bytes of a task's stream, from this one on, are those that were written. */
static int are_right(const char *data, int task, sion_int64 first, sion_int64 bytes)
{
    long wrong = check_compare((const unsigned char *)data, task, first, (size_t)bytes);

    CHECK_INT(wrong, -1);
    return wrong == -1;
}

static int read_records(int sid)
{
    char data[CHUNK];
    int i, good = 1;

    for (i = 0; i < 2 && good; i++)
        good = sion_seek(sid, i, 0, 0) == 1 && sion_fread(data, 1, record, sid) == record &&
               are_right(data, i, 0, (sion_int64)record);
    return good;
}

static int read_plain(void)
{
    int sid = open_to_read(), good = sid >= 0 && read_records(sid);

    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int read_tasks(void)
{
    int ranks[TASKS] = {0, 1, 2}, sid = open_to_read(), good = 0;
    char data[12 * CHUNK];
    sion_int64 starts[TASKS + 1];

    if (sid >= 0)
        good =
            sion_stream_sizes(sid, TASKS, ranks, starts) == 12 * (sion_int64)record &&
            sion_stream_read_tasks(sid, TASKS, ranks, starts, data, sizeof data) == starts[TASKS] &&
            are_right(data, 0, 0, starts[1]) && are_right(data + starts[1], 1, 0, starts[1]);
    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int read_rank(void)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = 1, sid = sion_open_rank(name, mode, &chunksize, &fsblksize, &rank, NULL);
    char data[CHUNK];
    int good = sid >= 0 && sion_fread(data, 1, record, sid) == record &&
               are_right(data, 1, 0, (sion_int64)record);

    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int read_keys(void)
{
    int sid = open_to_read(), good = sid >= 0, i, value;

    good = good && sion_seek(sid, 0, 0, 0) == 1;
    for (i = 1; i < KEYS && good; i++)
        good = sion_fread_key(&value, (uint64_t)i, sizeof value, 1, sid) == 1 && value == i;
    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int read_duplicate(void)
{
    int sid = open_to_read(), copy = sid >= 0 ? sion_dup(sid, SION_DUP_ALL, 0, 0) : -1;
    int good = copy >= 0 && read_records(copy);

    good = copy >= 0 && sion_dedup(copy) == 1 && good;
    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int ask(void)
{
    int sid = open_to_read(), ntasks, maxblocks, size, nfiles, good;
    sion_int64 skip, start, *sizes, *ranks, *counts, *used, *positions, *blocks;
    sion_int32 *mapping;

    good = sid >= 0 &&
           sion_get_locations(sid, &ntasks, &maxblocks, &skip, &start, &sizes, &ranks, &counts,
                              &used) == 1 &&
           sion_get_current_locations(sid, &ntasks, &positions, &blocks) == 1 &&
           sion_get_mapping(sid, &size, &mapping, &nfiles) == 1;
    return sid >= 0 && sion_close(sid) == 1 && good;
}

/* Positions in a task's stream, and the reads after them. */
static int read_stream(void)
{
    int sid = open_to_read(), good = sid >= 0, i;
    char data[12 * CHUNK];

    for (i = 0; i < 2 && good; i++)
        good = sion_seek(sid, i, 0, 0) == 1 &&
               sion_stream_skip(sid, 2 * (sion_int64)record) == 2 * (sion_int64)record &&
               sion_stream_read(sid, data, (sion_int64)record) == (sion_int64)record &&
               are_right(data, i, 2 * (sion_int64)record, (sion_int64)record) &&
               sion_stream_tell(sid) == 3 * (sion_int64)record &&
               sion_stream_size(sid) == 6 * (sion_int64)record && sion_feof(sid) == 0 &&
               sion_stream_read(sid, data, 4 * CHUNK) == 3 * (sion_int64)record &&
               sion_feof(sid) == 1;
    return sid >= 0 && sion_close(sid) == 1 && good;
}

/* Through the container's FILE* or descriptor. */
static int read_exported(void)
{
    int sid = open_to_read(), good = sid >= 0 && sion_seek(sid, 1, 0, 0) == 1, fd = -1;
    char data[CHUNK];
    FILE *file = NULL;

    if (good && strstr(mode, "posix"))
        good = (fd = sion_get_fd(sid)) >= 0 && read(fd, data, record) == (ssize_t)record;
    else if (good)
        good = (file = sion_get_fp(sid)) && fread(data, 1, record, file) == record;
    good = good && are_right(data, 1, 0, (sion_int64)record) && sion_seek(sid, 0, 0, 0) == 1 &&
           sion_fread(data, 1, record, sid) == record && are_right(data, 0, 0, (sion_int64)record);
    return sid >= 0 && sion_close(sid) == 1 && good;
}

/* Arrays of the library, which the caller frees. */
static int open_with_arrays(void)
{
    int ntasks = 0, nfiles, *ranks = NULL, sid, good;
    sion_int64 *sizes = NULL;
    sion_int32 fsblksize;

    sid = sion_open(name, mode, &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    good = sid >= 0 && sizes && ranks && sizes[TASKS - 1] >= CHUNK && ranks[TASKS - 1] == TASKS - 1;
    if (sid >= 0) {
        free(sizes);
        free(ranks);
    }
    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int recover(void)
{
    sion_recovery *recovery = sion_recover_open(name, 0);
    sion_recover_info info = {.size = sizeof info};
    char data[CHUNK];
    int good = recovery && sion_recover_get_info(recovery, &info) == 1 &&
               sion_recover_read(recovery, 0, 0, data, record) == 1;

    sion_recover_close(recovery);
    return good;
}

/* ---- each allocation fails ---- */

/* Run with the nth allocation failing. Returns whether there was an nth allocation. */
static int fail_nth(long nth, int (*run)(void), int *good)
{
    int lacked;

    support_catch();
    lack_in = nth;
    *good = run();
    lacked = lack_in == 0;
    lack_in = 0;
    if (!*good) {
        CHECK_INT(sion_error_code(), SION_ERR_MEMORY);
        CHECK(support_errors > 0);
    }
    return lacked;
}

/* Where the library has another way that needs no memory, the data are in the file nevertheless. */
static void each_allocation_fails_but(int (*run)(void), const char *how, int (*works_too)(void))
{
    long nth = 0;
    int good, lacked;

    do {
        mode = how;
        lacked = fail_nth(++nth, run, &good);
        if (lacked && good)
            CHECK_INT(works_too && works_too() ? 0 : nth, 0);
    } while (lacked && nth < 1000);
    CHECK_INT(good, 1);
    CHECK(nth > 3);
}

static void each_allocation_fails(int (*run)(void), const char *how)
{
    each_allocation_fails_but(run, how, NULL);
}

/* A search for a key that fails in the middle goes on there the next time, and skips no record. */
static void a_search_without_memory_can_be_repeated(void)
{
    int failures = 0, n, i;

    support_catch();
    mode = "bw,keyval=inline";
    CHECK_INT(write_keys(), 1);
    mode = "br,keyval=inline";
    for (n = 1; n < 40; n++) {
        int sid = open_to_read(), value = 0, failed, last = KEYS - 1;

        CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
        lack_in = n;
        failed = sion_fread_key(&value, (uint64_t)last, sizeof value, 1, sid) != 1;
        lack_in = 0;
        failures += failed;
        for (i = 1; i < KEYS - !failed; i++) {
            CHECK_INT(sion_fread_key(&value, (uint64_t)i, sizeof value, 1, sid), 1);
            CHECK_INT(value, i);
        }
        CHECK_INT(sion_close(sid), 1);
    }
    CHECK(failures > 5);
}

/* ---- each system call fails ---- */

/* is_there: reads what was written in a run that reported no failure. */
static void each_call_fails(int (*run)(void), const char *how, int (*is_there)(void))
{
    int descriptors = support_descriptors(), good, hit, failed = 0;
    long n = 0;

    do {
        mode = how;
        support_catch();
        scion_fault_arm((1u << SCION_FAULT_CALLS) - 1, ++n, 1, EIO);
        good = run();
        hit = scion_fault_hits() > 0;
        scion_fault_disarm();
        failed += !good;
        CHECK(good || (hit && sion_error_code() != 0));
        CHECK(good || support_errors > 0 || run == read_exported); /* fread alone knows */
        CHECK_INT(support_descriptors(), descriptors);
        mode = "br";
        if (good && is_there)
            CHECK_INT(is_there() ? 0 : n, 0);
    } while (hit && n < 1000);
    CHECK_INT(hit, 0);
    CHECK(failed > 2);
}

static void calls_of_writers(void)
{
    static const char *const modes[] = {"bw",         "bw,posix",  "bw,posix,buffered",
                                        "bw,recover", "bw,atomic", "bw,posix,recover,sync=flush"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof modes[0]; i++)
        each_call_fails(write_plain, modes[i], read_plain);
}

static void calls_of_readers(void)
{
    static int (*const readers[])(void) = {read_plain,     read_tasks, read_rank,    read_stream,
                                           read_duplicate, ask,        read_exported};
    size_t i;

    mode = "bw";
    CHECK_INT(write_plain(), 1);
    for (i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        each_call_fails(readers[i], "br", NULL);
        each_call_fails(readers[i], "br,posix", NULL);
    }
}

static void calls_for_keys(void)
{
    each_call_fails(write_keys, "bw,keyval=inline", NULL);
    each_call_fails(write_keys, "bw,keyval=inline,posix,recover", NULL);
    mode = "bw,keyval=inline";
    CHECK_INT(write_keys(), 1);
    each_call_fails(read_keys, "br,keyval=inline", NULL);
}

/* ---- both ---- */

static void plain_containers(void)
{
    each_allocation_fails(write_plain, "bw");
    each_allocation_fails(read_plain, "br");
    each_allocation_fails(read_tasks, "br");
    each_allocation_fails(read_rank, "br");
    each_allocation_fails(read_duplicate, "br");
    each_allocation_fails(open_with_arrays, "br");
    each_allocation_fails(read_stream, "br");
    each_allocation_fails(read_exported, "br");
    each_allocation_fails(ask, "br");
}

static void other_ways_of_access(void)
{
    each_allocation_fails(write_plain, "bw,ansi");
    each_allocation_fails(read_plain, "br,ansi");
    each_allocation_fails(write_plain, "bw,buffered");
    each_allocation_fails(read_plain, "br,buffered");
}

static void key_values(void)
{
    each_allocation_fails(write_keys, "bw,keyval=inline");
    each_allocation_fails(read_keys, "br,keyval=inline");
}

static void commit_records(void)
{
    each_allocation_fails(write_plain, "bw,recover");
    each_allocation_fails(recover, "");
}

#ifdef HAVE_CHECKSUM
/* Write through the container's FILE*, which the library does not see. */
static int write_unseen(void)
{
    char data[CHUNK] = {0};
    int sid = create(), good = sid >= 0, i;
    FILE *file;

    for (i = 0; i < 2 && good; i++) {
        check_fill((unsigned char *)data, i, 0, record);
        good = sion_seek_fp(sid, i, SION_CURRENT_BLK, SION_CURRENT_POS, &file) == 1 && file &&
               fwrite(data, 1, record, file) == record;
    }
    return sid >= 0 && sion_close(sid) == 1 && good;
}

static int is_checked(void)
{
    mode = "br,checksum";
    return read_plain();
}
#endif

static void checksums(void)
{
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
    each_allocation_fails_but(write_plain, "bw,checksum", is_checked);
    each_call_fails(write_plain, "bw,checksum", is_checked);
    each_call_fails(write_unseen, "bw,ansi,checksum", NULL);
    mode = "bw,checksum";
    CHECK_INT(write_plain(), 1);
    each_call_fails(is_checked, "", NULL);
    each_allocation_fails(write_unseen, "bw,ansi,checksum");
    each_allocation_fails(read_plain, "br,checksum");
#else
    SKIP("no function for checksums");
#endif
}

static void sets_of_files(void)
{
    strcpy(name, support_golden("mpi/m01_multi.sion"));
    record = 1;
    each_allocation_fails(ask, "br");
    each_allocation_fails(read_duplicate, "br");
    each_allocation_fails(recover, "");
    each_call_fails(ask, "br", NULL);
    each_call_fails(read_duplicate, "br", NULL);
    each_call_fails(recover, "", NULL);
}

/* Tables of more bytes than there are on the stack for them. */
static int create_many(void)
{
    enum { MANY = 1000 };
    static int ranks[MANY];
    static sion_int64 sizes[MANY];
    int ntasks = MANY, nfiles = 1, *ranks_pointer = ranks, i;
    sion_int64 *sizes_pointer = sizes;
    sion_int32 fsblksize = 10;

    for (i = 0; i < MANY; i++) {
        ranks[i] = i;
        sizes[i] = CHUNK;
    }
    return sion_open(name, "bw", &ntasks, &nfiles, &sizes_pointer, &fsblksize, &ranks_pointer,
                     NULL);
}

/* All that was written is there: the tables are written in small pieces then. */
static void a_close_needs_no_memory(void)
{
    long nth = 0, lacked;

    do {
        int sid = create_many();

        CHECK(sid >= 0 && write_records(sid));
        lack_in = ++nth;
        CHECK_INT(sion_close(sid), 1);
        lacked = lack_in == 0;
        lack_in = 0;
        mode = "br";
        CHECK_INT(read_plain(), 1);
    } while (lacked && nth < 100);
    CHECK(nth > 1);
}

int main(void)
{
    support_enter_folder();
    RUN(plain_containers);
    RUN(other_ways_of_access);
    RUN(calls_of_writers);
    RUN(calls_of_readers);
    RUN(calls_for_keys);
    RUN(a_close_needs_no_memory);
    RUN(key_values);
    RUN(a_search_without_memory_can_be_repeated);
    RUN(commit_records);
    RUN(checksums);
    RUN(sets_of_files);
    support_leave_folder();
    return check_done();
}
