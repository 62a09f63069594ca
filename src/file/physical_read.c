/* The metadata of one physical file, read as a whole and checked. */
#include "file/physical_read.h"

#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/trace.h"
#include "base/warning.h"
#include "format/slot.h"
#include "file/generations.h"
#include "file/members.h"
#include "file/private.h"

/* Zeros, which take no memory until they are written. */
static int allocate(sion_int64 **array, size_t n)
{
    *array = calloc(n, sizeof **array);
    return *array ? 0 : scion_fail_memory("metadata");
}

/* Room for the numbers of head.ntasks tasks. */
static int make_arrays(struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks;

    if (allocate(&physical->globalranks, n) || allocate(&physical->chunksizes, n) ||
        allocate(&physical->starts, n))
        return SION_ERR_MEMORY;
    scion_memory_fills(physical->starts, n * sizeof *physical->starts);
    return 0;
}

static int read_head(struct scion_physical *physical, sion_int64 file_size)
{
    unsigned char bytes[SCION_META1_FIXED];
    size_t got;
    int rc = scion_physical_read_some(physical, bytes, sizeof bytes, 0, &got);

    if (rc == 0)
        rc = scion_meta1_decode(bytes, got, file_size, &physical->head);
    if (rc == 0 && physical->head.nfiles < 1)
        scion_warn("the header of %s says that it has %d files: it is read as one file",
                   physical->path, physical->head.nfiles);
    if (rc == 0 && !scion_meta1_has_usual_keyval(&physical->head))
        scion_warn("the header of %s says key-value mode %lld, which no writer makes: its streams "
                   "are read as plain ones",
                   physical->path, physical->head.flag1 >> 32);
    return rc;
}

/* Larger tables may have holes, by which a small file can claim any number of tasks and chunks. */
enum { LARGE_TABLE = 1 << 20 };

/* to: zeros. */
static int read_table(struct scion_physical *physical, void *to, sion_int64 bytes,
                      sion_int64 offset)
{
    sion_int64 done, run;
    int is_hole = 0, rc = 0;

    for (done = 0; done < bytes && rc == 0; done += run) {
        run = bytes;
        if (bytes > LARGE_TABLE)
            run = scion_file_run(physical->file, offset + done, bytes - done, &is_hole);
        if (run == bytes && !is_hole)
            scion_memory_fills(to, (size_t)bytes);
        if (!is_hole)
            rc = scion_physical_read_whole(physical, (char *)to + done, (size_t)run, offset + done);
    }
    return rc;
}

static int read_numbers(struct scion_physical *physical, sion_int64 *array, size_t n,
                        sion_int64 offset)
{
    int rc = read_table(physical, array, (sion_int64)(n * sizeof *array), offset);

    if (rc == 0)
        scion_array_decode(array, n, physical->head.swapped);
    return rc;
}

/* A writer that was killed early leaves a file that ends before its tail does. */
static int read_tail(struct scion_physical *physical, sion_int64 offset, unsigned char *tail)
{
    size_t got;
    int rc = scion_physical_read_some(physical, tail, SCION_META1_TAIL, offset, &got);

    if (rc == 0 && got < SCION_META1_TAIL)
        rc = scion_fail(SION_ERR_NOT_CLOSED,
                        "file ends inside its header: the container was never closed, see "
                        "sionrecover");
    return rc;
}

/* Every task has at least one chunk, so the numbers of their chunks cannot be a hole. */
static int check_tasks_are_there(const struct scion_physical *physical)
{
    sion_int64 counts = 8 * (sion_int64)physical->head.ntasks, at = physical->start_of_varheader;
    int is_hole;

    if (counts <= LARGE_TABLE || at <= 0 || at > physical->size - counts)
        return 0;
    if (scion_file_run(physical->file, at, counts, &is_hole) == counts && !is_hole)
        return 0;
    return scion_fail(
        SION_ERR_DAMAGED,
        "header says %d tasks, but the file does not hold the numbers of their chunks",
        physical->head.ntasks);
}

/* What is written at open after the fixed part, and where chunks are by that. */
static int read_places(struct scion_physical *physical)
{
    const struct scion_meta1 *head = &physical->head;
    size_t n = (size_t)head->ntasks;
    sion_int64 at = (sion_int64)scion_meta1_fixed_size(head);
    int rc = make_arrays(physical);

    if (rc == 0)
        rc = read_numbers(physical, physical->globalranks, n, at);
    if (rc == 0)
        rc = read_numbers(physical, physical->chunksizes, n, at + 8 * (sion_int64)n);
    if (rc != 0)
        return rc;
    return scion_layout_compute(physical->chunksizes, head->ntasks, scion_meta1_size(head->ntasks),
                                head->fsblksize, physical->grain, physical->starts,
                                &physical->layout);
}

/*
 * META2 of a state that was published is behind its record, and so not where a block begins. The
 * record counts if it is that of these tables.
 */
static int read_front(struct scion_physical *physical)
{
    struct scion_state *state = &physical->state;
    sion_int64 start = physical->start_of_varheader, at;
    size_t got;
    int rc;

    physical->has_front = physical->is_in_area = 0;
    if (scion_add(start, -SCION_STATE_RECORD, &at) ||
        at < scion_meta1_size(physical->head.ntasks) || start > physical->size ||
        (start % physical->head.fsblksize == 0 &&
         SCION_STATE_RECORD % physical->head.fsblksize != 0))
        return 0;
    if (physical->window) /* the tables are to be read after it */
        physical->window->bytes = 0;
    rc = scion_file_read_some(physical->file, physical->front, sizeof physical->front, at, &got);
    if (rc == 0) /* a state may have been published since it was opened */
        rc = scion_file_size(physical->file, &physical->size);
    physical->has_front = rc == 0 && got == sizeof physical->front;
    if (!physical->has_front ||
        !scion_state_decode(physical->front, got, physical->head.swapped, state))
        return rc;
    physical->is_in_area =
        state->start_of_varheader == start && state->maxchunks == physical->maxchunks;
    if (!physical->is_in_area)
        *state = (struct scion_state){0};
    return 0;
}

static sion_int64 place_of_tail(const struct scion_physical *physical)
{
    return (sion_int64)scion_meta1_fixed_size(&physical->head) +
           16 * (sion_int64)physical->head.ntasks;
}

int scion_physical_read_sizes(struct scion_physical *physical)
{
    const struct scion_meta1 *head = &physical->head;
    int rc = read_head(physical, physical->size);

    if (rc == 0)
        rc = read_tail(physical, place_of_tail(physical), physical->tail);
    if (rc != 0)
        return rc;
    physical->grain = scion_meta1_grain(head);
    scion_meta1_decode_tail(physical->tail, head->swapped, &physical->maxchunks,
                            &physical->start_of_varheader);
    if (physical->is_back) {
        physical->maxchunks = physical->tail_maxchunks;
        physical->start_of_varheader = physical->tail_start;
    }
    rc = read_front(physical);
    return rc == 0 ? check_tasks_are_there(physical) : rc;
}

static int is_unchanged(struct scion_physical *physical, const unsigned char *as_read, size_t bytes,
                        sion_int64 at)
{
    unsigned char now[SCION_STATE_RECORD];
    size_t got = 0;

    return scion_file_read_some(physical->file, now, bytes, at, &got) == 0 && got == bytes &&
           memcmp(now, as_read, bytes) == 0;
}

int scion_physical_is_there(struct scion_physical *physical)
{
    return !physical->has_front || !physical->file ||
           is_unchanged(physical, physical->front, sizeof physical->front,
                        physical->start_of_varheader - SCION_STATE_RECORD);
}

int scion_physical_is_steady(struct scion_physical *physical)
{
    if (!physical->has_front || !physical->file)
        return 1;
    return scion_physical_is_there(physical) &&
           (physical->is_back ||
            is_unchanged(physical, physical->tail, sizeof physical->tail, place_of_tail(physical)));
}

int scion_physical_is_newest(struct scion_physical *physical)
{
    return !physical->is_back &&
           is_unchanged(physical, physical->tail, sizeof physical->tail, place_of_tail(physical)) &&
           scion_physical_is_steady(physical);
}

int scion_physical_fail_moved(void)
{
    return scion_fail(
        SION_ERR_DAMAGED,
        "its tables were written over while they were read: it is published too often");
}

int scion_physical_check_steady(struct scion_physical *physical)
{
    return scion_physical_is_steady(physical) ? 0 : scion_physical_fail_moved();
}

void scion_physical_mend(struct scion_physical *physical, const struct scion_chunk_plan *plan,
                         const sion_int64 *counts, sion_int64 *used)
{
    const struct scion_meta2_entries *unknown = &physical->odd.unknown;
    const struct scion_meta2_entries *behind = &physical->odd.behind;

    scion_meta2_mend(plan, counts, used, &physical->odd);
    if (unknown->number == 1)
        scion_warn_alone(
            "%s does not say how many bytes chunk %lld of task %d has: none are read from "
            "it",
            physical->path, unknown->chunk, unknown->task);
    else if (unknown->number > 1)
        scion_warn_alone(
            "%s does not say how many bytes chunk %lld of task %d and %lld other chunks "
            "have: none are read from them",
            physical->path, unknown->chunk, unknown->task, unknown->number - 1);
    if (behind->number > 0)
        scion_warn_alone(
            "%s says that task %d has %lld chunks, and that its chunk %lld has %lld bytes: "
            "they are not read",
            physical->path, behind->task, counts[behind->task - plan->first], behind->chunk,
            behind->bytes);
}

/* Chunks of records are filled, but for the last one of each generation. */
static int fills_chunks(const struct scion_physical *physical)
{
    const struct scion_state *state = &physical->state;

    return scion_meta1_keyval(&physical->head) == SION_KEYVAL_INLINE &&
           (state->generation == 0 || state->generations_bytes == 0);
}

struct scion_chunk_plan scion_physical_plan(const struct scion_physical *physical)
{
    return (struct scion_chunk_plan){
        .ntasks = physical->head.ntasks,
        .starts = physical->starts,
        .sizes = physical->chunksizes,
        .grain = physical->grain,
        .globalskip = physical->layout.globalskip,
        .trailer = scion_marker_trailer(physical->head.flag2, NULL),
        .start_of_data = physical->layout.start_of_data,
        .maxchunks = physical->maxchunks,
        .is_keyval = fills_chunks(physical),
        .has_record = physical->is_in_area,
    };
}

void scion_damage_warn(const char *path, const struct scion_damage *damage, int n)
{
    char text[SCION_DAMAGE_TEXT];

    scion_damage_describe(damage, text);
    if (n == 1)
        scion_warn_alone("%s: %s: this task cannot be read, the others can", path, text);
    else
        scion_warn_alone("%s: %s: this task and %d others cannot be read", path, text, n - 1);
}

void scion_physical_warn(const struct scion_physical *physical, const struct scion_damage *damage,
                         int n)
{
    scion_damage_warn(physical->path, damage, n);
}

int scion_physical_lock_out(struct scion_physical *physical, const struct scion_damage *damage)
{
    const struct scion_chunk_plan plan = scion_physical_plan(physical);

    return scion_meta2_lock_out(&plan, damage, physical->counts, physical->used,
                                &physical->damages);
}

sion_int64 scion_physical_limit(const struct scion_physical *physical, sion_int64 end)
{
    return end <= physical->layout.start_of_data || physical->is_in_area
               ? physical->size
               : physical->start_of_varheader;
}

static int read_chunks(struct scion_physical *physical, sion_int64 *end)
{
    struct scion_chunk_plan plan = scion_physical_plan(physical);
    size_t n = (size_t)plan.ntasks, entries = scion_elements(n, (size_t)physical->maxchunks);
    sion_int64 start = physical->start_of_varheader;
    int rc = scion_meta2_check_place(&plan, start, physical->size, end);

    if (rc == 0 && plan.is_keyval) { /* unless a record behind META2 says something else */
        rc = scion_physical_find_records(physical, *end);
        plan.is_keyval = fills_chunks(physical);
    }
    if (rc == 0 && (allocate(&physical->counts, n) || allocate(&physical->used, entries)))
        rc = SION_ERR_MEMORY;
    if (rc == 0)
        rc = read_numbers(physical, physical->counts, n, start);
    if (rc == 0)
        rc = read_numbers(physical, physical->used, entries, start + 8 * (sion_int64)n);
    if (rc == 0)
        rc = scion_physical_check_steady(physical);
    if (rc == 0)
        rc = scion_meta2_check(&plan, scion_physical_limit(physical, *end), physical->counts,
                               physical->used, &physical->damages);
    if (rc == 0)
        scion_physical_mend(physical, &plan, physical->counts, physical->used);
    return rc == 0 ? scion_generations_hide(physical) : rc;
}

int scion_physical_is_set(const struct scion_physical *physical)
{
    return physical->head.nfiles > 1 && physical->head.filenumber == 0;
}

int scion_physical_read_mapping_size(struct scion_physical *physical, sion_int64 at)
{
    unsigned char word[4];
    int rc;

    if (physical->size - at < 4)
        return scion_fail(SION_ERR_DAMAGED, "file 0 of a set of %d has no mapping table",
                          physical->head.nfiles);
    rc = scion_physical_read_whole(physical, word, sizeof word, at);
    return rc != 0 ? rc
                   : scion_mapping_decode_size(word, physical->head.swapped, physical->size - at,
                                               &physical->mapping.size);
}

static int read_mapping(struct scion_physical *physical, sion_int64 at)
{
    struct scion_mapping *mapping = &physical->mapping;
    int rc = scion_physical_read_mapping_size(physical, at);

    if (rc != 0)
        return rc;
    mapping->pairs = calloc((size_t)mapping->size, 2 * sizeof *mapping->pairs);
    if (!mapping->pairs)
        return scion_fail_memory("mapping");
    rc = read_table(physical, mapping->pairs, 8 * (sion_int64)mapping->size, at + 4);
    if (rc != 0)
        return rc;
    scion_mapping_decode_pairs(mapping, physical->head.swapped);
    return scion_mapping_check(mapping, physical->head.nfiles);
}

int scion_physical_read_all(struct scion_physical *physical)
{
    sion_int64 end = 0;
    int rc = scion_physical_read_sizes(physical);

    if (rc == 0)
        rc = read_places(physical);
    if (rc == 0)
        rc = read_chunks(physical, &end);
    if (rc == 0 && physical->damages.n > 0)
        scion_physical_warn(physical, physical->damages.list, physical->damages.n);
    if (rc == 0 && scion_physical_is_set(physical))
        rc = read_mapping(physical, end);
    if (rc == 0)
        rc = scion_physical_find_records(physical, end);
    return rc == 0 ? scion_physical_check_steady(physical) : rc;
}

int scion_physical_complete(struct scion_physical *physical)
{
    sion_int64 end;
    int rc = physical->used ? 0 : read_places(physical);

    if (rc == 0 && !physical->used)
        rc = read_chunks(physical, &end);
    if (rc != 0)
        scion_fail_prefix("cannot read %s", physical->path);
    return rc;
}

/* The number of tasks is not stored anywhere else. */
static int check_arrays_are_there(const struct scion_physical *physical)
{
    sion_int64 arrays = 16 * (sion_int64)physical->head.ntasks;
    sion_int64 at = (sion_int64)scion_meta1_fixed_size(&physical->head);
    int is_hole = 0;

    if (arrays <= LARGE_TABLE ||
        (scion_file_run(physical->file, at, arrays, &is_hole) == arrays && !is_hole))
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "header says %d tasks, but the file does not hold them",
                      physical->head.ntasks);
}

static int read_first(struct scion_physical *physical)
{
    int rc = read_head(physical, physical->size);

    physical->grain = scion_meta1_grain(&physical->head);
    if (rc == 0)
        rc = check_arrays_are_there(physical);
    if (rc == 0)
        rc = read_places(physical);
    physical->trailer = scion_marker_trailer(physical->head.flag2, NULL);
    physical->start_of_varheader = -1;
    return rc;
}

int scion_physical_begin(const char *path, int (*read)(struct scion_physical *physical),
                         struct scion_physical **physical)
{
    struct scion_physical *new = scion_physical_new(path);
    struct scion_window window = {.bytes = 0};
    int rc;

    *physical = new;
    if (!new)
        return SION_ERR_MEMORY;
    new->window = &window;
    scion_trace(SCION_TRACE_STEP, "metadata of %s", path);
    rc = scion_file_open(path, SCION_OPEN_READ, 0, &new->file);
    if (rc == 0) {
        scion_physical_identify(new, scion_file_opened(new->file));
        rc = read(new);
        if (rc != 0)
            scion_fail_prefix("cannot read %s", path);
    }
    new->window = NULL;
    return rc;
}

int scion_physical_read_first(const char *path, struct scion_physical **physical)
{
    struct scion_physical *new;
    int rc = scion_physical_begin(path, read_first, &new);

    if (rc != 0)
        scion_physical_close(new);
    else
        *physical = new;
    return rc;
}
