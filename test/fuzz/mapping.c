/*
 * The mapping table of a set of three files. An input is the sizes of the three in 12 bytes, and
 * then the files, one behind the other.
 */
#include "fuzz/container.h"

enum { FILES = 3, HEAD = 4 * FILES };

static const char *const names[FILES] = {CONTAINER, CONTAINER ".000001", CONTAINER ".000002"};

static void run(const uint8_t *bytes, size_t size)
{
    struct container *container;
    size_t at = HEAD;
    int i;

    memory_begin();
    for (i = 0; i < FILES && size >= HEAD; i++) {
        uint32_t length;

        memcpy(&length, bytes + 4 * i, sizeof length);
        if (length > size - at || i == FILES - 1)
            length = (uint32_t)(size - at);
        memory_add(names[i], bytes + at, length);
        at += length;
    }
    container = container_read("rb");
    if (container)
        container_compare_ranks(container, "rb");
    container_free(container);
    memory_end();
}

/* The mapping table, which ends file 0. */
static size_t focus(const uint8_t *bytes, size_t size, size_t *end)
{
    struct container_places places;
    uint32_t length = 0;

    *end = size;
    if (size >= HEAD)
        memcpy(&length, bytes, sizeof length);
    if (length == 0 || length > size - HEAD || !container_find(bytes + HEAD, length, &places))
        return 0;
    *end = HEAD + length;
    return HEAD + places.end;
}

/* A length changes only where it says so. */
static void seal(uint8_t *bytes, size_t size)
{
    uint32_t lengths[FILES];

    if (size < HEAD || size % 4 == 3)
        return;
    memcpy(lengths, bytes, sizeof lengths);
    if (size - HEAD <= (size_t)lengths[1] + lengths[2])
        return;
    lengths[0] = (uint32_t)(size - HEAD) - lengths[1] - lengths[2];
    memcpy(bytes, lengths, sizeof lengths);
}

static void make_set(fuzz_take *take, const char *name)
{
    static uint8_t joined[1 << 16];
    size_t at = HEAD, length;
    int i;

    for (i = 0; i < FILES; i++) {
        uint8_t *bytes;
        uint32_t number;
        char path[64];

        snprintf(path, sizeof path, i == 0 ? "%s" : "%s.%06d", name, i);
        bytes = fuzz_golden(path, &length);
        FUZZ_CHECK(at + length <= sizeof joined);
        memcpy(joined + at, bytes, length);
        number = (uint32_t)length;
        memcpy(joined + 4 * i, &number, sizeof number);
        at += length;
        free(bytes);
    }
    take(joined, at);
}

static void make(fuzz_take *take)
{
    make_set(take, "mpi/m01_multi.sion");
    make_set(take, "mpi/m10_lcomm.sion");
    make_set(take, "swapped/b04_multi.sion");
    make_set(take, "invalid/i45_multi_badmap.sion");
    make_set(take, "buddy/m06d_buddy3l2.sion");
}

const struct fuzz_target fuzz_target = {
    .run = run, .focus = focus, .seal = seal, .make = make, .rounds = 500};
