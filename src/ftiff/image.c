#include "ftiff/image.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

void scion_fti_image_clear(struct scion_fti_image *image)
{
    free(image->blocks);
    free(image->vars);
    free(image->order);
    *image = (struct scion_fti_image){.era = image->era};
}

static int grow_array(void **array, sion_int64 n, size_t size)
{
    void *larger = n > INT_MAX ? NULL : realloc(*array, (size_t)(n > 0 ? n : 1) * size);

    if (!larger)
        return scion_fail_memory("structure of a checkpoint");
    *array = larger;
    return 0;
}

int scion_fti_image_reserve(struct scion_fti_image *image, sion_int64 blocks, sion_int64 vars)
{
    int rc = grow_array((void **)&image->blocks, blocks, sizeof *image->blocks);

    if (rc == 0)
        rc = grow_array((void **)&image->vars, vars, sizeof *image->vars);
    return rc;
}

sion_int64 scion_fti_block_records(enum scion_fti_era era, int32_t numvars)
{
    const struct scion_fti_layout *layout = scion_fti_layout(era);

    return layout->db_bytes + (sion_int64)numvars * layout->var_bytes;
}

void scion_fti_hash_of_hashes(const struct scion_fti_image *image, int of_all,
                              char text[SCION_FTI_HEX])
{
    unsigned char digest[SCION_MD5_BYTES];
    struct md5_ctx md5;
    int i;

    md5_init(&md5);
    for (i = 0; i < image->nvars; i++) {
        if (of_all || image->vars[i].hascontent)
            md5_update(&md5, SCION_MD5_BYTES, image->vars[i].hash);
    }
    scion_md5_final(&md5, digest);
    scion_fti_hex(digest, text);
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

int scion_fti_image_sort(struct scion_fti_image *image)
{
    int rc = grow_array((void **)&image->order, image->nvars, sizeof *image->order), i;

    if (rc != 0)
        return rc;
    for (i = 0; i < image->nvars; i++)
        image->order[i] = i;
    qsort_r(image->order, (size_t)image->nvars, sizeof *image->order, compare_places, image);
    return 0;
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

/* The containers of a block, from *place on, which is their end then. */
static int place_containers(struct scion_fti_image *image, const struct scion_fti_block *block,
                            int is_check, sion_int64 *place)
{
    int i;

    for (i = block->first; i < block->first + block->numvars; i++) {
        struct scion_fti_var *var = &image->vars[i];
        int rc = settle(&var->fptr, *place, is_check, "fptr", var);

        if (rc != 0)
            return rc;
        if (scion_add(*place, var->containersize, place))
            return scion_fail(SION_ERR_DAMAGED, "the containers are larger than a file can be");
    }
    return 0;
}

/* In A and B a block's size is that of its records and its data; later of its data alone. */
static int place_block(struct scion_fti_image *image, struct scion_fti_block *block, int is_check,
                       sion_int64 *place)
{
    sion_int64 start = *place;
    int rc;

    if (!scion_fti_layout(image->era)->fb_at_end)
        *place += scion_fti_block_records(image->era, block->numvars);
    rc = place_containers(image, block, is_check, place);
    if (rc == 0)
        rc = settle(&block->dbsize, *place - start, is_check, "dbsize of a block", NULL);
    return rc;
}

static int place_all(struct scion_fti_image *image, int is_check)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    sion_int64 place = layout->fb_at_end ? 0 : layout->fb_bytes, metasize = layout->fb_bytes;
    sion_int64 end;
    int rc = 0, b;

    for (b = 0; b < image->nblocks && rc == 0; b++) {
        metasize += scion_fti_block_records(image->era, image->blocks[b].numvars);
        rc = place_block(image, &image->blocks[b], is_check, &place);
    }
    end = place;
    if (rc == 0 && layout->fb_at_end && scion_add(place, metasize, &end))
        rc = scion_fail(SION_ERR_DAMAGED, "the file is larger than a file can be");
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

    if (rc == 0 && image->era == SCION_FTI_E && image->fb.fs > INT_MAX)
        rc = scion_fail(SION_ERR_ARGUMENT, "a checkpoint of FTI %s cannot have %lld bytes",
                        scion_fti_layout(image->era)->releases, image->fb.fs);
    return rc;
}

/* ---- what containers have to be ---- */

static int damaged_var(const struct scion_fti_var *var, const char *what)
{
    return scion_fail(SION_ERR_DAMAGED, "variable %d, container %d: %s", var->id, var->containerid,
                      what);
}

static int check_var(const struct scion_fti_var *var, int is_differential)
{
    if (var->containersize < 0 || var->chunksize < 0 || var->chunksize > var->containersize)
        return scion_fail(SION_ERR_DAMAGED,
                          "variable %d, container %d: chunksize is %lld, containersize %lld",
                          var->id, var->containerid, var->chunksize, var->containersize);
    if (var->hascontent > 1 || var->hascontent != (var->chunksize > 0))
        return damaged_var(var, "hascontent and chunksize do not agree");
    if (var->hasckpt > (is_differential ? 1 : 0))
        return damaged_var(var, "hasCkpt is set");
    return 0;
}

/* The containers of one variable, one after the other. */
static int check_variable(const struct scion_fti_image *image,
                          const struct scion_fti_variable *variable)
{
    const struct scion_fti_var *first = &image->vars[image->order[variable->first]];
    sion_int64 dptr = 0;
    int i;

    for (i = 0; i < variable->count; i++) {
        struct scion_fti_var *var = &image->vars[image->order[variable->first + i]];
        int rc;

        if (var->containerid != i)
            return scion_fail(SION_ERR_DAMAGED, "variable %d: container %d has the containerid %d",
                              var->id, i, var->containerid);
        rc = settle(&var->dptr, dptr, 1, "dptr", var);
        if (rc != 0)
            return rc;
        if (var->idx != first->idx)
            return damaged_var(var, "idx is not that of the variable's other containers");
        dptr += var->containersize;
    }
    return 0;
}

/*
 * In B and C nothing but the order of the variables speaks for idx: n variables are numbered 0 to n
 * - 1. In A a digest covers it.
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
        int32_t idx = image->vars[image->order[at]].idx;

        if (idx < 0 || idx >= variables || seen[idx]++)
            rc = scion_fail(SION_ERR_DAMAGED, "variable %d of %d: idx is %d", variable.id,
                            variables, idx);
        at += variable.count;
    }
    free(seen);
    return rc;
}

int scion_fti_image_check(const struct scion_fti_image *image, int is_differential)
{
    struct scion_fti_image *places = (struct scion_fti_image *)image; /* place_all only compares */
    int rc = 0, i, at, variables = 0;

    for (i = 0; i < image->nvars && rc == 0; i++)
        rc = check_var(&image->vars[i], is_differential);
    if (rc == 0)
        rc = place_all(places, 1);
    for (at = 0; at < image->nvars && rc == 0; variables++) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);

        rc = check_variable(image, &variable);
        at += variable.count;
    }
    return rc == 0 ? check_indices(image, variables) : rc;
}
