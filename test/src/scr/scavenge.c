/*
 * Filemaps as a scavenge leaves them, of a map and its summary.
 *
 * scavenge write MAP SUMMARY BASE FORM PATH CACHE NAME
 *
 * The filemap of each rank of the map in folder MAP, whose names are relative to BASE: FORM nested
 * or flat, in the file NAME in which %d is the rank; in META, PATH is before names; the keys of files
 * are CACHE/name.
 *
 * scavenge put FILE ABOVE KEY VALUE
 *
 * VALUE is that of KEY wherever it is below a key ABOVE in a file, or if ABOVE is "" anywhere. VALUE
 * "": remove it.
 *
 * scavenge same FILE FILE
 *
 * The same keys, in whatever order, but for times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trees.h"

static void need(int is_good)
{
    if (!is_good) {
        fprintf(stderr, "scavenge: %s\n", sion_error_text());
        exit(99);
    }
}

static const char *last_part(const char *name)
{
    return strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
}

/* ---- write ---- */

struct writing {
    const char *base, *path, *cache;
    const sion_kvtree *dset;
    int is_flat, ranks;
};

static void put_file(const struct writing *writing, sion_kvtree *files, const sion_kvtree *file)
{
    const char *name = sion_kvtree_key(file), *last = last_part(name);
    const char *crc = sion_kvtree_value(file, "CRC");
    char text[4096];
    sion_kvtree *meta;
    struct stat status;

    snprintf(text, sizeof text, "%s/%s", writing->cache, last);
    meta = sion_kvtree_set(sion_kvtree_set(files, text), "META");
    snprintf(text, sizeof text, "%s/%s", writing->base, name);
    need(stat(text, &status) == 0);
    sion_kvtree_put(meta, "FILE", last);
    sion_kvtree_put(meta, "TYPE", "USER");
    sion_kvtree_put_int(meta, "RANKS", writing->ranks);
    sion_kvtree_put(meta, "ORIG", last);
    snprintf(text, sizeof text, "%s%s%.*s", writing->path, last == name ? "" : "/",
             (int)(last == name ? 0 : last - name - 1), name);
    sion_kvtree_put(meta, "PATH", text);
    sion_kvtree_put(meta, "NAME", last);
    sion_kvtree_put_int(meta, "SIZE", status.st_size);
    sion_kvtree_put_int(meta, "COMPLETE", 1);
    if (crc)
        sion_kvtree_put(meta, "CRC", crc);
}

static sion_kvtree *filemap_of(const struct writing *writing, sion_int64 rank,
                               const sion_kvtree *entry)
{
    const sion_kvtree *files = sion_kvtree_get(entry, "FILE"), *file;
    sion_kvtree *map = sion_kvtree_new(), *flat = map;
    const char *id = sion_kvtree_value(writing->dset, "ID");
    char number[32];

    snprintf(number, sizeof number, "%lld", rank);
    if (!writing->is_flat) {
        sion_kvtree_put(sion_kvtree_set(sion_kvtree_set(map, "DSET"), id), "RANK", number);
        flat = sion_kvtree_set(sion_kvtree_set(map, "RANK"), number);
        flat = sion_kvtree_set(sion_kvtree_set(flat, "DSET"), id);
    }
    for (file = files ? sion_kvtree_first(files) : NULL; file; file = sion_kvtree_next(file))
        put_file(writing, sion_kvtree_set(flat, "FILE"), file);
    sion_kvtree_put_int(flat, "FILES", files ? sion_kvtree_count(files) : 0);
    sion_kvtree_merge(sion_kvtree_set(flat, "DSETDESC"), writing->dset);
    return map;
}

/* The name of a file, with the rank in it. */
static void fill_in(const char *format, sion_int64 rank, char *name, size_t size)
{
    const char *place = strstr(format, "%d");

    need(place != NULL);
    snprintf(name, size, "%.*s%lld%s", (int)(place - format), format, rank, place + 2);
}

static void write_all(char **argv)
{
    sion_scr_comm *self = sion_scr_comm_self();
    sion_scr_ranks *ranks = sion_scr_map_read(self, argv[0], NULL);
    struct writing writing = {.base = argv[2],
                              .path = argv[4],
                              .cache = argv[5],
                              .is_flat = strcmp(argv[3], "flat") == 0};
    sion_kvtree *summary, *entry, *map;
    sion_int64 rank;
    char name[4096];
    int i;

    need(ranks != NULL && read_kvtree(argv[1], &summary) == 0);
    writing.dset = sion_kvtree_get(summary, "DSET");
    writing.ranks = sion_scr_ranks_count(ranks);
    for (i = 0; i < writing.ranks; i++) {
        need(code_of(sion_scr_ranks_get(ranks, i, &rank, &entry)) == 0);
        map = filemap_of(&writing, rank, entry);
        fill_in(argv[6], rank, name, sizeof name);
        need(code_of(sion_kvtree_write(map, name)) == 0);
        sion_kvtree_free(map);
        sion_kvtree_free(entry);
    }
    sion_kvtree_free(summary);
    sion_scr_ranks_free(ranks);
    sion_scr_comm_free(self);
}

/* ---- put, same ---- */

static void put_everywhere(sion_kvtree *tree, int is_below, char **argv)
{
    const char *above = argv[0], *key = argv[1], *value = argv[2];
    const sion_kvtree *child;

    if (is_below && sion_kvtree_value(tree, key)) {
        sion_kvtree_remove(tree, key);
        if (value[0])
            sion_kvtree_put(tree, key, value);
        return;
    }
    for (child = sion_kvtree_first(tree); child; child = sion_kvtree_next(child))
        put_everywhere(sion_kvtree_get(tree, sion_kvtree_key(child)),
                       is_below || strcmp(sion_kvtree_key(child), above) == 0, argv);
}

static int is_time(const char *key)
{
    return strcmp(key, "FLUSHED") == 0 || strcmp(key, "FETCHED") == 0;
}

/* All that a has, b has, too. */
static int has_all(const sion_kvtree *a, const sion_kvtree *b)
{
    const sion_kvtree *child;

    for (child = sion_kvtree_first(a); child; child = sion_kvtree_next(child)) {
        const char *key = sion_kvtree_key(child);
        const sion_kvtree *other = sion_kvtree_get(b, key);

        if (!is_time(key) && (!other || !has_all(child, other))) {
            printf("%s\n", key);
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    sion_kvtree *a = NULL, *b = NULL;
    int is_same = 1;

    if (strcmp(command, "write") == 0 && argc == 9) {
        write_all(argv + 2);
    } else if (strcmp(command, "put") == 0 && argc == 6) {
        need(read_kvtree(argv[2], &a) == 0);
        put_everywhere(a, argv[3][0] == '\0', argv + 3);
        need(code_of(sion_kvtree_write(a, argv[2])) == 0);
    } else if (strcmp(command, "same") == 0 && argc == 4) {
        need(read_kvtree(argv[2], &a) == 0 && read_kvtree(argv[3], &b) == 0);
        is_same = has_all(a, b) && has_all(b, a);
    } else {
        return 99;
    }
    sion_kvtree_free(a);
    sion_kvtree_free(b);
    return is_same ? 0 : 1;
}
