/*
 * Two layers as one: the tree above the real folders. A name is in the tree if that has it, else it
 * is the real one. Functions return 0 or -1 with errno, unless they say another thing.
 */
#ifndef SCION_PRELOAD_UNION_H
#define SCION_PRELOAD_UNION_H

#include <sys/stat.h>

#include "run/owners.h"
#include "run/preload/place.h"

enum { RUN_LINKS_MOST = 40 }; /* followed on the way to a name, as by the system */

/*
 * Find the place of a path, as run_place(), with the links among its folders followed, so that both
 * layers can be asked for its name. What is not redirected may lead to what is, and the other way.
 * follows: the name itself is followed, too, if it is a link of what is not redirected to what is;
 * -1: only with a "/" behind it.
 */
int run_locate(struct run_place *place, int folder, const char *path, int follows);

/* The same, but what folder a descriptor is may be recalled: place->is_recalled. Then the call is
   to be made with what the program gave, whether the place is RUN_NATIVE or RUN_OURS; only in the
   latter case, and if that fails, has it to be located again. */
int run_locate_quickly(struct run_place *place, int folder, const char *path, int follows);

/* Only the links among the folders. */
int run_walk(struct run_place *place);

/* Whether links may be in the tree. */
int run_has_links(void);

/* If the name is a link in the layer that has it: the place that it leads to, and so on. A link
   that is not ours is followed only if it leads to what is. */
int run_follow(struct run_place *place);

/*
 * The layer that has the name of a place that is ours and was walked; -1: none. A link is found
 * itself. status: of what was found.
 */
int run_find(struct run_place *place, struct stat *status);

/* Whether there is a real thing of the name, itself. errno if not. */
int run_real(struct run_place *place, struct stat *status);

/* The same, whether or not the program's path ended in a "/": what is there is in the way of a new
 * thing. */
int run_is_in_the_way(struct run_place *place);

/* Whether it is known that nothing of the name can be real, so that the tree alone matters; the
   same for what is in the folder of the name. */
int run_is_tree_only(struct run_place *place);
int run_holds_tree_only(struct run_place *place);

/* The folder that the name is in: make it in the tree if it is only real. */
int run_mirror_parent(struct run_place *place);

/* The folder of the place itself. */
int run_mirror(struct run_place *place);

/* Something is about to be made at a place inside the root that is not ours, in a folder that is in
   the tree only: make that a real one. Returns 1 if this was so. */
int run_real_parent(struct run_place *place);

/* If the name is only real: copy it into the tree, so that it can be changed there; without its
   bytes if these are cut anyway. A folder becomes an empty one. */
int run_copy_up(struct run_place *place, int with_bytes);

/* The folder of a name in the tree: its times must not change by what is done in it between these.
 */
struct run_times {
    struct timespec times[2];
    int is_there;
};
void run_keep_times(struct run_times *times, struct run_place *child);
void run_restore_times(const struct run_times *times, struct run_place *child);

/* A real name has come or gone: the time of its folder in the tree, if it is there, is that of now.
 */
void run_touch_folder(struct run_place *child);

#endif
