/*
 * What a container of imported files keeps of their map, as a tree in one more stream after
 * theirs, which has no rank: { SION_SCR_MAP -> 1, NAMES -> DATASET | PREFIX, DSET -> { ... },
 * RANK -> { r -> FILE -> { name -> { TASK -> t } } } }. NAMES says what names are relative to. An
 * export of the container makes that map again.
 */
#ifndef SCION_SCR_MAP_STREAM_H
#define SCION_SCR_MAP_STREAM_H

#include "api/private_abi.h"
#include "scr/export_plan.h"
#include "scr/map/entry.h"
#include "scr/map/find.h"

/* ---- making one ---- */

/* The tree of a map that was found: its ranks, without files yet, and what summary.scr says. */
int scion_map_stream_new(const struct scion_map_location *found, const struct sion_scr_ranks *ranks,
                         struct sion_kvtree **kept);

/* A file of a rank is the stream of a task. */
int scion_map_stream_add(struct sion_kvtree *kept, sion_int64 rank, const struct scion_entry *entry,
                         int task);

/* 0 if an export of a container with this name would make the same map anyway. */
int scion_map_stream_is_needed(const struct sion_kvtree *kept, const char *container);

/* ---- reading one ---- */

/* The tree in the last stream of a container, to be freed; NULL: there is none. */
int scion_map_stream_read(const struct sion_layer_parts *parts, struct sion_kvtree **kept);

/*
 * Give an export what the tree says of the dataset, unless the user has set it. The tree must live
 * as long as the export.
 */
int scion_map_stream_apply(const struct sion_kvtree *kept, int has_id,
                           struct scion_export_plan *export);

/* The name that a file has in the map of an export, into path[SCION_PATH]; checked. */
int scion_map_stream_name(const struct sion_kvtree *kept, const struct scion_export_plan *export,
                          const char *name, char *path);

/* Called for a file of a rank, in the order of the map; file NULL: the rank is complete. */
typedef int scion_map_stream_visit(void *data, sion_int64 rank, const struct sion_kvtree *file,
                                   int task);

/* Visit all ranks; every task 0 <= task < ntasks must be one file. */
int scion_map_stream_files(const struct sion_kvtree *kept, int ntasks,
                           scion_map_stream_visit *visit, void *data);

#endif
