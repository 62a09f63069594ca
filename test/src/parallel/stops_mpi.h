/*
 * Tasks that stop at different calls, each at its own first failure, and close. A watchdog names
 * the case that does not end.
 */
#ifndef TEST_MPI_STOPS_H
#define TEST_MPI_STOPS_H

#include <errno.h>
#include <signal.h>

#include "mpi_check.h"
#include "vfs/fault.h"

#define NAME "c.sion"

enum { CALLS = 12, LARGEST = 70000, PATIENCE = 120 };

static const size_t sizes[] = {1, 17, 300, 5000, LARGEST};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static unsigned char data[LARGEST];

/* Of every case. */
static struct {
    const char *mode;
    int nfiles, collsize; /* 0: as the mode says; -1: automatic, by the environment */
    size_t bytes;         /* of a record */
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

/* Of each task, if there are so many files. */
static MPI_Comm locals[3];

static inline void make_locals(void)
{
    int n;

    for (n = 1; n < 3; n++)
        MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % n, mpi_rank, &locals[n]);
}

/* From here on, the case has some time. */
static inline void watch(const char *what, int number, int victim)
{
    snprintf(now.text, sizeof now.text,
             "%s, %d files, collsize %d, %zu bytes, %s %d, rank %d of %d\n", now.mode, now.nfiles,
             now.collsize, now.bytes, what, number, mpi_rank, victim);
    signal(SIGALRM, cry);
    alarm(PATIENCE);
    if (now.collsize < 0)
        setenv("SION_COLLSIZE", "-1", 1);
    else
        unsetenv("SION_COLLSIZE");
}

static inline int open_now(const char *mode)
{
    sion_int64 chunksize = LARGEST;
    sion_int32 fsblksize = 512;
    int globalrank, nfiles = -1;
    char text[120];
    int sid;

    snprintf(text, sizeof text, now.collsize > 0 ? "%s,collsize=%d" : "%s", mode, now.collsize);
    sid = sion_paropen_mpi(NAME, text, &nfiles, MPI_COMM_WORLD, &locals[now.nfiles], &chunksize,
                           &fsblksize, &globalrank, NULL, NULL);
    CHECK(sid >= 0);
    return sid;
}

/* Every case whose outcome was wrong is named. */
static inline void name_failures(int before)
{
    if (check_failed_here > before)
        printf("# in: %s", now.text);
}

#endif
