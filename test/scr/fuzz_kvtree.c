/*
 * Gives arbitrary bytes to the codec: a tree that it accepts is printed, encoded, and decoded to
 * the same tree again.
 *
 * By itself, this program changes the samples at random for a while. For more, with libFuzzer:
 *
 *     clang -g -fsanitize=fuzzer,address,undefined -DWITH_LIBFUZZER -Iinclude -Isrc -Itest \
 *         test/scr/fuzz_kvtree.c -o fuzz_kvtree BUILD/.libs/libsionscr_64.a ... -lz
 *     ./fuzz_kvtree test/golden/scr/serial
 */
#include "check.h"

#include <ftw.h>
#include <zlib.h>

#include "scr_check.h"

static FILE *nowhere;

static void try_bytes(const uint8_t *bytes, size_t size)
{
    sion_kvtree *tree = NULL, *again = NULL;
    void *encoded = NULL;
    size_t length = 0, used = 0;

    if (sion_kvtree_decode(bytes, size, &tree, &used) != 0)
        return;
    sion_kvtree_print(tree, nowhere);
    sion_kvtree_print_json(tree, nowhere);
    if (used > size || sion_kvtree_encode(tree, &encoded, &length) != 0 ||
        sion_kvtree_decode(encoded, length, &again, &used) != 0 || used != length ||
        !same_tree(tree, again))
        abort();
    free(encoded);
    sion_kvtree_free(tree);
    sion_kvtree_free(again);
}

/* The same with a right size and CRC, so that the decoder reads beyond them. */
static void try_sealed(uint8_t *bytes, size_t size)
{
    uLong crc;
    int i;

    if (size < 28)
        return;
    for (i = 0; i < 8; i++)
        bytes[15 - i] = (uint8_t)((uint64_t)size >> (8 * i));
    crc = crc32(crc32(0, NULL, 0), bytes, (uInt)(size - 4));
    for (i = 0; i < 4; i++)
        bytes[size - 1 - (size_t)i] = (uint8_t)(crc >> (8 * i));
    try_bytes(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    memcpy(copy, bytes, size);
    try_bytes(copy, size);
    try_sealed(copy, size);
    free(copy);
    return 0;
}

#ifndef WITH_LIBFUZZER
enum { ROUNDS = 150 }; /* for each sample */

/* Make up to eight changes: a byte, a moved piece, a truncation. */
static size_t change(uint8_t *bytes, size_t size)
{
    size_t n = 1 + check_below(8);

    while (n-- > 0 && size > 1) {
        size_t at = check_below(size), from = check_below(size);
        size_t most = size - (at > from ? at : from);

        switch (check_below(4)) {
        case 0:
            bytes[at] = (uint8_t)check_random();
            break;
        case 1:
            bytes[at] ^= (uint8_t)(1 << check_below(8));
            break;
        case 2:
            memmove(bytes + at, bytes + from, check_below(most + 1));
            break;
        default:
            size -= check_below(size) / 8;
        }
    }
    return size;
}

static int try_sample(const char *path, const struct stat *status, int type)
{
    size_t size = 0;
    uint8_t *bytes, *changed;
    int i;

    if (type != FTW_F || strstr(path, ".txt") || status->st_size > 2000)
        return 0;
    bytes = support_load(path, &size);
    changed = malloc(size + 1);
    LLVMFuzzerTestOneInput(bytes, size);
    for (i = 0; i < ROUNDS; i++) {
        memcpy(changed, bytes, size);
        LLVMFuzzerTestOneInput(changed, change(changed, size));
    }
    free(bytes);
    free(changed);
    return 0;
}

static void changed_samples_do_no_harm(void)
{
    CHECK_INT(ftw(support_golden("scr"), try_sample, 8), 0);
}

int main(void)
{
    check_seed(77);
    RUN(changed_samples_do_no_harm);
    fclose(nowhere);
    return check_done();
}
#endif
