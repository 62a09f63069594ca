/* Trees as the bytes of a record, and back: lengths and checksums are checked before they are used. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "scr/kvtree/kvtree.h"

/*
 * A record, all numbers big endian: magic (4 bytes), type (2), version (2), size of the record (8),
 * flags (4), the packed tree, CRC-32 of all before it (4, if bit 0 of the flags is set).
 */
static const uint32_t magic = 0x951fc3f5;

enum { TYPE = 1, RECORD_VERSION = 1, HAS_CRC = 1 };
enum { TYPE_AT = 4, VERSION_AT = 6, SIZE_AT = 8, FLAGS_AT = 16 };
enum { COUNT = 4, SMALLEST = SCION_KVTREE_HEADER + COUNT };

/* The smallest element: the NUL of an empty key, and the count of an empty tree. */
enum { SMALLEST_ELEMENT = 1 + COUNT };

unsigned char *scion_kvtree_put_u32(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)(value >> 24);
    to[1] = (unsigned char)(value >> 16);
    to[2] = (unsigned char)(value >> 8);
    to[3] = (unsigned char)value;
    return to + 4;
}

static uint32_t get_u32(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static unsigned get_u16(const unsigned char *from)
{
    return (unsigned)from[0] << 8 | from[1];
}

static uint64_t get_u64(const unsigned char *from)
{
    return (uint64_t)get_u32(from) << 32 | get_u32(from + 4);
}

/* zlib takes 32-bit lengths. */
static uint32_t crc_of(const unsigned char *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, size);
}

/* ---- packing ---- */

static int add_size(const struct sion_kvtree *tree, int depth, sion_int64 *bytes)
{
    const struct sion_kvtree *child;

    if (depth > SCION_KVTREE_DEPTH)
        return scion_fail(SION_ERR_ARGUMENT, "the tree is deeper than %d levels",
                          SCION_KVTREE_DEPTH);
    *bytes += COUNT;
    for (child = tree->first; child; child = child->next) {
        int rc;

        *bytes += (sion_int64)strlen(child->key) + 1;
        rc = add_size(child, depth + 1, bytes);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int scion_kvtree_packed_size(const struct sion_kvtree *tree, sion_int64 *bytes)
{
    *bytes = 0;
    return add_size(tree, 0, bytes);
}

unsigned char *scion_kvtree_pack(const struct sion_kvtree *tree, unsigned char *to)
{
    const struct sion_kvtree *child;

    to = scion_kvtree_put_u32(to, tree->count);
    for (child = tree->first; child; child = child->next) {
        size_t length = strlen(child->key) + 1;

        memcpy(to, child->key, length);
        to = scion_kvtree_pack(child, to + length);
    }
    return to;
}

void scion_kvtree_seal(unsigned char *record, size_t size)
{
    size_t before = size - SCION_KVTREE_CRC;

    scion_kvtree_put_u32(record, magic);
    scion_kvtree_put_u32(record + TYPE_AT, TYPE << 16 | RECORD_VERSION);
    scion_kvtree_put_u32(record + SIZE_AT, (uint32_t)((uint64_t)size >> 32));
    scion_kvtree_put_u32(record + SIZE_AT + 4, (uint32_t)size);
    scion_kvtree_put_u32(record + FLAGS_AT, HAS_CRC);
    scion_kvtree_put_u32(record + before, crc_of(record, before));
}

int scion_kvtree_encode(const sion_kvtree *tree, void **bytes, size_t *size)
{
    sion_int64 packed;
    unsigned char *record;
    int rc = scion_kvtree_packed_size(tree, &packed);

    if (rc != 0)
        return rc;
    *size = SCION_KVTREE_HEADER + (size_t)packed + SCION_KVTREE_CRC;
    record = malloc(*size);
    if (!record)
        return scion_fail_memory("record of a tree");
    scion_kvtree_pack(tree, record + SCION_KVTREE_HEADER);
    scion_kvtree_seal(record, *size);
    *bytes = record;
    return 0;
}

/* ---- unpacking ---- */

struct reader {
    const unsigned char *start, *at, *end;
    size_t offset; /* of start, in the file */
};

static int damaged(const struct reader *reader, const char *what)
{
    return scion_fail(SION_ERR_DAMAGED, "damaged at byte %zu: %s",
                      reader->offset + (size_t)(reader->at - reader->start), what);
}

static int unpack(struct reader *reader, int depth, struct sion_kvtree *tree)
{
    uint32_t count;

    if (reader->end - reader->at < COUNT)
        return damaged(reader, "it ends within a number of keys");
    count = get_u32(reader->at);
    if (count > (size_t)(reader->end - reader->at - COUNT) / SMALLEST_ELEMENT)
        return damaged(reader, "more keys than there are bytes");
    if (count > 0 && depth == SCION_KVTREE_DEPTH)
        return damaged(reader, "too many levels");
    for (reader->at += COUNT; count > 0; count--) {
        const unsigned char *key = reader->at;
        const unsigned char *nul = memchr(key, '\0', (size_t)(reader->end - key));
        struct sion_kvtree *child;
        int rc;

        if (!nul)
            return damaged(reader, "a key without an end");
        child = scion_kvtree_set(tree, (const char *)key);
        if (!child)
            return SION_ERR_MEMORY;
        reader->at = nul + 1;
        rc = unpack(reader, depth + 1, child);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int scion_kvtree_unpack(const unsigned char *bytes, size_t size, size_t offset,
                        struct sion_kvtree *tree)
{
    struct reader reader = {bytes, bytes, bytes + size, offset};
    int rc = unpack(&reader, 0, tree);

    if (rc == 0 && reader.at != reader.end)
        rc = damaged(&reader, "bytes after the last key");
    return rc;
}

int scion_kvtree_record_size(const unsigned char *header, size_t bytes, sion_int64 *size)
{
    uint64_t stored;

    if (bytes < 4 || get_u32(header) != magic)
        return scion_fail(SION_ERR_NOT_SION, "not a file of keys");
    if (bytes < SCION_KVTREE_HEADER)
        return scion_fail(SION_ERR_DAMAGED, "cut off: %zu bytes are no header", bytes);
    if (get_u16(header + TYPE_AT) != TYPE)
        return scion_fail(SION_ERR_VERSION, "a file of type %u, not of keys",
                          get_u16(header + TYPE_AT));
    if (get_u16(header + VERSION_AT) != RECORD_VERSION)
        return scion_fail(SION_ERR_VERSION, "version %u, not %d", get_u16(header + VERSION_AT),
                          RECORD_VERSION);
    if (get_u32(header + FLAGS_AT) & ~(uint32_t)HAS_CRC)
        return scion_fail(SION_ERR_VERSION, "unknown flags 0x%x", get_u32(header + FLAGS_AT));
    stored = get_u64(header + SIZE_AT);
    if (stored < SMALLEST || stored > INT64_MAX)
        return scion_fail(SION_ERR_DAMAGED, "a size of %llu bytes", (unsigned long long)stored);
    *size = (sion_int64)stored;
    return 0;
}

/* Read a whole record, whose header has been checked. */
static int decode_record(const unsigned char *bytes, size_t size, struct sion_kvtree *tree)
{
    size_t end = size;

    if (get_u32(bytes + FLAGS_AT) & HAS_CRC) {
        if (size < SMALLEST + SCION_KVTREE_CRC)
            return scion_fail(SION_ERR_DAMAGED, "%zu bytes have no room for a CRC", size);
        end -= SCION_KVTREE_CRC;
        if (get_u32(bytes + end) != crc_of(bytes, end))
            return scion_fail(SION_ERR_DAMAGED, "damaged: its CRC is 0x%08x, not 0x%08x",
                              crc_of(bytes, end), get_u32(bytes + end));
    }
    return scion_kvtree_unpack(bytes + SCION_KVTREE_HEADER, end - SCION_KVTREE_HEADER,
                               SCION_KVTREE_HEADER, tree);
}

int scion_kvtree_decode(const void *bytes, size_t size, sion_kvtree **tree, size_t *used)
{
    struct sion_kvtree *new = scion_kvtree_new();
    sion_int64 record = 0;
    int rc = new ? 0 : SION_ERR_MEMORY;

    if (rc == 0 && size > 0) {
        rc = scion_kvtree_record_size(bytes, size, &record);
        if (rc == 0 && (uint64_t)record > size)
            rc = scion_fail(SION_ERR_DAMAGED, "cut off: %zu of %lld bytes", size, record);
        if (rc == 0)
            rc = decode_record(bytes, (size_t)record, new);
    }
    if (rc != 0) {
        sion_kvtree_free(new);
        return rc;
    }
    if (used)
        *used = (size_t)record;
    *tree = new;
    return 0;
}
