/*
 * SCR's containers. All files are one stream of bytes, node by node, task by task; it is cut into
 * containers of one size, without any padding. Every task writes its own bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/dataset.h"
#include "scr/entry.h"
#include "scr/index.h"
#include "scr/nodes.h"
#include "scr/place.h"
#include "scr/tree.h"

/* A file of this task. */
struct item {
    const char *name;
    sion_int64 size;
    uint32_t crc;
    struct scion_segments segments; /* files: the names of containers, freed with the packing */
};

struct packing {
    struct scion_comm *comm;
    struct sion_scr_place place;
    sion_int64 container_size;
    const struct sion_scr_file *files;
    struct item *items; /* [n] */
    int n;
    sion_int64 bytes, offset, total; /* of this task; where they begin; of all */

    struct scion_file *container; /* the one that is written */
    sion_int64 number;            /* its number */
    char (*names)[32];            /* of the containers that this task writes to */
    sion_int64 first_number;      /* of the first of them */
    int is_mapped;                /* there is a map of them */
};

/* ---- before anything is written ---- */

static int look_at_file(struct packing *packing, int i)
{
    struct item *item = &packing->items[i];
    struct scion_file *file;
    int rc;

    item->name = scion_basename(packing->files[i].path);
    rc = scion_check_name(item->name, 0);
    if (rc == 0 && i > 0 && packing->files[i].rank < packing->files[i - 1].rank)
        rc = scion_fail(SION_ERR_ARGUMENT, "ranks must ascend");
    if (rc == 0)
        rc = scion_file_open(packing->files[i].path, SCION_OPEN_READ, 0, &file);
    if (rc != 0)
        return rc;
    rc = scion_file_size(file, &item->size);
    scion_file_close(file);
    if (rc == 0 && scion_add(packing->bytes, item->size, &packing->bytes))
        rc = scion_fail(SION_ERR_ARGUMENT, "more bytes than can be counted");
    return rc;
}

static int look_at_files(struct packing *packing)
{
    int rc = 0, i;

    if (packing->container_size <= 0)
        return scion_fail(SION_ERR_ARGUMENT, "a container size of %lld bytes",
                          packing->container_size);
    for (i = 0; i < packing->n && rc == 0; i++)
        rc = look_at_file(packing, i);
    return rc;
}

static int name_containers(struct packing *packing)
{
    sion_int64 last = (packing->offset + packing->bytes) / packing->container_size, number;

    packing->first_number = packing->offset / packing->container_size;
    packing->names = calloc((size_t)(last - packing->first_number + 1), sizeof *packing->names);
    if (!packing->names)
        return scion_fail_memory("names of containers");
    for (number = packing->first_number; number <= last; number++)
        snprintf(packing->names[number - packing->first_number], sizeof *packing->names,
                 ".scr/ctr.%lld.scr", number);
    return 0;
}

static int path_of(const struct packing *packing, sion_int64 number, char *path)
{
    return scion_path(path, packing->place.base, packing->names[number - packing->first_number]);
}

/* What was written is on the disk before the map says that it is there. */
static int close_container(struct packing *packing, int is_written)
{
    int rc = packing->container && is_written ? scion_file_sync(packing->container) : 0;
    int closed = scion_file_close(packing->container);

    packing->container = NULL;
    return rc != 0 ? rc : closed;
}

static int open_container(struct packing *packing, sion_int64 number)
{
    char path[SCION_PATH];
    int rc;

    if (packing->container && packing->number == number)
        return 0;
    rc = close_container(packing, 1);
    packing->number = number;
    if (rc == 0)
        rc = path_of(packing, number, path);
    return rc != 0 ? rc : scion_file_open(path, SCION_OPEN_WRITE, 0666, &packing->container);
}

static int create_container(struct packing *packing, const char *path)
{
    int rc = scion_file_open(path, SCION_OPEN_CREATE, 0666, &packing->container), closed;

    if (rc != 0)
        return rc;
    rc = scion_file_truncate(packing->container, 0);
    closed = close_container(packing, 0);
    return rc != 0 ? rc : closed;
}

static int remove_container(struct packing *packing, const char *path)
{
    (void)packing;
    scion_file_remove(path);
    return 0;
}

/* Those that are this task's to make: it has their first byte. */
static int each_own_container(struct packing *packing,
                              int (*work)(struct packing *packing, const char *path))
{
    sion_int64 size = packing->container_size, end = packing->offset + packing->bytes;
    sion_int64 number = packing->offset / size + (packing->offset % size != 0);
    int rc = 0;

    for (; packing->bytes > 0 && number <= (end - 1) / size && rc == 0; number++) {
        char path[SCION_PATH];

        rc = path_of(packing, number, path);
        if (rc == 0)
            rc = work(packing, path);
    }
    return rc;
}

/* ---- the data ---- */

struct position {
    struct packing *packing;
    struct item *item;
    sion_int64 offset; /* in the stream of all */
};

static int put(void *data, const void *bytes, size_t size)
{
    struct position *position = data;
    struct packing *packing = position->packing;
    const char *from = bytes;
    int rc = 0;

    while (size > 0 && rc == 0) {
        sion_int64 number = position->offset / packing->container_size;
        sion_int64 at = position->offset % packing->container_size;
        sion_int64 room = packing->container_size - at;
        size_t part = (sion_int64)size < room ? size : (size_t)room;

        rc = open_container(packing, number);
        if (rc == 0)
            rc = scion_file_write(packing->container, from, part, at, NULL);
        if (rc == 0)
            rc = scion_segments_add(&position->item->segments,
                                    packing->names[number - packing->first_number], at,
                                    (sion_int64)part);
        position->offset += (sion_int64)part;
        from += part;
        size -= part;
    }
    return rc;
}

static int write_data(struct packing *packing)
{
    struct position position = {packing, NULL, packing->offset};
    struct scion_source source;
    int rc = 0, closed, i;

    scion_source_begin(&source, ".", 1);
    for (i = 0; i < packing->n && rc == 0; i++) {
        struct scion_segment whole = {packing->files[i].path, 0, packing->items[i].size};
        const struct scion_segments all = {&whole, whole.length > 0, 1, whole.length};

        position.item = &packing->items[i];
        rc = scion_source_read(&source, &all, &packing->items[i].crc, put, &position);
    }
    scion_source_end(&source);
    closed = close_container(packing, 1);
    return rc != 0 ? rc : closed;
}

/* ---- the map ---- */

static int make_ranks(const struct packing *packing, struct sion_scr_ranks *ranks)
{
    int rc = 0, i = 0;

    while (i < packing->n && rc == 0) {
        struct sion_kvtree *tree = sion_kvtree_new();
        sion_int64 rank = packing->files[i].rank;

        for (; i < packing->n && packing->files[i].rank == rank && rc == 0; i++) {
            const struct item *item = &packing->items[i];

            if (sion_kvtree_get(sion_kvtree_get(tree, "FILE"), item->name))
                rc = scion_fail(SION_ERR_ARGUMENT, "rank %lld has two files of the name %s", rank,
                                item->name);
            else
                rc = scion_entry_put(tree, item->name, item->size, &item->crc, &item->segments, "");
        }
        if (rc == 0)
            rc = sion_scr_ranks_add(ranks, rank, tree);
        sion_kvtree_free(tree);
    }
    return rc;
}

/* In an index a name is the way from the prefix to the folder. */
static int name_dataset(const struct packing *packing, const char *prefix, char *name)
{
    return prefix ? scion_relative(prefix, packing->place.base, name)
                  : scion_dataset_name(&packing->place, name, SCION_PATH);
}

static int note_dataset(const struct packing *packing, struct sion_scr_dataset *dataset,
                        const char *prefix)
{
    char name[SCION_PATH];
    int rc = name_dataset(packing, prefix, name);

    dataset->name = name;
    if (rc == 0)
        rc = sion_scr_summary_write(&packing->place, dataset);
    if (rc == 0 && prefix)
        rc = sion_scr_index_write(prefix, dataset);
    if (rc == 0 && prefix)
        rc = sion_scr_flush_write(prefix, dataset, 0);
    return rc;
}

static int write_map(struct packing *packing, int status,
                     const struct sion_scr_pack_options *options)
{
    struct scion_comm *comm = packing->comm;
    struct sion_scr_ranks ranks = {0};
    struct sion_scr_dataset dataset;
    int rc;

    if (status == 0)
        status = make_ranks(packing, &ranks);
    rc = scion_map_write(comm, status, &packing->place, &ranks, options ? &options->map : NULL);
    scion_ranks_clear(&ranks);
    if (rc != 0)
        return rc;
    packing->is_mapped = 1;
    sion_scr_dataset_init(&dataset, packing->place.id, "");
    dataset.files = packing->n;
    dataset.size = packing->bytes;
    rc = scion_dataset_count(comm, &dataset);
    status = rc == 0 && comm->rank == 0
                 ? note_dataset(packing, &dataset, options ? options->prefix : NULL)
                 : 0;
    return rc != 0 ? rc : scion_agree(comm, scion_name_rank(comm, status));
}

/* ---- all of it ---- */

/* On rank 0, before the folder's old map goes: an index that cannot take the dataset ends it all.
 */
static int prepare_place(const struct packing *packing, const char *prefix)
{
    struct sion_scr_dataset dataset;
    char name[SCION_PATH];
    int rc = scion_make_folders(packing->place.base);

    if (rc == 0 && prefix) {
        rc = name_dataset(packing, prefix, name);
        sion_scr_dataset_init(&dataset, packing->place.id, name);
        if (rc == 0)
            rc = scion_index_try(prefix, &dataset);
    }
    return rc == 0 ? scion_place_prepare(&packing->place) : rc;
}

/* Folder and containers, made before any task writes. A map of old ones goes before they do. */
static int prepare(struct packing *packing, const char *prefix)
{
    struct scion_comm *comm = packing->comm;
    struct scion_nodes nodes;
    int rc = scion_agree(comm, scion_name_rank(comm, look_at_files(packing)));

    if (rc != 0)
        return rc;
    if (comm->rank == 0)
        rc = scion_name_rank(comm, prepare_place(packing, prefix));
    rc = scion_agree(comm, rc);
    if (rc != 0)
        return rc;
    rc = scion_nodes_make(comm, &nodes);
    if (rc == 0)
        rc = scion_nodes_offset(&nodes, packing->bytes, &packing->offset, &packing->total);
    scion_nodes_free(&nodes);
    if (rc == 0)
        rc = name_containers(packing);
    if (rc == 0)
        rc = each_own_container(packing, create_container);
    return scion_agree(comm, scion_name_rank(comm, rc));
}

int sion_scr_pack(sion_scr_comm *comm, const char *folder, sion_int64 size,
                  const struct sion_scr_file *files, int n,
                  const struct sion_scr_pack_options *options)
{
    struct packing packing = {
        .comm = comm,
        .place = {SION_SCR_LAYOUT_DATASET, folder, options && options->id > 0 ? options->id : 1},
        .container_size = size,
        .files = files,
        .n = n,
    };
    int rc, i;

    packing.items = scion_must_allocate((size_t)n + 1, sizeof *packing.items);
    rc = prepare(&packing, options ? options->prefix : NULL);
    if (rc == 0)
        rc = write_map(&packing, write_data(&packing), options);
    if (packing.names && !packing.is_mapped)
        each_own_container(&packing, remove_container);
    for (i = 0; i < n; i++)
        scion_segments_free(&packing.items[i].segments);
    free(packing.items);
    free(packing.names);
    return rc;
}
