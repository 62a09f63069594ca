/*
 * Compares key-value records on a stream with a model: any record sizes, any chunk sizes, headers
 * divided anywhere, empty records everywhere, both byte orders.
 */
#include "keyval/keyval.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/byteorder.h"
#include "base/error.h"
#include "support.h"

enum { RECORDS = 60, KEYS = 5, LONGEST = 90 };

static struct model {
    uint64_t keys[RECORDS];
    size_t lengths[RECORDS];
    int count;
} model;

static struct scion_stream stream;
static struct scion_lengths lengths;
static struct scion_place place;
static struct scion_file *file;

static unsigned char value_byte(int record, size_t i)
{
    return (unsigned char)(record * 41 + (int)i * 7);
}

static void fill_value(int record, unsigned char *to)
{
    size_t i;

    for (i = 0; i < model.lengths[record]; i++)
        to[i] = value_byte(record, i);
}

static uint64_t random_key(void)
{
    static const uint64_t keys[KEYS] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, 4711};

    return keys[check_below(KEYS)];
}

static void start_stream(int writing)
{
    const struct scion_mark start = {0, 0, 0};

    scion_stream_init(&stream, writing, check_below(2) ? 0 : 1 + check_below(200));
    stream.fill_chunks = writing;
    CHECK_INT(scion_stream_enter(&stream, file, &place, &lengths, &start), 0);
}

static void write_sample(void)
{
    unsigned char data[LONGEST];
    int i;

    place = (struct scion_place){.start = (sion_int64)check_below(50),
                                 .globalskip = 200,
                                 .chunksize = 1 + (sion_int64)check_below(100)};
    model.count = (int)check_below(RECORDS);
    CHECK_INT(scion_file_open("records", SCION_OPEN_CREATE, 0600, &file), 0);
    CHECK_INT(scion_file_truncate(file, 0), 0);
    CHECK_INT(scion_lengths_new(&lengths), 0);
    start_stream(1);
    for (i = 0; i < model.count; i++) {
        model.keys[i] = random_key();
        model.lengths[i] = check_below(3) ? check_below(LONGEST) : 0;
        fill_value(i, data);
        CHECK_INT(scion_keyval_write(&stream, model.keys[i], data, model.lengths[i]), 1);
    }
    CHECK_INT(scion_stream_close(&stream), 0);
    /* Every chunk except the last is full. */
    for (i = 0; i + 1 < lengths.count; i++)
        CHECK_INT(lengths.used[i], place.chunksize);
}

static void end_sample(struct scion_keyval *keyval)
{
    scion_keyval_free(keyval);
    scion_stream_close(&stream);
    scion_lengths_free(&lengths);
    scion_file_close(file);
}

/* Swap the bytes of every header in the file, as if a writer had the other byte order. */
static void swap_headers(void)
{
    sion_int64 offset = 0;
    int i, k;

    for (i = 0; i < model.count; i++) {
        for (k = 0; k < 16; k++) {
            sion_int64 from = offset + k, chunk = from / place.chunksize;
            unsigned char header[16], byte;
            uint64_t parts[2] = {model.keys[i], model.lengths[i]};

            memcpy(header, parts, 16);
            scion_swap_copy(header, header, 8, 2);
            byte = header[k];
            CHECK_INT(scion_file_write(
                          file, &byte, 1,
                          place.start + chunk * place.globalskip + from % place.chunksize, NULL),
                      0);
        }
        offset += 16 + (sion_int64)model.lengths[i];
    }
}

static void check_iteration(struct scion_keyval *keyval)
{
    unsigned char expected[LONGEST], got[LONGEST];
    uint64_t key = 99;
    size_t length = 99, items;
    int i;

    for (i = 0; i < model.count; i++) {
        CHECK_INT(scion_keyval_next(keyval, &stream, &key, &length), 1);
        CHECK(key == model.keys[i] && length == model.lengths[i]);
        if (length == 0)
            continue;
        CHECK_INT(scion_keyval_read(keyval, &stream, key, got, 1, length, &items), 1);
        fill_value(i, expected);
        CHECK(items == length && memcmp(got, expected, length) == 0);
    }
    key = 12345;
    CHECK_INT(scion_keyval_next(keyval, &stream, &key, &length), 0);
    CHECK_INT(key, 12345);
}

/* Read all values of one key in pieces of random size, none of which crosses the end of a record.
 * */
static void check_key(struct scion_keyval *keyval, uint64_t key)
{
    unsigned char expected[LONGEST], got[LONGEST];
    sion_int64 records, bytes, n = 0, sum = 0;
    size_t items;
    int i;

    for (i = 0; i < model.count; i++) {
        size_t done = 0;

        if (model.keys[i] != key)
            continue;
        n++;
        sum += (sion_int64)model.lengths[i];
        fill_value(i, expected);
        while (done < model.lengths[i]) {
            size_t want = 1 + check_below(LONGEST);
            size_t left = model.lengths[i] - done;

            CHECK_INT(scion_keyval_read(keyval, &stream, key, got, 1, want, &items), 1);
            CHECK_INT(items, want < left ? want : left);
            CHECK(memcmp(got, expected + done, items) == 0);
            done += items > 0 ? items : left;
        }
    }
    CHECK_INT(scion_keyval_read(keyval, &stream, key, got, 1, 1, &items), 0);
    CHECK_INT(scion_keyval_count(keyval, key, &records, &bytes), n > 0);
    CHECK(records == n && bytes == sum);
}

static void check_seeks(struct scion_keyval *keyval, uint64_t key)
{
    sion_int64 n = 0, sum = 0;
    unsigned char got;
    size_t items;
    int i;

    for (i = 0; i < model.count; i++) {
        sion_int64 length = (sion_int64)model.lengths[i];

        if (model.keys[i] != key)
            continue;
        CHECK_INT(scion_keyval_seek(keyval, &stream, key, n, 0), 1);
        CHECK_INT(scion_keyval_seek(keyval, &stream, key, n, length), length == 0);
        CHECK_INT(scion_keyval_seek(keyval, &stream, key, n, length + 1), 0);
        if (length > 0) {
            sion_int64 pos = (sion_int64)check_below((size_t)length);

            CHECK_INT(scion_keyval_seek(keyval, &stream, key, n, pos), 1);
            CHECK_INT(scion_keyval_read(keyval, &stream, key, &got, 1, 1, &items), 1);
            CHECK_INT(got, value_byte(i, (size_t)pos));
            CHECK_INT(scion_keyval_seek_absolute(keyval, &stream, key, sum + pos), 1);
            CHECK_INT(scion_keyval_seek_current(keyval, &stream, key, -1), 1);
            CHECK_INT(scion_keyval_seek_current(keyval, &stream, key, length), 0);
            CHECK_INT(scion_keyval_read(keyval, &stream, key, &got, 1, 1, &items), 1);
            CHECK_INT(got, value_byte(i, (size_t)pos));
        }
        n++;
        sum += length;
    }
    CHECK_INT(scion_keyval_seek(keyval, &stream, key, n, 0), 0);
    CHECK_INT(scion_keyval_seek(keyval, &stream, key, -1, 0), 0);
    CHECK_INT(scion_keyval_seek_absolute(keyval, &stream, key, sum), 0);
    CHECK_INT(scion_keyval_seek_absolute(keyval, &stream, key, -1), 0);
}

static void check_key_list(struct scion_keyval *keyval)
{
    uint64_t key, seen[KEYS];
    int nseen = 0, i, k;

    CHECK_INT(scion_keyval_scan(keyval, &stream), 1);
    scion_keyval_rewind_keys(keyval);
    for (i = 0; i < model.count; i++) {
        for (k = 0; k < nseen && seen[k] != model.keys[i];)
            k++;
        if (k < nseen)
            continue;
        CHECK_INT(scion_keyval_next_key(keyval, &key), 1);
        CHECK(key == model.keys[i]);
        seen[nseen++] = model.keys[i];
    }
    CHECK_INT(scion_keyval_next_key(keyval, &key), 0);
    CHECK_INT(key, 0);
}

static void random_records_are_found_again(void)
{
    struct scion_keyval *keyval;
    int i, way;

    check_seed(60406);
    for (i = 0; i < 300; i++) {
        int swapped = (int)check_below(2);

        write_sample();
        if (swapped)
            swap_headers();
        start_stream(0);
        for (way = 0; way < 3; way++) {
            CHECK_INT(scion_keyval_new(swapped, &keyval), 0);
            if (way == 0)
                check_iteration(keyval);
            if (way == 1)
                check_key(keyval, random_key());
            check_seeks(keyval, random_key());
            if (way == 2)
                check_key_list(keyval);
            if (way == 0) {
                scion_keyval_rewind(keyval);
                check_iteration(keyval);
            }
            if (way < 2)
                scion_keyval_free(keyval);
        }
        end_sample(keyval);
    }
}

static void a_single_key_can_be_listed(void)
{
    struct scion_keyval *keyval;
    uint64_t key, only;
    size_t length;
    int i;

    do {
        if (model.count > 0)
            model.count = 0;
        write_sample();
        if (model.count == 0) {
            scion_lengths_free(&lengths);
            scion_file_close(file);
        }
    } while (model.count == 0);
    only = model.keys[model.count / 2];
    start_stream(0);
    CHECK_INT(scion_keyval_new(0, &keyval), 0);
    scion_keyval_restrict(keyval, only);
    for (i = 0; i < model.count; i++) {
        if (model.keys[i] != only)
            continue;
        CHECK_INT(scion_keyval_next(keyval, &stream, &key, &length), 1);
        CHECK(key == only && length == model.lengths[i]);
    }
    CHECK_INT(scion_keyval_next(keyval, &stream, &key, &length), 0);
    end_sample(keyval);
}

/* A truncated stream gives an error or fewer records, but never other data. */
static void truncated_streams_are_errors(void)
{
    struct scion_keyval *keyval;
    sion_int64 whole, cut, good = 0;
    uint64_t key;
    size_t length;
    int i = 0, rc;

    do {
        if (i++ > 0)
            end_sample(NULL);
        write_sample();
    } while (model.count < 3 || lengths.count < 3);
    CHECK_INT(scion_lengths_before(&lengths, lengths.count, &whole), 0);
    for (i = 0, cut = 0; cut < whole; cut++) {
        sion_int64 used[200], left = cut, b;
        struct scion_lengths part;
        int found = 0;

        for (b = 0; b < lengths.count && b < 200; b++) {
            used[b] = left < lengths.used[b] ? left : lengths.used[b];
            left -= used[b];
        }
        if (i < model.count && cut == good + 16 + (sion_int64)model.lengths[i])
            good += 16 + (sion_int64)model.lengths[i++];
        scion_lengths_view(&part, used, 1, lengths.count);
        scion_stream_init(&stream, 0, 64);
        CHECK_INT(scion_stream_enter(&stream, file, &place, &part, &(struct scion_mark){0}), 0);
        CHECK_INT(scion_keyval_new(0, &keyval), 0);
        while ((rc = scion_keyval_next(keyval, &stream, &key, &length)) > 0)
            found++;
        CHECK_INT(rc, cut == good ? 0 : SION_ERR_DAMAGED);
        CHECK_INT(found, i);
        scion_keyval_free(keyval);
        scion_lengths_free(&part);
        scion_stream_close(&stream);
    }
    end_sample(NULL);
}

/* ---- many keys ---- */

enum { MANY = 100000, STEP = 61861 }; /* STEP has no factor in common with MANY */

/* Consecutive keys, and keys with equal low bits. */
static uint64_t many_key(int i)
{
    return i % 2 ? (uint64_t)i : (uint64_t)i << 40;
}

static void write_many(void)
{
    int i, bad = 0;

    place = (struct scion_place){.globalskip = 65536, .chunksize = 65536};
    CHECK_INT(scion_file_open("many", SCION_OPEN_CREATE, 0600, &file), 0);
    CHECK_INT(scion_lengths_new(&lengths), 0);
    scion_stream_init(&stream, 1, 65536);
    stream.fill_chunks = 1;
    CHECK_INT(scion_stream_enter(&stream, file, &place, &lengths, &(struct scion_mark){0}), 0);
    for (i = 0; i < MANY; i++)
        bad += scion_keyval_write(&stream, many_key(i), &i, sizeof i) != 1;
    CHECK_INT(bad, 0);
    CHECK_INT(scion_stream_close(&stream), 0);
}

static size_t memory_in_use(void)
{
#ifdef __GLIBC__
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/*
 * 32 bytes for a record, 48 for a key and 8 for a slot of the table, which has more slots than
 * keys; arrays that grow by doubling have room for 131072.
 */
static void an_index_of_many_keys_is_small_and_finds_all(void)
{
    struct scion_keyval *keyval;
    size_t before, items;
    int i, value, bad = 0;

    write_many();
    scion_stream_init(&stream, 0, 65536);
    CHECK_INT(scion_stream_enter(&stream, file, &place, &lengths, &(struct scion_mark){0}), 0);
    CHECK_INT(scion_keyval_new(0, &keyval), 0);
    CHECK_INT(scion_keyval_read(keyval, &stream, many_key(0), &value, 4, 1, &items), 1);
    before = memory_in_use();
    CHECK_INT(scion_keyval_scan(keyval, &stream), 1);
    CHECK(memory_in_use() - before <= (size_t)131072 * (32 + 48) + (size_t)262144 * 8 + 65536);
    for (i = STEP; i != 0; i = (i + STEP) % MANY)
        bad += scion_keyval_read(keyval, &stream, many_key(i), &value, 4, 1, &items) != 1 ||
               value != i;
    CHECK_INT(bad, 0);
    CHECK_INT(scion_keyval_seek(keyval, &stream, many_key(0), 0, 0), 1);
    CHECK_INT(scion_keyval_read(keyval, &stream, many_key(MANY), &value, 4, 1, &items), 0);
    end_sample(keyval);
}

int main(void)
{
    support_enter_folder();
    RUN(an_index_of_many_keys_is_small_and_finds_all);
    RUN(random_records_are_found_again);
    RUN(a_single_key_can_be_listed);
    RUN(truncated_streams_are_errors);
    support_leave_folder();
    return check_done();
}
