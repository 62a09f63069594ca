/* Names of arrays as paths of zarr, and those of the dimensions of steps. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sionarray/refs.h"

const char *refs_name_in_group(const struct scion_array *array)
{
    const char *slash = strrchr(array->definition.name, '/');

    return slash ? slash + 1 : array->definition.name;
}

static int compare_names(const void *first, const void *second)
{
    const struct scion_array *const *a = first, *const *b = second;

    return strcmp((*a)->definition.name, (*b)->definition.name);
}

/* The bytes of an array's name that are those of its group. */
static size_t length_of_group(const struct scion_array *array)
{
    return (size_t)(refs_name_in_group(array) - array->definition.name);
}

static int compare_groups(const void *first, const void *second)
{
    const struct scion_array *const *a = first, *const *b = second;
    size_t m = length_of_group(*a), n = length_of_group(*b);

    return m != n ? (m < n ? -1 : 1) : strncmp((*a)->definition.name, (*b)->definition.name, n);
}

int refs_share_group(const struct scion_array *a, const struct scion_array *b)
{
    return compare_groups(&a, &b) == 0;
}

static struct scion_array **sort(const struct refs *refs,
                                 int (*compare)(const void *first, const void *second))
{
    struct scion_array **list = scion_array((uint64_t)refs->n + 1, sizeof(struct scion_array *));

    if (list) {
        memcpy(list, refs->list, (size_t)refs->n * sizeof(struct scion_array *));
        qsort(list, (size_t)refs->n, sizeof(struct scion_array *), compare);
    }
    return list;
}

int refs_sort(struct refs *refs)
{
    refs->by_name = sort(refs, compare_names);
    refs->by_group = sort(refs, compare_groups);
    return refs->by_name && refs->by_group ? 0 : -1;
}

/* The first name in the order that is not before this one; "": there is none. */
static const char *name_from(const struct refs *refs, const char *name)
{
    int low = 0, high = refs->n;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (strcmp(refs->by_name[middle]->definition.name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < refs->n ? refs->by_name[low]->definition.name : "";
}

int refs_is_first_with(const struct refs *refs, const struct scion_array *array, size_t length)
{
    char begin[SION_ARRAY_NAME + 1];

    snprintf(begin, sizeof begin, "%.*s", (int)length, array->definition.name);
    return strcmp(name_from(refs, begin), array->definition.name) == 0;
}

/* 1: an array that is written has this name. */
static int is_written(const struct refs *refs, const char *name)
{
    return strcmp(name_from(refs, name), name) == 0;
}

/* 1: an array that is written, or a group of one, has this name. */
static int is_taken(const struct refs *refs, const char *name)
{
    char group[SION_ARRAY_NAME + REFS_STEP_NAME + 1];
    size_t length = (size_t)snprintf(group, sizeof group, "%s/", name);

    return is_written(refs, name) || strncmp(name_from(refs, group), group, length) == 0;
}

void refs_step_name(const struct refs *refs, const struct scion_array *array,
                    char into[REFS_STEP_NAME])
{
    int group = (int)length_of_group(array);
    char path[SION_ARRAY_NAME + REFS_STEP_NAME];
    size_t length = (size_t)snprintf(into, REFS_STEP_NAME, "%s%s",
                                     refs->has_step ? "" : refs_name_in_group(array),
                                     refs->has_step ? "step" : "_step");

    snprintf(path, sizeof path, "%.*s%s", group, array->definition.name, into);
    while (is_taken(refs, path) && length + 1 < REFS_STEP_NAME) {
        into[length++] = '_';
        into[length] = '\0';
        strcat(path, "_");
    }
}

/* Whether an array or a group has the name of the dimension of all steps. */
static int is_called_step(const struct scion_array *array)
{
    const char *name = array->definition.name, *group = strstr(name, "step/");

    return strcmp(refs_name_in_group(array), "step") == 0 ||
           (group && (group == name || group[-1] == '/'));
}

int refs_have_same_steps(const struct refs *refs)
{
    const uint32_t *steps = refs->arrays->index->step_lists;
    const struct scion_array *first = NULL;
    int i, found = 0;

    for (i = 0; i < refs->n; i++) {
        const struct scion_array *array = refs->list[i];

        if (is_called_step(array))
            return 0;
        if (array->steps < refs->least)
            continue;
        found = 1;
        if (first && (first->steps != array->steps ||
                      memcmp(steps + first->first_step, steps + array->first_step,
                             first->steps * sizeof *steps) != 0))
            return 0;
        first = array;
    }
    return found;
}

/* zarr takes a backslash for a slash, and has files of its own. */
static int is_bad_part(const char *part, size_t length)
{
    static const char *const own[] = {".", "..", ".zarray", ".zattrs", ".zgroup", ".zmetadata"};
    size_t i;

    for (i = 0; i < sizeof own / sizeof *own; i++) {
        if (length == strlen(own[i]) && strncmp(part, own[i], length) == 0)
            return 1;
    }
    return length == 0 || memchr(part, '\\', length);
}

/* zarr takes the name for a path: all but the last part are groups. */
const char *refs_reason_against_name(const struct refs *refs, const struct scion_array *array)
{
    const char *name = array->definition.name, *part = name;
    char group[SION_ARRAY_NAME + 1];

    for (;; part++) {
        size_t length = strcspn(part, "/");

        if (is_bad_part(part, length))
            return "a part of its name is empty, has a backslash, or is one of ., .., .zarray, "
                   ".zattrs, .zgroup and .zmetadata";
        part += length;
        if (!*part)
            return NULL;
        snprintf(group, sizeof group, "%.*s", (int)(part - name), name);
        if (is_written(refs, group))
            return "its group has the name of an array";
    }
}
