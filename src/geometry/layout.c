#include "geometry/layout.h"

#include "base/checked.h"
#include "base/error.h"

static int too_large(int task)
{
    return scion_fail(SION_ERR_ARGUMENT,
                      "chunk sizes up to task %d add up to more than a file can hold", task);
}

int scion_layout_align(sion_int64 *chunksizes, int ntasks, int fsblksize)
{
    int t;

    for (t = 0; t < ntasks; t++) {
        if (scion_round_up(chunksizes[t], fsblksize, &chunksizes[t]))
            return too_large(t);
    }
    return 0;
}

int scion_layout_begin(sion_int64 header, int fsblksize, sion_int64 *next)
{
    return scion_round_up(header, fsblksize, next) ? too_large(0) : 0;
}

/* The offset goes through a register: by *next, each task would wait for the store of the last. */
int scion_layout_append(const sion_int64 *chunksizes, int task, int n, int grain,
                        sion_int64 *starts, sion_int64 *next)
{
    sion_int64 offset = *next;
    int t;

    for (t = 0; t < n; t++) {
        sion_int64 size = chunksizes[t];

        if (starts)
            starts[t] = offset;
        if (size < 0)
            return scion_fail(SION_ERR_DAMAGED, "chunk size of task %d is %lld", task + t, size);
        if (scion_round_up(size, grain, &size) || scion_add(offset, size, &offset))
            return too_large(task + t);
    }
    *next = offset;
    return 0;
}

int scion_layout_compute(const sion_int64 *chunksizes, int ntasks, sion_int64 header, int fsblksize,
                         int grain, sion_int64 *starts, struct scion_layout *layout)
{
    sion_int64 next;
    int rc = scion_layout_begin(header, fsblksize, &next);

    if (rc != 0)
        return rc;
    layout->start_of_data = next;
    rc = scion_layout_append(chunksizes, 0, ntasks, grain, starts, &next);
    if (rc == 0)
        layout->globalskip = next - layout->start_of_data;
    return rc;
}

int scion_chunk_start(const struct scion_place *place, sion_int64 chunk, sion_int64 *offset)
{
    sion_int64 skip;

    return scion_mul(place->globalskip, chunk, &skip) || scion_add(place->start, skip, offset);
}

int scion_layout_end(const struct scion_layout *layout, sion_int64 blocks, sion_int64 *offset)
{
    sion_int64 bytes;

    return scion_mul(layout->globalskip, blocks, &bytes) ||
           scion_add(layout->start_of_data, bytes, offset);
}
