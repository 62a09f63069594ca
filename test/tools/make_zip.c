/*
 * make_zip NAME MODE DATA [kill]: a container of 3 tasks, and what each of them has: DATA.0, ...;
 * or one that was flushed, then written to once more, and never closed.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sion.h"

enum { TASKS = 3, LINES = 20000 };

static void fill(char *line, size_t size, int task, int i)
{
    snprintf(line, size, "task %d, step %6d: residual %d.%03d\n", task, i, i % 7, i * 7919 % 1000);
}

static int write_task(int sid, int task, const char *data)
{
    char name[256], line[100];
    FILE *file;
    int i, done = 1;

    snprintf(name, sizeof name, "%s.%d", data, task);
    file = fopen(name, "wb");
    for (i = 0; file && i < LINES && done; i++) {
        fill(line, sizeof line, task, i);
        done = sion_fwrite(line, strlen(line), 1, sid) == 1 && fputs(line, file) >= 0;
    }
    return file && fclose(file) == 0 && done;
}

int main(int argc, char **argv)
{
    int ntasks = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *r = ranks, sid, t, done = 1;
    sion_int64 sizes[TASKS] = {100000, 100000, 100000}, *s = sizes;
    sion_int32 fsblksize = 4096;

    if (argc != 4 && argc != 5)
        return 1;
    sid = sion_open(argv[1], argv[2], &ntasks, &nfiles, &s, &fsblksize, &r, NULL);
    for (t = 0; sid >= 0 && t < TASKS && done; t++)
        done = sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               write_task(sid, t, argv[3]);
    if (argc == 5 && done && sion_flush(sid) == 1 && sion_fwrite("lost", 4, 1, sid) == 1)
        kill(getpid(), SIGKILL);
    return sid < 0 || sion_close(sid) != 1 || !done;
}
