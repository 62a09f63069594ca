/* rank2file trees: which task writes which file, the samples of KVTree and SCR, damage. Tasks are
   threads. */
#include "check.h"

#include <dirent.h>
#include <stdatomic.h>

#include "layers/generic_callbacks.h"
#include "layers/thread_tasks.h"
#include "scr/map/walk.h"
#include "scr_check.h"

static const struct sion_scr_place here = {SION_SCR_LAYOUT_3, "map", 1};
static const char here_folder[] = "map/.scr/scr.dataset.1";

/* ---- a map, written by some tasks and read by others ---- */

struct map {
    const struct sion_scr_place *place;
    struct sion_scr_map_options options;
    const sion_scr_ranks *all; /* its contents */
    const char *folder;        /* task that reads each rank */
    int failing;               /* task whose ranks are wrong; -1: none */
    atomic_int rc;             /* sum over tasks */
    atomic_int read, wrong;    /* ranks */
};

static void write_share(struct scion_comm *comm, void *data)
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

static void read_share(struct scion_comm *comm, void *data)
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

static sion_scr_ranks *read_alone(const char *folder)
{
    sion_scr_comm *self = sion_scr_comm_self();
    sion_scr_ranks *ranks = sion_scr_map_read(self, folder, NULL);

    sion_scr_comm_free(self);
    return ranks;
}

static int write_alone(const struct sion_scr_place *place, sion_scr_ranks *ranks, int segment)
{
    const struct sion_scr_map_options options = {.segment = segment};
    sion_scr_comm *self = sion_scr_comm_self();
    int rc = code_of(sion_scr_map_write(self, place, ranks, &options));

    sion_scr_comm_free(self);
    return rc;
}

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
    struct map map = {.place = &here, .all = ranks, .folder = sample, .failing = -1};
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
    static const struct sion_scr_place dataset = {SION_SCR_LAYOUT_DATASET, "data", 0};
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

static sion_scr_ranks *random_ranks(int n)
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

static void random_trees_in_every_layout(void)
{
    static const struct sion_scr_place places[] = {{SION_SCR_LAYOUT_DATASET, "map", 0},
                                                   {SION_SCR_LAYOUT_PREFIX, "map", 7},
                                                   {SION_SCR_LAYOUT_3, "map", 12}};
    int i;

    for (i = 0; i < 60; i++) {
        sion_scr_ranks *ranks = random_ranks(1 + (int)check_below(200));
        struct map map = {.place = &places[i % 3], .all = ranks, .folder = "map", .failing = -1};

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
    /* Multiples of 6 lie inside ranks 1 (4 to 7), 4 (16 to 19) and 7 (28 to 31). */
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
    struct map map = {.place = &here, .all = ranks, .folder = "map", .failing = -1};

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
    struct map map = {.place = &here, .all = ranks, .failing = 3};

    run_tasks(5, write_share, &map);
    CHECK_INT(map.rc, 5 * SION_ERR_DAMAGED);
    CHECK_INT(map.wrong, 0);
    CHECK_INT(count_files(here_folder), 0);
    sion_scr_ranks_free(ranks);
}

/* A map of two leaves, one of which `change` changes. */
static void refuse_map(void (*change)(sion_kvtree *root, sion_kvtree *leaf), const char *reason)
{
    static const char root_path[] = "map/.scr/scr.dataset.1/rank2file";
    static const char leaf_path[] = "map/.scr/scr.dataset.1/rank2file.0.1";
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    struct map map = {.place = &here, .all = ranks, .folder = "map", .failing = -1};
    sion_kvtree *root, *leaf;
    int i;

    for (i = 0; i < 2; i++) {
        sion_kvtree *tree = simple_files("rank", i);

        sion_scr_ranks_add(ranks, i, tree);
        sion_kvtree_free(tree);
    }
    CHECK_INT(write_alone(&here, ranks, 50), 0);
    CHECK_INT(read_kvtree(root_path, &root), 0);
    CHECK_INT(read_kvtree(leaf_path, &leaf), 0);
    change(root, leaf);
    sion_kvtree_write(root, root_path);
    sion_kvtree_write(leaf, leaf_path);
    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), reason);
    run_tasks(3, read_share, &map);
    CHECK_INT(map.rc, -3);
    CHECK_INT(map.read, 0);
    sion_kvtree_free(root);
    sion_kvtree_free(leaf);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

static sion_kvtree *entry_1(sion_kvtree *root)
{
    return sion_kvtree_get(sion_kvtree_get(root, "RANK"), "1");
}

static void set_level(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_put(leaf, "LEVEL", "1");
}

static void remove_level(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_remove(leaf, "LEVEL");
}

static void root_is_a_leaf(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(root, "LEVEL", "0");
}

static void missing_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".0.2");
}

static void same_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".0.0");
}

static void absolute_name(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", "/etc/passwd");
}

static void name_leads_out(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", "a/../../x");
}

/* The same file under another name: with levels of such names, a few files would take for ever. */
static void alias_of_a_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".scr/./scr.dataset.1/rank2file.0.0");
}

static void link_leads_out(sion_kvtree *root, sion_kvtree *leaf)
{
    sion_kvtree_write(leaf, "outside");
    CHECK_INT(symlink("../../../outside", "map/.scr/scr.dataset.1/rank2file.0.9"), 0);
    sion_kvtree_put(entry_1(root), "FILE", ".0.9");
}

static void odd_writer(sion_kvtree *root, sion_kvtree *leaf)
{
    sion_kvtree *all = sion_kvtree_get(root, "RANK");

    (void)leaf;
    sion_kvtree_merge(sion_kvtree_set(all, "-1"), sion_kvtree_get(all, "1"));
    sion_kvtree_remove(all, "1");
}

static void suffix_leads_out(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".0/x");
}

static void no_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_remove(entry_1(root), "FILE");
}

static void far_offset(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "OFFSET", "100000");
}

static void odd_offset(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "OFFSET", "0x");
}

static void rank_twice(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_set(sion_kvtree_set(leaf, "RANK"), "0");
}

static void odd_rank(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_set(sion_kvtree_set(leaf, "RANK"), "1x");
}

static void negative_ranks(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(root, "RANKS", "-1");
}

static void negative_ranks_of_a_leaf(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_put(leaf, "RANKS", "-1");
}

static void too_few_ranks(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(root, "RANKS", "3");
}

static void wrong_maps_are_refused(void)
{
    refuse_map(set_level, "rank2file.0.1: LEVEL is 1");
    refuse_map(remove_level, "LEVEL is missing");
    refuse_map(root_is_a_leaf, "LEVEL is 0");
    refuse_map(missing_file, "rank2file.0.2");
    refuse_map(same_file, "named twice");
    refuse_map(absolute_name, "the name /etc/passwd is absolute");
    refuse_map(name_leads_out, "leads out of its folder");
    refuse_map(suffix_leads_out, "leads to another folder");
    refuse_map(alias_of_a_file, "named twice");
    refuse_map(link_leads_out, "the name rank2file.0.9 leads out of its folder, by a link");
    refuse_map(odd_writer, "'-1' is not a rank");
    refuse_map(no_file, "has no FILE");
    refuse_map(odd_offset, "OFFSET");
    refuse_map(far_offset, "no record at byte 100000");
    refuse_map(rank_twice, "rank 0 occurs ");
    refuse_map(odd_rank, "'1x' is not a rank");
    refuse_map(negative_ranks, "rank2file: RANKS is -1");
    refuse_map(negative_ranks_of_a_leaf, ": RANKS is -1");
    refuse_map(too_few_ranks, "incomplete: 2 of 3 ranks");
}

static int go_on(void *data, const struct scion_map_file *file)
{
    (void)data, (void)file;
    return 0;
}

/* What reads a map file by file sees damage, too. */
static void a_walk_ends_at_an_offset_that_is_no_number(void)
{
    static const char root_path[] = "map/.scr/scr.dataset.1/rank2file";
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    struct scion_map_location found;
    sion_kvtree *root, *tree = simple_files("rank", 0);

    sion_scr_ranks_add(ranks, 0, tree);
    sion_scr_ranks_add(ranks, 1, tree);
    CHECK_INT(write_alone(&here, ranks, 50), 0);
    CHECK_INT(scion_find_map("map", NULL, &found), 0);
    CHECK_INT(scion_map_walk(&found, 0, go_on, NULL), 0);
    CHECK_INT(read_kvtree(root_path, &root), 0);
    odd_offset(root, NULL);
    CHECK_INT(code_of(sion_kvtree_write(root, root_path)), 0);
    CHECK_INT(scion_map_walk(&found, 0, go_on, NULL), SION_ERR_DAMAGED);
    sion_kvtree_free(tree);
    sion_kvtree_free(root);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

static void maps_are_found(void)
{
    static const struct sion_scr_place second = {SION_SCR_LAYOUT_PREFIX, "map", 2};
    sion_scr_ranks *ranks = random_ranks(3), *found;

    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), "no rank2file map: map: No such file");
    mkdir("map", 0777);
    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), "no rank2file map in map, map/.scr");
    CHECK_INT(write_alone(&here, ranks, 0), 0);
    CHECK((found = read_alone("map")) != NULL);
    sion_scr_ranks_free(found);
    CHECK_INT(write_alone(&second, ranks, 0), 0);
    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), "maps of 2 datasets");
    CHECK((found = read_alone("map/.scr/scr.dataset.2")) != NULL);
    sion_scr_ranks_free(found);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

/* A root that is a link counts as the root of the link's folder. */
static void a_link_does_not_move_the_map(void)
{
    static const struct sion_scr_place dataset = {SION_SCR_LAYOUT_DATASET, "map", 0};
    sion_scr_ranks *ranks = random_ranks(3);

    CHECK_INT(write_alone(&dataset, ranks, 0), 0);
    mkdir("other", 0777);
    mkdir("other/.scr", 0777);
    CHECK_INT(symlink("../../map/.scr/rank2file.scr", "other/.scr/rank2file.scr"), 0);
    CHECK(read_alone("other") == NULL);
    CHECK_CONTAINS(sion_error_text(), "other/.scr/rank2file.0.0.scr");
    sion_scr_ranks_free(ranks);
    remove_folder("other");
    remove_folder("map");
}

/* Leaves one after the other in one file: SCR's readers accept this, although nobody writes it. */
static void offsets_are_followed(void)
{
    static const char root_path[] = "map/.scr/scr.dataset.1/rank2file";
    sion_scr_ranks *ranks = random_ranks(40), *found;
    sion_kvtree *root, *leaf;
    const sion_kvtree *entry;
    sion_int64 offset, used;
    int n = 0;

    CHECK_INT(write_alone(&here, ranks, 700), 0);
    CHECK_INT(read_kvtree(root_path, &root), 0);
    CHECK_STR(sion_kvtree_value(root, "LEVEL"), "1");
    sion_kvtree_write_at(root, root_path, 0, &offset);
    for (entry = sion_kvtree_first(sion_kvtree_get(root, "RANK")); entry;
         entry = sion_kvtree_next(entry), n++) {
        sion_kvtree *writable =
            sion_kvtree_get(sion_kvtree_get(root, "RANK"), sion_kvtree_key(entry));
        char path[128];

        snprintf(path, sizeof path, "%s%s", root_path, sion_kvtree_value(entry, "FILE"));
        CHECK_INT(read_kvtree(path, &leaf), 0);
        remove(path);
        snprintf(path, sizeof path, "%s.0.0", root_path);
        CHECK_INT(code_of(sion_kvtree_write_at(leaf, path, n == 0 ? 0 : offset, &used)), 0);
        offset = n == 0 ? used : offset + used;
        sion_kvtree_put(writable, "FILE", ".0.0");
        sion_kvtree_put_int(writable, "OFFSET", offset - used);
        sion_kvtree_free(leaf);
    }
    CHECK(n > 1);
    sion_kvtree_write(root, root_path);
    found = read_alone("map");
    CHECK(found && sion_scr_ranks_count(found) == 40);
    sion_scr_ranks_free(found);
    sion_scr_ranks_free(ranks);
    sion_kvtree_free(root);
    remove_folder("map");
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
    RUN(wrong_maps_are_refused);
    RUN(a_walk_ends_at_an_offset_that_is_no_number);
    RUN(maps_are_found);
    RUN(a_link_does_not_move_the_map);
    RUN(offsets_are_followed);
    support_leave_folder();
    return check_done();
}
