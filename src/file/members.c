#include "file/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/warning.h"
#include "file/generations.h"
#include "file/physical_read.h"
#include "format/checksum.h"

/* ---- writing ---- */

int scion_members_write(struct scion_physical *physical, const struct scion_members *members)
{
    size_t words = (size_t)scion_members_words(members) * sizeof(sion_int64);
    unsigned char *bytes = malloc(SCION_MEMBERS_HEAD + words);
    int rc;

    if (!bytes)
        return scion_fail_memory("record of members");
    scion_members_encode(members, bytes, (sion_int64 *)(void *)(bytes + SCION_MEMBERS_HEAD));
    rc =
        scion_file_write(physical->file, bytes, SCION_MEMBERS_HEAD + words, physical->behind, NULL);
    free(bytes);
    return rc == 0 && physical->is_durable ? scion_file_sync(physical->file) : rc;
}

/* ---- reading ---- */

/* What begins there with these bytes: a record of members, or of a state. */
static int note_record(struct scion_physical *physical, const unsigned char *bytes, size_t got,
                       sion_int64 at)
{
    unsigned char record[SCION_STATE_RECORD];
    int rc = 0;

    if (scion_members_is_head(bytes, got))
        physical->members_at = at;
    if (!scion_state_is_head(bytes, got) || physical->is_in_area)
        return 0;
    rc = scion_physical_read_some(physical, record, sizeof record, at, &got);
    if (rc == 0 && scion_state_decode(record, got, physical->head.swapped, &physical->state))
        physical->behind = scion_generations_end(physical, at + SCION_STATE_RECORD);
    return rc;
}

/* Where a record may begin, or checksums with the record behind them. */
static int look_at(struct scion_physical *physical, sion_int64 at, unsigned char *bytes)
{
    struct scion_checksum_head sums;
    size_t got = 0;
    int rc = scion_physical_read_some(physical, bytes, SCION_CHECKSUM_HEAD, at, &got);

    if (rc == 0)
        rc = note_record(physical, bytes, got, at);
    if (rc != 0 || got < SCION_CHECKSUM_HEAD || !scion_checksum_is_head(bytes, got))
        return rc;
    physical->sums_at = at;
    scion_checksum_load(bytes, physical->head.swapped, &sums);
    at += SCION_CHECKSUM_HEAD;
    physical->has_late_sums = physical->is_in_area && !sums.is_in_area;
    if (sums.is_in_area || sums.count < 0 || sums.count > (physical->size - at) / 4)
        return 0;
    at += 4 * sums.count;
    if (physical->size - at < SCION_MEMBERS_HEAD)
        return 0;
    rc = scion_physical_read_some(physical, bytes, SCION_MEMBERS_HEAD, at, &got);
    return rc == 0 ? note_record(physical, bytes, got, at) : rc;
}

/* After META2, after the empty mapping of a serial writer, and after a mapping with pairs. */
int scion_physical_find_records(struct scion_physical *physical, sion_int64 end)
{
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    sion_int64 pairs = 0;
    int rc = 0, n;

    physical->members_at = 0;
    for (n = 0; n < 3 && rc == 0 && physical->members_at == 0 && physical->sums_at == 0 &&
                (physical->is_in_area || physical->state.generation == 0);
         n++) {
        sion_int64 place = n == 0 ? end : end + 4 + (n == 1 ? 0 : 8 * pairs);

        if (physical->size - place < SCION_MEMBERS_HEAD)
            break;
        rc = look_at(physical, place, bytes);
        if (n == 0)
            pairs = (uint32_t)scion_load_i32(bytes, physical->head.swapped);
    }
    return rc == 0 ? scion_generations_read(physical) : rc;
}

static int read_head(struct scion_physical *physical, struct scion_members_head *head)
{
    unsigned char bytes[SCION_MEMBERS_HEAD];
    sion_int64 at = physical->members_at;
    size_t got;
    int rc = scion_file_read_some(physical->file, bytes, sizeof bytes, at, &got);

    if (rc == 0)
        rc = scion_members_decode_head(bytes, got, physical->head.swapped,
                                       physical->size - at - SCION_MEMBERS_HEAD, head);
    if (rc == 0 && head->ntasks != physical->head.ntasks)
        rc = scion_fail(SION_ERR_DAMAGED, "the record of members has %d tasks, not %d",
                        head->ntasks, physical->head.ntasks);
    return rc;
}

static int read_record(struct scion_physical *physical, struct scion_members *members)
{
    struct scion_members_head head;
    sion_int64 *words;
    int rc = read_head(physical, &head);

    if (rc != 0)
        return rc;
    words = scion_array((uint64_t)head.words, sizeof *words);
    if (!words)
        return scion_fail_memory("record of members");
    rc = scion_file_read(physical->file, words, (size_t)head.words * sizeof *words,
                         physical->members_at + SCION_MEMBERS_HEAD);
    if (rc == 0)
        rc = scion_members_decode(&head, words, physical->head.swapped, members);
    free(words);
    return rc;
}

/* Bytes in the chunks of each task whose numbers are sound. */
static void add_up(const struct scion_physical *physical, sion_int64 *bytes)
{
    size_t n = (size_t)physical->head.ntasks, t;
    sion_int64 b;

    for (t = 0; t < n; t++) {
        for (bytes[t] = 0, b = 0; b < physical->counts[t]; b++)
            bytes[t] += physical->used[(size_t)b * n + t];
        if (scion_damages_find(&physical->damages, (int)t))
            bytes[t] = -1;
    }
}

static void warn_damaged(const struct scion_physical *physical, const struct scion_damages *damages)
{
    char text[SCION_DAMAGE_TEXT];

    scion_damage_describe(damages->list, text);
    if (damages->n == 1)
        scion_warn_alone("%s: %s: its group cannot be read by members, the others can",
                         physical->path, text);
    else
        scion_warn_alone("%s: %s: its group and %d others cannot be read by members",
                         physical->path, text, damages->n - 1);
}

static int check(const struct scion_physical *physical, struct scion_members *members)
{
    sion_int64 *bytes = scion_array((uint64_t)members->ntasks, sizeof *bytes);
    int rc = bytes ? 0 : scion_fail_memory("record of members");

    if (rc == 0) {
        add_up(physical, bytes);
        rc = scion_members_check(members, bytes);
    }
    free(bytes);
    if (rc == 0 && members->damages.n > 0)
        warn_damaged(physical, &members->damages);
    return rc;
}

int scion_members_read(struct scion_physical *physical, struct scion_members *members)
{
    int rc;

    *members = (struct scion_members){0};
    if (physical->members_at == 0)
        return 0;
    rc = read_record(physical, members);
    if (rc == 0)
        rc = check(physical, members);
    if (rc != 0)
        scion_fail_prefix("%s", physical->path);
    return rc;
}

const struct scion_damage *scion_members_damage(const struct scion_physical *physical,
                                                const struct scion_members *members, int task)
{
    const struct scion_damage *damage = scion_damages_find(&physical->damages, task);

    if (!damage && members->ntasks > 0)
        damage = scion_damages_find(&physical->damages, members->collectors[task]);
    if (!damage && members->ntasks > 0)
        damage = scion_damages_find(&members->damages, members->collectors[task]);
    return damage;
}

void scion_members_warn(const struct scion_physical *physical)
{
    if (physical->members_at == 0 || physical->head.ntasks == 1)
        return;
    scion_warn("%s was written merged (cmerge): the collectors' streams have the bytes of their "
               "groups; with the word cmerge each task reads its own",
               physical->path);
}

/* ---- where the bytes are ---- */

/* The stream that pieces are in. */
struct source {
    struct scion_place place;
    struct scion_lengths lengths;
};

static void use_source(const struct scion_physical *physical, int task, struct source *source)
{
    source->place = scion_physical_place(physical, task);
    scion_lengths_view(&source->lengths, physical->used + task, (size_t)physical->head.ntasks,
                       physical->counts[task]);
}

/* Where byte `offset` of the stream is, and how many bytes of its chunk are behind it. */
static int find_byte(struct source *source, sion_int64 offset, sion_int64 *there, sion_int64 *left)
{
    sion_int64 chunk, before;
    int rc = scion_lengths_find(&source->lengths, offset, 1, &chunk);

    if (rc == 0)
        rc = scion_lengths_before(&source->lengths, chunk, &before);
    if (rc == 0 && scion_chunk_start(&source->place, chunk, there))
        rc = scion_fail(SION_ERR_DAMAGED, "chunk %lld is beyond the end of any file", chunk);
    if (rc != 0)
        return rc;
    *left = before + scion_lengths_used(&source->lengths, chunk) - offset;
    *there += offset - before;
    return 0;
}

/* A piece that is in several chunks. */
static int place_piece(struct source *source, sion_int64 offset, sion_int64 bytes,
                       struct scion_strides *to)
{
    sion_int64 there, left, part;
    int rc = 0;

    for (; bytes > 0 && rc == 0; bytes -= part, offset += part) {
        rc = find_byte(source, offset, &there, &left);
        if (rc != 0)
            return rc;
        part = bytes < left ? bytes : left;
        rc = scion_strides_add_piece(to, there, part);
    }
    return rc;
}

/* As many pieces together as are in one chunk. */
static int place_run(struct source *source, const struct scion_stride *run,
                     struct scion_strides *to)
{
    sion_int64 i, n, left;
    int rc = 0;

    for (i = 0; i < run->count && rc == 0; i += n) {
        struct scion_stride part = *run;
        sion_int64 offset = run->offset + i * run->stride;

        n = 1;
        rc = find_byte(source, offset, &part.offset, &left);
        if (rc == 0 && left < run->size) {
            rc = place_piece(source, offset, run->size, to);
        } else if (rc == 0) {
            n = run->count > 1 ? (left - run->size) / run->stride + 1 : 1;
            n = n < run->count - i ? n : run->count - i;
            part.count = n;
            rc = scion_strides_add(to, &part);
        }
    }
    return rc;
}

/* Without a record: the task's own stream. */
static int place_own(const struct scion_physical *physical, int task, struct scion_strides *pieces)
{
    struct source source;
    sion_int64 bytes;
    int rc;

    use_source(physical, task, &source);
    rc = scion_lengths_before(&source.lengths, source.lengths.count, &bytes);
    if (rc == 0)
        rc = place_piece(&source, 0, bytes, pieces);
    scion_lengths_free(&source.lengths);
    return rc;
}

int scion_members_place(const struct scion_physical *physical, const struct scion_members *members,
                        int task, struct scion_strides *pieces)
{
    const struct scion_strides *from;
    struct source sources[2];
    sion_int64 i;
    int rc = 0;

    if (members->ntasks == 0)
        return place_own(physical, task, pieces);
    from = &members->pieces[task];
    use_source(physical, members->collectors[task], &sources[0]);
    use_source(physical, task, &sources[1]);
    for (i = 0; i < from->n && rc == 0; i++) {
        struct scion_stride run = from->list[i];
        int own = (run.offset & SCION_MEMBER_OWN) != 0;

        run.offset &= ~SCION_MEMBER_OWN;
        rc = place_run(&sources[own], &run, pieces);
    }
    scion_lengths_free(&sources[0].lengths);
    scion_lengths_free(&sources[1].lengths);
    return rc;
}
