/*
 * The callbacks of an application for collective reads and writes through the generic interface,
 * made of plain threads: a task shows its data to the collector of its group. They check their
 * arguments.
 */
#ifndef TEST_GENERIC_TRANSFER_H
#define TEST_GENERIC_TRANSFER_H

#include <stdatomic.h>

#include "callbacks.h"

static atomic_int wrong;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition) && atomic_fetch_add(&wrong, 1) < 10)                                      \
            printf("# %s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                       \
    } while (0)

/* What a task shows to the collector of its group. */
static struct box {
    const struct thread_group *group;
    int rank, full;
    void *data;
    sion_int64 spec[2];
} boxes[64];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Settings and counters of the callbacks. */
static struct {
    int portion;           /* bytes of a piece; 0: fsblksize */
    int fails;             /* rank whose callback fails after it has done its part; -1: none */
    int fails_scattering;  /* the same for the other callback */
    int who_can;           /* one task in who_can of a file may collect, */
    int before_who_can;    /* but the first of them comes after so many others */
    int none;              /* this task can do nothing; -1: none */
    int gathers, scatters; /* number of calls of all tasks */
} app;

static inline struct box *box_of(const struct thread_group *group, int rank)
{
    int i;

    for (i = 0; i < 64; i++) {
        if (boxes[i].group == group && boxes[i].rank == rank)
            return &boxes[i];
    }
    for (i = 0; i < 64; i++) {
        if (!boxes[i].group) {
            boxes[i] = (struct box){.group = group, .rank = rank};
            return &boxes[i];
        }
    }
    abort();
}

static inline void show(const struct thread_group *group, int rank, void *data,
                        const sion_int64 *spec)
{
    struct box *box;

    pthread_mutex_lock(&mutex);
    box = box_of(group, rank);
    box->data = data;
    memcpy(box->spec, spec, sizeof box->spec);
    box->full = 1;
    pthread_cond_broadcast(&changed);
    while (box->full)
        pthread_cond_wait(&changed, &mutex);
    box->group = NULL;
    pthread_mutex_unlock(&mutex);
}

typedef int serve_function(struct box *box, sion_int64 portion, int sid, void *process);

static inline void serve(const struct thread_group *group, int rank, sion_int64 portion, int sid,
                         serve_function *function, void *process)
{
    struct box *box;

    pthread_mutex_lock(&mutex);
    while (box = box_of(group, rank), !box->full)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    function(box, portion, sid, process);
    pthread_mutex_lock(&mutex);
    box->full = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

struct store {
    int (*process)(const void *, sion_int64 *, int);
};

struct load {
    int (*process)(void *, sion_int64 *, int);
};

static inline int store_box(struct box *box, sion_int64 portion, int sid, void *process)
{
    sion_int64 done, spec[2] = {box->spec[0]};

    for (done = 0; done < box->spec[1]; done += spec[1], spec[0] += spec[1]) {
        spec[1] = box->spec[1] - done < portion ? box->spec[1] - done : portion;
        EXPECT(((struct store *)process)->process((char *)box->data + done, spec, sid) == 0);
    }
    return 0;
}

static inline int load_box(struct box *box, sion_int64 portion, int sid, void *process)
{
    sion_int64 done, spec[2] = {box->spec[0]};
    char *buffer = malloc((size_t)portion);

    for (done = 0; done < box->spec[1]; done += spec[1], spec[0] += spec[1]) {
        spec[1] = box->spec[1] - done < portion ? box->spec[1] - done : portion;
        EXPECT(((struct load *)process)->process(buffer, spec, sid) == 0);
        memcpy((char *)box->data + done, buffer, (size_t)spec[1]);
    }
    free(buffer);
    return 0;
}

static inline void check_call(const struct scion_comm *comm, const sion_int64 *spec, int spec_len,
                              sion_int64 fsblksize, int collector, int first, int last)
{
    EXPECT(spec_len == 2 && fsblksize > 0);
    EXPECT(first == collector + 1 && last >= first && last < comm->size);
    EXPECT(comm->rank >= collector && comm->rank <= last);
    EXPECT(spec[1] <= 0 ? spec[0] == -1 || spec[1] == 0
                        : spec[0] >= 0 || spec[0] == -2 || spec[1] == 1);
}

static inline int gather_and_execute(const void *data, sion_int64 *spec, int spec_len,
                                     sion_int64 fsblksize, void *group, int collector, int first,
                                     int last, int sid,
                                     int process(const void *, sion_int64 *, int))
{
    const struct scion_comm *comm = group;
    struct store store = {process};
    union {
        const void *constant;
        void *plain;
    } pointer = {.constant = data};
    int rank;

    check_call(comm, spec, spec_len, fsblksize, collector, first, last);
    EXPECT(sion_is_serial_opened(sid) == 0);
    __atomic_add_fetch(&app.gathers, 1, __ATOMIC_RELAXED);
    if (comm->rank != collector)
        show(group_of(group), comm->rank, pointer.plain, spec);
    for (rank = first; comm->rank == collector && rank <= last; rank++)
        serve(group_of(group), rank, app.portion ? app.portion : fsblksize, sid, store_box, &store);
    return comm->rank == app.fails;
}

static inline int execute_and_scatter(void *data, sion_int64 *spec, int spec_len,
                                      sion_int64 fsblksize, void *group, int collector, int first,
                                      int last, int sid, int process(void *, sion_int64 *, int))
{
    const struct scion_comm *comm = group;
    struct load load = {process};
    int rank;

    check_call(comm, spec, spec_len, fsblksize, collector, first, last);
    __atomic_add_fetch(&app.scatters, 1, __ATOMIC_RELAXED);
    if (comm->rank != collector)
        show(group_of(group), comm->rank, data, spec);
    for (rank = first; comm->rank == collector && rank <= last; rank++)
        serve(group_of(group), rank, app.portion ? app.portion : fsblksize, sid, load_box, &load);
    return comm->rank == app.fails_scattering;
}

static inline int get_capability(void *group)
{
    const struct scion_comm *comm = group;

    if (comm->rank == app.none)
        return SION_CAPABILITY_NONE;
    return (comm->rank + app.who_can - app.before_who_can) % app.who_can == 0
               ? SION_CAPABILITY_FULL
               : SION_CAPABILITY_ONLY_SENDER;
}

/* Level 0 has the eight callbacks, level 1 two of the other three, level 2 all. */
static inline int make_api(int level)
{
    int aid = generic_make_api();

    if (level > 0) {
        CHECK_INT(sion_generic_register_gather_and_execute_cb(aid, gather_and_execute), 1);
        CHECK_INT(sion_generic_register_execute_and_scatter_cb(aid, execute_and_scatter), 1);
    }
    if (level > 1)
        CHECK_INT(sion_generic_register_get_capability_cb(aid, get_capability), 1);
    return aid;
}

#endif
