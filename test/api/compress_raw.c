/*
 * Data that do not shrink, in compressed streams: parts of their frames are read by themselves, as
 * plain data are, whatever the frames look like; frames that only seem to be such ones are
 * decompressed, or refused.
 */

#include "compress.h"
#include "vfs/fault.h"

enum {
    MOST = 3000000,
    CHUNK = 50001,
    START = (1088 + 16 * TASKS + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE,
    FRAME = START + 40, /* the first one of task 0, if it is in one chunk: */
    HEAD = 9,           /* of a frame, */
    BLOCK_HEAD = 3,     /* of one of its blocks, */
    BLOCK = 1 << 17     /* of so many bytes */
};

static unsigned char data[MOST], found[MOST + 3], file[2 * MOST];

static void make_noise(unsigned char *bytes, size_t size)
{
    unsigned state = 5;
    size_t i;

    for (i = 0; i < size; i++) {
        state = state * 1103515245u + 12345u;
        bytes[i] = (unsigned char)(state >> 16);
    }
}

static void write_task(const char *mode, sion_int64 chunksize, size_t bytes, size_t record)
{
    int sid = create_with(mode, chunksize);
    size_t at, now;

    CHECK(sid >= 0);
    for (at = 0; at < bytes; at += now) {
        now = bytes - at < record ? bytes - at : record;
        CHECK_INT(sion_fwrite(data + at, now, 1, sid), 1);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_errors, 0);
}

static void check_part(int sid, size_t from, size_t bytes)
{
    CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, (sion_int64)from), 1);
    memset(found, 0, bytes + 3);
    CHECK_INT(sion_fread(found, 1, bytes, sid), bytes);
    CHECK(memcmp(found, data + from, bytes) == 0);
    CHECK(memcmp(found + bytes, "\0\0", 3) == 0); /* a head that comes along stays inside */
}

static void check_parts(size_t size)
{
    int sid = open_for_reading("rb"), i;
    unsigned state = 7;

    CHECK(sid >= 0);
    check_part(sid, 0, size);
    for (i = 0; i < 5; i++)
        check_part(sid, BLOCK - 70000, 70000 + (size_t)i);
    for (i = 0; i < 400; i++) {
        size_t from, most = i % 4 == 0 ? 10 : i % 4 == 1 ? size / 43 : size / 10;

        state = state * 1103515245u + 12345u;
        from = (state >> 8) % (size - most);
        /* also to, and from, the borders of blocks */
        from = i % 5 == 0 && from > BLOCK ? from / BLOCK * BLOCK - state % 3 : from;
        check_part(sid, from, (state >> 4) % most + 1);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_errors, 0);
}

/* By records of any size, in chunks that end anywhere, in whatever frames these become. */
static void what_is_written_is_read(void)
{
    static const char *const modes[] = {
        "wb,compress=zstd", "wb,compress=zstd,compress_frame=300000", "wb,compress=zstd,shuffle=4",
        "wb,posix,compress=zstd,compress_frame=131072"};
    static const size_t records[] = {MOST, 1 << 20, 200001, 1000};
    size_t i, r;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        for (r = 0; r < sizeof records / sizeof *records; r++) {
            if (r == 1)
                fill_task(data, MOST, 400000); /* some of it shrinks */
            else
                make_noise(data, MOST);
            write_task(modes[i], r % 2 ? CHUNK : 2 * MOST, MOST, records[r]);
            check_parts(MOST);
        }
    }
}

static size_t stored_bytes(void)
{
    int sid = open_for_reading("rb,compress=stored");
    sion_int64 bytes = sion_stream_read(sid, file, sizeof file);

    CHECK_INT(sion_close(sid), 1);
    return (size_t)bytes;
}

/* What shrinks again is compressed again, and what does not costs no more than heads. */
static void it_is_recognised(void)
{
    size_t i, r;

    make_noise(data, MOST);
    write_task("wb,compress=zstd", CHUNK, MOST, 1000);
    CHECK(stored_bytes() < MOST + MOST / 2000);
    for (i = MOST / 4; i < MOST; i++)
        data[i] = (unsigned char)(i % 7);
    write_task("wb,compress=zstd", CHUNK, MOST, 1000);
    CHECK(stored_bytes() < MOST / 2);
    check_parts(MOST);

    make_noise(data, MOST / 5 * 2); /* after a long time */
    for (r = 0; r < 3; r++) {
        static const size_t records[] = {1000, 70000, 150001};

        write_task("wb,compress=zstd,compress_frame=131072", CHUNK, MOST, records[r]);
        CHECK(stored_bytes() < MOST / 3 * 2);
        check_parts(MOST);
    }
}

/* Large records that do not shrink go by themselves, with small ones before them. */
static void records_of_all_sizes(void)
{
    static const char *const modes[] = {"wb,compress=zstd",
                                        "wb,compress=zstd,compress_frame=131072",
                                        "wb,posix,compress=zstd,compress_frame=200000"};
    static const size_t sizes[] = {1 << 20, 1 << 17, 100,   1 << 16, 70000, 5,   30000,
                                   30000,   30000,   30000, 250001,  65535, 1000};
    size_t m, i, at, bytes;
    int sid;

    make_noise(data, MOST);
    for (m = 0; m < sizeof modes / sizeof *modes; m++) {
        sid = create_with(modes[m], CHUNK);
        for (i = at = 0; at < MOST; i++, at += bytes) {
            bytes = sizes[i % (sizeof sizes / sizeof *sizes)];
            bytes = bytes < MOST - at ? bytes : MOST - at;
            CHECK_INT(sion_fwrite(data + at, bytes, 1, sid), 1);
            CHECK_INT(sion_get_bytes_written(sid), at + bytes);
            if (i % 5 == 4)
                CHECK_INT(sion_flush(sid), 1);
        }
        CHECK_INT(sion_close(sid), 1);
        CHECK_INT(support_errors, 0);
        CHECK(stored_bytes() < MOST + MOST / 1000);
        check_parts(MOST);
    }
}

static long reads_of(const char *mode, size_t record)
{
    enum { WHOLE = 2621440 };
    size_t at, bytes;
    long n;
    int sid;

    write_task(mode, 2 * MOST, WHOLE, record);
    scion_fault_arm(0, 0, 0, 0);
    sid = open_for_reading("rb");
    scion_fault_arm(0, 0, 0, 0);
    for (at = 0; at < WHOLE; at += bytes) {
        bytes = WHOLE - at < record ? WHOLE - at : record;
        CHECK_INT(sion_fread(found, bytes, 1, sid), 1);
        CHECK(memcmp(found, data + at, bytes) == 0);
    }
    n = scion_fault_count(SCION_FAULT_PREAD);
    scion_fault_disarm();
    CHECK_INT(sion_close(sid), 1);
    return n;
}

/* Heads come along with the data, and reads begin where frames do. */
static void reading_takes_as_many_calls(void)
{
    static const size_t records[] = {1000, 1024, 8192, 65536, 1 << 20};
    static const char *const modes[] = {"wb,compress=zstd,compress_frame=131072",
                                        "wb,compress=zstd"};
    size_t i;

    make_noise(data, MOST);
    for (i = 0; i < sizeof records / sizeof *records; i++) {
        long plain = reads_of("wb", records[i]),
             zipped = reads_of(modes[records[i] > BLOCK], records[i]);

        if (zipped > plain + 3)
            printf("# records of %zu bytes: %ld reads, %ld\n", records[i], plain, zipped);
        CHECK(zipped <= plain + 3);
    }
}

/* The system may end a transfer anywhere: between, or in, data and heads. */
static void calls_that_move_less(void)
{
    static const size_t limits[] = {1, 2, 5, BLOCK, BLOCK + 1, 2 * BLOCK + 4};
    size_t i;

    make_noise(data, MOST);
    write_task("wb,compress=zstd", 2 * MOST, MOST, MOST);
    for (i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t bytes = limits[i] < BLOCK ? 100 : MOST;
        int sid;

        scion_fault_arm(0, 0, 0, 0);
        scion_fault_limit_transfers(limits[i]);
        sid = open_for_reading("rb");
        check_part(sid, BLOCK - 50, bytes < MOST ? bytes : MOST - BLOCK);
        check_part(sid, 0, bytes);
        scion_fault_limit_transfers(0);
        scion_fault_disarm();
        CHECK_INT(sion_close(sid), 1);
    }
}

/* ---- frames that another hand has made ---- */

static size_t load(void)
{
    FILE *stream = fopen(NAME, "rb");
    size_t bytes = stream ? fread(file, 1, sizeof file, stream) : 0;

    CHECK(stream && fclose(stream) == 0 && bytes > FRAME);
    return bytes;
}

static void save(size_t bytes)
{
    FILE *stream = fopen(NAME, "wb");

    CHECK(stream && fwrite(file, 1, bytes, stream) == bytes && fclose(stream) == 0);
}

static void put_block_head(size_t offset, size_t bytes, int is_last)
{
    unsigned word = (unsigned)bytes << 3 | (unsigned)is_last;

    file[offset] = (unsigned char)word;
    file[offset + 1] = (unsigned char)(word >> 8);
    file[offset + 2] = (unsigned char)(word >> 16);
}

enum { TWO_BLOCKS = 200000, FIRST = FRAME + HEAD, SECOND = FIRST + BLOCK_HEAD + BLOCK };

/* One frame of two blocks, in memory; bytes of the file. */
static size_t load_two_blocks(void)
{
    size_t bytes;

    make_noise(data, MOST);
    write_task("wb,compress=zstd", TWO_BLOCKS + 1000, TWO_BLOCKS, TWO_BLOCKS);
    bytes = load();
    CHECK(memcmp(file + FRAME, "\x28\xb5\x2f\xfd\xa0", 5) == 0);
    CHECK(memcmp(file + SECOND + BLOCK_HEAD, data + BLOCK, 100) == 0);
    return bytes;
}

/* Bytes that cannot be read, and others that can. */
static void check_two(size_t bad, size_t good, size_t bytes)
{
    int sid = open_for_reading("rb");

    CHECK(sid >= 0);
    CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, (sion_int64)bad), 1);
    CHECK_INT(sion_fread(found, 1, bytes, sid), 0);
    CHECK(strstr(support_message, "frame 1 of the compressed stream of task 0"));
    if (good < TWO_BLOCKS)
        check_part(sid, good, bytes < 5000 ? bytes : 5000);
    CHECK_INT(sion_close(sid), 1);
}

/* That shows that a part is read by itself: the rest of the frame is wrong. */
static void heads_are_checked_where_they_are_needed(void)
{
    size_t bytes = load_two_blocks();

    file[SECOND] ^= 1; /* that it is the last one */
    save(bytes);
    check_two(BLOCK + 10, 100, 5000);
    check_two(BLOCK - 2500, 100, 5000); /* over the border */
    check_two(BLOCK - 1, 100, 2);       /* so that the head does not come with the bytes before */
    check_two(0, 100, BLOCK + 1);
    file[SECOND] ^= 1;
    file[SECOND + 1] ^= 4; /* its size */
    save(bytes);
    check_two(BLOCK + 10, 100, 5000);
    file[SECOND + 1] ^= 4;
    file[SECOND] ^= 2; /* that it is raw */
    save(bytes);
    check_two(BLOCK + 10, 100, 5000);
    file[SECOND] ^= 2;
    file[FIRST] ^= 8; /* the size of the first one */
    save(bytes);
    check_two(100, TWO_BLOCKS, 5000);
    check_two(BLOCK + 10, TWO_BLOCKS, 5000);
    file[FIRST] ^= 8;
    file[FRAME + 5] ^= 1; /* of the frame */
    save(bytes);
    check_two(100, TWO_BLOCKS, 5000);
    check_two(BLOCK + 10, TWO_BLOCKS, 5000);
    file[FRAME + 5] ^= 1;
    file[FRAME + 2] ^= 1; /* that it is one: by the seek table, it is */
    save(bytes);
    check_two(BLOCK + 10, TWO_BLOCKS, 5000);
}

/* They are another way to cut a frame of the same length. */
static void other_blocks_are_decompressed(void)
{
    size_t bytes = load_two_blocks(), part = 100000;

    /* two blocks of 100000 bytes, and the frame is as long as with ours */
    memmove(file + FIRST + BLOCK_HEAD + part + BLOCK_HEAD, data + part, TWO_BLOCKS - part);
    put_block_head(FIRST, part, 0);
    put_block_head(FIRST + BLOCK_HEAD + part, TWO_BLOCKS - part, 1);
    save(bytes);
    check_parts(TWO_BLOCKS);
}

/* Plain data have no checksum either, unless the container has (`checksum`). */
static void wrong_data_are_data(void)
{
    size_t bytes = load_two_blocks();
    int sid;

    file[FIRST + BLOCK_HEAD + 1000] ^= 0x55;
    save(bytes);
    sid = open_for_reading("rb");
    CHECK_INT(sion_fread(found, 1, TWO_BLOCKS, sid), TWO_BLOCKS);
    CHECK_INT(found[1000], data[1000] ^ 0x55);
    found[1000] ^= 0x55;
    CHECK(memcmp(found, data, TWO_BLOCKS) == 0);
    CHECK_INT(sion_close(sid), 1);
}

/* ---- a full disk ---- */

/* Nothing of a record that was refused, and all of those before and after it. */
static void a_refused_record(size_t record, size_t room)
{
    int sid = create_with("wb,compress=zstd", CHUNK);
    size_t at = 0;

    support_limit_files(room);
    while (at + record <= MOST && sion_fwrite(data + at, record, 1, sid) == 1)
        at += record;
    CHECK(at + 2 * record < MOST);
    CHECK(strstr(support_message, "cannot write"));
    CHECK_INT(sion_get_bytes_written(sid), at);
    CHECK(sion_fwrite(data + at, record, 1, sid) != 1);
    support_limit_files(RLIM_INFINITY);
    CHECK_INT(sion_fwrite(data + at, record, 1, sid), 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_for_reading("rb");
    CHECK_INT(sion_stream_read(sid, found, MOST), at + record);
    CHECK(memcmp(found, data, at + record) == 0);
    CHECK_INT(sion_close(sid), 1);
}

static void a_full_disk(void)
{
    make_noise(data, MOST);
    a_refused_record(10007, 500000); /* in the first frame, which is a large one */
    a_refused_record(10007, 1500000);
    a_refused_record(400000, 500000);
    a_refused_record(400000, 1500000);
    support_limit_files(RLIM_INFINITY);
}

int main(void)
{
    support_enter_folder();
    if (!can_compress()) {
        support_leave_folder();
        return 0;
    }
    RUN(what_is_written_is_read);
    RUN(it_is_recognised);
    RUN(records_of_all_sizes);
    RUN(reading_takes_as_many_calls);
    RUN(calls_that_move_less);
    RUN(heads_are_checked_where_they_are_needed);
    RUN(other_blocks_are_decompressed);
    RUN(wrong_data_are_data);
    RUN(a_full_disk);
    support_leave_folder();
    return check_done();
}
