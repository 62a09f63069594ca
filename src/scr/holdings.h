/* The files that belong to a dataset: its map, and what the map names. */
#ifndef SCION_SCR_HOLDINGS_H
#define SCION_SCR_HOLDINGS_H

#include "scr/public.h"
#include "vfs/path.h"

struct scion_holdings {
    struct sion_scr_place place;
    char base[SCION_PATH];   /* of names; place.base points to it */
    char folder[SCION_PATH]; /* of the map */
    char **files;            /* [count] paths, in order, each once */
    size_t count;
};

/* Find them. folder: of the map. Freed by scion_holdings_free, whatever is returned. */
int scion_holdings_find(sion_scr_comm *self, const char *folder, struct scion_holdings *holdings);
void scion_holdings_free(struct scion_holdings *holdings);

/* What another dataset has, too, is no longer one of these files. */
void scion_holdings_spare(struct scion_holdings *holdings, const struct scion_holdings *other);

/* Remove all, the map first, and the folders that are empty then. */
int scion_holdings_remove(const struct scion_holdings *holdings);

#endif
