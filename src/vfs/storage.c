#include "vfs/storage.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/error.h"
#include "vfs/path.h"
#include "vfs/vfs.h"

/* Numbers of file systems, as in statfs(2); those of Lustre and BeeGFS are their own. */
enum { TYPE_LUSTRE = 0x0bd00bd0, TYPE_GPFS = 0x47504653, TYPE_BEEGFS = 0x19830326 };

/* Of file systems on a disk or in memory of this machine. */
static const unsigned long local_types[] = {
    0xef53,     /* ext2, ext3, ext4 */
    0x01021994, /* tmpfs */
    0x58465342, /* XFS */
    0x9123683e, /* Btrfs */
    0x794c7630, /* overlay */
    0x2fc12fc1, /* ZFS */
    0xf2f52010, /* F2FS */
    0x858458f6, /* ramfs */
};

/* ---- Lustre's layout attribute: little endian, packed ---- */

enum {
    MAGIC_V1 = 0x0bd10bd0,
    MAGIC_V3 = 0x0bd30bd0,
    MAGIC_COMPOSITE = 0x0bd60bd0,

    AT_STRIPE_SIZE = 24,
    AT_STRIPE_COUNT = 28,
    PLAIN_BYTES = 32,

    AT_ENTRIES = 14, /* of a composite layout: their number */
    HEAD_BYTES = 32, /* the entries follow, of so many bytes: */
    ENTRY_BYTES = 48,
    AT_OFFSET = 24, /* in an entry: offset of the layout of its part of the file */
    AT_SIZE = 28,

    LARGEST_ATTRIBUTE = 65536
};

static uint32_t u16_at(const unsigned char *from, size_t offset)
{
    return from[offset] | (uint32_t)from[offset + 1] << 8;
}

static uint32_t u32_at(const unsigned char *from, size_t offset)
{
    return u16_at(from, offset) | u16_at(from, offset + 2) << 16;
}

/* One layout of one part of a file, or of all of it. */
static int decode_plain(const unsigned char *from, size_t bytes, struct scion_storage *storage)
{
    uint32_t count;

    if (bytes < PLAIN_BYTES || (u32_at(from, 0) != MAGIC_V1 && u32_at(from, 0) != MAGIC_V3))
        return 0;
    count = u16_at(from, AT_STRIPE_COUNT);
    storage->stripe_size = u32_at(from, AT_STRIPE_SIZE);
    storage->stripe_count = count == UINT16_MAX ? -1 : (int)count;
    return 1;
}

static int decode_entry(const unsigned char *from, size_t bytes, size_t entry,
                        struct scion_storage *storage)
{
    struct scion_storage part = {0};
    size_t offset = u32_at(from, entry + AT_OFFSET), size = u32_at(from, entry + AT_SIZE);

    if (offset > bytes || size > bytes - offset || !decode_plain(from + offset, size, &part))
        return 0;
    if (part.stripe_size > storage->stripe_size)
        storage->stripe_size = part.stripe_size;
    storage->stripe_count = part.stripe_count; /* entries come in the order of the file's parts */
    return 1;
}

static int decode_composite(const unsigned char *from, size_t bytes, struct scion_storage *storage)
{
    struct scion_storage found = {0};
    size_t n, i, decoded = 0;

    if (bytes < HEAD_BYTES || u32_at(from, 0) != MAGIC_COMPOSITE)
        return 0;
    n = u16_at(from, AT_ENTRIES);
    if (n > (bytes - HEAD_BYTES) / ENTRY_BYTES)
        return 0;
    for (i = 0; i < n; i++) /* parts of other kinds, such as data with the metadata, are skipped */
        decoded += decode_entry(from, bytes, HEAD_BYTES + i * ENTRY_BYTES, &found) > 0;
    if (decoded == 0)
        return 0;
    storage->stripe_size = found.stripe_size;
    storage->stripe_count = found.stripe_count;
    return 1;
}

int scion_storage_decode_lustre(const void *attribute, size_t bytes, struct scion_storage *storage)
{
    return decode_plain(attribute, bytes, storage) || decode_composite(attribute, bytes, storage);
}

static int read_layout(const char *path, struct scion_storage *storage)
{
    unsigned char *attribute = malloc(LARGEST_ATTRIBUTE);
    ssize_t bytes = -1;
    int found;

    if (attribute)
        bytes = scion_vfs_current()->getxattr(path, "lustre.lov", attribute, LARGEST_ATTRIBUTE);
    found = bytes > 0 && scion_storage_decode_lustre(attribute, (size_t)bytes, storage);
    free(attribute);
    return found && storage->stripe_size > 0;
}

/* A new file may have no layout before the first byte is written; then it will have its folder's.
 */
static void find_layout(const char *path, struct scion_storage *storage)
{
    char *folder = read_layout(path, storage) ? NULL : strdup(path);

    if (!folder)
        return;
    if (strchr(folder, '/'))
        scion_path_up(folder);
    read_layout(strchr(path, '/') ? folder : ".", storage);
    free(folder);
}

/* ---- all file systems ---- */

static sion_int64 unit_of(const struct scion_storage *storage)
{
    if (storage->stripe_size > 0)
        return storage->stripe_size;
    if (storage->kind != SCION_STORAGE_OTHER && storage->block > 0)
        return storage->block;
    return storage->preferred;
}

/* Half a stripe, or a quarter, still has borders where stripes have theirs. */
static int choose_block_size(const struct scion_storage *storage)
{
    sion_int64 unit = unit_of(storage);

    while (storage->kind != SCION_STORAGE_OTHER && unit > SION_MAX_FSBLOCKSIZE && unit % 2 == 0)
        unit /= 2;
    return unit < 1 || unit > SION_MAX_FSBLOCKSIZE ? SION_DEFAULT_FSBLOCKSIZE : (int)unit;
}

static void look_at_kind(const char *path, struct scion_storage *storage)
{
    static const struct {
        long type;
        enum scion_storage_kind kind;
        const char *name;
    } known[] = {
        {TYPE_LUSTRE, SCION_STORAGE_LUSTRE, "Lustre"},
        {TYPE_GPFS, SCION_STORAGE_GPFS, "GPFS"},
        {TYPE_BEEGFS, SCION_STORAGE_BEEGFS, "BeeGFS"},
    };
    struct statfs status;
    size_t i;

    if (scion_vfs_current()->statfs(path, &status) != 0)
        return;
    storage->type = (long)status.f_type;
    storage->block = (sion_int64)status.f_bsize;
    for (i = 0; i < sizeof known / sizeof *known; i++) {
        if (((unsigned long)storage->type & UINT32_MAX) == (unsigned long)known[i].type) {
            storage->kind = known[i].kind;
            storage->name = known[i].name;
        }
    }
    for (i = 0; i < sizeof local_types / sizeof *local_types; i++)
        storage->is_local |= ((unsigned long)storage->type & UINT32_MAX) == local_types[i];
}

int scion_storage_of(const char *path, struct scion_storage *storage)
{
    struct stat status;

    *storage = (struct scion_storage){.kind = SCION_STORAGE_OTHER, .name = "other"};
    errno = scion_path_status(path, &status);
    if (errno != 0)
        return scion_fail(SION_ERR_SYSTEM, "cannot examine %s: %s", path, strerror(errno));
    storage->preferred = (sion_int64)status.st_blksize;
    look_at_kind(path, storage);
    if (storage->kind == SCION_STORAGE_LUSTRE)
        find_layout(path, storage);
    storage->fsblksize = choose_block_size(storage);
    return 0;
}

int scion_storage_room(const char *folder, sion_int64 *bytes)
{
    struct statfs status;

    if (scion_vfs_current()->statfs(folder, &status) != 0)
        return scion_fail_errno(errno, "cannot examine %s", folder);
    if (__builtin_mul_overflow(status.f_bavail, status.f_bsize, bytes))
        *bytes = INT64_MAX;
    return 0;
}
