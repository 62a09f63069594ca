/* The files of a set: their names, their metadata, and the header that all tasks get. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/generations.h"
#include "parallel/files.h"
#include "parallel/opening.h"
#include "parallel/staging.h"

char *scion_member_name(char *(*name_of_file)(const char *name, int number), const char *base,
                        int number)
{
    char *name;

    if (!name_of_file || number == 0)
        return scion_physical_name(base, number);
    name = name_of_file(base, number);
    if (!name)
        scion_fail(SION_ERR_ARGUMENT, "the application gives no name for file %d of %s", number,
                   base);
    return name;
}

char *scion_own_name(const struct scion_opening *opening, const char *base)
{
    return scion_member_name(opening->args->name_of_file, base, opening->file);
}

int scion_read_own_file(struct scion_opening *opening)
{
    char *path = scion_own_name(opening, opening->args->name);
    int rc;

    if (!path)
        return scion_error_code();
    if (opening->physical)
        scion_physical_close(opening->physical);
    opening->physical = NULL;
    rc = opening->appends ? scion_physical_read_locked(path, &opening->physical)
                          : scion_physical_read(path, &opening->physical);
    free(path);
    return rc;
}

int scion_name_beside(const struct scion_creation *creation, const char *path, int number,
                      char **beside)
{
    *beside = creation->staging ? scion_stage_data(creation->staging->record, number)
              : creation->is_atomic
                  ? scion_physical_beside(creation->name, path, creation->flag2, number)
                  : NULL;
    return creation->is_atomic && !*beside ? SION_ERR_MEMORY : 0;
}

int scion_create_member(const struct scion_creation *creation, int number,
                        struct scion_physical_plan *plan, struct scion_physical **physical)
{
    char *path = scion_member_name(creation->name_of_file, creation->name, number), *beside = NULL;
    struct scion_staging *staging = creation->staging;
    char *new = NULL;
    int fsblksize = plan->head.fsblksize, ntasks = plan->head.ntasks, keyval;
    int rc = path ? scion_mode_keyval_for_writing(creation->mode, &keyval) : scion_error_code();

    if (rc == 0) {
        scion_meta1_init(&plan->head, keyval, creation->mode->big_endian);
        plan->head.flag2 = creation->flag2;
        plan->head.fsblksize = fsblksize;
        plan->head.ntasks = ntasks;
        plan->head.nfiles = creation->nfiles;
        plan->head.filenumber = number;
        strcpy(plan->head.prefix, creation->name);
        plan->permissions = scion_permissions(creation->mode);
        plan->is_durable =
            (creation->is_atomic && !staging) || creation->mode->sync != SCION_SYNC_NONE;
        plan->is_flushed = scion_mode_syncs_flush(creation->mode);
        plan->final = creation->is_atomic ? path : NULL;
        plan->is_derived = number > 0 && !creation->name_of_file;
        plan->is_locked = number == 0 && !creation->mode->unlocked;
        plan->is_staged = staging != NULL;
        if (staging)
            rc = scion_staging_make_new(staging, number, plan->permissions, &new);
        plan->beside = new;
    }
    if (rc == 0) {
        rc = scion_name_beside(creation, path, number, &beside);
    }
    if (rc == 0)
        rc = scion_physical_create(beside ? beside : path, plan, physical);
    free(new);
    free(beside);
    free(path);
    return rc;
}

int scion_need_member(struct scion_physical **files, int number, const char *name,
                      char *(*name_of_file)(const char *name, int number), int is_own)
{
    char *path;
    int rc;

    if (files[number])
        return 0;
    path = scion_member_name(name_of_file, name, number);
    if (!path)
        return scion_error_code();
    rc = is_own ? scion_physical_read_locked(path, &files[number])
                : scion_physical_read(path, &files[number]);
    free(path);
    if (rc == 0)
        rc = scion_physical_go_back(files[number], files[0]->state.generation);
    if (rc == 0)
        rc = scion_generations_show(files[number], files[0]->view_number);
    if (rc == 0)
        rc = scion_physical_suspend(files[number]);
    return rc != 0 ? rc : scion_physical_check_member(files[number], &files[0]->head, number);
}

int scion_mapping_make(struct scion_mapping *mapping, int size)
{
    free(mapping->pairs);
    mapping->size = size;
    mapping->pairs = calloc((size_t)size, 2 * sizeof *mapping->pairs);
    return mapping->pairs ? 0 : scion_fail_memory("mapping");
}

int scion_gather_mapping(struct scion_comm *comm, int root, int file, int lrank,
                         struct scion_mapping *mapping)
{
    const int pair[2] = {file, lrank};
    sion_int64 mine;

    memcpy(&mine, pair, sizeof mine);
    return scion_gather(comm, &mine, comm->rank == root ? mapping->pairs : NULL, sizeof mine, root);
}

void scion_files_free(struct scion_physical **files, int nfiles, int remove)
{
    int i;

    for (i = 0; files && i < nfiles; i++) {
        if (files[i] && remove)
            scion_file_remove(files[i]->path);
        scion_physical_close(files[i]);
    }
    free(files);
}

void scion_describe_file(const struct scion_physical *physical, struct scion_facts *facts)
{
    const struct scion_meta1 *head = &physical->head;

    facts->fsblksize = head->fsblksize;
    facts->ntasks = head->ntasks;
    facts->version = head->version;
    facts->patch = head->patch;
    facts->format_version = head->format_version;
    facts->swapped = head->swapped;
    facts->big_endian = head->big_endian;
    facts->flag1 = head->flag1;
    facts->flag2 = head->flag2;
    facts->maxchunks = physical->maxchunks;
    facts->globalskip = physical->layout.globalskip;
    facts->floor = physical->floor;
}

struct scion_meta1 scion_head_of(const struct scion_facts *facts, int file)
{
    struct scion_meta1 head;

    memset(&head, 0, sizeof head);
    head.fsblksize = facts->fsblksize;
    head.ntasks = facts->ntasks;
    head.nfiles = facts->nfiles;
    head.filenumber = file;
    head.version = facts->version;
    head.patch = facts->patch;
    head.format_version = facts->format_version;
    head.swapped = facts->swapped;
    head.big_endian = facts->big_endian;
    head.flag1 = facts->flag1;
    head.flag2 = facts->flag2;
    return head;
}
