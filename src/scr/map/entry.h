/* A file in a map: name -> { SIZE, CRC, SEG -> { 0 -> { FILE, OFFSET, LENGTH }, ... } }. */
#ifndef SCION_SCR_ENTRY_H
#define SCION_SCR_ENTRY_H

#include <stdint.h>

#include "geometry/layout.h"
#include "scr/dataset/layout.h"
#include "scr/map/ranks.h"

struct scion_segment {
    const char *file; /* relative to the base of names */
    sion_int64 offset, length;
};

/* ---- making one ---- */

/* A run of bytes being cut into segments. */
struct scion_segments {
    struct scion_segment *list;
    int count, capacity;
    sion_int64 bytes; /* of all */
};

/* Append bytes; where they continue the last segment that is made longer. file is not copied. */
int scion_segments_add(struct scion_segments *segments, const char *file, sion_int64 offset,
                       sion_int64 length);
void scion_segments_free(struct scion_segments *segments);

/*
 * Append the bytes of a task of a container: chunk b has used[b * stride] of them, 0 <= b < count.
 */
int scion_segments_add_chunks(struct scion_segments *segments, const char *file,
                              const struct scion_place *place, const sion_int64 *used,
                              size_t stride, sion_int64 count);

/*
 * Add a file to a rank's tree. crc NULL: none. segments NULL: the file is there by itself; else its
 * bytes lie in `prefix` and the names of the segments. A file without bytes has an empty SEG: SCR
 * would look for the file itself if there were none.
 */
int scion_entry_put(struct sion_kvtree *rank, const char *name, sion_int64 size,
                    const uint32_t *crc, const struct scion_segments *segments, const char *prefix);

/* ---- reading one ---- */

struct scion_entry {
    const char *name;
    sion_int64 size; /* -1: not said */
    int has_crc;
    uint32_t crc;
    int failed;  /* COMPLETE is 0 */
    int nofetch; /* not to be fetched */
    int in_segments;
    struct scion_segments segments; /* in order; the file itself where the map has none */
    struct scion_text *texts;       /* names that are not those of the tree */
    const char *last, *meant;       /* FILE of the last segment, and what it means */
};

/*
 * What the tree below a name says: segments sorted by number, dense, inside of 64 bits, as long
 * together as SIZE; names that do not lead outside. Points into the tree. Freed by
 * scion_entry_free, whatever is returned.
 */
int scion_entry_get(const struct sion_kvtree *file, const struct scion_names *names,
                    struct scion_entry *entry);
void scion_entry_free(struct scion_entry *entry);

/*
 * Called for a file of a rank. status: 0, or what is wrong with its entry, of which only the name
 * counts then. Another result than 0 ends the visit.
 */
typedef int scion_entry_visit(void *data, sion_int64 rank, struct scion_entry *entry, int status);

/* Visit all files of all ranks, in their order. */
int scion_entries_visit(const struct sion_scr_ranks *ranks, const struct scion_names *names,
                        scion_entry_visit *visit, void *data);

/* ---- the bytes ---- */

/* Reads segments; keeps the last file open, as neighbours are in the same one. */
struct scion_source {
    const char *base;      /* what names are relative to */
    int allow_outside;     /* names may lead out of it */
    char name[SCION_PATH]; /* of the open file, as the map has it */
    struct scion_inside inside;
    struct scion_file *file;
    sion_int64 size; /* of it, in bytes */
    unsigned char *buffer;
};

void scion_source_begin(struct scion_source *source, const char *base, int allow_outside);
void scion_source_end(struct scion_source *source);

/* Open the file of a segment and check that the segment lies in it. */
int scion_source_open(struct scion_source *source, const struct scion_segment *segment);

/* The size of a file by its name relative to the base. */
int scion_source_size(struct scion_source *source, const char *name, sion_int64 *size);

/* An entry without SIZE is as long as the file of its name. */
int scion_source_complete(struct scion_source *source, struct scion_entry *entry);

/* An error if the entry has another CRC. */
int scion_entry_compare(const struct scion_entry *entry, uint32_t crc);

/* Where bytes go; NULL: nowhere. 0 or an error code. */
typedef int scion_sink(void *data, const void *bytes, size_t size);

/* Read all segments in order: CRC-32 of all, and the bytes to a sink. */
int scion_source_read(struct scion_source *source, const struct scion_segments *segments,
                      uint32_t *crc, scion_sink *sink, void *data);

#endif
