#include "scr/map/overlaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Bytes of a file that a segment covers. */
struct extent {
    unsigned long long device, file;
    sion_int64 offset, end, rank;
    size_t number;
};

struct search {
    int whole_files;
    struct scion_overlaps *found;
    struct scion_source source;
    size_t number; /* of the file that is visited */
    struct extent *list;
    size_t count, capacity;
};

static int add_extent(struct search *search, const struct extent *extent)
{
    if (search->count == search->capacity) {
        size_t capacity = 2 * search->capacity + 64;
        void *list = scion_array_grown(search->list, capacity, sizeof *search->list);

        if (!list)
            return scion_fail_memory("segments");
        search->list = list;
        search->capacity = capacity;
    }
    search->list[search->count++] = *extent;
    return 0;
}

/* Refuse a file for the reason in the error record. */
static int refuse(struct scion_overlaps *overlaps, size_t number, int code)
{
    char *reason = strdup(scion_error_text());

    if (reason && overlaps->count == overlaps->capacity) {
        size_t capacity = 2 * overlaps->capacity + 16;
        void *list = scion_array_grown(overlaps->list, capacity, sizeof *overlaps->list);

        if (list) {
            overlaps->list = list;
            overlaps->capacity = capacity;
        }
    }
    if (!reason || overlaps->count == overlaps->capacity) {
        free(reason);
        return scion_fail_memory("segments");
    }
    overlaps->list[overlaps->count++] = (struct scion_overlap){number, code, reason};
    return 0;
}

static int add_segment(struct search *search, sion_int64 rank, const struct scion_segment *segment)
{
    struct stat status;
    int rc = scion_source_open(&search->source, segment);

    if (rc == 0)
        rc = scion_file_status(search->source.file, &status);
    if (rc == 0)
        search->found->permissions &= status.st_mode;
    return rc != 0
               ? rc
               : add_extent(search, &(struct extent){status.st_dev, status.st_ino, segment->offset,
                                                     segment->offset + segment->length, rank,
                                                     search->number});
}

static int visit(void *data, sion_int64 rank, struct scion_entry *entry, int status)
{
    struct search *search = data;
    int rc = 0, i;

    if (status == 0 && !entry->nofetch && (entry->in_segments || search->whole_files)) {
        rc = scion_entry_complete(&search->source, entry);
        for (i = 0; i < entry->segments.count && rc == 0; i++)
            rc = add_segment(search, rank, &entry->segments.list[i]);
    }
    if (rc != 0 && rc != SION_ERR_MEMORY)
        rc = refuse(search->found, search->number, rc);
    search->number++;
    return rc;
}

static int compare(unsigned long long a, unsigned long long b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
    const struct extent *left = a, *right = b;
    int order = compare(left->device, right->device);

    if (order == 0)
        order = compare(left->file, right->file);
    if (order == 0)
        order = compare((unsigned long long)left->offset, (unsigned long long)right->offset);
    return order != 0 ? order : compare(left->number, right->number);
}

static int by_number(const void *a, const void *b)
{
    const struct scion_overlap *left = a, *right = b;

    return compare(left->number, right->number);
}

/* Sorted by place: each one that begins before the end of those before it. */
static int collect(const struct search *search)
{
    const struct extent *widest = search->list;
    size_t i;
    int rc = 0;

    for (i = 1; i < search->count && rc == 0; i++) {
        const struct extent *extent = &search->list[i];
        int same = widest->device == extent->device && widest->file == extent->file;

        if (same && extent->offset < widest->end) {
            rc =
                scion_fail(SION_ERR_DAMAGED, "its segment at offset %lld overlaps one of rank %lld",
                           extent->offset, widest->rank);
            rc = refuse(search->found, extent->number, rc);
        }
        if (!same || extent->end > widest->end)
            widest = extent;
    }
    return rc;
}

int scion_overlaps_find(const struct sion_scr_ranks *ranks, const struct scion_names *names,
                        int whole_files, struct scion_overlaps *overlaps)
{
    struct search search = {.whole_files = whole_files, .found = overlaps};
    int rc;

    *overlaps = (struct scion_overlaps){.permissions = 0777};
    scion_source_begin(&search.source, names->base, names->allow_outside);
    rc = scion_entries_visit(ranks, names, visit, &search);
    scion_source_end(&search.source);
    if (search.count > 1)
        qsort(search.list, search.count, sizeof *search.list, by_place);
    if (rc == 0)
        rc = collect(&search);
    free(search.list);
    if (overlaps->count > 1)
        qsort(overlaps->list, overlaps->count, sizeof *overlaps->list, by_number);
    return rc;
}

void scion_overlaps_free(struct scion_overlaps *overlaps)
{
    size_t i;

    for (i = 0; i < overlaps->count; i++)
        free(overlaps->list[i].reason);
    free(overlaps->list);
    *overlaps = (struct scion_overlaps){0};
}

int scion_overlaps_check(const struct scion_overlaps *overlaps, size_t number)
{
    const struct scion_overlap wanted = {.number = number}, *found = NULL;

    if (overlaps->count > 0)
        found = bsearch(&wanted, overlaps->list, overlaps->count, sizeof wanted, by_number);
    return found ? scion_fail(found->code, "%s", found->reason) : 0;
}
