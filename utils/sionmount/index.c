#include "sionmount/index.h"

#include <stdlib.h>

#include "lib/tool.h"

void key_index_free(struct key_index *index)
{
    if (!index)
        return;
    keys_free(index->keys);
    free(index->by_number);
    free(index->ranges);
    free(index);
}

/* Room for the ranges of each key after those of the key before it. */
static int make_room(struct key_index *index)
{
    sion_int64 records = 0;
    struct key *key;

    index->count = (sion_int64)HASH_COUNT(index->keys);
    index->by_number = calloc((size_t)index->count + 1, sizeof(struct key *));
    if (!index->by_number)
        return 0;
    index->count = 0;
    for (key = index->keys; key; key = key->hh.next) {
        key->place = records;
        key->found = index->count;
        records += key->records;
        key->records = 0; /* counted again as the ranges come */
        key->bytes = 0;
        index->by_number[index->count++] = key;
    }
    index->ranges = calloc((size_t)records + 1, sizeof *index->ranges);
    return index->ranges != NULL;
}

static int add_ranges(struct key_index *index, struct records *records)
{
    int status;

    while ((status = records_next(records)) == TOOL_RUN) {
        struct key *key = keys_find(index->keys, records->key);
        struct range *range = &index->ranges[key->place + key->records++];

        range->offset = records->offset;
        range->bytes = records->length;
        range->before = key->bytes;
        key->bytes += records->length;
    }
    return status == TOOL_DONE;
}

static int fill(struct key_index *index, struct records *records, const struct input *input,
                int task)
{
    records_start(records, input, task, NULL);
    if (keys_scan(records, &index->keys) != TOOL_RUN)
        return 0;
    if (!make_room(index)) {
        tool_error("out of memory for the keys of task %d", task);
        return 0;
    }
    records_start(records, input, task, NULL);
    return add_ranges(index, records);
}

struct key_index *key_index_make(const struct input *input, int task)
{
    struct key_index *index;
    struct records *records;

    if (input_leaves_out(input, task))
        return NULL;
    index = calloc(1, sizeof *index);
    records = malloc(sizeof *records);
    if (!index || !records)
        tool_error("out of memory for the keys of task %d", task);
    if (!index || !records || !fill(index, records, input, task)) {
        key_index_free(index);
        index = NULL;
    }
    free(records);
    return index;
}
