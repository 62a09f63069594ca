/*
 * Makes files in `out`, and says in the file `closed` which are complete: in turns with the name
 * that they keep, with another one until they are closed, and in a folder that gets another name.
 *
 *   closes FILES
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int closed;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        perror(what);
        exit(1);
    }
}

static void make(const char *path, int i)
{
    char text[40];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600), n;

    n = snprintf(text, sizeof text, "content %d\n", i);
    must(fd >= 0 && write(fd, text, (size_t)n) == n && close(fd) == 0, path);
}

static void tell(int i)
{
    char text[20];
    int n = snprintf(text, sizeof text, "%d\n", i);

    must(write(closed, text, (size_t)n) == n, "closed");
}

static void make_one(int i)
{
    char path[40], new[40], folder[40];

    snprintf(path, sizeof path, "out/f%d", i);
    snprintf(folder, sizeof folder, "out/d%d", i);
    snprintf(new, sizeof new, i % 3 == 1 ? "out/new" : "out/d/f%d", i);
    if (i % 3 == 2)
        must(mkdir("out/d", 0700) == 0, "out/d");
    make(i % 3 == 0 ? path : new, i);
    if (i % 3 == 1)
        must(rename(new, path) == 0, path);
    if (i % 3 == 2)
        must(rename("out/d", folder) == 0, folder);
    tell(i);
}

int main(int argc, char **argv)
{
    int i, files = argc > 1 ? atoi(argv[1]) : 1;

    closed = open("closed", O_WRONLY | O_CREAT | O_APPEND, 0600);
    must(closed >= 0 && mkdir("out", 0700) == 0, "out");
    for (i = 0; i < files; i++)
        make_one(i);
    return 0;
}
