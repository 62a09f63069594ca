/* Where a path leads: to the tree of the session and the real folders beneath it, or elsewhere. */
#ifndef SCION_PRELOAD_PLACE_H
#define SCION_PRELOAD_PLACE_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "run/match.h"
#include "run/preload/memo.h"

enum run_where {
    RUN_NATIVE, /* the call is made with what the program gave */
    RUN_MOVED,  /* not redirected, but to be named by `real`: a folder of the tree stands for one
                   that the name is relative to, or a link has led here */
    RUN_OURS    /* redirected: `tree`, and beneath it `real` */
};

enum run_layer { RUN_TREE, RUN_REAL };

/*
 * A path. `real` and `tree` are absolute and without detours, but for a "/" or "/." at the end if
 * the program's path had such, because the system looks at it. Places are taken and given back: as
 * local variables they would be too large for the stacks of some threads and signal handlers.
 */
struct run_place {
    _Atomic int is_taken;
    enum run_where where;
    size_t begin; /* of the path relative to the root, in `real`; 0: it is not beneath the root */
    size_t inside_length; /* of that, without "/" or "/." */
    size_t real_length;   /* the same for `real` */
    enum scion_path_end end;
    int is_recalled; /* relative to a descriptor, of which only memory says what folder it is */
    int is_near;     /* relative to an open folder of the tree, and it leads to no other: the system
                        finds it by the name that the program gave */
    uint64_t folder_hash; /* of run_folder_length() bytes; 0: not known yet */
    uint64_t name_hash;   /* the same of the whole */
    struct run_memo memo;
    char real[PATH_MAX + 8], tree[PATH_MAX + 8], spare[PATH_MAX + 8], target[PATH_MAX + 8];
};

/* Take a place, which must be given back. Never fails: ends the process if there is no memory. */
struct run_place *run_take(void);
void run_give(struct run_place *place);

/* The path relative to the root. */
static inline const char *run_inside(const struct run_place *place)
{
    return place->real + place->begin;
}

/* Find out about a path relative to a folder that is open (or AT_FDCWD). Makes no system call, but
   where `folder` is one and the path relative. errno stays. */
void run_place(struct run_place *place, int folder, const char *path);

/* The same, but no system call is made if a descriptor's folder can be recalled (opened.h). Then
   place->is_recalled, and only calls with what the program gave may be made. */
void run_place_quickly(struct run_place *place, int folder, const char *path);

/* The same for the folder or file of a descriptor. Returns 0 if that has no path. */
int run_place_of(struct run_place *place, int fd);

/* The path in a layer. */
static inline const char *run_path(const struct run_place *place, enum run_layer layer)
{
    return layer == RUN_TREE ? place->tree : place->real;
}

/* Turn the place into that of a link's target, which is in place->target: the link is the name that
   ends at `at` in run_inside(), and what follows there stays. 0, or -1: ENAMETOOLONG. */
int run_place_link(struct run_place *place, size_t at);

/* Write the tree's path of a place inside the root that is not ours. Returns 0 if it has none. */
int run_place_tree(struct run_place *place);

/* The place of a name in a folder. Returns 0, or -1: ENAMETOOLONG. */
int run_place_in(struct run_place *place, const struct run_place *folder, const char *name);

/* The length of the folder that the name is in, relative to the root. */
static inline size_t run_folder_length(const struct run_place *place)
{
    const char *inside = run_inside(place);
    size_t n = place->inside_length;

    while (n > 0 && inside[n - 1] != '/')
        n--;
    return n > 0 ? n - 1 : 0;
}

/* What facts about that folder are known by (known.h). */
static inline uint64_t run_parent_hash(struct run_place *place)
{
    if (place->folder_hash == 0)
        place->folder_hash = scion_path_hash(run_inside(place), run_folder_length(place));
    return place->folder_hash;
}

/* What its name is known by. */
static inline uint64_t run_name_hash(struct run_place *place)
{
    size_t folder, at;

    if (place->name_hash == 0) {
        folder = run_folder_length(place);
        at = folder + (folder > 0);
        place->name_hash = scion_hash_in(run_parent_hash(place), run_inside(place) + at,
                                         place->inside_length - at);
    }
    return place->name_hash;
}

/* Both paths of a place end, for a while, behind `at` bytes of run_inside(). */
struct run_cut {
    char *ends[2];
    char bytes[2];
};
void run_cut(struct run_place *place, size_t at, struct run_cut *cut);
void run_uncut(const struct run_cut *cut);

#endif
