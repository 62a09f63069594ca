/*
 * A table of a state in an area of the file: entries of one size, which a state adds or changes.
 * Two areas take turns, so into an area only those are written that it lacks. The table's CRC is
 * kept without reading it.
 */
#ifndef SCION_FILE_AREA_TABLE_H
#define SCION_FILE_AREA_TABLE_H

#include <stddef.h>

#include "base/crc.h"
#include "vfs/vfs.h"

struct scion_entry {
    sion_int64 at;   /* its first byte in the table */
    uint64_t is;     /* its value, */
    uint64_t before; /* and that in the newest state's table, whose CRC is known */
};

struct scion_entries {
    struct scion_entry *list; /* [n] by `at`, each once */
    size_t n, room;
};

struct scion_area_table {
    int width;                  /* bytes of an entry: 4 or 8 */
    scion_crc_function *crc;    /* NULL: its CRC is not wanted */
    struct scion_entries older; /* what the newest state has, and the other area not */
    struct scion_entries fresh; /* what the state in work has, and the newest one not */
    int is_summed;              /* the CRC of the newest state's table is known */
    uint32_t sum, new_sum;      /* it, and that of the state in work */
};

/* Where the table of a state goes, in bytes of the file; it has `bytes`. */
struct scion_area_place {
    struct scion_file *file;
    sion_int64 to, bytes;
    sion_int64 has; /* of the state before last, which are there; 0: it is not known what is */
    int is_hole;    /* nothing has ever been written there */
    sion_int64 from, size; /* the table of the newest state; size 0: it has none */
};

/* Zeros become this; entries may come in any order. */
int scion_area_table_add(struct scion_area_table *table, const struct scion_entry *entry);

/* All entries of the state have been added: write what the place lacks, and find the CRC. */
int scion_area_table_write(struct scion_area_table *table, const struct scion_area_place *place);

/* Bytes of the table have been made zeros in another way, after that: [first, end). The newest
   state still has them as they were. */
int scion_area_table_clear(struct scion_area_table *table, const struct scion_area_place *place,
                           sion_int64 first, sion_int64 end);

/* Copy bytes of a table between areas. */
int scion_area_copy(struct scion_file *file, sion_int64 from, sion_int64 to, sion_int64 bytes);

/* The state in work is the newest one from now on. */
void scion_area_table_accept(struct scion_area_table *table);

void scion_area_table_free(struct scion_area_table *table);

#endif
