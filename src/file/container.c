#include "file/container.h"

#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/env.h"
#include "base/error.h"
#include "base/trace.h"
#include "file/mapped.h"
#include "file/private.h"

enum {
    LEAST_BUFFER = 64 << 10,
    LARGEST_BUFFER = 1 << 20,
    LARGEST_WANTED_BUFFER = 1 << 28,
    ANSI_PERMISSIONS = 0666,
    POSIX_PERMISSIONS = 0664
};

mode_t scion_permissions(const struct scion_mode *mode)
{
    return mode->posix ? POSIX_PERMISSIONS : ANSI_PERMISSIONS;
}

/* What SION_BUFFERSIZE asks for: -1 means the block size. */
static size_t buffer_wanted(const struct scion_container *container, long long wanted)
{
    if (wanted < 0)
        return (size_t)container->head.fsblksize;
    return wanted > LARGEST_WANTED_BUFFER ? LARGEST_WANTED_BUFFER : (size_t)wanted;
}

/*
 * Bytes of a stream's buffer: near the file system's block size; none in plain posix mode. The
 * environment variable SION_BUFFERSIZE sets it for writing, -1 meaning the block size itself.
 */
static size_t buffer_size(const struct scion_container *container)
{
    long long wanted = container->head.fsblksize;

    if (container->posix && !container->buffered)
        return 0;
    if (container->writing && scion_env_number("BUFFERSIZE", &wanted) && wanted != 0)
        return buffer_wanted(container, wanted);
    if (wanted < LEAST_BUFFER)
        return LEAST_BUFFER;
    return wanted > LARGEST_BUFFER ? LARGEST_BUFFER : (size_t)wanted;
}

void scion_container_choose_records(struct scion_container *container)
{
    int traced = scion_tracing(SCION_TRACE_RECORD | SCION_TRACE_RECORD_INTERNAL);

    container->records = (container->writing ? SCION_RECORDS_WRITTEN : SCION_RECORDS_READ) |
                         (traced ? SCION_RECORDS_TRACED : 0);
}

int scion_container_new(enum scion_view view, const struct scion_mode *mode, int writing,
                        const struct scion_meta1 *head, struct scion_container **container)
{
    struct scion_container *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("container");
    new->view = view;
    new->writing = writing;
    scion_container_choose_records(new);
    new->posix = mode->posix;
    new->buffered = mode->buffered;
    new->head = *head;
    new->keyval = scion_meta1_keyval(head);
    new->nfiles = head->nfiles;
    scion_stream_init(&new->stream, writing, buffer_size(new));
    new->stream.fill_chunks = new->keyval == SION_KEYVAL_INLINE;
    *container = new;
    return 0;
}

void scion_container_locate(const struct scion_container *container, int rank, int *file,
                            int *lrank)
{
    *file = container->mapping ? container->mapping->pairs[2 * (size_t)rank] : 0;
    *lrank = container->mapping ? container->mapping->pairs[2 * (size_t)rank + 1] : rank;
}

/* The chunk lengths of a task that is visited for the first time. */
static int need_lengths(struct scion_container *container, int rank,
                        const struct scion_physical *physical, int lrank)
{
    struct scion_lengths *lengths = &container->lengths[rank];

    if (lengths->count > 0)
        return 0;
    if (container->writing)
        return scion_lengths_new(lengths);
    scion_lengths_view(lengths, physical->used + lrank, (size_t)physical->head.ntasks,
                       physical->counts[lrank]);
    return 0;
}

int scion_container_need_descriptor(struct scion_container *container,
                                    struct scion_physical *physical)
{
    struct scion_physical **slot = &container->recent[container->next_recent];
    int rc;

    if (physical->file)
        return 0;
    if (*slot && (rc = scion_physical_suspend(*slot)) != 0)
        return rc;
    *slot = NULL;
    rc = scion_physical_resume(physical);
    if (rc == 0) {
        *slot = physical;
        container->next_recent = (container->next_recent + 1) % SCION_DESCRIPTORS;
    }
    return rc;
}

/* Where a task lies. A mapped one has been told, others have the metadata. */
static struct scion_physical *locate(const struct scion_container *container, int rank, int *lrank,
                                     struct scion_place *place)
{
    struct scion_physical *physical;
    int file;

    if (container->view == SCION_VIEW_MAPPED) {
        *lrank = container->attached[rank].lrank;
        *place = container->attached[rank].place;
        return container->files[container->attached[rank].file];
    }
    scion_container_locate(container, rank, &file, lrank);
    physical = container->files[file];
    *place = scion_physical_place(physical, *lrank);
    return physical;
}

int scion_container_enter(struct scion_container *container, int rank)
{
    struct scion_place place;
    int lrank;
    struct scion_physical *physical = locate(container, rank, &lrank, &place);
    int rc = scion_container_need_descriptor(container, physical);

    if (rc == 0)
        rc = need_lengths(container, rank, physical, lrank);
    if (rc != 0)
        return rc;
    rc = scion_stream_enter(&container->stream, physical->file, &place, &container->lengths[rank],
                            &container->marks[rank]);
    if (rc == 0) {
        container->rank = rank;
        container->lrank = lrank;
        scion_stream_turn_tap(&container->stream, rank);
    }
    return rc;
}

static int find_byte(struct scion_container *container, int rank, sion_int64 chunk, sion_int64 pos,
                     struct scion_physical **physical, sion_int64 *offset)
{
    struct scion_place place;
    int lrank, rc;

    *physical = locate(container, rank, &lrank, &place);
    rc = scion_container_need_descriptor(container, *physical);
    if (rc == 0 && scion_chunk_start(&place, chunk, offset))
        rc = scion_fail(SION_ERR_DAMAGED, "chunk %lld of task %d lies behind any file's end", chunk,
                        rank);
    *offset += pos;
    return rc;
}

int scion_container_read_chunk(struct scion_container *container, int rank, sion_int64 chunk,
                               sion_int64 pos, void *to, size_t bytes)
{
    struct scion_physical *physical;
    sion_int64 offset = 0;
    int rc = find_byte(container, rank, chunk, pos, &physical, &offset);

    return rc != 0 ? rc : scion_file_read(physical->file, to, bytes, offset);
}

int scion_container_find_run(struct scion_container *container, int rank, sion_int64 chunk,
                             sion_int64 pos, sion_int64 *run, int *is_hole)
{
    struct scion_physical *physical;
    sion_int64 offset = 0;
    int rc = find_byte(container, rank, chunk, pos, &physical, &offset);

    if (rc == 0)
        *run = scion_file_run(physical->file, offset, *run, is_hole);
    return rc;
}

int scion_container_select(struct scion_container *container, int rank)
{
    int old = container->rank, rc;

    if (rank == old)
        return 0;
    rc = scion_stream_leave(&container->stream, &container->marks[old]);
    if (rc != 0)
        return rc;
    rc = scion_container_enter(container, rank);
    if (rc != 0)
        scion_container_enter(container, old);
    return rc;
}

int scion_container_make_tasks(struct scion_container *container)
{
    size_t n = (size_t)container->ntasks;

    container->lengths = calloc(n, sizeof *container->lengths);
    container->marks = calloc(n, sizeof *container->marks);
    if (!container->lengths || !container->marks)
        return scion_fail_memory("tasks");
    return scion_container_enter(container, 0);
}

static int fill_plan(const struct scion_serial_plan *plan, struct scion_physical_plan *physical,
                     sion_int64 *globalranks)
{
    int keyval, t;
    int rc = scion_mode_keyval_for_writing(plan->mode, &keyval);

    if (rc != 0)
        return rc;
    scion_meta1_init(&physical->head, keyval, plan->mode->big_endian);
    physical->head.fsblksize = plan->fsblksize;
    physical->head.ntasks = plan->ntasks;
    physical->head.nfiles = 1;
    physical->head.filenumber = 1; /* serial writers count from 1 */
    strcpy(physical->head.prefix, plan->name);
    for (t = 0; t < plan->ntasks; t++)
        globalranks[t] = plan->globalranks[t];
    physical->chunksizes = plan->chunksizes;
    physical->globalranks = globalranks;
    physical->grouping = NULL;
    physical->permissions = scion_permissions(plan->mode);
    return 0;
}

static int create_physical(const struct scion_serial_plan *plan, struct scion_physical **physical)
{
    struct scion_physical_plan physical_plan;
    sion_int64 *globalranks = malloc((size_t)plan->ntasks * sizeof *globalranks);
    int rc;

    if (!globalranks)
        return scion_fail_memory("global ranks");
    rc = fill_plan(plan, &physical_plan, globalranks);
    if (rc == 0)
        rc = scion_physical_create(plan->name, &physical_plan, physical);
    free(globalranks);
    return rc;
}

/* Make a container whose only file is `physical`, which it takes over in any case. */
int scion_container_of_file(struct scion_physical *physical, const struct scion_mode *mode,
                            int writing, struct scion_container **container)
{
    struct scion_container *new;
    int rc = scion_container_new(SCION_VIEW_ALL, mode, writing, &physical->head, &new);

    if (rc != 0) {
        scion_physical_close(physical);
        return rc;
    }
    new->files = malloc(sizeof *new->files);
    if (!new->files) {
        scion_physical_close(physical);
        scion_container_free(new);
        return scion_fail_memory("files");
    }
    new->files[new->nopen++] = physical;
    new->ntasks = physical->head.ntasks;
    new->maxchunks = physical->maxchunks;
    *container = new;
    return 0;
}

static int keep_name(struct scion_container *container, const char *name)
{
    container->name = strdup(name);
    return container->name ? 0 : scion_fail_memory("file name");
}

int scion_container_create(const struct scion_serial_plan *plan, struct scion_container **container)
{
    struct scion_physical *physical;
    struct scion_container *new;
    int rc = create_physical(plan, &physical);

    scion_trace(SCION_TRACE_INTERNAL, "%s: %d", plan->name, rc);
    if (rc == 0)
        rc = scion_container_of_file(physical, plan->mode, 1, &new);
    if (rc != 0)
        return rc;
    rc = keep_name(new, plan->name);
    if (rc == 0)
        rc = scion_container_make_tasks(new);
    if (rc != 0) {
        scion_file_remove(plan->name);
        scion_container_free(new);
        return rc;
    }
    *container = new;
    return 0;
}

int scion_container_attach(const struct scion_meta1 *head, const struct scion_mode *mode,
                           struct scion_file *file, char *name, const struct scion_task *task,
                           struct scion_container **container)
{
    const struct scion_mark start = {0, 0, 0};
    struct scion_container *new;
    int rc = scion_container_new(SCION_VIEW_PARALLEL, mode, task->used == NULL, head, &new);

    if (rc != 0)
        return rc;
    if (task->used)
        scion_lengths_view(&new->own, task->used, 1, task->count);
    else
        rc = scion_lengths_new(&new->own);
    if (rc == 0)
        rc = scion_stream_enter(&new->stream, file, &task->place, &new->own, &start);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    new->own_used = task->used;
    new->file = file;
    new->name = name;
    new->ntasks = head->ntasks;
    new->rank = task->rank;
    new->lrank = task->lrank;
    *container = new;
    return 0;
}

/* Free what the container holds but for its stream. The first failure to close is reported. */
static int release(struct scion_container *container)
{
    int i, rc = 0, other;

    if (container->hook.release)
        container->hook.release(container->hook.user);
    for (i = 0; container->lengths && i < container->ntasks; i++)
        scion_lengths_free(&container->lengths[i]);
    scion_lengths_free(&container->own);
    for (i = 0; i < container->nopen; i++) {
        other = scion_physical_close(container->files[i]);
        rc = rc != 0 ? rc : other;
    }
    other = scion_physical_close(container->physical);
    rc = rc != 0 ? rc : other;
    other = scion_file_close(container->file);
    rc = rc != 0 ? rc : other;
    scion_combined_free(container->combined);
    scion_container_free_keyvals(container);
    free(container->cursors[0]);
    free(container->cursors[1]);
    scion_attached_free(container->attached, container->ntasks);
    free(container->by_rank);
    free(container->files);
    free(container->lengths);
    free(container->marks);
    free(container->own_used);
    free(container->parts);
    free(container->name);
    free(container);
    return rc;
}

void scion_container_free(struct scion_container *container)
{
    container->stream.lengths = NULL;
    scion_stream_close(&container->stream);
    release(container);
}

int scion_container_close(struct scion_container *container)
{
    static const struct scion_mapping no_tasks = {.size = 0};
    int rc = scion_stream_close(&container->stream), other = 0;

    scion_trace(SCION_TRACE_INTERNAL, "%s", container->name ? container->name : "");
    if (container->writing && container->view == SCION_VIEW_ALL) {
        const struct scion_written written = scion_written_of(container->lengths);

        other = scion_physical_finish(container->files[0], &written, &no_tasks);
    }
    rc = rc != 0 ? rc : other;
    other = release(container);
    return rc != 0 ? rc : other;
}
