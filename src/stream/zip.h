/*
 * A stream that compresses what is written (doc/format.md, "Compressed streams"). Records go into
 * the present frame, in which the stream's window is, and whole frames into the chunks, over any
 * number of them. What is stored has a window of its own, in the stream's buffer.
 */
#ifndef SCION_STREAM_ZIP_H
#define SCION_STREAM_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "sion_datatypes.h"

struct scion_stream;
struct scion_zstd_encoder;

struct scion_span {
    char *cursor, *limit;
};

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

    /* The same at the end of the process; the window stays. */
    int (*save_frame)(struct scion_stream *stream);

    struct scion_zip_plan plan;
    struct scion_zip_task *task; /* the present one, the owner's */
    char *memory, *frame;        /* [plan.frame] of it; made at the first record, as the others */
    char *begin;                 /* in it: the present frame, up to the window's cursor */
    size_t limit;                /* bytes of that when it is full; the record that fills it is not
                                    in the window */
    struct scion_span stored;    /* the stream's, of what is stored */
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

/* The stream compresses from now on, or goes on with another task; or it does so no more. */
void scion_zip_enter(struct scion_stream *stream, struct scion_zip *zip,
                     struct scion_zip_task *task);
void scion_zip_leave(struct scion_stream *stream);

/* What a task has written is a whole file, and another one follows. */
static inline void scion_zip_begin_generation(struct scion_zip_task *task)
{
    task->earlier += task->plain;
    task->plain = 0;
    task->n = task->tabled = 0;
}

void scion_zip_free(struct scion_zip *zip); /* not the struct itself */
void scion_zip_task_free(struct scion_zip_task *task);

#endif
