#include "scr/holdings.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/map/entry.h"
#include "scr/map/map.h"

/* ---- finding ---- */

struct holdings_search {
    struct scion_holdings *holdings;
    size_t room;
};

static int add(struct holdings_search *holdings_search, const char *name)
{
    struct scion_holdings *holdings = holdings_search->holdings;
    char path[SCION_PATH];
    int rc = scion_path_inside(path, holdings->base, name, 0);

    if (rc != 0 || (holdings->count > 0 && strcmp(holdings->files[holdings->count - 1], path) == 0))
        return rc;
    if (holdings->count == holdings_search->room) {
        size_t room = 2 * holdings_search->room + 64;
        void *files = scion_array_grown(holdings->files, room, sizeof *holdings->files);

        if (!files)
            return scion_fail_memory("files of a dataset");
        holdings->files = files;
        holdings_search->room = room;
    }
    holdings->files[holdings->count] = strdup(path);
    if (!holdings->files[holdings->count])
        return scion_fail_memory("files of a dataset");
    holdings->count++;
    return 0;
}

/* What an entry that is damaged names is not known. */
static int visit(void *data, sion_int64 rank, struct scion_entry *entry, int status)
{
    struct holdings_search *holdings_search = data;
    int i, rc = status;

    (void)rank;
    for (i = 0; i < entry->segments.count && rc == 0; i++)
        rc = add(holdings_search, entry->segments.list[i].file);
    return rc == 0 && !entry->in_segments ? add(holdings_search, entry->name) : rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each once, in order. */
static void sort(struct scion_holdings *holdings)
{
    size_t i, n = 0;

    if (holdings->count > 1)
        qsort(holdings->files, holdings->count, sizeof *holdings->files, by_name);
    for (i = 0; i < holdings->count; i++) {
        if (n > 0 && strcmp(holdings->files[n - 1], holdings->files[i]) == 0)
            free(holdings->files[i]);
        else
            holdings->files[n++] = holdings->files[i];
    }
    holdings->count = n;
}

int scion_holdings_find(sion_scr_comm *self, const char *folder, struct scion_holdings *holdings)
{
    struct scion_map_info *info = scion_must_allocate(1, sizeof *info);
    struct sion_scr_ranks ranks = {0};
    struct scion_names names;
    struct holdings_search holdings_search = {holdings, 0};
    int rc;

    *holdings = (struct scion_holdings){.count = 0};
    rc = scion_path(holdings->folder, NULL, folder);
    if (rc == 0)
        rc = scion_map_read(self, folder, NULL, &ranks, info);
    if (rc == 0) {
        strcpy(holdings->base, info->base);
        holdings->place = (struct sion_scr_place){.layout = (enum sion_scr_layout)info->layout,
                                                  .base = holdings->base,
                                                  .id = info->id};
        names = scion_map_names(info, NULL);
        rc = scion_entries_visit(&ranks, &names, visit, &holdings_search);
        sort(holdings);
    }
    scion_ranks_clear(&ranks);
    free(info);
    return rc;
}

void scion_holdings_free(struct scion_holdings *holdings)
{
    size_t i;

    for (i = 0; i < holdings->count; i++)
        free(holdings->files[i]);
    free(holdings->files);
    *holdings = (struct scion_holdings){.count = 0};
}

void scion_holdings_spare(struct scion_holdings *holdings, const struct scion_holdings *other)
{
    size_t i, n = 0;

    for (i = 0; i < holdings->count; i++) {
        if (other->count > 0 &&
            bsearch(&holdings->files[i], other->files, other->count, sizeof *other->files, by_name))
            free(holdings->files[i]);
        else
            holdings->files[n++] = holdings->files[i];
    }
    holdings->count = n;
}

/* ---- removing ---- */

/* Up to the base, as long as they are empty. */
static void remove_empty(const char *base, const char *path)
{
    char folder[SCION_PATH];

    if (scion_path(folder, NULL, path) != 0)
        return;
    do
        scion_path_up(folder);
    while (strlen(folder) > strlen(base) && scion_remove_folder(folder) == 0);
}

int scion_holdings_remove(const struct scion_holdings *holdings)
{
    char path[SCION_PATH];
    int rc = scion_layout_clear(&holdings->place), other;
    size_t i;

    if (rc == 0)
        rc = scion_path(path, holdings->folder, "summary.scr");
    if (rc == 0)
        rc = scion_path_remove(path);
    if (rc != 0)
        return rc; /* nobody loses a file of a map that is still there */
    for (i = 0; i < holdings->count; i++) {
        other = scion_path_remove(holdings->files[i]);
        rc = scion_first_failure(rc, other);
        remove_empty(holdings->base, holdings->files[i]);
    }
    if (rc == 0) {
        scion_remove_folder(holdings->folder);
        if (holdings->place.layout == SION_SCR_LAYOUT_DATASET)
            scion_remove_folder(holdings->base);
    }
    return rc;
}
