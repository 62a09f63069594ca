/*
 * What a process has found out about folders and names, so that it need not ask again: in small
 * tables of hashes. What is known of the tree ends with each new link, what is known of real
 * folders when one is made, and what is known of a name when something comes there, in whatever
 * process
 * (`links`, `real_folders` and `names` of the session).
 */
#ifndef SCION_PRELOAD_KNOWN_H
#define SCION_PRELOAD_KNOWN_H

#include <stdint.h>

enum run_fact {
    RUN_IS_PLAIN,       /* no link is on the way to the folder, and its input is in the tree */
    RUN_REAL_IS_ABSENT, /* there is no such real folder, so nothing is in it */
    RUN_REAL_IS_THERE,  /* there was one; of use for speed only */
    RUN_FACTS
};

/* folder: scion_path_hash() of its path relative to the root */
int run_is_known(enum run_fact fact, uint64_t folder);
void run_know(enum run_fact fact, uint64_t folder);

/* What is known of a name in the tree, of which name is the scion_name_hash(). */
enum run_thing {
    RUN_NOT_KNOWN,
    RUN_FILE,    /* what has it is no folder, */
    RUN_OWN_FILE /* and this process has made it */
};

enum run_thing run_known_thing(uint64_t name);

/* Something is about to come to a name. Returns how often this was so: what is known then ends when
   it is so again. */
uint32_t run_comes(uint64_t name);
void run_know_thing(uint64_t name, uint32_t times, enum run_thing thing);

#endif
