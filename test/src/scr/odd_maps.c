/* Maps that contradict themselves are refused; where maps are looked for. */
#include "check.h"

#include "map_tasks.h"
#include "scr/map/walk.h"

/* A map of two leaves, one of which `change` changes. */
static void refuse_map(void (*change)(sion_kvtree *root, sion_kvtree *leaf), const char *reason)
{
    static const char root_path[] = "map/.scr/scr.dataset.1/rank2file";
    static const char leaf_path[] = "map/.scr/scr.dataset.1/rank2file.0.1";
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    struct map map = {.options = {.size = sizeof(struct sion_scr_map_options)},
                      .place = &here,
                      .all = ranks,
                      .folder = "map",
                      .failing = -1};
    sion_kvtree *root, *leaf;
    int i;

    for (i = 0; i < 2; i++) {
        sion_kvtree *tree = simple_files("rank", i);

        sion_scr_ranks_add(ranks, i, tree);
        sion_kvtree_free(tree);
    }
    CHECK_INT(write_alone(&here, ranks, 50), 0);
    CHECK_INT(read_kvtree(root_path, &root), 0);
    CHECK_INT(read_kvtree(leaf_path, &leaf), 0);
    change(root, leaf);
    sion_kvtree_write(root, root_path);
    sion_kvtree_write(leaf, leaf_path);
    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), reason);
    run_tasks(3, read_share, &map);
    CHECK_INT(map.rc, -3);
    CHECK_INT(map.read, 0);
    sion_kvtree_free(root);
    sion_kvtree_free(leaf);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

static sion_kvtree *entry_1(sion_kvtree *root)
{
    return sion_kvtree_get(sion_kvtree_get(root, "RANK"), "1");
}

static void set_level(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_put(leaf, "LEVEL", "1");
}

static void remove_level(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_remove(leaf, "LEVEL");
}

static void root_is_a_leaf(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(root, "LEVEL", "0");
}

static void missing_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".0.2");
}

static void same_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".0.0");
}

static void absolute_name(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", "/etc/passwd");
}

static void name_leads_out(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", "a/../../x");
}

/* The same file under another name: with levels of such names, a few files would take for ever. */
static void alias_of_a_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".scr/./scr.dataset.1/rank2file.0.0");
}

static void link_leads_out(sion_kvtree *root, sion_kvtree *leaf)
{
    sion_kvtree_write(leaf, "outside");
    CHECK_INT(symlink("../../../outside", "map/.scr/scr.dataset.1/rank2file.0.9"), 0);
    sion_kvtree_put(entry_1(root), "FILE", ".0.9");
}

static void odd_writer(sion_kvtree *root, sion_kvtree *leaf)
{
    sion_kvtree *all = sion_kvtree_get(root, "RANK");

    (void)leaf;
    sion_kvtree_merge(sion_kvtree_set(all, "-1"), sion_kvtree_get(all, "1"));
    sion_kvtree_remove(all, "1");
}

static void suffix_leads_out(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "FILE", ".0/x");
}

static void no_file(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_remove(entry_1(root), "FILE");
}

static void far_offset(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "OFFSET", "100000");
}

static void odd_offset(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(entry_1(root), "OFFSET", "0x");
}

static void rank_twice(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_set(sion_kvtree_set(leaf, "RANK"), "0");
}

static void odd_rank(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_set(sion_kvtree_set(leaf, "RANK"), "1x");
}

static void negative_ranks(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(root, "RANKS", "-1");
}

static void negative_ranks_of_a_leaf(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)root;
    sion_kvtree_put(leaf, "RANKS", "-1");
}

static void too_few_ranks(sion_kvtree *root, sion_kvtree *leaf)
{
    (void)leaf;
    sion_kvtree_put(root, "RANKS", "3");
}

static void wrong_maps_are_refused(void)
{
    refuse_map(set_level, "rank2file.0.1: LEVEL is 1");
    refuse_map(remove_level, "LEVEL is missing");
    refuse_map(root_is_a_leaf, "LEVEL is 0");
    refuse_map(missing_file, "rank2file.0.2");
    refuse_map(same_file, "named twice");
    refuse_map(absolute_name, "the name /etc/passwd is absolute");
    refuse_map(name_leads_out, "leads out of its folder");
    refuse_map(suffix_leads_out, "leads to another folder");
    refuse_map(alias_of_a_file, "named twice");
    refuse_map(link_leads_out, "the name rank2file.0.9 leads out of its folder, by a link");
    refuse_map(odd_writer, "'-1' is not a rank");
    refuse_map(no_file, "has no FILE");
    refuse_map(odd_offset, "OFFSET");
    refuse_map(far_offset, "no record at byte 100000");
    refuse_map(rank_twice, "rank 0 occurs ");
    refuse_map(odd_rank, "'1x' is not a rank");
    refuse_map(negative_ranks, "rank2file: RANKS is -1");
    refuse_map(negative_ranks_of_a_leaf, ": RANKS is -1");
    refuse_map(too_few_ranks, "incomplete: 2 of 3 ranks");
}

static int go_on(void *data, const struct scion_map_file *file)
{
    (void)data, (void)file;
    return 0;
}

/* What reads a map file by file sees damage, too. */
static void a_walk_ends_at_an_offset_that_is_no_number(void)
{
    static const char root_path[] = "map/.scr/scr.dataset.1/rank2file";
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    struct scion_map_location found;
    sion_kvtree *root, *tree = simple_files("rank", 0);

    sion_scr_ranks_add(ranks, 0, tree);
    sion_scr_ranks_add(ranks, 1, tree);
    CHECK_INT(write_alone(&here, ranks, 50), 0);
    CHECK_INT(scion_find_map("map", NULL, &found), 0);
    CHECK_INT(scion_map_walk(&found, 0, go_on, NULL), 0);
    CHECK_INT(read_kvtree(root_path, &root), 0);
    odd_offset(root, NULL);
    CHECK_INT(code_of(sion_kvtree_write(root, root_path)), 0);
    CHECK_INT(scion_map_walk(&found, 0, go_on, NULL), SION_ERR_DAMAGED);
    sion_kvtree_free(tree);
    sion_kvtree_free(root);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

static void maps_are_found(void)
{
    static const struct sion_scr_place second = {sizeof second, SION_SCR_LAYOUT_PREFIX, "map", 2};
    sion_scr_ranks *ranks = random_ranks(3), *found;

    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), "no rank2file map: map: No such file");
    mkdir("map", 0777);
    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), "no rank2file map in map, map/.scr");
    CHECK_INT(write_alone(&here, ranks, 0), 0);
    CHECK((found = read_alone("map")) != NULL);
    sion_scr_ranks_free(found);
    CHECK_INT(write_alone(&second, ranks, 0), 0);
    CHECK(read_alone("map") == NULL);
    CHECK_CONTAINS(sion_error_text(), "maps of 2 datasets");
    CHECK((found = read_alone("map/.scr/scr.dataset.2")) != NULL);
    sion_scr_ranks_free(found);
    sion_scr_ranks_free(ranks);
    remove_folder("map");
}

/* A root that is a link counts as the root of the link's folder. */
static void a_link_does_not_move_the_map(void)
{
    static const struct sion_scr_place dataset = {sizeof dataset, SION_SCR_LAYOUT_DATASET, "map",
                                                  0};
    sion_scr_ranks *ranks = random_ranks(3);

    CHECK_INT(write_alone(&dataset, ranks, 0), 0);
    mkdir("other", 0777);
    mkdir("other/.scr", 0777);
    CHECK_INT(symlink("../../map/.scr/rank2file.scr", "other/.scr/rank2file.scr"), 0);
    CHECK(read_alone("other") == NULL);
    CHECK_CONTAINS(sion_error_text(), "other/.scr/rank2file.0.0.scr");
    sion_scr_ranks_free(ranks);
    remove_folder("other");
    remove_folder("map");
}

/* Leaves one after the other in one file: SCR's readers accept this, although nobody writes it. */
static void offsets_are_followed(void)
{
    static const char root_path[] = "map/.scr/scr.dataset.1/rank2file";
    sion_scr_ranks *ranks = random_ranks(40), *found;
    sion_kvtree *root, *leaf;
    const sion_kvtree *entry;
    sion_int64 offset, used;
    int n = 0;

    CHECK_INT(write_alone(&here, ranks, 700), 0);
    CHECK_INT(read_kvtree(root_path, &root), 0);
    CHECK_STR(sion_kvtree_value(root, "LEVEL"), "1");
    sion_kvtree_write_at(root, root_path, 0, &offset);
    for (entry = sion_kvtree_first(sion_kvtree_get(root, "RANK")); entry;
         entry = sion_kvtree_next(entry), n++) {
        sion_kvtree *writable =
            sion_kvtree_get(sion_kvtree_get(root, "RANK"), sion_kvtree_key(entry));
        char path[128];

        snprintf(path, sizeof path, "%s%s", root_path, sion_kvtree_value(entry, "FILE"));
        CHECK_INT(read_kvtree(path, &leaf), 0);
        remove(path);
        snprintf(path, sizeof path, "%s.0.0", root_path);
        CHECK_INT(code_of(sion_kvtree_write_at(leaf, path, n == 0 ? 0 : offset, &used)), 0);
        offset = n == 0 ? used : offset + used;
        sion_kvtree_put(writable, "FILE", ".0.0");
        sion_kvtree_put_int(writable, "OFFSET", offset - used);
        sion_kvtree_free(leaf);
    }
    CHECK(n > 1);
    sion_kvtree_write(root, root_path);
    found = read_alone("map");
    CHECK(found && sion_scr_ranks_count(found) == 40);
    sion_scr_ranks_free(found);
    sion_scr_ranks_free(ranks);
    sion_kvtree_free(root);
    remove_folder("map");
}

int main(void)
{
    check_seed(26);
    support_enter_folder();
    RUN(wrong_maps_are_refused);
    RUN(a_walk_ends_at_an_offset_that_is_no_number);
    RUN(maps_are_found);
    RUN(a_link_does_not_move_the_map);
    RUN(offsets_are_followed);
    support_leave_folder();
    return check_done();
}
