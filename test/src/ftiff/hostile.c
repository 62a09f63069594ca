/*
 * Damaged, truncated and hostile bytes, in every layout: every truncation and every changed byte is
 * refused, except for bytes that cannot be checked, and nothing is read or allocated beyond bounds.
 * `limited`: with 64 MB of address space, and, for files of records only, as little as their size.
 */
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "fti_check.h"

#define NAME "Ckpt3-Rank0.fti"

enum { EMPTY = 1, SINGLE = 7, GROWN = 9 };

static unsigned char grown[300], single[40];

/* A small checkpoint with all cases: a variable of three containers (one full, one partly filled,
   one empty), a variable of a single container, and a variable without bytes. */
static unsigned char *make(enum scion_fti_era era, struct scion_fti_image *image, size_t *size)
{
    static const struct scion_fti_demand steps[3][3] = {
        {{GROWN, 100}, {SINGLE, sizeof single}, {EMPTY, 0}},
        {{GROWN, 250}, {SINGLE, sizeof single}, {EMPTY, 0}},
        {{GROWN, 300}, {SINGLE, sizeof single}, {EMPTY, 0}}};
    static const struct scion_fti_demand last[3] = {
        {GROWN, 150}, {SINGLE, sizeof single}, {EMPTY, 0}};
    struct scion_fti_image before = {.era = era};
    const void *data[8];
    int i;

    for (i = 0; i < 4; i++) {
        *image = (struct scion_fti_image){.era = era};
        CHECK_INT(scion_fti_grow(&before, i < 3 ? steps[i] : last, 3, image), 0);
        scion_fti_image_clear(&before);
        before = *image;
    }
    CHECK_INT(image->nvars, 5);
    check_fill(grown, 1, 0, sizeof grown);
    check_fill(single, 2, 0, sizeof single);
    for (i = 0; i < image->nvars; i++)
        data[i] = image->vars[i].id == GROWN ? grown + image->vars[i].dptr : single;
    CHECK_INT(scion_fti_seal(image, data, 1, 3, 1234567890123456789), 0);
    return fti_build(image, data, size);
}

/* Refused because of the contents, not for lack of memory for the sizes in them. */
static int is_refused(const void *bytes, size_t size)
{
    int rc = fti_accept(bytes, size, NAME);

    CHECK(rc == 0 || rc == SION_ERR_DAMAGED || rc == SION_ERR_NOT_SION);
    return rc != 0;
}

static void limit_memory(size_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_AS, &limit);
}

static void every_layout_is_accepted(void)
{
    int era;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        struct scion_fti_memory memory;
        struct scion_fti_image image, read;
        size_t size;
        unsigned char *bytes = make((enum scion_fti_era)era, &image, &size);

        CHECK_INT(fti_accept(bytes, size, NAME), 0);
        scion_fti_memory(&memory, bytes, size);
        CHECK_INT(scion_fti_read(&memory.source, &read), 0);
        CHECK_INT(read.era, era);
        CHECK_INT(read.nvars, 5);
        CHECK_INT(read.nblocks, 3);
        CHECK_INT(read.counts_empty, 0); /* FTI accepts it, too */
        scion_fti_image_clear(&read);
        scion_fti_image_clear(&image);
        free(bytes);
    }
}

static void every_truncation_is_refused(void)
{
    int era;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        struct scion_fti_image image;
        size_t size, n;
        unsigned char *bytes = make((enum scion_fti_era)era, &image, &size);

        for (n = 0; n < size; n++) {
            unsigned char *part = malloc(n + 1); /* of exactly this size, for sanitizers */
            int refused;

            part = realloc(part, n > 0 ? n : 1);
            memcpy(part, bytes, n);
            refused = is_refused(part, n);
            /* In layout B, empty containers at the end may be missing. */
            if (!refused && !(era == SCION_FTI_B && n >= size - 50))
                printf("# layout %c: the first %zu of %zu bytes are accepted\n", 'A' + era, n,
                       size);
            CHECK(refused || (era == SCION_FTI_B && n >= size - 50));
            free(part);
        }
        scion_fti_image_clear(&image);
        free(bytes);
    }
}

/* Where the records of container i begin. */
static size_t place_of_var(const struct scion_fti_image *image, int i)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    size_t place = (size_t)(layout->fb_at_end ? image->fb.datasize : layout->fb_bytes);
    int b;

    for (b = 0; i >= image->first[b + 1]; b++)
        place += (size_t)(layout->fb_at_end
                              ? scion_fti_block_records(image->era, scion_fti_numvars(image, b))
                              : scion_fti_block_size(image, b));
    return place + (size_t)layout->db_bytes +
           (size_t)(i - image->first[b]) * (size_t)layout->var_bytes;
}

static struct scion_fti_record record_of(const struct scion_fti_image *image, int i)
{
    struct scion_fti_record record = {.var = image->vars[i],
                                      .idx = image->idx ? image->idx[i] : 0,
                                      .hascontent = (image->flags[i] & SCION_FTI_CONTENT) != 0};

    memcpy(record.hash, image->hashes[i], sizeof record.hash);
    return record;
}

/* hasCkpt is 0 or 1, and so is hascontent of a container for 0 bytes. */
static int is_free_flag(const struct scion_fti_image *image, int i, size_t at, int value)
{
    size_t flags = place_of_var(image, i) + (scion_fti_layout(image->era)->has_idx ? 12 : 8);

    if (value > 1)
        return 0;
    return at == flags + 1 ||
           (at == flags && image->vars[i].chunksize == 0 && (image->flags[i] & SCION_FTI_CONTENT));
}

/*
 * Bytes that neither a digest nor another number can check: padding; since 1.2, the id of a
 * variable with one container, and flags; and in 1.2, the hash of a container without content.
 */
static int is_free(const struct scion_fti_image *image, size_t at, int value)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    size_t fb = layout->fb_at_end ? (size_t)(image->fb.fs - layout->fb_bytes) : 0;
    int i;

    if (image->era == SCION_FTI_A)
        return at >= 49 && at < 56;
    if (at == fb + (size_t)layout->fb_bytes - 1)
        return 1;
    for (i = 0; i < image->nvars; i++) {
        size_t place = place_of_var(image, i), end = place + (size_t)layout->var_bytes;

        if (image->vars[i].id != GROWN && at >= place && at < place + 4)
            return 1;
        if (is_free_flag(image, i, at, value))
            return 1;
        if (image->era == SCION_FTI_B && !(image->flags[i] & SCION_FTI_CONTENT) && at >= end - 16 &&
            at < end)
            return 1;
    }
    return 0;
}

static void every_changed_byte_is_refused(void)
{
    int era, change;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        struct scion_fti_image image;
        size_t size, at, accepted = 0;
        unsigned char *bytes = make((enum scion_fti_era)era, &image, &size);

        for (at = 0; at < size; at++) {
            unsigned char old = bytes[at];

            for (change = 1; change < 256; change++) {
                int refused;

                bytes[at] = old ^ (unsigned char)change;
                refused = is_refused(bytes, size);
                if (!refused && !is_free(&image, at, bytes[at])) {
                    printf("# layout %c: byte %zu of %zu may become %d\n", 'A' + era, at, size,
                           bytes[at]);
                    CHECK(refused);
                }
                accepted += !refused;
            }
            bytes[at] = old;
        }
        CHECK(accepted > 0);
        CHECK_INT(fti_accept(bytes, size, NAME), 0);
        scion_fti_image_clear(&image);
        free(bytes);
    }
}

/* A forgery: after each change of its numbers, the file block gets a valid digest. */
static void file_blocks_with_wrong_numbers_are_refused(void)
{
    static const sion_int64 values[] = {0,
                                        1,
                                        -1,
                                        95,
                                        1000,
                                        0x7fffffff,
                                        -0x7fffffff - 1,
                                        0x7fffffffffffffff,
                                        -0x7fffffffffffffff - 1};
    size_t v, size;
    int era, field;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        const struct scion_fti_layout *layout = scion_fti_layout((enum scion_fti_era)era);
        struct scion_fti_image image;
        unsigned char *bytes = make((enum scion_fti_era)era, &image, &size);
        unsigned char *fb = layout->fb_at_end ? bytes + size - layout->fb_bytes : bytes;

        for (field = 0; field < (layout->has_id ? 4 : 2); field++) {
            for (v = 0; v < sizeof values / sizeof *values; v++) {
                struct scion_fti_fb forged = image.fb;
                sion_int64 *numbers[] = {&forged.ckptsize, &forged.fs, &forged.metasize,
                                         &forged.datasize};

                *numbers[field] = values[v];
                scion_fti_fb_encode((enum scion_fti_era)era, &forged, fb);
                CHECK(is_refused(bytes, size));
            }
        }
        scion_fti_image_clear(&image);
        free(bytes);
    }
}

/* The same for the numbers of containers: huge and negative ones, and sums that overflow. */
static void containers_with_wrong_numbers_are_refused(void)
{
    int era, i;

    check_seed(99);
    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        struct scion_fti_image image;
        size_t size;
        unsigned char *bytes = make((enum scion_fti_era)era, &image, &size);
        unsigned char *copy = malloc(size);
        int round;

        for (round = 0; round < 3000; round++) {
            const struct scion_fti_layout *layout = scion_fti_layout((enum scion_fti_era)era);
            int index = (int)check_below((size_t)image.nvars);
            struct scion_fti_record forged = record_of(&image, index);
            sion_int64 *numbers[] = {&forged.var.dptr, &forged.var.fptr, &forged.var.chunksize,
                                     &forged.var.containersize};
            sion_int64 value = (sion_int64)(check_random() >> check_below(64));

            memcpy(copy, bytes, size);
            for (i = 0; i < 1 + (int)check_below(3); i++)
                *numbers[check_below(4)] = check_below(2) ? value : -value;
            scion_fti_record_encode((enum scion_fti_era)era, &forged,
                                    copy + place_of_var(&image, index));
            if (memcmp(copy, bytes, size) != 0 && !is_refused(copy, size)) {
                printf("# layout %c, round %d, container %d\n", 'A' + era, round, index);
                CHECK(0);
            }
            /* The numbers of blocks: containers and bytes. */
            memcpy(copy, bytes, size);
            scion_fti_db_encode((enum scion_fti_era)era, (int32_t)value, value,
                                copy + place_of_var(&image, image.first[1]) - layout->db_bytes);
            CHECK(memcmp(copy, bytes, size) == 0 || is_refused(copy, size));
        }
        scion_fti_image_clear(&image);
        free(copy);
        free(bytes);
    }
}

static void refuse_forged(const struct scion_fti_image *image, const void *const *data)
{
    struct scion_fti_memory memory;
    struct scion_fti_image read;
    size_t size;
    unsigned char *bytes = fti_build(image, data, &size);

    scion_fti_memory(&memory, bytes, size);
    CHECK_INT(scion_fti_read(&memory.source, &read), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "beyond the variable's end");
    free(bytes);
}

/*
 * A forgery with valid digests: a container that is not full, and content in the next one. The sum
 * of the sizes is right, but the content would be beyond the end of the variable.
 */
static void content_beyond_the_end_is_refused(void)
{
    int era;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        struct scion_fti_image image;
        const void *data[5] = {grown, single, NULL, grown, NULL};
        size_t size;

        free(make((enum scion_fti_era)era, &image, &size));
        free(image.hashes);
        CHECK_INT(image.vars[0].id, GROWN);
        CHECK_INT(image.vars[3].id, GROWN);
        image.vars[0].chunksize -= 10;
        image.vars[3].chunksize += 10;
        CHECK_INT(scion_fti_seal(&image, data, 1, 3, 1), 0);
        refuse_forged(&image, data);
        scion_fti_image_clear(&image);
    }
}

static void other_files_are_not_called_damaged(void)
{
    static const char text[] =
        "This is no checkpoint. This is no checkpoint. This is no checkpoint. "
        "This is no checkpoint. This is no checkpoint.";
    struct scion_fti_memory memory;
    struct scion_fti_image image;
    unsigned char noise[500];
    int i;

    scion_fti_memory(&memory, text, sizeof text);
    CHECK_INT(scion_fti_read(&memory.source, &image), SION_ERR_NOT_SION);
    scion_fti_memory(&memory, text, 0);
    CHECK_INT(scion_fti_read(&memory.source, &image), SION_ERR_NOT_SION);
    check_seed(5);
    for (i = 0; i < 500; i++)
        noise[i] = (unsigned char)check_random();
    scion_fti_memory(&memory, noise, sizeof noise);
    CHECK_INT(scion_fti_read(&memory.source, &image), SION_ERR_NOT_SION);
}

/* The message names each damaged chunk. */
static int damages;
static char damage_text[300];

static void on_damage(void *data, const char *text)
{
    (void)data;
    damages++;
    snprintf(damage_text, sizeof damage_text, "%s", text);
}

static void damaged_chunks_are_named(void)
{
    int era;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        const struct scion_fti_visitor visitor = {.damage = on_damage};
        struct scion_fti_memory memory;
        struct scion_fti_image image, read;
        size_t size;
        unsigned char *bytes = make((enum scion_fti_era)era, &image, &size);

        bytes[image.vars[0].fptr + 99] ^= 4;
        bytes[image.vars[3].fptr] ^= 4;
        scion_fti_memory(&memory, bytes, size);
        CHECK_INT(scion_fti_read(&memory.source, &read), 0);
        damages = 0;
        CHECK_INT(scion_fti_verify(&memory.source, &read, &visitor), SION_ERR_DAMAGED);
        CHECK_INT(damages, 2);
        CHECK_CONTAINS(damage_text, "variable 9, container 1 (50 bytes at offset ");
        CHECK_CONTAINS(scion_error_text(), "variable 9, container 0 (100 bytes at offset ");
        scion_fti_image_clear(&read);
        scion_fti_image_clear(&image);
        free(bytes);
    }
}

/* ---- memory ---- */

enum { RECORDS = 200000, SLACK = 128 << 10 };

/* malloc maps large blocks and unmaps them when they are freed, so that earlier ones do not count
   against the limit. */
static void map_large_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, SLACK / 2);
#endif
}

/* A checkpoint of variables without bytes, in one block or in a block each: only records. */
static unsigned char *make_records(enum scion_fti_era era, int is_block_each, size_t *size)
{
    struct scion_fti_demand *demands = calloc(RECORDS, sizeof *demands);
    const void **data = calloc(RECORDS, sizeof *data);
    struct scion_fti_image none = {.era = era}, image = {.era = era};
    unsigned char *bytes;
    int i;

    for (i = 0; i < RECORDS; i++)
        demands[i].id = i;
    CHECK_INT(scion_fti_grow(&none, demands, RECORDS, &image), 0);
    if (is_block_each) {
        image.first = realloc(image.first, (RECORDS + 1) * sizeof *image.first);
        image.nblocks = RECORDS;
        for (i = 0; i <= RECORDS; i++)
            image.first[i] = i;
        CHECK_INT(scion_fti_lay_out(&image), 0);
    }
    CHECK_INT(scion_fti_seal(&image, data, 1, 3, 1), 0);
    bytes = fti_build(&image, data, size);
    scion_fti_image_clear(&image);
    free(demands);
    free(data);
    return bytes;
}

/* The bytes of address space in use. */
static size_t address_space(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (!file || fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void read_with_its_own_size(enum scion_fti_era era, int is_block_each)
{
    int status = -1;
    size_t size;
    unsigned char *bytes = make_records(era, is_block_each, &size);
    pid_t child = fork();

    if (child == 0) {
        limit_memory(address_space() + size + SLACK);
        _exit(fti_accept(bytes, size, NAME) != 0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    if (status != 0)
        printf("# layout %c, %s: status %d\n", 'A' + era,
               is_block_each ? "a block each" : "one block", status);
    CHECK_INT(status, 0);
    free(bytes);
}

static void records_take_less_memory_than_their_file(void)
{
    int era;

    map_large_blocks();
    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        read_with_its_own_size((enum scion_fti_era)era, 0);
        read_with_its_own_size((enum scion_fti_era)era, 1);
    }
}

int main(int argc, char **argv)
{
    int is_limited = argc > 1 && strcmp(argv[1], "limited") == 0;

    if (is_limited)
        RUN(records_take_less_memory_than_their_file);
    if (is_limited)
        limit_memory(64 << 20); /* little more memory than these small files need */
    RUN(every_layout_is_accepted);
    RUN(every_truncation_is_refused);
    RUN(every_changed_byte_is_refused);
    RUN(file_blocks_with_wrong_numbers_are_refused);
    RUN(containers_with_wrong_numbers_are_refused);
    RUN(content_beyond_the_end_is_refused);
    RUN(other_files_are_not_called_damaged);
    RUN(damaged_chunks_are_named);
    return check_done();
}
