/*
 * The map of a container that is being written: a tap on the stream makes the CRC, a hook writes
 * the map at the close. On every task: one tree; the rest is tree_write.c.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sion_common.h"

#include "api/parts.h"
#include "base/error.h"
#include "scr/dataset.h"
#include "scr/entry.h"
#include "scr/export.h"
#include "scr/tree.h"

struct attached {
    struct scion_exporting export;
    char file[SCION_PATH]; /* this task's physical file, relative to the base */

    /* What the tap has seen: an unbroken run of bytes from 0 to `seen`, as long as it is intact. */
    sion_int64 seen;
    uint32_t crc;
    int intact, blind;
};

static void see(void *user, sion_int64 offset, const void *bytes, size_t size)
{
    struct attached *attached = user;

    if (offset == SCION_TAP_BLIND) {
        attached->blind = 1;
        return;
    }
    if (offset == 0) {
        attached->seen = 0;
        attached->crc = (uint32_t)crc32_z(0, NULL, 0);
        attached->intact = 1;
    }
    if (offset != attached->seen) {
        attached->intact = 0;
        return;
    }
    attached->crc = (uint32_t)crc32_z(attached->crc, bytes, size);
    attached->seen += (sion_int64)size;
}

/* The CRC of what is in the file: what the tap has seen, unless it has not seen all. */
static int find_crc(const struct attached *attached, const struct scion_segments *segments,
                    uint32_t *crc)
{
    struct scion_source source;
    int rc;

    *crc = attached->crc;
    if (attached->intact && !attached->blind && attached->seen == segments->bytes)
        return 0;
    scion_source_begin(&source, attached->export.base, 1);
    rc = scion_source_read(&source, segments, crc, NULL, NULL);
    scion_source_end(&source);
    return rc;
}

static int make_tree(const struct attached *attached, const struct scion_closed_task *closing,
                     struct sion_kvtree *tree, sion_int64 *bytes)
{
    struct scion_segments segments = {0};
    char name[SCION_PATH];
    uint32_t crc;
    const struct scion_lengths *lengths = closing->lengths;
    int rc = scion_segments_add_chunks(&segments, attached->file, &closing->place, lengths->used,
                                       lengths->stride, lengths->count);

    if (rc == 0)
        rc = scion_export_name(&attached->export, closing->rank, name);
    if (rc == 0 && attached->export.crc)
        rc = find_crc(attached, &segments, &crc);
    *bytes = segments.bytes;
    if (rc == 0)
        rc = scion_entry_put(tree, name, segments.bytes, attached->export.crc ? &crc : NULL,
                             &segments);
    scion_segments_free(&segments);
    return rc;
}

static int write_map(const struct attached *attached, struct scion_comm *comm,
                     const struct scion_closed_task *closing)
{
    struct sion_kvtree *tree = sion_kvtree_new();
    struct sion_scr_ranks ranks = {0};
    sion_int64 bytes = 0;
    int rc = closing->status;

    if (rc == 0)
        rc = make_tree(attached, closing, tree, &bytes);
    if (rc == 0)
        rc = sion_scr_ranks_add(&ranks, closing->rank, tree);
    sion_kvtree_free(tree);
    rc = scion_map_write(comm, rc, &attached->export.place, &ranks, &attached->export.map);
    if (rc == 0)
        rc = scion_summary_write(comm, &attached->export.place, 1, bytes);
    scion_ranks_clear(&ranks);
    return rc;
}

/* Messages between two tasks need a communicator that the application does not use. */
static int close_attached(void *user, const struct scion_closed_task *closing)
{
    struct scion_comm *comm = closing->comm, *own = NULL;
    int rc = 0;

    if (comm->ops->exchange)
        rc = scion_split(comm, 0, comm->rank, &own);
    if (rc == 0)
        rc = write_map(user, own ? own : comm, closing);
    scion_comm_free(own);
    return closing->status != 0 ? closing->status : rc;
}

/* From the name of a file of a set to that of the container. */
static void strip_number(int sid, char *name)
{
    char suffix[16];
    size_t length = strlen(name), cut;
    int number = sion_get_filenumber(sid);

    snprintf(suffix, sizeof suffix, ".%06d", number);
    cut = strlen(suffix);
    if (number > 0 && length > cut && strcmp(name + length - cut, suffix) == 0)
        name[length - cut] = '\0';
}

int sion_scr_attach(int sid, const struct sion_scr_export_options *options)
{
    struct attached *attached = calloc(1, sizeof *attached);
    const struct scion_tap tap = {see, attached};
    const struct scion_hook hook = {close_attached, free, attached};
    const char *path = sion_layer_path(sid);
    int rc;

    if (!attached)
        return scion_fail_memory("map of a container");
    rc = path ? scion_export_begin(path, options, &attached->export) : 0;
    if (rc == 0 && path) {
        attached->crc = (uint32_t)crc32_z(0, NULL, 0);
        attached->intact = 1;
        strcpy(attached->file, attached->export.container);
        strip_number(sid, attached->export.container);
    }
    if (rc == 0)
        rc = sion_layer_attach(sid, &tap, &hook);
    if (rc != 0)
        free(attached);
    return rc;
}
