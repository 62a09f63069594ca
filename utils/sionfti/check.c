/* sionfti check: files, their digests, and whether copies are equal. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/fail.h"
#include "sionfti/files.h"
#include "sionfti/items.h"
#include "sionfti/ranks.h"

/* What is kept of a rank's good file, to check the files that belong to it. */
struct rank_facts {
    struct scion_fti_name name;
    char *label;
    sion_int64 size;
    unsigned char fb[SCION_FTI_FB_MOST];
};

/* Rank files come before those that belong to them. */
struct check {
    const struct fti_files *files;
    struct fti_ranks ranks;
    struct rank_facts *rank_facts; /* [count] */
    int count;
    int (*order)(const void *a, const void *b); /* in which they are; NULL: none */
};

static void sort_known(struct check *check, int (*order)(const void *, const void *))
{
    if (check->order != order && check->count > 0)
        qsort(check->rank_facts, (size_t)check->count, sizeof *check->rank_facts, order);
    check->order = order;
}

static int variables_of(const struct scion_fti_image *image)
{
    int at, n = 0;

    for (at = 0; at < image->nvars; n++)
        at += scion_fti_variable_at(image, at).count;
    return n;
}

static sion_int64 bytes_of(const struct scion_fti_image *image)
{
    sion_int64 bytes = 0;
    int i;

    for (i = 0; i < image->nvars; i++)
        bytes += image->vars[i].chunksize;
    return bytes;
}

static int compare_blocks(const void *a, const void *b)
{
    const struct rank_facts *x = a, *y = b;

    return memcmp(x->fb, y->fb, sizeof x->fb);
}

/*
 * The rank's file of which a partner keeps this copy; NULL if it is not among the files. A file
 * block contains all digests and the time, so equal ones belong to equal files.
 */
static const char *original_of(struct check *check, const struct rank_facts *copy)
{
    const struct rank_facts *original;

    sort_known(check, compare_blocks);
    original = check->count > 0 ? bsearch(copy, check->rank_facts, (size_t)check->count,
                                          sizeof *check->rank_facts, compare_blocks)
                                : NULL;
    return original ? original->label : NULL;
}

/* The beginning of a line. */
static void say_good(const struct fti_item *item, enum scion_fti_era era, const char *releases,
                     sion_int64 ckptid)
{
    scion_print_escaped(stdout, item->label);
    printf(": good, FTI %s, ", releases);
    if (scion_fti_layout(era)->has_id)
        printf("checkpoint %lld, ", ckptid);
}

static void report(struct check *check, const struct fti_item *item,
                   const struct scion_fti_image *image, const struct rank_facts *rank_facts)
{
    say_good(item, image->era, scion_fti_layout(image->era)->releases, image->fb.ckptid);
    printf("%d variable%s, %lld byte%s", variables_of(image), text_plural(variables_of(image)),
           bytes_of(image), text_plural(bytes_of(image)));
    if (image->counts_empty)
        printf("; FTI itself refuses its checksum, see rehash");
    if (item->name.kind == SCION_FTI_PARTNER) {
        const char *original = original_of(check, rank_facts);

        printf("; %s", original ? "copy of " : "its original is missing or damaged");
        if (original)
            scion_print_escaped(stdout, original);
    }
    printf("\n");
}

static int remember(struct check *check, struct rank_facts *rank_facts, const char *label)
{
    struct rank_facts *more =
        scion_array_grown(check->rank_facts, (size_t)check->count + 1, sizeof *check->rank_facts);

    if (more) {
        check->rank_facts = more;
        rank_facts->label = strdup(label);
    }
    if (!more || !rank_facts->label)
        return fti_out_of_memory();
    more[check->count++] = *rank_facts;
    check->order = NULL;
    return TOOL_RUN;
}

static int check_checkpoint(struct check *check, const struct fti_item *item)
{
    struct rank_facts rank_facts = {.name = item->name, .size = item->source->size};
    struct scion_fti_image image;
    int status = fti_read_good_item(item, &image);

    if (status != TOOL_RUN)
        return status;
    if (scion_fti_read_fb(item->source, image.era, rank_facts.fb) != 0)
        status = fti_failed(item->label);
    if (status == TOOL_RUN && item->name.kind == SCION_FTI_RANK)
        status = remember(check, &rank_facts, item->label);
    if (status == TOOL_RUN)
        report(check, item, &image, &rank_facts);
    scion_fti_image_clear(&image);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    const struct scion_fti_name *x = &((const struct rank_facts *)a)->name,
                                *y = &((const struct rank_facts *)b)->name;

    if (x->ckptid != y->ckptid)
        return x->ckptid < y->ckptid ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The size of the file of the same rank; 0 if that is missing or damaged. */
static sion_int64 size_of_rank(struct check *check, const struct scion_fti_name *name)
{
    const struct rank_facts wanted = {.name = *name}, *rank;

    sort_known(check, compare_names);
    rank = check->count > 0 ? bsearch(&wanted, check->rank_facts, (size_t)check->count,
                                      sizeof *check->rank_facts, compare_names)
                            : NULL;
    return rank ? rank->size : 0;
}

static int check_encoded(struct check *check, const struct fti_item *item)
{
    struct scion_fti_parity encoded;
    sion_int64 size = size_of_rank(check, &item->name);

    if (fti_read_encoded(item, &encoded) != TOOL_RUN)
        return TOOL_FAILED;
    if (size > 0 && encoded.fb.ckptsize != size) {
        tool_error("%s: made from a rank file of %lld byte%s, but that has %lld", item->label,
                   encoded.fb.ckptsize, text_plural(encoded.fb.ckptsize), size);
        return TOOL_FAILED;
    }
    say_good(item, encoded.era, fti_encoded_release(&encoded), encoded.fb.ckptid);
    printf("%lld Reed-Solomon bytes match their checksum; they are not decoded\n", encoded.bytes);
    return TOOL_DONE;
}

static int check_item(void *data, const struct fti_item *item)
{
    struct check *check = data;
    int is_stream = item->task >= 0;

    if (fti_ranks_add(&check->ranks, item->name, is_stream ? item->index + 1 : 0,
                      !is_stream && check->files->file[item->index].is_named) != TOOL_RUN)
        return TOOL_FAILED;
    return item->name.kind == SCION_FTI_ENCODED ? check_encoded(data, item)
                                                : check_checkpoint(data, item);
}

int fti_check(const void *given, int n, char **operands)
{
    const struct fti_settings *settings = given;
    struct fti_files files;
    struct check check = {.files = &files};
    int status = fti_find_files(n, operands, settings->ckptid, &files), i;

    if (status != TOOL_RUN)
        return status;
    fti_ranks_begin(&check.ranks, settings, &files);
    status = fti_visit(&files, check_item, &check);
    if (fti_ranks_check(&check.ranks) != TOOL_RUN)
        status = TOOL_FAILED;
    fti_ranks_free(&check.ranks);
    for (i = 0; i < check.count; i++)
        free(check.rank_facts[i].label);
    free(check.rank_facts);
    fti_free_files(&files);
    return status;
}
