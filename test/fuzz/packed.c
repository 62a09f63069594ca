/*
 * Packed files: the headers of a tar, and the index of a container. Whatever they are, entries come
 * in their order, each is found by its path, and no byte is read that is not there.
 *
 * An input begins with the length of the stream, in four bytes, and the stream; the rest is the
 * file that ends with the index.
 */
#include "fuzz.h"

#include "base/crc32c.h"
#include "base/error.h"
#include "pack/index_bytes.h"
#include "pack/read.h"
#include "pack/tar.h"
#include "pack/ustar.h"
#include "pack/write.h"

enum { HEAD = 4, ENTRIES_MOST = 200, READ_MOST = 4096 };

struct input {
    const uint8_t *stream, *file;
    size_t stream_size, file_size;
};

static size_t load(const uint8_t *from)
{
    return (size_t)from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
}

static void store(uint8_t *to, uint32_t number)
{
    int i;

    for (i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> 8 * i);
}

static struct input split(const uint8_t *bytes, size_t size)
{
    struct input input = {0};

    if (size < HEAD)
        return input;
    input.stream = bytes + HEAD;
    input.stream_size = load(bytes) < size - HEAD ? load(bytes) : size - HEAD;
    input.file = input.stream + input.stream_size;
    input.file_size = size - HEAD - input.stream_size;
    return input;
}

/* ---- reading ---- */

static sion_int64 bytes_of(void *context, int task)
{
    const struct input *input = context;

    FUZZ_CHECK(task == 0);
    return (sion_int64)input->stream_size;
}

static int read_stream(void *context, int task, void *to, size_t bytes, sion_int64 pos)
{
    const struct input *input = context;

    FUZZ_CHECK(task == 0 && pos >= 0 && (size_t)pos <= input->stream_size &&
               bytes <= input->stream_size - (size_t)pos);
    memcpy(to, input->stream + pos, bytes);
    return 0;
}

static int read_file(void *context, void *to, size_t bytes, sion_int64 offset)
{
    const struct input *input = context;

    FUZZ_CHECK(offset >= 0 && (size_t)offset <= input->file_size &&
               bytes <= input->file_size - (size_t)offset);
    memcpy(to, input->file + offset, bytes);
    return 0;
}

static void drop_warnings(void)
{
    char *text;

    while ((text = scion_warning_take()))
        free(text);
}

/* Data are read, or refused with a reason. */
static void read_data(const struct scion_packed *packed, const struct scion_pack_entry *entry)
{
    char data[READ_MOST];
    size_t bytes = entry->size < READ_MOST ? (size_t)entry->size : READ_MOST;
    int rc = scion_packed_read(packed, entry, data, bytes, entry->size - (sion_int64)bytes);

    FUZZ_CHECK(rc == 0 || rc == SION_ERR_DAMAGED);
    FUZZ_CHECK(rc == 0 || scion_packed_is_indexed(packed)); /* the headers' data are there */
    rc = scion_packed_check(packed, entry);
    FUZZ_CHECK(rc == 0 || rc == SION_ERR_DAMAGED);
}

static void find_again(struct scion_packed *packed, const struct scion_pack_entry *entry)
{
    struct scion_packed_cursor cursor;
    const struct scion_pack_entry *found;
    int is_folder;

    scion_packed_begin(packed, &cursor);
    FUZZ_CHECK(scion_packed_find(&cursor, entry->path, &found, &is_folder) == 0);
    FUZZ_CHECK(found && strcmp(found->path, entry->path) == 0);
    scion_packed_end(&cursor);
}

/* Each entry, as long as no block is damaged; the number of them. */
static sion_int64 visit_all(struct scion_packed *packed)
{
    struct scion_packed_cursor cursor;
    const struct scion_pack_entry *entry;
    char last[SCION_PACK_PATH] = "";
    sion_int64 n = 0;
    int rc;

    scion_packed_begin(packed, &cursor);
    while ((rc = scion_packed_next(&cursor, &entry)) == 0 && entry) {
        FUZZ_CHECK(scion_pack_compare(last, entry->path) <= 0);
        FUZZ_CHECK(scion_packed_number(&cursor) == ++n);
        FUZZ_CHECK(scion_pack_is_clean(entry->path) || !scion_packed_is_indexed(packed));
        strcpy(last, entry->path);
        read_data(packed, entry);
        if (n < ENTRIES_MOST)
            find_again(packed, entry);
    }
    FUZZ_CHECK(rc == 0 || (rc == SION_ERR_DAMAGED && scion_packed_is_indexed(packed)));
    FUZZ_CHECK(rc != 0 || n == scion_packed_count(packed));
    scion_packed_end(&cursor);
    return rc == 0 ? n : -1;
}

/* A folder shows each name once, and no more names than there are entries. */
static void list(struct scion_packed *packed, const char *folder, sion_int64 count)
{
    static struct scion_packed_child child;
    struct scion_packed_cursor cursor;
    char last[SCION_PACK_PATH] = "";
    sion_int64 n = 0;

    scion_packed_begin(packed, &cursor);
    FUZZ_CHECK(scion_packed_seek(&cursor, folder) == 0);
    while (scion_packed_child(&cursor, folder, &child) == 0 && child.name[0]) {
        FUZZ_CHECK(scion_pack_compare(last, child.name) < 0 && !strchr(child.name, '/'));
        FUZZ_CHECK(strcmp(child.name, ".") != 0 && strcmp(child.name, "..") != 0);
        FUZZ_CHECK(++n <= count);
        strcpy(last, child.name);
    }
    scion_packed_end(&cursor);
}

static void run(const uint8_t *bytes, size_t size)
{
    struct input input = split(bytes, size);
    const struct scion_pack_streams streams = {.ntasks = 1,
                                               .bytes = bytes_of,
                                               .read = read_stream,
                                               .file = {.read = read_file, .context = &input},
                                               .file_size = (sion_int64)input.file_size,
                                               .context = &input};
    struct scion_packed *packed = NULL;
    int rc = scion_packed_open(&streams, &packed);

    FUZZ_CHECK(rc == 0);
    if (packed) {
        sion_int64 count = visit_all(packed);

        if (count >= 0) {
            list(packed, "", count);
            list(packed, "folder", count);
        }
    }
    scion_packed_close(packed);
    drop_warnings();
}

/* ---- what is changed ---- */

static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct input input = split(bytes, size);
    size_t stream_end = HEAD + input.stream_size;

    *end = size;
    if (size < HEAD)
        return 0;
    if (dice % 4 == 0 && input.file_size >= SCION_INDEX_TRAILER)
        return size - SCION_INDEX_TRAILER;
    if (dice % 2 == 0)
        return stream_end;
    *end = stream_end;
    return HEAD;
}

/* The checksum of each header that a reader would come to. */
static void seal_tar(uint8_t *stream, size_t size)
{
    size_t at = 0;

    while (size - at >= SCION_TAR_BLOCK && stream[at]) {
        unsigned sum = 0;
        char text[16];
        size_t i, bytes;

        memset(stream + at + USTAR_CHECKSUM, ' ', USTAR_NUMBER_BYTES);
        for (i = 0; i < SCION_TAR_BLOCK; i++)
            sum += stream[at + i];
        snprintf(text, sizeof text, "%06o", sum);
        memcpy(stream + at + USTAR_CHECKSUM, text, 7);
        memcpy(text, stream + at + USTAR_SIZE, USTAR_LONG_BYTES);
        text[USTAR_LONG_BYTES] = '\0';
        bytes = (size_t)strtoull(text, NULL, 8);
        bytes = bytes < size ? bytes : size;
        at += SCION_TAR_BLOCK + (bytes + SCION_TAR_BLOCK - 1) / SCION_TAR_BLOCK * SCION_TAR_BLOCK;
        if (at > size)
            return;
    }
}

enum { BLOCK_SIZE = 8, BLOCK_CRC = 16, BLOCK_PATH = 20 }; /* of a block in the list */

static void seal_blocks(uint8_t *file, size_t size, uint8_t *blocks, size_t bytes)
{
    size_t at = 0, begin = 0;

    while (bytes - at >= SCION_INDEX_LISTED) {
        size_t length = (size_t)blocks[at + BLOCK_PATH] | (size_t)blocks[at + BLOCK_PATH + 1] << 8;
        size_t block = load(blocks + at + BLOCK_SIZE);

        begin = load(blocks + at);
        if (begin <= size && block <= size - begin)
            store(blocks + at + BLOCK_CRC, scion_crc32c(0, file + begin, block));
        if (length > bytes - at - SCION_INDEX_LISTED)
            return;
        at += SCION_INDEX_LISTED + length;
    }
}

enum {
    LIST_OFFSET = 40,
    LIST_SIZE = 48,
    LIST_CRC = 60,
    KEY = 64,
    OWN_CRC = 76
}; /* of the trailer */

static void seal_index(uint8_t *file, size_t size, size_t stream)
{
    uint8_t *end = file + size - SCION_INDEX_TRAILER;
    struct scion_index_key key = {0};
    size_t at, bytes;

    if (size < SCION_INDEX_TRAILER)
        return;
    at = load(end + LIST_OFFSET);
    bytes = load(end + LIST_SIZE);
    if (at <= size && bytes <= size - at) {
        seal_blocks(file, size, file + at, bytes);
        store(end + LIST_CRC, scion_crc32c(0, file + at, bytes));
    }
    scion_index_key_add(&key, (sion_int64)stream);
    store(end + 12, 1);
    store(end + 16, (uint32_t)stream);
    store(end + 20, 0);
    store(end + KEY, key.crc);
    store(end + OWN_CRC, scion_crc32c(0, end, OWN_CRC));
}

static void seal(uint8_t *bytes, size_t size)
{
    struct input input = split(bytes, size);

    if (size < HEAD)
        return;
    seal_tar(bytes + HEAD, input.stream_size);
    seal_index(bytes + HEAD + input.stream_size, input.file_size, input.stream_size);
}

/* Longer or shorter than before: the stream, or the index before its list of blocks. */
static void resized(uint8_t *bytes, size_t size, size_t from, long change)
{
    struct input input = split(bytes, size);
    uint8_t *end = bytes + size - SCION_INDEX_TRAILER;

    if (from >= HEAD && from < HEAD + input.stream_size)
        store(bytes, (uint32_t)((long)input.stream_size + change));
    else if (from >= HEAD && input.file_size >= SCION_INDEX_TRAILER) {
        size_t at = load(end + LIST_OFFSET);

        if (from - HEAD - input.stream_size < at)
            store(end + LIST_OFFSET, (uint32_t)((long)at + change));
        else
            store(end + LIST_SIZE, (uint32_t)((long)load(end + LIST_SIZE) + change));
    }
}

/* ---- inputs ---- */

struct made {
    uint8_t bytes[1 << 16];
    size_t size;
};

static int put(void *context, const void *data, size_t bytes, sion_int64 offset)
{
    struct made *made = context;

    FUZZ_CHECK((size_t)offset + bytes <= sizeof made->bytes);
    memcpy(made->bytes + offset, data, bytes);
    made->size = made->size < (size_t)offset + bytes ? (size_t)offset + bytes : made->size;
    return 0;
}

static void add(struct scion_pack_list *list, const char *path, int type, const char *target,
                sion_int64 size)
{
    char at[SCION_PACK_PATH], to[SCION_PACK_PATH];
    const struct scion_pack_entry entry = {.path = strcpy(at, path),
                                           .target = target ? strcpy(to, target) : NULL,
                                           .type = type,
                                           .mode = 0644,
                                           .mtime = 1700000000,
                                           .mtime_ns = size % 2 ? 5 : 0,
                                           .size = size};

    FUZZ_CHECK(scion_pack_list_add(list, &entry) == 0);
}

static void fill(struct scion_pack_list *list, int many)
{
    char path[SCION_PACK_PATH];
    int i;

    add(list, "file", SCION_PACK_FILE, NULL, 5);
    add(list, "folder", SCION_PACK_FOLDER, NULL, 0);
    add(list, "folder/link", SCION_PACK_LINK, "../file", 0);
    add(list, "folder/pipe", SCION_PACK_PIPE, NULL, 0);
    add(list, "other/hard", SCION_PACK_HARD, "file", 0);
    memset(path, 'n', 200);
    strcpy(path + 200, "/long");
    add(list, path, SCION_PACK_FILE, NULL, 600);
    for (i = 0; i < many; i++) {
        snprintf(path, sizeof path, "folder/many/%d", i);
        add(list, path, SCION_PACK_FILE, NULL, 0);
    }
    scion_pack_list_sort(list);
    FUZZ_CHECK(scion_pack_lay_out(list, 1) == 0);
}

/* The stream as pack/write.c makes it, of files that are all zeros. */
static void make_one(fuzz_take *take, int many, int has_index)
{
    static struct made made, index;
    const struct scion_pack_target target = {.write = put, .context = &index};
    struct scion_pack_list list = {0};
    sion_int64 end;
    size_t i;

    memset(&made, 0, sizeof made);
    index.size = 0;
    fill(&list, many);
    FUZZ_CHECK(HEAD + (size_t)list.used[0] <= sizeof made.bytes);
    for (i = 0; i < list.count; i++)
        scion_tar_encode(&list.entries[i], made.bytes + HEAD + list.entries[i].data -
                                               scion_tar_head_size(&list.entries[i]));
    store(made.bytes, (uint32_t)list.used[0]);
    made.size = HEAD + (size_t)list.used[0];
    FUZZ_CHECK(scion_pack_write_index(&list, 0, &target, &end) == 0);
    if (has_index)
        put(&made, index.bytes, index.size, (sion_int64)made.size);
    scion_pack_list_free(&list);
    take(made.bytes, made.size);
}

static void make(fuzz_take *take)
{
    make_one(take, 0, 1);
    make_one(take, 0, 0);
    make_one(take, 30, 1);
}

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .resized = resized,
                                        .seal = seal,
                                        .make = make,
                                        .rounds = 3000,
                                        .most = 32768};
