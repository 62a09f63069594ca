/* sionrm: remove all files of a container. */
#include <stdlib.h>
#include <stddef.h>
#include <stdio.h>

#include "base/escape.h"
#include "lib/tool.h"
#include "sionmv/place.h"
#include "vfs/writer_lock.h"

struct settings {
    int force, verbose;
};

static const char usage[] =
    "Usage: %s [options] <container> ...\n\n"
    "Removes containers with all their files.\n\n"
    "Options:\n"
    "  [-f]               also what is left of a container of which files are missing or\n"
    "                     damaged, by their names; no error if there is nothing\n"
    "  [-v]               tell what is done\n"
    "  [-V]               show version\n"
    "  [-h]               show this help\n";

static void tell(const char *name)
{
    scion_print_escaped(stdout, name);
    puts(" is removed");
}

/* Files that the header of file 0 denies stay. */
static void leave_others(struct members *set)
{
    size_t kept = 0, i;

    for (i = 0; i < set->count; i++) {
        if (set->member[i].is_other)
            free(set->member[i].suffix);
        else
            set->member[kept++] = set->member[i];
    }
    set->count = kept;
}

static int remove_found(const char *name, const struct settings *settings)
{
    struct members set;
    int status = members_find(name, settings->force, &set);

    if (status != TOOL_RUN)
        return status;
    leave_others(&set);
    if (!settings->force)
        status = members_check(&set, name, "; -f removes the others");
    if (status == TOOL_RUN)
        status = remove_all(&set, name);
    if (status == TOOL_RUN && settings->verbose && set.count > 0)
        tell(name);
    members_free(&set);
    return status;
}

static int remove_one(const char *name, const struct settings *settings)
{
    struct scion_writer_lock *lock;
    int status = lock_name(name, &lock);

    if (status != TOOL_RUN)
        return status;
    status = remove_found(name, settings);
    scion_writer_lock_release(lock, 0);
    return status;
}

static const struct tool_option options[] = {
    TOOL_FLAG("force", 'f', struct settings, force),
    TOOL_FLAG("verbose", 'v', struct settings, verbose),
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {
    .name = "sionrm", .usage = usage, .options = options, .operands = 1, .more_operands = 1};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    int status = tool_parse(&tool, argc, argv, &settings), i;

    if (status != TOOL_RUN)
        return tool_finish(status);
    status = TOOL_DONE;
    for (i = optind; i < argc; i++) {
        if (remove_one(argv[i], &settings) != TOOL_RUN)
            status = TOOL_FAILED;
    }
    return tool_finish(status);
}
