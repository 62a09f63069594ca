/* Shared by the files of this layer; nobody else includes this. */
#ifndef SCION_FILE_PRIVATE_H
#define SCION_FILE_PRIVATE_H

#include "file/container.h"

/* An empty container; its stream has no task yet. */
int scion_container_new(enum scion_view view, const struct scion_mode *mode, int writing,
                        const struct scion_meta1 *head, struct scion_container **container);

/* What was asked for, as far as it matters to another view of the same files. */
static inline struct scion_mode scion_container_mode(const struct scion_container *container)
{
    return (struct scion_mode){
        .posix = container->posix, .buffered = container->buffered, .keyval = container->keyval};
}

/* A container whose only file so far is physical, which is taken over in any case. */
int scion_container_of_file(struct scion_physical *physical, const struct scion_mode *mode,
                            int writing, struct scion_container **container);

/* Make the arrays over the tasks and select task 0. */
int scion_container_make_tasks(struct scion_container *container);

/* Give a file of a set its descriptor back, at the expense of the one that had it longest. */
int scion_container_need_descriptor(struct scion_container *container,
                                    struct scion_physical *physical);

/* Put the stream on a task without leaving the old one. */
int scion_container_enter(struct scion_container *container, int rank);

/* Give up a container that was not opened to the end: nothing is written. */
void scion_container_free(struct scion_container *container);

/* A physical file with its name and nothing else. */
struct scion_physical *scion_physical_new(const char *path);

/* Room for the numbers of head.ntasks tasks. */
int scion_physical_make_arrays(struct scion_physical *physical);

/* Open a file for one of its tasks, whose global rank is said to be `rank`. */
int scion_container_open_member(const char *path, const struct scion_mode *mode, int rank,
                                int lrank, struct scion_container **container);

/* Where a task stands, selected or not. */
int scion_container_mark(struct scion_container *container, int task, struct scion_mark *mark);

/* Give a duplicate, of one task or of all (-1), what is known of the keys. */
int scion_container_copy_keyvals(const struct scion_container *container, int task,
                                 struct scion_container *duplicate);

void scion_container_free_keyvals(struct scion_container *container);

void scion_combined_free(struct scion_combined *combined);

#endif
