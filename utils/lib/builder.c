#include "lib/builder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/nonce.h"
#include "format/slot.h"
#include "lib/builder_private.h"
#include "lib/staged.h"
#include "stream/commit.h"

static int failed(const struct builder_file *file)
{
    return replace_failed(file->replace);
}

static int out_of_memory(const struct builder_plan *plan)
{
    tool_error("out of memory for %s", plan->name);
    return TOOL_FAILED;
}

/* ---- create ---- */

/* The container stores its name from the beginning; the file gets it at the end. */
static void fill_head(const struct builder_file *file, const struct builder_plan *plan,
                      struct scion_meta1 *head)
{
    int nfiles = file->builder->nfiles;

    scion_meta1_init(head, plan->keyval, plan->big_endian);
    head->fsblksize = plan->fsblksize;
    head->ntasks = file->ntasks;
    head->flag2 = file->builder->flag2;
    head->nfiles = nfiles;
    head->filenumber = nfiles == 1 ? 1 : (int)(file - file->builder->files); /* serial: from 1 */
    strcpy(head->prefix, plan->name);
}

/* Whether others will open it: they see what is written at a close. */
static int is_joined(const struct builder_file *file)
{
    return team_is_shared(file->builder->team) && file->replace->beside && !file->builder->staged;
}

static int create(struct builder_file *file, const struct builder_plan *plan)
{
    struct scion_physical_plan physical = {.chunksizes = plan->used + file->first,
                                           .globalranks = plan->globalranks + file->first,
                                           .permissions = plan->permissions,
                                           .made =
                                               file->replace->beside ? &file->replace->made : NULL};
    sion_int64 *same = NULL;
    int rc, t;

    if (plan->chunksize > 0) {
        same = scion_array((size_t)file->ntasks, sizeof *same);
        if (!same)
            return scion_fail_memory("chunk sizes");
        for (t = 0; t < file->ntasks; t++)
            same[t] = plan->chunksize;
        physical.chunksizes = same;
    }
    fill_head(file, plan, &physical.head);
    rc = scion_physical_create(replace_path(file->replace), &physical, &file->physical);
    free(same);
    if (rc == 0 && (file->builder->nfiles > 1 || is_joined(file))) {
        file->physical->is_written = 1; /* so that it is opened for writing again */
        rc = scion_physical_suspend(file->physical);
    }
    return rc;
}

/* Where sionrecover is to find files, they are made next to their names as those that the library
   makes with the word `atomic`. */
static int begin(const struct builder_file *file, const struct builder_plan *plan)
{
    const struct builder *builder = file->builder;
    char *beside;

    if (builder->nfiles == 1 && !plan->recovers)
        return replace_begin(file->replace, NULL, file->name, plan->permissions);
    beside =
        scion_physical_beside(plan->name, file->name, builder->flag2, (int)(file - builder->files));
    return beside ? replace_begin_member(file->replace, file->name, beside, plan->permissions,
                                         file == builder->files)
                  : out_of_memory(plan);
}

/* All nodes make a file of their own, with the same header. */
static int create_staged(struct builder_file *file, const struct builder_plan *plan)
{
    struct builder *builder = file->builder;
    struct builder_plan own = *plan;
    int status = staged_begin(&builder->staged, plan->staged, plan->name, plan->team, plan->ntasks,
                              plan->permissions, &builder->flag2, &own.fsblksize);

    builder->ours = plan->staged->ours;
    if (status != TOOL_RUN)
        return status;
    file->replace->made = *staged_file(builder->staged);
    file->replace->beside = strdup(staged_path(builder->staged));
    if (!file->replace->beside)
        return out_of_memory(plan);
    return create(file, &own) == 0
               ? staged_place(builder->staged, file->physical, builder->used + file->first)
               : failed(file);
}

/* Elsewhere the leader has begun it. */
static int create_file(struct builder_file *file, const struct builder_plan *plan)
{
    int status = team_leads(plan->team) ? begin(file, plan) : TOOL_DONE;

    if (status != TOOL_RUN)
        return status == TOOL_DONE ? TOOL_RUN : status;
    return create(file, plan) == 0 ? TOOL_RUN : failed(file);
}

static int prepare_file(struct builder *builder, int number, const struct builder_plan *plan)
{
    struct builder_file *file = &builder->files[number];
    int share = builder->ntasks / builder->nfiles;

    file->first = number * share;
    file->ntasks = number + 1 < builder->nfiles ? share : builder->ntasks - file->first;
    file->name = scion_physical_name(plan->name, number);
    file->replace->name = file->name;
    if (!file->name)
        return out_of_memory(plan);
    return plan->staged ? create_staged(file, plan) : create_file(file, plan);
}

enum { PLACE = 2048 };

/* Tell all where the leader has made file 0, after which the others of a set are called. */
static int tell_place(struct builder *builder)
{
    char place[PLACE] = "";
    const char *own = team_leads(builder->team) ? builder->replaces[0].beside : NULL;
    int status;

    if (own && strlen(own) < sizeof place)
        strcpy(place, own);
    status = team_tell(builder->team, place, sizeof place);
    if (status != TOOL_RUN || !place[0])
        return status;
    builder->beside = strdup(place);
    if (builder->beside)
        return TOOL_RUN;
    tool_error("out of memory");
    return TOOL_FAILED;
}

static int allocate(struct builder *builder, const struct builder_plan *plan)
{
    int i;

    builder->files = calloc((size_t)builder->nfiles, sizeof *builder->files);
    builder->replaces = calloc((size_t)builder->nfiles, sizeof *builder->replaces);
    if (plan->recovers)
        builder->commits = calloc((size_t)builder->ntasks, sizeof *builder->commits);
    if (!builder->files || !builder->replaces || (plan->recovers && !builder->commits))
        return out_of_memory(plan);
    for (i = 0; i < builder->nfiles; i++) {
        builder->files[i].builder = builder;
        builder->files[i].replace = &builder->replaces[i];
    }
    return TOOL_RUN;
}

int builder_create(struct builder *builder, const struct builder_plan *plan)
{
    int status, i;

    *builder = (struct builder){.team = plan->team,
                                .used = plan->used,
                                .nfiles = plan->nfiles > 1 ? plan->nfiles : 1,
                                .ntasks = plan->ntasks,
                                .has_checksums = plan->has_checksums,
                                .behind = plan->behind,
                                .context = plan->context,
                                .open = -1};
    if (plan->recovers)
        builder->flag2 = scion_recovery_new();
    else if (builder->nfiles > 1 || plan->is_zipped || plan->staged)
        builder->flag2 = scion_recovery_none();
    if (plan->is_zipped)
        builder->flag2 = scion_marker_zip(builder->flag2);
    status = allocate(builder, plan);
    if (status == TOOL_RUN && scion_name_check(plan->name) != 0)
        status = failed(&builder->files[0]);
    for (i = 0; i < builder->nfiles && status == TOOL_RUN; i++)
        status = prepare_file(builder, i, plan);
    status = team_agree(builder->team, status);
    if (status == TOOL_RUN && team_is_shared(builder->team) && !plan->staged)
        status = tell_place(builder);
    return status == TOOL_RUN ? status : builder_end(builder, status);
}

int builder_share(const struct builder *builder, int *begin, int *end)
{
    if (builder->beside)
        return team_share(builder->team, builder->used, builder->ntasks, begin, end);
    team_share_nothing(builder->team, builder->used, builder->ntasks, begin, end);
    return TOOL_RUN;
}

/* ---- write ---- */

/* Only the process that has written data can be sure that they are on the disk. */
static int leave_file(struct builder_file *file)
{
    struct scion_physical *physical = file->physical;
    int rc, closed;

    if (team_leads(file->builder->team))
        return scion_physical_suspend(physical);
    if (!physical)
        return 0;
    file->physical = NULL;
    rc = physical->file ? scion_file_sync(physical->file) : 0;
    closed = scion_physical_close(physical);
    return scion_first_failure(rc, closed);
}

/* The leader has written where chunks are. */
static int join_file(struct builder_file *file)
{
    const struct builder *builder = file->builder;
    int rc;

    file->replace->beside = scion_physical_name(builder->beside, (int)(file - builder->files));
    if (!file->replace->beside)
        return SION_ERR_MEMORY;
    rc = scion_physical_read_first(file->replace->beside, &file->physical);
    if (rc == 0)
        rc = scion_physical_suspend(file->physical);
    if (rc == 0) {
        file->physical->is_written = file->physical->is_derived = 1;
        rc = scion_physical_resume(file->physical);
    }
    return rc;
}

/* Of several files only one has its descriptor. After an error, builder->open is the file's. */
static int need_descriptor(struct builder *builder, int number)
{
    struct builder_file *file = &builder->files[number];
    int rc = 0;

    if (builder->open == number)
        return 0;
    if (builder->open >= 0)
        rc = leave_file(&builder->files[builder->open]);
    if (rc != 0)
        return rc;
    builder->open = number;
    return file->physical ? scion_physical_resume(file->physical) : join_file(file);
}

static int number_of_file(const struct builder *builder, int task)
{
    int share = builder->ntasks / builder->nfiles, number = task / (share > 0 ? share : 1);

    return number < builder->nfiles ? number : builder->nfiles - 1;
}

static int write_pieces(const struct builder_file *file, int lrank, sion_int64 pos,
                        const char *data, size_t bytes)
{
    const struct scion_physical *physical = file->physical;
    sion_int64 size = builder_room(physical, lrank);
    int rc = 0;

    while (bytes > 0 && rc == 0) {
        sion_int64 chunk = pos / size, left = (chunk + 1) * size - pos;
        size_t part = (sion_int64)bytes < left ? bytes : (size_t)left;
        sion_int64 offset =
            physical->starts[lrank] + chunk * physical->layout.globalskip + pos % size;

        rc = scion_file_write(physical->file, data, part, offset, NULL);
        data += part;
        pos += (sion_int64)part;
        bytes -= part;
    }
    return rc;
}

int builder_write(struct builder *builder, int task, sion_int64 pos, const void *data, size_t bytes)
{
    int number = number_of_file(builder, task), rc = need_descriptor(builder, number);
    const struct builder_file *file = &builder->files[builder->open];

    if (rc == 0)
        rc = write_pieces(file, task - file->first, pos, data, bytes);
    return rc == 0 ? TOOL_RUN : failed(file);
}

/* Chunks before the present one are full. */
static int commit(const struct builder *builder, const struct builder_file *file, int lrank,
                  sion_int64 pos)
{
    struct scion_commit *records = &builder->commits[file->first + lrank];
    const struct scion_place place = scion_physical_place(file->physical, lrank);
    sion_int64 chunk = records->is_begun && records->chunk > 0 ? records->chunk : 0;
    uint32_t nonce = 0;
    int rc = 0;

    if (place.chunksize == 0)
        return 0;
    scion_marker_nonce(file->physical->head.flag2, &nonce);
    if (!records->is_begun)
        scion_commit_init(records, nonce, lrank, 0);
    for (; pos - chunk * place.chunksize > place.chunksize && rc == 0; chunk++)
        rc = scion_commit_write(records, file->physical->file, &place, chunk, place.chunksize, 0);
    return rc == 0 ? scion_commit_write(records, file->physical->file, &place, chunk,
                                        pos - chunk * place.chunksize, 1)
                   : rc;
}

int builder_commit(struct builder *builder, int task, sion_int64 pos)
{
    int number = number_of_file(builder, task), rc = need_descriptor(builder, number);
    const struct builder_file *file = &builder->files[builder->open];

    if (rc == 0 && builder->commits)
        rc = commit(builder, file, task - file->first, pos);
    return rc == 0 ? TOOL_RUN : failed(file);
}

/* ---- end ---- */

sion_int64 builder_count(const struct builder_file *file, int lrank)
{
    sion_int64 used = file->builder->used[file->first + lrank];
    sion_int64 size = builder_room(file->physical, lrank);

    return used > size ? (used - 1) / size + 1 : 1;
}

sion_int64 builder_used(const struct builder_file *file, int lrank, sion_int64 chunk)
{
    sion_int64 left = file->builder->used[file->first + lrank];
    sion_int64 size = builder_room(file->physical, lrank);

    left -= chunk * size;
    return left < size ? left : size;
}

static sion_int64 count_of(const void *context, int task)
{
    return builder_count(context, task);
}

static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    return builder_used(context, task, chunk);
}

/* Which file, and which place in it, each task has. */
static int make_mapping(const struct builder *builder, struct scion_mapping *mapping)
{
    int task;

    mapping->size = builder->ntasks;
    mapping->pairs = scion_array(2 * (size_t)builder->ntasks, sizeof *mapping->pairs);
    if (!mapping->pairs)
        return scion_fail_memory("mapping");
    for (task = 0; task < builder->ntasks; task++) {
        int number = number_of_file(builder, task);

        mapping->pairs[2 * (size_t)task] = number;
        mapping->pairs[2 * (size_t)task + 1] = task - builder->files[number].first;
    }
    return 0;
}

/* What comes behind the tables. */
static int add_behind(const struct builder_file *file, const struct scion_mapping *mapping)
{
    const struct builder *builder = file->builder;
    int rc = builder->has_checksums ? builder_add_sums(file, mapping) : 0;

    return rc == 0 && builder->behind && file == builder->files
               ? builder->behind(builder->context, file->physical->file, file->physical->behind)
               : rc;
}

static int finish(struct builder *builder, int number)
{
    struct builder_file *file = &builder->files[number];
    const struct scion_length_source written = {
        .count = count_of, .used = used_of, .context = file};
    struct scion_mapping mapping = {.size = builder->nfiles == 1 ? 0 : -1};
    int rc = need_descriptor(builder, number);

    if (rc == 0 && builder->nfiles > 1 && number == 0)
        rc = make_mapping(builder, &mapping);
    if (rc == 0)
        rc = scion_physical_finish(file->physical, &written, &mapping);
    if (rc == 0)
        rc = add_behind(file, &mapping);
    free(mapping.pairs);
    return rc == 0 ? TOOL_RUN : failed(file);
}

static int end_all(struct builder *builder, int status)
{
    int i;

    for (i = 0; i < builder->nfiles && status == TOOL_RUN; i++)
        status = finish(builder, i);
    if (!builder->files || !builder->replaces)
        return status;
    for (i = 0; i < builder->nfiles; i++) {
        if (scion_physical_close(builder->files[i].physical) != 0 && status == TOOL_RUN)
            status = failed(&builder->files[i]);
    }
    return builder->nfiles > 1 ? replace_end_set(builder->replaces, builder->nfiles, status)
                               : replace_end(builder->replaces, status);
}

static void free_all(struct builder *builder)
{
    int i;

    for (i = 0; builder->files && i < builder->nfiles; i++)
        free(builder->files[i].name);
    for (i = 0; builder->replaces && i < builder->nfiles; i++)
        free(builder->replaces[i].beside);
    free(builder->files);
    free(builder->replaces);
    free(builder->commits);
    builder_free_sums(builder);
    free(builder->used);
    free(builder->beside);
}

/* What was written is on the node's disk. */
static int close_staged(struct builder_file *file, int status)
{
    struct scion_physical *physical = file->physical;
    int rc, closed;

    file->physical = NULL;
    if (!physical)
        return status;
    rc = status == TOOL_RUN && physical->file ? scion_file_sync(physical->file) : 0;
    closed = scion_physical_close(physical);
    rc = scion_first_failure(rc, closed);
    return rc != 0 && status == TOOL_RUN ? failed(file) : status;
}

static int end_staged(struct builder *builder, int status)
{
    struct builder_file *file = &builder->files[0];
    struct team *team = builder->team;

    status = team_agree(team, status);
    if (status == TOOL_RUN && builder->has_checksums && team_is_shared(team))
        status = builder_collect_sums(builder);
    if (status == TOOL_RUN && team_leads(team))
        status = finish(builder, 0);
    status = team_agree(team, close_staged(file, status));
    status = staged_end(builder->staged, status);
    free_all(builder);
    return team_agree(team, status);
}

/* Of a process that does not lead: its data are on the disk. */
static int leave_all(struct builder *builder, int status)
{
    struct builder_file *open = builder->open >= 0 ? &builder->files[builder->open] : NULL;

    if (open && leave_file(open) != 0 && status == TOOL_RUN)
        status = failed(open);
    return status;
}

int builder_end(struct builder *builder, int status)
{
    int leads = team_leads(builder->team);

    if (builder->staged)
        return end_staged(builder, status);
    if (!leads)
        status = leave_all(builder, status);
    status = team_agree(builder->team, status);
    if (leads)
        status = end_all(builder, status);
    free_all(builder);
    return team_agree(builder->team, status);
}

int builder_fsblksize(const struct tool_option *option, const char *text, void *into)
{
    const struct tool_option whole = {.letter = option->letter, .number = 1};
    int *fsblksize = into, unit = option->number, status = tool_number(&whole, text, fsblksize);

    if (status == TOOL_RUN && *fsblksize > INT_MAX / unit) {
        tool_error("-%c takes at most %d, not %d", option->letter, INT_MAX / unit, *fsblksize);
        return TOOL_USAGE;
    }
    *fsblksize *= unit;
    return status;
}
