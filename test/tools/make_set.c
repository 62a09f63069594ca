/*
 * make_set NAME TASKS: a set of two files: NAME with all tasks except the last, and NAME.000001
 * with that one. It is written as two containers, whose headers are changed; the first gets a
 * mapping.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "sion_common.h"
#include "sion_serial.h"

enum {
    OFFSET_OF_NFILES = 28, /* in the header; the file's number follows */
    TASKS_MAX = 1000
};

static int write_file(char *name, int first, int ntasks)
{
    int nfiles = 1, granks[TASKS_MAX], *granks_pointer = granks, sid, t;
    sion_int64 sizes[TASKS_MAX], *sizes_pointer = sizes;
    sion_int32 fsblksize = 1;

    for (t = 0; t < ntasks; t++) {
        sizes[t] = 1;
        granks[t] = first + t;
    }
    sid =
        sion_open(name, "wb", &ntasks, &nfiles, &sizes_pointer, &fsblksize, &granks_pointer, NULL);
    return sid >= 0 && sion_close(sid) == SION_SUCCESS;
}

static int put(FILE *file, int32_t number)
{
    return fwrite(&number, sizeof number, 1, file) == 1;
}

/* Instead of the zero at the end: ntasks and the pairs. */
static int write_mapping(FILE *file, int ntasks)
{
    int good = fseek(file, -4, SEEK_END) == 0 && put(file, ntasks), t;

    for (t = 0; t < ntasks; t++)
        good = good && put(file, t == ntasks - 1) && put(file, t == ntasks - 1 ? 0 : t);
    return good;
}

static int make_member(const char *name, int number, int ntasks)
{
    FILE *file = fopen(name, "r+b");
    int good = file && fseek(file, OFFSET_OF_NFILES, SEEK_SET) == 0 && put(file, 2) &&
               put(file, number) && (number > 0 || write_mapping(file, ntasks));

    return file && fclose(file) == 0 && good;
}

int main(int argc, char **argv)
{
    char second[1024];
    int ntasks;

    if (argc != 3)
        return 1;
    ntasks = atoi(argv[2]);
    snprintf(second, sizeof second, "%s.000001", argv[1]);
    return ntasks > 1 && ntasks <= TASKS_MAX && write_file(argv[1], 0, ntasks - 1) &&
                   write_file(second, ntasks - 1, 1) && make_member(argv[1], 0, ntasks) &&
                   make_member(second, 1, ntasks)
               ? 0
               : 1;
}
