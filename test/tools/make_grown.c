/*
 * Writes a container of two tasks as it is told by lines on stdin, and says "ok" after each:
 * "w TASK BYTES", "p" (publish), "c" (close).
 *
 *     make_grown FILE [MODE]
 */
#include <stdio.h>
#include <string.h>

#include "sion.h"

enum { TASKS = 2 };

static int write_some(int sid, int task, int bytes)
{
    char data[4096];

    memset(data, 'a' + task, sizeof data);
    return bytes <= (int)sizeof data &&
           sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
           sion_fwrite(data, 1, (size_t)bytes, sid) == (size_t)bytes;
}

static int obey(int sid, const char *line)
{
    int task, bytes;

    if (sscanf(line, "w %d %d", &task, &bytes) == 2)
        return write_some(sid, task, bytes);
    return *line == 'p' ? sion_publish(sid) == 1 : *line == 'c' && sion_close(sid) == 1;
}

int main(int argc, char **argv)
{
    sion_int64 sizes[TASKS] = {4096, 4096}, *chunksizes = sizes;
    int ranks[TASKS] = {0, 1}, *globalranks = ranks, ntasks = TASKS, nfiles = 1, sid;
    sion_int32 fsblksize = 512;
    char line[100];

    sid = argc >= 2 ? sion_open(argv[1], argc > 2 ? argv[2] : "wb", &ntasks, &nfiles, &chunksizes,
                                &fsblksize, &globalranks, NULL)
                    : -1;
    while (sid >= 0 && fgets(line, sizeof line, stdin)) {
        puts(obey(sid, line) ? "ok" : "failed");
        fflush(stdout);
        if (*line == 'c')
            return 0;
    }
    return 1;
}
