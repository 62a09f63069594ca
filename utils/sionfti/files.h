/* The files that the command line names. */
#ifndef UTILS_SIONFTI_FILES_H
#define UTILS_SIONFTI_FILES_H

#include "ftiff/names.h"

struct fti_file {
    char *path;
    struct scion_fti_name name;
    int is_named; /* on the command line, not found in a folder */
};

/*
 * Files in the order of their kinds, checkpoints and ranks, files without FTI's names last; equal
 * names in different folders are neighbours.
 */
struct fti_files {
    struct fti_file *file; /* [count] */
    int count;
    int nodes; /* of a Topology.fti among the operands; 0: none */
};

/*
 * List the operands but Topology.fti; for a folder, the checkpoint files in it. ckptid >= 0: of the
 * files in folders, only those of that checkpoint. TOOL_RUN; or TOOL_FAILED, reported.
 */
int fti_find_files(int n, char **operands, int ckptid, struct fti_files *files);
void fti_free_files(struct fti_files *files);

#endif
