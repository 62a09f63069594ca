/*
 * sionarray xdmf: an XDMF 3 file, by which ParaView and VisIt read the blocks in place. Each block
 * is a grid of its own, and its elements are the cells, so there is no gap between neighbours.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sionarray/commands.h"
#include "vfs/path.h"

struct xdmf {
    struct sion_arrays *arrays;
    FILE *to;
    struct scion_array **list;
    int n;
    double spacing[3]; /* in the order of the dimensions */
};

/* Print text of XML. */
static void put_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;

        if (entity)
            fputs(entity, to);
        else
            putc(*text, to);
    }
}

static const char *number_type(int type)
{
    switch (scion_array_kind(type)) {
    case SCION_FLOAT:
        return "Float";
    case SCION_SIGNED:
        return scion_array_size(type) == 1 ? "Char" : "Int";
    default:
        return scion_array_size(type) == 1 ? "UChar" : "UInt";
    }
}

static int put_attribute(struct xdmf *xdmf, const struct scion_array *array,
                         const struct scion_array_block_entry *block)
{
    const struct scion_array_definition *definition = &array->definition;
    const sion_int64 *count = scion_array_index_box(xdmf->arrays->index, block) + definition->ndims;
    sion_int64 offset;
    char real[SCION_PATH];
    const char *path;
    int d;

    offset = scion_array_streams_locate(
        xdmf->arrays->streams, (int)block->task, block->position,
        scion_array_bytes(definition->type, definition->ndims, count), &path);
    if (offset < 0) {
        tool_error("array %s: a block is not in one piece; sionarray export --raw writes the array "
                   "as one file",
                   definition->name);
        return TOOL_FAILED;
    }
    if (scion_path_real(path, real) != 0)
        return array_failed(path);
    fputs("        <Attribute Name=\"", xdmf->to);
    put_text(xdmf->to, definition->name);
    fprintf(xdmf->to,
            "\" AttributeType=\"Scalar\" Center=\"Cell\"><DataItem Format=\"Binary\" "
            "NumberType=\"%s\" Precision=\"%zu\" Endian=\"%s\" Seek=\"%lld\" Dimensions=\"",
            number_type(definition->type), scion_array_size(definition->type),
            xdmf->arrays->index->is_big[block->task] ? "Big" : "Little", offset);
    for (d = 0; d < definition->ndims; d++)
        fprintf(xdmf->to, "%s%lld", d > 0 ? " " : "", count[d]);
    fputs("\">", xdmf->to);
    put_text(xdmf->to, real);
    fputs("</DataItem></Attribute>\n", xdmf->to);
    return TOOL_RUN;
}

/* The block of another array with the same box: at the expected index, or anywhere in its step. */
static const struct scion_array_block_entry *find_partner(const struct xdmf *xdmf,
                                                          const struct scion_array *array,
                                                          sion_int64 step, uint32_t place,
                                                          const sion_int64 *box)
{
    const struct scion_array_index *index = xdmf->arrays->index;
    size_t bytes = 2 * (size_t)array->definition.ndims * sizeof *box;
    uint32_t first, n = scion_array_index_blocks(index, array, step, &first), i;

    for (i = 0; i < n; i++) {
        const struct scion_array_block_entry *block =
            &index->blocks[index->order[first + (place + i) % n]];

        if (memcmp(scion_array_index_box(index, block), box, bytes) == 0)
            return block;
    }
    return NULL;
}

static int put_grid(struct xdmf *xdmf, sion_int64 step, uint32_t place,
                    const struct scion_array_block_entry *block)
{
    const sion_int64 *box = scion_array_index_box(xdmf->arrays->index, block);
    const struct scion_array_block_entry *partner;
    int ndims = xdmf->list[0]->definition.ndims, d, i, status = TOOL_RUN;

    fprintf(xdmf->to,
            "      <Grid Name=\"block %u\" GridType=\"Uniform\">\n"
            "        <Topology TopologyType=\"%dDCoRectMesh\" Dimensions=\"",
            place, ndims);
    for (d = 0; d < ndims; d++)
        fprintf(xdmf->to, "%s%lld", d > 0 ? " " : "", box[ndims + d] + 1);
    fprintf(xdmf->to, "\"/>\n        <Geometry GeometryType=\"%s\"><DataItem Dimensions=\"%d\">",
            ndims == 2 ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ", ndims);
    for (d = 0; d < ndims; d++)
        fprintf(xdmf->to, "%s%.17g", d > 0 ? " " : "", (double)box[d] * xdmf->spacing[d]);
    fprintf(xdmf->to, "</DataItem><DataItem Dimensions=\"%d\">", ndims);
    for (d = 0; d < ndims; d++)
        fprintf(xdmf->to, "%s%.17g", d > 0 ? " " : "", xdmf->spacing[d]);
    fputs("</DataItem></Geometry>\n", xdmf->to);
    for (i = 0; i < xdmf->n && status == TOOL_RUN; i++) {
        partner = i == 0 ? block : find_partner(xdmf, xdmf->list[i], step, place, box);
        if (partner)
            status = put_attribute(xdmf, xdmf->list[i], partner);
    }
    fputs("      </Grid>\n", xdmf->to);
    return status;
}

static int put_steps(struct xdmf *xdmf)
{
    const struct scion_array *array = xdmf->list[0];
    const struct scion_array_index *index = xdmf->arrays->index;
    int status = TOOL_RUN;
    uint32_t s, i, first;

    fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n  <Grid Name=\"steps\" "
          "GridType=\"Collection\" CollectionType=\"Temporal\">\n",
          xdmf->to);
    for (s = 0; s < array->steps && status == TOOL_RUN; s++) {
        sion_int64 step = array_step(xdmf->arrays, array, s);
        uint32_t n = scion_array_index_blocks(index, array, step, &first);

        fprintf(xdmf->to,
                "    <Grid Name=\"step %lld\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                "      <Time Value=\"%lld\"/>\n",
                step, step);
        for (i = 0; i < n && status == TOOL_RUN; i++)
            status = put_grid(xdmf, step, i, &index->blocks[index->order[first + i]]);
        fputs("    </Grid>\n", xdmf->to);
    }
    fputs("  </Grid>\n </Domain>\n</Xdmf>\n", xdmf->to);
    return status;
}

/* Numbers with commas between, one for each dimension, or one for all. */
static int read_spacing(const char *text, int ndims, double *spacing)
{
    const char *at = text;
    char *end;
    int d;

    for (d = 0; d < 3; d++)
        spacing[d] = 1;
    for (d = 0; text && d < ndims; d++) {
        spacing[d] = strtod(at, &end);
        if (end == at || spacing[d] <= 0)
            break;
        if (d == 0 && !*end) {
            spacing[1] = spacing[2] = spacing[0];
            return TOOL_RUN;
        }
        if (*end != (d + 1 < ndims ? ',' : '\0'))
            break;
        at = end + 1;
    }
    if (!text || d == ndims)
        return TOOL_RUN;
    tool_error("--spacing takes a number above 0, or %d with commas between, not '%s'", ndims,
               text);
    return TOOL_USAGE;
}

/* Arrays of one shape of two or three dimensions; if none were named, those with the shape of the
   first. */
static int check_arrays(struct xdmf *xdmf, int are_chosen)
{
    int i, kept = 0;

    for (i = 0; i < xdmf->n; i++) {
        const struct scion_array_definition *definition = &xdmf->list[i]->definition;
        int is_mesh = (definition->ndims == 2 || definition->ndims == 3) &&
                      scion_array_kind(definition->type) != SCION_COMPLEX;
        int fits =
            is_mesh &&
            (kept == 0 || (definition->ndims == xdmf->list[0]->definition.ndims &&
                           memcmp(definition->shape, xdmf->list[0]->definition.shape,
                                  (size_t)definition->ndims * sizeof *definition->shape) == 0));

        if (!fits && are_chosen) {
            tool_error("array %s: %s", definition->name,
                       is_mesh ? "its shape differs from that of the first one"
                               : "XDMF shows real numbers in two or three dimensions");
            return TOOL_FAILED;
        }
        if (fits)
            xdmf->list[kept++] = xdmf->list[i];
    }
    xdmf->n = kept;
    if (kept == 0)
        tool_error("no array has real numbers in two or three dimensions");
    return kept > 0 ? TOOL_RUN : TOOL_FAILED;
}

int array_xdmf(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct xdmf xdmf = {.arrays = array_open_blocks(operands[0])};
    struct array_output *output;
    int status = TOOL_FAILED;

    xdmf.list = xdmf.arrays ? array_choose(xdmf.arrays, n, operands, &xdmf.n) : NULL;
    if (xdmf.list)
        status = check_arrays(&xdmf, n > 1);
    if (status == TOOL_RUN)
        status = read_spacing(settings->spacing, xdmf.list[0]->definition.ndims, xdmf.spacing);
    if (status == TOOL_RUN)
        status = array_output_begin(settings->output, operands[0], &output, &xdmf.to);
    if (status == TOOL_RUN)
        status = array_output_end(output, put_steps(&xdmf));
    sion_arrays_close(xdmf.arrays);
    free(xdmf.list);
    return status == TOOL_RUN ? TOOL_DONE : status;
}
