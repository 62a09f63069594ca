/*
 * Reads arbitrary bytes as an FTI-FF checkpoint and as a Reed-Solomon file: the readers never read
 * beyond the end, overflow or leak. For libFuzzer, in the folder of the sources:
 *
 *     clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZER -Isrc \
 *         -Iinclude test/fuzz/ftiff.c src/base/{error,fail}.c \
 *         src/ftiff/{digest,encoded,format,grow,image,names,read,records,verify,write}.c -lnettle \
 *         -o fuzz-ftiff
 *     ./fuzz-ftiff -max_len=100000 corpus test/golden/ftiff/v1.1/L1
 *
 * As a test, it changes the sample files itself, a few thousand times, and prints the random seed.
 */
#include <stdlib.h>
#include <string.h>

#include "ftiff/names.h"
#include "ftiff/read.h"

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
    struct scion_fti_encoded encoded;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *exact = malloc(size + !size); /* of exactly this size, for sanitizers */
    char name[64];
    int era;

    if (!exact)
        abort();
    memcpy(exact, data, size);
    accept(exact, size);
    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        if (size >= (size_t)scion_fti_layout((enum scion_fti_era)era)->fb_bytes)
            accept_as(exact, size, (enum scion_fti_era)era);
    }
    if (size < sizeof name) {
        memcpy(name, data, size);
        name[size] = '\0';
        scion_fti_name_parse(name);
    }
    free(exact);
    return 0;
}

#ifndef FUZZER
#include "support.h"

enum { ROUNDS = 1500 };

/* Make a few changes: bytes, numbers of records, parts that are missing or repeated. */
static size_t mutate(unsigned char *bytes, size_t size)
{
    static const int32_t numbers[] = {0, 1, -1, 0x7fffffff, -0x7fffffff - 1, 0x10000};
    size_t changes = 1 + check_below(4), place;

    for (; changes > 0 && size > 200; changes--) {
        /* The records are at both ends. */
        size_t window = check_below(2) ? 700 : size;

        if (window > size)
            window = size;
        place = check_below(2) ? check_below(window) : size - 1 - check_below(window);
        switch (check_below(4)) {
        case 0:
            bytes[place] ^= (unsigned char)(1 + check_below(255));
            break;
        case 1:
            if (place + 4 <= size)
                memcpy(bytes + place, &numbers[check_below(6)], 4);
            break;
        case 2:
            size -= check_below(window < size ? window : size / 2);
            break;
        default:
            window = (size - place) / 2;
            memmove(bytes + place, bytes + check_below(size - window), window);
        }
    }
    return size;
}

static void fuzz(const char *sample)
{
    size_t size, round;
    unsigned char *bytes = support_load(support_golden(sample), &size), *copy;

    CHECK(bytes != NULL);
    if (!bytes)
        return;
    copy = malloc(size);
    for (round = 0; round < ROUNDS; round++) {
        memcpy(copy, bytes, size);
        LLVMFuzzerTestOneInput(copy, mutate(copy, size));
    }
    free(copy);
    free(bytes);
}

static void changed_samples_do_no_harm(void)
{
    check_seed(20261122);
    fuzz("ftiff/v1.1/L1/Ckpt1-Rank0.fti");
    fuzz("ftiff/v1.3/L1/Ckpt1-Rank0.fti");
    fuzz("ftiff/master/L1/Ckpt1-Rank0.fti");
    fuzz("ftiff/master/L3/Ckpt1-RSed0.fti");
}

int main(void)
{
    RUN(changed_samples_do_no_harm);
    return check_done();
}
#endif
