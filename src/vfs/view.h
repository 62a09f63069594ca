/* Bytes of a file in another order. */
#ifndef SCION_VFS_VIEW_H
#define SCION_VFS_VIEW_H

#include <stddef.h>

#include "sion_datatypes.h"

struct scion_file;

/* As scion_file_read_some(), whose result it has, of offsets in the file itself. */
typedef int scion_read_some(struct scion_file *file, void *to, size_t bytes, sion_int64 offset,
                            size_t *got);

struct scion_file_view {
    /* How many bytes from `offset` of the view on are together in the file, and where; 0: none. */
    sion_int64 (*find)(const struct scion_file_view *view, sion_int64 offset, sion_int64 *there);

    /* NULL: the bytes are those of the file, as find() says. Else they are made of these, and
       find() finds none. */
    int (*read)(const struct scion_file_view *view, scion_read_some *plain, struct scion_file *file,
                char *to, size_t bytes, sion_int64 offset, size_t *got);
};

/* The same of an offset in the view. */
int scion_file_view_read(const struct scion_file_view *view, scion_read_some *plain,
                         struct scion_file *file, char *to, size_t bytes, sion_int64 offset,
                         size_t *got);

#endif
