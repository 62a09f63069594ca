/*
 * SCR's folders: rank2file maps, indexes and filemaps (joined.h). What a map has is found in it,
 * and its ranks ascend.
 */
#include "joined.h"
#include "memory.h"

#include "scr/dataset/repair.h"
#include "scr/kvtree/kvtree.h"
#include "scr/map/filemap.h"
#include "scr/map/map.h"
#include "scr/scr.h"
#include "sion_scr.h"

#define FOLDER "/memory"

static void read_ranks(sion_scr_comm *comm, const struct sion_scr_map_options *options)
{
    sion_scr_ranks *ranks = scion_scr_map_read(comm, FOLDER, options);
    sion_int64 rank, last = -1;
    sion_kvtree *tree;
    int i, n = ranks ? sion_scr_ranks_count(ranks) : 0;

    for (i = 0; i < n; i++) {
        FUZZ_CHECK(scion_ranks_get(ranks, i, &rank, &tree) == 0);
        FUZZ_CHECK(rank > last);
        last = rank;
        sion_kvtree_free(tree);
    }
    FUZZ_CHECK(!ranks || scion_ranks_get(ranks, n, &rank, NULL) != 0);
    sion_scr_ranks_free(ranks);
}

static int visit(void *user, const struct sion_scr_indexed *dataset)
{
    FUZZ_CHECK(dataset->name != NULL && dataset->complete >= -1 && dataset->complete <= 1);
    FUZZ_CHECK(dataset->files >= -1 && dataset->bytes >= -1);
    (*(int *)user)++;
    return 0;
}

static void read_filemaps(int allow_outside)
{
    sion_kvtree *map = NULL, *again = NULL;
    void *encoded;
    size_t length;

    if (scion_scr_filemap_read(FOLDER "/.scr", allow_outside, &map) != 0)
        return;
    if (scion_kvtree_encode(map, &encoded, &length) == 0) {
        FUZZ_CHECK(scion_kvtree_decode(encoded, length, &again, NULL) == 0);
        sion_kvtree_free(again);
        free(encoded);
    }
    sion_kvtree_free(map);
}

static void run(const uint8_t *bytes, size_t size)
{
    const struct sion_scr_map_options outside = {.size = sizeof outside, .allow_outside = 1};
    const struct sion_scr_fetch_options check = {.map = &outside};
    sion_scr_comm *comm = sion_scr_comm_self();
    int datasets = 0;

    FUZZ_CHECK(comm != NULL);
    memory_begin();
    joined_add_all(bytes, size, FOLDER "/");
    read_ranks(comm, NULL);
    read_ranks(comm, &outside);
    scion_scr_check(FOLDER, &check);
    scion_scr_index_visit(FOLDER, visit, &datasets);
    read_filemaps(0);
    read_filemaps(1);
    memory_end();
    sion_scr_comm_free(comm);
}

/* One file. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct joined file;

    *end = size;
    if (!joined_get(bytes, size, dice, &file))
        return 0;
    *end = file.from + file.size;
    return file.from;
}

static void seal(uint8_t *bytes, size_t size)
{
    struct joined file = {.from = 0};

    while (joined_next(bytes, size, &file)) {
        if (file.size >= SCION_KVTREE_HEADER + SCION_KVTREE_CRC + 4)
            scion_kvtree_seal(bytes + file.from, file.size);
    }
}

static struct joined_input input;

static void append(const char *folder, const char *sample, const char *name)
{
    char path[128];
    uint8_t *bytes;
    size_t size;

    snprintf(path, sizeof path, "scr/%s/%s", folder, sample);
    bytes = fuzz_golden(path, &size);
    joined_append(&input, name, bytes, size);
    free(bytes);
}

static void take_all(fuzz_take *take)
{
    take(input.bytes, input.size);
    input.size = 0;
}

/* An index, the map of its current dataset, and a file that the map has. */
static void make_prefix(fuzz_take *take, const char *folder, const char *root, const char *leaf)
{
    append(folder, ".scr/index.scr", ".scr/index.scr");
    append(folder, root, root);
    append(folder, leaf, leaf);
    joined_append(&input, "ck/rank_0.ckpt", "", 0);
    take_all(take);
}

static void make(fuzz_take *take)
{
#define SET ".scr/scr.dataset.1/"
    make_prefix(take, "real_scr_3_prefix", SET "rank2file", SET "rank2file.0.0");
    make_prefix(take, "real_scr_1.2.2_prefix", SET "rank2file.scr", SET "rank2file.0.0.scr");
    make_prefix(take, "real_scr_3_container_prefix", SET "rank2file", SET "rank2file.0.0");
    append("gather_4_scr1", "rank2file", ".scr/rank2file.scr");
    append("gather_4_scr1", "rank2file.0.0", ".scr/rank2file.0.0");
    take_all(take);
    append("gather_16_seg512", "rank2file", "rank2file");
    append("gather_16_seg512", "rank2file.0.0", "rank2file.0.0");
    append("gather_16_seg512", "rank2file.0.2", "rank2file.0.2");
    take_all(take);
    append("serial", "filemap.scrinfo", ".scr/filemap.scrinfo");
    append("serial", "filemap_0.scrinfo", ".scr/filemap_0.scrinfo");
    take_all(take);
    append("real_scr_1.1.8_plain/cntl", "filemap.scrinfo", ".scr/filemap.scrinfo");
    append("real_scr_1.1.8_plain/cntl", "filemap_0.scrinfo", ".scr/filemap_0.scrinfo");
    append("real_scr_1.1.8_plain/cntl", "filemap_1.scrinfo", ".scr/filemap_1.scrinfo");
    append("real_scr_1.1.8_plain", "prefix/.scr/index.scr", ".scr/index.scr");
    take_all(take);
}

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .resized = joined_resized,
                                        .seal = seal,
                                        .make = make,
                                        .rounds = 400,
                                        .most = 8192};
