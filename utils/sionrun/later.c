#include "sionrun/later.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "lib/tool.h"
#include "sionrun/drains.h"
#include "sionrun/folder.h"
#include "sionrun/pack.h"

static void print(const struct folder *folder, const struct folder_members *members, long user)
{
    scion_print_escaped(stdout, folder->path);
    printf(": files of %d of %d processes for ", members->known, folder->size);
    scion_print_escaped(stdout, folder->output);
    if (user > 0)
        printf(", in use by process %ld", user);
    else if (folder_is_packed(folder))
        printf(", packed");
    putchar('\n');
}

static int treat(const char *path, const struct settings *settings)
{
    struct folder folder;
    struct folder_members members;
    int status = folder_open(&folder, path);
    long user;

    if (status == TOOL_RUN && !folder_is_begun(&folder))
        return settings->list ? TOOL_RUN : folder_remove(&folder);
    if (status == TOOL_RUN)
        status = folder_count(&folder, &members);
    if (status != TOOL_RUN)
        return status;
    user = folder_user(&folder);
    if (settings->list) {
        print(&folder, &members, user);
        return TOOL_RUN;
    }
    if (user > 0) {
        tool_error("%s is still in use by process %ld", path, user);
        return TOOL_FAILED;
    }
    if (settings->discard)
        return folder_remove(&folder);
    if (members.known == 0 && !folder_is_packed(&folder)) { /* so there are no files */
        tool_warning("%s: no program was started, --discard removes the folder", path);
        return TOOL_RUN;
    }
    return pack_later(&folder, settings);
}

/* A session folder, or one in which these are. */
static int treat_all(const char *path, const struct settings *settings)
{
    int n, i, status = TOOL_RUN;
    char **found;

    if (strncmp(scion_basename(path), "sionrun-", strlen("sionrun-")) == 0)
        return treat(path, settings);
    found = folder_find(path, &n);
    if (!found)
        return TOOL_FAILED;
    for (i = 0; i < n; i++) {
        if (treat(found[i], settings) != TOOL_RUN)
            status = TOOL_FAILED;
    }
    if (n == 0)
        tool_warning("no job has left files in %s", path);
    if (settings->pack || settings->list)
        drains_tell(path);
    folder_free_names(found, n);
    return status;
}

int later(char **folders, int n, const struct settings *settings)
{
    int i, status = TOOL_DONE;

    for (i = 0; i < n; i++) {
        if (treat_all(folders[i], settings) != TOOL_RUN)
            status = TOOL_FAILED;
    }
    return status;
}
