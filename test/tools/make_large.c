/*
 * make_large CONTAINER RAW MIB: one task with a chunk of MIB MiB and five bytes, and a second chunk
 * of three bytes; the plain file RAW has the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "sion_common.h"
#include "sion_serial.h"

enum { MIB = 1 << 20 };

static int put(int sid, FILE *raw, long *position, size_t bytes)
{
    static unsigned char data[MIB];

    check_fill(data, 0, *position, bytes);
    *position += (long)bytes;
    return sion_fwrite(data, 1, bytes, sid) == bytes && fwrite(data, 1, bytes, raw) == bytes;
}

int main(int argc, char **argv)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid, good, i, mib;
    sion_int64 size, *sizes = &size;
    sion_int32 fsblksize = 1;
    long position = 0;
    FILE *raw;

    if (argc != 4)
        return 1;
    mib = atoi(argv[3]);
    size = (sion_int64)mib * MIB + 5;
    raw = fopen(argv[2], "wb");
    sid = sion_open(argv[1], "wb", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    good = raw && sid >= 0;
    for (i = 0; i < mib && good; i++)
        good = put(sid, raw, &position, MIB);
    good = good && put(sid, raw, &position, 5) && put(sid, raw, &position, 3);
    return good && sion_close(sid) == SION_SUCCESS && fclose(raw) == 0 ? 0 : 1;
}
