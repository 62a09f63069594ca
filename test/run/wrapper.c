/* Another library that stands in for calls, as tools do that watch a program: it counts them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int opened, looked;

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    va_list list;
    int mode;

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "open");
    va_start(list, flags);
    mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    opened += strstr(path, "m/") != NULL;
    return next(path, flags, mode);
}

__attribute__((visibility("default"))) int stat(const char *restrict path,
                                                struct stat *restrict status)
{
    static int (*next)(const char *, struct stat *);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "stat");
    looked += strstr(path, "m/") != NULL;
    return next(path, status);
}

__attribute__((destructor)) static void tell(void)
{
    if (getenv("WRAPPER"))
        fprintf(stderr, "wrapper %d %d\n", opened > 0, looked > 0);
}
