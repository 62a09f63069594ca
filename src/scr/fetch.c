/* Extract every rank's files, as located by the map, and check a map against its files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/census.h"
#include "scr/dataset/layout.h"
#include "scr/map/map.h"
#include "scr/map/overlaps.h"
#include "scr/scr.h"
#include "vfs/folder_handle.h"

/* The state while the files of some ranks are visited. */
struct visit {
    const struct sion_scr_fetch_options *options;
    const char *out; /* fetch: the folder of the files */
    struct scion_names names;
    struct scion_source source;
    sion_int64 rank;
    const char *file;
    sion_int64 failed; /* files */
    struct scion_overlaps overlaps;
    size_t number;              /* of the next file */
    enum sion_scr_fault fault;  /* check: the kind of the fault if the next step fails */
    struct scion_census census; /* check */
};

static void tell(struct visit *visit, enum sion_scr_remark remark, const char *text)
{
    if (remark == SION_SCR_FAILED)
        visit->failed++;
    if (remark == SION_SCR_FAILED && visit->options->fault)
        visit->options->fault(visit->options->fault_user, visit->fault, visit->rank, visit->file,
                              text);
    else if (visit->options->tell)
        visit->options->tell(visit->options->user, remark, visit->rank, visit->file, text);
}

/* A file that fails is reported, and the visit goes on. Only lack of memory ends it. */
static int note_failure(struct visit *visit, int rc)
{
    if (rc == 0 || rc == SION_ERR_MEMORY)
        return rc;
    tell(visit, SION_SCR_FAILED, scion_error_text());
    return 0;
}

static int compare_crc(const struct visit *visit, const struct scion_entry *entry, uint32_t crc)
{
    return visit->options->no_crc ? 0 : scion_entry_compare(entry, crc);
}

/* ---- fetch ---- */

struct sink {
    struct scion_file *file;
    sion_int64 offset;
    int ends_in_hole;
};

static int give(void *data, const void *bytes, size_t size)
{
    struct sink *sink = data;
    int rc = bytes ? scion_file_write(sink->file, bytes, size, sink->offset, NULL) : 0;

    sink->ends_in_hole = !bytes;
    sink->offset += (sion_int64)size;
    return rc;
}

/* The permissions of the file in which its bytes begin. */
static int find_permissions(struct visit *visit, const struct scion_entry *entry,
                            mode_t *permissions)
{
    int rc;

    *permissions = 0666;
    if (entry->segments.count == 0)
        return 0;
    rc = scion_source_open(&visit->source, &entry->segments.list[0]);
    if (rc == 0)
        *permissions = visit->source.permissions | S_IRUSR;
    return rc;
}

/* Wait until the data are on the disk. */
static int copy_bytes(struct visit *visit, const struct scion_entry *entry, struct sink *sink)
{
    uint32_t crc;
    int rc = scion_source_read(&visit->source, &entry->segments, &crc, give, sink);

    if (rc == 0 && sink->ends_in_hole)
        rc = scion_file_truncate(sink->file, sink->offset);
    if (rc == 0)
        rc = compare_crc(visit, entry, crc);
    return rc == 0 ? scion_file_sync(sink->file) : rc;
}

static int copy_beside(struct visit *visit, const struct scion_entry *entry, const char *beside,
                       const char *path)
{
    struct sink sink = {NULL, 0, 0};
    mode_t permissions;
    int rc = find_permissions(visit, entry, &permissions), closed, errnum;

    if (rc == 0)
        rc = scion_file_open(beside, SCION_OPEN_NEW, permissions, &sink.file);
    if (rc != 0)
        return rc;
    rc = copy_bytes(visit, entry, &sink);
    closed = scion_file_close(sink.file);
    rc = scion_first_failure(rc, closed);
    errnum = rc == 0 ? scion_path_move_new(beside, path) : 0;
    if (errnum != 0)
        rc = scion_fail_errno(errnum, "cannot open %s for writing", path);
    if (rc != 0)
        scion_file_remove(beside);
    return rc;
}

static int copy_to(struct visit *visit, const struct scion_entry *entry, const char *path)
{
    char *beside;
    int rc;

    if (scion_path_is_taken(path))
        return scion_fail_errno(EEXIST, "cannot open %s for writing", path);
    beside = scion_path_beside(path);
    rc = beside ? copy_beside(visit, entry, beside, path) : scion_fail_memory("name of a file");
    free(beside);
    return rc;
}

/* Nothing can lead it out of the folder once that is held. */
static int copy_below(struct visit *visit, const struct scion_entry *entry)
{
    struct scion_folder_handle *held = scion_must_allocate(1, sizeof *held);
    char path[SCION_PATH];
    int rc = scion_hold_folder_of(visit->out, entry->name, held);

    if (rc == 0) {
        rc = scion_path(path, held->way, scion_basename(entry->name));
        if (rc == 0)
            rc = copy_to(visit, entry, path);
        if (rc == 0 && (rc = scion_folder_handle_sync(held)) != 0)
            scion_file_remove(path);
        scion_folder_handle_result(held, rc);
        scion_folder_handle_release(held);
    }
    free(held);
    return rc;
}

static int fetch_file(struct visit *visit, struct scion_entry *entry)
{
    char path[SCION_PATH];
    int rc = 0;

    if (entry->nofetch) {
        tell(visit, SION_SCR_SKIPPED, "not to be fetched");
        return 0;
    }
    if (entry->failed && !visit->options->force)
        return scion_fail(SION_ERR_DAMAGED, "marked as incomplete");
    rc = scion_check_name(entry->name, 0);
    if (rc == 0)
        rc = scion_entry_complete(&visit->source, entry);
    if (rc == 0)
        rc = scion_path(path, visit->out, entry->name);
    if (rc == 0)
        rc = copy_below(visit, entry);
    if (rc == 0)
        tell(visit, SION_SCR_DONE, path);
    return rc;
}

static int visit_fetched(void *data, sion_int64 rank, struct scion_entry *entry, int status)
{
    struct visit *visit = data;

    visit->rank = rank;
    visit->file = entry->name;
    if (status == 0)
        status = scion_overlaps_check(&visit->overlaps, visit->number);
    visit->number++;
    return note_failure(visit, status != 0 ? status : fetch_file(visit, entry));
}

static void begin_source(struct visit *visit, const struct scion_map_info *info)
{
    visit->names = scion_map_names(info, visit->options->map);
    scion_source_begin(&visit->source, info->base, visit->names.allow_outside);
}

/* whole_files: as in scion_overlaps_find. */
static int visit_all(struct visit *visit, const struct sion_scr_ranks *ranks, int whole_files,
                     scion_entry_visit *work)
{
    int rc = scion_overlaps_find(ranks, &visit->names, whole_files, &visit->overlaps);

    if (rc == 0)
        rc = scion_entries_visit(ranks, &visit->names, work, visit);
    scion_overlaps_free(&visit->overlaps);
    return rc;
}

static int sum_up(const struct visit *visit, int rc)
{
    if (rc == 0 && visit->failed > 0)
        rc = scion_fail(SION_ERR_DAMAGED, "%lld files could not be used", visit->failed);
    return rc;
}

int scion_scr_fetch(sion_scr_comm *comm, const char *folder, const char *out,
                    const struct sion_scr_fetch_options *options)
{
    struct visit *visit = scion_must_allocate(1, sizeof *visit);
    struct scion_map_info *info = scion_must_allocate(1, sizeof *info);
    struct sion_scr_ranks ranks = {0};
    int rc, status;

    visit->options = options;
    visit->out = out;
    rc = scion_map_read(comm, folder, visit->options->map, &ranks, info);
    if (rc == 0) {
        begin_source(visit, info);
        status = scion_make_folders(out);
        if (status == 0)
            status = visit_all(visit, &ranks, 0, visit_fetched);
        scion_source_end(&visit->source);
        rc = scion_agree(comm, scion_name_rank(comm, sum_up(visit, status)));
    }
    scion_ranks_clear(&ranks);
    free(info);
    free(visit);
    return rc;
}

/* ---- check ---- */

static int check_file(struct visit *visit, struct scion_entry *entry)
{
    sion_int64 size;
    uint32_t crc;
    int rc, i;

    visit->fault = SION_SCR_FAULT_INCOMPLETE;
    if (entry->failed && !visit->options->force)
        return scion_fail(SION_ERR_DAMAGED, "marked as incomplete");
    visit->fault = SION_SCR_FAULT_FILE;
    rc = scion_entry_complete(&visit->source, entry);
    for (i = 0; i < entry->segments.count && rc == 0; i++)
        rc = scion_source_open(&visit->source, &entry->segments.list[i]);
    if (rc == 0 && !entry->in_segments && entry->size > 0) {
        rc = scion_source_size(&visit->source, entry->name, &size);
        if (rc == 0)
            visit->fault = SION_SCR_FAULT_SIZE;
        if (rc == 0 && size != entry->size)
            rc = scion_fail(SION_ERR_DAMAGED, "it has %lld bytes, not %lld", size, entry->size);
    }
    if (rc == 0 && entry->has_crc && !visit->options->no_crc) {
        visit->fault = SION_SCR_FAULT_FILE;
        rc = scion_source_read(&visit->source, &entry->segments, &crc, NULL, NULL);
        if (rc == 0)
            visit->fault = SION_SCR_FAULT_CRC;
        if (rc == 0)
            rc = compare_crc(visit, entry, crc);
    }
    return rc;
}

static int visit_checked(void *data, sion_int64 rank, struct scion_entry *entry, int status)
{
    struct visit *visit = data;

    visit->rank = rank;
    visit->file = entry->name;
    visit->fault = SION_SCR_FAULT_ENTRY;
    if (status == 0)
        status = check_file(visit, entry);
    scion_census_count(&visit->census, rank, entry->size);
    if (status == 0)
        visit->fault = SION_SCR_FAULT_OVERLAP;
    if (status == 0)
        status = scion_overlaps_check(&visit->overlaps, visit->number);
    visit->number++;
    return note_failure(visit, status);
}

/* What is wrong with the map or the summary as a whole. */
static void tell_whole(void *data, enum sion_scr_fault fault, sion_int64 rank, const char *file,
                       const char *text)
{
    struct visit *visit = data;
    sion_int64 failed = visit->failed;

    visit->fault = fault;
    visit->rank = rank;
    visit->file = file;
    tell(visit, SION_SCR_FAILED, text);
    visit->failed = failed;
}

static int check_all(struct visit *visit, const char *folder, const struct sion_scr_ranks *ranks)
{
    int faults = 0, rc;

    visit->census.ranks = ranks;
    rc = visit_all(visit, ranks, 1, visit_checked);
    if (rc == 0)
        rc = scion_census_compare(&visit->census, folder, visit->options, tell_whole, visit,
                                  &faults);
    rc = sum_up(visit, rc);
    return rc != 0 || faults == 0 ? rc : scion_fail(SION_ERR_DAMAGED, "SCR would not accept it");
}

int scion_scr_check(const char *folder, const struct sion_scr_fetch_options *options)
{
    struct visit *visit = scion_must_allocate(1, sizeof *visit);
    struct scion_map_info *info = scion_must_allocate(1, sizeof *info);
    struct sion_scr_ranks ranks = {0};
    struct scion_comm *self = NULL;
    int rc = scion_comm_self(&self);

    visit->options = options;
    if (rc == 0)
        rc = scion_map_read(self, folder, visit->options->map, &ranks, info);
    if (rc == 0) {
        begin_source(visit, info);
        rc = check_all(visit, folder, &ranks);
        scion_source_end(&visit->source);
    }
    scion_ranks_clear(&ranks);
    scion_comm_free(self);
    free(info);
    free(visit);
    return rc;
}
