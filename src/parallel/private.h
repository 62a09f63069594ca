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
    struct scion_comm *comm; /* private to the library; parallel->local if that is, too */
    int at_once;             /* tasks that may be inside at a time; 0: no transaction yet */
    int is_inside;
};

/* Collective reads and writes: who does them for whom. */
struct scion_collective {
    struct scion_comm *group; /* this task's, or NULL: it reads and writes by itself */
    int collector;            /* its local rank in the file */
    int merge;
    int reads;              /* the collector reads for the task, too */
    struct scion_mark mark; /* on a collector that merges: where the present record began */
    int at_end;             /* reading merged records: the collector's stream, by its last word */

    /* On the first task of a file in collective mode: what a new start has to know; else NULL. */
    struct scion_group_criteria *criteria;
};

/* A record of one task under way, through the first task of a group. */
struct scion_moving {
    struct scion_stream *stream; /* the task's */
    struct scion_comm *group;
    int collector; /* task of the file, for messages */
    struct scion_transfer transfer;

    struct scion_record record;
    struct scion_mark mark; /* where the stream stood before */
    int is_reserved;        /* the stream stands before the record's place, or behind the record */
};

/*
 * Collective over moving->group: the first four members say how. status: a failure from before. 1,
 * 0 at the end of the stream, or an error code; the stream is where it was if it is not 1.
 */
int scion_move(struct scion_moving *moving, int status, void *data, sion_int64 bytes);

/* Local: as if the record had never been moved. */
void scion_move_undo(struct scion_moving *moving);

/* A collector stores or loads a piece of a struct scion_file. */
int scion_store_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict);
int scion_load_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict);

/* How a collective call on a container moves the record. */
void scion_move_through_collector(struct scion_moving *moving, struct scion_container *container,
                                  int sid);

/* A transfer moves data both ways; the one that writes reads them only. */
static inline void *scion_not_const(const void *data)
{
    union {
        const void *constant;
        void *plain;
    } pointer = {.constant = data};

    return pointer.plain;
}

struct scion_buddies;

/* As scion_container_entry. */
int scion_buddy_entry(struct scion_container *container, int index, struct scion_io_entry *entry);

/* The group behind a container opened in parallel. */
struct scion_parallel {
    struct scion_comm *global;
    struct scion_comm *local; /* tasks of this physical file; the same as global if it is one */
    int kind, threads;        /* as in scion_parallel_args */
    int first_leader;         /* rank in global of the task that writes file 0's metadata */
    struct scion_turns turns;
    struct scion_collective collective;
    struct scion_buddies *buddies; /* a buddy checkpoint, else NULL */
    struct scion_mapping mapping;  /* writing a set: known to rank 0 of global, else size -1 */
    struct scion_physical **files; /* of a mapped container that is written; on rank 0 */
    int nfiles;
    int *ranks;                     /* of a mapped container's tasks here; made when asked for */
    int is_atomic;                  /* writing: files get their names at the close */
    struct scion_hook hook;         /* closing NULL: none */
    struct scion_writer_lock *lock; /* writing, on rank 0 of global; or NULL */
};

/* What a container's owner is that was opened in parallel. */
extern const struct scion_owner scion_parallel_owner;

/* NULL for containers opened otherwise. */
static inline struct scion_parallel *scion_parallel_of(const struct scion_container *container)
{
    return scion_container_owned(container, &scion_parallel_owner);
}

/* What a task asks for, beside its chunk size and place. */
enum {
    SCION_ASKS_WRITING = 1,
    SCION_ASKS_SEAT = 2,       /* the application has chosen its file and place */
    SCION_ASKS_CAPABILITY = 4, /* times enum scion_capability */
    SCION_ASKS_COPIES = 16     /* times the copies of a buddy checkpoint */
};

/*
 * From every task, at open: to rank 0 of all, and in a set of files to the first of the file. 32
 * bytes, because there may be a million of them.
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

/* What the reply to an open means. */
enum {
    SCION_REPLY_AGAIN = 1,   /* nothing; the request must be made again, with the node */
    SCION_REPLY_SEAT = 2,    /* a file that has a communicator of its own, in which to ask again */
    SCION_REPLY_SEVERAL = 4, /* reading: tasks have several chunks; lengths follow */
    SCION_REPLY_GROUP = 8,   /* collective mode */
    SCION_REPLY_NAME = 16,   /* names differ: that of the file's first task counts */
    SCION_REPLY_BIG_ENDIAN = 32, /* _SEAT, reading: file 0 is */
    SCION_REPLY_COUNT = 64,      /* from rank 0 of all: count what is done */
    SCION_REPLY_CHECKSUM = 128,  /* checksums are made, or compared */
    SCION_REPLY_ATOMIC = 256     /* writing: files get their names at the close */
};

/* To every task: what is not the same for all. 32 bytes. */
struct scion_reply {
    struct scion_reply_head head; /* SCION_REPLY_*; its place in the file, or with _GROUP, where its
                                   place is the one that it knows, the first task of its group */
    union {
        struct {
            sion_int64 start, chunksize;
            sion_int64 used; /* reading: bytes in the only chunk; _SEVERAL: how many it has;
                                writing: flag2 of the file */
        };
        struct {
            int32_t file, nfiles, first_leader;
            int16_t format_version, keyval; /* reading: of file 0 */
            sion_int64 flag2;               /* of file 0; writing: of all files */
        };                                  /* _SEAT */
    };
};

/* To all tasks of a file: its header, and what else is the same for all. 64-bit words. */
struct scion_facts {
    int32_t fsblksize, ntasks, nfiles, version, patch, format_version, swapped, big_endian;
    int32_t maxchunks;
    int32_t merge;  /* collective mode: records go to, or come from, the collector's chunk */
    int32_t at_end; /* reading merged records: there are none */
    int32_t reads;  /* collective mode: collectors read for the others */
    sion_int64 flag1, flag2, globalskip;
};

enum { SCION_FACTS_WORDS = sizeof(struct scion_facts) / sizeof(sion_int64) };

/* Both in one message, where tasks are in several files. */
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
    int is_counted;              /* rank 0 of all wants to know what is done */
    int checksum;                /* checksums are made, or compared */
    char base[SCION_NAME_BYTES]; /* of the file's first task, if the names differ */
    int has_nodes;               /* the requests say on which node the tasks are */
    sion_int64 flag2;            /* writing: of the file's header */

    struct scion_seats seats;    /* on rank 0 of all */
    struct scion_physical **all; /* there, if it reads every file: [nall] */
    int nall;
    struct scion_physical *physical; /* on the file's first task; file 0 on rank 0 of all */
    int created;                     /* this task has created the file of `physical` */
    struct scion_rows lengths;       /* there, reading: of all chunks of each task */
    struct scion_container *container;
};

/*
 * Collective over the tasks of a file that is closed, rc: what has failed so far on this one. Write
 * the checksums behind META2 and the mapping, if they were made and nothing has failed.
 */
int scion_write_checksums(struct scion_parallel *parallel, struct scion_container *container,
                          const struct scion_place *place, const struct scion_mapping *mapping,
                          int rc);

/* Collective over the tasks of a file that is open for reading: compare each one's data. */
int scion_compare_checksums(struct scion_opening *opening);

/* As scion_decide_function, of opens. `replies` may be where the requests are. */
typedef int scion_decide_opening(struct scion_opening *opening,
                                 const struct scion_request *requests, int n,
                                 struct scion_reply *replies);

static inline int scion_asks_capability(const struct scion_request *request)
{
    return request->head.status / SCION_ASKS_CAPABILITY % 4;
}

/* What the task asks for, from its arguments. */
void scion_fill_request(struct scion_opening *opening);

/*
 * Collective: opening->request to rank 0 of comm, and its decision to opening->reply. The first
 * task of a file decides a second time, by scion_decide_places, if it needs the nodes.
 */
int scion_ask(struct scion_comm *comm, struct scion_opening *opening, scion_decide_opening *decide);

/* The same within a set, which gives ->facts and, if the names differ, ->base, too. */
int scion_ask_member(struct scion_opening *opening);

/* The same where rank 0 of all reads every file. */
int scion_ask_reader_of_all(struct scion_opening *opening);

/* Whether all tasks say the same of what they must say the same of. */
int scion_check_requests(const struct scion_request *requests, int n);

/* On rank 0 of all: opening->seats of n tasks; reading, the first file is read. */
int scion_seat_writers(struct scion_opening *opening, const struct scion_request *requests, int n);
int scion_seat_readers(struct scion_opening *opening, int n);
void scion_seats_free(struct scion_seats *seats);

/* On rank 0 of all: decide on the files, in replies[n]; with one file also on the places. */
int scion_decide_files(struct scion_opening *opening, const struct scion_request *requests, int n,
                       struct scion_reply *replies);

/* On the file's first task: create or read it, decide on the places, in replies[n]. */
int scion_decide_places(struct scion_opening *opening, const struct scion_request *requests, int n,
                        struct scion_reply *replies);

/*
 * On rank 0 of all, reading a set whose files cannot have communicators of their own: read all
 * files, decide on all places, in replies[n].
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

/*
 * On rank 0 of all, before any of the files is touched: the lock of file 0, unless the mode says
 * no. create: file 0, if it is missing.
 */
int scion_lock_for_writing(const char *name, const struct scion_mode *mode, int create,
                           struct scion_writer_lock **lock);

/* The name under which file `number`, called `path`, is made, to be freed; NULL: that itself. */
int scion_name_beside(const struct scion_creation *creation, const char *path, int number,
                      char **beside);

/*
 * Create file `number`. Of plan->head its number of tasks and its block size are given, and the
 * rest of the plan but for the permissions.
 */
int scion_create_member(const struct scion_creation *creation, int number,
                        struct scion_physical_plan *plan, struct scion_physical **physical);

/*
 * Read the metadata of file `number` of a set, unless files[number] is there; files[0] has been
 * read. It keeps no descriptor.
 */
int scion_need_member(struct scion_physical **files, int number, const char *name,
                      char *(*name_of_file)(const char *name, int number));

/* remove: from the file system, too; files may be NULL, and so may be each. */
void scion_files_free(struct scion_physical **files, int nfiles, int remove);

/* A file's header to all tasks, and from there a header again. */
void scion_describe_file(const struct scion_physical *physical, struct scion_facts *facts);
struct scion_meta1 scion_head_of(const struct scion_facts *facts, int file);

/* Name of this task's file by a base name; the caller frees it. NULL: out of memory. */
char *scion_own_name(const struct scion_opening *opening, const char *base);

/* The rank, in the file's communicator, of task t in a file that is written. On its rank 0. */
int scion_rank_of_task(const struct scion_parallel *parallel, const struct scion_physical *physical,
                       int t);

/* Lengths of all tasks' chunks on a communicator's rank 0. */
struct scion_gathered {
    struct scion_closing *tasks; /* [size] */
    struct scion_rows more;      /* of the tasks that have more than one chunk */
};

/* Collective. *gathered is to be freed in any case. */
int scion_gather_lengths(struct scion_comm *comm, const struct scion_lengths *own,
                         struct scion_gathered *gathered);
void scion_gathered_free(struct scion_gathered *gathered);
sion_int64 scion_gathered_count(const struct scion_gathered *gathered, int rank);
sion_int64 scion_gathered_used(const struct scion_gathered *gathered, int rank, sion_int64 chunk);

/*
 * The collector size that the mode string or the environment asks for, 0 for automatic; -1: not
 * collective at all. A buddy checkpoint is always collective, and unless the mode string asks for
 * collective mode by its own word, with one collector.
 */
int scion_collective_size(const struct scion_mode *mode, int ntasks);

/* Read the file that `opening` names into opening->physical. */
int scion_read_own_file(struct scion_opening *opening);

/* On the file's first task: groups are those of nodes, and the requests do not say where they are.
 */
int scion_collective_needs_nodes(const struct scion_opening *opening, int n);

/*
 * On the file's first task: find out whether collective mode is requested and possible, which sets
 * parallel->collective.criteria.
 */
int scion_collective_choose(struct scion_opening *opening, const struct scion_request *requests,
                            int n);

/* There, in collective mode, when chunk sizes are known: who collects for whom, in replies[n]. */
int scion_collective_assign(struct scion_opening *opening, struct scion_reply *replies, int n);

/* For SION_COLLDEBUG: the groups of a file, on stderr. groups, starts and sizes: [ntasks]. */
void scion_collective_print(const struct scion_group_criteria *criteria,
                            const struct scion_group *groups, const struct scion_reply *replies,
                            int n);

/*
 * Collective over the file's tasks: make this task's group, in place of the one that it has.
 */
int scion_collective_join(struct scion_parallel *parallel, int collector);

/* As scion_container_at_end: reading merged records, that is where the collector's stream ends. */
int scion_collective_at_end(struct scion_container *container, int *at_end);

/* A word of the mode, or the environment, asks for the merged records of a file of n tasks. */
int scion_collective_reads_merged(const struct scion_mode *mode, int n);

void scion_collective_free(struct scion_collective *collective);

/* The communicator is taken over. */
struct scion_parallel *scion_parallel_new(struct scion_comm *comm, int kind, int threads);
void scion_parallel_free(struct scion_parallel *parallel);

/* Collective. opening->args and ->parallel are set, the latter is taken over; the result is in
   opening->container. */
int scion_single_open(struct scion_opening *opening);

#endif
