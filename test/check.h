/*
 * A small harness. Each test is a function, and its result is one line of the Test Anything
 * Protocol.
 *
 *     static void a_record_is_never_split(void)
 *     {
 *         CHECK(...);
 *     }
 *
 *     int main(void)
 *     {
 *         RUN(a_record_is_never_split);
 *         return check_done();
 *     }
 *
 * A CHECK that fails prints its place, and the test goes on. SKIP(reason) marks the test as
 * skipped.
 */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processes that end without the handlers of exit() keep what gcov has counted, too. */
#ifdef COVERAGE
#include <unistd.h>
extern void __gcov_dump(void);
#define _exit(status) (__gcov_dump(), _exit(status))
#endif

static int check_run, check_failed_tests, check_failed_here;
static const char *check_skip_reason;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            check_failed_here++;                                                                   \
            printf("# %s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                       \
        }                                                                                          \
    } while (0)

/* Compare two integers; a failure shows both. */
#define CHECK_INT(actual, expected)                                                                \
    do {                                                                                           \
        long long check_a = (long long)(actual), check_e = (long long)(expected);                  \
        if (check_a != check_e) {                                                                  \
            check_failed_here++;                                                                   \
            printf("# %s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, check_a,        \
                   check_e);                                                                       \
        }                                                                                          \
    } while (0)

#define CHECK_STR(actual, expected)                                                                \
    do {                                                                                           \
        const char *check_a = (actual), *check_e = (expected);                                     \
        if (strcmp(check_a, check_e) != 0) {                                                       \
            check_failed_here++;                                                                   \
            printf("# %s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #actual, check_a,    \
                   check_e);                                                                       \
        }                                                                                          \
    } while (0)

#define CHECK_CONTAINS(actual, part)                                                               \
    do {                                                                                           \
        const char *check_a = (actual);                                                            \
        if (!strstr(check_a, (part))) {                                                            \
            check_failed_here++;                                                                   \
            printf("# %s:%d: \"%s\" does not contain \"%s\"\n", __FILE__, __LINE__, check_a,       \
                   (part));                                                                        \
        }                                                                                          \
    } while (0)

#define SKIP(reason) (check_skip_reason = (reason))
#define RUN(test)    check_run_test(#test, test)

static inline void check_report(const char *name)
{
    check_run++;
    check_failed_tests += check_failed_here > 0;
    printf("%sok %d - %s", check_failed_here ? "not " : "", check_run, name);
    if (check_skip_reason && !check_failed_here)
        printf(" # SKIP %s", check_skip_reason);
    printf("\n");
    fflush(stdout);
}

static inline void check_run_test(const char *name, void (*test)(void))
{
    check_failed_here = 0;
    check_skip_reason = NULL;
    test();
    check_report(name);
}

/* Print the plan. Returns the exit status for main. */
static inline int check_done(void)
{
    if (check_run == 0)
        printf("not ok %d - no test has run\n", ++check_failed_tests);
    printf("1..%d\n", check_run + (check_run == 0));
    return check_failed_tests > 0;
}

/* A reproducible random sequence (splitmix64). Prints the seed; CHECK_SEED sets another one. */
static uint64_t check_random_state;

static inline uint64_t check_random(void)
{
    uint64_t z = (check_random_state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 <= result < limit */
static inline size_t check_below(size_t limit)
{
    return (size_t)(check_random() % limit);
}

static inline void check_seed(uint64_t seed)
{
    const char *text = getenv("CHECK_SEED");

    check_random_state = text ? strtoull(text, NULL, 0) : seed;
    printf("# seed %" PRIu64 "\n", check_random_state);
}

/* Byte i of the stream of task r in the sample files and in most tests. */
static inline unsigned char check_payload(long long r, long long i)
{
    return (unsigned char)(r * 131 + i * 7 + (i >> 8));
}

static inline void check_fill(unsigned char *to, long long r, long long first, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        to[i] = check_payload(r, first + (long long)i);
}

/* Index of the first byte that is not the payload's, or -1. */
static inline long check_compare(const unsigned char *bytes, long long r, long long first, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (bytes[i] != check_payload(r, first + (long long)i))
            return (long)i;
    }
    return -1;
}

#endif
