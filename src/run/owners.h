/*
 * Who has created what: a log to which all processes of a node append, in shared memory, so that a
 * record survives the death of its process. Things are known by their names, because to ask for the
 * number of an inode takes a system call; so names that are given to other things are noted, too. A
 * slot is taken by an atomic add, which also says what came first.
 *
 *   owners   a record for each thing made, and for each other name
 *   renames  the texts of those names
 */
#ifndef SCION_RUN_OWNERS_H
#define SCION_RUN_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "run/session.h"

/* Numbers of processes without a rank begin here. */
#define SCION_OWNER_ALONE UINT32_C(0x80000000)

/* Records, and bytes of texts; what comes beyond has no owner. */
#define SCION_OWNERS_MOST (1 << 26)
#define SCION_OWNERS_TEXT (INT64_C(1) << 31)

enum scion_owner_what {
    SCION_OWNER_CREATED = 1, /* the program made it */
    SCION_OWNER_COPIED = 2,  /* a real file or folder was copied, because the program changes it */
    SCION_OWNER_MIRRORED = 3 /* a real folder was made again for what is in it */
};

enum scion_owner_move {
    SCION_OWNER_FILE = 4,   /* what is no folder has another name */
    SCION_OWNER_FOLDER = 5, /* a folder, or what may be one */
    SCION_OWNER_SWAPPED = 6,
    SCION_OWNER_LINKED = 7 /* a second name */
};

/* Make the files in the folder of a session: empty and sparse. */
int scion_owners_make(const char *folder);

/* The number of a process that has no rank. */
uint32_t scion_owners_next(struct scion_session *session);

/* ---- adding: never fails; a signal handler may do it. Paths are relative to the root. ---- */

/* Something was made. name: scion_name_hash() of its path */
void scion_owners_add(struct scion_session *session, uint64_t name, uint32_t owner,
                      enum scion_owner_what what);

/* What had one name got another. */
void scion_owners_move(struct scion_session *session, enum scion_owner_move how, const char *from,
                       const char *to);

/* ---- reading ---- */

struct scion_owners {
    struct scion_owner_event *made, *moved; /* by name, then in order of time */
    size_t nmade, nmoved, nfolders;
    char *texts;
    size_t ntexts;
};

struct scion_owner_record {
    uint32_t owner;
    enum scion_owner_what what;
};

/* 0, or -1 with errno. */
int scion_owners_read(const struct scion_session *session, struct scion_owners *owners);
void scion_owners_free(struct scion_owners *owners);

/* Who has made what has this path now. Returns 0 if nobody is known. */
int scion_owners_find(const struct scion_owners *owners, const char *path,
                      struct scion_owner_record *record);

#endif
