/* Right and wrong entries of files in a map, for check and fetch. */
#include "check.h"

#include "scr_check.h"

static const struct sion_scr_place place = {sizeof place, SION_SCR_LAYOUT_DATASET, "set", 0};

/* ---- a map of one file for each of two ranks, in a container of 100 bytes ---- */

static sion_kvtree *map_file(int rank, const char *name, sion_kvtree **tree)
{
    (void)rank;
    *tree = sion_kvtree_new();
    return sion_kvtree_set(sion_kvtree_set(*tree, "FILE"), name);
}

static void add_segment(sion_kvtree *file, const char *number, const char *name, long long offset,
                        long long length)
{
    sion_kvtree *segment = sion_kvtree_set(sion_kvtree_set(file, "SEG"), number);

    sion_kvtree_put(segment, "FILE", name);
    sion_kvtree_put_int(segment, "OFFSET", offset);
    sion_kvtree_put_int(segment, "LENGTH", length);
}

/* The messages, and the files that they name. */
static int failures, skipped, done;
static char told[1024];

static void tell(void *user, enum sion_scr_remark remark, sion_int64 rank, const char *file,
                 const char *text)
{
    (void)user;
    failures += remark == SION_SCR_FAILED;
    skipped += remark == SION_SCR_SKIPPED;
    done += remark == SION_SCR_DONE;
    if (remark != SION_SCR_DONE)
        snprintf(told, sizeof told, "rank %lld, file %s: %s", rank, file, text);
}

static struct sion_scr_map_options map_options = {.size = sizeof map_options};
static struct sion_scr_fetch_options options = {
    .size = sizeof options, .map = &map_options, .tell = tell};

static void begin(void)
{
    unsigned char bytes[100];

    failures = skipped = done = 0;
    told[0] = '\0';
    mkdir("set", 0777);
    check_fill(bytes, 1, 0, sizeof bytes);
    support_store("set/data", bytes, sizeof bytes);
}

static void write_map(sion_scr_ranks *ranks)
{
    sion_scr_comm *self = sion_scr_comm_self();

    CHECK_INT(code_of(sion_scr_map_write(self, &place, ranks, NULL)), 0);
    write_summary("set/.scr/summary.scr", 1);
    sion_scr_comm_free(self);
    sion_scr_ranks_free(ranks);
}

static int fetch(void)
{
    sion_scr_comm *self = sion_scr_comm_self();
    int rc;

    failures = skipped = done = 0;
    rc = code_of(sion_scr_fetch(self, "set", "out", &options));
    sion_scr_comm_free(self);
    return rc;
}

static void end(void)
{
    remove_folder("out");
    remove_folder("set");
}

typedef void change_function(sion_kvtree *file);

/* Rank 0 has a good entry, and that of rank 1 is changed. */
static void write_changed(change_function *change)
{
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_kvtree *tree, *file;

    begin();
    file = map_file(0, "good", &tree);
    sion_kvtree_put_int(file, "SIZE", 30);
    add_segment(file, "0", "data", 0, 30);
    sion_scr_ranks_add(ranks, 0, tree);
    sion_kvtree_free(tree);
    file = map_file(1, "dir/changed", &tree);
    sion_kvtree_put_int(file, "SIZE", 50);
    add_segment(file, "1", "data", 40, 30);
    add_segment(file, "0", "data", 80, 20);
    change(file);
    sion_scr_ranks_add(ranks, 1, tree);
    sion_kvtree_free(tree);
    write_map(ranks);
}

/* check finds the wrong entry; fetch makes only the good file. */
static void refuse(change_function *change, const char *reason)
{
    write_changed(change);
    CHECK_INT(code_of(sion_scr_check("set", &options)), SION_ERR_DAMAGED);
    CHECK_INT(failures, 1);
    CHECK_CONTAINS(told, "rank 1, file dir/changed: ");
    CHECK_CONTAINS(told, reason);
    CHECK_CONTAINS(sion_error_text(), "1 files could not be used");
    CHECK_INT(fetch(), SION_ERR_DAMAGED);
    CHECK_INT(failures, 1);
    CHECK_INT(done, 1);
    CHECK_CONTAINS(told, reason);
    CHECK(access("out/good", F_OK) == 0);
    CHECK(access("out/dir/changed", F_OK) != 0);
    CHECK_INT(code_of(sion_scr_import("set", "c.sion", &options)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(sion_error_text(), "rank 1, file dir/changed: ");
    CHECK(access("c.sion", F_OK) != 0);
    end();
}

static void nothing(sion_kvtree *file)
{
    (void)file;
}

static void segments_are_read_by_their_numbers(void)
{
    unsigned char *bytes;
    size_t size = 0;

    write_changed(nothing);
    CHECK_INT(code_of(sion_scr_check("set", &options)), 0);
    CHECK_INT(fetch(), 0);
    CHECK_INT(done, 2);
    bytes = support_load("out/dir/changed", &size);
    CHECK_INT(size, 50);
    CHECK(bytes && check_compare(bytes, 1, 80, 20) == -1);
    CHECK(bytes && check_compare(bytes + 20, 1, 40, 30) == -1);
    free(bytes);
    end();
}

static sion_kvtree *segment(sion_kvtree *file, const char *number)
{
    return sion_kvtree_get(sion_kvtree_get(file, "SEG"), number);
}

static void behind_the_end(sion_kvtree *file)
{
    sion_kvtree_put_int(segment(file, "0"), "OFFSET", 81);
}

static void negative_offset(sion_kvtree *file)
{
    sion_kvtree_put_int(segment(file, "0"), "OFFSET", -1);
}

static void huge_length(sion_kvtree *file)
{
    sion_kvtree_put(segment(file, "0"), "LENGTH", "9223372036854775807");
}

static void no_length(sion_kvtree *file)
{
    sion_kvtree_remove(segment(file, "1"), "LENGTH");
}

static void no_file(sion_kvtree *file)
{
    sion_kvtree_remove(segment(file, "1"), "FILE");
}

static void a_gap(sion_kvtree *file)
{
    sion_kvtree_remove(sion_kvtree_get(file, "SEG"), "0");
}

static void other_size(sion_kvtree *file)
{
    sion_kvtree_put_int(file, "SIZE", 51);
}

static void no_number(sion_kvtree *file)
{
    sion_kvtree_put(file, "SIZE", "50 bytes");
}

static void wrong_crc(sion_kvtree *file)
{
    sion_kvtree_put_crc(file, "CRC", 1);
}

static void segment_in_a_folder(sion_kvtree *file)
{
    sion_kvtree_put(segment(file, "1"), "FILE", ".");
}

static void absolute_segment(sion_kvtree *file)
{
    sion_kvtree_put(segment(file, "1"), "FILE", "/etc/hosts");
}

static void segment_leads_out(sion_kvtree *file)
{
    sion_kvtree_put(segment(file, "1"), "FILE", "x/../../data");
}

static void missing_file(sion_kvtree *file)
{
    sion_kvtree_put(segment(file, "1"), "FILE", "missing");
}

static void incomplete(sion_kvtree *file)
{
    sion_kvtree_put_int(file, "COMPLETE", 0);
}

static void wrong_entries_are_refused(void)
{
    refuse(behind_the_end, "20 bytes at offset 81 of data, which has 100");
    refuse(negative_offset, "SEG 0: 20 bytes at offset -1");
    refuse(huge_length, "SEG 0: 9223372036854775807 bytes");
    refuse(no_length, "LENGTH is missing");
    refuse(no_file, "SEG 1 has no FILE");
    refuse(a_gap, "SEG 0 is missing");
    refuse(other_size, "SIZE is 51, but its segments have 50 bytes");
    refuse(no_number, "SIZE is '50 bytes', which is not a number");
    refuse(wrong_crc, "its CRC is 0x");
    refuse(segment_in_a_folder, "the name . is that of a folder");
    refuse(absolute_segment, "the name /etc/hosts is absolute");
    refuse(segment_leads_out, "leads out of its folder");
    refuse(incomplete, "marked as incomplete");
}

static void a_missing_file_is_a_failure_of_the_system(void)
{
    write_changed(missing_file);
    CHECK_INT(code_of(sion_scr_check("set", &options)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(told, "rank 1, file dir/changed: cannot open ");
    CHECK_CONTAINS(told, "/set/missing");
    end();
}

static void overlap(sion_kvtree *file)
{
    sion_kvtree_put_int(segment(file, "1"), "OFFSET", 29);
}

static void overlap_by_another_name(sion_kvtree *file)
{
    CHECK_INT(link("set/data", "set/link"), 0);
    overlap(file);
    sion_kvtree_put(segment(file, "1"), "FILE", "./link");
}

/* Segments of the same file. */
static void overlap_of_its_own(sion_kvtree *file)
{
    sion_kvtree_put_int(segment(file, "1"), "OFFSET", 60);
}

static void overlaps_are_refused(void)
{
    refuse(overlap, "its segment at offset 29 overlaps one of rank 0");
    refuse(overlap_by_another_name, "its segment at offset 29 overlaps one of rank 0");
    refuse(overlap_of_its_own, "its segment at offset 80 overlaps one of rank 1");
}

/* Rank 0 has nearly all bytes; ranks 1 and 2 each have a part of them, but not of each other's. */
static void each_overlap_with_a_large_segment_is_found(void)
{
    static const int first[] = {0, 10, 50}, length[] = {90, 10, 10};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    char name[20];
    int rank;

    begin();
    for (rank = 0; rank < 3; rank++) {
        sion_kvtree *tree, *file;

        snprintf(name, sizeof name, "file%d", rank);
        file = map_file(rank, name, &tree);
        sion_kvtree_put_int(file, "SIZE", length[rank]);
        add_segment(file, "0", "data", first[rank], length[rank]);
        sion_scr_ranks_add(ranks, rank, tree);
        sion_kvtree_free(tree);
    }
    write_map(ranks);
    CHECK_INT(code_of(sion_scr_check("set", &options)), SION_ERR_DAMAGED);
    CHECK_INT(failures, 2);
    CHECK_STR(told, "rank 2, file file2: its segment at offset 50 overlaps one of rank 0");
    end();
}

static void name_leads_out(sion_kvtree *file)
{
    sion_kvtree_put(segment(file, "1"), "FILE", "../elsewhere");
}

static void link_leads_out(sion_kvtree *file)
{
    CHECK_INT(symlink("../elsewhere", "set/link"), 0);
    sion_kvtree_put(segment(file, "1"), "FILE", "link");
}

/* If a link in a folder outside leads back, its neighbours are still outside. */
static void folder_leads_out(sion_kvtree *file)
{
    CHECK_INT(symlink("..", "set/out"), 0);
    CHECK_INT(symlink("set/data", "back"), 0);
    sion_kvtree_put(segment(file, "0"), "FILE", "out/back");
    sion_kvtree_put(segment(file, "1"), "FILE", "out/elsewhere");
}

static void segments_in_a_link(sion_kvtree *file)
{
    CHECK_INT(symlink("data", "set/link"), 0);
    sion_kvtree_put(segment(file, "1"), "FILE", "link");
}

static void names_may_be_allowed(void)
{
    static change_function *const leads_out[] = {name_leads_out, link_leads_out, folder_leads_out};
    unsigned char bytes[100] = {0};
    int i;

    support_store("elsewhere", bytes, sizeof bytes);
    for (i = 0; i < 3; i++) {
        write_changed(leads_out[i]);
        CHECK_INT(code_of(sion_scr_check("set", &options)), SION_ERR_DAMAGED);
        CHECK_CONTAINS(told, "leads out of its folder");
        CHECK_INT(fetch(), SION_ERR_DAMAGED);
        map_options.allow_outside = 1;
        CHECK_INT(code_of(sion_scr_check("set", &options)), 0);
        CHECK_INT(fetch(), SION_ERR_DAMAGED); /* the good file already exists */
        CHECK_INT(done, 1);
        map_options.allow_outside = 0;
        remove("back");
        end();
    }
}

/* The folder of the dataset may be a link, and may have links that stay inside. */
static void links_inside_are_followed(void)
{
    write_changed(segments_in_a_link);
    CHECK_INT(rename("set", "real"), 0);
    CHECK_INT(symlink("real", "set"), 0);
    CHECK_INT(code_of(sion_scr_check("set", &options)), 0);
    CHECK_INT(fetch(), 0);
    remove("set");
    CHECK_INT(rename("real", "set"), 0);
    end();
}

static void a_link_in_the_way_of_fetch_is_refused(void)
{
    write_changed(nothing);
    mkdir("out", 0777);
    mkdir("aside", 0777);
    CHECK_INT(symlink("../aside", "out/dir"), 0);
    CHECK_INT(fetch(), SION_ERR_DAMAGED);
    CHECK_CONTAINS(told, "out/dir is a link, which could lead elsewhere");
    CHECK(access("out/good", F_OK) == 0);
    CHECK_INT(rmdir("aside"), 0); /* it is empty */
    end();
}

static void incomplete_files_can_be_forced(void)
{
    write_changed(incomplete);
    options.force = 1;
    CHECK_INT(code_of(sion_scr_check("set", &options)), 0);
    CHECK_INT(fetch(), 0);
    CHECK_INT(done, 2);
    options.force = 0;
    end();
}

static void not_to_be_fetched(sion_kvtree *file)
{
    sion_kvtree_set(file, "NOFETCH");
}

static void files_not_to_be_fetched_are_skipped(void)
{
    write_changed(not_to_be_fetched);
    CHECK_INT(code_of(sion_scr_check("set", &options)), 0);
    CHECK_INT(fetch(), 0);
    CHECK_INT(done, 1);
    CHECK_INT(skipped, 1);
    CHECK_CONTAINS(told, "not to be fetched");
    end();
}

/* SCR 3 stores only names; a file without bytes has no segments, and need not exist. */
static void only_names_and_empty_files(void)
{
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_kvtree *tree;

    begin();
    map_file(0, "data", &tree);
    sion_kvtree_put_int(sion_kvtree_set(sion_kvtree_get(tree, "FILE"), "none"), "SIZE", 0);
    sion_scr_ranks_add(ranks, 0, tree);
    sion_kvtree_free(tree);
    tree = sion_kvtree_new();
    sion_scr_ranks_add(ranks, 1, tree);
    sion_kvtree_free(tree);
    write_map(ranks);
    CHECK_INT(code_of(sion_scr_check("set", &options)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(told, "rank 1, file rank2file.scr: SCR 1.1 cannot restart: 1 rank has no file");
    failures = 0;
    CHECK_INT(fetch(), 0);
    CHECK_INT(done, 2);
    CHECK(support_same_files("out/data", "set/data"));
    CHECK(access("out/none", F_OK) == 0);
    CHECK_INT(code_of(sion_scr_import("set", "c.sion", &options)), 0);
    remove("c.sion");
    end();
}

static void two_ranks_with_a_file_of_one_name(void)
{
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    int rank;

    begin();
    for (rank = 0; rank < 2; rank++) {
        sion_kvtree *tree, *file = map_file(rank, "same", &tree);

        sion_kvtree_put_int(file, "SIZE", 10);
        add_segment(file, "0", "data", 10 * rank, 10);
        sion_scr_ranks_add(ranks, rank, tree);
        sion_kvtree_free(tree);
    }
    write_map(ranks);
    CHECK_INT(fetch(), SION_ERR_DAMAGED);
    CHECK_CONTAINS(told, "rank 1, file same: cannot open out/same for writing: File exists");
    CHECK_INT(done, 1);
    end();
}

/* ---- flush.scr, also in the cache ---- */

static void flush_files_are_those_of_scr(void)
{
    struct sion_scr_dataset dataset;
    char path[600];

    init_dataset(&dataset, 1, "scr.dataset.1");
    mkdir("prefix", 0777);
    CHECK_INT(code_of(sion_scr_flush_write("prefix", &dataset, 0)), 0);
    CHECK_INT(code_of(sion_scr_flush_write("prefix", &dataset, 1)), 0);
    snprintf(path, sizeof path, "%s/real_scr_1.1.8_plain/prefix/.scr/flush.scr",
             support_golden("scr"));
    CHECK(same_tree_files("prefix/.scr/flush.scr", path));
    remove_folder("prefix");
}

/* ---- layout prefix: names of segments are relative to the map's folder ---- */

/* Check a map of PREFIX "set", whose only file is in 100 bytes of `name`. */
static int check_segment_in(const char *name, int outside)
{
    static const struct sion_scr_place above = {sizeof above, SION_SCR_LAYOUT_PREFIX, "set", 3};
    const struct sion_scr_map_options map = {.size = sizeof map, .allow_outside = outside};
    struct sion_scr_fetch_options own = options;
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_scr_comm *self = sion_scr_comm_self();
    sion_kvtree *tree;
    int rc;

    own.map = &map;
    add_segment(map_file(0, "all", &tree), "0", name, 0, 100);
    sion_scr_ranks_add(ranks, 0, tree);
    sion_kvtree_free(tree);
    CHECK_INT(code_of(sion_scr_map_write(self, &above, ranks, NULL)), 0);
    write_summary("set/.scr/scr.dataset.3/summary.scr", 3);
    sion_scr_ranks_free(ranks);
    failures = done = 0;
    rc = code_of(sion_scr_check("set", &own));
    if (rc == 0)
        rc = code_of(sion_scr_fetch(self, "set", "out", &own));
    sion_scr_comm_free(self);
    remove_folder("out");
    remove_folder("set/.scr");
    return rc;
}

static void names_are_relative_to_the_folder_of_the_map(void)
{
    unsigned char bytes[100] = {0};

    begin();
    mkdir("set/deep", 0777);
    support_store("set/deep/data", bytes, sizeof bytes);
    CHECK_INT(check_segment_in("../../data", 0), 0);
    CHECK_INT(check_segment_in("../../deep/data", 0), 0);
    CHECK_INT(check_segment_in("../.././deep/../data", 0), 0);
    CHECK_INT(check_segment_in("../../../set/data", 0), SION_ERR_DAMAGED);
    CHECK_CONTAINS(told, "the name ../../../set/data leads out of its folder");
    CHECK_INT(check_segment_in("../../../set/data", 1), 0);
    CHECK_INT(check_segment_in("../data", 0), SION_ERR_DAMAGED);
    CHECK_CONTAINS(told, "/set/.scr/data for reading");
    /* Older maps have names relative to the prefix. */
    CHECK_INT(check_segment_in("data", 0), 0);
    CHECK_INT(check_segment_in("deep/data", 0), 0);
    CHECK_INT(check_segment_in("deep/../data", 0), SION_ERR_DAMAGED);
    CHECK_INT(check_segment_in("missing", 0), SION_ERR_DAMAGED);
    remove_folder("set");
}

/* Write the summary of a golden dataset again, from its own contents. */
static void summary_is_that_of(const char *name, enum sion_scr_layout layout, const char *golden)
{
    const struct sion_scr_place above = {sizeof above, layout, "prefix", 1};
    struct sion_scr_dataset dataset;
    sion_kvtree *tree, *dset;
    char path[600];

    snprintf(path, sizeof path, "%s/%s", support_golden("scr"), golden);
    CHECK_INT(read_kvtree(path, &tree), 0);
    dset = sion_kvtree_get(tree, "DSET");
    init_dataset(&dataset, 1, name);
    dataset.created = atoll(sion_kvtree_value(dset, "CREATED"));
    dataset.user = sion_kvtree_value(dset, "USER");
    dataset.jobname = sion_kvtree_value(dset, "JOBNAME");
    dataset.jobid = sion_kvtree_value(dset, "JOBID");
    dataset.cluster = sion_kvtree_value(dset, "CLUSTER");
    dataset.files = atoll(sion_kvtree_value(dset, "FILES"));
    dataset.bytes = atoll(sion_kvtree_value(dset, "SIZE"));
    CHECK_INT(code_of(sion_scr_summary_write(&above, &dataset)), 0);
    sion_kvtree_free(tree);
    CHECK(same_tree_files(layout == SION_SCR_LAYOUT_DATASET
                              ? "prefix/.scr/summary.scr"
                              : "prefix/.scr/scr.dataset.1/summary.scr",
                          path));
    remove_folder("prefix");
}

static void summaries_of_all_releases(void)
{
    summary_is_that_of("scr.dataset.1", SION_SCR_LAYOUT_DATASET,
                       "real_scr_1.1.8_plain/prefix/scr.dataset.1/.scr/summary.scr");
    summary_is_that_of("ckpt.1", SION_SCR_LAYOUT_PREFIX,
                       "real_scr_1.2.2_prefix/.scr/scr.dataset.1/summary.scr");
    summary_is_that_of("ckpt.1", SION_SCR_LAYOUT_3,
                       "real_scr_3_prefix/.scr/scr.dataset.1/summary.scr");
    summary_is_that_of("ckpt.1", SION_SCR_LAYOUT_3,
                       "real_scr_3_container_prefix/.scr/scr.dataset.1/summary.scr");
}

/* A second dataset is added to the index, and becomes the current one. */
static void index_of_two_datasets(void)
{
    struct sion_scr_dataset dataset;
    sion_kvtree *tree;

    mkdir("prefix", 0777);
    init_dataset(&dataset, 1, "one");
    CHECK_INT(code_of(sion_scr_index_write("prefix", &dataset)), 0);
    init_dataset(&dataset, 2, "two");
    CHECK_INT(code_of(sion_scr_index_write("prefix", &dataset)), 0);
    CHECK_INT(code_of(sion_scr_index_write("prefix", &dataset)), 0);
    CHECK_INT(read_kvtree("prefix/.scr/index.scr", &tree), 0);
    CHECK_STR(sion_kvtree_value(tree, "CURRENT"), "two");
    CHECK_INT(sion_kvtree_count(sion_kvtree_get(tree, "DSET")), 2);
    CHECK_INT(sion_kvtree_count(sion_kvtree_get(tree, "DIR")), 2);
    CHECK_STR(sion_kvtree_value(sion_kvtree_get(sion_kvtree_get(tree, "DIR"), "one"), "DSET"), "1");
    sion_kvtree_free(tree);
    remove_folder("prefix");
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(segments_are_read_by_their_numbers);
    RUN(wrong_entries_are_refused);
    RUN(a_missing_file_is_a_failure_of_the_system);
    RUN(overlaps_are_refused);
    RUN(each_overlap_with_a_large_segment_is_found);
    RUN(names_may_be_allowed);
    RUN(links_inside_are_followed);
    RUN(a_link_in_the_way_of_fetch_is_refused);
    RUN(incomplete_files_can_be_forced);
    RUN(files_not_to_be_fetched_are_skipped);
    RUN(only_names_and_empty_files);
    RUN(two_ranks_with_a_file_of_one_name);
    RUN(flush_files_are_those_of_scr);
    RUN(names_are_relative_to_the_folder_of_the_map);
    RUN(summaries_of_all_releases);
    RUN(index_of_two_datasets);
    CHECK_INT(support_errors, 0);
    support_leave_folder();
    return check_done();
}
