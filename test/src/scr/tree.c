/* rank2file trees: which task writes which file, the samples of KVTree and SCR, damage. Tasks are
   threads. */
#include "check.h"

#include <dirent.h>

#include "src/parallel/callbacks.h"
#include "map_tasks.h"

/* ---- samples ---- */

/* The number of files with trees in a folder. */
static int count_files(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int n = 0;

    while (folder && (entry = readdir(folder)))
        n += strncmp(entry->d_name, "rank2file", 9) == 0 && !strstr(entry->d_name, ".txt");
    if (folder)
        closedir(folder);
    return n;
}

/* The files in `map` are the same as in a sample, by names and contents. */
static void check_like(const char *sample)
{
    DIR *folder = opendir(sample);
    struct dirent *entry;
    char ours[512], theirs[512];

    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, "rank2file", 9) != 0 || strstr(entry->d_name, ".txt"))
            continue;
        snprintf(ours, sizeof ours, "%s/%.60s", here_folder, entry->d_name);
        snprintf(theirs, sizeof theirs, "%s/%.60s", sample, entry->d_name);
        CHECK(same_tree_files(ours, theirs));
    }
    if (folder)
        closedir(folder);
    CHECK_INT(count_files(here_folder), count_files(sample));
}

static void try_sample(const char *name, int segment, int n)
{
    const char *sample = support_golden(name);
    sion_scr_ranks *ranks = read_alone(sample);
    struct map map = {.options = {.size = sizeof(struct sion_scr_map_options)},
                      .place = &here,
                      .all = ranks,
                      .folder = sample,
                      .failing = -1};
    int tasks;

    if (!ranks) {
        printf("# %s\n", sion_error_text());
        CHECK(ranks != NULL);
        return;
    }
    CHECK_INT(sion_scr_ranks_count(ranks), n);
    CHECK_INT(write_alone(&here, ranks, segment), 0);
    check_like(sample);
    remove_folder("map");
    map.options.segment = segment;
    for (tasks = 1; tasks <= MAX_TASKS; tasks++) {
        run_tasks(tasks, write_share, &map);
        check_like(sample);
        remove_folder("map");
        run_tasks(tasks, read_share, &map);
    }
    CHECK_INT(map.rc, 0);
    CHECK_INT(map.wrong, 0);
    CHECK_INT(map.read, MAX_TASKS * n);
    sion_scr_ranks_free(ranks);
}

static void samples_of_kvtree_are_read_and_rewritten(void)
{
    try_sample("scr/gather_4_scr1", 0, 4);
    try_sample("scr/gather_4_scr3", 0, 4);
    try_sample("scr/gather_16_seg512", 512, 16);
    try_sample("scr/gather_64_seg512", 512, 64);
    try_sample("scr/serial/togather", 0, 4);
}

static void maps_of_scr_are_read_and_written(void)
{
    static const char *const names[] = {"scr/real_scr_1.1.8_plain/prefix/scr.dataset.1",
                                        "scr/real_scr_1.1.8_containers/prefix/scr.dataset.1"};
    static const struct sion_scr_place dataset = {sizeof dataset, SION_SCR_LAYOUT_DATASET, "data",
                                                  0};
    char path[600];
    int i;

    for (i = 0; i < 2; i++) {
        const char *sample = support_golden(names[i]);
        sion_scr_ranks *ranks = read_alone(sample);

        CHECK(ranks && sion_scr_ranks_count(ranks) == 4);
        CHECK_INT(write_alone(&dataset, ranks, 0), 0);
        snprintf(path, sizeof path, "%s/.scr/rank2file.scr", sample);
        CHECK(same_tree_files("data/.scr/rank2file.scr", path));
        snprintf(path, sizeof path, "%s/.scr/rank2file.0.0.scr", sample);
        CHECK(same_tree_files("data/.scr/rank2file.0.0.scr", path));
        remove_folder("data");
        sion_scr_ranks_free(ranks);
    }
}

/* ---- trees of random sizes ---- */

static void random_trees_in_every_layout(void)
{
    static const struct sion_scr_place places[] = {
        {sizeof places[0], SION_SCR_LAYOUT_DATASET, "map", 0},
        {sizeof places[0], SION_SCR_LAYOUT_PREFIX, "map", 7},
        {sizeof places[0], SION_SCR_LAYOUT_3, "map", 12}};
    int i;

    for (i = 0; i < 60; i++) {
        sion_scr_ranks *ranks = random_ranks(1 + (int)check_below(200));
        struct map map = {.options = {.size = sizeof(struct sion_scr_map_options)},
                          .place = &places[i % 3],
                          .all = ranks,
                          .folder = "map",
                          .failing = -1};

        map.options.segment = (sion_int64)check_below(2000);
        map.options.wrapper = i % 2;
        run_tasks(1 + (int)check_below(MAX_TASKS), write_share, &map);
        CHECK_INT(map.rc, 0);
        run_tasks(1 + (int)check_below(MAX_TASKS), read_share, &map);
        CHECK_INT(map.rc, 0);
        CHECK_INT(map.wrong, 0);
        CHECK_INT(map.read, sion_scr_ranks_count(ranks));
        remove_folder("map");
        sion_scr_ranks_free(ranks);
    }
}

/* Packed trees of 4 bytes: one that ends at a multiple of the segment begins no new file. */
static void files_begin_at_trees_that_cross_a_segment(void)
{
    static const char *const begins[] = {"rank2file.0.0", "rank2file.0.1", "rank2file.0.4",
                                         "rank2file.0.7"};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_kvtree *tree = sion_kvtree_new();
    char path[128];
    int i;

    for (i = 0; i < 8; i++)
        sion_scr_ranks_add(ranks, i, tree);
    CHECK_INT(write_alone(&here, ranks, 16), 0);
    CHECK_INT(count_files(here_folder), 2);
    remove_folder("map");
    /* Multiples of 6 are inside ranks 1 (4 to 7), 4 (16 to 19) and 7 (28 to 31). */
    CHECK_INT(write_alone(&here, ranks, 6), 0);
    for (i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", here_folder, begins[i]);
        CHECK(access(path, F_OK) == 0);
    }
    remove_folder("map");
    sion_kvtree_free(tree);
    sion_scr_ranks_free(ranks);
}

static int interface;

static void write_generic(struct scion_comm *comm, void *data)
{
    sion_scr_comm *own = sion_scr_comm_generic(interface, comm, comm->rank, comm->size);

    write_share(own, data);
    sion_scr_comm_free(own);
}

static void read_generic(struct scion_comm *comm, void *data)
{
    sion_scr_comm *own = sion_scr_comm_generic(interface, comm, comm->rank, comm->size);

    read_share(own, data);
    sion_scr_comm_free(own);
}

static void maps_are_written_with_the_applications_callbacks(void)
{
    sion_scr_ranks *ranks = random_ranks(50);
    struct map map = {.options = {.size = sizeof(struct sion_scr_map_options)},
                      .place = &here,
                      .all = ranks,
                      .folder = "map",
                      .failing = -1};

    interface = generic_make_api();
    map.options.segment = 600;
    run_tasks(5, write_generic, &map);
    run_tasks(3, read_generic, &map);
    CHECK_INT(map.rc, 0);
    CHECK_INT(map.wrong, 0);
    CHECK_INT(map.read, 50);
    CHECK(sion_scr_comm_generic(interface + 1, NULL, 0, 1) == NULL);
    sion_generic_free_api(interface);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

/* A limit of one byte would make as many files on every level. */
static void a_tiny_segment_does_not_loop_for_ever(void)
{
    sion_scr_ranks *ranks = random_ranks(100);

    CHECK_INT(write_alone(&here, ranks, 1), 0);
    sion_scr_ranks_free(ranks);
    ranks = read_alone("map");
    CHECK(ranks && sion_scr_ranks_count(ranks) == 100);
    CHECK(count_files(here_folder) < 210);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

/* ---- errors ---- */

static void all_tasks_return_the_failure_of_one(void)
{
    sion_scr_ranks *ranks = random_ranks(20);
    struct map map = {.options = {.size = sizeof(struct sion_scr_map_options)},
                      .place = &here,
                      .all = ranks,
                      .failing = 3};

    run_tasks(5, write_share, &map);
    CHECK_INT(map.rc, 5 * SION_ERR_DAMAGED);
    CHECK_INT(map.wrong, 0);
    CHECK_INT(count_files(here_folder), 0);
    sion_scr_ranks_free(ranks);
}

int main(void)
{
    check_seed(25);
    support_enter_folder();
    RUN(samples_of_kvtree_are_read_and_rewritten);
    RUN(maps_of_scr_are_read_and_written);
    RUN(random_trees_in_every_layout);
    RUN(files_begin_at_trees_that_cross_a_segment);
    RUN(maps_are_written_with_the_applications_callbacks);
    RUN(a_tiny_segment_does_not_loop_for_ever);
    RUN(all_tasks_return_the_failure_of_one);
    support_leave_folder();
    return check_done();
}
