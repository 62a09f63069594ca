/* What the commands share: opening files, choosing arrays, reading slices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mode.h"
#include "lib/input.h"
#include "lib/replace.h"
#include "lib/text.h"
#include "sionarray/commands.h"
#include "vfs/path.h"
#include "vfs/stdio_named.h"

int array_failed(const char *file)
{
    const char *text = scion_error_text();

    if (strstr(text, file))
        tool_error("%s", text);
    else
        tool_error("%s: %s", file, text);
    return TOOL_FAILED;
}

/* Of the generation that was chosen. */
static struct sion_array_reader *open_chosen(const char *file)
{
    const struct scion_mode *chosen = input_generation();
    char mode[40] = "rb";

    if (chosen->all_generations)
        snprintf(mode, sizeof mode, "rb,generation=all");
    else if (chosen->generation != 0)
        snprintf(mode, sizeof mode, "rb,generation=%lld", (long long)chosen->generation);
    return sion_array_reader_open_mode(file, mode);
}

struct sion_array_reader *array_open(const char *file)
{
    struct sion_array_reader *arrays = open_chosen(file);
    char text[SCION_ERROR_TEXT];

    if (!arrays)
        array_failed(file);
    if (arrays && scion_arrays_locked(arrays, text))
        tool_warning("%s", text);
    if (arrays && scion_arrays_damage(arrays, text))
        tool_warning("%s", text);
    return arrays;
}

struct sion_array_reader *array_open_blocks(const char *file)
{
    struct sion_array_reader *arrays = array_open(file);

    if (!arrays || scion_array_settle(arrays) == 0)
        return arrays;
    array_failed(file);
    sion_array_reader_close(arrays);
    return NULL;
}

struct scion_array **array_choose(struct sion_array_reader *arrays, int n, char **operands,
                                  int *count)
{
    int all = n < 2, i;
    struct scion_array **list;

    *count = all ? (int)arrays->index->narrays : n - 1;
    list = scion_array((uint64_t)*count + 1, sizeof(struct scion_array *));
    for (i = 0; list && i < *count; i++) {
        list[i] = all ? arrays->index->arrays[i] : scion_arrays_find(arrays, operands[i + 1]);
        if (!list[i]) {
            array_failed(operands[0]);
            free(list);
            return NULL;
        }
    }
    if (!list)
        tool_error("out of memory");
    return list;
}

sion_int64 array_step(const struct sion_array_reader *arrays, const struct scion_array *array,
                      uint32_t place)
{
    return arrays->index->steps[arrays->index->step_lists[array->first_step + place]];
}

const char *array_shape(const struct scion_array *array, char *into)
{
    size_t length = 0;
    int d;

    snprintf(into, ARRAY_SHAPE, "a number");
    for (d = 0; d < array->definition.ndims; d++)
        length += (size_t)snprintf(into + length, ARRAY_SHAPE - length, "%s%lld", d > 0 ? "x" : "",
                                   array->definition.shape[d]);
    return into;
}

/* ---- parts ---- */

/* Read a number from 0 to limit; 0, or -1: it is none. */
static int read_place(const char *text, sion_int64 limit, sion_int64 *place, const char **rest)
{
    char *end;

    errno = 0;
    *place = strtoll(text, &end, 10);
    *rest = end;
    return end != text && errno == 0 && *place >= 0 && *place <= limit ? 0 : -1;
}

/* Read "3", "2:5" or ":" of a dimension, and set *rest after it. 0, or -1: it is none of them. */
static int read_range(const char *text, sion_int64 extent, sion_int64 *offset, sion_int64 *count,
                      const char **rest)
{
    sion_int64 last = extent;

    *offset = 0;
    *rest = text;
    if (*text != ':' && read_place(text, extent, offset, rest) != 0)
        return -1;
    if (**rest == ':') {
        text = ++*rest;
        if (*text && *text != ',' && read_place(text, extent, &last, rest) != 0)
            return -1;
    } else {
        last = *offset + 1;
    }
    *count = last - *offset;
    return *count >= 0 && last <= extent && (**rest == ',' || !**rest) ? 0 : -1;
}

static int read_slice(const struct scion_array *array, const char *slice, struct array_part *part)
{
    const char *at = slice;
    int d, ndims = array->definition.ndims;

    for (d = 0; d < ndims; d++) {
        if (read_range(at, array->definition.shape[d], &part->offset[d], &part->count[d], &at) != 0)
            break;
        if (d + 1 < ndims && *at++ != ',')
            break;
    }
    if (d == ndims && !*at)
        return TOOL_RUN;
    tool_error(
        "slice '%s' does not fit array %s, which has %d dimension%s: give N, N:M or : for each",
        slice, array->definition.name, ndims, text_plural(ndims));
    return TOOL_USAGE;
}

int array_select(const struct sion_array_reader *arrays, const struct scion_array *array,
                 const struct array_settings *settings, struct array_part *part)
{
    size_t bytes = (size_t)array->definition.ndims * sizeof(sion_int64);

    part->step = settings->step;
    if (!settings->has_step)
        part->step = array->steps > 0 ? array_step(arrays, array, array->steps - 1) : 0;
    if (settings->has_step && !scion_array_index_has_step(arrays->index, array, settings->step)) {
        tool_error("array %s has no step %lld", array->definition.name, settings->step);
        return TOOL_USAGE;
    }
    memset(part->offset, 0, sizeof part->offset);
    memcpy(part->count, array->definition.shape, bytes);
    return settings->slice ? read_slice(array, settings->slice, part) : TOOL_RUN;
}

void array_fill(const struct scion_array *array, unsigned char element[16])
{
    const char *text = scion_array_text_find(&array->texts, "_FillValue");

    if (!text || scion_array_fill(array->definition.type, text, element) != 0)
        scion_array_fill(array->definition.type, NULL, element);
}

void array_parts(int type, const unsigned char *element, double parts[2])
{
    size_t size = scion_array_number_size(type), n = scion_array_size(type) / size, i;
    int part = type == SION_C64 ? SION_F32 : type == SION_C128 ? SION_F64 : type;
    unsigned char low_first[8];

    parts[1] = 0;
    for (i = 0; i < n; i++) {
        union sion_array_value value;

        if (scion_host_is_big())
            scion_swap_copy(low_first, element + i * size, size, 1);
        else
            memcpy(low_first, element + i * size, size);
        value = scion_array_unpack_value(part, low_first);
        parts[i] = scion_array_kind(part) == SCION_FLOAT    ? value.f
                   : scion_array_kind(part) == SCION_SIGNED ? (double)value.i
                                                            : (double)value.u;
    }
}

const char *array_dtype(int type, int is_big, char into[8])
{
    static const char letters[] = {
        [SCION_SIGNED] = 'i', [SCION_UNSIGNED] = 'u', [SCION_FLOAT] = 'f', [SCION_COMPLEX] = 'c'};
    size_t size = scion_array_size(type);

    snprintf(into, 8, "%c%c%zu",
             size == 1 ? '|'
             : is_big  ? '>'
                       : '<',
             letters[scion_array_kind(type)], size % 100);
    return into;
}

/* ---- outputs ---- */

struct array_output {
    FILE *file;
    struct replace replace;
    int is_stdout;
};

int array_output_begin(const char *name, const char *input, struct array_output **output,
                       FILE **file)
{
    struct array_output *new;

    if (name && scion_path_is_same(name, input)) {
        tool_error("%s is a file of the input", name);
        return TOOL_FAILED;
    }
    new = calloc(1, sizeof *new);
    if (!new) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    new->is_stdout = !name;
    if (new->is_stdout) {
        new->file = stdout;
    } else {
        if (replace_begin_plain(&new->replace, name, scion_path_permissions(input)) != TOOL_RUN) {
            free(new);
            return TOOL_FAILED;
        }
        new->file =
            scion_stdio_open(replace_path(&new->replace),
                             new->replace.beside ? SCION_STDIO_WRITE_OWN : SCION_STDIO_WRITE);
        if (!new->file) {
            tool_error("cannot write %s: %s", name, strerror(errno));
            replace_end(&new->replace, TOOL_FAILED);
            free(new);
            return TOOL_FAILED;
        }
    }
    *output = new;
    *file = new->file;
    return TOOL_RUN;
}

int array_output_end(struct array_output *output, int status)
{
    int bad, errnum;

    if (output->is_stdout) {
        free(output);
        return status;
    }
    errno = 0;
    bad = fflush(output->file) != 0 || ferror(output->file);
    errnum = errno;
    if (fclose(output->file) != 0 && !bad) {
        bad = 1;
        errnum = errno;
    }
    if (bad && status <= TOOL_DONE) {
        tool_error("cannot write %s: %s", output->replace.name,
                   errnum != 0 ? strerror(errnum) : "a write has failed");
        status = TOOL_FAILED;
    }
    status = replace_end(&output->replace, status);
    free(output);
    return status;
}

/* Write it where it is lost, to see whether that succeeds. */
static int try_to_write(array_writer *write, void *data)
{
    FILE *nothing = scion_stdio_open("/dev/null", SCION_STDIO_WRITE);
    int status;

    if (!nothing) {
        tool_error("cannot write /dev/null: %s", strerror(errno));
        return TOOL_FAILED;
    }
    status = write(data, nothing);
    fclose(nothing);
    return status;
}

int array_output(const char *name, const char *input, array_writer *write, void *data)
{
    struct array_output *output;
    FILE *file;
    int status = array_output_begin(name, input, &output, &file);

    if (status != TOOL_RUN)
        return status;
    if (output->is_stdout || !output->replace.beside)
        status = try_to_write(write, data);
    return array_output_end(output, status == TOOL_RUN ? write(data, file) : status);
}
