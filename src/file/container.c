#include "file/container.h"

#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/env.h"
#include "base/error.h"
#include "base/trace.h"
#include "device/device.h"
#include "file/commits.h"
#include "file/private.h"
#include "file/checksum_tap.h"
#include "file/zips.h"

enum {
    LEAST_BUFFER = 64 << 10,
    LARGEST_BUFFER = 1 << 20,
    LARGEST_REQUESTED_BUFFER = 1 << 28,
    ANSI_PERMISSIONS = 0666,
    POSIX_PERMISSIONS = 0664
};

mode_t scion_permissions(const struct scion_mode *mode)
{
    return mode->posix ? POSIX_PERMISSIONS : ANSI_PERMISSIONS;
}

/* What SION_BUFFERSIZE asks for: -1 means the block size. */
static size_t requested_buffer(const struct scion_container *container, long long requested)
{
    if (requested < 0)
        return (size_t)container->head.fsblksize;
    return requested > LARGEST_REQUESTED_BUFFER ? LARGEST_REQUESTED_BUFFER : (size_t)requested;
}

/*
 * Bytes of a stream's buffer: near the file system's block size; none in plain posix mode. The
 * environment variable SION_BUFFERSIZE sets it for writing, -1 meaning the block size itself.
 */
static size_t buffer_size(const struct scion_container *container)
{
    long long requested = container->head.fsblksize;

    if (container->posix && !container->buffered)
        return 0;
    if (container->writing && scion_env_number("BUFFERSIZE", &requested) && requested != 0)
        return requested_buffer(container, requested);
    if (requested < LEAST_BUFFER)
        return LEAST_BUFFER;
    return requested > LARGEST_BUFFER ? LARGEST_BUFFER : (size_t)requested;
}

void scion_container_choose_records(struct scion_container *container)
{
    int traced = scion_tracing(SCION_TRACE_RECORD | SCION_TRACE_RECORD_INTERNAL);

    container->front.records = (container->writing ? SCION_RECORDS_WRITTEN : SCION_RECORDS_READ) |
                               (traced ? SCION_RECORDS_TRACED : 0) |
                               (container->front.stats ? SCION_RECORDS_COUNTED : 0) |
                               (scion_device_look() ? SCION_RECORDS_OF_DEVICES : 0);
}

void scion_container_use_device(struct scion_container *container)
{
    if (!container->uses_device)
        scion_device_hold();
    container->uses_device = 1;
}

static void take_head(struct scion_container *container, const struct scion_meta1 *head)
{
    container->head = *head;
    container->keyval = scion_meta1_keyval(head);
    container->nfiles = head->nfiles;
    container->front.stream.fill_chunks = container->keyval == SION_KEYVAL_INLINE;
}

int scion_container_new(const struct scion_view_operations *operations,
                        const struct scion_mode *mode, int writing, const struct scion_meta1 *head,
                        struct scion_container **container)
{
    struct scion_container *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("container");
    new->view = operations->view;
    new->operations = operations;
    new->writing = writing;
    scion_container_choose_records(new);
    new->posix = mode->posix;
    new->buffered = mode->buffered;
    new->sync = mode->sync;
    scion_container_want(new, mode);
    new->merge = mode->merge && !writing;
    new->compress = mode->compress;
    new->zip_plan = (struct scion_zip_plan){.level = scion_mode_level(mode),
                                            .threads = mode->compress_threads,
                                            .frame = (size_t)mode->compress_frame,
                                            .shuffle = (size_t)mode->shuffle};
    new->head = *head; /* the buffer depends on it */
    scion_stream_init(&new->front.stream, writing, buffer_size(new));
    take_head(new, head);
    *container = new;
    return 0;
}

int scion_container_set_name(struct scion_container *container, const char *name)
{
    container->name = strdup(name);
    return container->name ? 0 : scion_fail_memory("file name");
}

/* ---- the owner ---- */

void scion_container_own(struct scion_container *container, const struct scion_owner *owner,
                         void *data)
{
    container->owner = owner;
    container->owned = data;
}

void *scion_container_owned(const struct scion_container *container, enum scion_owner_layer layer)
{
    return container->owner && container->owner->layer == layer ? container->owned : NULL;
}

void *scion_container_disown(struct scion_container *container, enum scion_owner_layer layer)
{
    void *data = scion_container_owned(container, layer);

    if (data) {
        container->owner = NULL;
        container->owned = NULL;
    }
    return data;
}

int scion_container_learn(struct scion_container *container, const struct scion_meta1 *head,
                          sion_int64 globalskip, int maxchunks)
{
    int rc;

    take_head(container, head);
    container->ntasks = head->ntasks;
    container->maxchunks = maxchunks;
    container->front.stream.place.globalskip = globalskip;
    scion_commits_free(container); /* of an attempt that lacked memory */
    scion_zips_free(container);
    rc = scion_commits_make(container);
    if (rc == 0)
        rc = scion_zips_make(container);
    if (rc == 0) {
        scion_commits_enter(container, 0);
        scion_zips_enter(container, 0);
    }
    return rc == 0 ? scion_stream_set_buffer(&container->front.stream, buffer_size(container)) : rc;
}

/* ---- the end ---- */

/* Free what the container holds but for its stream. The first failure to close is reported. */
static int release(struct scion_container *container)
{
    int rc;

    if (container->ending.release)
        container->ending.release(container->ending.user);
    if (container->owner && container->owner->free)
        container->owner->free(container->owned);
    scion_commits_free(container);
    scion_zips_free(container);
    rc = container->operations->free(container);
    scion_indexes_free(&container->indexes);
    free(container->front.stats);
    if (container->uses_device)
        scion_device_release();
    scion_checksum_tap_free(container->sums);
    free(container->name);
    free(container);
    return rc;
}

void scion_container_free(struct scion_container *container)
{
    container->front.stream.lengths = NULL;
    scion_stream_close(&container->front.stream);
    release(container);
}

int scion_container_close(struct scion_container *container)
{
    int rc = scion_container_end_stream(container), other;

    scion_trace(SCION_TRACE_INTERNAL, "%s", container->name ? container->name : "");
    if (container->writing && container->operations->finish)
        rc = container->operations->finish(container, rc);
    other = release(container);
    return scion_first_failure(rc, other);
}
