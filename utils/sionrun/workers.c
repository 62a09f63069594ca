#include "sionrun/workers.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/tool.h"

enum { MOST = 64, TEXT = 1024, PAUSE_MS = 1000 };

static int processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* In a process of its own, whose message goes to the other end of the pipe. */
static void work(const struct workers_job *job, int number, int n, int pipe)
{
    char text[TEXT] = "";
    int status;

    tool_keep_error(text, sizeof text);
    status = job->work(job->context, number, n);
    if (status != TOOL_RUN && write(pipe, text, strlen(text)) < 0)
        status = TOOL_FAILED;
    _exit(status == TOOL_RUN ? 0 : 1);
}

static pid_t start(const struct workers_job *job, int number, int n, int *from)
{
    int ends[2];
    pid_t process;

    if (pipe(ends) != 0)
        return -1;
    process = fork();
    if (process == 0) {
        close(ends[0]);
        work(job, number, n, ends[1]);
    }
    close(ends[1]);
    *from = ends[0];
    if (process < 0)
        close(ends[0]);
    return process;
}

/* Its message is at the other end until it has ended. */
static int finish(const struct workers_job *job, pid_t process, int from)
{
    struct pollfd on = {.fd = from, .events = POLLIN};
    char text[TEXT] = "";
    ssize_t got;
    int status;

    while (poll(&on, 1, PAUSE_MS) == 0) {
        if (job->wait)
            job->wait(job->context);
    }
    got = read(from, text, sizeof text - 1);
    close(from);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TOOL_RUN;
    text[got > 0 ? got : 0] = '\0';
    tool_error("%s", got > 0 ? text : "a process that packs was killed");
    return TOOL_FAILED;
}

int workers_run(const struct workers_job *job, int most)
{
    pid_t process[MOST];
    int from[MOST], n = processors(), i, started, status = TOOL_RUN;

    n = n < most ? n : most;
    n = n < MOST ? n : MOST;
    if (n <= 1)
        return job->work(job->context, 0, 1);
    fflush(NULL);
    for (started = 0; started < n && status == TOOL_RUN; started++) {
        process[started] = start(job, started, n, &from[started]);
        if (process[started] < 0) {
            tool_error("cannot start a process: %s", strerror(errno));
            status = TOOL_FAILED;
            break;
        }
    }
    for (i = 0; i < started; i++) {
        if (finish(job, process[i], from[i]) != TOOL_RUN)
            status = TOOL_FAILED;
    }
    return status;
}
