#include "sionscr/restart.h"

#include <stdio.h>
#include <string.h>

#include "lib/message.h"
#include "lib/text.h"
#include "scr/dataset/repair.h"
#include "scr/map/map.h"
#include "sion_error.h"
#include "sionscr/report.h"
#include "vfs/path.h"

struct restart {
    const struct scr_settings *settings;
    const char *prefix;
    enum sion_scr_layout release;
    char *folder; /* of the map */
    size_t size;
    int datasets, is_current_there, faults;
};

static const char *const releases[] = {[SION_SCR_LAYOUT_DATASET] = "SCR 1.1",
                                       [SION_SCR_LAYOUT_PREFIX] = "SCR 1.2",
                                       [SION_SCR_LAYOUT_3] = "SCR 3"};

static const char *const layouts[] = {[SION_SCR_LAYOUT_DATASET] = "dataset",
                                      [SION_SCR_LAYOUT_PREFIX] = "prefix",
                                      [SION_SCR_LAYOUT_3] = "scr3"};

/* ---- the prefix ---- */

/* SCR ends at its start if an earlier run left the order to halt. */
static void check_halt(struct restart *restart)
{
    static const char *const names[] = {".scr/halt.scr", "halt.scr"};
    char path[SCION_PATH];
    int i;

    for (i = 0; i < 2; i++) {
        if (scion_path(path, restart->prefix, names[i]) == 0 && scion_file_exists(path)) {
            tool_error("%s makes SCR exit at once: 'rm %s'", path, path);
            restart->faults++;
        }
    }
}

static void check_form(struct restart *restart, enum sion_scr_layout form)
{
    if (restart->release == 0)
        restart->release = form;
    if (form == restart->release)
        return;
    tool_error("the index is that of %s, in which %s finds no datasets: 'sionscr convert -l %s' makes "
               "a map for it, in another prefix",
               releases[form], releases[restart->release], layouts[restart->release]);
    restart->faults++;
}

/* ---- the map of the current dataset ---- */

/* Of a rank: whether it has no file, and whether one is in parts of containers. */
static void look_at_files(const sion_kvtree *tree, int *has_none, int *has_segments)
{
    const sion_kvtree *file = sion_kvtree_first(sion_kvtree_get(tree, "FILE"));

    *has_none = !file;
    *has_segments = 0;
    for (; file; file = sion_kvtree_next(file))
        *has_segments |= sion_kvtree_get(file, "SEG") != NULL;
}

static void check_ranks(struct restart *restart, const sion_scr_ranks *ranks, const char *name)
{
    int n = sion_scr_ranks_count(ranks), i, none, segments, lacking = 0, in_parts = 0;
    int wanted = restart->settings->restart;

    for (i = 0; i < n; i++) {
        sion_kvtree *tree;
        sion_int64 rank;

        if (scion_ranks_get(ranks, i, &rank, &tree) != 0)
            break;
        look_at_files(tree, &none, &segments);
        sion_kvtree_free(tree);
        lacking += none;
        in_parts += segments;
    }
    if (n != wanted) {
        tool_error("%s is of %d processes, not of %d: start %d, or SCR marks it as failed", name, n,
                   wanted, n);
        restart->faults++;
    }
    if (restart->release == SION_SCR_LAYOUT_DATASET && lacking > 0) {
        tool_error("%s has no file for %d of its ranks, from which SCR 1.1 does not restart", name,
                   lacking);
        restart->faults++;
    }
    if (restart->release == SION_SCR_LAYOUT_3 && in_parts > 0) {
        tool_error("%s has files in parts of containers, which SCR 3 does not read: 'sionscr export "
                   "-l scr3' of the container",
                   name);
        restart->faults++;
    }
}

static void check_map(struct restart *restart, const char *name)
{
    sion_scr_comm *self;
    sion_scr_ranks *ranks =
        scion_comm_self(&self) == 0 ? scion_scr_map_read(self, restart->folder, NULL) : NULL;

    if (ranks)
        check_ranks(restart, ranks, name);
    else
        tool_error("%s", sion_error_text());
    restart->faults += !ranks;
    sion_scr_ranks_free(ranks);
    scion_comm_free(self);
}

/* ---- the current dataset ---- */

static void refuse(struct restart *restart, const char *name, const char *why)
{
    tool_error("%s %s", name, why);
    restart->faults++;
}

static void check_entry(struct restart *restart, const struct sion_scr_indexed *dataset,
                        const char *name)
{
    if (dataset->problem)
        refuse(restart, name, dataset->problem);
    if (dataset->complete != 1)
        refuse(restart, name, "is not complete: SCR does not restart from it");
    if (!dataset->is_checkpoint && restart->release != SION_SCR_LAYOUT_DATASET)
        refuse(restart, name, "is no checkpoint: SCR does not restart from it");
    if (!dataset->map)
        refuse(restart, name, "has no map");
}

static int visit(void *user, const struct sion_scr_indexed *dataset)
{
    struct restart *restart = user;
    char name[SCR_NAME];

    if (restart->datasets++ == 0)
        check_form(restart, dataset->form);
    scr_hint_failed(restart->prefix, dataset);
    if (!dataset->is_current)
        return 0;
    restart->is_current_there = 1;
    scr_printable(dataset->name, name);
    check_entry(restart, dataset, name);
    if (dataset->map) {
        snprintf(restart->folder, restart->size, "%s/%s", restart->prefix, dataset->map);
        check_map(restart, name);
    }
    return 0;
}

int scr_restart(const struct scr_settings *settings, const char *prefix, char *folder, size_t size)
{
    struct restart restart = {.settings = settings,
                              .prefix = prefix,
                              .release = settings->release,
                              .folder = folder,
                              .size = size};
    int rc;

    folder[0] = '\0';
    check_halt(&restart);
    if (!sion_scr_index_exists(prefix)) {
        tool_error("there is no %s/.scr/index.scr, without which SCR finds nothing: 'sionscr index %s "
                   "--repair' makes it",
                   prefix, prefix);
        return TOOL_FAILED;
    }
    rc = scion_scr_index_visit(prefix, visit, &restart);
    if (rc != 0)
        return scr_status(settings, rc);
    if (!restart.is_current_there && restart.datasets > 0) {
        tool_error("no dataset of %s is the current one: 'sionscr index -u NAME %s' chooses one",
                   prefix, prefix);
        restart.faults++;
    }
    return restart.faults > 0 || restart.datasets == 0 ? TOOL_FAILED : TOOL_RUN;
}
