/*
 * Close is the safe exit from any state of collective calls, also with callbacks of an application,
 * made of plain threads: each task stops at its own first failure and closes. All get the same
 * result, and data that were accepted can be read. A watchdog names the case that does not end.
 */
#include <errno.h>
#include <signal.h>

#include "sion.h"

#include "transfer.h"
#include "support.h"
#include "vfs/fault.h"

enum { MOST = 4, CALLS = 8, LARGEST = 1500, PATIENCE = 120 };

static const char *const writers[] = {
    "bw,collective",        "bw,collective,posix",          "bw,collective,recover",
    "bw,collective,cmerge", "bw,collective,cmerge,recover", "bw,buddy",
    "bw,buddy,recover",     "bw,collective,buddy"};
static const char *const readers[] = {"br,collective,collread", "br,collective,cmerge", "br,buddy"};
static const size_t sizes[] = {1, 17, 300, LARGEST};

static struct {
    const char *mode;
    int aid, tasks, nfiles, collsize, bytes;
    int victim, n; /* who fails, in which call: all in different ones, if that is `tasks` */
    int refuses;   /* the argument of that call is wrong */
    int done[MOST], closed[MOST];
    long hits; /* calls of the system that have failed */
    char text[200];
} now;

static void cry(int signal)
{
    static const char hangs[] = "# hangs: ";

    (void)signal;
    if (write(1, hangs, sizeof hangs - 1) < 0 || write(1, now.text, strlen(now.text)) < 0)
        _exit(98);
    _exit(99);
}

static int open_now(struct scion_comm *comm, const char *mode)
{
    int nfiles = now.nfiles, file = comm->rank % nfiles, lrank = comm->rank / nfiles;
    int lsize = (now.tasks - file + nfiles - 1) / nfiles;
    sion_int64 chunksize = CALLS * LARGEST;
    sion_int32 fsblksize = 512;
    char text[100];

    snprintf(text, sizeof text, "%s,collsize=%d", mode, now.collsize);
    return sion_generic_paropen(now.aid, "s.sion", now.collsize > 0 ? text : mode, &chunksize,
                                &fsblksize, comm, comm->rank, comm->size, &file, &nfiles, &lrank,
                                &lsize, NULL, NULL);
}

/* Whether call i of a task has a wrong argument. */
static int is_wrong(int rank, int i)
{
    return now.refuses && (now.victim == now.tasks ? i == (now.n + 3 * rank) % CALLS
                                                   : rank == now.victim && i == now.n - 1);
}

static int write_until_failure(int sid, int rank)
{
    unsigned char data[LARGEST];
    size_t n = (size_t)now.bytes;
    int i = 0;

    for (; i < CALLS; i++) {
        check_fill(data, rank, i * now.bytes, n);
        if (sion_coll_fwrite(is_wrong(rank, i) ? NULL : data, 1, n, sid) != n)
            break;
    }
    return i;
}

static int read_until_failure(int sid, int rank)
{
    unsigned char data[LARGEST];
    size_t n = (size_t)now.bytes;
    int i = 0;

    for (; i < CALLS + 1; i++) {
        if (sion_coll_fread(is_wrong(rank, i) ? NULL : data, 1, n, sid) != n)
            break;
        if (!strstr(now.mode, "cmerge"))
            EXPECT(check_compare(data, rank, i * now.bytes, n) == -1);
    }
    return i;
}

/* By one of the threads, when all have opened the container. */
static void arm(void)
{
    int is_read = now.mode[1] == 'r';

    if (!now.refuses)
        scion_fault_arm(1u << (is_read ? SCION_FAULT_PREAD : SCION_FAULT_PWRITE),
                        1 + 3 * now.victim + now.n, now.n % 2 ? 1000 : 1, is_read ? EIO : ENOSPC);
}

static void *stop_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = open_now(comm, now.mode), rank = comm->rank;

    EXPECT(sid >= 0);
    generic_wait_for_all(comm);
    if (rank == 0)
        arm();
    generic_wait_for_all(comm);
    now.done[rank] =
        now.mode[1] == 'w' ? write_until_failure(sid, rank) : read_until_failure(sid, rank);
    now.closed[rank] = sion_generic_parclose(sid);
    comm->ops->free(comm);
    return NULL;
}

static void *check_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = open_now(comm, "br"), rank = comm->rank, i;
    unsigned char data[LARGEST];
    size_t n = (size_t)now.bytes;

    for (i = 0; i < now.done[rank]; i++)
        EXPECT(sion_fread(data, 1, n, sid) == n &&
               check_compare(data, rank, i * now.bytes, n) == -1);
    EXPECT(sion_feof(sid) == 1);
    EXPECT(sion_generic_parclose(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

static void *prepare_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    const char *mode = strstr(now.mode, "buddy")    ? "bw,buddy"
                       : strstr(now.mode, "cmerge") ? "bw,collective,cmerge"
                                                    : "bw,collective";
    int sid = open_now(comm, mode), refuses = now.refuses;

    EXPECT(sid >= 0);
    EXPECT(write_until_failure(sid, comm->rank) == CALLS || refuses);
    EXPECT(sion_generic_parclose(sid) == 1);
    comm->ops->free(comm);
    return NULL;
}

static void prepare(void)
{
    int refuses = now.refuses;

    now.refuses = 0;
    generic_run_threads(now.tasks, prepare_in_thread);
    now.refuses = refuses;
}

static void run_case(void)
{
    int rank, before = atomic_load(&wrong), is_read = now.mode[1] == 'r';

    snprintf(now.text, sizeof now.text, "%s, %d tasks, collsize %d, %d bytes, %s: %d of task %d\n",
             now.mode, now.tasks, now.collsize, now.bytes,
             now.refuses ? "wrong argument" : "no access", now.n, now.victim);
    alarm(PATIENCE);
    if (is_read)
        prepare();
    scion_fault_arm(0, 0, 0, 0); /* files take the table when they are opened */
    generic_run_threads(now.tasks, stop_in_thread);
    now.hits += scion_fault_hits();
    scion_fault_disarm();
    for (rank = 1; rank < now.tasks; rank++)
        EXPECT(now.closed[rank] == now.closed[0]);
    EXPECT(now.closed[0] == 1 || !now.refuses);
    if (now.closed[0] == 1 && !is_read && !strstr(now.mode, "cmerge"))
        generic_run_threads(now.tasks, check_in_thread);
    if (atomic_load(&wrong) > before)
        printf("# in: %s", now.text);
}

static void choose(const char *mode, int collsize)
{
    static int next;
    int is_buddy = strstr(mode, "buddy") != NULL;

    now.mode = mode;
    now.nfiles = is_buddy ? 2 : 1;
    now.collsize = is_buddy && !strstr(mode, "collective") ? 0 : collsize;
    now.bytes = (int)sizes[next++ % 4];
    now.n = now.n % 5 + 1;
}

static void try_all(const char *const *modes, size_t nmodes, int refuses)
{
    static const int collsizes[] = {2, 3, 0};
    size_t m;
    int c;

    wrong = 0;
    now.refuses = refuses;
    memset(&app, 0, sizeof app);
    app.fails = app.fails_scattering = app.none = -1;
    app.who_can = 1;
    support_catch();
    for (now.tasks = 2; now.tasks <= MOST; now.tasks++) {
        for (m = 0; m < nmodes; m++) {
            for (c = 0; c < 3; c++) {
                for (now.victim = 0; now.victim <= now.tasks; now.victim++) {
                    choose(modes[m], collsizes[c]);
                    run_case();
                }
            }
        }
    }
    alarm(0);
    CHECK_INT(wrong, 0);
    CHECK(refuses ? support_errors > 0 : now.hits > 0);
    now.hits = 0;
}

static void tasks_whose_writes_fail_close_at_once(void)
{
    try_all(writers, sizeof writers / sizeof writers[0], 1);
    try_all(writers, sizeof writers / sizeof writers[0], 0);
}

static void tasks_whose_reads_fail_close_at_once(void)
{
    try_all(readers, sizeof readers / sizeof readers[0], 1);
    try_all(readers, sizeof readers / sizeof readers[0], 0);
}

int main(void)
{
    support_enter_folder();
    signal(SIGALRM, cry);
    now.aid = make_api(2);
    RUN(tasks_whose_writes_fail_close_at_once);
    RUN(tasks_whose_reads_fail_close_at_once);
    CHECK_INT(sion_generic_free_api(now.aid), 1);
    support_leave_folder();
    return check_done();
}
