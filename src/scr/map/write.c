/*
 * Write a rank2file tree, all tasks together. Rank 0 of the communicator gathers the sizes of all
 * ranks' trees, decides which task writes what (plan.h) and tells all tasks; the trees themselves
 * go straight to the writers of the leaves. The number of collectives is the same for every number
 * of ranks and levels.
 *
 * Time and memory: O(ranks), a few words each, on rank 0; O(own trees and files written) elsewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/dataset/layout.h"
#include "scr/map/map.h"
#include "scr/map/plan.h"
#include "scr/tasks/words.h"
#include "vfs/vfs.h"

/*
 * Orders to a task, as numbers: how many of the own ranks, from the first on, go to which task; how
 * many tasks send theirs, how many leaves and how many nodes are to be written, of which
 * generation, and with which permissions; then each sender and its words; the ranks in each leaf;
 * and of each node level, whether it is the root, its own rank, the number of files below and their
 * ranks.
 */
enum { HEAD_COUNT, HEAD_OWNER, SENDERS, LEAVES, NODES, GENERATION, PERMISSIONS, FIXED };

/* ---- on rank 0 ---- */

struct root {
    int tasks;
    int n;                     /* ranks of all */
    int *first;                /* [tasks + 1] index of each task's first rank */
    sion_int64 *ranks, *sizes; /* [n] */
    struct scion_map_plan plan;
    int next[SCION_MAP_LEVELS]; /* of each level the first file whose writer has no orders yet */
    int writer;                 /* task that writes the last leaf that was ordered */
    int generation;             /* that no file of an old map has */
    mode_t permissions;
};

static sion_int64 words_of(const struct root *root, int first, int end)
{
    sion_int64 words = 0;

    while (first < end)
        words += scion_rank_words(root->sizes[first++]);
    return words;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The senders of ranks up to end, which follow the task. */
static void order_senders(const struct root *root, int task, int end, struct scion_words *list,
                          sion_int64 fixed)
{
    int from;

    for (from = task + 1; from < root->tasks && root->first[from] < end; from++) {
        if (root->first[from + 1] == root->first[from])
            continue;
        scion_words_append(list, from);
        scion_words_append(list,
                           words_of(root, root->first[from], least(end, root->first[from + 1])));
        list->words[fixed + SENDERS]++;
    }
}

static void order_nodes(struct root *root, int end, struct scion_words *list, sion_int64 fixed)
{
    int l, g, i;

    for (l = 1; l < root->plan.nlevels; l++) {
        const struct scion_map_level *level = &root->plan.level[l], *below = level - 1;

        for (g = root->next[l]; g < level->ngroups && level->starter[g] < end; g++) {
            scion_words_append(list, l);
            scion_words_append(list, l == root->plan.nlevels - 1);
            scion_words_append(list, root->ranks[level->starter[g]]);
            scion_words_append(list, level->first[g + 1] - level->first[g]);
            for (i = level->first[g]; i < level->first[g + 1]; i++)
                scion_words_append(list, root->ranks[below->starter[i]]);
            list->words[fixed + NODES]++;
        }
        root->next[l] = g;
    }
}

static void order_task(struct root *root, int task, struct scion_words *list)
{
    const struct scion_map_level *leaves = &root->plan.level[0];
    int begin = root->first[task], end = root->first[task + 1], g = root->next[0], i;
    int own = g < leaves->ngroups && leaves->first[g] < end ? leaves->first[g] : end;
    sion_int64 fixed = list->count;

    for (i = 0; i < FIXED; i++)
        scion_words_append(list, 0);
    list->words[fixed + HEAD_COUNT] = own - begin;
    list->words[fixed + HEAD_OWNER] = root->writer;
    list->words[fixed + GENERATION] = root->generation;
    list->words[fixed + PERMISSIONS] = root->permissions;
    while (root->next[0] < leaves->ngroups && leaves->first[root->next[0]] < end)
        root->next[0]++;
    list->words[fixed + LEAVES] = root->next[0] - g;
    if (root->next[0] > g) {
        root->writer = task;
        order_senders(root, task, leaves->first[root->next[0]], list, fixed);
    }
    for (; g < root->next[0]; g++)
        scion_words_append(list, leaves->first[g + 1] - leaves->first[g]);
    order_nodes(root, end, list, fixed);
}

static int check_order(const struct root *root)
{
    int i;

    if (root->n == 0)
        return scion_fail(SION_ERR_ARGUMENT, "a map without ranks");
    for (i = 1; i < root->n; i++) {
        if (root->ranks[i] <= root->ranks[i - 1])
            return scion_fail(SION_ERR_ARGUMENT,
                              "rank %lld after rank %lld: ranks must ascend over the tasks",
                              root->ranks[i], root->ranks[i - 1]);
    }
    return 0;
}

/* ---- on every task ---- */

struct map_writer {
    struct scion_comm *comm;
    const struct sion_scr_place *place;
    const struct sion_scr_map_options *options;
    const struct sion_scr_ranks *own;
    sion_int64 total;               /* ranks of all */
    struct scion_word_inbox orders; /* the numbers */
    struct sion_scr_ranks leaves;   /* entries of the leaves to be written here */
    int generation;                 /* of the files that are written */
    mode_t permissions;             /* likewise; those of rank 0 count */
};

static sion_int64 segment_of(const struct sion_scr_map_options *options)
{
    return options && options->segment > 0 ? options->segment : SION_SCR_SEGMENT;
}

/* On rank 0: ranks and sizes from what was gathered. */
static void fill_root(struct root *root, const struct scion_post *came)
{
    int t, i;

    root->n = (int)(came->list.count / 2);
    root->first = scion_must_allocate((size_t)root->tasks + 1, sizeof *root->first);
    root->ranks = scion_must_allocate((size_t)root->n + 1, sizeof *root->ranks);
    root->sizes = scion_must_allocate((size_t)root->n + 1, sizeof *root->sizes);
    for (t = 0; t < root->tasks; t++)
        root->first[t + 1] = root->first[t] + came->counts[t] / 2;
    for (i = 0; i < root->n; i++) {
        root->ranks[i] = came->list.words[2 * i];
        root->sizes[i] = came->list.words[2 * i + 1];
    }
}

static void free_root(struct root *root)
{
    free(root->first);
    free(root->ranks);
    free(root->sizes);
    scion_map_plan_free(&root->plan);
}

/* On rank 0: the orders of all tasks. */
static int decide(const struct map_writer *map_writer, struct root *root, struct scion_post *orders)
{
    int rc = check_order(root), t;

    if (rc == 0)
        rc = scion_map_plan(map_writer->place, root->ranks, root->sizes, root->n,
                            segment_of(map_writer->options), &root->plan);
    if (rc == 0)
        rc = scion_layout_prepare(map_writer->place, &root->generation);
    orders->counts = scion_must_allocate((size_t)root->tasks, sizeof *orders->counts);
    for (t = 0; t < root->tasks && rc == 0; t++) {
        sion_int64 before = orders->list.count;

        order_task(root, t, &orders->list);
        orders->counts[t] = (int)(orders->list.count - before);
    }
    return rc;
}

static int get_orders(struct map_writer *map_writer, int status)
{
    struct root root = {.tasks = map_writer->comm->size, .permissions = map_writer->permissions};
    struct scion_post sizes, orders = {0};
    struct scion_words mine = {0};
    int rc, i;

    for (i = 0; status == 0 && i < map_writer->own->count; i++) {
        scion_words_append(&mine, map_writer->own->entries[i].rank);
        scion_words_append(&mine, (sion_int64)map_writer->own->entries[i].size);
    }
    rc = scion_post_gather(map_writer->comm, status, mine.words, mine.count, &sizes);
    if (rc == 0) {
        if (map_writer->comm->rank == 0) {
            fill_root(&root, &sizes);
            status = decide(map_writer, &root, &orders);
        }
        rc = scion_post_scatter(map_writer->comm, status, &orders, root.n, &map_writer->orders);
        map_writer->total = map_writer->orders.flag;
    }
    free(mine.words);
    free_root(&root);
    scion_post_free(&sizes);
    scion_post_free(&orders);
    return rc;
}

/* Send the trees to the tasks that write them. */
static int move_trees(struct map_writer *map_writer)
{
    const sion_int64 *words = map_writer->orders.words;
    int nin = (int)words[SENDERS], head = (int)words[HEAD_COUNT], rc, i;
    struct scion_message out = {.peer = (int)words[HEAD_OWNER]};
    struct scion_message *in = scion_must_allocate((size_t)nin + 1, sizeof *in);

    out.words = scion_ranks_to_words(map_writer->own, 0, head, &out.count);
    for (i = 0; i < nin; i++) {
        in[i].peer = (int)words[FIXED + 2 * i];
        in[i].count = words[FIXED + 2 * i + 1];
        in[i].words = scion_must_allocate((size_t)in[i].count, sizeof *in[i].words);
    }
    rc = scion_exchange(map_writer->comm, &out, head > 0, in, nin);
    for (i = head; i < map_writer->own->count && rc == 0; i++)
        rc = scion_ranks_add_packed(&map_writer->leaves, map_writer->own->entries[i].rank,
                                    scion_rank_bytes(map_writer->own, i),
                                    map_writer->own->entries[i].size);
    for (i = 0; i < nin; i++) {
        if (rc == 0)
            rc = scion_ranks_from_words(&map_writer->leaves, in[i].words, in[i].count);
        free(in[i].words);
    }
    free(in);
    free(out.words);
    return rc;
}

static size_t number_length(sion_int64 number)
{
    char text[32];

    return (size_t)snprintf(text, sizeof text, "%lld", number);
}

static unsigned char *put_key(unsigned char *to, const char *key)
{
    size_t length = strlen(key) + 1;

    memcpy(to, key, length);
    return to + length;
}

static unsigned char *put_number(unsigned char *to, sion_int64 number)
{
    return to + snprintf((char *)to, 32, "%lld", number) + 1;
}

/* Write entries first .. first + n - 1 as a leaf; the trees are packed already. */
static unsigned char *make_leaf(const struct map_writer *map_writer, int first, int n, size_t *size)
{
    enum { COUNT = 4, SPARE = 128 }; /* for the fixed keys and numbers */
    const struct sion_scr_ranks *leaves = &map_writer->leaves;
    unsigned char *record, *to;
    int i;

    for (*size = SPARE, i = first; i < first + n; i++)
        *size += number_length(leaves->entries[i].rank) + 1 + leaves->entries[i].size;
    record = malloc(*size);
    if (!record)
        return NULL;
    to = record + SCION_KVTREE_HEADER;
    if (map_writer->options && map_writer->options->wrapper)
        to = put_key(scion_kvtree_put_u32(to, 1), "RANK2FILE");
    to = put_key(scion_kvtree_put_u32(to, 3), "LEVEL");
    to = scion_kvtree_put_u32(put_key(scion_kvtree_put_u32(to, 1), "0"), 0);
    to = put_key(to, "RANKS");
    to = scion_kvtree_put_u32(put_number(scion_kvtree_put_u32(to, 1), map_writer->total), 0);
    to = scion_kvtree_put_u32(put_key(to, "RANK"), (uint32_t)n);
    for (i = first; i < first + n; i++) {
        to = put_number(to, leaves->entries[i].rank);
        memcpy(to, scion_rank_bytes(leaves, i), leaves->entries[i].size);
        to += leaves->entries[i].size;
    }
    *size = (size_t)(to - record) + SCION_KVTREE_CRC;
    scion_kvtree_seal(record, *size);
    return record;
}

static int write_leaf(const struct map_writer *map_writer, int first, int n)
{
    char path[SCION_PATH];
    unsigned char *record;
    size_t size;
    const struct scion_node leaf = {0, map_writer->leaves.entries[first].rank,
                                    map_writer->generation};
    int rc = scion_layout_node(map_writer->place, &leaf, path);

    if (rc != 0)
        return rc;
    record = make_leaf(map_writer, first, n, &size);
    if (!record)
        return scion_fail_memory("leaf of a map");
    rc = scion_make_whole(path, map_writer->permissions, record, size);
    free(record);
    return rc;
}

/*
 * From one moment to the next, this map is the one that is there. Before, the names of its files
 * are on the disk, and of all others in this folder. `beside` is the name that it would have if it
 * were not the root, so that what a kill leaves goes with the files of its generation.
 */
static int replace_root(const struct map_writer *map_writer, const char *beside, const char *path,
                        const struct sion_kvtree *tree)
{
    int rc = scion_kvtree_make(beside, map_writer->permissions, tree), errnum;

    if (rc != 0)
        return rc;
    rc = scion_sync_folder_of(path);
    errnum = rc == 0 ? scion_path_move(beside, path) : 0;
    return errnum == 0 ? rc : scion_fail_errno(errnum, "cannot make %s", path);
}

static int write_tree(const struct map_writer *map_writer, const struct scion_node *node,
                      int is_root, const struct sion_kvtree *tree)
{
    char path[SCION_PATH], root[SCION_PATH];
    int rc = scion_layout_node(map_writer->place, node, path);

    if (rc == 0 && is_root)
        rc = scion_layout_root(map_writer->place, root);
    if (rc != 0)
        return rc;
    return is_root ? replace_root(map_writer, path, root, tree)
                   : scion_kvtree_make(path, map_writer->permissions, tree);
}

/* node: level, whether it is the root, its rank, number of files below, their ranks. */
static int write_node(const struct map_writer *map_writer, const sion_int64 *node)
{
    const struct scion_node self = {(int)node[0], node[2], map_writer->generation};
    int level = self.level, rc = 0;
    struct sion_kvtree *tree = scion_kvtree_new(), *all = scion_kvtree_set(tree, "RANK");
    char name[SCION_NODE_NAME];
    sion_int64 i;

    if (!scion_kvtree_put_int(tree, "LEVEL", level) ||
        !scion_kvtree_put_int(tree, "RANKS", map_writer->total))
        rc = SION_ERR_MEMORY;
    for (i = 0; i < node[3] && rc == 0; i++) {
        struct sion_kvtree *entry = scion_kvtree_setf(all, "%lld", node[4 + i]);
        const struct scion_node below = {level - 1, node[4 + i], map_writer->generation};

        scion_layout_entry(map_writer->place, &below, name);
        if (!scion_kvtree_put(entry, "FILE", name) || !scion_kvtree_put(entry, "OFFSET", "0"))
            rc = SION_ERR_MEMORY;
    }
    if (rc == 0)
        rc = write_tree(map_writer, &self, (int)node[1], tree);
    sion_kvtree_free(tree);
    return rc;
}

/* Those nodes that are the root, or those that are not. */
static int write_nodes(const struct map_writer *map_writer, int root)
{
    const sion_int64 *words = map_writer->orders.words;
    const sion_int64 *node = words + FIXED + 2 * words[SENDERS] + words[LEAVES];
    sion_int64 i;
    int rc = 0;

    for (i = 0; i < words[NODES] && rc == 0; i++, node += 4 + node[3]) {
        if (node[1] == root)
            rc = write_node(map_writer, node);
    }
    return rc;
}

static int write_leaves(const struct map_writer *map_writer)
{
    const sion_int64 *words = map_writer->orders.words,
                     *members = words + FIXED + 2 * words[SENDERS];
    int rc = 0, first = 0;
    sion_int64 i;

    for (i = 0; i < words[LEAVES] && rc == 0; i++) {
        rc = write_leaf(map_writer, first, (int)members[i]);
        first += (int)members[i];
    }
    return rc;
}

/* What follows when the root is there. */
static int finish_generation(const struct map_writer *map_writer)
{
    struct scion_comm *comm = map_writer->comm;
    char path[SCION_PATH];
    int rc = comm->rank == 0 ? scion_layout_root(map_writer->place, path) : 0;

    if (rc == 0 && comm->rank == 0)
        rc = scion_sync_folder_of(path);
    if (rc == 0 && comm->rank == 0)
        rc = scion_layout_keep(map_writer->place, map_writer->generation);
    return scion_agree(comm, scion_name_rank(comm, rc));
}

/*
 * The root comes last: without it, the map is the old one, or there is none. *is_there (NULL: not
 * wanted): 1 when it is written, whatever fails later.
 */
static int write_generation(struct map_writer *map_writer, int generation, int *is_there)
{
    struct scion_comm *comm = map_writer->comm;
    int rc;

    map_writer->generation = generation;
    rc = write_leaves(map_writer);
    if (rc == 0)
        rc = write_nodes(map_writer, 0);
    rc = scion_agree(comm, scion_name_rank(comm, rc));
    if (rc == 0)
        rc = scion_agree(comm, scion_name_rank(comm, write_nodes(map_writer, 1)));
    if (rc == 0 && is_there)
        *is_there = 1;
    if (rc == 0)
        return finish_generation(map_writer);
    if (comm->rank == 0)
        scion_layout_drop(map_writer->place, generation);
    return rc;
}

/*
 * Over an old map, files of names that it has not come first. When it has gone, they are written
 * again, with the names that SCR gives them.
 */
static int write_files(struct map_writer *map_writer, int is_last, int *is_there)
{
    struct scion_comm *comm = map_writer->comm;
    int rc = scion_agree(comm, scion_name_rank(comm, move_trees(map_writer)));
    int generation = rc == 0 ? (int)map_writer->orders.words[GENERATION] : 0;

    if (rc == 0) {
        map_writer->permissions = (mode_t)map_writer->orders.words[PERMISSIONS];
        rc = write_generation(map_writer, generation, is_there);
    }
    if (rc == 0 && is_last && generation > 0)
        rc = write_generation(map_writer, 0, NULL);
    return rc;
}

static int write_whole_map(struct map_writer *map_writer, int status, int is_last, int *is_there)
{
    int rc = get_orders(map_writer, scion_name_rank(map_writer->comm, status));

    if (rc == 0)
        rc = write_files(map_writer, is_last, is_there);
    free(map_writer->orders.words);
    scion_ranks_clear(&map_writer->leaves);
    return rc;
}

int scion_map_write(struct scion_comm *comm, int status, const struct sion_scr_place *place,
                    const struct sion_scr_ranks *ranks, const struct sion_scr_map_options *options,
                    mode_t permissions)
{
    struct map_writer map_writer = {
        .comm = comm, .place = place, .options = options, .own = ranks, .permissions = permissions};

    return write_whole_map(&map_writer, status, 1, NULL);
}

int scion_map_write_first(struct scion_comm *comm, const struct sion_scr_place *place,
                          const struct sion_scr_ranks *ranks,
                          const struct sion_scr_map_options *options, mode_t permissions,
                          int is_last, int *is_there)
{
    struct map_writer map_writer = {
        .comm = comm, .place = place, .options = options, .own = ranks, .permissions = permissions};

    *is_there = 0;
    return write_whole_map(&map_writer, 0, is_last, is_there);
}
