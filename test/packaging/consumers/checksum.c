#include <sion.h>
#include <sion_checksum.h>
int main(void)
{
    char name[] = "consumer_checksum.sion";
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 chunk = 100, *chunks = &chunk;
    sion_int32 fsblksize = -1;

    sion_checksum_use(sion_crc32);
    sid = sion_open(name, "wb,checksum", &ntasks, &nfiles, &chunks, &fsblksize, &ranks, NULL);
    return sid < 0 || sion_fwrite("bytes", 1, 5, sid) != 5 || sion_close(sid) != 1 ||
           sion_crc32(0, "bytes", 5) == 0;
}
