/*
 * Changes every byte of the metadata of some samples, and opens and reads the container: a reader
 * refuses it, or returns the original data. The test counts the damage that no reader can see
 * without checksums: lengths and ranks that are possible, but wrong.
 */
#include "sion.h"

#include "support.h"

enum { PREFIX = 52, PREFIX_END = 1076 };

static unsigned char *original;
static size_t size;
static char path[1024];

static uint64_t mix(uint64_t digest, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    while (n-- > 0)
        digest = (digest ^ *at++) * 1099511628211u;
    return digest;
}

/* A digest of the tasks, ranks, byte order and data; 0: refused. */
static uint64_t read_all(void)
{
    static char buffer[1 << 16];
    int ntasks = 0, nfiles, *ranks = NULL, t, sid, big;
    sion_int32 fsblksize;
    uint64_t digest = 1;

    support_catch();
    sid = sion_open(path, "rb", &ntasks, &nfiles, NULL, &fsblksize, &ranks, NULL);
    if (sid < 0)
        return 0;
    big = sion_get_file_endianness(sid);
    digest = mix(mix(digest, &ntasks, sizeof ntasks), &big, sizeof big);
    for (t = 0; t < ntasks && digest != 0; t++) {
        digest = mix(digest, &ranks[t], sizeof ranks[t]);
        if (sion_seek(sid, t, 0, 0) != 1)
            digest = 0;
        while (digest != 0 && !sion_feof(sid)) {
            size_t left = (size_t)sion_bytes_avail_in_block(sid);

            if (left > sizeof buffer || sion_fread(buffer, 1, left, sid) != left)
                digest = 0;
            else
                digest = mix(digest, buffer, left);
        }
    }
    free(ranks);
    sion_close(sid);
    return digest;
}

struct counts {
    int changed, refused, same, wrong, wrong_in_arrays;
};

static void change(size_t offset, unsigned char mask, uint64_t good, size_t arrays,
                   struct counts *counts)
{
    uint64_t digest;

    original[offset] ^= mask;
    support_store(path, original, size);
    original[offset] ^= mask;
    digest = read_all();
    counts->changed++;
    counts->refused += digest == 0;
    counts->same += digest == good;
    if (digest == 0 || digest == good)
        return;
    counts->wrong++;
    counts->wrong_in_arrays += offset >= arrays;
    if (offset < arrays)
        printf("# %s: byte %zu, mask %02x, is not noticed\n", path, offset, mask);
}

static struct counts change_all(const char *sample, size_t data, size_t tables)
{
    static const unsigned char masks[] = {0x01, 0x10, 0x80, 0xff};
    struct counts counts = {0};
    uint64_t good;
    size_t m, offset;

    original = support_load(support_golden(sample), &size);
    support_store(path, original, size);
    good = read_all();
    CHECK(good != 0);
    for (m = 0; m < sizeof masks; m++) {
        for (offset = 0; offset < size; offset++) {
            if (offset == PREFIX)
                offset = PREFIX_END;
            if (offset == data)
                offset = tables;
            change(offset, masks[m], good, PREFIX_END, &counts);
        }
    }
    support_store(path, original, size);
    free(original);
    printf("# %s: %d changes, %d refused, %d without effect, %d not noticed\n", sample,
           counts.changed, counts.refused, counts.same, counts.wrong);
    return counts;
}

/* Readers cannot check the byte order of the users' data, but they check the rest of the header. */
static void a_container_of_one_file(void)
{
    struct counts counts;

    snprintf(path, sizeof path, "one.sion");
    counts = change_all("serial/s04_multichunk.sion", 1136, 13824);
    CHECK(counts.refused > counts.changed / 2);
    CHECK(counts.wrong - counts.wrong_in_arrays <= 8);
    CHECK(counts.wrong < counts.changed / 4);
}

/*
 * Ranks are also in the mapping table, and must be the same there. The number of files may change
 * to one: then the file is read by itself, which members of a set allow.
 */
static void the_first_file_of_a_set(void)
{
    struct counts counts;

    snprintf(path, sizeof path, "set.sion");
    support_copy(support_golden("mpi/m01_multi.sion.000001"), "set.sion.000001");
    support_copy(support_golden("mpi/m01_multi.sion.000002"), "set.sion.000002");
    counts = change_all("mpi/m01_multi.sion", 1120, 2560);
    CHECK(counts.wrong - counts.wrong_in_arrays <= 3);
    CHECK(counts.wrong < counts.changed / 8);
}

int main(void)
{
    support_enter_folder();
    RUN(a_container_of_one_file);
    RUN(the_first_file_of_a_set);
    support_leave_folder();
    return check_done();
}
