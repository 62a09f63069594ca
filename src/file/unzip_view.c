#include "file/unzip_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/shuffle.h"
#include "base/zstd.h"
#include "file/unzip_raw.h"
#include "file/unzip_table.h"

/*
 * What frames are decompressed with; made at the first read, and the decoder at the first frame
 * that needs it. The frame that was read last stays.
 */
struct unzipper {
    struct scion_zstd_decoder *decoder;
    unsigned char *stored, *shuffled, *frame;
    size_t stored_size, shuffled_size, frame_size;
    const struct scion_zipped_task *task; /* whose frame it is; NULL: none */
    sion_int64 number;
    struct scion_zipped_raw raw;
};

struct scion_unzip_view {
    struct scion_file_view view;
    struct scion_zipped_task *tasks; /* [n] */
    int n, capacity;
    sion_int64 bytes;
    struct unzipper *unzipper;
};

/* ---- frames ---- */

static int need(unsigned char **memory, size_t *size, size_t wanted)
{
    unsigned char *larger;

    if (*size >= wanted)
        return 0;
    larger = realloc(*memory, wanted);
    if (!larger)
        return scion_fail_memory("decompression");
    *memory = larger;
    *size = wanted;
    return 0;
}

static int fail_frame(const struct scion_zipped_task *task, const struct scion_file *file,
                      sion_int64 number, const char *why)
{
    return scion_fail(SION_ERR_DAMAGED, "%s: frame %lld of the compressed stream of task %d: %s",
                      scion_file_path(file), number, task->task, why);
}

/* What is stored of a frame, decompressed. */
static int decode(struct unzipper *unzipper, const struct scion_zipped_task *task,
                  scion_read_some *plain, struct scion_file *file, sion_int64 number,
                  unsigned char *to)
{
    size_t stored = (size_t)(task->stored[number + 1] - task->stored[number]),
           room = (size_t)(task->plain[number + 1] - task->plain[number]);
    int rc = need(&unzipper->stored, &unzipper->stored_size, stored);
    const char *why;

    if (rc == 0 && !unzipper->decoder) {
        unzipper->decoder = scion_zstd_decoder_new();
        rc = unzipper->decoder ? 0 : scion_fail_memory("decompression");
    }
    if (rc == 0)
        rc = scion_zipped_read(task, plain, file, unzipper->stored, stored, task->stored[number]);
    if (rc != 0)
        return rc;
    why = scion_zstd_decode(unzipper->decoder, unzipper->stored, stored, to, room);
    return why ? fail_frame(task, file, number, why) : 0;
}

static int read_frame(struct unzipper *unzipper, const struct scion_zipped_task *task,
                      scion_read_some *plain, struct scion_file *file, sion_int64 number,
                      unsigned char *to)
{
    size_t size = (size_t)(task->plain[number + 1] - task->plain[number]);
    int is_shuffled = task->head.shuffle > 1, is_raw,
        rc = is_shuffled ? need(&unzipper->shuffled, &unzipper->shuffled_size, size) : 0;
    unsigned char *into = is_shuffled ? unzipper->shuffled : to;

    if (rc == 0)
        rc = scion_zipped_read_raw(&unzipper->raw, task, plain, file, number, 0, size, into,
                                   &is_raw);
    if (rc == 0 && !is_raw)
        rc = decode(unzipper, task, plain, file, number, into);
    if (rc == 0 && is_shuffled)
        scion_unshuffle(into, size, task->head.shuffle, to);
    return rc;
}

static int keep_frame(struct unzipper *unzipper, const struct scion_zipped_task *task,
                      scion_read_some *plain, struct scion_file *file, sion_int64 number)
{
    int rc = need(&unzipper->frame, &unzipper->frame_size,
                  (size_t)(task->plain[number + 1] - task->plain[number]));

    unzipper->task = NULL;
    if (rc == 0)
        rc = read_frame(unzipper, task, plain, file, number, unzipper->frame);
    if (rc != 0)
        return rc;
    unzipper->task = task;
    unzipper->number = number;
    return 0;
}

/* A part of a frame is copied from all of it, unless it is in the file. */
static int read_part(struct unzipper *unzipper, const struct scion_zipped_task *task,
                     scion_read_some *plain, struct scion_file *file, sion_int64 number,
                     size_t from, size_t bytes, char *to)
{
    int is_kept = unzipper->task == task && unzipper->number == number, is_raw = 0, rc = 0;

    if (!is_kept && task->head.shuffle <= 1)
        rc = scion_zipped_read_raw(&unzipper->raw, task, plain, file, number, from, bytes,
                                   (unsigned char *)to, &is_raw);
    if (rc == 0 && !is_kept && !is_raw)
        rc = keep_frame(unzipper, task, plain, file, number);
    if (rc == 0 && !is_raw)
        memcpy(to, unzipper->frame + from, bytes);
    return rc;
}

/* ---- the view ---- */

/* The last of n + 1 sorted numbers, but for the last one, that is not above `wanted`. */
static sion_int64 find_frame(const struct scion_zipped_task *task, sion_int64 wanted)
{
    sion_int64 low = 0, high = task->n;

    while (high - low > 1) {
        sion_int64 middle = low + (high - low) / 2;

        if (task->plain[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const struct scion_zipped_task *find_task(const struct scion_unzip_view *unzip_view,
                                                 sion_int64 offset)
{
    int low = 0, high = unzip_view->n;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (unzip_view->tasks[middle].base <= offset)
            low = middle;
        else
            high = middle;
    }
    return &unzip_view->tasks[low];
}

static int need_unzipper(struct scion_unzip_view *unzip_view)
{
    struct unzipper *new;
    int rc = unzip_view->unzipper ? 0 : scion_zstd_need("compressed streams");

    if (rc != 0 || unzip_view->unzipper)
        return rc;
    new = calloc(1, sizeof *new);
    if (!new)
        return scion_fail_memory("decompression");
    unzip_view->unzipper = new;
    return 0;
}

/* Bytes of one frame, fewer than asked for if the frame has no more. */
static int read_some(struct scion_unzip_view *unzip_view, scion_read_some *plain,
                     struct scion_file *file, char *to, size_t bytes, sion_int64 offset,
                     size_t *got)
{
    const struct scion_zipped_task *task = find_task(unzip_view, offset);
    sion_int64 number = find_frame(task, offset - task->base);
    size_t from = (size_t)(offset - task->base - task->plain[number]),
           size = (size_t)(task->plain[number + 1] - task->plain[number]);

    *got = bytes < size - from ? bytes : size - from;
    return *got == size
               ? read_frame(unzip_view->unzipper, task, plain, file, number, (unsigned char *)to)
               : read_part(unzip_view->unzipper, task, plain, file, number, from, *got, to);
}

/*
 * No more than is in one frame, so that the next read begins with a frame: where it was stored,
 * that was a good end of a transfer.
 */
static int read_view(const struct scion_file_view *view, scion_read_some *plain,
                     struct scion_file *file, char *to, size_t bytes, sion_int64 offset,
                     size_t *got)
{
    struct scion_unzip_view *unzip_view = (struct scion_unzip_view *)view;
    int rc = need_unzipper(unzip_view);

    *got = 0;
    return rc == 0 && bytes > 0 && offset < unzip_view->bytes
               ? read_some(unzip_view, plain, file, to, bytes, offset, got)
               : rc;
}

/* No byte of it is a byte of the file. */
static sion_int64 find_nothing(const struct scion_file_view *view, sion_int64 offset,
                               sion_int64 *there)
{
    (void)view;
    *there = offset;
    return 0;
}

/* ---- making it ---- */

struct scion_unzip_view *scion_unzip_view_new(void)
{
    struct scion_unzip_view *new = calloc(1, sizeof *new);

    if (!new) {
        scion_fail_memory("decompression");
        return NULL;
    }
    new->view.find = find_nothing;
    new->view.read = read_view;
    return new;
}

static void free_task(struct scion_zipped_task *task)
{
    scion_lengths_free(&task->lengths);
    free(task->used);
    free(task->stored);
    free(task->plain);
}

void scion_unzip_view_rest(struct scion_unzip_view *unzip_view)
{
    struct unzipper *unzipper = unzip_view->unzipper;

    if (!unzipper)
        return;
    scion_zstd_decoder_free(unzipper->decoder);
    free(unzipper->stored);
    free(unzipper->shuffled);
    free(unzipper->frame);
    free(unzipper);
    unzip_view->unzipper = NULL;
}

void scion_unzip_view_free(struct scion_unzip_view *unzip_view)
{
    int i;

    if (!unzip_view)
        return;
    scion_unzip_view_rest(unzip_view);
    for (i = 0; i < unzip_view->n; i++)
        free_task(&unzip_view->tasks[i]);
    free(unzip_view->tasks);
    free(unzip_view);
}

/* Room for one more, all zero. */
static struct scion_zipped_task *new_task(struct scion_unzip_view *unzip_view)
{
    int capacity = unzip_view->capacity > 0 ? 2 * unzip_view->capacity : 1;
    struct scion_zipped_task *tasks;

    if (unzip_view->n == unzip_view->capacity) {
        tasks = scion_array_grown(unzip_view->tasks, (uint64_t)capacity, sizeof *tasks);
        if (!tasks) {
            scion_fail_memory("compressed streams");
            return NULL;
        }
        unzip_view->tasks = tasks;
        unzip_view->capacity = capacity;
    }
    memset(&unzip_view->tasks[unzip_view->n], 0, sizeof *unzip_view->tasks);
    return &unzip_view->tasks[unzip_view->n++];
}

static int copy_lengths(struct scion_zipped_task *task, const struct scion_lengths *lengths)
{
    sion_int64 b;

    task->used = scion_array((uint64_t)lengths->count, sizeof *task->used);
    if (!task->used)
        return scion_fail_memory("compressed streams");
    for (b = 0; b < lengths->count; b++)
        task->used[b] = scion_lengths_used(lengths, b);
    scion_lengths_view(&task->lengths, task->used, 1, lengths->count);
    return 0;
}

int scion_unzip_view_add(struct scion_unzip_view *unzip_view, struct scion_file *file, int task,
                         const struct scion_place *place, const struct scion_lengths *lengths,
                         struct scion_damage *damage)
{
    struct scion_zipped_task *new = new_task(unzip_view);
    int rc = new ? copy_lengths(new, lengths) : SION_ERR_MEMORY;

    if (rc != 0)
        return rc;
    new->task = task;
    new->place = *place;
    new->base = unzip_view->bytes;
    rc = scion_zipped_find_frames(new, file, damage);
    if (rc == 0 && damage->kind == SCION_SOUND &&
        new->plain[new->n] > ((sion_int64)1 << 62) - unzip_view->bytes)
        *damage = (struct scion_damage){
            .kind = SCION_DAMAGE_ZIP, .task = task, .found = new->stored[new->n]};
    if (rc == 0 && damage->kind == SCION_SOUND)
        unzip_view->bytes += new->plain[new->n];
    else
        free_task(&unzip_view->tasks[--unzip_view->n]);
    return rc;
}

static int copy_task(struct scion_unzip_view *unzip_view, const struct scion_zipped_task *from)
{
    struct scion_zipped_task *new = new_task(unzip_view);
    size_t bytes = ((size_t)from->n + 1) * sizeof *new->plain;

    if (!new || copy_lengths(new, &from->lengths) != 0)
        return SION_ERR_MEMORY;
    new->task = from->task;
    new->place = from->place;
    new->head = from->head;
    new->base = from->base;
    new->n = from->n;
    new->stored = malloc(bytes);
    new->plain = malloc(bytes);
    if (!new->stored || !new->plain)
        return scion_fail_memory("compressed streams");
    memcpy(new->stored, from->stored, bytes);
    memcpy(new->plain, from->plain, bytes);
    return 0;
}

struct scion_unzip_view *scion_unzip_view_copy(const struct scion_unzip_view *from)
{
    struct scion_unzip_view *new = scion_unzip_view_new();
    int rc = new ? 0 : SION_ERR_MEMORY, i;

    for (i = 0; rc == 0 && i < from->n; i++)
        rc = copy_task(new, &from->tasks[i]);
    if (rc == 0) {
        new->bytes = from->bytes;
        return new;
    }
    scion_unzip_view_free(new);
    return NULL;
}

sion_int64 scion_unzip_view_bytes(const struct scion_unzip_view *unzip_view)
{
    return unzip_view->bytes;
}

const struct scion_file_view *scion_unzip_view_of(const struct scion_unzip_view *unzip_view)
{
    return &unzip_view->view;
}

/* ---- single tasks ---- */

sion_int64 scion_unzip_view_before(const struct scion_unzip_view *unzip_view, sion_int64 base,
                                   sion_int64 chunk)
{
    const struct scion_zipped_task *task = unzip_view->n > 0 ? find_task(unzip_view, base) : NULL;
    sion_int64 stored = 0, low = 0, high, b;

    if (!task || task->base != base)
        return 0;
    for (b = 0; b < chunk && b < task->lengths.count; b++)
        stored += scion_lengths_used(&task->lengths, b);
    for (high = task->n; low < high;) {
        sion_int64 middle = low + (high - low + 1) / 2;

        if (task->stored[middle] <= stored)
            low = middle;
        else
            high = middle - 1;
    }
    return task->plain[low];
}

/* The view's tasks are in the order of the file. */
static const struct scion_zipped_task *find_number(const struct scion_unzip_view *unzip_view,
                                                   int task)
{
    int low = 0, high = unzip_view->n;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (unzip_view->tasks[middle].task <= task)
            low = middle;
        else
            high = middle;
    }
    return unzip_view->n > 0 && unzip_view->tasks[low].task == task ? &unzip_view->tasks[low]
                                                                    : NULL;
}

struct scion_unzip_view *scion_unzip_view_copy_task(const struct scion_unzip_view *from, int task)
{
    const struct scion_zipped_task *found = find_number(from, task);
    struct scion_unzip_view *new = scion_unzip_view_new();

    if (new &&found && copy_task(new, found) != 0) {
        scion_unzip_view_free(new);
        return NULL;
    }
    if (new)
        new->bytes = from->bytes;
    return new;
}

int scion_unzip_view_facts(const struct scion_unzip_view *unzip_view, int task,
                           struct scion_zipped_facts *facts)
{
    const struct scion_zipped_task *found = unzip_view ? find_number(unzip_view, task) : NULL;
    sion_int64 i;

    if (!found)
        return 0;
    *facts = (struct scion_zipped_facts){.head = found->head, .plain = found->plain[found->n]};
    for (i = 0; i < found->lengths.count; i++)
        facts->stored += scion_lengths_used(&found->lengths, i);
    facts->unread = found->has_table ? 0 : facts->stored - found->stored[found->n];
    for (i = 0; i < found->n; i++)
        facts->frames += found->plain[i + 1] > found->plain[i];
    return 1;
}
