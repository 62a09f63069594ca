/* The members of a tar, whoever made it: its bytes can be anything. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "pack/tar.h"
#include "pack/ustar.h"

enum { HAS_PATH = 1, HAS_TARGET = 2, HAS_SIZE = 4, HAS_UID = 8, HAS_GID = 16, HAS_MTIME = 32 };

enum {
    BODY_MOST = 1 << 20, /* of a pax header; extended attributes can make them long */
    HEADERS_MOST = 16    /* in a row, before the member that they are of */
};

static int damaged(const struct scion_tar_reader *reader, const char *what)
{
    return scion_fail(SION_ERR_DAMAGED, "the tar of task %d is damaged at byte %lld: %s",
                      reader->task, reader->pos, what);
}

/* ---- fields ---- */

/* Text of a field that ends with a NUL or with the field. */
static size_t text_of(const unsigned char *field, size_t bytes)
{
    return strnlen((const char *)field, bytes);
}

/* A number of GNU's: the first bit says that the others are binary, the highest first. */
static int decode_binary(const unsigned char *field, size_t bytes, sion_int64 *number)
{
    int is_negative = field[0] == 0xff;
    uint64_t value = is_negative ? UINT64_MAX : field[0] & 0x7f;
    size_t i;

    for (i = 1; i < bytes; i++) {
        if (value >> 55 != (is_negative ? 0x1ff : 0))
            return -1;
        value = value << 8 | field[i];
    }
    *number = (sion_int64)value;
    return 0;
}

/* Blanks, octal digits, and then blanks or NULs; nothing is 0. */
static int decode_octal(const unsigned char *field, size_t bytes, sion_int64 *number)
{
    size_t i = 0;

    *number = 0;
    while (i < bytes && field[i] == ' ')
        i++;
    for (; i < bytes && field[i] >= '0' && field[i] <= '7'; i++)
        *number = *number * 8 + (field[i] - '0'); /* at most 12 digits */
    for (; i < bytes; i++) {
        if (field[i] != ' ' && field[i] != '\0')
            return -1;
    }
    return 0;
}

static int decode(const unsigned char *field, size_t bytes, sion_int64 *number)
{
    return field[0] & 0x80 ? decode_binary(field, bytes, number)
                           : decode_octal(field, bytes, number);
}

/* Some old writers have added signed bytes. */
static int has_checksum(const unsigned char *header)
{
    sion_int64 said, sum = 0, with_sign = 0;
    int i;

    if (decode_octal(header + USTAR_CHECKSUM, USTAR_NUMBER_BYTES, &said) != 0)
        return 0;
    for (i = 0; i < SCION_TAR_BLOCK; i++) {
        int in = i >= USTAR_CHECKSUM && i < USTAR_CHECKSUM + USTAR_NUMBER_BYTES;

        sum += in ? ' ' : header[i];
        with_sign += in ? ' ' : (signed char)header[i];
    }
    return said == sum || said == with_sign;
}

static int is_zero(const unsigned char *block)
{
    int i;

    for (i = 0; i < SCION_TAR_BLOCK; i++) {
        if (block[i] != 0)
            return 0;
    }
    return 1;
}

int scion_tar_is_header(const unsigned char *block)
{
    return is_zero(block) || has_checksum(block);
}

/* ---- pax headers and long names ---- */

/* A decimal number, and in *rest what is behind it. */
static int decimal(const char *text, sion_int64 *number, const char **rest)
{
    int is_negative = *text == '-', any = 0;

    *number = 0;
    for (text += is_negative; *text >= '0' && *text <= '9'; text++, any = 1) {
        if (scion_mul(*number, 10, number) || scion_add(*number, *text - '0', number))
            return -1;
    }
    if (is_negative)
        *number = -*number;
    *rest = text;
    return any ? 0 : -1;
}

static int take_number(const char *value, sion_int64 least, sion_int64 most, sion_int64 *number)
{
    const char *rest;

    return decimal(value, number, &rest) == 0 && *rest == '\0' && *number >= least &&
                   *number <= most
               ? 0
               : -1;
}

/* The first nine digits of a fraction; others are cut off. */
static int fraction(const char *text, uint32_t *ns)
{
    uint32_t scale = 100000000;

    *ns = 0;
    if (*text == '\0')
        return 0;
    if (*text++ != '.')
        return -1;
    for (; *text >= '0' && *text <= '9'; text++, scale /= 10)
        *ns += (uint32_t)(*text - '0') * scale;
    return *text == '\0' ? 0 : -1;
}

static int take_time(const char *value, struct scion_tar_extended *into)
{
    const char *rest;

    if (decimal(value, &into->mtime, &rest) != 0 || fraction(rest, &into->mtime_ns) != 0)
        return -1;
    if (value[0] == '-' && into->mtime_ns > 0) {
        if (scion_add(into->mtime, -1, &into->mtime))
            return -1;
        into->mtime_ns = 1000000000 - into->mtime_ns;
    }
    into->known |= HAS_MTIME;
    return 0;
}

static int take_text(const char *value, size_t length, unsigned bit, char *to,
                     struct scion_tar_extended *into)
{
    if (length >= SCION_PACK_PATH || memchr(value, '\0', length))
        return -1;
    memcpy(to, value, length);
    to[length] = '\0';
    into->known |= bit;
    return 0;
}

static int take_id(const char *value, unsigned bit, uint32_t *id, struct scion_tar_extended *into)
{
    sion_int64 number;

    if (take_number(value, 0, UINT32_MAX, &number) != 0)
        return -1;
    *id = (uint32_t)number;
    into->known |= bit;
    return 0;
}

static int take_size(const char *value, struct scion_tar_extended *into)
{
    into->known |= HAS_SIZE;
    return take_number(value, 0, LLONG_MAX, &into->size);
}

/* An empty value takes back what a header of all has said. value ends with a NUL. */
static int take_record(const char *key, const char *value, size_t length,
                       struct scion_tar_extended *into)
{
    static const struct {
        const char *key;
        unsigned bit;
    } empty[] = {{"path", HAS_PATH}, {"linkpath", HAS_TARGET}, {"size", HAS_SIZE},
                 {"uid", HAS_UID},   {"gid", HAS_GID},         {"mtime", HAS_MTIME}};
    size_t i;

    if (strncmp(key, "GNU.sparse.", 11) == 0)
        return -2;
    for (i = 0; length == 0 && i < sizeof empty / sizeof *empty; i++) {
        if (strcmp(key, empty[i].key) == 0) {
            into->known &= ~empty[i].bit;
            return 0;
        }
    }
    if (strcmp(key, "path") == 0)
        return take_text(value, length, HAS_PATH, into->path, into);
    if (strcmp(key, "linkpath") == 0)
        return take_text(value, length, HAS_TARGET, into->target, into);
    if (strcmp(key, "size") == 0)
        return take_size(value, into);
    if (strcmp(key, "uid") == 0)
        return take_id(value, HAS_UID, &into->uid, into);
    if (strcmp(key, "gid") == 0)
        return take_id(value, HAS_GID, &into->gid, into);
    return strcmp(key, "mtime") == 0 ? take_time(value, into) : 0;
}

/* One record at `at` of body[size], which is changed: "LENGTH KEY=VALUE\n". *length: of it all. */
static int parse_record(char *at, size_t left, size_t *length, struct scion_tar_extended *into)
{
    sion_int64 number;
    const char *rest;
    char *equals, *key;

    if (decimal(at, &number, &rest) != 0 || *rest != ' ' || number <= rest - at ||
        number > (sion_int64)left || at[number - 1] != '\n')
        return -1;
    *length = (size_t)number;
    key = at + (rest - at) + 1;
    equals = memchr(key, '=', (size_t)(at + number - key));
    if (!equals)
        return -1;
    *equals = '\0';
    at[number - 1] = '\0';
    return take_record(key, equals + 1, (size_t)(at + number - 1 - (equals + 1)), into);
}

static int parse_pax(const struct scion_tar_reader *reader, char *body, size_t size,
                     struct scion_tar_extended *into)
{
    size_t at = 0, length = 0;
    int rc = 0;

    for (; at < size && rc == 0; at += length)
        rc = parse_record(body + at, size - at, &length, into);
    if (rc == -2)
        return scion_fail(SION_ERR_DAMAGED,
                          "the tar of task %d has at byte %lld a sparse file of GNU tar, which "
                          "cannot be read",
                          reader->task, reader->pos);
    return rc == 0 ? 0 : damaged(reader, "a wrong record in a pax header");
}

/* GNU's long name: the text is the whole body, and may end with NULs. */
static int parse_long(const struct scion_tar_reader *reader, char *body, size_t size, int type,
                      struct scion_tar_extended *into)
{
    int is_path = type == 'L';
    int rc = take_text(body, strnlen(body, size), is_path ? HAS_PATH : HAS_TARGET,
                       is_path ? into->path : into->target, into);

    return rc == 0 ? 0 : damaged(reader, "a long name that is too long");
}

/* Headers that describe others: their bytes come after them as those of a file do. */
static int take_extended(struct scion_tar_reader *reader, int type, sion_int64 size)
{
    struct scion_tar_extended *into = type == 'g' ? &reader->of_all : &reader->of_next;
    char *body;
    int rc;

    if (size > BODY_MOST)
        return damaged(reader, "a pax header of more than 1 MiB");
    body = malloc((size_t)size + 1);
    if (!body)
        return scion_fail_memory("tar header");
    body[size] = '\0';
    rc = reader->source.read(reader->source.context, body, (size_t)size,
                             reader->pos + SCION_TAR_BLOCK);
    if (rc == 0)
        rc = type == 'L' || type == 'K' ? parse_long(reader, body, (size_t)size, type, into)
                                        : parse_pax(reader, body, (size_t)size, into);
    free(body);
    return rc;
}

/* ---- a member ---- */

static void take_path(struct scion_tar_reader *reader, const unsigned char *header)
{
    size_t prefix = memcmp(header + USTAR_MAGIC, "ustar", 6) == 0
                        ? text_of(header + USTAR_PREFIX, USTAR_PREFIX_BYTES)
                        : 0;
    size_t name = text_of(header + USTAR_NAME, USTAR_NAME_BYTES);
    char *path = reader->path;

    reader->entry.path = path;
    if (reader->of_next.known & HAS_PATH)
        strcpy(path, reader->of_next.path);
    else if (reader->of_all.known & HAS_PATH)
        strcpy(path, reader->of_all.path);
    else
        snprintf(path, SCION_PACK_PATH, "%.*s%s%.*s", (int)prefix,
                 (const char *)header + USTAR_PREFIX, prefix > 0 ? "/" : "", (int)name,
                 (const char *)header + USTAR_NAME);
    if (reader->entry.type == SCION_PACK_FILE && path[0] && path[strlen(path) - 1] == '/')
        reader->entry.type = SCION_PACK_FOLDER; /* as in tars before POSIX */
    scion_pack_clean_path(path);
}

static void take_target(struct scion_tar_reader *reader, const unsigned char *header)
{
    char *target = reader->target;

    reader->entry.target = NULL;
    if (reader->entry.type != SCION_PACK_LINK && reader->entry.type != SCION_PACK_HARD)
        return;
    reader->entry.target = target;
    if (reader->of_next.known & HAS_TARGET)
        strcpy(target, reader->of_next.target);
    else if (reader->of_all.known & HAS_TARGET)
        strcpy(target, reader->of_all.target);
    else
        snprintf(target, SCION_PACK_PATH, "%.*s",
                 (int)text_of(header + USTAR_TARGET, USTAR_NAME_BYTES),
                 (const char *)header + USTAR_TARGET);
    if (reader->entry.type == SCION_PACK_HARD)
        scion_pack_clean_path(target);
}

/* What pax headers say goes before what the header itself says. */
static const struct scion_tar_extended *said(const struct scion_tar_reader *reader, unsigned bit)
{
    return reader->of_next.known & bit  ? &reader->of_next
           : reader->of_all.known & bit ? &reader->of_all
                                        : NULL;
}

static int take_ids(struct scion_tar_reader *reader, const unsigned char *header)
{
    const struct scion_tar_extended *of_uid = said(reader, HAS_UID),
                                    *of_gid = said(reader, HAS_GID);
    sion_int64 mode, uid, gid;

    if (decode(header + USTAR_MODE, USTAR_NUMBER_BYTES, &mode) != 0 ||
        decode(header + USTAR_UID, USTAR_NUMBER_BYTES, &uid) != 0 ||
        decode(header + USTAR_GID, USTAR_NUMBER_BYTES, &gid) != 0)
        return damaged(reader, "a wrong number in a header");
    reader->entry.mode = (uint32_t)mode & 07777;
    reader->entry.uid = of_uid ? of_uid->uid : (uint32_t)uid;
    reader->entry.gid = of_gid ? of_gid->gid : (uint32_t)gid;
    return 0;
}

static int take_numbers(struct scion_tar_reader *reader, const unsigned char *header)
{
    const struct scion_tar_extended *of_size = said(reader, HAS_SIZE);
    const struct scion_tar_extended *of_time = said(reader, HAS_MTIME);

    if (decode(header + USTAR_SIZE, USTAR_LONG_BYTES, &reader->entry.size) != 0 ||
        decode(header + USTAR_MTIME, USTAR_LONG_BYTES, &reader->entry.mtime) != 0)
        return damaged(reader, "a wrong number in a header");
    if (of_size)
        reader->entry.size = of_size->size;
    reader->entry.mtime_ns = of_time ? of_time->mtime_ns : 0;
    if (of_time)
        reader->entry.mtime = of_time->mtime;
    return reader->entry.size >= 0 ? 0 : damaged(reader, "a negative size");
}

/* The type, or 0: not one of ours. */
static int type_of(int type)
{
    switch (type) {
    case '\0':
    case '0':
    case '7':
        return SCION_PACK_FILE;
    case '1':
        return SCION_PACK_HARD;
    case '2':
        return SCION_PACK_LINK;
    case '5':
        return SCION_PACK_FOLDER;
    case '6':
        return SCION_PACK_PIPE;
    default:
        return 0;
    }
}

/* Of the types of POSIX, only files have data, whatever their size says. */
static int has_data(int type)
{
    return type < '1' || type > '6';
}

/* *bytes: from the header to the next one. The data themselves must be there. */
static int measure(const struct scion_tar_reader *reader, sion_int64 size, sion_int64 *bytes)
{
    sion_int64 left = reader->size - reader->pos - SCION_TAR_BLOCK;

    if (size > left)
        return damaged(reader, "a member that is longer than the stream");
    *bytes = SCION_TAR_BLOCK + size;
    *bytes += size < left ? scion_tar_padding(size) : 0;
    return 0;
}

static int take_member(struct scion_tar_reader *reader, const unsigned char *header,
                       const struct scion_pack_entry **found)
{
    struct scion_pack_entry *entry = &reader->entry;
    int type = header[USTAR_TYPE], rc = take_numbers(reader, header);
    sion_int64 bytes = 0;

    entry->type = type_of(type);
    if (!has_data(type))
        entry->size = 0;
    if (rc == 0 && type == 'S')
        rc = damaged(reader, "a sparse file of GNU tar, which cannot be read");
    if (rc == 0)
        rc = measure(reader, entry->size, &bytes);
    if (rc == 0)
        rc = take_ids(reader, header);
    if (rc != 0)
        return rc;
    take_path(reader, header);
    take_target(reader, header);
    if (entry->path[0] == '\0' && entry->type != SCION_PACK_FOLDER)
        return damaged(reader, "a member without a name");
    if (entry->type == SCION_PACK_FOLDER)
        entry->size = 0;
    entry->task = reader->task;
    entry->data = reader->pos + SCION_TAR_BLOCK;
    reader->pos += bytes;
    reader->of_next.known = 0;
    reader->left_out += entry->type == 0;
    if (entry->type != 0 && entry->path[0]) /* not the root of the tree, "./" */
        *found = entry;
    return 0;
}

static int is_extended(int type)
{
    return type == 'x' || type == 'g' || type == 'L' || type == 'K';
}

static int pass_extended(struct scion_tar_reader *reader, const unsigned char *header)
{
    sion_int64 size, bytes = 0;
    int rc = decode(header + USTAR_SIZE, USTAR_LONG_BYTES, &size) == 0 && size >= 0
                 ? measure(reader, size, &bytes)
                 : damaged(reader, "a wrong number in a header");

    if (rc == 0)
        rc = take_extended(reader, header[USTAR_TYPE], size);
    if (rc == 0)
        reader->pos += bytes;
    return rc;
}

void scion_tar_open(struct scion_tar_reader *reader, const struct scion_pack_source *source,
                    sion_int64 size, int task)
{
    reader->source = *source;
    reader->size = size;
    reader->pos = 0;
    reader->task = task;
    reader->left_out = reader->has_end = 0;
    reader->of_all.known = reader->of_next.known = 0;
}

/* The next header; *is_end: there is none. */
static int read_header(struct scion_tar_reader *reader, unsigned char *header, int *is_end)
{
    int rc;

    *is_end = reader->pos == reader->size;
    if (*is_end)
        return 0;
    if (reader->size - reader->pos < SCION_TAR_BLOCK)
        return damaged(reader, "a header is cut off");
    rc = reader->source.read(reader->source.context, header, SCION_TAR_BLOCK, reader->pos);
    if (rc != 0)
        return rc;
    *is_end = reader->has_end = is_zero(header);
    return *is_end || has_checksum(header) ? 0 : damaged(reader, "this is no header of a tar");
}

int scion_tar_next(struct scion_tar_reader *reader, const struct scion_pack_entry **entry)
{
    unsigned char header[SCION_TAR_BLOCK];
    int rc = 0, is_end, headers = 0;

    *entry = NULL;
    while (rc == 0 && !*entry) {
        rc = read_header(reader, header, &is_end);
        if (rc != 0 || is_end)
            return rc;
        if (!is_extended(header[USTAR_TYPE])) {
            rc = take_member(reader, header, entry);
            headers = 0;
        } else {
            rc = headers++ < HEADERS_MOST ? pass_extended(reader, header)
                                          : damaged(reader, "too many pax headers");
        }
    }
    return rc;
}
