/* sionmv: give all files of a container other names. */
#include <stddef.h>

#include "sionmv/copy.h"
#include "sionmv/files.h"

static const char usage[] =
    "Usage: %s [options] <container> <target>\n"
    "       %s [options] <container> ... <folder>\n\n"
    "Renames containers, or moves them into a folder, with all their files.\n\n"
    "Options:\n"
    "  [-f]               replace an older container of the name\n"
    "  [-v]               tell what is done\n"
    "  [-V]               show version\n"
    "  [-h]               show this help\n";

/* The source goes when the copy is complete. */
static int copy_and_remove(const struct members *set, const char *name, const struct target *target)
{
    int status = copy_container(set, name, target, 1);

    return status == TOOL_RUN ? remove_all(set, name) : status;
}

static int move(const struct members *set, const char *name, const struct target *target,
                const struct files_settings *settings)
{
    int status = place(set, name, target);

    (void)settings;
    return status == PLACE_ELSEWHERE ? copy_and_remove(set, name, target) : status;
}

static const struct tool_option options[] = {
    TOOL_FLAG("force", 'f', struct files_settings, force),
    TOOL_FLAG("verbose", 'v', struct files_settings, verbose),
    TOOL_PROGRESS_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionmv",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = TOOL_PROGRESS_HELP,
                                 .operands = 2,
                                 .more_operands = 1};

int main(int argc, char **argv)
{
    struct files_settings settings = {0};
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN)
        status = files_do_all(argv + optind, argc - optind, &settings, 1, move);
    return tool_finish(status);
}
