/*
 * Makes and removes names again and again: a test counts the system calls of that.
 *
 *   system_calls TIMES
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int is_good, const char *what)
{
    if (!is_good) {
        perror(what);
        exit(1);
    }
}

static void make(const char *path, int flags)
{
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);

    must(fd >= 0 && close(fd) == 0, path);
}

static void stream(const char *path, const char *mode)
{
    FILE *stream = fopen(path, mode);

    must(stream && fclose(stream) == 0, path);
}

static void once(void)
{
    struct stat status;

    make("m/d/1", O_EXCL);
    must(rename("m/d/1", "m/d/2") == 0 && stat("m/d/2", &status) == 0, "m/d/2");
    make("m/d/1", O_TRUNC);
    must(rename("m/d/1", "m/d/2") == 0 && unlink("m/d/2") == 0, "m/d/2");
    stream("m/d/1", "w");
    stream("m/d/1", "r");
    stream("m/d/1", "r+");
    must(unlink("m/d/1") == 0, "m/d/1");
    must(mkdir("m/d/e", 0700) == 0 && rmdir("m/d/e") == 0, "m/d/e");
    must(stat("u/f", &status) == 0 && access("u/f", R_OK) == 0, "u/f");
}

int main(int argc, char **argv)
{
    int i, times = argc > 1 ? atoi(argv[1]) : 1;

    must(mkdir("m/d", 0700) == 0, "m/d");
    for (i = 0; i < times; i++)
        once();
    return 0;
}
