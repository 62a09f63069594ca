/*
 * META2: chunk counts and used bytes at the end of a physical file, and the checks that tie them
 * to META1 and to the size of the file. The mapping table that may stand after it.
 */
#ifndef SCION_FORMAT_META2_H
#define SCION_FORMAT_META2_H

#include <stddef.h>

#include "sion_datatypes.h"

#include "format/damage.h"

/* Where the tasks' chunks are: what META2 is checked against. Arrays of ntasks. */
struct scion_chunk_plan {
    int ntasks;
    const sion_int64 *starts; /* first chunk of each task, bytes from the start of the file */
    const sion_int64 *sizes;  /* bytes of one chunk of each task, as stored */
    int grain;             /* chunk sizes are rounded up to a multiple of it when they are placed */
    sion_int64 globalskip; /* bytes of one block */
    sion_int64 start_of_data;  /* offset of the first block */
    int trailer;               /* last bytes of a chunk that data do not enter */
    int maxchunks;             /* of META1's tail */
    int is_keyval;             /* all chunks of a task but the last are full */
    int has_record;            /* the record of a state is right in front of META2 */
    int is_in_gap;             /* META2 is between META1 and the data */
    sion_int64 area, area_end; /* META2 is in these blocks, where no task has bytes; or 0, 0 */
    int first;                 /* number of the first task, for messages */
};

/* Bytes of META2, without a mapping table: 8 * ntasks * (1 + maxchunks). 1 on overflow. */
int scion_meta2_size(sion_int64 ntasks, sion_int64 maxchunks, sion_int64 *size);

/*
 * Check the tail of META1 against the size of the file; gives the end of META2, which is where a
 * mapping table begins. check_place: also against the place of the last block; sets is_in_gap,
 * area and area_end.
 */
int scion_meta2_check_extent(int ntasks, int maxchunks, sion_int64 start_of_varheader,
                             sion_int64 file_size, sion_int64 *end);
int scion_meta2_check_place(struct scion_chunk_plan *plan, sion_int64 start_of_varheader,
                            sion_int64 file_size, sion_int64 *end);

/* SIONlib's mapped writer leaves this as the used bytes of some chunks. */
enum { SCION_USED_UNKNOWN = -1 };

/* A damaged task becomes an empty one, which nobody can read too much of, and is added. */
int scion_meta2_lock_out(const struct scion_chunk_plan *plan, const struct scion_damage *damage,
                         sion_int64 *counts, sion_int64 *used, struct scion_damages *damages);

/*
 * Check counts[ntasks] and used[maxchunks * ntasks] (entry of chunk b of task t at
 * b * ntasks + t): numbers in range, or SCION_USED_UNKNOWN; all used bytes before offset limit;
 * inner chunks of key-value records full. A task that is damaged becomes one with an empty chunk,
 * and is added to `damages`, which has been zeroed or filled before. Fails for what no task is
 * known to be the cause of.
 */
int scion_meta2_check(const struct scion_chunk_plan *plan, sion_int64 limit, sion_int64 *counts,
                      sion_int64 *used, struct scion_damages *damages);

/*
 * The same for one task of the plan, and nothing changes; used: as above, from the task's first
 * entry on. damage: [out] what is wrong if it is not sound.
 */
int scion_meta2_is_sound(const struct scion_chunk_plan *plan, int task, sion_int64 limit,
                         sion_int64 count, const sion_int64 *used, struct scion_damage *damage);

/* Of such a task with a valid count: its first bad chunk from `first` on. 0: there is none. */
int scion_meta2_find_bad(const struct scion_chunk_plan *plan, int task, sion_int64 limit,
                         sion_int64 first, sion_int64 count, const sion_int64 *used,
                         struct scion_damage *damage);

/* Entries of META2 that no writer makes, though all else can be read: how many, and the first one.
 */
struct scion_meta2_odd {
    struct scion_meta2_entries {
        sion_int64 number, chunk, bytes;
        int task;
    } unknown,  /* -1 as the length of a chunk */
        behind; /* a length behind the last chunk of a task */
};

/*
 * Find odd entries. Chunks of unknown length become empty ones, so that the other tasks can be
 * read. To be called after the checks.
 */
void scion_meta2_mend(const struct scion_chunk_plan *plan, const sion_int64 *counts,
                      sion_int64 *used, struct scion_meta2_odd *odd);

/*
 * Mapping table: (file number, task in that file) for every global task of a set of files.
 * An encoded table has 4 + 8 * size bytes. One that is written need not have all numbers: see
 * scion_mapping_each().
 */
struct scion_mapping {
    int size;   /* pairs, -1: no table */
    int *pairs; /* 2 * size numbers; with `counts` only the file of each rank; NULL: equal shares */
    int *counts; /* [nfiles], to be used; tasks of a file are in the order of ranks */
    int nfiles;  /* of these two */
};

size_t scion_mapping_bytes(int size);

/* The size word of an encoded table, checked against the bytes from it to the end of the file. */
int scion_mapping_decode_size(const unsigned char *from, int swapped, sion_int64 bytes, int *size);

/* The pairs of an encoded table in mapping->pairs, as read from the file, into host order. */
void scion_mapping_decode_pairs(struct scion_mapping *mapping, int swapped);

/* Check its size. check_pair: the pair of a task, file numbers in 0..nfiles-1, local ranks not
 * negative. */
int scion_mapping_check(const struct scion_mapping *mapping, int nfiles);
int scion_mapping_check_pair(const int *pair, int task, int nfiles);

#endif
