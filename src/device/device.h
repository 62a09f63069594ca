/*
 * Data in the memory of a device (CUDA, HIP), which the processor does not read or write itself.
 * No library is linked or loaded for that: the functions of a driver are used if the program has
 * loaded it. Programs without one pay nothing for a record.
 */
#ifndef SCION_DEVICE_DEVICE_H
#define SCION_DEVICE_DEVICE_H

#include <stddef.h>

struct scion_device_driver;

/* Where data are, if they are not in plain memory of the host. */
struct scion_device_place {
    const struct scion_device_driver *driver;
    void *context; /* CUDA: the memory's; NULL: that of the runtime */
    int device;
};

/*
 * Whether data may be there: the program has loaded a driver, or SION_DEVICE says so. Looks only if
 * the program has loaded libraries since the last time.
 */
int scion_device_look(void);

/* Whether data are in the memory of a device, or in memory that moves between it and the host. Asks
   the driver, if there is one. */
int scion_device_find(const void *data, struct scion_device_place *place);

/*
 * Move data by pieces that are in memory of the host, while the next piece is copied. Everything
 * that the program has started before on the device's legacy default stream, and on streams that
 * wait for that, has ended before the first copy; all copies have ended at the return. The caller's
 * device and context stay as they are. 0, or an error code: of the driver, or of the function.
 */

/* For each piece of the data, in their order: not 0 ends the transfer. */
typedef int scion_device_take(void *user, const void *piece, size_t bytes);

/* Put the next bytes into the piece, at most `room`. *got 0: there are no more. */
typedef int scion_device_give(void *user, void *piece, size_t room, size_t *got);

int scion_device_fetch(const struct scion_device_place *place, const void *data, size_t bytes,
                       scion_device_take *take, void *user);
int scion_device_store(const struct scion_device_place *place, void *data, size_t bytes,
                       scion_device_give *give, void *user);

/* Bytes of a piece: several pieces, so that a copy and the file's part overlap; few for small
   data. A multiple of 64 KiB. */
enum { SCION_DEVICE_LEAST_PIECE = 256 << 10, SCION_DEVICE_MOST_PIECE = 4 << 20 };

static inline size_t scion_device_piece(size_t bytes)
{
    size_t unit = 64 << 10, piece = (bytes / 4 + unit - 1) / unit * unit;

    return piece < SCION_DEVICE_LEAST_PIECE  ? SCION_DEVICE_LEAST_PIECE
           : piece > SCION_DEVICE_MOST_PIECE ? SCION_DEVICE_MOST_PIECE
                                             : piece;
}

/* Between the host's memory and a device's. */
int scion_device_copy_out(const struct scion_device_place *place, void *to, const void *data,
                          size_t bytes);
int scion_device_copy_in(const struct scion_device_place *place, void *data, const void *from,
                         size_t bytes);

/* The memory through which data go stays from hold to release, for the next transfer. */
void scion_device_hold(void);
void scion_device_release(void);

#endif
