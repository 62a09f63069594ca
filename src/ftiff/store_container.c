/* A store in a stream of a container. */
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"
#include "sion_serial.h"

#include "api/parallel.h"
#include "base/error.h"
#include "comm/agree.h"
#include "ftiff/handle.h"
#include "ftiff/source.h"
#include "vfs/path.h"
#include "vfs/older.h"
#include "vfs/writer_lock.h"

/* If one task could not make its communicator, the others would wait for it in the open. */
int scion_fti_prepare_open(sion_ftiff *handle)
{
    if (handle->group && !handle->spare)
        handle->spare = handle->group->again(handle->group);
    if (!handle->group || handle->spare)
        return 0;
    return scion_fail(SION_ERR_COMM,
                      "no communicator: its interface was freed, or memory is short");
}

/* Open a container with all tasks, which are prepared; chunksize: what this one will write. */
static int open_container(sion_ftiff *handle, const char *path, const char *mode,
                          sion_int64 chunksize, int *sid)
{
    int nfiles = 1, globalrank;
    sion_int32 fsblksize = -1;
    struct sion_layer_call call = {
        .function = "sion_ftiff",
        .kind = (enum sion_layer_kind)handle->group->kind,
        .threads = 1,
        .process = handle->comm->rank,
        .fname = path,
        .file_mode = mode,
        .numFiles = &nfiles,
        .chunksize = &chunksize,
        .fsblksize = &fsblksize,
        .globalrank = &globalrank,
        .has_local = 1,
    };

    *sid = sion_layer_open(handle->spare, &call);
    handle->spare = NULL;
    return *sid < 0 ? scion_error_code() : 0;
}

static int close_container(int sid)
{
    return sion_layer_close("sion_ftiff", sid, SION_LAYER_ANY) == SION_SUCCESS ? 0
                                                                               : scion_error_code();
}

/* ---- writing ---- */

struct stream_sink {
    struct scion_fti_sink sink;
    int sid;
};

static int stream_write(struct scion_fti_sink *sink, const void *from, size_t bytes)
{
    int sid = ((struct stream_sink *)sink)->sid;

    return bytes > 0 && sion_fwrite(from, 1, bytes, sid) != bytes ? scion_error_code() : 0;
}

static int stream_skip(struct scion_fti_sink *sink, sion_int64 bytes)
{
    static const unsigned char zeros[1 << 16];
    int rc = 0;

    for (; bytes > 0 && rc == 0; bytes -= (sion_int64)sizeof zeros)
        rc = stream_write(sink, zeros,
                          bytes < (sion_int64)sizeof zeros ? (size_t)bytes : sizeof zeros);
    return rc;
}

/* This task's stream, on the disk. */
static int fill_stream(int sid, const struct scion_fti_draft *draft)
{
    struct stream_sink sink = {.sink = {stream_write, stream_skip, NULL}, .sid = sid};
    int rc = scion_fti_write(&sink.sink, &draft->image, draft->data);

    return rc == 0 && sion_flush(sid) != 1 ? scion_error_code() : rc;
}

/* On rank 0: the name that the container will have. A failure is told with the others, at the end,
   because no task may leave the open alone. */
struct claim {
    int rc;
    char reason[SCION_ERROR_TEXT];
    struct scion_older seen;
    struct scion_writer_lock *lock;
    char *beside; /* where the container is made */
};

static void begin_claim(const sion_ftiff *handle, struct claim *claim)
{
    claim->beside = scion_path_beside(handle->path);
    claim->rc = claim->beside ? scion_writer_lock_take(handle->path, 0, &claim->lock)
                              : scion_fail_memory("name of a file");
    if (claim->rc == 0)
        claim->rc = scion_older_look(handle->path, &claim->seen);
    if (claim->rc != 0)
        strcpy(claim->reason, scion_error_text());
}

/* The container's metadata on the disk, then its name. */
static int put_in_place(const sion_ftiff *handle, const struct claim *claim)
{
    struct scion_file *file;
    int rc = claim->rc == 0 ? scion_file_open(claim->beside, SCION_OPEN_OWN, 0, &file)
                            : scion_fail(claim->rc, "%s", claim->reason),
        closed;

    if (rc != 0)
        return rc;
    rc = scion_older_keep(handle->path, file);
    if (rc == 0)
        rc = scion_file_sync(file);
    closed = scion_file_close(file);
    if (rc == 0)
        rc = closed;
    return rc == 0 ? scion_older_replace(claim->beside, handle->path, &claim->seen) : rc;
}

static void end_claim(struct claim *claim, int failed)
{
    if (failed && claim->beside)
        scion_file_remove(claim->beside);
    scion_writer_lock_release(claim->lock, 0);
    free(claim->beside);
}

static int write_beside(sion_ftiff *handle, const char *beside, const struct scion_fti_draft *draft)
{
    int sid, filled, closed;
    int rc = open_container(handle, beside, "bw,posix,keyval=none", draft->image.fb.fs, &sid);
    char reason[SCION_ERROR_TEXT];

    if (rc != 0)
        return rc;
    filled = scion_agree(handle->comm, scion_name_rank(handle->comm, fill_stream(sid, draft)));
    strcpy(reason, scion_error_text());
    closed = close_container(sid);
    return filled != 0 ? scion_fail(filled, "%s", reason) : closed;
}

/* Of the names that tasks pass to an open, that of rank 0 counts. */
static int store_write(sion_ftiff *handle, const struct scion_fti_draft *draft)
{
    int is_first = handle->comm->rank == 0, rc;
    struct claim claim = {0};

    if (is_first)
        begin_claim(handle, &claim);
    rc = write_beside(handle, is_first ? claim.beside : handle->path, draft);
    if (rc == 0) {
        if (is_first)
            rc = put_in_place(handle, &claim);
        rc = scion_agree(handle->comm, rc);
    }
    if (rc != 0)
        scion_fail_prefix("%s", handle->path);
    end_claim(&claim, rc != 0);
    return rc;
}

/* ---- reading ---- */

/* Streams 0 to n - 1 are those of ranks 0 to n - 1; streams without a rank may follow. */
static int check_ranks(const sion_ftiff *handle, int ntasks, const int *ranks)
{
    int n = 0, wrong = 0;

    for (; n < ntasks && ranks[n] >= 0; n++)
        wrong |= ranks[n] != n;
    if (wrong || n != handle->comm->size)
        return scion_fail(SION_ERR_MISMATCH,
                          "%s is a checkpoint of %s%d tasks, but this program has %d", handle->path,
                          wrong ? "some of many, " : "", n, handle->comm->size);
    return 0;
}

enum there { NOTHING, CHECKPOINT, DIFFERENTIAL };

/* On rank 0: find out whether there is a container of these tasks, and the kind of files packed
   into it. */
static int look_at(const sion_ftiff *handle, sion_int64 *there)
{
    enum scion_fti_kind kind = SCION_FTI_FOREIGN;
    int ntasks, nfiles, *ranks = NULL, sid, exists;
    int rc = scion_file_look_for(handle->path, &exists);

    *there = exists ? CHECKPOINT : NOTHING;
    if (rc != 0 || !exists)
        return rc;
    sid = sion_open(handle->path, "br,posix", &ntasks, &nfiles, NULL, NULL, &ranks, NULL);
    if (sid < 0)
        return scion_error_code();
    rc = check_ranks(handle, ntasks, ranks);
    if (rc == 0 && ntasks > handle->comm->size)
        rc = scion_fti_packed_kind(sid, ntasks - 1, &kind);
    if (kind == SCION_FTI_DIFFERENTIAL)
        *there = DIFFERENTIAL;
    free(ranks);
    sion_close(sid);
    return rc;
}

/* Rank 0 decides for all. */
static int find_container(sion_ftiff *handle, sion_int64 *there)
{
    int rc = scion_fti_prepare_open(handle);

    if (rc == 0 && handle->comm->rank == 0)
        rc = look_at(handle, there);
    rc = scion_agree(handle->comm, rc);
    return rc == 0 ? scion_bcast(handle->comm, there, sizeof *there, 0) : rc;
}

static int make_source(int sid, struct scion_fti_stream_source **stream)
{
    *stream = malloc(sizeof **stream);
    if (!*stream)
        return scion_fail_memory("stream");
    return scion_fti_open_stream(sid, SION_CURRENT_RANK, *stream);
}

static int store_open(sion_ftiff *handle, struct scion_fti_source **source)
{
    struct scion_fti_stream_source *stream;
    sion_int64 there = NOTHING;
    int sid, rc = find_container(handle, &there);

    *source = NULL;
    if (rc != 0 || there == NOTHING)
        return rc;
    rc = open_container(handle, handle->path, "br,posix", 0, &sid);
    if (rc != 0)
        return rc;
    rc = scion_agree(handle->comm, scion_name_rank(handle->comm, make_source(sid, &stream)));
    if (rc == 0) {
        *source = &stream->source;
        stream->source.is_differential = there == DIFFERENTIAL;
        return 0;
    }
    free(stream);
    close_container(sid);
    return rc;
}

static int store_close(sion_ftiff *handle, struct scion_fti_source *source)
{
    struct scion_fti_stream_source *stream = (struct scion_fti_stream_source *)source;
    int sid = stream->sid;

    (void)handle;
    free(stream);
    return close_container(sid);
}

const struct scion_fti_store scion_fti_container_store = {store_write, store_open, store_close};
