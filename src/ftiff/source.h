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

/* Open the stream of a task of an open container, which selects the task. */
struct scion_fti_stream_source {
    struct scion_fti_source source;
    int sid, task; /* task: as sion_seek takes it */
};

int scion_fti_open_stream(int sid, int task, struct scion_fti_stream_source *source);

/*
 * The kind of the files that were packed into a container, according to the first name in the list
 * in its last task; SCION_FTI_FOREIGN if there is no list. This selects the task.
 */
int scion_fti_packed_kind(int sid, int task, enum scion_fti_kind *kind);

/* An error if the layout stores the id of the checkpoint and the name has another one. */
int scion_fti_check_name(struct scion_fti_name name, sion_int64 ckptid);

/*
 * As scion_fti_read(); also, the id of the checkpoint must be that in the name. If the name is that
 * of a differential checkpoint, the source is one. Messages begin with the label.
 */
int scion_fti_read_named(struct scion_fti_source *source, const char *label,
                         struct scion_fti_name name, struct scion_fti_image *image);

#endif
