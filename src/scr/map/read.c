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
struct named_record {
    struct identity identity;
    UT_hash_handle hh;
};

struct map_reader {
    struct scion_comm *comm;
    const struct sion_scr_map_options *options;
    struct scion_map_location found;   /* on rank 0 */
    struct sion_scr_ranks held;        /* of the leaves that this task has read */
    sion_int64 stored;                 /* RANKS of the root, on rank 0 */
    struct named_record *named_record; /* on rank 0 */
};

/* ---- on the task that reads a file ---- */

static int take_leaf(struct map_reader *map_reader, const struct sion_kvtree *tree)
{
    const struct sion_kvtree *entry;
    sion_int64 rank;
    int rc = 0;

    for (entry = sion_kvtree_first(sion_kvtree_get(tree, "RANK")); entry && rc == 0;
         entry = entry->next) {
        rc = scion_rank_of(entry, &rank);
        if (rc == 0)
            rc = scion_ranks_add(&map_reader->held, rank, entry);
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

static int take_file(struct map_reader *map_reader, sion_int64 expected,
                     const struct sion_kvtree *file, struct scion_words *below)
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
        map_reader->stored = stored;
    if (rc != 0)
        return rc;
    return level == 0 ? take_leaf(map_reader, tree) : take_node(tree, (int)level, below);
}

/* Read the files in words[count]; what is below them is appended. */
static int read_files(struct map_reader *map_reader, const sion_int64 *words, sion_int64 count,
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
            rc = take_file(map_reader, at[LEVEL], tree, below);
            if (rc != 0)
                scion_fail_prefix("%s", path);
            sion_kvtree_free(tree);
        }
        at = next;
    }
    return rc;
}

/* ---- on rank 0: from the files below to the next round ---- */

static int note_seen(struct map_reader *map_reader, const char *path, sion_int64 offset)
{
    struct stat status;
    struct identity identity;
    struct named_record *named_record;
    int errnum = scion_path_status(path, &status);

    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot open %s for reading", path);
    identity = (struct identity){status.st_dev, status.st_ino, offset};
    HASH_FIND(hh, map_reader->named_record, &identity, sizeof identity, named_record);
    if (named_record)
        return scion_fail(SION_ERR_DAMAGED, "%s: named twice in the map", path);
    named_record = scion_must_allocate(1, sizeof *named_record);
    named_record->identity = identity;
    HASH_ADD(hh, map_reader->named_record, identity, sizeof named_record->identity, named_record);
    if (!SCION_TABLE_HAS(named_record)) {
        free(named_record);
        return scion_fail_memory("files of a map");
    }
    return 0;
}

static void free_seen(struct map_reader *map_reader)
{
    struct named_record *named_record, *next;

    HASH_ITER(hh, map_reader->named_record, named_record, next)
    {
        HASH_DEL(map_reader->named_record, named_record);
        free(named_record);
    }
}

/* Files of a level by the task that reads them. */
struct shares {
    struct scion_words *tasks; /* [size] */
    int any;
};

static void give_file(struct map_reader *map_reader, struct shares *shares, const sion_int64 *file,
                      const char *path)
{
    int size = map_reader->comm->size;
    struct scion_words *list = &shares->tasks[file[WRITER] % size];

    scion_words_append(list, file[WRITER]);
    scion_words_append(list, file[LEVEL]);
    scion_words_append(list, file[OFFSET]);
    scion_words_append_text(list, path);
    shares->any = 1;
}

/* Divide the files named in words[count]. */
static int divide(struct map_reader *map_reader, const sion_int64 *words, sion_int64 count,
                  struct shares *shares)
{
    const sion_int64 *at = words;
    char name[SCION_PATH], path[SCION_PATH];
    int outside = map_reader->options && map_reader->options->allow_outside, rc = 0;

    while (at < words + count && rc == 0) {
        const sion_int64 *next = scion_words_text(at + NAME, name, sizeof name);

        rc = scion_map_location_node(&map_reader->found, name, outside, path);
        if (rc != 0)
            scion_fail_prefix("%s", map_reader->found.root);
        else
            rc = note_seen(map_reader, path, at[OFFSET]);
        if (rc == 0)
            give_file(map_reader, shares, at, path);
        at = next;
    }
    return rc;
}

static int find_root_file(struct map_reader *map_reader, const char *folder, struct shares *shares)
{
    static const sion_int64 file[] = {0, ROOT_LEVEL, 0};
    const struct sion_scr_map_options *options = map_reader->options;
    int rc = scion_find_map(folder, options ? options->base : NULL, &map_reader->found);

    if (rc == 0)
        rc = note_seen(map_reader, map_reader->found.root, 0);
    if (rc == 0)
        give_file(map_reader, shares, file, map_reader->found.root);
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
static int choose_files(struct map_reader *map_reader, const char *folder,
                        const struct scion_post *named, struct scion_post *files, int *any)
{
    struct shares shares = {0};
    int size = map_reader->comm->size, rc;

    shares.tasks = scion_must_allocate((size_t)size, sizeof *shares.tasks);
    rc = folder ? find_root_file(map_reader, folder, &shares)
                : divide(map_reader, named->list.words, named->list.count, &shares);
    *any = shares.any;
    join_shares(&shares, size, files);
    return rc;
}

/* Read one level: the files that rank 0 chooses, which name those of the next level. */
static int read_level(struct map_reader *map_reader, const char *folder, struct scion_post *named,
                      int *more)
{
    struct scion_comm *comm = map_reader->comm;
    struct scion_word_inbox chosen;
    struct scion_post files = {0};
    struct scion_words below = {0};
    int rc, status = 0, any = 0;

    if (comm->rank == 0)
        status = choose_files(map_reader, folder, named, &files, &any);
    rc = scion_post_scatter(comm, status, &files, any, &chosen);
    scion_post_free(&files);
    scion_post_free(named);
    *more = rc == 0 && chosen.flag;
    if (*more) {
        status = read_files(map_reader, chosen.words, chosen.count, &below);
        rc =
            scion_post_gather(comm, scion_name_rank(comm, status), below.words, below.count, named);
    }
    free(chosen.words);
    free(below.words);
    return rc;
}

static int read_levels(struct map_reader *map_reader, const char *folder)
{
    struct scion_post named = {0}; /* on rank 0: files of the next level */
    int more, rc = read_level(map_reader, folder, &named, &more);

    while (rc == 0 && more)
        rc = read_level(map_reader, NULL, &named, &more);
    scion_post_free(&named);
    return rc;
}

int scion_map_read(struct scion_comm *comm, const char *folder,
                   const struct sion_scr_map_options *options, struct sion_scr_ranks *ranks,
                   struct scion_map_info *info)
{
    struct map_reader map_reader = {.comm = comm, .options = options};
    int rc = read_levels(&map_reader, folder);

    if (rc == 0)
        rc = scion_ranks_distribute(comm, &map_reader.held, map_reader.stored, ranks, &info->total);
    if (rc == 0) {
        info->layout = (int)map_reader.found.layout;
        info->id = map_reader.found.id;
        strcpy(info->base, map_reader.found.base);
        strcpy(info->below, map_reader.found.below);
        rc = scion_bcast(comm, info, sizeof *info, 0);
    }
    free_seen(&map_reader);
    scion_ranks_clear(&map_reader.held);
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
