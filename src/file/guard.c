#include "file/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/guard_pieces.h"
#include "vfs/vfs.h"

enum {
    ROOM = 1 << 20,    /* bytes of a piece that are kept, at most */
    PORTION = 1 << 18, /* bytes that are read at a time: they are in the cache when a CRC is made */
    IS_DAMAGED = 1
};

struct scion_guard {
    struct scion_file_guard watch;
    struct scion_guard_pieces pieces;
    char *room;      /* [ROOM] or NULL */
    sion_int64 kept; /* where the piece begins that is in the room; -1: none is */
    int is_sorted;
    struct scion_damage damage;
};

/* A read in progress. */
struct reading {
    struct scion_guard *guard;
    scion_read_some *plain;
    struct scion_file *file;
};

static int find(const struct reading *reading, sion_int64 offset, struct scion_segment *segment)
{
    scion_guard_find(&reading->guard->pieces, offset, segment);
    return segment->task ? scion_guard_need_sums(&reading->guard->pieces, segment->task,
                                                 reading->plain, reading->file)
                         : 0;
}

/* Bytes that may be delivered as they are read. */
static int is_free(const struct scion_segment *segment)
{
    return !segment->task || scion_guard_is_good(segment);
}

/* All bytes of a piece have been read. */
static int judge(struct scion_guard *guard, const struct scion_segment *segment, uint32_t crc)
{
    uint32_t expected = scion_guard_crc(segment);

    if (crc == expected) {
        scion_guard_note_good(segment);
        return 0;
    }
    guard->damage =
        scion_damage_of_piece(segment->task->task, segment->chunk, segment->piece, expected, crc);
    return IS_DAMAGED;
}

/* ---- whole pieces ---- */

/* Where the pieces end that are in these bytes as a whole, and what needs no comparison. */
static int find_whole(const struct reading *reading, sion_int64 offset, sion_int64 end,
                      sion_int64 *whole)
{
    struct scion_segment segment;
    int rc = 0;

    for (*whole = offset; *whole < end && rc == 0; *whole = segment.end) {
        rc = find(reading, *whole, &segment);
        if (rc == 0 && segment.end > end && is_free(&segment))
            segment.end = end;
        if (rc != 0 || segment.end > end || (segment.begin < *whole && !is_free(&segment)))
            break;
    }
    return rc;
}

/* What has been compared so far of bytes that are read one after the other. */
struct progress {
    struct scion_segment segment;
    sion_int64 at;   /* the next byte to be seen */
    sion_int64 good; /* all bytes before it may be delivered */
    uint32_t crc;    /* of the segment's bytes before `at` */
};

/* Bytes of the present segment. */
static int see_part(struct scion_guard *guard, struct progress *progress, const char *bytes,
                    size_t size)
{
    const struct scion_segment *segment = &progress->segment;
    int free = is_free(segment), rc = 0;

    if (!free)
        progress->crc = guard->pieces.crc(progress->crc, bytes, size);
    progress->at += (sion_int64)size;
    if (!free && progress->at == segment->end) {
        rc = judge(guard, segment, progress->crc);
        progress->crc = 0;
    }
    if (rc == 0 && is_free(segment))
        progress->good = progress->at;
    return rc;
}

static int see(const struct reading *reading, struct progress *progress, const char *bytes,
               size_t size)
{
    int rc = 0;

    while (size > 0 && rc == 0) {
        sion_int64 left = progress->segment.end - progress->at;
        size_t part = left < (sion_int64)size ? (size_t)left : size;

        rc = part > 0 ? see_part(reading->guard, progress, bytes, part)
                      : find(reading, progress->at, &progress->segment);
        bytes += part;
        size -= part;
    }
    return rc;
}

/* Read bytes that find_whole() has found. *good: how many of them may be delivered; no others are
   left in `to`. */
static int read_whole(const struct reading *reading, char *to, sion_int64 offset, sion_int64 bytes,
                      sion_int64 *good)
{
    struct progress progress = {.segment.end = offset, .at = offset, .good = offset};
    sion_int64 done = 0;
    size_t got = PORTION;
    int rc = 0;

    while (rc == 0 && done < bytes && got > 0) {
        sion_int64 portion = bytes - done < PORTION ? bytes - done : PORTION;

        rc = reading->plain(reading->file, to + done, (size_t)portion, offset + done, &got);
        if (rc == 0)
            rc = see(reading, &progress, to + done, got);
        done += (sion_int64)got;
    }
    *good = progress.good - offset;
    if (*good < done)
        memset(to + *good, 0, (size_t)(done - *good));
    return rc;
}

/* ---- parts of pieces ---- */

static int need_room(struct scion_guard *guard)
{
    if (!guard->room)
        guard->room = malloc(ROOM);
    return guard->room ? 0 : scion_fail_memory("a piece of data");
}

/* Compare a piece that does not fit into the room. Fewer bytes than it has: it stays as it is. */
static int pass_through_room(const struct reading *reading, const struct scion_segment *segment)
{
    struct scion_guard *guard = reading->guard;
    sion_int64 at = segment->begin;
    size_t got = PORTION;
    uint32_t crc = 0;
    int rc = 0;

    guard->kept = -1;
    while (rc == 0 && at < segment->end && got > 0) {
        sion_int64 left = segment->end - at;

        rc = reading->plain(reading->file, guard->room, left < PORTION ? (size_t)left : PORTION, at,
                            &got);
        if (rc == 0)
            crc = guard->pieces.crc(crc, guard->room, got);
        at += (sion_int64)got;
    }
    return rc == 0 && at == segment->end ? judge(guard, segment, crc) : rc;
}

/* Compare a piece, and keep it if it fits. */
static int compare(const struct reading *reading, const struct scion_segment *segment)
{
    struct scion_guard *guard = reading->guard;
    sion_int64 bytes = segment->end - segment->begin, good;
    int rc = need_room(guard);

    if (rc != 0)
        return rc;
    if (bytes > ROOM)
        return pass_through_room(reading, segment);
    guard->kept = -1;
    rc = read_whole(reading, guard->room, segment->begin, bytes, &good);
    if (rc == 0 && good == bytes)
        guard->kept = segment->begin;
    return rc;
}

/* Bytes of a piece that is in the room. */
static sion_int64 take_kept(const struct reading *reading, const struct scion_segment *segment,
                            char *to, sion_int64 offset, sion_int64 bytes)
{
    sion_int64 part = segment->end - offset < bytes ? segment->end - offset : bytes;

    memcpy(to, reading->guard->room + (offset - segment->begin), (size_t)part);
    return part;
}

/* ---- reading ---- */

/* The next bytes, at least those of the segment in which the first one is. *done 0: there are none
   any more. */
static int read_next(const struct reading *reading, char *to, sion_int64 offset, sion_int64 bytes,
                     sion_int64 *done)
{
    struct scion_segment segment;
    sion_int64 whole;
    int rc = find(reading, offset, &segment);

    *done = 0;
    if (rc == 0 && segment.task && segment.begin == reading->guard->kept) {
        *done = take_kept(reading, &segment, to, offset, bytes);
        return 0;
    }
    if (rc == 0)
        rc = find_whole(reading, offset, offset + bytes, &whole);
    if (rc == 0 && whole > offset)
        return read_whole(reading, to, offset, whole - offset, done);
    if (rc == 0)
        rc = compare(reading, &segment);
    if (rc == 0 && segment.begin == reading->guard->kept)
        *done = take_kept(reading, &segment, to, offset, bytes);
    else if (rc == 0 && is_free(&segment))
        rc = read_next(reading, to, offset, bytes, done);
    return rc;
}

static int fail_damaged(const struct scion_guard *guard, const struct scion_file *file)
{
    char text[SCION_DAMAGE_TEXT];

    scion_damage_describe(&guard->damage, text);
    return scion_fail(SION_ERR_DAMAGED, "%s: %s", scion_file_path(file), text);
}

static int read_watched(struct scion_file_guard *watch, scion_read_some *plain,
                        struct scion_file *file, void *to, size_t bytes, sion_int64 offset,
                        size_t *got)
{
    const struct reading reading = {(struct scion_guard *)watch, plain, file};
    sion_int64 done = 1;
    int rc = 0;

    *got = 0;
    while (rc == 0 && *got < bytes && done > 0) {
        rc = read_next(&reading, (char *)to + *got, offset + (sion_int64)*got,
                       (sion_int64)(bytes - *got), &done);
        *got += (size_t)done;
    }
    if (rc == IS_DAMAGED)
        rc = *got > 0 ? 0 : fail_damaged(reading.guard, file);
    return rc;
}

/* Compare what has not been compared of some bytes. */
static int check(const struct reading *reading, sion_int64 offset, sion_int64 bytes)
{
    struct scion_segment segment;
    sion_int64 end = offset + bytes;
    int rc = 0;

    for (; offset < end && rc == 0; offset = segment.end) {
        rc = find(reading, offset, &segment);
        if (rc == 0 && !is_free(&segment)) {
            rc = compare(reading, &segment);
            if (rc == 0 && !is_free(&segment))
                rc = scion_fail(SION_ERR_DAMAGED, "%s is cut off at offset %lld",
                                scion_file_path(reading->file), segment.begin);
        }
    }
    return rc;
}

static int compare_starts(const void *a, const void *b)
{
    const struct scion_guarded_task *one = a, *two = b;

    return one->start < two->start ? -1 : one->start > two->start;
}

static void sort(struct scion_guard *guard)
{
    if (!guard->is_sorted)
        qsort(guard->pieces.tasks, (size_t)guard->pieces.n, sizeof *guard->pieces.tasks,
              compare_starts);
    guard->is_sorted = 1;
}

static int check_watched(struct scion_file_guard *watch, scion_read_some *plain,
                         struct scion_file *file, sion_int64 offset, sion_int64 bytes)
{
    const struct reading reading = {(struct scion_guard *)watch, plain, file};
    int rc = check(&reading, offset, bytes);

    return rc == IS_DAMAGED ? fail_damaged(reading.guard, file) : rc;
}

/* One that has not been compared, and fits into the room. */
static int find_piece(const struct scion_file_guard *watch, sion_int64 offset, sion_int64 *begin,
                      sion_int64 *end)
{
    struct scion_segment segment;

    scion_guard_find(&((const struct scion_guard *)watch)->pieces, offset, &segment);
    *begin = segment.begin;
    *end = segment.end;
    return segment.task && segment.end - segment.begin <= ROOM &&
           !(segment.task->sums && scion_guard_is_good(&segment));
}

int scion_guard_compare(struct scion_guard *guard, struct scion_file *file, sion_int64 start,
                        struct scion_damage *damage)
{
    const struct reading reading = {guard, scion_file_read_some, file};
    const struct scion_guarded_task *task;
    sion_int64 chunk;
    int rc = 0;

    sort(guard);
    task = scion_guard_task_at(&guard->pieces, start);
    for (chunk = 0; task && chunk < task->chunks && rc == 0; chunk++)
        rc = check(&reading, start + chunk * guard->pieces.globalskip,
                   guard->pieces.used[task->first + chunk]);
    if (rc == IS_DAMAGED)
        *damage = guard->damage;
    return rc == IS_DAMAGED ? 0 : rc;
}

/* ---- making one ---- */

int scion_guard_new(const struct scion_guard_facts *facts, int ntasks, sion_int64 chunks,
                    struct scion_guard **guard)
{
    struct scion_guard *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("checksums");
    new->watch = (struct scion_file_guard){read_watched, check_watched, find_piece};
    new->kept = -1;
    new->pieces = (struct scion_guard_pieces){
        .crc = scion_crc_find(),
        .piece = facts->piece,
        .globalskip = facts->globalskip,
        .swapped = facts->swapped != 0,
        .tasks = scion_array((uint64_t)ntasks + 1, sizeof *new->pieces.tasks),
        .used = scion_array((uint64_t)chunks + 1, sizeof *new->pieces.used),
    };
    if (!new->pieces.tasks || !new->pieces.used) {
        scion_guard_free(new);
        return scion_fail_memory("checksums");
    }
    *guard = new;
    return 0;
}

void scion_guard_add(struct scion_guard *guard, int task, sion_int64 start, sion_int64 crcs_at,
                     const struct scion_lengths *lengths)
{
    struct scion_guard_pieces *pieces = &guard->pieces;
    sion_int64 bytes = 0, chunk;

    for (chunk = 0; chunk < lengths->count; chunk++)
        bytes += pieces->used[pieces->nused + chunk] = scion_lengths_used(lengths, chunk);
    if (bytes == 0)
        return;
    guard->is_sorted = 0;
    pieces->tasks[pieces->n++] = (struct scion_guarded_task){.start = start,
                                                             .crcs_at = crcs_at,
                                                             .chunks = lengths->count,
                                                             .first = pieces->nused,
                                                             .task = task};
    pieces->nused += lengths->count;
}

static int give(struct scion_guarded_task *task, const uint32_t *crcs, sion_int64 count)
{
    task->crcs = scion_array((uint64_t)count, sizeof *crcs);
    if (!task->crcs)
        return scion_fail_memory("checksums");
    memcpy(task->crcs, crcs, (size_t)count * sizeof *crcs);
    task->ncrcs = count;
    return 0;
}

int scion_guard_give(struct scion_guard *guard, const uint32_t *crcs, sion_int64 count)
{
    return count > 0 ? give(&guard->pieces.tasks[guard->pieces.n - 1], crcs, count) : 0;
}

void scion_guard_watch(struct scion_guard *guard, struct scion_file *file)
{
    if (guard)
        sort(guard);
    scion_file_watch(file, guard ? &guard->watch : NULL);
}

int scion_guard_copy(const struct scion_guard *guard, struct scion_guard **copy)
{
    const struct scion_guard_pieces *from = guard ? &guard->pieces : NULL;
    struct scion_guard *new = NULL;
    int rc = 0, i;

    if (guard)
        rc = scion_guard_new(
            &(struct scion_guard_facts){from->piece, from->swapped, from->globalskip}, from->n,
            from->nused, &new);
    for (i = 0; rc == 0 && guard && i < from->n; i++) {
        new->pieces.tasks[i] = from->tasks[i];
        new->pieces.tasks[i].sums = NULL;
        new->pieces.tasks[i].crcs = NULL;
        new->pieces.n = i + 1;
        if (from->tasks[i].crcs)
            rc = give(&new->pieces.tasks[i], from->tasks[i].crcs, from->tasks[i].ncrcs);
    }
    if (rc == 0 && guard) {
        new->pieces.nused = from->nused;
        memcpy(new->pieces.used, from->used, (size_t)from->nused * sizeof *from->used);
    }
    if (rc == 0)
        *copy = new;
    else
        scion_guard_free(new);
    return rc;
}

sion_int64 scion_guard_cost(const struct scion_guard *guard)
{
    const struct scion_guard_pieces *pieces = guard ? &guard->pieces : NULL;

    return guard ? (sion_int64)sizeof *guard + (guard->room ? ROOM : 0) +
                       pieces->n * (sion_int64)sizeof *pieces->tasks +
                       pieces->nused * (sion_int64)sizeof *pieces->used
                 : 0;
}

void scion_guard_rest(struct scion_guard *guard)
{
    if (!guard)
        return;
    free(guard->room);
    guard->room = NULL;
    guard->kept = -1;
}

void scion_guard_free(struct scion_guard *guard)
{
    int i;

    scion_guard_rest(guard);
    for (i = 0; guard && i < guard->pieces.n; i++) {
        scion_guard_free_sums(guard->pieces.tasks[i].sums);
        free(guard->pieces.tasks[i].crcs);
    }
    if (guard) {
        free(guard->pieces.tasks);
        free(guard->pieces.used);
    }
    free(guard);
}
