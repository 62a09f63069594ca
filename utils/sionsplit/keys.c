#include <stdio.h>
#include <stdlib.h>

#include "sion_common.h"

#include "base/memory.h"
#include "lib/keys.h"
#include "lib/records.h"
#include "lib/tool.h"
#include "sionsplit/keys.h"

enum {
    RANKS_PER_MARK = 16,
    DETAIL_LABEL = 30,
    /* Number of values whose places are kept at a time. */
    PLACES = 1 << 16
};

/* Where a value is in the stream of its task. */
struct place {
    sion_int64 offset, length;
};

/* The keys of one task are written in portions: those whose values' places fit into a table. */
struct portion {
    const struct split_settings *settings;
    struct copy *copy;
    struct replace_group *group; /* of all files */
    struct records records;
    struct place *places;
    char *path;
    size_t size; /* of path */
};

size_t split_buffer_size(const struct input *input)
{
    return input->fsblksize < COPY_PIECE ? (size_t)input->fsblksize : COPY_PIECE;
}

static int write_value(struct portion *portion, uint64_t key, const struct place *place,
                       struct output *output)
{
    struct copy *copy = portion->copy;
    size_t want = split_buffer_size(copy->input), bytes;
    sion_int64 done;
    int status = TOOL_RUN;

    for (done = 0; done < place->length && status == TOOL_RUN; done += (sion_int64)bytes) {
        sion_int64 left = place->length - done;

        bytes = left < (sion_int64)want ? (size_t)left : want;
        if (copy_portion(copy, (sion_int64)bytes) < bytes)
            status = copy_flush(copy, output);
        if (status == TOOL_RUN)
            status = records_read(&portion->records, place->offset + done, copy_next(copy), bytes);
        if (status == TOOL_RUN)
            status = copy_put(copy, bytes, output);
        if (portion->settings->verbose && status == TOOL_RUN) {
            progress_clear(&copy->progress);
            tool_line(stdout, DETAIL_LABEL, "",
                      "extracting now data of key[%12lld] (%zu bytes) (%zu bytes written)",
                      (long long)key, bytes, bytes);
        }
    }
    return status;
}

static int write_kept(struct portion *portion, const struct key *key, struct output *output)
{
    const struct place *place = portion->places + key->place;
    sion_int64 n;
    int status = TOOL_RUN;

    if (key->found != key->records) {
        tool_error("%s has changed while it was read", portion->copy->input->name);
        return TOOL_FAILED;
    }
    for (n = 0; n < key->records && status == TOOL_RUN; n++)
        status = write_value(portion, key->key, place + n, output);
    return status;
}

/* Write a key with more records than the table holds: they are searched while they are written. */
static int write_searched(struct portion *portion, const struct key *key, struct output *output)
{
    struct records *records = &portion->records;
    int status;

    records_start(records, portion->copy->input, records->task, NULL);
    while ((status = records_next(records)) == TOOL_RUN) {
        const struct place place = {records->offset, records->length};

        if (records->key == key->key)
            status = write_value(portion, key->key, &place, output);
        if (status != TOOL_RUN)
            return status;
    }
    return status == TOOL_DONE ? TOOL_RUN : status;
}

static int write_key(struct portion *portion, const struct key *key)
{
    const struct split_settings *settings = portion->settings;
    const struct input *input = portion->copy->input;
    struct output output;
    int status;

    snprintf(portion->path, portion->size, "%s%0*lld_%012lld", settings->prefix, settings->digits,
             split_number(settings, input, portion->records.task), (long long)key->key);
    progress_clear(&portion->copy->progress);
    tool_line(stdout, TOOL_LABEL, "generating file:", "'%s'", portion->path);
    status = output_open(&output, portion->group, portion->path, input);
    if (status != TOOL_RUN)
        return status;
    status = key->records > PLACES ? write_searched(portion, key, &output)
                                   : write_kept(portion, key, &output);
    return copy_close(portion->copy, &output, status);
}

/*
 * Choose as many keys as the table has places for, from `first` up to the one that is returned
 * (NULL: all), and set key->place to the first of theirs; that of all other keys is negative.
 */
static struct key *choose_keys(struct key *first)
{
    struct key *key = first;
    sion_int64 places = 0;

    while (key && places + key->records <= PLACES) {
        key->place = places;
        key->found = 0;
        places += key->records;
        key = key->hh.next;
    }
    return key;
}

static int note_places(struct portion *portion, struct key *keys)
{
    struct records *records = &portion->records;
    int status;

    records_start(records, portion->copy->input, records->task, NULL);
    while ((status = records_next(records)) == TOOL_RUN) {
        struct key *key = keys_find(keys, records->key);

        if (key && key->place >= 0 && key->found < key->records)
            portion->places[key->place + key->found++] =
                (struct place){records->offset, records->length};
    }
    return status == TOOL_DONE ? TOOL_RUN : status;
}

static int write_portions(struct portion *portion, struct key *keys)
{
    struct key *key = keys, *first;
    int status = TOOL_RUN;

    for (first = keys; first; first = first->hh.next)
        first->place = -1;
    while (key && status == TOOL_RUN) {
        first = key;
        key = choose_keys(first);
        if (key == first)
            key = first->hh.next;
        else
            status = note_places(portion, keys);
        for (; first != key && status == TOOL_RUN; first = first->hh.next) {
            status = write_key(portion, first);
            first->place = -1;
        }
    }
    return status;
}

static void mark_task(const struct split_settings *settings, int task)
{
    if (settings->verbose)
        printf("siondefrag: ->rank:                    %d\n", task);
    else if (task % RANKS_PER_MARK == 0)
        printf("[%d]", task);
}

static int split_task_keys(struct portion *portion, int task)
{
    struct key *keys;
    int status;

    mark_task(portion->settings, task);
    records_start(&portion->records, portion->copy->input, task, NULL);
    status = keys_scan(&portion->records, &keys);
    keys_keep(&keys, &portion->settings->keys);
    if (status == TOOL_RUN)
        status = write_portions(portion, keys);
    keys_free(keys);
    return status;
}

int split_keys(const struct split_settings *settings, struct copy *copy,
               struct replace_group *group, char *path, size_t size)
{
    struct portion portion = {
        .settings = settings, .copy = copy, .group = group, .path = path, .size = size};
    int task, status = TOOL_RUN;

    portion.places = scion_array(PLACES, sizeof *portion.places);
    if (!portion.places) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    for (task = 0; task < copy->input->ntasks && status == TOOL_RUN; task++) {
        if (split_wants(settings, task) && !records_leave_out(copy->input, task))
            status = split_task_keys(&portion, task);
    }
    free(portion.places);
    return status;
}
