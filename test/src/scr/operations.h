/*
 * Operations of the SCR layer on small datasets, and the files that they need: for tests that let
 * something fail in the middle of them. All are called in the same folder, by one task.
 */
#ifndef TEST_SCR_OPERATIONS_H
#define TEST_SCR_OPERATIONS_H

#include "check.h"

#include "scr_check.h"

static const struct sion_scr_place place = {sizeof place, SION_SCR_LAYOUT_DATASET, "set", 1};
static sion_scr_comm *self;

/* ---- the operations ---- */

static inline int write_map(void)
{
    const struct sion_scr_map_options options = {.size = sizeof options, .segment = 100};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    int rc, i;

    for (i = 0; i < 5; i++) {
        sion_kvtree *tree = simple_files("a file of a rank", i);

        sion_scr_ranks_add(ranks, i, tree);
        sion_kvtree_free(tree);
    }
    rc = code_of(sion_scr_map_write(self, &place, ranks, &options));
    sion_scr_ranks_free(ranks);
    return rc;
}

static inline int read_map(void)
{
    sion_scr_ranks *ranks = sion_scr_map_read(self, "set", NULL);

    sion_scr_ranks_free(ranks);
    return ranks ? 0 : -1;
}

static inline int pack(void)
{
    static const struct packed_file files[] = {{0, "one"}, {1, "two"}};

    return code_of(pack_files(self, "set", 70, files, 2, NULL));
}

static inline int fetch(void)
{
    return code_of(sion_scr_fetch(self, "set", "out", NULL));
}

static inline void count_fault(void *user, enum sion_scr_fault fault, sion_int64 rank,
                               const char *file, const char *text)
{
    (void)rank, (void)file, (void)text;
    *(int *)user += fault != SION_SCR_FAULT_SUMMARY;
}

/* The summary comes after the map, and a failure between the two leaves none, or an old one. */
static inline int check(void)
{
    int faults = 0;
    const struct sion_scr_fetch_options options = {
        .size = sizeof options, .fault = count_fault, .fault_user = &faults};
    int rc = code_of(sion_scr_check("set", &options));

    return rc == SION_ERR_DAMAGED && faults == 0 ? 0 : rc;
}

static inline int import(void)
{
    return code_of(sion_scr_import("set", "c.sion", NULL));
}

static inline int export(void)
{
    return code_of(sion_scr_export("c.sion", NULL));
}

static inline int index_two(void)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, 2, "two");
    return code_of(sion_scr_index_write(".", &dataset));
}

static inline int flush_two(void)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, 2, "two");
    return code_of(sion_scr_flush_write(".", &dataset, 0));
}

/* ---- what is there before ---- */

static inline void nothing(void)
{
}

static inline void map_is_there(void)
{
    CHECK_INT(write_map(), 0);
}

static inline void set_is_packed(void)
{
    CHECK_INT(pack(), 0);
}

static inline void container_is_there(void)
{
    CHECK_INT(pack(), 0);
    CHECK_INT(import(), 0);
}

static inline void index_is_there(void)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, 1, "one");
    CHECK_INT(code_of(sion_scr_index_write(".", &dataset)), 0);
}

static inline void flush_is_there(void)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, 1, "one");
    CHECK_INT(code_of(sion_scr_flush_write(".", &dataset, 0)), 0);
}

static inline void clean_up(void)
{
    remove_folder("set");
    remove_folder("out");
    remove_folder(".scr");
    remove("c.sion");
}

/* Two files, which pack() packs. */
static inline void begin_operations(void)
{
    char bytes[100];

    memset(bytes, 'x', sizeof bytes);
    support_store("one", bytes, sizeof bytes);
    support_store("two", bytes, 55);
    if (!self)
        self = sion_scr_comm_self();
}

#endif
