/*
 * Checks any communicator against computed values: each rank knows what all others send, so it
 * knows what it must receive. All ranks call it. They must not print, so they count failures.
 */
#ifndef TEST_COMM_MODEL_H
#define TEST_COMM_MODEL_H

#include <stdatomic.h>
#include <stdlib.h>

#include "comm/comm.h"

static atomic_int model_wrong;

#define MODEL(condition) ((condition) ? 0 : atomic_fetch_add(&model_wrong, 1))

enum { MODEL_MOST = 64 };

/* Number i of rank r in round `round`. */
static inline sion_int64 model_number(int r, int round, int i)
{
    return (sion_int64)r * 1000003 + round * 1009 + i;
}

/* The count of rank r's numbers: 0 to 4. */
static inline int model_count(int r, int round)
{
    return (r * 7 + round * 3) % 5;
}

static inline void model_fixed(struct scion_comm *comm, int root, int round)
{
    sion_int64 mine[3], all[3 * MODEL_MOST], back[3] = {0};
    int i;

    for (i = 0; i < 3; i++)
        mine[i] = model_number(comm->rank, round, i);
    MODEL(scion_gather(comm, mine, all, sizeof mine, root) == 0);
    for (i = 0; comm->rank == root && i < 3 * comm->size; i++) {
        MODEL(all[i] == model_number(i / 3, round, i % 3));
        all[i]++;
    }
    MODEL(scion_scatter(comm, all, back, sizeof back, root) == 0);
    for (i = 0; i < 3; i++)
        MODEL(back[i] == mine[i] + 1);
    MODEL(scion_bcast(comm, mine, sizeof mine, root) == 0);
    for (i = 0; i < 3; i++)
        MODEL(mine[i] == model_number(root, round, i));
}

/* At root, there is a gap after each portion, and the last rank's portion comes first. */
static inline int model_lay_out(int size, int round, int *counts, int *first)
{
    int next = 0, r;

    for (r = size - 1; r >= 0; r--) {
        counts[r] = model_count(r, round);
        first[r] = next;
        next += counts[r] + 1;
    }
    return next;
}

static inline void model_varying(struct scion_comm *comm, int root, int round)
{
    sion_int64 mine[5], all[6 * MODEL_MOST], back[5] = {0};
    int counts[MODEL_MOST], first[MODEL_MOST], count = model_count(comm->rank, round), r, i;
    int used = model_lay_out(comm->size, round, counts, first), at_root = comm->rank == root;

    for (i = 0; i < used; i++)
        all[i] = -1;
    for (i = 0; i < count; i++)
        mine[i] = model_number(comm->rank, round, i);
    MODEL(scion_gatherv(comm, mine, count, all, at_root ? counts : NULL, at_root ? first : NULL,
                        root) == 0);
    for (r = 0; at_root && r < comm->size; r++) {
        for (i = 0; i < counts[r]; i++)
            MODEL(all[first[r] + i] == model_number(r, round, i));
        MODEL(all[first[r] + counts[r]] == -1);
    }
    MODEL(scion_scatterv(comm, all, at_root ? counts : NULL, at_root ? first : NULL, back, count,
                         root) == 0);
    for (i = 0; i < count; i++)
        MODEL(back[i] == mine[i]);
}

static inline void model_minimum(struct scion_comm *comm, int round)
{
    int lowest = round % comm->size;
    sion_int64 value = comm->rank == lowest ? -round : comm->rank;
    sion_int64 told[SCION_TOLD_MOST];
    int n = round % (SCION_TOLD_MOST + 1), i;

    for (i = 0; i < n; i++)
        told[i] = comm->rank == 0 ? 1000 * i - round : i - 5000;
    MODEL(scion_minimum(comm, &value, told, n) == 0);
    for (i = 0; i < n; i++)
        MODEL(told[i] == 1000 * i - round);
    MODEL(value == (lowest == 0 ? (round > 0 ? -round : 0) : -round));
}

/* Length in words of the message from one rank to another, or to itself; -1: there is none. */
static inline sion_int64 model_message(int from, int to, int unit)
{
    return (from + 2 * to) % 4 == 0 ? -1 : (from * 7 + to * 3) % 5 * (sion_int64)unit;
}

static inline sion_int64 *model_words(sion_int64 n)
{
    return calloc((size_t)n + 1, sizeof n);
}

/* Messages between all ranks; their lengths are multiples of `unit` words. */
static inline void model_exchange(struct scion_comm *comm, int unit)
{
    struct scion_message out[MODEL_MOST] = {{0}}, in[MODEL_MOST] = {{0}};
    int nout = 0, nin = 0, peer, i;
    sion_int64 k;

    for (peer = 0; peer < comm->size; peer++) {
        sion_int64 sent = model_message(comm->rank, peer, unit);
        sion_int64 awaited = model_message(peer, comm->rank, unit);

        if (sent >= 0)
            out[nout++] = (struct scion_message){peer, model_words(sent), sent};
        for (k = 0; k < sent; k++)
            out[nout - 1].words[k] = model_number(comm->rank, peer, (int)k);
        if (awaited >= 0)
            in[nin++] = (struct scion_message){peer, model_words(awaited), awaited};
    }
    MODEL(scion_exchange(comm, out, nout, in, nin) == 0);
    for (i = 0; i < nout; i++)
        free(out[i].words);
    for (i = 0; i < nin; i++) {
        for (k = 0; k < in[i].count; k++)
            MODEL(in[i].words[k] == model_number(in[i].peer, comm->rank, (int)k));
        free(in[i].words);
    }
}

static inline void model_check(struct scion_comm *comm, int rounds)
{
    int round;

    for (round = 0; round < rounds; round++) {
        int root = (round * 5 + round / 3) % comm->size;

        model_fixed(comm, root, round);
        model_varying(comm, root, round);
        model_minimum(comm, round);
    }
    model_exchange(comm, 1);
}

#endif
