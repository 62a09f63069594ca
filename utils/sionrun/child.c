#include "sionrun/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/tool.h"
#include "sionrun/launcher.h"
#include "sionrun/namespace.h"
#include "sionrun/preload.h"

enum { NOT_FOUND = 127, NOT_RUN = 126, PATIENCE_MS = 5000, ASK_MS = 1000 };

/* Signals that end a job, or mean something to the program. */
static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};

/* A terminal sends them to the program, too. */
static const int of_terminal[] = {SIGINT, SIGQUIT};

enum {
    PASSED_ON = sizeof passed_on / sizeof *passed_on,
    OF_TERMINAL = sizeof of_terminal / sizeof *of_terminal
};

struct child {
    pid_t process;
    int signals;    /* descriptor */
    int pipe;       /* descriptor, or -1 */
    int has_ended;  /* the program itself */
    int is_stopped; /* we do not wait for those that it has left */
    int was_told;
    int status; /* of wait() */
    const struct child_events *events;
};

static int fail(const char *what)
{
    tool_error("cannot %s: %s", what, strerror(errno));
    return TOOL_FAILED;
}

/* ---- start ---- */

static int set_environment(const struct folder *folder)
{
    const char *before = getenv("LD_PRELOAD");
    char *all = NULL, library[SCION_PATH];
    int bad;

    if (folder->has_namespace)
        return setenv(SESSION_VARIABLE, folder->path, 1) == 0 ? TOOL_RUN
                                                              : fail("set the environment");
    if (preload_find(library) != TOOL_RUN)
        return TOOL_FAILED;
    if (asprintf(&all, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") < 0)
        return fail("set LD_PRELOAD");
    bad = setenv("LD_PRELOAD", all, 1) != 0 || setenv(SESSION_VARIABLE, folder->path, 1) != 0;
    free(all);
    return bad ? fail("set the environment") : TOOL_RUN;
}

static void become(const struct folder *folder, char **program, const sigset_t *mask)
{
    int status;

    if (folder->has_namespace && namespace_enter(folder) != TOOL_RUN)
        _exit(NOT_RUN);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(program[0], program);
    status = errno == ENOENT ? NOT_FOUND : NOT_RUN;
    tool_error("cannot run %s: %s", program[0], strerror(errno));
    _exit(status);
}

static int start(struct child *child, const struct folder *folder, char **program)
{
    sigset_t wanted, before;
    int i;

    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    for (i = 0; i < PASSED_ON; i++)
        sigaddset(&wanted, passed_on[i]);
    for (i = 0; i < OF_TERMINAL; i++)
        sigaddset(&wanted, of_terminal[i]);
    if (child->events->signal > 0)
        sigaddset(&wanted, child->events->signal);
    /* What the program leaves behind becomes a child of this process. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigprocmask(SIG_BLOCK, &wanted, &before);
    child->signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (child->signals < 0)
        return fail("wait for signals");
    if (set_environment(folder) != TOOL_RUN)
        return TOOL_FAILED;
    fflush(NULL);
    child->process = fork();
    if (child->process == 0)
        become(folder, program, &before);
    return child->process < 0 ? fail("start a process") : TOOL_RUN;
}

/* ---- wait ---- */

/* 0: no child is left. */
static int reap(struct child *child)
{
    pid_t process;
    int status;

    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
        if (process == child->process) {
            child->has_ended = 1;
            child->status = status;
        }
    }
    return process == 0 || errno == EINTR;
}

static int is_of_terminal(int number)
{
    return number == SIGINT || number == SIGQUIT;
}

static void take_signal(struct child *child, int number)
{
    if (number == SIGCHLD)
        return;
    if (number == child->events->signal)
        child->events->pack(child->events->context);
    else if (child->has_ended)
        child->is_stopped = 1;
    else if (!is_of_terminal(number))
        kill(child->process, number);
}

static void take_signals(struct child *child)
{
    struct signalfd_siginfo info;

    while (read(child->signals, &info, sizeof info) == sizeof info)
        take_signal(child, (int)info.ssi_signo);
}

/* What the library has written is only said to be there: what is closed is looked for anew. */
static void take_names(struct child *child)
{
    char names[4096];
    int some = 0;

    while (read(child->pipe, names, sizeof names) > 0)
        some = 1;
    if (some)
        child->events->pack(child->events->context);
}

static int next_pause(const struct child *child)
{
    if (child->events->is_wanted)
        return ASK_MS;
    return child->has_ended && !child->was_told ? PATIENCE_MS : -1;
}

static void take_pause(struct child *child)
{
    const struct child_events *events = child->events;

    if (events->is_wanted && events->is_wanted(events->context))
        events->pack(events->context);
    if (!child->has_ended || child->was_told)
        return;
    child->was_told = 1;
    tool_warning("waiting for processes that the program has left; a signal ends this");
}

static void wait_for_all(struct child *child)
{
    while (reap(child) && !child->is_stopped) {
        struct pollfd on[2] = {{.fd = child->signals, .events = POLLIN},
                               {.fd = child->pipe, .events = POLLIN}};
        int some = poll(on, 2, next_pause(child));

        if (some == 0)
            take_pause(child);
        if (on[0].revents)
            take_signals(child);
        if (on[1].revents)
            take_names(child);
    }
}

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_run(const struct folder *folder, char **program, const struct child_events *events,
              int *status)
{
    struct child child = {.signals = -1, .pipe = -1, .events = events};
    int result;

    /* Opened for writing, too: else it would be at its end whenever no program has it open. */
    if (events->pipe)
        child.pipe = open(events->pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    result = start(&child, folder, program);
    if (result == TOOL_RUN)
        wait_for_all(&child);
    *status = exit_status(child.status);
    if (child.pipe >= 0)
        close(child.pipe);
    return result;
}
