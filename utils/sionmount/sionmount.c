/* sionmount: mount a container as a folder that every program can read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/input.h"
#include "lib/tool.h"
#include "sionmount/serve.h"
#include "vfs/path.h"

struct settings {
    int foreground, recover, files;
    const char *options; /* of mount; NULL: none */
};

static const char usage[] =
    "Usage: %s [options] <container> <folder>\n\n"
    "Mounts the container on the folder, read only, with a file for each task.\n"
    "'fusermount3 -u <folder>' ends it.\n\n"
    "Options:\n"
    "  [-f]             stay in the foreground\n"
    "  [-o <options>]   options of mount, separated by commas (allow_other, ...)\n"
    "  [-V]             show version\n"
    "  [-h]             show this help\n";

/* A process in the background changes to another folder. An empty name stays one. */
static char *absolute(const char *name)
{
    char *here = name[0] == '/' || !name[0] ? strdup("") : getcwd(NULL, 0), *all = NULL;

    if (!here || asprintf(&all, "%s%s%s", here, *here ? "/" : "", name) < 0) {
        tool_error("%s: %s", name, strerror(errno));
        all = NULL;
    }
    free(here);
    return all;
}

/* The system would mount a folder on a file, which nobody could open any more. */
static int check_folder(const char *name)
{
    struct stat status;

    if (scion_path_status(name, &status) != 0 || S_ISDIR(status.st_mode))
        return TOOL_RUN; /* libfuse says what is wrong */
    tool_error("cannot mount on %s: %s", name, strerror(ENOTDIR));
    return TOOL_FAILED;
}

static int run(const struct settings *settings, char *name, const char *folder)
{
    struct input input;
    struct tree tree;
    int status =
        settings->recover ? input_open_recovered(name, &input) : input_open_members(name, &input);

    if (status != TOOL_RUN)
        return status;
    status = check_folder(folder);
    if (status == TOOL_RUN)
        status = tree_make(&tree, &input, settings->files);
    if (status == TOOL_RUN) {
        status = serve(&tree, folder, settings->options, settings->foreground);
        tree_free(&tree);
    }
    return input_close(&input, status);
}

static const struct tool_option options[] = {
    TOOL_FLAG("foreground", 'f', struct settings, foreground),
    TOOL_TEXT("options", 'o', struct settings, options),
    TOOL_FLAG("recover", 0, struct settings, recover),
    TOOL_FLAG("files", 0, struct settings, files),
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {
    .name = "sionmount",
    .usage = usage,
    .options = options,
    .more_help = "  --files          show the files that are packed in it, by their names\n"
                 "  --recover        a container that was never closed: show what sionrecover\n"
                 "                   would make of it, and change nothing\n",
    .operands = 2};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN) {
        char *name = absolute(argv[optind]);

        status = name ? run(&settings, name, argv[optind + 1]) : TOOL_FAILED;
        free(name);
    }
    return tool_finish(status);
}
