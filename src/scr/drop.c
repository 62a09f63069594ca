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
    int is_doubtful; /* what the index, or the summary, says of it is wrong: its map may be another's */
    struct scion_holdings holdings;
};

struct dropping {
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
static int choose(struct dropping *dropping)
{
    const struct sion_scr_drop *what = dropping->what;
    int kept = 0, i, found = 0;

    for (i = dropping->count - 1; i >= 0; i--) {
        const struct scion_indexed *indexed = &dropping->index.list[i];
        struct candidate *candidate = &dropping->list[i];
        struct sion_scr_indexed told;
        int rc = scion_indexed_describe(dropping->prefix, &dropping->index, indexed,
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
                                             dropping->index.path, what->name);
}

/* ---- their files ---- */

static int find_files(const struct dropping *dropping, struct scion_comm *self,
                      struct candidate *candidate)
{
    char folder[2 * SCION_PATH];
    int rc;

    if (!candidate->folder[0])
        return 0;
    snprintf(folder, sizeof folder, "%s/%s", dropping->prefix, candidate->folder);
    rc = scion_holdings_find(self, folder, &candidate->holdings);
    if (rc != 0)
        scion_fail_prefix("%s: what it shares with others is not known", candidate->name);
    return rc;
}

/* Files that a dataset has, too, which stays, are not removed. */
static int find_all_files(struct dropping *dropping)
{
    struct scion_comm *self = NULL;
    int i, k, rc = scion_comm_self(&self);

    for (i = 0; i < dropping->count && rc == 0; i++)
        rc = find_files(dropping, self, &dropping->list[i]);
    for (i = 0; i < dropping->count && rc == 0; i++) {
        for (k = 0; k < dropping->count && dropping->list[i].is_dropped; k++) {
            if (!dropping->list[k].is_dropped)
                scion_holdings_spare(&dropping->list[i].holdings, &dropping->list[k].holdings);
        }
    }
    scion_comm_free(self);
    return rc;
}

/* ---- doing it ---- */

static int is_unwanted(void *data, const struct scion_indexed *indexed)
{
    struct dropping *dropping = data;

    (void)indexed;
    return dropping->list[dropping->next++].is_dropped;
}

static void say(struct dropping *dropping, const char *name, int failed, const char *text)
{
    dropping->left_files += failed;
    if (dropping->tell)
        dropping->tell(dropping->user, name, failed, text);
}

static void drop_files(struct dropping *dropping, struct candidate *candidate)
{
    const struct sion_scr_drop *what = dropping->what;
    char text[96];
    int rc = 0;

    if (what->delete_files && candidate->is_doubtful)
        rc = scion_fail(SION_ERR_DAMAGED, "its files stay: its entry or summary is damaged, and the "
                                          "map may be that of another dataset");
    else if (what->delete_files && !what->dry_run && candidate->folder[0])
        rc = scion_holdings_remove(&candidate->holdings);
    if (what->delete_files)
        snprintf(text, sizeof text, "%s, with %zu file%s", what->dry_run ? "to be removed" : "removed",
                 candidate->holdings.count, candidate->holdings.count == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "%s", what->dry_run ? "to be removed" : "removed");
    say(dropping, candidate->name, rc != 0, rc != 0 ? scion_error_text() : text);
}

/* From now on SCR restarts from another dataset, whatever becomes of the files. */
static int change_index(struct dropping *dropping)
{
    const char *name;
    int rc = scion_index_remove(&dropping->index, is_unwanted, dropping);

    if (rc == 0)
        rc = scion_index_choose_current(dropping->prefix, &dropping->index, &name);
    if (rc == 0 && !dropping->what->dry_run)
        rc = scion_index_write(&dropping->index);
    if (rc == 0 && name)
        say(dropping, name, 0, dropping->what->dry_run ? "to be current" : "current");
    return rc;
}

static int drop(struct dropping *dropping)
{
    int rc = choose(dropping), i;

    if (rc == 0 && dropping->what->delete_files)
        rc = find_all_files(dropping);
    if (rc == 0)
        rc = change_index(dropping);
    for (i = 0; i < dropping->count && rc == 0; i++) {
        if (dropping->list[i].is_dropped)
            drop_files(dropping, &dropping->list[i]);
    }
    return rc == 0 && dropping->left_files > 0
               ? scion_fail(SION_ERR_SYSTEM, "%s: not all files could be removed", dropping->prefix)
               : rc;
}

int scion_scr_index_drop(const char *prefix, const struct sion_scr_drop *what, teller *tell,
                        void *user)
{
    struct dropping dropping = {.prefix = prefix, .what = what, .tell = tell, .user = user};
    int rc, i;

    if (!what->name && what->keep < 1)
        return scion_fail(SION_ERR_ARGUMENT, "at least one checkpoint must be kept, not %d",
                          what->keep);
    rc = scion_index_read(prefix, &dropping.index);
    if (rc == 0 && !dropping.index.is_there)
        rc = scion_fail(SION_ERR_ARGUMENT, "there is no %s", dropping.index.path);
    if (rc == 0) {
        dropping.count = dropping.index.count;
        dropping.list = scion_must_allocate((size_t)dropping.count + 1, sizeof *dropping.list);
        rc = drop(&dropping);
    }
    for (i = 0; i < dropping.count; i++) {
        free(dropping.list[i].name);
        scion_holdings_free(&dropping.list[i].holdings);
    }
    free(dropping.list);
    scion_index_free(&dropping.index);
    return rc;
}
