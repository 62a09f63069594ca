/*
 * seed FOLDER: the program of FTI's description, with the original sizes, writes its seven
 * checkpoints to FOLDER/checkpoint<n>.fti, with a restart before the fifth. For seed.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codes.h"
#include "sion_ftiff.h"

enum { ARRAYS = 5, MOST = 9000000 };

/* Elements of 4 bytes, in millions; 0: not yet protected. */
static const int sizes[7][ARRAYS] = {{1, 2, 3, 0, 0}, {1, 2, 3, 4, 0}, {1, 6, 7, 4, 0},
                                     {1, 6, 7, 4, 5}, {1, 5, 6, 4, 5}, {1, 8, 9, 4, 5},
                                     {1, 1, 2, 4, 5}};

static sion_ftiff *restart(sion_ftiff *handle, const char *path)
{
    sion_ftiff_close(handle);
    handle = sion_ftiff_open(path);
    if (!handle || code_of(sion_ftiff_set_version(handle, SION_FTIFF_1_1)) != 0 ||
        number_or_code(sion_ftiff_status(handle, NULL)) < 0)
        exit(1);
    return handle;
}

int main(int argc, char **argv)
{
    sion_ftiff *handle = NULL;
    char path[1000] = "none";
    int *data, n, id;

    if (argc != 2)
        return 2;
    data = calloc(MOST, sizeof *data); /* all arrays have the same contents */
    for (n = 1; data && n <= 7; n++) {
        if (n == 1 || n == 5)
            handle = restart(handle, path);
        for (id = 1; id <= ARRAYS; id++) {
            sion_int64 bytes = sizes[n - 1][id - 1] * 4000000LL;

            if (bytes > 0 && code_of(sion_ftiff_protect(handle, id, data, bytes)) != 0)
                return 1;
        }
        snprintf(path, sizeof path, "%s/checkpoint%d.fti", argv[1], n);
        if (code_of(sion_ftiff_set_path(handle, path)) != 0 ||
            code_of(sion_ftiff_checkpoint(handle, n)) != 0)
            return 1;
    }
    sion_ftiff_close(handle);
    free(data);
    return n == 8 ? 0 : 1;
}
