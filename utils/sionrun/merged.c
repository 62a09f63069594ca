#include "sionrun/merged.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "lib/tool.h"
#include "pack/write.h"

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- a list as bytes: an index in memory ---- */

struct bytes {
    char *text;
    size_t size, room; /* size: a multiple of 8 in the end */
};

static int put(void *context, const void *data, size_t bytes, sion_int64 offset)
{
    struct bytes *all = context;
    size_t end = (size_t)offset + bytes;

    if (all->room < end + sizeof(sion_int64)) {
        char *grown = scion_array_grown(all->text, 2 * end + 64, 1);

        if (!grown)
            return scion_fail_memory("index of packed files");
        all->text = grown;
        all->room = 2 * end + 64;
    }
    memcpy(all->text + offset, data, bytes);
    all->size = end > all->size ? end : all->size;
    return 0;
}

static int get(void *context, void *to, size_t bytes, sion_int64 offset)
{
    const struct bytes *all = context;

    if (offset < 0 || (size_t)offset > all->size || bytes > all->size - (size_t)offset)
        return scion_fail(SION_ERR_DAMAGED, "the list of another node's files is cut off");
    memcpy(to, all->text + offset, bytes);
    return 0;
}

/* The index ends where the bytes end, so what fills the last word stands before it. */
static int encode(const struct load *load, struct bytes *all)
{
    const struct scion_pack_target target = {put, all};
    sion_int64 end;
    size_t rest;
    int rc = scion_pack_write_index(&load->list, 0, &target, &end);

    rest = all->size % sizeof(sion_int64);
    if (rc == 0 && rest > 0) {
        sion_int64 begin = (sion_int64)(sizeof(sion_int64) - rest);

        all->size = 0;
        rc = scion_pack_write_index(&load->list, begin, &target, &end);
    }
    return rc;
}

static int add_all(struct scion_index *index, struct scion_pack_list *list)
{
    struct scion_index_cursor cursor;
    const struct scion_pack_entry *entry;
    int rc;

    scion_index_cursor_begin(index, &cursor);
    rc = scion_index_seek(&cursor, "");
    while (rc == 0 && (rc = scion_index_next(&cursor, &entry)) == 0 && entry)
        rc = scion_pack_list_add(list, entry);
    scion_index_cursor_end(&cursor);
    return rc;
}

static int decode(const struct load *load, struct bytes *from, struct scion_pack_list *list)
{
    const struct scion_pack_source source = {get, from};
    struct scion_index_key key = {0};
    struct scion_index *index;
    int t, rc;

    for (t = 0; t < load->ntasks; t++)
        scion_index_key_add(&key, load->used[t]);
    rc = scion_index_open(&source, (sion_int64)from->size, &key, &index);
    if (rc == 0 && !index)
        return scion_fail(SION_ERR_DAMAGED, "the list of another node's files is damaged");
    if (rc == 0)
        rc = add_all(index, list);
    scion_index_close(index);
    return rc;
}

/* ---- all of them ---- */

static int gather_sizes(struct team *team, sion_int64 words, int *counts, int *first)
{
    sion_int64 *all = calloc((size_t)team->size, sizeof *all);
    int rc = all ? 0 : scion_fail_memory("nodes"), i;

    if (rc == 0)
        rc = scion_gather(team->comm, &words, all, sizeof words, 0);
    for (i = 0; rc == 0 && i < team->size; i++) {
        counts[i] = (int)all[i];
        first[i + 1] = first[i] + counts[i];
    }
    free(all);
    return rc;
}

static int gather(struct team *team, const struct load *load, const struct bytes *own,
                  struct scion_pack_list *all)
{
    size_t nodes = (size_t)team->size;
    int *counts = calloc(nodes, sizeof *counts), *first = calloc(nodes + 1, sizeof *first);
    sion_int64 words = (sion_int64)(own->size / sizeof words), *texts = NULL;
    int rc =
        counts && first ? gather_sizes(team, words, counts, first) : scion_fail_memory("nodes");
    int i;

    if (rc == 0) {
        texts = calloc((size_t)first[team->rank == 0 ? team->size : 0] + 1, sizeof *texts);
        rc = texts ? scion_gatherv(team->comm, (const sion_int64 *)(const void *)own->text,
                                   (int)words, texts, counts, first, 0)
                   : scion_fail_memory("lists of files");
    }
    for (i = 0; rc == 0 && team->rank == 0 && i < team->size; i++) {
        struct bytes text = {(char *)(texts + first[i]), (size_t)counts[i] * sizeof words, 0};

        rc = decode(load, &text, all);
    }
    free(texts);
    free(counts);
    free(first);
    return rc;
}

/* Folders are on many nodes; what else has a name twice is in the streams of both. */
static int join(struct scion_pack_list *all)
{
    struct scion_pack_entry *entries = all->entries;
    size_t i, n = 0;
    int twice = 0;

    for (i = 0; i < all->count; i++) {
        int again = n > 0 && strcmp(entries[n - 1].path, entries[i].path) == 0;

        if (again && entries[i].type == SCION_PACK_FOLDER &&
            entries[n - 1].type == SCION_PACK_FOLDER) {
            free(entries[i].path);
            continue;
        }
        if (again) {
            twice++;
            tool_error("%s was written on several nodes: tasks %d and %d have a part of it each",
                       entries[i].path, entries[n - 1].task, entries[i].task);
        }
        entries[n++] = entries[i];
    }
    all->count = n;
    return twice;
}

int merged_make(const struct load *load, struct team *team, struct scion_pack_list *all, int *twice)
{
    struct bytes own = {NULL, 0, 0};
    int rc = encode(load, &own);
    int status = team_agree(team, rc == 0 ? TOOL_RUN : failed());

    *all = (struct scion_pack_list){0};
    *twice = 0;
    if (status == TOOL_RUN)
        status = team_agree(team, gather(team, load, &own, all) == 0 ? TOOL_RUN : failed());
    if (status == TOOL_RUN && team->rank == 0) {
        scion_pack_list_sort(all);
        team_speak(team, 1);
        *twice = join(all);
        team_silence(team);
        all->ntasks = load->ntasks;
        all->used = load->used;
    }
    free(own.text);
    return status;
}

void merged_free(struct scion_pack_list *all)
{
    all->used = NULL;
    scion_pack_list_free(all);
}
