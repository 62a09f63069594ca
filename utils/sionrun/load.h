/* What this node has to pack. */
#ifndef UTILS_SIONRUN_LOAD_H
#define UTILS_SIONRUN_LOAD_H

#include "lib/team.h"
#include "pack/entry.h"
#include "sionrun/folder.h"

struct load {
    struct scion_pack_list list; /* of this node, with the numbers of all tasks */
    char tree[SCION_PATH];
    int ntasks;          /* of all nodes */
    sion_int64 *used;    /* [ntasks] bytes of the streams */
    unsigned char *ours; /* [ntasks] whether the task's files are on this node */
};

/* Whether a file is left out; NULL: none. */
typedef int load_leaves_out(void *context, const char *path, const struct stat *status);

/*
 * List the files that the program has made, and agree with the other nodes on the tasks: those of
 * ranks, then one for each process without a rank that has made files, or one for each node.
 * Collective. TOOL_RUN, or TOOL_FAILED after a message. To be freed in any case.
 */
int load_make(struct load *load, const struct folder *folder, struct team *team,
              load_leaves_out *leaves_out, void *context);
void load_free(struct load *load);

#endif
