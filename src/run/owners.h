/*
 * Who has created what: a file of records to which all processes of a node append, in shared
 * memory, so that a record survives the death of its process. A slot is taken by an atomic add.
 */
#ifndef SCION_RUN_OWNERS_H
#define SCION_RUN_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "run/session.h"

/* Numbers of processes without a rank begin here. */
#define SCION_OWNER_ALONE UINT32_C(0x80000000)

enum { SCION_OWNERS_MOST = 1 << 26 }; /* records; what is created beyond has no owner */

enum scion_owner_what {
    SCION_OWNER_CREATED = 1, /* the program made it */
    SCION_OWNER_COPIED = 2,  /* a real file or folder was copied, because the program changes it */
    SCION_OWNER_MIRRORED = 3 /* a real folder was made again for what is in it */
};

struct scion_owner_record {
    uint64_t inode;
    uint64_t time; /* nanoseconds since 1970 */
    uint32_t owner;
    uint32_t what;
};

/* Make the file: empty and sparse. */
int scion_owners_make(const char *path);

/* The number of a process that has no rank. */
uint32_t scion_owners_next(struct scion_session *session);

/* Append a record. Never fails: without room the file has no owner. A signal handler may call it.
 */
void scion_owners_add(struct scion_session *session, uint64_t inode, uint32_t owner,
                      enum scion_owner_what what);

/* The last record of each inode, in the order of the inodes; to be freed. */
int scion_owners_read(const struct scion_session *session, struct scion_owner_record **records,
                      size_t *n);

/* That of one inode, or NULL. */
const struct scion_owner_record *scion_owners_find(const struct scion_owner_record *records,
                                                   size_t n, uint64_t inode);

#endif
