/* sionarray ls, info, stats: list and describe arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/escape.h"
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

static const char *codec_name(const struct scion_array *array)
{
    return array->is_mixed ? "mixed" : scion_array_coding_text(&array->coding);
}

/* How much smaller the blocks are than their elements. */
static double ratio(const struct scion_array *array)
{
    return array->stored > 0 ? (double)array->bytes / (double)array->stored : 1;
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

static const char *source_name(const struct sion_array_reader *arrays)
{
    static const char *const names[] = {[SCION_ARRAY_FROM_WHOLE] = "complete",
                                        [SCION_ARRAY_FROM_TASKS] = "of each task",
                                        [SCION_ARRAY_FROM_HEADERS] = "missing"};

    return arrays->index->narrays == 0 && arrays->source != SCION_ARRAY_FROM_WHOLE
               ? "none"
               : names[arrays->source];
}

static void json_array(const struct sion_array_reader *arrays, const struct scion_array *array)
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
    printf("], \"blocks\": %u, \"bytes\": %lld, \"stored\": %lld, \"codec\": \"%s\"", array->blocks,
           array->bytes, array->stored, codec_name(array));
    json_range(array);
    printf(", \"attributes\": ");
    json_texts(&array->texts);
    printf("}");
}

static void json_all(const struct sion_array_reader *arrays, struct scion_array **list, int n)
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

/* Longer names than those of 30 columns shift their lines. */
static void print_row(const struct scion_array *array, const char *name, const int widths[2],
                      int has_codecs)
{
    char shape[ARRAY_SHAPE], low[SCION_ARRAY_TEXT], high[SCION_ARRAY_TEXT], size[TEXT_SIZE];
    int pad = widths[0] - width_of(name);

    range_text(array, low, high);
    printf("%s%*s  %-4s  %-*s  %6u %8u %12s %12s %10s", name, pad > 0 ? pad : 0, "",
           scion_array_type_name(array->definition.type), widths[1], array_shape(array, shape),
           array->steps, array->blocks, low, high, text_size(size, array->bytes));
    if (has_codecs)
        printf(" %6.2f  %s", ratio(array), *codec_name(array) ? codec_name(array) : "-");
    putchar('\n');
}

static void print_table(struct scion_array **list, int n)
{
    enum { NAME = 4 * SION_ARRAY_NAME + 1 };
    char shape[ARRAY_SHAPE], escaped[NAME];
    int widths[2] = {4, 5}, i, has_codecs = 0;

    for (i = 0; i < n; i++) {
        int name = width_of(scion_escape(list[i]->definition.name, escaped, sizeof escaped)),
            box = (int)strlen(array_shape(list[i], shape));

        widths[0] = name > widths[0] && name <= 30 ? name : widths[0];
        widths[1] = box > widths[1] ? box : widths[1];
        has_codecs |= *codec_name(list[i]) != '\0';
    }
    printf("%-*s  type  %-*s  %6s %8s %12s %12s %10s%s\n", widths[0], "name", widths[1], "shape",
           "steps", "blocks", "min", "max", "bytes", has_codecs ? "  ratio  codec" : "");
    for (i = 0; i < n; i++)
        print_row(list[i], scion_escape(list[i]->definition.name, escaped, sizeof escaped), widths,
                  has_codecs);
}

int array_ls(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_array_reader *arrays = array_open(operands[0]);
    struct scion_array **list;
    int count;

    list = arrays ? array_choose(arrays, n, operands, &count) : NULL;
    if (list && settings->json)
        json_all(arrays, list, count);
    else if (list)
        print_table(list, count);
    sion_array_reader_close(arrays);
    free(list);
    return list ? TOOL_DONE : TOOL_FAILED;
}

/* ---- info ---- */

static void print_texts(const struct scion_array_texts *texts, const char *indent)
{
    int i;

    for (i = 0; i < texts->n; i++) {
        printf("%s", indent);
        scion_print_escaped(stdout, texts->list[i].key);
        printf(": ");
        scion_print_escaped(stdout, texts->list[i].value);
        putchar('\n');
    }
}

static void print_info(const struct sion_array_reader *arrays, const struct scion_array *array)
{
    char shape[ARRAY_SHAPE], low[SCION_ARRAY_TEXT], high[SCION_ARRAY_TEXT], size[TEXT_SIZE];

    scion_print_escaped(stdout, array->definition.name);
    printf("\n  type:   %s\n  shape:  %s\n", scion_array_type_name(array->definition.type),
           array_shape(array, shape));
    printf("  steps:  %u", array->steps);
    if (array->steps > 0)
        printf(", %lld to %lld", array_step(arrays, array, 0),
               array_step(arrays, array, array->steps - 1));
    range_text(array, low, high);
    printf("\n  blocks: %u, %s\n", array->blocks, text_size(size, array->bytes));
    if (*codec_name(array))
        printf("  codec:  %s, %s, ratio %.2f\n", codec_name(array), text_size(size, array->stored),
               ratio(array));
    printf("  range:  %s to %s\n", low, high);
    print_texts(&array->texts, "  ");
}

int array_info(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_array_reader *arrays = array_open(operands[0]);
    struct scion_array **list;
    int count, i;

    list = arrays ? array_choose(arrays, n, operands, &count) : NULL;
    if (list && settings->json) {
        json_all(arrays, list, count);
    } else if (list) {
        scion_print_escaped(stdout, operands[0]);
        printf(": %u array%s", arrays->index->narrays, text_plural(arrays->index->narrays));
        if (arrays->index->narrays > 0)
            printf(", index %s", source_name(arrays));
        putchar('\n');
        print_texts(&arrays->index->texts, "");
        for (i = 0; i < count; i++)
            print_info(arrays, list[i]);
    }
    sion_array_reader_close(arrays);
    free(list);
    return list ? TOOL_DONE : TOOL_FAILED;
}

/* ---- stats ---- */

struct stats {
    sion_int64 elements, nans, checked;
    double mean[2]; /* of a real number and an imaginary one */
    double squares; /* sum of squared distances from the mean */
    struct scion_array_range range;
};

/* Welford's algorithm: accurate in one pass. A distance can be infinite where the mean is not. */
static void add_number(struct stats *stats, const double parts[2])
{
    double n;
    int i;

    if (isnan(parts[0]) || isnan(parts[1])) {
        stats->nans++;
        return;
    }
    n = (double)++stats->elements;
    for (i = 0; i < 2; i++) {
        double distance = parts[i] - stats->mean[i];

        stats->mean[i] += isfinite(distance) ? distance / n : parts[i] / n - stats->mean[i] / n;
        stats->squares += distance * (parts[i] - stats->mean[i]);
    }
}

static void add_data(struct stats *stats, int type, const unsigned char *data, size_t n)
{
    size_t size = scion_array_size(type), i;
    double parts[2];

    if (scion_array_kind(type) != SCION_COMPLEX)
        scion_array_range_add(type, data, n, &stats->range);
    for (i = 0; i < n; i++, data += size) {
        array_parts(type, data, parts);
        add_number(stats, parts);
    }
}

static int read_stats(struct sion_array_reader *arrays, const struct scion_array *array,
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
        if (rc == 0)
            add_data(stats, type, data, (size_t)bytes / scion_array_size(type));
        stats->checked += rc == 0 && has_crc;
        progress_step(progress, bytes);
        free(data);
    }
    return rc;
}

static double deviation(const struct stats *stats)
{
    double value = stats->elements > 0 ? sqrt(stats->squares / (double)stats->elements) : -1;

    return value >= 0 ? value : (double)NAN;
}

/* JSON has no infinity and no NaN. */
static void json_number(const char *before, double value)
{
    if (isfinite(value))
        printf("%s%.17g", before, value);
    else
        printf("%snull", before);
}

static const char *mean_text(int type, const struct stats *stats, char *into)
{
    if (stats->elements == 0 || isnan(stats->mean[0]) || isnan(stats->mean[1]))
        strcpy(into, "nan");
    else if (scion_array_kind(type) == SCION_COMPLEX)
        snprintf(into, SCION_ARRAY_TEXT, "%.9g%+.9gj", stats->mean[0], stats->mean[1]);
    else
        snprintf(into, SCION_ARRAY_TEXT, "%.9g", stats->mean[0]);
    return into;
}

static void print_stats(const struct scion_array *array, const struct stats *stats)
{
    char low[SCION_ARRAY_TEXT], high[SCION_ARRAY_TEXT], mean[SCION_ARRAY_TEXT];
    struct scion_array shown = *array;

    shown.range = stats->range;
    range_text(&shown, low, high);
    scion_print_escaped(stdout, array->definition.name);
    printf(": %lld element%s, %lld NaN, min %s, max %s, mean %s, deviation %.9g, "
           "%lld of %u block%s ha%s a CRC, which is right\n",
           stats->elements + stats->nans, text_plural(stats->elements + stats->nans), stats->nans,
           low, high, mean_text(array->definition.type, stats, mean), deviation(stats),
           stats->checked, array->blocks, text_plural(array->blocks),
           stats->checked == 1 ? "s" : "ve");
}

static void json_stats(const struct scion_array *array, const struct stats *stats, int is_first)
{
    struct scion_array shown = *array;

    shown.range = stats->range;
    printf("%s{\"name\": ", is_first ? "" : ", ");
    scion_json_string(stdout, array->definition.name);
    printf(", \"elements\": %lld, \"nan\": %lld", stats->elements + stats->nans, stats->nans);
    json_range(&shown);
    if (stats->elements > 0) {
        int is_complex = scion_array_kind(array->definition.type) == SCION_COMPLEX;

        json_number(is_complex ? ", \"mean\": [" : ", \"mean\": ", stats->mean[0]);
        if (is_complex)
            json_number(", ", stats->mean[1]);
        json_number(is_complex ? "], \"deviation\": " : ", \"deviation\": ", deviation(stats));
    }
    printf(", \"blocks\": %u, \"with_crc\": %lld}", array->blocks, stats->checked);
}

int array_stats(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_array_reader *arrays = array_open_blocks(operands[0]);
    struct scion_array **list;
    struct progress progress;
    struct stats stats;
    sion_int64 total = 0;
    int count, i, rc = 0, other, shown = 0;

    list = arrays ? array_choose(arrays, n, operands, &count) : NULL;
    for (i = 0; list && i < count; i++)
        total += list[i]->bytes;
    progress_start(&progress, total, 0);
    if (list && settings->json)
        printf("[");
    for (i = 0; list && i < count; i++) {
        other = read_stats(arrays, list[i], &progress, &stats);
        rc = rc != 0 ? rc : other;
        progress_clear(&progress);
        if (other != 0)
            array_failed(operands[0]);
        else if (settings->json)
            json_stats(list[i], &stats, shown++ == 0);
        else
            print_stats(list[i], &stats);
    }
    progress_end(&progress);
    if (list && settings->json)
        printf("]\n");
    sion_array_reader_close(arrays);
    free(list);
    return list && rc == 0 ? TOOL_DONE : TOOL_FAILED;
}
