/* Checkpoints in files and in the streams of containers, as sources. */
#ifndef SCION_FTIFF_SOURCE_H
#define SCION_FTIFF_SOURCE_H

#include "ftiff/names.h"
#include "ftiff/read.h"

struct scion_file;

struct scion_fti_file_source {
    struct scion_fti_source source;
    struct scion_file *file; /* closed by the caller */
};

/* 0 or an error code, then nothing is open. */
int scion_fti_open_file(const char *path, struct scion_fti_file_source *source);

/* The stream of a task of an open container, which is selected by that. */
struct scion_fti_stream_source {
    struct scion_fti_source source;
    int sid, task; /* task: as sion_seek takes it */
};

int scion_fti_open_stream(int sid, int task, struct scion_fti_stream_source *source);

/*
 * The kind of the files that were packed into a container, by the first name in the list in its
 * last task; SCION_FTI_FOREIGN if there is no list. The task is selected by that.
 */
int scion_fti_packed_kind(int sid, int task, enum scion_fti_kind *kind);

/* The id of a checkpoint in a layout that has one must be that of the name, if that says one. */
int scion_fti_check_name(struct scion_fti_name name, sion_int64 ckptid);

/*
 * As scion_fti_read(), and what the name says must be true: the id of the checkpoint. A name of a
 * differential checkpoint makes the source one. Failures begin with the label.
 */
int scion_fti_read_named(struct scion_fti_source *source, const char *label,
                         struct scion_fti_name name, struct scion_fti_image *image);

#endif
