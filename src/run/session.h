/*
 * A session of sionrun on one node: a folder that only its user may enter. sionrun makes it, and
 * the programs that it starts find it by SION_RUN_SESSION.
 *
 *   session        what the programs must know, in shared memory
 *   owners         who has created what, and
 *   renames        names that it had before (owners.h)
 *   tree.NAME/     the redirected files, at their paths relative to the root; NAME is the folder's,
 *                  so that no other folder has one of this name
 *   new/           files that are being copied, until they get their names in the tree
 *   input, filled  files of containers that the tree shows (input.h)
 *   notify         a FIFO: names of closed files, each with a NUL, if patterns of such are given
 *
 * Functions return 0, or -1 with errno: EBADMSG if a file is damaged, EPROTONOSUPPORT if another
 * version made it.
 */
#ifndef SCION_RUN_SESSION_H
#define SCION_RUN_SESSION_H

#include <stdint.h>
#include <stddef.h>

enum scion_run_list {
    SCION_RUN_FILES,  /* patterns of what is redirected */
    SCION_RUN_EXCEPT, /* but not these */
    SCION_RUN_WHEN,   /* whose close is told to sionrun */
    SCION_RUN_LISTS
};

enum { SCION_RUN_NAMES = 4096 };

/* The head of the file `session`. Strings stand behind it: offsets count from its beginning. */
struct scion_run_head {
    char magic[8];
    uint32_t version, bytes; /* bytes of this struct */
    uint64_t size;           /* of the file */
    uint32_t root, root_real, tree;
    uint32_t list[SCION_RUN_LISTS], count[SCION_RUN_LISTS]; /* strings one after the other */
    uint32_t has_input;

    /* What changes. */
    _Atomic uint32_t next_owner;   /* of a process that has no rank */
    _Atomic uint32_t links;        /* times that a symbolic link or a folder has come into the tree
                                      at a name where another thing may be known */
    _Atomic uint32_t real_folders; /* times that a real folder was made for one of the tree */
    _Atomic uint32_t real_links; /* times that a link was made beneath the root, not in the tree */
    _Atomic int32_t world;       /* processes of MPI; 0: not known */
    _Atomic uint64_t job;        /* what all processes of the MPI program have in common; 0: none */
    _Atomic uint64_t records;    /* slots taken in `owners`, */
    _Atomic uint64_t renames;    /* and bytes in `renames` */
    _Atomic uint32_t moves;      /* folders renamed, */
    _Atomic uint32_t moving;     /* and those whose rename has begun */
    _Atomic uint64_t changes;    /* files created, opened for writing, moved or removed */
    _Atomic uint32_t names[SCION_RUN_NAMES]; /* times that something came to a name of each hash */
};

struct scion_session {
    struct scion_run_head *head;  /* shared memory */
    const char *root, *root_real; /* the same folder: as $PWD spells it, without links */
    size_t root_length, real_length;
    int is_beneath; /* the folder of the session is beneath the root */
    const char *tree;
    size_t tree_length, folder_length; /* of SESSION/tree.NAME, of SESSION */
};

/* What a session is made of. */
struct scion_run_plan {
    const char *root, *root_real;             /* absolute, without detours */
    const char *const *list[SCION_RUN_LISTS]; /* relative to the root; NULL at the end, or none */
    int has_input; /* `input` and `filled` are there (scion_input_make()) */
};

/* Make the files of a session in a folder that is there; `session` comes last, at once. The folder
   must be an absolute path without detours. */
int scion_session_create(const char *folder, const struct scion_run_plan *plan);

/* The path of its tree. Returns 0 if there is no room for it. */
int scion_session_tree(const char *folder, char *to, size_t room);

int scion_session_open(const char *folder, struct scion_session *session);
void scion_session_close(struct scion_session *session);

/* What remains of an absolute path without detours that is beneath the root, in either spelling;
   NULL if it is not. The folder of the session is beneath no root. */
const char *scion_session_inside(const struct scion_session *session, const char *path);

/* Whether a path relative to the root is redirected; whether its close is told. */
int scion_session_redirects(const struct scion_session *session, const char *path);
int scion_session_tells(const struct scion_session *session, const char *path);

/* A string of a list: 0 <= i < head->count[list]. */
const char *scion_session_pattern(const struct scion_session *session, enum scion_run_list list,
                                  uint32_t i);

/* Turn a pattern into one that is relative to the root: it may be so already, or absolute. Returns
   its length, or 0: it is not beneath the root, is the root itself, or does not fit. */
size_t scion_session_relative(const char *root, const char *root_real, const char *pattern,
                              char *to, size_t room);

#endif
