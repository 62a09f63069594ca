/* The headers of a tar's members. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "pack/tar.h"
#include "pack/ustar.h"

/* ---- pax headers ---- */

enum { NUMBER_MOST = 48, PAX_NAME_MOST = 80 };

/* Each record begins with its own length in decimal digits, which count, too. */
static size_t record_size(const char *key, size_t value)
{
    size_t rest = strlen(key) + value + 3, digits = 1, power = 10; /* blank, =, newline */

    while (rest + digits >= power) {
        digits++;
        power *= 10;
    }
    return rest + digits;
}

/* to NULL: only counts. */
static size_t put_record(char *to, const char *key, const char *value)
{
    size_t length = strlen(value), size = record_size(key, length);
    int begin;

    if (!to)
        return size;
    begin = sprintf(to, "%zu %s=", size, key);
    memcpy(to + begin, value, length);
    to[size - 1] = '\n';
    return size;
}

static size_t put_number(char *to, const char *key, sion_int64 number)
{
    char text[NUMBER_MOST];

    snprintf(text, sizeof text, "%lld", (long long)number);
    return put_record(to, key, text);
}

/* A time before 1970 with a fraction is written as the negative of a positive number. */
static size_t put_time(char *to, sion_int64 seconds, uint32_t ns)
{
    char text[NUMBER_MOST];
    const char *sign = "";

    if (seconds < 0 && ns > 0) {
        sign = "-";
        seconds = -(seconds + 1);
        ns = 1000000000 - ns;
    }
    snprintf(text, sizeof text, "%s%lld.%09u", sign, (long long)seconds, ns);
    return put_record(to, "mtime", text);
}

/* Whether an octal number of so many digits holds it. */
static int fits(sion_int64 number, int digits)
{
    return number >= 0 && number < (sion_int64)1 << 3 * digits;
}

static int is_time_plain(const struct scion_pack_entry *entry)
{
    return entry->mtime_ns == 0 && fits(entry->mtime, USTAR_LONG_BYTES - 1);
}

/* Folders end with a slash. */
static size_t name_length(const struct scion_pack_entry *entry)
{
    return strlen(entry->path) + (entry->type == SCION_PACK_FOLDER);
}

/* The slash at which a long path is cut into prefix and name; 0: it fits, -1: it does not. */
static int cut_of(const struct scion_pack_entry *entry)
{
    size_t length = name_length(entry), i;

    if (length <= USTAR_NAME_BYTES)
        return 0;
    for (i = 1; i <= USTAR_PREFIX_BYTES && entry->path[i]; i++) {
        if (entry->path[i] == '/' && length - i - 1 <= USTAR_NAME_BYTES)
            return (int)i;
    }
    return -1;
}

/* All records that the entry needs; to NULL: only counts. 0: it needs none. */
static size_t put_records(char *to, const struct scion_pack_entry *entry)
{
    size_t n = 0;

    if (cut_of(entry) < 0)
        n += put_record(to ? to + n : NULL, "path", entry->path);
    if (entry->target && strlen(entry->target) > USTAR_NAME_BYTES)
        n += put_record(to ? to + n : NULL, "linkpath", entry->target);
    if (!fits(entry->size, USTAR_LONG_BYTES - 1))
        n += put_number(to ? to + n : NULL, "size", entry->size);
    if (!fits(entry->uid, USTAR_NUMBER_BYTES - 1))
        n += put_number(to ? to + n : NULL, "uid", entry->uid);
    if (!fits(entry->gid, USTAR_NUMBER_BYTES - 1))
        n += put_number(to ? to + n : NULL, "gid", entry->gid);
    if (!is_time_plain(entry))
        n += put_time(to ? to + n : NULL, entry->mtime, entry->mtime_ns);
    return n;
}

/* ---- ustar headers ---- */

/* With a NUL behind its digits. */
static void put_octal(unsigned char *to, size_t bytes, sion_int64 number)
{
    uint64_t rest = fits(number, (int)bytes - 1) ? (uint64_t)number : 0;
    size_t i;

    to[bytes - 1] = '\0';
    for (i = bytes - 1; i > 0; i--) {
        to[i - 1] = (unsigned char)('0' + (rest & 7));
        rest >>= 3;
    }
}

static void put_checksum(unsigned char *header)
{
    unsigned sum = 0;
    int i;

    memset(header + USTAR_CHECKSUM, ' ', USTAR_NUMBER_BYTES);
    for (i = 0; i < SCION_TAR_BLOCK; i++)
        sum += header[i];
    put_octal(header + USTAR_CHECKSUM, USTAR_NUMBER_BYTES - 1, sum); /* the last blank stays */
}

static void put_common(unsigned char *header, const struct scion_pack_entry *entry, char type,
                       sion_int64 size)
{
    put_octal(header + USTAR_MODE, USTAR_NUMBER_BYTES, entry->mode & 07777);
    put_octal(header + USTAR_UID, USTAR_NUMBER_BYTES, entry->uid);
    put_octal(header + USTAR_GID, USTAR_NUMBER_BYTES, entry->gid);
    put_octal(header + USTAR_SIZE, USTAR_LONG_BYTES, size);
    put_octal(header + USTAR_MTIME, USTAR_LONG_BYTES, entry->mtime);
    header[USTAR_TYPE] = (unsigned char)type;
    memcpy(header + USTAR_MAGIC, "ustar\00000", 8);
    put_checksum(header);
}

/* What fits of a text into a field that needs no NUL. */
static void put_text(unsigned char *to, size_t bytes, const char *text)
{
    size_t length = strlen(text);

    memcpy(to, text, length < bytes ? length : bytes);
}

/* The name of the pax header itself, for readers that take it for a file. */
static void put_pax(unsigned char *to, const struct scion_pack_entry *entry, size_t records)
{
    static const char folder[] = "PaxHeaders/";
    const char *slash = strrchr(entry->path, '/'), *name = slash ? slash + 1 : entry->path;

    put_text(to + USTAR_NAME, USTAR_NAME_BYTES, folder);
    put_text(to + USTAR_NAME + sizeof folder - 1, PAX_NAME_MOST, name);
    put_common(to, entry, 'x', (sion_int64)records);
    put_records((char *)to + SCION_TAR_BLOCK, entry);
}

static void put_name(unsigned char *header, const struct scion_pack_entry *entry)
{
    int cut = cut_of(entry);
    const char *name = cut > 0 ? entry->path + cut + 1 : entry->path;
    size_t length = strlen(name);

    if (cut > 0)
        memcpy(header + USTAR_PREFIX, entry->path, (size_t)cut);
    put_text(header + USTAR_NAME, USTAR_NAME_BYTES, name);
    if (entry->type == SCION_PACK_FOLDER && length < USTAR_NAME_BYTES)
        header[USTAR_NAME + length] = '/';
}

static char type_of(const struct scion_pack_entry *entry)
{
    switch (entry->type) {
    case SCION_PACK_FOLDER:
        return '5';
    case SCION_PACK_LINK:
        return '2';
    case SCION_PACK_HARD:
        return '1';
    case SCION_PACK_PIPE:
        return '6';
    default:
        return '0';
    }
}

/* ---- members ---- */

static size_t in_blocks(size_t bytes)
{
    return (bytes + SCION_TAR_BLOCK - 1) / SCION_TAR_BLOCK * SCION_TAR_BLOCK;
}

static size_t pax_size(size_t records)
{
    return records > 0 ? SCION_TAR_BLOCK + in_blocks(records) : 0;
}

int scion_tar_head_size(const struct scion_pack_entry *entry)
{
    return (int)(pax_size(put_records(NULL, entry)) + SCION_TAR_BLOCK);
}

sion_int64 scion_tar_member_size(const struct scion_pack_entry *entry)
{
    sion_int64 bytes;

    return scion_add(entry->size, scion_tar_head_size(entry) + scion_tar_padding(entry->size),
                     &bytes)
               ? -1
               : bytes;
}

int scion_tar_encode(const struct scion_pack_entry *entry, unsigned char *to)
{
    size_t records = put_records(NULL, entry);

    memset(to, 0, pax_size(records) + SCION_TAR_BLOCK);
    if (records > 0)
        put_pax(to, entry, records);
    to += pax_size(records);
    put_name(to, entry);
    if (entry->target)
        put_text(to + USTAR_TARGET, USTAR_NAME_BYTES, entry->target);
    put_common(to, entry, type_of(entry), entry->size);
    return (int)pax_size(records) + SCION_TAR_BLOCK;
}
