/* Each release of SCR finds datasets: index, environment, layouts. */
#include "scr_mpi.h"

/* ---- datasets that SCR finds ---- */

/* A value of the dataset set.7, number 7, in the index of the working folder. */
static void check_index(enum sion_scr_layout layout, const char *is_checkpoint)
{
    const char *names = layout == SION_SCR_LAYOUT_DATASET ? "DIR" : "NAME";
    const char *const id[] = {names, "set.7", "DSET", NULL};
    const char *const old[] = {"DSET", "7", names, "set.7", "COMPLETE", NULL};
    const char *const old_flag[] = {"DSET", "7", names, "set.7", "DSET", "FLAG_CKPT", NULL};
    const char *const new[] = {"DSET", "7", "COMPLETE", NULL};
    const char *const new_flag[] = {"DSET", "7", "DSET", "FLAG_CKPT", NULL};
    sion_kvtree *tree;

    CHECK_INT(read_kvtree(".scr/index.scr", &tree), 0);
    CHECK_STR(sion_kvtree_value(tree, "VERSION"), layout == SION_SCR_LAYOUT_3 ? "2" : "1");
    if (strcmp(is_checkpoint, "0") == 0)
        CHECK(sion_kvtree_value(tree, "CURRENT") == NULL); /* there is no dataset to restart from */
    else
        CHECK_STR(sion_kvtree_value(tree, "CURRENT"), "set.7");
    CHECK_STR(value_at(tree, id), "7");
    CHECK_STR(value_at(tree, layout == SION_SCR_LAYOUT_3 ? new : old), "1");
    CHECK_STR(value_at(tree, layout == SION_SCR_LAYOUT_3 ? new_flag : old_flag), is_checkpoint);
    sion_kvtree_free(tree);
}

/* Write a container in set.7 with a map. rc: the expected result of attach. */
static void attach_in_set(const struct sion_scr_export_options *options, int rc)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 512;
    int nfiles = 1, globalrank, sid;

    if (mpi_rank == 0)
        mkdir("set.7", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = sion_paropen_mpi("set.7/data.sion", "bw", &nfiles, MPI_COMM_WORLD, &comm, &chunksize,
                           &fsblksize, &globalrank, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(code_of(sion_scr_attach(sid, options)), rc);
    fill(0, 100);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Rank 0 finds the error, and the close fails on all ranks. */
static void an_index_of_another_release(void)
{
    const struct sion_scr_export_options options = {.size = sizeof options, .index = 1};
    struct sion_scr_dataset newer;
    int sid;

    init_dataset(&newer, 6, "set.6");
    newer.layout = SION_SCR_LAYOUT_3;
    if (mpi_rank == 0) {
        mkdir("set.7", 0777);
        CHECK_INT(code_of(sion_scr_index_write(".", &newer)), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_data("set.7/data.sion");
    CHECK_INT(code_of(sion_scr_attach(sid, &options)), mpi_rank == 0 ? SION_ERR_MODE : 0);
    CHECK(mpi_rank > 0 ||
          strstr(sion_error_text(), "looks for maps of the layout scr3, not dataset") != NULL);
    CHECK_INT(sion_parclose_mpi(sid), mpi_size == 1 ? 1 : -1);
    CHECK(mpi_size == 1 ||
          strstr(sion_error_text(), "looks for maps of the layout scr3, not dataset") != NULL);
    CHECK(access("set.7/.scr", F_OK) != 0);
    clean_up(".scr");
    clean_up("set.7");
}

static void datasets_are_in_the_index(void)
{
    struct sion_scr_export_options options = {
        .size = sizeof options, .id = 7, .dataset = "set.7", .index = 1};
    int i;

    for (i = SION_SCR_LAYOUT_DATASET; i <= SION_SCR_LAYOUT_3; i++) {
        options.layout = (enum sion_scr_layout)i;
        attach_in_set(&options, 0);
        if (mpi_rank == 0)
            check_index(options.layout, i == SION_SCR_LAYOUT_DATASET ? "" : "1");
        clean_up(".scr");
        clean_up("set.7");
    }
    an_index_of_another_release();
    options.layout = SION_SCR_LAYOUT_DATASET;
    options.dataset = "other";
    attach_in_set(&options, SION_ERR_ARGUMENT);
    CHECK_CONTAINS(sion_error_text(), "is in the folder set.7: SCR 1.1 needs equal names");
    clean_up("set.7");
}

static void the_environment_has_the_same_effect(void)
{
    setenv("SION_SCR_LAYOUT", "scr3", 1);
    setenv("SION_SCR_DATASET", "set.7", 1);
    setenv("SION_SCR_ID", "7", 1);
    setenv("SION_SCR_INDEX", "1", 1);
    attach_in_set(NULL, 0);
    if (mpi_rank == 0)
        check_index(SION_SCR_LAYOUT_3, "1");
    clean_up(".scr");
    clean_up("set.7");
    setenv("SION_SCR_FLAGS", "output", 1);
    attach_in_set(NULL, 0);
    if (mpi_rank == 0)
        check_index(SION_SCR_LAYOUT_3, "0");
    clean_up(".scr");
    clean_up("set.7");
    setenv("SION_SCR_FLAGS", "results", 1);
    attach_in_set(NULL, SION_ERR_ARGUMENT);
    CHECK_CONTAINS(sion_error_text(), "SION_SCR_FLAGS is a list of checkpoint and output");
    clean_up("set.7");
    unsetenv("SION_SCR_LAYOUT");
    unsetenv("SION_SCR_DATASET");
    unsetenv("SION_SCR_ID");
    unsetenv("SION_SCR_INDEX");
    unsetenv("SION_SCR_FLAGS");
}

/* ---- datasets that SCR cannot restart from ---- */

static void merged_containers_are_refused(void)
{
    /* Also with three tasks of this size, each of which is its own collector: the file says that it
       was written merged. */
    const int is_merged = mpi_size != 1;
    const struct sion_scr_export_options forced = {.size = sizeof forced, .force = 1};
    MPI_Comm comm = MPI_COMM_WORLD;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 512;
    int nfiles = 1, globalrank, sid;

    sid = sion_paropen_mpi("merged.sion", "bw,collective,cmerge,collsize=2", &nfiles,
                           MPI_COMM_WORLD, &comm, &chunksize, &fsblksize, &globalrank, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), SION_ERR_MODE);
    CHECK_CONTAINS(sion_error_text(), "cannot restart from a merged container");
    fill(0, 700);
    CHECK_INT(sion_coll_fwrite(data, 1, 700, sid), 700);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    if (mpi_rank == 0) {
        CHECK(access(".scr/rank2file.scr", F_OK) != 0);
        CHECK_INT(code_of(sion_scr_export("merged.sion", NULL)), is_merged ? SION_ERR_MODE : 0);
        CHECK_INT(code_of(sion_scr_export("merged.sion", &forced)), 0);
        remove("merged.sion");
    }
    clean_up(".scr");
}

/* ---- SCR 3: the physical files ---- */

/* Whether a leaf equals the golden one, except for SIZE and CRC, which SCR 3 does not write. */
static int is_that_of_scr_3(const char *leaf)
{
    sion_kvtree *ours = NULL, *theirs = NULL;
    const sion_kvtree *rank, *file;
    char path[600];
    int same;

    snprintf(path, sizeof path, "%s/real_scr_3_container_prefix/.scr/scr.dataset.1/rank2file.0.0",
             support_golden("scr"));
    CHECK_INT(read_kvtree(leaf, &ours), 0);
    CHECK_INT(read_kvtree(path, &theirs), 0);
    for (rank = sion_kvtree_first(sion_kvtree_get(ours, "RANK")); rank;
         rank = sion_kvtree_next(rank)) {
        sion_kvtree *files = sion_kvtree_get(rank, "FILE");

        for (file = sion_kvtree_first(files); file; file = sion_kvtree_next(file)) {
            sion_kvtree *own = sion_kvtree_get(files, sion_kvtree_key(file));

            CHECK_INT(sion_kvtree_remove(own, "SIZE"), 1);
            CHECK_INT(sion_kvtree_remove(own, "CRC"), 1);
        }
    }
    same = same_tree(ours, theirs);
    sion_kvtree_free(ours);
    sion_kvtree_free(theirs);
    return same;
}

/* Every second rank writes to the other file. */
static void write_two_files(const struct sion_scr_export_options *options)
{
    sion_int64 chunksize = 5000;
    sion_int32 fsblksize = 512;
    int nfiles = mpi_size > 1 ? 2 : 1, globalrank, sid;
    MPI_Comm local;

    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % nfiles, mpi_rank, &local);
    nfiles = -1;
    sid = sion_paropen_mpi("ckpt.1/data.sion", "bw", &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                           &fsblksize, &globalrank, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(code_of(sion_scr_attach(sid, options)), 0);
    fill(0, 5000);
    CHECK_INT(sion_fwrite(data, 1, (size_t)(5000 - mpi_rank), sid), 5000 - mpi_rank);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Comm_free(&local);
}

static void scr_3_gets_the_physical_files(void)
{
    struct sion_scr_export_options native = {.size = sizeof native, .layout = SION_SCR_LAYOUT_3};
    sion_kvtree *summary;

    for (native.no_crc = 0; native.no_crc <= 1; native.no_crc++) {
        if (mpi_rank == 0)
            mkdir("ckpt.1", 0777);
        MPI_Barrier(MPI_COMM_WORLD);
        write_two_files(&native);
        if (mpi_rank == 0) {
            CHECK_INT(code_of(sion_scr_check(".", NULL)), 0);
            CHECK_INT(read_kvtree(".scr/scr.dataset.1/summary.scr", &summary), 0);
            CHECK_STR(sion_kvtree_value(sion_kvtree_get(summary, "DSET"), "FILES"),
                      mpi_size > 1 ? "2" : "1");
            sion_kvtree_free(summary);
            CHECK_INT(rename(".scr", "attached"), 0);
            CHECK_INT(code_of(sion_scr_export("ckpt.1/data.sion", &native)), 0);
            CHECK(same_tree_files(".scr/scr.dataset.1/rank2file.0.0",
                                  "attached/scr.dataset.1/rank2file.0.0"));
            CHECK(mpi_size != 4 || native.no_crc ||
                  is_that_of_scr_3(".scr/scr.dataset.1/rank2file.0.0"));
        }
        clean_up("attached");
        clean_up(".scr");
        clean_up("ckpt.1");
    }
}

/* In 1.2 and 2.0, names of segments are relative to the folder of the map. */
static void segments_of_the_prefix_layout_are_relative(void)
{
    const struct sion_scr_export_options prefix = {.size = sizeof prefix,
                                                   .layout = SION_SCR_LAYOUT_PREFIX};
    sion_kvtree *leaf, *file;

    if (mpi_rank == 0)
        mkdir("ckpt.1", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    write_two_files(&prefix);
    if (mpi_rank == 0) {
        CHECK_INT(code_of(sion_scr_check(".", NULL)), 0);
        CHECK_INT(read_kvtree(".scr/scr.dataset.1/rank2file.0.0.scr", &leaf), 0);
        file = sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(leaf, "RANK"), "0"), "FILE");
        file = sion_kvtree_get(file, "ckpt.1/data.sion.task.0");
        CHECK_STR(sion_kvtree_value(sion_kvtree_get(sion_kvtree_get(file, "SEG"), "0"), "FILE"),
                  "../../ckpt.1/data.sion");
        sion_kvtree_free(leaf);
    }
    CHECK_INT(code_of(sion_scr_fetch(world, ".", "out", NULL)), 0);
    clean_up("out");
    clean_up(".scr");
    clean_up("ckpt.1");
}

/* ---- numbers and names of other datasets ---- */

/* Write ckpt.N/data.sion. attached: the expected result of attach on rank 0; others cannot fail. */
static void write_checkpoint(int n, const struct sion_scr_export_options *options, int attached,
                             const char *reason)
{
    char name[40];
    int sid;

    snprintf(name, sizeof name, "ckpt.%d", n);
    if (mpi_rank == 0)
        mkdir(name, 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    strcat(name, "/data.sion");
    sid = open_data(name);
    CHECK(sid >= 0);
    CHECK_INT(code_of(sion_scr_attach(sid, options)), mpi_rank == 0 ? attached : 0);
    if (attached != 0 && mpi_rank == 0)
        CHECK_CONTAINS(sion_error_text(), reason);
    fill(n, 100);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_parclose_mpi(sid), attached == 0 || mpi_size == 1 ? 1 : -1);
    if (attached != 0)
        CHECK_CONTAINS(sion_error_text(), reason);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int has_folder(int id)
{
    char name[40];

    snprintf(name, sizeof name, ".scr/scr.dataset.%d", id);
    return access(name, F_OK) == 0;
}

/* On rank 0: each of the maps is right, and no other is there. */
static void check_datasets(int n)
{
    char name[40];
    int id;

    for (id = 1; mpi_rank == 0 && id <= n; id++) {
        snprintf(name, sizeof name, ".scr/scr.dataset.%d", id);
        CHECK_INT(code_of(sion_scr_check(name, NULL)), 0);
    }
    CHECK(mpi_rank > 0 || !has_folder(n + 1));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void a_loop_of_checkpoints(enum sion_scr_layout layout)
{
    const struct sion_scr_export_options plain = {
        .size = sizeof plain, .layout = layout, .index = 1};
    const struct sion_scr_export_options used_id = {
        .size = sizeof used_id, .layout = layout, .id = 1};
    const struct sion_scr_export_options used_name = {
        .size = sizeof used_name, .layout = layout, .id = 9, .dataset = "scr.dataset.2"};
    const struct sion_scr_export_options named = {
        .size = sizeof named, .layout = layout, .dataset = "four"};
    int n;

    for (n = 1; n <= 3; n++)
        write_checkpoint(n, &plain, 0, NULL);
    check_datasets(3);
    write_checkpoint(2, &plain, 0, NULL); /* again: it has its number */
    check_datasets(3);
    write_checkpoint(4, &used_id, SION_ERR_ARGUMENT,
                     ".scr/scr.dataset.1, dataset 1, is the map of");
    write_checkpoint(4, &used_name, SION_ERR_ARGUMENT, "already has scr.dataset.2 as dataset 2");
    CHECK(mpi_rank > 0 || !has_folder(9));
    check_datasets(3);
    write_checkpoint(4, &named, 0, NULL);
    write_checkpoint(4, &named, 0, NULL);
    check_datasets(4);
    for (n = 1; n <= 4; n++) {
        char name[40];

        snprintf(name, sizeof name, "ckpt.%d", n);
        clean_up(name);
    }
    clean_up(".scr");
}

static void no_dataset_takes_the_place_of_another(void)
{
    a_loop_of_checkpoints(SION_SCR_LAYOUT_PREFIX);
    a_loop_of_checkpoints(SION_SCR_LAYOUT_3);
}

int main(int argc, char **argv)
{
    scr_begin(&argc, &argv);
    RUN_MPI(datasets_are_in_the_index);
    RUN_MPI(the_environment_has_the_same_effect);
    RUN_MPI(merged_containers_are_refused);
    RUN_MPI(scr_3_gets_the_physical_files);
    RUN_MPI(segments_of_the_prefix_layout_are_relative);
    RUN_MPI(no_dataset_takes_the_place_of_another);
    return scr_end();
}
