/*
 * What a call costs: prints the nanoseconds of each, the least of several rounds. For
 * bench/run_calls.sh, which runs it with and without libsion_run in two equal folders: m is
 * redirected, u is not.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 300, CALLS = 100 };

static char absolute[4200], redirected[4200];
static struct stat status;
static int folder, tree, file;
static char byte;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        perror(what);
        exit(1);
    }
}

static void open_at(const char *path, int flags)
{
    int fd = open(path, flags, 0600);

    must(fd >= 0, path);
    close(fd);
}

static void open_in(int above, const char *path)
{
    int fd = openat(above, path, O_RDONLY);

    must(fd >= 0, path);
    close(fd);
}

static void make(const char *path)
{
    open_at(path, O_WRONLY | O_CREAT | O_EXCL);
    must(unlink(path) == 0, path);
}

static void stream(const char *path)
{
    FILE *stream = fopen(path, "r");

    must(stream != NULL, path);
    fclose(stream);
}

static void names(const char *path)
{
    DIR *dir = opendir(path);

    must(dir != NULL, path);
    while (readdir(dir))
        ;
    closedir(dir);
}

#define CASES(X)                                                                                   \
    X("u: stat", stat("u/f", &status))                                                             \
    X("u: stat, absolute", stat(absolute, &status))                                                \
    X("u: stat, elsewhere", stat("/usr/share", &status))                                           \
    X("u: access", access("u/f", R_OK))                                                            \
    X("u: open, close", open_at("u/f", O_RDONLY))                                                  \
    X("u: fstatat", fstatat(folder, "f", &status, 0))                                              \
    X("u: open new, unlink", make("u/new"))                                                        \
    X("m: stat", stat("m/d/e/f", &status))                                                         \
    X("m: stat, absolute", stat(redirected, &status))                                              \
    X("m: access", access("m/d/e/f", R_OK))                                                        \
    X("m: open, close", open_at("m/d/e/f", O_RDONLY))                                              \
    X("m: open to write", open_at("m/d/e/f", O_WRONLY))                                            \
    X("m: open, cut", open_at("m/d/e/f", O_WRONLY | O_CREAT | O_TRUNC))                            \
    X("m: fopen, fclose", stream("m/d/e/f"))                                                       \
    X("m: fstatat", fstatat(tree, "f", &status, 0))                                                \
    X("m: openat, close", open_in(tree, "f"))                                                      \
    X("m: chmod", chmod("m/d/e/f", 0600))                                                          \
    X("m: open new, unlink", make("m/d/e/new"))                                                    \
    X("m: mkdir, rmdir", must(mkdir("m/d/n", 0700) == 0 && rmdir("m/d/n") == 0, "m/d/n"))          \
    X("m: rename",                                                                                 \
      must(rename("m/d/e/r", "m/d/e/q") == 0 && rename("m/d/e/q", "m/d/e/r") == 0, "rename"))      \
    X("m: list", names("m/d/e"))                                                                   \
    X("m: pread", must(pread(file, &byte, 1, 0) >= 0, "pread"))

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

#define CASE(name, call)                                                                           \
    {                                                                                              \
        long long least = -1, begin, took;                                                         \
        int round, i;                                                                              \
                                                                                                   \
        for (round = 0; round < ROUNDS; round++) {                                                 \
            begin = now();                                                                         \
            for (i = 0; i < CALLS; i++)                                                            \
                call;                                                                              \
            took = now() - begin;                                                                  \
            least = least < 0 || took < least ? took : least;                                      \
        }                                                                                          \
        printf("%-24s %lld\n", name, least / CALLS);                                               \
    }

int main(void)
{
    must(mkdir("m/d", 0700) == 0 && mkdir("m/d/e", 0700) == 0, "m/d/e");
    file = open("m/d/e/f", O_RDWR | O_CREAT, 0600);
    must(file >= 0 && write(file, "x", 1) == 1, "m/d/e/f");
    open_at("m/d/e/r", O_WRONLY | O_CREAT);
    folder = open("u", O_RDONLY);
    tree = open("m/d/e", O_RDONLY | O_DIRECTORY);
    must(folder >= 0 && tree >= 0 && getcwd(absolute, 4096) != NULL, "u");
    snprintf(absolute + 0, sizeof absolute, "%s/u/f", getcwd(NULL, 0));
    snprintf(redirected, sizeof redirected, "%s/m/d/e/f", getcwd(NULL, 0));
    CASES(CASE)
    return 0;
}
