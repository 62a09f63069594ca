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

/* One after the other. */
static int read_each(const struct scion_zipped_task *task, scion_read_some *plain,
                     struct scion_file *file, const struct iovec *runs, sion_int64 offset,
                     size_t bytes)
{
    int rc = 0;

    for (; bytes > 0 && rc == 0; bytes -= runs->iov_len, runs++) {
        rc = scion_zipped_read(task, plain, file, runs->iov_base, runs->iov_len, offset);
        offset += (sion_int64)runs->iov_len;
    }
    return rc;
}

int scion_zipped_read_runs(const struct scion_zipped_task *task, scion_read_some *plain,
                           struct scion_file *file, struct iovec *runs, int n, size_t least,
                           sion_int64 offset, int *more)
{
    sion_int64 there, left;
    size_t bytes = 0, got;
    int rc = find_byte(task, offset, &there, &left), i;

    *more = 0;
    for (i = 0; i < n; i++)
        bytes += runs[i].iov_len;
    if (rc != 0)
        return rc;
    if (left < (sion_int64)bytes)
        return read_each(task, plain, file, runs, offset, least);
    rc = scion_file_read_runs(file, runs, n, least, there, &got);
    *more = rc == 0 && got == bytes && bytes > least;
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

/* The table that ends a file in the stream. */
struct zip_table {
    sion_int64 at; /* its first entry */
    uint32_t entries;
    size_t size; /* of one */
};

static sion_int64 bytes_of_table(const struct zip_table *table)
{
    return SCION_SEEK_HEAD + (sion_int64)(table->entries * (uint64_t)table->size) +
           SCION_SEEK_FOOTER;
}

static int find_table(struct finder *finder, sion_int64 end, struct zip_table *table, int *is_table)
{
    const unsigned char *bytes;
    sion_int64 at = end - SCION_SEEK_FOOTER;
    int rc;

    *is_table = at >= SCION_ZIP_HEAD;
    if (!*is_table)
        return 0;
    rc = look_at(finder, at, SCION_SEEK_FOOTER, &bytes);
    *is_table = bytes && scion_seek_footer_decode(bytes, &table->entries, &table->size);
    if (!*is_table)
        return rc;
    table->at = at - (sion_int64)(table->entries * (uint64_t)table->size);
    *is_table = table->at - SCION_SEEK_HEAD >= SCION_ZIP_HEAD;
    if (*is_table)
        rc = look_at(finder, table->at - SCION_SEEK_HEAD, SCION_SEEK_HEAD, &bytes);
    *is_table = *is_table && rc == 0 && scion_seek_head_check(bytes, table->entries, table->size);
    return rc;
}

/* Each generation has a head, and all are equal. */
static int has_same_head(struct finder *finder, sion_int64 at, int *is_same)
{
    const struct scion_zip_head *head = &finder->task->head;
    struct scion_zip_head other;
    const unsigned char *bytes;
    int rc = look_at(finder, at, SCION_ZIP_HEAD, &bytes);

    *is_same = bytes && scion_zip_head_decode(bytes, SCION_ZIP_HEAD, &other) == 0 &&
               other.frame == head->frame && other.shuffle == head->shuffle;
    return rc;
}

/* The frames of the file that ends there, and no others. */
static int read_file(struct finder *finder, sion_int64 end, struct zip_table *table,
                     sion_int64 *begin, int *is_table)
{
    const struct scion_zipped_task *task = finder->task;
    int rc = find_table(finder, end, table, is_table);

    forget(finder);
    if (rc == 0 && *is_table)
        rc = read_entries(finder, table->at, table->entries, table->size, is_table);
    if (rc != 0 || !*is_table)
        return rc;
    *begin = task->n > 0 ? table->at - SCION_SEEK_HEAD - task->stored[task->n] : -1;
    *is_table = *begin >= 0;
    return *begin > 0 ? has_same_head(finder, *begin, is_table) : 0;
}

/* The frames of all files, of which the last one is the first in the list. */
static int add_files(struct finder *finder, const struct zip_table *tables, size_t n)
{
    int is_table = 1, rc = 0;

    forget(finder);
    while (n-- > 0 && rc == 0) {
        rc = read_entries(finder, tables[n].at, tables[n].entries, tables[n].size, &is_table);
        if (rc == 0 && n > 0)
            rc = add(finder, bytes_of_table(&tables[n]), 0);
    }
    return rc;
}

/* A stream is one file, or several: one for each generation. */
static int read_tables(struct finder *finder, int *is_table)
{
    struct zip_table *tables = NULL, *larger;
    sion_int64 end = finder->bytes;
    size_t n = 0;
    int rc = 0;

    for (*is_table = 1; rc == 0 && *is_table && end > 0; n++) {
        larger = (n & (n - 1)) == 0 ? scion_array_grown(tables, 2 * n + 1, sizeof *tables) : tables;
        tables = larger ? larger : tables;
        rc = larger ? read_file(finder, end, &tables[n], &end, is_table)
                    : scion_fail_memory("table of frames");
    }
    if (rc == 0 && *is_table && n > 1)
        rc = add_files(finder, tables, n);
    free(tables);
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

/* A frame without data that may be the head of another generation. */
static int pass_head(struct finder *finder, sion_int64 at, int *is_whole)
{
    struct scion_zip_head other;
    const unsigned char *bytes;
    int rc = look_at(finder, at, SCION_ZIP_HEAD, &bytes);

    return bytes && scion_zip_head_decode(bytes, SCION_ZIP_HEAD, &other) == 0
               ? has_same_head(finder, at, is_whole)
               : rc;
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
    if (head.is_skippable && at > 0 && head.bytes == SCION_ZIP_HEAD && *end <= finder->bytes)
        rc = pass_head(finder, at, is_whole);
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
    rc = read_tables(finder, &is_table);
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
