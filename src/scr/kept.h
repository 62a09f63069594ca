/*
 * What a container of imported files keeps of their map, as a tree in one more stream after
 * theirs, which has no rank: { SION_SCR_MAP -> 1, NAMES -> DATASET | PREFIX, DSET -> { ... },
 * RANK -> { r -> FILE -> { name -> { TASK -> t } } } }. NAMES says what names are relative to. An
 * export of the container makes that map again.
 */
#ifndef SCION_SCR_KEPT_H
#define SCION_SCR_KEPT_H

#include "api/private_abi.h"
#include "scr/exporting.h"
#include "scr/map/entry.h"
#include "scr/map/find.h"

/* ---- making one ---- */

/* The tree of a map that was found: its ranks, without files yet, and what summary.scr says. */
int scion_kept_new(const struct scion_found *found, const struct sion_scr_ranks *ranks,
                   struct sion_kvtree **kept);

/* A file of a rank is the stream of a task. */
int scion_kept_add(struct sion_kvtree *kept, sion_int64 rank, const struct scion_entry *entry,
                   int task);

/* 0 if an export of a container with this name would make the same map anyway. */
int scion_kept_is_needed(const struct sion_kvtree *kept, const char *container);

/* ---- reading one ---- */

/* The tree in the last stream of a container, to be freed; NULL: there is none. */
int scion_kept_read(const struct sion_layer_parts *parts, struct sion_kvtree **kept);

/*
 * Give an export what the tree says of the dataset, unless the user has set it. The tree must live
 * as long as the export.
 */
int scion_kept_tell(const struct sion_kvtree *kept, int has_id, struct scion_exporting *export);

/* The name that a file has in the map of an export, into path[SCION_PATH]; checked. */
int scion_kept_name(const struct sion_kvtree *kept, const struct scion_exporting *export,
                    const char *name, char *path);

/* Called for a file of a rank, in the order of the map; file NULL: the rank is complete. */
typedef int scion_kept_visit(void *data, sion_int64 rank, const struct sion_kvtree *file, int task);

/* Visit all ranks; every task 0 <= task < ntasks must be one file. */
int scion_kept_files(const struct sion_kvtree *kept, int ntasks, scion_kept_visit *visit,
                     void *data);

#endif
