#include "file/unzip_raw.h"

#include <string.h>

#include "file/unzip_table.h"

/* A read in progress. */
struct reading {
    struct scion_zipped_raw *raw;
    const struct scion_zipped_task *task;
    scion_read_some *read;
    struct scion_file *file;
    sion_int64 number; /* of the frame */
    sion_int64 stored; /* where it begins */
    size_t plain;      /* bytes that it holds */
};

static size_t plain_of(const struct scion_zipped_task *task, sion_int64 number)
{
    return (size_t)(task->plain[number + 1] - task->plain[number]);
}

/* Whether a frame has the size of a raw one. */
static int may_be_raw(const struct scion_zipped_task *task, sion_int64 number)
{
    return task->stored[number + 1] - task->stored[number] ==
           (sion_int64)scion_raw_size(plain_of(task, number));
}

static struct reading reading_of(const struct reading *other, sion_int64 number)
{
    struct reading reading = *other;

    reading.number = number;
    reading.stored = other->task->stored[number];
    reading.plain = plain_of(other->task, number);
    return reading;
}

enum { HEADS = SCION_RAW_HEAD + SCION_RAW_BLOCK_HEAD }; /* of a frame and its first block */

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

/* Remember a frame if these bytes are the head of a raw one, and of its first block. */
static int take_heads(const struct reading *reading, const unsigned char bytes[HEADS])
{
    unsigned char head[SCION_RAW_HEAD];
    int is_raw;

    scion_raw_head_encode((uint32_t)reading->plain, head);
    is_raw = memcmp(bytes, head, sizeof head) == 0 && is_head(reading, 0, bytes + SCION_RAW_HEAD);
    *reading->raw =
        (struct scion_zipped_raw){.task = is_raw ? reading->task : NULL, .number = reading->number};
    return is_raw;
}

/* Unless the frame is known. */
static int look_at_frame(const struct reading *reading, int *is_raw)
{
    const struct scion_zipped_raw *raw = reading->raw;
    unsigned char bytes[HEADS];
    int rc;

    if (raw->task == reading->task && raw->number == reading->number)
        return 0;
    rc = read_stored(reading, bytes, sizeof bytes, reading->stored);
    *is_raw = rc == 0 && take_heads(reading, bytes);
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

/* The end of a block; the head of what follows it comes along, for the next read. */
static int read_end(const struct reading *reading, size_t block, unsigned char *to, size_t bytes,
                    sion_int64 offset)
{
    int is_last = begin_of(block + 1) >= reading->plain;
    sion_int64 number = reading->number + is_last;
    unsigned char heads[HEADS];
    struct iovec behind = {heads, is_last ? HEADS : SCION_RAW_BLOCK_HEAD};
    struct reading next;
    int rc;

    if (number == reading->task->n || !may_be_raw(reading->task, number))
        return read_stored(reading, to, bytes, offset);
    rc = scion_zipped_read_behind(reading->task, reading->read, reading->file, to, bytes, offset,
                                  &behind);
    if (rc != 0 || behind.iov_len == 0)
        return rc;
    next = reading_of(reading, number);
    if (is_last)
        take_heads(&next, heads);
    else if (is_head(&next, block + 1, heads))
        next.raw->block = block + 1;
    return 0;
}

/*
 * Bytes of one block; *part: how many. If more are wanted of the next one, its head comes along, to
 * where these will be.
 */
static int read_block(const struct reading *reading, size_t from, size_t bytes, unsigned char *to,
                      size_t *part, int *is_raw)
{
    size_t block = from / SCION_RAW_BLOCK, left = begin_of(block) + size_of(reading, block) - from,
           more;
    sion_int64 offset =
        head_of(reading, block) + SCION_RAW_BLOCK_HEAD + (sion_int64)(from - begin_of(block));
    int rc = look_at_block(reading, block, is_raw);

    *part = bytes < left ? bytes : left;
    if (rc != 0 || !*is_raw)
        return rc;
    if (bytes == left)
        return read_end(reading, block, to, bytes, offset);
    more = bytes - *part < SCION_RAW_BLOCK_HEAD ? 0 : SCION_RAW_BLOCK_HEAD;
    rc = read_stored(reading, to, *part + more, offset);
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
    const struct reading reading =
        reading_of(&(struct reading){.raw = raw, .task = task, .read = read, .file = file}, number);
    size_t part;
    int rc = 0;

    *is_raw = may_be_raw(task, number) && !scion_file_is_watched(file);
    if (*is_raw)
        rc = look_at_frame(&reading, is_raw);
    for (; rc == 0 && *is_raw && bytes > 0; from += part, to += part, bytes -= part)
        rc = read_block(&reading, from, bytes, to, &part, is_raw);
    return rc;
}
