/* Programs that write RECORDS records of BYTES bytes for each task, and what is in their files. */
#ifndef TEST_ENDS_H
#define TEST_ENDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

enum { RECORDS = 500, BYTES = 100, ALL = RECORDS * BYTES };

/* The records of a task consist of one letter. */
static inline int letter_of(int task)
{
    return 'A' + task;
}

/* 1: all were accepted */
static inline int write_records(int sid, int task, size_t write(const void *, size_t, size_t, int))
{
    char record[BYTES];
    int i, good = 1;

    memset(record, letter_of(task), sizeof record);
    for (i = 0; i < RECORDS; i++)
        good &= write(record, 1, sizeof record, sid) == sizeof record;
    return good;
}

/* Bytes of a file that are this task's letter, in runs of at least 4: others may be anything. */
static inline long count_letters(const char *name, int task)
{
    FILE *file = fopen(name, "rb");
    long n = 0, run = 0;
    int c;

    while (file && (c = getc(file)) != EOF) {
        run = c == letter_of(task) ? run + 1 : 0;
        n += run < 4 ? 0 : run == 4 ? 4 : 1;
    }
    if (file)
        fclose(file);
    return n;
}

/* Whether there are n of them. A number next to the data may end, or begin, with the same byte. */
static inline int has_letters(const char *name, int task, long n)
{
    long found = count_letters(name, task);

    if (found >= n && found <= n + n / BYTES)
        return 1;
    printf("# task %d has %ld bytes in %s, not %ld\n", task, found, name, n);
    return 0;
}

#endif
