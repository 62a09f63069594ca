#include "format/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/cover.h"

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
    *members = (struct scion_members){.ntasks = ntasks};
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
    scion_damages_free(&members->damages);
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

/* What is wrong with one task: its group is not read. */
static int add_damage(struct scion_members *members, const struct scion_damage *damage)
{
    int task = (int)damage->task, collector = members->collectors[task];
    int rc = 0;

    if (!scion_damages_find(&members->damages, collector)) {
        rc = scion_damages_add(&members->damages, members->ntasks, damage);
        if (rc == 0)
            scion_damages_share(&members->damages, task, collector);
    }
    return rc;
}

/* The byte after the last one, in the stream that it is in; -1: no run. */
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

/* Whether a run is valid and, in its stream, behind those before it, which end at ends[]. */
static int take_run(struct scion_members *members, int t, const struct scion_stride *run,
                    sion_int64 ends[2])
{
    int own = (run->offset & SCION_MEMBER_OWN) != 0;
    sion_int64 end = end_of(run);

    if (end < 0 || (run->count == 1 && run->stride != 0) ||
        (run->offset & ~SCION_MEMBER_OWN) < ends[own] || (own && members->collectors[t] == t))
        return 0;
    ends[own] = end;
    return 1;
}

static int take_runs(struct scion_members *members, int t, const sion_int64 *words, sion_int64 n)
{
    sion_int64 ends[2] = {0, 0}, i;
    int rc = 0;

    for (i = 0; i < n && rc == 0; i++, words += RUN_WORDS) {
        const struct scion_stride run = {words[0], words[1], words[2], words[3]};
        const struct scion_damage damage = {SCION_DAMAGE_RUN, t, 0, i, n};

        if (!take_run(members, t, &run, ends))
            return add_damage(members, &damage);
        rc = scion_strides_add(&members->pieces[t], &run);
    }
    return rc;
}

static int take_tasks(struct scion_members *members, const sion_int64 *words, sion_int64 left)
{
    const sion_int64 *next = words + TASK_WORDS * (sion_int64)members->ntasks;
    int rc = 0, t;

    left -= next - words;
    for (t = 0; t < members->ntasks && rc == 0; t++, words += TASK_WORDS) {
        if (words[1] < 0 || words[1] > left / RUN_WORDS)
            return scion_fail(SION_ERR_DAMAGED, "the record of members: task %d has %lld runs", t,
                              words[1]);
        rc = take_collector(members, t, words[0]);
        if (rc == 0)
            rc = take_runs(members, t, next, words[1]);
        next += RUN_WORDS * words[1];
        left -= RUN_WORDS * words[1];
    }
    if (rc == 0 && left != 0)
        rc = scion_fail(SION_ERR_DAMAGED, "the record of members has %lld extra words", left);
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

/* ---- the pieces and the data ---- */

static void cover(const struct scion_strides *pieces, struct scion_cover *own,
                  struct scion_cover *collected)
{
    sion_int64 i;

    for (i = 0; i < pieces->n; i++) {
        struct scion_stride run = pieces->list[i];
        int is_own = (run.offset & SCION_MEMBER_OWN) != 0;

        run.offset &= ~SCION_MEMBER_OWN;
        scion_cover_add(is_own ? own : collected, &run);
    }
}

static int check_cover(struct scion_members *members, int task, const struct scion_cover *found,
                       sion_int64 bytes)
{
    const struct scion_damage damage = {SCION_DAMAGE_MEMBERS, task, 0, found->bytes, bytes};

    return bytes < 0 || scion_cover_is_whole(found, bytes) ? 0 : add_damage(members, &damage);
}

/* The group of a collector. *end: the first task after it. */
static int check_group(struct scion_members *members, int first, const sion_int64 *bytes, int *end)
{
    struct scion_cover collected = {0};
    int rc = 0, t;

    for (t = first; t < members->ntasks && members->collectors[t] == first && rc == 0; t++) {
        struct scion_cover own = {0};

        cover(&members->pieces[t], &own, &collected);
        if (t > first)
            rc = check_cover(members, t, &own, bytes[t]);
    }
    *end = t;
    return rc != 0 ? rc : check_cover(members, first, &collected, bytes[first]);
}

int scion_members_check(struct scion_members *members, const sion_int64 *bytes)
{
    int first, end, rc = 0;

    for (first = 0; first < members->ntasks && rc == 0; first = end)
        rc = check_group(members, first, bytes, &end);
    return rc;
}
