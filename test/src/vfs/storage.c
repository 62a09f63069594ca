/* The storage properties that file systems report, from recorded data, and their use. */
#include <errno.h>

#include "check.h"

#include <limits.h>

#include "base/error.h"
#include "scratch.h"
#include "vfs/storage.h"
#include "vfs/vfs.h"

/* `lfs setstripe -S 4M -c 8`: version 1, of a file; its objects follow the head. */
static const unsigned char plain_file[] = {
    0xd0, 0x0b, 0xd1, 0x0b, 0x01, 0x00, 0x00, 0x00, 0x5e, 0x1a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x07, 0x04, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x08, 0x00, 0x00, 0x00,
    0x22, 0x8f, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

/* `lfs setstripe -S 16M -c -1 -p flash`: version 3, of a folder, with the name of a pool. */
static const unsigned char pool_folder[] = {
    0xd0, 0x0b, 0xd3, 0x0b, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xff, 0xff, 0xff, 0xff,
    0x66, 0x6c, 0x61, 0x73, 0x68, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

/* A folder without a layout of its own, which has the file system's defaults. */
static const unsigned char default_folder[] = {
    0xd0, 0x0b, 0xd1, 0x0b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

/* `lfs setstripe -E 64M -S 1M -c 1 -E -1 -S 2M -c 4`: two components, then their layouts. */
static const unsigned char composite[] = {
    0xd0, 0x0b, 0xd6, 0x0b, 0xc0, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    /* the first 64 MiB */
    0x01, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    /* the rest */
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xa0, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    /* their layouts */
    0xd0, 0x0b, 0xd1, 0x0b, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x01, 0x00, 0x00, 0x00,
    0xd0, 0x0b, 0xd1, 0x0b, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x04, 0x00, 0x00, 0x00};

/* ---- the decoder ---- */

static void decodes(const unsigned char *bytes, size_t n, sion_int64 size, int count)
{
    struct scion_storage storage = {.stripe_size = -7};

    CHECK_INT(scion_storage_decode_lustre(bytes, n, &storage), 1);
    CHECK_INT(storage.stripe_size, size);
    CHECK_INT(storage.stripe_count, count);
}

static void layouts_are_decoded(void)
{
    decodes(plain_file, sizeof plain_file, 4 << 20, 8);
    decodes(pool_folder, sizeof pool_folder, 16 << 20, -1);
    decodes(default_folder, sizeof default_folder, 0, 0);
    decodes(composite, sizeof composite, 2 << 20, 4);
}

/* Every prefix, and a change of any byte: bytes that are no layout have no effect. */
static void other_bytes_are_refused(void)
{
    unsigned char bytes[sizeof composite];
    struct scion_storage storage = {.stripe_size = -7, .stripe_count = -8};
    size_t n;

    for (n = 0; n < 32; n++)
        CHECK_INT(scion_storage_decode_lustre(plain_file, n, &storage), 0);
    for (n = 0; n < 0xa0; n++) /* without the second layout, the first one counts */
        CHECK_INT(scion_storage_decode_lustre(composite, n, &storage), 0);
    memcpy(bytes, composite, sizeof bytes);
    bytes[14] = 4; /* missing entries */
    CHECK_INT(scion_storage_decode_lustre(bytes, sizeof bytes, &storage), 0);
    memcpy(bytes, composite, sizeof bytes);
    memset(bytes + 32 + 24, 0xff, 8); /* a layout far outside, with a size that overflows */
    memset(bytes + 80 + 24, 0xff, 8);
    CHECK_INT(scion_storage_decode_lustre(bytes, sizeof bytes, &storage), 0);
    memcpy(bytes, plain_file, sizeof plain_file);
    bytes[3] ^= 1;
    CHECK_INT(scion_storage_decode_lustre(bytes, sizeof plain_file, &storage), 0);
    CHECK_INT(storage.stripe_size, -7);
    CHECK_INT(storage.stripe_count, -8);
}

/* Foreign bytes: the decoder reads nothing beyond them, as sanitizers and valgrind check. */
static void random_bytes_do_no_harm(void)
{
    struct scion_storage storage;
    int i;

    for (i = 0; i < 20000; i++) {
        size_t n = check_below(sizeof composite + 1), changes = check_below(6);
        unsigned char *bytes = malloc(n + 1);

        memcpy(bytes, composite, n);
        while (n > 0 && changes-- > 0)
            bytes[check_below(n)] = (unsigned char)check_random();
        memset(&storage, 0, sizeof storage);
        scion_storage_decode_lustre(bytes, n, &storage);
        CHECK(storage.stripe_size >= 0 && storage.stripe_size <= UINT32_MAX);
        free(bytes);
    }
}

/* ---- file systems ---- */

static struct {
    long type, block, preferred;
    const unsigned char *of_file, *of_folder;
    size_t file_bytes, folder_bytes;
    int statfs_fails;
} told;

static int tell_statfs(const char *path, struct statfs *status)
{
    (void)path;
    memset(status, 0, sizeof *status);
    status->f_type = (__typeof__(status->f_type))told.type;
    status->f_bsize = (__typeof__(status->f_bsize))told.block;
    return told.statfs_fails ? (errno = ENOSYS, -1) : 0;
}

static ssize_t tell_layout(const char *path, const char *name, void *value, size_t bytes)
{
    int is_file = strstr(path, "file") != NULL;
    size_t n = is_file ? told.file_bytes : told.folder_bytes;

    CHECK_STR(name, "lustre.lov");
    if (n == 0)
        return errno = ENODATA, -1;
    CHECK(bytes >= n);
    memcpy(value, is_file ? told.of_file : told.of_folder, n);
    return (ssize_t)n;
}

static int tell_stat(const char *path, struct stat *status)
{
    int rc = scion_vfs_posix.stat(path, status);

    status->st_blksize = told.preferred;
    return rc;
}

/* The values for a new file in the scratch folder. */
static int block_size(struct scion_storage *storage)
{
    struct scion_vfs table = scion_vfs_posix;

    table.statfs = tell_statfs;
    table.getxattr = tell_layout;
    table.stat = tell_stat;
    scion_vfs_use(&table);
    CHECK_INT(scion_storage_of(scratch_path("file"), storage), 0);
    scion_vfs_use(NULL);
    return storage->fsblksize;
}

static void begin(unsigned long type, long block, long preferred)
{
    memset(&told, 0, sizeof told);
    told.type = (long)type;
    told.block = block;
    told.preferred = preferred;
    scratch_write(scratch_path("file"), "x", 1);
}

static void disks_and_memory_are_local(void)
{
    static const unsigned long local[] = {0xef53, 0x01021994, 0x58465342, 0x9123683e, 0x794c7630};
    static const unsigned long shared[] = {0x47504653, 0x19830326, 0x6969, 0x65735546, 0};
    struct scion_storage storage;
    size_t i;

    for (i = 0; i < sizeof local / sizeof *local; i++) {
        begin(local[i], 4096, 4096);
        block_size(&storage);
        CHECK_INT(storage.is_local, 1);
        begin(shared[i], 4096, 4096);
        block_size(&storage);
        CHECK_INT(storage.is_local, 0);
    }
}

static void lustre_has_the_stripe_size(void)
{
    struct scion_storage storage;

    begin(0x0bd00bd0, 4096, 1 << 22);
    told.of_file = plain_file;
    told.file_bytes = sizeof plain_file;
    told.of_folder = composite;
    told.folder_bytes = sizeof composite;
    CHECK_INT(block_size(&storage), 4 << 20);
    CHECK_INT(storage.kind, SCION_STORAGE_LUSTRE);
    CHECK_STR(storage.name, "Lustre");
    CHECK_INT(storage.is_local, 0);
    CHECK_INT(storage.stripe_count, 8);
    told.file_bytes = 0; /* no file yet: those of the folder */
    CHECK_INT(block_size(&storage), 2 << 20);
    told.of_file = default_folder;
    told.file_bytes = sizeof default_folder;
    CHECK_INT(block_size(&storage), 2 << 20);
    told.folder_bytes = 0; /* no explicit number: the rest */
    CHECK_INT(block_size(&storage), 4096);
}

static void too_large_stripes_are_halved(void)
{
    unsigned char bytes[sizeof plain_file];
    struct scion_storage storage;

    begin(0x0bd00bd0, 4096, 1 << 22);
    memcpy(bytes, plain_file, sizeof bytes);
    bytes[26] = 0;
    bytes[27] = 0x10; /* 256 MiB */
    told.of_file = bytes;
    told.file_bytes = sizeof bytes;
    CHECK_INT(block_size(&storage), 32 << 20);
    CHECK_INT(storage.stripe_size, 256 << 20);
}

static void gpfs_and_beegfs_have_their_block(void)
{
    struct scion_storage storage;

    begin(0x47504653, 16 << 20, 1 << 18);
    CHECK_INT(block_size(&storage), 16 << 20);
    CHECK_INT(storage.kind, SCION_STORAGE_GPFS);
    begin(0x19830326, 1 << 19, 4096);
    CHECK_INT(block_size(&storage), 1 << 19);
    CHECK_INT(storage.kind, SCION_STORAGE_BEEGFS);
}

static void other_file_systems_have_their_preferred_size(void)
{
    static const long said[] = {4096, 1, 0, -1, 32 << 20, (32 << 20) + 2, LONG_MAX / 2 + 1};
    static const int expected[] = {4096, 1, 2 << 20, 2 << 20, 32 << 20, 2 << 20, 2 << 20};
    struct scion_storage storage;
    int i;

    for (i = 0; i < 7; i++) {
        begin(0xef53, 1024, said[i]);
        CHECK_INT(block_size(&storage), expected[i]);
        CHECK_INT(storage.kind, SCION_STORAGE_OTHER);
    }
    begin(0xef53, 1024, 8192);
    told.statfs_fails = 1;
    CHECK_INT(block_size(&storage), 8192);
    CHECK_INT(storage.type, 0);
}

static void the_real_file_system_has_a_size(void)
{
    struct scion_storage storage;

    CHECK_INT(scion_storage_of(scratch_directory, &storage), 0);
    CHECK(storage.fsblksize > 0 && storage.preferred > 0 && storage.block > 0);
    CHECK_INT(scion_storage_of(scratch_path("missing"), &storage), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "missing");
}

int main(void)
{
    scratch_begin();
    check_seed(20261122);
    RUN(layouts_are_decoded);
    RUN(other_bytes_are_refused);
    RUN(random_bytes_do_no_harm);
    RUN(disks_and_memory_are_local);
    RUN(lustre_has_the_stripe_size);
    RUN(too_large_stripes_are_halved);
    RUN(gpfs_and_beegfs_have_their_block);
    RUN(other_file_systems_have_their_preferred_size);
    RUN(the_real_file_system_has_a_size);
    scratch_end();
    return check_done();
}
