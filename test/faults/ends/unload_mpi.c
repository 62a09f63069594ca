/*
 * The same for the library with MPI, whose callbacks MPI calls at its end: the library stays, and
 * the data are written by MPI_Finalize.
 */
#include <dlfcn.h>
#include <mpi.h>

#include "ends.h"
#include "sion_mpi.h"

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    __typeof__(sion_paropen_mpi) *open_container;
    __typeof__(sion_fwrite) *write;
    sion_int64 chunksize = 20000;
    sion_int32 fsblksize = 4096;
    int files = 1, rank = 0, sid;
    MPI_Comm local = MPI_COMM_WORLD;

    if (!library)
        return 1;
    MPI_Init(&argc, &argv);
    *(void **)&open_container = dlsym(library, "sion_paropen_mpi");
    *(void **)&write = dlsym(library, "sion_fwrite");
    sid = open_container("x.sion", "bw", &files, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                         &rank, NULL, NULL);
    if (!write_records(sid, 0, write))
        return 2;
    dlclose(library);
    MPI_Finalize();
    return has_letters("x.sion", 0, ALL) ? 0 : 3;
}
