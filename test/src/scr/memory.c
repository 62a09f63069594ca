/*
 * Each allocation of every operation fails in turn: the operation says so, what was there before is
 * there still, and no descriptor stays open. Where a task must go on because others wait for it,
 * the program ends; these allocations are left out.
 */
#include "check.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "api/private_abi.h"
#include "lack.h"
#include "src/parallel/callbacks.h"
#include "src/comm/thread_tasks.h"
#include "operations.h"

/* ---- more operations ---- */

static const struct sion_scr_place place3 = {sizeof place3, SION_SCR_LAYOUT_3, ".", 1};

static int write_map_of_scr3(void)
{
    const struct sion_scr_map_options options = {.size = sizeof options, .segment = 150};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    int rc = ranks ? 0 : -1, i;

    for (i = 0; i < 3 && rc == 0; i++) {
        sion_kvtree *tree = simple_files("a file", i);

        rc = tree ? code_of(sion_scr_ranks_add(ranks, i, tree)) : -1;
        sion_kvtree_free(tree);
    }
    if (rc == 0)
        rc = code_of(sion_scr_map_write(self, &place3, ranks, &options));
    sion_scr_ranks_free(ranks);
    return rc;
}

static int pack_and_record(void)
{
    static const struct packed_file files[] = {{0, "one"}, {1, "two"}};
    static const struct sion_scr_pack_options options = {
        .size = sizeof options, .prefix = ".", .id = 3};

    return code_of(pack_files(self, "set", 70, files, 2, &options));
}

static int export_for_scr3(void)
{
    static const struct sion_scr_export_options options = {
        .size = sizeof options, .layout = SION_SCR_LAYOUT_3, .base = "."};

    return code_of(sion_scr_export("c.sion", &options));
}

static int export_and_record(void)
{
    static const struct sion_scr_export_options options = {.size = sizeof options,
                                                           .layout = SION_SCR_LAYOUT_PREFIX,
                                                           .base = ".",
                                                           .id = 4,
                                                           .name = "%c.%r",
                                                           .dataset = "four",
                                                           .output = 1,
                                                           .index = 1};

    return code_of(sion_scr_export("c.sion", &options));
}

static int seal(void)
{
    return code_of(sion_scr_seal(self, "set", NULL));
}

static int summarize(void)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, 2, "two");
    dataset.user = dataset.jobname = dataset.jobid = dataset.cluster = "a";
    return code_of(sion_scr_summary_write(&place, &dataset));
}

static int count(void *user, const struct sion_scr_indexed *dataset)
{
    *(int *)user += dataset->id > 0;
    return 0;
}

static int visit(void)
{
    int n = 0, rc = visits(sion_scr_index_visit(".", count, &n));

    return rc == 0 && n == 0 ? -1 : rc;
}

static int make_current(void)
{
    return code_of(sion_scr_index_make_current(".", "one"));
}

static int repair(void)
{
    return code_of(sion_scr_index_repair(".", NULL, NULL));
}

static int add(void)
{
    return code_of(sion_scr_index_add(".", "set"));
}

static int write_filemap(void)
{
    static const struct sion_scr_cached_file file = {sizeof file, "/tmp/f", "f", NULL, "/home",
                                                     2,           10,       1,   1,    77};
    static const struct sion_scr_redundancy redundancy = {
        sizeof redundancy, 1, 1, "/tmp", "/tmp", "XOR", 1, 0, 1, 0, 1, 0};
    sion_kvtree *map = sion_kvtree_new();
    struct sion_scr_dataset dataset;
    int rc = map ? code_of(sion_scr_filemap_add(map, 5, 0, &file)) : -1;

    init_dataset(&dataset, 5, "five");
    if (rc == 0)
        rc = code_of(sion_scr_filemap_describe(map, &dataset, 0, &redundancy));
    mkdir("set", 0777);
    if (rc == 0)
        rc = code_of(sion_scr_filemap_write(self, map, "set"));
    sion_kvtree_free(map);
    return rc;
}

static int read_filemap(void)
{
    sion_kvtree *map = NULL;
    int rc = take_filemap("set", 1, &map);

    sion_kvtree_free(map);
    return rc;
}

static int merge_trees(void)
{
    sion_kvtree *tree = simple_files("f", 3), *other = simple_files("g", 4);
    int rc = tree && other ? code_of(sion_kvtree_merge(tree, other)) : -1;

    sion_kvtree_free(tree);
    sion_kvtree_free(other);
    return rc;
}

/* A map that is written at the close of a container: by the only task, a thread. */
struct attaching {
    const struct sion_scr_export_options *options;
    long nth;     /* allocation that fails */
    int rc, code; /* of the thread */
    char text[300];
};

static int aid;

static void write_attached(struct scion_comm *comm, void *data)
{
    struct attaching *attaching = data;
    int zero = 0, one = 1, sid, attached;
    sion_int64 chunksize = 100;
    sion_int32 fsblksize = 100;
    char bytes[250] = "x";

    sid = sion_generic_paropen(aid, "set/c.sion", "bw", &chunksize, &fsblksize, comm, 0, 1, &zero,
                               &one, &zero, &one, NULL, NULL);
    lack_in = attaching->nth;
    attached = code_of(sion_scr_attach(sid, attaching->options)) == 0;
    if (sion_fwrite(bytes, 1, 50, sid) != 50 || sion_fwrite(bytes, 1, 90, sid) != 90)
        attached = 0;
    attaching->rc = sion_generic_parclose(sid) == 1 && attached ? 0 : -1;
    attaching->nth = lack_in;
    lack_in = 0;
    attaching->code = sion_error_code();
    snprintf(attaching->text, sizeof attaching->text, "%s", sion_error_text());
}

static int write_and_attach(const struct sion_scr_export_options *options)
{
    struct attaching attaching = {options, lack_in, -1, 0, ""};

    lack_in = 0;
    mkdir("set", 0777);
    run_tasks(1, write_attached, &attaching);
    sion_layer_fail(attaching.code, attaching.text);
    lack_in = attaching.nth;
    return attaching.rc;
}

static int attach(void)
{
    return write_and_attach(NULL);
}

static int attach_for_scr3(void)
{
    static const struct sion_scr_export_options options = {
        .size = sizeof options, .layout = SION_SCR_LAYOUT_3, .base = ".", .index = 1};

    return write_and_attach(&options);
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
    CHECK_INT(read_kvtree(".scr/index.scr", &tree), 0);
    sion_kvtree_remove(tree, "DIR");
    sion_kvtree_remove(tree, "SET");
    CHECK_INT(code_of(sion_kvtree_write(tree, ".scr/index.scr")), 0);
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

    CHECK_INT(read_kvtree(".scr/index.scr", &tree), 0);
    CHECK(sion_kvtree_get(sion_kvtree_get(tree, "DIR"), "one") != NULL);
    CHECK_INT(leftovers(".scr"), 0);
    sion_kvtree_free(tree);
}

static void index_can_be_read(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(read_kvtree(".scr/index.scr", &tree), 0);
    sion_kvtree_free(tree);
}

static void one_is_flushed(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(read_kvtree(".scr/flush.scr", &tree), 0);
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
    sion_scr_ranks *ranks = sion_scr_map_read(self, ".", NULL);

    CHECK(access(".scr/scr.dataset.1/rank2file", F_OK) != 0 || ranks);
    sion_scr_ranks_free(ranks);
}

/* If only what follows the map fails, as the index, the map is complete. */
static void map_of_scr3_is_whole_or_away(void)
{
    CHECK(access(".scr/scr.dataset.1/rank2file", F_OK) != 0 ||
          access(".scr/scr.dataset.1/summary.scr", F_OK) != 0 ||
          code_of(sion_scr_check(".", NULL)) == 0);
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

/* An operation, and what comes before and after it. */
struct sample {
    const char *what;
    int (*operation)(void);
    void (*before)(void), (*after)(void);
};

enum { MOST = 1000 };

/* The allocation that a child tries, and those without which the program ends. */
static volatile long *trying;
static char ends[MOST];

static void end_here(int number)
{
    (void)number;
    _Exit(1);
}

static _Noreturn void try_from(const struct sample *sample, long n)
{
    enum outcome outcome = FAILED;

    signal(SIGABRT, end_here); /* without a core file */
    if (!freopen("/dev/null", "w", stderr))
        _Exit(2);
    for (; outcome != NOT_REACHED && n < MOST; n++) {
        *trying = n;
        sample->before();
        outcome = run(sample->operation, n);
        clean_up();
    }
    _Exit(0);
}

/* Find the allocations without which the program ends: a child goes on behind each of them. */
static void find_ends(const struct sample *sample)
{
    int status = 1;

    memset(ends, 0, sizeof ends);
    *trying = 0;
    while (status != 0 && *trying < MOST) {
        pid_t child = fork();

        if (child == 0)
            try_from(sample, *trying + 1);
        CHECK_INT(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        ends[*trying] = status != 0;
        clean_up();
    }
}

static void fail_in_turn(const struct sample *sample)
{
    int descriptors = support_descriptors(), here = check_failed_here, failed = 0;
    enum outcome outcome = FAILED;
    long n;

    find_ends(sample);
    for (n = 1; outcome != NOT_REACHED && n < MOST; n++) {
        if (ends[n])
            continue;
        sample->before();
        outcome = run(sample->operation, n);
        failed += outcome == FAILED;
        if (outcome == FAILED) {
            CHECK(sion_error_code() == SION_ERR_MEMORY || strstr(sion_error_text(), "(-4)"));
            sample->after();
        }
        CHECK_INT(support_descriptors(), descriptors);
        clean_up();
    }
    CHECK(failed > 3 && outcome == NOT_REACHED);
    if (check_failed_here > here)
        printf("# %s\n", sample->what);
}

#define FAIL_EACH(samples)                                                                         \
    do {                                                                                           \
        size_t each;                                                                               \
                                                                                                   \
        for (each = 0; each < sizeof(samples) / sizeof *(samples); each++)                         \
            fail_in_turn(&(samples)[each]);                                                        \
    } while (0)

static void maps(void)
{
    static const struct sample samples[] = {
        {"write_map", write_map_of_scr3, nothing, no_map_of_scr3},
        {"read_map", read_map, map_is_there, nothing},
        {"filemap", write_filemap, nothing, nothing},
        {"read_filemap", read_filemap, filemap_is_there, nothing},
        {"merge", merge_trees, nothing, nothing},
    };

    FAIL_EACH(samples);
}

static void containers_of_scr(void)
{
    static const struct sample samples[] = {
        {"pack", pack_and_record, nothing, set_is_whole_or_away},
        {"pack again", pack_and_record, set_is_recorded, set_is_whole_or_away},
        {"fetch", fetch, set_is_packed, no_file_is_half},
        {"check", check, set_is_packed, set_is_whole},
        {"seal", seal, set_is_packed, set_is_whole},
    };

    FAIL_EACH(samples);
}

static void our_containers(void)
{
    static const struct sample samples[] = {
        {"import", import, set_is_packed, no_container},
        {"export", export, container_is_there, set_is_whole},
        {"export 3", export_for_scr3, container_is_there, set_is_whole},
        {"export with index", export_and_record, container_is_there, set_is_whole},
        {"attach", attach, nothing, set_is_whole_or_away},
        {"attach 3", attach_for_scr3, nothing, map_of_scr3_is_whole_or_away},
    };

    FAIL_EACH(samples);
}

static void datasets(void)
{
    static const struct sample samples[] = {
        {"summary", summarize, map_is_there, nothing},
        {"index", index_two, index_is_there, one_is_indexed},
        {"flush", flush_two, flush_is_there, one_is_flushed},
        {"visit", visit, set_is_recorded, index_can_be_read},
        {"current", make_current, index_is_there, one_is_indexed},
        {"repair", repair, index_is_wrong, set_is_whole},
        {"add", add, set_is_indexed, index_can_be_read},
    };

    FAIL_EACH(samples);
}

int main(void)
{
    support_enter_folder();
    support_catch();
    begin_operations();
    aid = generic_make_api();
    trying = mmap(NULL, sizeof *trying, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trying == MAP_FAILED)
        return 99;
    RUN(maps);
    RUN(containers_of_scr);
    RUN(our_containers);
    RUN(datasets);
    sion_generic_free_api(aid);
    sion_scr_comm_free(self);
    support_leave_folder();
    return check_done();
}
