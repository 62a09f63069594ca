/* A restart takes the newest generation that is not damaged. */
#include "serial.h"
#include "sion_checksum.h"

#include <sys/stat.h>

enum { TASKS = 2, GENERATIONS = 4, KEEP = 3, BYTES = 300 };

static const sion_int64 sizes[TASKS] = {700, 600};

/* Every byte of a task in a generation. */
static int letter(int generation, int task)
{
    return 'A' + TASKS * generation + task;
}

static int write_all(const char *mode, int generations)
{
    sion_int32 fsblksize = 512;
    char data[BYTES];
    int sid = create(mode, TASKS, sizes, &fsblksize), g, task;

    CHECK(sid >= 0);
    for (g = 1; g <= generations; g++) {
        for (task = 0; task < TASKS; task++) {
            memset(data, letter(g, task), sizeof data);
            CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_fwrite(data, 1, sizeof data, sid), sizeof data);
        }
        CHECK_INT(sion_publish(sid), 1);
    }
    return sid;
}

/* Of three generations that are left, 2 to 4; published, or closed after that. */
static void make(const char *words, int is_closed)
{
    char mode[80];
    int sid;

    unlink(name);
    snprintf(mode, sizeof mode, "wb,keep=%d%s", KEEP, words);
    sid = write_all(mode, GENERATIONS);
    support_copy(name, "published.sion");
    CHECK_INT(sion_close(sid), 1);
    if (!is_closed)
        CHECK_INT(rename("published.sion", name), 0);
}

/* Where a pattern begins in the file, from `at` on; -1: nowhere. */
static sion_int64 find(const void *pattern, size_t size, sion_int64 at)
{
    size_t length = 0;
    unsigned char *bytes = support_load(name, &length), *found = NULL;

    if (at >= 0 && (size_t)at < length)
        found = memmem(bytes + at, length - (size_t)at, pattern, size);
    at = found ? found - bytes : -1;
    free(bytes);
    return at;
}

static void invert(sion_int64 at)
{
    unsigned char byte;
    int fd = open(name, O_RDWR);

    CHECK(at >= 0 && fd >= 0);
    CHECK_INT(pread(fd, &byte, 1, at), 1);
    byte ^= 0xff;
    CHECK_INT(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void damage(int generation, int task)
{
    char data[BYTES];

    memset(data, letter(generation, task), sizeof data);
    invert(find(data, sizeof data, 0) + 100);
}

static void check_reads(const char *mode, int generation)
{
    int sid = open_to_read(mode), task, i;
    char data[2 * BYTES];

    CHECK(sid >= 0);
    for (task = 0; task < TASKS && sid >= 0; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        CHECK_INT(sion_stream_read(sid, data, sizeof data), BYTES);
        for (i = 0; i < BYTES && data[i] == letter(generation, task); i++)
            ;
        CHECK_INT(i, BYTES);
    }
    if (sid >= 0)
        CHECK_INT(sion_close(sid), 1);
}

/* With one line that says so. */
static void check_goes_back(int from, int to)
{
    char text[80];

    support_catch();
    check_reads("rb", to);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, from != to);
    if (from != to) {
        snprintf(text, sizeof text, "generation %d is damaged", from);
        CHECK(strstr(support_message, text));
        snprintf(text, sizeof text, "generation %d is read instead", to);
        CHECK(strstr(support_message, text));
        CHECK(strstr(support_message, name));
    }
    support_catch();
}

static void check_refused(const char *mode, const char *reason)
{
    support_catch();
    CHECK_INT(open_to_read(mode), -1);
    CHECK(strstr(support_message, reason));
    support_catch();
}

static void the_newest_that_is_sound(void)
{
    make(",checksum", 1);
    check_goes_back(4, 4);
    damage(4, 1);
    check_goes_back(4, 3);
    check_reads("rb,generation=latest,checksum=open", 3);
    damage(3, 0);
    check_goes_back(4, 2);
    damage(2, 1);
    check_refused("rb", "no generation is sound");
    check_refused("rb", "piece 0 of chunk");
}

/* They are as they are: what they have of damage is not found, or fails when it is read. */
static void others_are_taken_as_they_are(void)
{
    int sid, task = 1;
    sion_int64 chunksize;
    sion_int32 fsblksize;
    char data[BYTES];

    make(",checksum", 1);
    damage(4, 1);
    support_catch();
    sid = open_to_read("rb,generation=4");
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("rb,generation=newest,checksum");
    CHECK(sid >= 0);
    CHECK_INT(sion_fread(data, 1, BYTES, sid), BYTES);
    CHECK_INT(data[0], letter(4, 0));
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK(sion_fread(data, 1, BYTES, sid) < BYTES);
    CHECK_INT(sion_close(sid), 1);
    check_reads("rb,generation=-1", 3);
    /* One task does not know the others, and stays with the newest one. */
    sid = sion_open_rank(name, "rb", &chunksize, &fsblksize, &task, NULL);
    CHECK(sid >= 0);
    CHECK(sion_fread(data, 1, BYTES, sid) < BYTES);
    CHECK(strstr(support_message, "piece 0 of chunk"));
    CHECK_INT(sion_close(sid), 1);
    task = 0;
    sid = sion_open_rank(name, "rb", &chunksize, &fsblksize, &task, NULL);
    CHECK_INT(sion_fread(data, 1, BYTES, sid), BYTES);
    CHECK_INT(data[0], letter(4, 0));
    CHECK_INT(sion_close(sid), 1);
    support_catch();
}

/* META2 of the newest state, at the tail of META1. */
static sion_int64 newest_tables(void)
{
    enum { TAIL = 1088 + 16 * TASKS - 8 };
    sion_int64 start;
    int fd = open(name, O_RDONLY);

    CHECK_INT(pread(fd, &start, sizeof start, TAIL), sizeof start);
    close(fd);
    return start;
}

/* Then those of the state before count, which has not the newest generation. */
static void damaged_tables(void)
{
    static const char *const words[] = {"", ",checksum"};
    int i;

    for (i = 0; i < 2; i++) {
        make(words[i], 0);
        invert(newest_tables() + 7); /* chunks of task 0 */
        check_goes_back(4, 3);
        make(words[i], 0);
        invert(find("SIONGEN1", 8, newest_tables()) + 20);
        support_catch();
        check_reads("rb", 3);
        CHECK_INT(support_warnings, 1);
        CHECK(strstr(support_message, "the newest state is damaged"));
    }
    /* Any entry, not only one that cannot be true. */
    make(",checksum", 0);
    invert(newest_tables() + 8 * TASKS);
    check_goes_back(4, 3);
}

/* Where META2 has the bytes of a task in the newest generation, which is the last block with any.
 */
static sion_int64 newest_length(int task)
{
    static const sion_int64 expected = BYTES;
    sion_int64 at = newest_tables() + 8 * TASKS, next = find(&expected, 8, at), last = -1;

    while (next >= 0 && next < at + 100 * 8 * TASKS) {
        last = next;
        next = find(&expected, 8, next + 8 * TASKS);
    }
    return last + 8 * task;
}

/* META2 has no checksum, and a power failure may leave zeros there. */
static void lengths_that_are_lost(void)
{
    static const char *const words[] = {"", ",checksum"};
    static const sion_int64 none = 0;
    int i, task, fd;

    for (i = 0; i < 2; i++) {
        for (task = 0; task < TASKS; task++) {
            make(words[i], 0);
            fd = open(name, O_RDWR);
            CHECK_INT(pwrite(fd, &none, sizeof none, newest_length(task)), sizeof none);
            close(fd);
            check_goes_back(4, 3);
        }
    }
}

static void without_checksums(void)
{
    int sid;

    make("", 1);
    damage(4, 0);
    support_catch();
    sid = open_to_read("rb");
    CHECK(sid >= 0);
    CHECK_INT(support_warnings, 0);
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    sion_checksum_use(sion_crc32);
    support_enter_folder();
    RUN(the_newest_that_is_sound);
    RUN(others_are_taken_as_they_are);
    RUN(damaged_tables);
    RUN(lengths_that_are_lost);
    RUN(without_checksums);
    support_leave_folder();
    return check_done();
}
