/*
 * Transfers: the tasks of a group hand records to its first task, the collector, which stores them;
 * or the collector loads them and hands them out. Each record is moved by its offset in the file,
 * so the collector does all I/O and knows nothing of the others' streams.
 *
 * A transfer is collective over the group. A task that has nothing, or has failed before, takes
 * part all the same. Failures come back to the tasks whose records they concern, and to nobody
 * else.
 */
#ifndef SCION_COMM_TRANSFER_H
#define SCION_COMM_TRANSFER_H

#include "comm/comm.h"

enum {
    SCION_NOWHERE = -1, /* position of a record without bytes */
    SCION_APPENDED = -2 /* position of a record whose place only the collector knows */
};

enum { SCION_VERDICT_TEXT = 504 };

/* Result of a record: 0, or an error code and the reason. */
struct scion_verdict {
    sion_int64 code;
    char text[SCION_VERDICT_TEXT];
};

/* In place of a record's bytes: the task's call does not succeed; it makes no more calls. */
enum { SCION_FAILED = -1, SCION_LEAVES = -2 };

/* The record that a task writes or reads. */
struct scion_record {
    void *data;
    sion_int64 position; /* offset in the file, or one of the above */
    sion_int64 bytes;    /* or one of the above */
    struct scion_verdict verdict;
    int is_released; /* of a task that leaves: no task of the group waits for it any more */
};

/* A record, or a part of it; parts of a record come one after the other. */
struct scion_piece {
    void *data;
    sion_int64 position, bytes;
    int begins; /* the first piece of a record that succeeds or fails as a whole */
    int from;   /* rank in the group of the task whose record it is */
};

/* On the collector: store or load a piece. Not 0: failed, and the verdict says why. */
typedef int scion_move_function(void *context, const struct scion_piece *piece,
                                struct scion_verdict *verdict);

struct scion_transfer {
    int scatters; /* 0: records are stored; 1: loaded */
    int appends; /* all records are SCION_APPENDED or empty; they are moved in the order of ranks */
    int fsblksize; /* appended records of other processes move in pieces of at most this size */
    int sid;       /* of the caller's container, for callbacks of an application */
    scion_move_function *move;
    void *context;
};

/* What the caller can do. Local. */
enum scion_capability scion_capability(struct scion_comm *comm);

/*
 * Collective over comm: make a communicator for the transfers of a group. The tasks of a group pass
 * the same `first`, and are consecutive ranks from that one on. Free it before comm.
 */
int scion_form_group(struct scion_comm *comm, int first, struct scion_comm **group);

/*
 * Collective over the group. The result is that of the communication; that of the record is in its
 * verdict.
 */
int scion_transfer(struct scion_comm *group, const struct scion_transfer *transfer,
                   struct scion_record *record);

/*
 * Leaving: before the tasks of a group do something else together, each of them has to know that
 * the others make no more transfers; for one whose record has failed may stop at once, while others
 * go on. From begin on, a task takes part in transfers without a record, until no other one waits
 * for it; then it has left, and transfers do nothing. After the end, all may make transfers again.
 */

/*
 * Local: whether that is necessary; if not, all have made the same transfers, with results of the
 * same kind. _FIRST: even the threads of this process may have made different ones, so they leave
 * before they meet for anything else. Equal on all tasks that would wait for each other.
 */
enum scion_parting scion_must_leave(const struct scion_comm *group);

void scion_begin_leaving(struct scion_comm *group);

/* On the first task of a process whose tasks all make no more transfers. */
void scion_begin_leaving_for_all(struct scion_comm *group);

int scion_is_leaving(const struct scion_comm *group); /* begun, and others still wait for it */
void scion_end_leaving(struct scion_comm *group);

/* For implementations: whether a task's record has not become what it wanted. */
static inline int scion_is_unsuccessful(const struct scion_record *record)
{
    return record->bytes == SCION_FAILED || record->verdict.code != 0;
}

/*
 * For implementations: whether a task of a group may stop earlier than others after a transfer in
 * which so many of n tasks had no success.
 */
static inline int scion_may_part(int unsuccessful, int n)
{
    return unsuccessful > 0 && unsuccessful < n;
}

/*
 * Batches: records of several calls that a sender has gathered go to the collector in one of them.
 * Each batch says how many calls later the next one comes, so the collector knows when to receive
 * one, and from whom. Nobody waits for what another task does in a later call. The first batch of
 * each sender comes in the first call.
 */
struct scion_run {
    sion_int64 position, bytes; /* where in the file; more than 0 */
};

struct scion_batch {
    const struct scion_run *runs;
    int nruns;        /* at most SCION_BATCH_RUNS */
    const char *data; /* of all runs, one after the other */
    sion_int64 bytes; /* of all runs */
    int next;         /* the next batch comes this many calls later; or SCION_LAST */
};

enum {
    SCION_BATCH_RUNS = 256,
    SCION_LAST = 0 /* the sender makes no more calls */
};

/* What became of a batch. After a failure nothing more of it was stored. */
struct scion_outcome {
    sion_int64 stored; /* bytes, from the first on */
    struct scion_verdict verdict;
};

/* Local: whether the members of a group can send batches. */
int scion_has_batches(const struct scion_comm *group);

/*
 * On a sender, in a call in which its batch is due, and a last time when it makes no more calls,
 * whatever the others do. Then, or before the next one, it receives the outcome, which waits until
 * the collector has made the same call, or the one in which the last batch is due, or collects all.
 */
int scion_send_batch(struct scion_comm *group, const struct scion_batch *batch);
int scion_receive_outcome(struct scion_comm *group, struct scion_outcome *outcome);

/*
 * On the collector, in every call: store the batches that are due. all: instead, when it makes no
 * more calls, store all batches of every sender up to its last one. The next call is as the first.
 */
int scion_collect_batches(struct scion_comm *group, const struct scion_transfer *transfer, int all);

/* For implementations: move a record, of this rank in the group, that is in the collector's own
   memory. */
static inline void scion_move_record(const struct scion_transfer *transfer,
                                     struct scion_record *record, int from)
{
    const struct scion_piece piece = {record->data, record->position, record->bytes, 1, from};

    if (record->bytes > 0)
        transfer->move(transfer->context, &piece, &record->verdict);
}

#endif
