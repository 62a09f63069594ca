/*
 * Mapped containers through the generic interface, with callbacks made of plain threads: four
 * threads have twenty tasks, in one, three and five files, plain and with key-value records. They
 * are read back in all distributions and through duplicates.
 */
#include <stdatomic.h>

#include "sion.h"

#include "callbacks.h"
#include "support.h"

enum { PROCESSES = 4, TASKS = 20, SHARE = TASKS / PROCESSES };

/* How the tasks are distributed among the readers. */
enum reading { AS_WRITTEN, OVERLAPPING, BY_THE_LIBRARY, NOT_THE_FIRST, NOBODY, READINGS };

static struct {
    int aid, nfiles, keyval, duplicates;
    enum reading reading;
} sample;

static atomic_int wrong;

/* Like CHECK, but in threads; the test reports the failures. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition) && atomic_fetch_add(&wrong, 1) < 10)                                      \
            printf("# %s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                       \
    } while (0)

static size_t length_of(int task)
{
    return (size_t)(500 + task);
}

static void write_task(int sid, int task)
{
    unsigned char data[2 * (500 + TASKS)];
    size_t n = length_of(task);
    int i;

    check_fill(data, task, 0, 2 * n);
    EXPECT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
    for (i = 0; i < 2; i++) {
        if (sample.keyval)
            EXPECT(sion_fwrite_key(data + (size_t)i * n, 4711, 1, n, sid) == n);
        else
            EXPECT(sion_fwrite(data + (size_t)i * n, 1, n, sid) == n);
    }
}

/* Write two records, one after the other. */
static void read_task(int sid, int task)
{
    unsigned char data[2 * (500 + TASKS)];
    size_t n = length_of(task);
    int i;

    EXPECT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
    for (i = 0; i < 2; i++) {
        if (sample.keyval) {
            EXPECT(sion_fread_key(data + (size_t)i * n, 4711, 1, n, sid) == n);
        } else {
            EXPECT(sion_feof(sid) == 0);
            EXPECT(sion_fread(data + (size_t)i * n, 1, n, sid) == n);
        }
    }
    EXPECT(check_compare(data, task, 0, 2 * n) == -1);
    if (sample.keyval)
        EXPECT(sion_fread_key(data, 4711, 1, n, sid) == 0);
    else
        EXPECT(sion_feof(sid) == 1);
}

static void *write_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int n = SHARE, nfiles = sample.nfiles, sid, i;
    int ranks[SHARE], files[SHARE], places[SHARE];
    int *rank_list = ranks, *file_list = files, *place_list = places;
    sion_int64 chunks[SHARE], *chunk_list = chunks;
    sion_int32 fsblksize = 100;
    char name[] = "m.sion";

    for (i = 0; i < n; i++) {
        ranks[i] = comm->rank + i * PROCESSES;
        files[i] = ranks[i] % nfiles;
        places[i] = ranks[i] / nfiles;
        chunks[i] = 1000;
    }
    sid = sion_generic_paropen_mapped(sample.aid, name, sample.keyval ? "bw,keyval=inline" : "bw",
                                      &nfiles, comm, comm->rank, comm->size, &n, &rank_list,
                                      &chunk_list, &file_list, &place_list, &fsblksize, NULL);
    EXPECT(sid >= 0);
    for (i = 0; sid >= 0 && i < n; i++)
        write_task(sid, ranks[i]);
    EXPECT(sion_generic_parclose_mapped(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

/* The tasks that a process reads; -1: the library chooses. */
static int choose_tasks(int process, int *tasks)
{
    int n = sample.reading == BY_THE_LIBRARY ? -1
            : sample.reading == NOBODY       ? 0
            : sample.reading == AS_WRITTEN   ? SHARE
                                             : 8;
    int i;

    for (i = 0; i < n; i++)
        tasks[i] = sample.reading == AS_WRITTEN    ? process + i * PROCESSES
                   : sample.reading == OVERLAPPING ? process * 4 + i
                                                   : 1 + (process * 4 + i) % (TASKS - 1);
    return n;
}

/* In one file, the open selects the first task. */
static void check_selected(int sid, int task)
{
    unsigned char data[16];

    EXPECT(sion_fread(data, 1, sizeof data, sid) == sizeof data);
    EXPECT(check_compare(data, task, 0, sizeof data) == -1);
    EXPECT(sion_seek(sid, task, 0, 0) == 1);
}

static void read_tasks(int sid, const int *tasks, int n)
{
    int copy = sample.duplicates ? sion_dup(sid, SION_DUP_ALL, 0, 0) : -1, i;

    EXPECT(!sample.duplicates || copy >= 0);
    if (n > 0 && sample.nfiles == 1 && !sample.keyval)
        check_selected(sid, tasks[0]);
    for (i = 0; i < n; i++)
        read_task(sid, tasks[i]);
    for (i = 0; i < n && copy >= 0; i++)
        read_task(copy, tasks[i]);
    EXPECT(copy < 0 || sion_dedup(copy) == 1);
}

static void *read_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int tasks[TASKS], *list = sample.reading == BY_THE_LIBRARY ? NULL : tasks;
    int n = choose_tasks(comm->rank, tasks), nfiles = 0, sid;
    char name[] = "m.sion";

    sid = sion_generic_paropen_mapped(sample.aid, name, "br", &nfiles, comm, comm->rank, comm->size,
                                      &n, &list, NULL, NULL, NULL, NULL, NULL);
    EXPECT(sid >= 0 && nfiles == sample.nfiles);
    EXPECT(sample.reading != BY_THE_LIBRARY || n == SHARE);
    if (sid >= 0)
        read_tasks(sid, list, n);
    EXPECT(sion_generic_parclose(sid) == -1);
    EXPECT(sion_generic_parclose_mapped(sid) == 1);
    if (sample.reading == BY_THE_LIBRARY)
        free(list);
    comm->ops->free(comm);
    return NULL;
}

static void run(void *(*function)(void *))
{
    support_catch();
    wrong = 0;
    generic_run_threads(PROCESSES, function);
    CHECK_INT(wrong, 0);
}

static void write_and_read(int keyval)
{
    static const int files[] = {1, 3, 5};
    int i;

    sample.aid = generic_make_api();
    sample.keyval = keyval;
    for (i = 0; i < 3; i++) {
        sample.nfiles = files[i];
        run(write_in_thread);
        for (sample.reading = AS_WRITTEN; sample.reading < READINGS; sample.reading++) {
            sample.duplicates = i == 1;
            run(read_in_thread);
        }
    }
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void plain_records(void)
{
    write_and_read(0);
}

static void key_value_records(void)
{
    write_and_read(1);
}

static void *open_nothing_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int n = 1, rank = comm->rank == 2 ? TASKS : 0, *list = &rank, nfiles = 0;
    char name[] = "m.sion";

    EXPECT(sion_generic_paropen_mapped(sample.aid, name, "br", &nfiles, comm, comm->rank,
                                       comm->size, &n, &list, NULL, NULL, NULL, NULL, NULL) == -1);
    EXPECT(strstr(sion_error_text(), "no task 20") != NULL);
    comm->ops->free(comm);
    return NULL;
}

static void a_task_that_does_not_exist_fails_on_all(void)
{
    sample.aid = generic_make_api();
    run(open_nothing_in_thread);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void *open_no_list_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int n = 1, rank = 0, *list = comm->rank == 2 ? NULL : &rank, nfiles = 0;
    char name[] = "m.sion";

    EXPECT(sion_generic_paropen_mapped(sample.aid, name, "br", &nfiles, comm, comm->rank,
                                       comm->size, &n, &list, NULL, NULL, NULL, NULL, NULL) == -1);
    EXPECT(strstr(sion_error_text(), "the list of 1 local tasks is NULL") != NULL);
    comm->ops->free(comm);
    return NULL;
}

static void a_missing_list_fails_on_all(void)
{
    sample.aid = generic_make_api();
    run(open_no_list_in_thread);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(plain_records);
    RUN(key_value_records);
    RUN(a_task_that_does_not_exist_fails_on_all);
    RUN(a_missing_list_fails_on_all);
    support_leave_folder();
    return check_done();
}
