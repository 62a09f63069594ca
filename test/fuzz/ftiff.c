/*
 * FTI-FF checkpoints and Reed-Solomon files: the readers never read beyond the end, overflow or
 * leak. What is undamaged says the same when it is read again.
 */
#include "fuzz.h"

#include "ftiff/names.h"
#include "ftiff/read.h"
#include "src/ftiff/fti_check.h"

/* Memory for each variable, of exactly its size, as a program protects it at a restart. */
struct variables {
    unsigned char **memory; /* [nvars] in the order of the variables' first containers, by id */
};

static void *target(void *data, const struct scion_fti_image *image, int index)
{
    const struct scion_fti_var *var = &image->vars[index];
    unsigned char **memory = ((struct variables *)data)->memory;
    struct scion_fti_variable variable;

    if (!scion_fti_variable_find(image, var->id, &variable))
        abort();
    if (!memory[variable.first] && !(memory[variable.first] = malloc((size_t)variable.size)))
        abort();
    return memory[variable.first] + var->dptr;
}

static void recover(struct scion_fti_source *source, const struct scion_fti_image *image)
{
    struct variables variables = {.memory = calloc((size_t)image->nvars + 1, sizeof(void *))};
    const struct scion_fti_visitor visitor = {.data = &variables, .target = target};
    int i;

    if (!variables.memory)
        abort();
    scion_fti_verify(source, image, &visitor);
    for (i = 0; i < image->nvars; i++)
        free(variables.memory[i]);
    free(variables.memory);
}

static void accept(const unsigned char *data, size_t size)
{
    const struct scion_fti_visitor visitor = {.is_thorough = 1};
    struct scion_fti_parity encoded;
    struct scion_fti_memory memory;
    struct scion_fti_image image;

    scion_fti_memory(&memory, data, size);
    scion_fti_read_encoded(&memory.source, &encoded);
    if (scion_fti_read(&memory.source, &image) != 0)
        return;
    scion_fti_verify(&memory.source, &image, &visitor);
    recover(&memory.source, &image);
    scion_fti_image_clear(&image);
}

/* Correct the file block, so that the bytes after it are read. */
static void accept_as(const unsigned char *data, size_t size, enum scion_fti_era era)
{
    const struct scion_fti_layout *layout = scion_fti_layout(era);
    unsigned char *copy = malloc(size), *bytes;
    struct scion_fti_fb fb;

    if (!copy)
        abort();
    memcpy(copy, data, size);
    bytes = layout->fb_at_end ? copy + size - layout->fb_bytes : copy;
    scion_fti_fb_decode(era, bytes, &fb);
    if (!scion_fti_fb_plausible(bytes))
        memset(fb.checksum, '0', sizeof fb.checksum - 1);
    fb.fs = (sion_int64)size;
    scion_fti_fb_encode(era, &fb, bytes);
    accept(copy, size);
    free(copy);
}

static void run(const uint8_t *data, size_t size)
{
    char name[64];
    int era;

    accept(data, size);
    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        if (size >= (size_t)scion_fti_layout((enum scion_fti_era)era)->fb_bytes)
            accept_as(data, size, (enum scion_fti_era)era);
    }
    if (size < sizeof name) {
        memcpy(name, data, size);
        name[size] = '\0';
        scion_fti_name_parse(name);
    }
}

/* ---- digests ---- */

static uint8_t *block_of(enum scion_fti_era era, uint8_t *bytes, size_t size)
{
    const struct scion_fti_layout *layout = scion_fti_layout(era);

    return layout->fb_at_end ? bytes + size - layout->fb_bytes : bytes;
}

/* Whether the bytes have a structure of this era once the file block has its own digest. */
static int read_as(enum scion_fti_era era, uint8_t *bytes, size_t size,
                   struct scion_fti_memory *memory, struct scion_fti_image *image)
{
    struct scion_fti_fb fb;

    if (size < (size_t)scion_fti_layout(era)->fb_bytes ||
        !scion_fti_fb_plausible(block_of(era, bytes, size)))
        return 0;
    scion_fti_fb_decode(era, block_of(era, bytes, size), &fb);
    scion_fti_fb_encode(era, &fb, block_of(era, bytes, size));
    scion_fti_memory(memory, bytes, size);
    return scion_fti_read(&memory->source, image) == 0;
}

/* The digests of the containers' data, which stand in their records. */
static void hash_data(uint8_t *bytes, struct scion_fti_memory *memory,
                      const struct scion_fti_image *image)
{
    const int length = scion_fti_layout(image->era)->var_bytes;
    struct scion_fti_cursor cursor;
    struct scion_fti_record record;

    scion_fti_cursor(&cursor, &memory->source, image);
    while (cursor.next < image->nvars && scion_fti_cursor_next(&cursor, &record) == 0) {
        sion_int64 place = cursor.records.place -
                           (cursor.records.there - cursor.records.at + 1) * (sion_int64)length;

        if (record.var.fptr < 0 || record.var.chunksize > memory->source.size - record.var.fptr)
            return;
        scion_md5(bytes + record.var.fptr, (size_t)record.var.chunksize, record.hash);
        scion_fti_record_encode(image->era, &record, bytes + place);
    }
}

/* The digest of the whole, which stands in the file block. */
static void hash_all(uint8_t *bytes, struct scion_fti_memory *memory,
                     const struct scion_fti_image *image)
{
    size_t size = (size_t)memory->source.size,
           length = (size_t)scion_fti_layout(image->era)->fb_bytes;
    uint8_t *block = block_of(image->era, bytes, size), digest[SCION_MD5_BYTES];
    char of_all[SCION_FTI_HEX];
    struct scion_fti_fb fb;

    scion_fti_fb_decode(image->era, block, &fb);
    if (image->era == SCION_FTI_A) {
        scion_md5(bytes + length, size - length, digest);
        scion_fti_hex(digest, fb.checksum);
    } else if (image->era > SCION_FTI_B) {
        scion_fti_hash_of_hashes(&memory->source, image, fb.checksum, of_all);
    }
    scion_fti_fb_encode(image->era, &fb, block);
}

static void seal(uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    struct scion_fti_memory memory;
    struct scion_fti_image image;
    int era, is_read = 0;

    FUZZ_CHECK(copy != NULL);
    for (era = SCION_FTI_A; era < SCION_FTI_ERAS && !is_read; era++) {
        memcpy(copy, bytes, size);
        is_read = read_as((enum scion_fti_era)era, copy, size, &memory, &image);
    }
    if (is_read) {
        hash_data(copy, &memory, &image);
        hash_all(copy, &memory, &image);
        memcpy(bytes, copy, size);
        scion_fti_image_clear(&image);
    }
    free(copy);
}

/* The records are at both ends. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    enum { RECORDS = 700 };

    (void)bytes;
    *end = size;
    if (size <= RECORDS)
        return 0;
    *end = dice % 2 ? RECORDS : size;
    return dice % 2 ? 0 : size - RECORDS;
}

/* Three small variables in two blocks, of each era. */
static void make_one(fuzz_take *take, enum scion_fti_era era)
{
    static const struct scion_fti_demand first[] = {{1, 40}, {7, 100}};
    static const struct scion_fti_demand second[] = {{1, 60}, {7, 90}, {3, 8}};
    static const uint8_t bytes[128] = {1, 2, 3};
    struct scion_fti_image old = {.era = era}, image = {.era = era}, none = {.era = era};
    const void *data[8];
    uint8_t *file;
    size_t size;
    int i;

    FUZZ_CHECK(scion_fti_grow(&none, first, 2, &old) == 0);
    scion_fti_image_sort(&old);
    FUZZ_CHECK(scion_fti_grow(&old, second, 3, &image) == 0 && image.nvars <= 8);
    for (i = 0; i < image.nvars; i++)
        data[i] = image.vars[i].chunksize > 0 ? bytes : NULL;
    FUZZ_CHECK(scion_fti_seal(&image, data, 1, 5, 1) == 0);
    file = fti_build(&image, data, &size);
    take(file, size);
    free(file);
    scion_fti_image_clear(&old);
    scion_fti_image_clear(&image);
}

static void make(fuzz_take *take)
{
    int era;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++)
        make_one(take, (enum scion_fti_era)era);
}

static const char *const samples[] = {
    "ftiff/v1.1/L1/Ckpt1-Rank0.fti", "ftiff/v1.3/L1/Ckpt1-Rank0.fti",
    "ftiff/master/L1/Ckpt1-Rank0.fti", "ftiff/master/L3/Ckpt1-RSed0.fti", NULL};

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .seal = seal,
                                        .make = make,
                                        .samples = samples,
                                        .rounds = 500,
                                        .most = 32768};
