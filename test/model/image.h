/*
 * Computes the bytes of each physical file of the model's container, by doc/format.md, and compares
 * them with those on the disk.
 */
#ifndef TEST_MODEL_IMAGE_H
#define TEST_MODEL_IMAGE_H

#include "generate.h"

static inline int model_most_chunks(const struct model_file *file)
{
    int most = 1, i;

    for (i = 0; i < file->n; i++) {
        if (file->task[i] && file->task[i]->chunks > most)
            most = file->task[i]->chunks;
    }
    return most;
}

static inline void model_put_meta1(unsigned char *to, const struct model_file *file)
{
    int n = file->n, i;

    memcpy(to, "sion", 4);
    memset(to + 4, support_host_is_big(), 4);
    model_put(to + 8, 1007, 4);
    model_put(to + 12, 6, 4);
    model_put(to + 16, 5, 4);
    model_put(to + 20, (uint64_t)model.fsblksize, 4);
    model_put(to + 24, (uint64_t)n, 4);
    model_put(to + 28, (uint64_t)model.nfiles, 4);
    model_put(to + 32, model.serial ? 1 : (uint64_t)file->number, 4);
    model_put(to + 36, (uint64_t)(model.keyval ? 51 : 50) << 32, 8);
    memcpy(to + 52, model.name, strlen(model.name));
    for (i = 0; i < n; i++) {
        model_put(to + 1076 + 8 * i, (uint64_t)file->ranks[i], 8);
        model_put(to + 1076 + 8 * n + 8 * i, (uint64_t)file->chunk[i], 8);
    }
}

static inline void model_put_streams(unsigned char *to, const struct model_file *file)
{
    int i, b;

    for (i = 0; i < file->n; i++) {
        const struct model_task *task = file->task[i];
        size_t done = 0;

        for (b = 0; task && b < task->chunks; b++) {
            if (task->used[b] > 0)
                memcpy(to + file->start[i] + b * file->skip, task->bytes + done,
                       (size_t)task->used[b]);
            done += (size_t)task->used[b];
        }
    }
}

static inline void model_put_meta2(unsigned char *to, const struct model_file *file)
{
    int i, b;

    for (i = 0; i < file->n; i++) {
        const struct model_task *task = file->task[i];

        model_put(to + 8 * i, task ? (uint64_t)task->chunks : 1, 8);
        for (b = 0; task && b < task->chunks; b++)
            model_put(to + 8 * file->n * (1 + b) + 8 * i, (uint64_t)task->used[b], 8);
    }
}

/* Place-holders come first in copies. */
static inline void model_put_mapping(unsigned char *to, int level)
{
    int t;

    model_put(to, (uint64_t)model.ntasks, 4);
    for (t = 0; t < model.ntasks; t++) {
        const struct model_task *task = &model.task[t];
        int place = task->place, other;

        for (other = 0; level >= 0 && other < model.ntasks; other++)
            place += model.task[other].file == model_keeper(task->file, level);
        model_put(to + 4 + 8 * t, (uint64_t)task->file, 4);
        model_put(to + 8 + 8 * t, (uint64_t)place, 4);
    }
}

/* level: that of a copy, or -1. The caller frees the result. */
static inline unsigned char *model_image(const struct model_file *file, int level, size_t *size)
{
    int n = file->n, most = model_most_chunks(file);
    size_t data_end = (size_t)(model_up(1088 + 16 * n, model.fsblksize) + most * file->skip);
    size_t end = data_end + (size_t)(8 * n * (1 + most)), mapping = 0;
    unsigned char *image;

    if (model.serial)
        mapping = 4;
    else if (file->number == 0 && (model.nfiles > 1 || model.mapped))
        mapping = 4 + 8 * (size_t)model.ntasks;
    *size = end + mapping;
    image = calloc(*size, 1);
    model_put_meta1(image, file);
    model_put(image + 1076 + 16 * n, (uint64_t)most, 4);
    model_put(image + 1080 + 16 * n, data_end, 8);
    model_put_streams(image, file);
    model_put_meta2(image + data_end, file);
    if (mapping > 4)
        model_put_mapping(image + end, level);
    return image;
}

/* Whether a byte is in the unused part of a chunk, where a copy may have parts of a failed
   record. */
static inline int model_is_unused(const struct model_file *file, size_t offset)
{
    int i, b;

    for (i = 0; i < file->n; i++) {
        for (b = 0; file->task[i] && b < model_most_chunks(file); b++) {
            sion_int64 used = b < file->task[i]->chunks ? file->task[i]->used[b] : 0;
            sion_int64 in_chunk = (sion_int64)offset - file->start[i] - b * file->skip;

            if (in_chunk >= used && in_chunk < file->chunk[i])
                return 1;
        }
    }
    return 0;
}

static inline int model_same_byte(const struct model_file *file, const unsigned char *real,
                                  const unsigned char *image, size_t i)
{
    return real[i] == image[i] || (model.copies > 0 && model_is_unused(file, i));
}

/* Behind the file of a merged container is the record of its members. */
static inline int model_may_follow(const unsigned char *behind, size_t bytes)
{
    return bytes == 0 || model.copies > 0 ||
           (model.merge && bytes > 32 && memcmp(behind, "SIONMBR1", 8) == 0);
}

/* A record that failed in a copy may also leave bytes beyond the end of the file. */
static inline void model_compare_file(const struct model_file *file, int level)
{
    char name[100];
    size_t size = 0, real_size = 0, i = 0;
    unsigned char *image = model_image(file, level, &size), *real;

    model_file_name(name, sizeof name, file->number, level);
    real = support_load(name, &real_size);
    while (real && i < size && i < real_size && model_same_byte(file, real, image, i))
        i++;
    if (!real || i < size || !model_may_follow(real + size, real_size - size)) {
        printf("# %s of %d tasks differs at byte %zu of %zu, and has %zu\n", name, file->n, i, size,
               real_size);
        model_failures++;
    }
    free(image);
    free(real);
}

static inline void model_compare_copy(int number, int level)
{
    struct model_task copies[MODEL_TASKS];
    struct model_file file;
    int n = 0, i;

    model_make_copy(&file, number, level);
    for (i = 0; i < file.n; i++) {
        if (file.task[i]) {
            model_replay(file.task[i], file.chunk[i], &copies[n]);
            file.task[i] = &copies[n++];
        }
    }
    model_compare_file(&file, level);
    for (i = 0; i < n; i++)
        free(copies[i].used);
}

static inline void model_compare_files(void)
{
    struct model_file file;
    int f, level;

    for (f = 0; f < model.nfiles; f++) {
        model_make_file(&file, f);
        model_compare_file(&file, -1);
        for (level = 0; level < model.copies; level++)
            model_compare_copy(f, level);
    }
}

#endif
