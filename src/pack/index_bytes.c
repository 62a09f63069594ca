#include "pack/index_bytes.h"

#include <string.h>

#include "base/checked.h"
#include "base/crc32c.h"
#include "base/error.h"

static const char magic[8] = {'S', 'I', 'O', 'N', 'F', 'I', 'L', '1'};

static unsigned char *put(unsigned char *to, uint64_t number, int bytes)
{
    int i;

    for (i = 0; i < bytes; i++)
        *to++ = (unsigned char)(number >> 8 * i & 0xff);
    return to;
}

static uint64_t get(const unsigned char **from, int bytes)
{
    uint64_t number = 0;
    int i;

    for (i = 0; i < bytes; i++)
        number |= (uint64_t) * (*from)++ << 8 * i;
    return number;
}

static sion_int64 get_signed(const unsigned char **from)
{
    return (sion_int64)get(from, 8);
}

void scion_index_key_add(struct scion_index_key *key, sion_int64 bytes)
{
    unsigned char number[8];

    put(number, (uint64_t)bytes, 8);
    key->ntasks++;
    key->total = (sion_int64)((uint64_t)key->total + (uint64_t)bytes);
    key->crc = scion_crc32c(key->crc, number, sizeof number);
}

/* ---- entries ---- */

static size_t shared(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

size_t scion_index_encode(const struct scion_pack_entry *entry, const char *before,
                          unsigned char *to)
{
    size_t same = shared(entry->path, before), rest = strlen(entry->path) - same;
    size_t target = entry->target ? strlen(entry->target) : 0;
    unsigned char *at = to;

    at = put(at, same, 2);
    at = put(at, rest, 2);
    at = put(at, target, 2);
    at = put(at, (uint64_t)entry->type, 1);
    at = put(at, 0, 1);
    at = put(at, entry->mode, 4);
    at = put(at, entry->uid, 4);
    at = put(at, entry->gid, 4);
    at = put(at, (uint64_t)entry->task, 4);
    at = put(at, entry->mtime_ns, 4);
    at = put(at, (uint64_t)entry->size, 8);
    at = put(at, (uint64_t)entry->mtime, 8);
    at = put(at, (uint64_t)entry->data, 8);
    memcpy(at, entry->path + same, rest);
    if (target > 0)
        memcpy(at + rest, entry->target, target);
    return SCION_INDEX_ENTRY + rest + target;
}

static int is_link(int type)
{
    return type == SCION_PACK_LINK || type == SCION_PACK_HARD;
}

static int is_valid(const struct scion_pack_entry *entry, uint64_t task, int ntasks, size_t target)
{
    sion_int64 end;

    return entry->type != 0 && strchr("fdlhp", entry->type) && entry->mode <= 07777 &&
           task < (uint64_t)ntasks && entry->mtime_ns < 1000000000 && entry->size >= 0 &&
           (entry->type == SCION_PACK_FILE || entry->size == 0) && entry->data >= 0 &&
           !scion_add(entry->data, entry->size, &end) && (target > 0) == is_link(entry->type);
}

/* Text without NULs behind what is shared. */
static int take_path(const unsigned char *from, size_t rest, size_t same, char *path)
{
    if (same > strlen(path) || same + rest == 0 || same + rest >= SCION_PACK_PATH ||
        memchr(from, '\0', rest))
        return -1;
    memcpy(path + same, from, rest);
    path[same + rest] = '\0';
    return 0;
}

static int take_target(const unsigned char *from, size_t length, char *target)
{
    if (length >= SCION_PACK_PATH || memchr(from, '\0', length))
        return -1;
    memcpy(target, from, length);
    target[length] = '\0';
    return 0;
}

size_t scion_index_decode(const unsigned char *from, size_t length, int ntasks, char *path,
                          char *target, struct scion_pack_entry *entry)
{
    size_t same, rest, bytes;
    uint64_t task;

    if (length < SCION_INDEX_ENTRY)
        return 0;
    same = (size_t)get(&from, 2);
    rest = (size_t)get(&from, 2);
    bytes = (size_t)get(&from, 2);
    entry->type = (int)get(&from, 1);
    from++;
    entry->mode = (uint32_t)get(&from, 4);
    entry->uid = (uint32_t)get(&from, 4);
    entry->gid = (uint32_t)get(&from, 4);
    task = get(&from, 4);
    entry->mtime_ns = (uint32_t)get(&from, 4);
    entry->size = get_signed(&from);
    entry->mtime = get_signed(&from);
    entry->data = get_signed(&from);
    if (rest + bytes > length - SCION_INDEX_ENTRY || !is_valid(entry, task, ntasks, bytes) ||
        take_path(from, rest, same, path) != 0 || take_target(from + rest, bytes, target) != 0 ||
        !scion_pack_is_clean(path))
        return 0;
    entry->task = (int)task;
    entry->path = path;
    entry->target = bytes > 0 ? target : NULL;
    return SCION_INDEX_ENTRY + rest + bytes;
}

/* ---- the list of blocks ---- */

size_t scion_index_encode_block(const struct scion_index_block *block, unsigned char *to)
{
    size_t length = strlen(block->first);

    to = put(to, (uint64_t)block->offset, 8);
    to = put(to, block->size, 4);
    to = put(to, block->count, 4);
    to = put(to, block->crc, 4);
    to = put(to, length, 2);
    memcpy(to, block->first, length);
    return SCION_INDEX_LISTED + length;
}

size_t scion_index_decode_block(const unsigned char *from, size_t length,
                                struct scion_index_block *block, char *first)
{
    size_t bytes;

    if (length < SCION_INDEX_LISTED)
        return 0;
    block->offset = get_signed(&from);
    block->size = (uint32_t)get(&from, 4);
    block->count = (uint32_t)get(&from, 4);
    block->crc = (uint32_t)get(&from, 4);
    bytes = (size_t)get(&from, 2);
    first[0] = '\0';
    if (bytes > length - SCION_INDEX_LISTED || take_path(from, bytes, 0, first) != 0 ||
        block->size < SCION_INDEX_ENTRY || block->size > SCION_INDEX_BLOCK_MOST ||
        block->count < 1 || block->count > block->size / SCION_INDEX_ENTRY)
        return 0;
    block->first = first;
    return SCION_INDEX_LISTED + bytes;
}

/* ---- the trailer ---- */

void scion_index_encode_trailer(const struct scion_index_trailer *trailer, unsigned char *to)
{
    unsigned char *at = to;

    memcpy(at, magic, sizeof magic);
    at = put(at + sizeof magic, SCION_INDEX_VERSION, 4);
    at = put(at, (uint64_t)trailer->key.ntasks, 4);
    at = put(at, (uint64_t)trailer->key.total, 8);
    at = put(at, (uint64_t)trailer->count, 8);
    at = put(at, (uint64_t)trailer->begin, 8);
    at = put(at, (uint64_t)trailer->list_offset, 8);
    at = put(at, (uint64_t)trailer->list_size, 8);
    at = put(at, trailer->blocks, 4);
    at = put(at, trailer->list_crc, 4);
    at = put(at, trailer->key.crc, 4);
    at = put(at, 0, 8);
    put(at, scion_crc32c(0, to, SCION_INDEX_TRAILER - 4), 4);
}

int scion_index_is_trailer(const unsigned char *from)
{
    return memcmp(from, magic, sizeof magic) == 0;
}

static int damaged(const char *what)
{
    return scion_fail(SION_ERR_DAMAGED, "the index of packed files is damaged: %s", what);
}

static int check(const struct scion_index_trailer *trailer, sion_int64 size)
{
    sion_int64 end;

    if (trailer->key.ntasks < 1 || trailer->count < 0)
        return damaged("its numbers");
    if (trailer->begin < 0 || trailer->list_offset < trailer->begin || trailer->list_size < 0 ||
        scion_add(trailer->list_offset, trailer->list_size, &end) ||
        end != size - SCION_INDEX_TRAILER)
        return damaged("its place");
    return trailer->blocks <= trailer->list_size / SCION_INDEX_LISTED
               ? 0
               : damaged("the number of its blocks");
}

int scion_index_decode_trailer(const unsigned char *from, sion_int64 size,
                               struct scion_index_trailer *trailer)
{
    const unsigned char *at = from + sizeof magic, *last = from + SCION_INDEX_TRAILER - 4;
    uint32_t version, ntasks;

    if (get(&last, 4) != scion_crc32c(0, from, SCION_INDEX_TRAILER - 4))
        return damaged("its end");
    version = (uint32_t)get(&at, 4);
    if (version != SCION_INDEX_VERSION)
        return scion_fail(SION_ERR_VERSION, "the index of packed files has the unknown version %u",
                          version);
    ntasks = (uint32_t)get(&at, 4);
    trailer->key.ntasks = ntasks <= INT32_MAX ? (int)ntasks : 0;
    trailer->key.total = get_signed(&at);
    trailer->count = get_signed(&at);
    trailer->begin = get_signed(&at);
    trailer->list_offset = get_signed(&at);
    trailer->list_size = get_signed(&at);
    trailer->blocks = (uint32_t)get(&at, 4);
    trailer->list_crc = (uint32_t)get(&at, 4);
    trailer->key.crc = (uint32_t)get(&at, 4);
    return check(trailer, size);
}
