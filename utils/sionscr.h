/* The commands of sionscr. */
#ifndef UTILS_SIONSCR_H
#define UTILS_SIONSCR_H

#include <stdio.h>

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
    const char *current, *add; /* index: names of datasets */
    int repair;                /* index */
};

/* Each takes its operands and returns an exit status of tool.h; what fails has been reported. */
typedef int scr_command(const struct scr_settings *settings, int n, char **operands);

scr_command scr_dump, scr_export, scr_check, scr_fetch, scr_pack, scr_import, scr_seal, scr_list,
    scr_index;

/* Options of fetch and check as the command line says. */
struct sion_scr_fetch_options scr_fetch_options(const struct scr_settings *settings);

/* The help of all commands, or of one; 0: there is no such command. */
void scr_print_usage(FILE *to, const char *argv0);
int scr_print_help_of(const char *command);

/* A text of a file without control characters, cut where it is too long; returns into[SCR_NAME]. */
enum { SCR_NAME = 1024 };
const char *scr_printable(const char *text, char *into);

/* One line on stderr with the dataset before it. */
void scr_dataset_error(const struct sion_scr_indexed *dataset, const char *text);

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
