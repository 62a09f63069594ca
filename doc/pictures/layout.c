/* Writes a container to draw: layout FILE BLOCK CHUNK:DATA..., with a pair for each task. BLOCK is
 * the block size of the file system, CHUNK the size of the task's chunks, DATA what it writes, in
 * KiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

enum { MOST_TASKS = 64, KIB = 1024 };

static int write_tasks(int sid, int ntasks, const long long *bytes)
{
    int task;

    for (task = 0; task < ntasks; task++) {
        char *data = calloc(1, (size_t)bytes[task]);
        int good = data &&
                   sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS &&
                   sion_stream_write(sid, data, bytes[task]) == bytes[task];

        free(data);
        if (!good)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    long long sizes[MOST_TASKS], *chunks = sizes, bytes[MOST_TASKS];
    int ranks[MOST_TASKS], *granks = ranks, ntasks = argc - 3, task, sid, nfiles = 1, fsblksize,
                           good;

    if (ntasks < 1 || ntasks > MOST_TASKS)
        return EXIT_FAILURE;
    for (task = 0; task < ntasks; task++) {
        if (sscanf(argv[3 + task], "%lld:%lld", &sizes[task], &bytes[task]) != 2)
            return EXIT_FAILURE;
        sizes[task] *= KIB;
        bytes[task] *= KIB;
        ranks[task] = task;
    }
    fsblksize = atoi(argv[2]) * KIB;
    sid = sion_open(argv[1], "w", &ntasks, &nfiles, &chunks, &fsblksize, &granks, NULL);
    if (sid < 0)
        return EXIT_FAILURE;
    good = write_tasks(sid, ntasks, bytes);
    return sion_close(sid) == SION_SUCCESS && good ? EXIT_SUCCESS : EXIT_FAILURE;
}
