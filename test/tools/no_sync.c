/* Preloaded into a process of the tests whose disk takes data but does not keep them. */
#include <errno.h>
#include <unistd.h>

__attribute__((visibility("default"))) int fsync(int fd)
{
    (void)fd;
    errno = EIO;
    return -1;
}
