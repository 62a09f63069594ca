#include "siondefrag/spool.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/zstd.h"
#include "lib/replace.h"
#include "lib/tool.h"
#include "vfs/path.h"

static int result(const struct spool *spool, int rc)
{
    const struct replace replace = {.name = spool->container, .beside = spool->path};

    return rc == 0 ? TOOL_RUN : replace_failed(&replace);
}

/* The name goes at once, so that nothing is left whatever happens. */
static int make_file(struct spool *spool)
{
    int rc;

    spool->path = scion_path_beside(spool->container);
    if (!spool->path)
        return scion_fail_memory("compression");
    rc = scion_file_open(spool->path, SCION_OPEN_NEW, S_IRUSR | S_IWUSR, &spool->file);
    if (rc == 0)
        scion_file_remove(spool->path);
    return rc;
}

int spool_open(struct spool *spool, const char *container, const struct scion_zip_plan *plan)
{
    enum { BUFFER = 1 << 18 };
    int rc = scion_zstd_need("compressed streams");

    *spool = (struct spool){.container = container};
    scion_stream_init(&spool->stream, 1, BUFFER);
    scion_zip_init(&spool->zip, plan);
    spool->zip.task = &spool->frames;
    if (rc == 0)
        rc = make_file(spool);
    return result(spool, rc);
}

/* A stream has one chunk, as large as it becomes. */
int spool_begin(struct spool *spool)
{
    const struct scion_place place = {.start = spool->written, .chunksize = (sion_int64)1 << 61};
    const struct scion_mark start = {0, 0, 0};
    int rc = scion_lengths_new(&spool->lengths);

    if (rc == 0)
        rc = scion_stream_enter(&spool->stream, spool->file, &place, &spool->lengths, &start);
    spool->stream.zip = &spool->zip;
    return result(spool, rc);
}

int spool_write(struct spool *spool, const void *data, size_t bytes)
{
    size_t done;

    return result(spool, scion_stream_write_bytes(&spool->stream, data, bytes, &done));
}

int spool_end(struct spool *spool, sion_int64 *stored)
{
    struct scion_mark mark;
    int rc = scion_zip_finish(&spool->stream);

    if (rc == 0)
        rc = scion_stream_leave(&spool->stream, &mark);
    *stored = rc == 0 ? scion_lengths_used(&spool->lengths, 0) : 0;
    spool->written += *stored;
    scion_lengths_free(&spool->lengths);
    scion_zip_task_free(&spool->frames);
    return result(spool, rc);
}

int spool_take(struct spool *spool, void *to, size_t bytes)
{
    int rc = scion_file_read(spool->file, to, bytes, spool->taken);

    if (rc == 0) /* where the file system cannot do this, they stay until the end */
        (void)scion_file_punch(spool->file, spool->taken, (sion_int64)bytes);
    spool->taken += (sion_int64)bytes;
    return result(spool, rc);
}

void spool_close(struct spool *spool)
{
    scion_zip_free(&spool->zip);
    scion_zip_task_free(&spool->frames);
    scion_lengths_free(&spool->lengths);
    free(spool->stream.buffer);
    if (spool->file)
        scion_file_close(spool->file);
    free(spool->path);
}
