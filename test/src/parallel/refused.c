/*
 * Wrong arguments of the generic interface: one of two tasks, which are threads, passes one, and
 * the open fails on both with one message that names it. Callbacks are registered once each, and an
 * interface that lacks one cannot open anything.
 */
#include <limits.h>
#include <stddef.h>

#include "sion.h"

#include "callbacks.h"
#include "support.h"

enum { TASKS = 2 };

/* All arguments of all opens: pointers, then what they point to. */
struct arguments {
    const char *name, *mode;
    sion_int64 *chunksize, **chunks;
    sion_int32 *fsblksize;
    int *filenumber, *nfiles, *lrank, *lsize, *n, **ranks, **files, **places;
    sion_int64 chunk, *chunk_list;
    sion_int32 block;
    int by, file, number, place, size, ntasks, rank, *rank_list, *file_list, *place_list;
};

enum kind { POINTER, INT, INT64 };

/* An argument gets this value, a pointer that one, and the message contains the text. */
struct wrong {
    size_t offset;
    enum kind kind;
    int value;
    const char *text, *pointer;
};

#define NULL_OF(member, text)                                                                      \
    {                                                                                              \
        offsetof(struct arguments, member), POINTER, 0, text, NULL                                 \
    }
#define MODE(mode_string, text)                                                                    \
    {                                                                                              \
        offsetof(struct arguments, mode), POINTER, 0, text, mode_string                            \
    }
#define INT_OF(member, value, text)                                                                \
    {                                                                                              \
        offsetof(struct arguments, member), INT, value, text, NULL                                 \
    }
#define INT64_OF(member, value, text)                                                              \
    {                                                                                              \
        offsetof(struct arguments, member), INT64, value, text, NULL                               \
    }

typedef int open_function(struct arguments *arguments, struct scion_comm *comm);

static struct {
    int aid;
    const char *mode;
    const struct wrong *wrong; /* NULL: all is right */
    int odd_one;
    open_function *open;
    int opened[TASKS], closed[TASKS];
} sample;

static void fill(struct arguments *a, int rank)
{
    *a = (struct arguments){.name = "r.sion", .mode = sample.mode, .chunk = 100, .block = 64};
    a->by = SION_SHARE_TASKS;
    a->number = a->ntasks = 1;
    a->size = TASKS;
    a->place = a->rank = rank;
    a->chunksize = a->chunk_list = &a->chunk;
    a->fsblksize = &a->block;
    a->filenumber = a->file_list = &a->file;
    a->nfiles = &a->number;
    a->lrank = a->place_list = &a->place;
    a->lsize = &a->size;
    a->n = &a->ntasks;
    a->rank_list = &a->rank;
    a->ranks = &a->rank_list;
    a->chunks = &a->chunk_list;
    a->files = &a->file_list;
    a->places = &a->place_list;
}

static void spoil(struct arguments *arguments, const struct wrong *wrong)
{
    char *at = (char *)arguments + wrong->offset;
    const sion_int64 number = wrong->value;

    if (wrong->kind == POINTER)
        memcpy(at, &wrong->pointer, sizeof wrong->pointer);
    else if (wrong->kind == INT)
        memcpy(at, &wrong->value, sizeof wrong->value);
    else
        memcpy(at, &number, sizeof number);
}

static int open_normal(struct arguments *a, struct scion_comm *comm)
{
    return sion_generic_paropen(sample.aid, a->name, a->mode, a->chunksize, a->fsblksize, comm,
                                comm->rank, comm->size, a->filenumber, a->nfiles, a->lrank,
                                a->lsize, NULL, NULL);
}

static int open_mapped(struct arguments *a, struct scion_comm *comm)
{
    char name[] = "r.sion";

    return sion_generic_paropen_mapped(sample.aid, a->name ? name : NULL, a->mode, a->nfiles, comm,
                                       comm->rank, comm->size, a->n, a->ranks, a->chunks, a->files,
                                       a->places, a->fsblksize, NULL);
}

static int open_shared(struct arguments *a, struct scion_comm *comm)
{
    return sion_generic_paropen_shared(sample.aid, a->name, a->mode, comm, comm->rank, comm->size,
                                       a->by, a->n, a->ranks);
}

static void *open_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    struct arguments arguments;
    int rank = comm->rank, sid;

    fill(&arguments, rank);
    if (sample.wrong && rank == sample.odd_one)
        spoil(&arguments, sample.wrong);
    sid = sample.open(&arguments, comm);
    sample.opened[rank] = sid >= 0;
    sample.closed[rank] =
        sid >= 0 && (sample.open == open_mapped ? sion_generic_parclose_mapped(sid)
                                                : sion_generic_parclose(sid)) == 1;
    comm->ops->free(comm);
    return NULL;
}

/* One task asks for chunks that cannot be: none begins anew, and all are told. */
static void *restart_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    struct arguments arguments;
    int rank = comm->rank, sid;

    fill(&arguments, rank);
    sid = open_normal(&arguments, comm);
    sample.opened[rank] = sion_generic_parreinit(sid, rank == sample.odd_one ? -5 : 100);
    sample.closed[rank] = sion_generic_parclose(sid);
    comm->ops->free(comm);
    return NULL;
}

static void of_new_starts(void)
{
    int rank;

    sample.mode = "bw";
    for (sample.odd_one = 0; sample.odd_one < TASKS; sample.odd_one++) {
        support_catch();
        generic_run_threads(TASKS, restart_in_thread);
        for (rank = 0; rank < TASKS; rank++) {
            CHECK_INT(sample.opened[rank], SION_NOT_SUCCESS);
            CHECK_INT(sample.closed[rank], 1);
        }
        CHECK_CONTAINS(support_message, "chunk size is -5");
    }
}

static int opens(void)
{
    support_catch();
    generic_run_threads(TASKS, open_in_thread);
    CHECK_INT(sample.opened[0], sample.opened[1]);
    CHECK_INT(sample.closed[0] + sample.closed[1], sample.opened[0] + sample.opened[1]);
    return sample.opened[0];
}

static void refuse_each(open_function *open, const char *mode, const struct wrong *wrong, size_t n)
{
    int descriptors = support_descriptors();
    size_t i;

    sample.open = open;
    sample.mode = mode;
    for (i = 0; i < n; i++) {
        sample.wrong = &wrong[i];
        for (sample.odd_one = 0; sample.odd_one < TASKS; sample.odd_one++) {
            CHECK_INT(opens() ? (int)i : -1, -1);
            CHECK_INT(support_errors, 1);
            CHECK_CONTAINS(support_message, wrong[i].text);
            CHECK_INT(support_descriptors(), descriptors);
        }
    }
    sample.wrong = NULL;
    CHECK(opens());
    CHECK_INT(support_errors, 0);
}

#define REFUSE_EACH(open, mode, table)                                                             \
    refuse_each(open, mode, table, sizeof(table) / sizeof((table)[0]))

static void of_opens(void)
{
    static const struct wrong writing[] = {
        NULL_OF(name, "name"),
        NULL_OF(mode, "no file mode"),
        NULL_OF(filenumber, "filenumber is NULL"),
        NULL_OF(nfiles, "numFiles is NULL"),
        NULL_OF(chunksize, "one is NULL"),
        NULL_OF(fsblksize, "one is NULL"),
        NULL_OF(lrank, "needs lrank and lsize"),
        NULL_OF(lsize, "needs lrank and lsize"),
        INT64_OF(chunk, -1, "chunk size is -1"),
        INT_OF(file, -1, "file number -1"),
        INT_OF(file, 1, "chooses file 1 of 1"),
        INT_OF(file, INT_MAX, "chooses file 2147483647 of 1"),
        INT_OF(place, TASKS, "which does not fit"),
        INT_OF(place, -1, "which does not fit"),
        INT_OF(size, TASKS + 1, "which does not fit"),
        INT_OF(number, 2, "asks for"),
        MODE("posix", "mode"),
        MODE("br", "rank 0 for"),
        MODE("bw,br", "reading and for writing"),
        MODE("bw,buddy", "copies, rank 0 for"),
    };

    REFUSE_EACH(open_normal, "bw", writing);
}

static void of_opens_for_reading(void)
{
    static const struct wrong reading[] = {
        NULL_OF(filenumber, "filenumber is NULL"),
        NULL_OF(nfiles, "numFiles is NULL"),
        MODE("bw", "rank 0 for"),
        MODE("posix", "mode"),
    };

    REFUSE_EACH(open_normal, "br", reading);
}

static void of_mapped_opens(void)
{
    static const struct wrong writing[] = {
        NULL_OF(name, "name"),
        NULL_OF(n, "nlocaltasks is NULL"),
        NULL_OF(nfiles, "numFiles is NULL"),
        NULL_OF(fsblksize, "needs all maps and fsblksize"),
        NULL_OF(ranks, "needs all maps and fsblksize"),
        NULL_OF(chunks, "needs all maps and fsblksize"),
        NULL_OF(files, "needs all maps and fsblksize"),
        NULL_OF(places, "needs all maps and fsblksize"),
        NULL_OF(rank_list, "a map of 1 local tasks is NULL"),
        NULL_OF(chunk_list, "a map of 1 local tasks is NULL"),
        NULL_OF(file_list, "a map of 1 local tasks is NULL"),
        NULL_OF(place_list, "a map of 1 local tasks is NULL"),
        INT_OF(ntasks, -1, "-1 local tasks"),
        INT64_OF(chunk, -5, "is -5"),
        INT_OF(number, 2, "2"),
        INT_OF(number, 0, "0"),
        INT_OF(file, 1, "file 1"),
        INT_OF(file, -1, "file -1"),
        INT_OF(place, TASKS, "2"),
        INT_OF(rank, TASKS, "2"),
        INT_OF(rank, -1, "-1"),
        MODE("br", "rank 0"),
    };

    REFUSE_EACH(open_mapped, "bw", writing);
}

static void of_mapped_opens_for_reading(void)
{
    static const struct wrong reading[] = {
        NULL_OF(n, "nlocaltasks is NULL"),
        NULL_OF(nfiles, "numFiles is NULL"),
        NULL_OF(ranks, "globalranks is NULL"),
        NULL_OF(rank_list, "the list of 1 local tasks is NULL"),
        INT_OF(ntasks, -2, "-2 local tasks"),
        INT_OF(ntasks, -1, "*globalranks must be NULL"),
        INT_OF(rank, -3, "-3"),
        INT_OF(rank, TASKS, "2"),
        INT_OF(rank, INT_MAX, "2147483647"),
    };

    REFUSE_EACH(open_mapped, "br", reading);
}

static void of_shared_opens(void)
{
    static const struct wrong reading[] = {
        NULL_OF(name, "name"),
        NULL_OF(n, "ntasks is NULL"),
        NULL_OF(ranks, "ranks is NULL"),
        INT_OF(by, 7, "by is 7"),
        NULL_OF(mode, "no file mode"),
        MODE("posix", "neither reading nor writing"),
        MODE("bw", "would write"),
        MODE("br,buddy", "copies are not read by shares"),
    };

    REFUSE_EACH(open_shared, "br", reading);
}

/* ---- interfaces ---- */

static void *open_without(void *argument)
{
    struct scion_comm *comm = argument;
    struct arguments arguments;

    fill(&arguments, 0);
    arguments.mode = "bw";
    arguments.size = 1;
    sample.opened[0] = open_normal(&arguments, comm) >= 0;
    sample.opened[1] = open_mapped(&arguments, comm) >= 0;
    comm->ops->free(comm);
    return NULL;
}

static void nothing_can_be_opened(void)
{
    support_catch();
    generic_run_threads(1, open_without);
    CHECK(!sample.opened[0] && !sample.opened[1]);
    CHECK_INT(support_errors, 2);
    CHECK_CONTAINS(support_message, "API part not correctly initalized");
}

/* done: what the function returns for success. */
#define REGISTER_ONCE(function, callback, done)                                                    \
    do {                                                                                           \
        CHECK((function)(-1, callback) != (done));                                                 \
        CHECK_CONTAINS(support_message, "invalid interface -1");                                   \
        CHECK((function)(sample.aid, NULL) != (done));                                             \
        CHECK_CONTAINS(support_message, "no callback given for interface part");                   \
        CHECK((function)(sample.aid, callback) == (done));                                         \
        CHECK((function)(sample.aid, callback) != (done));                                         \
        CHECK_CONTAINS(support_message, "interface part has this callback already");               \
    } while (0)

#define NEED(function, callback)                                                                   \
    do {                                                                                           \
        nothing_can_be_opened();                                                                   \
        REGISTER_ONCE(function, callback, 1);                                                      \
    } while (0)

static char *name_of_file(const char *name, int number)
{
    (void)name, (void)number;
    return NULL;
}

static void of_registrations(void)
{
    char name[] = "part";
    int aid = sample.aid;

    sample.aid = sion_generic_create_api(name);
    NEED(sion_generic_register_create_local_commgroup_cb, generic_create_group);
    NEED(sion_generic_register_free_local_commgroup_cb, generic_free_group);
    NEED(sion_generic_register_barrier_cb, generic_wait_for_all);
    NEED(sion_generic_register_bcastr_cb, generic_bcast);
    NEED(sion_generic_register_gatherr_cb, generic_gather);
    NEED(sion_generic_register_scatterr_cb, generic_scatter);
    NEED(sion_generic_register_gathervr_cb, generic_gatherv);
    NEED(sion_generic_register_scattervr_cb, generic_scatterv);
    REGISTER_ONCE(sion_generic_register_gather_and_execute_cb, generic_gather_and_execute, 1);
    REGISTER_ONCE(sion_generic_register_execute_and_scatter_cb, generic_execute_and_scatter, 1);
    REGISTER_ONCE(sion_generic_register_get_capability_cb, generic_get_capability, 1);
    REGISTER_ONCE(sion_generic_register_get_multi_filename_cb, name_of_file, 0);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
    CHECK_INT(sion_generic_free_api(sample.aid), 0);
    sample.aid = aid;
}

int main(void)
{
    support_enter_folder();
    sample.aid = generic_make_api();
    RUN(of_opens);
    RUN(of_opens_for_reading);
    RUN(of_mapped_opens);
    RUN(of_mapped_opens_for_reading);
    RUN(of_shared_opens);
    RUN(of_new_starts);
    RUN(of_registrations);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
    support_leave_folder();
    return check_done();
}
