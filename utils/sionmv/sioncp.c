/* sioncp: copy all files of a container. */
#include <stddef.h>

#include "sionmv/copy.h"
#include "sionmv/files.h"

static const char usage[] = "Usage: %s [options] <container> <target>\n"
                            "       %s [options] <container> ... <folder>\n\n"
                            "Copies containers with all their files, which keep their holes.\n\n"
                            "Options:\n"
                            "  [-f]               replace an older container of the name\n"
                            "  [-p]               keep owner, permissions, attributes and times\n"
                            "  [-v]               tell what is done\n"
                            "  [-V]               show version\n"
                            "  [-h]               show this help\n";

static int copy(const struct members *set, const char *name, const struct target *target,
                const struct files_settings *settings)
{
    return copy_container(set, name, target, settings->preserve);
}

static const struct tool_option options[] = {
    TOOL_FLAG("force", 'f', struct files_settings, force),
    TOOL_FLAG("preserve", 'p', struct files_settings, preserve),
    TOOL_FLAG("verbose", 'v', struct files_settings, verbose),
    TOOL_PROGRESS_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sioncp",
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
        status = files_do_all(argv + optind, argc - optind, &settings, 0, copy);
    return tool_finish(status);
}
