/* The metadata of zarr's arrays, as JSON, which may be inside another one. */
#include <string.h>

#include "base/json.h"
#include "sionarray/refs.h"
#include "sionarray/refs_values.h"

/* xarray takes what is equal to a fill value for missing: no value, if no integers are missing. */
static int needs_fill(const struct grid *grid)
{
    return grid->gaps > 0 || scion_array_text_find(&grid->array->texts, "_FillValue") ||
           scion_array_kind(grid->array->definition.type) > SCION_UNSIGNED;
}

static void put_fill(FILE *to, const struct scion_array *array)
{
    int type = array->definition.type;
    unsigned char element[16];
    char text[SCION_ARRAY_TEXT];
    double parts[2];

    array_fill(array, element);
    if (scion_array_kind(type) == SCION_SIGNED || scion_array_kind(type) == SCION_UNSIGNED) {
        fputs(scion_array_text(type, element, text), to);
        return;
    }
    array_parts(type, element, parts);
    if (scion_array_kind(type) == SCION_COMPLEX) {
        fputs("[", to);
        refs_put_real(to, parts[0]);
        fputs(", ", to);
        refs_put_real(to, parts[1]);
        fputs("]", to);
    } else {
        refs_put_real(to, parts[0]);
    }
}

static void put_list(FILE *to, const struct grid *grid, sion_int64 first, const sion_int64 *numbers)
{
    int d;

    fputs("[", to);
    if (grid->has_steps)
        fprintf(to, "%lld%s", first, grid->array->definition.ndims > 0 ? ", " : "");
    for (d = 0; d < grid->array->definition.ndims; d++)
        fprintf(to, "%s%lld", d > 0 ? ", " : "", numbers[d]);
    fputs("]", to);
}

/* As numcodecs knows it. Level and mode count when a block is written only. */
static void put_codec(FILE *to, const struct scion_array_coding *coding)
{
    static const char *const names[] = {
        [SCION_ARRAY_PLAIN] = "null",
        [SCION_ARRAY_ZSTD] = "{\"id\": \"zstd\", \"level\": 1}",
        [SCION_ARRAY_ZFP] = ("{\"id\": \"zfpy\", \"mode\": 4, \"tolerance\": -1, \"rate\": -1, "
                             "\"precision\": -1}")};

    fprintf(to, "\"compressor\": %s", names[coding->codec]);
    fputs(", \"filters\": ", to);
    if (coding->shuffle > 0)
        fprintf(to, "[{\"id\": \"shuffle\", \"elementsize\": %d}]", coding->shuffle);
    else
        fputs("null", to);
}

void refs_make_array(FILE *to, const void *data)
{
    const struct grid *grid = data;
    const struct scion_array_definition *definition = &grid->array->definition;
    char dtype[8];

    fputs("{\"zarr_format\": 2, \"order\": \"C\", ", to);
    put_codec(to, &grid->array->coding);
    fputs(", \"chunks\": ", to);
    put_list(to, grid, 1, grid->chunk);
    fputs(", \"shape\": ", to);
    put_list(to, grid, grid->array->steps, definition->shape);
    fprintf(to, ", \"dtype\": \"%s\", \"fill_value\": ",
            array_dtype(definition->type, grid->big, dtype));
    if (needs_fill(grid))
        put_fill(to, grid->array);
    else
        fputs("null", to);
    fputs("}", to);
}

/* Whether the last one of n names is one of those before it. */
static int is_there_already(char (*names)[REFS_STEP_NAME], int n)
{
    int i;

    for (i = 0; i < n - 1; i++) {
        if (strcmp(names[i], names[n - 1]) == 0)
            return 1;
    }
    return 0;
}

/* xarray needs names of the dimensions, which differ: the words of the attribute "dimensions", or
   the array's name with a number. The number of names. */
static int name_dimensions(const struct grid *grid, char (*names)[REFS_STEP_NAME])
{
    const char *words = scion_array_text_find(&grid->array->texts, "dimensions");
    int n = 0, d;

    if (grid->has_steps)
        refs_step_name(grid->refs, grid->array, names[n++]);
    for (d = 0; d < grid->array->definition.ndims; d++) {
        size_t length = words ? strcspn(words, " ,") : 0;

        snprintf(names[n++], sizeof *names, "%.*s", (int)length, length > 0 ? words : "");
        if (length == 0 || length >= sizeof *names || is_there_already(names, n))
            snprintf(names[n - 1], sizeof *names, "%s_%d", refs_name_in_group(grid->array), d);
        while (is_there_already(names, n))
            strcat(names[n - 1], "_");
        words = words ? words + length + strspn(words + length, " ,") : NULL;
    }
    return n;
}

static void put_dimensions(FILE *to, const struct grid *grid)
{
    char names[1 + SION_ARRAY_DIMS][REFS_STEP_NAME];
    int n = name_dimensions(grid, names), i;

    fputs("\"_ARRAY_DIMENSIONS\": [", to);
    for (i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "", to);
        scion_json_ascii(to, names[i]);
    }
    fputs("]", to);
}

static void put_texts(FILE *to, const struct scion_array_texts *texts, int is_first)
{
    int i;

    for (i = 0; i < texts->n; i++) {
        if (strcmp(texts->list[i].key, "_FillValue") == 0 ||      /* zarr calls it fill_value */
            strcmp(texts->list[i].key, "_ARRAY_DIMENSIONS") == 0) /* ours counts */
            continue;
        fputs(is_first ? "" : ", ", to);
        is_first = 0;
        scion_json_ascii(to, texts->list[i].key);
        fputs(": ", to);
        if (!refs_is_number(texts->list[i].key) || !refs_put_numbers(to, texts->list[i].value))
            scion_json_ascii(to, texts->list[i].value);
    }
}

void refs_make_attributes(FILE *to, const void *data)
{
    const struct grid *grid = data;

    fputs("{", to);
    put_dimensions(to, grid);
    if (!grid->has_steps && grid->array->steps == 1 &&
        !scion_array_text_find(&grid->array->texts, "step"))
        fprintf(to, ", \"step\": %lld", array_step(grid->refs->arrays, grid->array, 0));
    put_texts(to, &grid->array->texts, 0);
    fputs("}", to);
}

void refs_make_group_attributes(FILE *to, const void *data)
{
    fputs("{", to);
    put_texts(to, data, 1);
    fputs("}", to);
}
