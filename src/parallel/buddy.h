/*
 * Buddy checkpoints, shared by the files that make them up; nobody else includes this.
 *
 * The tasks of a physical file are a group. A copy of a group's data is in a file that the first
 * task of another group writes; reading, the data of lost files come from their copies. Either way
 * records go through that one task, the keeper, and a task is in several such exchanges, one after
 * the other in an order that all have in common.
 */
#ifndef SCION_PARALLEL_BUDDY_H
#define SCION_PARALLEL_BUDDY_H

#include "parallel/opening.h"

enum { SCION_NORMAL = -1 }; /* level of the normal files, which are not copies */

/* A task's part in the exchange of one file's records. */
struct scion_exchange {
    struct scion_comm *comm;           /* the keeper is its first task */
    struct scion_comm *group;          /* for transfers; the same as comm if that can transfer */
    struct scion_stream *stream;       /* this task's data in it; NULL: none */
    struct scion_checksum_tap *sums;   /* of the stream, the copy's; or NULL */
    struct scion_commit *commit;       /* of the stream; chunks have trailers if this is not NULL */
    struct scion_physical *physical;   /* on the keeper */
    struct scion_length_gather gather; /* writing: reserved for the close */
    int filenumber, level;
};

/* Writing: what one level of copies is for this task. */
struct scion_copy {
    struct scion_stream stream; /* its data in the copy; without a file */
    struct scion_lengths lengths;
    struct scion_commit *commit;     /* NULL: chunks have no trailers */
    struct scion_checksum_tap *sums; /* NULL: no checksums are made */
    char *own_name,
        *kept_name; /* names of the copy of its data, and of the copy that its group keeps */
};

struct scion_buddies {
    struct scion_exchange *exchanges; /* in order; writing: of one level after the other */
    int nexchanges;
    struct scion_record_move *record_move; /* [nexchanges + 1], at least: the records of a call */
    int is_used;                           /* there was one */

    struct scion_copy *copies;      /* writing: [levels] */
    struct scion_mapping *mappings; /* writing: [levels] of the copies, filled at the close */
    int levels;
    int ngroups, group;
    int *leaders, *sizes; /* writing: [ngroups] rank of each group's first task, and its tasks */
};

/* Name of a file at a level, malloc'd; NULL: failed. */
char *scion_buddy_name(const struct scion_parallel_args *args, int level, int filenumber);

/* Collective over exchange->comm: make exchange->group. */
int scion_buddy_join(struct scion_exchange *exchange);

/* Collective. After a normal open for writing: create the copies' files. */
int scion_buddy_create(struct scion_opening *opening);

/* Collective. Write the copies' tables; in any case all tasks take part. */
int scion_buddy_finish(struct scion_container *container);

/*
 * Collective over the exchange, whose file has its tables if it is good: the keeper writes its
 * checksums, with the lengths of all owners that it has gathered. rc: this task's result so far.
 */
int scion_checksum_write_buddy(struct scion_exchange *exchange, const struct scion_mapping *mapping,
                               int rc);

/* Copy i of those that this task keeps; NULL: no more. */
struct scion_physical *scion_buddy_kept_file(const struct scion_buddies *buddies, int i);

/*
 * Free what the container has of copies. remove: also delete the files of the copies that it keeps.
 */
void scion_buddy_free(struct scion_parallel *parallel, int remove);

/* As scion_single_open, for reading whatever files are left. */
int scion_buddy_open(struct scion_opening *opening);

/* As scion_container_entry. */
int scion_buddy_entry(struct scion_container *container, int index, struct scion_io_entry *entry);

#endif
