/* A file in a map: name -> { SIZE, CRC, SEG -> { 0 -> { FILE, OFFSET, LENGTH }, ... } }. */
#ifndef SCION_SCR_ENTRY_H
#define SCION_SCR_ENTRY_H

#include <stdint.h>

#include "scr/map/names.h"
#include "scr/map/ranks.h"
#include "scr/map/source.h"

/* ---- making one ---- */

/*
 * Add a file to a rank's tree. crc NULL: none. segments NULL: a file of its own; else its bytes are
 * in the segments, whose names follow `prefix`. A file without bytes has an empty SEG, because
 * without SEG, SCR would look for the file itself.
 */
int scion_entry_put(struct sion_kvtree *rank, const char *name, sion_int64 size,
                    const uint32_t *crc, const struct scion_segments *segments, const char *prefix);

/* ---- reading one ---- */

struct scion_entry {
    const char *name;
    sion_int64 size; /* -1: not given */
    int has_crc;
    uint32_t crc;
    int failed;  /* COMPLETE is 0 */
    int nofetch; /* not to be fetched */
    int in_segments;
    struct scion_segments segments; /* in order; the file itself if the map has none */
    struct scion_text *texts;       /* names that are not those of the tree */
    const char *last, *meant;       /* FILE of the last segment, and the file that it means */
};

/*
 * Read and check the tree below a name: segments are numbered from 0 without a gap, fit into 64
 * bits, and add up to SIZE; names do not lead outside. The entry points into the tree. Freed by
 * scion_entry_free, whatever is returned.
 */
int scion_entry_get(const struct sion_kvtree *file, const struct scion_names *names,
                    struct scion_entry *entry);
void scion_entry_free(struct scion_entry *entry);

/*
 * Called for a file of a rank. status: 0, or an error in its entry, of which only the name is set
 * then. A result other than 0 ends the visit.
 */
typedef int scion_entry_visit(void *data, sion_int64 rank, struct scion_entry *entry, int status);

/* Visit all files of all ranks, in their order. */
int scion_entries_visit(const struct sion_scr_ranks *ranks, const struct scion_names *names,
                        scion_entry_visit *visit, void *data);

/* Set the size of an entry without SIZE to that of the file of its name. */
int scion_entry_complete(struct scion_source *source, struct scion_entry *entry);

/* An error if the entry has another CRC. */
int scion_entry_compare(const struct scion_entry *entry, uint32_t crc);

#endif
