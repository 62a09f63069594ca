#include "sionscr/help.h"

const struct command_options scr_option_help[] = {
    {"dump", "  [-j, --json]   print JSON\n"
             "  [-a, --all]    print every record of a file, not only the first\n"},
    {"list", "  [-j, --json]   print JSON\n"},
    {"index", "  [-u, --current=<name>]\n"
              "                 make SCR restart from this dataset\n"
              "  [-d, --add=<name>]\n"
              "                 add a dataset of the prefix, or correct its entry\n"
              "  [-r, --repair] add and correct all datasets of the prefix\n"
              "  [-B, --build]  build maps from the filemaps that a scavenge left, and repair\n"
              "  [-X, --drop=<name>]\n"
              "                 take a dataset out of the index\n"
              "  [-k, --keep=<number>]\n"
              "                 take out all checkpoints but the newest usable ones\n"
              "  [-E, --delete] remove also the maps and files of what is taken out\n"
              "  [-N, --dry-run]\n"
              "                 show what --build, --drop or --keep would do\n"},
    {"export, convert", "  [-l, --layout=<layout>]\n"
               "                 dataset (default), prefix or scr3\n"
               "  [-o, --output=<dir>]\n"
               "                 folder of the dataset (default: the container's)\n"
               "  [-p, --prefix=<dir>]\n"
               "                 prefix (default: the folder above that)\n"
               "  [-i, --dataset-id=<number>]\n"
               "                 number of the dataset (default: its own, or a new one)\n"
               "  [-n, --name=<name>]\n"
               "                 name of a rank's file: %c container, %r rank\n"
               "                 (default: %c.task.%r)\n"
               "  [-t, --segment=<bytes>]\n"
               "                 bytes in a file of the map (default: 1048576)\n"
               "  [-S, --segments]\n"
               "                 scr3: list segments of each rank, not the physical files\n"
               "  [-f, --force]  accept a merged container\n"
               "  [-D, --dataset=<name>]\n"
               "                 name of the dataset (default: scr.dataset.1, or the folder's)\n"
               "  [-x, --index]  record it in the index of the prefix, as the current one\n"},
    {"export, check, fetch, import, convert, seal",
     "  [-c, --crc]    compute or verify CRCs of the data (default)\n"
     "  [-C, --no-crc] do not compute or verify CRCs\n"},
    {"check, fetch, import, convert, seal", "  [-f, --force]  accept files that are marked as incomplete\n"
                                   "  [-A, --allow-outside]\n"
                                   "                 names may lead out of the folder\n"
                                   "  [-b, --base=<dir>]\n"
                                   "                 folder to which names are relative\n"},
    {"check", "  [-R, --restart=<n>]\n"
              "                 say whether SCR would restart a job of n processes\n"
              "  [-w, --scr=<release>]\n"
              "                 SCR 1.1, 1.2 or 3 (default: that of the index)\n"
              "  [-v, --verbose]\n"
              "                 print a line for each faulty file, not for each kind of fault\n"},
    {"fetch", "  [-v, --verbose]\n"
              "                 print each step\n"
              "   -o, --output=<dir>\n"
              "                 folder of the new files\n"},
    {"import", "  [-P, --plain]  keep no names, and nothing of the dataset\n"},
    {"pack", "   -s, --size=<bytes>\n"
             "                 bytes of a container; k, M, G, T multiply by powers of 1024\n"
             "   -o, --output=<dir>\n"
             "                 folder of the dataset\n"
             "  [-p, --prefix=<dir>]\n"
             "                 also record the dataset in .scr of this folder\n"
             "  [-L, --list=<file>]\n"
             "                 file with the names of files, one per line; %r is the rank\n"
             "  [-i, --dataset-id=<number>]\n"
             "                 number of the dataset (default: its own, or a new one)\n"},
    {.text = NULL},
};
