/* Each function of sion_kvtree.h and sion_scr.h that fails prints one line; what is no failure
   prints none. */
#include "check.h"

#include "scr_check.h"

static int messages;
static char last[1024];

static void note(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rank, (void)rc, (void)user;
    messages++;
    snprintf(last, sizeof last, "%s", text);
}

/* result: 1 if the call has succeeded; function: which is named in the message. */
static void check_failure(int result, int code, const char *function)
{
    CHECK_INT(result, 0);
    CHECK_INT(sion_error_code(), code);
    CHECK_INT(messages, 1);
    CHECK_CONTAINS(last, function);
    messages = 0;
}

#define FAILS(function, arguments, code) check_failure(!!function arguments, code, #function ": ")

static void trees_report_once(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    long long number;
    size_t used;

    messages = 0;
    sion_kvtree_put(tree, "TEXT", "none");
    FAILS(sion_kvtree_int, (tree, "TEXT", &number), SION_ERR_DAMAGED);
    FAILS(sion_kvtree_int, (tree, "NUMBER", &number), SION_ERR_DAMAGED);
    FAILS(sion_kvtree_decode, ("no record", 9, &used), SION_ERR_NOT_SION);
    FAILS(sion_kvtree_read, ("missing"), SION_ERR_SYSTEM);
    FAILS(sion_kvtree_read_at, ("missing", 4, NULL), SION_ERR_SYSTEM);
    FAILS(sion_kvtree_write, (tree, "missing/tree"), SION_ERR_SYSTEM);
    FAILS(sion_kvtree_write_at, (tree, "tree", -1, NULL), SION_ERR_ARGUMENT);
    sion_kvtree_free(tree);
}

static void a_key_that_is_not_there_is_no_failure(void)
{
    sion_kvtree *tree = sion_kvtree_new();

    messages = 0;
    CHECK(!sion_kvtree_get(tree, "KEY"));
    CHECK(!sion_kvtree_value(tree, "KEY"));
    CHECK(!sion_kvtree_put(NULL, "KEY", "VALUE"));
    CHECK_INT(sion_kvtree_remove(tree, "KEY"), SION_NOT_SUCCESS);
    CHECK_INT(messages, 0);
    sion_kvtree_free(tree);
}

/* ---- sion_scr.h ---- */

static int end_visit(void *user, const struct sion_scr_indexed *dataset)
{
    (void)dataset;
    ++*(int *)user;
    return 1;
}

static void maps_report_once(sion_scr_comm *self)
{
    static const struct sion_scr_place nowhere = {sizeof nowhere, SION_SCR_LAYOUT_DATASET,
                                                  "file/set", 0};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_kvtree *tree = sion_kvtree_new();
    sion_int64 rank;

    FAILS(sion_scr_ranks_add, (ranks, -1, tree), SION_ERR_ARGUMENT);
    FAILS(sion_scr_ranks_add, (ranks, 1LL << 31, tree), SION_ERR_ARGUMENT);
    FAILS(sion_scr_ranks_get, (ranks, 0, &rank, NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_map_write, (self, &nowhere, ranks, NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_map_read, (self, "set", NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_fetch, (self, "set", "out", NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_check, ("set", NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_seal, (self, "set", NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_import, ("set", "c.sion", NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_export, ("missing", NULL), SION_ERR_SYSTEM);
    FAILS(sion_scr_attach, (17, NULL), SION_ERR_HANDLE);
    FAILS(sion_scr_pack, (self, "", 0, NULL, NULL, 70, NULL), SION_ERR_ARGUMENT);
    sion_kvtree_free(tree);
    sion_scr_ranks_free(ranks);
}

static void datasets_report_once(void)
{
    static const struct sion_scr_drop drop = {.size = sizeof drop, .name = "one"};
    static const struct sion_scr_place nowhere = {sizeof nowhere, SION_SCR_LAYOUT_DATASET,
                                                  "file/set", 0};
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, 1, "one");
    FAILS(sion_scr_summary_write, (&nowhere, &dataset), SION_ERR_SYSTEM);
    FAILS(sion_scr_flush_write, ("file", &dataset, 0), SION_ERR_SYSTEM);
    FAILS(sion_scr_index_write, ("file", &dataset), SION_ERR_SYSTEM);
    FAILS(sion_scr_index_make_current, (".", "one"), SION_ERR_ARGUMENT);
    FAILS(sion_scr_index_add, (".", "one"), SION_ERR_ARGUMENT);
    FAILS(sion_scr_index_repair, (".", NULL, NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_index_build, (".", 0, NULL, NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_index_drop, (".", &drop, NULL, NULL), SION_ERR_ARGUMENT);
    FAILS(sion_scr_filemap_read, ("missing", 0), SION_ERR_SYSTEM);
}

static void operations_report_once(void)
{
    sion_scr_comm *self = sion_scr_comm_self();
    sion_kvtree *map = sion_kvtree_new();

    support_store("file", "", 0);
    messages = 0;
    maps_report_once(self);
    datasets_report_once();
    FAILS(sion_scr_filemap_write, (self, map, "file/set"), SION_ERR_SYSTEM);
    FAILS(sion_scr_comm_generic, (1, NULL, 0, 1), SION_ERR_HANDLE);
    sion_kvtree_free(map);
    sion_scr_comm_free(self);
}

/* Also of options that others refer to, and before any task of a collective call begins. */
static void structs_without_a_size_are_refused(void)
{
    static const struct sion_scr_map_options unset = {.segment = 1};
    static const struct sion_scr_fetch_options fetch = {.size = sizeof fetch, .map = &unset};
    static const struct sion_scr_export_options export = {.size = sizeof export, .map = &unset};
    static const struct sion_scr_drop drop = {.name = "one"};
    static const struct sion_scr_cached_file file = {.path = "/one"};
    sion_scr_comm *self = sion_scr_comm_self();
    sion_kvtree *map = sion_kvtree_new();

    messages = 0;
    FAILS(sion_scr_map_read, (self, "set", &unset), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(last, "sion_scr_map_options is not set: use SION_INIT");
    FAILS(sion_scr_fetch, (self, "set", "out", &fetch), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(last, "sion_scr_map_options is not set");
    FAILS(sion_scr_export, ("c.sion", &export), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(last, "sion_scr_map_options is not set");
    FAILS(sion_scr_index_drop, (".", &drop, NULL, NULL), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(last, "sion_scr_drop is not set");
    FAILS(sion_scr_index_write, (".", NULL), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(last, "sion_scr_dataset is NULL");
    FAILS(sion_scr_filemap_add, (map, 1, 0, &file), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(last, "sion_scr_cached_file is not set");
    sion_kvtree_free(map);
    sion_scr_comm_free(self);
}

/* A visitor may stop, which is no failure. */
static void visits_are_counted(void)
{
    struct sion_scr_dataset dataset;
    int visited = 0;

    init_dataset(&dataset, 1, "one");
    CHECK_INT(sion_scr_index_write("prefix", &dataset), SION_SUCCESS);
    dataset.id = 2;
    dataset.name = "two";
    CHECK_INT(sion_scr_index_write("prefix", &dataset), SION_SUCCESS);
    messages = 0;
    CHECK_INT(sion_scr_index_visit("prefix", end_visit, &visited), 1);
    CHECK_INT(visited, 1);
    CHECK_INT(sion_scr_index_exists("prefix"), SION_SUCCESS);
    CHECK_INT(sion_scr_index_exists("elsewhere"), SION_NOT_SUCCESS);
    CHECK_INT(messages, 0);
    CHECK_INT(sion_scr_index_visit("elsewhere", end_visit, &visited), -1);
    CHECK_INT(messages, 1);
    remove_folder("prefix");
}

int main(void)
{
    support_enter_folder();
    sion_error_set_handler(note, NULL);
    RUN(trees_report_once);
    RUN(a_key_that_is_not_there_is_no_failure);
    RUN(operations_report_once);
    RUN(structs_without_a_size_are_refused);
    RUN(visits_are_counted);
    support_leave_folder();
    return check_done();
}
