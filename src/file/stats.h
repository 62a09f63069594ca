/* Statistics of what a process does with a container, if they are wanted. */
#ifndef SCION_FILE_STATS_H
#define SCION_FILE_STATS_H

#include "file/container.h"

enum scion_phase {
    SCION_PHASE_OPEN,
    SCION_PHASE_TRANSFER, /* calls that are not served by the buffer alone */
    SCION_PHASE_FLUSH,
    SCION_PHASE_CLOSE,
    SCION_PHASES
};

/* Sizes from 2^(i - 1) to less than 2^i are in class i. */
enum { SCION_SIZE_CLASSES = 65, SCION_HOST_BYTES = 32 };

/* Contains no pointers, so that one process can send it to another as bytes. */
struct scion_stats {
    sion_int64 calls, bytes, smallest, largest;
    sion_int64 classes[SCION_SIZE_CLASSES];
    sion_int64 hits, system_calls;

    /* The streams of this process's tasks, when it closes them. */
    sion_int64 tasks, stored;
    sion_int64 chunks, most_chunks, room; /* chunks in use, of one task at most, their bytes */
    sion_int64 gaps;    /* unused bytes in chunks that are not the last one of their task */
    sion_int64 longest; /* stored by one task at most */

    double seconds[SCION_PHASES];
    char host[SCION_HOST_BYTES]; /* the beginning of its name; "": unknown */
};

/* Count from now on: records take the slow path. */
void scion_container_count(struct scion_container *container);

/* NULL: nothing is counted. */
static inline struct scion_stats *scion_container_stats(const struct scion_container *container)
{
    return scion_container_front(container)->stats;
}

/* Monotonic. */
double scion_seconds(void);

/* A call that moves data, or tries to. `bytes`: the most that it will move. */
struct scion_call_count {
    struct scion_stats *stats; /* NULL: nothing is counted */
    double begin;              /* 0: the buffer serves it */
    long system_calls;
};

struct scion_call_count scion_count_begin(struct scion_container *container, size_t bytes);
void scion_count_end(const struct scion_call_count *counting, size_t bytes);

/* The same for a call that moves no record. */
void scion_count_phase(const struct scion_call_count *counting, enum scion_phase phase);

/* Look at the streams, as they are now. */
void scion_container_survey(struct scion_container *container);

/* Add what another process has counted. Times: the longer ones. */
void scion_stats_merge(struct scion_stats *stats, const struct scion_stats *other);

/* A quantile over all calls: exact if all have one size, else accurate to their class. */
sion_int64 scion_stats_median(const struct scion_stats *stats);

#endif
