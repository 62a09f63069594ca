#include "file/generations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mode.h"
#include "base/warning.h"
#include "file/growth.h"
#include "file/physical_read.h"
#include "file/piece_writer.h"

static void forget(struct scion_physical *physical)
{
    scion_generations_free(physical->generations);
    physical->generations = NULL;
}

/* Room for so many, of which there are none yet. */
static struct scion_generations *make(struct scion_physical *physical, int room)
{
    struct scion_generations *generations = calloc(1, sizeof *generations);

    forget(physical);
    if (generations)
        generations->list = scion_array((uint64_t)room, sizeof *generations->list);
    if (!generations || !generations->list) {
        free(generations);
        scion_fail_memory("generations");
        return NULL;
    }
    physical->generations = generations;
    return generations;
}

/* ---- reading ---- */

/* Whether the state says a record that can be there. */
static int has_record(const struct scion_physical *physical)
{
    const struct scion_state *state = &physical->state;
    sion_int64 bytes = state->generations_bytes;

    return bytes >= SCION_GENERATIONS_HEAD &&
           bytes <= (sion_int64)scion_generations_bytes(SCION_GENERATIONS_MOST + 1) &&
           state->generations_at > physical->start_of_varheader &&
           bytes <= physical->size - state->generations_at;
}

sion_int64 scion_generations_end(const struct scion_physical *physical, sion_int64 end)
{
    return has_record(physical) && physical->state.generations_at == end
               ? end + physical->state.generations_bytes
               : end;
}

static int take(struct scion_physical *physical, const unsigned char *bytes)
{
    const struct scion_state *state = &physical->state;
    size_t length = (size_t)state->generations_bytes;
    int room = (int)((length - SCION_GENERATIONS_HEAD) / SCION_GENERATION_ENTRY);
    struct scion_generations *generations = make(physical, room + 1);

    if (!generations)
        return SION_ERR_MEMORY;
    if (scion_generations_decode(bytes, length, physical->head.swapped, physical->maxchunks,
                                 &generations->head, generations->list))
        return 0;
    forget(physical);
    physical->has_odd_generations = 1;
    return 0;
}

int scion_generations_read(struct scion_physical *physical)
{
    const struct scion_state *state = &physical->state;
    unsigned char *bytes;
    int rc;

    forget(physical);
    physical->has_odd_generations =
        state->generation > 0 && state->generations_bytes != 0 && !has_record(physical);
    if (state->generation == 0 || !has_record(physical))
        return 0;
    bytes = malloc((size_t)state->generations_bytes);
    if (!bytes)
        return scion_fail_memory("generations");
    rc = scion_physical_read_whole(physical, bytes, (size_t)state->generations_bytes,
                                   state->generations_at);
    if (rc == 0)
        rc = take(physical, bytes);
    free(bytes);
    return rc;
}

/* Index of the one that the mode asks for; -1: there is none. */
static int find(const struct scion_generations *generations, sion_int64 wanted)
{
    int n = generations->head.n, i;

    if (wanted <= 0)
        return n - 1 + wanted >= 0 ? (int)(n - 1 + wanted) : -1;
    for (i = 0; i < n; i++) {
        if (generations->list[i].number == wanted)
            return i;
    }
    return -1;
}

static int fail_missing(const struct scion_physical *physical, sion_int64 wanted)
{
    const struct scion_generations *generations = physical->generations;
    int n = generations ? generations->head.n : 0;

    if (n == 0)
        return scion_fail(SION_ERR_ARGUMENT, "%s has no generations (generation=%lld)",
                          physical->path, wanted);
    return scion_fail(SION_ERR_ARGUMENT, "%s has no generation %lld: it has %d, from %lld to %lld",
                      physical->path, wanted, n, generations->list[0].number,
                      generations->list[n - 1].number);
}

void scion_generations_mask(const struct scion_physical *physical, sion_int64 *used,
                            sion_int64 chunks)
{
    sion_int64 b;

    for (b = 0; physical->view_end > 0 && b < chunks; b++) {
        if (b < physical->view_first || b >= physical->view_end)
            used[b] = 0;
    }
}

int scion_generations_hide(struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks, chunks = (size_t)physical->maxchunks,
           first = (size_t)physical->view_first, end = (size_t)physical->view_end;

    if (end == 0 || !physical->used || physical->all_used)
        return 0;
    physical->all_used = physical->used;
    physical->used = calloc(scion_elements(n, chunks), sizeof *physical->used);
    if (!physical->used) {
        physical->used = physical->all_used;
        physical->all_used = NULL;
        return scion_fail_memory("metadata");
    }
    memcpy(physical->used + first * n, physical->all_used + first * n,
           (end - first) * n * sizeof *physical->used);
    return 0;
}

/* wanted: as the mode says it. */
static int show(struct scion_physical *physical, sion_int64 wanted)
{
    const struct scion_generations *generations = physical->generations;
    int i;

    if (physical->has_odd_generations)
        return scion_fail(SION_ERR_DAMAGED,
                          "cannot read %s: its record of generations is damaged; "
                          "generation=all reads them as one stream",
                          physical->path);
    i = generations ? find(generations, wanted) : -1;
    if (i < 0)
        return wanted == 0 ? 0 : fail_missing(physical, wanted);
    physical->view_number = generations->list[i].number;
    physical->view_first = generations->list[i].first;
    physical->view_end = physical->view_first + generations->list[i].blocks;
    return scion_generations_hide(physical);
}

int scion_generations_choose(struct scion_physical *physical, const struct scion_mode *mode)
{
    return mode->all_generations ? 0 : show(physical, mode->generation);
}

int scion_generations_show(struct scion_physical *physical, sion_int64 number)
{
    return number > 0 ? show(physical, number) : 0;
}

sion_int64 scion_generations_bytes_shown(const struct scion_physical *physical)
{
    const struct scion_generations *generations = physical->generations;
    int i = physical->view_number > 0 ? find(generations, physical->view_number) : -1;

    return i >= 0 ? generations->list[i].bytes : -1;
}

/* ---- writing ---- */

int scion_generations_begin(struct scion_physical *physical, int keep)
{
    struct scion_generations *generations = make(physical, keep + 2);

    if (!generations)
        return SION_ERR_MEMORY;
    generations->head.keep = keep;
    return 0;
}

/* What the file has becomes its first generation. */
static int begin_with_all(struct scion_physical *physical, int keep, sion_int64 bytes)
{
    int rc = scion_generations_begin(physical, keep);
    struct scion_generations *generations = physical->generations;

    if (rc != 0 || bytes == 0)
        return rc;
    generations->head.n = 1;
    generations->head.newest = 1;
    generations->list[0] = (struct scion_generation){.number = 1,
                                                     .time = physical->state.time,
                                                     .first = 0,
                                                     .blocks = physical->maxchunks,
                                                     .bytes = bytes};
    return 0;
}

/* For those that it has, those that it will have, and one more. */
static int make_room(struct scion_generations *generations)
{
    int most =
        generations->head.n > generations->head.keep ? generations->head.n : generations->head.keep;
    struct scion_generation *list =
        scion_array_grown(generations->list, (uint64_t)most + 2, sizeof *list);

    if (!list)
        return scion_fail_memory("generations");
    generations->list = list;
    return 0;
}

int scion_generations_go_on(struct scion_physical *physical, int keep, sion_int64 bytes)
{
    struct scion_generations *generations = physical->generations;
    int rc = 0;

    if (!generations && keep > 0)
        rc = begin_with_all(physical, keep, bytes);
    generations = physical->generations;
    if (rc != 0 || !generations)
        return rc;
    if (keep > 0)
        generations->head.keep = keep;
    if (make_room(generations) != 0)
        return SION_ERR_MEMORY;
    if (physical->floor < physical->maxchunks)
        physical->floor = physical->maxchunks;
    generations->begin = physical->floor;
    generations->forgotten = generations->head.n > 0 ? generations->list[0].first : 0;
    generations->once = generations->twice = generations->forgotten;
    return 0;
}

sion_int64 scion_generations_plan(struct scion_physical *physical, sion_int64 bytes)
{
    struct scion_generations *generations = physical->generations;
    const struct scion_generation *list = generations->list;
    int n = generations->head.n, all = n + (generations->is_new != 0), i;
    sion_int64 lost = 0, first;

    generations->fresh = (struct scion_generation){
        .number = generations->head.newest + 1, .first = generations->begin, .bytes = bytes};
    for (i = 0;
         i + 1 < all && (all - i > generations->head.keep || list[i].number < generations->forget);
         i++)
        lost += list[i].bytes;
    generations->dropped = i;
    first = i < n ? list[i].first : generations->begin;
    if (first > generations->forgotten)
        generations->forgotten = first;
    return lost;
}

sion_int64 scion_generations_room(const struct scion_physical *physical)
{
    return physical->generations
               ? (sion_int64)scion_generations_bytes(physical->generations->head.n + 1)
               : 0;
}

int scion_generations_clear(const struct scion_physical *physical, sion_int64 *first,
                            sion_int64 *end)
{
    const struct scion_generations *generations = physical->generations;
    sion_int64 n = physical->head.ntasks, row;
    struct scion_piece_writer writer;
    int rc = 0;

    *first = *end = 0;
    if (!generations)
        return 0;
    *first = generations->once;
    *end =
        generations->forgotten < physical->maxchunks ? generations->forgotten : physical->maxchunks;
    if (*end <= generations->twice)
        return 0;
    scion_piece_writer_begin(&writer, physical->file,
                             physical->start_of_varheader + 8 * n * (1 + generations->twice),
                             8 * n * (*end - generations->twice));
    for (row = generations->twice * n; row < *end * n && rc == 0; row++)
        rc = scion_piece_writer_put_number(&writer, 0);
    return scion_piece_writer_end(&writer, rc);
}

int scion_generations_write(struct scion_physical *physical, struct scion_state *state)
{
    struct scion_generations *generations = physical->generations;
    struct scion_generations_head head;
    size_t bytes;
    unsigned char *record;
    int kept, rc;

    if (!generations)
        return 0;
    kept = generations->head.n - generations->dropped;
    generations->fresh.time = state->time;
    generations->fresh.blocks = physical->maxchunks - generations->begin;
    generations->list[generations->head.n] = generations->fresh;
    head =
        (struct scion_generations_head){kept + (generations->is_new != 0), generations->head.keep,
                                        generations->head.newest + (generations->is_new != 0)};
    bytes = scion_generations_bytes(head.n);
    record = malloc(bytes);
    if (!record)
        return scion_fail_memory("generations");
    scion_generations_encode(&head, generations->list + generations->dropped, record);
    rc = scion_file_write(physical->file, record, bytes, physical->behind, NULL);
    free(record);
    state->generations_at = physical->behind;
    state->generations_bytes = (int)bytes;
    physical->behind += (sion_int64)bytes;
    return rc;
}

/* ---- after the switch ---- */

/* Bytes of the file from `at` on; areas that have tables stay. */
static void punch_blocks(struct scion_physical *physical, sion_int64 at, sion_int64 end)
{
    const struct scion_growth *growth = physical->growth;
    struct scion_generations *generations = physical->generations;
    int errnum, i;

    for (i = 0; growth && i < 2; i++) {
        const struct scion_area *area = &growth->areas[i];

        if (area->bytes == 0 || area->begin >= end || area->begin + area->bytes <= at)
            continue;
        if (area->begin > at)
            punch_blocks(physical, at, area->begin);
        if (area->begin + area->bytes < end)
            punch_blocks(physical, area->begin + area->bytes, end);
        return;
    }
    errnum = scion_file_punch(physical->file, at, end - at);
    if (errnum != 0 && !generations->is_warned) {
        generations->is_warned = 1;
        scion_warn("the bytes of forgotten generations of %s stay on the disk: %s", physical->path,
                   strerror(errnum));
    }
}

/* The next time again from the first block on that has stayed. */
static void note_punched(struct scion_physical *physical)
{
    const struct scion_growth *growth = physical->growth;
    struct scion_generations *generations = physical->generations;
    int i;

    generations->punched = generations->forgotten;
    for (i = 0; growth && i < 2; i++) {
        sion_int64 block =
            (growth->areas[i].begin - physical->layout.start_of_data) / physical->layout.globalskip;

        if (growth->areas[i].bytes > 0 && block < generations->punched)
            generations->punched = block;
    }
}

void scion_generations_punch(struct scion_physical *physical)
{
    const struct scion_generations *generations = physical->generations;
    sion_int64 at, end;

    if (!generations || !physical->file || generations->punched >= generations->forgotten ||
        physical->layout.globalskip <= 0 ||
        scion_layout_end(&physical->layout, generations->punched, &at) ||
        scion_layout_end(&physical->layout, generations->forgotten, &end))
        return;
    punch_blocks(physical, at, end);
    note_punched(physical);
}

void scion_generations_accept(struct scion_physical *physical)
{
    struct scion_generations *generations = physical->generations;
    int kept;

    if (!generations)
        return;
    kept = generations->head.n - generations->dropped;
    memmove(generations->list, generations->list + generations->dropped,
            (size_t)(kept + 1) * sizeof *generations->list);
    generations->head.n = kept + (generations->is_new != 0);
    generations->head.newest += generations->is_new != 0;
    generations->begin = physical->floor;
    generations->twice = generations->once;
    generations->once = generations->forgotten;
    generations->forget = generations->is_new = generations->dropped = 0;
}
