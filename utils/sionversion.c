/* sionversion: the versions of the interface and of the file format. */
#include <stdio.h>

#include "sion_const.h"

#include "lib/tool.h"

static const char usage[] =
    "Usage: %s [options]\n\n"
    "Prints the version of SIONlib's interface, the revision of the source, and\n"
    "the version of the file format.\n\n"
    "Options:\n"
    "  [-V]   show version number of SIONlib\n"
    "  [-h]   show this help\n";

static const struct tool_option options[] = {TOOL_COMMON_OPTIONS};

static const struct tool tool = {.name = "sionversion", .usage = usage, .options = options};

int main(int argc, char **argv)
{
    int status = tool_parse(&tool, argc, argv, NULL);

    if (status != TOOL_RUN)
        return tool_finish(status);
    printf("SIONlib Version %d.%d.%d (git_rev %s), fileformat version %d (%s)\n", SION_MAIN_VERSION,
           SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, GIT_REV, SION_FILEFORMAT_VERSION, argv[0]);
    return tool_finish(TOOL_DONE);
}
