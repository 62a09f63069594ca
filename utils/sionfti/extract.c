/* sionfti extract: variables into files. */
#include "vfs/path.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/files.h"
#include "sionfti/items.h"
#include "sionfti/output.h"

/* The used bytes of a variable's containers, one after the other. */
static int copy_variable(struct scion_fti_source *source, const struct scion_fti_image *image,
                         const struct scion_fti_variable *variable, struct scion_file *file)
{
    sion_int64 place = 0;
    int rc = 0, i;

    for (i = 0; i < variable->count && rc == 0; i++) {
        const struct scion_fti_var *var = &image->vars[image->order[variable->first + i]];

        rc = fti_copy(source, var->fptr, var->chunksize, file, &place);
    }
    return rc;
}

struct extract {
    const char *path, *folder;
    struct replace_group group; /* of all files */
};

static void name_variable(const struct scion_fti_variable *variable, char name[40])
{
    snprintf(name, 40, "var_%d.bin", variable->id);
}

static int write_variable(struct scion_fti_source *source, const struct scion_fti_image *image,
                          const struct scion_fti_variable *variable, struct extract *extract)
{
    struct fti_output output;
    char name[40];

    name_variable(variable, name);
    if (fti_create(extract->folder, name, &extract->group, scion_path_permissions(extract->path),
                   &output) != TOOL_RUN)
        return TOOL_FAILED;
    return fti_close(&output, copy_variable(source, image, variable, output.file));
}

/* The input may be one of the names. */
static int check_outputs(const struct scion_fti_image *image, const struct extract *extract)
{
    char name[40];
    int at;

    for (at = 0; at < image->nvars;) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);

        name_variable(&variable, name);
        if (fti_is_input(extract->folder, name, extract->path))
            return TOOL_FAILED;
        at += variable.count;
    }
    return TOOL_RUN;
}

static int write_variables(const struct fti_item *item, const struct scion_fti_image *image,
                           struct extract *extract)
{
    int status = check_outputs(image, extract), at;

    if (status == TOOL_RUN)
        status = fti_make_folder(extract->folder);
    for (at = 0; at < image->nvars && status == TOOL_RUN;) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);

        status = write_variable(item->source, image, &variable, extract);
        at += variable.count;
    }
    status = replace_end_group(&extract->group, status);
    return status == TOOL_RUN ? TOOL_DONE : status;
}

/* If a checkpoint is damaged, nothing is written. */
static int extract_item(void *data, const struct fti_item *item)
{
    struct scion_fti_image image;
    int status = fti_read_good_item(item, &image);

    if (status != TOOL_RUN)
        return status;
    status = write_variables(item, &image, data);
    scion_fti_image_clear(&image);
    return status;
}

int fti_extract(const void *given, int n, char **operands)
{
    const struct fti_settings *settings = given;
    struct extract extract = {.path = operands[0], .folder = settings->output};
    struct fti_files files;
    int status;

    if (fti_is_container(operands[0])) {
        tool_error("%s is a container: unpack it, and extract from a rank's file", operands[0]);
        return TOOL_FAILED;
    }
    status = fti_find_files(n, operands, -1, &files);
    if (status == TOOL_RUN && files.count != 1) {
        tool_error("%s is a folder of %d checkpoint files: name one", operands[0], files.count);
        status = TOOL_FAILED;
    }
    if (status == TOOL_RUN) {
        extract.path = files.file[0].path;
        status = fti_visit(&files, extract_item, &extract);
    }
    fti_free_files(&files);
    return status;
}
