/*
 * A plain model of arrays in a container: random shapes, types and decompositions with gaps and
 * overlaps, and what a read must return: for each element, the block of the latest step, then of
 * the highest task, then the one that was put last.
 */
#ifndef TEST_ARRAY_MODEL_H
#define TEST_ARRAY_MODEL_H

#include "check.h"
#include "any.h"
#include "sion_array.h"

enum { MODEL_ARRAYS = 3, MODEL_STEPS = 3, MODEL_ELEMENTS = 400, MODEL_TASKS = 5, MODEL_PUTS = 6 };

struct model_array {
    char name[40];
    int type, ndims;
    sion_int64 shape[SION_ARRAY_DIMS];
    size_t size, elements;
    /* For each step, the bytes of the elements, and the tasks that put them; -1: none. */
    unsigned char data[MODEL_STEPS][MODEL_ELEMENTS * 16];
    int owner[MODEL_STEPS][MODEL_ELEMENTS];
    sion_int64 blocks;
    const char *codec;
    int has_step[MODEL_STEPS];
};

struct model {
    int narrays, ntasks, keeps; /* it keeps generations, of which the newest one is read */
    struct model_array arrays[MODEL_ARRAYS];
};

static const size_t model_sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
static const sion_int64 model_steps[MODEL_STEPS] = {0, 7, 1000000000000};

/* ndims extents whose product is not above the limit */
static inline size_t model_shape(sion_int64 *shape, int ndims)
{
    size_t elements = 1;
    int d;

    for (d = 0; d < ndims; d++) {
        size_t most = MODEL_ELEMENTS / elements;

        shape[d] = (sion_int64)(1 + check_below(most < 12 ? most : 12));
        if (check_below(60) == 0)
            shape[d] = 0;
        elements *= shape[d] > 0 ? (size_t)shape[d] : 1;
    }
    for (d = 0; d < ndims; d++)
        elements *= shape[d] > 0;
    return elements;
}

static inline void model_make(struct model *model, int ntasks)
{
    static const char *const names[] = {"T",
                                        ("Gr\xc3\xb6\xc3\x9f"
                                         "e/\xe6\xb8\xa9"),
                                        "a b\"c"};
    int a, s;
    size_t i;

    memset(model, 0, sizeof *model);
    model->ntasks = ntasks;
    model->narrays = 1 + (int)check_below(MODEL_ARRAYS);
    for (a = 0; a < model->narrays; a++) {
        struct model_array *array = &model->arrays[a];

        strcpy(array->name, names[a]);
        array->type = 1 + (int)check_below(12);
        array->size = model_sizes[array->type];
        array->ndims = (int)check_below(check_below(4) == 0 ? 9 : 4);
        array->elements = model_shape(array->shape, array->ndims);
        array->codec = any_codecs[check_below(sizeof any_codecs / sizeof *any_codecs)];
        for (s = 0; s < MODEL_STEPS; s++) {
            for (i = 0; i < MODEL_ELEMENTS; i++)
                array->owner[s][i] = -1;
        }
    }
}

/* Only definitions are left. */
static inline void model_forget(struct model *model)
{
    int a, step;
    size_t i;

    for (a = 0; a < model->narrays; a++) {
        struct model_array *array = &model->arrays[a];

        array->blocks = 0;
        memset(array->has_step, 0, sizeof array->has_step);
        for (step = 0; step < MODEL_STEPS; step++) {
            for (i = 0; i < MODEL_ELEMENTS; i++)
                array->owner[step][i] = -1;
        }
    }
}

static inline int model_define(const struct model *model, int sid)
{
    int a, rc = 1;

    for (a = 0; a < model->narrays; a++) {
        rc &= sion_array_define(sid, model->arrays[a].name, model->arrays[a].type,
                                model->arrays[a].ndims, model->arrays[a].shape);
        if (model->arrays[a].codec)
            rc &= sion_array_codec(sid, model->arrays[a].name, model->arrays[a].codec);
    }
    return rc;
}

/* Choose a random part of the shape, which may be empty. Returns its number of elements. */
static inline size_t model_box(const struct model_array *array, sion_int64 *offset,
                               sion_int64 *count)
{
    size_t elements = 1;
    int d, whole = check_below(4) == 0;

    for (d = 0; d < array->ndims; d++) {
        offset[d] = whole ? 0 : (sion_int64)check_below((size_t)array->shape[d] + 1);
        count[d] = whole ? array->shape[d]
                         : (sion_int64)check_below((size_t)(array->shape[d] - offset[d]) + 1);
        elements *= (size_t)count[d];
    }
    return elements;
}

/* The index in the whole array of element i of a box. */
static inline size_t model_place(const struct model_array *array, const sion_int64 *offset,
                                 const sion_int64 *count, size_t i)
{
    size_t place = 0, stride = 1;
    int d;

    for (d = array->ndims - 1; d >= 0; d--) {
        place += ((size_t)offset[d] + i % (size_t)count[d]) * stride;
        stride *= (size_t)array->shape[d];
        i /= (size_t)count[d];
    }
    return place;
}

/* An element of random bits; one of a floating type is no NaN. */
static inline void model_element(int type, unsigned char *to)
{
    size_t size = model_sizes[type], part = type == SION_C64 ? 4 : type == SION_C128 ? 8 : size, i;

    for (i = 0; i < size; i += part) {
        int64_t number = (int64_t)check_random() >> check_below(63);
        double real = (double)number / 16;
        float half = (float)real;

        if (type >= SION_F32)
            memcpy(to + i, part == 4 ? (void *)&half : (void *)&real, part);
        else
            memcpy(to + i, &number, part); /* low bytes if little-endian, else others */
    }
}

/*
 * Put a random block of a task into the model and, if sid >= 0, into the container. All processes
 * call it in the same order, so that they have the same model.
 */
static inline int model_put(struct model *model, int task, int sid)
{
    struct model_array *array = &model->arrays[check_below((size_t)model->narrays)];
    int step = (int)check_below(MODEL_STEPS);
    sion_int64 offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
    size_t n = model_box(array, offset, count), i;
    static unsigned char data[MODEL_ELEMENTS * 16 + 1];

    array->blocks += n > 0;
    array->has_step[step] = 1;
    for (i = 0; i < n; i++) {
        size_t place = model_place(array, offset, count, i);

        model_element(array->type, data + i * array->size);
        if (array->owner[step][place] > task)
            continue;
        array->owner[step][place] = task;
        memcpy(array->data[step] + place * array->size, data + i * array->size, array->size);
    }
    return sid < 0 ||
           put_any(sid, array->name, model_steps[step], offset, count, data) == SION_SUCCESS;
}

/* What a read of one element returns; step < 0: the newest. NULL: the fill value. */
static inline const unsigned char *model_read(const struct model_array *array, int step,
                                              size_t place)
{
    int s = step < 0 ? MODEL_STEPS - 1 : step;

    for (; s >= (step < 0 ? 0 : step); s--) {
        if (array->owner[s][place] >= 0)
            return array->data[s] + place * array->size;
    }
    return NULL;
}

static inline int model_is_fill(int type, const unsigned char *element)
{
    static const unsigned char zeros[16];
    float half;
    double real;

    if (type < SION_F32)
        return memcmp(element, zeros, model_sizes[type]) == 0;
    memcpy(&half, element, sizeof half);
    if (type == SION_F32 || type == SION_C64)
        return half != half;
    memcpy(&real, element, sizeof real);
    return real != real;
}

/* Read a random part, and compare it with the model. Returns 1 if they agree. */
static inline int model_check(const struct model *model, sion_array_reader *arrays)
{
    const struct model_array *array = &model->arrays[check_below((size_t)model->narrays)];
    int step = (int)check_below(MODEL_STEPS + 1) - 1;
    sion_int64 offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
    size_t n = model_box(array, offset, count), i;
    static unsigned char data[MODEL_ELEMENTS * 16 + 1];

    memset(data, 0xa5, sizeof data);
    if (model->keeps && step >= 0 && !array->has_step[step])
        return 1; /* it was forgotten */
    if (get_any(arrays, array->name, step < 0 ? SION_ARRAY_NEWEST : model_steps[step], offset,
                count, data) != SION_SUCCESS)
        return 0;
    for (i = 0; i < n; i++) {
        const unsigned char *got = data + i * array->size;
        const unsigned char *wanted = model_read(array, step, model_place(array, offset, count, i));

        if (wanted ? memcmp(got, wanted, array->size) != 0 : !model_is_fill(array->type, got)) {
            printf("# array %s, step %d, element %zu of %zu\n", array->name, step, i, n);
            return 0;
        }
    }
    return data[n * array->size] == 0xa5;
}

static inline int model_knows(const sion_array_reader *arrays, const char *name)
{
    int i = 0;

    while (i < sion_array_reader_count(arrays) &&
           strcmp(sion_array_reader_name(arrays, i), name) != 0)
        i++;
    return i < sion_array_reader_count(arrays);
}

/* The content of a file, which the caller frees. */
static inline unsigned char *model_read_file(const char *file, size_t *size)
{
    FILE *from = fopen(file, "rb");
    unsigned char *bytes;

    fseek(from, 0, SEEK_END);
    *size = (size_t)ftell(from);
    rewind(from);
    bytes = malloc(*size + 1);
    *size = fread(bytes, 1, *size, from);
    fclose(from);
    return bytes;
}

static inline void model_write_file(const char *file, const unsigned char *bytes, size_t size)
{
    FILE *to = fopen(file, "wb");

    fwrite(bytes, 1, size, to);
    fclose(to);
}

/* Overwrite the trailers of indexes in a file. Returns their number. */
static inline int model_break_trailers(const char *file)
{
    size_t size, i;
    unsigned char *bytes = model_read_file(file, &size);
    int found = 0;

    for (i = 0; i + 8 <= size; i++) {
        if (memcmp(bytes + i, "\x89SIONARE", 8) == 0) {
            bytes[i] = 0;
            found++;
        }
    }
    model_write_file(file, bytes, size);
    free(bytes);
    return found;
}

/* Whether each step of an array is listed once, in ascending order. */
static inline int model_steps_ascend(sion_array_reader *arrays, const char *name, sion_int64 steps)
{
    sion_int64 i;

    for (i = 1; i < steps; i++) {
        if (sion_array_reader_step(arrays, name, i) <= sion_array_reader_step(arrays, name, i - 1))
            return 0;
    }
    return 1;
}

/* Compare everything that info returns with the model, and do some reads. */
static inline int model_compare_by(const struct model *model, const char *file, const char *mode,
                                   int reads)
{
    sion_array_reader *arrays = sion_array_reader_open_mode(file, mode);
    struct sion_array_info info = {.size = sizeof info};
    int a, good = arrays != NULL;

    for (a = 0; a < model->narrays && good; a++) {
        const struct model_array *array = &model->arrays[a];

        /* only the index knows an array without blocks */
        if (array->blocks == 0 && !model_knows(arrays, array->name))
            break;
        good = sion_array_reader_info(arrays, array->name, &info) == SION_SUCCESS &&
               info.type == array->type && info.ndims == array->ndims &&
               memcmp(info.shape, array->shape, sizeof *info.shape * (size_t)info.ndims) == 0 &&
               info.blocks >= array->blocks && model_steps_ascend(arrays, array->name, info.steps);
    }
    for (; reads > 0 && good && a == model->narrays; reads--)
        good = model_check(model, arrays);
    sion_array_reader_close(arrays);
    return good;
}

static inline int model_compare(const struct model *model, const char *file, int reads)
{
    return model_compare_by(model, file, "rb", reads);
}

#endif
