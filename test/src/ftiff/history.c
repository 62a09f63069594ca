/*
 * history FOLDER VERSION: writes the checkpoints that model.py's program has on rank 0 to
 * FOLDER/Ckpt<n>-Rank0.fti, in this version. For model.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codes.h"
#include "sion_ftiff.h"

enum { STEPS = 5, VARIABLES = 3, MOST = 16 };

/* Elements of the variables; -1: not protected yet. */
static const int history[STEPS][VARIABLES] = {
    {10, 5, -1}, {16, 5, 0}, {12, 5, 4}, {4, 0, 4}, {4, 0, 0}};

static unsigned values[VARIABLES][MOST];

static int protect(sion_ftiff *handle, const int elements[VARIABLES])
{
    int rc = 0, i;

    for (i = 0; i < VARIABLES && rc == 0; i++) {
        if (elements[i] >= 0)
            rc = code_of(sion_ftiff_protect(handle, i + 1, values[i], elements[i] * 4LL));
    }
    return rc;
}

static int write_all(sion_ftiff *handle, const char *folder)
{
    char path[1000];
    int rc = 0, n;

    for (n = 1; n <= STEPS && rc == 0; n++) {
        snprintf(path, sizeof path, "%s/Ckpt%d-Rank0.fti", folder, n);
        rc = code_of(sion_ftiff_set_path(handle, path));
        if (rc == 0)
            rc = protect(handle, history[n - 1]);
        if (rc == 0)
            rc = code_of(sion_ftiff_checkpoint(handle, n));
    }
    return rc;
}

int main(int argc, char **argv)
{
    sion_ftiff *handle = argc == 3 ? sion_ftiff_open("none") : NULL;
    int rc, i, k;

    for (i = 0; i < VARIABLES; i++) {
        for (k = 0; k < MOST; k++)
            values[i][k] = (unsigned)((i + 1) * 100000000 + k);
    }
    if (!handle || code_of(sion_ftiff_set_version(handle, atoi(argv[2]))) != 0)
        return 2;
    rc = write_all(handle, argv[1]);
    sion_ftiff_close(handle);
    return rc == 0 ? 0 : 1;
}
