/* Collective writes and reads of tasks that are threads. */
#ifndef TEST_OMP_COLLECTIVE_H
#define TEST_OMP_COLLECTIVE_H

#include "team_omp.h"

enum { RECORDS = 9, CHUNK = 1000, LARGE = 400000, OVERSIZE = 700000 };

/* Bytes of record i of a task: none or some; some tasks have a record that does not fit. */
static inline size_t record_size(int task, int i)
{
    if (task % 5 == 3 && i == 4)
        return OVERSIZE;
    return (task + i) % 4 == 1 ? 0 : (size_t)((task * 137 + i * 61) % CHUNK + 1);
}

static inline void write_collectively(int sid, int task)
{
    unsigned char *data = malloc(OVERSIZE);
    long total = 0;
    int i;

    for (i = 0; i < RECORDS; i++) {
        size_t bytes = record_size(task, i), done;

        check_fill(data, task, total, bytes);
        done = sion_coll_fwrite(data, 1, bytes, sid);
        EXPECT(done == (bytes == OVERSIZE ? 0 : bytes));
        total += (long)done;
    }
    EXPECT(sion_get_bytes_written(sid) == total);
    free(data);
}

static inline void read_collectively(int sid, int task)
{
    unsigned char data[CHUNK + 1];
    long total = 0;
    int i;

    for (i = 0; i < RECORDS; i++) {
        size_t bytes = record_size(task, i);

        if (bytes == OVERSIZE)
            bytes = 0;
        memset(data, 0xee, sizeof data);
        EXPECT(sion_coll_fread(data, 1, bytes, sid) == bytes);
        EXPECT(check_compare(data, task, total, bytes) == -1 && data[bytes] == 0xee);
        total += (long)bytes;
        EXPECT(sion_get_bytes_read(sid) == total);
    }
    EXPECT(sion_coll_fread(data, 1, 1, sid) == 0);
    EXPECT(sion_feof(sid) == 1);
}

/* One record is larger than any message, and another one as large is missing. */
static inline void move_large_record(int sid, int task, int writing)
{
    unsigned char *data = malloc(LARGE);
    size_t bytes = (size_t)(LARGE - task);

    if (writing)
        check_fill(data, task, 0, LARGE);
    else
        memset(data, 0, LARGE);
    if (writing)
        EXPECT(sion_coll_fwrite(data, bytes, 1, sid) == 1);
    else
        EXPECT(sion_coll_fread(data, bytes, 1, sid) == 1);
    EXPECT(check_compare(data, task, 0, bytes) == -1);
    if (!writing)
        EXPECT(sion_coll_fread(data, bytes, 1, sid) == 0);
    free(data);
}

/*
 * Merged records of groups of four threads of a process, with chunks of 100: what the first thread
 * of each group and the others have after every call. The chunks hold 400, 400, 380 and 300 bytes.
 */
static inline void write_merged(int sid, int task, int collects)
{
    static const size_t sizes[] = {100, 50, 100, 80, 100};
    static const long collected[] = {400, 600, 1000, 1080, 1480};
    static const long own[] = {0, 0, 0, 80, 80};
    unsigned char data[100];
    int i;

    for (i = 0; i < 5; i++) {
        check_fill(data, task, 100 * i, sizes[i]);
        if (i == 3)
            EXPECT(sion_fwrite(data, 1, sizes[i], sid) == sizes[i]);
        else
            EXPECT(sion_coll_fwrite(data, 1, sizes[i], sid) == sizes[i]);
        EXPECT(sion_get_bytes_written(sid) == (collects ? collected[i] : own[i]));
    }
}

static inline void read_merged(int sid, int task, int collects)
{
    static const size_t sizes[] = {100, 50, 100, 80, 100};
    static const sion_int64 chunks[] = {400, 400, 380, 300};
    unsigned char data[100];
    int i, t, n = 0;

    for (i = 0; i < 5; i++) {
        for (t = task; t < task + (i == 3 ? 1 : 4) && (collects || i == 3); t++) {
            sion_feof(sid);
            if (collects && sion_get_position(sid) >= 0 && n < 4 &&
                sion_bytes_avail_in_block(sid) == chunks[n])
                n++;
            EXPECT(sion_fread(data, 1, sizes[i], sid) == sizes[i]);
            EXPECT(check_compare(data, t, 100 * i, sizes[i]) == -1);
        }
    }
    EXPECT(!collects || n == 4);
    EXPECT(sion_feof(sid) == 1);
}

/* Merged records of any sizes, which their writers read. */
static inline size_t merged_size(int task, int i)
{
    static const size_t sizes[] = {40, 0, 1, 90, 17};

    return i == 0 ? 16 : sizes[(task + i) % 5];
}

static inline void write_merged_records(int sid, int task)
{
    unsigned char data[100];
    long total = 0;
    int i;

    for (i = 0; i < 12; i++) {
        check_fill(data, task, total, sizeof data);
        EXPECT(sion_coll_fwrite(data, 1, merged_size(task, i), sid) == merged_size(task, i));
        total += (long)merged_size(task, i);
    }
}

static inline void read_merged_records(int sid, int task)
{
    unsigned char data[100];
    long total = 0;
    int i;

    for (i = 0; i < 12; i++) {
        size_t bytes = merged_size(task, i);

        EXPECT(i > 7 || sion_feof(sid) == 0); /* the last records may be empty */
        EXPECT(sion_coll_fread(data, 1, bytes, sid) == bytes);
        EXPECT(check_compare(data, task, total, bytes) == -1);
        total += (long)bytes;
    }
    EXPECT(sion_feof(sid) == 1);
    EXPECT(sion_coll_fread(data, 1, 1, sid) == 0);
}

#endif
