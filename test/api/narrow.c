/*
 * Sizes that a size_t of 32 bits cannot hold: places behind 4 GiB, and, where it has 32 bits,
 * transfers, records and tables that are larger than all memory.
 */
#include "sion.h"

#include "bomb.h"
#include "support.h"

#define NAME "narrow.sion"

enum { BLOCK = 512 };

/* What the lower 32 bits of a number have left of it. */
static const sion_int64 wraps_to_five = (1LL << 32) + 5;
static unsigned char data[1000];

static int create(sion_int64 chunk, const char *mode)
{
    int n = 2, nfiles = 1, ranks[2] = {0, 1}, *r = ranks;
    sion_int64 sizes[2] = {chunk, 1000}, *s = sizes;
    sion_int32 fsblksize = BLOCK;
    char name[] = NAME;

    return sion_open(name, mode, &n, &nfiles, &s, &fsblksize, &r, NULL);
}

static int open_again(const char *mode)
{
    int n, nfiles;
    char name[] = NAME;

    return sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, NULL);
}

/* Task 1 begins behind 5 GiB; the first half of its data goes through the library, the rest through
 * the FILE*. */
static void write_behind(const char *mode)
{
    int sid = create(5LL << 30, mode);
    FILE *file = NULL;

    CHECK_INT(sion_seek_fp(sid, 1, 0, 0, &file), 1);
    check_fill(data, 1, 0, sizeof data);
    CHECK_INT(sion_get_position(sid), 1536 + (5LL << 30));
    CHECK_INT(sion_fwrite(data, 1, 500, sid), 500);
    if (strstr(mode, "ansi")) {
        CHECK(file && fwrite(data + 500, 1, 500, file) == 500);
        CHECK_INT(ftello(file), sion_get_position(sid));
    } else {
        CHECK_INT(sion_fwrite(data + 500, 1, 500, sid), 500);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void places_may_lie_behind_4_gib(void)
{
    static const char *const modes[] = {"bw,ansi", "bw,posix", "bw,posix,buffered"};
    int m, sid;

    for (m = 0; m < 3; m++) {
        write_behind(modes[m]);
        sid = open_again("br");
        CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
        memset(data, 0, sizeof data);
        CHECK_INT(sion_fread(data, 1, sizeof data, sid), sizeof data);
        CHECK_INT(check_compare(data, 1, 0, sizeof data), -1);
        CHECK(sion_feof(sid));
        CHECK_INT(sion_close(sid), 1);
    }
}

static void transfers_larger_than_memory_are_refused(void)
{
    sion_int64 starts[2];
    int sid = create(5LL << 30, "bw"), rank = 0;

    support_catch();
    CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_stream_write(sid, data, wraps_to_five), -1);
    CHECK_INT(sion_error_code(), SION_ERR_ARGUMENT);
    CHECK_INT(sion_fwrite(data, 1 << 16, 1 << 16, sid), 0);
    CHECK_INT(sion_fwrite(data, 1, (size_t)-1, sid), 0);
    CHECK_INT(sion_get_bytes_written(sid), 100);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br");
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK_INT(sion_fread(data, 1, 10, sid), 10);
    CHECK_INT(sion_stream_read(sid, data, wraps_to_five), -1);
    CHECK_INT(sion_stream_sizes(sid, 1, &rank, starts), 100);
    CHECK_INT(sion_stream_read_tasks(sid, 1, &rank, starts, data, wraps_to_five), -1);
    CHECK_INT(sion_stream_skip(sid, wraps_to_five), 90);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_errors, 5);
}

static void make_bomb(void (*fill)(int, int), int a, int b)
{
    bomb_file = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fill(a, b);
    CHECK_INT(bomb_failed | close(bomb_file), 0);
}

static void tables_larger_than_memory_are_refused(void)
{
    static const int tables[][2] = {{1 << 28, 1},       {1 << 29, 1},       {INT_MAX, 1},
                                    {1 << 16, 1 << 13}, {1 << 16, 1 << 16}, {65537, 65537},
                                    {1, 1 << 29},       {1, INT_MAX}};
    size_t i;

    for (i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        support_catch();
        make_bomb(bomb_tables, tables[i][0], tables[i][1]);
        CHECK_INT(open_again("br"), -1);
        CHECK_INT(support_errors, 1);
    }
}

static void fill_record(int key, int length)
{
    sion_int64 start = bomb_data(SION_KEYVAL_INLINE);

    bomb_number(start, key);
    bomb_number(start + 8, (1LL << 32) + length);
}

static void a_record_larger_than_memory_is_not_taken_for_a_small_one(void)
{
    uint64_t key = 0;
    size_t size = 0;
    int sid;

    make_bomb(fill_record, 7, 5);
    support_catch();
    sid = open_again("br,keyval=inline");
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK_INT(sion_fread_key_iterator_next(sid, &key, &size), 0);
    CHECK_CONTAINS(support_message, "4294967301");
    CHECK_INT(sion_fread_key(data, 7, 1, sizeof data, sid),
              sizeof data); /* in pieces it can be read */
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(places_may_lie_behind_4_gib);
    if (sizeof(size_t) == 4) {
        RUN(transfers_larger_than_memory_are_refused);
        RUN(tables_larger_than_memory_are_refused);
        RUN(a_record_larger_than_memory_is_not_taken_for_a_small_one);
    }
    support_leave_folder();
    return check_done();
}
