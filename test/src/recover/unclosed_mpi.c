/* MPI writers of containers with commit records are killed. */
#include <mpi.h>

#include "sion_generic.h"
#include "sion_mpi.h"

#include "kills.h"

enum how { ALONE, BY_FILE, BY_KEY, TOGETHER, MERGED, MAPPED };

static const struct flavour {
    const char *name, *mode;
    enum how how;
    int nfiles, begins_anew;
} flavours[] = {
    {"ansi", "bw,ansi,recover", ALONE, 1, 1},
    {"posix", "bw,posix,recover", ALONE, 2, 0},
    {"file", "bw,ansi,recover", BY_FILE, 2, 0},
    {"keys", "bw,keyval=inline,recover", BY_KEY, 2, 0},
    {"collective", "bw,collective,collsize=2,recover", TOGETHER, 1, 0},
    {"collective2", "bw,collective,collsize=2,recover", TOGETHER, 2, 1},
    {"merged", "bw,collective,cmerge,collsize=2,recover", MERGED, 1, 0},
    {"buddy", "bw,collective,buddy,recover", TOGETHER, 2, 0},
    {"mapped", "bw,recover", MAPPED, 2, 0},
#ifdef WITH_CHECKSUM
    {"checksum", "bw,checksum,recover", ALONE, 1, 0},
    {"checksum-mapped", "bw,posix,checksum,recover", MAPPED, 2, 0},
    {"checksum-buddy", "bw,collective,buddy,checksum,recover", TOGETHER, 2, 0},
#endif
};

enum { FLAVOURS = sizeof flavours / sizeof flavours[0], SIZE = 4000, STEPS = 2500 };

static char name[] = "c.sion";
static const struct flavour *flavour;
static int rank, size;
static unsigned char data[4 * SIZE];

/* ---- the writer ---- */

static int open_mapped(void)
{
    int nfiles = flavour->nfiles, n = 2, ranks[2] = {rank, rank + size}, *r = ranks;
    int files[2] = {ranks[0] % 2, ranks[1] % 2}, lranks[2] = {ranks[0] / 2, ranks[1] / 2};
    int *f = files, *l = lranks;
    sion_int64 sizes[2] = {SIZE, SIZE / 3}, *s = sizes;
    sion_int32 fsblksize = 512;

    return sion_paropen_mapped_mpi(name, flavour->mode, &nfiles, MPI_COMM_WORLD, &n, &r, &s, &f, &l,
                                   &fsblksize, NULL);
}

static int open_container(void)
{
    int nfiles = flavour->nfiles;
    sion_int64 chunksize = SIZE;
    sion_int32 fsblksize = 512;
    MPI_Comm local = MPI_COMM_WORLD;

    if (flavour->how == MAPPED)
        return open_mapped();
    return sion_paropen_mpi(name, flavour->mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                            &fsblksize, &rank, NULL, NULL);
}

static int write_bytes(int sid, int record, size_t bytes)
{
    switch (flavour->how) {
    case BY_FILE:
        return sion_ensure_free_space(sid, (sion_int64)bytes) == 1 &&
               fwrite(data, 1, bytes, sion_get_fp(sid)) == bytes;
    case BY_KEY:
        return sion_fwrite_key(data, (uint64_t)record, bytes, 1, sid) == 1;
    case TOGETHER:
    case MERGED:
        return sion_coll_fwrite(data, 1, bytes, sid) == bytes;
    default:
        return sion_fwrite(data, 1, bytes, sid) == bytes;
    }
}

static void write_record(int sid)
{
    int task = flavour->how == MAPPED && check_below(2) ? rank + size : rank, record, done;
    size_t most = task == rank ? SIZE : SIZE / 3, bytes = 1 + check_below(most);

    if (check_below(3))
        bytes = 1 + bytes / 16;
    if (flavour->how == MAPPED &&
        sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) != SION_SUCCESS)
        return;
    record = journal_begin(kills_journal, task, (int)bytes);
    if (record < 0)
        return;
    journal_fill(data, task, record, bytes);
    done = write_bytes(sid, record, bytes);
    journal_end(kills_journal, task, record, done ? WRITTEN : REFUSED);
    if (done && flavour->how == MERGED)
        journal_flushed(kills_journal, task);
}

static void flush(int sid)
{
    if (sion_flush(sid) != SION_SUCCESS)
        return;
    journal_flushed(kills_journal, rank);
    if (flavour->how == MAPPED)
        journal_flushed(kills_journal, rank + size);
}

/* Sometimes make a new start, which discards the old data; the journal knows. */
static int begin_anew(int sid)
{
    kills_journal->is_between = 1;
    memset(&kills_journal->tasks[rank], 0, sizeof kills_journal->tasks[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (sion_parreinit_mpi(sid, SIZE) < 0)
        return 0;
    MPI_Barrier(MPI_COMM_WORLD);
    kills_journal->is_between = 0;
    return 1;
}

/* microseconds: 0: never. Some writers are killed during the open, most after it. */
static void write_container(uint64_t seed, long microseconds)
{
    int sid, step;

    if (seed % 8 == 0)
        kills_set_timer(microseconds);
    sid = open_container();
    if (sid < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        kills_journal->is_open = 1;
    if (seed % 8 != 0)
        kills_set_timer(microseconds);
    for (step = 0; step < STEPS; step++) {
        if (flavour->begins_anew && seed % 2 == 0 && step == 20 + (int)(seed % 97) &&
            !begin_anew(sid))
            return;
        write_record(sid);
        if (check_below(3) == 0)
            flush(sid);
    }
    if ((flavour->how == MAPPED ? sion_parclose_mapped_mpi(sid) : sion_parclose_mpi(sid)) ==
        SION_SUCCESS)
        kills_journal->is_closed = 1;
}

static int run_writer(char **arguments)
{
    uint64_t seed = strtoull(arguments[0], NULL, 0);
    int victim = atoi(arguments[2]);

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    kills_begin(flavour->how == MAPPED ? 2 * size : size, flavour->how == BY_KEY);
    check_random_state = seed + (uint64_t)rank;
    MPI_Barrier(MPI_COMM_WORLD);
    write_container(seed, victim < 0 || victim % size == rank ? atol(arguments[1]) : 0);
    MPI_Finalize();
    return 0;
}

/* ---- the judgement ---- */

/* Compare a group's data, which its collector has, with its tasks' records in turn. */
static const char *judge_merged(int first, const unsigned char *stream, size_t bytes)
{
    size_t at = 0;
    int record, task, certain = 0;

    for (task = first; task < first + 2; task++)
        certain = kills_journal->tasks[task].flushed > certain ? kills_journal->tasks[task].flushed
                                                               : certain;
    for (record = 0; at < bytes || record < certain; record++) {
        for (task = first; task < first + 2 && (at < bytes || record < certain); task++) {
            size_t length, part;

            if (record >= kills_journal->tasks[task].n)
                return "more than was written";
            length = journal_image(kills_journal, task, record, data);
            part = bytes - at < length ? bytes - at : length;
            if (part < length && record < certain)
                return "bytes of a collective write are missing";
            if (memcmp(stream + at, data, part) != 0)
                return "wrong bytes";
            at += part;
        }
    }
    return NULL;
}

static int compare_merged(const sion_recovery *recovery, const char *where)
{
    sion_recover_task task = {.size = sizeof task};
    const char *fault = NULL;
    int first, faults = 0;

    for (first = 0; first < kills_journal->ntasks; first += 2) {
        unsigned char *stream;

        sion_recover_get_task(recovery, first, &task);
        stream = malloc((size_t)task.bytes + 1);
        sion_recover_read(recovery, first, 0, stream, (size_t)task.bytes);
        fault = judge_merged(first, stream, (size_t)task.bytes);
        free(stream);
        sion_recover_get_task(recovery, first + 1, &task);
        if (!fault && task.bytes != 0)
            fault = "a sender has data";
        if (fault)
            printf("# %s: group of task %d: %s\n", where, first, fault);
        faults += fault != NULL;
    }
    return faults;
}

static int compare(const sion_recovery *recovery, const char *where)
{
    return flavour->how == MERGED ? compare_merged(recovery, where)
                                  : journal_compare(kills_journal, recovery, where);
}

static int run_judge(void)
{
    char copy[] = "c.sion_BUDDY_00";

    return kills_run_judge(flavour->name, name, strstr(flavour->mode, "buddy") ? copy : NULL,
                           compare);
}

int main(int argc, char **argv)
{
    int i;

    for (i = 0; i < FLAVOURS; i++) {
        if (argc == 2 && strcmp(argv[1], "list") == 0)
            puts(flavours[i].name);
        else if (argc > 2 && strcmp(argv[2], flavours[i].name) == 0)
            flavour = &flavours[i];
    }
    if (argc == 2)
        return 0;
    if (flavour && argc == 6 && strcmp(argv[1], "write") == 0)
        return run_writer(argv + 3);
    if (flavour && argc == 3 && strcmp(argv[1], "judge") == 0)
        return run_judge();
    fprintf(stderr,
            "usage: mpi write FLAVOUR SEED MICROSECONDS VICTIM | mpi judge FLAVOUR | mpi list\n");
    return 1;
}
