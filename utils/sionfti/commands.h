/* The settings of a command of sionfti. */
#ifndef UTILS_SIONFTI_COMMANDS_H
#define UTILS_SIONFTI_COMMANDS_H

#include "lib/commands.h"

struct fti_settings {
    int json;
    const char *output; /* -o, or NULL */
    int ckptid;         /* -c, or -1 */
    int ranks;          /* -r, or 0 */
    int node_size;      /* -n, or 0 */
    int version;        /* -l: of sion_ftiff.h; or 0 */
};

command_run fti_dump, fti_check, fti_extract, fti_pack, fti_unpack, fti_rehash, fti_restore,
    fti_convert;

#endif
