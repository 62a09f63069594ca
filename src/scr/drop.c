/* Datasets that are no longer wanted: out of the index first, then their files. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "scr/dataset/repair.h"
#include "scr/holdings.h"
#include "scr/scr.h"

typedef void teller(void *user, const char *name, int failed, const char *text);

/* A dataset of the index, as it was before anything was removed. */
struct candidate {
    char *name;
    char folder[SCION_PATH]; /* of its map, relative to the prefix; "": it has none */
    int is_dropped;
    int is_doubtful; /* what the index, or the summary, says of it is wrong: its map may be
                        another's */
    struct scion_holdings holdings;
};

struct drop_list {
    const char *prefix;
    const struct sion_scr_drop *what;
    struct scion_index index;
    struct candidate *list; /* [count], as in the index */
    int count;
    int next;       /* the entry that is looked at next */
    int left_files; /* files that could not be removed, or are not known */
    teller *tell;
    void *user;
};

/* ---- which ---- */

static int is_usable(const struct sion_scr_indexed *told, int rc, const char *folder)
{
    return rc == 0 && folder[0] && told->complete == 1 && told->is_checkpoint && !told->failed;
}

/* From the newest one on. The current one, and output, stay. */
static int choose(struct drop_list *drop_list)
{
    const struct sion_scr_drop *what = drop_list->what;
    int kept = 0, i, found = 0;

    for (i = drop_list->count - 1; i >= 0; i--) {
        const struct scion_index_dataset *indexed = &drop_list->index.list[i];
        struct candidate *candidate = &drop_list->list[i];
        struct sion_scr_indexed told;
        int rc = scion_index_dataset_describe(drop_list->prefix, &drop_list->index, indexed,
                                              candidate->folder, &told);

        candidate->is_doubtful = rc != 0;
        candidate->name = strdup(told.name);
        if (!candidate->name)
            return scion_fail_memory("names of datasets");
        if (what->name)
            candidate->is_dropped = strcmp(told.name, what->name) == 0;
        else
            candidate->is_dropped =
                kept >= what->keep && told.is_checkpoint && !told.is_output && !told.is_current;
        kept += !candidate->is_dropped && is_usable(&told, rc, candidate->folder);
        found |= candidate->is_dropped;
    }
    return found || !what->name ? 0
                                : scion_fail(SION_ERR_ARGUMENT, "%s has no dataset %.200s",
                                             drop_list->index.path, what->name);
}

/* ---- their files ---- */

static int find_files(const struct drop_list *drop_list, struct scion_comm *self,
                      struct candidate *candidate)
{
    char folder[2 * SCION_PATH];
    int rc;

    if (!candidate->folder[0])
        return 0;
    snprintf(folder, sizeof folder, "%s/%s", drop_list->prefix, candidate->folder);
    rc = scion_holdings_find(self, folder, &candidate->holdings);
    if (rc != 0)
        scion_fail_prefix("%s: what it shares with others is not known", candidate->name);
    return rc;
}

/* Files that a dataset has, too, which stays, are not removed. */
static int find_all_files(struct drop_list *drop_list)
{
    struct scion_comm *self = NULL;
    int i, k, rc = scion_comm_self(&self);

    for (i = 0; i < drop_list->count && rc == 0; i++)
        rc = find_files(drop_list, self, &drop_list->list[i]);
    for (i = 0; i < drop_list->count && rc == 0; i++) {
        for (k = 0; k < drop_list->count && drop_list->list[i].is_dropped; k++) {
            if (!drop_list->list[k].is_dropped)
                scion_holdings_spare(&drop_list->list[i].holdings, &drop_list->list[k].holdings);
        }
    }
    scion_comm_free(self);
    return rc;
}

/* ---- doing it ---- */

static int is_unwanted(void *data, const struct scion_index_dataset *indexed)
{
    struct drop_list *drop_list = data;

    (void)indexed;
    return drop_list->list[drop_list->next++].is_dropped;
}

static void say(struct drop_list *drop_list, const char *name, int failed, const char *text)
{
    drop_list->left_files += failed;
    if (drop_list->tell)
        drop_list->tell(drop_list->user, name, failed, text);
}

static void drop_files(struct drop_list *drop_list, struct candidate *candidate)
{
    const struct sion_scr_drop *what = drop_list->what;
    char text[96];
    int rc = 0;

    if (what->delete_files && candidate->is_doubtful)
        rc = scion_fail(SION_ERR_DAMAGED,
                        "its files are not removed: its entry or summary is damaged, and the map "
                        "may be that of another dataset");
    else if (what->delete_files && !what->dry_run && candidate->folder[0])
        rc = scion_holdings_remove(&candidate->holdings);
    if (what->delete_files)
        snprintf(text, sizeof text, "%s, with %zu file%s",
                 what->dry_run ? "to be removed" : "removed", candidate->holdings.count,
                 candidate->holdings.count == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "%s", what->dry_run ? "to be removed" : "removed");
    say(drop_list, candidate->name, rc != 0, rc != 0 ? scion_error_text() : text);
}

/* From now on SCR restarts from another dataset, whatever becomes of the files. */
static int change_index(struct drop_list *drop_list)
{
    const char *name;
    int rc = scion_index_remove(&drop_list->index, is_unwanted, drop_list);

    if (rc == 0)
        rc = scion_index_choose_current(drop_list->prefix, &drop_list->index, &name);
    if (rc == 0 && !drop_list->what->dry_run)
        rc = scion_index_write(&drop_list->index);
    if (rc == 0 && name)
        say(drop_list, name, 0, drop_list->what->dry_run ? "to be current" : "current");
    return rc;
}

static int drop(struct drop_list *drop_list)
{
    int rc = choose(drop_list), i;

    if (rc == 0 && drop_list->what->delete_files)
        rc = find_all_files(drop_list);
    if (rc == 0)
        rc = change_index(drop_list);
    for (i = 0; i < drop_list->count && rc == 0; i++) {
        if (drop_list->list[i].is_dropped)
            drop_files(drop_list, &drop_list->list[i]);
    }
    return rc == 0 && drop_list->left_files > 0
               ? scion_fail(SION_ERR_SYSTEM, "%s: not all files could be removed",
                            drop_list->prefix)
               : rc;
}

int scion_scr_index_drop(const char *prefix, const struct sion_scr_drop *what, teller *tell,
                         void *user)
{
    struct drop_list drop_list = {.prefix = prefix, .what = what, .tell = tell, .user = user};
    int rc, i;

    if (!what->name && what->keep < 1)
        return scion_fail(SION_ERR_ARGUMENT, "at least one checkpoint must be kept, not %d",
                          what->keep);
    rc = scion_index_read(prefix, &drop_list.index);
    if (rc == 0 && !drop_list.index.is_there)
        rc = scion_fail(SION_ERR_ARGUMENT, "there is no %s", drop_list.index.path);
    if (rc == 0) {
        drop_list.count = drop_list.index.count;
        drop_list.list = scion_must_allocate((size_t)drop_list.count + 1, sizeof *drop_list.list);
        rc = drop(&drop_list);
    }
    for (i = 0; i < drop_list.count; i++) {
        free(drop_list.list[i].name);
        scion_holdings_free(&drop_list.list[i].holdings);
    }
    free(drop_list.list);
    scion_index_free(&drop_list.index);
    return rc;
}
