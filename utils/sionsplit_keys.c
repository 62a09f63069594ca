#include <stdio.h>

#include "sion_common.h"

#include "sionsplit.h"
#include "tool.h"

enum { RANKS_PER_MARK = 16, DETAIL_LABEL = 30 };

size_t split_buffer_size(const struct input *input)
{
    return input->fsblksize < COPY_PIECE ? (size_t)input->fsblksize : COPY_PIECE;
}

/* All values of one key, one after the other. */
static int split_values(const struct split_settings *settings, struct copy *copy, uint64_t key,
                        struct output *output)
{
    size_t want = split_buffer_size(copy->input), bytes;
    int status = TOOL_RUN;

    while (status == TOOL_RUN &&
           (bytes = sion_fread_key(copy->buffer, key, 1, want, copy->input->sid)) > 0) {
        status = copy_put(copy, bytes, output);
        if (settings->verbose && status == TOOL_RUN)
            tool_line(stdout, DETAIL_LABEL, "",
                      "extracting now data of key[%12lld] (%zu bytes) (%zu bytes written)",
                      (long long)key, bytes, bytes);
    }
    return status;
}

static int split_key(const struct split_settings *settings, struct copy *copy, int task,
                     uint64_t key, char *path, size_t size)
{
    struct output output;
    int status;

    snprintf(path, size, "%s%0*lld_%012lld", settings->prefix, settings->digits,
             split_number(settings, copy->input, task), (long long)key);
    tool_line(stdout, TOOL_LABEL, "generating file:", "'%s'", path);
    status = output_open(&output, path, copy->input);
    return status == TOOL_RUN ? output_close(&output, split_values(settings, copy, key, &output))
                              : status;
}

static void mark_task(const struct split_settings *settings, int task)
{
    if (settings->verbose)
        printf("siondefrag: ->rank:                    %d\n", task);
    else if (task % RANKS_PER_MARK == 0)
        printf("[%d]", task);
}

int split_keys(const struct split_settings *settings, struct copy *copy, int task, char *path,
               size_t size)
{
    int sid = copy->input->sid, status = TOOL_RUN;
    uint64_t key;

    mark_task(settings, task);
    /* What is wrong with a task's records, the library says. */
    if (!sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) || !sion_key_full_scan(sid))
        return TOOL_FAILED;
    sion_key_list_iterator_reset(sid);
    while (status == TOOL_RUN && sion_key_list_iterator_next(sid, &key))
        status = split_key(settings, copy, task, key, path, size);
    return status;
}
