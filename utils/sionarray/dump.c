/* sionarray dump, export: elements as text, as files of numpy, or as raw bytes. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/error.h"
#include "base/memory.h"
#include "lib/progress.h"
#include "sionarray/commands.h"
#include "vfs/path.h"

enum {
    PIECE = 16 << 20
}; /* bytes that are read at a time, if a slice of the slowest dimension is not larger */

/* Takes the next `n` elements of the part. */
typedef int use_elements(void *data, const struct scion_array *array, const unsigned char *elements,
                         sion_int64 n);

/* Read a part of an array in pieces of its slowest dimension. 0 or an error code. */
static int read_pieces(struct sion_array_reader *arrays, const struct scion_array *array,
                       const struct array_part *part, use_elements *use, void *data)
{
    const struct scion_array_definition *definition = &array->definition;
    struct scion_array_slab slab = {array, NULL, NULL, NULL};
    struct array_part piece = *part;
    sion_int64 all = scion_array_bytes(definition->type, definition->ndims, part->count), slice, n;
    int rc = 0;

    if (all == 0)
        return 0;
    slice = definition->ndims > 0 ? all / part->count[0] : all;
    n = slice < PIECE ? PIECE / slice : 1;
    if (definition->ndims > 0 && n > part->count[0])
        n = part->count[0];
    slab.data = scion_array((uint64_t)(definition->ndims > 0 ? n * slice : slice), 1);
    slab.offset = piece.offset;
    slab.count = piece.count;
    if (!slab.data)
        return scion_fail_memory("part of an array");
    do {
        if (definition->ndims > 0) {
            sion_int64 left = part->offset[0] + part->count[0] - piece.offset[0];

            piece.count[0] = n < left ? n : left;
        }
        rc = scion_array_read_slab(arrays, &slab, part->step);
        if (rc == 0)
            rc = use(data, array, slab.data,
                     scion_array_bytes(definition->type, definition->ndims, piece.count) /
                         (sion_int64)scion_array_size(definition->type));
        if (definition->ndims > 0)
            piece.offset[0] += piece.count[0];
    } while (rc == 0 && definition->ndims > 0 &&
             piece.offset[0] < part->offset[0] + part->count[0]);
    free(slab.data);
    return rc;
}

/* ---- text ---- */

struct printer {
    const struct array_part *part;
    char separator;
    sion_int64 done;
};

static int print_elements(void *data, const struct scion_array *array,
                          const unsigned char *elements, sion_int64 n)
{
    struct printer *printer = data;
    const struct scion_array_definition *definition = &array->definition;
    sion_int64 row = definition->ndims > 0 ? printer->part->count[definition->ndims - 1] : 1, i;
    sion_int64 plane =
        definition->ndims > 1 ? row * printer->part->count[definition->ndims - 2] : 0;
    size_t size = scion_array_size(definition->type);
    char text[SCION_ARRAY_TEXT];

    for (i = 0; i < n; i++, printer->done++) {
        if (definition->ndims > 2 && printer->done > 0 && printer->done % plane == 0)
            putchar('\n');
        fputs(scion_array_text(definition->type, elements + (size_t)i * size, text), stdout);
        putchar((printer->done + 1) % row == 0 ? '\n' : printer->separator);
    }
    return 0;
}

int array_dump(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_array_reader *arrays = array_open_blocks(operands[0]);
    struct scion_array *array = arrays ? scion_arrays_find(arrays, operands[1]) : NULL;
    struct array_part part;
    struct printer printer = {&part, settings->csv ? ',' : ' ', 0};
    int status = TOOL_FAILED;

    (void)n;
    if (arrays && !array)
        array_failed(operands[0]);
    if (array)
        status = array_select(arrays, array, settings, &part);
    if (status == TOOL_RUN)
        status = read_pieces(arrays, array, &part, print_elements, &printer) == 0
                     ? TOOL_DONE
                     : array_failed(operands[0]);
    sion_array_reader_close(arrays);
    return status;
}

/* ---- files ---- */

/* The name of an array's file: a slash, or a dot at the beginning, is replaced. */
enum { FILE_NAME = 3 * SION_ARRAY_NAME + 8 };

static const char *file_name(const char *name, int raw, char into[FILE_NAME])
{
    size_t length = 0;

    for (; *name; name++) {
        if (*name == '/' || *name == '%' || (*name == '.' && length == 0))
            length += (size_t)sprintf(into + length, "%%%02X", (unsigned char)*name);
        else
            into[length++] = *name;
    }
    strcpy(into + length, raw ? ".raw" : ".npy");
    return into;
}

/* Remove arrays from the list whose names are too long for files; TOOL_FAILED: there was one. */
static int drop_long_names(struct scion_array **list, int *count, int raw)
{
    char name[FILE_NAME];
    int i, kept = 0, status = TOOL_RUN;

    for (i = 0; i < *count; i++) {
        if (strlen(file_name(list[i]->definition.name, raw, name)) <= NAME_MAX) {
            list[kept++] = list[i];
            continue;
        }
        tool_error("array %.40s...: its name is too long for a file", list[i]->definition.name);
        status = TOOL_FAILED;
    }
    *count = kept;
    return status;
}

/* The header of numpy's format 1.0: a dictionary, padded so that the data begin on a multiple of
   64. */
static void put_npy_header(const struct scion_array *array, FILE *to)
{
    const struct scion_array_definition *definition = &array->definition;
    int ndims = definition->ndims + (array->steps > 1), d;
    char header[512], dtype[8];
    size_t length;

    length = (size_t)snprintf(header, sizeof header,
                              "{'descr': '%s', 'fortran_order': False, 'shape': (",
                              array_dtype(definition->type, scion_host_is_big(), dtype));
    if (array->steps > 1)
        length += (size_t)sprintf(header + length, "%u%s", array->steps, ndims == 1 ? "," : ", ");
    for (d = 0; d < definition->ndims; d++)
        length += (size_t)sprintf(header + length, "%lld%s", definition->shape[d],
                                  ndims == 1                  ? ","
                                  : d + 1 < definition->ndims ? ", "
                                                              : "");
    length += (size_t)sprintf(header + length, "), }");
    while ((10 + length + 1) % 64 != 0)
        header[length++] = ' ';
    header[length++] = '\n';
    fprintf(to, "\x93NUMPY%c%c%c%c", 1, 0, (int)(length & 255), (int)(length >> 8));
    fwrite(header, 1, length, to);
}

struct writing {
    FILE *to;
    struct progress *progress;
};

static int write_elements(void *data, const struct scion_array *array,
                          const unsigned char *elements, sion_int64 n)
{
    struct writing *writing = data;
    size_t size = scion_array_size(array->definition.type);

    progress_step(writing->progress, n * (sion_int64)size);
    return fwrite(elements, size, (size_t)n, writing->to) == (size_t)n
               ? 0
               : scion_fail(SION_ERR_SYSTEM, "cannot write the output: %s", strerror(errno));
}

static int export_one(struct sion_array_reader *arrays, const char *input,
                      const struct scion_array *array, const struct array_settings *settings,
                      struct progress *progress)
{
    struct writing writing = {.progress = progress};
    struct array_output *output;
    struct array_part part = {0};
    char name[FILE_NAME], path[SCION_PATH];
    uint32_t s;
    int status = TOOL_RUN, rc;

    memcpy(part.count, array->definition.shape,
           (size_t)array->definition.ndims * sizeof *part.count);
    rc = scion_path(path, settings->output, file_name(array->definition.name, settings->raw, name));
    if (rc != 0)
        return array_failed(settings->output);
    status = array_output_begin(path, input, &output, &writing.to);
    if (status != TOOL_RUN)
        return status;
    if (!settings->raw)
        put_npy_header(array, writing.to);
    for (s = 0; s < (array->steps > 0 ? array->steps : 1) && rc == 0; s++) {
        part.step = array->steps > 0 ? array_step(arrays, array, s) : 0;
        rc = read_pieces(arrays, array, &part, write_elements, &writing);
    }
    return array_output_end(output, rc == 0 ? TOOL_RUN : array_failed(path));
}

static int export_all(struct sion_array_reader *arrays, const char *input,
                      struct scion_array **list, int count, const struct array_settings *settings)
{
    struct progress progress;
    sion_int64 total = 0;
    int i, status = TOOL_RUN;

    for (i = 0; i < count; i++)
        total +=
            list[i]->steps * scion_array_bytes(list[i]->definition.type, list[i]->definition.ndims,
                                               list[i]->definition.shape);
    if (scion_make_folders(settings->output) != 0)
        return array_failed(settings->output);
    progress_start(&progress, total, 0);
    for (i = 0; i < count && status == TOOL_RUN; i++)
        status = export_one(arrays, input, list[i], settings, &progress);
    progress_end(&progress);
    return status;
}

int array_export(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_array_reader *arrays = array_open_blocks(operands[0]);
    struct scion_array **list;
    int count, status = TOOL_FAILED, dropped;

    list = arrays ? array_choose(arrays, n, operands, &count) : NULL;
    if (list) {
        dropped = drop_long_names(list, &count, settings->raw);
        status = export_all(arrays, operands[0], list, count, settings);
        status = status == TOOL_RUN ? dropped : status;
    }
    sion_array_reader_close(arrays);
    free(list);
    return status == TOOL_RUN ? TOOL_DONE : status;
}
