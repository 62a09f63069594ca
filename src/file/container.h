/*
 * A container as one process sees it: its physical files, the task that is selected, and that
 * task's stream. Serial containers reach all tasks; a container opened for one rank, and a
 * process of a parallel one, reach just one; a process of a mapped one reaches those it asked for.
 */
#ifndef SCION_FILE_CONTAINER_H
#define SCION_FILE_CONTAINER_H

#include "base/mode.h"
#include "file/physical.h"
#include "keyval/keyval.h"
#include "stream/stream.h"

enum {
    /* A set of files keeps at most this many descriptors; others are opened again when needed. */
    SCION_DESCRIPTORS = 64
};

/* Who opened it: decides which tasks can be selected and who may close it. */
enum scion_view { SCION_VIEW_ALL, SCION_VIEW_RANK, SCION_VIEW_PARALLEL, SCION_VIEW_MAPPED };

/*
 * What sion_fwrite and sion_fread compare to know that they may go straight ahead: that the
 * container is open for this, and that records are not traced, in one test.
 */
enum { SCION_RECORDS_READ = 0, SCION_RECORDS_WRITTEN = 1, SCION_RECORDS_TRACED = 2 };

struct scion_parallel;
struct scion_attached;

/* Arrays over all tasks of a set of files in global order, made for sion_get_locations. */
struct scion_combined;

struct scion_comm;

/* What is known of a task of a parallel container when all have written their last byte. */
struct scion_closed_task {
    int rank;         /* global */
    const char *path; /* of its physical file */
    int lrank;        /* its index in that */
    struct scion_place place;
    const struct scion_lengths *lengths;
};

struct scion_closed {
    struct scion_comm *comm; /* of all processes */
    int status;              /* 0, or what has failed on this one, its reason in the error record */
    int is_mapped;
    const struct scion_closed_task *tasks; /* of this process: one; is_mapped: any, in any order */
    int ntasks;
};

/*
 * Joins the close of a parallel container that was open for writing: collective over comm, after
 * META2. The result is that of the close: the same on all, and 0 only if status is 0 on all.
 */
struct scion_hook {
    int (*closing)(void *user, const struct scion_closed *closed);
    void (*release)(void *user); /* in any case, at last */
    void *user;
};

/* A file that a task's data go to, or that it keeps for others. */
struct scion_io_entry {
    const char *name;
    sion_int64 bytes; /* of this task's data in it */
    int role;         /* SION_ROLE_* */
};

struct scion_container {
    enum scion_view view;
    int writing;
    int records;             /* SCION_RECORDS_READ or _WRITTEN, with _TRACED or without */
    int posix, buffered;     /* as in scion_mode */
    int keyval;              /* SION_KEYVAL_* */
    int nfiles;              /* as the header says */
    int ntasks;              /* SCION_VIEW_ALL: of all files; _MAPPED: of this process; else of
                                its physical file */
    int maxchunks;           /* most chunks of any task; reading */
    struct scion_meta1 head; /* of file 0; SCION_VIEW_RANK, _PARALLEL: of the task's file */

    struct scion_stream stream;
    int rank;  /* selected task: SCION_VIEW_ALL, _MAPPED: its index; else its global rank */
    int lrank; /* its index in its file */

    /* SCION_VIEW_ALL, _MAPPED; of the latter the files have no metadata */
    struct scion_physical **files; /* [nopen] */
    int nopen;
    struct scion_physical *recent[SCION_DESCRIPTORS]; /* those that have a descriptor */
    int next_recent;
    const struct scion_mapping *mapping; /* of file 0, or NULL */
    struct scion_lengths *lengths;       /* [ntasks], those of unvisited tasks are zero */
    struct scion_mark *marks;            /* [ntasks], where unselected tasks stand */
    struct scion_combined *combined;
    int all;                         /* SCION_VIEW_MAPPED, writing: tasks of all processes */
    struct scion_attached *attached; /* SCION_VIEW_MAPPED: [ntasks] */
    struct scion_attached **by_rank; /* the same in order of rank */

    /* SCION_VIEW_RANK: metadata of its file; SCION_VIEW_PARALLEL: NULL but on the file's task 0 */
    struct scion_physical *physical;
    struct scion_file *file;  /* SCION_VIEW_PARALLEL: this process's descriptor */
    struct scion_lengths own; /* chunk lengths of the one task */
    sion_int64 *own_used;     /* what `own` is a view of, if reading; freed with it */

    /* Key-value index of every task that can be selected; made when first needed. [nkeyvals] */
    struct scion_keyval **keyvals;
    int nkeyvals;
    int is_duplicate;
    int one_key; /* a duplicate that shows `key` only */
    uint64_t key;

    /* The files of a buddy checkpoint, 1, or 0 if there are not so many; the parallel layer's.
       NULL: no buddy checkpoint. */
    int (*io_entry)(struct scion_container *container, int index, struct scion_io_entry *entry);
    struct scion_parallel *parallel; /* the group that opened it; the parallel layer's */
    int *parts;                      /* numbers of the handle table that its files take; [nparts] */
    int nparts;

    /* Reading merged records: whether the collector's stream is at its end; the parallel layer's.
       NULL: that is so where the own stream is. */
    const int *at_end;

    struct scion_hook hook; /* closing NULL: none */

    char *name; /* of the file that `head` is of */

    int pair[2];            /* SCION_VIEW_RANK: file and index of the task, for queries */
    sion_int64 *cursors[2]; /* offsets and chunks of all tasks, given out by queries */
};

/* A serial container to be written. Arrays of ntasks; fsblksize <= 0: the file system's. */
struct scion_serial_plan {
    const char *name;
    const struct scion_mode *mode;
    int ntasks;
    int fsblksize;
    const sion_int64 *chunksizes;
    const int *globalranks;
};

int scion_container_create(const struct scion_serial_plan *plan,
                           struct scion_container **container);

/* Open a file, or through file 0 the whole set of files, for reading. */
int scion_container_open(const char *name, const struct scion_mode *mode,
                         struct scion_container **container);

/*
 * The same without a cursor for each task, in 32 bytes a task, 40 in sets, and 8 for each chunk of
 * each task: for who reads tables, and chunks by scion_container_read_chunk. Of all else only
 * locate, cost and close may be called.
 */
int scion_container_open_metadata(const char *name, const struct scion_mode *mode,
                                  struct scion_container **container);

/* Read bytes at `pos` of a chunk of any task. They must be used ones. */
int scion_container_read_chunk(struct scion_container *container, int rank, sion_int64 chunk,
                               sion_int64 pos, void *to, size_t bytes);

/*
 * Whether bytes from `pos` of a chunk on are a hole, and how many of them, at most *run > 0, are
 * alike.
 */
int scion_container_find_run(struct scion_container *container, int rank, sion_int64 chunk,
                             sion_int64 pos, sion_int64 *run, int *is_hole);

/* Open for one rank; of a set only the file that holds it. */
int scion_container_open_rank(const char *name, const struct scion_mode *mode, int rank,
                              struct scion_container **container);

/* Set `records` by the debug trace's present mask. */
void scion_container_choose_records(struct scion_container *container);

/* Permissions of new files, less the umask: 0666, in posix mode 0664. */
mode_t scion_permissions(const struct scion_mode *mode);

/* What a process of a parallel open needs to know of its task. */
struct scion_task {
    struct scion_place place;
    int rank;         /* global rank */
    int lrank;        /* index in the file */
    sion_int64 *used; /* reading: bytes per chunk, malloc'd, taken over; writing: NULL */
    sion_int64 count; /* reading: chunks */
};

/* A container for one task of a parallel open. file, name and used are taken over on success. */
int scion_container_attach(const struct scion_meta1 *head, const struct scion_mode *mode,
                           struct scion_file *file, char *name, const struct scion_task *task,
                           struct scion_container **container);

/*
 * Another descriptor and cursor on a container opened for reading, beginning where it stands. task:
 * of several that can be selected the one that the duplicate shows, or -1: all. key: the only one
 * that it shows, or NULL. What is known of the keys is copied.
 */
int scion_container_duplicate(struct scion_container *container, int task, const uint64_t *key,
                              struct scion_container **duplicate);

/*
 * Close and free in any case. Writing serially: writes what is buffered and META2. Parallel: only
 * what belongs to this process; META2 is written by the parallel layer before.
 */
int scion_container_close(struct scion_container *container);

/* Select a task: 0..ntasks-1. On an error the old one stays selected. */
int scion_container_select(struct scion_container *container, int rank);

/* sion_seek (doc/format.md says where things lie, sion_common.h what the arguments mean). */
int scion_container_seek(struct scion_container *container, int rank, int chunk,
                         sion_int64 position);

/* The key-value index of the selected task, which is the container's; reading. */
int scion_container_keyval(struct scion_container *container, struct scion_keyval **keyval);

/* Index of the physical file, and in it, of a task of SCION_VIEW_ALL. */
void scion_container_locate(const struct scion_container *container, int rank, int *file,
                            int *lrank);

/* ---- what it is ---- */

int scion_container_is_writing(const struct scion_container *container);
int scion_container_is_posix(const struct scion_container *container);
int scion_container_is_mapped(const struct scion_container *container);

/* Opened by several processes together, or a duplicate of such a container. */
int scion_container_is_shared(const struct scion_container *container);

/* Several tasks can be selected, by scion_container_select. */
int scion_container_has_tasks(const struct scion_container *container);
int scion_container_is_duplicate(const struct scion_container *container);

/* SION_KEYVAL_* */
int scion_container_keyval_mode(const struct scion_container *container);

/* Physical files, as the header says. */
int scion_container_nfiles(const struct scion_container *container);

/* Tasks: a serial container's; a mapped one's of this process; else its physical file's. */
int scion_container_ntasks(const struct scion_container *container);

/* Most chunks of any task; reading. */
int scion_container_maxchunks(const struct scion_container *container);

/* Of file 0; of a container of one task, that of the task's file. */
const struct scion_meta1 *scion_container_header(const struct scion_container *container);

/* Of the file that the header is of; the container's. */
const char *scion_container_name(const struct scion_container *container);

/* The stream is on the selected task. */
static inline struct scion_stream *scion_container_stream(struct scion_container *container)
{
    return &container->stream;
}

/* In one test: it is open for this kind of access, and records are not traced. */
static inline int scion_container_writes_plainly(const struct scion_container *container)
{
    return container->records == SCION_RECORDS_WRITTEN;
}

static inline int scion_container_reads_plainly(const struct scion_container *container)
{
    return container->records == SCION_RECORDS_READ;
}

/* Reading: whether the selected task's data are at their end; the cursor as scion_stream_at_end. */
int scion_container_at_end(struct scion_container *container, int *at_end);

/* The selected task: its index if several can be selected, else its global rank. */
int scion_container_rank(const struct scion_container *container);

/* Its index in its file. */
int scion_container_lrank(const struct scion_container *container);

/* Name (the container's) and number of its file. */
const char *scion_container_path(const struct scion_container *container, int *filenumber);

/* Serial and mapped: the files at hand, fewer than nfiles where one of a set was opened alone. */
int scion_container_nopen(const struct scion_container *container);
const struct scion_physical *scion_container_file(const struct scion_container *container,
                                                  int file);

/* One rank: its file. Parallel, writing: on the file's task 0. Else NULL. */
struct scion_physical *scion_container_physical(const struct scion_container *container);

/* Serial, a set of files: which task lies where. Else NULL. */
const struct scion_mapping *scion_container_mapping(const struct scion_container *container);

/* Chunk lengths of a task by its index; of a container of one task, that one's. */
const struct scion_lengths *scion_container_lengths(const struct scion_container *container,
                                                    int task);

/* ---- queries ---- */

/* Arrays over all tasks as sion_get_locations gives them; NULL where not known. */
struct scion_locations {
    int maxchunks;
    sion_int64 globalskip;
    sion_int64 start_of_varheader; /* -1 while writing */
    sion_int64 *chunksizes, *globalranks, *counts, *used;
};

int scion_container_locations(struct scion_container *container, struct scion_locations *locations);

/*
 * The pairs that sion_get_mapping gives: a set's; of one rank of a set, its own; NULL and their
 * number where a mapped container is written; else NULL and -1.
 */
int scion_container_pairs(struct scion_container *container, int **pairs);

/* The number of the file that sion_get_filenumber gives. */
int scion_container_filenumber(const struct scion_container *container);

/* Used bytes per chunk of the selected task, one after the other. */
int scion_container_task_chunks(struct scion_container *container, sion_int64 *count,
                                sion_int64 **used);

/* Absolute offset and chunk of every task's cursor; NULL for sets of files and single tasks. */
int scion_container_cursors(struct scion_container *container, sion_int64 **offsets,
                            sion_int64 **chunks);

/* Bytes of memory and number of descriptors that the container takes. */
void scion_container_cost(const struct scion_container *container, sion_int64 *bytes,
                          int *descriptors);

#endif
