/* What the parts of a builder share. */
#ifndef UTILS_LIB_BUILDER_PRIVATE_H
#define UTILS_LIB_BUILDER_PRIVATE_H

#include "format/slot.h"
#include "lib/builder.h"

/* The tasks of a file follow each other. */
struct builder_file {
    struct builder *builder;
    char *name;
    struct replace *replace;
    struct scion_physical *physical; /* elsewhere only while it is written there */
    int first, ntasks;
};

/* Bytes of data that a chunk can have. */
static inline sion_int64 builder_room(const struct scion_physical *physical, int lrank)
{
    return scion_trailer_room(physical->chunksizes[lrank], physical->trailer);
}

/* How many chunks a task of the file has, and how many bytes one of them. */
sion_int64 builder_count(const struct builder_file *file, int lrank);
sion_int64 builder_used(const struct builder_file *file, int lrank, sion_int64 chunk);

/*
 * After the tables: compute the checksums of all tasks, and write them. Those of a staged container
 * are collected before, on the leader; collective over the team then.
 */
int builder_add_sums(const struct builder_file *file, const struct scion_mapping *mapping);
int builder_collect_sums(struct builder *builder);
void builder_free_sums(struct builder *builder);

#endif
