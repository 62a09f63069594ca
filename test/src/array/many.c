/*
 * Many arrays in one container, and the cost of a read: which bytes of the file it reads, with how
 * many calls.
 */
#include "model.h"

#include "array/codec.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"
#include "vfs/vfs.h"

#define NAME "many.sion"

static int create_unaligned(sion_int64 chunksize, sion_int32 fsblksize)
{
    sion_int64 *chunksizes = &chunksize;
    int rank = 0, *globalranks = &rank, ntasks = 1, nfiles = 1;
    char name[] = NAME;

    return sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
}

static int create(sion_int64 chunksize)
{
    return create_unaligned(chunksize, 4096);
}

static const char *name_of(int i, char *into)
{
    sprintf(into, "\xe6\xb8\xa9\xe5\xba\xa6/%d", i);
    return into;
}

enum { MANY = 100000 };

static void all_of_many_arrays_are_found(int breaks)
{
    sion_int64 shape[] = {3}, offset[] = {1}, count[] = {1};
    int sid = create((sion_int64)MANY * 256), i, wrong = 0;
    sion_array_reader *arrays;
    char name[64];
    int number;

    for (i = 0; i < MANY; i++) {
        wrong += sion_array_define(sid, name_of(i, name), SION_I32, 1, shape) != 1;
        wrong += put_any(sid, name, i % 3, offset, count, &i) != 1;
    }
    CHECK_INT(sion_close(sid), 1);
    if (breaks)
        CHECK_INT(model_break_trailers(NAME), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_count(arrays), MANY);
    for (i = 0; i < MANY; i += 7) {
        wrong += strcmp(sion_array_reader_name(arrays, i), name_of(i, name)) != 0;
        wrong += get_any(arrays, name, i % 3, offset, count, &number) != 1 || number != i;
    }
    CHECK_INT(wrong, 0);
    sion_array_reader_close(arrays);
}

static void many_arrays_are_found_by_the_index(void)
{
    all_of_many_arrays_are_found(0);
}

static void many_arrays_are_found_by_their_headers(void)
{
    all_of_many_arrays_are_found(1);
}

enum { STEPS = 3000 };

/* Large and small step numbers, some of which share a slot in the table of steps. */
static sion_int64 step_of(int i)
{
    return (sion_int64)i * i * (i % 5 == 0 ? 1000000007 : 1);
}

static void each_of_many_steps_is_found(void)
{
    const sion_int64 shape[] = {1}, offset[] = {0}, newest = step_of(STEPS - 5);
    int sid = create((sion_int64)STEPS * 256), i, wrong = 0, number;
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "T", SION_I32, 1, shape), 1);
    for (i = 0; i < STEPS; i++) /* not in ascending order */
        wrong += put_any(sid, "T", step_of(i), offset, shape, &i) != 1;
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_INT(info.steps, STEPS);
    for (i = 1; i < STEPS; i++)
        wrong +=
            sion_array_reader_step(arrays, "T", i) <= sion_array_reader_step(arrays, "T", i - 1);
    CHECK_INT(sion_array_reader_step(arrays, "T", STEPS - 1), newest);
    for (i = 0; i < STEPS; i++)
        wrong += get_any(arrays, "T", step_of(i), offset, shape, &number) != 1 || number != i;
    CHECK_INT(wrong, 0);
    sion_array_reader_close(arrays);
}

/* The rest of the first chunk has room for the header of a block, but not for a row. */
static void a_block_is_divided_into_the_fewest_parts(void)
{
    const sion_int64 shape[] = {60, 100}, offset[] = {0, 0};
    static unsigned char data[60 * 100], got[60 * 100];
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;
    int sid = create(4096), i;

    for (i = 0; i < 60 * 100; i++)
        data[i] = (unsigned char)(i * 7 + i / 256);
    CHECK_INT(sion_array_define(sid, "T", SION_U8, 2, shape), 1);
    CHECK_INT(sion_fwrite(got, 1, 4096 - 192, sid), 4096 - 192);
    CHECK_INT(put_any(sid, "T", 0, offset, shape, data), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_INT(info.blocks, 2); /* one of 39 rows, and one of 21 */
    CHECK_INT(get_any(arrays, "T", 0, offset, shape, got), 1);
    CHECK(memcmp(got, data, sizeof got) == 0);
    sion_array_reader_close(arrays);
}

/* The product of the other dimensions does not fit into a number. */
static void an_array_without_elements_may_be_wide(void)
{
    const sion_int64 wide = (sion_int64)1 << 40, shape[] = {wide, wide, 0}, offset[] = {0, 0, 0};
    int sid = create(4096), number = 1;
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "T", SION_I32, 3, shape), 1);
    CHECK_INT(put_any(sid, "T", 0, offset, shape, &number), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(get_any(arrays, "T", 0, offset, shape, &number), 1);
    CHECK_INT(number, 1);
    sion_array_reader_close(arrays);
}

/* Steps 2 and 9 have empty blocks only; the array w is empty in all steps. */
static void put_empty_steps(void)
{
    const sion_int64 shape[] = {4, 0}, offset[] = {1, 0}, none[] = {0, 0};
    const int numbers[] = {6, 7, 8, 9};
    int sid = create(8192);

    CHECK_INT(sion_array_define(sid, "T", SION_I32, 1, shape), 1);
    CHECK_INT(sion_array_set_attribute(sid, "T", "_FillValue", "-3"), 1);
    CHECK_INT(sion_array_define(sid, "w", SION_F64, 2, shape), 1);
    CHECK_INT(put_any(sid, "T", 9, offset, none, NULL), 1);
    CHECK_INT(put_any(sid, "T", 4, none, shape, numbers), 1);
    CHECK_INT(put_any(sid, "T", 4, offset, none, NULL), 1);
    CHECK_INT(put_any(sid, "T", 2, none, none, NULL), 1);
    CHECK_INT(put_any(sid, "w", 5, none, shape, NULL), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void steps_of_empty_blocks_are_found(int breaks)
{
    const sion_int64 none[] = {0, 0}, all[] = {4, 0};
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;
    int numbers[4], i;

    put_empty_steps();
    if (breaks)
        CHECK_INT(model_break_trailers(NAME), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_INT(info.steps, 3);
    CHECK_INT(info.blocks, 1);
    CHECK_INT(info.has_range, !breaks);
    CHECK_INT(sion_array_reader_step(arrays, "T", 0), 2);
    CHECK_INT(sion_array_reader_step(arrays, "T", 2), 9);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 9, 0, 0, NULL), 0);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", SION_ARRAY_NEWEST, 0, 0, NULL), 1);
    CHECK_INT(get_any(arrays, "T", 9, none, all, numbers), 1);
    for (i = 0; i < 4; i++)
        CHECK_INT(numbers[i], -3);
    CHECK_INT(get_any(arrays, "T", SION_ARRAY_NEWEST, none, all, numbers), 1);
    for (i = 0; i < 4; i++)
        CHECK_INT(numbers[i], 6 + i);
    CHECK_INT(sion_array_reader_info(arrays, "w", &info), 1);
    CHECK_INT(info.steps, 1);
    CHECK_INT(info.blocks, 0);
    sion_array_reader_close(arrays);
}

static void steps_of_empty_blocks_are_found_by_the_index(void)
{
    steps_of_empty_blocks_are_found(0);
}

static void steps_of_empty_blocks_are_found_by_their_headers(void)
{
    steps_of_empty_blocks_are_found(1);
}

static void an_empty_block_needs_no_room(void)
{
    const sion_int64 shape[] = {4}, offset[] = {0}, none[] = {0};
    sion_array_reader *arrays;
    int sid = create_unaligned(32, 32);

    CHECK_INT(sion_array_define(sid, "T", SION_I32, 1, shape), 1);
    CHECK_INT(put_any(sid, "T", 0, offset, none, NULL), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK(arrays != NULL);
    CHECK_INT(sion_array_reader_count(arrays), 0);
    sion_array_reader_close(arrays);
}

/* ---- the cost of reads ---- */

static int calls;
static size_t bytes_read;

static ssize_t count_read(int fd, void *to, size_t bytes, off_t offset)
{
    ssize_t got = scion_vfs_posix.pread(fd, to, bytes, offset);

    calls++;
    bytes_read += got > 0 ? (size_t)got : 0;
    return got;
}

enum { ROWS = 512, COLUMNS = 1024, HEADER = 128 };

/* Read one slab of a block of 512 x 1024 numbers of 4 bytes. */
static void read_slab(sion_array_reader *arrays, sion_int64 row, sion_int64 rows, sion_int64 column,
                      sion_int64 columns)
{
    sion_int64 offset[] = {row, column}, count[] = {rows, columns};
    static int data[ROWS * COLUMNS];
    sion_int64 i, wrong = 0;

    calls = 0;
    bytes_read = 0;
    CHECK_INT(get_any(arrays, "T", 0, offset, count, data), 1);
    for (i = 0; i < rows * columns; i++)
        wrong += data[i] != (row + i / columns) * COLUMNS + column + i % columns;
    CHECK_INT(wrong, 0);
    printf("# %lld x %lld from (%lld, %lld): %d calls, %zu bytes\n", rows, columns, row, column,
           calls, bytes_read);
}

static void a_read_touches_only_what_it_needs(void)
{
    sion_int64 shape[] = {ROWS, COLUMNS}, offset[] = {0, 0};
    static int data[ROWS * COLUMNS];
    struct scion_vfs counting = scion_vfs_posix;
    int sid = create((sion_int64)sizeof data + 65536), i;
    sion_array_reader *arrays;

    for (i = 0; i < ROWS * COLUMNS; i++)
        data[i] = i;
    CHECK_INT(sion_array_define(sid, "T", SION_I32, 2, shape), 1);
    CHECK_INT(put_any(sid, "T", 0, offset, shape, data), 1);
    CHECK_INT(sion_close(sid), 1);
    counting.pread = count_read;
    scion_vfs_use(&counting);
    arrays = sion_array_reader_open(NAME);

    read_slab(arrays, 0, ROWS, 0, COLUMNS); /* all: one call, and one for the header */
    CHECK_INT(calls, 2);
    CHECK_INT(bytes_read, sizeof data + HEADER);
    read_slab(arrays, 0, ROWS, 0, COLUMNS);
    CHECK_INT(calls, 1);
    CHECK_INT(bytes_read, sizeof data);
    read_slab(arrays, 100, 50, 0, COLUMNS); /* whole rows follow each other */
    CHECK_INT(calls, 1);
    CHECK_INT(bytes_read, 50 * COLUMNS * 4);
    read_slab(arrays, 7, 1, 1000, 20); /* a part of a row */
    CHECK_INT(calls, 1);
    CHECK_INT(bytes_read, 80);
    read_slab(arrays, 10, 30, 100, 200); /* parts of rows that are far apart: a call for each */
    CHECK_INT(calls, 30);
    CHECK_INT(bytes_read, 30 * 200 * 4);
    read_slab(arrays, 10, 30, 0, COLUMNS - 100); /* 400 bytes between them: read and dropped */
    CHECK_INT(calls, 1);
    CHECK_INT(bytes_read, 29 * COLUMNS * 4 + (COLUMNS - 100) * 4);
    sion_array_reader_close(arrays);
    scion_vfs_use(NULL);
}

enum { OWN = 1000, EXTENT = 1000000 };

/* Each block has a box of its own, anywhere in a field of three dimensions. */
static void a_block_takes_at_most_48_bytes_of_the_index(void)
{
    static const sion_int64 shape[] = {EXTENT, EXTENT, EXTENT};
    sion_int64 offset[3], count[3];
    struct scion_array_trailer trailer;
    unsigned char *bytes;
    size_t size, at;
    double data[8];
    int sid = create((sion_int64)OWN * 1024), i, d;

    CHECK_INT(sion_array_define(sid, "T", SION_F64, 3, shape), 1);
    for (i = 0; i < OWN; i++) {
        for (d = 0; d < 3; d++) {
            count[d] = 1 + (int)check_below(2);
            offset[d] = (sion_int64)check_below((size_t)(EXTENT - count[d]));
        }
        for (d = 0; d < 8; d++)
            data[d] = (double)check_random();
        CHECK_INT(put_any(sid, "T", (sion_int64)check_below(EXTENT), offset, count, data), 1);
    }
    CHECK_INT(sion_close(sid), 1);
    bytes = model_read_file(NAME, &size);
    for (at = size - SCION_ARRAY_TRAILER; !scion_array_trailer_decode(bytes + at, &trailer, &i);)
        at--;
    free(bytes);
    CHECK_INT(trailer.blocks, OWN);
    printf("# %lld bytes of the index for %d blocks\n", trailer.bytes, OWN);
    CHECK(trailer.bytes <= 48 * OWN);
}

int main(void)
{
    check_seed(20261123);
    support_enter_folder();
    RUN(many_arrays_are_found_by_the_index);
    RUN(many_arrays_are_found_by_their_headers);
    RUN(a_block_is_divided_into_the_fewest_parts);
    RUN(an_array_without_elements_may_be_wide);
    RUN(each_of_many_steps_is_found);
    RUN(steps_of_empty_blocks_are_found_by_the_index);
    RUN(steps_of_empty_blocks_are_found_by_their_headers);
    RUN(an_empty_block_needs_no_room);
    RUN(a_read_touches_only_what_it_needs);
    RUN(a_block_takes_at_most_48_bytes_of_the_index);
    support_leave_folder();
    return check_done();
}
