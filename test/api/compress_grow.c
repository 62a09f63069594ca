/*
 * Compressed containers that grow: each state that is published has streams that are whole zstd
 * files, readers go on with it, and what was closed can be written on.
 */
#include <signal.h>
#include <sys/wait.h>

#include "compress.h"

enum { MOST = 400000, CHUNK = 20000, STEPS = 6 };

static unsigned char data[TASKS][MOST], found[MOST];
static size_t at[TASKS];
static int is_shuffled;

static void fill(void)
{
    int t;

    for (t = 0; t < TASKS; t++)
        fill_task(data[t], MOST, 1000);
}

static int create(const char *mode)
{
    return create_with(mode, CHUNK);
}

static void put(int sid, int t, size_t bytes)
{
    CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_get_bytes_written(sid), at[t]);
    CHECK_INT(sion_stream_write(sid, data[t] + at[t], (sion_int64)bytes), bytes);
    at[t] += bytes;
}

/* Task 1 is written in every second step only. */
static void put_step(int sid, int step)
{
    put(sid, 0, 30000 + 777 * (size_t)step);
    if (step % 2 == 0)
        put(sid, 1, 5001);
    put(sid, 2, 10);
}

static void check_tasks(int sid)
{
    int t;

    for (t = 0; t < TASKS; t++) {
        CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
        CHECK_INT(sion_stream_read(sid, found, MOST), at[t]);
        CHECK(memcmp(found, data[t], at[t]) == 0);
        if (at[t] < 100)
            continue;
        CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, (sion_int64)at[t] / 2), 1);
        CHECK_INT(sion_fread(found, 1, 50, sid), 50);
        CHECK(memcmp(found, data[t] + at[t] / 2, 50) == 0);
    }
    CHECK_INT(support_errors + support_warnings, 0);
}

/* What is stored of a task ends with a seek table, and zstd knows it. */
static void check_stored(int sid, int t)
{
    static const unsigned char magic[] = {0xb1, 0xea, 0x92, 0x8f};
    sion_int64 got;
    FILE *file;

    CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
    got = sion_stream_read(sid, found, MOST);
    CHECK(at[t] > 0 ? got > 60 && memcmp(found + got - 4, magic, 4) == 0 : got == 0);
    if (at[t] == 0 || system("zstd --version >/dev/null 2>&1") != 0)
        return;
    file = fopen("task.zst", "wb");
    CHECK(file && fwrite(found, 1, (size_t)got, file) == (size_t)got && fclose(file) == 0);
    CHECK_INT(system("zstd -dqf task.zst -o task.out 2>/dev/null"), 0);
    file = fopen("task.out", "rb");
    CHECK(file && fread(found, 1, sizeof found, file) == at[t] && fclose(file) == 0);
    CHECK(is_shuffled || memcmp(found, data[t], at[t]) == 0);
}

static void check_state(void)
{
    int sid = open_for_reading("rb"), t, rank;
    sion_int64 chunksize;
    sion_int32 fsblksize;

    CHECK(sid >= 0);
    check_tasks(sid);
    CHECK_INT(sion_close(sid), 1);
    sid = open_for_reading("rb,compress=stored");
    for (t = 0; t < TASKS; t++)
        check_stored(sid, t);
    CHECK_INT(sion_close(sid), 1);
    for (t = 0; t < TASKS; t++) {
        rank = t;
        sid = sion_open_rank(NAME, "rb", &chunksize, &fsblksize, &rank, NULL);
        CHECK_INT(sion_stream_read(sid, found, MOST), at[t]);
        CHECK(memcmp(found, data[t], at[t]) == 0);
        CHECK_INT(sion_close(sid), 1);
    }
    CHECK_INT(support_errors + support_warnings, 0);
}

static void each_state_is_whole(const char *mode)
{
    int sid, step;

    memset(at, 0, sizeof at);
    is_shuffled = strstr(mode, "shuffle") != NULL;
    unlink(NAME);
    sid = create(mode);
    CHECK(sid >= 0);
    for (step = 0; step < STEPS; step++) {
        put_step(sid, step);
        CHECK_INT(sion_publish(sid), 1);
        check_state();
        support_catch();
    }
    CHECK_INT(sion_publish(sid), 1); /* with nothing new */
    check_state();
    put(sid, 1, 20000);
    CHECK_INT(sion_close(sid), 1);
    check_state();
}

static void states(void)
{
    each_state_is_whole("wb,compress=zstd");
    each_state_is_whole("wb,compress=zstd:3,shuffle=3,compress_frame=7000");
    each_state_is_whole("ab,compress=zstd,posix");
}

static long stored_bytes(int t)
{
    int sid = open_for_reading("rb,compress=stored");
    long bytes;

    CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
    bytes = (long)sion_bytes_avail_in_block(sid);
    CHECK_INT(sion_close(sid), 1);
    return bytes;
}

/* A task that has not written anything gets no other table. */
static void nothing_new_is_nothing_stored(void)
{
    int sid, i;
    long before;

    memset(at, 0, sizeof at);
    sid = create("wb,compress=zstd");
    put(sid, 1, 1000);
    CHECK_INT(sion_publish(sid), 1);
    before = stored_bytes(1);
    support_catch();
    for (i = 0; i < 3; i++) {
        put(sid, 0, 1000);
        CHECK_INT(sion_publish(sid), 1);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(stored_bytes(1), before);
    check_state();
}

static void a_reader_goes_on(void)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    size_t before[TASKS];
    int sid, reader, one, step, rank = 0;

    memset(at, 0, sizeof at);
    sid = create("wb,compress=zstd");
    put_step(sid, 0);
    CHECK_INT(sion_publish(sid), 1);
    reader = open_for_reading("rb");
    one = sion_open_rank(NAME, "rb", &chunksize, &fsblksize, &rank, NULL);
    CHECK(reader >= 0 && one >= 0);
    CHECK_INT(sion_stream_read(reader, found, MOST), at[0]);
    CHECK_INT(sion_stream_read(one, found, MOST), at[0]);
    for (step = 1; step < STEPS; step++) {
        memcpy(before, at, sizeof at);
        put_step(sid, step);
        CHECK_INT(sion_refresh(reader), 0);
        CHECK_INT(sion_publish(sid), 1);
        CHECK_INT(sion_refresh(one), at[0] - before[0]);
        CHECK_INT(sion_stream_read(one, found, MOST), at[0] - before[0]);
        CHECK(memcmp(found, data[0] + before[0], at[0] - before[0]) == 0);
        CHECK_INT(sion_seek(reader, 0, SION_ABSOLUTE_POS, (sion_int64)before[0]), 1);
        CHECK_INT(sion_refresh(reader), at[0] - before[0]);
        CHECK_INT(sion_stream_read(reader, found, MOST), at[0] - before[0]);
        CHECK(memcmp(found, data[0] + before[0], at[0] - before[0]) == 0);
        check_tasks(reader);
    }
    CHECK_INT(sion_close(one), 1);
    CHECK_INT(sion_close(reader), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void write_and_die(void)
{
    int sid = create("wb,compress=zstd"), step;

    memset(at, 0, sizeof at);
    for (step = 0; step < 3; step++) {
        put_step(sid, step);
        CHECK_INT(sion_publish(sid), 1);
    }
    CHECK_INT(sion_fwrite(data[2], 1, 300000, sid), 300000);
    CHECK_INT(sion_flush(sid), 1);
    kill(getpid(), SIGKILL);
}

/* What was published is there after kill -9, and is written on. */
static void a_killed_writer(void)
{
    pid_t child = fork();
    int status, step, sid;

    if (child == 0)
        write_and_die();
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    memset(at, 0, sizeof at);
    for (step = 0; step < 3; step++) {
        at[0] += 30000 + 777 * (size_t)step;
        at[1] += step % 2 == 0 ? 5001 : 0;
        at[2] += 10;
    }
    check_state();
    sid = create("ab");
    CHECK(sid >= 0);
    put_step(sid, 5);
    CHECK_INT(sion_close(sid), 1);
    check_state();
}

static void written_on(void)
{
    static const char *const modes[] = {"ab", "ab,compress=zstd:7", "ab,compress=none",
                                        "ab,compress=zstd,compress_frame=50000,shuffle=2"};
    size_t i;
    int sid;

    memset(at, 0, sizeof at);
    is_shuffled = 1;
    sid = create("wb,compress=zstd,compress_frame=9000,shuffle=4");
    put(sid, 0, 50000);
    CHECK_INT(sion_close(sid), 1);
    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        sid = create(modes[i]);
        CHECK(sid >= 0);
        put_step(sid, (int)i);
        if (i % 2 == 0)
            CHECK_INT(sion_publish(sid), 1);
        put(sid, 1, 3);
        CHECK_INT(sion_close(sid), 1);
        check_state();
    }
    sid = create("ab"); /* and nothing is written */
    CHECK_INT(sion_close(sid), 1);
    check_state();
    is_shuffled = 0;
}

static void refuse(const char *mode, const char *why)
{
    CHECK(create(mode) < 0);
    CHECK_INT(support_errors, 1);
    CHECK(strstr(support_message, why));
    if (!strstr(support_message, why))
        printf("# %s: %s\n", mode, support_message);
}

static void change(long offset)
{
    FILE *file = fopen(NAME, "r+b");
    int byte = file && fseek(file, offset, SEEK_SET) == 0 ? fgetc(file) : -1;

    CHECK(byte >= 0 && fseek(file, offset, SEEK_SET) == 0 && fputc(byte ^ 0x55, file) >= 0);
    CHECK(fclose(file) == 0);
}

static void what_is_refused(void)
{
    enum { START = (1088 + 16 * TASKS + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE };
    int sid;

    memset(at, 0, sizeof at);
    refuse("ab,compress=stored", "no compressed streams with mode a");
    refuse("ab,compress=zstd,keyval=inline", "no compressed streams with key-value records");
    sid = create("wb");
    put(sid, 0, 50000);
    CHECK_INT(sion_close(sid), 1);
    refuse("ab,compress=zstd", "its streams are not compressed");
    memset(at, 0, sizeof at);
    sid = create("wb,compress=zstd");
    put(sid, 0, 50000);
    CHECK_INT(sion_close(sid), 1);
    check_state();
    change(START + 20);
    refuse("ab", "the compressed stream of task 0 is damaged");
    change(START + 20);
    check_state();
}

int main(void)
{
    support_enter_folder();
    fill();
    if (!can_compress()) {
        support_leave_folder();
        return 0;
    }
    RUN(states);
    RUN(nothing_new_is_nothing_stored);
    RUN(a_reader_goes_on);
    RUN(a_killed_writer);
    RUN(written_on);
    RUN(what_is_refused);
    support_leave_folder();
    return check_done();
}
