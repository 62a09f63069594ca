/*
 * Measures the time and memory to export the map of a container, without CRCs of the data.
 *
 *     scr_export TASKS CHUNKS [FOLDER]
 *
 * It makes a container of TASKS tasks with CHUNKS chunks each in FOLDER (/tmp), exports its map in
 * a process of its own, and prints the CPU seconds and the peak memory of that process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sion.h"
#include "sion_scr.h"

enum { CHUNK = 16 };

static int write_container(char *name, int ntasks, int nchunks)
{
    sion_int64 *sizes = malloc((size_t)ntasks * sizeof *sizes);
    int *ranks = malloc((size_t)ntasks * sizeof *ranks), nfiles = 1, fsblksize = CHUNK, sid, t, b;

    for (t = 0; t < ntasks; t++) {
        sizes[t] = CHUNK;
        ranks[t] = t;
    }
    sid = sion_open(name, "wb", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    for (t = 0; t < ntasks && sid >= 0; t++) {
        sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS);
        for (b = 0; b < nchunks; b++)
            sion_fwrite("0123456789", 1, 10, sid);
    }
    free(sizes);
    free(ranks);
    return sid >= 0 && sion_close(sid) == SION_SUCCESS ? 0 : -1;
}

static int export(const char *name)
{
    const struct sion_scr_export_options options = {.size = sizeof options, .no_crc = 1};

    return sion_scr_export(name, &options) != SION_SUCCESS;
}

/* Run export in another process, and print the resources that it used. */
static int measure(const char *name, struct rusage *usage)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0)
        _exit(export(name));
    return child < 0 || wait4(child, &status, 0, usage) != child || status != 0;
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

int main(int argc, char **argv)
{
    int ntasks = argc > 1 ? atoi(argv[1]) : 100000, nchunks = argc > 2 ? atoi(argv[2]) : 4;
    char folder[256], name[512], command[600];
    struct rusage usage;
    pid_t child;

    snprintf(folder, sizeof folder, "%.200s/scr_export-XXXXXX", argc > 3 ? argv[3] : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    snprintf(name, sizeof name, "%s/c.sion", folder);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    /* A child process writes the container, so that its memory does not count for the export. */
    child = fork();
    if (child == 0)
        _exit(write_container(name, ntasks, nchunks) != 0);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (measure(name, &usage) == 0)
        printf("%d tasks, %d chunks: %.3f s user, %.3f s system, %ld MB\n", ntasks, nchunks,
               seconds(&usage.ru_utime), seconds(&usage.ru_stime), usage.ru_maxrss / 1024);
    return system(command) != 0;
}
