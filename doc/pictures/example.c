/* Writes the container whose picture is in README.md: eight tasks with different amounts of data.
 */
#include <stdlib.h>
#include <sion.h>

enum { TASKS = 8, KIB = 1024 };

int main(void)
{
    static char data[4 * KIB];
    static const int wanted[TASKS] = {32, 32, 64, 32, 32, 48, 32, 32};  /* KiB a chunk */
    static const int written[TASKS] = {80, 72, 56, 24, 92, 48, 60, 12}; /* KiB in all */
    int ntasks = TASKS, nfiles = 1, fsblksize = 4 * KIB, ranks[TASKS], *granks = ranks, task, sid;
    long long sizes[TASKS], *chunks = sizes;

    for (task = 0; task < TASKS; task++) {
        sizes[task] = wanted[task] * KIB;
        ranks[task] = task;
    }
    sid = sion_open("example.sion", "w", &ntasks, &nfiles, &chunks, &fsblksize, &granks, NULL);
    if (sid < 0)
        return EXIT_FAILURE;
    for (task = 0; task < TASKS; task++) {
        int left;

        sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS);
        for (left = written[task]; left > 0; left -= 4)
            if (sion_fwrite(data, 4 * KIB, 1, sid) != 1)
                return EXIT_FAILURE;
    }
    return sion_close(sid) == SION_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
