/* The streams of one container, on their way into another one. */
#ifndef UTILS_SIONDEFRAG_MOVE_H
#define UTILS_SIONDEFRAG_MOVE_H

#include "sion_const.h"

#include "lib/builder.h"
#include "lib/input.h"
#include "siondefrag/spool.h"

struct settings {
    struct team *team;
    int verbose, plain, has_checksums;
    int zips; /* the streams are compressed in this way: */
    struct scion_zip_plan zip;
    int files;            /* 0: one */
    sion_int64 chunksize; /* 0: as many bytes as the task has */
    int fsblksize;        /* 0: the input's */
    char *outfile;
};

static inline int is_keyval(const struct input *input)
{
    return input->keyval == SION_KEYVAL_INLINE;
}

/* All these are collective, and return TOOL_RUN or the status of a failure. */

/* This process's share of the tasks into the new container. */
int move_tasks(const struct settings *settings, const struct input *input, struct builder *builder);

/* What each process has compressed of a container that is to be made. */
struct pressed {
    struct spool spool;
    int *first; /* [processes + 1] the tasks of process r: first[r] .. first[r + 1] - 1; or NULL */
};

/* used: plain bytes of all tasks, and then stored ones. */
int compress_tasks(const struct settings *settings, const struct input *input,
                   struct pressed *pressed, sion_int64 *used);

/* From there into the container. */
int move_all_pressed(const struct settings *settings, struct pressed *pressed,
                     struct builder *builder);
void free_pressed(struct pressed *pressed);

#endif
