/* sionfti rehash: new digests for data that have changed. */
#include <stdlib.h>
#include <string.h>

#include "ftiff/records.h"
#include "vfs/path.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/fail.h"
#include "sionfti/files.h"
#include "sionfti/items.h"
#include "sionfti/output.h"

/*
 * From 1.3 on, FTI writes a checksum over the hashes of all containers, but when reading it expects
 * one over those with content. The two differ as soon as a variable has shrunk: the file is good,
 * but FTI refuses it. A copy with the checksum that FTI expects differs only in the file block.
 */
static int write_copy(struct scion_fti_source *source, const struct scion_fti_image *image,
                      struct scion_file *file)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    unsigned char bytes[SCION_FTI_FB_MOST], old[SCION_FTI_FB_MOST];
    struct scion_fti_fb fb = image->fb;
    char of_all[SCION_FTI_HEX];
    sion_int64 place = 0;
    int rc = fti_copy(source, 0, source->size - layout->fb_bytes, file, &place);

    if (rc == 0)
        rc = scion_fti_read_fb(source, image->era, old);
    if (rc == 0)
        rc = scion_fti_hash_of_hashes(source, image, fb.checksum, of_all);
    if (rc != 0)
        return rc;
    scion_fti_fb_encode(image->era, &fb, bytes);
    bytes[layout->fb_bytes - 1] = old[layout->fb_bytes - 1]; /* padding */
    return scion_file_write(file, bytes, (size_t)layout->fb_bytes, place, NULL);
}

static int write_named(const struct fti_item *item, const struct scion_fti_image *image,
                       const char *name)
{
    struct fti_output output;

    if (scion_file_exists(name)) {
        tool_error("%s already exists", name);
        return TOOL_FAILED;
    }
    if (fti_create(NULL, name, NULL, scion_path_permissions(item->label), &output) != TOOL_RUN)
        return TOOL_FAILED;
    return fti_close(&output, write_copy(item->source, image, output.file));
}

static int rehash_item(void *data, const struct fti_item *item)
{
    struct scion_fti_image image;
    int status = fti_read_good_item(item, &image);

    if (status != TOOL_RUN)
        return status;
    if (!scion_fti_layout(image.era)->has_id) {
        tool_error("%s: FTI %s accepts its own checksums, there is nothing to correct", item->label,
                   scion_fti_layout(image.era)->releases);
        status = TOOL_FAILED;
    }
    if (status == TOOL_RUN)
        status = write_named(item, &image, *(const char **)data);
    scion_fti_image_clear(&image);
    return status == TOOL_RUN ? TOOL_DONE : status;
}

static int rehash(char *path, const char *name)
{
    struct fti_files files;
    int status;

    if (fti_is_container(path)) {
        tool_error("%s is a container: unpack it first", path);
        return TOOL_FAILED;
    }
    status = fti_find_files(1, &path, -1, &files);
    if (status == TOOL_RUN && !files.file[0].is_named) {
        tool_error("%s is a folder: name a file", path);
        status = TOOL_FAILED;
    }
    if (status == TOOL_RUN)
        status = fti_visit(&files, rehash_item, &name);
    fti_free_files(&files);
    return status;
}

int fti_rehash(const void *given, int n, char **operands)
{
    const struct fti_settings *settings = given;
    static const char suffix[] = ".rehashed";
    char *name = malloc(strlen(operands[n - 1]) + sizeof suffix);
    int status;

    if (!name)
        return fti_out_of_memory();
    strcpy(name, operands[n - 1]);
    strcat(name, suffix);
    status = rehash(operands[n - 1], settings->output ? settings->output : name);
    free(name);
    return status;
}
