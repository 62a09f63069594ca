/*
 * A container as one process sees it: its physical files, the task that is selected, and that
 * task's stream. There are four views: serial containers reach all tasks; a container opened for
 * one rank, and a process of a parallel one, reach just one; a process of a mapped one reaches
 * those it asked for.
 */
#ifndef SCION_FILE_CONTAINER_H
#define SCION_FILE_CONTAINER_H

#include "base/mode.h"
#include "file/physical.h"
#include "file/task_place.h"
#include "keyval/keyval.h"
#include "stream/stream.h"

/* Who opened it: decides which tasks can be selected and who may close it. */
enum scion_view { SCION_VIEW_ALL, SCION_VIEW_RANK, SCION_VIEW_PARALLEL, SCION_VIEW_MAPPED };

/*
 * What sion_fwrite and sion_fread compare to know that they may go straight ahead: that the
 * container is open for this, that records are neither traced nor counted, and that the program has
 * no devices, in one test.
 */
enum {
    SCION_RECORDS_READ = 0,
    SCION_RECORDS_WRITTEN = 1,
    SCION_RECORDS_TRACED = 2,
    SCION_RECORDS_COUNTED = 4,
    SCION_RECORDS_OF_DEVICES = 8 /* data may be in memory of a device */
};

struct scion_stats;
struct scion_container;

/* Of a container that is open for writing, for those who list them: the layer above. */
struct scion_unclosed {
    struct scion_container *next, *previous; /* in a list of them */
    int is_listed;
    int process;        /* that has opened it */
    int kind, speaks;   /* as the layer above has listed it */
    int is_told;        /* that it was not closed */
    sion_int64 written; /* bytes, when that was told */
};

/* What each record looks at. A container begins with it; the rest is seen by this layer only. */
struct scion_front {
    int records; /* SCION_RECORDS_READ or _WRITTEN, with _TRACED and _COUNTED or without */
    struct scion_stream stream;
    struct scion_stats *stats; /* NULL: nothing is counted; the container's */
    struct scion_unclosed unclosed;
};

struct scion_checksum_tap;
struct scion_comm;

/*
 * What is still written at the close, when the application has written its last byte, and at each
 * publish what has come since the one before: run is called before META2, while the streams and the
 * sid are as they were. Collective over comm in a parallel container, all tasks of which must have
 * one (a close without is an error on all); comm is NULL in a serial one. Each process returns its
 * own result: 0 or an error code.
 */
struct scion_ending {
    int (*run)(void *user, struct scion_comm *comm, int is_mapped);
    void (*published)(void *user); /* what run has written is there for readers */
    void (*restarted)(void *user); /* the container has been emptied */
    void (*release)(void *user);   /* always called at the end, to free it */
    void *user;
};

/* A file that a task's data go to, or that it keeps for others. */
struct scion_io_entry {
    const char *name;
    sion_int64 bytes; /* of this task's data in it */
    int role;         /* SION_ROLE_* */
};

/* The layers that open containers. */
enum scion_owner_layer { SCION_OWNER_API, SCION_OWNER_PARALLEL };

/*
 * What the layer that opened a container attaches to it: its own data, which this layer does not
 * know, and functions that answer for the container. Each function may be NULL.
 */
struct scion_owner {
    enum scion_owner_layer layer; /* by which it knows its containers */

    /* As scion_container_at_end; NULL: the stream says it. */
    int (*at_end)(struct scion_container *container, int *at_end);

    /* As scion_container_entry; NULL: -1. */
    int (*entry)(struct scion_container *container, int index, struct scion_io_entry *entry);

    /* Writing, before the stream is flushed: give to the system what the owner holds back. */
    int (*flush)(struct scion_container *container);

    /* The same at the end of the process, when nobody answers any more. */
    int (*save)(struct scion_container *container);

    /* Collective over all that have opened it: what scion_container_refresh does. NULL: the view
       does it. gone: bytes that the selected task had. */
    int (*refresh)(struct scion_container *container, sion_int64 *gone);

    /* Reading, collective as that: the generation that is seen; 0: all; -1: out of memory. */
    int (*generation)(struct scion_container *container, sion_int64 *number);

    /* Which of how many that make calls together this process or thread is. */
    int (*seat)(const struct scion_container *container, int *size);

    /* Called for a container that is closed while it still has this owner. */
    void (*free)(void *data);
};

struct scion_writer_lock;

/*
 * By one process of all, before any file of the container is touched: the lock of file 0, unless
 * the mode says no. create: file 0, if it is missing.
 */
int scion_lock_for_writing(const char *name, const struct scion_mode *mode, int create,
                           struct scion_writer_lock **lock);

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
 * The same without a cursor for each task: 32 bytes a task, 40 in sets, and 8 for each chunk of
 * each task. For programs that read tables, and chunks by scion_container_read_chunk. Otherwise,
 * only locate, cost and close may be called.
 */
int scion_container_open_metadata(const char *name, const struct scion_mode *mode,
                                  struct scion_container **container);

/*
 * The same of files that have been read, whose tables may say more than the disk does; of a set,
 * file 0 has the mapping. The array, malloc'd, and the files are taken over in any case.
 */
int scion_container_of_files(struct scion_physical **files, int nfiles,
                             const struct scion_mode *mode, struct scion_container **container);

/* Read bytes at `pos` of a chunk of any task. They must be used ones. */
int scion_container_read_chunk(struct scion_container *container, int task, sion_int64 chunk,
                               sion_int64 pos, void *to, size_t bytes);

/*
 * Whether bytes from `pos` of a chunk on are a hole, and how many of them, at most *run > 0, are
 * alike.
 */
int scion_container_find_run(struct scion_container *container, int task, sion_int64 chunk,
                             sion_int64 pos, sion_int64 *run, int *is_hole);

/* Open for one rank; of a set only the file that holds it. */
int scion_container_open_rank(const char *name, const struct scion_mode *mode, int rank,
                              struct scion_container **container);

/* Set `records` by the debug trace's present mask, by whether they are counted, and by whether the
   program has loaded the driver of a device. */
void scion_container_choose_records(struct scion_container *container);

/* What copies between devices and the host need stays until the container is closed. */
void scion_container_use_device(struct scion_container *container);

/* Permissions of new files, less the umask: 0666, in posix mode 0664. */
mode_t scion_permissions(const struct scion_mode *mode);

/* What a process of a parallel open needs to know of its task. */
struct scion_task {
    struct scion_task_place placed;
    sion_int64 *used; /* reading: the numbers of placed.count, malloc'd, taken over; writing: NULL
                       */
    int maxchunks;    /* reading: most chunks of any task in the file; 0: not known */
    int appends;      /* writing on: the numbers of `used` are the task's so far */
};

/* A container for one task of a parallel open. file, name and used are taken over on success. */
int scion_container_attach(const struct scion_meta1 *head, const struct scion_mode *mode,
                           struct scion_file *file, char *name, const struct scion_task *task,
                           struct scion_container **container);

/*
 * Such a container, of a task that appends, has learnt where its chunks are: go where the stream
 * ends. It can fail only for lack of memory.
 */
int scion_parallel_go_on(struct scion_container *container);

/* The same of a task that is damaged. Mapped containers: the selected one. */
int scion_parallel_lock_out(struct scion_container *container, const struct scion_damage *damage);
int scion_mapped_lock_out(struct scion_container *container, const struct scion_damage *damage);

/* The container takes the guard over, and all that is read of its file passes it. */
struct scion_guard;
void scion_parallel_watch(struct scion_container *container, struct scion_guard *guard);

/*
 * Such a container that is read, and of which nothing has been read yet, gets the stream of a
 * member instead of its task's: pieces of the file, which are taken over in any case. damage: why
 * it is not read, or NULL.
 */
struct scion_strides;
int scion_container_show_member(struct scion_container *container, struct scion_strides *pieces,
                                const struct scion_damage *damage);

/* Warn if merged streams are read as they are, by a container that one process has opened. */
void scion_container_warn_merged(const struct scion_container *container);

/* The metadata of a file that is written in parallel, on its task 0: taken over. */
void scion_container_keep_physical(struct scion_container *container,
                                   struct scion_physical *physical);

/*
 * The owner's data: attach them to a container, which frees them when it is closed; get them; or
 * detach them. NULL if the container has another owner or none.
 */
void scion_container_own(struct scion_container *container, const struct scion_owner *owner,
                         void *data);
void *scion_container_owned(const struct scion_container *container, enum scion_owner_layer layer);
void *scion_container_disown(struct scion_container *container, enum scion_owner_layer layer);

/*
 * Tell such a container its header and, of its file, the size of a block and the highest number of
 * chunks of any task. It can fail only for lack of memory.
 */
int scion_container_learn(struct scion_container *container, const struct scion_meta1 *head,
                          sion_int64 globalskip, int maxchunks);

/*
 * Another descriptor and cursor on a container opened for reading, beginning where it stands. task:
 * of several that can be selected the one that the duplicate shows, or -1: all. key: the only one
 * that it shows, or NULL. The key-value index, as far as it was made, is copied.
 */
int scion_container_duplicate(struct scion_container *container, int task, const uint64_t *key,
                              struct scion_container **duplicate);

/*
 * Writing: give what is buffered to the system, in posix mode to the disk; with trailers, this is
 * what makes it certain, for all tasks of the process.
 */
int scion_container_flush(struct scion_container *container);

/*
 * Writing: the streams that this process has compressed end with the tables of their frames. Local;
 * the first failure. Others are left as they are.
 */
int scion_container_finish_zips(struct scion_container *container);

/* Whether what is written so far can be published: 0, or an error. */
int scion_publish_check(const struct scion_container *container);

/*
 * Writing, by one process for all tasks: what is written so far becomes a state that readers see.
 * If that fails, the state before it stays.
 */
int scion_container_publish(struct scion_container *container);

/* Whether the mode says that it is published by now; only of what one process writes. */
int scion_container_is_due(const struct scion_container *container);

/*
 * Writing: whether readers see a state that tasks of this process have published, or that was there
 * before; news: bytes that these have written since then.
 */
int scion_container_was_published(const struct scion_container *container, sion_int64 *news);

/*
 * Writing: the container has generations (file/generations.h). Those before this number go with the
 * next state, which all tasks have to say; 0: none.
 */
void scion_container_keep(struct scion_container *container);
int scion_container_forget_before(struct scion_container *container, sion_int64 before);
void scion_container_note_forgotten(struct scion_container *container);
sion_int64 scion_container_forgets(const struct scion_container *container);

/* Of one task in parallel: whether it has bytes that were not published; chunks that are gone. */
int scion_container_has_bytes(const struct scion_container *container);

/* Whether it has written some that no published state has, as far as lengths tell: that of the
   selected task counts what was flushed, or noted by scion_stream_pos(). */
int scion_container_has_news(const struct scion_container *container);
void scion_container_drop_chunks(struct scion_container *container, sion_int64 chunks);

/*
 * Writing, at the end of the process, which has not closed the container: do what is left to do of
 * a flush, without a change that another thread in the middle of a record could notice. Local.
 * *bytes: of all tasks of this process so far. 0 or an error code; SCION_IN_A_CALL: a call that
 * changes the container has not ended, so nothing was done.
 */
enum { SCION_IN_A_CALL = -201 };

int scion_container_save(struct scion_container *container, sion_int64 *bytes);

/* In a child of the process that has opened it: nothing of it is the child's to write. */
void scion_container_forget(struct scion_container *container);

/* The name by which sionrecover finds it: of file 0 as it is called before the close. The caller
   frees it. NULL: out of memory. */
char *scion_container_unclosed_name(const struct scion_container *container);

/* Writing: the last flush, and the stream's end; a second time does nothing. */
int scion_container_end_stream(struct scion_container *container);

/*
 * Close and free in any case. Writing serially: writes what is buffered and META2. Parallel: only
 * what belongs to this process; META2 is written by the parallel layer before.
 */
int scion_container_close(struct scion_container *container);

/* Writing: what sion_flush, and what the close, has to put on the disk. */
int scion_mode_syncs_flush(const struct scion_mode *mode);
int scion_container_syncs_flush(const struct scion_container *container);
int scion_container_syncs_close(const struct scion_container *container);

/* Wait until what this process has written is on the disk. */
int scion_container_sync(struct scion_container *container);

/* Fail if a write of this process, which its caller was told, or a flush to the disk has failed. */
int scion_container_check_written(const struct scion_container *container);

/* Make checksums of all that is written from now on. */
int scion_checksum_make(struct scion_container *container);

/* NULL: none are made. */
struct scion_checksum_tap *scion_checksum_tap_of(const struct scion_container *container);

/* Select a task by its index: 0..ntasks-1. On an error the old one stays selected. */
int scion_container_select(struct scion_container *container, int task);

/* sion_seek (doc/format.md says where things are, sion_common.h what the arguments mean). */
int scion_container_seek(struct scion_container *container, int rank, int chunk,
                         sion_int64 position);

/* Memory that streams are read into. */
struct scion_read_buffer {
    void *data;
    sion_int64 bytes;
};

/*
 * The size of a task's stream, and the whole streams of n tasks, each at its start in the room; the
 * tasks are named as for sion_seek, and their cursors stay. Reading; not of records with keys.
 */
int scion_container_stream_size(struct scion_container *container, int rank, sion_int64 *bytes);
int scion_container_gather(struct scion_container *container, int n, const int *ranks,
                           const sion_int64 *starts, const struct scion_read_buffer *room,
                           sion_int64 *done);

/* The key-value index of the selected task, which is the container's; reading. */
int scion_container_keyval(struct scion_container *container, struct scion_keyval **keyval);

/* Index of the physical file, and in it, of a task of SCION_VIEW_ALL. */
void scion_container_locate(const struct scion_container *container, int task, int *file,
                            int *lrank);

/* ---- what it is ---- */

int scion_container_is_writing(const struct scion_container *container);
int scion_container_is_posix(const struct scion_container *container);
int scion_container_is_mapped(const struct scion_container *container);

/* Writing: its chunks have trailers, so that a flush is certain. */
int scion_container_commits(const struct scion_container *container);

/* Its streams are compressed. */
int scion_container_is_zipped(const struct scion_container *container);

/* Why a task is not read, by its index; of a container of one task, that one. NULL: it is. */
const struct scion_damage *scion_container_damage(const struct scion_container *container,
                                                  int task);

/* Whether several processes opened it together, or it is a duplicate of such a container. */
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
const struct scion_meta1 *scion_container_head(const struct scion_container *container);

/* Of the file that the head is of; the container's. */
/* Of one that was opened in parallel: the name by which this process has opened its file. */
const char *scion_container_opened(const struct scion_container *container);

const char *scion_container_name(const struct scion_container *container);

static inline const struct scion_front *
scion_container_front(const struct scion_container *container)
{
    return (const struct scion_front *)container;
}

/* The stream is on the selected task. */
static inline struct scion_stream *scion_container_stream(struct scion_container *container)
{
    return &((struct scion_front *)container)->stream;
}

static inline struct scion_unclosed *scion_container_unclosed(struct scion_container *container)
{
    return &((struct scion_front *)container)->unclosed;
}

/* Whether the program had loaded the driver of a device when that was last looked at. */
static inline int scion_container_may_have_devices(const struct scion_container *container)
{
    return (scion_container_front(container)->records & SCION_RECORDS_OF_DEVICES) != 0;
}

/* In one test: the container is open for this kind of access, records are neither traced nor
   counted, and their data are in memory of the host. */
static inline int scion_container_writes_plainly(const struct scion_container *container)
{
    return scion_container_front(container)->records == SCION_RECORDS_WRITTEN;
}

static inline int scion_container_reads_plainly(const struct scion_container *container)
{
    return scion_container_front(container)->records == SCION_RECORDS_READ;
}

/* Reading: whether the selected task's data are at their end; the cursor as scion_stream_at_end. */
int scion_container_at_end(struct scion_container *container, int *at_end);

/* The selected task: its index among those of the container; -1: there are none. */
int scion_container_selected(const struct scion_container *container);

/* The rank by which sion_seek() names it: serial, its index; else its global rank. */
int scion_container_rank(const struct scion_container *container);

/* Its index in its file. */
int scion_container_lrank(const struct scion_container *container);

/* Name (the container's) and number of its file. */
const char *scion_container_path(const struct scion_container *container, int *filenumber);

/* Serial and mapped: number of open files, fewer than nfiles if one file of a set was opened
   alone. */
int scion_container_nopen(const struct scion_container *container);
const struct scion_physical *scion_container_file(const struct scion_container *container,
                                                  int file);

/* Open again, until too many others are. */
int scion_container_need_file(struct scion_container *container, int file,
                              struct scion_file **opened);

/* One rank: the chunk size that its file says. */
sion_int64 scion_container_rank_chunksize(const struct scion_container *container);

/* One rank: its file. Parallel, writing, on the file's task 0: the metadata of the file. Else
   NULL. */
struct scion_physical *scion_container_physical(const struct scion_container *container);

/* Serial, a set of files: which task is where. Else NULL. */
const struct scion_mapping *scion_container_mapping(const struct scion_container *container);

/* Chunk lengths of a task by its index; of a container of one task, that one's. */
const struct scion_lengths *scion_container_lengths(const struct scion_container *container,
                                                    int task);

/* Writing in parallel: all that its tasks have written has been published. */
void scion_container_note_published(struct scion_container *container);

/*
 * Reading: go on with the newest state of the container, at the same positions. bytes: how many
 * more the selected task has than before. If it fails, all is as it was.
 */
int scion_container_refresh(struct scion_container *container, sion_int64 *bytes);

/*
 * Reading: the generation that is seen, or 0: all that there is; and how many bytes the selected
 * task has had since the open, and has no more. Collective where scion_container_refresh() is.
 */
int scion_container_generation(struct scion_container *container, sion_int64 *number,
                               sion_int64 *forgotten);

/*
 * The same for a task, or for several tasks of this process, of a container that was opened by all
 * together, which have opened it again: 0 if `again` has all that is left of it, or shows another
 * generation of it. Then exchange them: each has the files and the lengths of the other, and the
 * container's cursors stay where they are, or where their data begin; or they go to the start. That
 * can fail, and then nothing has changed. After it, there is the way back, or what is known of keys
 * that are gone is dropped; both are local, and cannot fail.
 */
struct scion_newer_step; /* file/newer.h */
int scion_container_goes_on(const struct scion_container *container,
                            const struct scion_container *again,
                            const struct scion_newer_step *step);
int scion_container_exchange(struct scion_container *container, struct scion_container *again,
                             struct scion_newer_step *step);
void scion_container_exchange_back(struct scion_container *container, struct scion_container *again,
                                   const struct scion_newer_step *step);
void scion_container_drop_old_keys(struct scion_container *container,
                                   const struct scion_container *again,
                                   const struct scion_newer_step *step);

/* ---- the end ---- */

/* Whether it is written and has generations. */
int scion_container_keeps(const struct scion_container *container);

/* Whether it is written on, behind what it had when it was opened. */
int scion_container_appends(const struct scion_container *container);

/* *ending is copied. */
void scion_container_set_ending(struct scion_container *container,
                                const struct scion_ending *ending);

/* NULL: none. */
const struct scion_ending *scion_container_ending(const struct scion_container *container);

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

/*
 * The files of a buddy checkpoint that a task's data are written to, or that it keeps: 1, 0 if
 * there are not so many, -1 if it is no such container.
 */
int scion_container_entry(struct scion_container *container, int index,
                          struct scion_io_entry *entry);

/* As scion_owner.seat; 0 of 1: nobody else makes calls with it. */
int scion_container_seat(const struct scion_container *container, int *size);

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
