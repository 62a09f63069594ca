/*
 * Pieces of data are compared with their checksums when they are read: only a damaged piece is
 * refused, however it is read, and the open reads no data.
 */
#include "sion_stream.h"

#include "checksum.h"
#include "format/checksum.h"
#include "vfs/fault.h"

/* Bytes of task 1 at a position of its chunk; 1: they are right, 0: refused, -1: anything else. */
static int read_at(int sid, int chunk, sion_int64 pos, size_t bytes)
{
    static unsigned char found[3 * PIECE], good[3 * PIECE];
    sion_int64 before = chunk == 0 ? 500 + 2 * PIECE + 600 : 500 + 2 * PIECE + 600 + 5;
    sion_int64 at = chunk == 0 && pos < 2 * PIECE ? 500 : before - (chunk == 0 ? 2 * PIECE : 0);

    support_catch();
    memset(found, 0, bytes);
    if (sion_seek(sid, 1, chunk, pos) != 1)
        return -1;
    check_fill(good, 1, (long)(at + pos), bytes);
    if (sion_fread(found, 1, bytes, sid) == bytes)
        return memcmp(found, good, bytes) == 0 ? 1 : -1;
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "sum.sion: piece ");
    CHECK_CONTAINS(support_message, " of task 1 is damaged: its checksum is");
    return 0;
}

/* Piece 1 of chunk 0 is damaged. */
static void check_readable(int sid)
{
    CHECK_INT(read_at(sid, 0, PIECE - 10, 10), 1);
    CHECK_INT(read_at(sid, 0, PIECE - 10, 11), 0);
    CHECK_INT(read_at(sid, 0, PIECE, 1), 0);
    CHECK_INT(read_at(sid, 0, PIECE + 77, PIECE / 2), 0);
    CHECK_INT(read_at(sid, 0, 2 * PIECE - 1, 1), 0);
    CHECK_INT(read_at(sid, 0, 2 * PIECE - 1, 2), 0);
    CHECK_INT(read_at(sid, 0, 2 * PIECE, 5), 1);
    CHECK_INT(read_at(sid, 0, 0, 2 * PIECE), 0);
    CHECK_INT(read_at(sid, 0, 0, PIECE), 1);
    CHECK_INT(read_at(sid, 1, 0, PIECE + 7), 1);
    CHECK_INT(read_at(sid, 1, PIECE, 7), 1);
    CHECK_INT(read_at(sid, 0, PIECE + 5, 10), 0);
    CHECK(!fails_for_task(sid, 0));
}

static void only_the_damaged_piece_is_refused(void)
{
    static const char *const modes[] = {"rb,checksum", "rb,checksum,posix"};
    int i, rank = 1, sid;

    position = 0;
    write_container("wb,checksum");
    change(START + 1024 + PIECE + 500, 1);
    for (i = 0; i < 2; i++) {
        sid = open_for_reading(modes[i]);
        CHECK_INT(support_warnings, 0);
        check_readable(sid);
        CHECK_INT(sion_close(sid), 1);
    }
    sid = sion_open_rank("sum.sion", "rb,checksum", NULL, NULL, &rank, NULL);
    CHECK_INT(sion_seek(sid, 1, 0, PIECE), 1);
    CHECK(fails_to_read(sid, 100));
    CHECK_INT(sion_seek(sid, 1, 0, 2 * PIECE), 1);
    support_catch();
    CHECK(!fails_to_read(sid, 100));
    CHECK_INT(sion_close(sid), 1);
}

/* Records of a chunk before, in and after the damaged piece, through the FILE*. */
static void a_file_pointer_delivers_no_damaged_byte(void)
{
    static unsigned char bytes[3 * PIECE];
    int sid = open_for_reading("rb,checksum");
    FILE *file;

    CHECK_INT(sion_seek(sid, 1, 0, PIECE - 100), 1);
    file = sion_get_fp(sid);
    CHECK(file != NULL);
    CHECK_INT(fread(bytes, 1, 100, file), 100);
    CHECK(check_compare(bytes, 1, 500 + PIECE - 100, 100) < 0);
    CHECK_INT(fread(bytes, 1, 100, file), 0);
    CHECK(ferror(file));
    clearerr(file);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(fread(bytes, 1, 2 * PIECE, file), PIECE);
    CHECK(check_compare(bytes, 1, 500, PIECE) < 0);
    support_catch();
    CHECK_INT(sion_seek(sid, 1, 0, 2 * PIECE), 1);
    CHECK_INT(sion_fread(bytes, 1, 5, sid), 5);
    CHECK_INT(sion_close(sid), 1);
}

/* Who reads by the descriptor is not watched, so the whole task is compared before. */
static void a_descriptor_is_only_given_for_a_sound_task(void)
{
    int sid = open_for_reading("rb,checksum,posix");

    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_get_fd(sid), -1);
    CHECK_CONTAINS(support_message, "piece 1 of chunk 0 of task 1 is damaged");
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK(sion_get_fd(sid) >= 0);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 0);
    CHECK_INT(sion_close(sid), 1);
}

static void duplicates_compare_too(void)
{
    int sid = open_for_reading("rb,checksum"), all = sion_dup(sid, SION_DUP_ALL, 0, 0), one;

    check_readable(all);
    CHECK_INT(sion_dedup(all), 1);
    one = sion_dup(sid, SION_DUP_RANK, 1, 0);
    CHECK(one >= 0);
    support_catch();
    CHECK(fails_to_read(one, 1000));
    CHECK_CONTAINS(support_message, "piece 1 of chunk 0 of task 1 is damaged");
    CHECK_INT(sion_dedup(one), 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_for_reading("rb,checksum=open");
    all = sion_dup(sid, SION_DUP_ALL, 0, 0);
    CHECK(fails_for_task(all, 1));
    CHECK_INT(sion_dedup(all), 1);
    CHECK_INT(sion_close(sid), 1);
}

/* What is asked for is read, whatever is between. */
static void many_streams_are_read_but_damaged_ones(void)
{
    static unsigned char bytes[5 * PIECE];
    int sid = open_for_reading("rb,checksum"), ranks[TASKS] = {2, 0, 1};
    sion_int64 starts[TASKS + 1];

    CHECK_INT(sion_stream_sizes(sid, 2, ranks, starts), 1101);
    CHECK_INT(sion_stream_read_tasks(sid, 2, ranks, starts, bytes, sizeof bytes), 1101);
    CHECK(sion_stream_sizes(sid, 3, ranks, starts) > 3 * PIECE);
    CHECK_INT(sion_stream_read_tasks(sid, 3, ranks, starts, bytes, sizeof bytes), -1);
    CHECK_CONTAINS(support_message, "piece 1 of chunk 0 of task 1 is damaged");
    CHECK_INT(sion_close(sid), 1);
}

/* ---- how much is read ---- */

static long count_open(const char *mode, int pieces)
{
    int sid = create("wb,checksum");
    long bytes;

    position = 0;
    while (pieces-- > 0)
        put(sid, 1, PIECE);
    CHECK_INT(sion_close(sid), 1);
    scion_fault_arm(0, 0, 0, 0);
    sid = open_for_reading(mode);
    bytes = scion_fault_bytes_read();
    scion_fault_disarm();
    CHECK_INT(sion_close(sid), 1);
    return bytes;
}

static void an_open_reads_no_data(void)
{
    long few = count_open("rb,checksum", 1);

    CHECK(count_open("rb,checksum", 3) <= few + 2 * 4); /* CRCs that are near the tables */
    CHECK(count_open("rb,checksum=open", 3) > 3 * PIECE);
}

static void every_byte_is_read_once(void)
{
    static const size_t records[] = {1000, 47008, PIECE, PIECE + 5};
    int i, sid;

    count_open("rb,checksum", 3);
    for (i = 0; i < 4; i++) {
        scion_fault_arm(0, 0, 0, 0);
        sid = open_for_reading("rb,checksum");
        scion_fault_arm(0, 0, 0, 0);
        CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
        CHECK(!fails_to_read(sid, records[i]));
        CHECK_INT(scion_fault_bytes_read(), 3 * PIECE + 3 * 4);
        scion_fault_disarm();
        CHECK_INT(sion_close(sid), 1);
    }
}

/* All of task 0; -1: it is refused. */
static sion_int64 read_published(int sid)
{
    static unsigned char data[8192];
    sion_int64 got;

    support_catch();
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    got = sion_stream_read(sid, data, sizeof data);
    if (support_errors == 0)
        CHECK_INT(check_compare(data, 0, 0, (size_t)got), -1);
    return support_errors == 0 ? got : -1;
}

static int open_published(void)
{
    int ntasks, nfiles;
    sion_int32 fsblksize;

    return sion_open("sum.sion", "rb,checksum", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
}

/* A reader compares also what it reads many states later; what is damaged then, it finds. */
static void published_states_have_checksums(void)
{
    int writer = create("wb,checksum"), first = -1, sid, i;
    FILE *file;

    position = 0;
    for (i = 1; i <= 8; i++) {
        put(writer, 0, 300);
        CHECK_INT(sion_publish(writer), 1);
        sid = open_published();
        CHECK_INT(read_published(sid), 300 * i);
        CHECK_INT(sion_close(sid), 1);
        if (i == 1)
            first = open_published();
    }
    sid = open_published();
    CHECK_INT(sion_close(writer), 1);
    CHECK_INT(read_published(first), 300);
    CHECK_INT(sion_refresh(first), 2100);
    CHECK_INT(read_published(first), 2400);
    CHECK_INT(sion_close(first), 1);
    file = fopen("sum.sion", "r+b");
    fseek(file, START + 10, SEEK_SET);
    fputc(0xee, file);
    fclose(file);
    CHECK_INT(read_published(sid), -1);
    CHECK_CONTAINS(support_message, "its checksum is");
    CHECK_INT(sion_close(sid), 1);
}

/* META2, which is before the data, and checksums whose table is not behind their head: a number for
   each byte that chunks can have. Task 0 has 4 bytes. */
static void pretend_table(sion_int64 size_of_last)
{
    enum { SIZES = 1076 + 8 * TASKS, TAIL = 1076 + 16 * TASKS, TABLE = 1400 };
    const sion_int64 numbers[2 * TASKS] = {1, 1, 1, 4, 0, 0}, start = META1;
    struct scion_checksum_head head = {.is_in_area = 1, .piece = 1, .count = TABLE};
    const int maxchunks = 1;
    unsigned char bytes[META1 + sizeof numbers + SCION_CHECKSUM_HEAD];
    FILE *file;

    position = 0;
    write_container("wb");
    file = fopen("sum.sion", "r+b");
    CHECK_INT(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    memcpy(bytes + SIZES + 8 * (TASKS - 1), &size_of_last, sizeof size_of_last);
    memcpy(bytes + TAIL, &maxchunks, sizeof maxchunks);
    memcpy(bytes + TAIL + 4, &start, sizeof start);
    memcpy(bytes + META1, numbers, sizeof numbers);
    head.of_meta1 = sion_crc32(0, bytes, TAIL + 12);
    head.of_tables = sion_crc32(0, numbers, sizeof numbers);
    scion_checksum_encode(&head, sion_crc32, bytes + META1 + sizeof numbers);
    rewind(file);
    CHECK_INT(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    CHECK_INT(fclose(file), 0);
}

/* Also where its size in bytes would overflow, to one below 0, or to 0. */
static void a_table_is_in_the_file(void)
{
    const sion_int64 before = 1024 + 3 * PIECE, most = (sion_int64)1 << 60;
    const sion_int64 sizes[] = {1 << 20, 3 * most, 4 * most - before};
    int i;

    for (i = 0; i < 3; i++) {
        pretend_table(sizes[i]);
        CHECK_INT(open_for_reading("rb,checksum"), -1);
        CHECK_CONTAINS(support_message, "the checksums are not in the file as a whole");
    }
}

int main(void)
{
    unsetenv("SION_CHECKSUM");
    sion_checksum_use(sion_crc32);
    support_enter_folder();
    RUN(only_the_damaged_piece_is_refused);
    RUN(a_file_pointer_delivers_no_damaged_byte);
    RUN(a_descriptor_is_only_given_for_a_sound_task);
    RUN(duplicates_compare_too);
    RUN(many_streams_are_read_but_damaged_ones);
    RUN(an_open_reads_no_data);
    RUN(every_byte_is_read_once);
    RUN(published_states_have_checksums);
    RUN(a_table_is_in_the_file);
    support_leave_folder();
    return check_done();
}
