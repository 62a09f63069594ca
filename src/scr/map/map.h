/* rank2file trees: what the files of this layer share. */
#ifndef SCION_SCR_MAP_H
#define SCION_SCR_MAP_H

#include "comm/comm.h"
#include "scr/dataset/layout.h"
#include "scr/map/names.h"
#include "scr/map/ranks.h"

/*
 * Collective. As sion_scr_map_write, of ranks that are sorted; status: 0, or an earlier failure of
 * this task, with its reason in the error record; then all return it. The files get the permissions
 * that rank 0 passes, as far as its umask leaves them.
 */
int scion_map_write(struct scion_comm *comm, int status, const struct sion_scr_place *place,
                    const struct sion_scr_ranks *ranks, const struct sion_scr_map_options *options,
                    mode_t permissions);

/*
 * The same. *is_there: 1 if the map is there, the same on all tasks: also if only what follows it
 * has failed. is_last 0: the caller writes it once more, so its files need not have SCR's names.
 */
int scion_map_write_first(struct scion_comm *comm, const struct sion_scr_place *place,
                          const struct sion_scr_ranks *ranks,
                          const struct sion_scr_map_options *options, mode_t permissions,
                          int is_last, int *is_there);

/* Properties of a map, the same on all tasks. */
struct scion_map_info {
    sion_int64 total; /* ranks */
    int layout;       /* enum sion_scr_layout */
    int id;           /* of the dataset; 0: the layout names none */
    char base[SCION_PATH];
    char below[SCION_NODE_NAME]; /* as in struct scion_names */
};

/* How to resolve the names of a map that was read with these options; NULL: the defaults. */
struct scion_names scion_map_names(const struct scion_map_info *info,
                                   const struct sion_scr_map_options *options);

/* Collective. As sion_scr_map_read. */
struct sion_scr_ranks *scion_scr_map_read(struct scion_comm *comm, const char *folder,
                                          const struct sion_scr_map_options *options);

/* The same, into empty ranks. */
int scion_map_read(struct scion_comm *comm, const char *folder,
                   const struct sion_scr_map_options *options, struct sion_scr_ranks *ranks,
                   struct scion_map_info *info);

/*
 * Collective. Of N ranks that the M tasks hold in any order, task m gets those in places
 * floor(m*N/M) .. floor((m+1)*N/M)-1, into empty ranks. Sorts held. Rank 0 passes the number of
 * ranks that there must be at least. It is an error if a rank occurs twice. *total: N, on all.
 */
int scion_ranks_distribute(struct scion_comm *comm, struct sion_scr_ranks *held, sion_int64 least,
                           struct sion_scr_ranks *ranks, sion_int64 *total);

#endif
