/* Containers that keep their last generations, by one process: a plain model, and what readers have
   to see. */
#ifndef TEST_API_GENERATIONS_H
#define TEST_API_GENERATIONS_H

#include "serial.h"
#include "records.h"
#include "sion_checksum.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { TASKS = 3, MOST = 200, ROOM = 20000 };

static const sion_int64 sizes[TASKS] = {700, 600, 900};

/* What each generation has of each task, by its number; where its bytes begin in the task. */
static sion_int64 model[MOST][TASKS], at[TASKS], pending[TASKS];
static int newest, oldest, keep;

/* The same of keys: every write is a record. */
static int has_keys;
static sion_int64 records[MOST][TASKS], pending_records[TASKS];

static inline int open_some(const char *mode)
{
    sion_int32 fsblksize = 512;

    return create(mode, TASKS, sizes, &fsblksize);
}

static inline void write_to(int sid, int task, size_t bytes)
{
    unsigned char data[2000];

    check_fill(data, task, at[task], bytes);
    CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    if (has_keys)
        CHECK_INT(sion_fwrite_key(data, check_below(3), 1, bytes, sid), bytes);
    else
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    at[task] += (sion_int64)bytes;
    pending[task] += (sion_int64)bytes;
    pending_records[task]++;
}

/* What a publish or a close does with what is written; before: of sion_forget, or 0. A publish
   without anything new does nothing. */
static inline void settle(int before, int is_close)
{
    int task, is_new = 0;

    for (task = 0; task < TASKS; task++)
        is_new |= pending[task] > 0;
    if (!is_new && before == 0 && !is_close)
        return;
    if (is_new) {
        newest++;
        for (task = 0; task < TASKS; task++) {
            model[newest][task] = pending[task];
            records[newest][task] = pending_records[task];
            pending[task] = pending_records[task] = 0;
        }
    }
    while (newest - oldest + 1 > keep || (oldest < before && oldest < newest))
        oldest++;
}

/* Bytes of a task before a generation. */
static inline sion_int64 start_of(int generation, int task)
{
    sion_int64 start = 0;
    int g;

    for (g = 1; g < generation; g++)
        start += model[g][task];
    return start;
}

/* Bytes of the stream of these generations. */
static inline sion_int64 stored(int first, int last, int task)
{
    sion_int64 bytes = 0;

    for (; first <= last; first++)
        bytes += model[first][task] + (has_keys ? 16 * records[first][task] : 0);
    return bytes;
}

static inline sion_int64 read_bytes(int sid, unsigned char *data, sion_int64 wanted)
{
    return has_keys ? records_read(sid, data, wanted) : sion_stream_read(sid, data, wanted);
}

static inline void check_stream(int sid, int task, int first, int last)
{
    static unsigned char data[ROOM + 1];
    sion_int64 expected = start_of(last + 1, task) - start_of(first, task), bytes;

    bytes = read_bytes(sid, data, sizeof data);
    CHECK_INT(bytes, expected);
    CHECK_INT(check_compare(data, task, start_of(first, task), bytes > 0 ? (size_t)bytes : 0), -1);
}

static inline void check_range(const char *mode, int first, int last)
{
    int sid = open_to_read(mode), task;

    CHECK(sid >= 0);
    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        check_stream(sid, task, first, last);
    }
    CHECK_INT(sion_close(sid), 1);
    for (task = 0; task < TASKS; task++) {
        sion_int64 chunksize;
        sion_int32 fsblksize;

        sid = sion_open_rank(name, mode, &chunksize, &fsblksize, &task, NULL);
        CHECK(sid >= 0);
        check_stream(sid, task, first, last);
        CHECK_INT(sion_close(sid), 1);
    }
}

static inline void check_readers(const char *words)
{
    char mode[80];
    int g;

    snprintf(mode, sizeof mode, "rb%s,generation=all", words);
    check_range(mode, oldest, newest);
    if (newest < oldest)
        return;
    snprintf(mode, sizeof mode, "rb%s", words);
    check_range(mode, newest, newest);
    for (g = oldest; g <= newest; g++) {
        snprintf(mode, sizeof mode, "rb%s,generation=%d", words, g);
        check_range(mode, g, g);
        if (g < newest) {
            snprintf(mode, sizeof mode, "rb%s,generation=%d", words, g - newest);
            check_range(mode, g, g);
        }
    }
    support_catch();
    snprintf(mode, sizeof mode, "rb,generation=%d", newest + 1);
    CHECK_INT(open_to_read(mode), -1);
    if (oldest > 1) {
        snprintf(mode, sizeof mode, "rb,generation=%d", oldest - 1);
        CHECK_INT(open_to_read(mode), -1);
    }
    support_catch();
}

static inline void start(int new_keep)
{
    memset(model, 0, sizeof model);
    memset(at, 0, sizeof at);
    memset(pending, 0, sizeof pending);
    memset(records, 0, sizeof records);
    memset(pending_records, 0, sizeof pending_records);
    newest = 0;
    oldest = 1;
    keep = new_keep;
    unlink(name);
}

enum { SIZE_0 = 500, SIZE_1 = 900 };

static inline void write_generation(int sid)
{
    write_to(sid, 0, SIZE_0);
    write_to(sid, 1, SIZE_1);
}

#endif
