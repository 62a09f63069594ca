/*
 * index.scr and flush.scr in the three forms of SCR's releases: an existing file keeps its form and
 * its datasets, a new file has the form of the layout, and an unknown form stays as it is.
 */
#include "check.h"

#include <zlib.h>

#include "scr_check.h"

static char path_of_golden[1024];

/* Copy a file that a release of SCR has left in a prefix. */
static const char *golden(const char *prefix, const char *name)
{
    snprintf(path_of_golden, sizeof path_of_golden, "%s/%s/.scr/%s", support_golden("scr"), prefix,
             name);
    return path_of_golden;
}

static const char old_prefix[] = "real_scr_1.1.8_plain/prefix";
static const char middle_prefix[] = "real_scr_1.2.2_prefix";
static const char new_prefix[] = "real_scr_3_prefix";

static sion_kvtree *read_tree(const char *path)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(read_kvtree(path, &tree), 0);
    return tree;
}

static sion_kvtree *below(sion_kvtree *tree, const char *a, const char *b)
{
    return sion_kvtree_get(sion_kvtree_get(tree, a), b);
}

static void begin(void)
{
    mkdir("prefix", 0777);
    mkdir("prefix/.scr", 0777);
}

static void end(void)
{
    remove_folder("prefix");
}

static void store(const char *name, sion_kvtree *tree)
{
    char path[64];

    snprintf(path, sizeof path, "prefix/.scr/%s", name);
    CHECK_INT(code_of(sion_kvtree_write(tree, path)), 0);
}

static int add(int id, const char *name, enum sion_scr_layout layout)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, id, name);
    dataset.layout = layout;
    dataset.jobname = "peer";
    dataset.jobid = "4711";
    dataset.files = 4;
    dataset.bytes = 497182;
    return code_of(sion_scr_index_write("prefix", &dataset));
}

/* ---- files of SCR are continued in the same way as by SCR ---- */

/* Leave out what differs between runs, and what SCR adds later. */
static void strip(sion_kvtree *entry)
{
    sion_kvtree *dset = sion_kvtree_get(entry, "DSET");

    sion_kvtree_remove(entry, "FETCHED");
    sion_kvtree_remove(dset, "CLUSTER");
    sion_kvtree_put(entry, "FLUSHED", "then");
    sion_kvtree_put(dset, "CREATED", "then");
    sion_kvtree_put(dset, "USER", "somebody");
}

static sion_kvtree *entry_of(sion_kvtree *tree, int id, const char *name, int has_names)
{
    char number[16];

    snprintf(number, sizeof number, "%d", id);
    tree = below(tree, "DSET", number);
    return has_names ? below(tree, "NAME", name) : tree;
}

/* Remove dataset 2, and add it again: the same as before, except for what `strip` leaves out. */
static void continues(const char *prefix, int has_names, enum sion_scr_layout layout)
{
    sion_kvtree *real = read_tree(golden(prefix, "index.scr"));
    sion_kvtree *less = read_tree(golden(prefix, "index.scr")), *ours;

    begin();
    CHECK_INT(sion_kvtree_remove(sion_kvtree_get(less, "DSET"), "2"), 1);
    CHECK_INT(sion_kvtree_remove(sion_kvtree_get(less, "NAME"), "ckpt.2"), 1);
    sion_kvtree_put(less, "CURRENT", "ckpt.1");
    store("index.scr", less);
    CHECK_INT(add(2, "ckpt.2", layout), 0);
    ours = read_tree("prefix/.scr/index.scr");
    strip(entry_of(real, 2, "ckpt.2", has_names));
    strip(entry_of(ours, 2, "ckpt.2", has_names));
    CHECK(same_tree(real, ours));
    sion_kvtree_free(real);
    sion_kvtree_free(less);
    sion_kvtree_free(ours);
    end();
}

static void every_form_is_continued(void)
{
    enum sion_scr_layout layout;

    for (layout = SION_SCR_LAYOUT_DATASET; layout <= SION_SCR_LAYOUT_3; layout++) {
        continues(middle_prefix, 1, layout);
        continues(new_prefix, 0, layout);
    }
}

/* 1.1: a second dataset is added, and the first one does not change. */
static void the_oldest_form_is_continued(void)
{
    sion_kvtree *real = read_tree(golden(old_prefix, "index.scr")), *ours;

    begin();
    store("index.scr", real);
    CHECK_INT(add(2, "two", SION_SCR_LAYOUT_3), 0);
    ours = read_tree("prefix/.scr/index.scr");
    CHECK_STR(sion_kvtree_value(ours, "CURRENT"), "two");
    CHECK_STR(sion_kvtree_value(ours, "VERSION"), "1");
    CHECK(sion_kvtree_get(ours, "NAME") == NULL);
    CHECK(same_tree(below(real, "DSET", "1"), below(ours, "DSET", "1")));
    CHECK_STR(sion_kvtree_value(below(ours, "DIR", "two"), "DSET"), "2");
    CHECK_INT(sion_kvtree_count(below(below(ours, "DSET", "2"), "DIR", "two")), 3);
    CHECK(sion_kvtree_get(below(below(ours, "DSET", "2"), "DIR", "two"), "COMPLETE") != NULL);
    sion_kvtree_free(real);
    sion_kvtree_free(ours);
    end();
}

/* ---- new files ---- */

static void the_layout_decides_in_a_new_index(void)
{
    static const char *const versions[] = {"", "1", "1", "2"};
    static const char *const keys[] = {"", "DIR", "NAME", "NAME"};
    enum sion_scr_layout layout;

    for (layout = SION_SCR_LAYOUT_DATASET; layout <= SION_SCR_LAYOUT_3; layout++) {
        sion_kvtree *tree, *entry;

        begin();
        support_store("prefix/.scr/index.scr", "", 0);
        CHECK_INT(add(7, "seven", layout), 0);
        tree = read_tree("prefix/.scr/index.scr");
        entry = below(tree, "DSET", "7");
        if (layout != SION_SCR_LAYOUT_3)
            entry = below(entry, keys[layout], "seven");
        CHECK_STR(sion_kvtree_value(tree, "VERSION"), versions[layout]);
        CHECK_STR(sion_kvtree_value(tree, "CURRENT"), "seven");
        CHECK_STR(sion_kvtree_value(below(tree, keys[layout], "seven"), "DSET"), "7");
        CHECK_INT(sion_kvtree_count(tree), 4);
        CHECK_STR(sion_kvtree_value(entry, "COMPLETE"), "1");
        CHECK((sion_kvtree_get(sion_kvtree_get(entry, "DSET"), "FLAG_CKPT") != NULL) ==
              (layout != SION_SCR_LAYOUT_DATASET));
        sion_kvtree_free(tree);
        end();
    }
}

static void version_1_without_datasets_stays_version_1(void)
{
    sion_kvtree *tree = sion_kvtree_new();

    begin();
    sion_kvtree_put(tree, "VERSION", "1");
    store("index.scr", tree);
    sion_kvtree_free(tree);
    CHECK_INT(add(1, "one", SION_SCR_LAYOUT_3), 0);
    tree = read_tree("prefix/.scr/index.scr");
    CHECK_STR(sion_kvtree_value(tree, "VERSION"), "1");
    CHECK(below(below(tree, "DSET", "1"), "NAME", "one") != NULL);
    sion_kvtree_free(tree);
    end();
}

/* ---- refused files, which do not change ---- */

static void stays(int rc, int code, const char *reason)
{
    unsigned char *bytes;
    size_t size = 0;

    CHECK_INT(rc, code);
    CHECK_CONTAINS(sion_error_text(), reason);
    bytes = support_load("prefix/.scr/index.scr", &size);
    CHECK(size > 28);
    free(bytes);
    CHECK_INT(leftovers("prefix/.scr"), 0);
    CHECK(support_same_files("prefix/.scr/index.scr", "prefix/kept"));
    end();
}

static void keep(sion_kvtree *tree)
{
    begin();
    store("index.scr", tree);
    CHECK_INT(code_of(sion_kvtree_write(tree, "prefix/kept")), 0);
}

static void unknown_forms_are_refused(void)
{
    sion_kvtree *tree = read_tree(golden(new_prefix, "index.scr"));

    sion_kvtree_put(tree, "VERSION", "3");
    keep(tree);
    stays(add(3, "three", SION_SCR_LAYOUT_3), SION_ERR_VERSION,
          "prefix/.scr/index.scr: VERSION 3 with NAME: unknown form of an index");
    sion_kvtree_put(tree, "VERSION", "two");
    keep(tree);
    stays(add(3, "three", SION_SCR_LAYOUT_3), SION_ERR_DAMAGED, "which is not a number");
    sion_kvtree_remove(tree, "VERSION");
    keep(tree);
    stays(add(3, "three", SION_SCR_LAYOUT_3), SION_ERR_DAMAGED, "VERSION is missing");
    sion_kvtree_put(tree, "VERSION", "2");
    sion_kvtree_set(tree, "DIR");
    keep(tree);
    stays(add(3, "three", SION_SCR_LAYOUT_3), SION_ERR_VERSION, "VERSION 2 with DIR with NAME");
    sion_kvtree_put(tree, "VERSION", "1");
    keep(tree);
    stays(add(3, "three", SION_SCR_LAYOUT_3), SION_ERR_VERSION, "VERSION 1 with DIR with NAME");
    sion_kvtree_free(tree);
}

static void another_dataset_is_not_replaced(void)
{
    static const char *const prefixes[] = {middle_prefix, new_prefix};
    int i;

    for (i = 0; i < 2; i++) {
        sion_kvtree *tree = read_tree(golden(prefixes[i], "index.scr"));

        keep(tree);
        stays(add(1, "other", SION_SCR_LAYOUT_3), SION_ERR_ARGUMENT, "has ckpt.1 as dataset 1");
        keep(tree);
        stays(add(3, "ckpt.1", SION_SCR_LAYOUT_3), SION_ERR_ARGUMENT, "has ckpt.1 as dataset 1");
        sion_kvtree_free(tree);
    }
}

static void names_that_lead_out_are_refused(void)
{
    static const char *const names[] = {"", ".", "..", "a/../../b", "/etc", "a/", "a/."};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        sion_kvtree *tree = read_tree(golden(old_prefix, "index.scr"));

        keep(tree);
        stays(add(2, names[i], SION_SCR_LAYOUT_DATASET), SION_ERR_DAMAGED, "name");
        sion_kvtree_free(tree);
    }
}

/* In the form of 1.1, the folder of a name has one dataset, but a number may appear twice. */
static void a_folder_has_only_one_dataset(void)
{
    sion_kvtree *tree;

    begin();
    CHECK_INT(add(1, "one", SION_SCR_LAYOUT_DATASET), 0);
    CHECK_INT(add(1, "two", SION_SCR_LAYOUT_DATASET), 0);
    CHECK_INT(add(3, "one", SION_SCR_LAYOUT_DATASET), 0);
    tree = read_tree("prefix/.scr/index.scr");
    CHECK_STR(sion_kvtree_value(below(tree, "DIR", "one"), "DSET"), "3");
    CHECK_INT(sion_kvtree_count(below(below(tree, "DSET", "1"), "DIR", "two")), 3);
    CHECK_INT(sion_kvtree_count(below(tree, "DSET", "1")), 1);
    CHECK(below(below(tree, "DSET", "1"), "DIR", "one") == NULL);
    CHECK_INT(add(4, "two", SION_SCR_LAYOUT_DATASET), 0);
    sion_kvtree_free(tree);
    tree = read_tree("prefix/.scr/index.scr");
    CHECK(below(tree, "DSET", "1") == NULL);
    sion_kvtree_free(tree);
    end();
}

/* Arbitrary bytes give a result, not a crash. The CRC is right, so that all bytes are read. */
static void damaged_indexes_do_no_harm(void)
{
    static const char *const prefixes[] = {old_prefix, middle_prefix, new_prefix};
    int i, n, taken = 0;

    check_seed(20);
    for (n = 0; n < 3000; n++) {
        size_t size = 0;
        unsigned char *bytes = support_load(golden(prefixes[n % 3], "index.scr"), &size);
        unsigned long crc;

        begin();
        for (i = 0; i < 1 + n % 4; i++)
            bytes[20 + check_below(size - 24)] = (unsigned char)check_random();
        crc = crc32(0, bytes, (unsigned)size - 4);
        for (i = 0; i < 4; i++)
            bytes[size - 1 - (size_t)i] = (unsigned char)(crc >> 8 * i);
        support_store("prefix/.scr/index.scr", bytes, size);
        free(bytes);
        taken += add(9, "nine", SION_SCR_LAYOUT_3) == 0;
        end();
    }
    CHECK(taken > 100);
    CHECK(taken < 2900);
}

/* ---- flush.scr ---- */

static int flush(int id, const char *name, enum sion_scr_layout layout, int in_cache)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, id, name);
    dataset.layout = layout;
    return code_of(sion_scr_flush_write("prefix", &dataset, in_cache));
}

static int flush_has_name(const char *id)
{
    sion_kvtree *tree = read_tree("prefix/.scr/flush.scr");
    int has_name = sion_kvtree_get(below(tree, "DATASET", id), "DIR") != NULL;

    CHECK(sion_kvtree_get(below(tree, "DATASET", id), "LOCATION") != NULL);
    sion_kvtree_free(tree);
    return has_name;
}

static void flush_files_keep_their_form(void)
{
    static const char *const prefixes[] = {old_prefix, middle_prefix, new_prefix};
    int i;

    for (i = 0; i < 3; i++) {
        sion_kvtree *tree = read_tree(golden(prefixes[i], "flush.scr"));

        begin();
        store("flush.scr", tree);
        CHECK_INT(flush(3, "three", i == 0 ? SION_SCR_LAYOUT_3 : SION_SCR_LAYOUT_DATASET, 0), 0);
        CHECK_INT(flush_has_name("3"), i == 0);
        sion_kvtree_free(tree);
        end();
    }
}

/* A new file has the form of the index or, without an index, that of the layout. */
static void new_flush_files_have_the_form_of_the_index(void)
{
    int layout;

    for (layout = 0; layout <= SION_SCR_LAYOUT_3; layout++) {
        sion_kvtree *tree = read_tree(golden(new_prefix, "index.scr"));

        begin();
        CHECK_INT(flush(3, "three", (enum sion_scr_layout)layout, 1), 0);
        CHECK_INT(flush_has_name("3"), layout <= SION_SCR_LAYOUT_DATASET);
        remove("prefix/.scr/flush.scr");
        store("index.scr", tree);
        CHECK_INT(flush(3, "three", (enum sion_scr_layout)layout, 1), 0);
        CHECK_INT(flush_has_name("3"), 0);
        sion_kvtree_free(tree);
        end();
    }
}

/* The same as SCR 3's, key by key. */
static void flush_file_of_scr_3(void)
{
    begin();
    CHECK_INT(flush(2, "ckpt.2", SION_SCR_LAYOUT_3, 1), 0);
    CHECK(same_tree_files("prefix/.scr/flush.scr", golden(new_prefix, "flush.scr")));
    end();
}

static void unknown_flush_files_are_refused(void)
{
    sion_kvtree *tree = sion_kvtree_new(), *after;

    begin();
    sion_kvtree_put(tree, "VERSION", "9");
    store("flush.scr", tree);
    CHECK_INT(flush(3, "three", SION_SCR_LAYOUT_DATASET, 0), SION_ERR_VERSION);
    CHECK_CONTAINS(sion_error_text(), "prefix/.scr/flush.scr: it has no DATASET");
    after = read_tree("prefix/.scr/flush.scr");
    CHECK(same_tree(tree, after));
    sion_kvtree_free(tree);
    sion_kvtree_free(after);
    end();
}

/* ---- datasets are described by what makes sense ---- */

static int keep_problem(void *user, const struct sion_scr_indexed *dataset)
{
    CHECK_INT(dataset->complete, -1);
    CHECK_INT(dataset->files, -1);
    CHECK_INT(dataset->bytes, -1);
    CHECK_CONTAINS(dataset->problem ? dataset->problem : "", "COMPLETE is 7");
    (*(int *)user)++;
    return 0;
}

static int note_number(void *user, const struct sion_scr_indexed *dataset)
{
    char *numbers = user;

    sprintf(numbers + strlen(numbers), "%d ", dataset->id);
    return 0;
}

static void datasets_are_visited_in_the_order_of_their_numbers(void)
{
    static const int ids[] = {12, 3, 20, 1};
    char name[16], visited[64] = "";
    size_t i;

    begin();
    for (i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(name, sizeof name, "ckpt.%d", ids[i]);
        CHECK_INT(add(ids[i], name, SION_SCR_LAYOUT_3), 0);
    }
    CHECK_INT(visits(sion_scr_index_visit("prefix", note_number, visited)), 0);
    CHECK_STR(visited, "1 3 12 20 ");
    end();
}

static void numbers_out_of_range_are_unknown(void)
{
    sion_kvtree *tree, *entry;
    int visited = 0;

    begin();
    CHECK_INT(add(1, "one", SION_SCR_LAYOUT_3), 0);
    tree = read_tree("prefix/.scr/index.scr");
    entry = below(tree, "DSET", "1");
    sion_kvtree_put(entry, "COMPLETE", "7");
    sion_kvtree_put(sion_kvtree_get(entry, "DSET"), "FILES", "-5");
    sion_kvtree_put(sion_kvtree_get(entry, "DSET"), "SIZE", "-6");
    store("index.scr", tree);
    sion_kvtree_free(tree);
    CHECK_INT(visits(sion_scr_index_visit("prefix", keep_problem, &visited)), 0);
    CHECK_INT(visited, 1);
    end();
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(every_form_is_continued);
    RUN(the_oldest_form_is_continued);
    RUN(the_layout_decides_in_a_new_index);
    RUN(version_1_without_datasets_stays_version_1);
    RUN(unknown_forms_are_refused);
    RUN(another_dataset_is_not_replaced);
    RUN(names_that_lead_out_are_refused);
    RUN(a_folder_has_only_one_dataset);
    RUN(damaged_indexes_do_no_harm);
    RUN(datasets_are_visited_in_the_order_of_their_numbers);
    RUN(numbers_out_of_range_are_unknown);
    RUN(flush_files_keep_their_form);
    RUN(new_flush_files_have_the_form_of_the_index);
    RUN(flush_file_of_scr_3);
    RUN(unknown_flush_files_are_refused);
    CHECK_INT(support_errors, 0);
    support_leave_folder();
    return check_done();
}
