#include "ftiff/image.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

void scion_fti_image_clear(struct scion_fti_image *image)
{
    free(image->first);
    free(image->vars);
    free(image->idx);
    free(image->order);
    free(image->flags);
    free(image->hashes);
    *image = (struct scion_fti_image){.era = image->era};
}

static void *array(sion_int64 n, size_t size)
{
    return n > INT_MAX ? NULL : malloc((size_t)(n > 0 ? n : 1) * size);
}

int scion_fti_image_reserve(struct scion_fti_image *image, sion_int64 blocks, sion_int64 vars)
{
    int has_idx = scion_fti_layout(image->era)->has_idx;

    image->first = array(blocks + 1, sizeof *image->first);
    image->vars = array(vars, sizeof *image->vars);
    image->order = array(vars, sizeof *image->order);
    image->flags = array(vars, sizeof *image->flags);
    if (has_idx)
        image->idx = array(vars, sizeof *image->idx);
    if (!image->first || !image->vars || !image->order || !image->flags || (has_idx && !image->idx))
        return scion_fail_memory("structure of a checkpoint");
    image->first[0] = 0;
    return 0;
}

sion_int64 scion_fti_block_records(enum scion_fti_era era, int32_t numvars)
{
    const struct scion_fti_layout *layout = scion_fti_layout(era);

    return layout->db_bytes + (sion_int64)numvars * layout->var_bytes;
}

sion_int64 scion_fti_block_size(const struct scion_fti_image *image, int b)
{
    int is_data = scion_fti_layout(image->era)->fb_at_end, i;
    sion_int64 size =
        is_data ? 0 : scion_fti_block_records(image->era, scion_fti_numvars(image, b));

    for (i = image->first[b]; i < image->first[b + 1]; i++) {
        if (scion_add(size, image->vars[i].containersize, &size))
            return -1;
    }
    return size;
}

static int compare_places(const void *a, const void *b, void *image)
{
    const struct scion_fti_var *vars = ((const struct scion_fti_image *)image)->vars;
    int32_t place_a = *(const int32_t *)a, place_b = *(const int32_t *)b;
    int32_t id_a = vars[place_a].id, id_b = vars[place_b].id;

    if (id_a != id_b)
        return id_a < id_b ? -1 : 1;
    return place_a < place_b ? -1 : 1;
}

void scion_fti_image_sort(struct scion_fti_image *image)
{
    int i;

    for (i = 0; i < image->nvars; i++)
        image->order[i] = i;
    qsort_r(image->order, (size_t)image->nvars, sizeof *image->order, compare_places, image);
}

struct scion_fti_variable scion_fti_variable_at(const struct scion_fti_image *image, int at)
{
    struct scion_fti_variable variable = {.id = image->vars[image->order[at]].id, .first = at};
    int i;

    for (i = at; i < image->nvars && image->vars[image->order[i]].id == variable.id; i++) {
        variable.size += image->vars[image->order[i]].chunksize;
        variable.capacity += image->vars[image->order[i]].containersize;
        variable.count++;
    }
    return variable;
}

int scion_fti_variable_find(const struct scion_fti_image *image, int32_t id,
                            struct scion_fti_variable *variable)
{
    int low = 0, high = image->nvars;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (image->vars[image->order[middle]].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == image->nvars || image->vars[image->order[low]].id != id)
        return 0;
    *variable = scion_fti_variable_at(image, low);
    return 1;
}

/* ---- places: given, or compared with what a file says ---- */

static int settle(sion_int64 *field, sion_int64 value, int is_check, const char *what,
                  const struct scion_fti_var *var)
{
    if (!is_check) {
        *field = value;
        return 0;
    }
    if (*field == value)
        return 0;
    if (var)
        return scion_fail(SION_ERR_DAMAGED, "variable %d, container %d: %s is %lld, not %lld",
                          var->id, var->containerid, what, *field, value);
    return scion_fail(SION_ERR_DAMAGED, "%s is %lld, not %lld", what, *field, value);
}

/* The containers of block b, from *place on, which is their end then. */
static int place_containers(struct scion_fti_image *image, int b, int is_check, sion_int64 *place)
{
    int i;

    for (i = image->first[b]; i < image->first[b + 1]; i++) {
        struct scion_fti_var *var = &image->vars[i];
        int rc = settle(&var->fptr, *place, is_check, "fptr", var);

        if (rc != 0)
            return rc;
        if (scion_add(*place, var->containersize, place))
            return scion_fail(SION_ERR_DAMAGED,
                              "the containers would exceed the largest size of a file");
    }
    return 0;
}

static int place_all(struct scion_fti_image *image, int is_check)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    sion_int64 place = layout->fb_at_end ? 0 : layout->fb_bytes, metasize = layout->fb_bytes;
    sion_int64 end;
    int rc = 0, b;

    for (b = 0; b < image->nblocks && rc == 0; b++) {
        sion_int64 records = scion_fti_block_records(image->era, scion_fti_numvars(image, b));

        metasize += records;
        if (!layout->fb_at_end)
            place += records;
        rc = place_containers(image, b, is_check, &place);
    }
    end = place;
    if (rc == 0 && layout->fb_at_end && scion_add(place, metasize, &end))
        rc = scion_fail(SION_ERR_DAMAGED, "the file would exceed the largest size of a file");
    if (rc == 0 && layout->has_id)
        rc = settle(&image->fb.datasize, place, is_check, "dataSize", NULL);
    if (rc == 0 && layout->has_id)
        rc = settle(&image->fb.metasize, metasize, is_check, "metaSize", NULL);
    if (rc == 0)
        rc = settle(&image->fb.ckptsize, end, is_check, "ckptSize", NULL);
    if (rc == 0)
        rc = settle(&image->fb.fs, end, is_check, "fs", NULL);
    return rc;
}

int scion_fti_lay_out(struct scion_fti_image *image)
{
    int rc = place_all(image, 0);

    /* No other size of the file is larger; dptr and fptr have 64 bits in E, too. */
    if (rc == 0 && image->era == SCION_FTI_E && image->fb.fs > INT_MAX)
        rc = scion_fail(SION_ERR_ARGUMENT,
                        "the checkpoint has %lld bytes, but the layout of FTI %s holds at most %d",
                        image->fb.fs, scion_fti_layout(image->era)->releases, INT_MAX);
    return rc;
}

int scion_fti_is_size(const struct scion_fti_image *image, sion_int64 size)
{
    return size == image->fb.fs || (image->era == SCION_FTI_B && size < image->fb.fs);
}

void scion_fti_mark_restart(struct scion_fti_image *image)
{
    int i;

    for (i = 0; i < image->nvars; i++)
        image->flags[i] |= SCION_FTI_CKPT;
}

/* ---- what containers have to be ---- */

static int damaged_var(const struct scion_fti_var *var, const char *what)
{
    return scion_fail(SION_ERR_DAMAGED, "variable %d, container %d: %s", var->id, var->containerid,
                      what);
}

/*
 * FTI says of a variable of 0 bytes that its first container has content. hasCkpt may have either
 * value in every file: since 1.3, FTI sets it after a restart.
 */
static int check_flags(const struct scion_fti_record *record)
{
    const struct scion_fti_var *var = &record->var;
    unsigned char nothing[SCION_MD5_BYTES];

    if (record->hascontent > 1 || (var->chunksize > 0 && !record->hascontent))
        return damaged_var(var, "hascontent and chunksize do not agree");
    if (record->hasckpt > 1)
        return damaged_var(var, "hasCkpt is neither 0 nor 1");
    if (var->chunksize > 0 || !record->hascontent)
        return 0;
    scion_fti_hash_nothing(nothing);
    if (memcmp(record->hash, nothing, sizeof nothing) != 0)
        return damaged_var(var, "it has content of 0 bytes, but not their MD5");
    return 0;
}

int scion_fti_record_check(const struct scion_fti_record *record)
{
    const struct scion_fti_var *var = &record->var;

    if (var->containersize < 0 || var->chunksize < 0 || var->chunksize > var->containersize)
        return scion_fail(SION_ERR_DAMAGED,
                          "variable %d, container %d: chunksize is %lld, containersize %lld",
                          var->id, var->containerid, var->chunksize, var->containersize);
    return check_flags(record);
}

static int check_container(const struct scion_fti_image *image, int32_t at, int number,
                           sion_int64 dptr)
{
    struct scion_fti_var *var = &image->vars[at];

    if (var->containerid != number)
        return scion_fail(SION_ERR_DAMAGED, "variable %d: container %d has the containerid %d",
                          var->id, number, var->containerid);
    return settle(&var->dptr, dptr, 1, "dptr", var);
}

/*
 * The containers of one variable, one after the other. The variable ends in the first one that is
 * not full: further content would be beyond its size.
 */
static int check_variable(const struct scion_fti_image *image,
                          const struct scion_fti_variable *variable)
{
    const int32_t *places = &image->order[variable->first];
    sion_int64 dptr = 0;
    int has_ended = 0, rc, i;

    for (i = 0; i < variable->count; i++) {
        const struct scion_fti_var *var = &image->vars[places[i]];

        rc = check_container(image, places[i], i, dptr);
        if (rc != 0)
            return rc;
        if (image->idx && image->idx[places[i]] != image->idx[places[0]])
            return damaged_var(var, "idx is not that of the variable's other containers");
        if (has_ended && var->chunksize > 0)
            return damaged_var(var, "there is content beyond the variable's end");
        has_ended |= var->chunksize < var->containersize;
        dptr += var->containersize;
    }
    return 0;
}

/*
 * In B and C, only the order of the variables tells what idx must be: n variables have the numbers
 * 0 to n - 1. In A a digest covers it.
 */
static int check_indices(const struct scion_fti_image *image, int variables)
{
    unsigned char *seen;
    int rc = 0, at;

    if (image->era != SCION_FTI_B && image->era != SCION_FTI_C)
        return 0;
    seen = calloc((size_t)variables + 1, 1);
    if (!seen)
        return scion_fail_memory("structure of a checkpoint");
    for (at = 0; at < image->nvars && rc == 0;) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);
        int32_t idx = image->idx[image->order[at]];

        if (idx < 0 || idx >= variables || seen[idx]++)
            rc = scion_fail(SION_ERR_DAMAGED, "variable %d of %d: idx is %d", variable.id,
                            variables, idx);
        at += variable.count;
    }
    free(seen);
    return rc;
}

int scion_fti_image_check(const struct scion_fti_image *image)
{
    struct scion_fti_image *places =
        (struct scion_fti_image *)image; /* place_all only compares here */
    int rc = place_all(places, 1), at, variables = 0;

    for (at = 0; at < image->nvars && rc == 0; variables++) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);

        rc = check_variable(image, &variable);
        at += variable.count;
    }
    return rc == 0 ? check_indices(image, variables) : rc;
}
