/* The ranks whose files are there, and those whose files are missing. */
#ifndef UTILS_SIONFTI_RANKS_H
#define UTILS_SIONFTI_RANKS_H

#include "sionfti/commands.h"
#include "sionfti/files.h"

struct fti_entry;

struct fti_ranks {
    struct fti_entry *seen; /* [count] */
    int count;
    int wanted;    /* application's ranks that there must be; 0: as the files say */
    int nodes;     /* of Topology.fti; 0: not known */
    int node_size; /* with head = 1: processes of a node; 0: each rank has files, or not known */
};

/* As the command line and the files say. */
void fti_ranks_begin(struct fti_ranks *ranks, const struct fti_settings *settings,
                     const struct fti_files *files);

/*
 * Add a file with a rank in its name. container: 0, or the number (from 1 on) of the container
 * whose streams have ranks and no names. is_alone: it was named, so that it need not be part of a
 * set. TOOL_RUN or TOOL_FAILED.
 */
int fti_ranks_add(struct fti_ranks *ranks, struct scion_fti_name name, int container, int is_alone);

/*
 * Report missing ranks of each checkpoint. Sets node_size if the names show it: with head = 1, FTI
 * names files by the rank in MPI_COMM_WORLD, where the first process of each node has no file.
 * TOOL_RUN or TOOL_FAILED.
 */
int fti_ranks_check(struct fti_ranks *ranks);

void fti_ranks_free(struct fti_ranks *ranks);

/* The application's rank of a rank in a file's name, and the other way round. */
int fti_application_rank(int node_size, int rank);
int fti_rank_in_name(int node_size, int rank);

#endif
