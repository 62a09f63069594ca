/* Writes a container of a million tasks and is killed: million FILE. Ten groups of tasks write
 * three steps each. Of the fourth step, six groups are flushed, and the seventh is not.
 */
#include <signal.h>
#include <stdlib.h>
#include <sion.h>

enum { TASKS = 1000000, GROUPS = 10, STEPS = 4, STEP = 32, BLOCK = 256 };

static void fail_unless(int good)
{
    if (!good)
        exit(EXIT_FAILURE);
}

static void write_step(int sid, int group)
{
    static const char data[STEP];
    int begin = group * (TASKS / GROUPS), task;

    for (task = begin; task < begin + TASKS / GROUPS; task++) {
        fail_unless(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS);
        fail_unless(sion_fwrite(data, 1, STEP, sid) == STEP);
    }
}

static int open_for(char *name)
{
    int ntasks = TASKS, nfiles = 1, fsblksize = BLOCK, task;
    int *ranks = malloc(TASKS * sizeof *ranks);
    long long *sizes = malloc(TASKS * sizeof *sizes);

    fail_unless(ranks && sizes);
    for (task = 0; task < TASKS; task++) {
        ranks[task] = task;
        sizes[task] = STEPS * STEP;
    }
    return sion_open(name, "w,recover", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

int main(int argc, char **argv)
{
    static const int fast[] = {0, 1, 3, 6, 7, 9}, slow = 4;
    int sid = argc == 2 ? open_for(argv[1]) : -1, step, i;

    fail_unless(sid >= 0);
    for (step = 0; step + 1 < STEPS; step++)
        for (i = 0; i < GROUPS; i++)
            write_step(sid, i);
    for (i = 0; i < 6; i++)
        write_step(sid, fast[i]);
    fail_unless(sion_flush(sid) == SION_SUCCESS);
    write_step(sid, slow);
    return raise(SIGKILL);
}
