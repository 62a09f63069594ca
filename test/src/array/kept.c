/*
 * Compressed blocks of which parts are read stay in memory, the 16 that were used last, of 64 MiB:
 * what is kept is read although its bytes in the file are not there any more, and the rest is not.
 */
#include "model.h"

#include "base/zstd.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "kept.sion"

enum { MOST_BLOCKS = 24 };

static sion_array_reader *arrays;
static sion_int64 elements; /* of a block, which is a step */

/* `steps` blocks of so many elements, each with the step in its last one. */
static void write_blocks(int steps, sion_int64 n)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid, step;
    sion_int64 chunk = 1 << 20, *chunks = &chunk, shape[] = {n}, from[] = {0};
    int *data = calloc((size_t)n, sizeof *data);
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    elements = n;
    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunks, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_array_define(sid, "T", SION_I32, 1, shape), 1);
    CHECK_INT(sion_array_codec(sid, "T", "zstd"), 1);
    for (step = 0; step < steps; step++) {
        data[n - 1] = step;
        CHECK_INT(put_any(sid, "T", step, from, shape, data), 1);
    }
    CHECK_INT(sion_close(sid), 1);
    free(data);
    arrays = sion_array_reader_open(NAME);
}

/* Whether the last element can be read, as it was put. */
static int reads(int step)
{
    const sion_int64 last[] = {elements - 1}, one[] = {1};
    int found = -1;

    support_catch();
    return get_any(arrays, "T", step, last, one, &found) == 1 && found == step;
}

/* Of these steps, the stored bytes are destroyed. */
static void destroy(int steps)
{
    struct sion_array_block block = {.size = sizeof block};
    unsigned char *bytes;
    size_t size;
    int step;

    bytes = model_read_file(NAME, &size);
    for (step = 0; step < steps; step++) {
        CHECK(sion_array_reader_blocks(arrays, "T", step, 0, 1, &block) > 0);
        memset(bytes + block.stored_position, 0, (size_t)block.stored);
    }
    model_write_file(NAME, bytes, size);
    free(bytes);
}

static void those_that_were_used_last(void)
{
    int step;

    write_blocks(MOST_BLOCKS, 1000);
    for (step = 0; step < 16; step++)
        CHECK(reads(step));
    CHECK(reads(0));
    CHECK(reads(2));
    CHECK(reads(16)); /* in place of 1, */
    CHECK(reads(17)); /* and of 3 */
    destroy(MOST_BLOCKS);
    for (step = 0; step < 18; step++)
        CHECK(step == 1 || step == 3 || reads(step));
    CHECK(!reads(1));
    CHECK(!reads(3));
    sion_array_reader_close(arrays);
    write_blocks(MOST_BLOCKS, 1000);
    for (step = 0; step < 18; step++)
        CHECK(reads(step) && reads(0));
    destroy(MOST_BLOCKS);
    CHECK(reads(0) && reads(17) && reads(3));
    CHECK(!reads(1) && !reads(2));
    CHECK(reads(0)); /* a failure takes the place of the oldest one at most */
    sion_array_reader_close(arrays);
}

static void a_block_that_failed_is_not_kept(void)
{
    write_blocks(2, 1000);
    destroy(1);
    CHECK(!reads(0) && !reads(0));
    CHECK(reads(1));
    CHECK(!reads(0));
    sion_array_reader_close(arrays);
}

/* 4 of 16 MiB, and then none but one that is larger than all that are kept otherwise. */
static void as_many_bytes_as_they_may_have(void)
{
    int step;

    write_blocks(6, 4 << 20);
    for (step = 0; step < 5; step++)
        CHECK(reads(step));
    destroy(6);
    CHECK(reads(1) && reads(2) && reads(3) && reads(4));
    CHECK(!reads(0) && !reads(5));
    sion_array_reader_close(arrays);
    write_blocks(2, (16 << 20) + 1000);
    CHECK(reads(0) && reads(1));
    destroy(2);
    CHECK(reads(1));
    CHECK(!reads(0));
    sion_array_reader_close(arrays);
}

int main(void)
{
    if (scion_zstd_need("compressed arrays") != 0) {
        printf("1..0 # SKIP there is no libzstd\n");
        return 0;
    }
    support_enter_folder();
    RUN(those_that_were_used_last);
    RUN(a_block_that_failed_is_not_kept);
    RUN(as_many_bytes_as_they_may_have);
    support_leave_folder();
    return check_done();
}
