#include "sionfti/output.h"

#include <stdlib.h>
#include <string.h>

#include "vfs/path.h"
#include "base/error.h"
#include "lib/tool.h"
#include "sionfti/fail.h"

int fti_make_folder(const char *path)
{
    if (scion_make_folder(path) == 0)
        return TOOL_RUN;
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

int fti_is_input(const char *folder, const char *name, const char *input)
{
    char *path = scion_path_new(folder, name);
    int same = path && scion_path_is_same(path, input);

    if (same)
        tool_error("%s is a file of the input", path);
    free(path);
    return same;
}

static int open_output(struct fti_output *output)
{
    int status;

    if (replace_open(&output->replace, &output->file) == 0)
        return TOOL_RUN;
    status = replace_failed(&output->replace);
    return replace_end(&output->replace, status);
}

int fti_create(const char *folder, const char *name, struct replace_group *group,
               mode_t permissions, struct fti_output *output)
{
    int status;

    output->path = folder ? scion_path_new(folder, name) : strdup(name);
    if (!output->path)
        return fti_out_of_memory();
    status = replace_begin(&output->replace, group, output->path, permissions);
    if (status == TOOL_RUN)
        status = open_output(output);
    if (status != TOOL_RUN)
        free(output->path);
    return status;
}

int fti_copy(struct scion_fti_source *source, sion_int64 offset, sion_int64 bytes,
             struct scion_file *to, sion_int64 *place)
{
    static unsigned char piece[1 << 20];

    while (bytes > 0) {
        size_t now = bytes < (sion_int64)sizeof piece ? (size_t)bytes : sizeof piece;
        int rc = source->read(source, piece, now, offset);

        if (rc == 0)
            rc = scion_file_write(to, piece, now, *place, NULL);
        if (rc != 0)
            return rc;
        offset += (sion_int64)now;
        *place += (sion_int64)now;
        bytes -= (sion_int64)now;
    }
    return 0;
}

int fti_close(struct fti_output *output, int rc)
{
    int status = rc == 0 ? TOOL_RUN : replace_failed(&output->replace);

    if (scion_file_close(output->file) != 0 && status == TOOL_RUN)
        status = replace_failed(&output->replace);
    status = replace_end(&output->replace, status);
    free(output->path);
    return status;
}
