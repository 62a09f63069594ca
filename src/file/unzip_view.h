/*
 * A file whose streams are compressed, seen as their plain bytes: task after task from offset 0 on.
 * What is read of it is decompressed frame by frame.
 */
#ifndef SCION_FILE_UNZIP_VIEW_H
#define SCION_FILE_UNZIP_VIEW_H

#include "format/damage.h"
#include "format/frames.h"
#include "geometry/layout.h"
#include "stream/lengths.h"
#include "vfs/vfs.h"
#include "vfs/view.h"

/* A stream as it is stored, and its frames. */
struct scion_zipped_task {
    int task; /* its index in the file, for messages */
    struct scion_place place;
    sion_int64 *used; /* of its chunks; belongs to it */
    struct scion_lengths lengths;
    struct scion_zip_head head;
    sion_int64 n;               /* frames */
    int has_table;              /* they are those of a seek table at the end */
    sion_int64 *stored, *plain; /* [n + 1] where each begins */
    sion_int64 base;            /* offset of its first byte in the view */
};

struct scion_unzip_view;

/* A view of no task. NULL: out of memory. */
struct scion_unzip_view *scion_unzip_view_new(void);
struct scion_unzip_view *scion_unzip_view_copy(const struct scion_unzip_view *from);
/* Of one of its tasks, by its index in the file, if it has it: as much memory as that needs. */
struct scion_unzip_view *scion_unzip_view_copy_task(const struct scion_unzip_view *from, int task);
void scion_unzip_view_free(struct scion_unzip_view *unzip_view); /* NULL: nothing */

/* What reading took is not needed for a while. */
void scion_unzip_view_rest(struct scion_unzip_view *unzip_view);

/*
 * The next task of the file, which has no view yet: its table of frames is read, or made of them.
 * Damage of the stream is no failure, but told, and the task has no bytes.
 */
int scion_unzip_view_add(struct scion_unzip_view *unzip_view, struct scion_file *file, int task,
                         const struct scion_place *place, const struct scion_lengths *lengths,
                         struct scion_damage *damage);

/* All tasks so far: where the next one begins. */
sion_int64 scion_unzip_view_bytes(const struct scion_unzip_view *unzip_view);

/* Of the task that begins there: bytes of the frames that are stored before a chunk. */
sion_int64 scion_unzip_view_before(const struct scion_unzip_view *unzip_view, sion_int64 base,
                                   sion_int64 chunk);

/* Of a task, by its index in the file: bytes, and frames that hold some. */
struct scion_zipped_facts {
    sion_int64 stored, plain, frames;
    sion_int64 unread; /* stored bytes at the end that are no frame */
    struct scion_zip_head head; /* all zero: it has no bytes */
};

/* 0: the view is NULL, or has no such task. */
int scion_unzip_view_facts(const struct scion_unzip_view *unzip_view, int task,
                           struct scion_zipped_facts *facts);

const struct scion_file_view *scion_unzip_view_of(const struct scion_unzip_view *unzip_view);

#endif
