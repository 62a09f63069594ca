#include "sionfti/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ftiff/write.h"
#include "sion_ftiff.h"
#include "sionfti/output.h"

int fti_read_release(const struct tool_option *option, const char *text, void *version)
{
    static const struct {
        const char *release;
        int version;
    } releases[] = {
        {"1.1", SION_FTIFF_1_1}, {"1.2", SION_FTIFF_1_2},   {"1.3", SION_FTIFF_1_3},
        {"1.4", SION_FTIFF_1_4}, {"1.4.0", SION_FTIFF_1_4}, {"1.4.1", SION_FTIFF_1_6},
        {"1.5", SION_FTIFF_1_6}, {"1.6", SION_FTIFF_1_6},   {"latest", SION_FTIFF_LATEST}};
    size_t i;

    for (i = 0; i < sizeof releases / sizeof *releases; i++) {
        if (strcmp(text, releases[i].release) == 0) {
            *(int *)version = releases[i].version;
            return TOOL_RUN;
        }
    }
    tool_error("--%s takes 1.1, 1.2, 1.3, 1.4, 1.4.1, 1.5, 1.6 or latest, not '%s'", option->name,
               text);
    return TOOL_USAGE;
}

/* ---- the structure ---- */

/* The order of the variables in the file, where the other layout does not tell their order. */
static int number_variables(struct scion_fti_image *image)
{
    int *numbers = calloc((size_t)image->nvars + 1, sizeof *numbers), at, i, n = 0;

    if (!numbers)
        return scion_fail_memory("structure of a checkpoint");
    for (at = 0; at < image->nvars; at += scion_fti_variable_at(image, at).count)
        numbers[image->order[at]] = 1;
    for (i = 0; i < image->nvars; i++)
        numbers[i] = numbers[i] ? n++ : 0;
    for (at = 0; at < image->nvars;) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);

        for (i = at; i < at + variable.count; i++)
            image->idx[image->order[i]] = numbers[image->order[at]];
        at += variable.count;
    }
    free(numbers);
    return 0;
}

static int copy_structure(const struct scion_fti_image *from, struct scion_fti_image *to)
{
    size_t n = (size_t)from->nvars;
    int rc = scion_fti_image_reserve(to, from->nblocks, from->nvars), i;

    if (rc != 0)
        return rc;
    to->nblocks = from->nblocks;
    to->nvars = from->nvars;
    memcpy(to->first, from->first, ((size_t)from->nblocks + 1) * sizeof *to->first);
    memcpy(to->vars, from->vars, n * sizeof *to->vars);
    memcpy(to->order, from->order, n * sizeof *to->order);
    for (i = 0; i < from->nvars; i++)
        to->flags[i] =
            (unsigned char)(from->flags[i] & (to->era > SCION_FTI_B ? 0xff : SCION_FTI_CONTENT));
    if (to->idx && from->idx)
        memcpy(to->idx, from->idx, n * sizeof *to->idx);
    else if (to->idx)
        rc = number_variables(to);
    return rc == 0 ? scion_fti_lay_out(to) : rc;
}

/* ---- the data ---- */

/* All used bytes, one after the other; data[i]: those of container i. */
static int load(struct scion_fti_source *source, const struct scion_fti_image *image,
                unsigned char **bytes, const void **data)
{
    sion_int64 size = 1;
    unsigned char *to;
    int rc = 0, i;

    for (i = 0; i < image->nvars; i++)
        size += image->vars[i].chunksize;
    *bytes = to = malloc((size_t)size);
    if (!to)
        return scion_fail_memory("data of a checkpoint");
    for (i = 0; i < image->nvars && rc == 0; i++) {
        const struct scion_fti_var *var = &image->vars[i];

        data[i] = to;
        if (var->chunksize > 0)
            rc = source->read(source, to, (size_t)var->chunksize, var->fptr);
        to += var->chunksize;
    }
    return rc;
}

struct file_sink {
    struct scion_fti_sink sink;
    struct scion_file *file;
    sion_int64 place;
};

static int put(struct scion_fti_sink *sink, const void *from, size_t bytes)
{
    struct file_sink *to = (struct file_sink *)sink;
    int rc = scion_file_write(to->file, from, bytes, to->place, NULL);

    to->place += (sion_int64)bytes;
    return rc;
}

static int skip(struct scion_fti_sink *sink, sion_int64 bytes)
{
    ((struct file_sink *)sink)->place += bytes;
    return 0;
}

static int write_image(struct scion_fti_image *image, const void *const *data, sion_int64 ckptid,
                       sion_int64 timestamp, struct scion_file *file)
{
    struct file_sink sink = {.sink = {put, skip, NULL}, .file = file};
    int rc = scion_fti_seal(image, data, 1, ckptid, timestamp);

    if (rc == 0)
        rc = scion_fti_write(&sink.sink, image, data);
    return rc == 0 ? scion_file_truncate(file, sink.place) : rc;
}

static int convert(struct scion_fti_source *source, const struct scion_fti_image *image, int era,
                   sion_int64 ckptid, struct scion_file *file)
{
    struct scion_fti_image next = {.era = (enum scion_fti_era)era};
    const void **data = calloc((size_t)image->nvars + 1, sizeof *data);
    unsigned char *bytes = NULL;
    int rc = data ? copy_structure(image, &next) : scion_fail_memory("structure of a checkpoint");

    if (rc == 0)
        rc = load(source, image, &bytes, data);
    if (rc == 0)
        rc = write_image(&next, data, ckptid, image->fb.timestamp, file);
    scion_fti_image_clear(&next);
    free(bytes);
    free(data);
    return rc;
}

int fti_write_layout(const struct fti_item *item, int version, int ckptid, struct scion_file *file)
{
    struct scion_fti_image image;
    sion_int64 number = item->name.ckptid >= 0 ? item->name.ckptid : ckptid;
    int rc = scion_fti_read_named(item->source, item->label, item->name, &image), era = version - 1;

    if (rc != 0)
        return rc;
    if (scion_fti_layout(image.era)->has_id)
        number = image.fb.ckptid;
    if (scion_fti_layout((enum scion_fti_era)era)->has_id && number < 0)
        rc = scion_fail(SION_ERR_ARGUMENT, "%s does not have the checkpoint's number: use -c",
                        item->label);
    else
        rc = convert(item->source, &image, era, number, file);
    scion_fti_image_clear(&image);
    return rc;
}

/* ---- the command ---- */

struct conversion {
    const struct fti_settings *settings;
};

static int convert_item(void *data, const struct fti_item *item)
{
    const struct conversion *conversion = data;
    const struct fti_settings *settings = conversion->settings;
    struct scion_fti_image image;
    struct fti_output output;

    if (fti_read_good_item(item, &image) != TOOL_RUN)
        return TOOL_FAILED;
    scion_fti_image_clear(&image);
    if (fti_create(NULL, settings->output, NULL, scion_path_permissions(item->label), &output) !=
        TOOL_RUN)
        return TOOL_FAILED;
    return fti_close(&output, fti_write_layout(item, settings->version, settings->ckptid,
                                               output.file)) == TOOL_RUN
               ? TOOL_DONE
               : TOOL_FAILED;
}

int fti_convert(const void *given, int n, char **operands)
{
    struct conversion conversion = {.settings = given};
    struct fti_files files;
    int status;

    if (fti_is_container(operands[0])) {
        tool_error("%s is a container: unpack it with --layout", operands[0]);
        return TOOL_FAILED;
    }
    status = fti_find_files(n, operands, -1, &files);
    if (status != TOOL_RUN)
        return status;
    if (!files.file[0].is_named) {
        tool_error("%s is a folder: name a file", operands[0]);
        status = TOOL_FAILED;
    } else if (scion_path_is_same(files.file[0].path, conversion.settings->output)) {
        tool_error("%s is a file of the input", conversion.settings->output);
        status = TOOL_FAILED;
    } else {
        status = fti_visit(&files, convert_item, &conversion);
    }
    fti_free_files(&files);
    return status;
}
