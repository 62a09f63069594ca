/*
 * A node's part of a staged container: what its tasks write, in a folder of the node, until it is
 * drained, that is, copied to the container's own folder.
 *
 *   DIR/.NAME.NONCE.N.stage         the record of node N's part
 *   DIR/.NAME.NONCE.N.stage.000000  what node N has of physical file 0, at the offsets of that file
 *   DIR/.NAME.NONCE.N.stage.rows    which bytes these are, if there are several nodes (rows.h)
 *   FOLDER/.NAME.NONCE.new          file 0 of the container until all nodes have drained their
 * parts FOLDER/.NAME.NONCE.new.node.N   what node N says of its drain to the others
 */
#ifndef SCION_STAGE_PART_H
#define SCION_STAGE_PART_H

#include <stdint.h>

#include "sion_datatypes.h"

#include "vfs/older.h"

enum {
    SCION_STAGE_BEFORE = 8,   /* most containers of one name that wait for their drains */
    SCION_STAGE_REASON = 256, /* of a failure, with its NUL */
    SCION_STAGE_BOOT = 40     /* which start of the machine; with its NUL */
};

enum scion_stage_state {
    SCION_STAGE_OPEN = 'o',   /* it is being written, or was when its program ended */
    SCION_STAGE_CLOSED = 'c', /* all tasks of all nodes have written all data */
    SCION_STAGE_FAILED = 'f', /* the same, and the last try to drain it has failed */
    SCION_STAGE_DRAINED = 'd' /* this node's part has been copied */
};

struct scion_stage_part {
    char *record; /* path of the record; the names of the parts of files begin with it */
    char *target; /* name that the container will have, with its folder from the root on */
    sion_int64 flag2;
    int node, nodes, nfiles;
    int ntasks;                          /* of the node */
    sion_int64 opened;                   /* nanoseconds since 1970 */
    int is_synced;                       /* what was closed is on the disk of the node */
    char boot[SCION_STAGE_BOOT];         /* when the part was written; "": not known */
    sion_int64 seen_time;                /* when that was written, as `opened`; 0: there was none */
    struct scion_older seen;             /* what had the name at the open */
    uint32_t before[SCION_STAGE_BEFORE]; /* nonces of those that may have taken the name since */
    int nbefore;

    /* What changes. */
    enum scion_stage_state state;
    int at_file; /* the part was copied up to this file, and there up to this offset */
    sion_int64 at;
    char reason[SCION_STAGE_REASON];
};

/* When the file of this name was written last, in nanoseconds; 0: there is none. */
sion_int64 scion_stage_time(const char *name);

/* The record's path: to be freed; NULL: out of memory. */
char *scion_stage_record(const char *folder, const char *target, sion_int64 flag2, int node);

/* Path of what a record's node has of physical file `number`; likewise. */
char *scion_stage_data(const char *record, int number);

/* Path of the container's file `number` while it is drained, and of what a node says; likewise. */
char *scion_stage_new(const struct scion_stage_part *part, int number);
char *scion_stage_report(const struct scion_stage_part *part, int node);

/* Write the record of a part; it must not be there. */
int scion_stage_part_make(const struct scion_stage_part *part);

/* Write what changes, without waiting for the disk. */
int scion_stage_part_update(const struct scion_stage_part *part);

/* Read a record. The part's members are to be freed by scion_stage_part_free(). */
int scion_stage_part_read(const char *record, struct scion_stage_part *part);

/* Read again what changes; ENOENT as an errno if the record is gone. The error record stays. */
int scion_stage_part_refresh(struct scion_stage_part *part);

void scion_stage_part_free(struct scion_stage_part *part);

/* Remove the files of the node's part, its record last. */
void scion_stage_part_remove(const struct scion_stage_part *part);

/* The present start of the machine, into boot[SCION_STAGE_BOOT]; "": not known. */
void scion_stage_boot(char *boot);

#endif
