/*
 * make_many FILE TASKS CHUNKS BYTES: a container of many tasks. Task t has 1 + t % CHUNKS chunks of
 * BYTES bytes; the last one holds t % (BYTES + 1) of them, the others are full.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "sion_common.h"
#include "sion_serial.h"

static int write_task(int sid, int task, int chunks, size_t bytes, unsigned char *data)
{
    int i, last = task % chunks, good = 1;

    check_fill(data, task, 0, bytes);
    for (i = 0; i <= last && good; i++) {
        size_t part = i < last ? bytes : (size_t)task % (bytes + 1);

        good = part == 0 || sion_fwrite(data, 1, part, sid) == part;
    }
    return good;
}

int main(int argc, char **argv)
{
    int ntasks, nfiles = 1, *ranks, chunks, sid, t, good;
    sion_int64 *sizes;
    sion_int32 fsblksize = 1;
    unsigned char *data;

    if (argc != 5)
        return 1;
    ntasks = atoi(argv[2]);
    chunks = atoi(argv[3]);
    ranks = malloc((size_t)ntasks * sizeof *ranks);
    sizes = malloc((size_t)ntasks * sizeof *sizes);
    data = malloc((size_t)atoi(argv[4]));
    if (!ranks || !sizes || !data)
        return 1;
    for (t = 0; t < ntasks; t++) {
        ranks[t] = t;
        sizes[t] = atoi(argv[4]);
    }
    sid = sion_open(argv[1], "wb", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    good = sid >= 0;
    for (t = 0; t < ntasks && good; t++)
        good = sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS &&
               write_task(sid, t, chunks, (size_t)sizes[t], data);
    free(ranks);
    free(data);
    good = good && sion_close(sid) == SION_SUCCESS;
    free(sizes);
    return !good;
}
