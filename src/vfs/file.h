/* An open file, shared by vfs.c and transfer.c; nobody else includes this. */
#ifndef SCION_VFS_FILE_H
#define SCION_VFS_FILE_H

#include "vfs/guard.h"
#include "vfs/vfs.h"

struct scion_file {
    const struct scion_vfs *vfs;
    int fd;
    int is_writing;
    struct stat opened; /* when it was opened */
    struct scion_harm harm;
    const struct scion_file_view *view; /* or NULL */
    struct scion_file_guard *guard;     /* or NULL */
    struct {
        sion_int64 from, end;
        int is_hole;
    } run; /* that was found last */
    char path[];
};

#endif
