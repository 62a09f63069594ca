/* sionscr under mpiexec, and alone. */
#ifndef UTILS_SIONSCR_PROCESSES_H
#define UTILS_SIONSCR_PROCESSES_H

#include "sion_scr.h"

/* Whether this process prints for all processes that mpiexec has started, before MPI is started. */
int scr_processes_is_first(void);

/*
 * The processes that mpiexec has started together, or this one alone. MPI is started only if
 * mpiexec is there; else *alone is 1. NULL: reported.
 */
sion_scr_comm *scr_processes_begin(int *argc, char ***argv, int *rank, int *alone);
void scr_processes_end(sion_scr_comm *comm);

#endif
