/* A container of checkpoints, and the names in it. */
#ifndef UTILS_SIONFTI_CONTAINER_H
#define UTILS_SIONFTI_CONTAINER_H

/* A container that is read. */
struct fti_container {
    int sid, nfiles, ntasks; /* ntasks: without the list */
    int *ranks;
    char *names, *next; /* the list, and what is left of it; NULL: none */
};

/* TOOL_RUN; or TOOL_FAILED, reported, as from those below. */
int fti_open_container(const char *path, struct fti_container *container);
int fti_close_container(struct fti_container *container, int status);

/*
 * The name of the next task of a container with names, without a folder; to be called for each task
 * in turn.
 */
int fti_next_name(struct fti_container *container, char name[256]);

#endif
