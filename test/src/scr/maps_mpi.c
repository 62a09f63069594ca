/* All tasks write, read and seal maps, and pack containers of SCR, on one node or two. */
#include "scr_mpi.h"

/* ---- maps ---- */

enum { RANKS = 37 };

/* Ranks first to end - 1, each with a file named after it. */
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
    good = code_of(sion_scr_ranks_get(ranks, i, &rank, &tree)) == 0 && rank == wanted &&
           same_tree(tree, expected);
    sion_kvtree_free(tree);
    sion_kvtree_free(expected);
    return good;
}

/* The first `writers` tasks have ranks; all tasks read. */
static void write_and_read(int writers, sion_int64 segment)
{
    static const struct sion_scr_place place = {sizeof place, SION_SCR_LAYOUT_PREFIX, "prefix", 3};
    const struct sion_scr_map_options options = {.size = sizeof options, .segment = segment};
    int first = mpi_rank < writers ? mpi_rank * RANKS / writers : RANKS;
    int end = mpi_rank < writers ? (mpi_rank + 1) * RANKS / writers : RANKS, i;
    sion_scr_ranks *ranks = some_ranks(first, end);

    CHECK_INT(code_of(sion_scr_map_write(world, &place, ranks, &options)), 0);
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

static void maps_are_written_by_all_tasks(void)
{
    write_and_read(mpi_size, 0);
    write_and_read(mpi_size, 300);
    write_and_read(1, 300);
    write_and_read(mpi_size > 1 ? mpi_size - 1 : 1, 120);
}

static void the_failure_of_one_task_is_returned_by_all(void)
{
    static const struct sion_scr_place place = {sizeof place, SION_SCR_LAYOUT_DATASET, "failing",
                                                0};
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
    CHECK_SAME(code_of(sion_scr_map_write(world, &place, ranks, NULL)));
    CHECK_CONTAINS(sion_error_text(), "occurs twice");
    snprintf(text, sizeof text, "rank %d: ", last);
    CHECK(mpi_size == 1 || strstr(sion_error_text(), text));
    sion_scr_ranks_free(ranks);
    CHECK(sion_scr_map_read(world, "failing", NULL) == NULL);
    CHECK_CONTAINS(sion_error_text(), "no rank2file map");
}

/* ---- seal ---- */

static void maps_are_sealed_together(void)
{
    const struct sion_scr_place seals = {sizeof seals, SION_SCR_LAYOUT_3, "sealed", 1};
    const struct sion_scr_map_options small = {.size = sizeof small, .segment = 100};
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
    CHECK_INT(code_of(sion_scr_ranks_add(ranks, mpi_rank, tree)), 0);
    CHECK_INT(code_of(sion_scr_map_write(world, &seals, ranks, &small)), 0);
    sion_kvtree_free(tree);
    sion_scr_ranks_free(ranks);
    CHECK_INT(code_of(sion_scr_seal(world, "sealed", NULL)), 0);
    ranks = sion_scr_map_read(world, "sealed", NULL);
    CHECK(ranks != NULL);
    if (ranks) {
        const char *const keys[] = {"FILE", name, "SIZE", NULL};
        sion_int64 rank;

        CHECK_INT(code_of(sion_scr_ranks_get(ranks, 0, &rank, &tree)), 0);
        CHECK_INT(rank, mpi_rank);
        CHECK_INT(atoi(value_at(tree, keys)), 1000 - mpi_rank);
        sion_kvtree_free(tree);
    }
    sion_scr_ranks_free(ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == mpi_size - 1) {
        write_summary("sealed/.scr/scr.dataset.1/summary.scr", 1);
        CHECK_INT(code_of(sion_scr_check("sealed", NULL)), 0);
        data[0] ^= 1;
        support_store(path, data, (size_t)(1000 - mpi_rank));
        CHECK_INT(code_of(sion_scr_check("sealed", NULL)), SION_ERR_DAMAGED);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_SAME(code_of(sion_scr_seal(world, "sealed", NULL)));
    snprintf(name, sizeof name, "file file.%d: its CRC is", mpi_size - 1);
    CHECK_CONTAINS(sion_error_text(), name);
    clean_up("sealed");
}

/* ---- containers of SCR ---- */

/* The first rank of each rank's node, as MPI reports it. MPICH can pretend that there are two. */
static void ask_nodes(int *nodes)
{
    int own = mpi_rank;
    MPI_Comm node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&own, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    MPI_Allgather(&own, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD);
}

/* The stream of all tasks: node by node, and on each node the tasks in order. */
static void check_stream(const int *nodes)
{
    unsigned char *bytes;
    int node, rank, first = 0;
    char path[64];
    size_t size;

    for (node = 0; node < mpi_size; node++) {
        for (rank = node; rank < mpi_size; rank++) {
            if (nodes[rank] != node)
                continue;
            snprintf(path, sizeof path, "set/.scr/ctr.%d.scr", first / 300);
            size = 0;
            bytes = support_load(path, &size);
            CHECK(bytes && size > (size_t)first % 300);
            CHECK(bytes && bytes[first % 300] == check_payload(rank, 0));
            free(bytes);
            first += 1000 + rank;
        }
    }
}

/* So many nodes, which SION_NODE names, or those of MPI. */
static void pack_and_fetch(int number)
{
    struct packed_file files[2];
    char names[2][32], path[128];
    int nodes[64], f, r;

    if (number > 0) {
        snprintf(path, sizeof path, "node%d", mpi_rank % number);
        setenv("SION_NODE", path, 1);
        for (r = 0; r < mpi_size; r++)
            nodes[r] = r % number;
    } else {
        ask_nodes(nodes);
    }
    for (f = 0; f < 2; f++) {
        snprintf(names[f], sizeof names[f], "rank_%d.%d", mpi_rank, f);
        files[f] = (struct packed_file){mpi_rank, names[f]};
        fill(0, 1000 + (size_t)mpi_rank);
        support_store(names[f], data, f == 0 ? 1000 + (size_t)mpi_rank : 0);
    }
    CHECK_INT(code_of(pack_files(world, "set", 300, files, 2, NULL)), 0);
    CHECK_INT(code_of(sion_scr_fetch(world, "set", "out", NULL)), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (f = 0; f < 2; f++) {
        snprintf(path, sizeof path, "out/%s", names[f]);
        CHECK(support_same_files(names[f], path));
    }
    check_stream(nodes);
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
    pack_and_fetch(0);
}

/* Rank 0 tells all tasks where the map goes, and that an input of one would be replaced. */
static void the_index_decides_where_the_map_is(void)
{
    const struct sion_scr_map_options small = {.size = sizeof small, .segment = 100};
    const struct sion_scr_pack_options options = {
        .size = sizeof options, .prefix = ".", .id = 7, .map = &small};
    struct sion_scr_dataset older;
    char name[32], path[64];
    struct packed_file file = {mpi_rank, name};

    init_dataset(&older, 6, "set.6");
    older.layout = SION_SCR_LAYOUT_PREFIX;
    snprintf(name, sizeof name, "rank_%d", mpi_rank);
    fill(0, 100);
    support_store(name, data, 100);
    if (mpi_rank == 0)
        CHECK_INT(code_of(sion_scr_index_write(".", &older)), 0);
    CHECK_INT(code_of(pack_files(world, "set.7", 70, &file, 1, &options)), 0);
    CHECK_INT(code_of(sion_scr_fetch(world, ".", "out", NULL)), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access(".scr/scr.dataset.7/rank2file.scr", F_OK) == 0);
    CHECK(access("set.7/.scr/rank2file.scr", F_OK) != 0);
    snprintf(path, sizeof path, "out/set.7/%s", name);
    CHECK(support_same_files(name, path));
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == mpi_size - 1)
        file.path = "set.7/.scr/ctr.0.scr";
    CHECK_INT(code_of(pack_files(world, "set.7", 70, &file, 1, &options)), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(sion_error_text(), "set.7/.scr/ctr.0.scr is an input");
    if (mpi_rank == 0)
        CHECK_INT(code_of(sion_scr_check(".scr/scr.dataset.7", NULL)), 0);
    clean_up("out");
    clean_up("set.7");
    clean_up(".scr");
    remove(name);
}

static void a_missing_file_fails_on_all(void)
{
    struct packed_file file = {mpi_rank, mpi_rank == mpi_size - 1 ? "missing" : "there"};
    char text[32];

    if (mpi_rank == 0)
        support_store("there", "1", 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(code_of(pack_files(world, "set", 300, &file, 1, NULL)), SION_ERR_SYSTEM);
    CHECK_CONTAINS(sion_error_text(), "cannot open missing");
    snprintf(text, sizeof text, "rank %d: ", mpi_size - 1);
    CHECK(mpi_size == 1 || strstr(sion_error_text(), text));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access("set", F_OK) != 0);
}

int main(int argc, char **argv)
{
    scr_begin(&argc, &argv);
    RUN_MPI(maps_are_written_by_all_tasks);
    RUN_MPI(the_failure_of_one_task_is_returned_by_all);
    RUN_MPI(maps_are_sealed_together);
    RUN_MPI(files_are_packed_node_by_node);
    RUN_MPI(the_index_decides_where_the_map_is);
    RUN_MPI(a_missing_file_fails_on_all);
    return scr_end();
}
