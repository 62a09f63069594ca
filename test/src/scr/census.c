/*
 * What SCR compares before it takes a dataset: RANKS of all files of the map, and the summary
 * next to it. sion_scr_check refuses what SCR refuses.
 */
#include "check.h"

#include "scr_check.h"

enum { RANKS = 5, SIZE = 10 };

static sion_scr_comm *self;
static char told[2000];
static int faults[SION_SCR_FAULTS];

static void note(void *user, enum sion_scr_fault fault, sion_int64 rank, const char *file,
                 const char *text)
{
    (void)user;
    faults[fault]++;
    snprintf(told, sizeof told, "%lld, %s: %s", rank, file, text);
}

static int check(void)
{
    const struct sion_scr_fetch_options options = {.size = sizeof options, .fault = note};

    memset(faults, 0, sizeof faults);
    told[0] = '\0';
    return code_of(sion_scr_check("set", &options));
}

/* Five ranks with a file each, except rank `without`; several leaves. */
static void write_map(const struct sion_scr_place *place, int without)
{
    const struct sion_scr_map_options options = {.size = sizeof options, .segment = 60};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    int r;

    for (r = 0; r < RANKS; r++) {
        char name[16], path[32];
        sion_kvtree *tree;

        snprintf(name, sizeof name, "rank.%d", r);
        snprintf(path, sizeof path, "set/%s", name);
        support_store(path, "0123456789", SIZE);
        tree = r == without ? sion_kvtree_new() : simple_files(name, SIZE);
        CHECK_INT(code_of(sion_scr_ranks_add(ranks, r, tree)), 0);
        sion_kvtree_free(tree);
    }
    CHECK_INT(code_of(sion_scr_map_write(self, place, ranks, &options)), 0);
    sion_scr_ranks_free(ranks);
}

static void write_whole_summary(const struct sion_scr_place *place, int files)
{
    struct sion_scr_dataset dataset;

    init_dataset(&dataset, 3, "set");
    dataset.files = files;
    dataset.bytes = files * SIZE;
    dataset.layout = place->layout;
    CHECK_INT(code_of(sion_scr_summary_write(place, &dataset)), 0);
}

/* The folder of a map. */
static const char *folder_of(enum sion_scr_layout layout)
{
    return layout == SION_SCR_LAYOUT_DATASET ? "set/.scr" : "set/.scr/scr.dataset.3";
}

static const char *file_in(enum sion_scr_layout layout, const char *name)
{
    static char path[100];

    snprintf(path, sizeof path, "%s/%s", folder_of(layout), name);
    return path;
}

static void begin(enum sion_scr_layout layout)
{
    const struct sion_scr_place place = {sizeof place, layout, "set", 3};

    CHECK_INT(mkdir("set", 0777), 0);
    write_map(&place, -1);
    write_whole_summary(&place, RANKS);
    CHECK_INT(check(), 0);
}

static void end(void)
{
    remove_folder("set");
}

/* Put a value into a tree, at the top or below DSET. */
static void put(const char *path, int is_below, const char *key, const char *value)
{
    sion_kvtree *tree = NULL, *below;

    CHECK_INT(read_kvtree(path, &tree), 0);
    below = is_below ? sion_kvtree_get(tree, "DSET") : tree;
    if (value)
        CHECK(sion_kvtree_put(below, key, value) != NULL);
    else
        CHECK_INT(sion_kvtree_remove(below, key), 1);
    CHECK_INT(code_of(sion_kvtree_write(tree, path)), 0);
    sion_kvtree_free(tree);
}

/* Exactly one fault, of this kind; fetch takes the files all the same. */
static void is_refused(enum sion_scr_fault fault, const char *text)
{
    int kind, sum = 0;

    CHECK_INT(check(), SION_ERR_DAMAGED);
    for (kind = 0; kind < SION_SCR_FAULTS; kind++)
        sum += faults[kind];
    CHECK_INT(faults[fault], 1);
    CHECK_INT(sum, 1);
    CHECK_CONTAINS(told, text);
    CHECK_CONTAINS(sion_error_text(), "SCR would not accept it");
}

static void a_summary_that_cannot_be_read(void)
{
    enum sion_scr_layout layout;

    for (layout = SION_SCR_LAYOUT_DATASET; layout <= SION_SCR_LAYOUT_3; layout++) {
        begin(layout);
        CHECK_INT(truncate(file_in(layout, "summary.scr"), 60), 0);
        is_refused(SION_SCR_FAULT_SUMMARY, "summary.scr: cut off: 60 of");
        CHECK_INT(truncate(file_in(layout, "summary.scr"), 0), 0);
        is_refused(SION_SCR_FAULT_SUMMARY, "VERSION is missing");
        CHECK_INT(remove(file_in(layout, "summary.scr")), 0);
        is_refused(SION_SCR_FAULT_SUMMARY, "No such file or directory");
        end();
    }
}

/* A change of the summary, and the reason of its refusal. */
struct change {
    int is_below;
    const char *key, *value, *reason;
};

static void a_summary_that_does_not_agree(void)
{
    static const struct change changes[] = {
        {1, "FILES", "4", "FILES is 4, but the map has 5"},
        {1, "SIZE", "49", "SIZE is 49, but the map has 50"},
        {1, "SIZE", "51", "SIZE is 51, but the map has 50"},
        {1, "FILES", "five", "FILES is 'five', which is not a number"},
        {0, "RANKS", "4", "RANKS is 4, but the map has 5"},
        {0, "VERSION", "5", "VERSION is 5"},
        {0, "COMPLETE", "0", "COMPLETE is 0"},
        {0, "COMPLETE", NULL, "COMPLETE is missing"},
        {1, "ID", NULL, "ID is missing"},
        {0, "DSET", NULL, "ID is missing"},
    };
    enum sion_scr_layout layout;
    size_t i;

    for (layout = SION_SCR_LAYOUT_DATASET; layout <= SION_SCR_LAYOUT_3; layout++) {
        for (i = 0; i < sizeof changes / sizeof *changes; i++) {
            begin(layout);
            put(file_in(layout, "summary.scr"), changes[i].is_below, changes[i].key,
                changes[i].value);
            is_refused(SION_SCR_FAULT_SUMMARY, changes[i].reason);
            end();
        }
    }
    begin(SION_SCR_LAYOUT_3);
    put(file_in(SION_SCR_LAYOUT_3, "summary.scr"), 1, "ID", "4");
    is_refused(SION_SCR_FAULT_SUMMARY, "ID is 4");
    end();
}

static void an_incomplete_dataset_can_be_forced(void)
{
    const struct sion_scr_fetch_options force = {.size = sizeof force, .force = 1};

    begin(SION_SCR_LAYOUT_3);
    put(file_in(SION_SCR_LAYOUT_3, "summary.scr"), 0, "COMPLETE", "0");
    CHECK_INT(code_of(sion_scr_check("set", &force)), 0);
    end();
}

/* RANKS of the root, and of a leaf. A greater one of the root is refused by all readers. */
static void files_of_a_map_with_another_number_of_ranks(void)
{
    static const char *const roots[] = {"", "rank2file.scr", "rank2file.scr", "rank2file"};
    static const char *const leaves[] = {"", "rank2file.0.0.scr", "rank2file.0.0.scr",
                                         "rank2file.0.0"};
    enum sion_scr_layout layout;

    for (layout = SION_SCR_LAYOUT_DATASET; layout <= SION_SCR_LAYOUT_3; layout++) {
        begin(layout);
        put(file_in(layout, roots[layout]), 0, "RANKS", "4");
        is_refused(SION_SCR_FAULT_RANKS, ": RANKS is 4, but there are 5");
        put(file_in(layout, roots[layout]), 0, "RANKS", "5");
        CHECK_INT(check(), 0);
        put(file_in(layout, leaves[layout]), 0, "RANKS", "6");
        is_refused(SION_SCR_FAULT_RANKS, "RANKS is 6, but there are 5");
        CHECK_CONTAINS(told, leaves[layout]);
        put(file_in(layout, leaves[layout]), 0, "RANKS", "4");
        is_refused(SION_SCR_FAULT_RANKS, "RANKS is 4, but there are 5");
        end();
    }
}

/* SCR 1.1.8 writes the number of ranks of the last leaf, which is 1 here; SCR's own tool that of
   the leaf itself. */
static void numbers_that_releases_of_scr_write(void)
{
    begin(SION_SCR_LAYOUT_DATASET);
    put("set/.scr/rank2file.scr", 0, "RANKS", "1");
    put("set/.scr/rank2file.0.0.scr", 0, "RANKS", "1");
    CHECK_INT(check(), 0);
    end();
    begin(SION_SCR_LAYOUT_3);
    put(file_in(SION_SCR_LAYOUT_3, "rank2file.0.1"), 0, "RANKS", "3");
    CHECK_INT(check(), 0);
    put(file_in(SION_SCR_LAYOUT_3, "rank2file"), 0, "RANKS", "1");
    is_refused(SION_SCR_FAULT_RANKS, "rank2file: RANKS is 1, but there are 5");
    end();
}

static void a_rank_without_a_file(void)
{
    enum sion_scr_layout layout;

    for (layout = SION_SCR_LAYOUT_DATASET; layout <= SION_SCR_LAYOUT_3; layout++) {
        const struct sion_scr_place place = {sizeof place, layout, "set", 3};
        int without;

        for (without = 0; without < RANKS; without += 2) {
            begin(layout);
            write_map(&place, without);
            write_whole_summary(&place, RANKS - 1);
            if (layout == SION_SCR_LAYOUT_DATASET) {
                is_refused(SION_SCR_FAULT_RANKS, "SCR 1.1 cannot restart: 1 rank has no file");
                CHECK_INT(atoi(told), without);
            } else {
                CHECK_INT(check(), 0);
            }
            end();
        }
    }
}

int main(void)
{
    support_enter_folder();
    support_catch();
    self = sion_scr_comm_self();
    RUN(a_summary_that_cannot_be_read);
    RUN(a_summary_that_does_not_agree);
    RUN(an_incomplete_dataset_can_be_forced);
    RUN(files_of_a_map_with_another_number_of_ranks);
    RUN(numbers_that_releases_of_scr_write);
    RUN(a_rank_without_a_file);
    sion_scr_comm_free(self);
    CHECK_INT(support_errors, 0);
    support_leave_folder();
    return check_done();
}
