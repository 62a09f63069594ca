/* What is read of a physical file's tables: small ones are close together, so they are read at
 * once. */
#include "file/physical_read.h"

#include <string.h>

#include "vfs/vfs.h"

/* From `offset` on, `least` bytes, or up to the end of the file, and what is near. */
static int fill_window(const struct scion_physical *physical, size_t least, sion_int64 offset)
{
    struct scion_window *window = physical->window;
    sion_int64 left = physical->size - offset;
    size_t bytes = left >= (sion_int64)least && left < SCION_WINDOW ? (size_t)left : SCION_WINDOW;

    window->first = offset;
    window->bytes = 0;
    return scion_file_read_some(physical->file, window->data, bytes, offset, &window->bytes);
}

static int is_in_window(const struct scion_window *window, size_t bytes, sion_int64 offset)
{
    return offset >= window->first &&
           offset + (sion_int64)bytes <= window->first + (sion_int64)window->bytes;
}

int scion_physical_read_some(struct scion_physical *physical, void *to, size_t bytes,
                             sion_int64 offset, size_t *got)
{
    struct scion_window *window = physical->window;
    sion_int64 left;
    int rc = 0;

    if (!window || bytes > SCION_WINDOW)
        return scion_file_read_some(physical->file, to, bytes, offset, got);
    if (!is_in_window(window, bytes, offset))
        rc = fill_window(physical, bytes, offset);
    if (rc != 0)
        return rc;
    left = window->first + (sion_int64)window->bytes - offset;
    *got = (sion_int64)bytes < left ? bytes : (size_t)left;
    memcpy(to, window->data + (offset - window->first), *got);
    return 0;
}

int scion_physical_read_whole(struct scion_physical *physical, void *to, size_t bytes,
                              sion_int64 offset)
{
    size_t got = 0;
    int rc = bytes <= SCION_WINDOW && physical->window
                 ? scion_physical_read_some(physical, to, bytes, offset, &got)
                 : 0;

    /* Also to say what is wrong, if the file is too short. */
    return rc != 0 || (got == bytes && bytes > 0)
               ? rc
               : scion_file_read(physical->file, to, bytes, offset);
}
