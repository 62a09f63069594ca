/* The help of sionscr: of all commands, and of each. */
#include <stdio.h>
#include <string.h>

#include "sionscr.h"

/* Where a command takes no options of a group its name is not in it. */
static const struct {
    const char *name, *usage, *help;
} commands[] = {
    {"dump", "FILE...", "print trees of keys"},
    {"export", "CONTAINER", "write the map of a SION container"},
    {"check", "DIR", "check a map and its files, or all datasets of a prefix"},
    {"fetch", "-o OUT DIR", "take the files of all ranks out of what a map says"},
    {"pack", "-s SIZE -o DIR FILE...", "put the files of all ranks into containers of SCR"},
    {"import", "DIR CONTAINER", "put the files of a map into a SION container"},
    {"seal", "DIR", "add sizes and CRCs to a map without them"},
    {"list", "PREFIX", "show the datasets in the index of a prefix"},
    {"index", "PREFIX", "change the index of a prefix, in the form that it has"},
};

static const struct {
    const char *commands, *text;
} options[] = {
    {"dump", "  [-j, --json]   print JSON\n"
             "  [-a, --all]    print every record of a file, not only the first\n"},
    {"list", "  [-j, --json]   print JSON\n"},
    {"index", "  [-u, --current=<name>]\n"
              "                 make this dataset the one that SCR restarts from\n"
              "  [-d, --add=<name>]\n"
              "                 note a dataset that lies in the prefix, or mend its entry\n"
              "  [-r, --repair] note and mend all that lie in the prefix\n"},
    {"export", "  [-l, --layout=<layout>]\n"
               "                 dataset (default), prefix or scr3\n"
               "  [-o, --output=<dir>]\n"
               "                 folder of the dataset (default: the container's)\n"
               "  [-p, --prefix=<dir>]\n"
               "                 prefix (default: the folder above that)\n"
               "  [-i, --dataset-id=<number>]\n"
               "                 number of the dataset (default: 1)\n"
               "  [-n, --name=<name>]\n"
               "                 name of a rank's file: %c container, %r rank\n"
               "                 (default: %c.task.%r)\n"
               "  [-t, --segment=<bytes>]\n"
               "                 bytes in a file of the map (default: 1048576)\n"
               "  [-S, --segments]\n"
               "                 scr3: segments for each rank, not the physical files\n"
               "  [-f, --force]  a merged container, too\n"
               "  [-D, --dataset=<name>]\n"
               "                 name of the dataset (default: scr.dataset.1, or the folder's)\n"
               "  [-x, --index]  note it in the index of the prefix, as the current one\n"},
    {"export, check, fetch, import, seal",
     "  [-c, --crc]    make or compare CRCs of the data (default)\n"
     "  [-C, --no-crc] do not\n"},
    {"check, fetch, import, seal", "  [-f, --force]  take files that are marked as incomplete\n"
                                   "  [-A, --allow-outside]\n"
                                   "                 names may lead out of the folder\n"
                                   "  [-b, --base=<dir>]\n"
                                   "                 what names are relative to\n"},
    {"check", "  [-v, --verbose]\n"
              "                 a line for each file that is wrong, not for each kind of fault\n"},
    {"fetch", "  [-v, --verbose]\n"
              "                 say what is done\n"
              "   -o, --output=<dir>\n"
              "                 folder of the new files\n"},
    {"pack", "   -s, --size=<bytes>\n"
             "                 bytes of a container; k, M, G, T multiply by powers of 1024\n"
             "   -o, --output=<dir>\n"
             "                 folder of the dataset\n"
             "  [-p, --prefix=<dir>]\n"
             "                 note the dataset in .scr of this folder, too\n"
             "  [-L, --list=<file>]\n"
             "                 names of files, a line for each; %r is the rank\n"
             "  [-i, --dataset-id=<number>]\n"
             "                 number of the dataset (default: 1)\n"},
};

enum { COMMANDS = sizeof commands / sizeof *commands, GROUPS = sizeof options / sizeof *options };

static const char of_all[] = "  [-V, --version]\n"
                             "                 show version number of SIONlib\n"
                             "  [-h, --help]   show this help; behind a command: its own\n";

void scr_print_usage(FILE *to, const char *argv0)
{
    char usage[64];
    size_t i;

    fprintf(to,
            "Usage: %s COMMAND options operands\n\n"
            "Look at, make and use files of the Scalable Checkpoint/Restart library.\n\n"
            "Commands:\n",
            argv0);
    for (i = 0; i < COMMANDS; i++) {
        int width = snprintf(usage, sizeof usage, "%s %s", commands[i].name, commands[i].usage);

        fprintf(to, "  %-20s%s%s\n", usage, width < 20 ? "  " : "\n                        ",
                commands[i].help);
    }
    for (i = 0; i < GROUPS; i++)
        fprintf(to, "%sOptions of %s:\n%s", i == 0 ? "\n" : "", options[i].commands,
                options[i].text);
    fprintf(to, "Options of all:\n%s", of_all);
    fputs("\nUnder mpiexec, fetch, pack and seal divide the work; the others use one process.\n",
          to);
}

/* 1 if a list of names, with ", " between them, has this one. */
static int has_name(const char *list, const char *name)
{
    size_t length = strlen(name);

    while (list) {
        if (strncmp(list, name, length) == 0 && (!list[length] || list[length] == ','))
            return 1;
        list = strchr(list, ' ');
        list = list ? list + 1 : NULL;
    }
    return 0;
}

int scr_print_help_of(const char *command)
{
    size_t i, j;

    for (i = 0; i < COMMANDS && strcmp(commands[i].name, command) != 0; i++)
        ;
    if (i == COMMANDS)
        return 0;
    printf("Usage: sionscr %s options %s\n\nTo %s.\n\nOptions:\n", command, commands[i].usage,
           commands[i].help);
    for (j = 0; j < GROUPS; j++) {
        if (has_name(options[j].commands, command))
            fputs(options[j].text, stdout);
    }
    fputs(of_all, stdout);
    return 1;
}
