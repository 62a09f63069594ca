/*
 * What a process has found out about folders, so that it need not ask again: in small tables of
 * hashes. What is known of the tree ends with each new link, and what is known of real folders
 * when one is made, in whatever process (`links` and `real_folders` of the session).
 */
#ifndef SCION_PRELOAD_KNOWN_H
#define SCION_PRELOAD_KNOWN_H

#include <stddef.h>
#include <stdint.h>

enum run_fact {
    RUN_IS_PLAIN,       /* no link is on the way to the folder, and its input is in the tree */
    RUN_REAL_IS_ABSENT, /* there is no such real folder, so nothing is in it */
    RUN_REAL_IS_THERE,  /* there was one; of use for speed only */
    RUN_FACTS
};

/* The folder: `length` bytes of a path relative to the root. */
uint64_t run_folder_hash(const char *folder, size_t length);

int run_is_known(enum run_fact fact, uint64_t folder);
void run_know(enum run_fact fact, uint64_t folder);

#endif
