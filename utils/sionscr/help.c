#include "sionscr/help.h"

const struct command_options scr_option_help[] = {
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
    {"import", "  [-P, --plain]  keep no names, and nothing of the dataset\n"},
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
    {.text = NULL},
};
