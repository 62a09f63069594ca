/* SCR's trees of keys: a tree that is accepted is printed, encoded, and decoded to the same one. */
#include "fuzz.h"

#include "scr/kvtree/kvtree.h"

static int is_same(const sion_kvtree *a, const sion_kvtree *b)
{
    const sion_kvtree *one = sion_kvtree_first(a), *two = sion_kvtree_first(b);

    for (; one && two; one = sion_kvtree_next(one), two = sion_kvtree_next(two)) {
        if (strcmp(sion_kvtree_key(one), sion_kvtree_key(two)) != 0 || !is_same(one, two))
            return 0;
    }
    return !one && !two && sion_kvtree_count(a) == sion_kvtree_count(b);
}

/* Every key is found by its name, at its place. */
static void look_up(const sion_kvtree *tree)
{
    const sion_kvtree *child = sion_kvtree_first(tree);
    long long number;

    for (; child; child = sion_kvtree_next(child)) {
        FUZZ_CHECK(sion_kvtree_get(tree, sion_kvtree_key(child)) == child);
        scion_kvtree_int(tree, sion_kvtree_key(child), &number);
        look_up(child);
    }
}

static void run(const uint8_t *bytes, size_t size)
{
    static char printed[1 << 16];
    static FILE *nowhere;
    sion_kvtree *tree = NULL, *again = NULL;
    void *encoded = NULL;
    size_t length = 0, used = 0;

    if (scion_kvtree_decode(bytes, size, &tree, &used) != 0)
        return;
    if (!nowhere && (nowhere = fopen("/dev/null", "w")))
        setvbuf(nowhere, printed, _IOFBF, sizeof printed);
    FUZZ_CHECK(nowhere && used <= size);
    sion_kvtree_print(tree, nowhere);
    sion_kvtree_print_json(tree, nowhere);
    look_up(tree);
    FUZZ_CHECK(scion_kvtree_encode(tree, &encoded, &length) == 0);
    FUZZ_CHECK(scion_kvtree_decode(encoded, length, &again, &used) == 0);
    FUZZ_CHECK(used == length && is_same(tree, again));
    free(encoded);
    sion_kvtree_free(tree);
    sion_kvtree_free(again);
}

static void seal(uint8_t *bytes, size_t size)
{
    if (size >= SCION_KVTREE_HEADER + SCION_KVTREE_CRC + 4)
        scion_kvtree_seal(bytes, size);
}

#define REAL "scr/real_scr_"

static const char *const samples[] = {"scr/serial/empty.kvtree",
                                      "scr/serial/one_kv.kvtree",
                                      "scr/serial/filemap_0.scrinfo",
                                      "scr/serial/rank2file.0.0.seg.scr",
                                      "scr/serial/seed000_rank2file.scr",
                                      "scr/serial/seed000_rank2file.0.0.scr",
                                      "scr/serial/summary.scr",
                                      REAL "1.1.8_plain/prefix/.scr/index.scr",
                                      REAL "1.1.8_plain/prefix/.scr/flush.scr",
                                      REAL "3_prefix/.scr/index.scr",
                                      NULL};

const struct fuzz_target fuzz_target = {
    .run = run, .seal = seal, .samples = samples, .rounds = 600, .most = 4096};
