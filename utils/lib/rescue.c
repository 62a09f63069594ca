#include "lib/rescue.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/slot.h"
#include "lib/builder.h"
#include "lib/progress.h"
#include "vfs/path.h"

enum { PIECE = 1 << 20 };

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int copy_task(const struct scion_salvage *salvage, int task, struct builder *builder,
                     struct progress *progress, char *buffer)
{
    struct scion_salvaged_cursor cursor = {0};
    struct scion_salvaged_run run = {.bytes = buffer, .space = PIECE};
    sion_int64 pos = 0;
    int status = TOOL_RUN;

    do {
        if (scion_salvage_read_run(salvage, task, &cursor, &run) != 0)
            status = failed();
        else if (!run.is_hole)
            status = builder_write(builder, task, pos, buffer, (size_t)run.length);
        pos += run.length;
        progress_step(progress, run.length);
    } while (status == TOOL_RUN && run.length > 0);
    return status;
}

static int copy_tasks(const struct scion_salvage *salvage, struct builder *builder,
                      sion_int64 total)
{
    struct progress progress;
    char *buffer = malloc(PIECE);
    int status = TOOL_RUN, i;

    if (!buffer) {
        tool_error("out of memory for a piece of data");
        return TOOL_FAILED;
    }
    progress_start(&progress, total, 0);
    for (i = 0; i < salvage->ntasks && status == TOOL_RUN; i++)
        status = copy_task(salvage, i, builder, &progress, buffer);
    progress_end(&progress);
    free(buffer);
    return status;
}

int rescue_write(const struct scion_salvage *salvage, const char *name)
{
    const struct scion_physical *first = salvage->files[salvage->first].physical;
    int n = salvage->ntasks, status = TOOL_FAILED, i;
    sion_int64 *ranks = scion_array((size_t)n + 1, sizeof *ranks), total = 0;
    struct builder_plan plan = {.name = name,
                                .ntasks = n,
                                .fsblksize = first->head.fsblksize,
                                .keyval = scion_meta1_keyval(&first->head),
                                .big_endian = first->head.big_endian,
                                .is_zipped = scion_marker_is_zipped(first->head.flag2),
                                .permissions = scion_path_permissions(first->path),
                                .used = scion_array((size_t)n + 1, sizeof *plan.used),
                                .globalranks = ranks};
    struct builder builder;

    for (i = 0; ranks && plan.used && i < n; i++) {
        ranks[i] = salvage->places[i].globalrank;
        plan.used[i] = scion_salvage_bytes(scion_salvage_task(salvage, i));
        total += plan.used[i];
    }
    if (ranks && plan.used) {
        status = builder_create(&builder, &plan);
    } else {
        tool_error("out of memory for %d tasks", n);
        free(plan.used);
    }
    if (status == TOOL_RUN)
        status = builder_end(&builder, copy_tasks(salvage, &builder, total));
    free(ranks);
    return status;
}
