/*
 * Each allocation of every operation fails in turn: the operation says so, what was there before is
 * there still, and no descriptor stays open. Where a task must go on because others wait for it,
 * the program ends; these allocations are left out.
 */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>

#include "lack.h"
#include "operations.h"

/* ---- more operations ---- */

static const struct sion_scr_place place3 = {SION_SCR_LAYOUT_3, ".", 1};

static int write_map_of_scr3(void)
{
    const struct sion_scr_map_options options = {.segment = 150};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    int rc = ranks ? 0 : -1, i;

    for (i = 0; i < 3 && rc == 0; i++) {
        sion_kvtree *tree = simple_files("a file", i);

        rc = tree ? sion_scr_ranks_add(ranks, i, tree) : -1;
        sion_kvtree_free(tree);
    }
    if (rc == 0)
        rc = sion_scr_map_write(self, &place3, ranks, &options);
    sion_scr_ranks_free(ranks);
    return rc;
}

static int pack_and_record(void)
{
    static const struct sion_scr_file files[] = {{0, "one"}, {1, "two"}};
    static const struct sion_scr_pack_options options = {.prefix = ".", .id = 3};

    return sion_scr_pack(self, "set", 70, files, 2, &options);
}

static int export_for_scr3(void)
{
    static const struct sion_scr_export_options options = {.layout = SION_SCR_LAYOUT_3,
                                                           .base = "."};

    return sion_scr_export("c.sion", &options);
}

static int export_and_record(void)
{
    static const struct sion_scr_export_options options = {.layout = SION_SCR_LAYOUT_PREFIX,
                                                           .base = ".",
                                                           .id = 4,
                                                           .name = "%c.%r",
                                                           .dataset = "four",
                                                           .output = 1,
                                                           .index = 1};

    return sion_scr_export("c.sion", &options);
}

static int seal(void)
{
    return sion_scr_seal(self, "set", NULL);
}

static int summarize(void)
{
    struct sion_scr_dataset dataset;

    sion_scr_dataset_init(&dataset, 2, "two");
    dataset.user = dataset.jobname = dataset.jobid = dataset.cluster = "a";
    return sion_scr_summary_write(&place, &dataset);
}

static int count(void *user, const struct sion_scr_indexed *dataset)
{
    *(int *)user += dataset->id > 0;
    return 0;
}

static int visit(void)
{
    int n = 0, rc = sion_scr_index_visit(".", count, &n);

    return rc == 0 && n == 0 ? -1 : rc;
}

static int make_current(void)
{
    return sion_scr_index_make_current(".", "one");
}

static int repair(void)
{
    return sion_scr_index_repair(".", NULL, NULL);
}

static int add(void)
{
    return sion_scr_index_add(".", "set");
}

static int write_filemap(void)
{
    static const struct sion_scr_cached_file file = {"/tmp/f", "f", NULL, "/home", 2, 10, 1, 1, 77};
    static const struct sion_scr_redundancy redundancy = {1, 1, "/tmp", "/tmp", "XOR", 1,
                                                          0, 1, 0,      1,      0};
    sion_kvtree *map = sion_kvtree_new();
    struct sion_scr_dataset dataset;
    int rc = map ? sion_scr_filemap_add(map, 5, 0, &file) : -1;

    sion_scr_dataset_init(&dataset, 5, "five");
    if (rc == 0)
        rc = sion_scr_filemap_describe(map, &dataset, 0, &redundancy);
    mkdir("set", 0777);
    if (rc == 0)
        rc = sion_scr_filemap_write(self, "set", map);
    sion_kvtree_free(map);
    return rc;
}

static int read_filemap(void)
{
    sion_kvtree *map = NULL;
    int rc = sion_scr_filemap_read("set", 1, &map);

    sion_kvtree_free(map);
    return rc;
}

static int merge_trees(void)
{
    sion_kvtree *tree = simple_files("f", 3), *other = simple_files("g", 4);
    int rc = tree && other ? sion_kvtree_merge(tree, other) : -1;

    sion_kvtree_free(tree);
    sion_kvtree_free(other);
    return rc;
}

/* ---- what is there before ---- */

static void set_is_recorded(void)
{
    CHECK_INT(pack_and_record(), 0);
}

static void set_is_indexed(void)
{
    CHECK_INT(pack(), 0);
    CHECK_INT(index_two(), 0);
}

/* The index has another number for the dataset: the repair mends it. */
static void index_is_wrong(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(pack_and_record(), 0);
    CHECK_INT(sion_kvtree_read(".scr/index.scr", &tree), 0);
    sion_kvtree_remove(tree, "DIR");
    sion_kvtree_remove(tree, "SET");
    CHECK_INT(sion_kvtree_write(".scr/index.scr", tree), 0);
    sion_kvtree_free(tree);
}

static void filemap_is_there(void)
{
    CHECK_INT(write_filemap(), 0);
}

/* ---- what is there after a failure ---- */

static void set_is_whole(void)
{
    CHECK_INT(check(), 0);
}

static void one_is_indexed(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(sion_kvtree_read(".scr/index.scr", &tree), 0);
    CHECK(sion_kvtree_get(sion_kvtree_get(tree, "DIR"), "one") != NULL);
    CHECK_INT(leftovers(".scr"), 0);
    sion_kvtree_free(tree);
}

static void index_can_be_read(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(sion_kvtree_read(".scr/index.scr", &tree), 0);
    sion_kvtree_free(tree);
}

static void one_is_flushed(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(sion_kvtree_read(".scr/flush.scr", &tree), 0);
    CHECK(sion_kvtree_get(sion_kvtree_get(tree, "DATASET"), "1") != NULL);
    CHECK_INT(leftovers(".scr"), 0);
    sion_kvtree_free(tree);
}

/* The old dataset, or the new one, or none. */
static void set_is_whole_or_away(void)
{
    CHECK(read_map() != 0 || check() == 0);
    CHECK_INT(leftovers("set/.scr"), 0);
}

static void no_map_of_scr3(void)
{
    CHECK(access(".scr/scr.dataset.1/rank2file", F_OK) != 0);
}

static void no_container(void)
{
    set_is_whole();
    CHECK(access("c.sion", F_OK) != 0);
}

static void no_file_is_half(void)
{
    CHECK(access("out/one", F_OK) != 0 || support_same_files("one", "out/one"));
    CHECK(access("out/two", F_OK) != 0 || support_same_files("two", "out/two"));
}

/* ---- the tries ---- */

enum outcome { WORKED, FAILED, ENDED, NOT_REACHED };

static enum outcome run(int (*operation)(void), long n)
{
    int rc, reached;

    lack_in = n;
    rc = operation();
    reached = lack_in == 0;
    lack_in = 0;
    return !reached ? NOT_REACHED : rc == 0 ? WORKED : FAILED;
}

/* Whether the program ends if this allocation fails. */
static int ends(int (*operation)(void), long n)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _Exit(1);
        run(operation, n);
        _Exit(0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}

static void fail_in_turn(const char *what, int (*operation)(void), void (*before)(void),
                         void (*after)(void))
{
    int descriptors = support_descriptors(), here = check_failed_here, failed = 0, ended;
    enum outcome outcome = FAILED;
    long n;

    for (n = 1; outcome != NOT_REACHED && n < 2000; n++) {
        before();
        ended = ends(operation, n);
        clean_up();
        if (ended)
            continue;
        before();
        outcome = run(operation, n);
        failed += outcome == FAILED;
        if (outcome == FAILED)
            CHECK(sion_error_code() == SION_ERR_MEMORY || strstr(sion_error_text(), "(-4)"));
        if (outcome == FAILED)
            after();
        CHECK_INT(support_descriptors(), descriptors);
        clean_up();
    }
    CHECK(failed > 3 && outcome == NOT_REACHED);
    if (check_failed_here > here)
        printf("# %s\n", what);
}

static void maps(void)
{
    fail_in_turn("write_map", write_map_of_scr3, nothing, no_map_of_scr3);
    fail_in_turn("read_map", read_map, map_is_there, nothing);
    fail_in_turn("filemap", write_filemap, nothing, nothing);
    fail_in_turn("read_filemap", read_filemap, filemap_is_there, nothing);
    fail_in_turn("merge", merge_trees, nothing, nothing);
}

static void containers_of_scr(void)
{
    fail_in_turn("pack", pack_and_record, nothing, set_is_whole_or_away);
    fail_in_turn("pack again", pack_and_record, set_is_recorded, set_is_whole_or_away);
    fail_in_turn("fetch", fetch, set_is_packed, no_file_is_half);
    fail_in_turn("check", check, set_is_packed, set_is_whole);
    fail_in_turn("seal", seal, set_is_packed, set_is_whole);
}

static void our_containers(void)
{
    fail_in_turn("import", import, set_is_packed, no_container);
    fail_in_turn("export", export, container_is_there, set_is_whole);
    fail_in_turn("export 3", export_for_scr3, container_is_there, set_is_whole);
    fail_in_turn("export with index", export_and_record, container_is_there, set_is_whole);
}

static void datasets(void)
{
    fail_in_turn("summary", summarize, map_is_there, nothing);
    fail_in_turn("index", index_two, index_is_there, one_is_indexed);
    fail_in_turn("flush", flush_two, flush_is_there, one_is_flushed);
    fail_in_turn("visit", visit, set_is_recorded, index_can_be_read);
    fail_in_turn("current", make_current, index_is_there, one_is_indexed);
    fail_in_turn("repair", repair, index_is_wrong, set_is_whole);
    fail_in_turn("add", add, set_is_indexed, index_can_be_read);
}

int main(void)
{
    support_enter_memory();
    support_catch();
    begin_operations();
    RUN(maps);
    RUN(containers_of_scr);
    RUN(our_containers);
    RUN(datasets);
    sion_scr_comm_free(self);
    support_leave_folder();
    return check_done();
}
