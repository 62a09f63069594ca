/*
 * Read a rank2file tree, all tasks together, whether they are more or fewer than have written it.
 * Level by level, rank 0 of the communicator tells the tasks which files to read, and is told which
 * files are below these; every file is read by one task only. The leaves' entries then go straight
 * to the tasks that want them.
 *
 * Five collectives for each level, seven more at the end. Time and memory: O(ranks), two words
 * each, and the names of a level's files, on rank 0; O(files read and own entries) elsewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"
#include "comm/agree.h"
#include "scr/map/find.h"
#include "scr/map/map.h"
#include "scr/tasks/words.h"

/*
 * A file to be read, as words: the rank in its RANK key, the level that it must have (ROOT_LEVEL:
 * any), its offset, its name.
 */
enum { WRITER, LEVEL, OFFSET, NAME, ROOT_LEVEL = -1 };

/* A record in a file, by whatever name. */
struct identity {
    unsigned long long device, file;
    sion_int64 offset;
};

/* Records that were already named, so that none is read twice. */
struct seen {
    struct identity identity;
    UT_hash_handle hh;
};

struct reading {
    struct scion_comm *comm;
    const struct sion_scr_map_options *options;
    struct scion_found found;   /* on rank 0 */
    struct sion_scr_ranks held; /* of the leaves that this task has read */
    sion_int64 stored;          /* RANKS of the root, on rank 0 */
    struct seen *seen;          /* on rank 0 */
};

/* ---- on the task that reads a file ---- */

static int take_leaf(struct reading *reading, const struct sion_kvtree *tree)
{
    const struct sion_kvtree *entry;
    sion_int64 rank;
    int rc = 0;

    for (entry = sion_kvtree_first(sion_kvtree_get(tree, "RANK")); entry && rc == 0;
         entry = entry->next) {
        rc = scion_rank_of(entry, &rank);
        if (rc == 0)
            rc = scion_ranks_add(&reading->held, rank, entry);
    }
    return rc;
}

/* The entries of a node; their names are unchecked, rank 0 checks them. */
static int take_node(const struct sion_kvtree *tree, int level, struct scion_words *below)
{
    const struct sion_kvtree *all = sion_kvtree_get(tree, "RANK"), *entry;

    if (sion_kvtree_count(all) == 0)
        return scion_fail(SION_ERR_DAMAGED, "a node that names no files");
    for (entry = sion_kvtree_first(all); entry; entry = entry->next) {
        const char *name = sion_kvtree_value(entry, "FILE");
        sion_int64 rank, offset = 0;
        int rc = scion_rank_of(entry, &rank);

        if (rc == 0 && sion_kvtree_get(entry, "OFFSET"))
            rc = scion_kvtree_int(entry, "OFFSET", &offset);
        if (rc == 0 && (!name || offset < 0))
            rc = scion_fail(SION_ERR_DAMAGED, "RANK %.40s has no FILE, or a negative OFFSET",
                            entry->key);
        if (rc != 0)
            return rc;
        scion_words_append(below, rank);
        scion_words_append(below, level - 1);
        scion_words_append(below, offset);
        scion_words_append_text(below, name);
    }
    return 0;
}

static int take_file(struct reading *reading, sion_int64 expected, const struct sion_kvtree *file,
                     struct scion_words *below)
{
    const struct sion_kvtree *wrapped = sion_kvtree_get(file, "RANK2FILE");
    const struct sion_kvtree *tree = wrapped ? wrapped : file;
    long long level, stored = 0;
    int rc = sion_kvtree_count(tree) > 0 ? scion_kvtree_int(tree, "LEVEL", &level)
                                         : scion_fail(SION_ERR_DAMAGED, "it is empty");

    if (rc != 0)
        return rc;
    if (expected == ROOT_LEVEL ? level < 1 || level > INT32_MAX : level != expected)
        return scion_fail(SION_ERR_DAMAGED, "LEVEL is %lld", level);
    rc = expected == ROOT_LEVEL || sion_kvtree_get(tree, "RANKS")
             ? scion_kvtree_int(tree, "RANKS", &stored)
             : 0;
    if (rc == 0 && (stored < 0 || stored > INT32_MAX))
        rc = scion_fail(SION_ERR_DAMAGED, "RANKS is %lld", stored);
    if (expected == ROOT_LEVEL)
        reading->stored = stored;
    if (rc != 0)
        return rc;
    return level == 0 ? take_leaf(reading, tree) : take_node(tree, (int)level, below);
}

/* Read the files in words[count]; what is below them is appended. */
static int read_files(struct reading *reading, const sion_int64 *words, sion_int64 count,
                      struct scion_words *below)
{
    const sion_int64 *at = words;
    char path[SCION_PATH];
    int rc = 0;

    while (at < words + count && rc == 0) {
        const sion_int64 *next = scion_words_text(at + NAME, path, sizeof path);
        struct sion_kvtree *tree;

        rc = scion_kvtree_read_at(path, at[OFFSET], &tree, NULL);
        if (rc == 0) {
            rc = take_file(reading, at[LEVEL], tree, below);
            if (rc != 0)
                scion_fail_prefix("%s", path);
            sion_kvtree_free(tree);
        }
        at = next;
    }
    return rc;
}

/* ---- on rank 0: from the files below to the next round ---- */

static int note_seen(struct reading *reading, const char *path, sion_int64 offset)
{
    struct stat status;
    struct identity identity;
    struct seen *seen;
    int errnum = scion_path_status(path, &status);

    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot open %s for reading", path);
    identity = (struct identity){status.st_dev, status.st_ino, offset};
    HASH_FIND(hh, reading->seen, &identity, sizeof identity, seen);
    if (seen)
        return scion_fail(SION_ERR_DAMAGED, "%s: named twice in the map", path);
    seen = scion_must_allocate(1, sizeof *seen);
    seen->identity = identity;
    HASH_ADD(hh, reading->seen, identity, sizeof seen->identity, seen);
    if (!SCION_TABLE_HAS(seen)) {
        free(seen);
        return scion_fail_memory("files of a map");
    }
    return 0;
}

static void free_seen(struct reading *reading)
{
    struct seen *seen, *next;

    HASH_ITER(hh, reading->seen, seen, next)
    {
        HASH_DEL(reading->seen, seen);
        free(seen);
    }
}

/* Files of a level by the task that reads them. */
struct shares {
    struct scion_words *tasks; /* [size] */
    int any;
};

static void give_file(struct reading *reading, struct shares *shares, const sion_int64 *file,
                      const char *path)
{
    int size = reading->comm->size;
    struct scion_words *list = &shares->tasks[file[WRITER] % size];

    scion_words_append(list, file[WRITER]);
    scion_words_append(list, file[LEVEL]);
    scion_words_append(list, file[OFFSET]);
    scion_words_append_text(list, path);
    shares->any = 1;
}

/* Divide the files named in words[count]. */
static int divide(struct reading *reading, const sion_int64 *words, sion_int64 count,
                  struct shares *shares)
{
    const sion_int64 *at = words;
    char name[SCION_PATH], path[SCION_PATH];
    int outside = reading->options && reading->options->allow_outside, rc = 0;

    while (at < words + count && rc == 0) {
        const sion_int64 *next = scion_words_text(at + NAME, name, sizeof name);

        rc = scion_found_node(&reading->found, name, outside, path);
        if (rc != 0)
            scion_fail_prefix("%s", reading->found.root);
        else
            rc = note_seen(reading, path, at[OFFSET]);
        if (rc == 0)
            give_file(reading, shares, at, path);
        at = next;
    }
    return rc;
}

static int find_root_file(struct reading *reading, const char *folder, struct shares *shares)
{
    static const sion_int64 file[] = {0, ROOT_LEVEL, 0};
    const struct sion_scr_map_options *options = reading->options;
    int rc = scion_find_map(folder, options ? options->base : NULL, &reading->found);

    if (rc == 0)
        rc = note_seen(reading, reading->found.root, 0);
    if (rc == 0)
        give_file(reading, shares, file, reading->found.root);
    return rc;
}

/* Put all shares into one post, and free them. */
static void join_shares(struct shares *shares, int size, struct scion_post *post)
{
    int t;

    post->counts = scion_must_allocate((size_t)size, sizeof *post->counts);
    for (t = 0; t < size; t++) {
        scion_words_append_all(&post->list, shares->tasks[t].words, shares->tasks[t].count);
        post->counts[t] = (int)shares->tasks[t].count;
        free(shares->tasks[t].words);
    }
    free(shares->tasks);
}

/* On rank 0: divide the files that the last level named among the tasks; at first, this is the
   root. */
static int choose_files(struct reading *reading, const char *folder, const struct scion_post *named,
                        struct scion_post *files, int *any)
{
    struct shares shares = {0};
    int size = reading->comm->size, rc;

    shares.tasks = scion_must_allocate((size_t)size, sizeof *shares.tasks);
    rc = folder ? find_root_file(reading, folder, &shares)
                : divide(reading, named->list.words, named->list.count, &shares);
    *any = shares.any;
    join_shares(&shares, size, files);
    return rc;
}

/* Read one level: the files that rank 0 chooses, which name those of the next level. */
static int read_level(struct reading *reading, const char *folder, struct scion_post *named,
                      int *more)
{
    struct scion_comm *comm = reading->comm;
    struct scion_received chosen;
    struct scion_post files = {0};
    struct scion_words below = {0};
    int rc, status = 0, any = 0;

    if (comm->rank == 0)
        status = choose_files(reading, folder, named, &files, &any);
    rc = scion_post_scatter(comm, status, &files, any, &chosen);
    scion_post_free(&files);
    scion_post_free(named);
    *more = rc == 0 && chosen.flag;
    if (*more) {
        status = read_files(reading, chosen.words, chosen.count, &below);
        rc =
            scion_post_gather(comm, scion_name_rank(comm, status), below.words, below.count, named);
    }
    free(chosen.words);
    free(below.words);
    return rc;
}

static int read_levels(struct reading *reading, const char *folder)
{
    struct scion_post named = {0}; /* on rank 0: files of the next level */
    int more, rc = read_level(reading, folder, &named, &more);

    while (rc == 0 && more)
        rc = read_level(reading, NULL, &named, &more);
    scion_post_free(&named);
    return rc;
}

int scion_map_read(struct scion_comm *comm, const char *folder,
                   const struct sion_scr_map_options *options, struct sion_scr_ranks *ranks,
                   struct scion_map_info *info)
{
    struct reading reading = {.comm = comm, .options = options};
    int rc = read_levels(&reading, folder);

    if (rc == 0)
        rc = scion_ranks_distribute(comm, &reading.held, reading.stored, ranks, &info->total);
    if (rc == 0) {
        info->layout = (int)reading.found.layout;
        info->id = reading.found.id;
        strcpy(info->base, reading.found.base);
        strcpy(info->below, reading.found.below);
        rc = scion_bcast(comm, info, sizeof *info, 0);
    }
    free_seen(&reading);
    scion_ranks_clear(&reading.held);
    return rc;
}

struct scion_names scion_map_names(const struct scion_map_info *info,
                                   const struct sion_scr_map_options *options)
{
    return (struct scion_names){info->base, info->below, options && options->allow_outside};
}

sion_scr_ranks *scion_scr_map_read(sion_scr_comm *comm, const char *folder,
                                   const struct sion_scr_map_options *options)
{
    sion_scr_ranks *ranks = scion_must_allocate(1, sizeof *ranks);
    struct scion_map_info info;

    if (scion_map_read(comm, folder, options, ranks, &info) == 0)
        return ranks;
    sion_scr_ranks_free(ranks);
    return NULL;
}
