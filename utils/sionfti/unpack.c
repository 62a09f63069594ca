/* sionfti unpack: a container into checkpoint files. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/physical.h"
#include "base/memory.h"
#include "vfs/path.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/container.h"
#include "sionfti/fail.h"
#include "sionfti/items.h"
#include "sionfti/layout.h"
#include "sionfti/output.h"
#include "sionfti/ranks.h"

enum { NAME = 256 };

struct unpack {
    const struct fti_settings *settings;
    const char *path;
    struct fti_container container;
    char (*names)[NAME];        /* [ntasks] of the files; "": not of the checkpoint asked for */
    struct replace_group group; /* of all files */
};

static int open_stream(const struct unpack *unpack, int task,
                       struct scion_fti_stream_source *stream)
{
    return scion_fti_open_stream(unpack->container.sid, task, stream) == 0
               ? TOOL_RUN
               : fti_failed(unpack->path);
}

/*
 * A damaged file must not replace a good one, so everything is read before anything is written.
 * *ckptid: the number in the stream, if it has one.
 */
static int verify(const struct unpack *unpack, int task, struct scion_fti_name name, int *ckptid)
{
    struct scion_fti_stream_source stream;
    struct fti_item item = {.name = name, .source = &stream.source, .task = task};
    struct scion_fti_parity encoded;
    struct scion_fti_image image;
    char label[SCION_PATH + NAME];

    if (*unpack->names[task])
        snprintf(label, sizeof label, "%s, %s", unpack->path, unpack->names[task]);
    else
        snprintf(label, sizeof label, "%s, task %d", unpack->path, task);
    item.label = label;
    if (open_stream(unpack, task, &stream) != TOOL_RUN)
        return TOOL_FAILED;
    if (name.kind == SCION_FTI_ENCODED)
        return fti_read_encoded(&item, &encoded);
    if (fti_read_good_item(&item, &image) != TOOL_RUN)
        return TOOL_FAILED;
    if (scion_fti_layout(image.era)->has_id)
        *ckptid = (int)image.fb.ckptid;
    scion_fti_image_clear(&image);
    return TOOL_RUN;
}

/* A stream that the container names. */
static int given_name(struct unpack *unpack, int task, char name[NAME])
{
    struct scion_fti_name parsed = scion_fti_name_parse(name);
    int wanted = unpack->settings->ckptid, ignored;

    if (wanted < 0 || parsed.ckptid == wanted)
        return verify(unpack, task, parsed, &ignored);
    name[0] = '\0';
    return TOOL_RUN;
}

/* The name that FTI would give a rank's file. */
static int usual_name(const struct unpack *unpack, int task, char name[NAME])
{
    const struct fti_settings *settings = unpack->settings;
    static const struct scion_fti_name foreign = {SCION_FTI_FOREIGN, -1, -1};
    int rank = unpack->container.ranks[task], ckptid = settings->ckptid;

    if (verify(unpack, task, foreign, &ckptid) != TOOL_RUN)
        return TOOL_FAILED;
    if (settings->ckptid >= 0 && ckptid != settings->ckptid)
        return TOOL_RUN;
    if (rank >= 0)
        rank = fti_rank_in_name(settings->node_size, rank);
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
        if (*sorted[i] && strcmp(sorted[i - 1], sorted[i]) == 0) {
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
    int task, n = 0;

    for (task = 0; task < unpack->container.ntasks; task++) {
        if (!*unpack->names[task])
            continue;
        n++;
        if (overwrites_input(unpack, unpack->names[task]))
            return TOOL_FAILED;
    }
    if (n > 0 || unpack->settings->ckptid < 0)
        return TOOL_RUN;
    tool_error("%s: no files of checkpoint %d", unpack->path, unpack->settings->ckptid);
    return TOOL_FAILED;
}

/* All damaged streams are reported, but nothing is written then. */
static int find_names(struct unpack *unpack)
{
    int status = TOOL_RUN, task;

    unpack->names = calloc((size_t)unpack->container.ntasks + 1, sizeof *unpack->names);
    if (!unpack->names)
        return fti_out_of_memory();
    for (task = 0; task < unpack->container.ntasks && unpack->container.names; task++) {
        if (fti_next_name(&unpack->container, unpack->names[task]) != TOOL_RUN)
            return TOOL_FAILED;
    }
    for (task = 0; task < unpack->container.ntasks; task++) {
        int one = unpack->container.names ? given_name(unpack, task, unpack->names[task])
                                          : usual_name(unpack, task, unpack->names[task]);

        status = one == TOOL_RUN ? status : TOOL_FAILED;
    }
    if (status == TOOL_RUN)
        status = check_names(unpack);
    return status == TOOL_RUN ? check_outputs(unpack) : status;
}

/* The bytes as they are, or in another layout: files of ranks only. */
static int write_stream(const struct unpack *unpack, int task,
                        struct scion_fti_stream_source *stream, struct scion_file *file)
{
    const struct fti_settings *settings = unpack->settings;
    struct fti_item item = {.label = unpack->names[task],
                            .name = scion_fti_name_parse(unpack->names[task]),
                            .source = &stream->source,
                            .task = task};
    sion_int64 place = 0;

    if (settings->version == 0)
        return fti_copy(&stream->source, 0, stream->source.size, file, &place);
    if (item.name.kind != SCION_FTI_RANK)
        return scion_fail(SION_ERR_ARGUMENT, "only Rank files can get another layout");
    return fti_write_layout(&item, settings->version, settings->ckptid, file);
}

static int unpack_task(struct unpack *unpack, int task)
{
    struct scion_fti_stream_source stream;
    struct fti_output output;
    int status;

    if (!*unpack->names[task])
        return TOOL_RUN;
    status = open_stream(unpack, task, &stream);
    if (status == TOOL_RUN)
        status = fti_create(unpack->settings->output, unpack->names[task], &unpack->group,
                            scion_path_permissions(unpack->path), &output);
    if (status != TOOL_RUN)
        return status;
    return fti_close(&output, write_stream(unpack, task, &stream, output.file));
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
