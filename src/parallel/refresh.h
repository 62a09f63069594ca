/* Readers that have opened a container together go on with a newer state: they open it again. */
#ifndef SCION_PARALLEL_REFRESH_H
#define SCION_PARALLEL_REFRESH_H

#include "parallel/parallel.h"

struct scion_physical;

/* On rank 0: the state of file 0 that was read. */
struct scion_state_seen {
    sion_int64 generation, start_of_varheader;
    int maxchunks;
    unsigned long long device, inode;
    sion_int64 view;   /* the generation that is shown; 0: all */
    sion_int64 oldest; /* number of the oldest one that is left, or of the first one to come */
    sion_int64 newest; /* the largest number that a generation has got; 0: none */
    int is_odd;        /* their record is damaged */
};

/* What a file has of generations, for a reader of all of them. */
struct scion_kept_file {
    sion_int64 first; /* chunk that is left */
    struct scion_generations *generations;
};

/* What a task has passed to an open for reading. */
struct scion_reopening {
    char *name;
    struct scion_parallel_args args; /* if it has one task, */
    struct scion_mapped_args mapped; /* or else */
    int *globalranks;
    struct scion_state_seen seen;
    struct scion_kept_file *kept; /* [nkept] of those that this task has read */
    int nkept;

    /* What opens it again; set by that, so that programs have no code of opens that they do not
     * call. */
    int (*open)(struct scion_comm *comm, const struct scion_parallel_args *args,
                struct scion_container **container);
    int (*open_mapped)(struct scion_comm *comm, const struct scion_mapped_args *args,
                       struct scion_container **container);
};

/* The state that rank 0 has read. physical: file 0, or NULL. */
void scion_see_state(const struct scion_physical *physical, struct scion_state_seen *seen);

/* On rank 0: whether that is not the newest one. 1, 0 or an error code. */
int scion_state_is_older(const char *name, const struct scion_state_seen *seen);

/* Copies of the arguments of one of both. NULL: out of memory. */
struct scion_reopening *scion_reopening_new(const struct scion_parallel_args *args,
                                            const struct scion_mapped_args *mapped,
                                            const struct scion_state_seen *seen);
void scion_reopening_free(struct scion_reopening *reopening);

/* Take over what the files, of which some may be NULL, have of generations, if all are seen.
   Without memory the container cannot be refreshed. */
struct scion_reopening *scion_reopening_keep(struct scion_reopening *reopening,
                                             struct scion_physical *const *files, int n);

/* As scion_owner.refresh. */
int scion_parallel_refresh(struct scion_container *container, sion_int64 *gone);

/* As scion_owner.generation. */
int scion_parallel_generation(struct scion_container *container, sion_int64 *number);

#endif
