#include "sionfti.h"

#include "tool.h"

/* The name that FTI would give a rank's file. */
static int usual_name(const struct fti_settings *settings, int rank, const char *label,
                      struct scion_fti_source *source, char name[256])
{
    const struct fti_item item = {
        .label = label, .name = {SCION_FTI_FOREIGN, -1, -1}, .source = source};
    int ckptid = settings->ckptid;
    struct scion_fti_image image;

    if (fti_read_item(&item, &image) != TOOL_RUN)
        return TOOL_FAILED;
    if (scion_fti_layout(image.era)->has_id)
        ckptid = (int)image.fb.ckptid;
    scion_fti_image_clear(&image);
    if (ckptid < 0 || rank < 0) {
        tool_error(rank < 0 ? "%s: no rank and no name"
                            : "%s: the container does not know the checkpoint's number: use -c",
                   label);
        return TOOL_FAILED;
    }
    scion_fti_name_of_rank(ckptid, rank, name, 256);
    return TOOL_RUN;
}

static int unpack_task(const struct fti_settings *settings, struct fti_container *container,
                       int task)
{
    struct scion_fti_stream_source stream;
    struct scion_file *file;
    char label[40], name[256];
    sion_int64 place = 0;
    int status;

    snprintf(label, sizeof label, "task %d", task);
    if (scion_fti_open_stream(container->sid, task, &stream) != 0)
        return fti_failed(label);
    status = container->names
                 ? fti_next_name(container, name)
                 : usual_name(settings, container->ranks[task], label, &stream.source, name);
    if (status == TOOL_RUN)
        status = fti_create(settings->output, name, &file);
    if (status != TOOL_RUN)
        return status;
    return fti_close(file, fti_copy(&stream.source, 0, stream.source.size, file, &place));
}

int fti_unpack(const struct fti_settings *settings, int n, char **operands)
{
    struct fti_container container;
    int status = fti_open_container(operands[n - 1], &container), task;

    if (status != TOOL_RUN)
        return status;
    status = fti_make_folder(settings->output);
    for (task = 0; task < container.ntasks && status == TOOL_RUN; task++)
        status = unpack_task(settings, &container, task);
    return fti_close_container(&container, status == TOOL_RUN ? TOOL_DONE : status);
}
