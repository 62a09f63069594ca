/*
 * The files of a container, which are named after file 0: its own, and those of its copies
 * (doc/format.md, "Sets of files" and "Buddy sets").
 */
#ifndef UTILS_LIB_MEMBERS_H
#define UTILS_LIB_MEMBERS_H

#include <stddef.h>
#include <sys/stat.h>

#include "sion_datatypes.h"

enum { MEMBERS_OWN = -1 /* level of the container's own files, which are not copies */ };

struct member {
    int level;
    int number;
    char *suffix; /* what its name has behind that of file 0: "", ".000001", "_BUDDY_00" */
    int is_other; /* by_names: file 0 is a container's, and says that this one is none of it */
    struct stat file;
};

struct members {
    struct member *member; /* [count] those that are there, by level and number */
    size_t count;
    int nfiles;  /* as file 0 says; 0: it says nothing */
    int missing; /* file of which neither the own one nor a copy is there; -1: none */
};

/*
 * Find them. If file 0 cannot be read as a container's, this is a failure; by_names: then
 * everything counts that has a name of theirs. TOOL_RUN, or TOOL_FAILED after a message.
 */
int members_find(const char *name, int by_names, struct members *members);
void members_free(struct members *members);

/* Whether it has file 0, which is the first one then. */
static inline int members_have_first(const struct members *members)
{
    return members->count > 0 && members->member[0].level == MEMBERS_OWN &&
           members->member[0].number == 0;
}

/* TOOL_RUN if no file is missing, else a message, which ends with the advice, and TOOL_FAILED. */
int members_check(const struct members *members, const char *name, const char *advice);

/* The one of the same suffix, or NULL. */
const struct member *members_with(const struct members *members, const struct member *like);

/* The one that is this file, or NULL. O(count). */
const struct member *members_which(const struct members *members, const struct stat *file);

/* Their bytes, with the holes. */
sion_int64 members_bytes(const struct members *members);

/* Its name if that of file 0 is `base`; to be freed. NULL: out of memory. */
char *members_path(const char *base, const struct member *member);

/* Call for `base` with the suffix of a member; 0, or the errno of the failure. */
typedef int members_call(const char *path);
typedef int members_call_two(const char *from, const char *to);
int members_do(members_call *call, const char *base, const struct member *member);
int members_do_two(members_call_two *call, const char *from, const char *to,
                   const struct member *member);

#endif
