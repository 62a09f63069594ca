/*
 * Power failures of parallel programs: four tasks, which are threads, write sets of files, mapped
 * or not, collectively, merged, with copies, with checksums, and one file; also as a hybrid
 * program, of two processes with two threads each.
 */
#include "api/bindings.h"
#include "api/parallel.h"
#include "comm/pair.h"
#include "comm/threads.h"

#include "src/parallel/callbacks.h"
#include "src/comm/thread_tasks.h"

#define NTASKS 4
#include "container.h"

enum { THREADS = 2, PROCESSES = NTASKS / THREADS };

/* How the tasks are started. */
enum { PLAIN, MAPPED, HYBRID };

static int aid;
static char machines[PROCESSES];

/* One way to write. */
static struct {
    const char *mode;
    int generation, nfiles, how, is_collective, is_told, is_left;
    int from, to; /* records, each of a state */
    int failed[NTASKS], wrong[NTASKS];
} writing;

/* ---- hybrid programs ---- */

/* As sion_paropen_ompi() makes it, but for MPI. */
static struct scion_comm *join_pair(struct scion_comm *comm)
{
    struct scion_threads *made[1 + PROCESSES] = {NULL};
    int process = comm->rank / THREADS, thread = comm->rank % THREADS, i;

    for (i = 0; comm->rank == 0 && i <= PROCESSES; i++)
        made[i] = scion_threads_new(i > 0 ? THREADS : PROCESSES);
    comm->ops->bcast(comm, made, sizeof made, 0);
    return scion_comm_pair(thread == 0 ? scion_threads_join(made[0], process) : NULL,
                           scion_threads_join(made[1 + process], thread));
}

static int open_hybrid(struct scion_comm *comm, const char *mode)
{
    struct scion_comm *pair = join_pair(comm);
    struct sion_layer_processes their = {
        .rank = comm->rank / THREADS, .size = PROCESSES, .first = scion_pair_first(pair)};
    sion_int64 chunksize = 200;
    sion_int32 fsblksize = FSBLKSIZE;
    int nfiles = writing.nfiles, globalrank = comm->rank;
    struct sion_layer_call call = {.function = __func__,
                                   .kind = SION_LAYER_OMPI,
                                   .threads = THREADS,
                                   .process = their.rank,
                                   .fname = FILE_NAME,
                                   .file_mode = mode,
                                   .numFiles = &nfiles,
                                   .chunksize = &chunksize,
                                   .fsblksize = &fsblksize,
                                   .globalrank = &globalrank,
                                   .has_local = 1,
                                   .processes = &their};
    struct scion_comm *inner = scion_pair_inner(pair);

    inner->ops->bcast(inner, &their, sizeof their, 0);
    return sion_layer_open(pair, &call);
}

static int close_hybrid(struct scion_comm *comm, int sid)
{
    const struct sion_layer_team_close closing = {
        .function = __func__, .sid = sid, .kind = SION_LAYER_OMPI, .threads = THREADS};

    return sion_layer_close_team(join_pair(comm), &closing);
}

/* ---- writing ---- */

static int do_open(struct scion_comm *comm, const char *mode)
{
    int nfiles = writing.nfiles, rank = comm->rank, file = rank % nfiles, place = rank / nfiles;
    int n = 1, *ranks = &rank, *files = &file, *places = &place, lsize = NTASKS / nfiles;
    sion_int64 chunksize = 200, *chunks = &chunksize;
    sion_int32 fsblksize = FSBLKSIZE;

    if (writing.how == HYBRID)
        return open_hybrid(comm, mode);
    return writing.how == MAPPED
               ? sion_generic_paropen_mapped(aid, FILE_NAME, mode, &nfiles, comm, comm->rank,
                                             comm->size, &n, &ranks, &chunks, &files, &places,
                                             &fsblksize, NULL)
               : sion_generic_paropen(aid, FILE_NAME, mode, &chunksize, &fsblksize, comm,
                                      comm->rank, comm->size, &file, &nfiles, &place, &lsize, NULL,
                                      NULL);
}

static int do_close(struct scion_comm *comm, int sid)
{
    if (writing.how == HYBRID)
        return close_hybrid(comm, sid);
    return writing.how == MAPPED ? sion_generic_parclose_mapped(sid) : sion_generic_parclose(sid);
}

static void write_task(struct scion_comm *comm, void *unused)
{
    unsigned char data[MOST_RECORDS * RECORD];
    int sid, record, done;

    (void)unused;
    disk_machine = writing.how == HYBRID ? &machines[comm->rank / THREADS] : NULL;
    fill(data, writing.generation, comm->rank);
    sid = do_open(comm, writing.mode);
    for (record = 0; record < records() && sid >= 0; record++) {
        const unsigned char *from = data + record * RECORD;
        int is_certain = strstr(writing.mode, "cmerge") != NULL;

        done = (writing.is_collective ? sion_coll_fwrite(from, 1, RECORD, sid)
                                      : sion_fwrite(from, 1, RECORD, sid)) == RECORD;
        /* Tasks of the first file flush earlier. */
        if (record % 2 == 0 && !writing.is_left &&
            (record > 0 || comm->rank % writing.nfiles == 0)) {
            done &= sion_flush(sid) == 1;
            is_certain = 1;
        }
        if (done && is_certain && writing.is_told)
            disk_tell(comm->rank, record + 1);
        writing.failed[comm->rank] |= !done;
    }
    if (writing.is_left) { /* the end of a program, which counts as that of its buffers */
        sion_layer_lose(sid);
        disk_tell(comm->rank, records());
    }
    writing.failed[comm->rank] |= sid < 0 || do_close(comm, sid) != 1;
}

static void write_all(const char *mode, int generation, int is_told)
{
    int task;

    writing.mode = mode;
    writing.generation = generation;
    writing.is_told = is_told;
    writing.nfiles = scenario->nfiles;
    writing.how = scenario->how;
    writing.is_collective = strstr(mode, "collective") || strstr(mode, "buddy");
    memset(writing.failed, 0, sizeof writing.failed);
    run_tasks(NTASKS, write_task, NULL);
    for (task = 0; task < NTASKS; task++)
        CHECK(!writing.failed[task]);
}

static void prepare_older(void)
{
    write_all(strstr(scenario->mode, "buddy") ? "bw,buddy" : "bw", 2, 0);
    chmod(FILE_NAME, PERMISSIONS);
}

static void run_flushed(void)
{
    int task;

    write_all(scenario->mode, 1, 1);
    for (task = 0; task < NTASKS; task++)
        disk_tell(task, records());
    disk_tell(CLOSED, 1);
}

static void run_closed(void)
{
    write_all(scenario->mode, 1, 0);
    disk_tell(CLOSED, 1);
}

/* Nothing is flushed, and the program ends before a close. */
static void run_left(void)
{
    writing.is_left = 1;
    write_all(scenario->mode, 1, 0);
    writing.is_left = 0;
    disk_tell(CLOSED, 1);
}

/* ---- states that are published ---- */

/* A record of each task in each state. */
static void publish_task(struct scion_comm *comm, void *unused)
{
    unsigned char data[MOST_RECORDS * RECORD];
    int sid, record, done = 1;

    (void)unused;
    disk_machine = NULL;
    fill(data, 1, comm->rank);
    sid = do_open(comm, writing.mode);
    for (record = writing.from; record < writing.to && sid >= 0; record++) {
        done &= sion_fwrite(data + record * RECORD, 1, RECORD, sid) == RECORD;
        done &= sion_generic_parpublish(sid) == 1;
        if (done && comm->rank == 0)
            disk_tell(0, record + 1);
    }
    writing.failed[comm->rank] |= !done || sid < 0 || do_close(comm, sid) != 1;
}

static void publish_rounds(const char *mode, int from, int to)
{
    int task;

    writing.mode = mode;
    writing.from = from;
    writing.to = to;
    writing.nfiles = scenario->nfiles;
    writing.how = scenario->how;
    memset(writing.failed, 0, sizeof writing.failed);
    run_tasks(NTASKS, publish_task, NULL);
    for (task = 0; task < NTASKS; task++)
        CHECK(!writing.failed[task]);
}

static void run_published(void)
{
    publish_rounds(scenario->mode, 0, records());
    disk_tell(CLOSED, 1);
}

/* Half of them by a second program. */
static void run_written_on(void)
{
    publish_rounds(scenario->mode, 0, records() / 2);
    publish_rounds("ba,sync=close", records() / 2, records());
}

/* ---- copies ---- */

static void read_task_of_copy(struct scion_comm *comm, void *unused)
{
    int sid = do_open(comm, "br,buddy"), record;
    unsigned char data[MOST_RECORDS * RECORD], expected[MOST_RECORDS * RECORD];

    (void)unused;
    fill(expected, 1, comm->rank);
    writing.wrong[comm->rank] = sid < 0;
    for (record = 0; record < records() && sid >= 0; record++)
        writing.wrong[comm->rank] |=
            sion_coll_fread(data + record * RECORD, 1, RECORD, sid) != RECORD;
    if (sid >= 0 && sion_generic_parclose(sid) != 1)
        writing.wrong[comm->rank] = 1;
    writing.wrong[comm->rank] |= memcmp(data, expected, (size_t)records() * RECORD) != 0;
}

/* After the close, the copies are there, too. */
static const char *judge_copies(const int *told)
{
    const char *wrong = judge_replaced(told);
    int task;

    if (wrong || told[CLOSED] <= 0)
        return wrong;
    unlink(FILE_NAME ".000001");
    writing.nfiles = scenario->nfiles;
    run_tasks(NTASKS, read_task_of_copy, NULL);
    for (task = 0; task < NTASKS; task++) {
        if (writing.wrong[task])
            return "the copies are not whole";
    }
    return NULL;
}

#define COUNT(table) (int)(sizeof table / sizeof *table)

static const struct scenario scenarios[] = {
    {"flushed, one file", NULL, run_flushed, judge_flushed, "bw,recover,posix", 0, 1, 0, 1},
    {"flushed, a set", NULL, run_flushed, judge_flushed, "bw,recover,posix", 0, 2, 0, 1},
    {"flushed, a set over an older one", prepare_older, run_flushed, judge_flushed,
     "bw,recover,sync=flush", 0, 2, 0, 1},
    {"flushed, a mapped set", NULL, run_flushed, judge_flushed, "bw,recover,sync=flush", 0, 2,
     MAPPED, 1},
    {"flushed, collective", NULL, run_flushed, judge_flushed,
     "bw,recover,collective,collsize=2,sync=flush", 0, 2, 0, 0},
    {"flushed, merged", NULL, run_flushed, judge_flushed,
     "bw,recover,collective,cmerge,collsize=2,sync=flush", 0, 2, 0, 0},
    {"flushed, buddy", NULL, run_flushed, judge_flushed, "bw,recover,buddy,sync=flush", 0, 2, 0, 0},
    {"flushed, hybrid", NULL, run_flushed, judge_flushed, "bw,recover,posix", 0, 1, HYBRID, 1},
    {"flushed, a hybrid set", NULL, run_flushed, judge_flushed, "bw,recover,sync=flush", 0, 2,
     HYBRID, 1},
    {"flushed, hybrid, merged", NULL, run_flushed, judge_flushed,
     "bw,recover,collective,cmerge,collsize=2,sync=flush", 0, 1, HYBRID, 0},
    {"not closed, a set", NULL, run_left, judge_flushed, "bw,recover,posix", 0, 2, 0, 1},
    {"not closed, a mapped set", NULL, run_left, judge_flushed, "bw,recover,sync=flush", 0, 2,
     MAPPED, 1},
    {"closed, a set", NULL, run_closed, judge_closed, "bw,sync=close", 0, 2, 0, 1},
    {"closed, a mapped set", NULL, run_closed, judge_closed, "bw,sync=close", 0, 2, MAPPED, 1},
    {"closed, collective", NULL, run_closed, judge_closed, "bw,collective,collsize=2,sync=close", 0,
     2, 0, 1},
    {"closed, merged", NULL, run_closed, judge_closed, "bw,collective,cmerge,collsize=2,sync=close",
     0, 2, 0, 1},
    {"closed, checksums", NULL, run_closed, judge_closed, "bw,checksum,sync=close", 0, 2, 0, 1},
    {"closed, mapped, checksums", NULL, run_closed, judge_closed, "bw,checksum,sync=close", 0, 2,
     MAPPED, 1},
    {"closed, merged, checksums", NULL, run_closed, judge_closed,
     "bw,checksum,collective,cmerge,collsize=2,sync=close", 0, 2, 0, 1},
    {"closed, a hybrid set", NULL, run_closed, judge_closed, "bw,checksum,sync=close", 0, 2, HYBRID,
     1},
    {"published, a set", NULL, run_published, judge_published, "bw,sync=close", 4, 2, 0, 1},
    {"published, a set, checksums", NULL, run_published, judge_published, "bw,checksum,sync=close",
     3, 2, 0, 1},
    {"published, a mapped set", NULL, run_published, judge_published, "bw,sync=close", 3, 2, MAPPED,
     1},
    {"generations, one file", NULL, run_written_on, judge_generations,
     "bw,keep=2,checksum,sync=close", 4, 1, 0, 1},
    {"generations, a set", NULL, run_written_on, judge_generations, "bw,keep=2,sync=close", 4, 2, 0,
     1},
    {"generations, a mapped set", NULL, run_written_on, judge_generations, "bw,keep=2,sync=close",
     4, 2, MAPPED, 1},
    {"generations, a set, not synced", NULL, run_written_on, judge_sound,
     "bw,keep=2,checksum,sync=no", 4, 2, 0, 1},
    {"atomic, one file", prepare_older, run_closed, judge_replaced, "bw,atomic", 0, 1, 0, 1},
    {"atomic, a set", prepare_older, run_closed, judge_replaced, "bw,atomic", 0, 2, 0, 1},
    {"atomic, a mapped set", prepare_older, run_closed, judge_replaced, "bw,atomic", 0, 2, MAPPED,
     1},
    {"atomic, collective", prepare_older, run_closed, judge_replaced,
     "bw,atomic,collective,collsize=2", 0, 2, 0, 0},
    {"atomic, merged, checksums", prepare_older, run_closed, judge_replaced,
     "bw,atomic,checksum,collective,cmerge,collsize=2", 0, 2, 0, 0},
    {"atomic, a hybrid set", prepare_older, run_closed, judge_replaced, "bw,atomic", 0, 2, HYBRID,
     1},
    {"atomic, buddy", prepare_older, run_closed, judge_copies, "bw,atomic,buddy", 0, 2, 0, 0},
};

int main(int argc, char **argv)
{
    int rc;

    aid = generic_make_api();
    generic_add_transfers(aid);
    scion_crc_use(crc_of);
    rc = replay_main(scenarios, COUNT(scenarios), argc, argv);
    sion_generic_free_api(aid);
    return rc;
}
