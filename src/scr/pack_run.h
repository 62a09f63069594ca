/*
 * A dataset that is being packed into containers, and its containers. All files are one stream of
 * bytes, node by node, task by task; it is cut into containers of one size, without any padding.
 */
#ifndef SCION_SCR_PACK_RUN_H
#define SCION_SCR_PACK_RUN_H

#include <stdint.h>

#include "scr/dataset/layout.h"
#include "scr/map/entry.h"
#include "scr/map/map.h"
#include "scr/tasks/words.h"
#include "vfs/path.h"

/* A file of this task. */
struct scion_pack_item {
    const char *name;
    sion_int64 size;
    uint32_t crc;
    struct scion_segments segments; /* files: the names of containers, freed with the packing */
};

/* What rank 0 finds out for all tasks. */
struct scion_pack_decision {
    sion_int64 layout, id;
    sion_int64 permissions;        /* that all files have */
    sion_int64 first;              /* number of the first container, as long as there are older */
    char names[SCION_PATH];        /* before names of files in the map: "", or the folder */
    char segments[SCION_PATH + 8]; /* before names of containers */
};

enum { SCION_CONTAINER_NAME = 40 }; /* bytes, with the NUL */

struct scion_pack_run {
    struct scion_comm *comm;
    const char *folder, *prefix;         /* of the dataset; NULL: it is recorded in no prefix */
    struct sion_scr_place place;         /* of the map */
    struct scion_pack_decision decision; /* rank 0's */
    struct scion_words replaced;         /* files of the folder, see replaced.h */
    struct scion_writer_lock *lock;      /* on rank 0: of the folder; NULL: not yet */
    sion_int64 container_size;
    const sion_int64 *file_ranks;  /* [n]: whose the files are */
    const char *const *paths;      /* [n] */
    struct scion_pack_item *items; /* [n] */
    int n;
    sion_int64 bytes, offset, total; /* of this task; where they begin; of all */

    struct scion_file *container;        /* the one that is written */
    sion_int64 number;                   /* its number */
    char (*names)[SCION_CONTAINER_NAME]; /* of the containers that this task writes to */
    sion_int64 first_number;             /* of the first of them */
    sion_int64 made;             /* 0; or 1 more than the last container that has its name */
    int is_mapped;               /* there is a map of the containers */
    int missing;                 /* on rank 0: folders up to .scr that had to be made */
    struct sion_scr_ranks ranks; /* for the map */
};

/* Choose the numbers in the names of containers, behind those of older ones. */
int scion_pack_run_name(struct scion_pack_run *packing);

/* Container 0 has the number `first` in its name. */
void scion_pack_run_number(struct scion_pack_run *packing, sion_int64 first);

/* Have this container open, and no other one. */
int scion_pack_run_open(struct scion_pack_run *packing, sion_int64 number);

/* is_written: wait until the data are on the disk, before the map refers to them. */
int scion_pack_run_close(struct scion_pack_run *packing, int is_written);

/* Work on a container whose first byte this task has; number: counted from 0. */
typedef int scion_pack_run_work(struct scion_pack_run *packing, sion_int64 number,
                                const char *path);

/* The work on each of them, until it fails. */
int scion_pack_run_each(struct scion_pack_run *packing, scion_pack_run_work *work);

scion_pack_run_work scion_pack_run_create, scion_pack_run_check, scion_pack_run_remove,
    scion_pack_run_link, scion_pack_run_unlink_first;

#endif
