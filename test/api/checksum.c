/*
 * Containers with checksums: the bytes after the tables are those of a model, readers that ask for
 * checks notice every changed byte, and other readers do not see the checksums.
 */
#include "checksum.h"

/* A CRC-32, computed bit by bit. */
static uint32_t model_crc(const unsigned char *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;
    int bit;

    while (size-- > 0) {
        crc ^= *bytes++;
        for (bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

/* Of tables that are not as the checksums say, nothing is read; else of the pieces that are not. */
static int is_refused(const char *mode, const char *reason)
{
    int sid = open_for_reading(mode), is_refused = sid < 0, t;

    for (t = 0; t < TASKS && sid >= 0 && !is_refused; t++)
        is_refused = fails_for_task(sid, t);
    if (is_refused && reason)
        CHECK_CONTAINS(support_message, reason);
    if (sid >= 0)
        CHECK_INT(sion_close(sid), 1);
    return is_refused;
}

static uint32_t number_at(const unsigned char *bytes, size_t offset)
{
    uint32_t number;

    memcpy(&number, bytes + offset, sizeof number);
    return number;
}

static int64_t long_at(const unsigned char *bytes, size_t offset)
{
    int64_t number;

    memcpy(&number, bytes + offset, sizeof number);
    return number;
}

static void the_bytes_are_as_documented(void)
{
    /* First byte of each chunk, and the bytes that the records use. */
    static const struct {
        size_t offset, used;
    } chunks[] = {{START, 500},
                  {START + SKIP, 601},
                  {START + 1024, 2 * PIECE + 5},
                  {START + 1024 + SKIP, PIECE + 7}};
    unsigned char *bytes;
    size_t size = 0, i, pos, n = 0;

    write_container("wb,checksum");
    bytes = support_load("sum.sion", &size);
    CHECK(memcmp(bytes + END, "SIONCRC1", 8) == 0);
    CHECK_INT(number_at(bytes, END + 8), 1);
    CHECK_INT(number_at(bytes, END + 12), PIECE);
    CHECK_INT(number_at(bytes, END + 24), model_crc(bytes, META1));
    CHECK_INT(number_at(bytes, END + 28), model_crc(bytes + META2, END - META2));
    for (i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        for (pos = 0; pos < chunks[i].used; pos += PIECE) {
            size_t left = chunks[i].used - pos;

            CHECK_INT(number_at(bytes, END + HEAD + 4 * n++),
                      model_crc(bytes + chunks[i].offset + pos, left < PIECE ? left : PIECE));
        }
    }
    CHECK_INT(long_at(bytes, END + 16), n);
    CHECK_INT(size, END + HEAD + 4 * n);
    CHECK_INT(number_at(bytes, END + 32), model_crc(bytes + END + HEAD, 4 * n));
    CHECK_INT(number_at(bytes, END + 36), model_crc(bytes + END, 36));
    free(bytes);
}

static void checksums_change_nothing_else_in_the_file(void)
{
    unsigned char *with, *without;
    size_t size = 0, shorter = 0;

    position = 0;
    write_container("wb,checksum");
    with = support_load("sum.sion", &size);
    position = 0;
    write_container("wb");
    without = support_load("sum.sion", &shorter);
    CHECK_INT(shorter, END);
    CHECK(memcmp(with, without, END) == 0);
    free(with);
    free(without);
}

static int is_refused_with(size_t offset, unsigned char mask, const char *mode, const char *reason)
{
    int refused;

    change(offset, mask);
    refused = is_refused(mode, reason);
    change(offset, mask);
    return refused;
}

static void a_changed_byte_of_data_is_noticed(void)
{
    static const size_t bytes[] = {START,
                                   START + 499,
                                   START + SKIP + 600,
                                   START + 1024,
                                   START + 1024 + PIECE - 1,
                                   START + 1024 + PIECE,
                                   START + 1024 + 2 * PIECE + 4,
                                   START + 1024 + SKIP + PIECE + 6};
    size_t i;

    write_container("wb,checksum");
    CHECK(!is_refused("rb,checksum", NULL));
    for (i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        CHECK(is_refused_with(bytes[i], 0x10, "rb,checksum", "is damaged: its checksum is"));
        CHECK(is_refused_with(bytes[i], 0x10, "rb,checksum=open", "is damaged: its checksum is"));
        CHECK(!is_refused_with(bytes[i], 0x10, "rb", NULL));
    }
    CHECK(is_refused_with(START + 1024 + SKIP + PIECE, 1, "rb,checksum",
                          "piece 1 of chunk 1 of task 1"));
    CHECK(!is_refused_with(START + 500, 1, "rb,checksum", NULL)); /* not used */
}

/* The bytes before the data, the tables, and the checksums. */
static void a_changed_byte_of_the_tables_is_noticed(void)
{
    size_t offset;

    write_container("wb,checksum");
    for (offset = 0; offset < END + HEAD + 4 * CRCS; offset++) {
        if (offset == 64)
            offset = 1070; /* zeros of the prefix */
        if (offset == META1)
            offset = META2;
        CHECK(is_refused_with(offset, 0x01, "rb,checksum", NULL));
        if (offset >= END)
            CHECK(!is_refused_with(offset, 0x01, "rb", NULL));
    }
}

static void one_rank_is_checked_by_itself(void)
{
    int rank = 0, sid;
    char byte;

    write_container("wb,checksum");
    change(START + 1024, 1); /* of task 1 */
    support_catch();
    sid = sion_open_rank("sum.sion", "rb,checksum", NULL, NULL, &rank, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
    rank = 1;
    sid = sion_open_rank("sum.sion", "rb,checksum", NULL, NULL, &rank, NULL);
    CHECK_INT(support_warnings, 0);
    CHECK(fails_to_read(sid, 1000));
    CHECK_CONTAINS(support_message, "piece 0 of chunk 0 of task 1 is damaged: its checksum is");
    CHECK_INT(sion_close(sid), 1);
    sid = sion_open_rank("sum.sion", "rb,checksum=open", NULL, NULL, &rank, NULL);
    CHECK(sid >= 0);
    CHECK_INT(support_warnings, 1);
    support_catch();
    CHECK_INT(sion_fread(&byte, 1, 1, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "piece 0 of chunk 0 of task 1 is damaged: its checksum is");
    CHECK_INT(sion_close(sid), 1);
}

enum { FIRST = 500 };

/* The first bytes of the tasks; task 2 has none. locked: -1: each can be read. */
static void read_all_but(int locked, unsigned char found[TASKS][FIRST])
{
    int sid = open_for_reading("rb,checksum=open"), t;

    CHECK(sid >= 0);
    CHECK_INT(support_warnings, locked >= 0);
    CHECK_INT(support_errors, 0);
    for (t = TASKS - 1; t >= 0; t--) {
        support_catch();
        CHECK_INT(sion_seek(sid, t, 0, 0), t != locked);
        CHECK_INT(sion_fread(found[t], 1, FIRST, sid), t == locked || t == 2 ? 0 : FIRST);
        CHECK(t == 2 || (support_errors > 0) == (t == locked));
    }
    CHECK_INT(sion_close(sid), 1);
}

/* Of a changed byte of the data or of a CRC. */
static void check_only_locked(size_t offset, int locked)
{
    unsigned char good[TASKS][FIRST] = {{0}}, found[TASKS][FIRST] = {{0}};

    read_all_but(-1, good);
    change(offset, 0x80);
    read_all_but(locked, found);
    change(offset, 0x80);
    CHECK(memcmp(good[1 - locked], found[1 - locked], FIRST) == 0);
}

static void an_open_that_compares_locks_out_a_damaged_task(void)
{
    static const int task_of_crc[CRCS] = {0, 0, 1, 1, 1, 1, 1};
    int i;

    write_container("wb,checksum");
    for (i = 0; i < CRCS; i++)
        check_only_locked(END + HEAD + 4 * (size_t)i, task_of_crc[i]);
    check_only_locked(START + 7, 0);
    check_only_locked(START + 1024 + PIECE + 7, 1);
}

/* The tap does not see data written through a FILE*, so these are read again. */
static void data_through_a_file_are_read_again(void)
{
    unsigned char bytes[100] = {1, 2, 3};
    FILE *file;
    int sid = create("wb,checksum");

    put(sid, 0, 300);
    put(sid, 1, PIECE + 3);
    CHECK_INT(sion_seek(sid, 2, 0, 0), 1);
    file = sion_get_fp(sid);
    CHECK(file != NULL);
    CHECK_INT(fwrite(bytes, 1, 60, file), 60);
    CHECK_INT(sion_close(sid), 1);
    CHECK(!is_refused("rb,checksum", NULL));
    CHECK(is_refused_with(START + 150, 1, "rb,checksum", "task 0"));
    CHECK(is_refused_with(START + 1024 + 3 * PIECE + 59, 1, "rb,checksum", "task 2"));
}

static void key_value_records_have_checksums(void)
{
    unsigned char value[900] = {7};
    int sid = create("wb,keyval=inline,checksum"), i;

    for (i = 0; i < 5; i++)
        CHECK_INT(sion_fwrite_key(value, (uint64_t)i, 1, sizeof value, sid), sizeof value);
    CHECK_INT(sion_close(sid), 1);
    CHECK(!is_refused("rb,checksum", NULL));
    CHECK(is_refused_with(START + SKIP + 300, 1, "rb,checksum", "piece 0 of chunk 1 of task 0"));
}

/* Another container of the same size is written over this one, without truncating it. */
static void checksums_of_another_file_are_not_believed(void)
{
    unsigned char *other;
    size_t size = 0;
    FILE *file;
    int sid;

    sid = create("wb");
    put(sid, 0, 400);
    put(sid, 1, PIECE);
    put(sid, 1, 3 * PIECE);
    CHECK_INT(sion_close(sid), 1);
    other = support_load("sum.sion", &size);
    CHECK_INT(size, END);
    write_container("wb,checksum");
    file = fopen("sum.sion", "r+b");
    CHECK(file && fwrite(other, 1, size, file) == size);
    CHECK_INT(fclose(file), 0);
    free(other);
    CHECK(is_refused("rb,checksum", "they are of another file"));
    CHECK(!is_refused("rb", NULL));
    CHECK(!is_refused_with(END, 1, "rb,checksum", NULL)); /* nothing but bytes of an older file */
}

static void without_checksums_there_is_nothing_to_compare(void)
{
    write_container("wb");
    CHECK(!is_refused("rb,checksum", NULL));
    CHECK(!is_refused_with(START, 1, "rb,checksum", NULL));
}

static void the_environment_can_request_checksums(void)
{
    size_t size = 0;

    setenv("SION_CHECKSUM", "1", 1);
    write_container("wb");
    free(support_load("sum.sion", &size));
    CHECK_INT(size, END + HEAD + 4 * CRCS);
    CHECK(is_refused_with(START, 1, "rb", "task 0"));
    setenv("SION_CHECKSUM", "open", 1);
    change(START, 1);
    CHECK_INT(sion_close(open_for_reading("rb")), 1);
    CHECK_INT(support_warnings, 1);
    change(START, 1);
    setenv("SION_CHECKSUM", "0", 1);
    CHECK(!is_refused_with(START, 1, "rb", NULL));
    unsetenv("SION_CHECKSUM");
}

static uint32_t other_crc(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    while (size-- > 0)
        crc = 31 * crc + *at++;
    return crc;
}

/* Checksums must be compared by the function that made them. */
static void a_program_can_provide_its_own_function(void)
{
    sion_checksum_use(other_crc);
    write_container("wb,checksum");
    CHECK(!is_refused("rb,checksum", NULL));
    sion_checksum_use(sion_crc32);
    CHECK(is_refused("rb,checksum", NULL));
}

static void the_function_computes_the_usual_crc(void)
{
    unsigned char bytes[1000];
    size_t split;

    CHECK_INT(sion_crc32(0, "123456789", 9), 0xcbf43926);
    CHECK_INT(sion_crc32(0, "", 0), 0);
    check_fill(bytes, 9, 0, sizeof bytes);
    for (split = 0; split <= sizeof bytes; split += 37)
        CHECK_INT(sion_crc32(sion_crc32(0, bytes, split), bytes + split, sizeof bytes - split),
                  model_crc(bytes, sizeof bytes));
}

int main(void)
{
    unsetenv("SION_CHECKSUM");
    sion_checksum_use(sion_crc32);
    support_enter_folder();
    RUN(the_function_computes_the_usual_crc);
    RUN(the_bytes_are_as_documented);
    RUN(checksums_change_nothing_else_in_the_file);
    RUN(a_changed_byte_of_data_is_noticed);
    RUN(a_changed_byte_of_the_tables_is_noticed);
    RUN(one_rank_is_checked_by_itself);
    RUN(an_open_that_compares_locks_out_a_damaged_task);
    RUN(data_through_a_file_are_read_again);
    RUN(key_value_records_have_checksums);
    RUN(checksums_of_another_file_are_not_believed);
    RUN(without_checksums_there_is_nothing_to_compare);
    RUN(the_environment_can_request_checksums);
    RUN(a_program_can_provide_its_own_function);
    support_leave_folder();
    return check_done();
}
