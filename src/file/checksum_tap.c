#include "file/checksum_tap.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/checksum.h"

/* What the chunks of a task before `chunk` have: these do not change any more. */
struct passed {
    sion_int64 chunk, bytes, pieces;
};

/* What has been seen of a task. */
struct task_sum {
    struct passed passed, forgotten;

    uint32_t *crcs; /* [count] of whole pieces, and of the last ones of chunks */
    sion_int64 count, capacity;
    sion_int64 chunk, pos; /* where the next byte is expected */
    sion_int64 bytes;      /* in all */
    uint32_t crc;          /* of the piece that is not whole yet */
    int is_broken;         /* some bytes were not seen, or not in order */
    int is_blind;          /* the application has had a FILE* or descriptor, and may have it */
};

struct scion_checksum_tap {
    scion_crc_function *crc;
    const struct scion_stream *stream;
    struct scion_tap next;      /* run NULL: none */
    int ntasks, task;           /* that is written */
    int is_told;                /* the newest state has checksums that this one has given */
    struct task_sum task_sum[]; /* [ntasks] */
};

/* ---- the tap ---- */

static void add(struct task_sum *task_sum, uint32_t crc)
{
    if (task_sum->count == task_sum->capacity) {
        sion_int64 more = task_sum->capacity > 0 ? 2 * task_sum->capacity : 4;
        uint32_t *crcs = scion_array_grown(task_sum->crcs, (uint64_t)more, sizeof *crcs);

        if (!crcs) {
            task_sum->is_broken = 1;
            return;
        }
        task_sum->crcs = crcs;
        task_sum->capacity = more;
    }
    task_sum->crcs[task_sum->count++] = crc;
}

/* The last piece of a chunk may be a short one. */
static void end_chunk(struct task_sum *task_sum)
{
    if (task_sum->pos % SCION_CHECKSUM_PIECE > 0)
        add(task_sum, task_sum->crc);
    task_sum->crc = 0;
    task_sum->pos = 0;
}

static void add_bytes(scion_crc_function *crc, struct task_sum *task_sum,
                      const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        size_t room = (size_t)(SCION_CHECKSUM_PIECE - task_sum->pos % SCION_CHECKSUM_PIECE);
        size_t part = size < room ? size : room;

        task_sum->crc = crc(task_sum->crc, bytes, part);
        task_sum->pos += (sion_int64)part;
        task_sum->bytes += (sion_int64)part;
        if (part == room) {
            add(task_sum, task_sum->crc);
            task_sum->crc = 0;
        }
        bytes += part;
        size -= part;
    }
}

static void start_anew(struct task_sum *task_sum)
{
    task_sum->passed = task_sum->forgotten = (struct passed){0, 0, 0};
    task_sum->count = task_sum->chunk = task_sum->pos = task_sum->bytes = 0;
    task_sum->crc = 0;
    task_sum->is_broken = task_sum->is_blind;
}

static void see_bytes(struct scion_checksum_tap *sums, sion_int64 offset, const void *bytes,
                      size_t size)
{
    struct task_sum *task_sum = &sums->task_sum[sums->task];
    sion_int64 chunk = sums->stream->chunk, pos = sums->stream->base;

    if (offset == 0 && task_sum->bytes > 0)
        start_anew(task_sum);
    if (chunk > task_sum->chunk) {
        end_chunk(task_sum);
        task_sum->chunk = chunk;
    }
    if (offset != task_sum->bytes || chunk != task_sum->chunk || pos != task_sum->pos)
        task_sum->is_broken = 1;
    if (!task_sum->is_broken)
        add_bytes(sums->crc, task_sum, bytes, size);
}

static void see(void *user, sion_int64 offset, const void *bytes, size_t size)
{
    struct scion_checksum_tap *sums = user;

    if (sums->next.run)
        sums->next.run(sums->next.user, offset, bytes, size);
    see_bytes(sums, offset, bytes, size);
}

static void go_blind(void *user)
{
    struct scion_checksum_tap *sums = user;

    if (sums->next.run)
        sums->next.blind(sums->next.user);
    sums->task_sum[sums->task].is_broken = sums->task_sum[sums->task].is_blind = 1;
}

static void turn_to(void *user, int task)
{
    struct scion_checksum_tap *sums = user;

    if (sums->next.run)
        sums->next.task(sums->next.user, task);
    sums->task = task;
}

int scion_checksum_tap_begin(struct scion_stream *stream, int ntasks,
                             struct scion_checksum_tap **sums)
{
    struct scion_checksum_tap *new =
        scion_with_array(sizeof *new, (uint64_t)ntasks, sizeof new->task_sum[0]);

    if (!new)
        return scion_fail_memory("checksums");
    new->crc = scion_crc_find();
    new->stream = stream;
    new->ntasks = ntasks;
    stream->tap = (struct scion_tap){see, go_blind, turn_to, new};
    if (stream->exported != SCION_EXPORT_NONE)
        scion_stream_blind_tap(stream);
    *sums = new;
    return 0;
}

void scion_checksum_tap_pass_on(struct scion_checksum_tap *sums, const struct scion_tap *tap)
{
    sums->next = *tap;
}

void scion_checksum_tap_free(struct scion_checksum_tap *sums)
{
    int task;

    for (task = 0; sums && task < sums->ntasks; task++)
        free(sums->task_sum[task].crcs);
    free(sums);
}

/* ---- at the end ---- */

static sion_int64 count_bytes(const struct scion_lengths *lengths)
{
    sion_int64 bytes = 0, chunk;

    for (chunk = 0; chunk < lengths->count; chunk++)
        bytes += scion_lengths_used(lengths, chunk);
    return bytes;
}

static void pass(struct passed *passed, const struct scion_lengths *lengths, sion_int64 chunk)
{
    if (passed->chunk > chunk)
        *passed = (struct passed){0, 0, 0};
    for (; passed->chunk < chunk; passed->chunk++) {
        sion_int64 used = scion_lengths_used(lengths, passed->chunk);

        passed->bytes += used;
        passed->pieces += scion_checksum_pieces(used, SCION_CHECKSUM_PIECE);
    }
}

/* Whether what was seen is all that the task has; a publish does not count all chunks again. */
static int has_seen_all(struct task_sum *task_sum, const struct scion_lengths *lengths)
{
    struct passed *passed = &task_sum->passed;
    sion_int64 last;

    if (lengths->count == 0)
        return task_sum->bytes == 0;
    pass(passed, lengths, lengths->count - 1);
    last = scion_lengths_used(lengths, lengths->count - 1);
    return task_sum->bytes == passed->bytes + last &&
           task_sum->count == passed->pieces + scion_checksum_pieces(last, SCION_CHECKSUM_PIECE);
}

/* crcs[count] are those of the whole stream: what is written from now on goes on with them. */
static void stand_behind(struct task_sum *task_sum, const struct scion_lengths *lengths)
{
    task_sum->chunk = lengths->count - 1;
    task_sum->pos = scion_lengths_used(lengths, task_sum->chunk);
    task_sum->bytes = count_bytes(lengths);
    task_sum->crc = 0;
    if (task_sum->pos % SCION_CHECKSUM_PIECE > 0)
        task_sum->crc = task_sum->crcs[--task_sum->count];
    task_sum->is_broken = task_sum->is_blind;
}

int scion_checksum_tap_go_on(struct scion_checksum_tap *sums, int task,
                             const struct scion_lengths *lengths, const uint32_t *crcs,
                             sion_int64 count)
{
    struct task_sum *task_sum = &sums->task_sum[task];
    sion_int64 i;

    for (i = 0; i < count; i++)
        add(task_sum, crcs[i]);
    if (task_sum->count < count)
        return scion_fail_memory("checksums");
    stand_behind(task_sum, lengths);
    return 0;
}

/* Chunks of a task one after the other, from the file. */
static int read_again(struct scion_checksum_tap *sums, struct task_sum *task_sum, const char *path,
                      const struct scion_place *place, const struct scion_lengths *lengths)
{
    sion_int64 count = scion_checksum_count(lengths, SCION_CHECKSUM_PIECE);
    uint32_t *crcs = scion_array_grown(task_sum->crcs, (uint64_t)count + 1, sizeof *crcs);
    struct scion_file *file;
    int rc;

    if (!crcs)
        return scion_fail_memory("checksums");
    task_sum->crcs = crcs;
    task_sum->count = task_sum->capacity = count;
    rc = scion_file_open(path, SCION_OPEN_READ, 0, &file);
    if (rc != 0)
        return rc;
    rc = scion_checksum_of_task(file, place, lengths, SCION_CHECKSUM_PIECE, sums->crc, crcs);
    scion_file_close(file);
    if (rc == 0)
        stand_behind(task_sum, lengths);
    return rc;
}

void scion_checksum_tap_seen(struct scion_checksum_tap *sums, int task,
                             const struct scion_lengths *lengths, const uint32_t **crcs,
                             sion_int64 *count)
{
    struct task_sum *task_sum = &sums->task_sum[task];
    const struct task_sum now = *task_sum;

    end_chunk(task_sum);
    *crcs = task_sum->crcs;
    *count = task_sum->is_broken || !has_seen_all(task_sum, lengths) ? -1 : task_sum->count;
    /* More may be written: the last one is not the whole piece's then. */
    task_sum->count = now.count;
    task_sum->pos = now.pos;
    task_sum->crc = now.crc;
}

/* Chunks that are forgotten have no CRCs. */
static void pass_forgotten(struct task_sum *task_sum, const struct scion_lengths *lengths,
                           const uint32_t **crcs, sion_int64 *count)
{
    pass(&task_sum->forgotten, lengths,
         lengths->count < lengths->forgotten ? lengths->count : lengths->forgotten);
    *crcs += task_sum->forgotten.pieces;
    *count -= task_sum->forgotten.pieces;
}

int scion_checksum_tap_get(struct scion_checksum_tap *sums, int task, const char *path,
                           const struct scion_place *place, const struct scion_lengths *lengths,
                           const uint32_t **crcs, sion_int64 *count)
{
    struct task_sum *task_sum = &sums->task_sum[task];
    int rc = 0;

    scion_checksum_tap_seen(sums, task, lengths, crcs, count);
    if (*count < 0) {
        rc = read_again(sums, task_sum, path, place, lengths);
        *crcs = task_sum->crcs;
        *count = scion_checksum_count(lengths, SCION_CHECKSUM_PIECE);
    }
    if (rc == 0 && lengths->forgotten > 0)
        pass_forgotten(task_sum, lengths, crcs, count);
    return rc;
}

/* Pieces that have got bytes since the lengths were told. */
static sion_int64 count_news(const struct scion_lengths *lengths)
{
    const struct scion_lengths news = scion_lengths_news(lengths);
    sion_int64 old = lengths->told > 0 ? lengths->told_last : 0, n;

    n = scion_checksum_count(&news, SCION_CHECKSUM_PIECE);
    if (news.count > 0 && scion_lengths_used(&news, 0) == old)
        return n - scion_checksum_pieces(old, SCION_CHECKSUM_PIECE);
    return n - old / SCION_CHECKSUM_PIECE;
}

int scion_checksum_tap_news(struct scion_checksum_tap *sums, int task, const char *path,
                            const struct scion_place *place, const struct scion_lengths *lengths,
                            const uint32_t **crcs, sion_int64 *count)
{
    int rc = scion_checksum_tap_get(sums, task, path, place, lengths, crcs, count);

    if (rc == 0 && sums->is_told) {
        sion_int64 news = count_news(lengths);

        *crcs += *count - news;
        *count = news;
    }
    return rc;
}

void scion_checksum_tap_told(struct scion_checksum_tap *sums)
{
    if (sums)
        sums->is_told = 1;
}
