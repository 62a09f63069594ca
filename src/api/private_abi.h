/*
 * The private ABI, for libraries besides the core, of the same build: the location of a task's
 * bytes, a tap on what it writes, a hook at its close. As those of parallel.h, these functions are
 * visible, but not a public interface. They return 0, or an error code with its reason in the error
 * record, and print nothing.
 */
#ifndef SCION_API_PRIVATE_ABI_H
#define SCION_API_PRIVATE_ABI_H

#include "device/device.h"
#include "file/container.h"
#include "parallel/hook.h"

#pragma GCC visibility push(default)

/* One task of a container: chunk b has used[b * stride] bytes, from its start on. */
struct sion_layer_part {
    const char *path; /* of its physical file */
    int file, lrank;  /* number of that, in this set, and the task's index in it */
    sion_int64 globalrank, chunksize, fsblksize;
    int is_zipped; /* its stream is compressed: the place is that of the plain bytes, not in the
                      file */
    int is_merged; /* its file says whose the bytes of merged streams are; these are the streams */
    struct scion_place place;
    sion_int64 count;
    const sion_int64 *used;
    size_t stride;
};

struct sion_layer_parts;

/*
 * Open a container to look at all its tasks. It gets no sid. mode: as that of an open for reading.
 * reads: its files are read only by sion_layer_parts_read(); otherwise all data that have checksums
 * are compared now, if that is wanted.
 */
int sion_layer_parts_open(const char *name, const char *mode, int reads,
                          struct sion_layer_parts **parts);
int sion_layer_parts_count(const struct sion_layer_parts *parts);

/* Describe task 0 <= task < count. What *part points to belongs to the container. O(1). */
void sion_layer_parts_get(const struct sion_layer_parts *parts, int task,
                          struct sion_layer_part *part);
/* The same of the task with an index in a file, 0 <= file < files, 0 <= lrank < tasks of the file.
 */
int sion_layer_parts_files(const struct sion_layer_parts *parts);
int sion_layer_parts_tasks(const struct sion_layer_parts *parts, int file);
void sion_layer_parts_at(const struct sion_layer_parts *parts, int file, int lrank,
                         struct sion_layer_part *part);

/* Fail if a task is damaged, so that nothing of it can be read: its part is that of an empty one.
 */
int sion_layer_parts_check(const struct sion_layer_parts *parts, int task);

/* Read all these bytes of a file, 0 <= file < files. */
int sion_layer_parts_read(const struct sion_layer_parts *parts, int file, void *to,
                          sion_int64 bytes, sion_int64 offset);

/* How many of the bytes are a hole of the file: in *hole, from the first on. */
int sion_layer_parts_hole(const struct sion_layer_parts *parts, int file, sion_int64 bytes,
                          sion_int64 offset, sion_int64 *hole);
void sion_layer_parts_close(struct sion_layer_parts *parts);

/*
 * Put a tap and a hook on a container that was opened in parallel for writing, mapped or not.
 * Local; all processes must do it, before they write. On an error hook->release is not called.
 */
int sion_layer_attach(int sid, const struct scion_tap *tap, const struct scion_hook *hook);

/* The hook of a container; NULL: it has none, or the sid is invalid. */
const struct scion_hook *sion_layer_hook(int sid);

/*
 * Put an ending (struct scion_ending) on a container that is open for writing, by any interface.
 * Local; all processes must do it. On an error ending->release is not called.
 */
int sion_layer_attach_ending(int sid, const struct scion_ending *ending);

/* The `user` pointer of the container's ending if it has this function; else NULL. Fast. */
void *sion_layer_ending(int sid, int (*run)(void *user, struct scion_comm *comm, int is_mapped));

/* The position of the selected task of a container that is open for writing. */
struct sion_layer_room {
    int task, tasks; /* index among the tasks that this process can select, and their number */
    int rank;        /* for sion_seek */
    sion_int64 stream, offset;  /* bytes before the position in its stream (of one that keeps
                                   generations: in the present one), and in its file */
    sion_int64 left, chunksize; /* free bytes in the chunk, of chunksize */
    sion_int64 next;            /* where its next chunk begins in the file */
    sion_int64 buffer;          /* records of at least this size are not buffered */
};

int sion_layer_room(int sid, struct sion_layer_room *room);

/*
 * Whether a container is written on, behind what it had when it was opened. *name: the container's,
 * on the process that has its first task, malloc'd; NULL on others. 1, 0, or an error.
 */
int sion_layer_appends(int sid, char **name);

/* Whether a container that is written keeps generations, each of which is read by itself. */
int sion_layer_keeps(int sid);

/* Whether tasks of this process have written bytes since the last publish: 1, 0, or an error. */
int sion_layer_has_news(int sid);

/* Read the last bytes of the stream of the selected task of such a container, which has so many. */
int sion_layer_read_end(int sid, void *to, sion_int64 bytes);

/*
 * Data in memory of a device: whether they are there, and the functions of device.h. A sid's
 * container holds what the copies need until it is closed; others hold it by themselves.
 */
int sion_layer_device_find(int sid, const void *data, struct scion_device_place *place);
int sion_layer_device_fetch(const struct scion_device_place *place, const void *data, size_t bytes,
                            scion_device_take *take, void *user);
int sion_layer_device_store(const struct scion_device_place *place, void *data, size_t bytes,
                            scion_device_give *give, void *user);
void sion_layer_device_hold(int is_held); /* 0: no longer */

/* Put a failure into the error record. */
void sion_layer_fail(int code, const char *text);

/* One line of warning, as the library's own. */
void sion_layer_warn(const char *text);

/*
 * The name of the selected task's physical file, which belongs to the container, and the file's
 * number. NULL: invalid sid.
 */
const char *sion_layer_path(int sid, int *filenumber);

/* Whether a parallel container has the task of a global rank in this process. */
int sion_layer_has_rank(int sid, int rank);

#pragma GCC visibility pop

#endif
