#include "format/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    AT_VERSION = 8,
    AT_NTASKS = 12,
    AT_WORDS = 16,
    AT_CRC = 24,
    AT_SELF = 28,
    FORMAT_VERSION = 1,
    TASK_WORDS = 2, /* collector, number of runs */
    RUN_WORDS = 4
};

static const char magic[AT_VERSION] = {'S', 'I', 'O', 'N', 'M', 'B', 'R', '1'};

int scion_members_make(struct scion_members *members, int ntasks)
{
    members->ntasks = ntasks;
    members->collectors = scion_array((uint64_t)ntasks, sizeof *members->collectors);
    members->pieces = calloc((size_t)ntasks, sizeof *members->pieces);
    return members->collectors && members->pieces ? 0 : scion_fail_memory("members");
}

void scion_members_free(struct scion_members *members)
{
    int t;

    for (t = 0; members->pieces && t < members->ntasks; t++)
        scion_strides_free(&members->pieces[t]);
    free(members->pieces);
    free(members->collectors);
    *members = (struct scion_members){0};
}

/* ---- writing ---- */

sion_int64 scion_members_words(const struct scion_members *members)
{
    sion_int64 words = TASK_WORDS * (sion_int64)members->ntasks;
    int t;

    for (t = 0; t < members->ntasks; t++)
        words += RUN_WORDS * members->pieces[t].n;
    return words;
}

static sion_int64 *put_run(sion_int64 *to, const struct scion_stride *run)
{
    to[0] = run->offset;
    to[1] = run->size;
    to[2] = run->count > 1 ? run->stride : 0;
    to[3] = run->count;
    return to + RUN_WORDS;
}

static void put_u32(unsigned char *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

void scion_members_encode(const struct scion_members *members, unsigned char *head,
                          sion_int64 *words)
{
    sion_int64 *next = words + TASK_WORDS * (sion_int64)members->ntasks, n, i;
    int t;

    for (t = 0; t < members->ntasks; t++) {
        const struct scion_strides *pieces = &members->pieces[t];

        words[TASK_WORDS * (sion_int64)t] = members->collectors[t];
        words[TASK_WORDS * (sion_int64)t + 1] = pieces->n;
        for (i = 0; i < pieces->n; i++)
            next = put_run(next, &pieces->list[i]);
    }
    n = next - words;
    memcpy(head, magic, sizeof magic);
    put_u32(head + AT_VERSION, FORMAT_VERSION);
    put_u32(head + AT_NTASKS, (uint32_t)members->ntasks);
    memcpy(head + AT_WORDS, &n, sizeof n);
    put_u32(head + AT_CRC, scion_crc32c(0, words, (size_t)n * sizeof n));
    put_u32(head + AT_SELF, scion_crc32c(0, head, AT_SELF));
}

/* ---- reading ---- */

int scion_members_is_head(const unsigned char *from, size_t length)
{
    return length >= sizeof magic && memcmp(from, magic, sizeof magic) == 0;
}

static uint32_t get_u32(const unsigned char *from, int swapped)
{
    return (uint32_t)scion_load_i32(from, swapped);
}

int scion_members_decode_head(const unsigned char *from, size_t length, int swapped,
                              sion_int64 room, struct scion_members_head *head)
{
    if (length < SCION_MEMBERS_HEAD)
        return scion_fail(SION_ERR_DAMAGED, "the record of members is cut off after %zu bytes",
                          length);
    if (get_u32(from + AT_SELF, swapped) != scion_crc32c(0, from, AT_SELF))
        return scion_fail(SION_ERR_DAMAGED, "the head of the record of members is damaged");
    if (get_u32(from + AT_VERSION, swapped) != FORMAT_VERSION)
        return scion_fail(SION_ERR_VERSION, "a record of members of the unknown version %u",
                          get_u32(from + AT_VERSION, swapped));
    head->ntasks = scion_load_i32(from + AT_NTASKS, swapped);
    head->words = scion_load_i64(from + AT_WORDS, swapped);
    head->crc = get_u32(from + AT_CRC, swapped);
    if (head->ntasks < 1 || head->words < TASK_WORDS * (sion_int64)head->ntasks)
        return scion_fail(SION_ERR_DAMAGED, "a record of %d members in %lld words", head->ntasks,
                          head->words);
    if (head->words > room / (sion_int64)sizeof(sion_int64))
        return scion_fail(SION_ERR_DAMAGED,
                          "the record of members has %lld words, of which only %lld are there",
                          head->words, room / (sion_int64)sizeof(sion_int64));
    return 0;
}

/* Groups are consecutive tasks, and each begins with its collector. */
static int take_collector(struct scion_members *members, int t, sion_int64 collector)
{
    members->collectors[t] = (int)collector;
    if (collector == t || (t > 0 && collector == members->collectors[t - 1]))
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "the record of members says that task %d collects for %d",
                      (int)collector, t);
}

static int fail_piece(int task, sion_int64 i)
{
    return scion_fail(SION_ERR_DAMAGED, "the record of members: run %lld of task %d is not valid",
                      i, task);
}

/* The byte after the last one, in the stream that it lies in; -1: no run. */
static sion_int64 end_of(const struct scion_stride *run)
{
    sion_int64 end, offset = run->offset & ~SCION_MEMBER_OWN;

    if (run->offset < 0 || run->size < 1 || run->count < 1 ||
        (run->count > 1 && run->stride < run->size) ||
        scion_mul(run->count - 1, run->stride, &end) || scion_add(end, run->size, &end) ||
        scion_add(end, offset, &end) || end >= SCION_MEMBER_OWN)
        return -1;
    return end;
}

/* The runs of a task. Those in one stream are in the order of their offsets. */
static int take_runs(struct scion_members *members, int t, const sion_int64 *words, sion_int64 n)
{
    sion_int64 ends[2] = {0, 0}, end, i;
    int rc = 0;

    for (i = 0; i < n && rc == 0; i++, words += RUN_WORDS) {
        const struct scion_stride run = {words[0], words[1], words[2], words[3]};
        int own = (run.offset & SCION_MEMBER_OWN) != 0;

        end = end_of(&run);
        if (end < 0 || (run.count == 1 && run.stride != 0) || (run.offset & ~SCION_MEMBER_OWN) < ends[own] ||
            (own && members->collectors[t] == t))
            return fail_piece(t, i);
        ends[own] = end;
        rc = scion_strides_add(&members->pieces[t], &run);
    }
    return rc;
}

static int take_tasks(struct scion_members *members, const sion_int64 *words, sion_int64 left)
{
    const sion_int64 *next = words + TASK_WORDS * (sion_int64)members->ntasks;
    int rc = 0, t;

    left = (left - (next - words)) / RUN_WORDS;
    for (t = 0; t < members->ntasks && rc == 0; t++, words += TASK_WORDS) {
        if (words[1] < 0 || words[1] > left)
            return fail_piece(t, words[1]);
        rc = take_collector(members, t, words[0]);
        if (rc == 0)
            rc = take_runs(members, t, next, words[1]);
        next += RUN_WORDS * words[1];
        left -= words[1];
    }
    return rc;
}

int scion_members_decode(const struct scion_members_head *head, sion_int64 *words, int swapped,
                         struct scion_members *members)
{
    int rc = scion_members_make(members, head->ntasks);

    if (rc != 0)
        return rc;
    if (scion_crc32c(0, words, (size_t)head->words * sizeof *words) != head->crc)
        return scion_fail(SION_ERR_DAMAGED, "the record of members is damaged");
    if (swapped)
        scion_swap_copy(words, words, sizeof *words, (size_t)head->words);
    return take_tasks(members, words, head->words);
}

/* Add the bytes that lie in a task's own stream, and those in its collector's. */
static int add_up(const struct scion_strides *pieces, sion_int64 *own, sion_int64 *collected)
{
    sion_int64 i;

    for (i = 0; i < pieces->n; i++) {
        const struct scion_stride *run = &pieces->list[i];
        sion_int64 *sum = run->offset & SCION_MEMBER_OWN ? own : collected, bytes;

        if (scion_mul(run->size, run->count, &bytes) || scion_add(*sum, bytes, sum))
            return fail_piece(0, i);
    }
    return 0;
}

/* Whether a task has pieces behind the end of the stream that they lie in. */
static int is_beyond(const struct scion_strides *pieces, sion_int64 own, sion_int64 collected)
{
    sion_int64 i;

    for (i = 0; i < pieces->n; i++) {
        const struct scion_stride *run = &pieces->list[i];

        if (end_of(run) > (run->offset & SCION_MEMBER_OWN ? own : collected))
            return 1;
    }
    return 0;
}

static int fail_bytes(int task, sion_int64 found, sion_int64 bytes)
{
    return scion_fail(SION_ERR_DAMAGED,
                      "the record of members is not of these data: it has %lld bytes of the %lld "
                      "of task %d",
                      found, bytes, task);
}

int scion_members_check_group(const struct scion_members *members, int first,
                              const sion_int64 *bytes, int *end)
{
    sion_int64 collected = 0;
    int rc = 0, t;

    for (t = first; t < members->ntasks && members->collectors[t] == first && rc == 0; t++) {
        sion_int64 own = 0;

        rc = add_up(&members->pieces[t], &own, &collected);
        if (rc == 0 && t > first && own != bytes[t])
            rc = fail_bytes(t, own, bytes[t]);
        if (rc == 0 && is_beyond(&members->pieces[t], bytes[t], bytes[first]))
            rc = fail_piece(t, 0);
    }
    *end = t;
    if (rc == 0 && collected != bytes[first])
        rc = fail_bytes(first, collected, bytes[first]);
    return rc;
}
