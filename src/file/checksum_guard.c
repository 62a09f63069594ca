/* A guard of a whole file: each piece is compared when it is read for the first time. */
#include "file/checksum.h"
#include "file/guard.h"

static void view_lengths(struct scion_physical *physical, int task, struct scion_lengths *lengths)
{
    scion_lengths_view(lengths, physical->used + task, (size_t)physical->head.ntasks,
                       physical->counts[task]);
}

static int watch(struct scion_physical *physical, const struct scion_checksum_table *checksums)
{
    const struct scion_guard_facts facts = {checksums->piece, physical->head.swapped,
                                            physical->layout.globalskip};
    sion_int64 chunks = 0;
    int task, rc;

    for (task = 0; task < physical->head.ntasks; task++)
        chunks += physical->counts[task];
    rc = scion_guard_new(&facts, physical->head.ntasks, chunks, &physical->guard);
    for (task = 0; rc == 0 && task < physical->head.ntasks; task++) {
        struct scion_lengths lengths;

        view_lengths(physical, task, &lengths);
        scion_guard_add(physical->guard, task, physical->starts[task],
                        scion_checksum_place(checksums, task), &lengths);
        if (checksums->are_early)
            rc = scion_guard_give(physical->guard, checksums->crcs + checksums->first[task],
                                  scion_checksum_count(&lengths, checksums->piece));
    }
    if (rc == 0)
        scion_guard_watch(physical->guard, physical->file);
    return rc;
}

int scion_checksum_watch_physical(struct scion_physical *physical)
{
    struct scion_checksum_table *checksums;
    int rc = scion_checksum_table_find(physical, &checksums);

    if (rc == 0 && checksums)
        rc = watch(physical, checksums);
    scion_checksum_table_free(checksums);
    return rc;
}
