#include "file/unzip_raw.h"

#include <string.h>

#include "file/unzip_table.h"

/* A read in progress. */
struct reading {
    struct scion_zipped_raw *raw;
    const struct scion_zipped_task *task;
    scion_read_some *read;
    struct scion_file *file;
    sion_int64 stored; /* where the frame begins */
    size_t plain;      /* bytes that it holds */
};

/* ---- heads ---- */

/* Of the frame's plain bytes, those before a block, and those of it. */
static size_t begin_of(size_t block)
{
    return block * SCION_RAW_BLOCK;
}

static size_t size_of(const struct reading *reading, size_t block)
{
    size_t left = reading->plain - begin_of(block);

    return left < SCION_RAW_BLOCK ? left : SCION_RAW_BLOCK;
}

/* Where its head is stored. */
static sion_int64 head_of(const struct reading *reading, size_t block)
{
    return reading->stored + SCION_RAW_HEAD +
           (sion_int64)(block * (SCION_RAW_BLOCK + SCION_RAW_BLOCK_HEAD));
}

/* Whether these bytes are its head. */
static int is_head(const struct reading *reading, size_t block, const unsigned char *bytes)
{
    unsigned char head[SCION_RAW_BLOCK_HEAD];
    size_t size = size_of(reading, block);

    scion_raw_block_encode((uint32_t)size, begin_of(block) + size == reading->plain, head);
    return memcmp(bytes, head, sizeof head) == 0;
}

static int read_stored(const struct reading *reading, void *to, size_t bytes, sion_int64 offset)
{
    return scion_zipped_read(reading->task, reading->read, reading->file, to, bytes, offset);
}

/* The head of the frame, and of its first block, unless that is known. */
static int look_at_frame(const struct reading *reading, sion_int64 number, int *is_raw)
{
    unsigned char bytes[SCION_RAW_HEAD + SCION_RAW_BLOCK_HEAD], head[SCION_RAW_HEAD];
    struct scion_zipped_raw *raw = reading->raw;
    int rc;

    if (raw->task == reading->task && raw->number == number)
        return 0;
    rc = read_stored(reading, bytes, sizeof bytes, reading->stored);
    scion_raw_head_encode((uint32_t)reading->plain, head);
    *is_raw = rc == 0 && memcmp(bytes, head, sizeof head) == 0 &&
              is_head(reading, 0, bytes + SCION_RAW_HEAD);
    *raw = (struct scion_zipped_raw){.task = *is_raw ? reading->task : NULL, .number = number};
    return rc;
}

static int look_at_block(const struct reading *reading, size_t block, int *is_raw)
{
    unsigned char head[SCION_RAW_BLOCK_HEAD];
    int rc;

    if (reading->raw->block == block)
        return 0;
    rc = read_stored(reading, head, sizeof head, head_of(reading, block));
    *is_raw = rc == 0 && is_head(reading, block, head);
    if (*is_raw)
        reading->raw->block = block;
    return rc;
}

/* ---- blocks ---- */

/*
 * Bytes of one block; *part: how many. If more are wanted of the next one, its head comes along, to
 * where these will be.
 */
static int read_block(const struct reading *reading, size_t from, size_t bytes, unsigned char *to,
                      size_t *part, int *is_raw)
{
    size_t block = from / SCION_RAW_BLOCK, left = begin_of(block) + size_of(reading, block) - from,
           more;
    int rc = look_at_block(reading, block, is_raw);

    *part = bytes < left ? bytes : left;
    if (rc != 0 || !*is_raw)
        return rc;
    more = bytes - *part < SCION_RAW_BLOCK_HEAD ? 0 : SCION_RAW_BLOCK_HEAD;
    rc = read_stored(reading, to, *part + more,
                     head_of(reading, block) + SCION_RAW_BLOCK_HEAD +
                         (sion_int64)(from - begin_of(block)));
    if (rc != 0 || more == 0)
        return rc;
    *is_raw = is_head(reading, block + 1, to + *part);
    if (*is_raw)
        reading->raw->block = block + 1;
    return 0;
}

int scion_zipped_read_raw(struct scion_zipped_raw *raw, const struct scion_zipped_task *task,
                          scion_read_some *read, struct scion_file *file, sion_int64 number,
                          size_t from, size_t bytes, unsigned char *to, int *is_raw)
{
    const struct reading reading = {.raw = raw,
                                    .task = task,
                                    .read = read,
                                    .file = file,
                                    .stored = task->stored[number],
                                    .plain =
                                        (size_t)(task->plain[number + 1] - task->plain[number])};
    size_t part;
    int rc = 0;

    *is_raw =
        task->stored[number + 1] - reading.stored == (sion_int64)scion_raw_size(reading.plain) &&
        !scion_file_is_watched(file);
    if (*is_raw)
        rc = look_at_frame(&reading, number, is_raw);
    for (; rc == 0 && *is_raw && bytes > 0; from += part, to += part, bytes -= part)
        rc = read_block(&reading, from, bytes, to, &part, is_raw);
    return rc;
}
