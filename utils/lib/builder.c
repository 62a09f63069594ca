#include "lib/builder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/tool.h"

static int failed(const struct builder *builder)
{
    return replace_failed(&builder->replace);
}

/* The container stores its name from the beginning; the file gets it at the end. */
static int create(struct builder *builder, const struct builder_plan *plan)
{
    struct scion_physical_plan physical = {.chunksizes = plan->used,
                                           .globalranks = plan->globalranks,
                                           .permissions = plan->permissions};

    scion_meta1_init(&physical.head, plan->keyval, plan->big_endian);
    physical.head.fsblksize = plan->fsblksize;
    physical.head.ntasks = plan->ntasks;
    physical.head.nfiles = 1;
    physical.head.filenumber = 1; /* serial writers count from 1 */
    strcpy(physical.head.prefix, plan->name);
    return scion_physical_create(replace_path(&builder->replace), &physical, &builder->physical);
}

int builder_create(struct builder *builder, const struct builder_plan *plan)
{
    int status = TOOL_FAILED;

    *builder = (struct builder){.used = plan->used};
    if (scion_name_check(plan->name) != 0)
        failed(builder);
    else
        status = replace_begin(&builder->replace, NULL, plan->name, plan->permissions);
    if (status == TOOL_RUN && create(builder, plan) != 0)
        status = replace_end(&builder->replace, failed(builder));
    if (status != TOOL_RUN)
        free(plan->used);
    return status;
}

int builder_write(struct builder *builder, int task, sion_int64 pos, const void *data, size_t bytes)
{
    sion_int64 offset = builder->physical->starts[task] + pos;

    return scion_file_write(builder->physical->file, data, bytes, offset, NULL) == 0
               ? TOOL_RUN
               : failed(builder);
}

static sion_int64 one_chunk(const void *context, int task)
{
    (void)context, (void)task;
    return 1;
}

static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    const struct builder *builder = context;

    (void)chunk;
    return builder->used[task];
}

static int finish(struct builder *builder)
{
    static const struct scion_mapping no_tasks = {.size = 0};
    const struct scion_written written = {one_chunk, used_of, builder};
    int rc = scion_physical_finish(builder->physical, &written, &no_tasks);

    return rc == 0 ? TOOL_RUN : failed(builder);
}

int builder_end(struct builder *builder, int status)
{
    if (status == TOOL_RUN)
        status = finish(builder);
    if (scion_physical_close(builder->physical) != 0 && status == TOOL_RUN)
        status = failed(builder);
    free(builder->used);
    return replace_end(&builder->replace, status);
}

int builder_fsblksize(int letter, const char *text, int unit, int *fsblksize)
{
    int status = tool_number(letter, text, 1, fsblksize);

    if (status == TOOL_RUN && *fsblksize > INT_MAX / unit) {
        tool_error("-%c takes at most %d, not %d", letter, INT_MAX / unit, *fsblksize);
        return TOOL_USAGE;
    }
    *fsblksize *= unit;
    return status;
}
