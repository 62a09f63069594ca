/*
 * Writes a set of two files with four tasks, which are threads, as it is told by lines on stdin,
 * and says "ok" after each: "w BYTES": task t writes t + 1 times so many bytes, all of a letter
 * that is its own in this line, and all publish; "c": close.
 *
 *     make_grown_set FILE MODE
 */
#include <stdio.h>
#include <string.h>

#include "src/parallel/callbacks.h"
#include "src/comm/thread_tasks.h"

enum { TASKS = 4, FILES = 2, MOST = 20000, LETTERS = 26, LINE = 100 };

static struct {
    const char *name, *mode;
    int aid, failed;
} job;

static int open_task(struct scion_comm *comm)
{
    int rank = comm->rank, file = rank % FILES, place = rank / FILES, lsize = TASKS / FILES;
    int nfiles = FILES;
    sion_int64 chunksize = 600;
    sion_int32 fsblksize = 512;

    return sion_generic_paropen(job.aid, job.name, job.mode, &chunksize, &fsblksize, comm, rank,
                                comm->size, &file, &nfiles, &place, &lsize, NULL, NULL);
}

static int write_round(int sid, int rank, int round, int bytes)
{
    char data[MOST];
    sion_int64 all = (sion_int64)bytes * (rank + 1), done;

    if (bytes < 0 || bytes > MOST / TASKS)
        return 0;
    memset(data, 'a' + (TASKS * round + rank) % LETTERS, (size_t)all);
    done = sion_stream_write(sid, data, all);
    return sion_generic_parpublish(sid) == 1 && done == all;
}

static int obey(int sid, int rank, int round, const char *line)
{
    int bytes;

    if (sscanf(line, "w %d", &bytes) == 1)
        return write_round(sid, rank, round, bytes);
    return *line == 'c' && sion_generic_parclose(sid) == 1;
}

static void work(struct scion_comm *comm, void *unused)
{
    int sid = open_task(comm), good = 1, round = 0;
    char line[LINE];

    (void)unused;
    for (*line = '\0'; *line != 'c' && good; round++) {
        if (comm->rank == 0 && !fgets(line, sizeof line, stdin))
            strcpy(line, "end");
        comm->ops->bcast(comm, line, sizeof line, 0);
        good = sid >= 0 && obey(sid, comm->rank, round, line);
        if (comm->rank == 0) {
            puts(good ? "ok" : "failed");
            fflush(stdout);
        }
    }
    if (comm->rank == 0)
        job.failed = !good;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 1;
    job.name = argv[1];
    job.mode = argv[2];
    job.aid = generic_make_api();
    run_tasks(TASKS, work, NULL);
    return job.failed;
}
