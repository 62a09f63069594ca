/*
 * sionarray refs: byte ranges of the container as the chunks of a zarr store (format 2), in the
 * JSON that fsspec's reference file system reads.
 */
#include <stdlib.h>
#include <string.h>

#include "array/pack.h"
#include "base/byteorder.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "sionarray/refs.h"
#include "sionarray/refs_values.h"
#include "vfs/path.h"

/* Print a string of JSON, which may be inside another one, as zarr's metadata are. zarr 2 takes
   these for ASCII. */
static void put_text(FILE *to, const char *text)
{
    scion_json_ascii(to, text);
}

static int out_of_memory(void)
{
    tool_error("out of memory");
    return TOOL_FAILED;
}

/* Print the key of the next member; its value follows. */
static void put_key(struct refs *refs, const char *array, const char *member)
{
    char key[SION_ARRAY_NAME + 256];

    snprintf(key, sizeof key, "%s%s%s", array ? array : "", array ? "/" : "", member);
    fputs(refs->is_first ? "\n" : ",\n", refs->to);
    refs->is_first = 0;
    put_text(refs->to, key);
    fputs(": ", refs->to);
}

/* Print a member whose value is text that was made in memory. */
static int put_document(struct refs *refs, const char *array, const char *member,
                        void (*make)(FILE *to, const void *data), const void *data)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return scion_fail_memory("references");
    make(to, data);
    if (fclose(to) != 0 || !text)
        return scion_fail_memory("references");
    put_key(refs, array, member);
    put_text(refs->to, text);
    free(text);
    return 0;
}

static void make_group(FILE *to, const void *data)
{
    (void)data;
    fputs("{\"zarr_format\": 2}", to);
}

/* ---- blocks ---- */

static int irregular(const struct scion_array *array, const char *why)
{
    tool_error("array %s: %s, so zarr cannot read its blocks in place; sionarray export --npy "
               "writes it as one file, and naming the other arrays leaves it out",
               array->definition.name, why);
    return TOOL_FAILED;
}

/* The grid to which the first block would belong. */
static int plan_grid(struct refs *refs, const struct scion_array *array, struct grid *grid)
{
    const struct scion_array_definition *definition = &array->definition;
    const struct scion_array_block_entry *first;
    const sion_int64 *box;
    int d;

    if (array->is_mixed)
        return irregular(array, "its blocks are compressed in different ways");
    *grid = (struct grid){.refs = refs,
                          .array = array,
                          .has_steps = array->steps >= refs->least,
                          .big = scion_host_is_big(),
                          .all = 1};
    for (d = 0; d < definition->ndims; d++)
        grid->chunk[d] = definition->shape[d] > 0 ? definition->shape[d] : 1;
    if (array->blocks > 0) {
        first = &refs->arrays->index->blocks[refs->arrays->index->order[array->first]];
        box = scion_array_index_box(refs->arrays->index, first);
        grid->big = refs->arrays->index->is_big[first->task];
        memcpy(grid->chunk, box + definition->ndims,
               (size_t)definition->ndims * sizeof *grid->chunk);
    }
    for (d = 0; d < definition->ndims; d++) {
        if (definition->shape[d] % grid->chunk[d] != 0)
            return irregular(array, "its shape is not a multiple of its blocks");
        grid->chunks[d] = definition->shape[d] / grid->chunk[d];
        grid->all *= grid->chunks[d];
    }
    grid->bytes = scion_array_bytes(definition->type, definition->ndims, grid->chunk);
    return TOOL_RUN;
}

/* The place of a block in the grid; -1: it has none. */
static sion_int64 place_in_grid(const struct grid *grid, const sion_int64 *box)
{
    int ndims = grid->array->definition.ndims, d;
    sion_int64 place = 0;

    for (d = 0; d < ndims; d++) {
        if (box[ndims + d] != grid->chunk[d] || box[d] % grid->chunk[d] != 0)
            return -1;
        place = place * grid->chunks[d] + box[d] / grid->chunk[d];
    }
    return place;
}

/* Print the key of a block by its place in the grid. */
static void put_block_key(struct refs *refs, const struct grid *grid, uint32_t step,
                          sion_int64 place)
{
    char key[32 * (SION_ARRAY_DIMS + 1)] = "0";
    sion_int64 rest = grid->all;
    size_t length = 0;
    int d;

    if (grid->has_steps)
        length += (size_t)sprintf(key, "%u", step);
    for (d = 0; d < grid->array->definition.ndims; d++) {
        rest /= grid->chunks[d];
        length += (size_t)sprintf(key + length, "%s%lld", length > 0 ? "." : "", place / rest);
        place %= rest;
    }
    put_key(refs, grid->array->definition.name, key);
}

/* The name of a physical file, by which readers find it. */
static int put_file(struct refs *refs, const char *path)
{
    char real[SCION_PATH], *name;

    if (!refs->prefix) {
        if (scion_path_real(path, real) != 0)
            return array_failed(path);
        put_text(refs->to, real);
        return TOOL_RUN;
    }
    if (asprintf(&name, "%s%s", refs->prefix, scion_basename(path)) < 0)
        return out_of_memory();
    put_text(refs->to, name);
    free(name);
    return TOOL_RUN;
}

static int put_block(struct refs *refs, const struct grid *grid, uint32_t step, sion_int64 place,
                     const struct scion_array_block_entry *block)
{
    const char *path;
    sion_int64 bytes = scion_array_index_stored(refs->arrays->index, block).bytes;
    sion_int64 offset = scion_array_streams_locate(refs->arrays->streams, (int)block->task,
                                                   block->position, bytes, &path);

    if (offset < 0)
        return irregular(grid->array, "a block is not in one piece");
    if (refs->arrays->index->is_big[block->task] != grid->big)
        return irregular(grid->array, "its blocks have different byte orders");
    put_block_key(refs, grid, step, place);
    fputs("[", refs->to);
    if (put_file(refs, path) != TOOL_RUN)
        return TOOL_FAILED;
    fprintf(refs->to, ", %lld, %lld]", offset, bytes);
    return TOOL_RUN;
}

/* Find the block of a step at each place, as its number in the index's order and 1; 0: there is
   none. Of several in the same place, the last one counts. */
static int find_blocks(const struct refs *refs, const struct grid *grid, uint32_t step,
                       uint32_t *last)
{
    const struct scion_array_index *index = refs->arrays->index;
    sion_int64 number = array_step(refs->arrays, grid->array, step);
    uint32_t first, n = scion_array_index_blocks(index, grid->array, number, &first), i;

    memset(last, 0, (size_t)grid->all * sizeof *last);
    for (i = first; i < first + n; i++) {
        sion_int64 place =
            place_in_grid(grid, scion_array_index_box(index, &index->blocks[index->order[i]]));

        if (place < 0)
            return irregular(grid->array, "its blocks do not form a regular grid");
        last[place] = i + 1;
    }
    return TOOL_RUN;
}

static int put_step(struct refs *refs, struct grid *grid, uint32_t step, uint32_t *last)
{
    const struct scion_array_index *index = refs->arrays->index;
    int status = find_blocks(refs, grid, step, last);
    sion_int64 i;

    for (i = 0; i < grid->all && status == TOOL_RUN; i++) {
        if (last[i] == 0)
            grid->gaps++;
        else
            status = put_block(refs, grid, step, i, &index->blocks[index->order[last[i] - 1]]);
    }
    return status;
}

/* ---- missing blocks ---- */

enum { GAP = 1 << 16, ALL_GAPS = 1 << 20 }; /* bytes at most, of a block and in the JSON */

/* fsspec 2022 fails where a block is missing, so those that are small have the fill value. 1: they
   take no more than the JSON has left for it. */
static int take_spare(struct refs *refs, const struct grid *grid)
{
    sion_int64 key = (sion_int64)strlen(grid->array->definition.name) + 32,
               each = key + grid->bytes / 3 * 4;

    if (grid->bytes > GAP || grid->gaps > refs->spare / each ||
        grid->array->coding.codec == SCION_ARRAY_ZFP) /* it may be larger than a plain one */
        return 0;
    refs->spare -= grid->gaps * each;
    return 1;
}

/* A block of fill values as it would be stored, which the caller frees; *bytes of it. */
static unsigned char *pack_gap(const struct grid *grid, unsigned char *block, size_t *bytes)
{
    const struct scion_array_definition *definition = &grid->array->definition;
    const struct scion_array_packing packing = {.coding = grid->array->coding, .level = 1};
    const struct scion_array_pack_block plain = {definition->type, definition->ndims, grid->chunk,
                                                 block, (size_t)grid->bytes};
    struct scion_array_packer *packer = scion_array_packer_new();
    const unsigned char *packed;
    unsigned char *copy = NULL;

    if (packer && scion_array_pack(packer, &packing, &plain, &packed, bytes) == 0)
        copy = malloc(*bytes);
    if (copy)
        memcpy(copy, packed, *bytes);
    scion_array_packer_free(packer);
    free(block);
    return copy;
}

static unsigned char *make_gap(const struct grid *grid, size_t *bytes)
{
    int type = grid->array->definition.type;
    size_t size = scion_array_size(type), number = scion_array_number_size(type), i;
    unsigned char element[16], *block = scion_array((uint64_t)grid->bytes, 1);

    if (!block)
        scion_fail_memory("references");
    array_fill(grid->array, element);
    if (grid->big != scion_host_is_big())
        scion_swap_copy(element, element, number, size / number);
    for (i = 0; block && i < (size_t)grid->bytes; i += size)
        memcpy(block + i, element, size);
    *bytes = (size_t)grid->bytes;
    return block && grid->array->coding.codec != SCION_ARRAY_PLAIN ? pack_gap(grid, block, bytes)
                                                                   : block;
}

static int put_gaps(struct refs *refs, const struct grid *grid, uint32_t *last)
{
    size_t bytes;
    unsigned char *block = make_gap(grid, &bytes);
    sion_int64 i;
    uint32_t s;

    if (!block)
        return array_failed(refs->arrays->file);
    for (s = 0; s < grid->array->steps && find_blocks(refs, grid, s, last) == TOOL_RUN; s++) {
        for (i = 0; i < grid->all; i++) {
            if (last[i] != 0)
                continue;
            put_block_key(refs, grid, s, i);
            refs_put_bytes(refs->to, block, bytes);
        }
    }
    free(block);
    return TOOL_RUN;
}

static void warn_of_codecs(const struct refs *refs)
{
    int i;

    for (i = 0; i < refs->n; i++) {
        if (refs->list[i]->coding.codec == SCION_ARRAY_ZFP)
            tool_warning(
                "array %s: it is compressed by zfp, so zarr reads it with the codec zfpy of "
                "numcodecs only, which needs the module zfpy",
                refs->list[i]->definition.name);
    }
}

static void warn_of_gaps(const struct refs *refs)
{
    int i;

    for (i = 0; i < refs->n; i++) {
        if (refs->gaps[i])
            tool_warning("array %s: where no block is, readers of references may fail; sionarray "
                         "export writes the fill value there",
                         refs->list[i]->definition.name);
    }
}

/* An array of extent 0 needs none. */
static int lacks_blocks(const struct scion_array *array)
{
    int d;

    for (d = 0; d < array->definition.ndims; d++) {
        if (array->definition.shape[d] == 0)
            return 0;
    }
    return array->blocks == 0;
}

/* Arrays without blocks are left out; it is a failure if they were named. */
static int leave_out_empty(struct refs *refs, int are_chosen)
{
    int i, kept = 0, status = TOOL_RUN;

    for (i = 0; i < refs->n; i++) {
        const char *name = refs->list[i]->definition.name;

        if (!lacks_blocks(refs->list[i])) {
            refs->list[kept++] = refs->list[i];
        } else if (are_chosen) {
            tool_error("array %s: it has no blocks; sionarray export writes its fill value", name);
            status = TOOL_FAILED;
        } else {
            tool_warning("array %s: it has no blocks, so it is left out", name);
        }
    }
    refs->n = kept;
    return status;
}

/* ---- one array ---- */

static int put_array(struct refs *refs, const struct scion_array *array, unsigned char *has_gaps)
{
    struct grid grid;
    uint32_t *last, s;
    int status = plan_grid(refs, array, &grid);

    if (status != TOOL_RUN)
        return status;
    if (grid.all > (sion_int64)array->blocks * 1024 + 1024)
        return irregular(array, "its blocks cover too little of its shape");
    last = scion_array((uint64_t)grid.all + 1, sizeof *last);
    for (s = 0; last && s < array->steps && status == TOOL_RUN; s++)
        status = put_step(refs, &grid, s, last);
    *has_gaps = grid.gaps > 0 && !take_spare(refs, &grid);
    if (status == TOOL_RUN && grid.gaps > 0 && !*has_gaps)
        status = put_gaps(refs, &grid, last);
    if (!last ||
        (status == TOOL_RUN &&
         (put_document(refs, array->definition.name, ".zarray", refs_make_array, &grid) != 0 ||
          put_document(refs, array->definition.name, ".zattrs", refs_make_attributes, &grid) != 0)))
        status = out_of_memory();
    free(last);
    return status;
}

/* ---- steps ---- */

static void make_step_array(FILE *to, const void *data)
{
    const struct scion_array *array = data;

    fprintf(to,
            "{\"zarr_format\": 2, \"order\": \"C\", \"compressor\": null, \"filters\": null, "
            "\"chunks\": [%u], \"shape\": [%u], \"dtype\": \"<i8\", \"fill_value\": null}",
            array->steps, array->steps);
}

static void make_step_attributes(FILE *to, const void *data)
{
    fputs("{\"_ARRAY_DIMENSIONS\": [", to);
    put_text(to, data);
    fputs("]}", to);
}

/* The numbers of the steps, low bytes first. */
static int put_step_numbers(struct refs *refs, const struct scion_array *array)
{
    unsigned char *bytes = scion_array(array->steps, 8);
    uint32_t s;
    int i;

    if (!bytes)
        return -1;
    for (s = 0; s < array->steps; s++) {
        for (i = 0; i < 8; i++)
            bytes[8 * s + (size_t)i] = (unsigned char)(array_step(refs->arrays, array, s) >> 8 * i);
    }
    refs_put_bytes(refs->to, bytes, 8 * (size_t)array->steps);
    free(bytes);
    return 0;
}

/*
 * The numbers of the steps as an array of one dimension, stored in the references themselves, in
 * the group of the array. before: an array of several steps, which may have them already.
 */
static int put_steps(struct refs *refs, const struct scion_array *array,
                     const struct scion_array *before)
{
    char name[REFS_STEP_NAME], path[SION_ARRAY_NAME + REFS_STEP_NAME];
    int group = (int)(refs_name_in_group(array) - array->definition.name);

    if (refs->has_step && before && refs_share_group(before, array))
        return TOOL_RUN;
    refs_step_name(refs, array, name);
    snprintf(path, sizeof path, "%.*s%s", group, array->definition.name, name);
    if (put_document(refs, path, ".zarray", make_step_array, array) == 0 &&
        put_document(refs, path, ".zattrs", make_step_attributes, name) == 0) {
        put_key(refs, path, "0");
        if (put_step_numbers(refs, array) == 0)
            return TOOL_RUN;
    }
    return out_of_memory();
}

/* ---- all ---- */

/* zarr takes a slash in a name as a group. The first array of a group, by name, puts it. */
static int put_groups(struct refs *refs, const struct scion_array *array)
{
    const char *name = array->definition.name, *slash = strchr(name, '/');
    char group[SION_ARRAY_NAME + 1];
    int rc = 0;

    for (; slash && rc == 0; slash = strchr(slash + 1, '/')) {
        if (!refs_is_first_with(refs, array, (size_t)(slash + 1 - name)))
            continue;
        snprintf(group, sizeof group, "%.*s", (int)(slash - name), name);
        rc = put_document(refs, group, ".zgroup", make_group, NULL);
    }
    return rc;
}

/* A failure does not keep the next arrays from being looked at, so all reasons are said at once. */
static int put_arrays(struct refs *refs)
{
    const char *reason;
    int status = TOOL_RUN, i;

    for (i = 0; i < refs->n; i++) {
        if (put_groups(refs, refs->list[i]) != 0)
            return out_of_memory();
        reason = refs_reason_against_name(refs, refs->list[i]);
        if ((reason && irregular(refs->list[i], reason) != TOOL_RUN) ||
            put_array(refs, refs->list[i], &refs->gaps[i]) != TOOL_RUN)
            status = TOOL_FAILED;
    }
    return status;
}

static int put_all(void *data, FILE *to)
{
    struct refs *refs = data;
    const struct scion_array *before = NULL;
    int status = TOOL_RUN, i;

    refs->to = to;
    refs->is_first = 1;
    refs->spare = ALL_GAPS;
    fputs("{\"version\": 1, \"refs\": {", to);
    if (put_document(refs, NULL, ".zgroup", make_group, NULL) != 0 ||
        put_document(refs, NULL, ".zattrs", refs_make_group_attributes,
                     &refs->arrays->index->texts) != 0)
        status = out_of_memory();
    for (i = 0; i < refs->n && status == TOOL_RUN; i++) {
        if (refs->by_group[i]->steps < refs->least)
            continue;
        status = put_steps(refs, refs->by_group[i], before);
        before = refs->by_group[i];
    }
    if (status == TOOL_RUN)
        status = put_arrays(refs);
    fputs("\n}}\n", to);
    return status;
}

int array_refs(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct refs refs = {.arrays = array_open_blocks(operands[0]),
                        .prefix = settings->relative ? "" : settings->url,
                        .least = settings->update ? 1 : 2};
    int status = TOOL_FAILED;

    refs.list = refs.arrays ? array_choose(refs.arrays, n, operands, &refs.n) : NULL;
    if (refs.list && leave_out_empty(&refs, n > 1) != TOOL_RUN) {
        free(refs.list);
        refs.list = NULL;
    }
    refs.gaps = refs.list ? scion_array((uint64_t)refs.n + 1, 1) : NULL;
    if (refs.list && (!refs.gaps || refs_sort(&refs) != 0)) {
        status = out_of_memory();
    } else if (refs.list) {
        refs.has_step = refs_have_same_steps(&refs);
        status = array_output(settings->output, operands[0], put_all, &refs);
        if (status == TOOL_RUN) {
            warn_of_codecs(&refs);
            warn_of_gaps(&refs);
        }
    }
    sion_array_reader_close(refs.arrays);
    free(refs.list);
    free(refs.by_name);
    free(refs.by_group);
    free(refs.gaps);
    return status == TOOL_RUN ? TOOL_DONE : status;
}
