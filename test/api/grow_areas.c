/*
 * Containers that are published very often: what a publish costs, where its tables are, and readers
 * that are overtaken while they read these.
 */
#include "serial.h"

#include <string.h>
#include <sys/wait.h>

#include "file/checksum.h"
#include "vfs/system.h"

/* Without libsion_checksum, containers without checksums are tried. */
#ifdef HAVE_CHECKSUM
#include "sion_checksum.h"
enum { MOST_SUMS = 1 };
#else
#define sion_checksum_use(crc) ((void)0)
enum { MOST_SUMS = 0 };
#endif

enum { TASKS = 4, RECORD = 128 };

static int is_summed; /* the containers have checksums, which are compared */

/* With the word for checksums. */
static const char *mode_of(const char *mode)
{
    static char whole[100];

    snprintf(whole, sizeof whole, "%s%s", mode, is_summed ? ",checksum" : "");
    return whole;
}

/* ---- system calls that are counted, and a function that is called between them ---- */

static struct scion_vfs watched;
static sion_int64 moved; /* bytes that were written and read */
static long reads, interrupted_at;
static void (*interrupt)(void);

static ssize_t watched_pread(int fd, void *to, size_t bytes, off_t offset)
{
    ssize_t got;

    if (++reads == interrupted_at)
        interrupt();
    got = scion_vfs_posix.pread(fd, to, bytes, offset);
    moved += got > 0 ? got : 0;
    return got;
}

static ssize_t watched_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    moved += (sion_int64)bytes;
    return scion_vfs_posix.pwrite(fd, from, bytes, offset);
}

static ssize_t watched_pwritev(int fd, const struct iovec *runs, int count, off_t offset)
{
    int i;

    for (i = 0; i < count; i++)
        moved += (sion_int64)runs[i].iov_len;
    return scion_vfs_posix.pwritev(fd, runs, count, offset);
}

static void watch(void)
{
    watched = scion_vfs_posix;
    watched.pread = watched_pread;
    watched.pwrite = watched_pwrite;
    watched.pwritev = watched_pwritev;
    scion_vfs_use(&watched);
}

/* ---- a writer ---- */

static int open_some(const char *mode, sion_int64 chunksize)
{
    const sion_int64 sizes[TASKS] = {chunksize, chunksize, chunksize, chunksize};
    sion_int32 fsblksize = 512;

    return create(mode_of(mode), TASKS, sizes, &fsblksize);
}

static void write_all(int sid, sion_int64 done, size_t bytes)
{
    static unsigned char data[1 << 16];
    int task;

    for (task = 0; task < TASKS; task++) {
        check_fill(data, task, done, bytes);
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    }
}

static sion_int64 file_size(void)
{
    struct stat status;

    CHECK_INT(stat(name, &status), 0);
    return status.st_size;
}

/* The bytes of all tasks, which have the same number of them. -1: it cannot be opened. */
static sion_int64 readable(void)
{
    static unsigned char data[1 << 20];
    sion_int64 bytes = -1;
    int sid = open_to_read(mode_of("rb")), task;

    for (task = 0; sid >= 0 && task < TASKS; task++) {
        sion_int64 got;

        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        got = sion_stream_read(sid, data, sizeof data);
        CHECK(task == 0 || got == bytes);
        CHECK_INT(check_compare(data, task, 0, (size_t)got), -1);
        bytes = got;
    }
    if (sid >= 0)
        CHECK_INT(sion_close(sid), 1);
    return bytes;
}

/* ---- what it costs ---- */

struct cost {
    sion_int64 moved, size;
};

static struct cost publish_often(sion_int64 chunksize, size_t bytes, int times)
{
    int sid = open_some("wb", chunksize), i;
    struct cost cost;

    moved = 0;
    for (i = 0; i < times; i++) {
        write_all(sid, i * (sion_int64)bytes, bytes);
        CHECK_INT(sion_publish(sid), 1);
    }
    cost = (struct cost){moved, file_size()};
    CHECK_INT(sion_close(sid), 1);
    return cost;
}

/* Half as many publishes cost half as much. */
static void check_linear(sion_int64 chunksize, size_t bytes)
{
    struct cost one, two;

    watch();
    one = publish_often(chunksize, bytes, 1000);
    two = publish_often(chunksize, bytes, 2000);
    scion_vfs_use(NULL);
    printf("# chunks of %lld bytes: %lld and %lld bytes moved, files of %lld and %lld\n", chunksize,
           one.moved, two.moved, one.size, two.size);
    CHECK(two.moved * 10 <= one.moved * 22);
    CHECK(two.size * 10 <= one.size * 22);
    CHECK(two.size <= 2000 * TASKS * (sion_int64)bytes * 6 / 5 + 8 * TASKS * chunksize);
}

static void many_publishes_cost_what_is_new(void)
{
    check_linear(512, 512);
    check_linear(4096, 4000);
    check_linear(1 << 20, 1000);
}

/* A task far behind the others costs its own entries. */
static void tasks_may_be_far_apart(void)
{
    unsigned char data[512] = "";
    int sid = open_some("wb", 512), i;
    sion_int64 first;

    for (i = 0; i < 4000; i++)
        CHECK_INT(sion_fwrite(data, 1, 512, sid), 512);
    watch();
    CHECK_INT(sion_publish(sid), 1);
    CHECK_INT(sion_seek(sid, 3, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data, 1, 1, sid), 1);
    CHECK_INT(sion_publish(sid), 1); /* into the second area, as a whole */
    first = moved;
    for (i = 0; i < 20; i++) {
        CHECK_INT(sion_seek(sid, i % 2 * 3, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite(data, 1, 1, sid), 1);
        CHECK_INT(sion_publish(sid), 1);
    }
    scion_vfs_use(NULL);
    CHECK(moved - first < 20 * 2048);
    CHECK_INT(sion_close(sid), 1);
}

/* ---- readers that are overtaken ---- */

static int writer;
static sion_int64 written;
static int publishes; /* that overtake the reader */

static void publish_some(void)
{
    const struct scion_vfs *table = scion_vfs_current();
    int i;

    scion_vfs_use(NULL);
    for (i = 0; i < publishes; i++) {
        write_all(writer, written, 700);
        written += 700;
        CHECK_INT(sion_publish(writer), 1);
    }
    scion_vfs_use(table);
}

static sion_int64 size_of_rank(void)
{
    sion_int64 chunksize, bytes;
    sion_int32 fsblksize;
    int rank = 2, sid = sion_open_rank(name, mode_of("rb"), &chunksize, &fsblksize, &rank, NULL);

    CHECK(sid >= 0);
    bytes = sion_stream_size(sid);
    CHECK_INT(sion_close(sid), 1);
    return bytes;
}

/* In each of the first of a reader's reads once, among which are all of its open. */
static void overtake(sion_int64 (*read)(void))
{
    long n;

    for (n = 1; n <= 20; n++) {
        sion_int64 before = written, found;

        reads = 0;
        interrupted_at = n;
        watch();
        found = read();
        scion_vfs_use(NULL);
        CHECK(found >= before && found <= written && found % 700 == 0);
    }
    interrupted_at = 0;
}

static void a_reader_that_is_overtaken_sees_one_state(void)
{
    support_catch();
    interrupt = publish_some;
    written = 0;
    publishes = 10;
    writer = open_some("wb", 4096);
    publish_some();
    for (publishes = 1; publishes <= 4; publishes++) {
        overtake(readable);
        overtake(size_of_rank);
    }
    CHECK_INT(sion_close(writer), 1);
    CHECK_INT(readable(), written);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 0);
}

/* A reader whose numbers are all there reads its state to the end. */
static void check_reader(int reader, sion_int64 bytes)
{
    static unsigned char data[1 << 20];

    CHECK_INT(sion_seek(reader, 1, 0, 0), 1);
    CHECK_INT(sion_stream_read(reader, data, sizeof data), bytes);
    CHECK_INT(check_compare(data, 1, 0, (size_t)bytes), -1);
    CHECK_INT(sion_close(reader), 1);
}

static void an_open_reader_stays_where_it_is(void)
{
    sion_int64 before;
    int reader;

    publishes = 10;
    written = 0;
    writer = open_some("wb", 4096);
    publish_some();
    before = written;
    reader = open_to_read(mode_of("rb"));
    publish_some();
    check_reader(reader, before);
    CHECK_INT(sion_close(writer), 1);
}

/* ---- the next writer ---- */

/* Writes, publishes, and ends without a close. */
static void write_and_die(const char *mode, sion_int64 done)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        int sid = open_some(mode, 4096), i;

        for (i = 0; i < 3; i++) {
            write_all(sid, done + 100 * i, 100);
            sion_publish(sid);
        }
        write_all(sid, done + 300, 3000);
        kill(getpid(), SIGKILL);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
}

static void the_next_writer_uses_the_areas_again(void)
{
    int i, sid;

    unlink(name);
    for (i = 0; i < 20; i++) {
        write_and_die("ab", 300 * i);
        CHECK_INT(readable(), 300 * (i + 1));
    }
    CHECK(file_size() <= 1536 + 8 * TASKS * 4096);
    sid = open_some("ab", 4096);
    write_all(sid, 6000, 4000);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(readable(), 10000);
}

/* ---- what is refused ---- */

static void read_at(sion_int64 at, void *to, size_t bytes)
{
    FILE *file = fopen(name, "rb");

    CHECK_INT(fseek(file, (long)at, SEEK_SET), 0);
    CHECK_INT(fread(to, 1, bytes, file), bytes);
    fclose(file);
}

static void write_at(sion_int64 at, const void *from, size_t bytes)
{
    FILE *file = fopen(name, "r+b");

    CHECK_INT(fseek(file, (long)at, SEEK_SET), 0);
    CHECK_INT(fwrite(from, 1, bytes, file), bytes);
    fclose(file);
}

/* Leaves a published state; returns where its META2 is. */
static sion_int64 leave_published(void)
{
    sion_int64 start;

    unlink(name);
    write_and_die("wb", 0);
    read_at(1076 + 16 * TASKS + 4, &start, sizeof start);
    return start;
}

/* Tables that are in an area need its record. */
static void a_record_is_needed(void)
{
    sion_int64 start = leave_published();
    unsigned char record[RECORD], bad;
    size_t i;

    read_at(start - RECORD, record, sizeof record);
    CHECK(memcmp(record, "SIONPUB1", 8) == 0);
    for (i = 0; i < RECORD; i += 5) {
        bad = record[i] ^ 0x10;
        write_at(start - RECORD + (sion_int64)i, &bad, 1);
        support_catch();
        CHECK_INT(readable(), -1);
        CHECK_CONTAINS(support_message, "bad value for start_of_varheader");
        write_at(start - RECORD + (sion_int64)i, &record[i], 1);
    }
    CHECK_INT(readable(), 300);
}

/* No task has bytes where the tables are: of a file in which all tasks have chunks behind them. */
static void data_cannot_be_in_an_area(void)
{
    sion_int64 start, skip = TASKS * 4096, block, at, bytes = 5;
    int sid, task;

    unlink(name);
    writer = open_some("wb", 4096);
    CHECK_INT(sion_publish(writer), 1); /* makes an area in block 1 or later */
    write_all(writer, 0, 4000);
    write_all(writer, 4000, 4000);
    CHECK_INT(sion_publish(writer), 1);
    write_all(writer, 8000, 4000);
    CHECK_INT(sion_publish(writer), 1);
    read_at(1076 + 16 * TASKS + 4, &start, sizeof start);
    block = (start - RECORD - 1536) / skip;
    CHECK_INT(1536 + block * skip, start - RECORD);
    at = start + 8 * TASKS * (1 + block) + 8 * 2;
    write_at(at, &bytes, sizeof bytes);
    support_catch();
    sid = open_to_read("rb"); /* checksums would say that META2 has changed */
    CHECK_CONTAINS(support_message, "chunk");
    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), task != 2);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(sion_close(writer), 1);
}

static int maxchunks(void)
{
    int number;

    read_at(1076 + 16 * TASKS, &number, sizeof number);
    return number;
}

/* As sionverify looks at them. */
static int sums_are_sound(void)
{
    struct scion_physical *physical;
    struct scion_checksum_table *sums = NULL;
    int sound;

    CHECK_INT(scion_physical_read(name, &physical), 0);
    CHECK_INT(scion_checksum_table_read(physical, &sums), 0);
    sound = sums && !sums->are_damaged;
    scion_checksum_table_free(sums);
    CHECK_INT(scion_physical_close(physical), 0);
    return sound;
}

/* The state before the newest one is there as a whole. */
static void a_check_goes_on_while_one_state_is_published(void)
{
    long n;

    interrupt = publish_some;
    written = 0;
    publishes = 5;
    writer = open_some("wb", 4096);
    publish_some();
    publishes = 1;
    for (n = 1; n <= 20; n++) {
        reads = 0;
        interrupted_at = n;
        watch();
        CHECK(sums_are_sound());
        scion_vfs_use(NULL);
    }
    interrupted_at = 0;
    CHECK_INT(sion_close(writer), 1);
}

/* What the writer has summed without reading it is what is in the file. */
static void a_wrong_bit_of_the_checksums_is_found(void)
{
    sion_int64 start, at;
    unsigned char bit = 1;
    int i;

    unlink(name);
    writer = open_some("wb", 512);
    for (i = 0; i < 40; i++) {
        write_all(writer, 200 * i, 200);
        CHECK_INT(sion_publish(writer), 1);
        CHECK(sums_are_sound());
    }
    read_at(1076 + 16 * TASKS + 4, &start, sizeof start);
    read_at(start + 8 * TASKS * (1 + maxchunks()) + 4 + 16, &at, sizeof at);
    write_at(at + 4 * TASKS * (maxchunks() - 1) + 2, &bit, 1);
    CHECK(!sums_are_sound());
    CHECK_INT(sion_close(writer), 1);
}

/* ---- samples ---- */

/* Of a writer that was killed after its third publish; and the same, written on and closed. */
static void write_samples(void)
{
    int sid;

    unlink(name);
    write_and_die("wb", 0);
    CHECK_INT(rename(name, "p01.sion"), 0);
    write_and_die("wb", 0);
    sid = open_some("ab", 4096);
    write_all(sid, 300, 4000);
    CHECK_INT(sion_publish(sid), 1);
    write_all(sid, 4300, 50);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(rename(name, "p02.sion"), 0);
    is_summed = 1;
    write_and_die("wb", 0);
    CHECK_INT(rename(name, "p03.sion"), 0);
}

static void check_sample(const char *sample, sion_int64 bytes)
{
    static unsigned char data[1 << 20];
    char path[1024];
    size_t size;
    FILE *file;

    snprintf(path, sizeof path, "%s/grown/%s", getenv("GOLDEN"), sample);
    file = fopen(path, "rb");
    CHECK(file != NULL);
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    unlink(name);
    file = fopen(name, "wb");
    CHECK_INT(fwrite(data, 1, size, file), size);
    fclose(file);
    support_catch();
    CHECK_INT(readable(), bytes);
    CHECK_INT(support_errors + support_warnings, 0);
}

/* They are of a little-endian host. */
static int are_foreign(void)
{
    return *(const unsigned char *)&(const short){1} == 0;
}

static void samples_are_read_and_written_on(void)
{
    int sid;

    check_sample("p02.sion", 4350);
    check_sample("p01.sion", 300);
    if (are_foreign())
        return;
    sid = open_some("ab", 4096);
    write_all(sid, 300, 100);
    CHECK_INT(sion_publish(sid), 1);
    CHECK_INT(readable(), 400);
    CHECK_INT(sion_close(sid), 1);
}

/* p04 is of a library that gave each state new room for all of its checksums. */
static void samples_with_checksums_are_read_and_written_on(void)
{
    static const char *const samples[] = {"p03.sion", "p04.sion"};
    unsigned i;
    int sid, reader;

    for (i = 0; i < 2; i++) {
        check_sample(samples[i], 300);
        if (are_foreign())
            continue;
        reader = open_to_read(mode_of("rb"));
        sid = open_some("ab", 4096);
        for (written = 300; written < 800; written += 100) {
            write_all(sid, written, 100);
            CHECK_INT(sion_publish(sid), 1);
            CHECK_INT(readable(), written + 100);
        }
        check_reader(reader, 300);
        CHECK_INT(sion_close(sid), 1);
        CHECK_INT(readable(), 800);
    }
}

/* With any argument, it writes the samples into the working directory. */
int main(int argc, char **argv)
{
    (void)argv;
    sion_checksum_use(sion_crc32);
    if (argc > 1) {
        write_samples();
        return check_done();
    }
    support_enter_folder();
    for (is_summed = 0; is_summed <= MOST_SUMS; is_summed++) {
        printf("# checksums: %d\n", is_summed);
        RUN(many_publishes_cost_what_is_new);
        RUN(tasks_may_be_far_apart);
        RUN(a_reader_that_is_overtaken_sees_one_state);
        RUN(an_open_reader_stays_where_it_is);
        RUN(the_next_writer_uses_the_areas_again);
        RUN(a_record_is_needed);
        RUN(data_cannot_be_in_an_area);
    }
    is_summed = 0;
    RUN(samples_are_read_and_written_on);
    is_summed = MOST_SUMS;
    if (is_summed) {
        RUN(samples_with_checksums_are_read_and_written_on);
        RUN(a_check_goes_on_while_one_state_is_published);
        RUN(a_wrong_bit_of_the_checksums_is_found);
    }
    support_leave_folder();
    return check_done();
}
