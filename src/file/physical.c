#include "file/physical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/checked.h"
#include "base/error.h"

int scion_name_check(const char *name)
{
    if (!name || !*name)
        return scion_fail(SION_ERR_ARGUMENT, "no file name given");
    if (strlen(name) > SCION_NAME_MAX)
        return scion_fail(SION_ERR_ARGUMENT, "file name of %zu bytes is too long, at most %d",
                          strlen(name), SCION_NAME_MAX);
    return 0;
}

char *scion_physical_name(const char *name, int number)
{
    size_t size = strlen(name) + 16;
    char *full = malloc(size);

    if (!full)
        scion_fail_memory("file name");
    else if (number == 0)
        strcpy(full, name);
    else
        snprintf(full, size, "%s.%06d", name, number);
    return full;
}

struct scion_place scion_physical_place(const struct scion_physical *physical, int task)
{
    struct scion_place place = {.start = physical->starts[task],
                                .globalskip = physical->layout.globalskip};

    /* No overflow: the layout was computed with the rounded size. */
    scion_round_up(physical->chunksizes[task], physical->grain, &place.chunksize);
    return place;
}

int scion_physical_close(struct scion_physical *physical)
{
    int rc;

    if (!physical)
        return 0;
    rc = scion_file_close(physical->file);
    free(physical->path);
    free(physical->globalranks);
    free(physical->chunksizes);
    free(physical->starts);
    free(physical->counts);
    free(physical->used);
    free(physical->mapping.pairs);
    free(physical);
    return rc;
}

static int allocate(sion_int64 **array, size_t n)
{
    *array = malloc(n * sizeof **array);
    return *array ? 0 : scion_fail_memory("metadata");
}

static int allocate_tasks(struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks;

    return allocate(&physical->globalranks, n) || allocate(&physical->chunksizes, n) ||
                   allocate(&physical->starts, n)
               ? SION_ERR_MEMORY
               : 0;
}

/* ---- reading ---- */

static int read_head(struct scion_physical *physical, sion_int64 file_size)
{
    unsigned char bytes[SCION_META1_FIXED];
    size_t got;
    int rc = scion_file_read_some(physical->file, bytes, sizeof bytes, 0, &got);

    return rc != 0 ? rc : scion_meta1_decode(bytes, got, file_size, &physical->head);
}

static int read_numbers(struct scion_physical *physical, sion_int64 *array, size_t n,
                        sion_int64 offset)
{
    int rc = scion_file_read(physical->file, array, n * sizeof *array, offset);

    if (rc == 0)
        scion_array_decode(array, n, physical->head.swapped);
    return rc;
}

static int read_tasks(struct scion_physical *physical)
{
    const struct scion_meta1 *head = &physical->head;
    size_t n = (size_t)head->ntasks;
    sion_int64 at = (sion_int64)scion_meta1_fixed_size(head);
    unsigned char tail[SCION_META1_TAIL];
    int rc = allocate_tasks(physical);

    if (rc == 0)
        rc = read_numbers(physical, physical->globalranks, n, at);
    if (rc == 0)
        rc = read_numbers(physical, physical->chunksizes, n, at + 8 * (sion_int64)n);
    if (rc == 0)
        rc = scion_file_read(physical->file, tail, sizeof tail, at + 16 * (sion_int64)n);
    if (rc != 0)
        return rc;
    scion_meta1_decode_tail(tail, head->swapped, &physical->maxchunks,
                            &physical->start_of_varheader);
    physical->grain = scion_layout_grain(head->format_version, head->fsblksize);
    return scion_layout_compute(physical->chunksizes, head->ntasks, head->fsblksize,
                                physical->grain, physical->starts, &physical->layout);
}

static int read_chunks(struct scion_physical *physical, sion_int64 file_size, sion_int64 *end)
{
    const struct scion_chunk_plan plan = {
        .ntasks = physical->head.ntasks,
        .starts = physical->starts,
        .sizes = physical->chunksizes,
        .grain = physical->grain,
        .globalskip = physical->layout.globalskip,
    };
    size_t n = (size_t)plan.ntasks, entries = n * (size_t)physical->maxchunks;
    sion_int64 start = physical->start_of_varheader;
    int rc = scion_meta2_check_place(&plan, physical->maxchunks, start, file_size, end);

    if (rc == 0 && (allocate(&physical->counts, n) || allocate(&physical->used, entries)))
        rc = SION_ERR_MEMORY;
    if (rc == 0)
        rc = read_numbers(physical, physical->counts, n, start);
    if (rc == 0)
        rc = read_numbers(physical, physical->used, entries, start + 8 * (sion_int64)n);
    if (rc == 0)
        rc = scion_meta2_check(&plan, physical->maxchunks, start, physical->counts,
                               physical->used);
    if (rc == 0 && scion_meta1_keyval(&physical->head) == SION_KEYVAL_INLINE)
        rc = scion_meta2_check_keyval(&plan, physical->counts, physical->used);
    return rc;
}

static int read_mapping(struct scion_physical *physical, sion_int64 at, sion_int64 file_size)
{
    struct scion_mapping *mapping = &physical->mapping;
    unsigned char word[4];
    int rc;

    if (file_size - at < 4)
        return scion_fail(SION_ERR_DAMAGED, "file 0 of a set of %d has no mapping table",
                          physical->head.nfiles);
    rc = scion_file_read(physical->file, word, sizeof word, at);
    if (rc == 0)
        rc = scion_mapping_decode_size(word, physical->head.swapped, file_size - at,
                                       &mapping->size);
    if (rc != 0)
        return rc;
    mapping->pairs = malloc(2 * sizeof *mapping->pairs * (size_t)mapping->size);
    if (!mapping->pairs)
        return scion_fail_memory("mapping");
    rc = scion_file_read(physical->file, mapping->pairs, 8 * (size_t)mapping->size, at + 4);
    if (rc != 0)
        return rc;
    scion_mapping_decode_pairs(mapping, physical->head.swapped);
    return scion_mapping_check(mapping, physical->head.nfiles);
}

static int read_all(struct scion_physical *physical)
{
    sion_int64 size, end = 0;
    int rc = scion_file_size(physical->file, &size);

    if (rc == 0)
        rc = read_head(physical, size);
    if (rc == 0)
        rc = read_tasks(physical);
    if (rc == 0)
        rc = read_chunks(physical, size, &end);
    if (rc == 0 && physical->head.nfiles > 1 && physical->head.filenumber == 0)
        rc = read_mapping(physical, end, size);
    return rc;
}

static struct scion_physical *new_physical(const char *path)
{
    struct scion_physical *physical = calloc(1, sizeof *physical);
    char *copy = strdup(path);

    if (!physical || !copy) {
        scion_fail_memory("file");
        free(physical);
        free(copy);
        return NULL;
    }
    physical->path = copy;
    physical->mapping.size = -1;
    return physical;
}

int scion_physical_suspend(struct scion_physical *physical)
{
    int rc = scion_file_close(physical->file);

    physical->file = NULL;
    return rc;
}

int scion_physical_resume(struct scion_physical *physical)
{
    return physical->file ? 0
                          : scion_file_open(physical->path, SCION_OPEN_READ, 0, &physical->file);
}

int scion_physical_read(const char *path, struct scion_physical **physical)
{
    struct scion_physical *new = new_physical(path);
    int rc;

    if (!new)
        return SION_ERR_MEMORY;
    rc = scion_file_open(path, SCION_OPEN_READ, 0, &new->file);
    if (rc == 0) {
        rc = read_all(new);
        if (rc != 0)
            scion_fail_prefix("cannot read %s", path);
    }
    if (rc != 0) {
        scion_physical_close(new);
        return rc;
    }
    *physical = new;
    return 0;
}

/* ---- writing ---- */

static int plan_layout(struct scion_physical *physical, const sion_int64 *requested)
{
    const struct scion_meta1 *head = &physical->head;
    int rc;

    memcpy(physical->chunksizes, requested, (size_t)head->ntasks * sizeof *requested);
    rc = scion_layout_align(physical->chunksizes, head->ntasks, head->fsblksize);
    if (rc != 0)
        return rc;
    return scion_layout_compute(physical->chunksizes, head->ntasks, head->fsblksize,
                                physical->grain, physical->starts, &physical->layout);
}

static int write_meta1(struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks, array = 8 * n;
    unsigned char *bytes = malloc(SCION_META1_FIXED + 2 * array);
    int rc;

    if (!bytes)
        return scion_fail_memory("header");
    scion_meta1_encode(&physical->head, bytes);
    memcpy(bytes + SCION_META1_FIXED, physical->globalranks, array);
    memcpy(bytes + SCION_META1_FIXED + array, physical->chunksizes, array);
    rc = scion_file_write(physical->file, bytes, SCION_META1_FIXED + 2 * array, 0, NULL);
    free(bytes);
    return rc;
}

static int create_all(struct scion_physical *physical, const struct scion_physical_plan *plan)
{
    size_t n = (size_t)physical->head.ntasks;
    int rc = 0;

    if (physical->head.fsblksize <= 0)
        rc = scion_file_block_size(physical->file, &physical->head.fsblksize);
    if (rc == 0)
        rc = allocate_tasks(physical);
    if (rc != 0)
        return rc;
    memcpy(physical->globalranks, plan->globalranks, n * sizeof *plan->globalranks);
    rc = plan_layout(physical, plan->chunksizes);
    return rc != 0 ? rc : write_meta1(physical);
}

int scion_physical_create(const char *path, const struct scion_physical_plan *plan,
                          struct scion_physical **physical)
{
    struct scion_physical *new = new_physical(path);
    int rc;

    if (!new)
        return SION_ERR_MEMORY;
    new->head = plan->head;
    new->grain = 1;
    new->start_of_varheader = -1;
    rc = scion_file_open(path, SCION_OPEN_CREATE, plan->permissions, &new->file);
    if (rc == 0) {
        rc = create_all(new, plan);
        if (rc != 0)
            scion_file_remove(path);
    }
    if (rc != 0) {
        scion_physical_close(new);
        return rc;
    }
    *physical = new;
    return 0;
}

/* Until the file has been emptied the old layout must stay, because the old data does. */
int scion_physical_restart(struct scion_physical *physical, const sion_int64 *chunksizes)
{
    size_t bytes = (size_t)physical->head.ntasks * sizeof *chunksizes;
    sion_int64 *old = malloc(bytes);
    int rc;

    if (!old)
        return scion_fail_memory("chunk sizes");
    memcpy(old, physical->chunksizes, bytes);
    rc = plan_layout(physical, chunksizes);
    if (rc == 0)
        rc = scion_file_truncate(physical->file, 0);
    if (rc != 0)
        plan_layout(physical, old);
    free(old);
    return rc != 0 ? rc : write_meta1(physical);
}

/* Collects numbers and writes them in large pieces. */
struct number_writer {
    struct scion_file *file;
    sion_int64 offset;
    size_t filled;
    sion_int64 numbers[8192];
};

static int write_numbers_out(struct number_writer *writer)
{
    size_t bytes = writer->filled * sizeof writer->numbers[0];
    int rc = scion_file_write(writer->file, writer->numbers, bytes, writer->offset, NULL);

    writer->offset += (sion_int64)bytes;
    writer->filled = 0;
    return rc;
}

static int put_number(struct number_writer *writer, sion_int64 number)
{
    writer->numbers[writer->filled++] = number;
    return writer->filled == sizeof writer->numbers / sizeof writer->numbers[0]
               ? write_numbers_out(writer)
               : 0;
}

static int write_counts(struct number_writer *writer, const struct scion_lengths *lengths,
                        int ntasks)
{
    int t, rc = 0;

    for (t = 0; t < ntasks && rc == 0; t++)
        rc = put_number(writer, lengths[t].count > 0 ? lengths[t].count : 1);
    return rc;
}

static int write_used(struct number_writer *writer, const struct scion_lengths *lengths,
                      int ntasks, sion_int64 chunk)
{
    int t, rc = 0;

    for (t = 0; t < ntasks && rc == 0; t++)
        rc = put_number(writer, chunk < lengths[t].count ? scion_lengths_used(&lengths[t], chunk)
                                                         : 0);
    return rc;
}

static int write_meta2(struct scion_physical *physical, const struct scion_lengths *lengths)
{
    struct number_writer *writer = malloc(sizeof *writer);
    sion_int64 chunk;
    int rc;

    if (!writer)
        return scion_fail_memory("metadata");
    writer->file = physical->file;
    writer->offset = physical->start_of_varheader;
    writer->filled = 0;
    rc = write_counts(writer, lengths, physical->head.ntasks);
    for (chunk = 0; chunk < physical->maxchunks && rc == 0; chunk++)
        rc = write_used(writer, lengths, physical->head.ntasks, chunk);
    if (rc == 0)
        rc = write_numbers_out(writer);
    free(writer);
    return rc;
}

static int write_mapping(struct scion_physical *physical, const struct scion_mapping *mapping)
{
    size_t bytes = scion_mapping_bytes(mapping->size);
    unsigned char *encoded = malloc(bytes);
    sion_int64 size;
    int rc;

    if (!encoded)
        return scion_fail_memory("mapping");
    scion_mapping_encode(mapping, encoded);
    /* Cannot overflow: META2 has just been written. */
    scion_meta2_size(physical->head.ntasks, physical->maxchunks, &size);
    rc = scion_file_write(physical->file, encoded, bytes, physical->start_of_varheader + size,
                          NULL);
    free(encoded);
    return rc;
}

static int place_meta2(struct scion_physical *physical, const struct scion_lengths *lengths)
{
    sion_int64 most = 1, size, end;
    int t;

    for (t = 0; t < physical->head.ntasks; t++) {
        if (lengths[t].count > most)
            most = lengths[t].count;
    }
    if (most > 0x7fffffff ||
        scion_layout_end(&physical->layout, most, &physical->start_of_varheader) ||
        scion_meta2_size(physical->head.ntasks, most, &size) ||
        scion_add(physical->start_of_varheader, size, &end))
        return scion_fail(SION_ERR_NO_SPACE, "%lld chunks are more than %s can describe", most,
                          physical->path);
    physical->maxchunks = (int)most;
    return 0;
}

int scion_physical_finish(struct scion_physical *physical, const struct scion_lengths *lengths,
                          const struct scion_mapping *mapping)
{
    unsigned char tail[SCION_META1_TAIL];
    int rc = place_meta2(physical, lengths);

    if (rc == 0)
        rc = write_meta2(physical, lengths);
    if (rc == 0 && mapping->size >= 0)
        rc = write_mapping(physical, mapping);
    if (rc != 0)
        return rc;
    scion_meta1_encode_tail(physical->maxchunks, physical->start_of_varheader, tail);
    return scion_file_write(physical->file, tail, sizeof tail,
                            scion_meta1_size(physical->head.ntasks) - SCION_META1_TAIL, NULL);
}
