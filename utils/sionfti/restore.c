/* A rank's file that was lost is made again from the copy that its partner keeps at level 2. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/fail.h"
#include "sionfti/files.h"
#include "sionfti/items.h"
#include "sionfti/output.h"

/* A good Rank file or copy of the checkpoint. */
struct rank_file {
    struct scion_fti_name name;
    int index; /* of the file in the list */
    unsigned char fb[SCION_FTI_FB_MOST];
};

struct restore {
    const char *path; /* of the file that is made */
    struct scion_fti_name name;
    struct fti_files files;
    struct rank_file *rank_file; /* [count] */
    int count;
    int copy;     /* the copy: its index in the list of files */
    int has_good; /* 1: there is a good file of this name, and that was reported */
};

/* 0 if all is good; nothing is reported. */
static int verify(struct scion_fti_source *source, const char *label, struct scion_fti_name name,
                  unsigned char fb[SCION_FTI_FB_MOST])
{
    const struct scion_fti_visitor visitor = {.is_thorough = 1};
    struct scion_fti_image image;
    int rc = scion_fti_read_named(source, label, name, &image);

    if (rc != 0)
        return rc;
    rc = scion_fti_verify(source, &image, &visitor);
    if (rc == 0)
        rc = scion_fti_read_fb(source, image.era, fb);
    scion_fti_image_clear(&image);
    return rc;
}

/* Damaged files count as lost ones. */
static int look_at(void *data, const struct fti_item *item)
{
    struct restore *restore = data;
    struct rank_file rank_file = {.name = item->name, .index = item->index}, *more;

    if (item->task >= 0 || item->name.ckptid != restore->name.ckptid ||
        (item->name.kind != SCION_FTI_RANK && item->name.kind != SCION_FTI_PARTNER))
        return TOOL_RUN;
    if (verify(item->source, item->label, item->name, rank_file.fb) != 0)
        return TOOL_RUN;
    if (item->name.kind == SCION_FTI_RANK && item->name.rank == restore->name.rank) {
        tool_error("%s is good: there is nothing to restore", item->label);
        restore->has_good = 1;
        return TOOL_FAILED;
    }
    more = scion_array_grown(restore->rank_file, (size_t)restore->count + 1, sizeof *more);
    if (!more)
        return fti_out_of_memory();
    restore->rank_file = more;
    more[restore->count++] = rank_file;
    return TOOL_RUN;
}

/* ---- which copy ---- */

/* Rank files first; then by file blocks, which have all digests and the time. */
static int compare_good(const void *a, const void *b)
{
    const struct rank_file *x = a, *y = b;

    if (x->name.kind != y->name.kind)
        return x->name.kind < y->name.kind ? -1 : 1;
    return memcmp(x->fb, y->fb, sizeof x->fb);
}

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* A rank that the files name and that has no good Rank file, other than the one asked for; -1:
 * none. */
static int other_lost(const struct restore *restore, int rank_files)
{
    int *ranks = scion_array((size_t)rank_files + 1, sizeof *ranks), i, lost = -1;

    if (!ranks)
        return -1;
    for (i = 0; i < rank_files; i++)
        ranks[i] = restore->rank_file[i].name.rank;
    ranks[rank_files] = restore->name.rank;
    qsort(ranks, (size_t)rank_files + 1, sizeof *ranks, compare_int);
    for (i = 0; i < restore->files.count && lost < 0; i++) {
        const struct scion_fti_name *name = &restore->files.file[i].name;

        if (name->ckptid == restore->name.ckptid && name->rank >= 0 &&
            !bsearch(&name->rank, ranks, (size_t)rank_files + 1, sizeof *ranks, compare_int))
            lost = name->rank;
    }
    free(ranks);
    return lost;
}

static int no_copy(const struct restore *restore)
{
    tool_error("%s: there is no good copy of it among the files", restore->path);
    return TOOL_FAILED;
}

static int several(const struct restore *restore, int lost)
{
    if (lost >= 0)
        tool_error(
            "%s: the file of rank %d is missing, too, so it is not certain whose copies these "
            "are: name the copy alone",
            restore->path, lost);
    else
        tool_error("%s: several files may be its copy: name one alone", restore->path);
    return TOOL_FAILED;
}

/*
 * A copy that is equal to the file of another rank is not ours. If all other ranks have their
 * files, the copy that is left is. A copy that was named alone is taken.
 */
static int choose(struct restore *restore)
{
    int rank_files = 0, found = 0, is_alone, lost, i;

    qsort(restore->rank_file, (size_t)restore->count, sizeof *restore->rank_file, compare_good);
    while (rank_files < restore->count &&
           restore->rank_file[rank_files].name.kind == SCION_FTI_RANK)
        rank_files++;
    for (i = rank_files; i < restore->count; i++) {
        struct rank_file key = restore->rank_file[i];

        key.name.kind = SCION_FTI_RANK;
        if (bsearch(&key, restore->rank_file, (size_t)rank_files, sizeof key, compare_good))
            continue;
        restore->copy = restore->rank_file[i].index;
        found++;
    }
    if (found == 0)
        return no_copy(restore);
    is_alone = restore->files.count == 1 && restore->files.file[0].is_named;
    lost = is_alone ? -1 : other_lost(restore, rank_files);
    return found > 1 || lost >= 0 ? several(restore, lost) : TOOL_RUN;
}

/* ---- making the file ---- */

/* Read what was written, before it gets its name. */
static int verify_new(const struct restore *restore, const struct fti_output *output)
{
    unsigned char fb[SCION_FTI_FB_MOST];
    struct scion_fti_file_source written;
    int rc = scion_fti_open_file(replace_path(&output->replace), &written);

    if (rc != 0)
        return rc;
    rc = verify(&written.source, restore->path, restore->name, fb);
    scion_file_close(written.file);
    return rc;
}

static int make_file(const struct restore *restore)
{
    const char *copy = restore->files.file[restore->copy].path;
    struct scion_fti_file_source source;
    struct fti_output output;
    sion_int64 place = 0;
    int rc, status;

    if (scion_fti_open_file(copy, &source) != 0)
        return fti_failed(copy);
    status = fti_create(NULL, restore->path, NULL, scion_path_permissions(copy), &output);
    if (status == TOOL_RUN) {
        rc = fti_copy(&source.source, 0, source.source.size, output.file, &place);
        if (rc == 0)
            rc = verify_new(restore, &output);
        status = fti_close(&output, rc);
    }
    scion_file_close(source.file);
    if (status == TOOL_RUN)
        printf("%s: made from %s\n", restore->path, copy);
    return status;
}

static int run(struct restore *restore)
{
    if (fti_visit(&restore->files, look_at, restore) == TOOL_FAILED && restore->has_good)
        return TOOL_FAILED;
    if (restore->count == 0)
        return no_copy(restore);
    return choose(restore) == TOOL_RUN ? make_file(restore) : TOOL_FAILED;
}

int fti_restore(const void *given, int n, char **operands)
{
    struct restore restore = {.path = operands[0], .name = scion_fti_name_parse(operands[0])};
    int status;

    (void)given;
    if (restore.name.kind != SCION_FTI_RANK) {
        tool_error("%s: not the name of a Rank file, as Ckpt1-Rank0.fti", restore.path);
        return TOOL_USAGE;
    }
    status = fti_find_files(n - 1, operands + 1, restore.name.ckptid, &restore.files);
    if (status != TOOL_RUN)
        return status;
    status = run(&restore);
    free(restore.rank_file);
    fti_free_files(&restore.files);
    return status == TOOL_RUN ? TOOL_DONE : status;
}
