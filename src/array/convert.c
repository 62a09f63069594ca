#include "array/convert.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* An application may trap floating-point exceptions, so conversions of values that were not checked
   must not be moved before the check. gcc moves none, and does not know the pragma. */
#ifdef __clang__
#pragma STDC FENV_ACCESS ON
#endif

enum { AT_ONCE = 256 }; /* numbers between two types, as the widest of their kind */

/* ---- numbers of a type as the widest of their kind, which has all of them ---- */

typedef void load(const unsigned char *from, size_t stride, size_t n,
                  union sion_array_value *values);

#define LOAD(name, element, member)                                                                \
    static void name(const unsigned char *from, size_t stride, size_t n,                           \
                     union sion_array_value *values)                                               \
    {                                                                                              \
        element number;                                                                            \
        size_t i;                                                                                  \
                                                                                                   \
        for (i = 0; i < n; i++) {                                                                  \
            memcpy(&number, from + i * stride, sizeof number);                                     \
            values[i].member = number;                                                             \
        }                                                                                          \
    }

LOAD(load_i8, int8_t, i)
LOAD(load_u8, uint8_t, u)
LOAD(load_i16, int16_t, i)
LOAD(load_u16, uint16_t, u)
LOAD(load_i32, int32_t, i)
LOAD(load_u32, uint32_t, u)
LOAD(load_i64, int64_t, i)
LOAD(load_u64, uint64_t, u)
LOAD(load_f32, float, f)
LOAD(load_f64, double, f)

static load *const loads[] = {
    [SION_I8] = load_i8,   [SION_U8] = load_u8,   [SION_I16] = load_i16, [SION_U16] = load_u16,
    [SION_I32] = load_i32, [SION_U32] = load_u32, [SION_I64] = load_i64, [SION_U64] = load_u64,
    [SION_F32] = load_f32, [SION_F64] = load_f64};

/* ---- which of them another type has ---- */

/* Comparisons are those that a NaN does not make a floating-point exception. */

static inline int signed_fits(int64_t value, int64_t low, uint64_t high)
{
    return value >= low && (value < 0 || (uint64_t)value <= high);
}

/* high is 2^n - 1; so a double is exact one above it. */
static inline int real_is_within(double value, int64_t low, uint64_t high)
{
    return isgreaterequal(value, (double)low) && isless(value, 2 * (double)(high / 2 + 1));
}

/* Counts bits: a rounded value may be compared in registers that are wider than its type. */
static inline int has_bits(uint64_t value, unsigned bits)
{
    return value == 0 || (value >> bits) < (value & -value);
}

static inline uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Not if it would be rounded to infinity. */
static inline int real_is_f32(double value)
{
    return !isgreaterequal(fabs(value), 0x1.ffffffp127) || isinf(value);
}

/* ---- the widest numbers as those of a type ---- */

/* Returns the number of values that were stored, before one that the type cannot represent. */
typedef size_t store(const union sion_array_value *values, size_t n, unsigned char *to,
                     size_t stride);

#define STORE(name, wide, member, element, fits)                                                   \
    static size_t name(const union sion_array_value *values, size_t n, unsigned char *to,          \
                       size_t stride)                                                              \
    {                                                                                              \
        size_t i;                                                                                  \
                                                                                                   \
        for (i = 0; i < n; i++) {                                                                  \
            const wide value = values[i].member;                                                   \
            element number;                                                                        \
                                                                                                   \
            if (!(fits))                                                                           \
                break;                                                                             \
            number = (element)value;                                                               \
            memcpy(to + i * stride, &number, sizeof number);                                       \
        }                                                                                          \
        return i;                                                                                  \
    }

#define STORE_INTEGERS(name, element, low, high)                                                   \
    STORE(name##_signed, int64_t, i, element, signed_fits(value, low, high))                       \
    STORE(name##_unsigned, uint64_t, u, element, value <= (high))                                  \
    STORE(name##_real, double, f, element,                                                         \
          real_is_within(value, low, high) && (double)(element)value == value)

STORE_INTEGERS(store_i8, int8_t, INT8_MIN, INT8_MAX)
STORE_INTEGERS(store_u8, uint8_t, 0, UINT8_MAX)
STORE_INTEGERS(store_i16, int16_t, INT16_MIN, INT16_MAX)
STORE_INTEGERS(store_u16, uint16_t, 0, UINT16_MAX)
STORE_INTEGERS(store_i32, int32_t, INT32_MIN, INT32_MAX)
STORE_INTEGERS(store_u32, uint32_t, 0, UINT32_MAX)
STORE_INTEGERS(store_i64, int64_t, INT64_MIN, INT64_MAX)
STORE_INTEGERS(store_u64, uint64_t, 0, UINT64_MAX)
STORE(store_f32_signed, int64_t, i, float, has_bits(magnitude(value), FLT_MANT_DIG))
STORE(store_f32_unsigned, uint64_t, u, float, has_bits(value, FLT_MANT_DIG))
STORE(store_f32_real, double, f, float, real_is_f32(value))
STORE(store_f64_signed, int64_t, i, double, has_bits(magnitude(value), DBL_MANT_DIG))
STORE(store_f64_unsigned, uint64_t, u, double, has_bits(value, DBL_MANT_DIG))
STORE(store_f64_real, double, f, double, 1)

#define EACH_KIND(name)                                                                            \
    {                                                                                              \
        [SCION_SIGNED] = name##_signed, [SCION_UNSIGNED] = name##_unsigned,                        \
        [SCION_FLOAT] = name##_real                                                                \
    }

static store *const stores[][SCION_FLOAT + 1] = {
    [SION_I8] = EACH_KIND(store_i8),   [SION_U8] = EACH_KIND(store_u8),
    [SION_I16] = EACH_KIND(store_i16), [SION_U16] = EACH_KIND(store_u16),
    [SION_I32] = EACH_KIND(store_i32), [SION_U32] = EACH_KIND(store_u32),
    [SION_I64] = EACH_KIND(store_i64), [SION_U64] = EACH_KIND(store_u64),
    [SION_F32] = EACH_KIND(store_f32), [SION_F64] = EACH_KIND(store_f64)};

/* ---- elements ---- */

/* Numbers in memory: every `stride` bytes there is one. */
struct row_of_numbers {
    int type;
    size_t stride;
};

static size_t convert_numbers(struct row_of_numbers numbers, const unsigned char *from, size_t n,
                              struct row_of_numbers into, unsigned char *to)
{
    store *const store_values = stores[into.type][scion_array_kind(numbers.type)];
    union sion_array_value values[AT_ONCE];
    size_t done = 0, part, stored;

    do {
        part = n - done < AT_ONCE ? n - done : AT_ONCE;
        loads[numbers.type](from + done * numbers.stride, numbers.stride, part, values);
        stored = store_values(values, part, to + done * into.stride, into.stride);
        done += stored;
    } while (done < n && stored == part);
    return done;
}

/* How many complex elements have an imaginary part of 0 before one that has not. */
static size_t count_real(int type, const unsigned char *from, size_t n)
{
    size_t size = scion_array_size(type), i;
    union sion_array_value imaginary;

    for (i = 0; i < n; i++) {
        loads[scion_array_number_type(type)](from + i * size + size / 2, size, 1, &imaginary);
        if (!(imaginary.f == 0))
            break;
    }
    return i;
}

size_t scion_array_convert(int type, const void *from, size_t n, int into, void *to)
{
    struct row_of_numbers numbers = {scion_array_number_type(type), scion_array_size(type)};
    struct row_of_numbers others = {scion_array_number_type(into), scion_array_size(into)};
    int was_complex = numbers.type != type, is_complex = others.type != into;

    if (was_complex && is_complex) {
        numbers.stride /= 2;
        others.stride /= 2;
        return convert_numbers(numbers, from, 2 * n, others, to) / 2;
    }
    if (was_complex)
        n = count_real(type, from, n);
    if (is_complex)
        memset(to, 0, n * others.stride);
    return convert_numbers(numbers, from, n, others, to);
}
