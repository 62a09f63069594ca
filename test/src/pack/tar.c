/* Headers of tars: what is written is read again, and nothing that is wrong is believed. */
#include "pack.h"

#include "pack/ustar.h"

static struct memory tar;
static struct scion_pack_list list;

static void begin(void)
{
    free(tar.bytes);
    tar = (struct memory){0};
    scion_pack_list_free(&list);
}

static void append(const struct scion_pack_entry *entry)
{
    static unsigned char head[SCION_TAR_HEAD_MOST];
    size_t size = (size_t)scion_tar_head_size(entry);

    memset(head, 0xff, sizeof head);
    CHECK(size <= sizeof head && size % SCION_TAR_BLOCK == 0);
    scion_tar_encode(entry, head);
    memory_write(&tar, head, size, (sion_int64)tar.size);
}

static void append_zeros(size_t bytes)
{
    static const unsigned char zeros[2 * SCION_TAR_BLOCK];

    memory_write(&tar, zeros, bytes, (sion_int64)tar.size);
}

/* A text of so many bytes, with slashes where wanted. */
static char *path_of(size_t length, size_t part)
{
    char *path = malloc(length + 1);
    size_t i;

    for (i = 0; i < length; i++)
        path[i] = part > 0 && i % part == part - 1 && i + 1 < length ? '/' : 'a' + (char)(i % 23);
    path[length] = '\0';
    return path;
}

static int is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_again(const struct scion_pack_entry *entry)
{
    const struct scion_pack_entry *found;

    begin();
    append(entry);
    append_zeros(SCION_TAR_END);
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_INT(list.count, 1);
    found = list.entries;
    if (!found)
        return;
    CHECK(is_same_text(found->path, entry->path) && is_same_text(found->target, entry->target));
    CHECK_INT(found->type, entry->type);
    CHECK_INT(found->mode, entry->mode);
    CHECK_INT(found->uid, entry->uid);
    CHECK_INT(found->gid, entry->gid);
    CHECK_INT(found->mtime, entry->mtime);
    CHECK_INT(found->mtime_ns, entry->mtime_ns);
    CHECK_INT(found->data, scion_tar_head_size(entry));
}

static void every_type_is_read_as_it_was_written(void)
{
    struct scion_pack_entry entry = {.path = "some/path", .mode = 0640, .uid = 7, .gid = 8};
    const char *type;

    for (type = "fdlhp"; *type; type++) {
        entry.type = *type;
        entry.target = *type == 'l' || *type == 'h' ? "some/target" : NULL;
        check_again(&entry);
    }
    entry.mode = 07777;
    check_again(&entry);
}

static void names_of_any_length_are_kept(void)
{
    static const size_t lengths[] = {1,   98,  99,  100, 101, 154, 155,  156,  254,
                                     255, 256, 257, 300, 982, 990, 2000, 4094, 4095};
    struct scion_pack_entry entry = {.mode = 0644};
    size_t i, part;

    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (part = 0; part < 200; part += 50) {
            char *path = path_of(lengths[i], part), *target = path_of(lengths[i], part);

            entry = (struct scion_pack_entry){.path = path, .type = SCION_PACK_FILE};
            check_again(&entry);
            entry.type = SCION_PACK_FOLDER;
            check_again(&entry);
            entry.type = SCION_PACK_LINK;
            entry.target = target;
            check_again(&entry);
            free(path);
            free(target);
        }
    }
}

static void times_and_numbers_of_any_size_are_kept(void)
{
    static const sion_int64 times[] = {0,  1,  1700000000, 077777777777, 0100000000000,
                                       -1, -2, -1700000000};
    static const uint32_t ns[] = {0, 1, 500000000, 999999999};
    struct scion_pack_entry entry = {.path = "x", .type = SCION_PACK_FILE};
    size_t i, j;

    for (i = 0; i < sizeof times / sizeof *times; i++) {
        for (j = 0; j < 4; j++) {
            entry.mtime = times[i];
            entry.mtime_ns = ns[j];
            check_again(&entry);
        }
    }
    entry.uid = 07777777;
    entry.gid = UINT32_MAX;
    check_again(&entry);
    entry.uid = 010000000;
    check_again(&entry);
}

static void a_plain_file_has_one_header(void)
{
    const struct scion_pack_entry plain = {.path = "x", .type = SCION_PACK_FILE, .mtime = 1};
    const struct scion_pack_entry later = {
        .path = "x", .type = SCION_PACK_FILE, .mtime = 1, .mtime_ns = 1};

    CHECK_INT(scion_tar_head_size(&plain), SCION_TAR_BLOCK);
    CHECK_INT(scion_tar_head_size(&later), 3 * SCION_TAR_BLOCK);
}

/* Sizes around 8 GiB: the data are not there, so the reader says so, and where. */
static void sizes_beyond_ustar_are_in_pax_headers(void)
{
    struct scion_pack_entry entry = {.path = "x", .type = SCION_PACK_FILE, .size = 077777777777};

    CHECK_INT(scion_tar_head_size(&entry), SCION_TAR_BLOCK);
    entry.size++;
    CHECK_INT(scion_tar_head_size(&entry), 3 * SCION_TAR_BLOCK);
    CHECK_INT(scion_tar_member_size(&entry), entry.size + 3 * SCION_TAR_BLOCK);
    entry.size = INT64_MAX;
    CHECK_INT(scion_tar_member_size(&entry), -1);
    begin();
    append(&entry);
    CHECK_INT(list_tar(&tar, &list), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "at byte 1024: a member that is longer than the stream");
}

/* ---- hostile bytes ---- */

static void sum_up(unsigned char *header)
{
    unsigned sum = 0;
    int i;

    memset(header + USTAR_CHECKSUM, ' ', 8);
    for (i = 0; i < SCION_TAR_BLOCK; i++)
        sum += header[i];
    snprintf((char *)header + USTAR_CHECKSUM, 8, "%06o", sum);
}

static void set(size_t at, const char *bytes, size_t count)
{
    memcpy(tar.bytes + at, bytes, count);
    sum_up(tar.bytes);
}

static void start(void)
{
    const struct scion_pack_entry entry = {.path = "name", .type = SCION_PACK_FILE, .size = 5};

    begin();
    append(&entry);
    append_zeros(SCION_TAR_BLOCK);
    append_zeros(SCION_TAR_END);
}

static void refuse(const char *why)
{
    CHECK_INT(list_tar(&tar, &list), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), why);
}

static void a_wrong_checksum_is_refused(void)
{
    int i;

    for (i = 0; i < SCION_TAR_BLOCK; i++) {
        start();
        tar.bytes[i] ^= 1;
        refuse("this is no header of a tar");
    }
}

static void a_tar_that_is_cut_off_is_refused(void)
{
    size_t size;

    for (size = 1; size < SCION_TAR_BLOCK; size++) {
        start();
        tar.size = size;
        refuse("a header is cut off");
    }
    for (size = SCION_TAR_BLOCK; size < SCION_TAR_BLOCK + 5; size++) {
        start();
        tar.size = size;
        refuse("longer than the stream");
    }
    start();
    tar.size = SCION_TAR_BLOCK + 5; /* what fills the block is not needed */
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_INT(list.count, 1);
}

static void wrong_numbers_are_refused(void)
{
    start();
    set(USTAR_SIZE, "0000000000x", 12);
    refuse("a wrong number");
    start();
    set(USTAR_MTIME, "8", 1);
    refuse("a wrong number");
    start();
    set(USTAR_MODE, "0z", 2);
    refuse("a wrong number");
    start();
    set(USTAR_SIZE, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe", 12);
    refuse("a negative size");
    start();
    set(USTAR_SIZE, "\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12);
    refuse("longer than the stream");
    start();
    set(USTAR_SIZE, "\x80\0\0\1\0\0\0\0\0\0\0\0", 12);
    refuse("a wrong number");
    start();
    set(USTAR_SIZE, "\x80\0\0\0\0\0\0\0\0\0\0\5", 12);
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_INT(list.entries[0].size, 5);
}

/* A pax header with this body, before a file. */
static void start_pax(const char *body, size_t size, char type)
{
    const struct scion_pack_entry header = {
        .path = "pax", .type = SCION_PACK_FILE, .size = (sion_int64)size};
    const struct scion_pack_entry entry = {.path = "name", .type = SCION_PACK_FILE};

    begin();
    append(&header);
    tar.bytes[USTAR_TYPE] = (unsigned char)type;
    sum_up(tar.bytes);
    memory_write(&tar, body, size, (sion_int64)tar.size);
    append_zeros((size_t)scion_tar_padding((sion_int64)size));
    append(&entry);
    append_zeros(SCION_TAR_END);
}

static void refuse_pax(const char *body)
{
    start_pax(body, strlen(body), 'x');
    refuse("a wrong record in a pax header");
}

static void wrong_pax_records_are_refused(void)
{
    refuse_pax("x");
    refuse_pax("12 path=abc");
    refuse_pax("99 path=abc\n");
    refuse_pax("2 \n");
    refuse_pax("3 x\n");
    refuse_pax("0 path=abc\n");
    refuse_pax("-11 path=abc\n");
    refuse_pax("99999999999999999999 path=abc\n");
    refuse_pax("11 pathabc\n");
    refuse_pax("11 size=-5\n");
    refuse_pax("11 size=5x\n");
    refuse_pax("28 size=9223372036854775808\n");
    refuse_pax("12 mtime=x1\n");
    refuse_pax("14 mtime=1.2x\n");
    refuse_pax("18 uid=4294967296\n");
    start_pax("12 path=a\0b\n", 12, 'x');
    refuse("a wrong record");
    start_pax("22 GNU.sparse.major=1\n", 22, 'x');
    refuse("a sparse file of GNU tar");
    start_pax("27 size=9223372036854775807\n", 28, 'x');
    tar.bytes[SCION_TAR_BLOCK + 1] = '8';
    refuse("longer than the stream");
}

static void pax_records_count(void)
{
    const char body[] = "15 path=./a//b\n11 gid=1234\n13 comment=x\n20 mtime=-1.50000000\n";

    start_pax(body, sizeof body - 1, 'x');
    CHECK_INT(list_tar(&tar, &list), SION_ERR_DAMAGED); /* the lengths are those of other records */
    start_pax("15 path=./a//b\n12 gid=1234\n13 comment=x\n", 40, 'x');
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_STR(list.entries[0].path, "a/b");
    CHECK_INT(list.entries[0].gid, 1234);
    start_pax("14 mtime=-1.5\n", 14, 'g');
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_INT(list.entries[0].mtime, -2);
    CHECK_INT(list.entries[0].mtime_ns, 500000000);
    start_pax("long/name\0", 10, 'L');
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_STR(list.entries[0].path, "long/name");
}

static void headers_in_a_row_end(void)
{
    unsigned char header[SCION_TAR_BLOCK];
    int i;

    start_pax("", 0, 'x');
    memcpy(header, tar.bytes, sizeof header);
    for (i = 0; i < 100; i++)
        memory_write(&tar, header, sizeof header, (i + 1) * SCION_TAR_BLOCK);
    refuse("too many pax headers");
    start_pax("", 0, 'x');
    tar.bytes[USTAR_SIZE + 4] = '4'; /* 8 GiB / 16 */
    sum_up(tar.bytes);
    refuse("longer than the stream");
}

static void what_is_no_file_is_left_out(void)
{
    const struct scion_pack_entry entry = {.path = "name", .type = SCION_PACK_FILE};

    start();
    set(USTAR_TYPE, "3", 1); /* a device: its size is not that of data */
    tar.size = SCION_TAR_BLOCK;
    append(&entry);
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_INT(list.count, 1);
    start();
    set(USTAR_TYPE, "V", 1);
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_INT(list.count, 0);
    start();
    set(USTAR_TYPE, "S", 1);
    refuse("a sparse file");
}

/* Any byte of a tar can be wrong: it is read in another way, or refused, and nothing else. */
static void no_byte_does_harm(void)
{
    char *path = path_of(300, 40);
    struct scion_pack_entry entry = {
        .path = path, .type = SCION_PACK_LINK, .target = path, .mtime_ns = 5};
    size_t i, size;
    int bit;

    begin();
    append(&entry);
    append_zeros(SCION_TAR_END);
    size = tar.size;
    for (i = 0; i < size; i++) {
        for (bit = 0; bit < 8; bit++) {
            tar.bytes[i] ^= (unsigned char)(1 << bit);
            list_tar(&tar, &list);
            scion_pack_list_free(&list);
            tar.bytes[i] ^= (unsigned char)(1 << bit);
        }
        tar.size = i;
        list_tar(&tar, &list);
        scion_pack_list_free(&list);
        tar.size = size;
    }
    CHECK_INT(list_tar(&tar, &list), 0);
    CHECK_INT(list.count, 1);
    free(path);
}

/* ---- paths ---- */

static int check_link(const char *path, const char *target)
{
    char at[64], to[64];
    const struct scion_pack_entry entry = {
        .path = strcpy(at, path), .target = strcpy(to, target), .type = SCION_PACK_LINK};

    return scion_pack_check_link(&entry);
}

static void paths_out_of_the_tree_are_refused(void)
{
    CHECK_INT(scion_pack_check_path("a/b"), 0);
    CHECK_INT(scion_pack_check_path("a/..b/...c"), 0);
    CHECK_INT(scion_pack_check_path("/a"), SION_ERR_ARGUMENT);
    CHECK_INT(scion_pack_check_path("a/../b"), SION_ERR_ARGUMENT);
    CHECK_INT(scion_pack_check_path(".."), SION_ERR_ARGUMENT);
    CHECK_INT(scion_pack_check_path(""), SION_ERR_ARGUMENT);
    CHECK_INT(scion_pack_check_path("./"), SION_ERR_ARGUMENT);
    CHECK_INT(check_link("a/b/c", "../../d"), 0);
    CHECK_INT(check_link("a/b/c", "../../../d"), SION_ERR_ARGUMENT);
    CHECK_INT(check_link("c", ".."), SION_ERR_ARGUMENT);
    CHECK_INT(check_link("c", "/etc/passwd"), SION_ERR_ARGUMENT);
    CHECK_INT(check_link("c", "x/../.."), SION_ERR_ARGUMENT);
    CHECK_INT(check_link("a/c", "x/.."), SION_ERR_ARGUMENT);
    CHECK_INT(check_link("a/c", "./../x"), 0);
}

static void a_folder_comes_before_what_is_below_it(void)
{
    static const char *const sorted[] = {"a", "a/a", "a/b/c", "a.b", "a0", "ab", "b"};
    size_t i;

    for (i = 0; i + 1 < sizeof sorted / sizeof *sorted; i++) {
        CHECK(scion_pack_compare(sorted[i], sorted[i + 1]) < 0);
        CHECK(scion_pack_compare(sorted[i + 1], sorted[i]) > 0);
    }
    CHECK_INT(scion_pack_compare("a/b", "a/b"), 0);
    CHECK(scion_pack_is_below("a/b", "a") && scion_pack_is_below("a", "a"));
    CHECK(!scion_pack_is_below("ab", "a") && scion_pack_is_below("ab", ""));
}

int main(void)
{
    RUN(every_type_is_read_as_it_was_written);
    RUN(names_of_any_length_are_kept);
    RUN(times_and_numbers_of_any_size_are_kept);
    RUN(a_plain_file_has_one_header);
    RUN(sizes_beyond_ustar_are_in_pax_headers);
    RUN(a_wrong_checksum_is_refused);
    RUN(a_tar_that_is_cut_off_is_refused);
    RUN(wrong_numbers_are_refused);
    RUN(wrong_pax_records_are_refused);
    RUN(pax_records_count);
    RUN(headers_in_a_row_end);
    RUN(what_is_no_file_is_left_out);
    RUN(no_byte_does_harm);
    RUN(paths_out_of_the_tree_are_refused);
    RUN(a_folder_comes_before_what_is_below_it);
    begin();
    return check_done();
}
