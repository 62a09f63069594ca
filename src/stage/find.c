#include "stage/find.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "stage/report.h"
#include "stage/rows.h"
#include "vfs/path.h"

static const char ending[] = ".stage";

/* Whether a name is that of a record, or, if `behind` is not NULL, of a file of a part. */
static int is_part_name(const char *name, const char **behind)
{
    const char *at = name[0] == '.' ? strstr(name, ending) : NULL, *next;

    while (at && (next = strstr(at + 1, ending)))
        at = next;
    if (behind)
        *behind = at ? at + sizeof ending - 1 : NULL;
    return at && (behind ? at[sizeof ending - 1] == '.' : at[sizeof ending - 1] == '\0');
}

/* A record, and when its container was opened; 0: it cannot be read. */
struct entry {
    sion_int64 opened;
    char *path;
};

static int compare(const void *a, const void *b)
{
    const struct entry *one = a, *two = b;

    if (one->opened != two->opened)
        return one->opened < two->opened ? -1 : 1;
    return strcmp(one->path, two->path);
}

static sion_int64 time_of(const char *record)
{
    struct scion_stage_part part;
    sion_int64 opened = 0;

    if (scion_stage_part_read(record, &part) == 0) {
        opened = part.opened;
        scion_stage_part_free(&part);
    }
    return opened;
}

/* The entries in the order of their times, as a list of paths. */
static int sort(struct entry *entries, int n, char ***records)
{
    int i;

    *records = calloc((size_t)n + 1, sizeof **records);
    if (!*records)
        return scion_fail_memory("list of a folder");
    qsort(entries, (size_t)n, sizeof *entries, compare);
    for (i = 0; i < n; i++)
        (*records)[i] = entries[i].path;
    return 0;
}

int scion_stage_find(const char *folder, char ***records, int *n)
{
    struct entry *entries = NULL;
    char **names;
    int count, rc = scion_folder_sorted(folder, &names, &count), i;

    *n = 0;
    if (rc == 0 && !names)
        return scion_fail(SION_ERR_ARGUMENT, "%s: there is no such folder", folder);
    if (rc == 0)
        entries = calloc((size_t)count + 1, sizeof *entries);
    if (rc == 0 && !entries)
        rc = scion_fail_memory("list of a folder");
    for (i = 0; rc == 0 && i < count; i++) {
        char *path = is_part_name(names[i], NULL) ? scion_path_new(folder, names[i]) : NULL;

        if (path)
            entries[(*n)++] = (struct entry){time_of(path), path};
    }
    scion_folder_free(names, count);
    if (rc == 0)
        rc = sort(entries, *n, records);
    free(entries);
    return rc;
}

void scion_stage_free_list(char **records, int n)
{
    while (n > 0)
        free(records[--n]);
    free(records);
}

enum { OPEN_SECONDS = 600 };

/* An open makes the record a moment after the first file. */
static int is_old(const char *path)
{
    struct stat status;

    return scion_path_own_status(path, &status) == 0 && time(NULL) - status.st_mtime > OPEN_SECONDS;
}

/* Its first writing was interrupted, or it is damaged. */
static int is_damaged(const char *record)
{
    struct scion_stage_part part;
    int rc = scion_stage_part_read(record, &part);

    if (rc == 0)
        scion_stage_part_free(&part);
    return rc == SION_ERR_DAMAGED;
}

/* 1 if it was removed. */
static int clean_one(const char *folder, const char *name)
{
    const char *behind;
    char *path, *record;
    int removed = 0;

    if (!is_part_name(name, &behind) && !is_part_name(name, NULL))
        return 0;
    path = scion_path_new(folder, name);
    record = path ? strndup(path, strlen(path) - strlen(behind)) : NULL;
    if (record && is_old(path) && (!scion_path_is_taken(record) || is_damaged(record))) {
        scion_file_remove(path);
        removed = 1;
    }
    free(record);
    free(path);
    return removed;
}

int scion_stage_clean(const char *folder, int *removed)
{
    char **names;
    int count, rc = scion_folder_sorted(folder, &names, &count), i;

    *removed = 0;
    for (i = 0; rc == 0 && names && i < count; i++)
        *removed += clean_one(folder, names[i]);
    if (rc == 0)
        scion_folder_free(names, count);
    return rc;
}

enum { NONCE = 8 }; /* hexadecimal digits */

/* Length of the name of the new file 0 that a note belongs to, by the core of the container's; 0:
   it is not one of it. */
static size_t length_of_new(const char *name, const char *core)
{
    static const char behind[] = ".new.node.";
    size_t length = strlen(core), end = 1 + length + 1 + NONCE;

    if (name[0] != '.' || strncmp(name + 1, core, length) != 0 || name[1 + length] != '.' ||
        strspn(name + 1 + length + 1, "0123456789abcdef") != NONCE ||
        strncmp(name + end, behind, sizeof behind - 1) != 0)
        return 0;
    return end + strlen(".new");
}

static void clean_note(const char *folder, const char *name, size_t length)
{
    char *path = scion_path_new(folder, name);
    char *new = path ? strndup(path, strlen(path) - strlen(name) + length) : NULL;

    if (new && !scion_path_is_taken(new))
        scion_file_remove(path);
    free(new);
    free(path);
}

void scion_stage_clean_notes(const char *target)
{
    char folder[SCION_PATH], core[NAME_MAX + 1], **names;
    int count, i;

    scion_path_core(scion_basename(target), core);
    if (scion_path_folder(folder, target) != 0 || scion_folder_sorted(folder, &names, &count) != 0)
        return;
    for (i = 0; names && i < count; i++) {
        size_t length = length_of_new(names[i], core);

        if (length > 0)
            clean_note(folder, names[i], length);
    }
    scion_folder_free(names, count);
}

void scion_stage_discard(const struct scion_stage_part *part)
{
    int i;

    for (i = part->nfiles - 1; i >= 0; i--) {
        char *new = scion_stage_new(part, i);

        if (new)
            scion_file_remove(new);
        free(new);
    }
    scion_report_remove(part, part->node);
    scion_stage_rows_withdraw(part, part->node);
    scion_stage_part_remove(part);
}
