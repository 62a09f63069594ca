/*
 * The record of members behind the tables of a file that was written merged (doc/format.md,
 * "Merged streams"): which bytes of a collector's stream are whose. Pure functions between structs
 * and bytes.
 */
#ifndef SCION_FORMAT_MEMBERS_H
#define SCION_FORMAT_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "format/damage.h"
#include "format/strides.h"

enum { SCION_MEMBERS_HEAD = 32 /* bytes of the head */ };

/* Added to the offset of a piece that is in the task's own stream, and not in its collector's. */
#define SCION_MEMBER_OWN ((sion_int64)1 << 62)

struct scion_members {
    int ntasks;
    int *collectors; /* [ntasks] index in the file; a task that collects, or is alone: its own */
    struct scion_strides *pieces; /* [ntasks] offsets in the collector's stream, or in their own */
    struct scion_damages damages; /* of groups whose pieces are wrong: found by their collectors */
};

/* Of a file of so many tasks, without pieces. To be freed in any case. */
int scion_members_make(struct scion_members *members, int ntasks);
void scion_members_free(struct scion_members *members);

/* The 64-bit words behind the head. */
sion_int64 scion_members_words(const struct scion_members *members);

/* In the host's byte order: SCION_MEMBERS_HEAD bytes, and words[scion_members_words()]. */
void scion_members_encode(const struct scion_members *members, unsigned char *head,
                          sion_int64 *words);

/* 1 if length bytes begin as a record of members does, good or damaged. */
int scion_members_is_head(const unsigned char *from, size_t length);

struct scion_members_head {
    int ntasks;
    sion_int64 words;
    uint32_t crc; /* of the words */
};

/* Decode the head from length bytes and check it; `room` bytes are behind it. */
int scion_members_decode_head(const unsigned char *from, size_t length, int swapped,
                              sion_int64 room, struct scion_members_head *head);

/*
 * Check and decode the words, which are changed. A group that has a run which is not valid is damaged,
 * and the record is read. *members is to be freed in any case.
 */
int scion_members_decode(const struct scion_members_head *head, sion_int64 *words, int swapped,
                         struct scion_members *members);

/*
 * Find the groups whose pieces are not all bytes of their streams, each byte once. bytes[ntasks] of
 * each task; -1: that is not known, so nothing is said of its stream. It fails only for lack of
 * memory.
 */
int scion_members_check(struct scion_members *members, const sion_int64 *bytes);

#endif
