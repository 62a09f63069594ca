/*
 * The map of a container that is being written: a tap on the stream makes the CRCs, a hook writes
 * the map at the close. On every process: the trees of its tasks; the rest is map/write.c.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/parallel.h"
#include "api/private_abi.h"
#include "base/env.h"
#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/dataset/record.h"
#include "scr/export_plan.h"
#include "scr/map/entry.h"
#include "scr/map/map.h"
#include "scr/native.h"
#include "scr/scr.h"

/* The bytes of a task that the tap has seen: its first ones, without a gap. */
struct task_crc {
    sion_int64 bytes;
    uint32_t crc;
    int is_broken;
};

struct attachment {
    struct scion_export_plan export;
    int status; /* 0, or why this process has no map; all processes are told at the close */
    char reason[SCION_ERROR_TEXT];

    struct task_crc *task_crc; /* [nseen] of the process's tasks */
    int nseen, task;           /* whose bytes come */
    int is_blind, needs_no_crc;
};

/* ---- the tap ---- */

/* Make room for one more task. */
static void turn_to(void *user, int task)
{
    struct attachment *attachment = user;
    struct task_crc *task_crc;

    attachment->task = task;
    if (task < attachment->nseen)
        return;
    task_crc = scion_must_allocate((size_t)task + 1, 2 * sizeof *task_crc);
    if (attachment->nseen > 0)
        memcpy(task_crc, attachment->task_crc, (size_t)attachment->nseen * sizeof *task_crc);
    free(attachment->task_crc);
    attachment->task_crc = task_crc;
    attachment->nseen = 2 * (task + 1);
}

static void go_blind(void *user)
{
    struct attachment *attachment = user;

    attachment->is_blind = 1;
}

static void see(void *user, sion_int64 offset, const void *bytes, size_t size)
{
    struct attachment *attachment = user;
    struct task_crc *task_crc = &attachment->task_crc[attachment->task];

    if (attachment->needs_no_crc)
        return;
    if (offset == 0)
        *task_crc = (struct task_crc){0};
    if (offset != task_crc->bytes) {
        task_crc->is_broken = 1;
        return;
    }
    task_crc->crc = (uint32_t)crc32_z(task_crc->crc, bytes, size);
    task_crc->bytes += (sion_int64)size;
}

/* The CRC of the data: from the tap if it has seen all bytes; otherwise the file is read. */
static int find_crc(const struct attachment *attachment, int task,
                    const struct scion_segments *segments, uint32_t *crc)
{
    const struct task_crc none = {0}, *task_crc = task < attachment->nseen
                                                      ? &attachment->task_crc[task]
                                                      : &none;
    struct scion_source source;
    int rc;

    *crc = task_crc->crc;
    if (!attachment->is_blind && !task_crc->is_broken && task_crc->bytes == segments->bytes)
        return 0;
    scion_source_begin(&source, attachment->export.base, 1);
    rc = scion_source_read(&source, segments, crc, NULL, NULL);
    scion_source_end(&source);
    return rc;
}

/* ---- the hook ---- */

/* What a process adds to the map. */
struct share {
    struct sion_scr_ranks ranks;
    sion_int64 files, bytes;
    struct scion_native *natives; /* [nnatives]: physical files whose first tasks it has */
    int nnatives;
};

static int put_stream(const struct attachment *attachment, const struct scion_close_task *task,
                      int index, struct sion_kvtree *tree, struct share *share)
{
    struct scion_segments segments = {0};
    char name[SCION_PATH], file[SCION_PATH];
    uint32_t crc;
    const struct scion_lengths *lengths = task->lengths;
    int rc = scion_relative(attachment->export.base, task->path, file);

    if (rc == 0)
        rc = scion_segments_add_chunks(&segments, file, &task->placed.place, lengths->used,
                                       lengths->stride, lengths->count);
    if (rc == 0)
        rc = scion_export_name(&attachment->export, task->placed.rank, name);
    if (rc == 0 && attachment->export.crc)
        rc = find_crc(attachment, index, &segments, &crc);
    share->files++;
    share->bytes += segments.bytes;
    if (rc == 0)
        rc = scion_entry_put(tree, name, segments.bytes, attachment->export.crc ? &crc : NULL,
                             &segments, attachment->export.prefix);
    scion_segments_free(&segments);
    return rc;
}

static int put_native(const struct attachment *attachment, const struct scion_native *native,
                      struct sion_kvtree *tree, struct share *share)
{
    share->files++;
    share->bytes += native->size;
    return scion_entry_put(tree, native->name, native->size,
                           attachment->export.crc ? &native->crc : NULL, NULL, "");
}

/* The physical files whose first tasks this process has. */
static int list_natives(const struct attachment *attachment, const struct scion_close_info *closed,
                        struct share *share)
{
    char name[SCION_PATH];
    int rc = 0, i;

    share->natives = scion_must_allocate((size_t)closed->ntasks + 1, sizeof *share->natives);
    for (i = 0; i < closed->ntasks && rc == 0; i++) {
        if (closed->tasks[i].placed.lrank != 0)
            continue;
        rc = scion_relative(attachment->export.base, closed->tasks[i].path, name);
        share->natives[share->nnatives].name = rc == 0 ? strdup(name) : NULL;
        if (rc == 0 && !share->natives[share->nnatives++].name)
            rc = scion_fail_memory("name of a file");
    }
    return rc;
}

static void free_share(struct share *share)
{
    int i;

    for (i = 0; i < share->nnatives; i++)
        free(share->natives[i].name);
    free(share->natives);
    scion_ranks_clear(&share->ranks);
}

static int make_share(const struct attachment *attachment, const struct scion_close_info *closed,
                      struct share *share)
{
    int rc = 0, i, n = 0;

    for (i = 0; i < closed->ntasks && rc == 0; i++) {
        struct sion_kvtree *tree = scion_kvtree_new();

        if (!attachment->export.native)
            rc = put_stream(attachment, &closed->tasks[i], i, tree, share);
        else if (closed->tasks[i].placed.lrank == 0)
            rc = put_native(attachment, &share->natives[n++], tree, share);
        if (rc == 0)
            rc = scion_ranks_add(&share->ranks, closed->tasks[i].placed.rank, tree);
        sion_kvtree_free(tree);
    }
    return rc;
}

/* Any process can have any task of a mapped container, but maps are written in the order of ranks,
   so sort them. Collective; status as in scion_map_write. */
static int sort_ranks(struct scion_comm *comm, int status, struct sion_scr_ranks *ranks)
{
    struct sion_scr_ranks sorted = {0};
    sion_int64 total;
    int rc = scion_agree(comm, scion_name_rank(comm, status));

    if (rc == 0)
        rc = scion_ranks_distribute(comm, ranks, 0, &sorted, &total);
    scion_ranks_clear(ranks);
    *ranks = sorted;
    return rc;
}

/* Collective: an error on every process whose map would be in another place than that of rank 0.
   That has chosen the number if it was not said. */
static int compare_places(struct scion_comm *comm, struct attachment *attachment, int *status)
{
    struct {
        sion_int64 layout, id;
        char base[SCION_PATH];
    } first = {attachment->export.place.layout, attachment->export.place.id, ""};
    int rc;

    strcpy(first.base, attachment->export.base);
    rc = scion_bcast(comm, &first, sizeof first, 0);
    if (rc == 0 && attachment->export.place.id == 0)
        attachment->export.place.id = (int)first.id;
    if (rc == 0 && *status == 0 &&
        (first.layout != attachment->export.place.layout ||
         first.id != attachment->export.place.id ||
         strcmp(first.base, attachment->export.base) != 0))
        *status = scion_fail(SION_ERR_ARGUMENT,
                             "its map would be in %.150s, that of rank 0 in "
                             "%.150s, or of another layout or number",
                             attachment->export.base, first.base);
    return rc;
}

/* Collective, if a map is wanted. */
static int write_map(struct scion_comm *comm, struct attachment *attachment,
                     const struct scion_close_info *closed, int status)
{
    struct share share = {0};
    int rc;

    if (status == 0 && comm->rank == 0)
        status = scion_export_claim(&attachment->export); /* others may have written since */
    rc = compare_places(comm, attachment, &status);

    if (rc == 0 && attachment->export.native) {
        if (status == 0)
            status = list_natives(attachment, closed, &share);
        rc = scion_native_measure(comm, scion_name_rank(comm, status), attachment->export.base,
                                  attachment->export.crc, share.natives, share.nnatives);
    }
    if (rc == 0 && status == 0)
        status = make_share(attachment, closed, &share);
    if (rc == 0 && closed->is_mapped) {
        rc = sort_ranks(comm, status, &share.ranks);
        status = 0;
    }
    if (rc == 0)
        rc =
            scion_map_write(comm, status, &attachment->export.place, &share.ranks,
                            &attachment->export.map, scion_export_permissions(&attachment->export));
    if (rc == 0)
        rc = scion_dataset_record(comm, &attachment->export.place, &attachment->export.told,
                                  share.files, share.bytes);
    free_share(&share);
    return rc;
}

/* A map is wanted if at least one process was attached; then all must have been. */
static int write_if_wanted(struct scion_comm *comm, struct attachment *attachment,
                           const struct scion_close_info *closed)
{
    sion_int64 nobody = attachment->status != 0;
    int status = closed->status, rc;

    if (status == 0 && attachment->status != 0)
        status = scion_fail(attachment->status, "%s", attachment->reason);
    rc = scion_minimum(comm, &nobody, NULL, 0);
    if (rc != 0)
        return rc;
    return nobody ? scion_agree(comm, scion_name_rank(comm, closed->status))
                  : write_map(comm, attachment, closed, status);
}

/* Messages between tasks need a communicator of their own, which the application does not use. */
static int close_attached(void *user, const struct scion_close_info *closed)
{
    struct scion_comm *comm = closed->comm, *own = NULL;
    int rc = 0;

    if (comm->ops->exchange)
        rc = scion_split(comm, 0, comm->rank, &own);
    if (rc == 0)
        rc = write_if_wanted(own ? own : comm, user, closed);
    scion_comm_free(own);
    return rc;
}

/* ---- attaching them ---- */

static void release(void *user)
{
    struct attachment *attachment = user;

    free(attachment->task_crc);
    free(attachment);
}

/* From the name of a file of a set to that of the container. */
static void strip_number(int number, char *name)
{
    char suffix[16];
    size_t length = strlen(name), cut;

    snprintf(suffix, sizeof suffix, ".%06d", number);
    cut = strlen(suffix);
    if (number > 0 && length > cut && strcmp(name + length - cut, suffix) == 0)
        name[length - cut] = '\0';
}

/* After a failure, another attempt is allowed. */
static struct attachment *find_failed(int sid)
{
    const struct scion_hook *hook = sion_layer_hook(sid);
    struct attachment *attachment = hook && hook->closing == close_attached ? hook->user : NULL;

    return attachment && attachment->status != 0 ? attachment : NULL;
}

/* Before the container that an old map describes is replaced. Between the two calls there is the
   old container, and no map of it: an old map of a new container would be worse. */
static int clear_map(void *user)
{
    const struct attachment *attachment = user;

    return attachment->status == 0 ? scion_layout_clear_root(&attachment->export.place) : 0;
}

static struct attachment *attach_new(int sid)
{
    struct attachment *attachment = scion_must_allocate(1, sizeof *attachment);
    const struct scion_tap tap = {see, go_blind, turn_to, attachment};
    const struct scion_hook hook = {clear_map, close_attached, release, attachment};

    turn_to(attachment, 0);
    if (sion_layer_attach(sid, &tap, &hook) == 0)
        return attachment;
    release(attachment);
    return NULL;
}

/* ---- what the environment says ---- */

static int find_layout(const char *name, enum sion_scr_layout *layout)
{
    int i;

    for (i = SION_SCR_LAYOUT_DATASET; i <= SION_SCR_LAYOUT_3; i++) {
        if (strcmp(name, scion_layout_name((enum sion_scr_layout)i)) == 0) {
            *layout = (enum sion_scr_layout)i;
            return 0;
        }
    }
    return scion_fail(SION_ERR_ARGUMENT, "SION_SCR_LAYOUT is dataset, prefix or scr3, not '%.60s'",
                      name);
}

static int find_flags(const char *list, struct sion_scr_export_options *options)
{
    char copy[64], *word, *rest;

    snprintf(copy, sizeof copy, "%s", list);
    options->no_checkpoint = 1;
    for (word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (strcmp(word, "checkpoint") == 0)
            options->no_checkpoint = 0;
        else if (strcmp(word, "output") == 0)
            options->output = 1;
        else
            return scion_fail(SION_ERR_ARGUMENT,
                              "SION_SCR_FLAGS is a list of checkpoint and output, not '%.60s'",
                              list);
    }
    return 0;
}

static int find_id(const char *text, int *id)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end || number < 1 || number > INT_MAX)
        return scion_fail(SION_ERR_ARGUMENT, "SION_SCR_ID is a number from 1 on, not '%.60s'",
                          text);
    *id = (int)number;
    return 0;
}

/* The value of a variable, or NULL if it is empty or not set. */
static const char *said(const char *value)
{
    return value && *value ? value : NULL;
}

/* The options; those that are not set are taken from the environment. */
static int complete(const struct sion_scr_export_options *given,
                    struct sion_scr_export_options *options)
{
    const char *value;
    int rc = 0;

    *options = *given;
    if (options->layout == 0 && (value = said(scion_env("SCR_LAYOUT"))))
        rc = find_layout(value, &options->layout);
    if (rc == 0 && options->id == 0 && (value = said(scion_env("SCR_ID"))))
        rc = find_id(value, &options->id);
    if (rc == 0 && !options->no_checkpoint && !options->output &&
        (value = said(scion_env("SCR_FLAGS"))))
        rc = find_flags(value, options);
    if (!options->dataset)
        options->dataset = said(scion_env("SCR_DATASET"));
    if (!options->index && (value = said(scion_env("SCR_INDEX"))))
        options->index = strcmp(value, "0") != 0;
    return rc;
}

/*
 * A process on which this fails stays attached, because the others may write a map at the close and
 * would wait for it. An old map is removed now, because the container that it describes no longer
 * exists; if the container is atomic, the old one exists until the close.
 */
int scion_scr_attach(int sid, int status, const struct sion_scr_export_options *options)
{
    struct attachment *attachment = find_failed(sid);
    struct sion_scr_export_options all;
    const char *path;
    int rc, number;

    if (!attachment)
        attachment = attach_new(sid);
    if (!attachment)
        return sion_error_code();
    path = sion_layer_path(sid, &number);
    rc = status != 0 ? status : complete(options, &all);
    if (rc == 0)
        rc = scion_export_begin(path, &all, &attachment->export);
    if (rc == 0 && sion_layer_is_merged(sid) && !all.force)
        rc = scion_fail(SION_ERR_MODE, "SCR cannot restart from a merged container (cmerge)");
    if (rc == 0)
        strip_number(number, attachment->export.container);
    attachment->needs_no_crc = attachment->export.native || !attachment->export.crc;
    if (rc == 0 && sion_layer_is_first(sid)) {
        rc = scion_export_claim(&attachment->export);
        if (rc == 0 && !sion_layer_is_atomic(sid))
            rc = scion_layout_clear(&attachment->export.place);
    }
    attachment->status = rc;
    if (rc != 0)
        snprintf(attachment->reason, sizeof attachment->reason, "%s", sion_error_text());
    return rc;
}
