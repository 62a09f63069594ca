/*
 * The session folder: where the files of the programs of one job are, on one node.
 *
 *   STAGE/sionrun-UID-KEY/session    what the preloaded library reads (run/session.h)
 *   STAGE/sionrun-UID-KEY/tree.NAME/ the files
 *   STAGE/sionrun-UID-KEY/job        notes: output, root and so on
 *   STAGE/sionrun-UID-KEY/member.N   notes of the N-th process of sionrun: whether its program runs
 *   STAGE/sionrun-UID-KEY/leader     made by the process that packs
 *   STAGE/sionrun-UID-KEY/packed     made when all is in a container
 */
#ifndef UTILS_SIONRUN_FOLDER_H
#define UTILS_SIONRUN_FOLDER_H

#include "sionrun/settings.h"
#include "vfs/path.h"

#define FOLDER_PACKED "packed" /* name of a file */

struct folder {
    char path[SCION_PATH];
    char output[SCION_PATH]; /* "": nothing is packed */
    char root[SCION_PATH];
    char host[65];
    int size; /* processes of the job on all nodes */
    int rank; /* this one's */
    int by_node, checksum, recover, has_input, has_namespace;
    int is_numbered; /* containers are made while the program runs, and have numbers */
};

/* What is known of the processes of sionrun that have used a folder. */
struct folder_members {
    int known, ended; /* how many; of those, whose program has ended */
    int lost;         /* and how many were killed before that */
    int first;        /* lowest rank; -1: none */
};

/*
 * Make the folder, or join the other processes of the job that have made it, and say that a program
 * begins. TOOL_RUN, or TOOL_FAILED after a message, like all that return a status here.
 */
int folder_join(struct folder *folder, const struct settings *settings);

/* A folder that a job has left; of one that is not begun, only the path is known. */
int folder_open(struct folder *folder, const char *path);

/* Whether it has more than its name: else a job was killed at its beginning, or while it removed
 * this.
 */
int folder_is_begun(const struct folder *folder);

/* This process's program begins. */
int folder_enter(const struct folder *folder);

/*
 * It has ended with this exit status. leads: 1: this process packs; 0: another one of this node does,
 * or a program still runs: then this process does not use the folder any more, which may soon be
 * gone; -1 after a message: nobody packs.
 */
int folder_leave(const struct folder *folder, int status, int *leads);

int folder_count(const struct folder *folder, struct folder_members *members);

/* All is in a container: what is still there is only to be removed. */
int folder_set_packed(const struct folder *folder);
int folder_is_packed(const struct folder *folder);

/* A process that belongs to the session and still runs; 0: none. */
long folder_user(const struct folder *folder);

/* The ranks whose processes have used it: [*n], to be freed. NULL after a message. */
int *folder_ranks(const struct folder *folder, int *n);

/* Write the notes as a file of the folder, and free them. */
struct notes;
int folder_write_notes(const struct folder *folder, struct notes *notes, const char *name);

/* folder/name in memory of the caller's own, or NULL after a message. */
char *folder_file(const struct folder *folder, const char *name);

/* Remove it with all that is in it. */
int folder_remove(const struct folder *folder);

/* Session folders of this user in a folder for staging: [*n]. NULL after a message. */
char **folder_find(const char *stage, int *n);
void folder_free_names(char **names, int n);

#endif
