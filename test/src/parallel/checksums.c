/*
 * Checksums of mapped containers and of buddy checkpoints, whose tasks are threads: the files of a
 * mapped writer are byte for byte those of an individual one, every reader notices a damaged byte,
 * of which only its task is not read, and a damaged file of a buddy checkpoint is replaced by its
 * copy.
 */
#include <errno.h>
#include <stdatomic.h>

#include "sion.h"
#include "sion_checksum.h"

#include "callbacks.h"
#include "support.h"
#include "vfs/fault.h"

enum {
    TASKS = 4,
    FILES = 2,
    RECORDS = 3,
    PIECE = 1 << 20,
    SMALL = 500, /* for transfers */
    MOST_BYTES = RECORDS * (PIECE + 1002),
    FSBLKSIZE = 512,
    MANY = 70 /* more files than a process has descriptors for */
};

static struct {
    int aid;
    const char *mode;
    int nfiles, is_mapped;
    int may_fail; /* writes may */
    atomic_int opened, wrong, closed;
} sample;

static unsigned char data[TASKS][MOST_BYTES];
static size_t unit = PIECE; /* of the sizes */

static size_t chunk_size(void)
{
    return unit + 1000;
}

/* Nothing, some bytes, just a piece, and more than a chunk. */
static size_t record_of(int task, int i)
{
    switch (task) {
    case 0:
        return 0;
    case 1:
        return 700;
    case 2:
        return i == 0 ? unit : 0;
    default:
        return chunk_size() - 1 + (size_t)i;
    }
}

/* The tasks of each process: most have none or several, not in order. */
static int tasks_of(int process, int *tasks)
{
    static const int lists[TASKS][2] = {{3, 1}, {-1, -1}, {0, 2}, {-1, -1}};
    int i;

    for (i = 0; i < 2 && lists[process][i] >= 0; i++)
        tasks[i] = lists[process][i];
    return i;
}

static int open_mapped(struct scion_comm *comm)
{
    int tasks[2], files[2], places[2], *task_list = tasks, *file_list = files, *place_list = places;
    int n = tasks_of(comm->rank, tasks), nfiles = FILES, i;
    sion_int64 chunks[2], *chunk_list = chunks;
    sion_int32 fsblksize = FSBLKSIZE;
    char name[] = "s.sion";

    for (i = 0; i < n; i++) {
        files[i] = tasks[i] / (TASKS / FILES);
        places[i] = tasks[i] % (TASKS / FILES);
        chunks[i] = (sion_int64)chunk_size();
    }
    return sion_generic_paropen_mapped(sample.aid, name, sample.mode, &nfiles, comm, comm->rank,
                                       comm->size, &n, &task_list, &chunk_list, &file_list,
                                       &place_list, &fsblksize, NULL);
}

static int open_individually(struct scion_comm *comm)
{
    int nfiles = sample.nfiles, lsize = TASKS / nfiles;
    int filenumber = comm->rank / lsize, lrank = comm->rank % lsize;
    sion_int64 chunksize = (sion_int64)chunk_size();
    sion_int32 fsblksize = FSBLKSIZE;

    return sion_generic_paropen(sample.aid, "s.sion", sample.mode, &chunksize, &fsblksize, comm,
                                comm->rank, comm->size, &filenumber, &nfiles, &lrank, &lsize, NULL,
                                NULL);
}

/* Record i of a task, in a collective call if there are collectors. */
static void write_record(int sid, int task, int i)
{
    size_t bytes = record_of(task, i), before = 0;
    int r;

    for (r = 0; r < i; r++)
        before += record_of(task, r);
    if (sample.is_mapped && sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) != 1) {
        sample.wrong += !sample.may_fail; /* it writes what is buffered */
        return;
    }
    if (strstr(sample.mode, "buddy") || strstr(sample.mode, "collective"))
        bytes -= sion_coll_fwrite(data[task] + before, 1, bytes, sid);
    else
        bytes -= sion_fwrite(data[task] + before, 1, bytes, sid);
    sample.wrong += bytes > 0 && !sample.may_fail;
}

static void *write_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = sample.is_mapped ? open_mapped(comm) : open_individually(comm), tasks[2];
    int n = sample.is_mapped ? tasks_of(comm->rank, tasks) : 1, i, t;

    if (!sample.is_mapped)
        tasks[0] = comm->rank;
    sample.wrong += sid < 0 && !sample.may_fail;
    for (i = 0; sid >= 0 && i < RECORDS; i++) {
        for (t = 0; t < n; t++)
            write_record(sid, tasks[t], i);
    }
    if (sid >= 0)
        sample.closed += (sample.is_mapped ? sion_generic_parclose_mapped(sid)
                                           : sion_generic_parclose(sid)) == 1;
    comm->ops->free(comm);
    return NULL;
}

static void write_container(const char *mode, int is_mapped)
{
    sample.mode = mode;
    sample.is_mapped = is_mapped;
    sample.wrong = sample.closed = 0;
    generic_run_threads(TASKS, write_in_thread);
    CHECK_INT(sample.wrong, 0);
    if (!sample.may_fail)
        CHECK_INT(sample.closed, TASKS);
}

/* ---- reading ---- */

static size_t bytes_of(int task)
{
    return record_of(task, 0) + record_of(task, 1) + record_of(task, 2);
}

/* The stream of the selected task, in pieces by the chunks. */
static int is_right(int sid, int task, int together)
{
    static _Thread_local unsigned char bytes[MOST_BYTES];
    size_t done = 0;
    int turns = RECORDS + 1;

    while (turns-- > 0) {
        size_t now = sion_feof(sid) ? 0 : (size_t)sion_bytes_avail_in_block(sid), got;

        got = together ? sion_coll_fread(bytes + done, 1, now, sid)
                       : sion_fread(bytes + done, 1, now, sid);
        if (got != now)
            return 0;
        done += now;
    }
    return done == bytes_of(task) && memcmp(bytes, data[task], done) == 0;
}

static void *read_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = open_individually(comm);

    sample.opened += sid >= 0;
    if (sid >= 0) {
        sample.wrong += !is_right(sid, comm->rank, strstr(sample.mode, "buddy") != NULL);
        sample.wrong += sion_generic_parclose(sid) != 1;
    }
    comm->ops->free(comm);
    return NULL;
}

static void *read_mapped_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int tasks[2], n = tasks_of(comm->rank, tasks), *list = tasks, nfiles = 0, sid, i;
    char name[] = "s.sion";

    sid = sion_generic_paropen_mapped(sample.aid, name, sample.mode, &nfiles, comm, comm->rank,
                                      comm->size, &n, &list, NULL, NULL, NULL, NULL, NULL);
    sample.opened += sid >= 0;
    for (i = 0; i < n && sid >= 0; i++) {
        sample.wrong += sion_seek(sid, tasks[i], 0, 0) != 1;
        sample.wrong += !is_right(sid, tasks[i], 0);
    }
    if (sid >= 0)
        sample.wrong += sion_generic_parclose_mapped(sid) != 1;
    comm->ops->free(comm);
    return NULL;
}

/* The open succeeds on all tasks, or on none. */
static int read_all(const char *mode, void *(*reader)(void *))
{
    support_catch();
    sample.mode = mode;
    sample.opened = sample.wrong = 0;
    generic_run_threads(TASKS, reader);
    CHECK(sample.opened == TASKS || sample.opened == 0);
    return sample.opened == TASKS;
}

static int opens(const char *mode, void *(*reader)(void *))
{
    int is_open = read_all(mode, reader);

    CHECK_INT(support_errors, !is_open);
    return is_open;
}

/* One task cannot be read, and all others are right. A mapped reader also seeks it. */
static int locks_one_out(const char *mode, void *(*reader)(void *))
{
    return read_all(mode, reader) && support_errors > 0 && support_warnings >= 1 &&
           sample.wrong == (reader == read_mapped_in_thread ? 2 : 1);
}

/* The same of one task, but the open has not noticed it. */
static int fails_for_one(const char *mode, void *(*reader)(void *))
{
    return read_all(mode, reader) && support_errors > 0 && support_warnings == 0 &&
           sample.wrong == 1;
}

static int is_good(const char *mode, void *(*reader)(void *))
{
    return opens(mode, reader) && sample.wrong == 0;
}

/* Change a byte; the size of the file stays. */
static void change(const char *name, size_t offset)
{
    FILE *file = fopen(name, "r+b");
    int byte = file && fseek(file, (long)offset, SEEK_SET) == 0 ? fgetc(file) : -1;

    CHECK(byte >= 0 && fseek(file, (long)offset, SEEK_SET) == 0 && fputc(byte ^ 8, file) >= 0);
    CHECK_INT(fclose(file), 0);
}

/* ---- mapped ---- */

static void keep_as(const char *from, const char *to)
{
    CHECK_INT(rename(from, to), 0);
}

static void check_equal(const char *one, const char *other)
{
    size_t size = 0, others = 0;
    unsigned char *bytes = support_load(one, &size), *expected = support_load(other, &others);

    CHECK_INT(size, others);
    CHECK(size == others && memcmp(bytes, expected, size) == 0);
    free(bytes);
    free(expected);
}

static void mapped_writers_make_the_same_bytes(void)
{
    static const char *const modes[] = {"bw,checksum", "bw,posix,checksum"};
    int i;

    for (i = 0; i < 2; i++) {
        write_container(modes[i], 0);
        keep_as("s.sion", "a.sion");
        keep_as("s.sion.000001", "a.sion.000001");
        write_container(modes[i], 1);
        check_equal("s.sion", "a.sion");
        check_equal("s.sion.000001", "a.sion.000001");
    }
}

/* First byte of a task's data, computed from the sizes. Each file has two tasks. */
static size_t data_at(int task, int chunk)
{
    size_t start = (1088 + 32 + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE;
    size_t size = (chunk_size() + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE;

    return start + (size_t)(task % 2) * size + (size_t)chunk * 2 * size;
}

static void check_damage(const char *name, size_t offset, const char *reason)
{
    void *(*const readers[])(void *) = {read_in_thread, read_mapped_in_thread};
    int i;

    change(name, offset);
    for (i = 0; i < 2; i++) {
        CHECK(fails_for_one("br,checksum", readers[i]));
        CHECK_CONTAINS(support_message, reason);
        CHECK(locks_one_out("br,checksum=open", readers[i]));
        CHECK_INT(support_warnings, 1);
        CHECK_CONTAINS(support_message, reason);
        CHECK(opens("br", readers[i]) && sample.wrong > 0);
    }
    change(name, offset);
}

static void damage_is_noticed_by_all_readers(void)
{
    int is_mapped;

    for (is_mapped = 0; is_mapped < 2; is_mapped++) {
        write_container("bw,checksum", is_mapped);
        CHECK(is_good("br,checksum", read_in_thread));
        CHECK(is_good("br,checksum", read_mapped_in_thread));
        CHECK(is_good("br,checksum=open", read_in_thread));
        CHECK(is_good("br,checksum=open", read_mapped_in_thread));
        check_damage("s.sion", data_at(1, 0), "piece 0 of chunk 0 of task 1 is damaged");
        check_damage("s.sion.000001", data_at(2, 0) + PIECE - 1, "piece 0 of chunk 0 of task 0");
        check_damage("s.sion.000001", data_at(3, 2) + 5, "piece 0 of chunk 2 of task 1");
        check_damage("s.sion.000001", data_at(3, 1) + PIECE, "piece 1 of chunk 1 of task 1");
    }
}

/* What is not used by any task does not count; the checksums themselves do. */
static void damaged_checksums_are_noticed(void)
{
    size_t size = 0;
    unsigned char *bytes;

    write_container("bw,checksum", 1);
    change("s.sion", data_at(1, 0) + bytes_of(1));
    CHECK(is_good("br,checksum", read_mapped_in_thread));
    bytes = support_load("s.sion", &size);
    CHECK(memcmp(bytes + size - 44, "SIONCRC1", 8) == 0); /* of one piece */
    free(bytes);
    change("s.sion", size - 1);
    CHECK(locks_one_out("br,checksum=open", read_mapped_in_thread));
    CHECK(fails_for_one("br,checksum", read_mapped_in_thread));
    CHECK_CONTAINS(support_message, "piece 0 of chunk 0 of task 1 is damaged");
    CHECK(is_good("br", read_mapped_in_thread));
    change("s.sion", size - 1);
    change("s.sion", size - 44 + 30); /* in the head */
    CHECK(!opens("br,checksum", read_mapped_in_thread));
    CHECK(is_good("br", read_mapped_in_thread));
}

static void a_container_without_checksums_is_read(void)
{
    write_container("bw", 1);
    CHECK(is_good("br,checksum", read_mapped_in_thread));
}

/*
 * One process has a task in each of many files, and the stream's file, which is the last one for a
 * serial reader, loses its descriptor.
 */
static void *write_many(void *argument)
{
    struct scion_comm *comm = argument;
    int ranks[MANY], files[MANY], places[MANY] = {0}, n = comm->rank == 0 ? MANY : 0, i;
    int *rank_list = ranks, *file_list = files, *place_list = places, nfiles = MANY, sid;
    sion_int64 chunks[MANY], *chunk_list = chunks;
    sion_int32 fsblksize = FSBLKSIZE;
    char name[] = "s.sion";

    for (i = 0; i < MANY; i++) {
        ranks[i] = i;
        files[i] = MANY - 1 - i;
        chunks[i] = 10;
    }
    sid = sion_generic_paropen_mapped(sample.aid, name, "bw,checksum", &nfiles, comm, comm->rank,
                                      comm->size, &n, &rank_list, &chunk_list, &file_list,
                                      &place_list, &fsblksize, NULL);
    for (i = 0; i < n; i++) {
        sample.wrong += sion_seek(sid, i, SION_CURRENT_BLK, SION_CURRENT_POS) != 1;
        sample.wrong += sion_fwrite(&i, 1, sizeof i, sid) != sizeof i;
    }
    sample.wrong += sion_generic_parclose_mapped(sid) != 1;
    comm->ops->free(comm);
    return NULL;
}

static void *read_many(void *argument)
{
    struct scion_comm *comm = argument;
    int ranks[MANY], n = comm->rank == 1 ? MANY : 0, *list = ranks, nfiles = 0, sid, i, got = -1;
    char name[] = "s.sion";

    for (i = 0; i < MANY; i++)
        ranks[i] = i;
    sid = sion_generic_paropen_mapped(sample.aid, name, "br,checksum", &nfiles, comm, comm->rank,
                                      comm->size, &n, &list, NULL, NULL, NULL, NULL, NULL);
    if (n > 0)
        sample.wrong += sion_fread(&got, 1, sizeof got, sid) != sizeof got || got != MANY - 1;
    sample.wrong += sion_generic_parclose_mapped(sid) != 1;
    comm->ops->free(comm);
    return NULL;
}

static void read_many_serially(void)
{
    int ntasks = 0, nfiles = 0, got = -1;
    sion_int32 fsblksize;
    int sid = sion_open("s.sion", "rb,checksum", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);

    CHECK_INT(nfiles, MANY);
    CHECK_INT(sion_fread(&got, 1, sizeof got, sid), sizeof got);
    CHECK_INT(got, 0);
    CHECK_INT(sion_close(sid), 1);
}

static void many_files_are_compared(void)
{
    char name[40];
    int i;

    sample.wrong = 0;
    generic_run_threads(TASKS, write_many);
    generic_run_threads(TASKS, read_many);
    CHECK_INT(sample.wrong, 0);
    read_many_serially();
    for (i = 1; i < MANY; i++) {
        snprintf(name, sizeof name, "s.sion.%06d", i);
        CHECK_INT(unlink(name), 0);
    }
}

/* ---- buddy checkpoints ---- */

static const char *const buddy_files[FILES][2] = {{"s.sion", "s.sion_BUDDY_00"},
                                                  {"s.sion.000001", "s.sion_BUDDY_00.000001"}};

/* A byte of task 1, or 3; in a copy, two place-holders with chunks of no bytes are before them. */
static size_t buddy_byte(int is_copy, int file)
{
    size_t start = (1088 + 64 + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE;

    return is_copy ? start + data_at(1, 0) - data_at(0, 0) + 3 : data_at(2 * file + 1, 0) + 3;
}

static void check_copies(int file)
{
    change(buddy_files[file][0], buddy_byte(0, file));
    CHECK(opens("br,buddy=1", read_in_thread) && sample.wrong > 0);
    CHECK(is_good("br,buddy=1,checksum", read_in_thread));
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "piece 0 of chunk 0 of task 1 is damaged");
    CHECK(fails_for_one("br,checksum", read_in_thread));
    CHECK(locks_one_out("br,checksum=open", read_in_thread));
    change(buddy_files[file][1], buddy_byte(1, file));
    CHECK(locks_one_out("br,buddy=1,checksum", read_in_thread));
    CHECK_CONTAINS(support_message, "is damaged: its checksum is");
    change(buddy_files[file][0], buddy_byte(0, file));
    CHECK(is_good("br,buddy=1,checksum", read_in_thread));
    CHECK_INT(support_warnings, 0);
    change(buddy_files[file][1], buddy_byte(1, file));
}

static void copies_have_checksums(void)
{
    static const char *const modes[] = {"bw,buddy=1,checksum", "bw,buddy=1,posix,checksum"};
    int i;

    for (i = 0; i < 2; i++) {
        write_container(modes[i], 0);
        check_copies(0);
        check_copies(1);
    }
}

static void lost_files_are_replaced_by_good_copies(void)
{
    write_container("bw,buddy=1,checksum", 0);
    CHECK_INT(unlink("s.sion"), 0);
    CHECK(is_good("br,buddy=1,checksum", read_in_thread));
    change("s.sion_BUDDY_00", buddy_byte(1, 0));
    CHECK(opens("br,buddy=1", read_in_thread) && sample.wrong > 0);
    CHECK(locks_one_out("br,buddy=1,checksum", read_in_thread));
    CHECK_CONTAINS(support_message, "is damaged: its checksum is");
    CHECK_INT(unlink("s.sion_BUDDY_00"), 0);
    CHECK(!opens("br,buddy=1,checksum", read_in_thread));
    CHECK_CONTAINS(support_message, "neither file 0 of s.sion nor a copy");
}

/* ---- writes that fail ---- */

static int has_checksums(const char *name)
{
    size_t size = 0, i;
    unsigned char *bytes = support_load(name, &size);
    int found = 0;

    for (i = 0; i + 8 <= size && !found; i++)
        found = memcmp(bytes + i, "SIONCRC1", 8) == 0;
    free(bytes);
    return found;
}

/*
 * Write n fails. If the close succeeds, records that failed are not in the container, and all else
 * is good, in the copies, too; if not, there is no container with checksums of something else.
 */
static int check_failing_write(const char *mode, int is_mapped, long n)
{
    int hits;

    support_catch();
    scion_fault_arm(1u << SCION_FAULT_PWRITE, n, 1, ENOSPC);
    write_container(mode, is_mapped);
    hits = (int)scion_fault_hits();
    scion_fault_disarm();
    CHECK(sample.closed == 0 || sample.closed == TASKS);
    if (sample.closed == 0 || hits == 0)
        return hits;
    CHECK(opens("br,checksum", read_in_thread));
    CHECK(opens("br,checksum", read_mapped_in_thread));
    CHECK(has_checksums("s.sion") && has_checksums("s.sion.000001"));
    return hits;
}

static void checksums_are_those_of_what_was_written(void)
{
    static const char *const modes[] = {"bw,posix,checksum", "bw,checksum"};
    long n;
    int i;

    sample.may_fail = 1;
    for (i = 0; i < 2; i++) {
        for (n = 1; check_failing_write(modes[i], 1, n) > 0; n++)
            ;
        CHECK(n > 10);
    }
    sample.may_fail = 0;
}

static long count_writes(const char *mode)
{
    long writes;

    scion_fault_arm(0, 0, 0, 0);
    write_container(mode, 1);
    writes = scion_fault_count(SCION_FAULT_PWRITE);
    scion_fault_disarm();
    return writes;
}

/* Without this, the tables of one file may be missing, and checksums in their place. */
static void a_mapped_close_that_failed_writes_no_checksums(void)
{
    static const char *const modes[][2] = {{"bw,posix", "bw,posix,checksum"},
                                           {"bw", "bw,checksum"}};
    int i, failed;

    for (i = 0; i < 2; i++) {
        long n, writes = count_writes(modes[i][0]);

        failed = 0;
        sample.may_fail = 1;
        for (n = 1; n <= writes; n++) {
            remove("s.sion");
            remove("s.sion.000001");
            CHECK_INT(check_failing_write(modes[i][1], 1, n), 1);
            failed += sample.closed == 0;
            CHECK(sample.closed > 0 ||
                  (!has_checksums("s.sion") && !has_checksums("s.sion.000001")));
        }
        sample.may_fail = 0;
        CHECK(failed > 3);
    }
}

/* A record that one copy has and another one has not is removed from both, and its CRC, too. */
static void checksums_of_copies_are_those_of_what_was_written(void)
{
    static const char *const files[] = {"s.sion", "s.sion.000001", "s.sion.000002",
                                        "s.sion.000003"};
    long n = 1;
    int f, compared = 0;

    sample.may_fail = 1;
    sample.nfiles = TASKS;
    while (check_failing_write("bw,buddy=2,checksum", 0, n++) > 0) {
        for (f = 0; f < TASKS && sample.closed; f++)
            CHECK_INT(unlink(files[f]), 0);
        if (sample.closed == TASKS) {
            CHECK(opens("br,buddy=2,checksum", read_in_thread));
            CHECK_INT(support_warnings, 0);
            compared++;
        }
    }
    CHECK(compared > 5);
    sample.may_fail = 0;
    sample.nfiles = FILES;
}

int main(void)
{
    int t;

    support_enter_folder();
    sample.nfiles = FILES;
    sion_checksum_use(sion_crc32);
    sample.aid = generic_make_api();
    generic_add_transfers(sample.aid);
    for (t = 0; t < TASKS; t++)
        check_fill(data[t], t, 0, sizeof data[t]);
    RUN(mapped_writers_make_the_same_bytes);
    RUN(damage_is_noticed_by_all_readers);
    RUN(damaged_checksums_are_noticed);
    RUN(a_container_without_checksums_is_read);
    RUN(many_files_are_compared);
    RUN(checksums_are_those_of_what_was_written);
    RUN(a_mapped_close_that_failed_writes_no_checksums);
    unit = SMALL;
    RUN(copies_have_checksums);
    RUN(lost_files_are_replaced_by_good_copies);
    RUN(checksums_of_copies_are_those_of_what_was_written);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
    support_leave_folder();
    return check_done();
}
