/*
 * For the tests of all interfaces, whose tasks are threads, ranks, or threads of ranks: each task
 * puts its rows of an array at every step, and any process reads all of them.
 */
#ifndef TEST_ARRAY_TEAMS_H
#define TEST_ARRAY_TEAMS_H

#include "array/reader.h"
#include "check.h"
#include "any.h"
#include "sion_array.h"
#include "sion_error.h"

enum { TEAMS_ROWS = 3, TEAMS_COLUMNS = 50, TEAMS_STEPS = 3, TEAMS_MOST = 32 };

static inline int teams_element(int step, int row, int column)
{
    return step * 1000000 + row * TEAMS_COLUMNS + column;
}

/* Of any level, where there is libzstd. */
static inline int teams_choose_codec(int sid, const char *name, int level)
{
#ifdef HAVE_ZSTD
    char words[40];

    snprintf(words, sizeof words, "zstd:%d,shuffle", level);
    return sion_array_codec(sid, name, words) == SION_SUCCESS;
#else
    return sid >= 0 && name && level > 0;
#endif
}

/* Define the arrays; some tasks, among them tasks with rows, do so in another order. */
static inline int teams_define(int sid, int task, const sion_int64 *shape)
{
    static const char *const names[] = {"T", "U", "T"};
    int first = task % 4 == 2;

    return sion_array_define(sid, names[first], SION_I32, 2, shape) == SION_SUCCESS &&
           sion_array_define(sid, names[first + 1], SION_I32, 2, shape) == SION_SUCCESS &&
           teams_choose_codec(sid, "T", 1 + task % 3);
}

/* Tasks of even number put their rows; the others only define the arrays. 1: all calls succeeded.
 * */
static inline int teams_put(int sid, int task, int tasks)
{
    const sion_int64 shape[] = {(sion_int64)tasks * TEAMS_ROWS, TEAMS_COLUMNS};
    const sion_int64 offset[] = {(sion_int64)task * TEAMS_ROWS, 0},
                     count[] = {TEAMS_ROWS, TEAMS_COLUMNS};
    int data[TEAMS_ROWS * TEAMS_COLUMNS], i, step;
    int good = teams_define(sid, task, shape) &&
               sion_array_set_attribute(sid, "T", "units", "K") == SION_SUCCESS;

    for (step = 0; step < TEAMS_STEPS && good && task % 2 == 0; step++) {
        for (i = 0; i < TEAMS_ROWS * TEAMS_COLUMNS; i++)
            data[i] = teams_element(step, task * TEAMS_ROWS + i / TEAMS_COLUMNS, i % TEAMS_COLUMNS);
        good = put_any(sid, "T", step, offset, count, data) == SION_SUCCESS;
    }
    return good;
}

/* The number of elements that differ from what was put; the index of all tasks must exist. */
static inline int teams_count_wrong(const char *name, int tasks)
{
    static int data[TEAMS_MOST * TEAMS_ROWS * TEAMS_COLUMNS];
    const sion_int64 offset[] = {0, 0};
    const sion_int64 count[] = {(sion_int64)tasks * TEAMS_ROWS, TEAMS_COLUMNS};
    sion_array_reader *arrays = sion_array_reader_open(name);
    const char *units = arrays ? sion_array_reader_attribute(arrays, "T", "units") : NULL;
    int wrong = !units || strcmp(units, "K") != 0, step, row, column;

    wrong += arrays && arrays->source != SCION_ARRAY_FROM_WHOLE;
    for (step = 0; step < TEAMS_STEPS && arrays; step++) {
        memset(data, 0xff, sizeof data);
        wrong += get_any(arrays, "T", step, offset, count, data) != SION_SUCCESS;
        for (row = 0; row < tasks * TEAMS_ROWS; row++) {
            for (column = 0; column < TEAMS_COLUMNS; column++)
                wrong += data[row * TEAMS_COLUMNS + column] !=
                         (row / TEAMS_ROWS % 2 == 0 ? teams_element(step, row, column) : 0);
        }
    }
    sion_array_reader_close(arrays);
    return wrong;
}

/* Define an array differently on the last task. */
static inline int teams_define_differently(int sid, int task, int tasks)
{
    const sion_int64 shape[] = {4, 5 + (task == tasks - 1)};

    return sion_array_define(sid, "T", SION_F64, 2, shape) == SION_SUCCESS;
}

/* The reason of the last failure, without the name of the function, which may differ. */
static inline const char *teams_reason(void)
{
    const char *text = sion_error_text(), *reason = strstr(text, "array T");

    return reason ? reason : text;
}

#endif
