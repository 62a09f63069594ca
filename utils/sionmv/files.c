#include "sionmv/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "recover/recover.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- the source ---- */

static int check_begun(const char *name)
{
    if (!scion_salvage_can_complete(name))
        return TOOL_RUN;
    tool_error("%s was being replaced when its writer ended: \"sionrecover --in-place %s\" first",
               name, name);
    return TOOL_FAILED;
}

static int find_source(const char *name, struct members *set)
{
    int status = check_begun(name);

    if (status == TOOL_RUN)
        status = members_find(name, 0, set);
    if (status != TOOL_RUN)
        return status;
    status = members_check(set, name, "");
    if (status != TOOL_RUN)
        members_free(set);
    return status;
}

/* Only what is there can be locked without making a file. */
static int hold_source(const char *name, int is_moving, struct scion_writer_lock **lock)
{
    *lock = NULL;
    if (is_moving && scion_path_is_taken(name))
        return lock_name(name, lock);
    return scion_writer_lock_check(name) == 0 ? TOOL_RUN : failed();
}

/* ---- the target ---- */

static int is_folder(const char *name)
{
    struct stat file;

    return scion_path_status(name, &file) == 0 && S_ISDIR(file.st_mode);
}

/* To be freed; NULL after a message. */
static char *target_name(const char *source, const char *target, int folder)
{
    char *name = folder ? scion_path_new(target, scion_basename(source)) : strdup(target);

    if (!name)
        tool_error("out of memory");
    return name;
}

/* ---- all ---- */

static int do_found(const struct members *set, const char *name, const char *to,
                    const struct files_settings *settings, int is_moving, files_do *do_one)
{
    struct target target;
    int status = target_find(&target, to, set, settings->force, is_moving);

    if (status != TOOL_RUN)
        return status;
    status = do_one(set, name, &target, settings);
    target_free(&target);
    if (status == TOOL_RUN && settings->verbose) {
        scion_print_escaped(stdout, name);
        fputs(" -> ", stdout);
        scion_print_escaped(stdout, to);
        putchar('\n');
    }
    return status;
}

static int do_source(const char *name, const char *to, const struct files_settings *settings,
                     int is_moving, files_do *do_one)
{
    struct scion_writer_lock *lock;
    struct members set;
    int status = hold_source(name, is_moving, &lock);

    if (status != TOOL_RUN)
        return status;
    status = find_source(name, &set);
    if (status == TOOL_RUN) {
        status = do_found(&set, name, to, settings, is_moving, do_one);
        members_free(&set);
    }
    scion_writer_lock_release(lock, 0);
    return status;
}

int files_do_all(char **names, int count, const struct files_settings *settings, int is_moving,
                 files_do *do_one)
{
    const char *last = names[count - 1];
    int folder = is_folder(last), status = TOOL_DONE, i;

    if (count > 2 && !folder) {
        tool_error("%s is not a folder, as it must be for several containers", last);
        return TOOL_FAILED;
    }
    for (i = 0; i < count - 1; i++) {
        char *to = target_name(names[i], last, folder);

        if (!to || do_source(names[i], to, settings, is_moving, do_one) != TOOL_RUN)
            status = TOOL_FAILED;
        free(to);
    }
    return status;
}
