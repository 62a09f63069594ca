#include "ftiff/digest.h"

#ifdef HAVE_PTHREADS
#include <pthread.h>
#include <signal.h>
#endif
#include <stdatomic.h>

/* Each thread takes the next digest that nobody has taken. */
struct work {
    struct scion_fti_image *image;
    const void *const *data;
    unsigned char *whole; /* NULL: the layout has none */
    int ndigests;
    atomic_int next;
};

/* Containers first to end - 1. */
static void digest_data(const struct work *work, int first, int end, unsigned char *digest)
{
    const struct scion_fti_image *image = work->image;
    struct md5_ctx md5;
    int i;

    md5_init(&md5);
    for (i = first; i < end; i++) {
        if (image->vars[i].chunksize > 0)
            md5_update(&md5, (size_t)image->vars[i].chunksize, work->data[i]);
    }
    scion_md5_final(&md5, digest);
}

static void digest_container(const struct work *work, int i)
{
    const struct scion_fti_image *image = work->image;

    if ((image->flags[i] & SCION_FTI_CONTENT) || image->era == SCION_FTI_A)
        digest_data(work, i, i + 1, image->hashes[i]);
}

/* The digest of everything takes longest, so it comes first. */
static void *digest_next(void *argument)
{
    struct work *work = argument;
    int number;

    while ((number = atomic_fetch_add(&work->next, 1)) < work->ndigests) {
        if (!work->whole)
            digest_container(work, number);
        else if (number == 0)
            digest_data(work, 0, work->image->nvars, work->whole);
        else
            digest_container(work, number - 1);
    }
    return NULL;
}

#ifdef HAVE_PTHREADS
/* Signals are for the threads of the application. */
static int start_threads(struct work *work, int n, pthread_t *threads)
{
    sigset_t all, before;
    int started = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < n && pthread_create(&threads[started], NULL, digest_next, work) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void digest_together(struct work *work, long long threads)
{
    pthread_t others[SCION_FTI_THREADS];
    int started;

    if (threads > SCION_FTI_THREADS)
        threads = SCION_FTI_THREADS;
    if (threads > work->ndigests)
        threads = work->ndigests;
    started = start_threads(work, (int)threads - 1, others);
    digest_next(work);
    while (started > 0)
        pthread_join(others[--started], NULL);
}
#else
static void digest_together(struct work *work, long long threads)
{
    (void)threads;
    digest_next(work);
}
#endif

void scion_fti_digest(struct scion_fti_image *image, const void *const *data, long long threads,
                      unsigned char whole[SCION_MD5_BYTES])
{
    struct work work = {.image = image, .data = data, .ndigests = image->nvars};

    if (image->era == SCION_FTI_B) {
        work.whole = whole;
        work.ndigests++;
    }
    digest_together(&work, threads);
}
