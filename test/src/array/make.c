/*
 * make FILE [FORM]: writes a container with arrays for the tests of sionarray, task after task.
 * With `large`, one array of which each of two tasks has a block of 1 MiB, with `larger` 4 MiB;
 * with `many`, many blocks of 16 bytes; with `types`, an array of each type; with `mixed`, arrays
 * of one shape with different blocks and steps; with `names`, arrays with unusual names, attributes
 * and steps; with `complex`, arrays of complex numbers; with `sparse`, arrays of which most blocks
 * are missing; with `coded`, the arrays of no form, of which three are compressed, and one of
 * noise; with `lossy`, those, two of them by zfp; with `none`, none. Others are named by what they
 * are.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any.h"
#include "array/codec.h"
#include "base/byteorder.h"
#include "sion_array.h"
#include "sion_common.h"
#include "sion_serial.h"

enum { TASKS = 4, ROWS = 8, COLUMNS = 6, HALF = 3, NOISE = 500 };

/* Two steps with four blocks of 4 x 3 each: element (i, j) is 100 i + j + step / 2. */
static int put_field(int sid, const char *name, int task, int step)
{
    sion_int64 offset[] = {task / 2 * (ROWS / 2), task % 2 * HALF}, count[] = {ROWS / 2, HALF};
    double data[ROWS / 2 * HALF];
    int i;

    for (i = 0; i < ROWS / 2 * HALF; i++)
        data[i] = (double)(100 * (offset[0] + i / HALF) + offset[1] + i % HALF) + step / 2.0;
    return put_any(sid, name, step, offset, count, data);
}

/* Slabs of a cube; the last task's is missing. */
static int put_cube(int sid, int task)
{
    sion_int64 offset[] = {task, 0, 0}, count[] = {1, 3, 2};
    int data[6], i;

    for (i = 0; i < 6; i++)
        data[i] = 6 * task + i;
    return task == TASKS - 1 || put_any(sid, "cube", 0, offset, count, data);
}

/* Blocks with unequal numbers of rows, which form no grid. */
static int put_odd(int sid, int task)
{
    sion_int64 offset[] = {task * task}, count[] = {2 * task + 1};
    float data[8] = {1, 2, 3, NAN, 5, 6, 7, 8};

    return put_any(sid, "odd", 0, offset, count, data);
}

static int define_all(int sid)
{
    static const sion_int64 field[] = {ROWS, COLUMNS}, cube[] = {TASKS, 3, 2},
                            odd[] = {TASKS * TASKS};

    return sion_array_define(sid, "T", SION_F64, 2, field) &&
           sion_array_define(sid, "p", SION_F64, 2, field) &&
           sion_array_define(sid, "cube", SION_I32, 3, cube) &&
           sion_array_define(sid, "odd", SION_F32, 1, odd) &&
           sion_array_set_attribute(sid, NULL, "title", "a \"test\"") &&
           sion_array_set_attribute(sid, "T", "units", "K") &&
           sion_array_set_attribute(sid, "T", "dimensions", "y x") &&
           sion_array_set_attribute(sid, "p", "dimensions", "y x") &&
           sion_array_set_attribute(sid, "cube", "_FillValue", "-7");
}

static int open_as(const char *mode, char *file, int ntasks, sion_int64 chunksize)
{
    sion_int64 sizes[TASKS], *chunksizes = sizes;
    int ranks[TASKS], *globalranks = ranks, nfiles = 1, t;
    sion_int32 fsblksize = 4096;

    for (t = 0; t < ntasks; t++) {
        sizes[t] = chunksize;
        ranks[t] = t;
    }
    return sion_open(file, mode, &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
}

static int create(char *file, int ntasks, sion_int64 chunksize)
{
    return open_as("bw", file, ntasks, chunksize);
}

static int go_to(int sid, int task)
{
    return sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
}

static int put_arrays(int sid, int t)
{
    return go_to(sid, t) && put_field(sid, "T", t, 3) && put_field(sid, "T", t, 10) &&
           put_field(sid, "p", t, 3) && put_field(sid, "p", t, 10) && put_cube(sid, t) &&
           put_odd(sid, t);
}

/* Bytes that do not shrink, one block of each task: number i of all is i * 2654435761 * 40503. */
static int put_noise(int sid, int task)
{
    const sion_int64 offset[] = {task * NOISE}, count[] = {NOISE};
    uint32_t numbers[NOISE];
    int i;

    for (i = 0; i < NOISE; i++) {
        uint32_t number = (uint32_t)(task * NOISE + i) * UINT32_C(2654435761);

        numbers[i] = (number ^ number >> 15) * UINT32_C(40503) ^ number >> 3;
    }
    return put_any(sid, "noise", 0, offset, count, numbers);
}

static int make_coded(char *file)
{
    static const sion_int64 noise[] = {TASKS * NOISE};
    int sid = create(file, TASKS, 8192), t;
    int good = sid >= 0 && define_all(sid) && sion_array_define(sid, "noise", SION_U32, 1, noise) &&
               sion_array_codec(sid, "T", "zstd:3,shuffle") && sion_array_codec(sid, "p", "zstd") &&
               sion_array_codec(sid, "cube", "zstd:-1,shuffle") &&
               sion_array_codec(sid, "noise", "zstd,shuffle");

    for (t = 0; t < TASKS && good; t++)
        good = put_arrays(sid, t) && put_noise(sid, t);
    return good && sion_close(sid) == 1;
}

static int make_lossy(char *file)
{
    int sid = create(file, TASKS, 8192), t;
    int good = sid >= 0 && define_all(sid) && sion_array_codec(sid, "T", "zfp:accuracy=1e-3") &&
               sion_array_codec(sid, "p", "zfp:rate=20");

    for (t = 0; t < TASKS && good; t++)
        good = put_arrays(sid, t);
    return good && sion_close(sid) == 1;
}

static int make_all(char *file)
{
    int sid = create(file, TASKS, 4096), good = sid >= 0 && define_all(sid), t;

    for (t = 0; t < TASKS && good; t++)
        good = put_arrays(sid, t);
    return good && sion_close(sid) == 1;
}

enum { HALVES = 2, WIDE = 1024, LONG = 256, LONGER = 1024 };

static int make_large(char *file, int rows)
{
    static int data[LONGER * WIDE];
    const sion_int64 shape[] = {HALVES * rows, WIDE}, count[] = {rows, WIDE};
    int sid = create(file, HALVES, (sion_int64)sizeof *data * rows * WIDE + 4096), i;
    int good = sid >= 0 && sion_array_define(sid, "T", SION_I32, 2, shape);
    sion_int64 offset[] = {0, 0};

    for (; offset[0] < shape[0] && good; offset[0] += rows) {
        for (i = 0; i < rows * WIDE; i++)
            data[i] = (int)offset[0] * WIDE + i;
        good = go_to(sid, (int)(offset[0] / rows)) && put_any(sid, "T", 0, offset, count, data);
    }
    return good && sion_close(sid) == 1;
}

enum { BLOCKS = 200000, ROW = 4 };

static int make_many(char *file)
{
    static const sion_int64 shape[] = {TASKS, ROW}, count[] = {1, ROW};
    const float data[ROW] = {1, 2, 3, 4};
    int sid = create(file, TASKS, (sion_int64)BLOCKS / TASKS * 256), step;
    int good = sid >= 0 && sion_array_define(sid, "T", SION_F32, 2, shape);
    sion_int64 offset[] = {0, 0};

    for (; offset[0] < TASKS && good; offset[0]++) {
        good = go_to(sid, (int)offset[0]);
        for (step = 0; step < BLOCKS / TASKS && good; step++)
            good = put_any(sid, "T", step, offset, count, data);
    }
    return good && sion_close(sid) == 1;
}

/* -1 is the largest number of an unsigned type. */
#define PUT(sid, constant, type, name)                                                             \
    do {                                                                                           \
        const type data[] = {(type)-1, 2, 3, 4, 5, 6};                                             \
                                                                                                   \
        if (!sion_array_define(sid, name, constant, 2, small) ||                                   \
            !put_any(sid, name, 7, origin, small, data))                                           \
            return 0;                                                                              \
    } while (0)

static int put_types(int sid)
{
    static const sion_int64 small[] = {2, 3}, origin[] = {0, 0};

    PUT(sid, SION_I8, int8_t, "i8");
    PUT(sid, SION_U8, uint8_t, "u8");
    PUT(sid, SION_I16, int16_t, "i16");
    PUT(sid, SION_U16, uint16_t, "u16");
    PUT(sid, SION_I32, int32_t, "i32");
    PUT(sid, SION_U32, uint32_t, "u32");
    PUT(sid, SION_I64, int64_t, "i64");
    PUT(sid, SION_U64, uint64_t, "u64");
    PUT(sid, SION_F32, float, "f32");
    PUT(sid, SION_F64, double, "f64");
    return 1;
}

static int make_types(char *file)
{
    int sid = create(file, 1, 8192), good = sid >= 0 && put_types(sid);

    return good && sion_close(sid) == 1;
}

/* A field of which each task has rows, or columns; element (i, j) is 10 i + j + 100 step. */
static int put_part(int sid, const char *name, int task, int step, int is_by_rows)
{
    sion_int64 offset[2] = {0, 0}, count[2] = {TASKS, TASKS};
    int data[TASKS], i;

    offset[is_by_rows ? 0 : 1] = task;
    count[is_by_rows ? 0 : 1] = 1;
    for (i = 0; i < TASKS; i++)
        data[i] = (is_by_rows ? 10 * task + i : 10 * i + task) + 100 * step;
    return put_any(sid, name, step, offset, count, data);
}

/* T and q by rows, p by columns; T has no step 1, and `empty` no block. Task 0 puts T twice. */
static int make_mixed(char *file)
{
    static const sion_int64 shape[] = {TASKS, TASKS}, other[] = {TASKS + 1, TASKS};
    static const char *const names[] = {"T", "p", "q"};
    int sid = create(file, TASKS, 8192), good = sid >= 0, t, step;

    good = good && sion_array_define(sid, "empty", SION_I32, 2, other);
    for (t = 0; t < 3 && good; t++)
        good = sion_array_define(sid, names[t], SION_I32, 2, shape);
    for (t = 0; t < TASKS && good; t++) {
        good = go_to(sid, t);
        for (step = 0; step < 2 && good; step++)
            good = put_part(sid, "p", t, step, 0) && put_part(sid, "q", t, step, 1);
        good = good && put_part(sid, "T", t, 0, 1) && (t > 0 || put_part(sid, "T", t, 0, 1));
    }
    return good && sion_close(sid) == 1;
}

/* The elements are those of the step: step, step + 1. */
static int put_pair(int sid, const char *name, int step)
{
    static const sion_int64 shape[] = {2}, origin[] = {0};
    const double data[] = {step, step + 1};

    return sion_array_define(sid, name, SION_F64, 1, shape) &&
           put_any(sid, name, step, origin, shape, data);
}

static int put_names(int sid)
{
    static const char size[] = "gr\303\266\303\237e"; /* in German */
    static const sion_int64 field[] = {ROWS, COLUMNS};
    char longer[301] = "";

    memset(longer, 'n', sizeof longer - 1);
    return sion_array_define(sid, "V/f", SION_F64, 2, field) && put_field(sid, "V/f", 0, 4) &&
           put_field(sid, "V/f", 0, 6) && put_pair(sid, longer, 0) && put_pair(sid, size, 3) &&
           put_pair(sid, size, 10) && put_pair(sid, "w", 0) && put_pair(sid, "w", 3) &&
           put_pair(sid, "U/x", 2) && put_pair(sid, "U/x", 5) && put_pair(sid, "once", 7) &&
           put_pair(sid, "own", 8) && sion_array_set_attribute(sid, size, "units", "\302\260C") &&
           sion_array_set_attribute(sid, size, "dimensions", "h\303\266he") &&
           sion_array_set_attribute(sid, size, "smile", "\360\237\230\200") &&
           sion_array_set_attribute(sid, size, "_ARRAY_DIMENSIONS", "mine") &&
           sion_array_set_attribute(sid, "own", "step", "first") &&
           sion_array_set_attribute(sid, "w", "note", "a\033[31m\nb\302\233c") &&
           sion_array_set_attribute(sid, NULL, "key", "\302\260");
}

static int make_names(char *file)
{
    int sid = create(file, 1, 16384), good = sid >= 0 && put_names(sid);

    return good && sion_close(sid) == 1;
}

/* NaN in either part counts as NaN. */
static int make_complex(char *file)
{
    static const sion_int64 shape[] = {4}, origin[] = {0};
    const double wide[] = {1, 2, 3, 4, NAN, 5, 6, NAN};
    const float narrow[] = {NAN, NAN, NAN, 1, 2, NAN, NAN, NAN};
    int sid = create(file, 1, 8192);
    int good = sid >= 0 && sion_array_define(sid, "z", SION_C128, 1, shape) &&
               put_any(sid, "z", 0, origin, shape, wide) &&
               sion_array_define(sid, "nan", SION_C64, 1, shape) &&
               put_any(sid, "nan", 0, origin, shape, narrow);

    return good && sion_close(sid) == 1;
}

/* Numbers whose sums and distances no double can hold; infinite ones; none. */
static int make_extremes(char *file)
{
    static const sion_int64 shape[] = {2, 2}, origin[] = {0, 0}, none[] = {2, 0},
                            nothing[] = {0, 2, 2, 2};
    const double large[] = {1.7e308, -1.7e308, 1.7e308, 1.6e308}, tiny[] = {0, 5e-324, 0, 0},
                 infinite[] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int sid = create(file, 1, 8192);
    int good = sid >= 0 && sion_array_define(sid, "large", SION_F64, 2, shape) &&
               put_any(sid, "large", 0, origin, shape, large) &&
               sion_array_define(sid, "tiny", SION_F64, 2, shape) &&
               put_any(sid, "tiny", 0, origin, shape, tiny) &&
               sion_array_define(sid, "infinite", SION_F64, 2, shape) &&
               put_any(sid, "infinite", 0, origin, shape, infinite) &&
               sion_array_define(sid, "none", SION_F64, 2, none) &&
               sion_array_define(sid, "nothing", SION_F64, 4, nothing);

    return good && sion_close(sid) == 1;
}

/* Two blocks of one step share a row. */
static int put_overlap(int sid)
{
    static const sion_int64 shape[] = {4, 2}, count[] = {3, 2}, first[] = {0, 0}, second[] = {1, 0};
    const double data[6] = {0};

    return sion_array_define(sid, "overlap", SION_F64, 2, shape) &&
           put_any(sid, "overlap", 0, first, count, data) &&
           put_any(sid, "overlap", 0, second, count, data);
}

/* 16-bit numbers, of which readers are to make others. */
static int put_packed(int sid)
{
    static const sion_int64 shape[] = {3}, first[] = {0};
    const int16_t data[] = {10, 20, 30};

    return sion_array_define(sid, "packed", SION_I16, 1, shape) &&
           put_any(sid, "packed", 0, first, shape, data) &&
           sion_array_set_attribute(sid, "packed", "scale_factor", "0.5") &&
           sion_array_set_attribute(sid, "packed", "add_offset", "1") &&
           sion_array_set_attribute(sid, "packed", "valid_range", "0, 100.5") &&
           sion_array_set_attribute(sid, "packed", "valid_min", "none") &&
           sion_array_set_attribute(sid, "packed", "missing_value", "9007199254740993");
}

/* Arrays that others cannot read in place, by name or form, and some that they can. */
static int make_others(char *file)
{
    static const char *const names[] = {"/a",   "a//b", "a/",  "..",     "a/../b",  "a/.zarray",
                                        "a\\b", "U",    "U/x", "step/x", "S_step/y"};
    int sid = create(file, 1, 8192), good = sid >= 0;
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        good = good && put_pair(sid, names[i], 0);
    good = good && put_overlap(sid) && put_packed(sid) && put_pair(sid, "T", 0) &&
           put_pair(sid, "T", 5) && put_pair(sid, "T_step", 0) && put_pair(sid, "S", 1) &&
           put_pair(sid, "S", 2);
    return good && sion_close(sid) == 1;
}

/* Arrays of several steps in groups that take turns, with names of dimensions that occur twice. */
static int make_turns(char *file)
{
    static const char *const names[] = {"A/s", "B/s", "A/b/x", "A/t", "B/t"};
    static const sion_int64 shape[] = {1, 1, 1, 2}, first[4] = {0};
    const double data[] = {1, 2};
    int sid = create(file, 1, 8192), good = sid >= 0, step;
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        good = good && put_pair(sid, names[i], 1) && put_pair(sid, names[i], 4);
    good = good && sion_array_set_attribute(sid, "A/s", "dimensions", "step") &&
           sion_array_define(sid, "q", SION_F64, 4, shape);
    for (step = 1; step <= 4; step += 3)
        good = good && put_any(sid, "q", step, first, shape, data);
    return good && sion_array_set_attribute(sid, "q", "dimensions", "q_2 x, x q_2") &&
           sion_close(sid) == 1;
}

/* An array of `blocks` blocks of `extent` elements, of which only the first is there. */
static int put_first(int sid, const char *name, sion_int64 blocks, sion_int64 extent)
{
    static const double data[WIDE * 16];
    const sion_int64 shape = blocks * extent, offset = 0;

    return sion_array_define(sid, name, SION_F64, 1, &shape) &&
           put_any(sid, name, 0, &offset, &extent, data);
}

/* Arrays with large gaps, or with many. */
static int make_sparse(char *file)
{
    int sid = create(file, 1, (sion_int64)sizeof(double) * WIDE * 20);
    int good = sid >= 0 && put_first(sid, "wide", 2, WIDE * 16) &&
               put_first(sid, "long", 2048, 64) && put_first(sid, "half", 1024, 64) &&
               put_first(sid, "rest", 1024, 64) && put_overlap(sid);

    return good && sion_close(sid) == 1;
}

/* An array of two steps, one of which has no elements. */
static int make_empty(char *file)
{
    static const sion_int64 shape[] = {2}, first[] = {0}, none[] = {0};
    const double data[] = {1, 2};
    int sid = create(file, 1, 8192);

    return sid >= 0 && sion_array_define(sid, "T", SION_F64, 1, shape) &&
           sion_array_set_attribute(sid, "T", "_FillValue", "-7") &&
           put_any(sid, "T", 0, first, shape, data) && put_any(sid, "T", 4, first, none, NULL) &&
           sion_close(sid) == 1;
}

/* One array, and bytes of the program between its blocks. */
static int make_foreign(char *file)
{
    int sid = create(file, 1, 8192);

    return sid >= 0 && put_pair(sid, "T", 0) && sion_fwrite("mine", 4, 1, sid) == 1 &&
           put_pair(sid, "T", 1) && sion_close(sid) == 1;
}

/* A second session goes on with an array, under another codec. */
static int make_appended(char *file)
{
    static const char *const codecs[] = {"zstd,shuffle", "zstd"};
    int good = 1, session, sid;

    for (session = 0; session < 2 && good; session++) {
        sid = open_as(session == 0 ? "bw" : "ab", file, TASKS, 8192);
        good = sid >= 0 && define_all(sid) && sion_array_codec(sid, "T", codecs[session]) &&
               sion_array_codec(sid, "p", "zstd:19") && go_to(sid, 1) &&
               put_field(sid, "T", 1, session) && put_field(sid, "p", 1, session) &&
               go_to(sid, 2) && put_field(sid, "T", 2, session) && sion_close(sid) == 1;
    }
    return good;
}

/* A block in the other byte order, without an index. */
static int make_swapped(char *file)
{
    struct scion_array_header header = {.kind = SCION_ARRAY_BLOCK,
                                        .type = SION_F64,
                                        .ndims = 1,
                                        .flags = scion_host_is_big() ? 0 : SCION_ARRAY_BIG_ENDIAN,
                                        .bytes = 4 * sizeof(double),
                                        .shape = {4},
                                        .count = {4},
                                        .name = "T",
                                        .name_length = 1};
    double data[] = {1, 2.5, -3, 1e9};
    unsigned char bytes[SCION_ARRAY_HEADER];
    int sid = create(file, 1, 8192);

    scion_array_header_encode(&header, bytes);
    scion_swap_copy(data, data, sizeof *data, 4);
    return sid >= 0 && sion_fwrite(bytes, scion_array_header_size(1, 1), 1, sid) == 1 &&
           sion_fwrite(data, sizeof data, 1, sid) == 1 && sion_close(sid) == 1;
}

static int make_none(char *file)
{
    int sid = create(file, 2, 8192);

    return sid >= 0 && sion_close(sid) == 1;
}

static int make_long(char *file)
{
    return make_large(file, LONG);
}

static int make_longer(char *file)
{
    return make_large(file, LONGER);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*make)(char *file);
    } forms[] = {{"large", make_long},      {"larger", make_longer},     {"many", make_many},
                 {"types", make_types},     {"mixed", make_mixed},       {"names", make_names},
                 {"complex", make_complex}, {"extremes", make_extremes}, {"none", make_none},
                 {"others", make_others},   {"sparse", make_sparse},     {"turns", make_turns},
                 {"empty", make_empty},     {"coded", make_coded},       {"lossy", make_lossy},
                 {"foreign", make_foreign}, {"appended", make_appended}, {"swapped", make_swapped}};
    size_t i;

    for (i = 0; argc == 3 && i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(argv[2], forms[i].name) == 0)
            return !forms[i].make(argv[1]);
    }
    if (argc != 2)
        return 99;
    setenv("SION_ARRAY_CRC", "1", 1);
    return !make_all(argv[1]);
}
