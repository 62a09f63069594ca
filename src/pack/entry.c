#include "pack/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "pack/tar.h"

/* ---- paths ---- */

static int weight(char c)
{
    return c == '/' ? 1 : c == '\0' ? 0 : (unsigned char)c + 1;
}

int scion_pack_compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return weight(*a) - weight(*b);
}

int scion_pack_is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return length == 0 ||
           (strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

void scion_pack_clean_path(char *path)
{
    char *from = path, *to = path;

    if (*from == '/')
        *to++ = *from++;
    while (*from) {
        size_t length = strcspn(from, "/");

        if (length > 0 && !(length == 1 && *from == '.')) {
            if (to > path && to[-1] != '/')
                *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length;
        from += *from == '/';
    }
    *to = '\0';
}

/* The first part that is not empty or ".", and its length; the text after it. NULL: no more. */
static const char *next_part(const char *path, const char **part, size_t *length)
{
    do {
        path += strspn(path, "/");
        *part = path;
        *length = strcspn(path, "/");
        path += *length;
    } while (*length == 1 && **part == '.');
    return *length > 0 ? path : NULL;
}

int scion_pack_is_before(const char *path, const char *place, int is_after)
{
    return (is_after && scion_pack_is_below(path, place)) || scion_pack_compare(path, place) < 0;
}

static int is_up(const char *part, size_t length)
{
    return length == 2 && memcmp(part, "..", 2) == 0;
}

int scion_pack_is_clean(const char *path)
{
    size_t length;

    for (;; path += length + 1) {
        length = strcspn(path, "/");
        if (length == 0 || (length == 1 && path[0] == '.') || is_up(path, length))
            return 0;
        if (!path[length])
            return 1;
    }
}

int scion_pack_check_path(const char *path)
{
    const char *part, *rest = path;
    size_t length;

    if (path[0] == '/')
        return scion_fail(SION_ERR_ARGUMENT, "%s is refused: an absolute path", path);
    while ((rest = next_part(rest, &part, &length))) {
        if (is_up(part, length))
            return scion_fail(SION_ERR_ARGUMENT, "%s is refused: it leads out of the tree", path);
    }
    return scion_pack_is_clean(path)
               ? 0
               : scion_fail(SION_ERR_ARGUMENT, "'%s' is refused: it has empty parts", path);
}

static int depth_of(const char *path)
{
    const char *part;
    size_t length;
    int depth = 0;

    while ((path = next_part(path, &part, &length)))
        depth++;
    return depth;
}

/* A target that goes up after it has gone down could pass another link, so it may not go up then.
 */
static int leads_out(const char *target, int depth)
{
    const char *part;
    size_t length;
    int down = 0;

    if (target[0] == '/')
        return 1;
    while ((target = next_part(target, &part, &length))) {
        if (!is_up(part, length))
            down = 1;
        else if (down || --depth < 0)
            return 1;
    }
    return 0;
}

int scion_pack_check_link(const struct scion_pack_entry *entry)
{
    if (entry->type == SCION_PACK_HARD)
        return scion_pack_check_path(entry->target);
    return leads_out(entry->target, depth_of(entry->path) - 1)
               ? scion_fail(SION_ERR_ARGUMENT,
                            "%s is refused: the link to %s could lead out of the tree", entry->path,
                            entry->target)
               : 0;
}

/* ---- lists ---- */

int scion_pack_list_add(struct scion_pack_list *list, const struct scion_pack_entry *entry)
{
    size_t path = strlen(entry->path) + 1, target = entry->target ? strlen(entry->target) + 1 : 0;
    struct scion_pack_entry *new;

    if (list->count == list->room) {
        size_t room = 2 * list->room + 64;

        new = scion_array_grown(list->entries, room, sizeof *new);
        if (!new)
            return scion_fail_memory("names of files");
        list->entries = new;
        list->room = room;
    }
    new = &list->entries[list->count];
    *new = *entry;
    new->path = malloc(path + target);
    if (!new->path)
        return scion_fail_memory("names of files");
    memcpy(new->path, entry->path, path);
    new->target = target > 0 ? new->path + path : NULL;
    if (target > 0)
        memcpy(new->target, entry->target, target);
    list->count++;
    return 0;
}

static int by_path(const void *a, const void *b)
{
    const struct scion_pack_entry *one = a, *other = b;
    int order = scion_pack_compare(one->path, other->path);

    return order != 0 ? order : (one->task > other->task) - (one->task < other->task);
}

/* As a walk through one tree finds them. */
static int is_sorted(const struct scion_pack_list *list)
{
    size_t i = 1;

    while (i < list->count && by_path(&list->entries[i - 1], &list->entries[i]) <= 0)
        i++;
    return i >= list->count;
}

void scion_pack_list_sort(struct scion_pack_list *list)
{
    if (!is_sorted(list))
        qsort(list->entries, list->count, sizeof *list->entries, by_path);
}

static void forget_layout(struct scion_pack_list *list)
{
    free(list->order);
    free(list->first);
    free(list->used);
    list->order = list->first = NULL;
    list->used = NULL;
    list->ntasks = 0;
}

void scion_pack_list_free(struct scion_pack_list *list)
{
    size_t i;

    forget_layout(list);
    for (i = 0; i < list->count; i++)
        free(list->entries[i].path);
    free(list->entries);
    *list = (struct scion_pack_list){0};
}

void scion_pack_share(struct scion_pack_list *list, int ntasks)
{
    long double total = 0, done = 0;
    size_t i;

    for (i = 0; i < list->count; i++)
        total += (long double)scion_tar_member_size(&list->entries[i]);
    for (i = 0; i < list->count; i++) {
        int task = (int)(done / (total > 0 ? total : 1) * ntasks);

        list->entries[i].task = task < ntasks ? task : ntasks - 1;
        done += (long double)scion_tar_member_size(&list->entries[i]);
    }
}

/* ---- the streams ---- */

static int allocate(struct scion_pack_list *list, int ntasks)
{
    forget_layout(list);
    list->order = scion_array(list->count + 1, sizeof *list->order);
    list->first = calloc((size_t)ntasks + 1, sizeof *list->first);
    list->used = calloc((size_t)ntasks, sizeof *list->used);
    list->ntasks = ntasks;
    return list->order && list->first && list->used ? 0 : scion_fail_memory("streams of files");
}

/* Each task's entries, in the order of the list. */
static void group(struct scion_pack_list *list)
{
    size_t i, before = 0;
    int t;

    for (i = 0; i < list->count; i++)
        list->first[list->entries[i].task]++;
    for (t = 0; t <= list->ntasks; t++) {
        size_t count = list->first[t];

        list->first[t] = before;
        before += count;
    }
    for (i = 0; i < list->count; i++)
        list->order[list->first[list->entries[i].task]++] = i;
    for (t = list->ntasks; t > 0; t--)
        list->first[t] = list->first[t - 1];
    list->first[0] = 0;
}

static int place(struct scion_pack_entry *entry, sion_int64 *used)
{
    int head = scion_tar_head_size(entry), padding = scion_tar_padding(entry->size);

    return scion_add(*used, head, &entry->data) || scion_add(entry->data, entry->size, used) ||
                   scion_add(*used, padding, used)
               ? scion_fail(SION_ERR_ARGUMENT,
                            "%s and the files before it have more bytes than a "
                            "stream can hold",
                            entry->path)
               : 0;
}

int scion_pack_lay_out(struct scion_pack_list *list, int ntasks)
{
    int rc = allocate(list, ntasks), t;
    size_t i;

    if (rc == 0)
        group(list);
    for (i = 0; i < list->count && rc == 0; i++) {
        struct scion_pack_entry *entry = &list->entries[i];

        rc = place(entry, &list->used[entry->task]);
    }
    for (t = 0; t < ntasks && rc == 0; t++) {
        if (scion_add(list->used[t], SCION_TAR_END, &list->used[t]))
            rc = scion_fail(SION_ERR_ARGUMENT, "stream %d has too many bytes", t);
    }
    return rc;
}
