/* Collective reads and writes: tasks form groups, of which one does the input and output. */
#ifndef SCION_PARALLEL_COLLECTIVE_H
#define SCION_PARALLEL_COLLECTIVE_H

#include "base/memory.h"
#include "comm/transfer.h"
#include "file/container.h"
#include "geometry/collective.h"

struct scion_opening;
struct scion_parallel;
struct scion_reply;
struct scion_request;
struct scion_write_batch;
struct scion_member_log;

/* Collective reads and writes: which task does the I/O for which others. */
struct scion_collective {
    struct scion_comm *group; /* this task's, or NULL: it reads and writes by itself */
    int collector;            /* its local rank in the file */
    int merge;              /* reading: merged streams of which nothing says whose bytes they are */
    int at_end;             /* reading these: the group has no data */
    int reads;              /* the collector reads for the task, too */
    struct scion_mark mark; /* on a collector that merges: where the current record began */
    struct scion_member_log
        *member_log; /* writing merged: whose the bytes are; made when first needed */
    struct scion_write_batch *write_batch; /* on a sender that writes in batches, else NULL */
    int sid;                               /* that was passed to the last call */

    /* On the first task of a file in collective mode: needed for a new start; else NULL. */
    struct scion_group_criteria *criteria;
};

/* A record of one task that is being moved through its collector. */
struct scion_record_move {
    struct scion_stream *stream; /* the task's */
    struct scion_comm *group;
    int collector; /* task of the file, for messages */
    struct scion_transfer transfer;

    struct scion_record record;
    struct scion_mark mark; /* position of the stream before */
    int is_reserved;        /* the record's place is reserved: `mark` can undo it */
};

/*
 * Collective over record_move->group: move a record as the first four members say. status: an
 * earlier failure of this task. Returns 1, 0 at the end of the stream, or an error code; unless it
 * is 1, the stream is where it was.
 */
int scion_move(struct scion_record_move *record_move, int status, void *data, sion_int64 bytes);

/* Local: as if the record had never been moved. */
void scion_record_move_undo(struct scion_record_move *record_move);

/* Put a failure and its reason into a verdict; 0 changes nothing. Returns rc. */
int scion_note(int rc, struct scion_verdict *verdict);

/* On a collector: write or read a piece of a struct scion_file. */
int scion_store_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict);
int scion_load_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict);

/* Set the members that say how a collective call on the container moves records. */
void scion_move_through_collector(struct scion_record_move *record_move,
                                  struct scion_container *container, int sid);

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

/* The same, only if threads of a process may have stopped at different calls. */
void scion_leave_calls_at_once(struct scion_container *container);

/*
 * The group size that the mode string or the environment requests. 0: automatic; -1: not
 * collective. A buddy checkpoint is always collective; unless the mode string or the environment
 * requests collective mode explicitly, it has one collector.
 */
int scion_collective_size(const struct scion_mode *mode, int ntasks);

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
 * Whether this task, one of n, asks for groups that depend on nothing but the chunk size, if that
 * is equal on all. The same for them: without their requests.
 */
int scion_collective_is_simple(const struct scion_opening *opening, int n);
int scion_collective_choose_evenly(struct scion_opening *opening, int n);

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
void scion_write_batch_free(struct scion_write_batch *write_batch);
void scion_member_log_free(struct scion_member_log *member_log);

#endif
