/* The order of an index: its blocks by array, step and task, and the steps of each array. */
#include "array/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct numbered_step {
    sion_int64 step;
    uint32_t number;
};

static int compare_steps(const void *a, const void *b)
{
    sion_int64 one = ((const struct numbered_step *)a)->step;
    sion_int64 two = ((const struct numbered_step *)b)->step;

    return (one > two) - (one < two);
}

/* Numbers the steps in ascending order. -1, here and below: no memory. */
static int sort_steps(struct scion_array_index *index)
{
    size_t n = index->nsteps;
    struct numbered_step *list = scion_array(n + 1, sizeof *list);
    uint32_t *numbers = scion_array(n + 1, sizeof *numbers), i;

    if (!list || !numbers) {
        free(list);
        free(numbers);
        return -1;
    }
    for (i = 0; i < n; i++)
        list[i] = (struct numbered_step){index->steps[i], i};
    qsort(list, n, sizeof *list, compare_steps);
    for (i = 0; i < n; i++) {
        index->steps[i] = list[i].step;
        numbers[list[i].number] = i;
    }
    for (i = 0; i < index->nblocks; i++)
        index->blocks[i].step = numbers[index->blocks[i].step];
    free(list);
    free(numbers);
    return 0;
}

static uint32_t key_of(const struct scion_array_index *index, uint32_t block, int what)
{
    const struct scion_array_block_entry *entry = &index->blocks[block];

    return what == 0 ? entry->task : what == 1 ? entry->step : entry->array;
}

/* One pass of a stable sort: puts `from` in the order of a key. */
static void sort_by(const struct scion_array_index *index, int what, uint32_t keys,
                    uint32_t *starts, const uint32_t *from, uint32_t *to)
{
    uint32_t i, sum = 0, count;

    memset(starts, 0, (size_t)keys * sizeof *starts);
    for (i = 0; i < index->nblocks; i++)
        starts[key_of(index, i, what)]++;
    for (i = 0; i < keys; i++) {
        count = starts[i];
        starts[i] = sum;
        sum += count;
    }
    for (i = 0; i < index->nblocks; i++)
        to[starts[key_of(index, from[i], what)]++] = from[i];
}

static int sort_blocks(struct scion_array_index *index)
{
    const uint32_t keys[] = {(uint32_t)index->ntasks, index->nsteps, index->narrays};
    uint32_t most = keys[0] > keys[1] ? keys[0] : keys[1], i;
    size_t n = index->nblocks;
    uint32_t *other = scion_array(n + 1, sizeof *other), *swap, *starts;
    int what;

    most = most > keys[2] ? most : keys[2];
    starts = scion_array((uint64_t)most + 1, sizeof *starts);
    index->order = scion_array(n + 1, sizeof *index->order);
    if (!other || !starts || !index->order) {
        free(other);
        free(starts);
        return -1;
    }
    for (i = 0; i < n; i++)
        index->order[i] = i;
    for (what = 0; what < 3; what++) {
        sort_by(index, what, keys[what], starts, index->order, other);
        swap = index->order;
        index->order = other;
        other = swap;
    }
    free(other);
    free(starts);
    return 0;
}

static uint32_t step_at(const struct scion_array_index *index, uint32_t at)
{
    return index->blocks[index->order[at]].step;
}

/* Whether a block of the array is the first of its step; `at`: its place in the order. */
static int begins_step(const struct scion_array_index *index, const struct scion_array *array,
                       uint32_t at)
{
    return at == array->first || step_at(index, at) != step_at(index, at - 1);
}

/* Sets where each array begins in the order and in the step lists; returns the length of these. */
static size_t count_steps(struct scion_array_index *index)
{
    uint32_t a, i, at = 0;
    size_t lists = 0;

    for (a = 0; a < index->narrays; a++) {
        struct scion_array *array = index->arrays[a];

        array->first = at;
        array->first_step = (uint32_t)lists;
        array->steps = 0;
        for (i = 0; i < array->blocks; i++, at++)
            array->steps += (uint32_t)begins_step(index, array, at);
        lists += array->steps;
    }
    return lists;
}

static int list_steps(struct scion_array_index *index)
{
    uint32_t a, i, *step;

    index->step_lists = scion_array(count_steps(index) + 1, sizeof *index->step_lists);
    if (!index->step_lists)
        return -1;
    step = index->step_lists;
    for (a = 0; a < index->narrays; a++) {
        const struct scion_array *array = index->arrays[a];

        for (i = array->first; i < array->first + array->blocks; i++) {
            if (begins_step(index, array, i))
                *step++ = step_at(index, i);
        }
    }
    return 0;
}

static int is_empty(const struct scion_array_index *index, const struct scion_array *array,
                    uint32_t block)
{
    const struct scion_array_definition *definition = &array->definition;
    const sion_int64 *box = scion_array_index_box(index, &index->blocks[block]);

    return scion_array_bytes(definition->type, definition->ndims, box + definition->ndims) == 0;
}

/* A block without elements only says that there is its step. */
static void leave_out_empty(struct scion_array_index *index)
{
    uint32_t a, i, kept = 0;

    for (a = 0; a < index->narrays; a++) {
        struct scion_array *array = index->arrays[a];
        uint32_t begin = array->first, end = begin + array->blocks;

        array->first = kept;
        for (i = begin; i < end; i++) {
            if (!is_empty(index, array, index->order[i]))
                index->order[kept++] = index->order[i];
        }
        array->blocks = kept - array->first;
    }
}

/* The range of some blocks is not that of their array. */
static void drop_ranges(struct scion_array_index *index)
{
    uint32_t a;

    for (a = 0; a < index->narrays; a++) {
        if (index->arrays[a]->lacks_range)
            scion_array_range_begin(index->arrays[a]->definition.type, &index->arrays[a]->range);
    }
}

int scion_array_index_finish(struct scion_array_index *index)
{
    int is_done = sort_steps(index) == 0 && sort_blocks(index) == 0 && list_steps(index) == 0;

    if (is_done)
        leave_out_empty(index);
    drop_ranges(index);
    free(index->slots);
    index->slots = NULL;
    return is_done ? 0 : scion_fail_memory("index of arrays");
}

/* ---- lookup ---- */

/* The first of an array's blocks, in order, whose step is not below the number. */
static uint32_t lower_bound(const struct scion_array_index *index, const struct scion_array *array,
                            uint32_t step)
{
    uint32_t low = array->first, high = array->first + array->blocks;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (step_at(index, middle) < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of a step; nsteps: no array has it. */
static uint32_t number_of(const struct scion_array_index *index, sion_int64 step)
{
    uint32_t low = 0, high = index->nsteps;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (index->steps[middle] < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->nsteps && index->steps[low] == step ? low : index->nsteps;
}

uint32_t scion_array_index_blocks(const struct scion_array_index *index,
                                  const struct scion_array *array, sion_int64 step, uint32_t *first)
{
    uint32_t number;

    *first = array->first;
    if (step == SION_ARRAY_NEWEST)
        return array->blocks;
    number = number_of(index, step);
    if (number == index->nsteps)
        return 0;
    *first = lower_bound(index, array, number);
    return lower_bound(index, array, number + 1) - *first;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;

    return (one > two) - (one < two);
}

int scion_array_index_has_step(const struct scion_array_index *index,
                               const struct scion_array *array, sion_int64 step)
{
    uint32_t number = number_of(index, step);

    return bsearch(&number, index->step_lists + array->first_step, array->steps, sizeof number,
                   compare_numbers) != NULL;
}
