/* Power failures of SCR's files: maps, packed datasets, what is fetched from them, containers made
   of them, indexes, and trees. */
#include "src/scr/operations.h"

#include "replay.h"

enum { CLOSED = MOST_TOLD - 1 };

static void clean(void)
{
    clean_up();
    begin_operations();
}

static void with_map(void)
{
    clean();
    map_is_there();
}

static void with_set(void)
{
    clean();
    set_is_packed();
}

/* The releases from 1.2 on have the map in the prefix, and the containers in the dataset. */
static void with_prefix(void)
{
    struct sion_scr_dataset dataset;

    clean();
    init_dataset(&dataset, 1, "one");
    dataset.layout = SION_SCR_LAYOUT_PREFIX;
    CHECK_INT(code_of(sion_scr_index_write(".", &dataset)), 0);
}

static int pack_in_prefix(void)
{
    static const struct packed_file files[] = {{0, "one"}, {1, "two"}};
    const struct sion_scr_pack_options options = {.size = sizeof options, .prefix = ".", .id = 2};

    return code_of(pack_files(self, "set", 70, files, 2, &options));
}

static void with_set_in_prefix(void)
{
    with_prefix();
    CHECK_INT(pack_in_prefix(), 0);
}

static int fetch_from_prefix(void)
{
    return code_of(sion_scr_fetch(self, ".scr/scr.dataset.2", "out", NULL));
}

static void with_index(void)
{
    clean();
    index_is_there();
}

static void with_flush_file(void)
{
    clean();
    flush_is_there();
}

#define RUN_OPERATION(operation)                                                                   \
    static void run_##operation(void)                                                              \
    {                                                                                              \
        CHECK_INT(operation(), 0);                                                                 \
        disk_tell(CLOSED, 1);                                                                      \
    }

/* Two trees in a file, the second one behind the first. */
static int write_trees(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    sion_int64 used;
    int rc;

    sion_kvtree_put(tree, "key", "value");
    rc = code_of(sion_kvtree_write_at(tree, "trees", 0, &used));
    if (rc == 0) {
        disk_tell(0, (int)used);
        rc = code_of(sion_kvtree_write_at(tree, "trees", used, NULL));
    }
    if (rc == 0) {
        disk_tell(1, 1);
        rc = code_of(sion_kvtree_write(tree, "tree"));
    }
    sion_kvtree_free(tree);
    return rc;
}

RUN_OPERATION(write_map)
RUN_OPERATION(pack)
RUN_OPERATION(import)
RUN_OPERATION(pack_in_prefix)
RUN_OPERATION(fetch_from_prefix)
RUN_OPERATION(write_trees)
RUN_OPERATION(index_two)
RUN_OPERATION(flush_two)

static const char *judge_map(const int *told)
{
    int is_there = access("set/.scr/rank2file.scr", F_OK) == 0;

    if (read_map() == 0 || (told[CLOSED] <= 0 && scenario->number == 0 && !is_there))
        return NULL;
    return told[CLOSED] > 0 ? "the new map is lost" : "neither the old nor the new map";
}

static int is_whole_dataset(void)
{
    return check() == 0 && fetch() == 0 && support_same_files("one", "out/one") &&
           support_same_files("two", "out/two");
}

/* number: there was an older one. */
static const char *judge_dataset(const int *told)
{
    int is_there = access("set/.scr/rank2file.scr", F_OK) == 0;

    if (told[CLOSED] > 0 || scenario->number > 0 || is_there)
        return is_whole_dataset() ? NULL : "the dataset is not whole";
    return NULL;
}

/* The releases from 1.2 on find the containers by a map in another folder. */
static const char *judge_in_prefix(const int *told)
{
    int is_there = access(".scr/scr.dataset.2/rank2file.scr", F_OK) == 0;

    if (told[CLOSED] <= 0 && !is_there)
        return NULL;
    return fetch_from_prefix() == 0 && support_same_files("one", "out/set/one") &&
                   support_same_files("two", "out/set/two")
               ? NULL
               : "the dataset is not whole";
}

/* What is under a name is whole. */
static const char *judge_fetched(const int *told)
{
    static const char *const names[] = {"one", "two"};
    char path[24];
    int i;

    for (i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "out/set/%s", names[i]);
        if (access(path, F_OK) == 0 ? !support_same_files(names[i], path) : told[CLOSED] > 0)
            return "a file is not whole";
    }
    return NULL;
}

static int has_tree(const char *path, sion_int64 offset)
{
    sion_kvtree *tree = NULL;
    int is =
        read_kvtree_at(path, offset, &tree, NULL) == 0 && sion_kvtree_value(tree, "key") != NULL;

    sion_kvtree_free(tree);
    return is;
}

static const char *judge_trees(const int *told)
{
    if (told[0] > 0 && !has_tree("trees", 0))
        return "the first tree is lost";
    if (told[1] > 0 && !has_tree("trees", told[0]))
        return "the second tree is lost";
    return told[CLOSED] > 0 && !has_tree("tree", 0) ? "the tree is lost" : NULL;
}

static const char *judge_import(const int *told)
{
    int is_there = access("c.sion", F_OK) == 0;

    if (told[CLOSED] <= 0 && !is_there)
        return NULL;
    return code_of(sion_scr_export("c.sion", NULL)) == 0 ? NULL : "the container is not whole";
}

/* The entry of this dataset is in a file of SCR. */
static int lists(const char *file, const char *kind, const char *name)
{
    sion_kvtree *tree = NULL;
    int is =
        read_kvtree(file, &tree) == 0 && sion_kvtree_get(sion_kvtree_get(tree, kind), name) != NULL;

    sion_kvtree_free(tree);
    return is;
}

static const char *judge_index(const int *told)
{
    if (!lists(".scr/index.scr", "DIR", "one"))
        return "the older entry is lost";
    return told[CLOSED] <= 0 || lists(".scr/index.scr", "DIR", "two") ? NULL
                                                                      : "the new entry is lost";
}

static const char *judge_flush_file(const int *told)
{
    if (!lists(".scr/flush.scr", "DATASET", "1"))
        return "the older entry is lost";
    return told[CLOSED] <= 0 || lists(".scr/flush.scr", "DATASET", "2") ? NULL
                                                                        : "the new entry is lost";
}

#define COUNT(table) (int)(sizeof table / sizeof *table)

static const struct scenario scenarios[] = {
    {"SCR, a map", clean, run_write_map, judge_map, NULL, 0, 0, 0, 0},
    {"SCR, a map over an older one", with_map, run_write_map, judge_map, NULL, 1, 0, 0, 0},
    {"SCR, pack", clean, run_pack, judge_dataset, NULL, 0, 0, 0, 0},
    {"SCR, pack over an older dataset", with_set, run_pack, judge_dataset, NULL, 1, 0, 0, 0},
    {"SCR, pack in a prefix of 1.2", with_prefix, run_pack_in_prefix, judge_in_prefix, NULL, 0, 0,
     0, 0},
    {"SCR, fetch", with_set_in_prefix, run_fetch_from_prefix, judge_fetched, NULL, 0, 0, 0, 0},
    {"SCR, trees", clean, run_write_trees, judge_trees, NULL, 0, 0, 0, 0},
    {"SCR, import", with_set, run_import, judge_import, NULL, 0, 0, 0, 0},
    {"SCR, index", with_index, run_index_two, judge_index, NULL, 0, 0, 0, 0},
    {"SCR, flush file", with_flush_file, run_flush_two, judge_flush_file, NULL, 0, 0, 0, 0},
};

int main(int argc, char **argv)
{
    return replay_main(scenarios, COUNT(scenarios), argc, argv);
}
