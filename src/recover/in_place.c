/* Close a container in place, with the data that were found. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "recover/private.h"
#include "vfs/writer_lock.h"

enum { MOST_WRITTEN = 1 << 20 }; /* bytes of tables that any file may get */

static int is_open(const struct scion_salvaged_file *file)
{
    return file->evidence != SCION_EVIDENCE_TABLES;
}

/* The task with most chunks. */
static int longest(const struct scion_salvaged_file *file)
{
    int most = 0, t;

    for (t = 1; t < file->physical->head.ntasks; t++) {
        if (file->tasks[t].lengths.count > file->tasks[most].lengths.count)
            most = t;
    }
    return most;
}

/* Where the tables begin and end if a task has at most so many chunks. */
static int measure(const struct scion_salvaged_file *file, sion_int64 chunks, int mapping,
                   sion_int64 *begin, sion_int64 *end)
{
    sion_int64 size;

    if (chunks > 0x7fffffff || scion_layout_end(&file->physical->layout, chunks, begin) ||
        scion_meta2_size(file->physical->head.ntasks, chunks, &size) ||
        scion_add(*begin, size, end) ||
        scion_add(*end, mapping >= 0 ? (sion_int64)scion_mapping_bytes(mapping) : 0, end))
        return scion_fail(SION_ERR_NO_SPACE, "%lld chunks are more than %s can describe", chunks,
                          file->physical->path);
    return 0;
}

/* The contents of META2: the task with the most chunks gets some more, without data. */
struct table_source {
    const struct scion_salvaged_file *file;
    int most;
    sion_int64 chunks;
};

static sion_int64 count_of(const void *context, int task)
{
    const struct table_source *table_source = context;

    return task == table_source->most ? table_source->chunks
                                      : table_source->file->tasks[task].lengths.count;
}

static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    const struct table_source *table_source = context;
    const struct scion_lengths *lengths = &table_source->file->tasks[task].lengths;

    return chunk < lengths->count ? lengths->used[chunk] : 0;
}

/* Row `row` of META2: -1 the counts, else the bytes of that chunk. */
static void fill_row(const struct table_source *table_source, sion_int64 row, sion_int64 *numbers)
{
    int t;

    for (t = 0; t < table_source->file->physical->head.ntasks; t++)
        numbers[t] = row < 0 ? count_of(table_source, t) : used_of(table_source, t, row);
}

/* Whether each byte is as expected, or has not been written. */
static int is_part(const unsigned char *found, const unsigned char *expected, size_t bytes)
{
    size_t i = 0;

    while (i < bytes && (found[i] == 0 || found[i] == expected[i]))
        i++;
    return i == bytes;
}

/*
 * Whether an earlier recovery made room for these tables, and wrote nothing there but some of their
 * bytes.
 */
static int are_begun(const struct scion_salvaged_file *file, sion_int64 chunks, sion_int64 begin,
                     int *same)
{
    const struct table_source table_source = {file, longest(file), chunks};
    size_t bytes = 8 * (size_t)file->physical->head.ntasks;
    unsigned char *found = malloc(2 * bytes);
    sion_int64 row;
    int rc = found ? 0 : scion_fail_memory("metadata");

    *same = rc == 0;
    for (row = -1; row < chunks && *same && rc == 0; row++) {
        fill_row(&table_source, row, (sion_int64 *)(found + bytes));
        rc = scion_file_read(file->physical->file, found, bytes,
                             begin + (row + 1) * (sion_int64)bytes);
        *same = rc == 0 && is_part(found, found + bytes, bytes);
    }
    free(found);
    return rc;
}

/* The size that an earlier recovery has given to the file tells how many chunks it took. */
static int find_begun(const struct scion_salvaged_file *file, int mapping, sion_int64 least,
                      sion_int64 *chunks)
{
    const struct scion_layout *layout = &file->physical->layout;
    sion_int64 n = file->physical->head.ntasks, begin, end;
    sion_int64 rest = file->size - layout->start_of_data - 8 * n -
                      (mapping >= 0 ? (sion_int64)scion_mapping_bytes(mapping) : 0);
    sion_int64 step = layout->globalskip + 8 * n, found = rest / step;
    int same = 0, rc;

    if (rest < 0 || rest % step != 0 || found < least || found > 0x7fffffff)
        return 0;
    rc = measure(file, found, mapping, &begin, &end);
    if (rc == 0)
        rc = are_begun(file, found, begin, &same);
    if (rc == 0 && same)
        *chunks = found;
    return rc;
}

/* META2 is after every byte that is there, so there are as many chunks as the file has blocks.
 */
static int count_chunks(const struct scion_salvaged_file *file, int mapping, sion_int64 *chunks)
{
    const struct scion_layout *layout = &file->physical->layout;
    sion_int64 least = file->tasks[longest(file)].lengths.count, blocks = 1;

    if (layout->globalskip > 0 && file->size > layout->start_of_data)
        blocks = (file->size - layout->start_of_data - 1) / layout->globalskip + 1;
    *chunks = blocks > least ? blocks : least;
    return find_begun(file, mapping, least, chunks);
}

/* A file that claims to be large, but is a hole, must not take more space than it holds. */
static int check_cost(const struct scion_salvaged_file *file, sion_int64 bytes)
{
    struct stat status;
    int rc = scion_file_status(file->physical->file, &status);

    if (rc == 0 && bytes > MOST_WRITTEN && bytes > (sion_int64)status.st_blocks * 512)
        return scion_fail(SION_ERR_NO_SPACE,
                          "the tables of %s would take %lld bytes, more than it holds: recover it "
                          "into another file",
                          file->physical->path, bytes);
    return rc;
}

/* Write everything but the tail, which makes the tables valid, and wait for the disk. The size of
   the file is set first, because a later recovery computes the rest from it. */
static int prepare(struct scion_salvaged_file *file, const struct scion_mapping *mapping)
{
    struct table_source table_source = {.file = file, .most = longest(file)};
    const struct scion_length_source written = {
        .count = count_of, .used = used_of, .context = &table_source};
    sion_int64 begin, end;
    int rc = scion_physical_resume(file->physical);

    if (rc == 0)
        rc = count_chunks(file, mapping->size, &table_source.chunks);
    if (rc == 0)
        rc = measure(file, table_source.chunks, mapping->size, &begin, &end);
    if (rc == 0)
        rc = check_cost(file, end - begin);
    if (rc == 0)
        rc = scion_file_truncate(file->physical->file, end);
    if (rc == 0)
        rc = scion_physical_write_tables(file->physical, &written, mapping);
    return rc == 0 ? scion_file_sync(file->physical->file) : rc;
}

static int finish(struct scion_salvaged_file *file)
{
    int rc = scion_physical_resume(file->physical);

    if (rc == 0)
        rc = scion_physical_write_tail(file->physical);
    if (rc == 0)
        rc = scion_file_sync(file->physical->file);
    if (rc == 0)
        file->evidence = SCION_EVIDENCE_TABLES;
    return rc;
}

static int check_version(const struct scion_salvaged_file *file)
{
    const struct scion_meta1 *head = &file->physical->head;

    return !head->swapped && head->format_version == 5
               ? 0
               : scion_fail(SION_ERR_VERSION,
                            "%s is of another byte order or an old version: recover it into "
                            "another file",
                            file->physical->path);
}

/* Open the file again, for writing. */
static int reopen(struct scion_salvaged_file *file)
{
    int rc = file->physical->file ? scion_physical_suspend(file->physical) : 0;

    file->physical->is_written = 1;
    return rc;
}

/* The mapping: file and local rank of every rank; for a single file, as its writer would write
   it. */
static int make_mapping(const struct scion_salvage *salvage, struct scion_mapping *mapping)
{
    int i;

    *mapping = (struct scion_mapping){.size = -1};
    if (salvage->nfiles == 1) {
        const struct scion_meta1 *head = &salvage->files[0].physical->head;

        mapping->size = head->nfiles <= 1 && head->filenumber == 1 ? 0 : -1;
        return 0;
    }
    mapping->pairs = scion_array(2 * (uint64_t)salvage->ntasks, sizeof *mapping->pairs);
    if (!mapping->pairs)
        return scion_fail_memory("mapping");
    mapping->size = salvage->ntasks;
    for (i = 0; i < salvage->ntasks; i++) {
        if (salvage->places[i].globalrank != i)
            return scion_fail(SION_ERR_DAMAGED, "no file of %s has task %d", salvage->name, i);
        mapping->pairs[2 * (size_t)i] = salvage->places[i].file;
        mapping->pairs[2 * (size_t)i + 1] = salvage->places[i].lrank;
    }
    return 0;
}

/* All files are complete before the first is valid, and file 0 is the last one. */
static int close_files(struct scion_salvage *salvage, const struct scion_mapping *mapping)
{
    static const struct scion_mapping none = {.size = -1};
    int rc = 0, i;

    for (i = 0; i < salvage->nfiles && rc == 0; i++) {
        struct scion_salvaged_file *file = &salvage->files[i];

        if (!is_open(file))
            continue;
        rc = reopen(file);
        if (rc == 0)
            rc = prepare(file, i == 0 ? mapping : &none);
        if (rc == 0)
            rc = scion_physical_suspend(file->physical);
    }
    for (i = salvage->nfiles - 1; i >= 0 && rc == 0; i--) {
        struct scion_salvaged_file *file = &salvage->files[i];

        if (!is_open(file))
            continue;
        rc = finish(file);
        if (rc == 0)
            rc = scion_physical_suspend(file->physical);
    }
    return rc;
}

/* A writer may have closed the container between the first look and the lock. */
static int check_still_open(const struct scion_salvage *salvage)
{
    struct scion_physical *now;
    int is_damaged;

    if (salvage->files[0].evidence == SCION_EVIDENCE_TABLES ||
        scion_physical_read(salvage->name, &now) != 0)
        return 0;
    is_damaged = now->damages.n > 0; /* as at the first look */
    scion_physical_close(now);
    if (is_damaged)
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "%s has been closed by its writer meanwhile",
                      salvage->name);
}

static int count_mended(const struct scion_salvage *salvage)
{
    int n = 0, i;

    for (i = 0; i < salvage->nfiles; i++)
        n += salvage->files[i].nmended;
    return n;
}

static int close_locked(struct scion_salvage *salvage, const struct scion_mapping *mapping)
{
    struct scion_writer_lock *lock = NULL;
    int rc = salvage->evidence == SCION_EVIDENCE_TABLES && count_mended(salvage) == 0
                 ? 0
                 : scion_writer_lock_take(salvage->name, 0, &lock),
        unlocked, i;

    if (rc == 0 && lock)
        rc = check_still_open(salvage);
    for (i = 0; i < salvage->nfiles && rc == 0; i++)
        rc = scion_salvage_write_mended(&salvage->files[i]);
    if (rc == 0)
        rc = close_files(salvage, mapping);
    unlocked = scion_writer_lock_release(lock, 0);
    return scion_first_failure(rc, unlocked);
}

/* Closed once more, a file that is cut off could not be told from a good one. */
static int check_whole(const struct scion_salvage *salvage)
{
    int i;

    for (i = 0; i < salvage->nfiles; i++) {
        if (salvage->files[i].is_cut)
            return scion_fail(SION_ERR_DAMAGED,
                              "%s was closed and is cut off: what is left can be recovered into "
                              "another file",
                              salvage->files[i].physical->path);
    }
    return 0;
}

static int check_versions(const struct scion_salvage *salvage)
{
    int rc = 0, i;

    for (i = 0; i < salvage->nfiles && rc == 0; i++)
        rc = is_open(&salvage->files[i]) ? check_version(&salvage->files[i]) : 0;
    return rc;
}

int scion_salvage_check_in_place(const struct scion_salvage *salvage)
{
    int rc = check_whole(salvage);

    if (rc != 0)
        return rc;
    if (salvage->evidence == SCION_EVIDENCE_HOLES)
        return scion_fail(SION_ERR_ARGUMENT,
                          "%s has no commit records: its possible data can be recovered into "
                          "another file",
                          salvage->name);
    if (salvage->nmissing > 0)
        return scion_fail(SION_ERR_ARGUMENT,
                          "%d files of %s are missing: the others can be recovered into another "
                          "file",
                          salvage->nmissing, salvage->name);
    return check_versions(salvage);
}

int scion_salvage_in_place(struct scion_salvage *salvage)
{
    struct scion_mapping mapping;
    int rc = scion_salvage_check_in_place(salvage);

    if (rc != 0)
        return rc;
    rc = make_mapping(salvage, &mapping);
    if (rc == 0)
        rc = close_locked(salvage, &mapping);
    free(mapping.pairs);
    return rc;
}
