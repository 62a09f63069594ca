#include "lib/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tool.h"
#include "vfs/path.h"
#include "vfs/stdio_named.h"

static int open_failed(const char *name, int errnum)
{
    tool_error("cannot open outfile %s , aborting ... (%s)", name, strerror(errnum));
    return TOOL_FAILED;
}

static int includes(const struct input *input, const char *name, const struct stat *file)
{
    if (!input_includes(input, file))
        return 0;
    tool_error("outfile %s is a file of the input, aborting ...", name);
    return 1;
}

int output_is_input(const char *name, const struct input *input)
{
    struct stat file;

    return scion_path_status(name, &file) == 0 && includes(input, name, &file);
}

static int look_at(FILE *stream, const struct output *output, const struct input *input)
{
    const struct replace *replace = &output->replace;
    struct stat file;
    int errnum = scion_stdio_status(stream, &file);

    if (errnum == 0 && replace->beside && !scion_is_same_file(&file, &replace->made))
        errnum = ESTALE; /* somebody else has put it there */
    if (errnum != 0)
        return open_failed(output->name, errnum);
    return includes(input, output->name, &file) ? TOOL_FAILED : TOOL_RUN;
}

/* A pipe or a descriptor is opened itself, and emptied unless it is a file of the input. */
static int open_file(struct output *output, const struct input *input)
{
    int is_own = output->replace.beside != NULL, status, errnum = 0;
    FILE *file = scion_stdio_open(replace_path(&output->replace),
                                  is_own ? SCION_STDIO_WRITE_OWN : SCION_STDIO_WRITE);

    if (!file)
        return open_failed(output->name, errno);
    status = look_at(file, output, input);
    if (status == TOOL_RUN)
        errnum = scion_stdio_empty(file);
    if (errnum != 0)
        status = open_failed(output->name, errnum);
    if (status == TOOL_RUN)
        output->file = file;
    else
        fclose(file);
    return status;
}

static int open_named(struct output *output, struct replace_group *group, const struct input *input)
{
    int status = output_is_input(output->name, input) ? TOOL_FAILED : TOOL_RUN;

    if (status == TOOL_RUN)
        status = replace_begin(&output->replace, group, output->name, input_permissions(input));
    if (status != TOOL_RUN)
        return status;
    return open_file(output, input) == TOOL_RUN ? TOOL_RUN
                                                : replace_end(&output->replace, TOOL_FAILED);
}

int output_open(struct output *output, struct replace_group *group, const char *name,
                const struct input *input)
{
    *output = (struct output){.name = name ? name : "standard output", .file = stdout};
    return name ? open_named(output, group, input) : look_at(stdout, output, input);
}

static int write_failed(const struct output *output)
{
    tool_error("cannot write %s: %s", output->name, strerror(errno));
    return TOOL_FAILED;
}

/* A hole at the end exists only if the size of the file is set. */
static int finish(struct output *output)
{
    if (output->ends_in_hole && scion_stdio_extend(output->file) != 0)
        return -1;
    return 0;
}

int output_close(struct output *output, int status)
{
    int rc = finish(output);

    if ((output->file == stdout ? fflush(stdout) : fclose(output->file)) != 0)
        rc = -1;
    if (rc != 0 && status != TOOL_FAILED)
        status = write_failed(output);
    return replace_end(&output->replace, status);
}

int copy_start(struct copy *copy, const struct input *input, sion_int64 total, int stdout_is_data)
{
    copy->input = input;
    copy->filled = 0;
    copy->buffer = malloc(COPY_PIECE);
    if (!copy->buffer) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    progress_start(&copy->progress, total, stdout_is_data);
    return TOOL_RUN;
}

void copy_end(struct copy *copy)
{
    progress_end(&copy->progress);
    free(copy->buffer);
}

static int copy_failed(struct copy *copy, const struct output *output)
{
    int errnum = errno;

    progress_clear(&copy->progress);
    errno = errnum;
    return write_failed(output);
}

int copy_flush(struct copy *copy, struct output *output)
{
    size_t bytes = copy->filled;

    copy->filled = 0;
    if (fwrite(copy->buffer, 1, bytes, output->file) != bytes)
        return copy_failed(copy, output);
    output->ends_in_hole = output->ends_in_hole && bytes == 0;
    return TOOL_RUN;
}

int copy_put(struct copy *copy, size_t bytes, struct output *output)
{
    copy->filled += bytes;
    progress_step(&copy->progress, (sion_int64)bytes);
    return copy->filled == COPY_PIECE ? copy_flush(copy, output) : TOOL_RUN;
}

int copy_close(struct copy *copy, struct output *output, int status)
{
    int flushed = copy_flush(copy, output);

    progress_clear(&copy->progress);
    return output_close(output, status == TOOL_RUN ? flushed : status);
}

static int put_zeros(struct copy *copy, sion_int64 bytes, struct output *output)
{
    int status = TOOL_RUN;

    while (bytes > 0 && status == TOOL_RUN) {
        size_t now = copy_portion(copy, bytes);

        memset(copy_next(copy), 0, now);
        status = copy_put(copy, now, output);
        bytes -= (sion_int64)now;
    }
    return status;
}

/* Append a hole; zeros where there cannot be one. */
static int copy_skip(struct copy *copy, sion_int64 bytes, struct output *output)
{
    if (!output_has_holes(output))
        return put_zeros(copy, bytes, output);
    if (copy_flush(copy, output) != TOOL_RUN)
        return TOOL_FAILED;
    if (fseeko(output->file, (off_t)bytes, SEEK_CUR) != 0)
        return copy_failed(copy, output);
    output->ends_in_hole = 1;
    progress_step(&copy->progress, bytes);
    return TOOL_RUN;
}

static int copy_run(struct copy *copy, int task, sion_int64 chunk, sion_int64 pos,
                    struct output *output, sion_int64 *run)
{
    int is_hole, status = input_run(copy->input, task, chunk, pos, run, &is_hole);

    if (status != TOOL_RUN)
        return status;
    if (is_hole)
        return copy_skip(copy, *run, output);
    *run = (sion_int64)copy_portion(copy, *run);
    status = input_read(copy->input, task, chunk, pos, copy_next(copy), (size_t)*run);
    return status == TOOL_RUN ? copy_put(copy, (size_t)*run, output) : status;
}

int copy_chunk(struct copy *copy, int task, sion_int64 chunk, struct output *output)
{
    sion_int64 used = input_used(copy->input, task, chunk), pos = 0, run;
    int status = TOOL_RUN;

    progress_step(&copy->progress, 0);
    for (; pos < used && status == TOOL_RUN; pos += run) {
        run = used - pos;
        status = copy_run(copy, task, chunk, pos, output, &run);
    }
    return status;
}
