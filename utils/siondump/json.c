/*
 * All metadata as JSON, described by doc/siondump.schema.json. A task is written as soon as its
 * numbers are known, so memory does not grow with the output.
 */
#include <stdio.h>

#include "sion_common.h"

#include "base/byteorder.h"
#include "base/json.h"
#include "format/places.h"
#include "lib/keys.h"
#include "lib/records.h"
#include "lib/tool.h"
#include "siondump/parts.h"

/* Raised when a change could break a reader; additions do not raise it. */
enum { SCHEMA_VERSION = 1 };

static const char *order(int big)
{
    return big ? "\"big\"" : "\"little\"";
}

static void put_head(const struct input *input)
{
    const struct scion_meta1 *head = input->head;
    struct scion_places places;

    printf("{\n  \"schema\": \"siondump\",\n  \"schema_version\": %d,\n  \"file\": ",
           SCHEMA_VERSION);
    scion_json_string(stdout, input->name);
    printf(",\n  \"prefix\": ");
    scion_json_string(stdout, head->prefix);
    printf(",\n  \"format_version\": %d,\n  \"library_version\": \"%d.%dp%d\",\n",
           head->format_version, head->version / 1000, head->version % 1000, head->patch);
    printf("  \"metadata_endianness\": %s,\n  \"data_endianness\": %s,\n",
           order(scion_host_is_big() != head->swapped), order(head->big_endian));
    printf("  \"flag1\": %lld,\n  \"flag2\": %lld,\n", head->flag1, head->flag2);
    printf("  \"keyval\": {\"mode\": %d, \"name\": \"%s\"},\n", input->keyval,
           sion_keyval_type_to_str(input->keyval));
    printf("  \"fsblksize\": %d,\n  \"number_of_files\": %d,\n  \"file_number\": %d,\n"
           "  \"whole_set\": %s,\n  \"number_of_tasks\": %d,\n  \"max_chunks\": %d,\n",
           input->fsblksize, head->nfiles, head->filenumber,
           input->is_set || head->nfiles <= 1 ? "true" : "false", input->ntasks, input->maxchunks);
    if (input->is_merged)
        printf("  \"merged\": true,\n");
    if (scion_places_decode(head, &places) > 0)
        printf("  \"places\": {\"number\": %d, \"step\": %d},\n", places.n, places.step);
}

static void put_zips(const struct input *plain)
{
    struct scion_zipped_facts facts;

    zips_of_all(plain, &facts);
    printf("  \"compression\": {\"codec\": \"zstd\", \"frame\": %u, \"shuffle\": %u, \"frames\": "
           "%lld, "
           "\"plain_bytes\": %lld},\n",
           facts.head.frame, facts.head.shuffle, facts.frames, facts.plain);
}

static void put_usage(const struct input *input)
{
    struct usage usage;

    usage_collect(&usage, input);
    printf("  \"bytes\": {\"used\": %lld, \"chunks\": %llu, \"full_chunks\": %lld, "
           "\"partly_filled_chunks\": %lld, \"empty_chunks\": %llu},\n",
           input->total, usage.reserved, usage.full_bytes, usage.partly_bytes, usage.empty_bytes);
    printf("  \"chunks\": {\"full\": %lld, \"partly_filled\": %lld, \"empty\": %lld},\n",
           usage.full, usage.partly, usage.empty);
}

static void put_files(const struct input *input)
{
    int i;

    printf("  \"files\": [");
    for (i = 0; i < scion_container_nopen(input->container); i++) {
        const struct scion_physical *file = scion_container_file(input->container, i);

        printf("%s\n    {\"number\": %d, \"name\": ", i > 0 ? "," : "", file->head.filenumber);
        scion_json_string(stdout, file->path);
        printf(", \"number_of_tasks\": %d, \"max_chunks\": %d, \"start_of_data\": %lld, "
               "\"globalskip\": %lld, \"start_of_varheader\": %lld}",
               file->head.ntasks, file->maxchunks, file->layout.start_of_data,
               file->layout.globalskip, file->start_of_varheader);
    }
    printf("\n  ],\n");
}

/* Every chunk that the task has: where it is, and the bytes in it. */
static void put_extents(const struct input *input, int task)
{
    sion_int64 count = input_count(input, task), chunk;

    printf("\"extents\": [");
    for (chunk = 0; chunk < count; chunk++)
        printf("%s{\"chunk\": %lld, \"offset\": %lld, \"bytes\": %lld}", chunk > 0 ? ", " : "",
               chunk, input_offset(input, task, chunk), input_used(input, task, chunk));
    putchar(']');
}

static int put_keys(struct records *records)
{
    struct key *keys, *key;
    int status = keys_scan(records, &keys);

    printf(", \"keys\": [");
    for (key = keys; key && status == TOOL_RUN; key = key->hh.next)
        printf("%s{\"key\": \"%llu\", \"records\": %lld, \"bytes\": %lld}", key == keys ? "" : ", ",
               (unsigned long long)key->key, key->records, key->bytes);
    putchar(']');
    keys_free(keys);
    return status;
}

static int put_records(struct records *records)
{
    const char *comma = "";
    int status;

    printf(", \"records\": [");
    while ((status = records_next(records)) == TOOL_RUN) {
        printf("%s{\"key\": \"%llu\", \"position\": %lld, \"bytes\": %lld}", comma,
               (unsigned long long)records->key, records->offset, records->length);
        comma = ", ";
    }
    putchar(']');
    return status == TOOL_DONE ? TOOL_RUN : status;
}

/* Of a task that cannot be read, the rest is that of an empty one. */
static void put_damage(const struct scion_damage *damage)
{
    char text[SCION_DAMAGE_TEXT];

    scion_damage_describe(damage, text);
    printf("\"damage\": ");
    scion_json_string(stdout, text);
    printf(", ");
}

static int put_task(const struct input *input, const struct input *plain,
                    const struct dump_settings *settings, int task, struct progress *progress)
{
    struct scion_zipped_facts facts;
    const struct scion_damage *damage = input_damage(input, task);
    struct records records;
    int file, index, status = TOOL_RUN;

    scion_container_locate(input->container, task, &file, &index);
    printf("    {\"task\": %d, \"global_rank\": %lld, \"file\": %d, \"index\": %d, "
           "\"chunk_size\": %lld, \"bytes\": %lld, ",
           task, input_globalrank(input, task), file, index, input_chunksize(input, task),
           input_bytes(input, task));
    if (damage)
        put_damage(damage);
    if (plain && zips_of_task(plain, task, &facts))
        printf("\"plain_bytes\": %lld, \"frames\": %lld, ", facts.plain, facts.frames);
    put_extents(input, task);
    if (settings->keys) {
        records_start(&records, input, task, progress);
        status = put_keys(&records);
    }
    if (settings->records && status == TOOL_RUN) {
        records_start(&records, input, task, progress);
        status = put_records(&records);
    }
    printf("}%s\n", task + 1 < input->ntasks ? "," : "");
    return status;
}

int dump_json(const struct input *input, const struct input *plain,
              const struct dump_settings *settings)
{
    struct progress progress;
    int task, status = TOOL_RUN, passes = settings->keys + settings->records;

    if ((settings->keys || settings->records) && input->keyval != SION_KEYVAL_INLINE) {
        tool_error("%s is not a key-value container", input->name);
        return TOOL_FAILED;
    }
    put_head(input);
    if (plain)
        put_zips(plain);
    put_usage(input);
    put_files(input);
    printf("  \"tasks\": [\n");
    progress_start(&progress, passes * input->total, 1);
    for (task = 0; task < input->ntasks; task++) {
        if (put_task(input, plain, settings, task, &progress) != TOOL_RUN)
            status = TOOL_FAILED;
    }
    progress_end(&progress);
    printf("  ]\n}\n");
    return status;
}
