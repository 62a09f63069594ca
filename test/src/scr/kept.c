/*
 * The names that an import keeps in the last stream of a container, and the arguments of an export.
 * Whatever is wrong with them, the export says so and writes no map.
 */
#include "check.h"

#include "scr_check.h"
#include "sion_common.h"
#include "sion_serial.h"

enum { TASKS = 2, RECORD = 100 };

static const char root[] = "data/.scr/rank2file.scr";

/* ---- a container with such a stream ---- */

static sion_kvtree *good_tree(void)
{
    sion_kvtree *tree = sion_kvtree_new(), *ranks = sion_kvtree_set(tree, "RANK");
    static const char *const names[] = {"one", "two"}, *const numbers[] = {"0", "7"};
    int i;

    sion_kvtree_put_int(tree, "SION_SCR_MAP", 1);
    sion_kvtree_put(tree, "NAMES", "DATASET");
    sion_kvtree_put_int(sion_kvtree_set(tree, "DSET"), "ID", 3);
    for (i = 0; i < TASKS; i++) {
        sion_kvtree *files = sion_kvtree_set(sion_kvtree_set(ranks, numbers[i]), "FILE");

        sion_kvtree_put_int(sion_kvtree_set(files, names[i]), "TASK", i);
    }
    return tree;
}

static sion_kvtree *file_of(sion_kvtree *tree, const char *rank, const char *name)
{
    return sion_kvtree_get(
        sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(tree, "RANK"), rank), "FILE"), name);
}

/* The streams of two tasks, and the bytes of the last one, of rank -1. */
static void write_container(const void *bytes, size_t size)
{
    int ranks[] = {0, 1, -1}, *globalranks = ranks, ntasks = 3, nfiles = 1, sid, i;
    sion_int64 sizes[] = {RECORD, RECORD, (sion_int64)size + 1}, *chunksizes = sizes;
    unsigned char data[RECORD];
    sion_int32 fsblksize = 512;
    char name[] = "data/c.sion";

    mkdir("data", 0777);
    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
    CHECK(sid >= 0);
    for (i = 0; i < TASKS; i++) {
        check_fill(data, i, 0, RECORD);
        CHECK_INT(sion_seek(sid, i, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite(data, 1, RECORD, sid), RECORD);
    }
    CHECK_INT(sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(bytes, 1, size, sid), size);
    CHECK_INT(sion_close(sid), 1);
}

static void write_with_tree(void (*change)(sion_kvtree *tree))
{
    sion_kvtree *tree = good_tree();
    void *bytes = NULL;
    size_t size = 0;

    if (change)
        change(tree);
    CHECK_INT(encode_kvtree(tree, &bytes, &size), 0);
    write_container(bytes, size);
    free(bytes);
    sion_kvtree_free(tree);
}

static void clean_up(void)
{
    remove_folder("data");
    remove_folder(".scr");
}

/* ---- what is wrong ---- */

static void other_version(sion_kvtree *tree)
{
    sion_kvtree_remove(tree, "SION_SCR_MAP");
    sion_kvtree_put_int(tree, "SION_SCR_MAP", 2);
}

static void no_version(sion_kvtree *tree)
{
    sion_kvtree_remove(tree, "SION_SCR_MAP");
    sion_kvtree_put(tree, "SION_SCR_MAP", "new");
}

static void no_names(sion_kvtree *tree)
{
    sion_kvtree_remove(tree, "NAMES");
}

static void odd_rank(sion_kvtree *tree)
{
    sion_kvtree_set(sion_kvtree_get(tree, "RANK"), "first");
}

static void change_task(sion_kvtree *tree, const char *task)
{
    sion_kvtree *file = file_of(tree, "7", "two");

    sion_kvtree_remove(file, "TASK");
    if (task)
        sion_kvtree_put(file, "TASK", task);
}

static void no_task(sion_kvtree *tree)
{
    change_task(tree, NULL);
}

static void same_task(sion_kvtree *tree)
{
    change_task(tree, "0");
}

static void negative_task(sion_kvtree *tree)
{
    change_task(tree, "-1");
}

static void far_task(sion_kvtree *tree)
{
    change_task(tree, "2");
}

static void one_file_too_few(sion_kvtree *tree)
{
    sion_kvtree_remove(sion_kvtree_get(tree, "RANK"), "7");
}

static void name_leads_out(sion_kvtree *tree)
{
    sion_kvtree *files =
        sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(tree, "RANK"), "7"), "FILE");

    sion_kvtree_remove(files, "two");
    sion_kvtree_put_int(sion_kvtree_set(files, "../two"), "TASK", 1);
}

static void name_dataset(sion_kvtree *tree, const char *name)
{
    sion_kvtree_put(sion_kvtree_get(tree, "DSET"), "NAME", name);
}

static void dataset_leads_out(sion_kvtree *tree)
{
    name_dataset(tree, "../set");
}

static void dataset_has_a_long_name(sion_kvtree *tree)
{
    char name[400];

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    name_dataset(tree, name);
}

static const struct sion_scr_export_options of_prefix = {
    .size = sizeof of_prefix, .layout = SION_SCR_LAYOUT_PREFIX, .base = "."};

static void wrong_names_are_refused(void)
{
    static const struct {
        void (*change)(sion_kvtree *tree);
        int code;
        const char *reason;
    } cases[] = {
        {other_version, SION_ERR_VERSION, "task 2: the names of the files: SION_SCR_MAP is 2"},
        {no_version, SION_ERR_DAMAGED, "task 2: the names of the files: "},
        {no_names, SION_ERR_DAMAGED, "task 2: the names of the files: NAMES is missing"},
        {odd_rank, SION_ERR_DAMAGED, "first"},
        {no_task, SION_ERR_DAMAGED, "file two: TASK is missing"},
        {same_task, SION_ERR_DAMAGED, "file two: TASK is 0"},
        {negative_task, SION_ERR_DAMAGED, "file two: TASK is -1"},
        {far_task, SION_ERR_DAMAGED, "file two: TASK is 2"},
        {one_file_too_few, SION_ERR_DAMAGED, "task 1 is not a file of the map that is kept"},
        {name_leads_out, SION_ERR_DAMAGED, "../two"},
        {dataset_leads_out, SION_ERR_DAMAGED, "../set"},
        {dataset_has_a_long_name, SION_ERR_ARGUMENT, "the dataset's name is too long"},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_with_tree(cases[i].change);
        CHECK_INT(code_of(sion_scr_export("data/c.sion", &of_prefix)), cases[i].code);
        CHECK_CONTAINS(sion_error_text(), cases[i].reason);
        CHECK(access(".scr", F_OK) != 0);
        clean_up();
    }
}

/* ---- what is not there, or not all there ---- */

/* The map of an export with these bytes in the last stream; the caller frees it. */
static sion_scr_ranks *export_with(const void *bytes, size_t size)
{
    sion_scr_comm *self = sion_scr_comm_self();
    sion_scr_ranks *ranks;

    write_container(bytes, size);
    CHECK_INT(code_of(sion_scr_export("data/c.sion", NULL)), 0);
    ranks = sion_scr_map_read(self, "data", NULL);
    sion_scr_comm_free(self);
    clean_up();
    return ranks;
}

/* A last stream that is no tree of ours is that of a task like any other. */
static void other_streams_of_that_rank_are_tasks(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    unsigned char *bytes = NULL;
    size_t size = 0, sizes[] = {0, 5, 19}, i;
    sion_scr_ranks *ranks;

    sion_kvtree_put(tree, "another", "tree");
    CHECK_INT(encode_kvtree(tree, (void **)&bytes, &size), 0);
    sion_kvtree_free(tree);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ranks = export_with(bytes, sizes[i]);
        CHECK_INT(sion_scr_ranks_count(ranks), 3);
        sion_scr_ranks_free(ranks);
    }
    ranks = export_with(bytes, size - 1);
    CHECK_INT(sion_scr_ranks_count(ranks), 3);
    sion_scr_ranks_free(ranks);
    ranks = export_with(bytes, size);
    CHECK_INT(sion_scr_ranks_count(ranks), 3);
    sion_scr_ranks_free(ranks);
    bytes[0] ^= 1;
    ranks = export_with(bytes, size);
    CHECK_INT(sion_scr_ranks_count(ranks), 3);
    sion_scr_ranks_free(ranks);
    free(bytes);
}

static void mark_files(sion_kvtree *tree)
{
    sion_kvtree *dataset = sion_kvtree_get(tree, "DSET");

    sion_kvtree_put_int(file_of(tree, "0", "one"), "COMPLETE", 0);
    sion_kvtree_set(file_of(tree, "7", "two"), "NOFETCH");
    sion_kvtree_put_int(dataset, "FLAG_CKPT", 0);
    sion_kvtree_put_int(dataset, "FLAG_OUTPUT", 1);
    sion_kvtree_put_int(dataset, "CREATED", 1234567);
    sion_kvtree_put_int(dataset, "COMPLETE", 0);
    name_dataset(tree, "kept");
}

/* Marks of files, and what is known of the dataset, are in the new map and its summary. */
static void what_is_kept_comes_back(void)
{
    sion_scr_comm *self = sion_scr_comm_self();
    sion_kvtree *tree = NULL, *summary = NULL;
    const sion_kvtree *dataset;
    sion_scr_ranks *ranks;
    sion_int64 rank;
    long long number;

    write_with_tree(mark_files);
    CHECK_INT(code_of(sion_scr_export("data/c.sion", &of_prefix)), 0);
    ranks = sion_scr_map_read(self, ".", NULL);
    CHECK_INT(sion_scr_ranks_count(ranks), 2);
    CHECK_INT(code_of(sion_scr_ranks_get(ranks, 1, &rank, &tree)), 0);
    CHECK_INT(rank, 7);
    CHECK(sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(tree, "FILE"), "kept/two"), "NOFETCH") !=
          NULL);
    sion_kvtree_free(tree);
    CHECK(code_of(sion_scr_ranks_get(ranks, 2, &rank, &tree)) != 0);
    CHECK(code_of(sion_scr_ranks_get(ranks, -1, &rank, &tree)) != 0);
    CHECK_INT(read_kvtree(".scr/scr.dataset.3/summary.scr", &summary), 0);
    dataset = sion_kvtree_get(summary, "DSET");
    CHECK_INT(code_of(sion_kvtree_int(dataset, "CREATED", &number)), 0);
    CHECK_INT(number, 1234567);
    CHECK_STR(sion_kvtree_value(dataset, "NAME"), "kept");
    sion_kvtree_free(summary);
    sion_scr_ranks_free(ranks);
    sion_scr_comm_free(self);
    clean_up();
}

/* ---- arguments ---- */

static void wrong_arguments_are_refused(void)
{
    static char long_name[5000];
    enum { SIZE = sizeof(struct sion_scr_export_options) };
    const struct {
        struct sion_scr_export_options options;
        const char *reason;
    } cases[] = {
        {{.size = SIZE, .dataset = ""}, "'' cannot be the name of a dataset"},
        {{.size = SIZE, .dataset = long_name}, "cannot be the name of a dataset"},
        {{.size = SIZE, .dataset = "../a", .layout = SION_SCR_LAYOUT_PREFIX}, "../a"},
        {{.size = SIZE, .dataset = "other"}, "SCR 1.1 needs equal names"},
        {{.size = SIZE, .layout = SION_SCR_LAYOUT_3, .name = "%c"},
         "have the names of the container, not %c"},
        {{.size = SIZE, .name = long_name}, "name too long"},
        {{.size = SIZE,
          .name = "%c.%r%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c/../.."},
         ".."},
    };
    size_t i;

    memset(long_name, 'l', sizeof long_name - 1);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_container("x", 1);
        CHECK(code_of(sion_scr_export("data/c.sion", &cases[i].options)) != 0);
        CHECK_CONTAINS(sion_error_text(), cases[i].reason);
        CHECK(access(root, F_OK) != 0 && access(".scr", F_OK) != 0);
        clean_up();
    }
}

/* A % before another letter, and the last one, stand for themselves. */
static void a_template_may_have_any_percents(void)
{
    const struct sion_scr_export_options options = {.size = sizeof options, .name = "%%%x.%r%"};
    sion_kvtree *leaf = NULL;

    write_container("x", 1);
    CHECK_INT(code_of(sion_scr_export("data/c.sion", &options)), 0);
    CHECK_INT(read_kvtree("data/.scr/rank2file.0.0.scr", &leaf), 0);
    CHECK(file_of(leaf, "0", "%%x.0%") ||
          file_of(sion_kvtree_get(leaf, "RANK2FILE"), "0", "%%x.0%"));
    sion_kvtree_free(leaf);
    clean_up();
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(wrong_names_are_refused);
    RUN(other_streams_of_that_rank_are_tasks);
    RUN(what_is_kept_comes_back);
    RUN(wrong_arguments_are_refused);
    RUN(a_template_may_have_any_percents);
    support_leave_folder();
    return check_done();
}
