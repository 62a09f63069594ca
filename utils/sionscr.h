/* The commands of sionscr. */
#ifndef UTILS_SIONSCR_H
#define UTILS_SIONSCR_H

#include "sion_scr.h"

struct scr_settings {
    sion_scr_comm *comm; /* of all processes of the run */
    int rank;            /* in it */
    int alone;           /* mpiexec is not there, not even for one process */

    int json, all;                         /* dump */
    struct sion_scr_export_options export; /* export */
    const char *out;                       /* folder of what is made */
    const char *prefix;
    const char *list; /* pack: names, a line for each */
    sion_int64 size;  /* pack: bytes of a container */
    int no_crc, force, allow_outside, verbose;
    const char *base;
};

/* Each takes its operands and returns an exit status of tool.h; what fails has been reported. */
typedef int scr_command(const struct scr_settings *settings, int n, char **operands);

scr_command scr_dump, scr_export, scr_check, scr_fetch, scr_pack, scr_import, scr_seal;

/* If rc is an error, one line on stderr, of the process that has rank 0. Exit status. */
int scr_status(const struct scr_settings *settings, int rc);

/* Whether this process speaks for all that mpiexec has started; before they have begun. */
int scr_processes_is_first(void);

/*
 * The processes that mpiexec has started together, or this one alone. MPI is started only if
 * mpiexec is there; else *alone is 1. NULL: reported.
 */
sion_scr_comm *scr_processes_begin(int *argc, char ***argv, int *rank, int *alone);
void scr_processes_end(sion_scr_comm *comm);

#endif
