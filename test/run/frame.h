/*
 * Programs of test/run that make the same calls with and without the library, in equal folders:
 * what they print must be equal. The folder is the working folder. All below `m` is redirected.
 * Real things have names with r, those that the program has made have names with s; u is not
 * redirected.
 */
#ifndef TEST_RUN_FRAME_H
#define TEST_RUN_FRAME_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/session.h"

static const char long_name[] = "m/"
                                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
                                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
                                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
                                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
                                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
                                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn";

static inline void must(int is_good, const char *what)
{
    if (!is_good) {
        perror(what);
        exit(99);
    }
}

static inline void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);

    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0, path);
}

/* What is there before the program starts. */
static inline void make_real(void)
{
    must(mkdir("m", 0755) == 0 && mkdir("m/rdir", 0751) == 0 && mkdir("m/rdir/sub", 0755) == 0 &&
             mkdir("m/rempty", 0700) == 0 && mkdir("u", 0755) == 0 && mkdir("m/rboth", 0755) == 0,
         "mkdir");
    write_text("m/real", "real\n");
    write_text("m/rdir/f", "f\n");
    write_text("m/rdir/sub/g", "g\n");
    write_text("m/rraised", "raised\n");
    write_text("m/rboth/r", "r\n");
    write_text("u/f", "unmatched\n");
    write_text("m/rprog", "#!/bin/sh\necho \"real $# $VARIABLE\"\nexit 3\n");
    must(chmod("m/real", 0640) == 0 && chmod("m/rprog", 0755) == 0, "chmod");
    must(symlink("real", "m/rlink") == 0 && symlink("nowhere", "m/rdangling") == 0 &&
             symlink("rdir", "m/rdirlink") == 0 && symlink("../u/f", "m/rout") == 0,
         "symlink");
}

/* What the program makes first. */
static inline void make_staged(int has_links)
{
    char path[4096];

    must(mkdir("m/sdir", 0755) == 0 && mkdir("m/sempty", 0755) == 0 &&
             mkdir("m/sdir/sub", 0711) == 0,
         "mkdir staged");
    write_text("m/staged", "staged\n");
    write_text("m/sdir/h", "h\n");
    write_text("m/rboth/s", "s\n");
    write_text("m/rraised", "more\n");
    write_text("m/splain", "echo plain $#\nexit 6\n");
    must(chmod("m/splain", 0755) == 0, "chmod");
    write_text("m/sprog", "#!/bin/sh\necho \"staged $# $VARIABLE\"\nexit 4\n");
    must(chmod("m/sprog", 0755) == 0, "chmod");
    if (!has_links)
        return;
    must(symlink("staged", "m/slink") == 0 && symlink("sloop", "m/sloop") == 0 &&
             symlink("none", "m/sdangling") == 0 && symlink("rdir", "m/sdirlink") == 0 &&
             symlink("sdir", "m/sdirlink2") == 0 && symlink("../u/f", "m/sout") == 0,
         "symlink staged");
    must(getcwd(path, sizeof path - 16) != NULL, "getcwd");
    must(symlink(strcat(path, "/m/rraised"), "m/sabs") == 0, "symlink absolute");
}

static inline const char *error_name(int error)
{
    static char text[64];

    snprintf(text, sizeof text, "%s", error ? strerrorname_np(error) : "-");
    return text;
}

/* ---- what is there, as the program sees it ---- */

static inline void show_status(const struct stat *s)
{
    if (S_ISDIR(s->st_mode))
        printf(" d%o", s->st_mode & 07777);
    else
        printf(" %o %lld %d", s->st_mode, (long long)s->st_size, (int)s->st_nlink);
}

static inline void show_bytes(int fd)
{
    char bytes[256];
    ssize_t n = pread(fd, bytes, sizeof bytes - 1, 0);

    if (n < 0) {
        printf(" unreadable %s", error_name(errno));
        return;
    }
    bytes[n] = '\0';
    while (strchr(bytes, '\n'))
        *strchr(bytes, '\n') = '|';
    printf(" \"%s\"", bytes);
}

static inline int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The names that a DIR tells, sorted; closes it. Returns their number. */
static inline size_t names_of(DIR *dir, char **names, size_t most)
{
    struct dirent *entry;
    size_t n = 0;

    while (n < most && (entry = readdir(dir)) != NULL)
        names[n++] = strdup(entry->d_name);
    closedir(dir);
    qsort(names, n, sizeof *names, by_text);
    return n;
}

static inline void show_tree(const char *path, int depth)
{
    struct stat status;
    char target[4096], *names[200];
    size_t i, n;
    ssize_t length;
    int fd;

    if (lstat(path, &status) != 0) {
        printf("  %s: %s\n", path, error_name(errno));
        return;
    }
    printf("  %s:", path);
    show_status(&status);
    if (S_ISLNK(status.st_mode)) {
        length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        printf(" -> %s", target[0] == '/' ? strrchr(target, '/') : target);
    } else if (S_ISREG(status.st_mode) && (fd = open(path, O_RDONLY)) >= 0) {
        show_bytes(fd);
        close(fd);
    }
    printf("\n");
    if (!S_ISDIR(status.st_mode) || depth > 8)
        return;
    n = names_of(opendir(path), names, 200);
    for (i = 0; i < n; i++) {
        snprintf(target, sizeof target, "%s/%s", path, names[i]);
        if (strcmp(names[i], ".") != 0 && strcmp(names[i], "..") != 0)
            show_tree(target, depth + 1);
        free(names[i]);
    }
}

/* ---- the processes ---- */

static inline int remove_one(const char *path, const struct stat *status, int type,
                             struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static inline void make_empty(const char *path)
{
    char command[4200];

    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (mkdir(path, 0700) == 0)
        return;
    /* A program has left a folder that its owner may not read. */
    snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -rf '%s'", path, path);
    must(system(command) == 0 && mkdir(path, 0700) == 0, path);
}

/* A pattern of what is not redirected. */
static const char *start_except;

/*
 * Runs this program again, with the arguments --run, number and links, in FOLDER with new files,
 * and if there are three arguments, FOLDER SESSION LIBRARY, with the library. FOLDER must be
 * absolute, without links.
 */
static inline void start(int argc, char **argv, const char *number, const char *links)
{
    static const char *const files[] = {"m/**", NULL};
    const char *const except[] = {start_except, NULL};
    struct scion_run_plan plan = {.root = argv[1], .root_real = argv[1], .list = {files, except}};
    pid_t pid;
    int end;

    make_empty(argv[1]);
    must(chdir(argv[1]) == 0, argv[1]);
    umask(022);
    make_real();
    if (argc > 2) {
        make_empty(argv[2]);
        must(scion_session_create(argv[2], &plan) == 0, argv[2]);
    }
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        if (argc > 2) {
            setenv("SION_RUN_SESSION", argv[2], 1);
            setenv("LD_PRELOAD", argv[3], 1);
        }
        execl("/proc/self/exe", argv[0], "--run", number, links, (char *)NULL);
        _exit(99);
    }
    must(waitpid(pid, &end, 0) == pid && WIFEXITED(end) && WEXITSTATUS(end) == 0, number);
}

#endif
