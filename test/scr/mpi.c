/* Maps and containers of SCR under MPI, on one node or two. */
#include "mpi/mpi_check.h"

#include "scr_check.h"
#include "sion_scr_mpi.h"

static sion_scr_comm *world;

static unsigned char data[300000];

static void fill(long first, size_t n)
{
    check_fill(data, mpi_rank, first, n);
}

static void clean_up(const char *folder)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        remove_folder(folder);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- maps ---- */

enum { RANKS = 37 };

/* Ranks first .. end-1, each with a file of its name. */
static sion_scr_ranks *some_ranks(int first, int end)
{
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    char name[64];

    for (; first < end; first++) {
        sion_kvtree *tree;

        snprintf(name, sizeof name, "rank_%d.ckpt", first);
        tree = simple_files(name, first);
        sion_scr_ranks_add(ranks, first, tree);
        sion_kvtree_free(tree);
    }
    return ranks;
}

static int is_rank(const sion_scr_ranks *ranks, int i, int wanted)
{
    sion_kvtree *tree = NULL, *expected;
    sion_int64 rank = -1;
    char name[64];
    int good;

    snprintf(name, sizeof name, "rank_%d.ckpt", wanted);
    expected = simple_files(name, wanted);
    good = sion_scr_ranks_get(ranks, i, &rank, &tree) == 0 && rank == wanted &&
           same_tree(tree, expected);
    sion_kvtree_free(tree);
    sion_kvtree_free(expected);
    return good;
}

/* The first `writers` tasks have ranks; all read. */
static void write_and_read(int writers, sion_int64 segment)
{
    static const struct sion_scr_place place = {SION_SCR_LAYOUT_PREFIX, "prefix", 3};
    const struct sion_scr_map_options options = {.segment = segment};
    int first = mpi_rank < writers ? mpi_rank * RANKS / writers : RANKS;
    int end = mpi_rank < writers ? (mpi_rank + 1) * RANKS / writers : RANKS, i;
    sion_scr_ranks *ranks = some_ranks(first, end);

    CHECK_INT(sion_scr_map_write(world, &place, ranks, &options), 0);
    sion_scr_ranks_free(ranks);
    ranks = sion_scr_map_read(world, "prefix", NULL);
    CHECK(ranks != NULL);
    if (ranks) {
        first = mpi_rank * RANKS / mpi_size;
        CHECK_INT(sion_scr_ranks_count(ranks), (mpi_rank + 1) * RANKS / mpi_size - first);
        for (i = 0; i < sion_scr_ranks_count(ranks); i++)
            CHECK(is_rank(ranks, i, first + i));
        sion_scr_ranks_free(ranks);
    }
    clean_up("prefix");
}

static void maps_by_all_tasks(void)
{
    write_and_read(mpi_size, 0);
    write_and_read(mpi_size, 300);
    write_and_read(1, 300);
    write_and_read(mpi_size > 1 ? mpi_size - 1 : 1, 120);
}

static void one_failing_task_fails_all(void)
{
    static const struct sion_scr_place place = {SION_SCR_LAYOUT_DATASET, "failing", 0};
    int last = mpi_size - 1;
    sion_scr_ranks *ranks = some_ranks(mpi_rank, mpi_rank + 1), *twice;
    char text[32];

    if (mpi_rank == last) {
        twice = some_ranks(mpi_rank, mpi_rank + 1);
        sion_kvtree *tree = sion_kvtree_new();

        sion_scr_ranks_add(ranks, last, tree);
        sion_kvtree_free(tree);
        sion_scr_ranks_free(twice);
    }
    CHECK_SAME(sion_scr_map_write(world, &place, ranks, NULL));
    CHECK_CONTAINS(sion_error_text(), "is there twice");
    snprintf(text, sizeof text, "rank %d: ", last);
    CHECK(mpi_size == 1 || strstr(sion_error_text(), text));
    sion_scr_ranks_free(ranks);
    CHECK(sion_scr_map_read(world, "failing", NULL) == NULL);
    CHECK_CONTAINS(sion_error_text(), "no rank2file map");
}

/* ---- a container that is being written ---- */

/* What a test writes, to be found again by the map. */
struct written {
    const char *mode;
    int nfiles;
    int exported; /* write through the FILE* */
    sion_int64 chunksize;
    const size_t *records; /* ends with 0 */
};

static size_t total_of(const struct written *written)
{
    size_t total = 0;
    int i;

    for (i = 0; written->records[i]; i++)
        total += written->records[i];
    return total;
}

static void write_container(const struct written *written,
                            const struct sion_scr_export_options *options)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    sion_int64 chunksize = written->chunksize;
    sion_int32 fsblksize = 512;
    int nfiles = written->nfiles, globalrank, i, sid;
    size_t done = 0;
    FILE *fp = NULL;

    sid = sion_paropen_mpi("data/c.sion", written->mode, &nfiles, MPI_COMM_WORLD, &comm, &chunksize,
                           &fsblksize, &globalrank, written->exported ? &fp : NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_scr_attach(sid, options), 0);
    for (i = 0; written->records[i]; i++) {
        size_t n = written->records[i];

        fill((long)done, n);
        if (strstr(written->mode, "keyval")) {
            CHECK_INT(sion_fwrite_key(data, (uint64_t)i, 1, n, sid), n);
        } else if (strstr(written->mode, "collective")) {
            CHECK_INT(sion_coll_fwrite(data, 1, n, sid), n);
        } else if (fp) {
            CHECK_INT(sion_ensure_free_space(sid, (sion_int64)n), 1);
            CHECK_INT(fwrite(data, 1, n, fp), n);
        } else {
            CHECK_INT(sion_fwrite(data, 1, n, sid), n);
        }
        done += n;
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void check_fetched(size_t total)
{
    char path[64];
    size_t size = 0;
    unsigned char *bytes;

    snprintf(path, sizeof path, "out/c.sion.task.%d", mpi_rank);
    bytes = support_load(path, &size);
    CHECK(bytes != NULL);
    CHECK_INT(size, total);
    CHECK(bytes && check_compare(bytes, mpi_rank, 0, size) == -1);
    free(bytes);
}

static void attach_and_fetch(const struct written *written,
                             const struct sion_scr_export_options *options)
{
    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    write_container(written, options);
    CHECK_INT(sion_scr_fetch(world, "data", "out", NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    check_fetched(total_of(written));
    if (mpi_rank == 0) {
        CHECK_INT(sion_scr_check("data", NULL), 0);
        CHECK(same_tree_files("data/.scr/rank2file.scr", "data/.scr/rank2file.scr"));
    }
    clean_up("out");
    /* The same map is made of the container once it is closed. */
    if (mpi_rank == 0) {
        struct sion_scr_export_options again = {0};

        again.map.segment = options ? options->map.segment : 0;
        CHECK_INT(rename("data/.scr", "attached"), 0);
        CHECK_INT(sion_scr_export("data/c.sion", &again), 0);
        CHECK(same_tree_files("data/.scr/rank2file.scr", "attached/rank2file.scr"));
        CHECK(same_tree_files("data/.scr/rank2file.0.0.scr", "attached/rank2file.0.0.scr"));
    }
    clean_up("attached");
    clean_up("data");
}

static void maps_are_written_at_the_close(void)
{
    static const size_t small[] = {10, 20, 1, 512, 7, 0}, large[] = {200, 90000, 3, 30000, 1000, 0};
    static const size_t none[] = {0};
    struct sion_scr_export_options options = {0};
    const struct written cases[] = {
        {"bw", 1, 0, 1024, small},       {"bw", 1, 0, 100000, large},
        {"bw", mpi_size, 0, 600, small}, {"bw,posix", 1, 0, 100000, large},
        {"bw", 1, 1, 100000, large},     {"bw,collective,collsize=2", 1, 0, 100000, large},
        {"bw", 1, 0, 1024, none},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        attach_and_fetch(&cases[i], NULL);
    options.map.segment = 200;
    attach_and_fetch(&cases[0], &options);
}

/*
 * Of key-value containers the raw streams; the bytes of a merged container are its collectors';
 * buddy files are not in the map.
 */
static void maps_of_other_containers(void)
{
    static const size_t records[] = {100, 300, 1500, 0}, small[] = {100, 300, 0};
    const struct sion_scr_export_options forced = {.force = 1};
    const struct written cases[] = {
        {"bw,keyval=inline", 1, 0, 1000, records},
        {"bw,keyval=inline", mpi_size, 0, 1000, records},
        {"bw,collective,cmerge,collsize=2", 1, 0, 1000, small},
        {"bw,buddy", 2, 0, 1000, small},
    };
    int i;

    for (i = 0; i < (mpi_size >= 4 ? 4 : 3); i++) {
        if (mpi_rank == 0)
            mkdir("data", 0777);
        MPI_Barrier(MPI_COMM_WORLD);
        write_container(&cases[i], &forced);
        if (mpi_rank == 0) {
            CHECK_INT(sion_scr_check("data", NULL), 0);
            CHECK_INT(rename("data/.scr", "attached"), 0);
            CHECK_INT(sion_scr_export("data/c.sion", &forced), 0);
            CHECK(same_tree_files("data/.scr/rank2file.0.0.scr", "attached/rank2file.0.0.scr"));
        }
        clean_up("attached");
        clean_up("data");
    }
}

/* ---- what SCR finds ---- */

/* The value at the end of keys, which end with NULL; "": not there. */
static const char *value_at(const sion_kvtree *tree, const char *const *keys)
{
    const char *value;

    while (*keys)
        tree = sion_kvtree_get(tree, *keys++);
    value = sion_kvtree_value(tree, NULL);
    return value ? value : "";
}

/* Of the dataset set.7, number 7, in the index of the present folder. */
static void check_index(enum sion_scr_layout layout, const char *is_checkpoint)
{
    const char *names = layout == SION_SCR_LAYOUT_DATASET ? "DIR" : "NAME";
    const char *const id[] = {names, "set.7", "DSET", NULL};
    const char *const old[] = {"DSET", "7", names, "set.7", "COMPLETE", NULL};
    const char *const old_flag[] = {"DSET", "7", names, "set.7", "DSET", "FLAG_CKPT", NULL};
    const char *const new[] = {"DSET", "7", "COMPLETE", NULL};
    const char *const new_flag[] = {"DSET", "7", "DSET", "FLAG_CKPT", NULL};
    sion_kvtree *tree;

    CHECK_INT(sion_kvtree_read(".scr/index.scr", &tree), 0);
    CHECK_STR(sion_kvtree_value(tree, "VERSION"), layout == SION_SCR_LAYOUT_3 ? "2" : "1");
    if (strcmp(is_checkpoint, "0") == 0)
        CHECK(sion_kvtree_value(tree, "CURRENT") == NULL); /* there is nothing to restart from */
    else
        CHECK_STR(sion_kvtree_value(tree, "CURRENT"), "set.7");
    CHECK_STR(value_at(tree, id), "7");
    CHECK_STR(value_at(tree, layout == SION_SCR_LAYOUT_3 ? new : old), "1");
    CHECK_STR(value_at(tree, layout == SION_SCR_LAYOUT_3 ? new_flag : old_flag), is_checkpoint);
    sion_kvtree_free(tree);
}

/* A container in set.7, with a map. rc: that of attach. */
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
    CHECK_INT(sion_scr_attach(sid, options), rc);
    fill(0, 100);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void datasets_are_in_the_index(void)
{
    struct sion_scr_export_options options = {.id = 7, .dataset = "set.7", .index = 1};
    int i;

    for (i = SION_SCR_LAYOUT_DATASET; i <= SION_SCR_LAYOUT_3; i++) {
        options.layout = (enum sion_scr_layout)i;
        attach_in_set(&options, 0);
        if (mpi_rank == 0)
            check_index(options.layout, i == SION_SCR_LAYOUT_DATASET ? "" : "1");
        clean_up(".scr");
        clean_up("set.7");
    }
    options.layout = SION_SCR_LAYOUT_DATASET;
    options.dataset = "other";
    attach_in_set(&options, SION_ERR_ARGUMENT);
    CHECK_CONTAINS(sion_error_text(), "is in the folder set.7: SCR 1.1 needs equal names");
    clean_up("set.7");
}

static void the_environment_says_the_same(void)
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

/* ---- seal ---- */

static void maps_are_sealed_together(void)
{
    const struct sion_scr_place seals = {SION_SCR_LAYOUT_3, "sealed", 1};
    const struct sion_scr_map_options small = {.segment = 100};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_kvtree *tree = sion_kvtree_new();
    char name[64], path[80];

    if (mpi_rank == 0)
        mkdir("sealed", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "file.%d", mpi_rank);
    snprintf(path, sizeof path, "sealed/%s", name);
    fill(0, 1000);
    support_store(path, data, (size_t)(1000 - mpi_rank));
    sion_kvtree_set(sion_kvtree_set(tree, "FILE"), name);
    CHECK_INT(sion_scr_ranks_add(ranks, mpi_rank, tree), 0);
    CHECK_INT(sion_scr_map_write(world, &seals, ranks, &small), 0);
    sion_kvtree_free(tree);
    sion_scr_ranks_free(ranks);
    CHECK_INT(sion_scr_seal(world, "sealed", NULL), 0);
    ranks = sion_scr_map_read(world, "sealed", NULL);
    CHECK(ranks != NULL);
    if (ranks) {
        const char *const keys[] = {"FILE", name, "SIZE", NULL};
        sion_int64 rank;

        CHECK_INT(sion_scr_ranks_get(ranks, 0, &rank, &tree), 0);
        CHECK_INT(rank, mpi_rank);
        CHECK_INT(atoi(value_at(tree, keys)), 1000 - mpi_rank);
        sion_kvtree_free(tree);
    }
    sion_scr_ranks_free(ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == mpi_size - 1) {
        CHECK_INT(sion_scr_check("sealed", NULL), 0);
        data[0] ^= 1;
        support_store(path, data, (size_t)(1000 - mpi_rank));
        CHECK_INT(sion_scr_check("sealed", NULL), SION_ERR_DAMAGED);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_SAME(sion_scr_seal(world, "sealed", NULL));
    snprintf(name, sizeof name, "file file.%d: its CRC is", mpi_size - 1);
    CHECK_CONTAINS(sion_error_text(), name);
    clean_up("sealed");
}

/* ---- what SCR cannot restart from ---- */

static void merged_containers_are_refused(void)
{
    /* Of one task, and of three with this size, every one collects for itself. */
    const int is_merged = mpi_size != 1 && mpi_size != 3;
    const struct sion_scr_export_options forced = {.force = 1};
    MPI_Comm comm = MPI_COMM_WORLD;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 512;
    int nfiles = 1, globalrank, sid;

    sid = sion_paropen_mpi("merged.sion", "bw,collective,cmerge,collsize=2", &nfiles,
                           MPI_COMM_WORLD, &comm, &chunksize, &fsblksize, &globalrank, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_scr_attach(sid, NULL), SION_ERR_MODE);
    CHECK_CONTAINS(sion_error_text(), "cannot restart from a merged container");
    fill(0, 700);
    CHECK_INT(sion_coll_fwrite(data, 1, 700, sid), 700);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    if (mpi_rank == 0) {
        CHECK(access(".scr/rank2file.scr", F_OK) != 0);
        CHECK_INT(sion_scr_export("merged.sion", NULL), is_merged ? SION_ERR_MODE : 0);
        CHECK_INT(sion_scr_export("merged.sion", &forced), 0);
        remove("merged.sion");
    }
    clean_up(".scr");
}

/* ---- SCR 3: the physical files ---- */

/* 1 if a leaf is the golden one but for SIZE and CRC, which SCR 3 does not write. */
static int is_that_of_scr_3(const char *leaf)
{
    sion_kvtree *ours = NULL, *theirs = NULL;
    const sion_kvtree *rank, *file;
    char path[600];
    int same;

    snprintf(path, sizeof path, "%s/real_scr_3_container_prefix/.scr/scr.dataset.1/rank2file.0.0",
             support_golden("scr"));
    CHECK_INT(sion_kvtree_read(leaf, &ours), 0);
    CHECK_INT(sion_kvtree_read(path, &theirs), 0);
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

/* Every second rank is in the other file. */
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
    CHECK_INT(sion_scr_attach(sid, options), 0);
    fill(0, 5000);
    CHECK_INT(sion_fwrite(data, 1, (size_t)(5000 - mpi_rank), sid), 5000 - mpi_rank);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Comm_free(&local);
}

static void scr_3_gets_the_physical_files(void)
{
    struct sion_scr_export_options native = {.layout = SION_SCR_LAYOUT_3};
    sion_kvtree *summary;

    for (native.no_crc = 0; native.no_crc <= 1; native.no_crc++) {
        if (mpi_rank == 0)
            mkdir("ckpt.1", 0777);
        MPI_Barrier(MPI_COMM_WORLD);
        write_two_files(&native);
        if (mpi_rank == 0) {
            CHECK_INT(sion_scr_check(".", NULL), 0);
            CHECK_INT(sion_kvtree_read(".scr/scr.dataset.1/summary.scr", &summary), 0);
            CHECK_STR(sion_kvtree_value(sion_kvtree_get(summary, "DSET"), "FILES"),
                      mpi_size > 1 ? "2" : "1");
            sion_kvtree_free(summary);
            CHECK_INT(rename(".scr", "attached"), 0);
            CHECK_INT(sion_scr_export("ckpt.1/data.sion", &native), 0);
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

/* 1.2 and 2.0: names of segments are relative to the folder of the map. */
static void segments_of_the_prefix_layout(void)
{
    const struct sion_scr_export_options prefix = {.layout = SION_SCR_LAYOUT_PREFIX};
    sion_kvtree *leaf, *file;

    if (mpi_rank == 0)
        mkdir("ckpt.1", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    write_two_files(&prefix);
    if (mpi_rank == 0) {
        CHECK_INT(sion_scr_check(".", NULL), 0);
        CHECK_INT(sion_kvtree_read(".scr/scr.dataset.1/rank2file.0.0.scr", &leaf), 0);
        file = sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(leaf, "RANK"), "0"), "FILE");
        file = sion_kvtree_get(file, "ckpt.1/data.sion.task.0");
        CHECK_STR(sion_kvtree_value(sion_kvtree_get(sion_kvtree_get(file, "SEG"), "0"), "FILE"),
                  "../../ckpt.1/data.sion");
        sion_kvtree_free(leaf);
    }
    CHECK_INT(sion_scr_fetch(world, ".", "out", NULL), 0);
    clean_up("out");
    clean_up(".scr");
    clean_up("ckpt.1");
}

static int open_data(const char *name)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 512;
    int nfiles = 1, globalrank;

    return sion_paropen_mpi(name, "bw", &nfiles, MPI_COMM_WORLD, &comm, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
}

/* Bytes that the tap has seen, but that were changed or thrown away later. */
static void crcs_are_those_of_the_file(void)
{
    FILE *fp;
    int sid;

    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_data("data/c.sion");
    CHECK_INT(sion_scr_attach(sid, NULL), 0);
    memset(data, 1, 100);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_flush(sid), 1);
    fp = sion_get_fp(sid);
    fill(0, 100);
    CHECK_INT(fseek(fp, -100, SEEK_CUR), 0);
    CHECK_INT(fwrite(data, 1, 100, fp), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(sion_scr_fetch(world, "data", "out", NULL), 0);
    check_fetched(100);
    clean_up("out");

    sid = open_data("data/c.sion");
    CHECK_INT(sion_scr_attach(sid, NULL), 0);
    memset(data, 2, 100);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_parreinit_mpi(sid, 2000), 1);
    fill(0, 70);
    CHECK_INT(sion_fwrite(data, 1, 70, sid), 70);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(sion_scr_fetch(world, "data", "out", NULL), 0);
    check_fetched(70);
    clean_up("out");
    clean_up("data");
}

static void what_cannot_be_attached(void)
{
    struct sion_scr_export_options outside = {.base = "elsewhere"};
    int sid;

    if (mpi_rank == 0) {
        mkdir("data", 0777);
        mkdir("elsewhere", 0777);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(sion_scr_attach(17, NULL), SION_ERR_HANDLE);
    sid = open_data("data/c.sion");
    CHECK_INT(sion_scr_attach(sid, &outside), SION_ERR_ARGUMENT);
    CHECK_INT(sion_scr_attach(sid, NULL), 0);
    CHECK_INT(sion_scr_attach(sid, NULL), SION_ERR_MODE);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    clean_up("elsewhere");
    clean_up("data");
}

/* All of them write, the last one is told something else. rc: that of its attach. */
static void attach_differently(const struct sion_scr_export_options *last, int rc, int closed)
{
    int sid, is_last = mpi_rank == mpi_size - 1;

    sid = open_data("data/c.sion");
    CHECK_INT(sion_scr_attach(sid, is_last ? last : NULL), is_last ? rc : 0);
    fill(0, 70);
    CHECK_INT(sion_fwrite(data, 1, 70, sid), 70);
    CHECK_INT(sion_parclose_mpi(sid), closed);
}

/* It has returned an error, but the others would wait for it at the close. */
static void one_task_that_is_not_attached_fails_all(void)
{
    const struct sion_scr_export_options outside = {.base = "elsewhere"}, above = {.base = "."};
    char text[64];

    if (mpi_rank == 0) {
        mkdir("data", 0777);
        mkdir("elsewhere", 0777);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_size == 1) {
        attach_differently(&outside, SION_ERR_ARGUMENT, 1); /* nobody wants a map */
    } else {
        attach_differently(&outside, SION_ERR_ARGUMENT, -1);
        snprintf(text, sizeof text, "rank %d: data/c.sion is not in or below ", mpi_size - 1);
        CHECK_CONTAINS(sion_error_text(), text);
        CHECK(!strstr(sion_error_text(), "rank 0"));
        attach_differently(&above, 0, -1);
        snprintf(text, sizeof text, "rank %d: its map would be in ", mpi_size - 1);
        CHECK_CONTAINS(sion_error_text(), text);
        CHECK(!strstr(sion_error_text(), "rank 0: "));
    }
    CHECK(access("data/.scr/rank2file.scr", F_OK) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
    clean_up("elsewhere");
    clean_up("data");
}

/* What it describes is gone as soon as the container is opened for writing. */
static void an_old_map_does_not_outlive_its_container(void)
{
    int sid;

    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    attach_differently(NULL, 0, 1);
    CHECK(access("data/.scr/rank2file.scr", F_OK) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_data("data/c.sion");
    CHECK_INT(sion_scr_attach(sid, NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access("data/.scr/rank2file.scr", F_OK) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK(access("data/.scr/rank2file.scr", F_OK) == 0);
    clean_up("data");
}

/* Every process writes tasks of its own choice, turn by turn, into one file or two. */
static void map_of_a_mapped_container(int nfiles, const char *mode, int native)
{
    enum { EACH = 3, TURNS = 4, RECORD = 700 };
    int ranks[EACH], files[EACH], places[EACH], n = EACH, sid, turn, i;
    int *rank_list = ranks, *file_list = files, *place_list = places;
    sion_int64 chunks[EACH], *chunk_list = chunks;
    sion_int32 fsblksize = 512;
    char name[] = "data/c.sion", path[64];
    const struct sion_scr_export_options scr3 = {.layout = SION_SCR_LAYOUT_3};

    for (i = 0; i < EACH; i++) {
        ranks[i] = (EACH - 1 - i) * mpi_size + mpi_rank;
        files[i] = ranks[i] % nfiles;
        places[i] = ranks[i] / nfiles;
        chunks[i] = 1000;
    }
    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = sion_paropen_mapped_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &n, &rank_list, &chunk_list,
                                  &file_list, &place_list, &fsblksize, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_scr_attach(sid, native ? &scr3 : NULL), 0);
    for (turn = 0; turn < TURNS; turn++) {
        for (i = 0; i < EACH; i++) {
            CHECK_INT(sion_seek(sid, ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            check_fill(data, ranks[i], turn * RECORD, RECORD);
            CHECK_INT(sion_fwrite(data, 1, RECORD, sid), RECORD);
        }
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    if (native) {
        if (mpi_rank == 0) {
            CHECK_INT(sion_scr_check(".", NULL), 0);
            CHECK_INT(rename(".scr", "attached"), 0);
            CHECK_INT(sion_scr_export("data/c.sion", &scr3), 0);
            CHECK(same_tree_files(".scr/scr.dataset.1/rank2file.0.0",
                                  "attached/scr.dataset.1/rank2file.0.0"));
        }
        clean_up("attached");
        clean_up(".scr");
        clean_up("data");
        return;
    }
    CHECK_INT(sion_scr_fetch(world, "data", "out", NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < EACH; i++) {
        size_t size = 0;
        unsigned char *bytes;

        snprintf(path, sizeof path, "out/c.sion.task.%d", ranks[i]);
        bytes = support_load(path, &size);
        CHECK_INT(size, TURNS * RECORD);
        CHECK(bytes && check_compare(bytes, ranks[i], 0, size) == -1);
        free(bytes);
    }
    if (mpi_rank == 0) {
        CHECK_INT(sion_scr_check("data", NULL), 0);
        CHECK_INT(rename("data/.scr", "attached"), 0);
        CHECK_INT(sion_scr_export("data/c.sion", NULL), 0);
        CHECK(same_tree_files("data/.scr/rank2file.0.0.scr", "attached/rank2file.0.0.scr"));
    }
    clean_up("attached");
    clean_up("out");
    clean_up("data");
}

static void maps_of_mapped_containers(void)
{
    map_of_a_mapped_container(1, "bw", 0);
    map_of_a_mapped_container(2, "bw", 0);
    map_of_a_mapped_container(1, "bw,posix", 0);
    map_of_a_mapped_container(2, "bw", 1);
    map_of_a_mapped_container(1, "bw", 1);
}

/* The data are complete, the map is not: that is an error of the close, on all. */
static void a_map_that_cannot_be_written(void)
{
    int sid;

    if (mpi_rank == 0) {
        mkdir("data", 0777);
        support_store("data/.scr", "a file", 6);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_data("data/c.sion");
    CHECK_INT(sion_scr_attach(sid, NULL), 0);
    fill(0, 70);
    CHECK_INT(sion_fwrite(data, 1, 70, sid), 70);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK(!strstr(sion_error_text(), "rank 0: rank 0"));
    CHECK_CONTAINS(sion_error_text(), "data/.scr");
    MPI_Barrier(MPI_COMM_WORLD);
    sid = sion_open_rank("data/c.sion", "br", NULL, NULL, &mpi_rank, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_fread(data, 1, 70, sid), 70);
    CHECK_INT(check_compare(data, mpi_rank, 0, 70), -1);
    sion_close(sid);
    clean_up("data");
}

/* ---- containers of SCR ---- */

/* Two nodes, with ranks 0, 2, .. and 1, 3, .., or what SION_NODE says. */
static void pack_and_fetch(int nodes)
{
    struct sion_scr_file files[2];
    char names[2][32], path[128];
    unsigned char *bytes;
    size_t size = 0;
    int f, r, n, first = 0;

    if (nodes > 0) {
        snprintf(path, sizeof path, "node%d", mpi_rank % nodes);
        setenv("SION_NODE", path, 1);
    }
    for (f = 0; f < 2; f++) {
        snprintf(names[f], sizeof names[f], "rank_%d.%d", mpi_rank, f);
        files[f] = (struct sion_scr_file){mpi_rank, names[f]};
        fill(0, 1000 + (size_t)mpi_rank);
        support_store(names[f], data, f == 0 ? 1000 + (size_t)mpi_rank : 0);
    }
    CHECK_INT(sion_scr_pack(world, "set", 300, files, 2, NULL), 0);
    CHECK_INT(sion_scr_fetch(world, "set", "out", NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (f = 0; f < 2; f++) {
        snprintf(path, sizeof path, "out/%s", names[f]);
        CHECK(support_same_files(names[f], path));
    }
    /* The stream of all: node by node, on each the tasks in their order. */
    nodes = nodes > 0 ? nodes : 1;
    for (n = 0; n < nodes; n++) {
        for (r = n; r < mpi_size; r += nodes) {
            snprintf(path, sizeof path, "set/.scr/ctr.%d.scr", first / 300);
            bytes = support_load(path, &size);
            CHECK(bytes && size > (size_t)first % 300);
            CHECK(bytes && bytes[first % 300] == check_payload(r, 0));
            free(bytes);
            first += 1000 + r;
        }
    }
    unsetenv("SION_NODE");
    clean_up("out");
    clean_up("set");
    remove(names[0]);
    remove(names[1]);
}

static void files_are_packed_node_by_node(void)
{
    pack_and_fetch(2);
    pack_and_fetch(3);
    if (!getenv("MPIR_CVAR_NUM_CLIQUES"))
        pack_and_fetch(0);
}

/* As MPI says: MPICH can pretend that there are two nodes. */
static void nodes_are_those_of_mpi(void)
{
    char name[32], path[64];
    struct sion_scr_file file = {mpi_rank, name};
    unsigned char *bytes;
    size_t size = 0;

    if (!getenv("MPIR_CVAR_NUM_CLIQUES") || mpi_size < 3) {
        SKIP("there is one node");
        return;
    }
    snprintf(name, sizeof name, "rank_%d", mpi_rank);
    fill(0, 10);
    support_store(name, data, 10);
    CHECK_INT(sion_scr_pack(world, "set", 10, &file, 1, NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    bytes = support_load("set/.scr/ctr.1.scr", &size);
    CHECK(bytes && size == 10 && check_compare(bytes, 2, 0, 10) == -1);
    snprintf(path, sizeof path, "set/.scr/ctr.%d.scr", (mpi_size + 1) / 2);
    free(bytes);
    bytes = support_load(path, &size);
    CHECK(bytes && size == 10 && check_compare(bytes, 1, 0, 10) == -1);
    free(bytes);
    clean_up("set");
    remove(name);
}

static void a_missing_file_fails_on_all(void)
{
    struct sion_scr_file file = {mpi_rank, mpi_rank == mpi_size - 1 ? "missing" : "there"};
    char text[32];

    if (mpi_rank == 0)
        support_store("there", "1", 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(sion_scr_pack(world, "set", 300, &file, 1, NULL), SION_ERR_SYSTEM);
    CHECK_CONTAINS(sion_error_text(), "cannot open missing");
    snprintf(text, sizeof text, "rank %d: ", mpi_size - 1);
    CHECK(mpi_size == 1 || strstr(sion_error_text(), text));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access("set", F_OK) != 0);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    world = sion_scr_comm_mpi(MPI_COMM_WORLD);
    RUN_MPI(maps_by_all_tasks);
    RUN_MPI(one_failing_task_fails_all);
    RUN_MPI(maps_are_written_at_the_close);
    RUN_MPI(maps_of_other_containers);
    RUN_MPI(crcs_are_those_of_the_file);
    RUN_MPI(datasets_are_in_the_index);
    RUN_MPI(the_environment_says_the_same);
    RUN_MPI(maps_are_sealed_together);
    RUN_MPI(merged_containers_are_refused);
    RUN_MPI(scr_3_gets_the_physical_files);
    RUN_MPI(segments_of_the_prefix_layout);
    RUN_MPI(what_cannot_be_attached);
    RUN_MPI(one_task_that_is_not_attached_fails_all);
    RUN_MPI(an_old_map_does_not_outlive_its_container);
    RUN_MPI(maps_of_mapped_containers);
    RUN_MPI(a_map_that_cannot_be_written);
    RUN_MPI(files_are_packed_node_by_node);
    RUN_MPI(nodes_are_those_of_mpi);
    RUN_MPI(a_missing_file_fails_on_all);
    sion_scr_comm_free(world);
    return mpi_end();
}
