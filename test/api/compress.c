/*
 * Compressed streams in containers of one process: what was written is what is read, wherever one
 * seeks; chunks hold stored bytes, and each stream is a zstd file; what cannot be compressed is
 * refused, and damage is found.
 */

#include <sys/wait.h>
#include <unistd.h>

#include "sion_checksum.h"
#include "compress.h"

enum { MOST = 3000000, CHUNK = 50000 };

static unsigned char data[TASKS][MOST], found[MOST];
static size_t sizes[TASKS] = {MOST, 0, 70001};

static void fill(void)
{
    int t;

    for (t = 0; t < TASKS; t++)
        fill_task(data[t], MOST, 100000);
}

static int create(const char *mode)
{
    return create_with(mode, CHUNK);
}

/* Records of growing sizes, of the tasks in turn or one after the other. */
static void put_all(int sid, int in_turn)
{
    size_t at[TASKS] = {0}, step = 1;
    int t, left = 1;

    while (left) {
        left = 0;
        for (t = 0; t < TASKS; t++) {
            CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            while (at[t] < sizes[t]) {
                size_t bytes = sizes[t] - at[t] < step ? sizes[t] - at[t] : step;

                CHECK_INT(sion_stream_write(sid, data[t] + at[t], (sion_int64)bytes), bytes);
                at[t] += bytes;
                step = step * 5 % 200003 + 1;
                if (in_turn && at[t] < sizes[t]) {
                    left = 1;
                    break;
                }
            }
        }
    }
}

static void write_container(const char *mode, int in_turn)
{
    int sid = create(mode);

    CHECK(sid >= 0);
    put_all(sid, in_turn);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_errors, 0);
    CHECK_STR(support_message, "");
}

static void read_task(int sid, int t)
{
    size_t bytes = sizes[t];

    CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
    CHECK_INT(sion_bytes_avail_in_block(sid), bytes);
    CHECK_INT(sion_feof(sid), bytes == 0);
    memset(found, 0, sizeof found);
    CHECK_INT(sion_stream_read(sid, found, (sion_int64)sizeof found), bytes);
    CHECK(memcmp(found, data[t], bytes) == 0);
    CHECK_INT(sion_feof(sid), 1);
}

static void check_container(void)
{
    int sid = open_for_reading("rb"), t, rank;

    CHECK(sid >= 0);
    for (t = 0; t < TASKS; t++)
        read_task(sid, t);
    CHECK_INT(sion_close(sid), 1);
    for (t = 0; t < TASKS; t++) {
        sion_int64 chunksize;
        sion_int32 fsblksize;

        rank = t;
        sid = sion_open_rank(NAME, "rb", &chunksize, &fsblksize, &rank, NULL);
        CHECK(sid >= 0);
        CHECK_INT(sion_fread(found, 1, sizes[t], sid), sizes[t]);
        CHECK(memcmp(found, data[t], sizes[t]) == 0);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_close(sid), 1);
    }
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 0);
}

static void what_is_written_is_read(void)
{
    static const char *const modes[] = {
        "wb,compress=zstd",
        "wb,compress=zstd:5,compress_frame=4096",
        "wb,compress=zstd,shuffle=8",
        "wb,compress=zstd,shuffle=7,compress_frame=65536",
        "wb,posix,compress=zstd",
        "wb,compress=zstd,recover",
        "wb,compress=zstd:-5,atomic",
        "wb,compress=zstd,compress_frame=10000000,compress_threads=2"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_container(modes[i], 0);
        check_container();
        write_container(modes[i], 1);
        check_container();
    }
}

/* What it has inherited; a call that hangs ends it. */
static void go_on(int sid)
{
    size_t half = sizes[0] / 2;
    sion_int64 rest = (sion_int64)(sizes[0] - half), last = (sion_int64)sizes[2];

    alarm(50);
    _exit(!(sion_stream_write(sid, data[0] + half, rest) == rest &&
            sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
            sion_stream_write(sid, data[2], last) == last && sion_close(sid) == 1));
}

/* Leaves the container to a child, when it has compressed some frames. */
static void begin_and_fork(const char *mode)
{
    int sid = create(mode), status = -1;
    sion_int64 half = (sion_int64)sizes[0] / 2;
    pid_t child = -1;

    if (sion_stream_write(sid, data[0], half) == half)
        child = fork();
    if (child == 0)
        go_on(sid);
    _exit(child < 0 || waitpid(child, &status, 0) != child || status != 0);
}

/* The threads that compress are those of the parent only. */
static void a_child_goes_on(void)
{
    static const char *const modes[] = {
        "wb,compress=zstd", "wb,compress=zstd,compress_threads=2",
        "wb,compress=zstd,compress_frame=1100000,compress_threads=1"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        pid_t parent = fork();
        int status = -1;

        if (parent == 0)
            begin_and_fork(modes[i]);
        CHECK(waitpid(parent, &status, 0) == parent);
        CHECK_INT(status, 0);
        check_container();
    }
}

static long file_size(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0 ? (long)status.st_size : -1;
}

static void it_is_smaller(void)
{
    long plain, zipped;

    write_container("wb", 0);
    plain = file_size(NAME);
    write_container("wb,compress=zstd", 0);
    zipped = file_size(NAME);
    CHECK(zipped < plain / 2);
}

/* Chunks of stored bytes: of task 0 as much as is needed, and they are full but for the last. */
static void as_it_is_stored(void)
{
    sion_int64 bytes = 0, got;
    char name[64], command[128];
    FILE *file;
    int sid, t;

    write_container("wb,compress=zstd", 0);
    sid = open_for_reading("rb,compress=stored");
    CHECK(sid >= 0);
    for (t = 0; t < TASKS; t++) {
        CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
        got = sion_stream_read(sid, found, (sion_int64)sizeof found);
        CHECK(sizes[t] > 0 ? got > 0 && got < (sion_int64)sizes[t] : got == 0);
        bytes += got;
        if (got == 0)
            continue;
        snprintf(name, sizeof name, "task.%d.zst", t);
        file = fopen(name, "wb");
        CHECK(file && fwrite(found, 1, (size_t)got, file) == (size_t)got && fclose(file) == 0);
        snprintf(command, sizeof command, "zstd -dqf %s -o task.out 2>/dev/null", name);
        if (system("zstd --version >/dev/null 2>&1") != 0)
            continue;
        CHECK_INT(system(command), 0);
        file = fopen("task.out", "rb");
        CHECK(file && fread(found, 1, sizeof found, file) == sizes[t] && fclose(file) == 0);
        CHECK(memcmp(found, data[t], sizes[t]) == 0);
    }
    CHECK(bytes < file_size(NAME));
    CHECK_INT(sion_close(sid), 1);
}

/* What was stored is stored again, and is the same container. */
static void what_is_stored_can_be_copied(void)
{
    static unsigned char stored[TASKS][MOST];
    sion_int64 bytes[TASKS];
    int sid, t;

    write_container("wb,compress=zstd,shuffle=4", 0);
    sid = open_for_reading("rb,compress=stored");
    for (t = 0; t < TASKS; t++) {
        CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
        bytes[t] = sion_stream_read(sid, stored[t], MOST);
    }
    CHECK_INT(sion_close(sid), 1);
    sid = create("wb,compress=stored");
    CHECK(sid >= 0);
    for (t = 0; t < TASKS; t++) {
        CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_stream_write(sid, stored[t], bytes[t]), bytes[t]);
    }
    CHECK_INT(sion_close(sid), 1);
    check_container();
}

static void check_at(int sid, size_t offset, size_t bytes)
{
    CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, (sion_int64)offset), 1);
    CHECK_INT(sion_fread(found, 1, bytes, sid), bytes);
    CHECK(memcmp(found, data[0] + offset, bytes) == 0);
    CHECK_INT(sion_bytes_avail_in_block(sid), sizes[0] - offset - bytes);
}

static void seeking(void)
{
    unsigned state = 7;
    int sid, i;

    write_container("wb,compress=zstd,compress_frame=65536", 1);
    sid = open_for_reading("rb");
    for (i = 0; i < 300; i++) {
        state = state * 1103515245u + 12345u;
        check_at(sid, (state >> 8) % (MOST - 200000), (state >> 3) % 200000);
    }
    CHECK_INT(sion_seek(sid, 0, SION_END_POS, -10), 1);
    CHECK_INT(sion_fread(found, 1, 10, sid), 10);
    CHECK(memcmp(found, data[0] + MOST - 10, 10) == 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void counts_are_plain_ones(void)
{
    int sid = create("wb,compress=zstd");

    CHECK_INT(sion_fwrite(data[0], 1, 100000, sid), 100000);
    CHECK_INT(sion_get_bytes_written(sid), 100000);
    CHECK_INT(sion_ensure_free_space(sid, 10 * CHUNK), 1);
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(sion_get_bytes_written(sid), 100000);
    CHECK_INT(sion_fwrite(data[0], 1, 2000000, sid), 2000000);
    CHECK_INT(sion_get_bytes_written(sid), 2100000);
    CHECK_INT(sion_close(sid), 1);
    sid = open_for_reading("rb");
    CHECK_INT(sion_fread(found, 1, 2100000, sid), 2100000);
    CHECK_INT(sion_get_bytes_read(sid), 2100000);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_close(sid), 1);
}

/* Small records wait in a frame: all that asks for them, or needs them stored, sees them. */
static void what_waits_is_known(void)
{
    int sid = create("wb,compress=zstd,compress_frame=4096"), i;
    size_t at = 0, bytes;

    for (i = 0; i < 20000; i++, at += bytes) {
        bytes = i % 7 == 0 ? 8 : i % 11 == 0 ? 97 : i % 1000 == 0 ? 4096 : 16;
        CHECK_INT(sion_fwrite(data[0] + at, bytes, 1, sid), 1);
        CHECK_INT(sion_get_bytes_written(sid), at + bytes);
        if (i % 501 == 0)
            CHECK_INT(sion_flush(sid), 1);
        if (i % 1201 == 0) {
            CHECK_INT(sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_fwrite(data[2] + i / 1201, 1, 1, sid), 1);
            CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        }
    }
    CHECK_INT(sion_close(sid), 1);
    sid = open_for_reading("rb");
    CHECK_INT(sion_stream_read(sid, found, sizeof found), at);
    CHECK(memcmp(found, data[0], at) == 0);
    CHECK_INT(sion_seek(sid, 2, SION_ABSOLUTE_POS, 0), 1);
    CHECK_INT(sion_stream_read(sid, found, sizeof found), 17);
    CHECK(memcmp(found, data[2], 17) == 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_warnings, 0);
}

static void no_file_is_lent(void)
{
    int sid = create("wb,compress=zstd");

    CHECK(!sion_get_fp(sid));
    CHECK(strstr(support_message, "compressed"));
    CHECK_INT(sion_close(sid), 1);
    write_container("wb,compress=zstd", 0);
    sid = open_for_reading("rb,posix");
    CHECK(sion_get_fd(sid) < 0);
    CHECK(strstr(support_message, "compressed"));
    CHECK_INT(sion_close(sid), 1);
}

static void refuse(const char *mode, const char *why)
{
    CHECK(create(mode) < 0);
    CHECK_INT(support_errors, 1);
    CHECK(strstr(support_message, why));
    if (!strstr(support_message, why))
        printf("# %s: %s\n", mode, support_message);
    CHECK_INT(file_size(NAME), -1);
}

static void what_is_refused(void)
{
    unlink(NAME);
    refuse("wb,compress=zstd,keyval=inline", "no compressed streams with key-value records");
    refuse("wb,compress=zstd,collective", "no compressed streams with collective calls");
    refuse("wb,compress=zstd,collective,cmerge", "no compressed streams with collective calls");
    refuse("wb,compress=lz4", "'compress=lz4': it takes zstd");
    refuse("wb,compress=zstd:x", "it takes zstd");
    refuse("wb,compress=zstd:23", "it takes zstd");
    refuse("wb,compress=zstd,shuffle=65", "'shuffle=65': it takes the bytes of an element");
    refuse("wb,compress=zstd,shuffle=", "it takes the bytes of an element");
    refuse("wb,compress=zstd,compress_frame=100", "it takes a number of bytes from 4096");
    refuse("wb,compress=zstd,compress_threads=-1", "it takes a number of threads");
}

/* SIONlib ignores the word without a value. */
static void the_word_alone_is_ignored(void)
{
    long plain;

    write_container("wb", 0);
    plain = file_size(NAME);
    write_container("wb,compress", 0);
    CHECK_INT(file_size(NAME), plain);
    write_container("wb,compress=none", 0);
    CHECK_INT(file_size(NAME), plain);
}

static void by_the_environment(void)
{
    long plain, zipped;

    write_container("wb", 0);
    plain = file_size(NAME);
    setenv("SION_COMPRESS", "zstd:2,shuffle=2,compress_frame=100000", 1);
    write_container("wb", 0);
    zipped = file_size(NAME);
    CHECK(zipped < plain / 2);
    check_container();
    write_container("wb,compress=none", 0);
    CHECK_INT(file_size(NAME), plain);
    write_container("wb,collective", 0); /* what cannot be compressed is not */
    CHECK_INT(file_size(NAME), plain);
    setenv("SION_COMPRESS", "gzip", 1);
    CHECK_INT(sion_close(create("wb")), 1);
    CHECK_INT(support_warnings, 1);
    CHECK(strstr(support_message, "SION_COMPRESS=gzip is ignored"));
    unsetenv("SION_COMPRESS");
}

/* A byte of the file that was written last is another one. */
static void change(long offset)
{
    FILE *file = fopen(NAME, "r+b");
    int byte = file && fseek(file, offset, SEEK_SET) == 0 ? fgetc(file) : -1;

    CHECK(byte >= 0 && fseek(file, offset, SEEK_SET) == 0 && fputc(byte ^ 0x55, file) >= 0);
    CHECK(fclose(file) == 0);
}

enum { START = (1088 + 16 * TASKS + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE };

static void damage_is_found(void)
{
    int sid;

    write_container("wb,compress=zstd", 0);
    change(START + 20); /* the size of frames in the head of task 0 */
    sid = open_for_reading("rb");
    CHECK(sid >= 0);
    CHECK_INT(support_warnings, 1);
    CHECK(strstr(support_message, "do not begin as a compressed stream"));
    CHECK(sion_seek(sid, 0, SION_ABSOLUTE_POS, 0) != 1);
    read_task(sid, 2);
    CHECK_INT(sion_close(sid), 1);

    write_container("wb,compress=zstd", 0);
    change(START + 40 + 1000); /* in its first frame */
    sid = open_for_reading("rb");
    CHECK_INT(support_warnings, 0);
    CHECK_INT(sion_fread(found, 1, 2 << 20, sid), 0);
    CHECK(strstr(support_message, "frame 1 of the compressed stream of task 0"));
    CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, 0), 1);
    CHECK_INT(sion_fread(found, 1, 1, sid), 0);
    CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, 2 << 20), 1); /* the third one is good */
    CHECK_INT(sion_fread(found, 1, 1000, sid), 1000);
    CHECK(memcmp(found, data[0] + (2 << 20), 1000) == 0);
    read_task(sid, 2);
    CHECK_INT(sion_close(sid), 1);
}

/* They are of what is stored, so that a wrong byte is found before it is decompressed. */
static void with_checksums(void)
{
#ifdef HAVE_CHECKSUM
    int sid;

    sion_checksum_use(sion_crc32);
    write_container("wb,compress=zstd,checksum,shuffle=2", 1);
    check_container();
    setenv("SION_CHECKSUM", "1", 1);
    check_container();
    setenv("SION_CHECKSUM", "open", 1);
    check_container();
    unsetenv("SION_CHECKSUM");
    change(START + 40 + 1000);
    sid = open_for_reading("rb,checksum"); /* the piece that has the head is wrong */
    CHECK_INT(support_warnings, 2);
    CHECK(strstr(support_message, "cannot be read"));
    CHECK(sion_seek(sid, 0, SION_ABSOLUTE_POS, 0) != 1);
    read_task(sid, 2);
    CHECK_INT(sion_close(sid), 1);
    sid = open_for_reading("rb,checksum=open");
    CHECK(strstr(support_message, "its checksum is"));
    CHECK(sion_seek(sid, 0, SION_ABSOLUTE_POS, 0) != 1);
    read_task(sid, 2);
    CHECK_INT(sion_close(sid), 1);
#else
    SKIP("no checksums");
#endif
}

/* Duplicates have the same plain bytes, and a position of their own. */
static void duplicates(void)
{
    int sid, other;

    write_container("wb,compress=zstd,shuffle=3", 0);
    sid = open_for_reading("rb");
    check_at(sid, 1000, 500000);
    other = sion_dup(sid, SION_DUP_ALL, 0, 0);
    CHECK(other >= 0);
    check_at(other, 2000000, 1000);
    CHECK_INT(sion_fread(found, 1, 100, sid), 100);
    CHECK(memcmp(found, data[0] + 501000, 100) == 0);
    CHECK_INT(sion_dedup(other), 1);
    CHECK_INT(sion_close(sid), 1);
}

/* Records until one is refused; how many were not. */
static int write_until_refused(int sid, size_t record)
{
    int n = 0;

    while ((size_t)(n + 1) * record <= MOST &&
           sion_fwrite(data[1] + (size_t)n * record, record, 1, sid) == 1)
        n++;
    return n;
}

/* Of noise, so that frames are as large as what is in them. */
static void make_noise(void)
{
    unsigned state = 5;
    size_t i;

    for (i = 0; i < MOST; i++) {
        state = state * 1103515245u + 12345u;
        data[1][i] = (unsigned char)(state >> 16);
    }
}

static void a_refused_record(const char *mode, size_t record, rlim_t limit)
{
    int sid = create(mode), n, more;

    support_limit_files(limit);
    n = write_until_refused(sid, record);
    CHECK(n > 0 && (size_t)n * record < MOST - 2 * record);
    CHECK_INT(sion_get_bytes_written(sid), (size_t)n * record);
    CHECK(strstr(support_message, "cannot write"));
    CHECK(sion_fwrite(data[1] + (size_t)n * record, record, 1, sid) != 1);
    support_limit_files(RLIM_INFINITY);
    more = sion_fwrite(data[1] + (size_t)n * record, record, 1, sid) == 1;
    CHECK_INT(more, 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_for_reading("rb");
    CHECK_INT(sion_stream_read(sid, found, MOST), (size_t)(n + 1) * record);
    CHECK(memcmp(found, data[1], (size_t)(n + 1) * record) == 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_warnings, 0);
}

/* Nothing of a record that was refused, and all of those before and after it. */
static void a_full_disk(void)
{
    static const char small[] = "wb,compress=zstd,compress_frame=65536",
                      large[] = "wb,compress=zstd,compress_frame=300000";

    make_noise();
    a_refused_record(small, 10007, 500000);
    a_refused_record(small, 65536, 500000);
    a_refused_record(small, 200001, 500000);
    a_refused_record(large, 30011, 900000);
    a_refused_record(large, 70000, 900000);
    a_refused_record(large, 310000, 900000);
    fill();
}

int main(void)
{
    support_enter_folder();
    fill();
    if (!can_compress()) {
        support_leave_folder();
        return 0;
    }
    RUN(what_is_written_is_read);
    RUN(a_child_goes_on);
    RUN(it_is_smaller);
    RUN(as_it_is_stored);
    RUN(what_is_stored_can_be_copied);
    RUN(seeking);
    RUN(counts_are_plain_ones);
    RUN(what_waits_is_known);
    RUN(no_file_is_lent);
    RUN(what_is_refused);
    RUN(the_word_alone_is_ignored);
    RUN(by_the_environment);
    RUN(damage_is_found);
    RUN(with_checksums);
    RUN(duplicates);
    RUN(a_full_disk);
    support_leave_folder();
    return check_done();
}
