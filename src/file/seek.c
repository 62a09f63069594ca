/* What sion_seek() does in each view. */
#include "file/container.h"

#include "sion_const.h"

#include "base/error.h"
#include "file/mapped.h"
#include "file/private.h"

/* In a mapped container the global rank says which of its tasks is meant. */
static int find_attached(const struct scion_container *container, int rank, int *task)
{
    *task = rank == SION_CURRENT_RANK ? container->selected
                                      : scion_container_find_rank(container, rank);
    if (*task < 0)
        return scion_fail(SION_ERR_ARGUMENT, "task %d is not one of the %d of this process", rank,
                          container->ntasks);
    return 0;
}

/* A container of one task takes that task's global rank, its index in the file, or
 * SION_CURRENT_RANK. */
int scion_container_find_task(const struct scion_container *container, int rank, int *task)
{
    if (container->view == SCION_VIEW_MAPPED)
        return find_attached(container, rank, task);
    *task = rank == SION_CURRENT_RANK ? container->selected : rank;
    if (container->view == SCION_VIEW_ALL) {
        if (*task < 0 || *task >= container->ntasks)
            return scion_fail(SION_ERR_ARGUMENT,
                              "parameter rank %d (max. %d) out of range, aborting ...", rank,
                              container->ntasks);
        return 0;
    }
    if (rank != SION_CURRENT_RANK && rank != container->rank && rank != container->lrank)
        return scion_fail(SION_ERR_ARGUMENT,
                          "parameter rank %d is different from current rank %d in "
                          "parallel openened file, returning  ...",
                          rank, container->rank);
    *task = container->selected;
    return 0;
}

static int select_task(struct scion_container *container, int task)
{
    return scion_container_has_tasks(container) ? scion_container_select(container, task) : 0;
}

/* Writing goes on where it ended: any other position is refused, and nothing changes. */
static int seek_writing(struct scion_container *container, int task, int chunk, sion_int64 position)
{
    struct scion_mark mark;
    int rc = scion_container_mark(container, task, &mark);

    if (rc != 0)
        return rc;
    if ((chunk != SION_CURRENT_BLK && chunk != mark.chunk) ||
        (position != SION_CURRENT_POS && position != mark.pos))
        return scion_fail(SION_ERR_MODE,
                          "task %d can only be written on at its end (chunk %lld, "
                          "position %lld)",
                          task, mark.chunk, mark.pos);
    return select_task(container, task);
}

/* Position in the task's stream counted over all chunks, from its start or from its end. */
static int seek_stream(struct scion_container *container, int from_end, sion_int64 offset)
{
    sion_int64 total;
    int rc = scion_stream_size(&container->front.stream, &total);

    if (rc != 0)
        return rc;
    if (from_end ? offset > 0 || offset < -total : offset < 0 || offset > total)
        return scion_fail(SION_ERR_ARGUMENT,
                          "parameter posinblk (%lld) is out of range (%lld .. %lld), "
                          "aborting ...",
                          offset, from_end ? -total : 0, from_end ? 0 : total);
    return scion_stream_seek_offset(&container->front.stream, from_end ? total + offset : offset,
                                    from_end);
}

static int seek_chunk(struct scion_container *container, int chunk, sion_int64 position)
{
    const struct scion_lengths *lengths = container->front.stream.lengths;
    sion_int64 b = chunk == SION_CURRENT_BLK ? container->front.stream.chunk : chunk;

    if (b < 0 || b >= lengths->count)
        return scion_fail(SION_ERR_ARGUMENT,
                          "parameter chunk number (%d) is out of range (0 .. %lld), "
                          "returning  ...",
                          chunk, lengths->count - 1);
    if (position == SION_CURRENT_POS) {
        int rc = scion_stream_pos(&container->front.stream, &position);

        if (rc != 0)
            return rc;
    }
    if (position < 0 || position > scion_lengths_used(lengths, b))
        return scion_fail(SION_ERR_ARGUMENT,
                          "parameter posinblk (%lld) is out of range (0 .. %lld), "
                          "aborting ...",
                          position, scion_lengths_used(lengths, b));
    return scion_stream_seek(&container->front.stream, b, position);
}

/*
 * Stay where the task stands. Programs that read their tasks in turn ask for the bytes left in the
 * chunk and read that many, so at the end of a chunk the cursor goes to the next chunk with data.
 */
static int resume_reading(struct scion_container *container, int rank)
{
    int at_end;

    if (container->keyval == SION_KEYVAL_INLINE || scion_container_is_shared(container) ||
        (container->view == SCION_VIEW_RANK && rank == SION_CURRENT_RANK))
        return 0;
    return scion_stream_at_end(&container->front.stream, &at_end);
}

static int seek_reading(struct scion_container *container, int rank, int chunk, sion_int64 position)
{
    if (chunk == SION_ABSOLUTE_POS || chunk == SION_END_POS)
        return seek_stream(container, chunk == SION_END_POS, position);
    if (chunk == SION_CURRENT_BLK && position == SION_CURRENT_POS)
        return resume_reading(container, rank);
    return seek_chunk(container, chunk, position);
}

int scion_container_seek(struct scion_container *container, int rank, int chunk,
                         sion_int64 position)
{
    int old = container->selected, task;
    int rc = scion_container_find_task(container, rank, &task);

    if (rc != 0)
        return rc;
    if (container->writing)
        return seek_writing(container, task, chunk, position);
    rc = select_task(container, task);
    if (rc == 0) /* it stays selected, so that who goes on does not read another one */
        rc = scion_stream_check(&container->front.stream);
    if (rc != 0)
        return rc;
    rc = seek_reading(container, rank, chunk, position);
    if (rc != 0)
        select_task(container, old);
    return rc;
}
