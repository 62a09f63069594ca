/*
 * Reads the sample files, which FTI wrote: detects the release, checks all digests, compares the
 * data with their rule, and encodes the same bytes again. Writes and reads layouts without a
 * sample.
 */
#include "fti_check.h"

static const struct {
    const char *folder;
    enum scion_fti_era era;
} releases[] = {{"v1.1", SCION_FTI_A}, {"v1.3", SCION_FTI_C}, {"master", SCION_FTI_F}};

enum { SAMPLES = 80 /* Rank and Pcof files */, RESTARTS = 72 };

struct sample {
    char path[200];
    unsigned char *bytes;
    size_t size;
    struct scion_fti_memory memory;
    struct scion_fti_image image;
};

typedef void for_sample(const struct sample *sample, struct scion_fti_name name);

static int load(struct sample *sample)
{
    sample->bytes = support_load(support_golden(sample->path), &sample->size);
    if (!sample->bytes)
        return 0;
    scion_fti_memory(&sample->memory, sample->bytes, sample->size);
    return 1;
}

static int with_one(struct sample *sample, enum scion_fti_era era, for_sample *function)
{
    if (!load(sample))
        return 0;
    CHECK_INT(scion_fti_read(&sample->memory.source, &sample->image), 0);
    CHECK_INT(sample->image.era, era);
    fti_load_hashes(&sample->memory.source, &sample->image);
    function(sample, scion_fti_name_parse(sample->path));
    scion_fti_image_clear(&sample->image);
    free(sample->bytes);
    return 1;
}

/* All Rank files of programs that were killed and went on, some with variables of 0 bytes. */
static int with_restarts(for_sample *function)
{
    int n = 0, r, script, id, rank;

    for (r = 0; r < 3; r++)
        for (script = 0; script < 2; script++)
            for (id = 1; id <= 6; id++)
                for (rank = 0; rank < 2; rank++) {
                    struct sample sample = {.bytes = NULL};

                    snprintf(sample.path, sizeof sample.path,
                             "ftiff/after_restart/%s-%s/%d/Ckpt%d-Rank%d.fti", releases[r].folder,
                             script ? "rst" : "zero", id, id, rank);
                    n += with_one(&sample, releases[r].era, function);
                }
    return n;
}

/* All Rank and Pcof files. */
static int with_all(for_sample *function)
{
    int n = 0, r, level, id, rank, kind;

    for (r = 0; r < 3; r++)
        for (level = 1; level <= 4; level++)
            for (id = 1; id <= 7; id++)
                for (rank = 0; rank < 4; rank++)
                    for (kind = 0; kind < 2; kind++) {
                        struct sample sample = {.bytes = NULL};

                        snprintf(sample.path, sizeof sample.path, "ftiff/%s/L%d/Ckpt%d-%s%d.fti",
                                 releases[r].folder, level, id, kind ? "Pcof" : "Rank", rank);
                        n += with_one(&sample, releases[r].era, function);
                    }
    return n;
}

static void verify_one(const struct sample *sample, struct scion_fti_name name)
{
    const struct scion_fti_visitor visitor = {.is_thorough = 1};
    struct scion_fti_memory memory = sample->memory;

    CHECK_INT(scion_fti_verify(&memory.source, &sample->image, &visitor), 0);
    CHECK_INT(fti_accept(sample->bytes, sample->size, sample->path), 0);
    if (sample->image.era != SCION_FTI_A)
        CHECK_INT(sample->image.fb.ckptid, name.ckptid);
}

static void every_sample_is_detected_and_intact(void)
{
    CHECK_INT(with_all(verify_one), SAMPLES);
    CHECK_INT(with_restarts(verify_one), RESTARTS);
}

/* Elements of the arrays 1 to 5 at each checkpoint, in thousands. */
static const int elements[7][5] = {{1, 2, 3, 0, 0}, {1, 2, 3, 4, 0}, {1, 6, 7, 4, 0},
                                   {1, 6, 7, 4, 5}, {1, 5, 6, 4, 5}, {1, 8, 9, 4, 5},
                                   {1, 1, 2, 4, 5}};

/* A partner's file has the data of the left neighbour in a ring of four. */
static void compare_data(const struct sample *sample, struct scion_fti_name name)
{
    int rank = name.kind == SCION_FTI_PARTNER ? (name.rank + 3) % 4 : name.rank, id, i;
    const struct scion_fti_image *image = &sample->image;
    struct scion_fti_variable variable;

    for (id = 1; id <= 5; id++) {
        int found = scion_fti_variable_find(image, id, &variable);

        CHECK_INT(found ? variable.size : 0, elements[name.ckptid - 1][id - 1] * 4000);
    }
    CHECK(!scion_fti_variable_find(image, 0, &variable));
    CHECK(!scion_fti_variable_find(image, 6, &variable));
    for (i = 0; i < image->nvars; i++) {
        const struct scion_fti_var *var = &image->vars[i];

        CHECK(fti_is_filled(sample->bytes + var->fptr, rank, var->id, var->dptr / 4,
                            (size_t)var->chunksize / 4));
    }
}

static void every_sample_has_the_data_by_the_rule(void)
{
    CHECK_INT(with_all(compare_data), SAMPLES);
}

/*
 * Encoded again, a sample is the same byte by byte, except for padding: bytes 13 to 15 of a
 * container in layout A, and the last byte of the file block in later layouts.
 */
static void encode_again(const struct sample *sample, struct scion_fti_name name)
{
    const struct scion_fti_image *image = &sample->image;
    const void **data = calloc((size_t)image->nvars, sizeof *data);
    unsigned char *expected = malloc(sample->size), *bytes;
    size_t size, place = 0;
    int b, i;

    (void)name;
    memcpy(expected, sample->bytes, sample->size);
    for (i = 0; i < image->nvars; i++)
        data[i] = sample->bytes + image->vars[i].fptr;
    if (scion_fti_layout(image->era)->has_id)
        expected[sample->size - 1] = 0;
    for (b = 0, place = 96; image->era == SCION_FTI_A && b < image->nblocks; b++) {
        for (i = 0; i < scion_fti_numvars(image, b); i++)
            memset(expected + place + 12 + 64 * i + 13, 0, 3);
        place += (size_t)scion_fti_block_size(image, b);
    }
    bytes = fti_build(image, data, &size);
    CHECK_INT(size, sample->size);
    CHECK(memcmp(bytes, expected, size) == 0);
    free(bytes);
    free(expected);
    free(data);
}

static void every_sample_is_encoded_to_the_same_bytes(void)
{
    CHECK_INT(with_all(encode_again), SAMPLES);
    CHECK_INT(with_restarts(encode_again), RESTARTS);
}

static void file_blocks_check_reed_solomon_files(void)
{
    int r, rank;

    for (r = 0; r < 3; r += 2) {
        for (rank = 0; rank < 4; rank++) {
            struct sample sample = {.bytes = NULL};
            struct scion_fti_parity encoded;

            snprintf(sample.path, sizeof sample.path, "ftiff/%s/L3/Ckpt1-RSed%d.fti",
                     releases[r].folder, rank);
            CHECK(load(&sample));
            CHECK_INT(scion_fti_read_encoded(&sample.memory.source, &encoded), 0);
            CHECK_INT(encoded.era, releases[r].era);
            CHECK_INT(encoded.bytes, 24300);
            CHECK_INT(encoded.fb.ckptsize, r == 0 ? 24300 : 24292);
            sample.bytes[24299] ^= 1;
            CHECK_INT(scion_fti_read_encoded(&sample.memory.source, &encoded), SION_ERR_DAMAGED);
            CHECK_CONTAINS(scion_error_text(), "Reed-Solomon");
            sample.bytes[24299] ^= 1;
            sample.memory.source.size--;
            CHECK(scion_fti_read_encoded(&sample.memory.source, &encoded) < 0);
            free(sample.bytes);
        }
    }
}

/* Numbers that need all bytes which a layout has for them. */
static sion_int64 large_in(enum scion_fti_era era)
{
    return era == SCION_FTI_E ? 0x7ffffff1 : 0x123456789abcdef;
}

static void file_blocks_of_every_layout_keep_their_values(void)
{
    unsigned char bytes[SCION_FTI_FB_MOST];
    enum scion_fti_era era;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        int has_id = scion_fti_layout(era)->has_id;
        sion_int64 large = large_in(era);
        struct scion_fti_fb fb = {"0123456789abcdef0123456789abcdef",
                                  17,
                                  large,
                                  large - 1,
                                  large - 2,
                                  large - 3,
                                  -1,
                                  large - 4,
                                  0x89abcdef},
                            fb2;

        scion_fti_fb_encode(era, &fb, bytes);
        CHECK(scion_fti_fb_valid(era, bytes));
        scion_fti_fb_decode(era, bytes, &fb2);
        CHECK_INT(fb2.ckptid, has_id ? 17 : 0);
        CHECK_INT(fb2.ckptsize, large);
        CHECK_INT(fb2.fs, large - 1);
        CHECK_INT(fb2.metasize, has_id ? large - 2 : 0);
        CHECK_INT(fb2.datasize, has_id ? large - 3 : 0);
        CHECK_INT(fb2.maxfs, -1);
        CHECK_INT(fb2.ptfs, large - 4);
        CHECK_INT(fb2.timestamp, 0x89abcdef);
    }
}

static void records_of_every_layout_keep_their_values(void)
{
    unsigned char bytes[SCION_FTI_VAR_MOST];
    enum scion_fti_era era;
    sion_int64 dbsize;
    int32_t numvars;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        sion_int64 large = large_in(era);
        const struct scion_fti_var var = {.dptr = 0x1122334455667788,
                                          .fptr = 0x2233445566778899,
                                          .chunksize = large,
                                          .containersize = large - 5,
                                          .id = -7,
                                          .containerid = 9};
        struct scion_fti_record record = {.var = var, .idx = 8, .hascontent = 1, .hasckpt = 1},
                                record2;

        memcpy(record.hash, "abcdefghijklmnop", 16);
        scion_fti_record_encode(era, &record, bytes);
        scion_fti_record_decode(era, bytes, &record2);
        CHECK_INT(record2.idx, scion_fti_layout(era)->has_idx ? 8 : 0);
        CHECK_INT(record2.hasckpt, era != SCION_FTI_A);
        CHECK(record2.var.dptr == var.dptr && record2.var.fptr == var.fptr);
        CHECK(record2.var.chunksize == large && record2.var.containersize == large - 5);
        CHECK(record2.var.id == -7 && record2.var.containerid == 9);
        CHECK(record2.hascontent == 1 && memcmp(record2.hash, record.hash, 16) == 0);
        scion_fti_db_encode(era, 5, large, bytes);
        scion_fti_db_decode(era, bytes, &numvars, &dbsize);
        CHECK(numvars == 5 && dbsize == large);
    }
}

/* A source of records that counts the bytes read, and has no bytes after them. */
struct counted {
    struct scion_fti_source source;
    const unsigned char *bytes;
    sion_int64 read;
};

static int read_counted(struct scion_fti_source *source, void *to, size_t bytes, sion_int64 offset)
{
    struct counted *counted = (struct counted *)source;

    counted->read += (sion_int64)bytes;
    if (offset < 0 || (sion_int64)bytes > source->size - offset)
        return scion_fail(SION_ERR_SYSTEM, "%zu bytes at %lld are missing", bytes, offset);
    memcpy(to, counted->bytes + offset, bytes);
    return 0;
}

/* Each record is read once, and nothing after the last, whether they fill a part of a piece or
   several pieces. */
static void read_records(enum scion_fti_era era, int n)
{
    sion_int64 size = scion_fti_layout(era)->var_bytes;
    unsigned char *bytes = malloc((size_t)(n * size));
    struct counted counted = {{n * size, 0, read_counted}, bytes, 0};
    struct scion_fti_record record = {.idx = 0};
    struct scion_fti_records records;
    int i, wrong = 0;

    for (i = 0; i < n; i++) {
        record.var.id = i + 1;
        scion_fti_record_encode(era, &record, bytes + i * size);
    }
    scion_fti_records(&records, &counted.source, era, 0, n);
    for (i = 0; i < n; i++)
        wrong += scion_fti_next_record(&records, &record) != 0 || record.var.id != (int32_t)(i + 1);
    CHECK_INT(wrong, 0);
    CHECK_INT(counted.read, n * size);
    free(bytes);
}

static void records_are_read_in_pieces(void)
{
    static const int numbers[] = {1, 64, 65, 200};
    enum scion_fti_era era;
    int i;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++)
        for (i = 0; i < 4; i++)
            read_records(era, numbers[i]);
}

static void names_are_those_of_fti(void)
{
    static const struct {
        const char *path;
        struct scion_fti_name name;
    } names[] = {
        {"Ckpt7-Rank0.fti", {SCION_FTI_RANK, 7, 0}},
        {"a/b.c/Ckpt12-Rank345.fti", {SCION_FTI_RANK, 12, 345}},
        {"./Ckpt1-Pcof2.fti", {SCION_FTI_PARTNER, 1, 2}},
        {"Ckpt1-RSed2.fti", {SCION_FTI_ENCODED, 1, 2}},
        {"dCPFile-Rank3.fti", {SCION_FTI_DIFFERENTIAL, -1, 3}},
        {"Ckpt4-mpiio.fti", {SCION_FTI_SHARED, 4, -1}},
        {"Ckpt4-sionlib.fti", {SCION_FTI_SHARED, 4, -1}},
        {"Ckpt-1-Rank2.fti", {SCION_FTI_FOREIGN, -1, -1}},
        {"Ckpt1-Rank02.fti", {SCION_FTI_FOREIGN, -1, -1}},
        {"Ckpt1-Rank2.fti.new", {SCION_FTI_FOREIGN, -1, -1}},
        {"Ckpt1-Rank99999999999.fti", {SCION_FTI_FOREIGN, -1, -1}},
        {"Topology.fti", {SCION_FTI_FOREIGN, -1, -1}},
        {"Ckpt1-Rank2.fti/x", {SCION_FTI_FOREIGN, -1, -1}},
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        struct scion_fti_name name = scion_fti_name_parse(names[i].path);

        CHECK_INT(name.kind, names[i].name.kind);
        CHECK_INT(name.ckptid, names[i].name.ckptid);
        CHECK_INT(name.rank, names[i].name.rank);
    }
}

int main(void)
{
    RUN(every_sample_is_detected_and_intact);
    RUN(every_sample_has_the_data_by_the_rule);
    RUN(every_sample_is_encoded_to_the_same_bytes);
    RUN(file_blocks_check_reed_solomon_files);
    RUN(file_blocks_of_every_layout_keep_their_values);
    RUN(records_of_every_layout_keep_their_values);
    RUN(records_are_read_in_pieces);
    RUN(names_are_those_of_fti);
    return check_done();
}
