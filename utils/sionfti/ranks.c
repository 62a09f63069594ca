#include "sionfti/ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lib/tool.h"
#include "sionfti/fail.h"

struct fti_entry {
    int set;  /* the checkpoint's number, or below */
    int rank; /* in the name */
    int is_rank_file, is_alone;
};

enum { DIFFERENTIAL_SET = -1, CONTAINER_SET = -2 /* and below */ };

/* The files of one checkpoint. */
struct set {
    const struct fti_entry *seen;
    int count;      /* of them */
    int rank_files; /* how many are Rank files */
    int most;       /* the largest rank in a name */
    int is_whole;   /* 1: it should be a whole checkpoint */
};

void fti_ranks_begin(struct fti_ranks *ranks, const struct fti_settings *settings,
                     const struct fti_files *files)
{
    *ranks = (struct fti_ranks){
        .wanted = settings->ranks, .nodes = files->nodes, .node_size = settings->node_size};
}

void fti_ranks_free(struct fti_ranks *ranks)
{
    free(ranks->seen);
    ranks->seen = NULL;
}

int fti_application_rank(int node_size, int rank)
{
    return node_size > 1 ? rank - rank / node_size - 1 : rank;
}

int fti_rank_in_name(int node_size, int rank)
{
    long long world = rank;

    if (node_size > 1)
        world = world / (node_size - 1) * node_size + 1 + rank % (node_size - 1);
    return world > INT_MAX ? -1 : (int)world;
}

int fti_ranks_add(struct fti_ranks *ranks, struct scion_fti_name name, int container, int is_alone)
{
    struct fti_entry *more, seen = {.set = name.ckptid, .rank = name.rank, .is_alone = is_alone};

    if (name.rank < 0 || (name.kind == SCION_FTI_FOREIGN && container == 0))
        return TOOL_RUN;
    seen.is_rank_file = name.kind == SCION_FTI_RANK || name.kind == SCION_FTI_DIFFERENTIAL ||
                        name.kind == SCION_FTI_FOREIGN;
    if (name.kind == SCION_FTI_DIFFERENTIAL)
        seen.set = DIFFERENTIAL_SET;
    if (name.kind == SCION_FTI_FOREIGN)
        seen.set = CONTAINER_SET - container;
    more = scion_array_grown(ranks->seen, (size_t)ranks->count + 1, sizeof *more);
    if (!more)
        return fti_out_of_memory();
    ranks->seen = more;
    more[ranks->count++] = seen;
    return TOOL_RUN;
}

/* By sets and ranks; of one rank, the Rank file comes first. */
static int compare_seen(const void *a, const void *b)
{
    const struct fti_entry *x = a, *y = b;

    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return y->is_rank_file - x->is_rank_file;
}

/* ---- gaps ---- */

/* The next gap of the set from *rank on, below `end`: ranks *rank to *behind - 1 have no Rank file.
 *at: the next file to look at. 0: there is none. */
static int next_gap(const struct set *set, int *at, long long *rank, long long *behind,
                    long long end)
{
    while (*rank < end) {
        while (*at < set->count && (set->seen[*at].rank < *rank || !set->seen[*at].is_rank_file))
            ++*at;
        *behind = *at < set->count && set->seen[*at].rank < end ? set->seen[*at].rank : end;
        if (*behind > *rank)
            return 1;
        ++*rank;
    }
    return 0;
}

/* The node size at which exactly the first processes of at least two nodes have no file; or 0. */
static int find_node_size(const struct set *set)
{
    long long rank = 0, behind, end = (long long)set->most + 1, node_size = 0;
    int at = 0, gaps = 0;

    for (; next_gap(set, &at, &rank, &behind, end); rank = behind, gaps++) {
        if (gaps == 1)
            node_size = rank;
        if (behind - rank != 1 || rank != gaps * node_size)
            return 0;
    }
    return gaps > 1 && node_size > 1 && set->most / node_size + 1 == gaps ? (int)node_size : 0;
}

/* Of the ranks first to behind - 1, how many have no file of their own with head = 1. */
static long long heads_in(int node_size, long long first, long long behind)
{
    return node_size > 1
               ? (behind + node_size - 1) / node_size - (first + node_size - 1) / node_size
               : 0;
}

/* ---- what a set should be ---- */

static void print_set(const struct set *set, char text[64])
{
    int number = set->seen[0].set;

    if (number >= 0)
        snprintf(text, 64, "checkpoint %d", number);
    else
        snprintf(text, 64, "%s",
                 number == DIFFERENTIAL_SET ? "the differential checkpoint" : "the container");
}

/* How many ranks the names may have, from 0 on. */
static long long end_of(const struct fti_ranks *ranks, const struct set *set)
{
    long long end = (long long)set->most + 1;

    if (ranks->wanted > 0 && ranks->node_size > 1)
        return (ranks->wanted + ranks->node_size - 2) / (ranks->node_size - 1) *
               (long long)ranks->node_size;
    if (ranks->wanted > 0)
        return ranks->wanted;
    if (ranks->nodes > 0)
        return (end + ranks->nodes - 1) / ranks->nodes * ranks->nodes;
    return end;
}

enum { SHOWN = 8 };

/* Up to SHOWN ranks of a gap after those in the text, and "..." if there are more. */
static void add_ranks(char *text, size_t size, int node_size, long long rank, long long behind,
                      int *shown)
{
    for (; rank < behind && *shown <= SHOWN; rank++) {
        size_t used = strlen(text);

        if (node_size > 1 && rank % node_size == 0)
            continue;
        if (*shown == SHOWN)
            snprintf(text + used, size - used, ", ...");
        else
            snprintf(text + used, size - used, "%s%lld", *shown > 0 ? ", " : "", rank);
        ++*shown;
    }
}

static int report_missing(const struct fti_ranks *ranks, const struct set *set, long long end)
{
    long long rank = 0, behind, missing = 0;
    char text[300] = "", name[64];
    int at = 0, shown = 0;

    for (; next_gap(set, &at, &rank, &behind, end); rank = behind) {
        missing += behind - rank - heads_in(ranks->node_size, rank, behind);
        add_ranks(text, sizeof text, ranks->node_size, rank, behind, &shown);
    }
    if (missing == 0)
        return TOOL_RUN;
    print_set(set, name);
    tool_error("%s: the Rank files of %lld of %lld ranks are missing: %s", name, missing,
               end - heads_in(ranks->node_size, 0, end), text);
    return TOOL_FAILED;
}

/* Files that the ranks asked for cannot have. */
static int report_others(const struct fti_ranks *ranks, const struct set *set, long long end)
{
    char name[64];
    int i;

    for (i = 0; i < set->count; i++) {
        int rank = set->seen[i].rank;
        int is_head = ranks->node_size > 1 && rank % ranks->node_size == 0;

        if (rank < end && !is_head)
            continue;
        print_set(set, name);
        tool_error(is_head ? "%s: there is a file of rank %d, which is the head of a node"
                           : "%s: there is a file of rank %d, which is none of those asked for",
                   name, rank);
        return TOOL_FAILED;
    }
    return TOOL_RUN;
}

/* With this node size, no first process of a node has a file. */
static int has_no_heads(const struct set *set, long long node_size)
{
    int i;

    for (i = 0; i < set->count; i++) {
        if (set->seen[i].rank % node_size == 0)
            return 0;
    }
    return node_size > 1;
}

static int check_set(struct fti_ranks *ranks, const struct set *set)
{
    int status, found = ranks->node_size > 1 ? 0 : find_node_size(set);
    long long end;

    if (found > 0)
        ranks->node_size = found;
    if (!set->is_whole && ranks->wanted == 0 && ranks->nodes == 0)
        return TOOL_RUN;
    end = end_of(ranks, set);
    if (ranks->nodes > 0 && ranks->node_size <= 1 && has_no_heads(set, end / ranks->nodes))
        ranks->node_size = (int)(end / ranks->nodes);
    status = report_missing(ranks, set, end);
    return report_others(ranks, set, end) == TOOL_RUN ? status : TOOL_FAILED;
}

/* A set of several Rank files, or one from a folder or a container, should be a whole one. */
static struct set next_set(const struct fti_ranks *ranks, int first)
{
    struct set set = {.seen = ranks->seen + first, .most = -1};
    int is_from_folder = 0;

    while (first + set.count < ranks->count && set.seen[set.count].set == set.seen[0].set) {
        const struct fti_entry *seen = &set.seen[set.count++];

        set.rank_files += seen->is_rank_file;
        is_from_folder |= !seen->is_alone;
        set.most = seen->rank;
    }
    set.is_whole = is_from_folder || set.rank_files > 1;
    return set;
}

int fti_ranks_check(struct fti_ranks *ranks)
{
    int status = TOOL_RUN, first;

    if (ranks->count > 0)
        qsort(ranks->seen, (size_t)ranks->count, sizeof *ranks->seen, compare_seen);
    for (first = 0; first < ranks->count;) {
        struct set set = next_set(ranks, first);

        if (check_set(ranks, &set) != TOOL_RUN)
            status = TOOL_FAILED;
        first += set.count;
    }
    return status;
}
