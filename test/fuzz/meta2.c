/* META2: chunk counts and used bytes, and the tail of META1 that says where they are. */
#include "container.h"

static void run(const uint8_t *bytes, size_t size)
{
    container_try(bytes, size, "rb,posix");
}

/* The tables, or now and then the chunk sizes and the tail. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct container_places places;

    *end = size;
    if (!container_find(bytes, size, &places))
        return 0;
    *end = dice % 4 == 0 ? places.tail + 12 : places.end;
    return dice % 4 == 0 ? places.arrays : places.meta2;
}

static const char *const samples[] = {"serial/s01_single.sion",
                                      "serial/s04_multichunk.sion",
                                      "serial/s08_granks.sion",
                                      "serial/s12_allzero.sion",
                                      "serial/s14_kvedge.sion",
                                      "serial/s15_kvsplit2.sion",
                                      "mpi/m09_chunks130.sion",
                                      "mpi/m12_mapped_chunks.sion.000001",
                                      "mpi/m03b_cmergeonly.sion",
                                      "old/v2.sion",
                                      "old/v4_unaligned.sion",
                                      "defrag/d_s07_q1.sion",
                                      "invalid/i49_data_cut_meta2_in_gap.sion",
                                      "swapped/b01_bigmeta_biguser.sion",
                                      NULL};

const struct fuzz_target fuzz_target = {
    .run = run, .focus = focus, .samples = samples, .rounds = 300, .most = 16384};
