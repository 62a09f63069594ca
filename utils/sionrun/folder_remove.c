/* The end of a session folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tool.h"
#include "run/session.h"
#include "sionrun/folder.h"
#include "sionrun/namespace.h"
#include "sionrun/workers.h"
#include "vfs/below.h"

enum {
    DEEPEST = 2000,
    LEAST_TO_SHARE = 2000 /* files; with fewer, processes are not worth their start */
};

/* How names of a folder are removed. */
enum order {
    ALL,      /* those that are gone already, too */
    FORWARDS, /* and backwards: until one is gone, because from there on another process has been */
    BACKWARDS
};

static int remove_tree(const char *path, int depth, enum order order);

/* Most are files, so that is tried first. */
static int remove_entry(int folder, const char *path, const char *name, int depth, enum order order)
{
    int errnum = scion_below_remove(folder, name);
    char *below;

    if (errnum == EISDIR || errnum == EPERM) {
        below = scion_path_new(path, name);
        errnum = below ? remove_tree(below, depth + 1, order) : ENOMEM;
        free(below);
    }
    return errnum == ENOENT && order == ALL ? 0 : errnum;
}

/* All that is in a folder, but for one name. */
static int remove_all_but(const char *path, const char *but, int depth, enum order order)
{
    char **names = NULL;
    int n = 0, i, folder = -1, errnum;

    if (depth >= DEEPEST)
        return ELOOP;
    scion_path_set_permissions(path, 0700);
    errnum = scion_below_open(path, &folder);
    if (errnum == 0)
        errnum = scion_below_names(folder, &names, &n);
    for (i = 0; i < n && errnum == 0; i++) {
        const char *name = names[order == BACKWARDS ? n - 1 - i : i];

        if (strcmp(name, but) != 0)
            errnum = remove_entry(folder, path, name, depth, order);
    }
    scion_folder_free(names, n);
    scion_below_close(folder);
    return errnum;
}

static int remove_tree(const char *path, int depth, enum order order)
{
    int errnum = remove_all_but(path, "", depth, order);

    return errnum == 0 ? scion_remove_folder(path) : errnum;
}

/* ---- by two processes ---- */

/* What it cannot remove is told by the process that removes the rest. */
static int work(void *context, int number, int n)
{
    const char *tree = context;

    if (n > 1)
        remove_all_but(tree, "", 0, number == 0 ? FORWARDS : BACKWARDS);
    return TOOL_RUN;
}

/* Begin at both ends. */
static void remove_most(const struct folder *folder)
{
    struct scion_session session;
    char tree[SCION_PATH];
    const struct workers_job job = {.work = work, .context = tree};
    int is_large;

    if (scion_session_open(folder->path, &session) != 0)
        return;
    is_large = session.head->records >= LEAST_TO_SHARE && scion_path(tree, NULL, session.tree) == 0;
    scion_session_close(&session);
    if (is_large)
        workers_run(&job, 2);
}

/* Whoever finds a part of it sees that it is packed as long as anything else is there. */
int folder_remove(const struct folder *folder)
{
    int errnum;

    namespace_end(folder);
    remove_most(folder);
    errnum = remove_all_but(folder->path, FOLDER_PACKED, 0, ALL);
    if (errnum == 0)
        errnum = remove_tree(folder->path, 0, ALL);
    if (errnum == 0)
        return TOOL_RUN;
    tool_error("cannot remove %s: %s", folder->path, strerror(errnum));
    return TOOL_FAILED;
}
