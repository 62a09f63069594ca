#include "file/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "file/mapped.h"
#include "file/private.h"

void scion_container_count(struct scion_container *container)
{
    struct scion_stats *stats = scion_must_allocate(1, sizeof *stats);

    if (gethostname(stats->host, sizeof stats->host) != 0 && errno != ENAMETOOLONG)
        *stats->host = '\0';
    stats->host[sizeof stats->host - 1] = '\0';
    container->front.stats = stats;
    scion_container_choose_records(container);
}

double scion_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct scion_call_count scion_count_begin(struct scion_container *container, size_t bytes)
{
    struct scion_call_count counting = {.stats = container->front.stats};

    if (!counting.stats || scion_stream_holds(&container->front.stream, bytes))
        return counting;
    counting.system_calls = scion_vfs_transfers();
    counting.begin = scion_seconds();
    return counting;
}

static int class_of(sion_int64 bytes)
{
    int class = 0;

    for (; bytes > 0; bytes >>= 1)
        class ++;
    return class;
}

void scion_count_phase(const struct scion_call_count *counting, enum scion_phase phase)
{
    if (!counting->stats)
        return;
    counting->stats->system_calls += scion_vfs_transfers() - counting->system_calls;
    counting->stats->seconds[phase] += scion_seconds() - counting->begin;
}

void scion_count_end(const struct scion_call_count *counting, size_t done)
{
    struct scion_stats *stats = counting->stats;
    sion_int64 bytes = (sion_int64)done;
    long before;

    if (!stats)
        return;
    before = (long)stats->system_calls;
    if (counting->begin > 0)
        scion_count_phase(counting, SCION_PHASE_TRANSFER);
    if (bytes == 0)
        return;
    stats->hits += stats->system_calls == before;
    if (stats->calls == 0 || bytes < stats->smallest)
        stats->smallest = bytes;
    if (bytes > stats->largest)
        stats->largest = bytes;
    stats->calls++;
    stats->bytes += bytes;
    stats->classes[class_of(bytes)]++;
}

static void survey_task(struct scion_stats *stats, const struct scion_lengths *lengths,
                        sion_int64 chunksize)
{
    sion_int64 stored = 0, b;

    for (b = 0; b < lengths->count; b++) {
        sion_int64 used = scion_lengths_used(lengths, b);

        stored += used;
        if (b < lengths->count - 1)
            stats->gaps += chunksize - used;
    }
    stats->tasks++;
    stats->stored += stored;
    stats->chunks += lengths->count;
    stats->room += lengths->count * chunksize;
    if (lengths->count > stats->most_chunks)
        stats->most_chunks = lengths->count;
    if (stored > stats->longest)
        stats->longest = stored;
}

static sion_int64 chunksize_of(const struct scion_container *container, int task)
{
    int file, lrank;

    if (container->view == SCION_VIEW_MAPPED)
        return scion_container_task_place(container, task)->place.chunksize;
    scion_container_locate(container, task, &file, &lrank);
    return scion_container_file(container, file)->chunksizes[lrank];
}

/* Tasks that were never selected have done nothing. */
void scion_container_survey(struct scion_container *container)
{
    struct scion_stats *stats = container->front.stats;
    sion_int64 pos;
    int t;

    /* This sets the length of the present chunk. If it fails, the close reports it. */
    scion_stream_pos(&container->front.stream, &pos);
    if (!scion_container_has_tasks(container)) {
        survey_task(stats, scion_container_lengths(container, 0),
                    container->front.stream.place.chunksize);
        return;
    }
    for (t = 0; t < container->ntasks; t++) {
        const struct scion_lengths *lengths = scion_container_lengths(container, t);

        if (lengths->used)
            survey_task(stats, lengths, chunksize_of(container, t));
    }
}

static void take_longer(double *seconds, double other)
{
    if (other > *seconds)
        *seconds = other;
}

void scion_stats_merge(struct scion_stats *stats, const struct scion_stats *other)
{
    int i;

    if (other->calls > 0 && (stats->calls == 0 || other->smallest < stats->smallest))
        stats->smallest = other->smallest;
    if (other->largest > stats->largest)
        stats->largest = other->largest;
    stats->calls += other->calls;
    stats->bytes += other->bytes;
    for (i = 0; i < SCION_SIZE_CLASSES; i++)
        stats->classes[i] += other->classes[i];
    stats->hits += other->hits;
    stats->system_calls += other->system_calls;
    stats->tasks += other->tasks;
    stats->stored += other->stored;
    stats->chunks += other->chunks;
    if (other->most_chunks > stats->most_chunks)
        stats->most_chunks = other->most_chunks;
    stats->room += other->room;
    stats->gaps += other->gaps;
    if (other->longest > stats->longest)
        stats->longest = other->longest;
    for (i = 0; i < SCION_PHASES; i++)
        take_longer(&stats->seconds[i], other->seconds[i]);
}

/* Interpolate within a class, as if its sizes were evenly spread. */
sion_int64 scion_stats_median(const struct scion_stats *stats)
{
    sion_int64 before = 0, wanted = (stats->calls + 1) / 2, low, high;
    int i = 0;

    if (stats->smallest == stats->largest)
        return stats->smallest;
    while (before + stats->classes[i] < wanted)
        before += stats->classes[i++];
    low = i == 0 ? 0 : 1LL << (i - 1);
    high = i == 0 ? 0 : low + (low - 1);
    low = low < stats->smallest ? stats->smallest : low;
    high = high > stats->largest ? stats->largest : high;
    return low + (sion_int64)((double)(high - low) * (double)(wanted - before) /
                              (double)(stats->classes[i] + 1));
}
