/*
 * One physical file of a container: its metadata as arrays, read and checked, or written.
 * Written once for serial and parallel containers; in parallel only the file's task 0 holds one.
 */
#ifndef SCION_FILE_PHYSICAL_H
#define SCION_FILE_PHYSICAL_H

#include <sys/stat.h>
#include <sys/types.h>

#include "format/meta1.h"
#include "format/meta2.h"
#include "format/state.h"
#include "geometry/collective.h"
#include "geometry/layout.h"
#include "stream/lengths.h"
#include "vfs/path.h"
#include "vfs/older.h"

enum {
    /* Longest file name in bytes, so that ".000001" and a NUL still fit into 1024. */
    SCION_NAME_MAX = 1016
};

struct scion_generations;
struct scion_growth;
struct scion_guard;
struct scion_window;
struct scion_piece_view;
struct scion_unzip_view;
struct scion_writer_lock;

/* Global ranks of tasks that have 32 bits, `stride` of them apart. Whoever has made them hands them
   over to a file that was created, which frees `all`. */
struct scion_small_ranks {
    const uint32_t *ranks; /* NULL: none */
    size_t stride;
    uint32_t *all;
};

struct scion_physical {
    char *path;
    char *final;                    /* the name that it gets at the close, or NULL */
    int is_beside;                  /* this one makes it, and gives it that name or removes it */
    struct scion_older seen;        /* what had that name when it was made */
    struct scion_writer_lock *lock; /* of the path, while it is not the name; or NULL */
    int is_derived;          /* the library has made the path: no link is followed to write it */
    struct scion_file *file; /* NULL while it is suspended */
    struct scion_window *window; /* while it is read: what was read together; or NULL */
    dev_t device;                /* which file it is, and its size; known when it was read, */
    ino_t inode;                 /* or suspended */
    sion_int64 size;
    int is_written;
    int is_durable, is_flushed; /* as in the plan */
    int synced;                 /* 0, or why something may not be on the disk */
    struct scion_harm harm;     /* of the file, while it is suspended */
    sion_int64 behind;  /* written: where the next thing goes that SIONlib does not look at */
    int grows;          /* written: it can be read already, or soon: the tail comes last of all */
    int is_ready;       /* of one that grows: its new tables are complete */
    sion_int64 floor;   /* of one that grows: chunks are begun in this block or later ones */
    sion_int64 bytes;   /* written: of all tasks, by the last tables */
    int tail_maxchunks; /* of one that grows: what the tail says; 0, 0: nothing yet */
    sion_int64 tail_start;
    int is_back;                 /* read: an older state than the tail says, which is in tail_*; */
    sion_int64 newest_floor;     /* and the first block behind the newest one */
    sion_int64 states;           /* written: states that it has, or has tried to make */
    struct scion_state state;    /* of one that grows, or is read: generation 0: it has no record */
    struct scion_growth *growth; /* of one that is published; else NULL */
    struct scion_generations *generations; /* NULL: it has none */
    int has_odd_generations;               /* read: it has some, but their record is damaged */
    sion_int64 view_number;                /* read: the generation that is seen; 0: all */
    sion_int64 view_first, view_end; /* read: only chunks from the first one on have bytes, up to
                                        the end; 0, 0: all */
    int has_front, is_in_area; /* read: what may be a record in front of META2 is here; it is */
    unsigned char front[SCION_STATE_RECORD], tail[SCION_META1_TAIL]; /* as they were read */
    struct scion_meta1 head;
    struct scion_layout layout;
    int grain;   /* scion_meta1_grain() */
    int trailer; /* bytes at the end of a chunk that are not for data; writing */
    sion_int64
        *globalranks; /* [ntasks]; writing, NULL: as `small`; or task t is rank first_rank + t */
    struct scion_small_ranks small;
    int first_rank;
    sion_int64 *chunksizes;     /* [ntasks] as stored; NULL: created with is_passing */
    sion_int64 *starts;         /* [ntasks]; likewise */
    struct scion_group *groups; /* [ntasks] written collectively; else NULL */

    /* META2; reading only. */
    int maxchunks;
    sion_int64 start_of_varheader; /* -1 while writing */
    sion_int64 *counts;            /* [ntasks] */
    sion_int64 *used;              /* [maxchunks * ntasks], chunk b of task t at b * ntasks + t */
    sion_int64 *all_used;          /* the same of all generations, if one is seen; else NULL */
    struct scion_meta2_odd odd;    /* what was found in these */
    struct scion_damages damages;  /* tasks that cannot be read: here they have one empty chunk */
    struct scion_mapping mapping;  /* of a set of files, in file 0; else size is -1 */
    sion_int64 members_at;         /* where the record of members begins; 0: it has none */
    sion_int64 sums_at;            /* the same of the checksums */
    int has_late_sums;             /* they are such as readers look for while they read the data */
    struct scion_piece_view *members; /* it is seen by members; else NULL */
    struct scion_unzip_view *unzip;   /* it is seen decompressed; else NULL */
    struct scion_guard *guard;        /* compares what is read with checksums; or NULL */
};

/* Check a container's name: not NULL, not empty, not too long. */
int scion_name_check(const char *name);

/* Name of file number `number` of a set: name itself, or name.NNNNNN; freed by the caller. */
char *scion_physical_name(const char *name, int number);

/* Whether the header says that it is a file of a set other than file 0, but the name does not. */
int scion_physical_is_misnamed(const struct scion_physical *physical);

/*
 * Open, read and check everything. O(tasks * chunks). Damage of one task's numbers is no failure
 * but a warning.
 */
int scion_physical_read(const char *path, struct scion_physical **physical);

/* The same by a process that has the container's lock, and so is the only one that writes it. */
int scion_physical_read_locked(const char *path, struct scion_physical **physical);

/* Warn of n > 0 tasks that cannot be read, and of what is wrong with one of them. */
/* The tables have been read: a task of which something else is damaged becomes an empty one. */
int scion_physical_lock_out(struct scion_physical *physical, const struct scion_damage *damage);

/* Warns of the first of n damaged tasks. */
void scion_damage_warn(const char *path, const struct scion_damage *damage, int n);
void scion_physical_warn(const struct scion_physical *physical, const struct scion_damage *damage,
                         int n);

/* Read what is not there yet of a file of which one task was read. */
int scion_physical_complete(struct scion_physical *physical);

/*
 * The same for a file that may never have been closed: what is written at open. Places are those
 * that a writer has, without trailers.
 */
int scion_physical_read_first(const char *path, struct scion_physical **physical);

/* Fail because a file has not the nonce of file 0 of its set. */
int scion_physical_fail_together(const char *path);

/*
 * Check that a file is number `number` of the set whose file 0 has the header `master`; only its
 * nfiles, format_version, big_endian and flags are used.
 */
int scion_physical_check_member(const struct scion_physical *physical,
                                const struct scion_meta1 *master, int number);

/*
 * A writer switches file 0 of a set last: a file that was read whole (or one task of it) goes back
 * to the state that file 0 has, by its number. Its tables are read again, if that is an older one.
 */
int scion_physical_go_back(struct scion_physical *physical, sion_int64 generation);
int scion_column_go_back(struct scion_physical *physical, sion_int64 generation);

/* Check that a member of a set has task `lrank`, and that it is the one of this global rank. */
int scion_physical_check_task(const struct scion_physical *member, int lrank, sion_int64 rank);

/* The two steps of it; found: the task's global rank. */
int scion_physical_check_lrank(const struct scion_physical *member, int lrank);
int scion_physical_check_rank(const struct scion_physical *member, int lrank, sion_int64 found,
                              sion_int64 rank);

/* Close the descriptor, and open the file again. It is an error if the name now belongs to another
   file, or if the size of a file that is read has changed. */
int scion_physical_suspend(struct scion_physical *physical);
int scion_physical_resume(struct scion_physical *physical);

/* Description of a new file. The arrays have head.ntasks elements and belong to the caller. */
struct scion_physical_plan {
    struct scion_meta1 head;      /* fsblksize <= 0: take the file system's */
    const sion_int64 *chunksizes; /* requested */
    size_t stride; /* from one of them, or of small_sizes, to the next; 0 counts as 1 */
    int is_even;   /* with is_passing: the first one is that of all tasks */
    const uint32_t *small_sizes;    /* with is_passing: these instead; or NULL */
    const sion_int64 *globalranks;  /* NULL: task t is rank first_rank + t, */
    struct scion_small_ranks small; /* with is_passing: or these */
    int first_rank;
    const struct scion_group_criteria
        *criteria;  /* for collective writing; NULL: each task by itself */
    int is_passing; /* no sizes and starts of tasks are kept, so no task's place can be asked for;
                       with criteria only if is_even, and then *even says the groups */
    struct scion_even_groups *even;
    mode_t permissions;
    const struct stat *made; /* NULL, or the file of this path that the caller has just made */
    int is_durable;          /* scion_physical_finish() waits until all is on the disk */
    int keep;       /* generations that the file keeps; 0: it has none, or goes on as it is */
    int is_flushed; /* what tasks flush goes to the disk, so what finds it again does at the open */
    int is_derived; /* the library has made the path, not the application */
    int is_locked;  /* with `final`: the new file is locked, too, so that its name will be */
    int is_staged;  /* with `final`: another one will give it that name */
    const char *beside; /* the file whose block size counts; NULL: its own */
    const char
        *final; /* NULL: the path is its name; else what scion_physical_commit() makes of it */
};

/*
 * What applications are told: the name that the file will have, if it has not got it yet.
 */
const char *scion_physical_final(const struct scion_physical *physical);

/* Fail if a write to the file has failed, or a flush of it to the disk. */
int scion_physical_check_written(const struct scion_physical *physical);

/*
 * A file that was made next to another one: check that no write has failed, give it that one's
 * attributes (vfs/older.h), wait until all of it is on the disk, and then give it the name of that
 * one, unless another program has made a file of that name since the open: SION_ERR_BUSY, and the
 * new one is kept under its path. Other files are left alone. What has not got its name when it is
 * closed is removed, unless it has commit records.
 */
int scion_physical_settle(struct scion_physical *physical);
int scion_physical_commit(struct scion_physical *physical);

/*
 * Where file `number` of an atomic container that is called `base` is made, if `path` is the name
 * that it will have: in that folder, .CORE.NONCE.new, and as file 1 .CORE.NONCE.new.000001, so that
 * these are a set, too. To be freed. flag2: of its header. NULL: out of memory.
 */
char *scion_physical_beside(const char *base, const char *path, sion_int64 flag2, int number);

/* Create or empty path, compute the layout, write META1 but for its tail. */
int scion_physical_create(const char *path, const struct scion_physical_plan *plan,
                          struct scion_physical **physical);

/*
 * Of a file that was created with is_passing: the place of each task, in their order, by the size
 * that was requested for it. *next is 0 before the first one.
 */
struct scion_place scion_physical_next_place(const struct scion_physical *physical,
                                             sion_int64 requested, sion_int64 *next);

/* Another layout of an open file, not in force yet. */
struct scion_layout_plan {
    sion_int64 *chunksizes, *starts; /* [ntasks] */
    struct scion_group *groups;      /* [ntasks] or NULL */
    struct scion_layout layout;
};

void scion_layout_plan_free(struct scion_layout_plan *plan);

/*
 * Work out a layout for other requested chunk sizes, [ntasks], the caller's; criteria as in
 * scion_physical_plan. Nothing changes yet.
 */
int scion_physical_plan_restart(const struct scion_physical *physical, const sion_int64 *chunksizes,
                                const struct scion_group_criteria *criteria,
                                struct scion_layout_plan *plan);

/*
 * Cut the file back to its header, with the layout of a plan, which is used up. *emptied: whether
 * the data are gone, also after an error.
 */
int scion_physical_restart(struct scion_physical *physical, struct scion_layout_plan *plan,
                           int *emptied);

/*
 * What the tasks of a file have written: number of chunks of a task (fewer than 1 counts as one
 * empty chunk), and bytes in each. The caller has these numbers in a form of its own.
 */
struct scion_length_source {
    sion_int64 (*count)(const void *context, int task);
    sion_int64 (*used)(const void *context, int task, sion_int64 chunk);
    const void *context;
    int (*row)(const void *context, sion_int64 chunk); /* before its lengths are used; or NULL */
};

/* Bytes between META1 and the data, where the tables go on a full disk if they fit there. */
sion_int64 scion_physical_gap(const struct scion_physical *physical);

/* By lengths[ntasks], which stay the caller's. */
struct scion_length_source scion_length_source_of(const struct scion_lengths *lengths);

/*
 * Write META2, after it the mapping if its size is not negative, and at last the tail of META1,
 * which is what makes the container a closed one; if it grows, that comes with
 * scion_physical_switch(). On a full disk the tables go between META1 and
 * the data if they fit there: an error is returned, but the container can be read.
 */
int scion_physical_finish(struct scion_physical *physical,
                          const struct scion_length_source *written,
                          const struct scion_mapping *mapping);

/*
 * Of a file that grows: instead, write the tables of a state that is published. news: of each task
 * the lengths of its chunks from the last one on that the newest state has, or of all if there is
 * none. has_sums: checksums follow them. After the switch, scion_physical_settle_state() says
 * whether it counts: if not, readers see, or will, the state before.
 */
int scion_physical_publish(struct scion_physical *physical, const struct scion_length_source *news,
                           const struct scion_mapping *mapping, int has_sums);
void scion_physical_settle_state(struct scion_physical *physical, int is_accepted);

/*
 * Of a file that grows, after these tables and what goes behind them: make them the newest state,
 * which readers see from then on. Before, they see the old one, which is what they see for ever if
 * this fails or is not called. Other files have been finished before: nothing.
 */
int scion_physical_switch(struct scion_physical *physical, int is_closed);

/*
 * A file that was read whole is written on, behind what it has. Only flags of the plan's are used:
 * is_durable, is_flushed, is_derived. It fails for files that cannot grow.
 */
int scion_physical_append(struct scion_physical *physical, const struct scion_physical_plan *plan);

/*
 * Whether a container of this name is there, which mode "a" goes on with: a file that is not empty.
 * Then, of its file 0, whether it is one of so many tasks that has what the mode says.
 */
struct scion_mode;
int scion_append_look(const char *name, int *is_there);
int scion_append_check(const struct scion_physical *physical, const struct scion_mode *mode,
                       int ntasks);

/* What was read of META2 is not needed any more. */
void scion_physical_forget_tables(struct scion_physical *physical);

/* 1 if both were read from the same file. */
int scion_physical_is_same(const struct scion_physical *physical,
                           const struct scion_physical *other);

/*
 * The two steps of it. The tail, the last 12 bytes of META1, makes valid what the first step has
 * written. Here the tables have no other place on a full disk.
 */
int scion_physical_write_tables(struct scion_physical *physical,
                                const struct scion_length_source *written,
                                const struct scion_mapping *mapping);
int scion_physical_write_tail(struct scion_physical *physical);

/* The place of chunks of this size as stored, that begin there; of task t's. */
struct scion_place scion_physical_chunk_place(const struct scion_physical *physical,
                                              sion_int64 start, sion_int64 chunksize);
struct scion_place scion_physical_place(const struct scion_physical *physical, int task);

/* Close and free. NULL: nothing. */
int scion_physical_close(struct scion_physical *physical);

#endif
