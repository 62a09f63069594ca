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

enum { BLOCKS = 16 /* that are read together */ };

/* Bytes of blocks that follow each other, and what is stored between and behind them. */
struct blocks {
    size_t first, last; /* of the blocks */
    size_t bytes;       /* wanted ones, that is plain ones */
    struct iovec runs[2 * BLOCKS];
    int n;
    unsigned char heads[BLOCKS][SCION_RAW_BLOCK_HEAD]; /* of the blocks behind the first one */
    unsigned char behind[HEADS];                       /* of what follows the last one */
    struct reading next;                               /* the frame that has that */
};

static void add_run(struct blocks *blocks, void *to, size_t bytes)
{
    blocks->runs[blocks->n++] = (struct iovec){to, bytes};
}

/* Plain bytes of as many blocks as are read together. Returns 1 if they end with the last one. */
static int add_blocks(const struct reading *reading, struct blocks *blocks, size_t from,
                      size_t bytes, unsigned char *to)
{
    size_t part, left;

    blocks->first = blocks->last = from / SCION_RAW_BLOCK;
    for (;;) {
        left = begin_of(blocks->last) + size_of(reading, blocks->last) - from;
        part = bytes < left ? bytes : left;
        add_run(blocks, to + blocks->bytes, part);
        blocks->bytes += part;
        from += part;
        bytes -= part;
        if (bytes == 0 || blocks->last - blocks->first == BLOCKS - 1)
            return part == left;
        add_run(blocks, blocks->heads[blocks->last++ - blocks->first], SCION_RAW_BLOCK_HEAD);
    }
}

/* The next read finds the head of the next block here already, or of the next frame. */
static void add_behind(const struct reading *reading, struct blocks *blocks)
{
    int is_last = begin_of(blocks->last + 1) >= reading->plain;
    sion_int64 number = reading->number + is_last;

    if (number == reading->task->n || !may_be_raw(reading->task, number))
        return;
    blocks->next = reading_of(reading, number);
    add_run(blocks, blocks->behind, is_last ? HEADS : SCION_RAW_BLOCK_HEAD);
}

static void take_behind(const struct reading *reading, const struct blocks *blocks)
{
    if (blocks->next.number != reading->number)
        take_heads(&blocks->next, blocks->behind);
    else if (is_head(reading, blocks->last + 1, blocks->behind))
        reading->raw->block = blocks->last + 1;
}

/* As many bytes of a frame as one call should read; *part: how many. */
static int read_blocks(const struct reading *reading, size_t from, size_t bytes, unsigned char *to,
                       size_t *part, int *is_raw)
{
    struct blocks blocks;
    size_t i, least;
    int rc = look_at_block(reading, from / SCION_RAW_BLOCK, is_raw), more;

    if (rc != 0 || !*is_raw)
        return rc;
    blocks.n = 0;
    blocks.bytes = 0;
    more = add_blocks(reading, &blocks, from, bytes, to);
    *part = blocks.bytes;
    least = blocks.bytes + (blocks.last - blocks.first) * SCION_RAW_BLOCK_HEAD;
    if (more)
        add_behind(reading, &blocks);
    rc = scion_zipped_read_runs(reading->task, reading->read, reading->file, blocks.runs, blocks.n,
                                least,
                                head_of(reading, blocks.first) + SCION_RAW_BLOCK_HEAD +
                                    (sion_int64)(from - begin_of(blocks.first)),
                                &more);
    for (i = blocks.first; rc == 0 && *is_raw && i < blocks.last; i++)
        *is_raw = is_head(reading, i + 1, blocks.heads[i - blocks.first]);
    if (rc != 0 || !*is_raw)
        return rc;
    reading->raw->block = blocks.last;
    if (more)
        take_behind(reading, &blocks);
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
        rc = read_blocks(&reading, from, bytes, to, &part, is_raw);
    return rc;
}
