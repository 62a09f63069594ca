/* sionfti pack: checkpoint files into a container. */
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/byteorder.h"
#include "lib/builder.h"
#include "vfs/path.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/fail.h"
#include "sionfti/files.h"
#include "sionfti/items.h"
#include "sionfti/ranks.h"

/* A container that is being written. */
struct pack {
    struct fti_files files;
    struct fti_ranks rank_set;
    sion_int64 *sizes; /* [files.count + 1] bytes of each stream */
    sion_int64 *ranks; /* likewise; -1: not a rank's checkpoint */
    char *names;       /* the list of names, if there is one */
    int is_plain;      /* 1: rank and checkpoint determine a file's name */
    enum scion_fti_kind
        ranked; /* the kind of files that get ranks: Rank files, else differential ones */
    const char *output;
    mode_t permissions; /* that all files have */
    struct builder builder;
    int has_failed; /* 1: the container cannot be written, and that was reported */
};

/* ---- which streams ---- */

/* Only undamaged files are packed. From the era C on, a file stores its id, so its name need not be
   stored. */
static int look_at(void *data, const struct fti_item *item)
{
    struct pack *pack = data;
    struct scion_fti_parity encoded;
    struct scion_fti_image image;
    int status;

    pack->sizes[item->index] = item->source->size;
    pack->permissions &= scion_path_permissions(item->label);
    pack->ranks[item->index] = item->name.kind == pack->ranked
                                   ? fti_application_rank(pack->rank_set.node_size, item->name.rank)
                                   : -1;
    if (item->name.kind != SCION_FTI_RANK)
        pack->is_plain = 0;
    if (item->name.kind == SCION_FTI_ENCODED)
        return fti_read_encoded(item, &encoded);
    status = fti_read_good_item(item, &image);
    if (status != TOOL_RUN)
        return status;
    if (!scion_fti_layout(image.era)->has_id)
        pack->is_plain = 0;
    scion_fti_image_clear(&image);
    return status;
}

static int check_names(struct pack *pack)
{
    int i;

    for (i = 0; i < pack->files.count; i++) {
        const struct fti_file *file = &pack->files.file[i], *next = file + 1;

        if (file->name.kind == SCION_FTI_RANK)
            pack->ranked = SCION_FTI_RANK;
        if (fti_is_container(file->path)) {
            tool_error("%s is already a container", file->path);
            return TOOL_FAILED;
        }
        if (strchr(scion_basename(file->path), '\n')) {
            tool_error("%s: a name with a line break cannot be stored", file->path);
            return TOOL_FAILED;
        }
        if (i + 1 < pack->files.count &&
            strcmp(scion_basename(file->path), scion_basename(next->path)) == 0) {
            tool_error("%s and %s have the same name", file->path, next->path);
            return TOOL_FAILED;
        }
        if (i + 1 < pack->files.count && file->name.ckptid != next->name.ckptid)
            pack->is_plain = 0;
    }
    return TOOL_RUN;
}

/* A checkpoint without the files of some ranks is not packed. */
static int check_ranks(struct pack *pack, const struct fti_settings *settings)
{
    int status = TOOL_RUN, i;

    fti_ranks_begin(&pack->rank_set, settings, &pack->files);
    for (i = 0; i < pack->files.count && status == TOOL_RUN; i++)
        status = fti_ranks_add(&pack->rank_set, pack->files.file[i].name, 0,
                               pack->files.file[i].is_named);
    if (status == TOOL_RUN)
        status = fti_ranks_check(&pack->rank_set);
    fti_ranks_free(&pack->rank_set);
    if (pack->rank_set.node_size > 1)
        pack->is_plain = 0;
    return status;
}

static int make_list(struct pack *pack)
{
    size_t bytes = sizeof SCION_FTI_LIST;
    int i;

    for (i = 0; i < pack->files.count; i++)
        bytes += strlen(scion_basename(pack->files.file[i].path)) + 1;
    pack->names = malloc(bytes);
    if (!pack->names)
        return fti_out_of_memory();
    strcpy(pack->names, SCION_FTI_LIST);
    for (bytes = strlen(pack->names), i = 0; i < pack->files.count; i++)
        bytes +=
            (size_t)sprintf(pack->names + bytes, "%s\n", scion_basename(pack->files.file[i].path));
    pack->sizes[pack->files.count] = (sion_int64)bytes;
    pack->ranks[pack->files.count] = -1;
    return TOOL_RUN;
}

/* ---- writing ---- */

static int write_piece(struct pack *pack, int task, sion_int64 place, const void *piece,
                       size_t bytes)
{
    if (builder_write(&pack->builder, task, place, piece, bytes) == TOOL_RUN)
        return TOOL_RUN;
    pack->has_failed = 1;
    return TOOL_FAILED;
}

static int put(struct pack *pack, const struct fti_item *item)
{
    static unsigned char piece[1 << 20];
    sion_int64 place = 0;

    while (place < item->source->size) {
        sion_int64 left = item->source->size - place;
        size_t now = left < (sion_int64)sizeof piece ? (size_t)left : sizeof piece;

        if (item->source->read(item->source, piece, now, place) != 0)
            return fti_failed(item->label);
        if (write_piece(pack, item->index, place, piece, now) != TOOL_RUN)
            return TOOL_FAILED;
        place += (sion_int64)now;
    }
    return TOOL_RUN;
}

/* A file that has changed meanwhile is not packed. */
static int put_item(void *data, const struct fti_item *item)
{
    struct pack *pack = data;

    if (pack->has_failed)
        return TOOL_FAILED;
    if (item->source->size != pack->sizes[item->index]) {
        tool_error("%s: the file has changed meanwhile", item->label);
        return TOOL_FAILED;
    }
    return put(pack, item);
}

/* The builder takes ownership of the sizes. */
static int write_container(struct pack *pack)
{
    int n = pack->files.count, status;
    struct builder_plan plan = {.name = pack->output,
                                .ntasks = n + (pack->names != NULL),
                                .keyval = SION_KEYVAL_NONE,
                                .big_endian = scion_host_is_big(),
                                .permissions = pack->permissions,
                                .used = pack->sizes,
                                .globalranks = pack->ranks};

    status = builder_create(&pack->builder, &plan);
    if (status == TOOL_RUN) {
        if (fti_visit(&pack->files, put_item, pack) != TOOL_DONE)
            status = TOOL_FAILED;
        else if (pack->names)
            status = write_piece(pack, n, 0, pack->names, (size_t)pack->sizes[n]);
        status = builder_end(&pack->builder, status);
    }
    pack->sizes = NULL;
    return status == TOOL_RUN ? TOOL_DONE : status;
}

static int is_output(const struct pack *pack)
{
    int i;

    for (i = 0; i < pack->files.count; i++) {
        if (scion_path_is_same(pack->files.file[i].path, pack->output)) {
            tool_error("%s is a file of the input", pack->output);
            return 1;
        }
    }
    return 0;
}

static int pack_files(struct pack *pack)
{
    size_t n = (size_t)pack->files.count + 1;
    int status = check_names(pack);

    if (status != TOOL_RUN || is_output(pack))
        return TOOL_FAILED;
    pack->sizes = calloc(n, sizeof *pack->sizes);
    pack->ranks = calloc(n, sizeof *pack->ranks);
    status =
        pack->sizes && pack->ranks ? fti_visit(&pack->files, look_at, pack) : fti_out_of_memory();
    if (status == TOOL_DONE && !pack->is_plain && make_list(pack) != TOOL_RUN)
        status = TOOL_FAILED;
    if (status == TOOL_DONE)
        status = write_container(pack);
    free(pack->sizes);
    free(pack->ranks);
    free(pack->names);
    return status;
}

int fti_pack(const void *given, int n, char **operands)
{
    const struct fti_settings *settings = given;
    struct pack pack = {.ranked = SCION_FTI_DIFFERENTIAL,
                        .is_plain = 1,
                        .permissions = 0777,
                        .output = settings->output};
    int status = fti_find_files(n, operands, settings->ckptid, &pack.files);

    if (status != TOOL_RUN)
        return status;
    status = check_ranks(&pack, settings);
    if (status == TOOL_RUN)
        status = pack_files(&pack);
    fti_free_files(&pack.files);
    return status;
}
