#include "lib/builder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/checksum.h"
#include "file/nonce.h"
#include "format/slot.h"

/* The tasks of a file follow each other. */
struct builder_file {
    struct builder *builder;
    char *name;
    struct replace *replace;
    struct scion_physical *physical; /* elsewhere only while it is written there */
    int first, ntasks;
};

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
    return team_is_shared(file->builder->team) && file->replace->beside;
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

/* The files of a set are made next to their names as those that the library makes with the word
   `atomic`: so sionrecover finds them. */
static int begin(const struct builder_file *file, const struct builder_plan *plan)
{
    const struct builder *builder = file->builder;
    char *beside;

    if (builder->nfiles == 1)
        return replace_begin(file->replace, NULL, file->name, plan->permissions);
    beside =
        scion_physical_beside(plan->name, file->name, builder->flag2, (int)(file - builder->files));
    return beside ? replace_begin_member(file->replace, file->name, beside, plan->permissions,
                                         file == builder->files)
                  : out_of_memory(plan);
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
    return file->name ? create_file(file, plan) : out_of_memory(plan);
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
    if (!builder->files || !builder->replaces)
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
    builder->flag2 = builder->nfiles > 1 || plan->is_zipped ? scion_recovery_none() : 0;
    if (plan->is_zipped)
        builder->flag2 = scion_marker_zip(builder->flag2);
    status = allocate(builder, plan);
    if (status == TOOL_RUN && scion_name_check(plan->name) != 0)
        status = failed(&builder->files[0]);
    for (i = 0; i < builder->nfiles && status == TOOL_RUN; i++)
        status = prepare_file(builder, i, plan);
    status = team_agree(builder->team, status);
    if (status == TOOL_RUN && team_is_shared(builder->team))
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
    sion_int64 size = physical->chunksizes[lrank];
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

/* ---- end ---- */

static sion_int64 count_of(const void *context, int task)
{
    const struct builder_file *file = context;
    sion_int64 used = file->builder->used[file->first + task];
    sion_int64 size = file->physical->chunksizes[task];

    return used > size ? (used - 1) / size + 1 : 1;
}

static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    const struct builder_file *file = context;
    sion_int64 left = file->builder->used[file->first + task];
    sion_int64 size = file->physical->chunksizes[task];

    left -= chunk * size;
    return left < size ? left : size;
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

/* The lengths of a task's chunks. */
static int measure(const struct builder_file *file, int lrank, struct scion_lengths *lengths)
{
    sion_int64 count = count_of(file, lrank), chunk;
    sion_int64 *used = scion_array((size_t)count, sizeof *used);

    if (!used)
        return scion_fail_memory("checksums");
    for (chunk = 0; chunk < count; chunk++)
        used[chunk] = used_of(file, lrank, chunk);
    scion_lengths_view(lengths, used, 1, count);
    return 0;
}

/* Append those of a task to crcs[*count], which grows. */
static int sum_task(const struct builder_file *file, int lrank, uint32_t **crcs, sion_int64 *count)
{
    const struct scion_place place = scion_physical_place(file->physical, lrank);
    struct scion_lengths lengths = {0};
    sion_int64 more = 0;
    uint32_t *grown = NULL;
    int rc = measure(file, lrank, &lengths);

    if (rc == 0) {
        more = scion_checksum_count(&lengths, SCION_CHECKSUM_PIECE);
        grown = scion_array_grown(*crcs, (uint64_t)(*count + more + 1), sizeof *grown);
        rc = grown ? 0 : scion_fail_memory("checksums");
    }
    if (rc == 0) {
        *crcs = grown;
        rc = scion_checksum_of_task(file->physical->file, &place, &lengths, SCION_CHECKSUM_PIECE,
                                    scion_crc_find(), grown + *count);
        *count += more;
    }
    free(lengths.used);
    return rc;
}

static int add_checksums(const struct builder_file *file, const struct scion_mapping *mapping)
{
    uint32_t *crcs = NULL;
    sion_int64 count = 0;
    int rc = scion_crc_find() ? 0 : scion_crc_missing(), task;

    for (task = 0; task < file->ntasks && rc == 0; task++)
        rc = sum_task(file, task, &crcs, &count);
    if (rc == 0)
        rc = scion_checksum_write(file->physical, mapping, crcs, count);
    free(crcs);
    return rc;
}

/* What comes behind the tables. */
static int add_behind(const struct builder_file *file, const struct scion_mapping *mapping)
{
    const struct builder *builder = file->builder;
    int rc = builder->has_checksums ? add_checksums(file, mapping) : 0;

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

/* Of a process that does not lead: its data are on the disk. */
static int leave_all(struct builder *builder, int status)
{
    struct builder_file *open = builder->open >= 0 ? &builder->files[builder->open] : NULL;

    if (open && leave_file(open) != 0 && status == TOOL_RUN)
        status = failed(open);
    return status;
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
    free(builder->used);
    free(builder->beside);
}

int builder_end(struct builder *builder, int status)
{
    int leads = team_leads(builder->team);

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
