#include "file/growth.h"

#include <stdlib.h>

#include "base/error.h"

int scion_even_from = 1 << 19;

static int told_new(struct scion_told *told, size_t n)
{
    told->counts = calloc(n, sizeof *told->counts);
    told->last = calloc(n, sizeof *told->last);
    return told->counts && told->last ? 0 : -1;
}

static void told_free(struct scion_told *told)
{
    free(told->counts);
    free(told->last);
    free(told->crcs);
}

static int make_arrays(struct scion_growth *growth, size_t n)
{
    return told_new(&growth->told, n) != 0 ? -1 : told_new(&growth->news, n);
}

/* As a task that goes on counts its chunks. */
static void learn_told(struct scion_growth *growth, const struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks, t;

    for (t = 0; t < n; t++) {
        sion_int64 count = physical->counts[t];

        while (count > 1 && physical->used[(size_t)(count - 1) * n + t] == 0)
            count--;
        growth->told.counts[t] = count;
        growth->told.last[t] = physical->used[(size_t)(count - 1) * n + t];
    }
}

/* Areas that a record tells, if they can be areas of this file. */
static void learn_areas(struct scion_growth *growth, const struct scion_physical *physical)
{
    const struct scion_layout *layout = &physical->layout;
    sion_int64 start = physical->start_of_varheader, end = 0;
    int i;

    if (physical->state.generation == 0 || layout->globalskip <= 0 ||
        scion_layout_end(layout, physical->state.floor, &end) || physical->has_late_sums)
        return;
    for (i = 0; i < 2; i++) {
        const struct scion_area *area = &physical->state.areas[i];

        if (area->bytes <= SCION_STATE_RECORD || area->begin < layout->start_of_data ||
            (area->begin - layout->start_of_data) % layout->globalskip != 0 ||
            area->bytes > end - area->begin)
            continue;
        growth->areas[i] = *area;
        if (start == area->begin + SCION_STATE_RECORD)
            growth->now = i;
    }
}

struct scion_growth *scion_growth_new(const struct scion_physical *physical)
{
    struct scion_growth *growth = calloc(1, sizeof *growth);
    size_t n = (size_t)physical->head.ntasks;
    int is_even =
        !physical->counts && !physical->generations && physical->head.ntasks >= scion_even_from;

    if (growth)
        growth->is_even = is_even;
    if (!growth || (!is_even && make_arrays(growth, n) != 0)) {
        scion_growth_free(growth);
        scion_fail_memory("published state");
        return NULL;
    }
    growth->now = growth->next = -1;
    growth->chunks.width = sizeof(sion_int64);
    growth->sums.width = sizeof(uint32_t);
    if (physical->counts) {
        learn_told(growth, physical);
        learn_areas(growth, physical);
    }
    growth->is_ahead = physical->is_back;
    return growth;
}

void scion_growth_free(struct scion_growth *growth)
{
    if (!growth)
        return;
    told_free(&growth->told);
    told_free(&growth->news);
    scion_area_table_free(&growth->chunks);
    scion_area_table_free(&growth->sums);
    free(growth->pieces);
    free(growth);
}

/* The other area is not known to lack only what entries say. */
int scion_growth_list(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    sion_int64 n = physical->head.ntasks, count = growth->told.count, t;
    int rc = 0, i;

    if (!growth->is_even)
        return 0;
    if (make_arrays(growth, (size_t)n) != 0)
        return scion_fail_memory("published state");
    growth->is_even = 0;
    for (t = 0; t < n; t++)
        growth->told.counts[t] = count;
    if (count > 0)
        rc = scion_file_read(physical->file, growth->told.last, 8 * (size_t)n,
                             growth->old_start + 8 * n * count);
    for (i = 0; i < 2; i++) {
        if (i != growth->now)
            growth->rows[i] = growth->is_hole[i] = 0;
    }
    return rc;
}

void scion_growth_leap(struct scion_physical *physical)
{
    struct scion_told *told = &physical->growth->told;
    int t;

    for (t = 0; t < physical->head.ntasks; t++) {
        told->counts[t] = physical->floor + 1;
        told->last[t] = 0;
    }
}
