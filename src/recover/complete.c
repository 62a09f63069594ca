/* Go on where the writer of an atomic set was killed while it gave its files their names. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "recover/private.h"
#include "vfs/writer_lock.h"

enum { MOST_FILES = 1000000 };

/* A set of files, or one of copies of them. */
struct set {
    const char *name;
    const char *copy_of; /* NULL: not copies */
    int only_looks;      /* nothing is renamed */
};

/* 1 if this is a closed file of a set that has this flag2, of which it is file `number`. */
static int is_member(const char *path, sion_int64 flag2, int nfiles, int number)
{
    struct scion_physical *physical;
    int is;

    if (scion_physical_read(path, &physical) != 0)
        return 0;
    is = physical->head.flag2 == flag2 && physical->head.nfiles == nfiles &&
         physical->head.filenumber == number;
    scion_physical_close(physical);
    return is;
}

/* Where file `number` is: 1 it has its name, 0 it is next to it, -1 neither. */
static int find_member(const char *name, const char *beside, const struct scion_meta1 *head,
                       int number)
{
    char *path = scion_physical_name(name, number), *other = scion_physical_name(beside, number);
    int found = -1;

    if (path && other && is_member(path, head->flag2, head->nfiles, number))
        found = 1;
    else if (path && other && is_member(other, head->flag2, head->nfiles, number))
        found = 0;
    free(path);
    free(other);
    return found;
}

/* How many of the files but file 0 have their names; -1: one is not there. */
static int count_named(const char *name, const char *beside, const struct scion_meta1 *head)
{
    int named = 0, found = 0, number;

    for (number = 1; number < head->nfiles && found >= 0; number++) {
        found = find_member(name, beside, head, number);
        named += found > 0;
    }
    return found < 0 ? -1 : named;
}

/*
 * The writer had begun to give the files their names: one of the set has its own; copies get theirs
 * when file 0 of the set has. Or all are complete, and there is no older container.
 */
static int is_begun(const struct set *set, const char *beside, const struct scion_meta1 *head)
{
    int named = count_named(set->name, beside, head);

    if (set->copy_of)
        return named >= 0 && is_member(set->copy_of, head->flag2, head->nfiles, 0);
    return named > 0 || (named == 0 && !scion_path_is_taken(set->name));
}

static int rename_member(const char *name, const char *beside, int number)
{
    char *path = scion_physical_name(name, number), *other = scion_physical_name(beside, number);
    int exists = 0, rc = path && other ? scion_file_look_for(other, &exists) : SION_ERR_MEMORY;

    if (rc == 0 && exists)
        rc = scion_file_rename(other, path);
    free(path);
    free(other);
    return rc;
}

/* File 0 is the last one, as for the writer. */
static int complete(const char *name, const char *beside, int nfiles)
{
    int rc = 0, number;

    for (number = nfiles - 1; number >= 0 && rc == 0; number--)
        rc = rename_member(name, beside, number);
    return rc;
}

/* A file 0 beside the name, which may be left of this writer or of any other. */
static int try_candidate(const struct set *set, const char *beside, int *completed)
{
    struct scion_physical *physical;
    struct scion_meta1 head;
    uint32_t nonce;

    if (scion_physical_read(beside, &physical) != 0)
        return 0;
    head = physical->head;
    scion_physical_close(physical);
    if (head.nfiles > MOST_FILES || (head.nfiles > 1 && head.filenumber != 0) ||
        !scion_marker_nonce(head.flag2, &nonce) || !is_begun(set, beside, &head))
        return 0;
    *completed = 1;
    return set->only_looks ? 0 : complete(set->name, beside, head.nfiles);
}

enum { NONCE = 8 }; /* hexadecimal digits of the end, ".12345678.new" */

/* Whether an entry of the folder is a file 0 beside this name. */
static int is_beside(const char *entry, const char *base)
{
    char core[NAME_MAX + 1];
    const char *behind;

    if (entry[0] != '.')
        return 0;
    scion_path_core(base, core);
    behind = entry + 1 + strlen(core);
    return strncmp(entry + 1, core, strlen(core)) == 0 && behind[0] == '.' &&
           strspn(behind + 1, "0123456789abcdef") == NONCE &&
           strcmp(behind + 1 + NONCE, ".new") == 0;
}

/* In the entry of a copy: "_BUDDY_00", by which the names of copies end; its length, or 0. */
static size_t find_level(const char *entry, const char **level)
{
    static const char copy[] = "_BUDDY_";
    size_t end = strlen(entry), digits, begin;

    if (end <= 1 + NONCE + strlen(".new"))
        return 0;
    end -= 1 + NONCE + strlen(".new");
    for (digits = end; digits > 0 && strchr("0123456789", entry[digits - 1]); digits--)
        ;
    if (digits == end || digits < strlen(copy))
        return 0;
    begin = digits - strlen(copy);
    *level = entry + begin;
    return strncmp(*level, copy, strlen(copy)) == 0 ? end - begin : 0;
}

static int try_entry(const struct set *set, const char *folder, const char *entry, int *completed)
{
    char *beside = scion_path_new(folder, entry);
    int rc = beside ? try_candidate(set, beside, completed) : scion_fail_memory("file name");

    free(beside);
    return rc;
}

static int try_copies(const char *name, const char *folder, const char *entry, int only_looks,
                      int *completed)
{
    const char *level;
    size_t length = find_level(entry, &level), size = strlen(name) + length + 1;
    char *copies = length > 0 ? malloc(size) : NULL;
    const struct set set = {.name = copies, .copy_of = name, .only_looks = only_looks};
    int rc = length > 0 && !copies ? scion_fail_memory("file name") : 0;

    if (copies) {
        snprintf(copies, size, "%s%.*s", name, (int)length, level);
        if (is_beside(entry, scion_basename(copies)))
            rc = try_entry(&set, folder, entry, completed);
    }
    free(copies);
    return rc;
}

/* The set itself comes first, because its copies depend on it. */
static int try_all(const char *name, const char *folder, int only_looks, int *completed)
{
    const struct set own = {.name = name, .only_looks = only_looks};
    char **entries;
    int n, rc = scion_folder_sorted(folder, &entries, &n), i;

    for (i = 0; i < n && rc == 0; i++) {
        if (is_beside(entries[i], scion_basename(name)))
            rc = try_entry(&own, folder, entries[i], completed);
    }
    for (i = 0; i < n && rc == 0; i++)
        rc = try_copies(name, folder, entries[i], only_looks, completed);
    scion_folder_free(entries, n);
    return rc;
}

/* The folder of a name, to be read. */
static int find_folder(const char *name, char folder[SCION_PATH])
{
    int rc = scion_name_check(name);

    return rc == 0 ? scion_path_folder(folder, name) : rc;
}

int scion_salvage_complete(const char *name, int *completed)
{
    char folder[SCION_PATH];
    struct scion_writer_lock *lock = NULL;
    int rc = find_folder(name, folder), unlocked;

    *completed = 0;
    if (rc == 0)
        rc = scion_writer_lock_take(name, 0, &lock);
    if (rc == 0)
        rc = try_all(name, folder, 0, completed);
    unlocked = scion_writer_lock_release(lock, 0);
    return scion_first_failure(rc, unlocked);
}

int scion_salvage_can_complete(const char *name)
{
    char folder[SCION_PATH];
    struct scion_writer writer;
    int completed = 0;

    return find_folder(name, folder) == 0 && !scion_writer_find(name, &writer) &&
           try_all(name, folder, 1, &completed) == 0 && completed;
}
