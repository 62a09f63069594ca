/*
 * Devices without hardware: three of them, with memory that the processor cannot touch, contexts,
 * streams whose work is done when somebody waits for it, and a failure on demand. The drivers that
 * include this file give it the names of CUDA or HIP.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/fake_control.h"

#define SHOWN __attribute__((visibility("default")))

enum { DEVICES = 3, REGIONS = 64, QUEUE = 64, DEPTH = 8 };
enum { INVALID = 1, NO_CONTEXT = 201, BAD_HANDLE = 400, ILLEGAL = 700 };

struct context {
    int device;
};

/* Memory: the program has the address `shown`, only copies use `own`. */
struct region {
    char *shown, *own;
    size_t bytes;
    int kind, device;
    struct context *context; /* NULL: of a pool */
};

struct work {
    char *to;
    const char *from; /* NULL: the work of a kernel, which sets bytes to a value */
    size_t bytes;
    int value;
};

struct queue {
    struct context *context;
    struct work work[QUEUE];
    int n, is_live;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct context primary[DEVICES] = {{0}, {1}, {2}}, other = {1};
static struct region regions[REGIONS];
static struct queue default_queue[DEVICES];
static struct region pinned[REGIONS];
static struct fake_counts counts;
static long calls, fail_at;
static int retained[DEVICES], generation;
static __thread struct context *stack[DEPTH];
static __thread int depth, device_now, home;

/* 0, or the failure that was asked for. */
static int begin(void)
{
    long n;

    pthread_mutex_lock(&mutex);
    n = ++calls;
    pthread_mutex_unlock(&mutex);
    return n == fail_at ? ILLEGAL : 0;
}

static const char *text_of(int code)
{
    return code == ILLEGAL      ? "an illegal memory access was encountered"
           : code == NO_CONTEXT ? "invalid device context"
           : code == BAD_HANDLE ? "invalid resource handle"
           : code == INVALID    ? "invalid argument"
                                : NULL;
}

static void note(char letter)
{
    size_t n = strlen(counts.log);

    if (n + 1 < sizeof counts.log)
        counts.log[n] = letter;
}

/* ---- memory ---- */

static struct region *region_of(const void *data, size_t bytes)
{
    const char *at = data;
    int i;

    for (i = 0; i < REGIONS; i++) {
        struct region *region = &regions[i];

        if (region->shown && at >= region->shown && at < region->shown + region->bytes &&
            bytes <= (size_t)(region->shown + region->bytes - at))
            return region;
    }
    return NULL;
}

static char *own_of(const struct region *region, const void *data)
{
    return region->own + ((const char *)data - region->shown);
}

static int is_pinned(const void *data, size_t bytes)
{
    const char *at = data;
    int i;

    for (i = 0; i < REGIONS; i++) {
        if (pinned[i].own && at >= pinned[i].own && at + bytes <= pinned[i].own + pinned[i].bytes)
            return 1;
    }
    return 0;
}

SHOWN void *fake_allocate(size_t bytes, int kind, int device)
{
    int fd = memfd_create("device", 0), i = 0;
    size_t page = 4096, size = (bytes + page - 1) / page * page;
    struct region *region;

    while (i < REGIONS && regions[i].shown)
        i++;
    if (fd < 0 || i == REGIONS || ftruncate(fd, (off_t)size) != 0)
        abort();
    region = &regions[i];
    region->own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    region->shown = mmap(NULL, size, kind == FAKE_MANAGED ? PROT_READ | PROT_WRITE : PROT_NONE,
                         MAP_SHARED, fd, 0);
    close(fd);
    region->bytes = size;
    region->kind = kind;
    region->device = device;
    region->context = kind == FAKE_POOL ? NULL : kind == FAKE_OTHER ? &other : &primary[device];
    return region->shown;
}

SHOWN void fake_free(void *data)
{
    struct region *region = region_of(data, 1);

    munmap(region->own, region->bytes);
    munmap(region->shown, region->bytes);
    memset(region, 0, sizeof *region);
}

SHOWN void fake_put(void *data, const void *from, size_t bytes)
{
    memcpy(own_of(region_of(data, bytes), data), from, bytes);
}

SHOWN void fake_get(void *to, const void *data, size_t bytes)
{
    memcpy(to, own_of(region_of(data, bytes), data), bytes);
}

/* ---- queues ---- */

static int add(struct queue *queue, struct work work)
{
    if (queue->n == QUEUE)
        abort();
    queue->work[queue->n++] = work;
    return 0;
}

static void finish(struct queue *queue)
{
    int i;

    for (i = 0; i < queue->n; i++) {
        const struct work *work = &queue->work[i];

        if (work->from)
            memcpy(work->to, work->from, work->bytes);
        else
            memset(work->to, work->value, work->bytes);
    }
    queue->n = 0;
}

SHOWN void fake_kernel(void *data, int value, size_t bytes)
{
    const struct region *region = region_of(data, bytes);

    add(&default_queue[region->device], (struct work){own_of(region, data), NULL, bytes, value});
}

static struct context *context_now(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

/* The memory is of this device, and the context or the device is the thread's. */
static int check_place(const struct region *region, const struct queue *queue)
{
    if (!region)
        return INVALID;
    if (!queue || !queue->is_live)
        return BAD_HANDLE;
    return USES_CONTEXTS
               ? (context_now() == (region->context ? region->context : &primary[region->device]) &&
                          queue->context == context_now()
                      ? 0
                      : NO_CONTEXT)
               : (device_now == region->device ? 0 : NO_CONTEXT);
}

static int copy(void *to, const void *from, size_t bytes, int is_out, void *stream)
{
    struct queue *queue = stream;
    const void *device = is_out ? from : to, *host = is_out ? to : from;
    const struct region *region;
    int rc = begin();

    pthread_mutex_lock(&mutex);
    region = region_of(device, bytes);
    if (rc == 0)
        rc = check_place(region, queue);
    if (rc == 0 && !is_pinned(host, bytes))
        rc = INVALID;
    if (rc == 0) {
        note('C');
        counts.copies_out += is_out;
        counts.copies_in += !is_out;
        if (bytes > counts.largest)
            counts.largest = bytes;
        rc = is_out ? add(queue, (struct work){to, own_of(region, from), bytes, 0})
                    : add(queue, (struct work){own_of(region, to), from, bytes, 0});
    }
    pthread_mutex_unlock(&mutex);
    return rc;
}

static int synchronize(void *stream)
{
    struct queue *queue = stream;
    int rc = begin();

    pthread_mutex_lock(&mutex);
    if (rc == 0 && !queue->is_live)
        rc = BAD_HANDLE;
    note('S');
    finish(queue);
    pthread_mutex_unlock(&mutex);
    return rc;
}

/* What was made and not freed: after a reset, the library drops its pointers. */
enum { KEPT = 256 };
static void *kept[KEPT];

static void keep(void *made, void *instead_of)
{
    int i;

    pthread_mutex_lock(&mutex);
    for (i = 0; i < KEPT && kept[i] != instead_of; i++)
        ;
    if (i < KEPT)
        kept[i] = made;
    pthread_mutex_unlock(&mutex);
}

static int make_stream(void **stream, unsigned flags)
{
    struct queue *queue;
    int rc = begin();

    if (rc != 0)
        return rc;
    if (flags != 0) /* it would not wait for the default stream */
        return INVALID;
    queue = calloc(1, sizeof *queue);
    queue->context = context_now();
    queue->is_live = 1;
    keep(queue, NULL);
    *stream = queue;
    __atomic_fetch_add(&counts.live, 1, __ATOMIC_RELAXED);
    return 0;
}

static int free_stream(void *stream)
{
    counts.wrong += ((struct queue *)stream)->n > 0; /* copies that nobody has waited for */
    finish(stream);
    keep(NULL, stream);
    free(stream);
    __atomic_fetch_sub(&counts.live, 1, __ATOMIC_RELAXED);
    return 0;
}

struct event {
    int generation;
};

static int make_event(void **event)
{
    struct event *made;
    int rc = begin();

    if (rc != 0)
        return rc;
    made = malloc(sizeof *made);
    made->generation = generation;
    keep(made, NULL);
    *event = made;
    __atomic_fetch_add(&counts.live, 1, __ATOMIC_RELAXED);
    return 0;
}

static int free_event(void *event)
{
    keep(NULL, event);
    free(event);
    __atomic_fetch_sub(&counts.live, 1, __ATOMIC_RELAXED);
    return 0;
}

/* What was started on the default stream of the present device is done before what follows. */
static int record(void *event, void *stream)
{
    const struct event *recorded = event;
    int rc = begin(), device = USES_CONTEXTS ? context_now()->device : device_now;

    pthread_mutex_lock(&mutex);
    if (rc == 0 && recorded->generation != generation)
        rc = BAD_HANDLE;
    if (rc == 0 && stream)
        rc = INVALID;
    if (rc == 0)
        finish(&default_queue[device]);
    pthread_mutex_unlock(&mutex);
    return rc;
}

static int allocate_host(void **memory, size_t bytes, unsigned flags)
{
    int rc = begin(), i;

    if (rc != 0)
        return rc;
    pthread_mutex_lock(&mutex);
    for (i = 0; i < REGIONS && pinned[i].own; i++)
        ;
    if (i == REGIONS || flags != 1)
        abort();
    pinned[i].own = malloc(bytes);
    pinned[i].bytes = bytes;
    *memory = pinned[i].own;
    memset(*memory, 0xa5, bytes);
    counts.live++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static int free_host(void *memory)
{
    int i, rc = INVALID;

    pthread_mutex_lock(&mutex);
    for (i = 0; i < REGIONS; i++) {
        if (pinned[i].own == memory) {
            free(memory);
            memset(&pinned[i], 0, sizeof pinned[i]);
            counts.live--;
            rc = 0;
        }
    }
    counts.wrong += rc != 0;
    pthread_mutex_unlock(&mutex);
    return rc;
}

/* ---- what programs do with their devices ---- */

static int copy_now(void *to, const void *from, size_t bytes, int is_out)
{
    const struct region *region = region_of(is_out ? from : to, bytes);

    if (!region)
        return INVALID;
    finish(&default_queue[region->device]);
    if (is_out)
        memcpy(to, own_of(region, from), bytes);
    else
        memcpy(own_of(region, to), from, bytes);
    return 0;
}

static int allocate_now(void **data, size_t bytes, int kind)
{
    *data = fake_allocate(bytes, kind, USES_CONTEXTS ? context_now()->device : device_now);
    return 0;
}

/* ---- for tests ---- */

SHOWN void fake_fail_at(long n)
{
    calls = 0;
    fail_at = n;
}

SHOWN int fake_has_failed(void)
{
    return fail_at > 0 && calls >= fail_at;
}

SHOWN struct fake_counts *fake_counts(void)
{
    int d;

    counts.retained = 0;
    for (d = 0; d < DEVICES; d++)
        counts.retained += retained[d];
    counts.context = USES_CONTEXTS ? (void *)context_now() : (void *)&primary[device_now];
    counts.depth = depth;
    return &counts;
}

SHOWN void fake_note(char letter)
{
    note(letter);
}

SHOWN void fake_use(int device)
{
    depth = 1;
    stack[0] = &primary[device];
    device_now = home = device;
}

/* All that was made on the devices is gone. */
SHOWN void fake_reset(void)
{
    int i;

    generation++;
    for (i = 0; i < REGIONS; i++) {
        if (pinned[i].own)
            counts.live--;
        free(pinned[i].own);
        memset(&pinned[i], 0, sizeof pinned[i]);
    }
    counts.live -= 2; /* a stream and an event, which the test has made the library make */
}
