#include "scr/map/entry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- making one ---- */

static int put_segments(struct sion_kvtree *file, const struct scion_segments *segments,
                        const char *prefix)
{
    struct sion_kvtree *all = scion_kvtree_set(file, "SEG");
    char name[SCION_PATH];
    int i;

    if (!all)
        return SION_ERR_MEMORY;
    for (i = 0; i < segments->count; i++) {
        struct sion_kvtree *segment = scion_kvtree_setf(all, "%d", i);

        snprintf(name, sizeof name, "%s%s", prefix, segments->list[i].file);
        if (!scion_kvtree_put(segment, "FILE", name) ||
            !scion_kvtree_put_int(segment, "OFFSET", segments->list[i].offset) ||
            !scion_kvtree_put_int(segment, "LENGTH", segments->list[i].length))
            return SION_ERR_MEMORY;
    }
    return 0;
}

int scion_entry_put(struct sion_kvtree *rank, const char *name, sion_int64 size,
                    const uint32_t *crc, const struct scion_segments *segments, const char *prefix)
{
    struct sion_kvtree *file = scion_kvtree_set(scion_kvtree_set(rank, "FILE"), name);

    if (!scion_kvtree_put_int(file, "SIZE", size) ||
        (crc && !scion_kvtree_put_crc(file, "CRC", *crc)))
        return SION_ERR_MEMORY;
    return segments ? put_segments(file, segments, prefix) : 0;
}

/* ---- reading one ---- */

/* Kept as long as the entry. */
struct scion_text {
    struct scion_text *next;
    char text[];
};

/* The file that a segment's FILE means: text of the tree, or of the entry. NULL: an error. */
static const char *find_file(const char *file, const struct scion_names *names,
                             struct scion_entry *entry)
{
    char path[SCION_PATH];
    struct scion_text *text;

    if (scion_segment_name(names, file, path) != 0)
        return NULL;
    if (strcmp(path, file) == 0)
        return file;
    text = malloc(sizeof *text + strlen(path) + 1);
    if (!text) {
        scion_fail_memory("name of a file");
        return NULL;
    }
    strcpy(text->text, path);
    text->next = entry->texts;
    entry->texts = text;
    return text->text;
}

static int get_segment(const struct sion_kvtree *all, int number, const struct scion_names *names,
                       struct scion_entry *entry)
{
    struct scion_segments *segments = &entry->segments;
    char key[16];
    const struct sion_kvtree *segment;
    const char *file;
    long long offset, length;
    int rc = 0;

    snprintf(key, sizeof key, "%d", number);
    segment = sion_kvtree_get(all, key);
    if (!segment)
        return scion_fail(SION_ERR_DAMAGED, "SEG %d is missing", number);
    file = sion_kvtree_value(segment, "FILE");
    if (!file)
        return scion_fail(SION_ERR_DAMAGED, "SEG %d has no FILE", number);
    if (!entry->last || strcmp(file, entry->last) != 0)
        entry->meant = find_file(file, names, entry);
    entry->last = file;
    rc = entry->meant ? scion_kvtree_int(segment, "OFFSET", &offset) : sion_error_code();
    if (rc == 0)
        rc = scion_kvtree_int(segment, "LENGTH", &length);
    if (rc == 0 && (offset < 0 || length < 0 || length > INT64_MAX - offset ||
                    length > INT64_MAX - segments->bytes))
        rc = scion_fail(SION_ERR_DAMAGED, "SEG %d: %lld bytes at offset %lld", number, length,
                        offset);
    return rc != 0 ? rc : scion_segments_add(segments, entry->meant, offset, length);
}

static int get_segments(const struct sion_kvtree *file, const struct scion_names *names,
                        struct scion_entry *entry)
{
    const struct sion_kvtree *all = sion_kvtree_get(file, "SEG");
    unsigned int count = sion_kvtree_count(all);
    int rc = 0, i;

    for (i = 0; (unsigned int)i < count && rc == 0; i++)
        rc = get_segment(all, i, names, entry);
    if (rc != 0)
        return rc;
    if (entry->size >= 0 && entry->segments.bytes != entry->size)
        return scion_fail(SION_ERR_DAMAGED, "SIZE is %lld, but its segments have %lld bytes",
                          entry->size, entry->segments.bytes);
    entry->size = entry->segments.bytes;
    entry->in_segments = 1;
    return 0;
}

static int get_numbers(const struct sion_kvtree *file, struct scion_entry *entry)
{
    long long number = 0;
    int rc = 0;

    entry->size = -1;
    if (sion_kvtree_get(file, "SIZE")) {
        rc = scion_kvtree_int(file, "SIZE", &entry->size);
        if (rc == 0 && entry->size < 0)
            rc = scion_fail(SION_ERR_DAMAGED, "SIZE is %lld", entry->size);
    }
    if (rc == 0 && sion_kvtree_get(file, "CRC")) {
        rc = scion_kvtree_int(file, "CRC", &number);
        if (rc == 0 && (number < 0 || number > UINT32_MAX))
            rc = scion_fail(SION_ERR_DAMAGED, "CRC is %lld", number);
        entry->has_crc = rc == 0;
        entry->crc = (uint32_t)number;
    }
    if (rc == 0 && sion_kvtree_get(file, "COMPLETE")) {
        rc = scion_kvtree_int(file, "COMPLETE", &number);
        entry->failed = rc == 0 && number == 0;
    }
    entry->nofetch = sion_kvtree_get(file, "NOFETCH") != NULL;
    return rc;
}

int scion_entry_get(const struct sion_kvtree *file, const struct scion_names *names,
                    struct scion_entry *entry)
{
    int rc;

    *entry = (struct scion_entry){.name = file->key};
    rc = scion_check_name(file->key, names->allow_outside);
    if (rc == 0)
        rc = get_numbers(file, entry);
    if (rc == 0 && sion_kvtree_get(file, "SEG"))
        rc = get_segments(file, names, entry);
    else if (rc == 0 && entry->size > 0)
        rc = scion_segments_add(&entry->segments, entry->name, 0, entry->size);
    return rc;
}

void scion_entry_free(struct scion_entry *entry)
{
    scion_segments_free(&entry->segments);
    while (entry->texts) {
        struct scion_text *text = entry->texts;

        entry->texts = text->next;
        free(text);
    }
}

/* The files of one rank. */
static int visit_rank(const struct sion_kvtree *tree, sion_int64 rank,
                      const struct scion_names *names, scion_entry_visit *visit, void *data)
{
    const struct sion_kvtree *file;
    int rc = 0;

    for (file = sion_kvtree_first(sion_kvtree_get(tree, "FILE")); file && rc == 0;
         file = file->next) {
        struct scion_entry entry;
        int status = scion_entry_get(file, names, &entry);

        rc = visit(data, rank, &entry, status);
        scion_entry_free(&entry);
    }
    return rc;
}

int scion_entries_visit(const struct sion_scr_ranks *ranks, const struct scion_names *names,
                        scion_entry_visit *visit, void *data)
{
    int rc = 0, i;

    for (i = 0; i < ranks->count && rc == 0; i++) {
        struct sion_kvtree *tree;
        sion_int64 rank;

        rc = scion_ranks_get(ranks, i, &rank, &tree);
        if (rc == 0) {
            rc = visit_rank(tree, rank, names, visit, data);
            sion_kvtree_free(tree);
        }
    }
    return rc;
}

int scion_entry_compare(const struct scion_entry *entry, uint32_t crc)
{
    if (!entry->has_crc || crc == entry->crc)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "its CRC is %#" PRIx32 ", not %#" PRIx32, crc, entry->crc);
}

int scion_entry_complete(struct scion_source *source, struct scion_entry *entry)
{
    int rc;

    if (entry->size >= 0)
        return 0;
    rc = scion_source_size(source, entry->name, &entry->size);
    return rc != 0 ? rc : scion_segments_add(&entry->segments, entry->name, 0, entry->size);
}
