#include "array/types.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/bindings.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/json.h"
#include "base/numerals.h"

static const struct {
    const char *name;
    unsigned char size, numbers;
    enum scion_array_kind kind;
} types[] = {
    [SION_I8] = {"i8", 1, 1, SCION_SIGNED},    [SION_U8] = {"u8", 1, 1, SCION_UNSIGNED},
    [SION_I16] = {"i16", 2, 1, SCION_SIGNED},  [SION_U16] = {"u16", 2, 1, SCION_UNSIGNED},
    [SION_I32] = {"i32", 4, 1, SCION_SIGNED},  [SION_U32] = {"u32", 4, 1, SCION_UNSIGNED},
    [SION_I64] = {"i64", 8, 1, SCION_SIGNED},  [SION_U64] = {"u64", 8, 1, SCION_UNSIGNED},
    [SION_F32] = {"f32", 4, 1, SCION_FLOAT},   [SION_F64] = {"f64", 8, 1, SCION_FLOAT},
    [SION_C64] = {"c64", 8, 2, SCION_COMPLEX}, [SION_C128] = {"c128", 16, 2, SCION_COMPLEX},
};

size_t scion_array_size(int type)
{
    return types[type].size;
}

size_t scion_array_number_size(int type)
{
    return types[type].size / types[type].numbers;
}

int scion_array_number_type(int type)
{
    return type == SION_C64 ? SION_F32 : type == SION_C128 ? SION_F64 : type;
}

enum scion_array_kind scion_array_kind(int type)
{
    return types[type].kind;
}

const char *scion_array_type_name(int type)
{
    return types[type].name;
}

const char *sion_layer_array_type(int type)
{
    return scion_array_type_name(type);
}

size_t sion_layer_array_size(int type)
{
    return scion_array_size(type);
}

sion_int64 scion_array_bytes(int type, int ndims, const sion_int64 *count)
{
    sion_int64 bytes = (sion_int64)scion_array_size(type);
    int d, is_empty = 0;

    for (d = 0; d < ndims; d++) {
        if (count[d] < 0)
            return -1;
        is_empty |= count[d] == 0;
    }
    for (d = 0; d < ndims && !is_empty; d++) {
        if (scion_mul(bytes, count[d], &bytes))
            return -1;
    }
    return is_empty ? 0 : bytes;
}

int scion_array_check_shape(const char *name, int type, int ndims, const sion_int64 *shape)
{
    int d;

    for (d = 0; d < ndims; d++)
        if (shape[d] < 0)
            return scion_fail(SION_ERR_ARGUMENT,
                              "array %s: the extent %lld of dimension %d is negative", name,
                              shape[d], d);
    return scion_array_bytes(type, ndims, shape) >= 0
               ? 0
               : scion_fail(SION_ERR_ARGUMENT, "array %s is larger than 2^63-1 bytes", name);
}

int scion_array_check_box(const char *name, int ndims, const sion_int64 *shape,
                          const sion_int64 *offset, const sion_int64 *count)
{
    int d;

    if (ndims > 0 && (!offset || !count))
        return scion_fail(SION_ERR_ARGUMENT, "array %s: offset or count is NULL", name);
    for (d = 0; d < ndims; d++) {
        if (offset[d] < 0 || count[d] < 0 || offset[d] > shape[d] ||
            count[d] > shape[d] - offset[d])
            return scion_fail(SION_ERR_ARGUMENT,
                              "array %s: %lld elements from %lld on are not within the %lld of "
                              "dimension %d",
                              name, count[d], offset[d], shape[d], d);
    }
    return 0;
}

int scion_array_check_name(const char *what, const char *name, size_t length)
{
    size_t at = 0;

    if (length < 1 || length > SION_ARRAY_NAME)
        return scion_fail(SION_ERR_ARGUMENT, "%s has %zu bytes, not 1 to %d", what, length,
                          SION_ARRAY_NAME);
    while (at < length) {
        size_t bytes = scion_plain_length(name + at);

        if (bytes == 0 || bytes > length - at)
            return scion_fail(SION_ERR_ARGUMENT,
                              "%s has a byte %d, which is not UTF-8 or a control character", what,
                              (unsigned char)name[at]);
        at += bytes;
    }
    return 0;
}

int scion_array_check_value(const char *key, const char *value)
{
    const char *at = value;
    int bytes;

    while (*at && (bytes = scion_utf8_length(at)) > 0)
        at += bytes;
    return !*at ? 0
                : scion_fail(SION_ERR_ARGUMENT,
                             "the value of attribute %s is not UTF-8 at byte %td", key, at - value);
}

/* ---- ranges ---- */

void scion_array_range_begin(int type, struct scion_array_range *range)
{
    switch (scion_array_kind(type)) {
    case SCION_SIGNED:
        range->low.i = INT64_MAX;
        range->high.i = INT64_MIN;
        break;
    case SCION_UNSIGNED:
        range->low.u = UINT64_MAX;
        range->high.u = 0;
        break;
    case SCION_FLOAT:
        range->low.f = INFINITY;
        range->high.f = -INFINITY;
        break;
    default:
        range->low.u = range->high.u = 0;
        break;
    }
}

int scion_array_range_is_known(int type, const struct scion_array_range *range)
{
    switch (scion_array_kind(type)) {
    case SCION_SIGNED:
        return range->low.i <= range->high.i;
    case SCION_UNSIGNED:
        return range->low.u <= range->high.u;
    case SCION_FLOAT:
        return range->low.f <= range->high.f;
    default:
        return 0;
    }
}

void scion_array_range_join(int type, const struct scion_array_range *other,
                            struct scion_array_range *range)
{
#define JOIN(member)                                                                               \
    do {                                                                                           \
        if (other->low.member < range->low.member)                                                 \
            range->low.member = other->low.member;                                                 \
        if (other->high.member > range->high.member)                                               \
            range->high.member = other->high.member;                                               \
    } while (0)
    if (!scion_array_range_is_known(type, other)) /* an index may say anything */
        return;
    switch (scion_array_kind(type)) {
    case SCION_SIGNED:
        JOIN(i);
        break;
    case SCION_UNSIGNED:
        JOIN(u);
        break;
    case SCION_FLOAT:
        JOIN(f);
        break;
    default:
        break;
    }
#undef JOIN
}

/*
 * The numbers are compared in rows of lanes, so that the compiler compares several at once, and two
 * rows in turn, as one comparison of a row waits for the one before. A NaN is neither less nor
 * greater. At the end the lanes are joined as if they were elements. gcc compares several lanes at
 * once only if it does not unroll the loops over them.
 */
#ifdef __clang__
#define EACH_LANE for (lane = 0; lane < LANES; lane++)
#else
#define EACH_LANE _Pragma("GCC unroll 1") for (lane = 0; lane < LANES; lane++)
#endif

#define LESSER(number, than)  ((number) < (than) ? (number) : (than))
#define GREATER(number, than) ((number) > (than) ? (number) : (than))

/* A function that compares rows of `bytes` bytes, which stay in registers. */
#define RANGE_OF(attributes, name, bytes, element, member, lowest, highest)                        \
    attributes static void name(const void *data, size_t n, struct scion_array_range *range)       \
    {                                                                                              \
        enum { LANES = (bytes) / sizeof(element) };                                                \
        const element *at = data, *end = at + n;                                                   \
        element low[LANES], high[LANES], low2[LANES], high2[LANES];                                \
        size_t lane;                                                                               \
                                                                                                   \
        for (lane = 0; lane < LANES; lane++) {                                                     \
            low[lane] = low2[lane] = highest;                                                      \
            high[lane] = high2[lane] = lowest;                                                     \
        }                                                                                          \
        for (; end - at >= 2 * LANES; at += 2 * LANES) {                                           \
            EACH_LANE                                                                              \
            low[lane] = LESSER(at[lane], low[lane]);                                               \
            EACH_LANE                                                                              \
            high[lane] = GREATER(at[lane], high[lane]);                                            \
            EACH_LANE                                                                              \
            low2[lane] = LESSER(at[LANES + lane], low2[lane]);                                     \
            EACH_LANE                                                                              \
            high2[lane] = GREATER(at[LANES + lane], high2[lane]);                                  \
        }                                                                                          \
        for (; at < end; at++) {                                                                   \
            low[0] = LESSER(*at, low[0]);                                                          \
            high[0] = GREATER(*at, high[0]);                                                       \
        }                                                                                          \
        for (lane = 0; lane < LANES; lane++) {                                                     \
            range->low.member = LESSER(low[lane], range->low.member);                              \
            range->low.member = LESSER(low2[lane], range->low.member);                             \
            range->high.member = GREATER(high[lane], range->high.member);                          \
            range->high.member = GREATER(high2[lane], range->high.member);                         \
        }                                                                                          \
    }

/* The functions of all types, and their list. */
#define RANGES(attributes, suffix, bytes)                                                          \
    RANGE_OF(attributes, range_i8##suffix, bytes, int8_t, i, INT8_MIN, INT8_MAX)                   \
    RANGE_OF(attributes, range_u8##suffix, bytes, uint8_t, u, 0, UINT8_MAX)                        \
    RANGE_OF(attributes, range_i16##suffix, bytes, int16_t, i, INT16_MIN, INT16_MAX)               \
    RANGE_OF(attributes, range_u16##suffix, bytes, uint16_t, u, 0, UINT16_MAX)                     \
    RANGE_OF(attributes, range_i32##suffix, bytes, int32_t, i, INT32_MIN, INT32_MAX)               \
    RANGE_OF(attributes, range_u32##suffix, bytes, uint32_t, u, 0, UINT32_MAX)                     \
    RANGE_OF(attributes, range_i64##suffix, bytes, int64_t, i, INT64_MIN, INT64_MAX)               \
    RANGE_OF(attributes, range_u64##suffix, bytes, uint64_t, u, 0, UINT64_MAX)                     \
    RANGE_OF(attributes, range_f32##suffix, bytes, float, f, -INFINITY, INFINITY)                  \
    RANGE_OF(attributes, range_f64##suffix, bytes, double, f, -(double)INFINITY, (double)INFINITY) \
    static void (*const ranges##suffix[])(const void *, size_t, struct scion_array_range *) = {    \
        [SION_I8] = range_i8##suffix,                                                              \
        [SION_U8] = range_u8##suffix,                                                              \
        [SION_I16] = range_i16##suffix,                                                            \
        [SION_U16] = range_u16##suffix,                                                            \
        [SION_I32] = range_i32##suffix,                                                            \
        [SION_U32] = range_u32##suffix,                                                            \
        [SION_I64] = range_i64##suffix,                                                            \
        [SION_U64] = range_u64##suffix,                                                            \
        [SION_F32] = range_f32##suffix,                                                            \
        [SION_F64] = range_f64##suffix,                                                            \
        [SION_C64] = NULL,                                                                         \
        [SION_C128] = NULL};

RANGES(, _any, 32)

/* With registers of 32 bytes, if the processor has them. */
#if defined(__x86_64__) && defined(__GNUC__)
RANGES(__attribute__((target("avx2"))), _wide, 64)
#define RANGES_HERE (__builtin_cpu_supports("avx2") ? ranges_wide : ranges_any)
#else
#define RANGES_HERE ranges_any
#endif

void scion_array_range_add(int type, const void *data, size_t n, struct scion_array_range *range)
{
    if (RANGES_HERE[type])
        RANGES_HERE[type](data, n, range);
}

/* ---- numbers as bytes ---- */

void scion_array_pack_value(int type, union sion_array_value value, unsigned char *bytes)
{
    size_t size = scion_array_number_size(type), i;
    uint64_t bits = value.u;

    if (type == SION_F32) {
        float number = (float)value.f;
        uint32_t half;

        memcpy(&half, &number, sizeof half);
        bits = half;
    } else if (type == SION_F64) {
        memcpy(&bits, &value.f, sizeof bits);
    }
    for (i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
}

union sion_array_value scion_array_unpack_value(int type, const unsigned char *bytes)
{
    size_t size = scion_array_number_size(type), i;
    union sion_array_value value;
    uint64_t bits = 0;

    for (i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    if (type == SION_F32) {
        uint32_t half = (uint32_t)bits;
        float number;

        memcpy(&number, &half, sizeof number);
        value.f = (double)number;
    } else if (type == SION_F64) {
        memcpy(&value.f, &bits, sizeof bits);
    } else if (scion_array_kind(type) == SCION_SIGNED) {
        int shift = 64 - 8 * (int)size;

        value.i = (int64_t)(bits << shift) >> shift;
    } else {
        value.u = bits;
    }
    return value;
}

/* ---- numbers as text ---- */

/* One number of an integer or floating type into memory of this machine. */
static void put_number(int type, union sion_array_value value, void *to)
{
    unsigned char bytes[8] = {0};
    size_t size = scion_array_number_size(type), i;
    uint64_t bits = 0;
    union {
        uint8_t one;
        uint16_t two;
        uint32_t four;
        uint64_t eight;
    } number;

    scion_array_pack_value(type, value, bytes);
    for (i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    switch (size) {
    case 1:
        number.one = (uint8_t)bits;
        break;
    case 2:
        number.two = (uint16_t)bits;
        break;
    case 4:
        number.four = (uint32_t)bits;
        break;
    default:
        number.eight = bits;
        break;
    }
    memcpy(to, &number, size);
}

static int is_in_range(int type, union sion_array_value value)
{
    int bits = 8 * (int)scion_array_size(type);

    if (bits == 64)
        return 1;
    if (scion_array_kind(type) == SCION_SIGNED)
        return value.i >= -(1LL << (bits - 1)) && value.i < 1LL << (bits - 1);
    return value.u < 1ULL << bits;
}

/* Read an integer; 0, or -1. NULL: it is 0. */
static int read_integer(int type, const char *text, union sion_array_value *value)
{
    char *end = NULL;

    errno = 0;
    if (scion_array_kind(type) == SCION_SIGNED)
        value->i = text ? strtoll(text, &end, 10) : 0;
    else
        value->u = text ? strtoull(text, &end, 10) : 0;
    if (!text)
        return 0;
    if (scion_array_kind(type) == SCION_UNSIGNED && strchr(text, '-'))
        return -1;
    return end != text && !*end && errno == 0 && is_in_range(type, *value) ? 0 : -1;
}

/* Read "1.5", or, of a complex type, "1.5-2j" as well; 0, or -1. NULL: both parts are NaN. */
static int read_real(int type, const char *text, union sion_array_value parts[2])
{
    char *end, *last;

    parts[0].f = parts[1].f = (double)NAN;
    if (!text)
        return 0;
    parts[0].f = scion_read_number(text, &end);
    parts[1].f = 0;
    if (end == text)
        return -1;
    if (scion_array_kind(type) == SCION_COMPLEX && (*end == '+' || *end == '-')) {
        parts[1].f = scion_read_number(end, &last);
        return last != end && strcmp(last, "j") == 0 ? 0 : -1;
    }
    return *end ? -1 : 0;
}

int scion_array_fill(int type, const char *text, void *element)
{
    enum scion_array_kind kind = scion_array_kind(type);
    union sion_array_value parts[2] = {{0}, {0}};
    int rc = kind == SCION_FLOAT || kind == SCION_COMPLEX ? read_real(type, text, parts)
                                                          : read_integer(type, text, parts);

    if (rc != 0)
        return rc;
    put_number(scion_array_number_type(type), parts[0], element);
    if (kind == SCION_COMPLEX)
        put_number(scion_array_number_type(type), parts[1],
                   (unsigned char *)element + scion_array_number_size(type));
    return 0;
}

const char *scion_array_value_text(int type, union sion_array_value value, char *into)
{
    switch (scion_array_kind(type)) {
    case SCION_SIGNED:
        scion_print_text(into, SCION_ARRAY_TEXT, "%lld", value.i);
        break;
    case SCION_UNSIGNED:
        scion_print_text(into, SCION_ARRAY_TEXT, "%llu", value.u);
        break;
    default:
        scion_print_text(into, SCION_ARRAY_TEXT, type == SION_F32 ? "%.9g" : "%.17g", value.f);
        break;
    }
    return into;
}

/* A number in this machine's byte order. */
static union sion_array_value get_number(int type, const unsigned char *from)
{
    size_t size = scion_array_number_size(type), i;
    unsigned char bytes[8] = {0};
    const uint16_t probe = 1;
    int is_big = *(const unsigned char *)&probe == 0;

    for (i = 0; i < size; i++)
        bytes[i] = from[is_big ? size - 1 - i : i];
    return scion_array_unpack_value(type, bytes);
}

const char *scion_array_text(int type, const void *element, char *into)
{
    const unsigned char *from = element;
    char imaginary[SCION_ARRAY_TEXT / 2];
    int part = scion_array_number_type(type);
    size_t length;

    scion_array_value_text(part, get_number(part, from), into);
    if (part == type)
        return into;
    length = strlen(into);
    scion_print_text(imaginary, sizeof imaginary, part == SION_F32 ? "%+.9gj" : "%+.17gj",
                     get_number(part, from + scion_array_number_size(type)).f);
    scion_print_text(into + length, SCION_ARRAY_TEXT - length, "%s", imaginary);
    return into;
}
