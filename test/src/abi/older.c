/*
 * A program of yesterday: its structs have fewer members than the library's, and after each is
 * memory of its own, which the library must not touch.
 */
#include "src/abi/headers/sion_array.h"
#include "src/abi/headers/sion_recover.h"
#include "src/abi/headers/sion_stats.h"

#include "check.h"
#include "fenced.h"
#include "sion_common.h"
#include "sion_error.h"
#include "sion_serial.h"

#define NAME "older.sion"

static void statistics_fit_into_a_smaller_struct(void)
{
    sion_int64 chunksize = 4096, *chunksizes = &chunksize;
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int32 fsblksize = 512;
    FENCED(sion_stats_t) stats;
    char name[] = NAME;

    CHECK_INT(sion_stats_enable(1), 1);
    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_fwrite("abc", 1, 3, sid), 3);
    PREPARE(stats);
    CHECK_INT(sion_get_stats(sid, &stats.given), 1);
    CHECK_INT(stats.given.calls, 1);
    CHECK_INT(stats.given.bytes, 3);
    CHECK_INT(stats.given.largest, 3);
    CHECK_INT((int)stats.given.size, (int)sizeof stats.given);
    CHECK(is_whole(stats.fence));
    stats.given.size = 0;
    CHECK_INT(sion_get_stats(sid, &stats.given), 0);
    CHECK_INT(sion_error_code(), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(sion_error_text(), "SION_INIT");
    CHECK_INT(sion_close(sid), 1);
}

static void recovery_fits_into_smaller_structs(void)
{
    sion_recovery *recovery = sion_recover_open(NAME, 0);
    FENCED(sion_recover_info) info;
    FENCED(sion_recover_task) task;

    PREPARE(info);
    PREPARE(task);
    CHECK_INT(sion_recover_get_info(recovery, &info.given), 1);
    CHECK_INT(info.given.ntasks, 1);
    CHECK(is_whole(info.fence));
    CHECK_INT(sion_recover_get_task(recovery, 0, &task.given), 1);
    CHECK_INT(task.given.bytes, 3);
    CHECK(is_whole(task.fence));
    sion_recover_close(recovery);
}

/* A program of tomorrow gets 0 for what this library does not know. */
static void members_that_the_library_does_not_know_are_0(void)
{
    sion_recovery *recovery = sion_recover_open(NAME, 0);
    struct {
        sion_recover_task given;
        unsigned char later[512];
    } task;
    size_t i, set = 0;

    memset(&task, 0xa5, sizeof task);
    task.given.size = sizeof task;
    CHECK_INT(sion_recover_get_task(recovery, 0, &task.given), 1);
    CHECK_INT(task.given.bytes, 3);
    for (i = sizeof task.later / 2; i < sizeof task.later; i++)
        set += task.later[i] != 0;
    CHECK_INT((int)set, 0);
    sion_recover_close(recovery);
}

static void arrays_fit_into_smaller_structs(void)
{
    sion_int64 chunksize = 4096, *chunksizes = &chunksize, shape[] = {2}, offset[] = {0},
               one[] = {1};
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid, number = 5;
    sion_int32 fsblksize = 512;
    FENCED(struct sion_array_info) info;
    struct {
        struct sion_array_block given[2];
        unsigned char fence[FENCE];
    } blocks;
    sion_array_reader *arrays;
    char name[] = NAME;

    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_array_define(sid, "T", 5, 1, shape), 1);
    CHECK_INT(sion_array_put(sid, "T", 3, offset, one, 5, &number, sizeof number), 1);
    CHECK_INT(sion_array_put(sid, "T", 8, offset, one, 5, &number, sizeof number), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    PREPARE(info);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info.given), 1);
    CHECK_INT(info.given.ndims, 1);
    CHECK(is_whole(info.fence));
    memset(&blocks, 0xa5, sizeof blocks);
    SION_INIT(&blocks.given[0]);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", -1, 0, 2, blocks.given), 2);
    CHECK_INT(blocks.given[0].step, 3);
    CHECK_INT(blocks.given[1].step, 8);
    CHECK(blocks.given[1].position > 0);
    CHECK(is_whole(blocks.fence));
    sion_array_reader_close(arrays);
}

int main(void)
{
    RUN(statistics_fit_into_a_smaller_struct);
    RUN(recovery_fits_into_smaller_structs);
    RUN(members_that_the_library_does_not_know_are_0);
    RUN(arrays_fit_into_smaller_structs);
    remove(NAME);
    return check_done();
}
