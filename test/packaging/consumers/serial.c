#include <sion.h>
int main(void)
{
    int ntasks = 1, nfiles = 1, fsblksize = 512, rank = 0, *ranks = &rank, sid;
    long long size = 100, *sizes = &size;

    sid = sion_open("consumer.sion", "w", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, 0);
    return sid < 0 || sion_fwrite("hello", 1, 5, sid) != 5 || sion_close(sid) != 1;
}
