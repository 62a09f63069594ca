/*
 * Transfers by callbacks of the application. These move data in one direction, and call us on the
 * collector for each piece. So a transfer takes two calls: the first moves the records and only
 * notes failures; the second, always an execute_and_scatter, gives every sender its verdict.
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

enum { SPEC_LENGTH = 2 };

/* The calling task's transfer. The application's callbacks have no argument for it. */
struct run {
    const struct scion_transfer *transfer;

    /* All senders' records, one after the other, as one sequence of bytes: */
    sion_int64 moved;  /* bytes so far */
    sion_int64 failed; /* the first byte that was not moved; -1: all were */
    struct scion_verdict reason;

    sion_int64 asked; /* bytes of the records of the senders that have requested a verdict */
    size_t given;     /* bytes of verdicts that were handed out */
    struct scion_verdict verdict; /* the one that is handed out */
};

static _Thread_local struct run *current;

/*
 * Pieces arrive in the order of ranks, but do not name their senders. So appended records succeed
 * or fail all together.
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
    };

    if (piece.bytes <= 0)
        return 0;
    if (run->failed < 0 && transfer->move(transfer->context, &piece, &run->reason) != 0)
        run->failed = transfer->appends ? 0 : run->moved;
    run->moved += piece.bytes;
    return 0;
}

static int store_piece(const void *data, sion_int64 *spec, int sid)
{
    (void)sid;
    return move_piece(scion_user_plain(data), spec);
}

static int load_piece(void *data, sion_int64 *spec, int sid)
{
    (void)sid;
    return move_piece(data, spec);
}

/* spec[0]: bytes of the sender's record. The application may request a verdict in pieces, too. */
static int give_verdict(void *data, sion_int64 *spec, int sid)
{
    struct run *run = current;
    size_t at = run->given % sizeof run->verdict, bytes = (size_t)spec[1];

    (void)sid;
    if (at == 0) {
        memset(&run->verdict, 0, sizeof run->verdict);
        run->asked += spec[0];
        if (spec[0] > 0 && run->failed >= 0 && run->failed < run->asked)
            run->verdict = run->reason;
    }
    if (bytes > sizeof run->verdict - at)
        bytes = sizeof run->verdict - at;
    memcpy(data, (char *)&run->verdict + at, bytes);
    run->given += bytes;
    return 0;
}

static int move_records(struct user_group *group, const struct scion_transfer *transfer,
                        const struct scion_record *record)
{
    const struct scion_user_callbacks *callbacks = &group->whole->callbacks;
    sion_int64 spec[SPEC_LENGTH] = {record->bytes > 0 ? record->position : SCION_NOWHERE,
                                    record->bytes < 0 ? -1 : record->bytes};
    int first = group->first, last = first + group->comm.size - 1;

    if (transfer->scatters)
        return callbacks->execute_and_scatter(record->data, spec, SPEC_LENGTH, transfer->fsblksize,
                                              group->whole->commgroup, first, first + 1, last,
                                              transfer->sid, load_piece);
    return callbacks->gather_and_execute(record->data, spec, SPEC_LENGTH, transfer->fsblksize,
                                         group->whole->commgroup, first, first + 1, last,
                                         transfer->sid, store_piece);
}

static int exchange_verdicts(struct user_group *group, const struct scion_transfer *transfer,
                             struct scion_record *record)
{
    struct scion_verdict unused, *verdict = group->comm.rank == 0 ? &unused : &record->verdict;
    sion_int64 spec[SPEC_LENGTH] = {record->bytes > 0 ? record->bytes : 0, sizeof *verdict};
    int first = group->first;

    return group->whole->callbacks.execute_and_scatter(
        verdict, spec, SPEC_LENGTH, sizeof *verdict, group->whole->commgroup, first, first + 1,
        first + group->comm.size - 1, transfer->sid, give_verdict);
}

static int user_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                         struct scion_record **records, int n, const int *counts)
{
    struct user_group *group = (struct user_group *)comm;
    struct run run = {.transfer = transfer, .failed = -1}, *outer = current;
    int rc, other;

    (void)n, (void)counts;
    if (comm->rank == 0)
        scion_move_record(transfer, records[0]);
    if (comm->size == 1)
        return 0;
    current = &run;
    rc = move_records(group, transfer, records[0]);
    other = exchange_verdicts(group, transfer, records[0]);
    current = outer;
    return scion_first_failure(rc, other);
}

static void group_free(struct scion_comm *comm)
{
    free(comm);
}

static const struct scion_comm_ops group_ops = {
    .free = group_free,
    .transfer = user_transfer,
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
