#include "sionfti/items.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/tool.h"
#include "sionfti/container.h"
#include "sionfti/fail.h"
#include "vfs/path.h"

int fti_is_container(const char *path)
{
    struct scion_fti_file_source file;
    char magic[4] = "";
    int rc;

    if (scion_fti_open_file(path, &file) != 0)
        return 0;
    rc = file.source.size < 4 ? -1 : file.source.read(&file.source, magic, sizeof magic, 0);
    scion_file_close(file.file);
    return rc == 0 && memcmp(magic, "sion", sizeof magic) == 0;
}

typedef int visit_function(void *data, const struct fti_item *item);

/* With its name, if the container has names. */
static int visit_stream(const char *path, struct fti_container *container, int task,
                        struct fti_item *item, visit_function *visit, void *data)
{
    size_t size = strlen(path) + 300;
    struct scion_fti_stream_source stream;
    char *label = malloc(size), name[256];
    int status = TOOL_RUN;

    if (!label)
        return fti_out_of_memory();
    snprintf(label, size, "%s, task %d", path, task);
    item->name = (struct scion_fti_name){SCION_FTI_FOREIGN, -1, container->ranks[task]};
    if (container->names)
        status = fti_next_name(container, name);
    if (container->names && status == TOOL_RUN) {
        snprintf(label, size, "%s, %s", path, name);
        item->name = scion_fti_name_parse(name);
    }
    item->label = label;
    item->task = task;
    item->source = &stream.source;
    if (status == TOOL_RUN && scion_fti_open_stream(container->sid, task, &stream) != 0)
        status = fti_failed(label);
    if (status == TOOL_RUN)
        status = visit(data, item);
    free(label);
    return status;
}

static int visit_container(const struct fti_file *file, int index, visit_function *visit,
                           void *data)
{
    struct fti_item item = {.index = index};
    struct fti_container container;
    int status = fti_open_container(file->path, &container), failed = 0, task;

    if (status != TOOL_RUN)
        return status;
    for (task = 0; task < container.ntasks; task++)
        failed |= visit_stream(file->path, &container, task, &item, visit, data) == TOOL_FAILED;
    return fti_close_container(&container, failed ? TOOL_FAILED : TOOL_DONE);
}

static int visit_file(const struct fti_file *file, int index, visit_function *visit, void *data)
{
    struct fti_item item = {.label = file->path, .name = file->name, .index = index, .task = -1};
    struct scion_fti_file_source opened;
    int status;

    if (scion_fti_open_file(file->path, &opened) != 0)
        return fti_failed(file->path);
    item.source = &opened.source;
    status = visit(data, &item);
    scion_file_close(opened.file);
    return status;
}

int fti_visit(const struct fti_files *files, visit_function *visit, void *data)
{
    int status = TOOL_DONE, i;

    for (i = 0; i < files->count; i++) {
        const struct fti_file *file = &files->file[i];
        int one = fti_is_container(file->path) ? visit_container(file, i, visit, data)
                                               : visit_file(file, i, visit, data);

        if (one == TOOL_FAILED)
            status = TOOL_FAILED;
    }
    return status;
}

int fti_read_item(const struct fti_item *item, struct scion_fti_image *image)
{
    return scion_fti_read_named(item->source, item->label, item->name, image) == 0
               ? TOOL_RUN
               : fti_failed(item->label);
}

int fti_read_encoded(const struct fti_item *item, struct scion_fti_parity *encoded)
{
    int rc = scion_fti_read_encoded(item->source, encoded);

    if (rc == 0 && scion_fti_layout(encoded->era)->has_id)
        rc = scion_fti_check_name(item->name, encoded->fb.ckptid);
    return rc == 0 ? TOOL_RUN : fti_failed(item->label);
}

static void on_damage(void *data, const char *text)
{
    const struct fti_item *item = data;

    tool_error("%s: %s", item->label, text);
}

static int verify(const struct fti_item *item, const struct scion_fti_image *image)
{
    struct fti_item of = *item;
    const struct scion_fti_visitor visitor = {.data = &of, .damage = on_damage, .is_thorough = 1};
    int rc = scion_fti_verify(item->source, image, &visitor);

    if (rc == 0)
        return TOOL_RUN;
    return rc == SION_ERR_DAMAGED ? TOOL_FAILED : fti_failed(item->label);
}

int fti_read_good_item(const struct fti_item *item, struct scion_fti_image *image)
{
    int status = fti_read_item(item, image);

    if (status != TOOL_RUN)
        return status;
    status = verify(item, image);
    if (status != TOOL_RUN)
        scion_fti_image_clear(image);
    return status;
}

const char *fti_encoded_release(const struct scion_fti_parity *encoded)
{
    return encoded->era == SCION_FTI_C ? "1.3 or 1.4" : scion_fti_layout(encoded->era)->releases;
}
