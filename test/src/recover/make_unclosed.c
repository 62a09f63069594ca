/*
 * make_unclosed NAME MODE NFILES [wait | holes | first]: writes a container that is never closed.
 * wait: the program keeps its containers open, prints that, and does not end.
 * holes: of one task, whose data begin with a hole, and have another one.
 * first: of two tasks, of which only the first has data.
 */
#define _GNU_SOURCE 1 /* fallocate */
#include <fcntl.h>

#include "unclosed.h"

static int punch(const char *name, off_t offset, off_t bytes)
{
    int fd = open(name, O_WRONLY);
    int rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes);

    return close(fd) == 0 && rc == 0;
}

static int write_holes(char *name, const char *mode)
{
    enum { PAGE = 4096, DATA = 10 * PAGE };
    static char data[DATA];
    sion_int64 size = 2 * DATA, *sizes = &size;
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int32 fsblksize = PAGE;

    memset(data, 'x', sizeof data);
    sid = sion_open(name, mode, &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    return sion_fwrite(data, 1, DATA, sid) == DATA && sion_flush(sid) == 1 &&
           punch(name, PAGE, 2 * PAGE) && punch(name, 5 * PAGE, 3 * PAGE);
}

static int write_first(char *name, const char *mode)
{
    sion_int64 both[] = {4000, 4000}, *sizes = both;
    int ntasks = 2, nfiles = 1, numbers[] = {0, 1}, *ranks = numbers, sid;
    sion_int32 fsblksize = 4096;

    sid = sion_open(name, mode, &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    return sion_seek(sid, 0, 0, 0) == 1 && unclosed_write_record(sid, 0, 0, 0, BYTES) &&
           sion_flush(sid) == 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 4 ? argv[4] : "";
    int done = strcmp(what, "holes") == 0 ? write_holes(argv[1], argv[2])
               : strcmp(what, "first") == 0
                   ? write_first(argv[1], argv[2])
                   : argc > 3 && unclosed_write(argv[1], argv[2], atoi(argv[3]));

    if (done && strcmp(what, "wait") == 0) {
        puts("waiting");
        fflush(stdout);
        pause();
    }
    _exit(!done);
}
