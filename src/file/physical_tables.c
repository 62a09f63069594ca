/* What makes a file one that can be read: META2 and the mapping table, and the tail of META1. */
#include "file/mapping_pairs.h"
#include "file/physical_tables.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/trace.h"
#include "file/generations.h"
#include "file/growth.h"
#include "file/piece_writer.h"

static sion_int64 count_of(const struct scion_length_source *written, int task)
{
    sion_int64 count = written->count(written->context, task);

    return count > 0 ? count : 1;
}

/* The task that has most chunks. */
static int find_longest(const struct scion_length_source *written, int ntasks)
{
    int longest = 0, t;

    for (t = 1; t < ntasks; t++) {
        if (count_of(written, t) > count_of(written, longest))
            longest = t;
    }
    return longest;
}

/* Some task has all chunks: where tables are behind the last data, empty ones of the longest. */
static int write_counts(struct scion_piece_writer *writer,
                        const struct scion_length_source *written,
                        const struct scion_physical *physical)
{
    int ntasks = physical->head.ntasks, longest = find_longest(written, ntasks), t, rc = 0;

    for (t = 0; t < ntasks && rc == 0; t++)
        rc = scion_piece_writer_put_number(writer, t == longest ? physical->maxchunks
                                                                : count_of(written, t));
    return rc;
}

/* Chunks that no task has. */
static int write_zeros(struct scion_piece_writer *writer, sion_int64 n)
{
    int rc = 0;

    while (n-- > 0 && rc == 0)
        rc = scion_piece_writer_put_number(writer, 0);
    return rc;
}

static int write_used(struct scion_piece_writer *writer, const struct scion_length_source *written,
                      struct scion_physical *physical, sion_int64 chunk)
{
    const void *context = written->context;
    sion_int64 first = physical->generations ? physical->generations->forgotten : 0;
    int t, rc = written->row ? written->row(context, chunk) : 0;

    for (t = 0; t < physical->head.ntasks && rc == 0; t++) {
        sion_int64 used = chunk >= first && chunk < written->count(context, t)
                              ? written->used(context, t, chunk)
                              : 0;

        physical->bytes += used;
        rc = scion_piece_writer_put_number(writer, used);
    }
    return rc;
}

static int put_pairs(void *user, const int *pairs, int n)
{
    return scion_piece_writer_put(user, pairs, 2 * sizeof *pairs * (size_t)n);
}

static int put_mapping(struct scion_piece_writer *writer, const struct scion_mapping *mapping)
{
    int rc = scion_piece_writer_put(writer, &mapping->size, sizeof mapping->size);

    return rc == 0 ? scion_mapping_each(mapping, put_pairs, writer) : rc;
}

int scion_physical_write_mapping(struct scion_physical *physical,
                                 const struct scion_mapping *mapping, sion_int64 at)
{
    struct scion_piece_writer writer;

    scion_piece_writer_begin(&writer, physical->file, at,
                             (sion_int64)scion_mapping_bytes(mapping->size));
    return scion_piece_writer_end(&writer, put_mapping(&writer, mapping));
}

/* META2, and the mapping behind it. Counts the bytes of all tasks. */
static int write_placed(struct scion_physical *physical, const struct scion_length_source *written,
                        const struct scion_mapping *mapping)
{
    int ntasks = physical->head.ntasks, has_mapping = mapping->size >= 0, rc;
    struct scion_piece_writer writer;
    sion_int64 chunk, rows = count_of(written, find_longest(written, ntasks)), size;

    /* Cannot overflow: place_meta2() has looked. */
    scion_meta2_size(ntasks, physical->maxchunks, &size);
    if (has_mapping)
        size += (sion_int64)scion_mapping_bytes(mapping->size);
    physical->behind = physical->start_of_varheader + size;
    scion_piece_writer_begin(&writer, physical->file, physical->start_of_varheader, size);
    physical->bytes = 0;
    rc = write_counts(&writer, written, physical);
    for (chunk = 0; chunk < rows && rc == 0; chunk++)
        rc = write_used(&writer, written, physical, chunk);
    if (rc == 0)
        rc = write_zeros(&writer, (physical->maxchunks - rows) * ntasks);
    if (rc == 0 && has_mapping)
        rc = put_mapping(&writer, mapping);
    return scion_piece_writer_end(&writer, rc);
}

static int too_many_chunks(const struct scion_physical *physical, sion_int64 chunks)
{
    return scion_fail(SION_ERR_NO_SPACE, "%lld chunks are more than %s can describe", chunks,
                      physical->path);
}

/* Set maxchunks, and META2's place after the last block, also one that has older tables. */
static int place_meta2(struct scion_physical *physical, const struct scion_length_source *written)
{
    sion_int64 most = count_of(written, find_longest(written, physical->head.ntasks)), size, end;

    if (most < physical->floor)
        most = physical->floor;
    if (most > 0x7fffffff ||
        scion_layout_end(&physical->layout, most, &physical->start_of_varheader) ||
        scion_meta2_size(physical->head.ntasks, most, &size) ||
        scion_add(physical->start_of_varheader, size, &end))
        return too_many_chunks(physical, most);
    physical->maxchunks = (int)most;
    return 0;
}

/* A failure is reported at the end; until a power failure, the data can be read. */
static void wait_for_disk(struct scion_physical *physical, int waits)
{
    if (waits && physical->synced == 0)
        physical->synced = scion_file_sync(physical->file);
}

/* What was written last, and the file's name. */
static int wait_for_all(struct scion_physical *physical)
{
    wait_for_disk(physical, physical->is_durable);
    if (physical->is_durable && physical->synced == 0)
        physical->synced = scion_sync_folder_of(physical->path);
    return physical->synced;
}

int scion_physical_write_tables(struct scion_physical *physical,
                                const struct scion_length_source *written,
                                const struct scion_mapping *mapping)
{
    int rc = place_meta2(physical, written);

    return rc != 0 ? rc : write_placed(physical, written, mapping);
}

/* What makes the container a closed one: it says where META2 is. */
int scion_physical_write_tail(struct scion_physical *physical)
{
    unsigned char tail[SCION_META1_TAIL];

    /* The tail must not be on the disk before the tables that it makes valid, also where the close
       does not wait: it would take the place of commit records that are there. */
    wait_for_disk(physical, physical->is_durable || scion_physical_is_recovered(physical));
    scion_meta1_encode_tail(physical->maxchunks, physical->start_of_varheader, tail);
    return scion_file_write(physical->file, tail, sizeof tail,
                            scion_meta1_size(physical->head.ntasks) - SCION_META1_TAIL, NULL);
}

sion_int64 scion_physical_gap(const struct scion_physical *physical)
{
    return physical->layout.start_of_data - scion_meta1_size(physical->head.ntasks);
}

/*
 * A disk that is full has no room after the data. The unused bytes between META1 and the data
 * are in a block that the file has already; if the tables fit there, the data can be read.
 */
static int tables_fit_before_data(const struct scion_physical *physical,
                                  const struct scion_mapping *mapping)
{
    sion_int64 size;

    if (scion_meta2_size(physical->head.ntasks, physical->maxchunks, &size))
        return 0;
    if (mapping->size >= 0)
        size += (sion_int64)scion_mapping_bytes(mapping->size);
    return size <= scion_physical_gap(physical);
}

static sion_int64 count_in(const void *context, int task)
{
    const struct scion_lengths *lengths = context;

    return lengths[task].count;
}

static sion_int64 used_in(const void *context, int task, sion_int64 chunk)
{
    const struct scion_lengths *lengths = context;

    return scion_lengths_used(&lengths[task], chunk);
}

struct scion_length_source scion_length_source_of(const struct scion_lengths *lengths)
{
    return (struct scion_length_source){count_in, used_in, lengths, NULL};
}

/* The bytes of the newest generation are those that no older one has. */
static int write_all(struct scion_physical *physical, const struct scion_length_source *written,
                     const struct scion_mapping *mapping)
{
    struct scion_generations *generations = physical->generations;
    sion_int64 older = 0;
    int rc, i;

    if (generations)
        scion_generations_plan(physical, 0);
    rc = write_placed(physical, written, mapping);
    for (i = generations ? generations->dropped : 0; generations && i < generations->head.n; i++)
        older += generations->list[i].bytes;
    if (generations)
        generations->fresh.bytes = physical->bytes > older ? physical->bytes - older : 0;
    return rc;
}

int scion_physical_finish(struct scion_physical *physical,
                          const struct scion_length_source *written,
                          const struct scion_mapping *mapping)
{
    char reason[SCION_ERROR_TEXT];
    int rc = place_meta2(physical, written);

    scion_trace(SCION_TRACE_STEP, "%s, second metadata block at %lld", physical->path,
                physical->start_of_varheader);
    if (rc == 0)
        rc = write_all(physical, written, mapping);
    if (physical->grows) {
        physical->is_ready = rc == 0;
        return rc;
    }
    if (rc == 0)
        rc = scion_physical_write_tail(physical);
    if (rc == SION_ERR_SYSTEM && tables_fit_before_data(physical, mapping)) {
        snprintf(reason, sizeof reason, "%s", scion_error_text());
        physical->start_of_varheader = scion_meta1_size(physical->head.ntasks);
        if (write_placed(physical, written, mapping) == 0)
            scion_physical_write_tail(physical);
        scion_fail(rc, "%s", reason);
    }
    return scion_first_failure(rc, wait_for_all(physical));
}

/* ---- a file that grows ---- */

static sion_int64 time_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (sion_int64)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A publish has left room for it in front of META2, where it stays if chunks are added. */
static int write_record(struct scion_physical *physical, struct scion_state *state)
{
    const struct scion_growth *growth = physical->growth;
    sion_int64 at = physical->behind;
    unsigned char bytes[SCION_STATE_RECORD];

    int is_in_area = scion_growth_is_in_area(physical), rc;

    if (is_in_area)
        at = physical->start_of_varheader - SCION_STATE_RECORD;
    else
        physical->behind += SCION_STATE_RECORD;
    rc = scion_generations_write(physical, state);
    if (rc != 0)
        return rc;
    if (!is_in_area)
        physical->floor = scion_physical_block_behind(physical);
    state->floor = physical->floor;
    if (growth)
        memcpy(state->areas, growth->areas, sizeof state->areas);
    scion_state_encode(state, bytes);
    return scion_file_write(physical->file, bytes, sizeof bytes, at, NULL);
}

sion_int64 scion_physical_block_behind(const struct scion_physical *physical)
{
    sion_int64 skip = physical->layout.globalskip,
               bytes = physical->behind - physical->start_of_varheader;

    return physical->maxchunks + (skip > 0 ? (bytes + skip - 1) / skip : 0);
}

int scion_physical_switch(struct scion_physical *physical, int is_closed)
{
    struct scion_state state = {
        .generation = physical->states + 1,
        .time = time_now(),
        .bytes = physical->bytes,
        .is_closed = is_closed,
        .old_maxchunks = physical->tail_maxchunks,
        .old_start_of_varheader = physical->tail_start,
        .maxchunks = physical->maxchunks,
        .start_of_varheader = physical->start_of_varheader,
    };
    int rc;

    if (!physical->is_ready)
        return 0;
    physical->is_ready = 0;
    physical->states++;
    rc = write_record(physical, &state);
    if (rc == 0)
        rc = scion_physical_write_tail(physical);
    if (rc == 0) {
        physical->state = state;
        physical->tail_maxchunks = physical->maxchunks;
        physical->tail_start = physical->start_of_varheader;
        scion_trace(SCION_TRACE_STEP, "%s, state %lld", physical->path, state.generation);
    }
    return scion_first_failure(rc, wait_for_all(physical));
}
