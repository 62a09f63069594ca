/* make_sums NAME: a container with checksums, of two tasks with 1.5 MiB each, whose data begin at
 * 4096. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "sion_checksum.h"
#include "sion_common.h"
#include "sion_serial.h"

enum { BYTES = 3 << 19 };

int main(int argc, char **argv)
{
    static unsigned char data[BYTES];
    int ntasks = 2, nfiles = 1, ranks[2] = {0, 1}, *ranks_pointer = ranks, sid, t, good = 1;
    sion_int64 sizes[2] = {BYTES, BYTES / 2}, *sizes_pointer = sizes;
    sion_int32 fsblksize = 4096;

    if (argc != 2)
        return 1;
    sion_checksum_use(sion_crc32);
    sid = sion_open(argv[1], "wb,checksum", &ntasks, &nfiles, &sizes_pointer, &fsblksize,
                    &ranks_pointer, NULL);
    for (t = 0; t < 2 && sid >= 0 && good; t++) {
        int records = t == 0 ? 1 : 3, i;

        good = sion_seek(sid, t, 0, 0) == 1;
        for (i = 0; i < records && good; i++) {
            size_t bytes = BYTES / (size_t)records;

            check_fill(data, t, (long)(bytes * (size_t)i), bytes);
            good = sion_fwrite(data, 1, bytes, sid) == bytes;
        }
    }
    return sid < 0 || sion_close(sid) != 1 || !good;
}
