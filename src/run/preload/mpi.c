/*
 * MPI_Init and MPI_Finalize of whatever MPI the program has: the processes learn their ranks, and
 * agree on a number by which the sionruns of all nodes know that they belong together. No header of
 * an MPI is used: the two binary interfaces differ in a few constants and in how handles are found.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "run/preload/hook.h"
#include "run/preload/state.h"

/* ---- the MPI of the program ---- */

/* Handles are pointers in Open MPI and ints in MPICH: both fit into a register, as the argument of
   a function that takes an int or a pointer. */
struct mpi {
    intptr_t world, byte;
    int (*comm_rank)(intptr_t, int *);
    int (*comm_size)(intptr_t, int *);
    int (*bcast)(void *, int, intptr_t, int, intptr_t);
};

enum { MPICH_WORLD = 0x44000000, MPICH_BYTE = 0x4c00010d };

/* A library that was loaded later, for itself: its functions are in no scope that a search would
 * see. */
static int find_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    void **handle = user, *library;

    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "mpi"))
        return 0;
    library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
    if (library && dlsym(library, "PMPI_Comm_rank")) {
        *handle = library;
        return 1;
    }
    if (library)
        dlclose(library);
    return 0;
}

static void *symbol(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name), *library = NULL;

    if (!found && dl_iterate_phdr(find_loaded, &library) && library)
        found = dlsym(library, name);
    return found;
}

/* Of a variable: the program may have a copy of its own, which all use. */
static void *variable(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    return found ? found : symbol(name);
}

static int find_mpi(struct mpi *mpi)
{
    void *world = variable("ompi_mpi_comm_world"), *byte = variable("ompi_mpi_byte");
    void *rank = symbol("PMPI_Comm_rank"), *size = symbol("PMPI_Comm_size"),
         *bcast = symbol("PMPI_Bcast");

    if (!rank || !size || !bcast || (world && !byte))
        return 0;
    mpi->world = world ? (intptr_t)world : MPICH_WORLD;
    mpi->byte = world ? (intptr_t)byte : MPICH_BYTE;
    *(void **)&mpi->comm_rank = rank;
    *(void **)&mpi->comm_size = size;
    *(void **)&mpi->bcast = bcast;
    return 1;
}

/* ---- after MPI_Init ---- */

static void meet(void)
{
    static int has_met; /* Fortran's functions may call C's */
    struct mpi mpi;
    int rank = 0, size = 0;
    uint64_t job = 0;

    if (has_met || !run_is_on() || !find_mpi(&mpi) || mpi.comm_rank(mpi.world, &rank) != 0 ||
        mpi.comm_size(mpi.world, &size) != 0)
        return;
    has_met = 1;
    run_set_rank(rank);
    while (rank == 0 && job == 0) {
        if (getrandom(&job, sizeof job, 0) != (ssize_t)sizeof job)
            job = (uint64_t)(uintptr_t)&job;
    }
    if (mpi.bcast(&job, (int)sizeof job, mpi.byte, 0, mpi.world) != 0)
        return;
    atomic_store(&run_session.head->world, size);
    atomic_store(&run_session.head->job, job);
}

/* ---- the calls ---- */

typedef int (*function)(void *, void *, void *, void *);

/* The program's own function of this name; all take at most four arguments, and more do no harm. */
static int call(const char *name, void *a, void *b, void *c, void *d)
{
    void *found = symbol(name);
    function called;

    if (!found)
        return 16; /* MPI_ERR_OTHER or so: there is no MPI that could have called us */
    *(void **)&called = found;
    return called(a, b, c, d);
}

HOOK(int, MPI_Init, void *argc, void *argv)
{
    int rc = call("MPI_Init", argc, argv, NULL, NULL);

    if (rc == 0)
        meet();
    return rc;
}

HOOK(int, MPI_Init_thread, void *argc, void *argv, intptr_t required, void *provided)
{
    int rc = call("MPI_Init_thread", argc, argv, (void *)required, provided);

    if (rc == 0)
        meet();
    return rc;
}

/* Those of Fortran do not come through the ones of C. */
#define FORTRAN(name, parameters, a, b, c)                                                         \
    HOOK(void, name, BARE parameters)                                                              \
    {                                                                                              \
        call(#name, a, b, c, NULL);                                                                \
        meet();                                                                                    \
    }
#define BARE(...) __VA_ARGS__

FORTRAN(mpi_init_, (void *error), error, NULL, NULL)
FORTRAN(mpi_init_f08_, (void *error), error, NULL, NULL)
FORTRAN(mpi_init_thread_, (void *required, void *provided, void *error), required, provided, error)
FORTRAN(mpi_init_thread_f08_, (void *required, void *provided, void *error), required, provided,
        error)
