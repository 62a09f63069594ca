#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static int open_failed(const char *name)
{
    tool_error("cannot open outfile %s , aborting ... (%s)", name, strerror(errno));
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

    return stat(name, &file) == 0 && includes(input, name, &file);
}

static int look_at(int fd, const char *name, const struct input *input, struct stat *file)
{
    if (fstat(fd, file) != 0)
        return open_failed(name);
    return includes(input, name, file) ? TOOL_FAILED : TOOL_RUN;
}

/* Not emptied before it is known to be none of the input's files. */
static int open_named(const char *name, const struct input *input, FILE **to)
{
    struct stat file;
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), status;

    if (fd < 0)
        return open_failed(name);
    status = look_at(fd, name, input, &file);
    if (status == TOOL_RUN && S_ISREG(file.st_mode) && ftruncate(fd, 0) != 0)
        status = open_failed(name);
    if (status == TOOL_RUN) {
        *to = fdopen(fd, "wb");
        status = *to ? TOOL_RUN : open_failed(name);
    }
    if (status != TOOL_RUN)
        close(fd);
    return status;
}

int output_open(struct output *output, const char *name, const struct input *input)
{
    struct stat file;

    output->name = name ? name : "standard output";
    output->file = stdout;
    return name ? open_named(name, input, &output->file)
                : look_at(STDOUT_FILENO, output->name, input, &file);
}

static int write_failed(const struct output *output)
{
    tool_error("cannot write %s: %s", output->name, strerror(errno));
    return TOOL_FAILED;
}

int output_close(struct output *output, int status)
{
    int rc = output->file == stdout ? fflush(stdout) : fclose(output->file);

    return rc == 0 || status == TOOL_FAILED ? status : write_failed(output);
}

int copy_start(struct copy *copy, const struct input *input, sion_int64 total, int stdout_is_data)
{
    copy->input = input;
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

int copy_put(struct copy *copy, size_t bytes, struct output *output)
{
    if (fwrite(copy->buffer, 1, bytes, output->file) != bytes) {
        int errnum = errno;

        progress_clear(&copy->progress);
        errno = errnum;
        return write_failed(output);
    }
    progress_step(&copy->progress, (sion_int64)bytes);
    return TOOL_RUN;
}

int copy_chunk(struct copy *copy, int task, sion_int64 chunk, struct output *output)
{
    sion_int64 left = input_used(copy->input, task, chunk);
    sion_int64 pos = 0;
    int status = TOOL_RUN;

    progress_step(&copy->progress, 0);
    while (left > 0 && status == TOOL_RUN) {
        size_t bytes = left < COPY_PIECE ? (size_t)left : COPY_PIECE;

        status = input_read(copy->input, task, chunk, pos, copy->buffer, bytes);
        if (status == TOOL_RUN)
            status = copy_put(copy, bytes, output);
        pos += (sion_int64)bytes;
        left -= (sion_int64)bytes;
    }
    return status;
}
