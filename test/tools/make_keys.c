/*
 * make_keys FILE N [KEYS BYTES]: a key-value container of one task with N records of one byte, in
 * chunks of BYTES bytes (100). Record i has the key i modulo KEYS (or i).
 */
#include <stdio.h>
#include <stdlib.h>

#include "sion.h"

int main(int argc, char **argv)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid, i, n, keys;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 10;

    if (argc != 3 && argc != 5)
        return 1;
    n = atoi(argv[2]);
    keys = argc > 3 ? atoi(argv[3]) : n;
    size = argc > 3 ? atoll(argv[4]) : size;
    sid = sion_open(argv[1], "w,keyval=inline", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    for (i = 0; i < n; i++) {
        if (sion_fwrite_key("x", (uint64_t)(i % keys), 1, 1, sid) != 1)
            return 1;
    }
    return sion_close(sid) != SION_SUCCESS;
}
