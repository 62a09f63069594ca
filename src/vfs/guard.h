/* Who sees to it that no wrong byte of a file is read. */
#ifndef SCION_VFS_GUARD_H
#define SCION_VFS_GUARD_H

#include "vfs/view.h"

struct scion_file_guard {
    /*
     * As scion_file_read_some(), of offsets in the file itself, which `plain` reads without the
     * guard. Fewer bytes also come before those that are wrong, and then a read that begins there
     * fails.
     */
    int (*read)(struct scion_file_guard *guard, scion_read_some *plain, struct scion_file *file,
                void *to, size_t bytes, sion_int64 offset, size_t *got);

    /* Fail if some of these bytes cannot be read. */
    int (*check)(struct scion_file_guard *guard, scion_read_some *plain, struct scion_file *file,
                 sion_int64 offset, sion_int64 bytes);

    /* Whether the byte there is one of a piece, of 1 MiB at most, that is read as a whole; where
       that begins and ends. */
    int (*piece)(const struct scion_file_guard *guard, sion_int64 offset, sion_int64 *begin,
                 sion_int64 *end);
};

#endif
