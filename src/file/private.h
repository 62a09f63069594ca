/* Shared by the files of this layer; nobody else includes this. */
#ifndef SCION_FILE_PRIVATE_H
#define SCION_FILE_PRIVATE_H

#include <assert.h>

#include "file/column.h"
#include "file/container.h"
#include "file/guard.h"

/* ---- what a container consists of ---- */

/* The files and tasks of a view that can select tasks. */
struct scion_tasks {
    struct scion_physical **files; /* [nopen]; of a mapped container they have no metadata */
    int nopen;
    struct scion_physical *recent[SCION_DESCRIPTORS]; /* those that have a descriptor */
    int most, next_recent;                            /* at most so many; 0: not yet known */
    struct scion_physical *selected; /* the stream's file, which keeps its descriptor; or NULL */

    /* [ntasks]; those of tasks that were never selected are zero. */
    struct scion_lengths *lengths;
    struct scion_mark *marks; /* positions of tasks that are not selected */
    sion_int64 *forgotten;    /* SCION_VIEW_ALL: bytes that each had, and has no more; or NULL */
    int *visited;     /* the task whose lengths were allocated before this one's, plus 1; 0: none */
    int last_visited; /* plus 1 */
};

/* Arrays over all tasks, made for queries; applications keep them until the close. */
struct scion_location_arrays;

struct scion_answers {
    struct scion_location_arrays *location_arrays; /* for scion_container_locations */
    sion_int64 *offsets, *chunks;                  /* for scion_container_cursors */
};

struct scion_serial_view {
    const struct scion_mapping *mapping; /* of file 0, or NULL */
    struct scion_writer_lock *lock;      /* writing; or NULL */
    struct scion_answers answers;
};

struct scion_rank_view {
    struct scion_physical
        *physical; /* the task's file; its arrays are read when they are asked for */
    struct scion_column column;
    struct scion_lengths lengths;
    sion_int64 forgotten; /* as scion_tasks.forgotten */
    int pair[2];          /* file and index of the task, for queries */
};

struct scion_parallel_view {
    struct scion_file *file; /* descriptor of this process */
    struct scion_lengths lengths;
    sion_int64 *used;                 /* what these are a view of, if reading */
    struct scion_piece_view *members; /* where the bytes of a member are, or NULL */
    struct scion_unzip_view *unzip;   /* its stream is compressed; or NULL */
    struct scion_guard *guard;        /* of the file; or NULL */
    struct scion_physical *physical;  /* writing, on the file's task 0; else NULL */
};

struct scion_commits;
struct scion_zips;

struct scion_mapped_view {
    struct scion_task_place *tasks;    /* [ntasks] */
    struct scion_task_place **by_rank; /* the same in order of rank */
    sion_int64 *used;                  /* reading: bytes in all chunks of each task */
    sion_int64 *locked;           /* [ntasks] instead, of those with wrong checksums, or NULL */
    int all;                      /* writing: tasks of all processes */
    struct scion_lengths nothing; /* used by the stream if there are no tasks */
};

/* Key-value index of every task that can be selected; made when first needed. */
struct scion_indexes {
    struct scion_keyval **keyvals; /* [n] */
    int n;
    int one_key; /* a duplicate that shows `key` only */
    uint64_t key;
};

/* What views do in different ways. */
struct scion_view_operations {
    enum scion_view view;

    /* Where a task is, by its index; NULL: no task can be selected. */
    struct scion_physical *(*locate)(const struct scion_container *container, int task, int *lrank,
                                     struct scion_place *place);

    /* Writing, after the stream's end, of which rc is the result: tables and names. The first
       failure. NULL: they are not this process's. */
    int (*finish)(struct scion_container *container, int rc);

    /* Free what the view has of its own; the first failure to close. */
    int (*free)(struct scion_container *container);
};

/* Reading: what the mode says of generations, of every state. */
struct scion_wanted {
    int generation, is_sound, sees_all;
};

struct scion_container {
    struct scion_front front;

    enum scion_view view;
    const struct scion_view_operations *operations;
    int writing;
    int appends;               /* writing: behind what the container had when it was opened */
    int keeps;                 /* writing: it has generations, */
    sion_int64 forget;         /* and those before this number go with the next one */
    int posix, buffered, sync; /* as in scion_mode */
    int publishes;             /* writing, serial: by the clock, when so many */
    double interval;           /* seconds have passed since */
    double published;          /* the last time */
    sion_int64 generation;     /* reading: the only one that is seen; 0: all */
    struct scion_wanted wanted;
    int merge;    /* reading: merged streams are read by members */
    int compares; /* reading, serial or of one rank: SCION_COMPARES_* */
    int keyval;   /* SION_KEYVAL_* */
    int compress; /* SCION_COMPRESS_*: as the mode says it */
    struct scion_zip_plan zip_plan;
    int is_duplicate;
    int uses_device; /* scion_device_hold was called */

    struct scion_meta1 head;
    int nfiles, ntasks, maxchunks;
    char *name;

    /* The selected task: its index among those of this container (-1: there are none), the rank by
       which sion_seek() names it, and its index in its file. */
    int selected, rank, lrank;
    struct scion_indexes indexes;
    struct scion_checksum_tap *sums; /* writing with checksums; or NULL */
    struct scion_commits *commits;   /* writing with trailers; else NULL */
    struct scion_zips *zips;         /* writing compressed streams; else NULL */
    const struct scion_owner *owner;
    void *owned;
    struct scion_ending ending; /* run NULL: none */

    struct scion_tasks tasks; /* SCION_VIEW_ALL, _MAPPED */
    union {
        struct scion_serial_view serial;
        struct scion_rank_view one;
        struct scion_parallel_view parallel;
        struct scion_mapped_view mapped;
    };
};

static_assert(offsetof(struct scion_container, front) == 0, "a container begins with its front");

/* ---- begin and end ---- */

/* An empty container; its stream has no task yet. */
int scion_container_new(const struct scion_view_operations *operations,
                        const struct scion_mode *mode, int writing, const struct scion_meta1 *head,
                        struct scion_container **container);

/* The part of the mode that another view of the same files needs, too. */
static inline struct scion_mode scion_container_mode(const struct scion_container *container)
{
    return (struct scion_mode){
        .posix = container->posix,
        .buffered = container->buffered,
        .keyval = container->keyval,
        .merge = container->merge,
        .generation = (int)container->generation,
        .all_generations = container->generation == 0,
        .compress = container->compress,
        .checksum = container->compares ? SCION_CHECKSUM_ON : SCION_CHECKSUM_OFF,
    };
}

/* The same for a newer state of these files. */
static inline struct scion_mode scion_container_mode_of_newer(const struct scion_container *old)
{
    struct scion_mode mode = scion_container_mode(old);

    mode.generation = old->wanted.generation;
    mode.all_generations = old->wanted.sees_all;
    mode.sound = old->wanted.is_sound;
    return mode;
}

/* Note what the mode of an open says of generations. */
static inline void scion_container_want(struct scion_container *container,
                                        const struct scion_mode *mode)
{
    container->wanted = (struct scion_wanted){mode->generation, mode->sound, mode->all_generations};
}

/* Set its name, which is copied. */
int scion_container_set_name(struct scion_container *container, const char *name);

/* Give up a container that was not opened to the end: nothing is written. */
void scion_container_free(struct scion_container *container);

/* Writing by one process, after the streams' end (rc): the tables, and the name if the file has
   another one yet. The first failure. */
int scion_serial_finish(struct scion_container *container, int rc);

/* The same with generations: all tasks are known from the start, so that none begins in a block of
   an older one; then each goes on in the first free block. */
int scion_serial_visit_all(struct scion_container *container);
int scion_serial_begin_generation(struct scion_container *container);

/* Writing on a container of one process: make checksums of all, also of what it has. */
int scion_checksum_go_on_serial(struct scion_container *container);

/* After META2 of a serial container: write its checksums. */
int scion_checksum_write_serial(struct scion_container *container,
                                const struct scion_mapping *mapping);

/* Writing: how it is published by the clock. What only the environment asks for is left out where
   it cannot be. */
void scion_publish_by_clock(struct scion_container *container, const struct scion_mode *mode);

/* Compare all data that can be read with their checksums, if the mode asks for that. */
int scion_checksum_verify_serial(struct scion_container *container, const struct scion_mode *mode);

/* Open a file for one of its tasks, whose global rank is said to be `rank`. */
int scion_container_open_member(const char *path, const struct scion_mode *mode, int rank,
                                int lrank, struct scion_container **container);

/*
 * A container of one rank: put the stream on it at a mark, or read it again, as it was opened.
 */
int scion_rank_enter(struct scion_container *container, const struct scion_mark *mark);
int scion_rank_open_again(const struct scion_container *container, const struct scion_mode *mode,
                          struct scion_container **again);

/* Of file `number` > 0 of a set: the name of file 0, unless the application has named its files
   itself. To be freed. */
char *scion_name_of_set(const char *name, int number);

/* ---- members of merged streams ---- */

/* Whether the files have streams of members, and the container shows them. */
int scion_container_shows_members(const struct scion_container *container,
                                  const struct scion_physical *physical);

/* All tasks of a container that one process has opened, before any has been read. */
int scion_container_show_all_members(struct scion_container *container);

/*
 * Of a file that is seen in another way: where each task begins in the view, and how many bytes it
 * has there; the arrays [ntasks] are taken over, and are NULL then. After that, as long as nothing
 * has been read: the stream goes on task 0 again.
 */
int scion_physical_take_tables(struct scion_physical *physical, sion_int64 **starts,
                               sion_int64 **bytes);
int scion_container_enter_again(struct scion_container *container);

/* ---- tasks that can be selected ---- */

/* Room for the container's tasks, none of which is visited. */
int scion_tasks_make(struct scion_tasks *tasks, int ntasks);
int scion_tasks_free(struct scion_tasks *tasks);

/* The task's lengths have been set, and are to be freed. */
void scion_tasks_visit(struct scion_tasks *tasks, int task);

/* Writing: a task that is not selected goes on in this block, or where it is behind that. */
int scion_tasks_leap(struct scion_tasks *tasks, int task, sion_int64 floor);

/* Open a file of a set again, and close the one that has been open longest. */
int scion_tasks_need_descriptor(struct scion_tasks *tasks, struct scion_physical *physical);

/* Where a task is. */
static inline struct scion_physical *scion_tasks_locate(const struct scion_container *container,
                                                        int task, int *lrank,
                                                        struct scion_place *place)
{
    return container->operations->locate(container, task, lrank, place);
}

/* The task that sion_seek means. */
int scion_container_find_task(const struct scion_container *container, int rank, int *task);

/* Put the stream on a task without leaving the old one. */
int scion_container_enter(struct scion_container *container, int task);

/* Where a task stands, selected or not. */
int scion_container_mark(struct scion_container *container, int task, struct scion_mark *mark);

/* ---- going on with a newer state ---- */

struct scion_generation;
struct scion_newer_task;
struct scion_newer_loss;

int scion_newer_fail_changed(const struct scion_container *container);
void scion_container_swap_tasks(struct scion_container *one, struct scion_container *other);

/* A task that was read, or is about to be, and stands at a mark, loses what is forgotten: list[n].
 */
void scion_container_add_loss(const struct scion_container *container, int task,
                              const struct scion_generation *list, int n,
                              const struct scion_newer_task *old, const struct scion_mark *mark,
                              struct scion_newer_loss *loss);

/* As scion_container_refresh, with all others. */
int scion_container_refresh_together(struct scion_container *container, sion_int64 *bytes);

/* ---- key-value indexes ---- */

/* Give a duplicate, of one task or of all (-1), what is known of the keys. */
int scion_container_copy_keyvals(const struct scion_container *container, int task,
                                 struct scion_container *duplicate);

/* Reading: what a task's stream has lost at its beginning; or nothing is left as it was. */
void scion_container_drop_keys(struct scion_container *container, int task, sion_int64 bytes);
void scion_container_forget_keys(struct scion_container *container);

/* Bytes of a task's stream that its index knows. */
sion_int64 scion_container_known_of_keys(const struct scion_container *container, int task);

void scion_indexes_free(struct scion_indexes *indexes);

/* ---- queries ---- */

void scion_answers_free(struct scion_answers *answers);

/* ---- physical files ---- */

/* A physical file with its name and nothing else. */
struct scion_physical *scion_physical_new(const char *path);

#endif
