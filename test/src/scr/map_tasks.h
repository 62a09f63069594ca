/* A map that some tasks write and others read, each a thread. */
#ifndef TEST_SCR_MAP_TASKS_H
#define TEST_SCR_MAP_TASKS_H

#include <stdatomic.h>

#include "src/comm/thread_tasks.h"
#include "scr_check.h"

static const struct sion_scr_place here = {sizeof here, SION_SCR_LAYOUT_3, "map", 1};
static const char here_folder[] = "map/.scr/scr.dataset.1";

struct map {
    const struct sion_scr_place *place;
    struct sion_scr_map_options options;
    const sion_scr_ranks *all; /* its contents */
    const char *folder;        /* task that reads each rank */
    int failing;               /* task whose ranks are wrong; -1: none */
    atomic_int rc;             /* sum over tasks */
    atomic_int read, wrong;    /* ranks */
};

static inline void write_share(struct scion_comm *comm, void *data)
{
    struct map *map = data;
    sion_scr_ranks *own = sion_scr_ranks_new();
    int n = sion_scr_ranks_count(map->all), i;

    for (i = comm->rank * n / comm->size; i < (comm->rank + 1) * n / comm->size; i++) {
        sion_kvtree *tree;
        sion_int64 rank;

        sion_scr_ranks_get(map->all, i, &rank, &tree);
        sion_scr_ranks_add(own, rank, tree);
        if (comm->rank == map->failing)
            sion_scr_ranks_add(own, rank, tree);
        sion_kvtree_free(tree);
    }
    map->rc += code_of(sion_scr_map_write(comm, map->place, own, &map->options));
    if (map->failing >= 0) {
        char text[32];

        snprintf(text, sizeof text, "rank %d: ", map->failing);
        map->wrong += strstr(sion_error_text(), text) == NULL;
    }
    sion_scr_ranks_free(own);
}

static inline void read_share(struct scion_comm *comm, void *data)
{
    struct map *map = data;
    int n = sion_scr_ranks_count(map->all), first = comm->rank * n / comm->size, i;
    sion_scr_ranks *own = sion_scr_map_read(comm, map->folder, &map->options);

    if (!own) {
        map->rc--;
        return;
    }
    map->wrong += sion_scr_ranks_count(own) != (comm->rank + 1) * n / comm->size - first;
    for (i = 0; i < sion_scr_ranks_count(own); i++) {
        sion_kvtree *tree, *expected;
        sion_int64 rank, wanted;

        sion_scr_ranks_get(own, i, &rank, &tree);
        sion_scr_ranks_get(map->all, first + i, &wanted, &expected);
        map->wrong += rank != wanted || !same_tree(tree, expected);
        map->read++;
        sion_kvtree_free(tree);
        sion_kvtree_free(expected);
    }
    sion_scr_ranks_free(own);
}

static inline sion_scr_ranks *read_alone(const char *folder)
{
    sion_scr_comm *self = sion_scr_comm_self();
    sion_scr_ranks *ranks = sion_scr_map_read(self, folder, NULL);

    sion_scr_comm_free(self);
    return ranks;
}

static inline int write_alone(const struct sion_scr_place *place, sion_scr_ranks *ranks,
                              int segment)
{
    const struct sion_scr_map_options options = {.size = sizeof options, .segment = segment};
    sion_scr_comm *self = sion_scr_comm_self();
    int rc = code_of(sion_scr_map_write(self, place, ranks, &options));

    sion_scr_comm_free(self);
    return rc;
}

static inline sion_scr_ranks *random_ranks(int n)
{
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_int64 rank = 0;
    char name[400];
    int i;

    for (i = 0; i < n; i++) {
        size_t length = 10 + check_below(i % 17 == 0 ? 380 : 40);
        sion_kvtree *tree;

        memset(name, 'a' + i % 26, length);
        name[length] = '\0';
        tree = check_below(7) == 0 ? sion_kvtree_new() : simple_files(name, i);
        sion_scr_ranks_add(ranks, rank, tree);
        rank += 1 + (check_below(9) == 0);
        sion_kvtree_free(tree);
    }
    return ranks;
}

#endif
