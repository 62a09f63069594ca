/* Trees of keys are built, looked up, encoded and decoded; the samples; all kinds of damage. */
#include "check.h"
#include "support.h"

#include <ftw.h>
#include <zlib.h>

#include "trees.h"

/* ---- samples: decoded, printed and encoded again without a difference ---- */

static int samples, same;

static int ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), n = strlen(end);

    return length > n && strcmp(path + length - n, end) == 0;
}

/* A text file next to a sample, or the data of a rank. */
static int is_no_tree(const char *path)
{
    return ends_with(path, ".txt") || ends_with(path, ".ckpt");
}

static int prints_as(const sion_kvtree *tree, const char *path)
{
    char name[1024], *text = NULL;
    size_t length = 0, size = 0;
    FILE *to = open_memstream(&text, &length);
    unsigned char *expected;
    int equal;

    snprintf(name, sizeof name, "%s.dump.txt", path);
    expected = support_load(name, &size);
    sion_kvtree_print(tree, to);
    fclose(to);
    equal = expected && size == length && memcmp(expected, text, size) == 0;
    free(expected);
    free(text);
    return equal;
}

static int encodes_to(const sion_kvtree *tree, const unsigned char *bytes, size_t size)
{
    void *again;
    size_t n = 0;
    int equal = encode_kvtree(tree, &again, &n) == 0;

    equal = equal && n == size && memcmp(again, bytes, size) == 0;
    free(again);
    return equal;
}

static int try_sample(const char *path, const struct stat *status, int type)
{
    unsigned char *bytes;
    size_t size = 0, used = 0;
    sion_kvtree *tree;

    (void)status;
    if (type != FTW_F || is_no_tree(path))
        return 0;
    samples++;
    bytes = support_load(path, &size);
    if (decode_kvtree(bytes, size, &tree, &used) == 0) {
        int good = used == size && prints_as(tree, path) && encodes_to(tree, bytes, size);

        same += good;
        if (!good)
            printf("# %s\n", path);
        sion_kvtree_free(tree);
    }
    free(bytes);
    return 0;
}

static void samples_are_decoded_printed_and_encoded(void)
{
    ftw(support_golden("scr"), try_sample, 8);
    CHECK_INT(samples, 107);
    CHECK_INT(same, samples);
}

/* ---- building ---- */

static sion_kvtree *example(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    sion_kvtree *rank = sion_kvtree_set(sion_kvtree_set(tree, "RANK"), "0");

    sion_kvtree_put_int(tree, "LEVEL", 1);
    sion_kvtree_put_int(tree, "RANKS", 4);
    sion_kvtree_put(rank, "FILE", ".scr/rank2file.0.0.scr");
    sion_kvtree_put(rank, "OFFSET", "0");
    return tree;
}

static void a_tree_is_built_and_looked_up(void)
{
    sion_kvtree *tree = example();
    sion_kvtree *rank = sion_kvtree_get(sion_kvtree_get(tree, "RANK"), "0");
    long long number = 0;

    CHECK_INT(sion_kvtree_count(tree), 3);
    CHECK_STR(sion_kvtree_value(rank, "FILE"), ".scr/rank2file.0.0.scr");
    CHECK_STR(sion_kvtree_value(sion_kvtree_get(rank, "OFFSET"), NULL), "0");
    CHECK(sion_kvtree_value(rank, "SEG") == NULL);
    CHECK_INT(code_of(sion_kvtree_int(tree, "RANKS", &number)), 0);
    CHECK_INT(number, 4);
    CHECK_INT(code_of(sion_kvtree_int(tree, "CRC", &number)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(sion_error_text(), "CRC is missing");
    CHECK_INT(code_of(sion_kvtree_int(rank, "FILE", &number)), SION_ERR_DAMAGED);
    CHECK_INT(number, 4);
    CHECK_STR(sion_kvtree_key(sion_kvtree_first(tree)), "RANK");
    CHECK_STR(sion_kvtree_key(sion_kvtree_next(sion_kvtree_first(tree))), "LEVEL");
    CHECK(sion_kvtree_get(NULL, "RANK") == NULL && sion_kvtree_set(NULL, "RANK") == NULL);
    sion_kvtree_free(tree);
}

static void values_are_replaced_and_keys_removed(void)
{
    sion_kvtree *tree = example();

    sion_kvtree_put(tree, "RANKS", "5");
    CHECK_STR(sion_kvtree_value(tree, "RANKS"), "5");
    CHECK_INT(sion_kvtree_count(sion_kvtree_get(tree, "RANKS")), 1);
    CHECK_INT(sion_kvtree_remove(tree, "RANKS"), 1);
    CHECK_INT(sion_kvtree_remove(tree, "RANKS"), 0);
    CHECK_INT(sion_kvtree_remove(tree, "RANK"), 1);
    CHECK_INT(sion_kvtree_count(tree), 1);
    sion_kvtree_put_crc(tree, "CRC", 0x28eeb9e);
    CHECK_STR(sion_kvtree_value(tree, "CRC"), "0x28eeb9e");
    sion_kvtree_put_crc(tree, "CRC", 0);
    CHECK_STR(sion_kvtree_value(tree, "CRC"), "0");
    sion_kvtree_free(tree);
}

enum { MANY = 3000 };

static void a_level_may_have_many_keys(void)
{
    sion_kvtree *tree = sion_kvtree_new(), *copy = sion_kvtree_new();
    const sion_kvtree *child;
    char key[32];
    int i, found = 0;

    for (i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "%d", i * 7);
        sion_kvtree_put_int(tree, key, i);
    }
    for (i = 0; i < MANY; i += 3) {
        snprintf(key, sizeof key, "%d", i * 7);
        CHECK_INT(sion_kvtree_remove(tree, key), 1);
    }
    CHECK_INT(code_of(sion_kvtree_merge(copy, tree)), 0);
    CHECK_INT(sion_kvtree_count(copy), MANY - MANY / 3);
    for (i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "%d", i * 7);
        found += sion_kvtree_get(copy, key) != NULL;
    }
    CHECK_INT(found, MANY - MANY / 3);
    for (child = sion_kvtree_first(copy), i = 1; child; child = sion_kvtree_next(child)) {
        CHECK_INT(atoi(sion_kvtree_key(child)), i * 7);
        i += i % 3 == 1 ? 1 : 2;
    }
    sion_kvtree_free(tree);
    sion_kvtree_free(copy);
}

static sion_kvtree *chain(int levels)
{
    sion_kvtree *tree = sion_kvtree_new(), *at = tree;

    while (levels-- > 0)
        at = sion_kvtree_set(at, "k");
    return tree;
}

static void a_tree_may_have_128_levels(void)
{
    sion_kvtree *tree = chain(128), *again;
    void *bytes;
    size_t size;

    CHECK_INT(encode_kvtree(tree, &bytes, &size), 0);
    CHECK_INT(decode_kvtree(bytes, size, &again, NULL), 0);
    sion_kvtree_free(again);
    free(bytes);
    sion_kvtree_free(tree);
    tree = chain(129);
    CHECK_INT(encode_kvtree(tree, &bytes, &size), SION_ERR_ARGUMENT);
    sion_kvtree_free(tree);
    sion_kvtree_free(chain(1000000));
}

/* ---- bytes from elsewhere ---- */

/* Correct size and CRC of a record, so that only its content can be wrong. */
static void seal(unsigned char *bytes, size_t size)
{
    unsigned long crc;
    int i;

    for (i = 0; i < 8; i++)
        bytes[15 - i] = (unsigned char)(size >> (8 * i));
    crc = crc32(crc32(0, NULL, 0), bytes, (unsigned)(size - 4));
    for (i = 0; i < 4; i++)
        bytes[size - 1 - (size_t)i] = (unsigned char)(crc >> (8 * i));
}

static unsigned char *encoded(sion_kvtree *tree, size_t *size)
{
    void *bytes;

    CHECK_INT(encode_kvtree(tree, &bytes, size), 0);
    sion_kvtree_free(tree);
    return bytes;
}

static void refuse(const unsigned char *bytes, size_t size, int code, const char *reason)
{
    unsigned char *exact = malloc(size > 0 ? size : 1); /* of this size, for sanitizers */
    sion_kvtree *tree = NULL;
    int rc;

    memcpy(exact, bytes, size);
    rc = decode_kvtree(exact, size, &tree, NULL);
    CHECK_INT(rc, code);
    CHECK_CONTAINS(sion_error_text(), reason);
    CHECK(tree == NULL);
    free(exact);
}

static void every_truncation_is_refused(void)
{
    int taken = 0;
    size_t size, n;
    unsigned char *bytes = encoded(example(), &size);

    for (n = 1; n < size; n++) {
        sion_kvtree *tree;
        unsigned char *exact = malloc(n);

        memcpy(exact, bytes, n);
        if (decode_kvtree(exact, n, &tree, NULL) == 0) {
            taken++;
            sion_kvtree_free(tree);
        }
        if (n > 28) { /* the same with size and CRC of a whole record */
            seal(exact, n);
            if (decode_kvtree(exact, n, &tree, NULL) == 0) {
                taken++;
                sion_kvtree_free(tree);
            }
        }
        free(exact);
    }
    CHECK_INT(taken, 0);
    free(bytes);
}

static void every_changed_byte_is_refused(void)
{
    int taken = 0;
    size_t size, n;
    unsigned char *bytes = encoded(example(), &size);
    int bit;

    for (n = 0; n < size; n++) {
        for (bit = 0; bit < 8; bit++) {
            sion_kvtree *tree;

            bytes[n] ^= (unsigned char)(1 << bit);
            if (decode_kvtree(bytes, size, &tree, NULL) == 0) {
                /* Without the flag, there is no CRC, so the four bytes of one are too many. */
                taken++;
                sion_kvtree_free(tree);
            }
            bytes[n] ^= (unsigned char)(1 << bit);
        }
    }
    CHECK_INT(taken, 0);
    free(bytes);
}

/* Right CRCs with wrong contents: nothing crashes, and trees that are accepted can be encoded. */
static void random_changes_under_a_right_crc(void)
{
    size_t size;
    unsigned char *bytes = encoded(example(), &size), *changed = malloc(size);
    int i, taken = 0;

    for (i = 0; i < 20000; i++) {
        sion_kvtree *tree;
        size_t n = 1 + check_below(4);

        memcpy(changed, bytes, size);
        while (n-- > 0)
            changed[20 + check_below(size - 24)] = (unsigned char)check_random();
        seal(changed, size);
        if (decode_kvtree(changed, size, &tree, NULL) == 0) {
            void *again;
            size_t length;

            taken++;
            CHECK_INT(encode_kvtree(tree, &again, &length), 0);
            CHECK(length <= size);
            free(again);
            sion_kvtree_free(tree);
        }
    }
    CHECK(taken > 0);
    free(bytes);
    free(changed);
}

static void damage_has_a_reason(void)
{
    size_t size;
    unsigned char *bytes = encoded(example(), &size);

    refuse(bytes, 3, SION_ERR_NOT_SION, "not a file of keys");
    refuse(bytes, 19, SION_ERR_DAMAGED, "cut off");
    refuse(bytes, size - 1, SION_ERR_DAMAGED, "cut off");
    bytes[size - 1] ^= 1;
    refuse(bytes, size, SION_ERR_DAMAGED, "CRC");
    bytes[5] = 2;
    refuse(bytes, size, SION_ERR_VERSION, "type 2");
    bytes[5] = 1, bytes[7] = 2;
    refuse(bytes, size, SION_ERR_VERSION, "version 2");
    bytes[7] = 1, bytes[19] = 3;
    refuse(bytes, size, SION_ERR_VERSION, "flags 0x3");
    bytes[19] = 1, bytes[15] = 23, bytes[14] = 0;
    refuse(bytes, size, SION_ERR_DAMAGED, "a size of 23 bytes");
    bytes[8] = 0xff;
    refuse(bytes, size, SION_ERR_DAMAGED, "a size of ");
    bytes[8] = 0;
    bytes[20] = 0xff;
    seal(bytes, size);
    refuse(bytes, size, SION_ERR_DAMAGED, "more keys than there are bytes");
    bytes[20] = 0, bytes[23] = 0;
    seal(bytes, size);
    refuse(bytes, size, SION_ERR_DAMAGED, "bytes after the last key");
    bytes[0] = 0;
    refuse(bytes, size, SION_ERR_NOT_SION, "not a file of keys");
    free(bytes);
}

static void too_many_levels_are_refused(void)
{
    size_t size;
    unsigned char *inner = encoded(chain(128), &size), *bytes = calloc(1, size + 6);

    /* One more key above all others. */
    memcpy(bytes, inner, 20);
    bytes[23] = 1;
    bytes[24] = 'k';
    memcpy(bytes + 26, inner + 20, size - 24);
    seal(bytes, size + 6);
    refuse(bytes, size + 6, SION_ERR_DAMAGED, "too many levels");
    free(inner);
    free(bytes);
}

static void a_record_without_crc_is_read(void)
{
    size_t size, used;
    unsigned char *bytes = encoded(example(), &size);
    sion_kvtree *tree;

    bytes[19] = 0;
    bytes[15] = (unsigned char)(bytes[15] - 4);
    CHECK_INT(decode_kvtree(bytes, size, &tree, &used), 0);
    CHECK_INT(used, size - 4);
    CHECK_INT(sion_kvtree_count(tree), 3);
    sion_kvtree_free(tree);
    free(bytes);
}

static void a_repeated_key_counts_once(void)
{
    /* A { x }, A { y, x }, empty key */
    static const unsigned char packed[] = {0, 0, 0,   3,   'A', 0, 0, 0, 0, 1,   'x', 0, 0,
                                           0, 0, 0,   'A', 0,   0, 0, 0, 2, 'y', 0,   0, 0,
                                           0, 0, 'x', 0,   0,   0, 0, 0, 0, 0,   0,   0, 0};
    size_t empty, size = 24 + sizeof packed;
    unsigned char *header = encoded(sion_kvtree_new(), &empty), *bytes = malloc(size);
    sion_kvtree *tree;

    memcpy(bytes, header, 20);
    memcpy(bytes + 20, packed, sizeof packed);
    seal(bytes, size);
    CHECK_INT(decode_kvtree(bytes, size, &tree, NULL), 0);
    CHECK_INT(sion_kvtree_count(tree), 2);
    CHECK_INT(sion_kvtree_count(sion_kvtree_get(tree, "A")), 2);
    CHECK_STR(sion_kvtree_value(tree, "A"), "y");
    CHECK(sion_kvtree_get(tree, "") != NULL);
    sion_kvtree_free(tree);
    free(header);
    free(bytes);
}

/* ---- files ---- */

static void an_empty_file_is_an_empty_tree(void)
{
    sion_kvtree *tree;

    support_store("empty", "", 0);
    CHECK_INT(read_kvtree("empty", &tree), 0);
    CHECK_INT(sion_kvtree_count(tree), 0);
    sion_kvtree_free(tree);
    CHECK_INT(read_kvtree("missing", &tree), SION_ERR_SYSTEM);
    CHECK_CONTAINS(sion_error_text(), "missing");
    support_store("short", "ab", 2);
    CHECK_INT(read_kvtree("short", &tree), SION_ERR_NOT_SION);
    CHECK_CONTAINS(sion_error_text(), "short: ");
}

static void records_follow_each_other(void)
{
    sion_kvtree *first = example(), *second = sion_kvtree_new(), *tree;
    sion_int64 used, next;

    sion_kvtree_put(second, "VERSION", "6");
    support_store("records", "something longer than nothing", 29);
    CHECK_INT(code_of(sion_kvtree_write(first, "records")), 0);
    CHECK_INT(read_kvtree_at("records", 0, &tree, &used), 0);
    sion_kvtree_free(tree);
    CHECK_INT(code_of(sion_kvtree_write_at(second, "records", used, &next)), 0);
    CHECK_INT(read_kvtree_at("records", used, &tree, &next), 0);
    CHECK_STR(sion_kvtree_value(tree, "VERSION"), "6");
    sion_kvtree_free(tree);
    CHECK_INT(read_kvtree("records", &tree), 0);
    CHECK_STR(sion_kvtree_value(tree, "RANKS"), "4");
    sion_kvtree_free(tree);
    CHECK_INT(read_kvtree_at("records", used + next, &tree, NULL), SION_ERR_DAMAGED);
    CHECK_INT(read_kvtree_at("records", -1, &tree, NULL), SION_ERR_DAMAGED);
    CHECK_INT(code_of(sion_kvtree_write_at(second, "records", -1, NULL)), SION_ERR_ARGUMENT);
    sion_kvtree_free(first);
    sion_kvtree_free(second);
}

static void json_is_json(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    sion_kvtree_put(tree, "a\"b\\", "\xc3\xa4\xff\n");
    sion_kvtree_set(sion_kvtree_set(tree, "list"), "x");
    sion_kvtree_set(sion_kvtree_set(tree, "list"), "\xed\xa0\x80");
    sion_kvtree_set(tree, "none");
    sion_kvtree_print_json(tree, to);
    fclose(to);
    CHECK_STR(text,
              "{\n  \"a\\\"b\\\\\": \"\xc3\xa4\\u00ff\\u000a\",\n  \"list\": {\n    \"x\": {},\n"
              "    \"\\u00ed\\u00a0\\u0080\": {}\n  },\n  \"none\": {}\n}\n");
    free(text);
    sion_kvtree_free(tree);
}

int main(void)
{
    check_seed(5);
    support_enter_folder();
    RUN(samples_are_decoded_printed_and_encoded);
    RUN(a_tree_is_built_and_looked_up);
    RUN(values_are_replaced_and_keys_removed);
    RUN(a_level_may_have_many_keys);
    RUN(a_tree_may_have_128_levels);
    RUN(every_truncation_is_refused);
    RUN(every_changed_byte_is_refused);
    RUN(random_changes_under_a_right_crc);
    RUN(damage_has_a_reason);
    RUN(too_many_levels_are_refused);
    RUN(a_record_without_crc_is_read);
    RUN(a_repeated_key_counts_once);
    RUN(an_empty_file_is_an_empty_tree);
    RUN(records_follow_each_other);
    RUN(json_is_json);
    support_leave_folder();
    return check_done();
}
