/* What the command line of sionmerge says, and the two things that it can make. */
#ifndef UTILS_SIONMERGE_SETTINGS_H
#define UTILS_SIONMERGE_SETTINGS_H

#include "lib/team.h"

struct merge_settings {
    struct team *team;
    int verbose;
    int fsblksize;     /* 0: the file system's */
    int has_checksums; /* of all data */
    const char *list;  /* NULL: the names are operands */
    const char *outfile;

    int packs;        /* whole trees; NULL or 0 otherwise: */
    const char *root; /* the folder to which their names are relative; NULL: the working folder */
    int ntasks;       /* 0: one for each process */
};

/* Pack trees: a container of tars. TOOL_RUN or the status of a failure. */
int merge_trees(const struct merge_settings *settings, char **trees, int count);

#endif
