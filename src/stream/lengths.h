/* How many bytes each chunk of one task holds. */
#ifndef SCION_STREAM_LENGTHS_H
#define SCION_STREAM_LENGTHS_H

#include <stddef.h>

#include "sion_datatypes.h"

struct scion_old_lengths;

struct scion_lengths {
    sion_int64 *used;    /* bytes of chunk b: used[b * stride] */
    size_t stride;       /* 1, or the number of tasks where `used` is a column of META2 */
    sion_int64 count;    /* chunks; at least 1 */
    sion_int64 capacity; /* entries of `used` if they are ours and may grow, else 0 */
    sion_int64 *before;  /* made when first needed: sums over chunks from the first one on */
    int is_shown;        /* an application has `used`, so it must stay */
    struct scion_old_lengths *shown; /* earlier ones that an application has */
    sion_int64 forgotten; /* writing: chunks before this one are not the container's any more */
    sion_int64 lost;      /* reading together: bytes that it has had since the open, and has no more */
    sion_int64 told, told_last; /* chunks, and bytes in the last one, when they were published */
};

/* For writing: one chunk of 0 bytes; none if there is no memory. */
int scion_lengths_new(struct scion_lengths *lengths);

/*
 * For writing on behind `old`: a copy, without empty chunks at the end but for chunk 0. mark: where
 * the stream goes on.
 */
struct scion_mark;
int scion_lengths_go_on(struct scion_lengths *lengths, const struct scion_lengths *old,
                        struct scion_mark *mark);

/* For reading: a view of count entries, which the caller keeps. */
void scion_lengths_view(struct scion_lengths *lengths, sion_int64 *used, size_t stride,
                        sion_int64 count);

void scion_lengths_free(struct scion_lengths *lengths);

/* Append chunks of 0 bytes until there are so many. */
int scion_lengths_extend(struct scion_lengths *lengths, sion_int64 count);

/* Whether there are bytes that were not published. */
static inline int scion_lengths_has_bytes(const struct scion_lengths *lengths)
{
    if (lengths->told == 0)
        return lengths->count > 1 || (lengths->count == 1 && lengths->used[0] > 0);
    return lengths->count > lengths->told ||
           lengths->used[(size_t)(lengths->told - 1) * lengths->stride] != lengths->told_last;
}

/* Append a chunk of 0 bytes: constant time on average. */
int scion_lengths_append(struct scion_lengths *lengths);

/*
 * The lengths as an array of `count`, for an application: it stays until scion_lengths_free, even
 * if it is outgrown. A column is copied at the first call and is an array from then on.
 */
int scion_lengths_show(struct scion_lengths *lengths, sion_int64 **used);

static inline sion_int64 scion_lengths_used(const struct scion_lengths *lengths, sion_int64 chunk)
{
    return lengths->used[(size_t)chunk * lengths->stride];
}

/* Whether bytes were written, or chunks begun, since they were published; all are news at first. */
static inline int scion_lengths_has_news(const struct scion_lengths *lengths)
{
    return lengths->count > lengths->told ||
           scion_lengths_used(lengths, lengths->told - 1) != lengths->told_last;
}

/* From the last chunk on that was published, which may have got bytes since then. */
static inline struct scion_lengths scion_lengths_news(const struct scion_lengths *lengths)
{
    sion_int64 first = lengths->told > 0 ? lengths->told - 1 : 0;

    return (struct scion_lengths){.used = lengths->used + (size_t)first * lengths->stride,
                                  .stride = lengths->stride,
                                  .count = lengths->count - first};
}

/* They have been published as they are. */
static inline void scion_lengths_tell(struct scion_lengths *lengths)
{
    lengths->told = lengths->count;
    lengths->told_last = scion_lengths_used(lengths, lengths->count - 1);
}

/* Bytes in all chunks before `chunk` (0..count). First call O(chunks), then O(1). */
int scion_lengths_before(struct scion_lengths *lengths, sion_int64 chunk, sion_int64 *bytes);

/*
 * The chunk in which byte `offset` of the stream is, 0 <= offset <= total; where it is the
 * border of two chunks, the end of the earlier one (later = 0) or the start of the later one.
 * O(log chunks).
 */
int scion_lengths_find(struct scion_lengths *lengths, sion_int64 offset, int later,
                       sion_int64 *chunk);

#endif
