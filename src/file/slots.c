#include "file/slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vfs/writer_lock.h"

/* ---- commit records ---- */

int scion_physical_slot(const struct scion_physical *physical, sion_int64 size, int task,
                        sion_int64 chunk, sion_int64 behind, struct scion_slot *slot)
{
    const struct scion_meta1 *head = &physical->head;
    const struct scion_place place = scion_physical_place(physical, task);
    struct scion_slot wanted = {.task = task, .chunk = chunk, .sequence = behind};
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    sion_int64 begin, room = place.chunksize;
    size_t got;
    int rc;

    scion_marker_trailer(head->flag2, &wanted.nonce);
    if (scion_chunk_start(&place, chunk, &begin) || room == 0 || begin >= size - room)
        return 0;
    /* The last chunk may end before its second slot. */
    rc = scion_file_read_some(physical->file, trailer, sizeof trailer, begin + room, &got);
    return rc != 0 ? rc : scion_slot_find(trailer, head->swapped, &wanted, room, slot);
}

static int add_certain(const struct scion_physical *physical, int task, sion_int64 *bytes)
{
    struct scion_slot slot = {.sequence = -1};
    sion_int64 chunk = 0;
    int rc;

    while ((rc = scion_physical_slot(physical, physical->size, task, chunk, slot.sequence,
                                     &slot)) == 1) {
        *bytes += slot.used;
        chunk++;
    }
    return rc;
}

/* ---- a container that is being written ---- */

/* Each task costs a read, of a file that is being written. */
enum { MOST_TASKS = 4096 };

/* Who writes it: the lock of a set is that of its name without ".000001", which `name` becomes. */
static int find_writer(char *name, struct scion_writer *writer)
{
    char *end = strrchr(name, '.');

    if (scion_writer_find(name, writer))
        return 1;
    if (!end || strspn(end + 1, "0123456789") != 6 || end[7])
        return 0;
    *end = '\0';
    return scion_writer_find(name, writer);
}

static int add_file(const char *name, int number, int *ntasks, sion_int64 *bytes)
{
    char *path = scion_physical_name(name, number);
    struct scion_physical *physical;
    int rc = path ? scion_physical_read_first(path, &physical) : SION_ERR_MEMORY, task;

    free(path);
    if (rc != 0)
        return rc;
    *ntasks += physical->head.ntasks;
    for (task = 0; task < physical->head.ntasks && *ntasks <= MOST_TASKS && rc == 0; task++)
        rc = add_certain(physical, task, bytes);
    scion_physical_close(physical);
    return rc;
}

/* " with N bytes ..." in text; "" where nothing is known. */
static void tell_certain(const struct scion_physical *physical, const char *name, char *text,
                         size_t size)
{
    int nfiles = physical->head.nfiles, ntasks = 0, number;
    sion_int64 bytes = 0;

    *text = '\0';
    if (physical->head.ntasks <= 0 || scion_marker_trailer(physical->head.flag2, NULL) == 0)
        return;
    for (number = 0; number == 0 || (number < nfiles && ntasks <= MOST_TASKS); number++) {
        if (add_file(name, number, &ntasks, &bytes) != 0)
            return;
    }
    if (ntasks <= MOST_TASKS)
        snprintf(text, size, "; %lld bytes of its %d tasks are certain so far", bytes, ntasks);
    else
        snprintf(text, size, "; sionrecover tells how much is certain so far");
}

int scion_physical_blame_writer(const struct scion_physical *physical, int code)
{
    char who[SCION_WRITER_TEXT], certain[100], *name = strdup(physical->path);
    struct scion_writer writer;

    if (!name || !find_writer(name, &writer)) {
        free(name);
        return code;
    }
    tell_certain(physical, name, certain, sizeof certain);
    scion_fail(code, "%.200s is being written by %s, and can be read when that has closed it%s",
               name, scion_writer_text(&writer, who), certain);
    free(name);
    return code;
}
