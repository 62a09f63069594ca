/* Filemaps: the same as SCR 1.1.8's; of several processes on one node or two; merged. */
#include "check.h"

#include "src/comm/thread_tasks.h"
#include "scr_check.h"

/* ---- the same as SCR's ---- */

static const char *sample_folder(const char *kind)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s/cntl", support_golden("scr"), kind);
    return path;
}

/* The map of a rank in the samples. container: as in that run. */
static sion_kvtree *map_of(int rank, const char *jobid, sion_int64 created, int container)
{
    sion_kvtree *map = sion_kvtree_new();
    char path[256], name[64], directory[64];
    struct sion_scr_dataset dataset;
    const struct sion_scr_redundancy redundancy = {.size = sizeof redundancy,
                                                   .enabled = 1,
                                                   .interval = 1,
                                                   .store = "/tmp",
                                                   .directory = directory,
                                                   .type = "SINGLE",
                                                   .groups = 4,
                                                   .group_id = rank,
                                                   .group_size = 1,
                                                   .container = container};
    const struct sion_scr_cached_file file = {.size = sizeof file,
                                              .path = path,
                                              .name = name,
                                              .home = "/p/lscratch/user1/prefix",
                                              .ranks = 4,
                                              .bytes = 524294 + rank,
                                              .complete = 1};

    snprintf(directory, sizeof directory, "/tmp/user1/scr.%s", jobid);
    snprintf(name, sizeof name, "rank_%d.ckpt", rank);
    snprintf(path, sizeof path, "%s/scr.dataset.1/%s", directory, name);
    init_dataset(&dataset, 1, "scr.dataset.1");
    dataset.created = created;
    dataset.user = "user1";
    dataset.jobname = "simulation123";
    dataset.jobid = jobid;
    dataset.files = 4;
    dataset.bytes = 2097182;
    CHECK_INT(code_of(sion_scr_filemap_add(map, 1, rank, &file)), 0);
    CHECK_INT(code_of(sion_scr_filemap_describe(map, &dataset, rank, &redundancy)), 0);
    return map;
}

static sion_kvtree *map_of_sample(int rank)
{
    return map_of(rank, "300003", 1795175546509581, 1);
}

static void write_map(struct scion_comm *comm, void *data)
{
    sion_kvtree *map = map_of_sample(comm->rank);

    CHECK_INT(code_of(sion_scr_filemap_write(comm, map, data)), 0);
    sion_kvtree_free(map);
}

static void maps_are_those_of_scr(void)
{
    const char *samples = sample_folder("real_scr_1.1.8_containers");
    char ours[64], theirs[700];
    sion_kvtree *tree;
    int i;

    run_tasks(4, write_map, "cntl");
    for (i = 0; i < 4; i++) {
        snprintf(ours, sizeof ours, "cntl/filemap_%d.scrinfo", i);
        snprintf(theirs, sizeof theirs, "%s/filemap_%d.scrinfo", samples, i);
        CHECK(same_tree_files(ours, theirs));
    }
    CHECK_INT(read_kvtree("cntl/filemap.scrinfo", &tree), 0);
    CHECK_INT(sion_kvtree_count(sion_kvtree_get(tree, "Filemap")), 4);
    snprintf(theirs, sizeof theirs, "%s/cntl/filemap_3.scrinfo", support_folder);
    CHECK(sion_kvtree_get(sion_kvtree_get(tree, "Filemap"), theirs) != NULL);
    sion_kvtree_free(tree);
}

static void check_merged(const char *folder, int outside)
{
    sion_kvtree *map = NULL, *all = sion_kvtree_new();
    int i;

    CHECK_INT(take_filemap(folder, outside, &map), 0);
    for (i = 0; i < 4; i++) {
        sion_kvtree *one = map_of_sample(i);

        sion_kvtree_merge(all, one);
        sion_kvtree_free(one);
    }
    CHECK(map && same_tree(map, all));
    sion_kvtree_free(map);
    sion_kvtree_free(all);
}

static void maps_of_a_node_are_merged(void)
{
    check_merged("cntl", 0);
    check_merged("cntl", 1);
    check_merged(sample_folder("real_scr_1.1.8_containers"), 0);
    CHECK_INT(support_warnings, 0);
}

/* ---- merging ---- */

static void later_files_count(void)
{
    struct sion_scr_cached_file file = {.size = sizeof file,
                                        .path = "/cache/a",
                                        .name = "a",
                                        .home = "/p",
                                        .ranks = 2,
                                        .bytes = 10,
                                        .complete = 1};
    sion_kvtree *map = NULL, *rank;
    long long number;
    int i;

    for (i = 0; i < 2; i++) {
        char name[64];

        map = sion_kvtree_new();
        file.bytes = 10 + i;
        sion_scr_filemap_add(map, 5, 7, &file);
        file.path = i == 0 ? "/cache/b" : "/cache/c";
        file.bytes = 3;
        sion_scr_filemap_add(map, 5, 7, &file);
        file.path = "/cache/a";
        snprintf(name, sizeof name, "cntl/filemap_%d.scrinfo", i);
        sion_kvtree_write(map, name);
        sion_kvtree_free(map);
    }
    map = sion_kvtree_new();
    sion_kvtree_set(sion_kvtree_set(map, "Filemap"), "/elsewhere/filemap_0.scrinfo");
    sion_kvtree_set(sion_kvtree_set(map, "Filemap"), "/elsewhere/filemap_1.scrinfo");
    sion_kvtree_write(map, "cntl/filemap.scrinfo");
    sion_kvtree_free(map);

    support_catch();
    CHECK_INT(take_filemap("cntl", 0, &map), 0);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "/cache/a");
    rank = sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(map, "RANK"), "7"), "DSET");
    rank = sion_kvtree_get(rank, "5");
    CHECK_INT(code_of(sion_kvtree_int(rank, "FILES", &number)), 0);
    CHECK_INT(number, 3);
    rank = sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(rank, "FILE"), "/cache/a"), "META");
    CHECK_INT(code_of(sion_kvtree_int(rank, "SIZE", &number)), 0);
    CHECK_INT(number, 11);
    CHECK_INT(sion_kvtree_count(sion_kvtree_get(rank, "SIZE")), 1);
    sion_kvtree_free(map);

    CHECK_INT(take_filemap("cntl", 1, &map), SION_ERR_SYSTEM);
    CHECK_CONTAINS(sion_error_text(), "/elsewhere/filemap_0.scrinfo");
}

/* ---- the cache of SCR 3 ---- */

static void write_flat(int rank, const char *path, int id)
{
    sion_kvtree *flat = sion_kvtree_new(), *meta;
    char name[64];

    meta = sion_kvtree_set(sion_kvtree_set(sion_kvtree_set(flat, "FILE"), path), "META");
    sion_kvtree_put_int(meta, "SIZE", 100 + rank);
    sion_kvtree_put_int(flat, "FILES", 1);
    if (id != 0)
        sion_kvtree_put_int(sion_kvtree_set(flat, "DSETDESC"), "ID", id);
    snprintf(name, sizeof name, "flat/filemap_%d", rank);
    CHECK_INT(code_of(sion_kvtree_write(flat, name)), 0);
    sion_kvtree_free(flat);
}

static long long size_of(const sion_kvtree *map, const char *rank, const char *path)
{
    const sion_kvtree *tree = sion_kvtree_get(sion_kvtree_get(map, "RANK"), rank);
    long long number = -1;

    tree = sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(tree, "DSET"), "3"), "FILE");
    tree = sion_kvtree_get(sion_kvtree_get(tree, path), "META");
    return code_of(sion_kvtree_int(tree, "SIZE", &number)) == 0 ? number : -1;
}

static void flat_maps_get_the_same_keys(void)
{
    sion_kvtree *map = NULL, *ranks;

    mkdir("flat", 0777);
    CHECK_INT(take_filemap("flat", 0, &map), SION_ERR_SYSTEM);
    CHECK_CONTAINS(sion_error_text(),
                   "flat has no filemap.scrinfo, and no filemap_<rank> or fmap.<rank>.scr");
    write_flat(0, "/cache/a", 3);
    write_flat(11, "/cache/b", 3);
    support_store("flat/filemap_11.old", "x", 1);
    CHECK_INT(take_filemap("flat", 0, &map), 0);
    CHECK_INT(size_of(map, "0", "/cache/a"), 100);
    CHECK_INT(size_of(map, "11", "/cache/b"), 111);
    ranks = sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(map, "DSET"), "3"), "RANK");
    CHECK_INT(sion_kvtree_count(ranks), 2);
    sion_kvtree_free(map);
    write_flat(12, "/cache/c", 0);
    CHECK_INT(take_filemap("flat", 0, &map), SION_ERR_DAMAGED);
    CHECK_CONTAINS(sion_error_text(), "flat/filemap_12: DSETDESC");
    remove_folder("flat");
}

static void write_into_a_file(struct scion_comm *comm, void *data)
{
    const char *folder = comm->rank == 2 ? data : "cntl";
    sion_kvtree *map = sion_kvtree_new();

    CHECK_INT(code_of(sion_scr_filemap_write(comm, map, folder)), SION_ERR_SYSTEM);
    CHECK_CONTAINS(sion_error_text(), "rank 2: cannot make folder file: File exists");
    sion_kvtree_free(map);
}

static void the_failure_of_one_is_returned_by_all(void)
{
    support_store("file", "", 0);
    run_tasks(4, write_into_a_file, "file/in/the/way");
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(maps_are_those_of_scr);
    RUN(maps_of_a_node_are_merged);
    RUN(later_files_count);
    RUN(flat_maps_get_the_same_keys);
    RUN(the_failure_of_one_is_returned_by_all);
    remove_folder("cntl");
    support_leave_folder();
    return check_done();
}
