/* The settings of a command of sionscr. */
#ifndef UTILS_SIONSCR_COMMANDS_H
#define UTILS_SIONSCR_COMMANDS_H

#include "lib/commands.h"
#include "sion_scr.h"

struct scr_settings {
    sion_scr_comm *comm; /* of all processes of the run */
    int rank;            /* in it */
    int alone;           /* not started by mpiexec, not even as one process */

    int json, all;                         /* dump */
    struct sion_scr_export_options export; /* export */
    const char *out;                       /* folder of what is made */
    const char *prefix;
    const char *list; /* pack: names, a line for each */
    sion_int64 size;  /* pack: bytes of a container */
    int no_crc, force, verbose;
    int plain; /* import */
    struct sion_scr_map_options map;
    const char *current, *add; /* index: names of datasets */
    int repair, build;         /* index */
    struct sion_scr_drop drop; /* index */
    int restart;               /* check: number of processes; 0: not asked for */
    enum sion_scr_layout release;
};

command_run scr_dump, scr_export, scr_check, scr_fetch, scr_pack, scr_import, scr_seal, scr_list,
    scr_index, scr_convert;

#endif
