/* Shared by the files of this layer; nobody else includes this. */
#ifndef SCION_PARALLEL_PRIVATE_H
#define SCION_PARALLEL_PRIVATE_H

#include <stdint.h>

#include "base/memory.h"
#include "comm/transfer.h"
#include "geometry/collective.h"
#include "parallel/consult.h"
#include "parallel/parallel.h"
#include "parallel/placed.h"
#include "parallel/rows.h"
#include "vfs/writer_lock.h"

enum {
    /* A base name with its NUL, in a message. */
    SCION_NAME_BYTES = SCION_NAME_MAX + 8
};

/* Transactions of the tasks of a physical file. */
struct scion_turns {
    struct scion_comm *comm; /* made by the library; parallel->local if that was, too */
    int at_once;             /* tasks that may be inside at a time; 0: no transaction yet */
    int is_inside;
    int is_first; /* the task for which it waited makes no more transactions */
};

struct scion_gathering;
struct scion_merging;

/* Collective reads and writes: which task does the I/O for which others. */
struct scion_collective {
    struct scion_comm *group; /* this task's, or NULL: it reads and writes by itself */
    int collector;            /* its local rank in the file */
    int merge;  /* reading: merged streams of which nothing says whose bytes they are */
    int at_end; /* reading these: the group has no data */
    int reads;              /* the collector reads for the task, too */
    struct scion_mark mark; /* on a collector that merges: where the current record began */
    struct scion_merging *merging; /* writing merged: whose the bytes are; made when first needed */
    struct scion_gathering *gathering; /* on a sender that writes in batches, else NULL */
    int sid;                           /* that was passed to the last call */

    /* On the first task of a file in collective mode: needed for a new start; else NULL. */
    struct scion_group_criteria *criteria;
};

/* A record of one task that is being moved through its collector. */
struct scion_moving {
    struct scion_stream *stream; /* the task's */
    struct scion_comm *group;
    int collector; /* task of the file, for messages */
    struct scion_transfer transfer;

    struct scion_record record;
    struct scion_mark mark; /* position of the stream before */
    int is_reserved;        /* the record's place is reserved: `mark` can undo it */
};

/*
 * Collective over moving->group: move a record as the first four members say. status: an earlier
 * failure of this task. Returns 1, 0 at the end of the stream, or an error code; unless it is 1,
 * the stream is where it was.
 */
int scion_move(struct scion_moving *moving, int status, void *data, sion_int64 bytes);

/* Local: as if the record had never been moved. */
void scion_move_undo(struct scion_moving *moving);

/* Put a failure and its reason into a verdict; 0 changes nothing. Returns rc. */
int scion_note(int rc, struct scion_verdict *verdict);

/* On a collector: write or read a piece of a struct scion_file. */
int scion_store_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict);
int scion_load_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict);

/* Set the members that say how a collective call on the container moves records. */
void scion_move_through_collector(struct scion_moving *moving, struct scion_container *container,
                                  int sid);

/* Transfers take a plain pointer for both directions. One that writes only reads from it. */
static inline void *scion_not_const(const void *data)
{
    union {
        const void *constant;
        void *plain;
    } pointer = {.constant = data};

    return pointer.plain;
}

/*
 * Collective over the task's groups, before their tasks do something else together, such as a close
 * or a new start: all data that are on their way arrive. A task may leave at once after a call that
 * has failed, while others are in calls; it takes part in these as long as they need it. Returns
 * the failure of a record that was accepted before, or of the communication.
 */
int scion_leave_calls(struct scion_container *container);

struct scion_buddies;

/*
 * Lengths of all tasks' chunks on their way to a communicator's rank 0. What a task sends is the
 * column that it has in META2: the number of its chunks, their lengths, and zeros.
 */
struct scion_gathered {
    struct scion_comm *comm;
    int each;                   /* numbers of a task in a piece */
    sion_int64 *own;            /* [each] what this task sends */
    sion_int64 *counts, *piece; /* on rank 0: [size], [size * each] */
    sion_int64 *all;            /* on rank 0: all pieces, if they are kept; or NULL */
    sion_int64 most, come;      /* chunks of the task that has most; numbers that have come */
    sion_int64 *row;            /* of rank 0: in row[width * rank] is the length of rank's chunk */
    int width;
    int status;                          /* SION_ERR_COMM: no more pieces will come */
    const struct scion_lengths *lengths; /* of this task */
};

/* As scion_container_entry. */
int scion_buddy_entry(struct scion_container *container, int index, struct scion_io_entry *entry);

/* What the parallel layer has of a container that was opened in parallel. */
struct scion_parallel {
    struct scion_comm *global;
    struct scion_comm *local; /* tasks of this physical file; the same as global if it is one */
    int kind, threads;        /* as in scion_parallel_args */
    int first_leader;         /* rank in global of the task that writes file 0's metadata */
    struct scion_turns turns;
    struct scion_collective collective;
    struct scion_buddies *buddies;  /* a buddy checkpoint, else NULL */
    struct scion_mapping mapping;   /* writing a set: on rank 0 and first_leader; else size -1 */
    struct scion_gathered gathered; /* writing: reserved for the close */
    struct scion_physical **files;  /* of a mapped container that is written; on rank 0 */
    int nfiles;
    int *ranks;                     /* of a mapped container's tasks here; made when asked for */
    int is_atomic;                  /* writing: files get their names at the close */
    struct scion_hook hook;         /* closing NULL: none */
    struct scion_writer_lock *lock; /* writing, on rank 0 of global; or NULL */
};

/* The owner of containers that were opened in parallel, and its tag. */
extern const struct scion_owner scion_parallel_owner;
extern const char scion_parallel_tag;

/* NULL for containers opened otherwise. */
static inline struct scion_parallel *scion_parallel_of(const struct scion_container *container)
{
    return scion_container_owned(container, &scion_parallel_tag);
}

/*
 * Before the tasks of a file do something else together: this task makes no more transactions, even
 * if it is inside of one, so no other one waits for it.
 */
int scion_end_turns(struct scion_parallel *parallel);

/* After that: wait until the task before says the same, so that no message stays on its way. */
int scion_await_turns(struct scion_parallel *parallel);

/* Bits of a request's status. */
enum {
    SCION_ASKS_WRITING = 1,
    SCION_ASKS_SEAT = 2,       /* the application has chosen its file and place */
    SCION_ASKS_CAPABILITY = 4, /* times enum scion_capability */
    SCION_ASKS_COPIES = 16     /* times the copies of a buddy checkpoint */
};

/*
 * What every task sends at an open: to rank 0 of all, and in a set of files also to the file's
 * first task. 32 bytes, because there may be a million of them.
 */
struct scion_request {
    struct scion_request_head head; /* SCION_ASKS_*; files of equal shares, or by leader: minus the
                                       files that processes are divided over */
    sion_int64 chunksize;
    union {
        struct {
            uint32_t name; /* a hash of it */
            int32_t lsize; /* by leader: tasks of its local communicator */
        };
        sion_int64 node; /* of a second request: equal on the tasks of a node */
    };
    int32_t leader; /* rank in global; SCION_ASKS_SEAT: number of the file; in a file's own
                       communicator: the task's rank */
    int32_t lrank;  /* place in its file, as far as the task knows it */
};

/* Bits of a reply's status. */
enum {
    SCION_REPLY_AGAIN = 1,       /* no decision: send the request again, with the node */
    SCION_REPLY_SEAT = 2,        /* the task's file has its own communicator: ask its first task */
    SCION_REPLY_SEVERAL = 4,     /* reading: tasks have several chunks, or one is damaged; numbers
                                    follow */
    SCION_REPLY_GROUP = 8,       /* collective mode */
    SCION_REPLY_NAME = 16,       /* names differ: that of the file's first task counts */
    SCION_REPLY_BIG_ENDIAN = 32, /* _SEAT, reading: file 0 is */
    SCION_REPLY_COUNT = 64,      /* from rank 0 of all: make statistics */
    SCION_REPLY_CHECKSUM = 128,  /* checksums are made, or compared */
    SCION_REPLY_ATOMIC = 256,    /* writing: files get their names at the close */
    SCION_REPLY_MEMBERS = 512    /* reading: merged streams are read by members */
};

/* What differs between tasks. 32 bytes. */
struct scion_reply {
    struct scion_reply_head head; /* SCION_REPLY_*; its place in the file, or with _GROUP, where its
                                   place is the one that it knows, the first task of its group */
    union {
        struct {
            sion_int64 start, chunksize;
            sion_int64 used; /* reading: bytes in the only chunk; _SEVERAL: count of scion_placed;
                                writing: flag2 of the file */
        };
        struct {
            int32_t file, nfiles, first_leader;
            int16_t format_version, keyval; /* reading: of file 0 */
            sion_int64 flag2;               /* of file 0; writing: of all files */
        };                                  /* _SEAT */
    };
};

/* What is equal on all tasks of a file: its header, and more. A multiple of 64-bit words. */
struct scion_facts {
    int32_t fsblksize, ntasks, nfiles, version, patch, format_version, swapped, big_endian;
    int32_t maxchunks;
    int32_t merge;  /* collective mode: records go to the collector's chunk; reading: they came
                       there, and there is no record of the members */
    int32_t at_end; /* reading these: the first group has no data */
    int32_t reads;  /* collective mode: collectors read for the others */
    sion_int64 flag1, flag2, globalskip;
};

enum { SCION_FACTS_WORDS = sizeof(struct scion_facts) / sizeof(sion_int64) };

/* Both in one message, for tasks in several files. */
struct scion_full_reply {
    struct scion_reply reply;
    struct scion_facts facts;
};

/* On rank 0 of all: the file and place of each task. NULL: file 0, in the order of ranks. */
struct scion_seats {
    int nfiles, first_leader;
    int is_set; /* there are communicators for the files */
    int *files, *lranks;
};

/* An open in progress, on one task. */
struct scion_opening {
    const struct scion_parallel_args *args;
    struct scion_parallel *parallel;
    struct scion_request request;
    struct scion_reply reply;
    struct scion_facts facts;
    int is_set;                  /* its file has a communicator of its own */
    int nfiles, file, lrank;     /* of all, of the task, and in the file */
    int other_names;             /* the tasks have passed different ones */
    int is_counted;              /* make statistics, as rank 0 of all has requested */
    int checksum;                /* checksums are made, or compared */
    int members;                 /* reading: merged streams are read by members */
    char base[SCION_NAME_BYTES]; /* of the file's first task, if the names differ */
    int has_nodes;               /* the requests say on which node the tasks are */
    sion_int64 flag2;            /* writing: of the file's header */

    struct scion_seats seats;    /* on rank 0 of all */
    struct scion_physical **all; /* on rank 0 of all, if it reads every file: [nall] */
    int nall;
    struct scion_physical *physical; /* on the file's first task; file 0 on rank 0 of all */
    int created;                     /* this task has created the file of `physical` */
    struct scion_rows lengths; /* on the file's first task, reading: of all chunks of each task */
    struct scion_damages strangers; /* on that task: ranks whose pairs name no task of theirs */
    struct scion_container *container;
};

/*
 * Collective over the tasks of a file that is closed: write the checksums after META2 and the
 * mapping, if they were made and no task has failed. rc: this task's result so far.
 */
int scion_write_checksums(struct scion_parallel *parallel, struct scion_container *container,
                          const struct scion_place *place, const struct scion_mapping *mapping,
                          int rc);

/*
 * Collective over the tasks of a file that is open for reading: compare each task's data with its
 * checksums.
 */
int scion_compare_checksums(struct scion_opening *opening);

/* As scion_decide_function, of opens. `replies` may be where the requests are. */
typedef int scion_decide_opening(struct scion_opening *opening,
                                 const struct scion_request *requests, int n,
                                 struct scion_reply *replies);

static inline int scion_asks_capability(const struct scion_request *request)
{
    return request->head.status / SCION_ASKS_CAPABILITY % 4;
}

/* Fill opening->request from the arguments. */
void scion_fill_request(struct scion_opening *opening);

/*
 * Collective: send opening->request to rank 0 of comm, and get its decision in opening->reply. If
 * the first task of a file needs the nodes, all ask a second time, and scion_decide_places()
 * decides.
 */
int scion_ask(struct scion_comm *comm, struct scion_opening *opening, scion_decide_opening *decide);

/* The same in a file of a set. Also gets opening->facts and, if the names differ, ->base. */
int scion_ask_member(struct scion_opening *opening);

/* The same if rank 0 of all reads every file. Also gets opening->facts. */
int scion_ask_reader_of_all(struct scion_opening *opening);

/* Check that the requests agree where they must. */
int scion_check_requests(const struct scion_request *requests, int n);

/* On rank 0 of all: fill opening->seats for n tasks. Reading: file 0 has been read. */
int scion_seat_writers(struct scion_opening *opening, const struct scion_request *requests, int n);
int scion_seat_readers(struct scion_opening *opening, int n);
void scion_seats_free(struct scion_seats *seats);

/* On rank 0 of all: decide on the files and, if there is one, on the places; fill replies[n]. */
int scion_decide_files(struct scion_opening *opening, const struct scion_request *requests, int n,
                       struct scion_reply *replies);

/* On the file's first task: create or read the file, and decide on the places; fill replies[n]. */
int scion_decide_places(struct scion_opening *opening, const struct scion_request *requests, int n,
                        struct scion_reply *replies);

/*
 * On rank 0 of all, reading a set whose files cannot have communicators of their own: read all
 * files and decide on all places; fill replies[n].
 */
int scion_decide_all_places(struct scion_opening *opening, int n, struct scion_full_reply *replies);

/* Name of file `number` of a set, by the application's rule if it has one; the caller frees it. */
char *scion_member_name(char *(*name_of_file)(const char *name, int number), const char *base,
                        int number);

/* What the files of a container that is written have in common. */
struct scion_creation {
    const char *name;
    const struct scion_mode *mode;
    char *(*name_of_file)(const char *name, int number);
    int nfiles;
    sion_int64 flag2;
    int is_atomic;
};

/* The name under which file `number`, called `path`, is made, to be freed; NULL: that itself. */
int scion_name_beside(const struct scion_creation *creation, const char *path, int number,
                      char **beside);

/*
 * Create file `number`. The caller has filled the plan, but not its permissions; of plan->head it
 * has set the number of tasks and the block size.
 */
int scion_create_member(const struct scion_creation *creation, int number,
                        struct scion_physical_plan *plan, struct scion_physical **physical);

/*
 * Read the metadata of file `number` of a set, unless files[number] has been read. files[0] has
 * been read. Keeps no descriptor.
 */
int scion_need_member(struct scion_physical **files, int number, const char *name,
                      char *(*name_of_file)(const char *name, int number));

/* Allocate a mapping table for `size` tasks, in place of an earlier one. */
int scion_mapping_make(struct scion_mapping *mapping, int size);

/* Collective: gather the mapping table on rank `root`, where it was made at the open. */
int scion_gather_mapping(struct scion_comm *comm, int root, int file, int lrank,
                         struct scion_mapping *mapping);

/*
 * Free the files and the array. remove: also delete them from the file system. The array, or any of
 * its elements, may be NULL.
 */
void scion_files_free(struct scion_physical **files, int nfiles, int remove);

/* Facts of a file, and a header made of facts. */
void scion_describe_file(const struct scion_physical *physical, struct scion_facts *facts);
struct scion_meta1 scion_head_of(const struct scion_facts *facts, int file);

/* Name of this task's file by a base name; the caller frees it. NULL: out of memory. */
char *scion_own_name(const struct scion_opening *opening, const char *base);

/*
 * On a file's first task: the rank, in the file's communicator, of task t of a file that is
 * written.
 */
int scion_rank_of_task(const struct scion_parallel *parallel, const struct scion_physical *physical,
                       int t);

/*
 * Local: allocate what all gathers of lengths over comm will need, which is untouched until then.
 * So a close does not fail for lack of it. *gathered is all zero, or was reserved before.
 */
int scion_gathered_reserve(struct scion_gathered *gathered, struct scion_comm *comm);
void scion_gathered_free(struct scion_gathered *gathered);

/*
 * Collective: a reduction, by which all know how many pieces there are, and the first piece, with
 * all counts. Most files have no other one. Between these two calls rank 0 asks for the rows of
 * META2, in order; so the other tasks send pieces when it writes them. kept: if all pieces have no
 * more bytes than this, and there is memory, rank 0 keeps them.
 */
int scion_gather_begin(struct scion_gathered *gathered, const struct scion_lengths *own,
                       sion_int64 kept);
int scion_gather_end(struct scion_gathered *gathered);

/*
 * On rank 0: get the row of a chunk. An earlier row than before is there if it is in the same
 * piece, or if all pieces are kept.
 */
int scion_gather_row(struct scion_gathered *gathered, sion_int64 chunk);

/* After that: the length of that chunk of a rank; 0: it has fewer. */
static inline sion_int64 scion_gathered_used(const struct scion_gathered *gathered, int rank)
{
    return gathered->row[(size_t)rank * (size_t)gathered->width];
}

/* Whose lengths are those of a file's tasks. */
struct scion_gathered_order {
    struct scion_gathered *gathered;
    const sion_int64 *ranks; /* of the tasks; NULL: task `nempty` is rank `first`, and so on */
    int nempty, first;       /* so many tasks before that have no data */
};

/* On rank 0: what META2 is written of. `order` stays where it is as long as that is used. */
struct scion_written scion_gathered_written(const struct scion_gathered_order *order);

/* On rank 0, after the end: all lengths of a rank's chunks. Fails if they were not kept. */
int scion_gathered_copy(struct scion_gathered *gathered, int rank, sion_int64 *used);

/*
 * The group size that the mode string or the environment requests. 0: automatic; -1: not
 * collective. A buddy checkpoint is always collective; unless the mode string or the environment
 * requests collective mode explicitly, it has one collector.
 */
int scion_collective_size(const struct scion_mode *mode, int ntasks);

/* Read the file that `opening` names into opening->physical. */
int scion_read_own_file(struct scion_opening *opening);

/*
 * On the file's first task: whether groups are those of nodes, and the requests do not contain the
 * nodes.
 */
int scion_collective_needs_nodes(const struct scion_opening *opening, int n);

/*
 * On the file's first task: find out whether collective mode is requested and possible, which sets
 * parallel->collective.criteria.
 */
int scion_collective_choose(struct scion_opening *opening, const struct scion_request *requests,
                            int n);

/*
 * On the file's first task, when chunk sizes are known: in collective mode, set the group of each
 * task in replies[n].
 */
int scion_collective_assign(struct scion_opening *opening, struct scion_reply *replies, int n);

/* For SION_COLLDEBUG: print the groups of a file to stderr. groups, replies: [n]. */
void scion_collective_print(const struct scion_group_criteria *criteria,
                            const struct scion_group *groups, const struct scion_reply *replies,
                            int n);

/*
 * Collective over the file's tasks: make the communicator of this task's group, in place of an
 * earlier one.
 */
int scion_collective_join(struct scion_parallel *parallel, int collector);

/* As scion_container_at_end(). It fails where it is not known whose bytes are left. */
int scion_collective_at_end(struct scion_container *container, int *at_end);

/* Whether the mode or the environment requests to read the merged records of a file of n tasks. */
int scion_collective_reads_merged(const struct scion_mode *mode, int n);

void scion_collective_free(struct scion_collective *collective);
void scion_gathering_free(struct scion_gathering *gathering);
void scion_merging_free(struct scion_merging *merging);

/* The communicator is taken over. */
struct scion_parallel *scion_parallel_new(struct scion_comm *comm, int kind, int threads);
void scion_parallel_free(struct scion_parallel *parallel);

/*
 * Collective. opening->args and ->parallel are set; ->parallel is taken over. Sets
 * opening->container.
 */
int scion_single_open(struct scion_opening *opening);

#endif
