/* Closed files some tasks of which are damaged: what can be counted of these tasks, and where. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/column.h"
#include "recover/private.h"

static int note(void *user, const struct scion_chunk_repair *chunk)
{
    struct scion_salvaged_file *file = user;
    size_t n = (size_t)file->nmended;
    struct scion_chunk_repair *more;

    if ((n & (n - 1)) == 0) { /* full when the number is a power of two */
        more = scion_array_grown(file->mended, n > 0 ? 2 * n : 1, sizeof *more);
        if (!more)
            return scion_fail_memory("damaged chunks");
        file->mended = more;
    }
    file->mended[file->nmended++] = *chunk;
    return 0;
}

/* A chunk of unknown length counts as 0 bytes, as in all readers. */
static void take_column(struct scion_physical *physical, const struct scion_column *column)
{
    size_t n = (size_t)physical->head.ntasks;
    sion_int64 b;

    physical->counts[column->lrank] = column->count;
    for (b = 0; b < column->count; b++) {
        if (column->used[b] > 0)
            physical->used[(size_t)b * n + (size_t)column->lrank] = column->used[b];
    }
}

int scion_salvage_mend(struct scion_salvaged_file *file)
{
    struct scion_physical *physical = file->physical;
    struct scion_damages before = physical->damages;
    int rc = 0, i;

    physical->damages = (struct scion_damages){0};
    for (i = 0; i < before.n && rc == 0; i++) {
        struct scion_column column;
        int nmended = file->nmended;

        rc = scion_column_mend(physical, (int)before.list[i].task, &column, note, file);
        if (rc != 0)
            break;
        if (column.damage.kind == SCION_SOUND && before.list[i].kind != SCION_DAMAGE_ROWS) {
            take_column(physical, &column);
        } else {
            file->nmended = nmended;
            rc = scion_damages_add(&physical->damages, physical->head.ntasks, &before.list[i]);
        }
        scion_column_free(&column);
    }
    scion_damages_free(&before);
    return rc;
}

int scion_salvage_write_mended(struct scion_salvaged_file *file)
{
    static const sion_int64 nothing; /* in any byte order */
    int rc, i;

    if (file->nmended == 0)
        return 0;
    rc = file->physical->file ? scion_physical_suspend(file->physical) : 0;
    file->physical->is_written = 1;
    if (rc == 0)
        rc = scion_physical_resume(file->physical);
    for (i = 0; i < file->nmended && rc == 0; i++) {
        size_t done;

        rc = scion_file_write(file->physical->file, &nothing, sizeof nothing, file->mended[i].entry,
                              &done);
    }
    if (rc == 0)
        rc = scion_file_sync(file->physical->file);
    return rc == 0 ? scion_physical_suspend(file->physical) : rc;
}
