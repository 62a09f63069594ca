#include "vfs/stdio_named.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "vfs/vfs.h"

FILE *scion_stdio_open(const char *path, enum scion_stdio_how how)
{
    static const int flags[] = {O_RDONLY, O_WRONLY, O_WRONLY | O_NOFOLLOW};
    const struct scion_vfs *vfs = scion_vfs_current();
    int fd = vfs->open(path, flags[how] | O_CLOEXEC, 0);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, how == SCION_STDIO_READ ? "rb" : "wb");

    if (fd >= 0 && !stream)
        vfs->close(fd);
    return stream;
}

int scion_stdio_status(FILE *stream, struct stat *status)
{
    return scion_vfs_current()->fstat(fileno(stream), status) == 0 ? 0 : errno;
}

int scion_stdio_empty(FILE *stream)
{
    struct stat status;
    int errnum = scion_stdio_status(stream, &status);

    if (errnum != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return errnum;
    return scion_vfs_current()->ftruncate(fileno(stream), 0) == 0 ? 0 : errno;
}

int scion_stdio_extend(FILE *stream)
{
    off_t end = ftello(stream);

    return end < 0 || fflush(stream) != 0 ? -1
                                          : scion_vfs_current()->ftruncate(fileno(stream), end);
}

void scion_stdio_occupy(void)
{
    const struct scion_vfs *vfs = scion_vfs_current();
    int fd;

    do {
        fd = vfs->open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        vfs->close(fd);
}

int scion_stdio_discard(FILE *stream)
{
    return freopen("/dev/null", "w", stream) ? 0 : errno;
}
