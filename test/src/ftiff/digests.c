/*
 * The digests of a checkpoint are the same with any number of threads, and with those that the
 * system does not make. Linked with -Wl,--wrap=pthread_create.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "fti_check.h"

#include "ftiff/digest.h"

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);

static int created, most_threads; /* that the system makes */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    sigset_t blocked;

    if (created == most_threads)
        return EAGAIN;
    created++;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    CHECK(sigismember(&blocked, SIGINT) == 1);
    return __real_pthread_create(thread, attributes, function, argument);
}

enum { VARIABLES = 9, LARGEST = 50000 };

static unsigned char contents[VARIABLES][LARGEST];

/* Variables of different sizes; the last one is empty. */
static void lay_out(enum scion_fti_era era, struct scion_fti_image *image, const void **data)
{
    const struct scion_fti_image before = {.era = era};
    struct scion_fti_demand demands[VARIABLES];
    int i;

    for (i = 0; i < VARIABLES; i++) {
        demands[i] = (struct scion_fti_demand){i + 1, i == VARIABLES - 1 ? 0 : 7 + 6000 * i};
        check_fill(contents[i], i + 1, 0, LARGEST);
        data[i] = contents[i];
    }
    *image = (struct scion_fti_image){.era = era};
    CHECK_INT(scion_fti_grow(&before, demands, VARIABLES, image), 0);
    CHECK_INT(image->nvars, VARIABLES);
}

/* The bytes of the checkpoint, made by `threads`, of which the system makes `most` at most. */
static unsigned char *build(enum scion_fti_era era, long long threads, int most, size_t *size)
{
    const void *data[VARIABLES];
    struct scion_fti_image image;
    unsigned char *bytes;
    sigset_t blocked;

    created = 0;
    most_threads = most;
    lay_out(era, &image, data);
    CHECK_INT(scion_fti_seal(&image, data, threads, 3, 1234567890123456789), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    CHECK(sigismember(&blocked, SIGINT) == 0);
    bytes = fti_build(&image, data, size);
    scion_fti_image_clear(&image);
    return bytes;
}

static void compare(enum scion_fti_era era, long long threads, int most, int expected)
{
    size_t size, size1;
    unsigned char *alone = build(era, 1, 0, &size1), *bytes = build(era, threads, most, &size);

    CHECK_INT(created, expected);
    CHECK(size == size1 && memcmp(bytes, alone, size) == 0);
    CHECK_INT(fti_accept(bytes, size, "Ckpt3-Rank0.fti"), 0);
    free(alone);
    free(bytes);
}

static void threads_do_not_change_a_checkpoint(void)
{
    enum scion_fti_era era;

    for (era = SCION_FTI_A; era < SCION_FTI_ERAS; era++) {
        compare(era, 0, 100, 0);
        compare(era, -5, 100, 0);
        compare(era, 2, 100, 1);
        compare(era, 5, 100, 4);
        compare(era, 5, 2, 2);
        compare(era, 5, 0, 0);
    }
}

/* Layout B has a digest of all data. */
static void there_are_no_more_threads_than_digests(void)
{
    compare(SCION_FTI_B, (long long)1 << 40, 100, VARIABLES);
    compare(SCION_FTI_F, (long long)1 << 40, 100, VARIABLES - 1);
}

int main(void)
{
    RUN(threads_do_not_change_a_checkpoint);
    RUN(there_are_no_more_threads_than_digests);
    return check_done();
}
