/*
 * Whose map it is: releases of SCR give a number again, and then an entry of the index leads to the
 * map of another dataset. Also indexes that are damaged or empty.
 */
#include "check.h"

#include "scr_check.h"

static const enum sion_scr_layout forms[] = {SION_SCR_LAYOUT_PREFIX, SION_SCR_LAYOUT_3};

/* A dataset with one file, its map and its summary. */
static void make_dataset(int id, const char *name, enum sion_scr_layout layout)
{
    const struct sion_scr_place place = {sizeof place, layout, "prefix", id};
    sion_scr_comm *self = sion_scr_comm_self();
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_kvtree *tree = simple_files(name, 4);
    struct sion_scr_dataset dataset;
    char path[64];

    snprintf(path, sizeof path, "prefix/%s", name);
    support_store(path, name, 4);
    CHECK_INT(code_of(sion_scr_ranks_add(ranks, 0, tree)), 0);
    CHECK_INT(code_of(sion_scr_map_write(self, &place, ranks, NULL)), 0);
    init_dataset(&dataset, id, name);
    dataset.layout = layout;
    dataset.files = 1;
    dataset.bytes = 4;
    CHECK_INT(code_of(sion_scr_summary_write(&place, &dataset)), 0);
    sion_kvtree_free(tree);
    sion_scr_ranks_free(ranks);
    sion_scr_comm_free(self);
}

static void put_entry(sion_kvtree *entry, int id, const char *name)
{
    sion_kvtree *dset = sion_kvtree_set(entry, "DSET");

    sion_kvtree_put_int(entry, "COMPLETE", 1);
    sion_kvtree_put(entry, "FLUSHED", "2026-11-22T05:54:30");
    sion_kvtree_put_int(dset, "ID", id);
    sion_kvtree_put(dset, "NAME", name);
    sion_kvtree_put_int(dset, "FLAG_CKPT", 1);
    sion_kvtree_put_int(dset, "FLAG_OUTPUT", 0);
    sion_kvtree_put_int(dset, "CKPT", id);
}

static void put_dataset(sion_kvtree *index, int id, const char *name, enum sion_scr_layout form)
{
    char number[16];
    sion_kvtree *entry;

    snprintf(number, sizeof number, "%d", id);
    entry = sion_kvtree_set(sion_kvtree_set(index, "DSET"), number);
    if (form == SION_SCR_LAYOUT_PREFIX)
        entry = sion_kvtree_set(sion_kvtree_set(entry, "NAME"), name);
    sion_kvtree_put_int(sion_kvtree_set(sion_kvtree_set(index, "NAME"), name), "DSET", id);
    sion_kvtree_put_int(index, "VERSION", form == SION_SCR_LAYOUT_PREFIX ? 1 : 2);
    put_entry(entry, id, name);
}

static void store_index(const sion_kvtree *index)
{
    CHECK_INT(code_of(sion_kvtree_write(index, "prefix/.scr/index.scr")), 0);
}

/* As SCR 1.2.2 leaves it: three datasets of one number, and the map of the last one; and another
   dataset. In the form of SCR 3, which has one dataset of a number, only the wrong one. */
static void begin(enum sion_scr_layout form, const char *current)
{
    sion_kvtree *index = sion_kvtree_new();

    CHECK_INT(mkdir("prefix", 0777), 0);
    make_dataset(1, "d.5", form);
    make_dataset(2, "d.2", form);
    if (form == SION_SCR_LAYOUT_PREFIX) {
        put_dataset(index, 1, "d.1", form);
        put_dataset(index, 1, "d.5", form);
    }
    put_dataset(index, 1, "d.3", form);
    put_dataset(index, 2, "d.2", form);
    sion_kvtree_put(index, "CURRENT", current);
    store_index(index);
    sion_kvtree_free(index);
}

static void end(void)
{
    remove_folder("prefix");
}

/* ---- seen ---- */

struct seen {
    int good, others;
};

static int look(void *user, const struct sion_scr_indexed *dataset)
{
    struct seen *seen = user;

    if (!dataset->problem) {
        seen->good++;
        CHECK(dataset->map != NULL);
        CHECK(strcmp(dataset->name, "d.5") == 0 || strcmp(dataset->name, "d.2") == 0);
        return 0;
    }
    seen->others++;
    CHECK(dataset->map == NULL);
    CHECK_CONTAINS(dataset->problem, "the map in .scr/scr.dataset.1 is that of dataset 1, d.5");
    return 0;
}

static struct seen visit(void)
{
    struct seen seen = {0, 0};

    CHECK_INT(visits(sion_scr_index_visit("prefix", look, &seen)), 0);
    return seen;
}

static void an_entry_with_the_map_of_another_is_reported(void)
{
    int i;

    for (i = 0; i < 2; i++) {
        begin(forms[i], "d.3");
        CHECK_INT(visit().others, forms[i] == SION_SCR_LAYOUT_PREFIX ? 2 : 1);
        end();
    }
}

/* ---- refused ---- */

static int fetch(void)
{
    sion_scr_comm *self = sion_scr_comm_self();
    int rc = code_of(sion_scr_fetch(self, "prefix", "out", NULL));

    sion_scr_comm_free(self);
    return rc;
}

/* All ways to the current dataset. */
static void is_refused(int code, const char *reason)
{
    sion_scr_comm *self = sion_scr_comm_self();

    CHECK_INT(fetch(), code);
    CHECK_CONTAINS(sion_error_text(), reason);
    CHECK(access("out", F_OK) != 0);
    CHECK_INT(code_of(sion_scr_import("prefix", "new.sion", NULL)), code);
    CHECK_CONTAINS(sion_error_text(), reason);
    CHECK(access("new.sion", F_OK) != 0);
    CHECK(sion_scr_map_read(self, "prefix", NULL) == NULL);
    CHECK_CONTAINS(sion_error_text(), reason);
    sion_scr_comm_free(self);
}

static void it_is_not_fetched(void)
{
    int i;

    for (i = 0; i < 2; i++) {
        begin(forms[i], "d.3");
        is_refused(SION_ERR_DAMAGED, "the map in .scr/scr.dataset.1 is that of dataset 1, d.5");
        end();
        begin(forms[i], "d.2");
        CHECK_INT(fetch(), 0);
        CHECK(access("out/d.2", F_OK) == 0);
        remove_folder("out");
        end();
    }
}

static void a_map_whose_dataset_is_unknown_is_not_fetched(void)
{
    begin(SION_SCR_LAYOUT_3, "d.2");
    CHECK_INT(truncate("prefix/.scr/scr.dataset.2/summary.scr", 40), 0);
    is_refused(SION_ERR_DAMAGED, "scr.dataset.2/summary.scr: cut off");
    CHECK_INT(remove("prefix/.scr/scr.dataset.2/summary.scr"), 0);
    is_refused(SION_ERR_SYSTEM, "scr.dataset.2/summary.scr");
    end();
}

static void it_does_not_become_the_current_one(void)
{
    int i;

    for (i = 0; i < 2; i++) {
        begin(forms[i], "d.2");
        CHECK_INT(code_of(sion_scr_index_make_current("prefix", "d.3")), SION_ERR_DAMAGED);
        CHECK_CONTAINS(sion_error_text(), "dataset 1, d.3: the map in .scr/scr.dataset.1 is that");
        CHECK_INT(fetch(), 0);
        CHECK(access("out/d.2", F_OK) == 0);
        remove_folder("out");
        end();
    }
}

/* ---- mended ---- */

static void note_text(void *user, const char *name, int failed, const char *text)
{
    char *all = user;

    CHECK_INT(failed, 0);
    sprintf(all + strlen(all), "%s %s;", name, text);
}

static void repair_removes_it(void)
{
    static const char removed[] = "d.3 removed: its map is that of d.5 now;";
    int i;

    for (i = 0; i < 2; i++) {
        char told[1000] = "";
        struct seen seen;

        begin(forms[i], "d.3");
        CHECK_INT(code_of(sion_scr_index_repair("prefix", note_text, told)), 0);
        CHECK_CONTAINS(told, removed);
        CHECK_CONTAINS(told, "d.2 current;");
        seen = visit();
        CHECK_INT(seen.others, 0);
        CHECK_INT(seen.good, 2);
        CHECK_INT(fetch(), 0);
        CHECK(access("out/d.2", F_OK) == 0);
        remove_folder("out");
        CHECK_INT(code_of(sion_scr_index_make_current("prefix", "d.5")), 0);
        CHECK_INT(fetch(), 0);
        CHECK(access("out/d.5", F_OK) == 0);
        remove_folder("out");
        end();
    }
}

/* In the form of SCR 1.1 the map is in the folder of the name. A newer number replaces the older.
 */
static void a_folder_that_was_used_again_is_mended(void)
{
    const struct sion_scr_place place = {sizeof place, SION_SCR_LAYOUT_DATASET, "prefix/one", 3};
    sion_kvtree *index = sion_kvtree_new(), *tree = simple_files("data", 4), *entry;
    sion_scr_comm *self = sion_scr_comm_self();
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    struct sion_scr_dataset dataset;

    CHECK_INT(mkdir("prefix", 0777), 0);
    CHECK_INT(mkdir("prefix/one", 0777), 0);
    CHECK_INT(mkdir("prefix/.scr", 0777), 0);
    CHECK_INT(code_of(sion_scr_ranks_add(ranks, 0, tree)), 0);
    CHECK_INT(code_of(sion_scr_map_write(self, &place, ranks, NULL)), 0);
    init_dataset(&dataset, 3, "one");
    CHECK_INT(code_of(sion_scr_summary_write(&place, &dataset)), 0);
    sion_kvtree_put_int(index, "VERSION", 1);
    sion_kvtree_put_int(sion_kvtree_set(sion_kvtree_set(index, "DIR"), "one"), "DSET", 1);
    entry = sion_kvtree_set(sion_kvtree_set(sion_kvtree_set(index, "DSET"), "1"), "DIR");
    put_entry(sion_kvtree_set(entry, "one"), 1, "one");
    sion_kvtree_put(index, "CURRENT", "one");
    store_index(index);
    is_refused(SION_ERR_DAMAGED, "the map in one/.scr is that of dataset 3, one");
    CHECK_INT(code_of(sion_scr_index_repair("prefix", NULL, NULL)), 0);
    CHECK_INT(code_of(sion_scr_index_make_current("prefix", "one")), 0);
    sion_kvtree_free(index);
    sion_kvtree_free(tree);
    sion_scr_ranks_free(ranks);
    sion_scr_comm_free(self);
    end();
}

/* ---- other indexes ---- */

static void a_damaged_index_is_named(void)
{
    size_t size = 0;
    unsigned char *bytes;

    begin(SION_SCR_LAYOUT_3, "d.2");
    remove_folder("prefix/.scr/scr.dataset.1"); /* so that there is one map only */
    bytes = support_load("prefix/.scr/index.scr", &size);
    bytes[60] ^= 1;
    support_store("prefix/.scr/index.scr", bytes, size);
    is_refused(SION_ERR_DAMAGED, "prefix/.scr/index.scr: ");
    support_store("prefix/.scr/index.scr", "no tree at all, but text", 24);
    is_refused(SION_ERR_NOT_SION, "prefix/.scr/index.scr: ");
    free(bytes);
    end();
}

static void a_current_dataset_that_is_missing_is_named(void)
{
    begin(SION_SCR_LAYOUT_3, "d.9");
    remove_folder("prefix/.scr/scr.dataset.1");
    is_refused(SION_ERR_DAMAGED, "the current dataset, d.9, is not in it");
    end();
}

static void an_empty_index_is_no_index_of_maps(void)
{
    sion_kvtree *index = sion_kvtree_new();
    struct seen seen = {0, 0};

    begin(SION_SCR_LAYOUT_3, "d.2");
    support_store("prefix/.scr/index.scr", "", 0);
    CHECK_INT(visits(sion_scr_index_visit("prefix", look, &seen)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(sion_error_text(), "has no datasets, but there are maps of 2");
    sion_kvtree_put_int(index, "VERSION", 2);
    store_index(index);
    CHECK_INT(visits(sion_scr_index_visit("prefix", look, &seen)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(sion_error_text(), "has no datasets, but there are maps of 2");
    remove_folder("prefix/.scr/scr.dataset.1");
    remove_folder("prefix/.scr/scr.dataset.2");
    CHECK_INT(visits(sion_scr_index_visit("prefix", look, &seen)), 0);
    sion_kvtree_free(index);
    end();
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(an_entry_with_the_map_of_another_is_reported);
    RUN(it_is_not_fetched);
    RUN(a_map_whose_dataset_is_unknown_is_not_fetched);
    RUN(it_does_not_become_the_current_one);
    RUN(repair_removes_it);
    RUN(a_folder_that_was_used_again_is_mended);
    RUN(a_damaged_index_is_named);
    RUN(a_current_dataset_that_is_missing_is_named);
    RUN(an_empty_index_is_no_index_of_maps);
    CHECK_INT(support_errors, 0);
    support_leave_folder();
    return check_done();
}
