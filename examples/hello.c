/* One process writes a container with three tasks, and reads it back task by task. */
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

/* The library has printed the reason to stderr. */
static void expect(int good)
{
    if (!good)
        exit(EXIT_FAILURE);
}

int main(void)
{
    int ntasks = 3, nfiles = 1, fsblksize = -1, ranks[] = {0, 1, 2}, *granks = ranks, task, sid;
    long long sizes[] = {100, 100, 100}, *chunks = sizes;
    char text[40];

    sid = sion_open("hello.sion", "w", &ntasks, &nfiles, &chunks, &fsblksize, &granks, NULL);
    expect(sid >= 0);
    for (task = 0; task < ntasks; task++) {
        snprintf(text, sizeof text, "hello from task %d", task);
        expect(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS);
        expect(sion_fwrite(text, sizeof text, 1, sid) == 1);
    }
    expect(sion_close(sid) == SION_SUCCESS);

    sid = sion_open("hello.sion", "r", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    expect(sid >= 0);
    for (task = 0; task < ntasks; task++) {
        expect(sion_seek(sid, task, 0, 0) == SION_SUCCESS);
        expect(sion_fread(text, sizeof text, 1, sid) == 1);
        puts(text);
    }
    return sion_close(sid) == SION_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
