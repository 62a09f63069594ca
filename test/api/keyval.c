/* Key-value containers through the public interface. */
#include "sion.h"

#include "support.h"

static char name[] = "k.sion";

/* Byte i of the jth record of key k of task r in the sample files. */
static unsigned char sample_byte(int r, uint64_t k, int j, size_t i)
{
    return (unsigned char)((unsigned)r * 131 + (unsigned)k * 17 + (unsigned)j * 29 + i * 7);
}

static void fill_sample(unsigned char *to, int r, uint64_t k, int j, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        to[i] = sample_byte(r, k, j, i);
}

static int create(const char *file, const char *mode, int n, const sion_int64 *sizes, int fsblksize)
{
    int nfiles = 1, ranks[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *r = ranks;
    sion_int64 copy[8], *s = copy;
    sion_int32 fs = fsblksize;
    char path[64];

    snprintf(path, sizeof path, "%s", file);
    memcpy(copy, sizes, (size_t)n * sizeof *sizes);
    return sion_open(path, mode, &n, &nfiles, &s, &fs, &r, NULL);
}

static int open_to_read(const char *file)
{
    char path[512];
    int n, nfiles;

    snprintf(path, sizeof path, "%s", file);
    return sion_open(path, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
}

/* ---- sample files ---- */

struct record {
    int task;
    uint64_t key;
    size_t bytes;
};

static const struct sample {
    const char *name;
    int tasks, fsblksize;
    sion_int64 chunks[4];
    struct record records[12]; /* up to the first task -1 */
} samples[] = {
    {"s07_keyval.sion",
     3,
     512,
     {200, 512, 1000},
     {{0, 5, 100},
      {0, 7, 50},
      {0, 5, 600},
      {1, 1, 0},
      {1, 1, 1},
      {1, 2, 480},
      {1, 2, 496},
      {1, 3, 1500},
      {0, 5, 3},
      {0, 9, 476},
      {-1, 0, 0}}},
    {"s14_kvedge.sion",
     4,
     512,
     {512, 512, 512, 512},
     {{0, 1, 490},
      {0, 2, 30},
      {1, 1, 480},
      {1, 2, 0},
      {2, 1, 480},
      {2, 2, 7},
      {3, 1, 5},
      {3, 2, 0},
      {-1, 0, 0}}},
    {"s15_kvsplit2.sion",
     2,
     16,
     {24, 24},
     {{0, 1, 8}, {0, 2, 8}, {0, 3, 3}, {1, 7, 20}, {-1, 0, 0}}},
};

/* How many records of the same task and key come before record i. */
static int number_of(const struct sample *sample, int i)
{
    int k, n = 0;

    for (k = 0; k < i; k++)
        n += sample->records[k].task == sample->records[i].task &&
             sample->records[k].key == sample->records[i].key;
    return n;
}

static void samples_are_written_byte_by_byte(void)
{
    static unsigned char data[2000];
    char path[64];
    size_t s;
    int i, sid;

    for (s = 0; s < sizeof samples / sizeof samples[0]; s++) {
        const struct sample *sample = &samples[s];

        sid = create(sample->name, "bw,keyval=inline", sample->tasks, sample->chunks,
                     sample->fsblksize);
        for (i = 0; sample->records[i].task >= 0; i++) {
            const struct record *record = &sample->records[i];

            CHECK_INT(sion_seek(sid, record->task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            fill_sample(data, record->task, record->key, number_of(sample, i), record->bytes);
            CHECK_INT(sion_fwrite_key(data, record->key, 1, record->bytes, sid), record->bytes);
        }
        CHECK_INT(sion_close(sid), 1);
        snprintf(path, sizeof path, "serial/%s", sample->name);
        if (!support_host_is_big())
            CHECK(support_same_files(sample->name, support_golden(path)));
        else if (s == 0)
            CHECK(support_same_files(sample->name,
                                     support_golden("swapped/b03_keyval_bigmeta.sion")));
    }
}

static void check_sample_file(const struct sample *sample, const char *path)
{
    static unsigned char data[2000], expected[2000];
    int sid = open_to_read(path), task, i;

    CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_INLINE);
    for (task = 0; task < sample->tasks; task++) {
        uint64_t key = 77;
        size_t bytes = 77;

        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        for (i = 0; sample->records[i].task >= 0; i++) {
            const struct record *record = &sample->records[i];

            if (record->task != task)
                continue;
            CHECK_INT(sion_fread_key_iterator_next(sid, &key, &bytes), 1);
            CHECK(key == record->key && bytes == record->bytes);
            CHECK_INT(sion_fread_key(data, key, 1, bytes, sid), bytes);
            fill_sample(expected, task, key, number_of(sample, i), bytes);
            CHECK(memcmp(data, expected, bytes) == 0);
        }
        CHECK_INT(sion_fread_key_iterator_next(sid, &key, &bytes), 0);
        CHECK_INT(sion_key_full_scan(sid), 1);
    }
    /* The library keeps each task's index. */
    CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_key_get_stat(sid, sample->records[0].key, NULL), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void samples_are_read(void)
{
    size_t s;
    char path[64];

    support_catch();
    for (s = 0; s < sizeof samples / sizeof samples[0]; s++) {
        snprintf(path, sizeof path, "serial/%s", samples[s].name);
        check_sample_file(&samples[s], support_golden(path));
    }
    check_sample_file(&samples[0], support_golden("swapped/b03_keyval_bigmeta.sion"));
    CHECK_INT(support_errors, 0);
}

/* ---- behaviour ---- */

/* The container of a known test: ten records of key 4711, and one of each key from 5611 to 5620. */
static void write_letters(void)
{
    const sion_int64 size = 200;
    char text[64];
    int sid = create(name, "bw,keyval=inline", 1, &size, 10), i, k;

    for (i = 0; i < 10; i++) {
        for (k = 0; k < 10 + i; k++)
            text[k] = (char)('A' + (i + k) % 26);
        CHECK_INT(sion_fwrite_key(text, 4711, 1, 10, sid), 10);
        CHECK_INT(sion_fwrite_key(text, 5611 + (uint64_t)i, 1, 10 + (size_t)i, sid), 10 + i);
    }
    CHECK_INT(sion_get_bytes_written(sid), 245 + 20 * 16);
    CHECK_INT(sion_close(sid), 1);
}

static void check_letters(int sid, uint64_t key, int entry, sion_int64 pos, const char *expected)
{
    char text[64] = "";

    CHECK_INT(sion_seek_key(sid, key, entry, pos), 1);
    CHECK_INT(sion_fread_key(text, key, 1, 10, sid), strlen(expected));
    CHECK_STR(text, expected);
}

static void seeks_find_keys(void)
{
    int sid, pass;

    write_letters();
    sid = open_to_read(name);
    for (pass = 0; pass < 2; pass++) {
        check_letters(sid, 4711, 4, 0, "EFGHIJKLMN");
        check_letters(sid, 4711, 4, 1, "FGHIJKLMN");
        check_letters(sid, 5617, 0, 4, "KLMNOPQRST");
        check_letters(sid, 4711, SION_ABSOLUTE_POS, 96, "PQRS");
        CHECK_INT(sion_seek_key(sid, 4711, 10, 0), 0);
        CHECK_INT(sion_seek_key(sid, 4711, 4, 10), 0);
        CHECK_INT(sion_seek_key(sid, 99, 0, 0), 0);
        CHECK_INT(sion_seek_key(sid, 4711, 9, 9), 1);
        CHECK_INT(sion_seek_key(sid, 4711, SION_CURRENT_BLOCK, SION_CURRENT_POS), 1);
        check_letters(sid, 4711, SION_CURRENT_BLOCK, 2, "LMNOPQRS");
        CHECK_INT(sion_seek_key(sid, 4711, SION_CURRENT_BLOCK, SION_CURRENT_POS), 0);
        CHECK_INT(sion_key_full_scan(sid), 1);
    }
    support_catch();
    CHECK_INT(sion_seek_key(sid, 4711, 0, SION_CURRENT_POS), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_close(sid), 1);
}

static void keys_are_listed_and_counted(void)
{
    sion_key_stat_t keystat;
    uint64_t key, expected = 4711;
    int sid, n = 0;

    write_letters();
    sid = open_to_read(name);
    CHECK_INT(sion_key_list_iterator_reset(sid), 1);
    CHECK_INT(sion_key_list_iterator_next(sid, &key), 0);
    CHECK_INT(sion_key_get_stat(sid, 4711, &keystat), 0);
    CHECK_INT(sion_key_full_scan(sid), 1);
    CHECK_INT(sion_key_list_iterator_reset(sid), 1);
    while (sion_key_list_iterator_next(sid, &key)) {
        CHECK(key == expected);
        expected = n++ == 0 ? 5611 : expected + 1;
        CHECK_INT(sion_key_get_stat(sid, key, &keystat), 1);
        CHECK(keystat.key == key);
        CHECK_INT(keystat.num_blocks, key == 4711 ? 10 : 1);
        CHECK_INT(keystat.total_size, key == 4711 ? 100 : (sion_int64)(10 + key - 5611));
    }
    CHECK(n == 11 && key == 0);
    CHECK_INT(sion_close(sid), 1);
}

static void keys_are_read_independently(void)
{
    const sion_int64 sizes[4] = {16080, 17280, 18480, 19680};
    unsigned char data[32], expected[32];
    int task, k, j, sid = create(name, "bw,keyval", 4, sizes, 10);

    for (task = 0; task < 4; task++) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        for (j = 0; j < 3; j++) {
            for (k = 0; k < 5; k++) {
                fill_sample(data, task, (uint64_t)(4711 + k), j, 16);
                CHECK_INT(sion_fwrite_key(data, (uint64_t)(4711 + k), 8, 2, sid), 2);
            }
        }
        CHECK_INT(sion_get_bytes_written(sid), 480);
    }
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read(name);
    for (task = 3; task >= 0; task--) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        for (k = 4; k >= 0; k--) {
            for (j = 0; j < 3; j++) {
                /* A read returns only whole items of the current record. */
                CHECK_INT(sion_fread_key(data, (uint64_t)(4711 + k), 4, 3, sid), 3);
                CHECK_INT(sion_fread_key(data + 12, (uint64_t)(4711 + k), 4, 3, sid), 1);
                fill_sample(expected, task, (uint64_t)(4711 + k), j, 16);
                CHECK(memcmp(data, expected, 16) == 0);
            }
            CHECK_INT(sion_fread_key(data, (uint64_t)(4711 + k), 1, 16, sid), 0);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

static void empty_records_count_as_records(void)
{
    const sion_int64 size = 40;
    uint64_t key;
    size_t bytes;
    char text[8] = "";
    int sid = create(name, "bw,keyval", 1, &size, 1);

    CHECK_INT(sion_fwrite_key(NULL, 1, 1, 0, sid), 0);
    CHECK_INT(sion_fwrite_key("a", 1, 1, 1, sid), 1);
    CHECK_INT(sion_fwrite_key("x", 1, 5, 0, sid), 0);
    CHECK_INT(sion_fwrite_key("x", 2, 0, 5, sid), 0); /* without a size, nothing is read */
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read(name);
    CHECK(sion_fread_key_iterator_next(sid, &key, &bytes) == 1 && key == 1 && bytes == 0);
    CHECK(sion_fread_key_iterator_next(sid, &key, &bytes) == 1 && bytes == 1);
    CHECK(sion_fread_key_iterator_next(sid, &key, &bytes) == 1 && bytes == 0);
    CHECK_INT(sion_fread_key_iterator_next(sid, &key, &bytes), 0);
    CHECK_INT(sion_seek_key(sid, 1, 0, 0), 1);
    CHECK_INT(sion_fread_key(text, 1, 1, 8, sid), 1);
    CHECK_STR(text, "a");
    CHECK_INT(sion_fread_key_iterator_reset(sid), 1);
    CHECK(sion_fread_key_iterator_next(sid, NULL, NULL) == 1);
    CHECK_INT(sion_close(sid), 1);
}

static void the_wrong_mode_is_refused(void)
{
    const sion_int64 sizes[2] = {0, 100};
    char text[8];
    uint64_t key = 5;
    int sid = create(name, "bw", 2, sizes, 10);

    support_catch();
    CHECK_INT(sion_fwrite_key("abc", 1, 1, 3, sid), 0);
    CHECK_CONTAINS(support_message, "not opened in that mode");
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read(name);
    CHECK_INT(sion_fread_key(text, 1, 1, 3, sid), 0);
    CHECK_INT(sion_fread_key_iterator_reset(sid), 0);
    CHECK_INT(sion_fread_key_iterator_next(sid, &key, NULL), 0);
    CHECK_INT(sion_seek_key(sid, 1, 0, 0), 0);
    CHECK_INT(sion_key_full_scan(sid), 0);
    CHECK_INT(sion_key_list_iterator_reset(sid), 0);
    CHECK_INT(sion_key_list_iterator_next(sid, &key), 0);
    CHECK_INT(sion_key_get_stat(sid, 1, NULL), 0);
    CHECK_INT(support_errors, 9);
    CHECK_INT(sion_close(sid), 1);
    sid = create(name, "bw,keyval", 2, sizes, 10);
    CHECK_INT(sion_fwrite_key("abc", 1, 1, 3, sid), 0); /* no room in chunks of 0 bytes */
    CHECK_INT(sion_fwrite_key(NULL, 1, 1, 3, sid), 0);
    CHECK_INT(sion_fwrite_key("abc", 1, SIZE_MAX, 3, sid), 0);
    CHECK_INT(sion_fread_key(text, 1, 1, 3, sid), 0);
    CHECK_INT(support_errors, 13);
    CHECK_INT(sion_key_list_iterator_reset(sid), 1); /* a list without keys */
    CHECK_INT(support_errors, 13);
    CHECK_INT(sion_fwrite_key("abc", 1, 1, 3, 4711), 0);
    CHECK_INT(sion_close(sid), 1);
}

static void damaged_records_are_errors(void)
{
    char data[3000];
    uint64_t key;
    size_t bytes;
    int sid = open_to_read(support_golden("invalid/i42_kv_len_huge.sion")), n = 0;

    support_catch();
    CHECK_INT(sion_fread_key_iterator_next(sid, &key, &bytes), 0);
    CHECK_INT(sion_fread_key(data, 5, 1, 10, sid), 0);
    CHECK_INT(sion_key_full_scan(sid), 0);
    CHECK_INT(support_errors, 3);
    CHECK_INT(sion_error_code(), SION_ERR_DAMAGED);
    /* The other tasks can still be read. */
    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_key_full_scan(sid), 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read(support_golden("invalid/i43_kv_stream_short.sion"));
    while (sion_fread_key_iterator_next(sid, &key, &bytes))
        n++;
    CHECK_INT(n, 4);
    CHECK_INT(support_errors, 4);
    CHECK_INT(sion_close(sid), 1);
}

static void a_record_may_be_longer_than_many_chunks(void)
{
    const sion_int64 size = 100;
    static unsigned char data[100000], got[100000];
    int sid = create(name, "bw,keyval", 1, &size, 1);

    fill_sample(data, 1, 2, 3, sizeof data);
    CHECK_INT(sion_fwrite_key(data, UINT64_MAX, 1, sizeof data, sid), sizeof data);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read(name);
    CHECK_INT(sion_fread_key(got, UINT64_MAX, 1, sizeof got, sid), sizeof got);
    CHECK(memcmp(data, got, sizeof got) == 0);
    CHECK_INT(sion_seek_key(sid, UINT64_MAX, 0, 77777), 1);
    CHECK_INT(sion_fread_key(got, UINT64_MAX, 1, 10, sid), 10);
    CHECK(memcmp(data + 77777, got, 10) == 0);
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(samples_are_written_byte_by_byte);
    RUN(samples_are_read);
    RUN(seeks_find_keys);
    RUN(keys_are_listed_and_counted);
    RUN(keys_are_read_independently);
    RUN(empty_records_count_as_records);
    RUN(the_wrong_mode_is_refused);
    RUN(damaged_records_are_errors);
    RUN(a_record_may_be_longer_than_many_chunks);
    support_leave_folder();
    return check_done();
}
