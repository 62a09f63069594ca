#include "scr/replaced.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vfs/path.h"

/* The number in a container's name; -1: it is another name. */
static sion_int64 number_of(const char *name)
{
    long long number;
    int length = 0;

    return sscanf(name, "ctr.%lld.scr%n", &number, &length) == 1 && length > 0 && !name[length] &&
                   number >= 0
               ? number
               : -1;
}

static int is_container(const char *name)
{
    return number_of(name) >= 0;
}

static int is_replaced(const char *name)
{
    return is_container(name) || strncmp(name, "rank2file", 9) == 0 ||
           strcmp(name, "summary.scr") == 0 || strcmp(name, SCION_PACK_LOCK) == 0;
}

/* Called for a file by its path. */
typedef int visitor(const char *path, void *data);

/* Visit the files of a folder whose names are of that kind. */
static int visit_folder(const char *folder, int (*is_wanted)(const char *name), visitor *visit,
                        void *data)
{
    struct scion_folder *names;
    char path[SCION_PATH];
    const char *name;
    int rc = scion_folder_open(folder, &names);

    if (rc == 0 && names)
        rc = scion_folder_next(names, &name);
    while (rc == 0 && names && name) {
        if (is_wanted(name))
            rc = scion_path(path, folder, name);
        if (rc == 0 && is_wanted(name))
            rc = visit(path, data);
        if (rc == 0)
            rc = scion_folder_next(names, &name);
    }
    scion_folder_close(names);
    return rc;
}

static int note(const char *path, void *data)
{
    struct stat status;

    if (scion_path_status(path, &status) == 0) {
        scion_words_append(data, (sion_int64)status.st_dev);
        scion_words_append(data, (sion_int64)status.st_ino);
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const sion_int64 *left = a, *right = b;
    int i = left[0] == right[0];

    return left[i] < right[i] ? -1 : left[i] > right[i];
}

int scion_replaced_find(const char *folder, struct scion_words *files)
{
    int rc = visit_folder(folder, is_replaced, note, files);

    if (rc == 0 && files->count > 0)
        qsort(files->words, (size_t)files->count / 2, 2 * sizeof *files->words, compare);
    return rc;
}

int scion_replaced_check(const struct scion_words *files, const char *path)
{
    struct stat status;
    sion_int64 wanted[2];

    if (files->count == 0 || scion_path_status(path, &status) != 0)
        return 0;
    wanted[0] = (sion_int64)status.st_dev;
    wanted[1] = (sion_int64)status.st_ino;
    if (!bsearch(wanted, files->words, (size_t)files->count / 2, sizeof wanted, compare))
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "%.1000s is an input, and would be replaced", path);
}

static int look_at_number(const char *path, void *data)
{
    sion_int64 number = number_of(scion_basename(path)), *next = data;

    if (number == INT64_MAX)
        return scion_fail(SION_ERR_ARGUMENT, "%s: no larger number is left", path);
    if (number >= *next)
        *next = number + 1;
    return 0;
}

int scion_replaced_next_container(const char *folder, sion_int64 *number)
{
    *number = 0;
    return visit_folder(folder, is_container, look_at_number, number);
}

struct number_range {
    sion_int64 first, last;
};

static int remove_unless_kept(const char *path, void *data)
{
    const struct number_range *number_range = data;
    sion_int64 number = number_of(scion_basename(path));

    return number >= number_range->first && number <= number_range->last ? 0
                                                                         : scion_path_remove(path);
}

int scion_replaced_remove_containers(const char *folder, sion_int64 first, sion_int64 last)
{
    struct number_range number_range = {first, last};

    return visit_folder(folder, is_container, remove_unless_kept, &number_range);
}
