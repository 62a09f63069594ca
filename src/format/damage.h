/*
 * What is wrong with the numbers that a file has of one task. Such a task is not read, and all
 * others are; of what all tasks depend on the decoders fail.
 */
#ifndef SCION_FORMAT_DAMAGE_H
#define SCION_FORMAT_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "sion_datatypes.h"

enum scion_damage_kind {
    SCION_SOUND,
    SCION_DAMAGE_COUNT,  /* `found` chunks, of at most `bound` */
    SCION_DAMAGE_ROWS,   /* `found` chunks, and yet bytes in a later one, as no task has `bound` */
    SCION_DAMAGE_USED,   /* `found` bytes in a chunk of `bound` */
    SCION_DAMAGE_BEYOND, /* `found` bytes in a chunk, which end after offset `bound` */
    SCION_DAMAGE_PARTLY, /* key-value records, and an inner chunk has only `found` of `bound` */
    SCION_DAMAGE_PAIR,   /* no task with rank `bound` where the mapping says */
    SCION_DAMAGE_SUM,    /* piece `found` is not as its checksum; bound: both CRCs */
    /* In the record of members: */
    SCION_DAMAGE_RUN,     /* run `found` of `bound` */
    SCION_DAMAGE_MEMBERS, /* pieces of `found` bytes are not the `bound` bytes of a stream */
    SCION_DAMAGE_ZIP /* `found` stored bytes, which do not begin as a compressed stream; bound 1: of
                        which its frames cannot be read */
};

/* 64-bit words, because tasks send it to each other. */
struct scion_damage {
    sion_int64 kind;  /* enum scion_damage_kind */
    sion_int64 task;  /* index in its file */
    sion_int64 chunk; /* the first one that is damaged */
    sion_int64 found, bound;
};

/* The damage of a piece of data with another CRC than the one that is stored. */
struct scion_damage scion_damage_of_piece(int task, sion_int64 chunk, sion_int64 piece,
                                          uint32_t stored, uint32_t found);

enum { SCION_DAMAGE_WORDS = sizeof(struct scion_damage) / sizeof(sion_int64) };

/* The damaged tasks of a file; all zero: none. To be freed. */
struct scion_damages {
    struct scion_damage *list; /* [n] in the order in which they were found */
    int n;
    int *numbers; /* [ntasks] of each task: its place in the list, plus 1; 0: it is sound */
};

/* Of a task that is known to be damaged, the first reason is kept. */
int scion_damages_add(struct scion_damages *damages, int ntasks, const struct scion_damage *damage);
void scion_damages_free(struct scion_damages *damages);

/* Another task is not read for the reason of this one, which is damaged. */
void scion_damages_share(struct scion_damages *damages, int task, int other);

/* NULL: the task is sound. Its address holds until another one is added. */
const struct scion_damage *scion_damages_find(const struct scion_damages *damages, int task);

enum { SCION_DAMAGE_TEXT = 160 };

/* "chunk 1 of task 3 says 735 bytes used of 200" */
void scion_damage_describe(const struct scion_damage *damage, char text[SCION_DAMAGE_TEXT]);

/* Fail because a task is damaged, whose data are in this file; NULL: its name is not known. */
int scion_damage_fail(const struct scion_damage *damage, const char *path);

#endif
