#include "file/unzip_table.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/warning.h"

enum { BUFFER = 64 << 10 };

/* ---- stored bytes ---- */

/* Where a stored byte is, and how many bytes of its chunk follow it. */
static int find_byte(const struct scion_zipped_task *task, sion_int64 offset, sion_int64 *there,
                     sion_int64 *left)
{
    struct scion_lengths *lengths = (struct scion_lengths *)&task->lengths; /* makes its sums */
    sion_int64 chunk, before;
    int rc = scion_lengths_find(lengths, offset, 1, &chunk);

    if (rc == 0)
        rc = scion_lengths_before(lengths, chunk, &before);
    if (rc == 0 && scion_chunk_start(&task->place, chunk, there))
        rc = scion_fail(SION_ERR_DAMAGED, "chunk %lld is beyond the end of any file", chunk);
    if (rc != 0)
        return rc;
    *left = before + scion_lengths_used(lengths, chunk) - offset;
    *there += offset - before;
    return 0;
}

int scion_zipped_read(const struct scion_zipped_task *task, scion_read_some *plain,
                      struct scion_file *file, void *to, size_t bytes, sion_int64 offset)
{
    size_t done, part, got;
    sion_int64 there, left;
    int rc = 0;

    for (done = 0; done < bytes && rc == 0; done += got) {
        rc = find_byte(task, offset + (sion_int64)done, &there, &left);
        if (rc != 0)
            break;
        part = bytes - done < (size_t)left ? bytes - done : (size_t)left;
        rc = plain(file, (char *)to + done, part, there, &got);
        if (rc == 0 && got == 0)
            rc = scion_fail(SION_ERR_DAMAGED, "%s is cut off at offset %lld", scion_file_path(file),
                            there);
    }
    return rc;
}

/* ---- a table in memory ---- */

/* Frames as they are found. */
struct finder {
    struct scion_zipped_task *task;
    struct scion_file *file;
    sion_int64 bytes; /* stored ones */
    sion_int64 capacity;
    sion_int64 from; /* offset of buffer[0] */
    size_t have;
    unsigned char buffer[BUFFER];
};

static int add(struct finder *finder, sion_int64 stored, sion_int64 plain)
{
    struct scion_zipped_task *task = finder->task;
    sion_int64 n = task->n, *grown;

    if (n + 1 >= finder->capacity) {
        finder->capacity = finder->capacity < 8 ? 16 : 2 * finder->capacity;
        grown = scion_array_grown(task->stored, (uint64_t)finder->capacity, sizeof *grown);
        task->stored = grown ? grown : task->stored;
        if (grown)
            grown = scion_array_grown(task->plain, (uint64_t)finder->capacity, sizeof *grown);
        task->plain = grown ? grown : task->plain;
        if (!grown)
            return scion_fail_memory("table of frames");
    }
    if (n == 0)
        task->stored[0] = task->plain[0] = 0;
    task->stored[n + 1] = task->stored[n] + stored;
    task->plain[n + 1] = task->plain[n] + plain;
    task->n++;
    return 0;
}

static void forget(struct finder *finder)
{
    finder->task->n = 0;
}

/* A frame that is as large as frames of this stream can be. */
static int is_possible(const struct finder *finder, sion_int64 stored, sion_int64 plain)
{
    return plain == 0 || (plain <= finder->task->head.frame && stored > 0 &&
                          stored <= (sion_int64)scion_zip_most((size_t)plain));
}

/* Some stored bytes; *bytes: NULL if they are not there. */
static int look_at(struct finder *finder, sion_int64 offset, size_t wanted,
                   const unsigned char **bytes)
{
    sion_int64 left = finder->bytes - offset;
    int rc = 0;

    *bytes = NULL;
    if (left < (sion_int64)wanted)
        return 0;
    if (offset < finder->from ||
        offset + (sion_int64)wanted > finder->from + (sion_int64)finder->have) {
        finder->from = offset;
        finder->have = left < BUFFER ? (size_t)left : BUFFER;
        rc = scion_zipped_read(finder->task, scion_file_read_some, finder->file, finder->buffer,
                               finder->have, offset);
        if (rc != 0)
            finder->have = 0;
    }
    if (rc == 0)
        *bytes = finder->buffer + (offset - finder->from);
    return rc;
}

/* ---- the seek table ---- */

static int read_entries(struct finder *finder, sion_int64 at, uint32_t entries, size_t size,
                        int *is_table)
{
    const unsigned char *bytes;
    uint32_t i, stored, plain;
    int rc = 0;

    for (i = 0; i < entries && rc == 0 && *is_table; i++) {
        rc = look_at(finder, at + (sion_int64)(i * (uint64_t)size), size, &bytes);
        if (rc != 0)
            return rc;
        scion_seek_entry_decode(bytes, &stored, &plain);
        *is_table = stored > 0 && is_possible(finder, stored, plain);
        if (*is_table)
            rc = add(finder, stored, plain);
    }
    return rc;
}

static int read_table(struct finder *finder, int *is_table)
{
    const struct scion_zipped_task *task = finder->task;
    const unsigned char *bytes;
    sion_int64 at = finder->bytes - SCION_SEEK_FOOTER;
    uint32_t entries;
    size_t size;
    int rc = look_at(finder, at, SCION_SEEK_FOOTER, &bytes);

    *is_table = rc == 0 && bytes && scion_seek_footer_decode(bytes, &entries, &size);
    if (!*is_table)
        return rc;
    at -= (sion_int64)(entries * (uint64_t)size);
    *is_table = at - SCION_SEEK_HEAD >= SCION_ZIP_HEAD;
    if (*is_table)
        rc = look_at(finder, at - SCION_SEEK_HEAD, SCION_SEEK_HEAD, &bytes);
    if (rc != 0 || !*is_table)
        return rc;
    *is_table = scion_seek_head_check(bytes, entries, size);
    rc = read_entries(finder, at, entries, size, is_table);
    *is_table = *is_table && task->n > 0 && task->stored[task->n] == at - SCION_SEEK_HEAD;
    return rc;
}

/* ---- frames one by one ---- */

/* *at goes behind the blocks of a frame, unless they are not all there (*is_whole). */
static int pass_blocks(struct finder *finder, sion_int64 *at, int *is_whole)
{
    const unsigned char *bytes;
    sion_int64 block;
    int is_last = 0, rc = 0;

    while (rc == 0 && *is_whole && !is_last) {
        rc = look_at(finder, *at, SCION_RAW_BLOCK_HEAD, &bytes);
        *is_whole = bytes && scion_block_head_decode(bytes, &block, &is_last);
        if (*is_whole)
            *at += SCION_RAW_BLOCK_HEAD + block;
    }
    return rc;
}

/* A frame that begins at `at`, if all of it is there. */
static int pass_frame(struct finder *finder, sion_int64 at, sion_int64 *end, int *is_whole)
{
    size_t left =
        (size_t)(finder->bytes - at < SCION_FRAME_HEAD ? finder->bytes - at : SCION_FRAME_HEAD);
    struct scion_frame_head head;
    const unsigned char *bytes;
    int rc = look_at(finder, at, left, &bytes);

    *is_whole = bytes && scion_frame_head_decode(bytes, left, &head);
    if (!*is_whole)
        return rc;
    *end = at + head.bytes;
    if (!head.is_skippable) {
        rc = pass_blocks(finder, end, is_whole);
        *end += head.bytes_more;
    }
    *is_whole = *is_whole && *end <= finder->bytes && is_possible(finder, *end - at, head.plain);
    return rc == 0 && *is_whole ? add(finder, *end - at, head.plain) : rc;
}

static int pass_frames(struct finder *finder)
{
    sion_int64 at = 0, end = 0;
    int is_whole = 1, rc = 0;

    while (rc == 0 && is_whole && at < finder->bytes) {
        rc = pass_frame(finder, at, &end, &is_whole);
        if (is_whole)
            at = end;
    }
    if (rc == 0 && !is_whole)
        scion_warn_alone("%s: the compressed stream of task %d ends within a frame: its last %lld "
                         "stored bytes are not read",
                         scion_file_path(finder->file), finder->task->task, finder->bytes - at);
    return rc;
}

/* ---- all of it ---- */

static int find_all(struct finder *finder, struct scion_damage *damage)
{
    struct scion_zipped_task *task = finder->task;
    const unsigned char *bytes;
    int rc = look_at(finder, 0, SCION_ZIP_HEAD, &bytes), is_table;

    if (rc != 0)
        return rc;
    if (!bytes || scion_zip_head_decode(bytes, SCION_ZIP_HEAD, &task->head)) {
        *damage = (struct scion_damage){
            .kind = SCION_DAMAGE_ZIP, .task = task->task, .found = finder->bytes};
        return 0;
    }
    rc = read_table(finder, &is_table);
    task->has_table = rc == 0 && is_table;
    if (rc != 0 || is_table)
        return rc;
    forget(finder);
    return pass_frames(finder);
}

int scion_zipped_find_frames(struct scion_zipped_task *task, struct scion_file *file,
                             struct scion_damage *damage)
{
    struct finder *finder = calloc(1, sizeof *finder);
    int rc;

    if (!finder)
        return scion_fail_memory("table of frames");
    finder->task = task;
    finder->file = file;
    rc = scion_lengths_before(&task->lengths, task->lengths.count, &finder->bytes);
    if (rc == 0 && finder->bytes > 0)
        rc = find_all(finder, damage);
    if (rc == SION_ERR_DAMAGED) { /* by a checksum, or because the file is cut off */
        scion_warn_alone("%s", scion_error_text());
        *damage = (struct scion_damage){
            .kind = SCION_DAMAGE_ZIP, .task = task->task, .found = finder->bytes, .bound = 1};
        rc = 0;
    }
    if (rc == 0 && task->n == 0 && damage->kind == SCION_SOUND)
        rc = add(finder, 0, 0);
    free(finder);
    return rc;
}
