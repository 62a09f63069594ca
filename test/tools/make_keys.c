/* make_keys FILE N: a key-value container of one task and N records of one byte. */
#include <stdio.h>
#include <stdlib.h>

#include "sion.h"

int main(int argc, char **argv)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid, i;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 10;

    if (argc != 3)
        return 1;
    sid = sion_open(argv[1], "w,keyval=inline", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    for (i = 0; i < atoi(argv[2]); i++) {
        if (sion_fwrite_key("x", (uint64_t)i, 1, 1, sid) != 1)
            return 1;
    }
    return sion_close(sid) != SION_SUCCESS;
}
