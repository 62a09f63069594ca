/*
 * make_full NAME: a container of one task, with three bytes in blocks of 4096, that was closed when
 * there was no room after the data, so that its tables are before the data.
 */
#include <signal.h>
#include <sys/resource.h>

#include "check.h"
#include "sion_common.h"
#include "sion_serial.h"

int main(int argc, char **argv)
{
    const struct rlimit limit = {4096 + 512, 4096 + 512};
    int ntasks = 1, nfiles = 1, grank = 0, *granks = &grank, sid;
    sion_int64 size = 1000, *sizes = &size;
    sion_int32 fsblksize = 4096;

    if (argc != 2)
        return 1;
    signal(SIGXFSZ, SIG_IGN);
    sid = sion_open(argv[1], "wb,posix", &ntasks, &nfiles, &sizes, &fsblksize, &granks, NULL);
    if (sid < 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0 || sion_fwrite("abc", 1, 3, sid) != 3)
        return 1;
    return sion_close(sid) == SION_SUCCESS; /* must fail */
}
