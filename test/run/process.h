/*
 * Cases that run under the library, each as a process of its own: a program that has them runs
 * itself with their numbers.
 */
#ifndef SCION_TEST_RUN_PROCESS_H
#define SCION_TEST_RUN_PROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "check.h"
#include "run/native.h"
#include "run/owners.h"
#include "scratch.h"

static char root[300], session[300];
static const char *library;

/* ---- what the cases do ---- */

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "# %s: %s\n", what, strerror(errno));
        _exit(1);
    }
}

static inline void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0, path);
}

/* Up to 63 bytes; "": none. */
static inline void read_text(const char *path, char *found)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, found, 63);

    found[n < 0 ? 0 : n] = '\0';
    if (fd >= 0)
        close(fd);
}

static inline int has_text(const char *path, const char *text)
{
    char found[64];

    read_text(path, found);
    return strcmp(found, text) == 0;
}

/* In a process of its own, which redirects, too. */
static inline void run_command(const char *command)
{
    int end;

    if (fork() == 0) {
        execlp("sh", "sh", "-c", command, (char *)NULL);
        _exit(1);
    }
    must(wait(&end) > 0 && end == 0, command);
}

/* A path without the library, by the tree of the session. */
static inline int is_staged(const char *name)
{
    char path[700];
    struct stat status;

    must(scion_session_tree(getenv("SION_RUN_SESSION"), path, sizeof path), name);
    strcat(strcat(path, "/"), name);
    return native_stat(path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- the cases ---- */

struct process_case {
    const char *name;
    void (*run)(void);  /* in a process that is redirected; NULL: there is none */
    void (*look)(void); /* then, in the test; NULL: nothing */
    const char *except; /* a pattern; NULL: none */
};

static inline void run_case(const struct process_case *one, size_t i)
{
    static const char *const files[] = {"m/**", "after/out*", NULL};
    const char *const except[] = {one->except, NULL};
    struct scion_run_plan plan = {.root = root, .root_real = root, .list = {files, except}};
    char number[16];
    int end = 0;

    snprintf(root, sizeof root, "%s/%zu/root", scratch_directory, i);
    snprintf(session, sizeof session, "%s/%zu/session", scratch_directory, i);
    snprintf(number, sizeof number, "%zu", i);
    mkdir(scratch_path(number), 0700);
    mkdir(root, 0700);
    mkdir(session, 0700);
    CHECK_INT(scion_session_create(session, &plan), 0);
    if (fork() == 0) {
        if (chdir(root) != 0 || mkdir("m", 0700) != 0 || mkdir("m/there", 0700) != 0)
            _exit(96);
        setenv("SION_RUN_SESSION", session, 1);
        setenv("LD_PRELOAD", library, 1);
        execl("/proc/self/exe", "processes", "--run", number, (char *)NULL);
        _exit(99);
    }
    wait(&end);
    CHECK_INT(end, 0);
}

static inline void clean_up(void)
{
    if (fork() == 0)
        execlp("rm", "rm", "-rf", scratch_directory, (char *)NULL);
    wait(NULL);
}

/* The whole program. */
static inline int run_cases(int argc, char **argv, const struct process_case *cases, size_t n)
{
    size_t i;

    if (argc == 3) {
        cases[atoi(argv[2])].run();
        return 0;
    }
    library = argv[1];
    scratch_begin();
    for (i = 0; i < n; i++) {
        check_failed_here = 0;
        if (cases[i].run)
            run_case(&cases[i], i);
        if (cases[i].look)
            cases[i].look();
        check_report(cases[i].name);
    }
    clean_up();
    return check_done();
}

#endif
