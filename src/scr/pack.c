/*
 * SCR's containers. All files are one stream of bytes, node by node, task by task; it is cut into
 * containers of one size, without any padding. Every task writes its own bytes.
 *
 * Over older containers, the new ones first have the numbers after theirs, and a map of their own.
 * When its root has replaced the old one, the new dataset is there, and the old containers are
 * removed. Then the new ones get numbers from 0 on, as one more name, and the map is written again;
 * at last the first names are removed. So whenever the program ends, the map that is there has all
 * its containers; the next packing removes what no map has.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/index.h"
#include "scr/dataset/record.h"
#include "scr/claim.h"
#include "scr/pack_run.h"
#include "scr/replaced.h"
#include "scr/scr.h"
#include "scr/tasks/nodes.h"
#include "vfs/writer_lock.h"

/* ---- before anything is written ---- */

static int look_at_file(struct scion_pack_run *packing, int i)
{
    struct scion_pack_item *item = &packing->items[i];
    struct scion_file *file;
    struct stat status;
    int rc;

    item->name = scion_basename(packing->paths[i]);
    rc = scion_check_name(item->name, 0);
    if (rc == 0 && i > 0 && packing->file_ranks[i] < packing->file_ranks[i - 1])
        rc = scion_fail(SION_ERR_ARGUMENT, "ranks must ascend");
    if (rc == 0)
        rc = scion_file_open(packing->paths[i], SCION_OPEN_READ, 0, &file);
    if (rc != 0)
        return rc;
    rc = scion_file_status(file, &status);
    scion_file_close(file);
    if (rc != 0)
        return rc;
    item->size = status.st_size;
    packing->decision.permissions &= status.st_mode;
    if (scion_add(packing->bytes, item->size, &packing->bytes))
        rc = scion_fail(SION_ERR_ARGUMENT, "total size exceeds 2^63-1 bytes");
    return rc;
}

static int look_at_files(struct scion_pack_run *packing)
{
    int rc = 0, i;

    if (packing->container_size <= 0)
        return scion_fail(SION_ERR_ARGUMENT, "a container size of %lld bytes",
                          packing->container_size);
    for (i = 0; i < packing->n && rc == 0; i++)
        rc = look_at_file(packing, i);
    return rc;
}

/* ---- the data ---- */

struct position {
    struct scion_pack_run *packing;
    struct scion_pack_item *item;
    sion_int64 offset; /* in the stream of all */
};

static int write_part(struct scion_pack_run *packing, sion_int64 number, const void *from,
                      size_t size, sion_int64 at)
{
    int rc = scion_pack_run_open(packing, number);

    return rc == 0 ? scion_file_write(packing->container, from, size, at, NULL) : rc;
}

/* Holes are left out: the container has its size from the beginning. */
static int put(void *data, const void *bytes, size_t size)
{
    struct position *position = data;
    struct scion_pack_run *packing = position->packing;
    const char *from = bytes;
    int rc = 0;

    while (size > 0 && rc == 0) {
        sion_int64 number = position->offset / packing->container_size;
        sion_int64 at = position->offset % packing->container_size;
        sion_int64 room = packing->container_size - at;
        size_t part = (sion_int64)size < room ? size : (size_t)room;

        if (bytes)
            rc = write_part(packing, number, from, part, at);
        if (rc == 0)
            rc = scion_segments_add(&position->item->segments,
                                    packing->names[number - packing->first_number], at,
                                    (sion_int64)part);
        position->offset += (sion_int64)part;
        from += bytes ? part : 0;
        size -= part;
    }
    return rc;
}

static int write_data(struct scion_pack_run *packing)
{
    struct position position = {packing, NULL, packing->offset};
    struct scion_source source;
    int rc = 0, closed, i;

    scion_source_begin(&source, ".", 1);
    for (i = 0; i < packing->n && rc == 0; i++) {
        struct scion_segment whole = {packing->paths[i], 0, packing->items[i].size};
        const struct scion_segments all = {&whole, whole.length > 0, 1, whole.length};

        position.item = &packing->items[i];
        rc = scion_source_read(&source, &all, &packing->items[i].crc, put, &position);
    }
    scion_source_end(&source);
    closed = scion_pack_run_close(packing, 1);
    return scion_first_failure(rc, closed);
}

/* ---- the map ---- */

static int put_item(const struct scion_pack_run *packing, const struct scion_pack_item *item,
                    sion_int64 rank, struct sion_kvtree *tree)
{
    char name[SCION_PATH];
    int rc =
        scion_path(name, packing->decision.names[0] ? packing->decision.names : NULL, item->name);

    if (rc != 0)
        return rc;
    if (sion_kvtree_get(sion_kvtree_get(tree, "FILE"), name))
        return scion_fail(SION_ERR_ARGUMENT, "rank %lld has two files of the name %s", rank,
                          item->name);
    return scion_entry_put(tree, name, item->size, &item->crc, &item->segments,
                           packing->decision.segments);
}

static int make_ranks(struct scion_pack_run *packing)
{
    int rc = 0, i = 0;

    scion_ranks_clear(&packing->ranks);
    while (i < packing->n && rc == 0) {
        struct sion_kvtree *tree = scion_kvtree_new();
        sion_int64 rank = packing->file_ranks[i];

        for (; i < packing->n && packing->file_ranks[i] == rank && rc == 0; i++)
            rc = put_item(packing, &packing->items[i], rank, tree);
        if (rc == 0)
            rc = scion_ranks_add(&packing->ranks, rank, tree);
        sion_kvtree_free(tree);
    }
    return rc;
}

/* In an index, a name is the path from the prefix to the folder. */
static int name_dataset(const struct scion_pack_run *packing, char *name)
{
    const struct sion_scr_place own = {
        .layout = SION_SCR_LAYOUT_DATASET, .base = packing->folder, .id = packing->place.id};

    return packing->prefix ? scion_relative(packing->prefix, packing->folder, name)
                           : scion_dataset_name(&own, name, SCION_PATH);
}

static int note_dataset(const struct scion_pack_run *packing, struct sion_scr_dataset *dataset)
{
    char name[SCION_PATH];
    int rc = name_dataset(packing, name);

    dataset->name = name;
    dataset->layout = packing->place.layout;
    if (rc == 0)
        rc = scion_scr_summary_write(&packing->place, dataset);
    if (rc == 0 && packing->prefix)
        rc = scion_scr_index_write(packing->prefix, dataset);
    if (rc == 0 && packing->prefix)
        rc = scion_scr_flush_write(packing->prefix, dataset, 0);
    return rc;
}

/* Collective: of what is known when there is a map. */
static int describe(struct scion_pack_run *packing)
{
    struct scion_comm *comm = packing->comm;
    struct sion_scr_dataset dataset;
    int rc, status;

    scion_scr_dataset_init(&dataset, packing->place.id, "");
    dataset.files = packing->n;
    dataset.bytes = packing->bytes;
    rc = scion_dataset_count(comm, &dataset);
    status = rc == 0 && comm->rank == 0 ? note_dataset(packing, &dataset) : 0;
    return rc != 0 ? rc : scion_agree(comm, scion_name_rank(comm, status));
}

/* ---- in place of the old dataset ---- */

/* On rank 0: the old containers, after their map. */
static int remove_old(const struct scion_pack_run *packing)
{
    const struct sion_scr_place own = {
        .layout = SION_SCR_LAYOUT_DATASET, .base = packing->folder, .id = packing->place.id};
    sion_int64 first = packing->decision.first;
    char folder[SCION_PATH];
    int rc = scion_layout_folder(&own, folder);

    if (rc == 0 && packing->place.layout != SION_SCR_LAYOUT_DATASET)
        rc = scion_layout_clear(&own);
    return rc == 0 ? scion_replaced_remove_containers(
                         folder, first, first + packing->total / packing->container_size)
                   : rc;
}

/* On rank 0: of containers, before a map refers to them. */
static int sync_names(const struct scion_pack_run *packing)
{
    char path[SCION_PATH];
    int rc = scion_path(path, packing->folder, ".scr/ctr.0.scr");

    return rc == 0 ? scion_sync_folder_of(path) : rc;
}

/* Collective: the map of the containers as they are named now. */
static int write_map(struct scion_pack_run *packing, const struct sion_scr_pack_options *options,
                     int is_last)
{
    struct scion_comm *comm = packing->comm;
    int status = make_ranks(packing), rc;

    if (status == 0)
        status = scion_pack_run_each(packing, scion_pack_run_check);
    if (status == 0 && comm->rank == 0)
        status = sync_names(packing);
    rc = scion_agree(comm, scion_name_rank(comm, status));
    return rc == 0
               ? scion_map_write_first(comm, &packing->place, &packing->ranks, options->map,
                                       (mode_t)packing->decision.permissions | S_IRUSR | S_IWUSR,
                                       is_last, &packing->is_mapped)
               : rc;
}

/*
 * Collective: numbers from 0 on. On file systems without hard links, the containers keep the
 * numbers that they have.
 */
static int renumber(struct scion_pack_run *packing, const struct sion_scr_pack_options *options)
{
    struct scion_comm *comm = packing->comm;
    int rc;

    scion_pack_run_number(packing, 0);
    packing->is_mapped = 0;
    packing->made = 0;
    rc = scion_agree(comm, scion_pack_run_each(packing, scion_pack_run_link));
    if (rc == SION_ERR_COMM)
        return rc;
    if (rc != 0) {
        scion_pack_run_each(packing, scion_pack_run_remove);
        packing->is_mapped = 1;
        scion_pack_run_number(packing, packing->decision.first);
        return scion_agree(
            comm, scion_name_rank(comm, scion_pack_run_each(packing, scion_pack_run_check)));
    }
    rc = write_map(packing, options, 1);
    return packing->is_mapped && rc == 0
               ? scion_agree(comm, scion_name_rank(comm, scion_pack_run_each(
                                                             packing, scion_pack_run_unlink_first)))
               : rc;
}

/* Collective: when this returns an error, is_mapped says which containers must stay. */
static int replace_old(struct scion_pack_run *packing, const struct sion_scr_pack_options *options)
{
    struct scion_comm *comm = packing->comm;
    int rc = write_map(packing, options, packing->decision.first == 0);

    if (rc == 0)
        rc = scion_agree(comm, scion_name_rank(comm, comm->rank == 0 ? remove_old(packing) : 0));
    if (rc == 0)
        rc = describe(packing);
    return rc == 0 && packing->decision.first > 0 ? renumber(packing, options) : rc;
}

/* ---- all of it ---- */

/*
 * The map is written where the release of SCR that wrote the index looks for it. Releases before 3
 * can read these containers; 3 reads files only.
 */
static int choose_layout(struct scion_pack_run *packing)
{
    struct scion_pack_decision *decision = &packing->decision;
    struct scion_index index;
    int rc = scion_index_read(packing->prefix, &index);

    if (rc == 0)
        decision->layout = scion_index_form(&index, SION_SCR_LAYOUT_DATASET);
    if (rc == 0 && decision->layout == SION_SCR_LAYOUT_3)
        rc = scion_fail(SION_ERR_MODE,
                        "%s is of SCR 3, which reads no containers of SCR: it needs the files "
                        "themselves, or a SION container",
                        index.path);
    scion_index_free(&index);
    if (rc != 0 || decision->layout == SION_SCR_LAYOUT_DATASET)
        return rc;
    rc = scion_relative(packing->prefix, packing->folder, decision->names);
    snprintf(decision->segments, sizeof decision->segments, "../../%s/", decision->names);
    return rc;
}

/* Choose the number if it was not said; it is an error if the dataset is another one of the prefix,
   or the index cannot take it. */
static int claim(struct scion_pack_run *packing)
{
    struct scion_claim *claim = scion_must_allocate(1, sizeof *claim);
    struct sion_scr_dataset dataset;
    char name[SCION_PATH], data[SCION_PATH + 16];
    int rc = name_dataset(packing, name);

    snprintf(data, sizeof data, "%s/.scr/ctr.", name);
    claim->layout = (enum sion_scr_layout)packing->decision.layout;
    claim->prefix = packing->prefix;
    claim->id = packing->place.id;
    claim->folder = name;
    claim->data = data;
    claim->is_indexed = 1;
    strcpy(claim->name, rc == 0 ? name : "");
    if (rc == 0)
        rc = scion_claim(claim);
    packing->place.id = claim->id;
    scion_scr_dataset_init(&dataset, claim->id, name);
    dataset.layout = claim->layout;
    free(claim);
    return rc == 0 ? scion_index_try(packing->prefix, &dataset) : rc;
}

/* How many of the folders up to this one are missing. */
static int count_missing(const char *folder)
{
    char path[SCION_PATH];
    int n = 0;

    snprintf(path, sizeof path, "%s", folder);
    while (!scion_path_is_taken(path) && strchr(path, '/')) {
        n++;
        scion_path_up(path);
    }
    return n + !scion_path_is_taken(path);
}

/* A pack that has failed leaves no folders that it has made. */
static void remove_made(const struct scion_pack_run *packing)
{
    char path[SCION_PATH];
    int n, rc = scion_path(path, packing->folder, ".scr");

    for (n = 0; rc == 0 && n < packing->missing; n++) {
        scion_remove_folder(path);
        scion_path_up(path);
    }
}

/* On rank 0, before anything is written. */
static int decide(struct scion_pack_run *packing)
{
    char folder[SCION_PATH];
    int rc = *packing->folder ? scion_path(folder, packing->folder, ".scr")
                              : scion_fail(SION_ERR_ARGUMENT, "an empty name of a folder");

    packing->decision.layout = SION_SCR_LAYOUT_DATASET;
    if (rc == 0 && packing->prefix)
        rc = choose_layout(packing);
    if (rc == 0 && packing->prefix)
        rc = claim(packing);
    packing->decision.id = packing->place.id > 0 ? packing->place.id : 1;
    if (rc == 0) {
        packing->missing = count_missing(folder);
        rc = scion_make_folders(folder);
    }
    if (rc == 0)
        rc = scion_writer_lock_take_folder(folder, SCION_PACK_LOCK, &packing->lock);
    if (rc == 0)
        rc = scion_replaced_find(folder, &packing->replaced);
    return rc == 0 ? scion_replaced_next_container(folder, &packing->decision.first) : rc;
}

static int check_inputs(const struct scion_pack_run *packing)
{
    int rc = 0, i;

    for (i = 0; i < packing->n && rc == 0; i++)
        rc = scion_replaced_check(&packing->replaced, packing->paths[i]);
    return rc;
}

/* Collective: on rank 0, what all files of all tasks have. */
static int gather_permissions(struct scion_pack_run *packing)
{
    struct scion_comm *comm = packing->comm;
    sion_int64 mine = packing->decision.permissions, *all = NULL;
    int rc, t;

    if (comm->rank == 0)
        all = scion_must_allocate((size_t)comm->size, sizeof *all);
    rc = scion_gather(comm, &mine, all, sizeof mine, 0);
    for (t = 0; rc == 0 && comm->rank == 0 && t < comm->size; t++)
        packing->decision.permissions &= all[t];
    free(all);
    return rc;
}

/* Collective: the layout, and no input among what is to be replaced. */
static int agree_on_place(struct scion_pack_run *packing)
{
    struct scion_comm *comm = packing->comm;
    int rc = gather_permissions(packing), status = 0;

    if (rc == 0 && comm->rank == 0)
        status = decide(packing);
    if (rc == 0)
        rc = scion_agree(comm, scion_name_rank(comm, status));
    if (rc == 0)
        rc = scion_bcast(comm, &packing->decision, sizeof packing->decision, 0);
    if (rc == 0)
        rc = scion_words_bcast(comm, &packing->replaced);
    if (rc != 0)
        return rc;
    packing->place.layout = (enum sion_scr_layout)packing->decision.layout;
    packing->place.id = (int)packing->decision.id;
    if (packing->place.layout != SION_SCR_LAYOUT_DATASET)
        packing->place.base = packing->prefix;
    return scion_agree(comm, scion_name_rank(comm, check_inputs(packing)));
}

/* Collective: make new containers, before any task writes. */
static int make_containers(struct scion_pack_run *packing)
{
    struct scion_comm *comm = packing->comm;
    struct scion_nodes nodes;
    int rc = scion_nodes_make(comm, &nodes);

    if (rc == 0)
        rc = scion_nodes_offset(&nodes, packing->bytes, &packing->offset, &packing->total);
    scion_nodes_free(&nodes);
    if (rc == 0)
        rc = scion_pack_run_name(packing);
    if (rc == 0)
        rc = scion_pack_run_each(packing, scion_pack_run_create);
    return scion_agree(comm, scion_name_rank(comm, rc));
}

static int pack(struct scion_pack_run *packing, const struct sion_scr_pack_options *options)
{
    struct scion_comm *comm = packing->comm;
    int rc = scion_agree(comm, scion_name_rank(comm, look_at_files(packing)));

    if (rc == 0)
        rc = agree_on_place(packing);
    if (rc == 0)
        rc = make_containers(packing);
    if (rc == 0) {
        rc = write_data(packing);
        rc = scion_agree(comm, scion_name_rank(comm, rc));
    }
    return rc == 0 ? replace_old(packing, options) : rc;
}

/* Collective, after a failure, which all tasks have: the old dataset stays, as it was. */
static void undo(struct scion_pack_run *packing)
{
    sion_int64 all_have_removed = 0;

    if (packing->names)
        scion_pack_run_each(packing, scion_pack_run_remove);
    scion_minimum(packing->comm, &all_have_removed, NULL, 0);
}

int scion_scr_pack(sion_scr_comm *comm, const char *folder, int n, const sion_int64 *ranks,
                   const char *const *paths, sion_int64 bytes,
                   const struct sion_scr_pack_options *options)
{
    struct scion_pack_run packing = {
        .comm = comm,
        .folder = folder,
        .prefix = options->prefix,
        .place = {.layout = SION_SCR_LAYOUT_DATASET,
                  .base = folder,
                  .id = options->id > 0 ? options->id : 0},
        .decision = {.permissions = 0666},
        .container_size = bytes,
        .file_ranks = ranks,
        .paths = paths,
        .n = n,
    };
    int rc, i;

    packing.items = scion_must_allocate((size_t)n + 1, sizeof *packing.items);
    rc = pack(&packing, options);
    if (rc != 0 && !packing.is_mapped)
        undo(&packing);
    scion_writer_lock_release_folder(packing.lock, rc != 0);
    if (rc != 0 && !packing.is_mapped)
        remove_made(&packing);
    for (i = 0; i < n; i++)
        scion_segments_free(&packing.items[i].segments);
    free(packing.items);
    free(packing.names);
    free(packing.replaced.words);
    scion_ranks_clear(&packing.ranks);
    return rc;
}
