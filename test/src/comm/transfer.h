/*
 * Checks any transfer against computed values: each rank knows the other ranks' records, and which
 * of them the collector refuses. All ranks of a group call it.
 */
#ifndef TEST_COMM_TRANSFER_H
#define TEST_COMM_TRANSFER_H

#include <stdio.h>
#include <string.h>

#include "comm/transfer.h"
#include "model.h"

enum { TRANSFER_MOST = 700, TRANSFER_FILE = TRANSFER_MOST * MODEL_MOST };

/* Bytes of rank r's record: none, -1 (failed before), or some. */
static inline sion_int64 transfer_bytes(int r, int round)
{
    int kind = (r * 5 + round) % 7;

    return kind == 0 ? 0 : kind == 1 ? -1 : 1 + (r * 97 + round * 31) % TRANSFER_MOST;
}

static inline char transfer_byte(int r, int round, sion_int64 i)
{
    return (char)(r * 31 + round * 7 + i);
}

static inline int transfer_is_refused(int r, int round)
{
    return (r + round) % 4 == 2;
}

/* The file of the collector. */
struct transfer_file {
    int round;
    sion_int64 end; /* of the appended records */
    char bytes[TRANSFER_FILE];
};

/* Records of rank r begin at r * TRANSFER_MOST, appended ones at the end of the file. */
static inline int transfer_move(void *context, const struct scion_piece *piece,
                                struct scion_verdict *verdict)
{
    struct transfer_file *file = context;
    sion_int64 position = piece->position;
    int r = (int)(position / TRANSFER_MOST);

    MODEL(piece->bytes > 0);
    if (position == SCION_APPENDED) {
        memcpy(file->bytes + file->end, piece->data, (size_t)piece->bytes);
        file->end += piece->bytes;
        return 0;
    }
    if (transfer_is_refused(r, file->round)) {
        verdict->code = -100 - r;
        snprintf(verdict->text, sizeof verdict->text, "rank %d is refused", r);
        return -1;
    }
    memcpy(file->bytes + position, piece->data, (size_t)piece->bytes);
    return 0;
}

static inline int transfer_load(void *context, const struct scion_piece *piece,
                                struct scion_verdict *verdict)
{
    struct transfer_file *file = context;
    int r = (int)(piece->position / TRANSFER_MOST);
    sion_int64 i;

    if (transfer_is_refused(r, file->round))
        return transfer_move(context, piece, verdict);
    for (i = 0; i < piece->bytes; i++)
        ((char *)piece->data)[i] =
            transfer_byte(r, file->round, piece->position + i - (sion_int64)r * TRANSFER_MOST);
    return 0;
}

static inline void transfer_check_verdict(const struct scion_record *record, int r, int round)
{
    char text[40];

    snprintf(text, sizeof text, "rank %d is refused", r);
    if (record->bytes > 0 && transfer_is_refused(r, round))
        MODEL(record->verdict.code == -100 - r && strcmp(record->verdict.text, text) == 0);
    else
        MODEL(record->verdict.code == 0);
}

/* On the collector, every accepted record is at its place. */
static inline void transfer_check_file(const struct scion_comm *group, int round, int appends,
                                       const struct transfer_file *file)
{
    sion_int64 at = 0, i;
    int r;

    for (r = 0; r < group->size; r++) {
        sion_int64 bytes = transfer_bytes(r, round);

        if (bytes <= 0 || (!appends && transfer_is_refused(r, round)))
            continue;
        at = appends ? at : (sion_int64)r * TRANSFER_MOST;
        for (i = 0; i < bytes; i++)
            MODEL(file->bytes[at + i] == transfer_byte(r, round, i));
        at += bytes;
    }
    MODEL(!appends || file->end == at);
}

/* kind 0: stored, 1: loaded, 2: appended */
static inline void transfer_round(struct scion_comm *group, int round, int kind)
{
    struct transfer_file *file = calloc(1, sizeof *file);
    char data[TRANSFER_MOST];
    struct scion_record record = {.data = data, .bytes = transfer_bytes(group->rank, round)};
    struct scion_transfer transfer = {
        .scatters = kind == 1,
        .appends = kind == 2,
        .fsblksize = 64,
        .move = kind == 1 ? transfer_load : transfer_move,
        .context = file,
    };
    sion_int64 i;

    file->round = round;
    record.position = kind == 2 ? SCION_APPENDED : (sion_int64)group->rank * TRANSFER_MOST;
    for (i = 0; i < TRANSFER_MOST; i++)
        data[i] = kind == 1 ? 0 : transfer_byte(group->rank, round, i);
    MODEL(scion_transfer(group, &transfer, &record) == 0);
    if (kind != 2)
        transfer_check_verdict(&record, group->rank, round);
    for (i = 0; kind == 1 && record.verdict.code == 0 && i < record.bytes; i++)
        MODEL(data[i] == transfer_byte(group->rank, round, i));
    if (group->rank == 0 && kind != 1)
        transfer_check_file(group, round, kind == 2, file);
    free(file);
}

static inline void transfer_check(struct scion_comm *group, int rounds)
{
    int round;

    for (round = 0; round < rounds; round++)
        transfer_round(group, round, round % 3);
}

/* ---- leaving ---- */

static inline int transfer_count(void *context, const struct scion_piece *piece,
                                 struct scion_verdict *verdict)
{
    (void)verdict;
    *(sion_int64 *)context += piece->bytes;
    return 0;
}

/* Rank r fails in round r, and leaves; until then its records arrive. */
static inline void transfer_leave(struct scion_comm *group, int scatters)
{
    sion_int64 moved = 0, expected = (sion_int64)group->size * (group->size - 1) / 2;
    const struct scion_transfer transfer = {
        .scatters = scatters, .fsblksize = 64, .move = transfer_count, .context = &moved};
    char data = 0;
    int round;

    for (round = 0; round <= group->rank; round++) {
        struct scion_record record = {.data = &data,
                                      .bytes = round < group->rank ? 1 : SCION_FAILED};

        MODEL(scion_transfer(group, &transfer, &record) == 0 && record.verdict.code == 0);
    }
    MODEL(group->size == 1 || scion_must_leave(group) != SCION_PARTS_FREELY);
    scion_begin_leaving(group);
    while (scion_is_leaving(group))
        MODEL(scion_transfer(group, &transfer, &(struct scion_record){0}) == 0);
    MODEL(scion_transfer(group, &transfer, &(struct scion_record){0}) == 0);
    scion_end_leaving(group);
    MODEL(group->rank > 0 || moved == expected);
}

#endif
