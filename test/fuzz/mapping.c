/* The mapping table of a set of three files (joined.h). */
#include "container.h"
#include "joined.h"

enum { FILES = 3 };

static const char *const ends[FILES] = {"", ".000001", ".000002"};

static void run(const uint8_t *bytes, size_t size)
{
    struct container *container;

    memory_begin();
    joined_add_all(bytes, size, CONTAINER);
    container = container_read("rb");
    if (container)
        container_compare_ranks(container, "rb");
    container_free(container);
    memory_end();
}

/* The mapping table, which ends file 0, or the header of a file. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct container_places places;
    struct joined file;

    *end = size;
    if (!joined_get(bytes, size, dice % 2 ? 0 : dice / 2, &file))
        return 0;
    *end = file.from + file.size;
    if (!container_find(bytes + file.from, file.size, &places))
        return file.from;
    if (dice % 2)
        return file.from + places.end;
    *end = file.from + 60;
    return file.from;
}

static void make_set(fuzz_take *take, const char *name)
{
    static struct joined_input input;
    int i;

    input.size = 0;
    for (i = 0; i < FILES; i++) {
        char path[64];
        uint8_t *bytes;
        size_t size;

        snprintf(path, sizeof path, "%s%s", name, ends[i]);
        bytes = fuzz_golden(path, &size);
        joined_append(&input, ends[i], bytes, size);
        free(bytes);
    }
    take(input.bytes, input.size);
}

static void make(fuzz_take *take)
{
    make_set(take, "mpi/m01_multi.sion");
    make_set(take, "mpi/m10_lcomm.sion");
    make_set(take, "swapped/b04_multi.sion");
    make_set(take, "invalid/i45_multi_badmap.sion");
    make_set(take, "buddy/m06d_buddy3l2.sion");
}

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .resized = joined_resized,
                                        .make = make,
                                        .rounds = 500,
                                        .most = 24576};
