/* Power failures of SCR's files: maps, packed datasets, containers made of them, and indexes. */
#include "../scr/operations.h"

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

RUN_OPERATION(write_map)
RUN_OPERATION(pack)
RUN_OPERATION(import)
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

static const char *judge_import(const int *told)
{
    int is_there = access("c.sion", F_OK) == 0;

    if (told[CLOSED] <= 0 && !is_there)
        return NULL;
    return sion_scr_export("c.sion", NULL) == 0 ? NULL : "the container is not whole";
}

/* The entry of this dataset is in a file of SCR. */
static int lists(const char *file, const char *kind, const char *name)
{
    sion_kvtree *tree = NULL;
    int is = sion_kvtree_read(file, &tree) == 0 &&
             sion_kvtree_get(sion_kvtree_get(tree, kind), name) != NULL;

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
    {"SCR, import", with_set, run_import, judge_import, NULL, 0, 0, 0, 0},
    {"SCR, index", with_index, run_index_two, judge_index, NULL, 0, 0, 0, 0},
    {"SCR, flush file", with_flush_file, run_flush_two, judge_flush_file, NULL, 0, 0, 0, 0},
};

int main(int argc, char **argv)
{
    return replay_main(scenarios, COUNT(scenarios), argc, argv);
}
