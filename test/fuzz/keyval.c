/*
 * Key-value streams: their heads of records. The iterator over records, the keys' own positions and
 * the statistics must agree.
 */
#include "container.h"

#include "sion_common.h"
#include "sion_const.h"
#include "sion_error.h"
#include "sion_serial.h"

enum { PIECE = 512, KEYS_MOST = 64 };

/* All records of a key, by its position: as many bytes as the index says, and no more. */
static void read_key(int sid, uint64_t key)
{
    sion_key_stat_t stat;
    sion_int64 bytes = 0;
    char piece[PIECE];
    size_t got;

    FUZZ_CHECK(sion_key_get_stat(sid, key, &stat) == 1 && stat.num_blocks >= 1);
    FUZZ_CHECK(sion_seek_key(sid, key, 0, 0) == 1);
    while ((got = sion_fread_key(piece, key, 1, sizeof piece, sid)) > 0)
        bytes += (sion_int64)got;
    FUZZ_CHECK(bytes == (sion_int64)stat.total_size || stat.num_blocks > 1);
    if (stat.total_size > 0)
        FUZZ_CHECK(sion_seek_key(sid, key, SION_ABSOLUTE_POS, (sion_int64)stat.total_size - 1) ==
                   1);
    FUZZ_CHECK(sion_seek_key(sid, key, (int)stat.num_blocks, 0) == 0);
}

/* The sum over the keys is the sum over the records. */
static void read_keys(int sid, sion_int64 records, sion_int64 bytes)
{
    sion_key_stat_t stat;
    uint64_t key;
    int n;

    FUZZ_CHECK(sion_key_list_iterator_reset(sid) == 1);
    for (n = 0; sion_key_list_iterator_next(sid, &key) == 1; n++) {
        FUZZ_CHECK(sion_key_get_stat(sid, key, &stat) == 1);
        records -= (sion_int64)stat.num_blocks;
        bytes -= (sion_int64)stat.total_size;
        if (n < KEYS_MOST)
            read_key(sid, key);
    }
    FUZZ_CHECK(records == 0 && bytes == 0);
}

static void read_task(int sid)
{
    sion_int64 records = 0, bytes = 0;
    size_t size;
    uint64_t key;

    if (sion_key_full_scan(sid) != 1)
        return;
    FUZZ_CHECK(sion_fread_key_iterator_reset(sid) == 1);
    for (; sion_fread_key_iterator_next(sid, &key, &size) == 1; records++)
        bytes += (sion_int64)size;
    read_keys(sid, records, bytes);
}

static void read_all(void)
{
    char name[] = CONTAINER;
    int ntasks, nfiles, t, sid = sion_open(name, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);

    if (sid < 0)
        return;
    for (t = 0; t < ntasks && sion_get_keyval_mode(sid) == SION_KEYVAL_INLINE; t++) {
        if (sion_seek(sid, t, 0, 0) == 1)
            read_task(sid);
        else
            FUZZ_CHECK(sion_error_code() == SION_ERR_DAMAGED);
    }
    FUZZ_CHECK(sion_close(sid) == 1);
}

static void run(const uint8_t *bytes, size_t size)
{
    container_try(bytes, size, "rb");
    memory_begin();
    memory_add(CONTAINER, bytes, size);
    read_all();
    memory_end();
}

/* The data, or the tables. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct container_places places;

    *end = size;
    if (!container_find(bytes, size, &places))
        return 0;
    *end = dice % 4 ? places.meta2 : places.end;
    return dice % 4 ? places.tail + 12 : places.meta2;
}

static const char *const samples[] = {"serial/s07_keyval.sion",
                                      "serial/s14_kvedge.sion",
                                      "serial/s15_kvsplit2.sion",
                                      "mpi/m04_keyval.sion",
                                      "defrag/d_s07.sion",
                                      "defrag/d_s07_q1.sion",
                                      "swapped/b03_keyval_bigmeta.sion",
                                      "invalid/i42_kv_len_huge.sion",
                                      "invalid/i43_kv_stream_short.sion",
                                      NULL};

const struct fuzz_target fuzz_target = {
    .run = run, .focus = focus, .samples = samples, .rounds = 300, .most = 24576};
