#include "sionrun/inputs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "lib/packed.h"
#include "lib/tool.h"
#include "run/input.h"
#include "vfs/path.h"

/* Smaller holes are not looked for. */
enum { HOLE_LEAST = 1 << 16 };

/* A file, by number of its container and of its first extent until all are known. */
struct item {
    struct scion_input_entry entry; /* its strings are ours */
    int container;
    size_t extents;
};

struct map {
    struct item *items;
    size_t n, room;
    struct scion_input_extent *extents;
    size_t nextents, extents_room;
    char **sources;
    uint32_t nsources;
};

/* A container that is read: how far its streams are known. */
struct reading {
    struct map *map;
    int number;
    const struct input *input;
    uint32_t first_source;

    /* A chunk of a task, and the bytes of its stream before it. */
    int task;
    sion_int64 chunk, before;
};

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int out_of_memory(void)
{
    tool_error("out of memory for the files of containers");
    return TOOL_FAILED;
}

/* ---- extents ---- */

static int add_extent(struct map *map, const struct scion_input_extent *extent)
{
    if (map->nextents == map->extents_room) {
        size_t room = 2 * map->extents_room + 64;
        struct scion_input_extent *grown =
            scion_array_grown(map->extents, room, sizeof *map->extents);

        if (!grown)
            return out_of_memory();
        map->extents = grown;
        map->extents_room = room;
    }
    map->extents[map->nextents++] = *extent;
    return TOOL_RUN;
}

/* Find the chunk that has this byte of a task's stream: mostly that of the last one, or the next. */
static void go_to(struct reading *reading, int task, sion_int64 pos)
{
    if (reading->task != task || pos < reading->before) {
        reading->task = task;
        reading->chunk = reading->before = 0;
    }
    while (pos >= reading->before + input_used(reading->input, task, reading->chunk)) {
        reading->before += input_used(reading->input, task, reading->chunk);
        reading->chunk++;
    }
}

/* The bytes of a file from `at` on that are alike: *run of them. */
static int add_run(struct reading *reading, const struct scion_pack_entry *entry, sion_int64 at,
                   sion_int64 *run)
{
    const struct input *input = reading->input;
    struct scion_input_extent extent = {.at = (uint64_t)at};
    int file, index, is_hole = 0, status = TOOL_RUN;
    sion_int64 pos = entry->data + at, in_chunk;

    go_to(reading, entry->task, pos);
    in_chunk = pos - reading->before;
    *run = input_used(input, entry->task, reading->chunk) - in_chunk;
    *run = *run < entry->size - at ? *run : entry->size - at;
    if (*run >= HOLE_LEAST)
        status = input_run(input, entry->task, reading->chunk, in_chunk, run, &is_hole);
    if (status != TOOL_RUN || is_hole)
        return status;
    scion_container_locate(input->container, entry->task, &file, &index);
    extent.source = reading->first_source + (uint32_t)file;
    extent.offset = (uint64_t)(input_offset(input, entry->task, reading->chunk) + in_chunk);
    extent.bytes = (uint64_t)*run;
    return add_extent(reading->map, &extent);
}

/* ---- entries ---- */

static struct item *new_item(struct map *map)
{
    if (map->n == map->room) {
        size_t room = 2 * map->room + 64;
        struct item *grown = scion_array_grown(map->items, room, sizeof *map->items);

        if (!grown)
            return NULL;
        map->items = grown;
        map->room = room;
    }
    map->items[map->n] = (struct item){.container = 0};
    return &map->items[map->n];
}

static int add_file(struct reading *reading, const struct scion_pack_entry *entry)
{
    struct map *map = reading->map;
    struct item *item = new_item(map);
    sion_int64 at, run;
    int status = item ? TOOL_RUN : out_of_memory();

    if (status != TOOL_RUN)
        return status;
    item->container = reading->number;
    item->extents = map->nextents;
    item->entry = (struct scion_input_entry){.path = strdup(entry->path),
                                             .target = strdup(entry->target ? entry->target : ""),
                                             .type = (char)entry->type,
                                             .mode = entry->mode & 01777,
                                             .seconds = entry->mtime,
                                             .nanoseconds = entry->mtime_ns,
                                             .size = (uint64_t)entry->size};
    map->n++;
    if (!item->entry.path || !item->entry.target)
        return out_of_memory();
    for (at = 0; at < entry->size && status == TOOL_RUN; at += run)
        status = add_run(reading, entry, at, &run);
    item->entry.nextents = (uint32_t)(map->nextents - item->extents);
    return status;
}

/* What the container's author could use to lead the program elsewhere is left out. */
static int add(struct reading *reading, const struct scion_pack_entry *entry)
{
    if (scion_pack_check_path(entry->path) == 0 &&
        (!entry->target || scion_pack_check_link(entry) == 0))
        return add_file(reading, entry);
    tool_warning("%s: %s", reading->input->name, scion_error_text());
    return TOOL_RUN;
}

static int add_all(struct reading *reading, struct scion_packed *files)
{
    struct scion_packed_cursor cursor;
    const struct scion_pack_entry *entry = NULL;
    int status = TOOL_RUN, rc;

    scion_packed_begin(files, &cursor);
    rc = scion_packed_seek(&cursor, "");
    while (rc == 0 && status == TOOL_RUN && (rc = scion_packed_next(&cursor, &entry)) == 0 && entry)
        status = add(reading, entry);
    scion_packed_end(&cursor);
    return rc == 0 ? status : failed();
}

/* ---- containers ---- */

static int add_sources(struct map *map, const struct input *input)
{
    int n = input->is_set ? input->nfiles : 1, i;
    char path[SCION_PATH],
        **grown = scion_array_grown(map->sources, map->nsources + (uint64_t)n, sizeof *grown);

    if (!grown)
        return out_of_memory();
    map->sources = grown;
    for (i = 0; i < n; i++) {
        if (scion_path_real(scion_container_file(input->container, i)->path, path) != 0)
            return failed();
        grown[map->nsources] = strdup(path);
        if (!grown[map->nsources])
            return out_of_memory();
        map->nsources++;
    }
    return TOOL_RUN;
}

/* The program gets the bytes of files from where they are in the container. */
static int check_plain(const struct input *input)
{
    if (!input_is_zipped(input))
        return TOOL_RUN;
    tool_error(
        "%s is compressed: its files cannot be shown, but what siondefrag --plain makes of it",
        input->name);
    return TOOL_FAILED;
}

static int add_container(struct map *map, const char *name, int number)
{
    struct reading reading = {
        .map = map, .number = number, .first_source = map->nsources, .task = -1};
    struct input input;
    struct packed packed;
    char *copy = strdup(name);
    int status = copy ? input_open(copy, &input) : out_of_memory();

    if (status == TOOL_RUN) {
        reading.input = &input;
        status = check_plain(&input);
        if (status == TOOL_RUN)
            status = packed_open(&input, &packed);
        if (status == TOOL_RUN) {
            status = add_sources(map, &input);
            if (status == TOOL_RUN)
                status = add_all(&reading, packed.files);
            packed_close(&packed);
        }
        status = input_close(&input, status);
    }
    free(copy);
    return status;
}

/* ---- the map ---- */

/* Of one path, that of the last container comes first. */
static int by_path(const void *a, const void *b)
{
    const struct item *one = a, *other = b;
    int order = scion_input_compare(one->entry.path, other->entry.path);

    return order != 0 ? order : other->container - one->container;
}

static int write_map(struct map *map, const char *session)
{
    struct scion_input_entry *entries = scion_array(map->n + 1, sizeof *entries);
    size_t i, n = 0;
    int status = TOOL_RUN;

    if (!entries)
        return out_of_memory();
    if (map->n > 1)
        qsort(map->items, map->n, sizeof *map->items, by_path);
    for (i = 0; i < map->n; i++) {
        if (n > 0 && strcmp(entries[n - 1].path, map->items[i].entry.path) == 0)
            continue;
        entries[n] = map->items[i].entry;
        entries[n++].extents = map->extents + map->items[i].extents;
    }
    if (n > UINT32_MAX - 1 || scion_input_make(session, (const char *const *)map->sources,
                                               map->nsources, entries, (uint32_t)n) != 0) {
        tool_error("cannot make the map of input files in %s: %s", session, strerror(errno));
        status = TOOL_FAILED;
    }
    free(entries);
    return status;
}

static void free_map(struct map *map)
{
    size_t i;

    for (i = 0; i < map->n; i++) {
        free((char *)map->items[i].entry.path);
        free((char *)map->items[i].entry.target);
    }
    for (i = 0; i < map->nsources; i++)
        free(map->sources[i]);
    free(map->items);
    free(map->extents);
    free(map->sources);
}

int inputs_map(const char *session, const struct settings *settings)
{
    struct map map = {.items = NULL};
    int status = TOOL_RUN, i;

    for (i = 0; i < settings->inputs.n && status == TOOL_RUN; i++)
        status = add_container(&map, settings->inputs.text[i], i);
    if (status == TOOL_RUN)
        status = write_map(&map, session);
    free_map(&map);
    return status;
}
