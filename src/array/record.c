/* Records in the stream of the selected task: where they fit, and their bytes. */
#include <string.h>

#include "array/writer.h"
#include "base/byteorder.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "sion_common.h"

/*
 * A piece is read twice, and the second time it is still in the cache of the core. The range comes
 * first, because tasks that write to one file wait for each other in the kernel: so the write that
 * holds up the others takes its data from the cache. Pieces end on a multiple of this size in the
 * file, because file systems keep data in units of such sizes in the memory.
 */
enum { PIECE = 1 << 20 };

sion_int64 scion_array_pad(sion_int64 offset)
{
    return -offset & (SCION_ARRAY_ALIGN - 1);
}

int scion_array_make_room(int sid, sion_int64 bytes, struct sion_layer_room *room, int *fits)
{
    int rc = 0;

    *fits = scion_array_pad(room->offset) + bytes <= room->left;
    if (*fits || room->left == room->chunksize ||
        scion_array_pad(room->next) + bytes > room->chunksize)
        return 0;
    if (sion_ensure_free_space(sid, room->left + 1) != SION_SUCCESS)
        return sion_error_code();
    rc = sion_layer_room(sid, room);
    *fits = rc == 0;
    return rc;
}

static int write_bytes(int sid, const void *bytes, size_t size)
{
    return size == 0 || sion_fwrite(bytes, 1, size, sid) == size ? 0 : sion_error_code();
}

/* A large piece goes to the system without a copy, so there are no small ones: the first piece also
   has the bytes before a multiple of the size, the last one the rest. Without a range, there is one
   piece. */
static int write_data(int sid, const struct sion_layer_room *room, sion_int64 offset,
                      const struct scion_array_header *header, const unsigned char *data,
                      struct scion_array_range *range)
{
    sion_int64 piece = PIECE, left = header->bytes, part;
    int rc = 0;

    while (piece < room->buffer)
        piece *= 2;
    for (; left > 0 && rc == 0; left -= part, offset += part, data += part) {
        part = !range || left < 2 * piece ? left : piece + (-offset & (piece - 1));
        if (range)
            scion_array_range_add(header->type, data, (size_t)part / scion_array_size(header->type),
                                  range);
        rc = write_bytes(sid, data, (size_t)part);
    }
    return rc;
}

/* ---- data in memory of a device ---- */

struct device_data {
    struct scion_array_header *header;
    int sid;
    struct scion_array_range *range;
};

static int add_to_crc(void *user, const void *piece, size_t bytes)
{
    const struct device_data *device_data = user;

    device_data->header->crc = scion_crc32c(device_data->header->crc, piece, bytes);
    return 0;
}

static int write_piece(void *user, const void *piece, size_t bytes)
{
    const struct device_data *device_data = user;
    int type = device_data->header->type;

    if (device_data->range)
        scion_array_range_add(type, piece, bytes / scion_array_size(type), device_data->range);
    return write_bytes(device_data->sid, piece, bytes);
}

/* The CRC goes before the data, so these are copied twice. */
static int find_crc(const struct scion_array_writer *writer, struct scion_array_header *header,
                    const void *data)
{
    struct device_data device_data = {.header = header};
    size_t bytes = (size_t)header->bytes;

    header->crc = 0;
    if (writer->place.driver)
        return sion_layer_device_fetch(&writer->place, data, bytes, add_to_crc, &device_data);
    header->crc = scion_crc32c(0, data, bytes);
    return 0;
}

int scion_array_write_record(struct scion_array_writer *writer, const struct sion_layer_room *room,
                             struct scion_array_header *header, const void *data,
                             struct scion_array_range *range, sion_int64 *position)
{
    unsigned char bytes[SCION_ARRAY_ALIGN + SCION_ARRAY_HEADER];
    size_t pad = (size_t)scion_array_pad(room->offset);
    size_t size = scion_array_header_size(header->ndims, header->name_length);
    int rc = 0;

    if (scion_host_is_big())
        header->flags |= SCION_ARRAY_BIG_ENDIAN;
    if (writer->has_crc) {
        header->flags |= SCION_ARRAY_HAS_CRC;
        rc = find_crc(writer, header, data);
    }
    if (rc != 0)
        return rc;
    memset(bytes, 0, pad);
    scion_array_header_encode(header, bytes + pad);
    rc = write_bytes(writer->sid, bytes, pad + size);
    *position = room->stream + (sion_int64)(pad + size);
    if (rc == 0 && writer->place.driver)
        return sion_layer_device_fetch(&writer->place, data, (size_t)header->bytes, write_piece,
                                       &(struct device_data){header, writer->sid, range});
    return rc != 0 ? rc
                   : write_data(writer->sid, room, room->offset + (sion_int64)(pad + size), header,
                                data, range);
}
