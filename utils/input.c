#include "input.h"

#include <stdlib.h>

#include "sion_common.h"
#include "sion_serial.h"

#include "api/handle.h"
#include "base/checked.h"
#include "tool.h"

/* Chunk by chunk: so the table is walked in the order in which it lies in memory. */
static int add_up(struct input *input)
{
    sion_int64 chunk;
    int task;

    input->bytes = calloc((size_t)input->ntasks, sizeof *input->bytes);
    if (!input->bytes) {
        tool_error("out of memory for %d tasks of %s", input->ntasks, input->name);
        return TOOL_FAILED;
    }
    for (chunk = 0; chunk < input->maxchunks; chunk++) {
        for (task = 0; task < input->ntasks; task++) {
            sion_int64 used = chunk < input->counts[task] ? input_used(input, task, chunk) : 0;

            if (scion_add(input->bytes[task], used, &input->bytes[task]) ||
                scion_add(input->total, used, &input->total)) {
                tool_error("%s holds more bytes than can be counted", input->name);
                return TOOL_FAILED;
            }
        }
    }
    return TOOL_RUN;
}

static int look_up(struct input *input)
{
    sion_int64 *chunksizes, *globalranks, *counts, *used;

    if (sion_get_locations(input->sid, NULL, &input->maxchunks, NULL, &input->start_of_varheader,
                           &chunksizes, &globalranks, &counts, &used) != SION_SUCCESS)
        return TOOL_FAILED;
    input->chunksizes = chunksizes;
    input->globalranks = globalranks;
    input->counts = counts;
    input->used = used;
    input->container = scion_api_find(input->sid);
    input->head = &input->container->files[0]->head;
    return add_up(input);
}

int input_open(char *name, struct input *input)
{
    const struct input nothing = {.name = name};

    *input = nothing;
    input->sid = sion_open(name, "rb,posix", &input->ntasks, &input->nfiles, NULL,
                           &input->fsblksize, NULL, NULL);
    if (input->sid < 0)
        return TOOL_FAILED;
    if (look_up(input) != TOOL_RUN)
        return input_close(input, TOOL_FAILED);
    return TOOL_RUN;
}

int input_close(struct input *input, int status)
{
    int closed = sion_close(input->sid);

    free(input->bytes);
    return closed == SION_SUCCESS || status == TOOL_FAILED ? status : TOOL_FAILED;
}

int input_includes(const struct input *input, const struct stat *file)
{
    int i;

    for (i = 0; i < input->container->nopen; i++) {
        struct stat member;

        if (stat(input->container->files[i]->path, &member) == 0 && member.st_dev == file->st_dev &&
            member.st_ino == file->st_ino)
            return 1;
    }
    return 0;
}

void input_report_name(const struct input *input, FILE *to)
{
    tool_line(to, TOOL_LABEL, "sid:", "%d", input->sid);
    tool_line(to, TOOL_LABEL, "filename:", "%-30s", input->name);
}

void input_report_keyval(const struct input *input, FILE *to)
{
    int keyval = sion_get_keyval_mode(input->sid);

    tool_line(to, TOOL_LABEL, "keyval:", "%d (%s)", keyval, sion_keyval_type_to_str(keyval));
}

static const char *endianness(int big)
{
    return big ? "big" : "little";
}

void input_report_endianness(const struct input *input, FILE *to)
{
    tool_line(to, TOOL_LABEL, "current endianness:", "%s", endianness(sion_get_endianness()));
    tool_line(to, TOOL_LABEL, "file endianness:", "%s",
              endianness(sion_get_file_endianness(input->sid)));
}

static void report_bytes(FILE *to, const char *label, sion_int64 bytes)
{
    tool_line(to, TOOL_LABEL, label, "%lld bytes  (%6.2f MB)", bytes, tool_mb(bytes));
}

/* Up to the end of the tables, as SIONlib counts; of the data where a full disk has put those
 * first. */
static sion_int64 size_of_file(const struct input *input)
{
    const struct scion_layout *layout = &input->container->files[0]->layout;

    if (input->start_of_varheader < layout->start_of_data)
        return layout->start_of_data + input->maxchunks * layout->globalskip;
    return input->start_of_varheader + 8 * ((sion_int64)input->maxchunks + 1) * input->ntasks;
}

void input_report_sizes(const struct input *input, FILE *to)
{
    sion_int64 size = size_of_file(input);

    tool_line(to, TOOL_LABEL, "fsblksize:", "%d bytes (%6.2f MB)", input->fsblksize,
              tool_mb(input->fsblksize));
    tool_line(to, TOOL_LABEL, "max number of chunks:", "%d", input->maxchunks);
    report_bytes(to, "datasize in file (aggr.):", input->total);
    report_bytes(to, "start_of_varheader:", input->start_of_varheader);
    report_bytes(to, "size of file:", size);
    tool_line(to, TOOL_LABEL, "file usage:", "%f%%", (double)input->total / (double)size * 100.0);
}

void input_report_max_chunksize(const struct input *input, FILE *to)
{
    sion_int64 largest = 0;
    int task;

    for (task = 0; task < input->ntasks; task++) {
        if (input->chunksizes[task] > largest)
            largest = input->chunksizes[task];
    }
    tool_line(to, TOOL_LABEL, "max chunksize:", "%lld", largest);
}
