#include <stdlib.h>
#include <string.h>

#include "file/physical.h"
#include "base/memory.h"
#include "vfs/path.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/container.h"
#include "sionfti/fail.h"
#include "sionfti/items.h"
#include "sionfti/output.h"

enum { NAME = 256 };

struct unpack {
    const struct fti_settings *settings;
    const char *path;
    struct fti_container container;
    char (*names)[NAME];        /* [ntasks] of the files */
    struct replace_group group; /* of all files */
};

static int open_stream(const struct unpack *unpack, int task,
                       struct scion_fti_stream_source *stream)
{
    return scion_fti_open_stream(unpack->container.sid, task, stream) == 0
               ? TOOL_RUN
               : fti_failed(unpack->path);
}

/* The number of the checkpoint in a stream without a name. */
static int find_ckptid(const struct unpack *unpack, int task, int *ckptid)
{
    struct scion_fti_stream_source stream;
    struct fti_item item = {.name = {SCION_FTI_FOREIGN, -1, -1}, .source = &stream.source};
    struct scion_fti_image image;
    char label[1100];

    snprintf(label, sizeof label, "%s, task %d", unpack->path, task);
    item.label = label;
    *ckptid = unpack->settings->ckptid;
    if (open_stream(unpack, task, &stream) != TOOL_RUN || fti_read_item(&item, &image) != TOOL_RUN)
        return TOOL_FAILED;
    if (scion_fti_layout(image.era)->has_id)
        *ckptid = (int)image.fb.ckptid;
    scion_fti_image_clear(&image);
    return TOOL_RUN;
}

/* The name that FTI would give a rank's file. */
static int usual_name(const struct unpack *unpack, int task, char name[NAME])
{
    int rank = unpack->container.ranks[task], ckptid;

    if (find_ckptid(unpack, task, &ckptid) != TOOL_RUN)
        return TOOL_FAILED;
    if (ckptid < 0 || rank < 0) {
        tool_error(rank < 0
                       ? "%s, task %d: no rank and no name"
                       : "%s, task %d: the container does not contain the checkpoint's number: "
                         "use -c",
                   unpack->path, task);
        return TOOL_FAILED;
    }
    scion_fti_name_of_rank(ckptid, rank, name, NAME);
    return TOOL_RUN;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One file must not overwrite another one. */
static int check_names(const struct unpack *unpack)
{
    size_t n = (size_t)unpack->container.ntasks, i;
    const char **sorted = scion_array(n, sizeof *sorted);
    int status = TOOL_RUN;

    if (!sorted)
        return fti_out_of_memory();
    for (i = 0; i < n; i++)
        sorted[i] = unpack->names[i];
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (i = 1; i < n && status == TOOL_RUN; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            tool_error("%s: two streams have the name %s", unpack->path, sorted[i]);
            status = TOOL_FAILED;
        }
    }
    free(sorted);
    return status;
}

/* Whether a file is one of the set; a single file can claim any number of files. */
static int overwrites_input(const struct unpack *unpack, const char *name)
{
    int found = 0, is_there = 1, i;

    for (i = 0; i < unpack->container.nfiles && is_there && !found; i++) {
        char *member = scion_physical_name(unpack->path, i);

        is_there = member && scion_file_exists(member);
        found = is_there && fti_is_input(unpack->settings->output, name, member);
        free(member);
    }
    return found;
}

static int check_outputs(const struct unpack *unpack)
{
    int task;

    for (task = 0; task < unpack->container.ntasks; task++) {
        if (overwrites_input(unpack, unpack->names[task]))
            return TOOL_FAILED;
    }
    return TOOL_RUN;
}

static int find_names(struct unpack *unpack)
{
    int status = TOOL_RUN, task;

    unpack->names = calloc((size_t)unpack->container.ntasks + 1, sizeof *unpack->names);
    if (!unpack->names)
        return fti_out_of_memory();
    for (task = 0; task < unpack->container.ntasks && status == TOOL_RUN; task++)
        status = unpack->container.names ? fti_next_name(&unpack->container, unpack->names[task])
                                         : usual_name(unpack, task, unpack->names[task]);
    if (status == TOOL_RUN)
        status = check_names(unpack);
    return status == TOOL_RUN ? check_outputs(unpack) : status;
}

static int unpack_task(struct unpack *unpack, int task)
{
    struct scion_fti_stream_source stream;
    struct fti_output output;
    sion_int64 place = 0;
    int status = open_stream(unpack, task, &stream);

    if (status == TOOL_RUN)
        status = fti_create(unpack->settings->output, unpack->names[task], &unpack->group,
                            scion_path_permissions(unpack->path), &output);
    if (status != TOOL_RUN)
        return status;
    return fti_close(&output, fti_copy(&stream.source, 0, stream.source.size, output.file, &place));
}

int fti_unpack(const void *given, int n, char **operands)
{
    const struct fti_settings *settings = given;
    struct unpack unpack = {.settings = settings, .path = operands[n - 1]};
    int status = fti_open_container(unpack.path, &unpack.container), task;

    if (status != TOOL_RUN)
        return status;
    status = find_names(&unpack);
    if (status == TOOL_RUN)
        status = fti_make_folder(settings->output);
    for (task = 0; task < unpack.container.ntasks && status == TOOL_RUN; task++)
        status = unpack_task(&unpack, task);
    status = replace_end_group(&unpack.group, status);
    free(unpack.names);
    return fti_close_container(&unpack.container, status == TOOL_RUN ? TOOL_DONE : status);
}
