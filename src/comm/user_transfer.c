/*
 * Transfers by callbacks of the application. These move data in one direction, and call us on the
 * collector for each piece. So a transfer takes two calls: the first moves the records and only
 * notes failures; the second, always an execute_and_scatter, gives every sender its verdict.
 *
 * All tasks must make the same calls of the application, also in a close. So a sender says in the
 * first call that it has failed, or leaves, and with the verdicts all learn whether tasks may stop
 * at different calls; only then a close begins with transfers until all leave.
 */
#include "base/error.h"
#include "base/memory.h"
#include "comm/user_private.h"

#include <stdlib.h>
#include <string.h>

#include "sion_generic.h"

/* A group, which is a part of the application's communicator and has none of its own. */
struct user_group {
    struct scion_comm comm;
    struct user_comm *whole;
    int first; /* rank of the collector in `whole` */
};

enum {
    SPEC_LENGTH = 2,

    /* In place of a position, with one byte, so that the application passes it on. */
    SAYS_FAILED = -3,
    SAYS_LEAVES = -4
};

/* What a sender gets. */
struct answer {
    struct scion_verdict verdict;
    sion_int64 parts, all_leave; /* equal on all tasks */
};

/* The calling task's transfer. The application's callbacks have no argument for it. */
struct run {
    const struct scion_transfer *transfer;

    /* All senders' records, one after the other, as one sequence of bytes: */
    sion_int64 moved;  /* bytes so far */
    sion_int64 failed; /* the first byte that was not moved; -1: all were */
    struct scion_verdict reason;

    int nfailed, nleaving; /* senders without a record because they fail, or leave */

    sion_int64 asked;     /* bytes of the records of the senders that have requested a verdict */
    size_t given;         /* bytes of answers that were handed out */
    struct answer answer; /* the one that is handed out */
};

static _Thread_local struct run *current;

/*
 * An appended record has no position in the file. In its place stands the rank of the sender, and in
 * the lower bits of the word the application counts the bytes of the record that it has passed on.
 */
enum { RANK_SHIFT = 40 };

static sion_int64 place_of_sender(int rank)
{
    return (sion_int64)rank << RANK_SHIFT;
}

static int sender_at(sion_int64 place)
{
    return (int)(place >> RANK_SHIFT);
}

/*
 * Pieces arrive in the order of ranks. It is not known where the record of a sender ends, so
 * appended records succeed or fail all together.
 */
static int move_piece(void *data, const sion_int64 *spec)
{
    struct run *run = current;
    const struct scion_transfer *transfer = run->transfer;
    const struct scion_piece piece = {
        .data = data,
        .position = transfer->appends ? SCION_APPENDED : spec[0],
        .bytes = spec[1],
        .begins = !transfer->appends || run->moved == 0,
        .from = transfer->appends ? sender_at(spec[0]) : 0,
    };

    if (piece.bytes <= 0)
        return 0;
    if (run->failed < 0 && transfer->move(transfer->context, &piece, &run->reason) != 0)
        run->failed = transfer->appends ? 0 : run->moved;
    run->moved += piece.bytes;
    return 0;
}

/* Whether the sender has no record, but something to say. */
static int hear(const sion_int64 *spec)
{
    struct run *run = current;

    run->nfailed += spec[0] == SAYS_FAILED;
    run->nleaving += spec[0] == SAYS_LEAVES;
    return spec[0] == SAYS_FAILED || spec[0] == SAYS_LEAVES;
}

static int store_piece(const void *data, sion_int64 *spec, int sid)
{
    (void)sid;
    return hear(spec) ? 0 : move_piece(scion_user_plain(data), spec);
}

static int load_piece(void *data, sion_int64 *spec, int sid)
{
    (void)sid;
    if (!hear(spec))
        return move_piece(data, spec);
    memset(data, 0, (size_t)spec[1]);
    return 0;
}

/* spec[0]: bytes of the sender's record. The application may request a verdict in pieces, too. */
static int give_verdict(void *data, sion_int64 *spec, int sid)
{
    struct run *run = current;
    size_t at = run->given % sizeof run->answer, bytes = (size_t)spec[1];

    (void)sid;
    if (at == 0) {
        memset(&run->answer.verdict, 0, sizeof run->answer.verdict);
        run->asked += spec[0];
        if (spec[0] > 0 && run->failed >= 0 && run->failed < run->asked)
            run->answer.verdict = run->reason;
    }
    if (bytes > sizeof run->answer - at)
        bytes = sizeof run->answer - at;
    memcpy(data, (char *)&run->answer + at, bytes);
    run->given += bytes;
    return 0;
}

static int move_records(struct user_group *group, const struct scion_transfer *transfer,
                        const struct scion_record *record)
{
    const struct scion_user_callbacks *callbacks = &group->whole->callbacks;
    sion_int64 place = transfer->appends ? place_of_sender(group->comm.rank) : record->position;
    sion_int64 spec[SPEC_LENGTH] = {record->bytes > 0 ? place : SCION_NOWHERE,
                                    record->bytes};
    char said = 0;
    void *data = record->bytes < 0 ? &said : record->data;
    int first = group->first, last = first + group->comm.size - 1;

    if (record->bytes < 0) {
        spec[0] = record->bytes == SCION_LEAVES ? SAYS_LEAVES : SAYS_FAILED;
        spec[1] = sizeof said;
    }
    if (transfer->scatters)
        return callbacks->execute_and_scatter(data, spec, SPEC_LENGTH, transfer->fsblksize,
                                              group->whole->commgroup, first, first + 1, last,
                                              transfer->sid, load_piece);
    return callbacks->gather_and_execute(data, spec, SPEC_LENGTH, transfer->fsblksize,
                                         group->whole->commgroup, first, first + 1, last,
                                         transfer->sid, store_piece);
}

/* On the collector: what all learn of each other. */
static void conclude(struct user_group *group, const struct scion_record *own, struct run *run)
{
    int nfailed = run->nfailed + (own->bytes == SCION_FAILED), size = group->comm.size;

    run->answer.parts = run->failed >= 0 || own->verdict.code != 0 || scion_may_part(nfailed, size);
    run->answer.all_leave = run->nleaving + (own->bytes == SCION_LEAVES) == size;
}

static int exchange_answers(struct user_group *group, const struct scion_transfer *transfer,
                            const struct scion_record *record, struct answer *answer)
{
    sion_int64 spec[SPEC_LENGTH] = {record->bytes > 0 ? record->bytes : 0, sizeof *answer};
    int first = group->first;

    return group->whole->callbacks.execute_and_scatter(
        answer, spec, SPEC_LENGTH, sizeof *answer, group->whole->commgroup, first, first + 1,
        first + group->comm.size - 1, transfer->sid, give_verdict);
}

static int user_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                         struct scion_record **records, int n, const int *counts)
{
    struct user_group *group = (struct user_group *)comm;
    struct scion_record *record = records[0];
    struct run run = {.transfer = transfer, .failed = -1}, *outer = current;
    struct answer answer = {0};
    int rc, other;

    (void)n, (void)counts;
    if (comm->rank == 0)
        scion_move_record(transfer, record, 0);
    if (comm->size == 1)
        return 0;
    current = &run;
    rc = move_records(group, transfer, record);
    if (comm->rank == 0)
        conclude(group, record, &run);
    other = exchange_answers(group, transfer, record, &answer);
    current = outer;
    if (comm->rank == 0)
        answer = run.answer;
    else
        record->verdict = answer.verdict;
    comm->parts |= answer.parts != 0;
    record->is_released = answer.all_leave != 0;
    return scion_first_failure(rc, other);
}

static enum scion_parting group_must_leave(const struct scion_comm *comm)
{
    return comm->parts ? SCION_MUST_LEAVE : SCION_PARTS_FREELY;
}

static void group_free(struct scion_comm *comm)
{
    free(comm);
}

static const struct scion_comm_ops group_ops = {
    .free = group_free,
    .transfer = user_transfer,
    .must_leave = group_must_leave,
};

/* Replace each number by how many tasks have the same one. */
static void count_equal(sion_int64 *firsts, int n)
{
    int begin = 0, i, k;

    for (i = 1; i <= n; i++) {
        if (i < n && firsts[i] == firsts[begin])
            continue;
        for (k = begin; k < i; k++)
            firsts[k] = i - begin;
        begin = i;
    }
}

int scion_user_form_group(struct scion_comm *comm, int first, struct scion_comm **group)
{
    struct user_group *new = scion_must_allocate(1, sizeof *new);
    sion_int64 size = first, *all = NULL;
    int rc;

    if (comm->rank == 0)
        all = scion_must_allocate((size_t)comm->size, sizeof *all);
    rc = comm->ops->gather(comm, &size, all, sizeof size, 0);
    if (rc == 0 && all)
        count_equal(all, comm->size);
    if (rc == 0)
        rc = comm->ops->scatter(comm, all, &size, sizeof size, 0);
    free(all);
    if (rc != 0) {
        free(new);
        return rc;
    }
    *new = (struct user_group){
        .comm = {.ops = &group_ops, .rank = comm->rank - first, .size = (int)size},
        .whole = (struct user_comm *)comm,
        .first = first,
    };
    *group = &new->comm;
    return 0;
}

enum scion_capability scion_user_capability(struct scion_comm *comm)
{
    struct user_comm *user = (struct user_comm *)comm;
    const struct scion_user_callbacks *callbacks = &user->callbacks;

    if (!callbacks->gather_and_execute || !callbacks->execute_and_scatter ||
        !callbacks->get_capability)
        return SCION_WORKS_ALONE;
    switch (callbacks->get_capability(user->commgroup)) {
    case SION_CAPABILITY_FULL:
        return SCION_COLLECTS;
    case SION_CAPABILITY_ONLY_SENDER:
        return SCION_ONLY_SENDS;
    default:
        return SCION_WORKS_ALONE;
    }
}
