/*
 * A stream that compresses what is written (doc/format.md, "Compressed streams"). Records go into
 * the present frame, and whole frames into the chunks, over any number of them. The window is
 * always empty, so all records take the slow path, which comes here.
 */
#ifndef SCION_STREAM_ZIP_H
#define SCION_STREAM_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "sion_datatypes.h"

struct scion_stream;
struct scion_zstd_encoder;

struct scion_zip_plan {
    int level, threads;
    size_t frame; /* plain bytes of one */
    size_t shuffle;
};

/* Of one task: the frames that it has stored. All zero: none. */
struct scion_zip_task {
    sion_int64 earlier; /* plain bytes of older generations, which are files of their own */
    sion_int64 plain;   /* bytes in them */
    uint32_t *entries;  /* of each its bytes, and the plain ones */
    size_t n, capacity; /* frames */
    size_t tabled;      /* of them are in the last table, with that itself */
};

/* How much one has written; what is in the present frame must not have been stored since. */
struct scion_zip_mark {
    sion_int64 plain;
    size_t n, used;
};

/* What a process compresses with, the owner's. */
struct scion_zip {
    /* All or nothing: 1, or an error code. */
    int (*write)(struct scion_stream *stream, const void *data, size_t bytes);

    /* End the present frame, so that all that was written can be read. */
    int (*end_frame)(struct scion_stream *stream);

    struct scion_zip_plan plan;
    struct scion_zip_task *task; /* the present one, the owner's */
    unsigned char *frame;        /* [plan.frame]; made at the first record, as the others */
    size_t used, limit;          /* bytes in it, and of it when it is full */
    unsigned char *shuffled, *out;
    struct scion_zstd_encoder *encoder;
    struct scion_zip_mark record; /* where one began that several calls write */
    size_t dull, wait; /* frames in a row that did not shrink; bytes until another one is tried */
};

/* zip: all zero. */
void scion_zip_init(struct scion_zip *zip, const struct scion_zip_plan *plan);

/*
 * Write the table of the present task's frames, unless the last one has them all. What follows
 * makes this table a frame without data, of which the next table knows.
 */
int scion_zip_finish(struct scion_stream *stream);

/* A task that is written on has a frame more. 0, or an error. */
int scion_zip_task_add(struct scion_zip_task *task, sion_int64 stored, sion_int64 plain);

/* The present task starts again. */
static inline void scion_zip_restart(struct scion_zip *zip)
{
    zip->used = 0;
    zip->task->n = zip->task->tabled = 0;
    zip->task->plain = 0;
}

/* What a task has written is a whole file, and another one follows. */
static inline void scion_zip_begin_generation(struct scion_zip_task *task)
{
    task->earlier += task->plain;
    task->plain = 0;
    task->n = task->tabled = 0;
}

static inline struct scion_zip_mark scion_zip_mark(const struct scion_zip *zip)
{
    return (struct scion_zip_mark){zip->task->plain, zip->task->n, zip->used};
}

static inline void scion_zip_return(struct scion_zip *zip, const struct scion_zip_mark *mark)
{
    zip->task->plain = mark->plain;
    zip->task->n = mark->n;
    zip->used = mark->used;
}

/* Plain bytes that the present task has written. */
static inline sion_int64 scion_zip_total(const struct scion_zip *zip)
{
    return zip->task->earlier + zip->task->plain + (sion_int64)zip->used;
}

void scion_zip_free(struct scion_zip *zip); /* not the struct itself */
void scion_zip_task_free(struct scion_zip_task *task);

#endif
