/* Routines for staged containers. */
#include "sion_drain.h"

#include <stdlib.h>

#include "fortran/convert.h"
#include "fortran/names.h"

/* NULL for a blank name: all containers. So it is without memory, because they include the one. */
static char *name_of(const char *fname, size_t length)
{
    char *name = scion_fortran_string(fname, length);

    if (name && !*name) {
        free(name);
        name = NULL;
    }
    return name;
}

void ROUTINE(fsion_drain_test, FSION_DRAIN_TEST)(const char *fname, int *done, size_t fname_length)
{
    char *name = name_of(fname, fname_length);

    *done = sion_drain_test(name);
    free(name);
}

void ROUTINE(fsion_drain_wait, FSION_DRAIN_WAIT)(const char *fname, int *ierr, size_t fname_length)
{
    char *name = name_of(fname, fname_length);
    int rc = sion_drain_wait(name);

    STORE(ierr, rc);
    free(name);
}

void ROUTINE(fsion_drain_get_progress,
             FSION_DRAIN_GET_PROGRESS)(const char *fname, int *waiting, int *failed,
                                       sion_int64 *drained, sion_int64 *total, char *failure,
                                       int *ierr, size_t fname_length, size_t failure_length)
{
    char *name = name_of(fname, fname_length);
    sion_drain_progress progress;
    int rc;

    SION_INIT(&progress);
    rc = sion_drain_get_progress(name, &progress);
    *waiting = progress.waiting;
    *failed = progress.failed;
    *drained = progress.drained;
    *total = progress.total;
    scion_fortran_fill(failure, failure_length, progress.failure);
    STORE(ierr, rc);
    free(name);
}
