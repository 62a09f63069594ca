/* sionarray ls, info, stats: list and describe arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/json.h"
#include "base/memory.h"
#include "lib/progress.h"
#include "lib/text.h"
#include "sionarray/commands.h"

/* Smallest and largest as text; "-" where they are not known. */
static void range_text(const struct scion_array *array, char *low, char *high)
{
    int type = array->definition.type == SION_F64 ? SION_F32 : array->definition.type;

    strcpy(low, "-");
    strcpy(high, "-");
    if (!scion_array_range_is_known(array->definition.type, &array->range))
        return;
    if (scion_array_kind(type) == SCION_FLOAT) {
        snprintf(low, SCION_ARRAY_TEXT, "%.6g", array->range.low.f);
        snprintf(high, SCION_ARRAY_TEXT, "%.6g", array->range.high.f);
    } else {
        scion_array_value_text(type, array->range.low, low);
        scion_array_value_text(type, array->range.high, high);
    }
}

/* A number, if JSON can express it; others are null. */
static void json_value(int type, union sion_array_value value)
{
    char text[SCION_ARRAY_TEXT];

    if (scion_array_kind(type) == SCION_FLOAT && !isfinite(value.f))
        printf("null");
    else
        printf("%s", scion_array_value_text(type, value, text));
}

static void json_range(const struct scion_array *array)
{
    if (!scion_array_range_is_known(array->definition.type, &array->range))
        return;
    printf(", \"min\": ");
    json_value(array->definition.type, array->range.low);
    printf(", \"max\": ");
    json_value(array->definition.type, array->range.high);
}

static void json_texts(const struct scion_array_texts *texts)
{
    int i;

    printf("{");
    for (i = 0; i < texts->n; i++) {
        printf("%s", i > 0 ? ", " : "");
        scion_json_string(stdout, texts->list[i].key);
        printf(": ");
        scion_json_string(stdout, texts->list[i].value);
    }
    printf("}");
}

static const char *source_name(const struct sion_arrays *arrays)
{
    static const char *const names[] = {[SCION_ARRAY_FROM_WHOLE] = "complete",
                                        [SCION_ARRAY_FROM_TASKS] = "of each task",
                                        [SCION_ARRAY_FROM_HEADERS] = "missing"};

    return names[arrays->source];
}

static void json_array(const struct sion_arrays *arrays, const struct scion_array *array)
{
    const struct scion_array_definition *definition = &array->definition;
    uint32_t s;
    int d;

    printf("{\"name\": ");
    scion_json_string(stdout, definition->name);
    printf(", \"type\": \"%s\", \"shape\": [", scion_array_type_name(definition->type));
    for (d = 0; d < definition->ndims; d++)
        printf("%s%lld", d > 0 ? ", " : "", definition->shape[d]);
    printf("], \"steps\": [");
    for (s = 0; s < array->steps; s++)
        printf("%s%lld", s > 0 ? ", " : "", array_step(arrays, array, s));
    printf("], \"blocks\": %u, \"bytes\": %lld", array->blocks, array->bytes);
    json_range(array);
    printf(", \"attributes\": ");
    json_texts(&array->texts);
    printf("}");
}

static void json_all(const struct sion_arrays *arrays, struct scion_array **list, int n)
{
    int i;

    printf("{\"schema\": \"sionarray\", \"schema_version\": 1, \"index\": \"%s\", \"attributes\": ",
           source_name(arrays));
    json_texts(&arrays->index->texts);
    printf(", \"arrays\": [");
    for (i = 0; i < n; i++) {
        printf("%s", i > 0 ? ",\n  " : "\n  ");
        json_array(arrays, list[i]);
    }
    printf("]}\n");
}

/* About how many columns of a terminal a text in UTF-8 takes. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

static void print_table(struct scion_array **list, int n)
{
    char shape[ARRAY_SHAPE], low[SCION_ARRAY_TEXT], high[SCION_ARRAY_TEXT], size[TEXT_SIZE];
    int widths[2] = {4, 5}, i;

    for (i = 0; i < n; i++) {
        int name = width_of(list[i]->definition.name),
            box = (int)strlen(array_shape(list[i], shape));

        widths[0] = name > widths[0] && name <= 30 ? name : widths[0];
        widths[1] = box > widths[1] ? box : widths[1];
    }
    printf("%-*s  type  %-*s  %6s %8s %12s %12s %10s\n", widths[0], "name", widths[1], "shape",
           "steps", "blocks", "min", "max", "bytes");
    for (i = 0; i < n; i++) {
        const struct scion_array *array = list[i];
        int pad = widths[0] - width_of(array->definition.name);

        range_text(array, low, high);
        printf("%s%*s  %-4s  %-*s  %6u %8u %12s %12s %10s\n", array->definition.name,
               pad > 0 ? pad : 0, "", scion_array_type_name(array->definition.type), widths[1],
               array_shape(array, shape), array->steps, array->blocks, low, high,
               text_size(size, array->bytes));
    }
}

int array_ls(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_arrays *arrays = array_open(operands[0]);
    struct scion_array **list;
    int count;

    list = arrays ? array_choose(arrays, n, operands, &count) : NULL;
    if (list && settings->json)
        json_all(arrays, list, count);
    else if (list)
        print_table(list, count);
    sion_arrays_close(arrays);
    free(list);
    return list ? TOOL_DONE : TOOL_FAILED;
}

/* ---- info ---- */

static void print_texts(const struct scion_array_texts *texts, const char *indent)
{
    int i;

    for (i = 0; i < texts->n; i++)
        printf("%s%s: %s\n", indent, texts->list[i].key, texts->list[i].value);
}

static void print_info(const struct sion_arrays *arrays, const struct scion_array *array)
{
    char shape[ARRAY_SHAPE], low[SCION_ARRAY_TEXT], high[SCION_ARRAY_TEXT], size[TEXT_SIZE];

    printf("%s\n  type:   %s\n  shape:  %s\n", array->definition.name,
           scion_array_type_name(array->definition.type), array_shape(array, shape));
    printf("  steps:  %u", array->steps);
    if (array->steps > 0)
        printf(", %lld to %lld", array_step(arrays, array, 0),
               array_step(arrays, array, array->steps - 1));
    range_text(array, low, high);
    printf("\n  blocks: %u, %s\n  range:  %s to %s\n", array->blocks, text_size(size, array->bytes),
           low, high);
    print_texts(&array->texts, "  ");
}

int array_info(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_arrays *arrays = array_open(operands[0]);
    struct scion_array **list;
    int count, i;

    list = arrays ? array_choose(arrays, n, operands, &count) : NULL;
    if (list && settings->json) {
        json_all(arrays, list, count);
    } else if (list) {
        printf("%s: %u array%s, index %s\n", operands[0], arrays->index->narrays,
               text_plural(arrays->index->narrays), source_name(arrays));
        print_texts(&arrays->index->texts, "");
        for (i = 0; i < count; i++)
            print_info(arrays, list[i]);
    }
    sion_arrays_close(arrays);
    free(list);
    return list ? TOOL_DONE : TOOL_FAILED;
}

/* ---- stats ---- */

struct stats {
    sion_int64 elements, nans, checked;
    double mean, squares; /* squares: sum of squared distances from the mean */
    struct scion_array_range range;
};

/* Welford's algorithm: accurate in one pass. */
static void add_number(struct stats *stats, double number)
{
    double distance = number - stats->mean;

    if (isnan(number)) {
        stats->nans++;
        return;
    }
    stats->elements++;
    stats->mean += distance / (double)stats->elements;
    stats->squares += distance * (number - stats->mean);
}

static void add_data(struct stats *stats, int type, const unsigned char *data, size_t n)
{
    size_t size = scion_array_size(type), i;
    unsigned char low_first[8];

    scion_array_range_add(type, data, n, &stats->range);
    for (i = 0; i < n; i++, data += size) {
        union sion_array_value value;

        if (scion_host_is_big())
            scion_swap_copy(low_first, data, size, 1);
        else
            memcpy(low_first, data, size);
        value = scion_array_unpack_value(type, low_first);
        add_number(stats, scion_array_kind(type) == SCION_FLOAT    ? value.f
                          : scion_array_kind(type) == SCION_SIGNED ? (double)value.i
                                                                   : (double)value.u);
    }
}

static int read_stats(struct sion_arrays *arrays, const struct scion_array *array,
                      struct progress *progress, struct stats *stats)
{
    int type = array->definition.type, rc = 0, has_crc;
    uint32_t i;

    *stats = (struct stats){0};
    scion_array_range_begin(type, &stats->range);
    for (i = 0; i < array->blocks && rc == 0; i++) {
        const struct scion_array_block_entry *block =
            &arrays->index->blocks[arrays->index->order[array->first + i]];
        const sion_int64 *box = scion_array_index_box(arrays->index, block);
        sion_int64 bytes =
            scion_array_bytes(type, array->definition.ndims, box + array->definition.ndims);
        unsigned char *data = scion_array((uint64_t)bytes, 1);

        if (!data)
            return tool_error("out of memory"), -1;
        rc = scion_array_read_block(arrays, block, data, &has_crc);
        if (rc == 0 && arrays->index->is_big[block->task] != scion_host_is_big())
            scion_swap_copy(data, data, scion_array_number_size(type),
                            (size_t)bytes / scion_array_number_size(type));
        if (rc == 0 && scion_array_kind(type) != SCION_COMPLEX)
            add_data(stats, type, data, (size_t)bytes / scion_array_size(type));
        stats->checked += rc == 0 && has_crc;
        progress_step(progress, bytes);
        free(data);
    }
    return rc;
}

static void print_stats(const struct scion_array *array, const struct stats *stats)
{
    double deviation =
        stats->elements > 0 ? sqrt(stats->squares / (double)stats->elements) : (double)NAN;
    char low[SCION_ARRAY_TEXT], high[SCION_ARRAY_TEXT];
    struct scion_array shown = *array;

    shown.range = stats->range;
    range_text(&shown, low, high);
    printf("%s: %lld element%s, %lld NaN, min %s, max %s, mean %.9g, deviation %.9g, "
           "%lld of %u block%s ha%s a CRC, which is right\n",
           array->definition.name, stats->elements + stats->nans,
           text_plural(stats->elements + stats->nans), stats->nans, low, high,
           stats->elements > 0 ? stats->mean : (double)NAN, deviation, stats->checked,
           array->blocks, text_plural(array->blocks), stats->checked == 1 ? "s" : "ve");
}

static void json_stats(const struct scion_array *array, const struct stats *stats, int is_first)
{
    struct scion_array shown = *array;

    shown.range = stats->range;
    printf("%s{\"name\": ", is_first ? "" : ", ");
    scion_json_string(stdout, array->definition.name);
    printf(", \"elements\": %lld, \"nan\": %lld", stats->elements + stats->nans, stats->nans);
    json_range(&shown);
    if (stats->elements > 0)
        printf(", \"mean\": %.17g, \"deviation\": %.17g", stats->mean,
               sqrt(stats->squares / (double)stats->elements));
    printf(", \"blocks\": %u, \"with_crc\": %lld}", array->blocks, stats->checked);
}

int array_stats(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_arrays *arrays = array_open_blocks(operands[0]);
    struct scion_array **list;
    struct progress progress;
    struct stats stats;
    sion_int64 total = 0;
    int count, i, rc = 0;

    list = arrays ? array_choose(arrays, n, operands, &count) : NULL;
    for (i = 0; list && i < count; i++)
        total += list[i]->bytes;
    progress_start(&progress, total, 0);
    if (list && settings->json)
        printf("[");
    for (i = 0; list && i < count && rc == 0; i++) {
        rc = read_stats(arrays, list[i], &progress, &stats);
        progress_clear(&progress);
        if (rc != 0)
            array_failed(operands[0]);
        else if (settings->json)
            json_stats(list[i], &stats, i == 0);
        else
            print_stats(list[i], &stats);
    }
    progress_end(&progress);
    if (list && settings->json)
        printf("]\n");
    sion_arrays_close(arrays);
    free(list);
    return list && rc == 0 ? TOOL_DONE : TOOL_FAILED;
}
