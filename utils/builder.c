#include "builder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tool.h"

enum { PERMISSIONS = 0666 };

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

int builder_create(struct builder *builder, const struct builder_plan *plan)
{
    struct scion_physical_plan physical = {
        .chunksizes = plan->used, .globalranks = plan->globalranks, .permissions = PERMISSIONS};
    int rc = scion_name_check(plan->name);

    if (rc == 0) {
        scion_meta1_init(&physical.head, plan->keyval, plan->big_endian);
        physical.head.fsblksize = plan->fsblksize;
        physical.head.ntasks = plan->ntasks;
        physical.head.nfiles = 1;
        physical.head.filenumber = 1; /* serial writers count from 1 */
        strcpy(physical.head.prefix, plan->name);
        rc = scion_physical_create(plan->name, &physical, &builder->physical);
    }
    if (rc != 0) {
        free(plan->used);
        return failed();
    }
    builder->name = plan->name;
    builder->used = plan->used;
    return TOOL_RUN;
}

int builder_write(struct builder *builder, int task, sion_int64 pos, const void *data, size_t bytes)
{
    sion_int64 offset = builder->physical->starts[task] + pos;

    return scion_file_write(builder->physical->file, data, bytes, offset, NULL) == 0 ? TOOL_RUN
                                                                                     : failed();
}

static int finish(struct builder *builder)
{
    static const struct scion_mapping no_tasks = {.size = 0};
    int ntasks = builder->physical->head.ntasks, t, rc;
    struct scion_lengths *lengths = malloc((size_t)ntasks * sizeof *lengths);

    if (!lengths) {
        tool_error("out of memory for %d tasks", ntasks);
        return TOOL_FAILED;
    }
    for (t = 0; t < ntasks; t++)
        scion_lengths_view(&lengths[t], &builder->used[t], 1, 1);
    rc = scion_physical_finish(builder->physical, lengths, &no_tasks);
    free(lengths);
    return rc == 0 ? TOOL_RUN : failed();
}

int builder_end(struct builder *builder, int status)
{
    if (status == TOOL_RUN)
        status = finish(builder);
    if (scion_physical_close(builder->physical) != 0 && status == TOOL_RUN)
        status = failed();
    if (status != TOOL_RUN)
        scion_file_remove(builder->name);
    free(builder->used);
    return status;
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
