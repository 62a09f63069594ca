/* META1, alone and as the header of a container of one file. */
#include "container.h"

#include "format/meta1.h"
#include "format/places.h"

static int is_same(const struct scion_meta1 *a, const struct scion_meta1 *b)
{
    return a->big_endian == b->big_endian && a->version == b->version && a->patch == b->patch &&
           a->fsblksize == b->fsblksize && a->ntasks == b->ntasks && a->nfiles == b->nfiles &&
           a->filenumber == b->filenumber && a->flag1 == b->flag1 && a->flag2 == b->flag2 &&
           strcmp(a->prefix, b->prefix) == 0;
}

/* What is decoded can be encoded, and is the same then. */
static void decode(const uint8_t *bytes, size_t size, sion_int64 file_size)
{
    uint8_t encoded[SCION_META1_FIXED];
    struct scion_meta1 head, again;
    struct scion_places places;

    if (scion_meta1_decode(bytes, size, file_size, &head) != 0)
        return;
    FUZZ_CHECK(head.ntasks >= 1 && scion_meta1_size(head.ntasks) > 0 && head.fsblksize >= 1);
    FUZZ_CHECK(scion_meta1_grain(&head) >= 1);
    if (scion_places_decode(&head, &places) == 1)
        FUZZ_CHECK(places.n < head.ntasks && places.n * places.step < head.ntasks);
    scion_meta1_encode(&head, encoded);
    if (head.format_version < SCION_FORMAT_OLDEST + 1)
        return;
    FUZZ_CHECK(scion_meta1_decode(encoded, sizeof encoded, file_size, &again) == 0);
    FUZZ_CHECK(is_same(&head, &again));
}

static void run(const uint8_t *bytes, size_t size)
{
    decode(bytes, size, (sion_int64)size);
    decode(bytes, size, (sion_int64)1 << 40);
    container_try(bytes, size, "rb");
}

/* All but the prefix's first bytes, which nobody reads, and the data. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    enum { PREFIX_END = 52 + 1024 };
    size_t from = size > PREFIX_END && dice % 2 ? PREFIX_END : 0;

    (void)bytes;
    *end = from == 0 ? 60 : PREFIX_END + 160;
    if (*end > size)
        *end = size;
    return from;
}

static const char *const samples[] = {"serial/s01_single.sion",
                                      "serial/s03_zero.sion",
                                      "serial/s11_fsblk1.sion",
                                      "serial/s08_granks.sion",
                                      "serial/s12_allzero.sion",
                                      "serial/s15_kvsplit2.sion",
                                      "old/v2.sion",
                                      "old/v3.sion",
                                      "old/v4_unaligned.sion",
                                      "swapped/b04_multi.sion",
                                      "swapped/b01_bigmeta_biguser.sion",
                                      "mpi/m10_lcomm.sion",
                                      NULL};

const struct fuzz_target fuzz_target = {
    .run = run, .focus = focus, .samples = samples, .rounds = 300, .most = 16384};
