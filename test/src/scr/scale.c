/*
 * A map of a million tasks on rank 0; a model simulates the other ranks. No task holds the whole
 * map, and the number of collectives is the same as for two tasks.
 */
#include "check.h"

#include <sys/resource.h>

#include "comm/comm.h"
#include "scr_check.h"

static int collectives;
static sion_int64 *own_words; /* of a task's tree: rank, size, bytes */
static sion_int64 own_count;

static int model_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    (void)comm, (void)data, (void)bytes, (void)root;
    collectives++;
    return 0;
}

/* All tasks pass the same value. */
static int model_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    int t;

    (void)root;
    collectives++;
    for (t = 0; t < comm->size; t++)
        memcpy((char *)to + (size_t)t * bytes, from, bytes);
    return 0;
}

static int model_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes,
                         int root)
{
    (void)comm, (void)root;
    collectives++;
    memcpy(to, from, bytes);
    return 0;
}

/* A rank and the size of its tree. */
static int model_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                         const int *counts, const int *first, int root)
{
    int t;

    (void)root, (void)counts;
    collectives++;
    for (t = 0; t < comm->size; t++) {
        memcpy(to + first[t], from, (size_t)count * sizeof *to);
        to[first[t]] = t;
    }
    return 0;
}

static int model_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                          const int *first, sion_int64 *to, int count, int root)
{
    (void)comm, (void)root, (void)counts, (void)first;
    collectives++;
    memcpy(to, from, (size_t)count * sizeof *to);
    return 0;
}

static int model_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    (void)comm, (void)value, (void)told, (void)n;
    collectives++;
    return 0;
}

static int received;

static int model_exchange(struct scion_comm *comm, const struct scion_message *out, int nout,
                          struct scion_message *in, int nin)
{
    int i;

    (void)comm, (void)out;
    collectives++;
    CHECK_INT(nout, 0);
    for (i = 0; i < nin; i++) {
        CHECK_INT(in[i].count, own_count);
        memcpy(in[i].words, own_words, (size_t)own_count * sizeof *own_words);
        in[i].words[0] = in[i].peer;
    }
    received = nin;
    return 0;
}

static const struct scion_comm_ops model = {
    .bcast = model_bcast,
    .gather = model_gather,
    .scatter = model_scatter,
    .gatherv = model_gatherv,
    .scatterv = model_scatterv,
    .minimum = model_minimum,
    .exchange = model_exchange,
};

/* The tree of a rank in the form that the task sends. */
static sion_kvtree *make_tree(void)
{
    sion_kvtree *tree = simple_files("ckpt.000001/rank_of_a_million.ckpt", 123456789);
    unsigned char *bytes;
    size_t size;

    CHECK_INT(encode_kvtree(tree, (void **)&bytes, &size), 0);
    own_count = 2 + (sion_int64)(size - 24 + 7) / 8;
    own_words = calloc((size_t)own_count, sizeof *own_words);
    own_words[1] = (sion_int64)size - 24;
    memcpy(own_words + 2, bytes + 20, size - 24);
    free(bytes);
    return tree;
}

static int write_as_one_of(int ntasks)
{
    static const struct sion_scr_place place = {sizeof place, SION_SCR_LAYOUT_DATASET, "set", 0};
    struct scion_comm comm = {.ops = &model, .size = ntasks};
    sion_scr_ranks *ranks = sion_scr_ranks_new();
    sion_kvtree *tree = make_tree();
    int rc;

    collectives = received = 0;
    sion_scr_ranks_add(ranks, 0, tree);
    rc = code_of(sion_scr_map_write(&comm, &place, ranks, NULL));
    sion_scr_ranks_free(ranks);
    sion_kvtree_free(tree);
    free(own_words);
    return rc;
}

enum { MILLION = 1000000 };

static void a_million_tasks_write_a_map(void)
{
    struct stat leaf;
    struct rusage usage;
    sion_kvtree *root;
    int few;

    CHECK_INT(write_as_one_of(2), 0);
    few = collectives;
    remove_folder("set");
    CHECK_INT(write_as_one_of(MILLION), 0);
    CHECK_INT(collectives, few);
    CHECK_INT(stat("set/.scr/rank2file.0.0.scr", &leaf), 0);
    CHECK(leaf.st_size > SION_SCR_SEGMENT / 2 && leaf.st_size < 2 * SION_SCR_SEGMENT);
    CHECK(received < MILLION / 50);
    CHECK_INT(read_kvtree("set/.scr/rank2file.scr", &root), 0);
    CHECK_STR(sion_kvtree_value(root, "RANKS"), "1000000");
    CHECK(sion_kvtree_count(sion_kvtree_get(root, "RANK")) > 50);
    sion_kvtree_free(root);
    getrusage(RUSAGE_SELF, &usage);
    printf("# %ld MB, %d trees received, %d collectives\n", usage.ru_maxrss / 1024, received,
           collectives);
    remove_folder("set");
}

int main(void)
{
    support_enter_folder();
    RUN(a_million_tasks_write_a_map);
    support_leave_folder();
    return check_done();
}
