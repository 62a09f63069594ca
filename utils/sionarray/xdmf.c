/*
 * sionarray xdmf: an XDMF 3 file, by which ParaView and VisIt read the blocks in place. Each box of
 * a step is a grid of its own with all arrays that have a block of exactly this box. Elements are
 * the cells, so there is no gap between neighbours.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sionarray/commands.h"

/* A block of one of the arrays. */
struct piece {
    const sion_int64 *box; /* offset and count */
    const struct scion_array_block_entry *block;
    int ndims;
    int array;      /* place in the list */
    uint32_t order; /* place in the index's order: of two with the same box, the later one counts */
    sion_int64 begin; /* in the dimension in which overlaps are searched */
};

struct xdmf {
    struct sion_array_reader *arrays;
    FILE *to;
    struct scion_array **list;
    int n;
    double spacing[3]; /* in the order of the dimensions */
    struct piece *pieces;
    size_t npieces;
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

/* As the XDMF library has them; NULL: it has none. */
static const char *number_type(int type)
{
    static const char *const names[] = {
        [SION_I8] = "Char",   [SION_U8] = "UChar", [SION_I16] = "Short", [SION_U16] = "UShort",
        [SION_I32] = "Int",   [SION_U32] = "UInt", [SION_I64] = "Int",   [SION_F32] = "Float",
        [SION_F64] = "Float", [SION_C128] = NULL};

    return names[type];
}

/* ---- one grid ---- */

static int put_attribute(struct xdmf *xdmf, const struct piece *piece)
{
    const struct scion_array_definition *definition = &xdmf->list[piece->array]->definition;
    const struct scion_array_block_entry *block = piece->block;
    const sion_int64 *count = piece->box + piece->ndims;
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

/* Numbers in the order of the dimensions, inside the file. */
static void put_numbers(FILE *to, int ndims, const double *numbers)
{
    int d;

    fprintf(to, "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"%d\">",
            ndims);
    for (d = 0; d < ndims; d++)
        fprintf(to, "%s%.17g", d > 0 ? " " : "", numbers[d]);
    fputs("</DataItem>", to);
}

/* A grid of n pieces, which have the same box. */
static int put_grid(struct xdmf *xdmf, unsigned number, const struct piece *pieces, size_t n)
{
    const sion_int64 *box = pieces->box;
    int ndims = pieces->ndims, d, status = TOOL_RUN;
    double origin[3];
    size_t i;

    fprintf(xdmf->to,
            "      <Grid Name=\"block %u\" GridType=\"Uniform\">\n"
            "        <Topology TopologyType=\"%dDCoRectMesh\" Dimensions=\"",
            number, ndims);
    for (d = 0; d < ndims; d++) {
        origin[d] = (double)box[d] * xdmf->spacing[d];
        fprintf(xdmf->to, "%s%lld", d > 0 ? " " : "", box[ndims + d] + 1);
    }
    fprintf(xdmf->to, "\"/>\n        <Geometry GeometryType=\"%s\">",
            ndims == 2 ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ");
    put_numbers(xdmf->to, ndims, origin);
    put_numbers(xdmf->to, ndims, xdmf->spacing);
    fputs("</Geometry>\n", xdmf->to);
    for (i = 0; i < n && status == TOOL_RUN; i++) {
        if (i + 1 == n || pieces[i + 1].array != pieces[i].array)
            status = put_attribute(xdmf, &pieces[i]);
    }
    fputs("      </Grid>\n", xdmf->to);
    return status;
}

/* ---- all grids ---- */

static int compare_boxes(const struct piece *a, const struct piece *b)
{
    int d;

    for (d = 0; d < 2 * a->ndims; d++) {
        if (a->box[d] != b->box[d])
            return a->box[d] < b->box[d] ? -1 : 1;
    }
    return 0;
}

/* By step, box and array. */
static int compare_pieces(const void *first, const void *second)
{
    const struct piece *a = first, *b = second;
    int by_box;

    if (a->block->step != b->block->step)
        return a->block->step < b->block->step ? -1 : 1;
    by_box = compare_boxes(a, b);
    if (by_box != 0)
        return by_box;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* By step, array, begin and box. */
static int compare_begins(const void *first, const void *second)
{
    const struct piece *a = first, *b = second;

    if (a->block->step != b->block->step)
        return a->block->step < b->block->step ? -1 : 1;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return compare_boxes(a, b);
}

/* The dimension in which the pieces are the thinnest parts of the whole. */
static int thinnest_dimension(const struct xdmf *xdmf)
{
    const sion_int64 *shape = xdmf->list[0]->definition.shape;
    int ndims = xdmf->list[0]->definition.ndims, thinnest = 0, d;
    double part, smallest = INFINITY;
    size_t i;

    for (d = 0; d < ndims; d++) {
        for (i = 0, part = 0; i < xdmf->npieces; i++)
            part += (double)xdmf->pieces[i].box[ndims + d] / (double)shape[d];
        if (part < smallest) {
            smallest = part;
            thinnest = d;
        }
    }
    return thinnest;
}

static int share_elements(const struct piece *a, const struct piece *b)
{
    int ndims = a->ndims, d;

    for (d = 0; d < ndims; d++) {
        sion_int64 begin = a->box[d] > b->box[d] ? a->box[d] : b->box[d];

        if (begin >= a->box[d] + a->box[ndims + d] || begin >= b->box[d] + b->box[ndims + d])
            return 0;
    }
    return 1;
}

/* Of those with equal boxes, keep one in `unique`; returns how many. They are sorted. */
static size_t copy_unique(const struct xdmf *xdmf, struct piece *unique)
{
    const struct piece *pieces = xdmf->pieces;
    size_t i, n = 0;

    for (i = 0; i < xdmf->npieces; i++) {
        if (n == 0 || compare_begins(&unique[n - 1], &pieces[i]) != 0)
            unique[n++] = pieces[i];
    }
    return n;
}

/* The first of the pieces that shares elements with another one; NULL: none does. */
static const struct piece *find_overlap(const struct piece *pieces, size_t n, int dimension)
{
    size_t i, j;

    for (i = 0; i < n; i++) {
        sion_int64 end = pieces[i].begin + pieces[i].box[pieces[i].ndims + dimension];

        for (j = i + 1; j < n && pieces[j].begin < end && pieces[j].array == pieces[i].array &&
                        pieces[j].block->step == pieces[i].block->step;
             j++) {
            if (share_elements(&pieces[i], &pieces[j]))
                return &pieces[i];
        }
    }
    return NULL;
}

/* XDMF has no order of grids, so blocks of an array may share elements only if their boxes are
   equal. */
static int check_overlaps(struct xdmf *xdmf)
{
    struct piece *unique = scion_array(xdmf->npieces, sizeof *unique);
    const struct piece *overlap;
    int dimension = thinnest_dimension(xdmf);
    size_t i;

    if (!unique) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    for (i = 0; i < xdmf->npieces; i++)
        xdmf->pieces[i].begin = xdmf->pieces[i].box[dimension];
    qsort(xdmf->pieces, xdmf->npieces, sizeof *xdmf->pieces, compare_begins);
    overlap = find_overlap(unique, copy_unique(xdmf, unique), dimension);
    if (overlap)
        tool_error("array %s: its blocks overlap; sionarray export writes it as one file",
                   xdmf->list[overlap->array]->definition.name);
    free(unique);
    return overlap ? TOOL_FAILED : TOOL_RUN;
}

/* All blocks of all arrays, so that those of one step and one box follow each other. */
static int sort_pieces(struct xdmf *xdmf)
{
    const struct scion_array_index *index = xdmf->arrays->index;
    uint64_t all = 0;
    uint32_t i;
    int a;

    for (a = 0; a < xdmf->n; a++)
        all += xdmf->list[a]->blocks;
    xdmf->pieces = scion_array(all + 1, sizeof *xdmf->pieces);
    if (!xdmf->pieces || all == 0) {
        tool_error(all == 0 ? "the arrays have no blocks" : "out of memory");
        return TOOL_FAILED;
    }
    for (a = 0; a < xdmf->n; a++) {
        for (i = 0; i < xdmf->list[a]->blocks; i++) {
            uint32_t order = xdmf->list[a]->first + i;
            const struct scion_array_block_entry *block = &index->blocks[index->order[order]];

            xdmf->pieces[xdmf->npieces++] = (struct piece){scion_array_index_box(index, block),
                                                           block,
                                                           xdmf->list[a]->definition.ndims,
                                                           a,
                                                           order,
                                                           0};
        }
    }
    if (check_overlaps(xdmf) != TOOL_RUN)
        return TOOL_FAILED;
    qsort(xdmf->pieces, xdmf->npieces, sizeof *xdmf->pieces, compare_pieces);
    return TOOL_RUN;
}

/* The pieces of one step, n at most; sets *used to their number. */
static int put_step(struct xdmf *xdmf, const struct piece *pieces, size_t n, size_t *used)
{
    uint32_t step = pieces->block->step;
    size_t i = 0, end;
    unsigned number = 0;
    int status = TOOL_RUN;

    fprintf(xdmf->to,
            "    <Grid Name=\"step %lld\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
            "      <Time Value=\"%lld\"/>\n",
            xdmf->arrays->index->steps[step], xdmf->arrays->index->steps[step]);
    while (i < n && pieces[i].block->step == step && status == TOOL_RUN) {
        for (end = i + 1; end < n && pieces[end].block->step == step &&
                          compare_boxes(&pieces[i], &pieces[end]) == 0;)
            end++;
        status = put_grid(xdmf, number++, pieces + i, end - i);
        i = end;
    }
    fputs("    </Grid>\n", xdmf->to);
    *used = i;
    return status;
}

static int put_steps(void *data, FILE *to)
{
    struct xdmf *xdmf = data;
    size_t i, used = 0;
    int status = TOOL_RUN;

    xdmf->to = to;
    fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n  <Grid Name=\"steps\" "
          "GridType=\"Collection\" CollectionType=\"Temporal\">\n",
          xdmf->to);
    for (i = 0; i < xdmf->npieces && status == TOOL_RUN; i += used)
        status = put_step(xdmf, xdmf->pieces + i, xdmf->npieces - i, &used);
    fputs("  </Grid>\n </Domain>\n</Xdmf>\n", xdmf->to);
    return status;
}

/* ---- what was asked for ---- */

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
        if (end == at || !(spacing[d] > 0) || !isfinite(spacing[d]))
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

/* Why XDMF does not show an array; NULL: it does. first: the first one that it shows, or NULL. */
static const char *reason_against(const struct scion_array *array, const struct scion_array *first)
{
    const struct scion_array_definition *definition = &array->definition;
    size_t bytes = (size_t)definition->ndims * sizeof *definition->shape;

    if (definition->ndims < 2 || definition->ndims > 3 ||
        scion_array_kind(definition->type) == SCION_COMPLEX)
        return "XDMF shows real numbers in two or three dimensions";
    if (!number_type(definition->type))
        return "readers of XDMF have no unsigned numbers of 64 bits";
    if (array->coding.codec != SCION_ARRAY_PLAIN || array->is_mixed)
        return "readers of XDMF have no compressed blocks";
    if (first && (definition->ndims != first->definition.ndims ||
                  memcmp(definition->shape, first->definition.shape, bytes) != 0))
        return "its shape differs from that of the first one";
    return NULL;
}

/* Arrays of one shape of two or three dimensions. If none were named, those with the shape of the
   first, which have blocks. */
static int check_arrays(struct xdmf *xdmf, int are_chosen)
{
    int i, kept = 0;

    for (i = 0; i < xdmf->n; i++) {
        const char *reason = reason_against(xdmf->list[i], kept > 0 ? xdmf->list[0] : NULL);

        if (reason && are_chosen) {
            tool_error("array %s: %s; sionarray export writes it as one file",
                       xdmf->list[i]->definition.name, reason);
            return TOOL_FAILED;
        }
        if (!are_chosen && xdmf->list[i]->blocks == 0)
            continue;
        if (reason)
            tool_warning("array %s: %s, so it is left out", xdmf->list[i]->definition.name, reason);
        else
            xdmf->list[kept++] = xdmf->list[i];
    }
    xdmf->n = kept;
    if (kept == 0)
        tool_error("no array has blocks of real numbers in two or three dimensions");
    return kept > 0 ? TOOL_RUN : TOOL_FAILED;
}

int array_xdmf(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct xdmf xdmf = {.arrays = array_open_blocks(operands[0])};
    int status = TOOL_FAILED;

    xdmf.list = xdmf.arrays ? array_choose(xdmf.arrays, n, operands, &xdmf.n) : NULL;
    if (xdmf.list)
        status = check_arrays(&xdmf, n > 1);
    if (status == TOOL_RUN)
        status = read_spacing(settings->spacing, xdmf.list[0]->definition.ndims, xdmf.spacing);
    if (status == TOOL_RUN)
        status = sort_pieces(&xdmf);
    if (status == TOOL_RUN)
        status = array_output(settings->output, operands[0], put_steps, &xdmf);
    sion_array_reader_close(xdmf.arrays);
    free(xdmf.list);
    free(xdmf.pieces);
    return status == TOOL_RUN ? TOOL_DONE : status;
}
