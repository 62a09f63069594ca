/* Checkpoints of SCR 3 in one container: rank 0 routes the file, all ranks write and read it. */
#include <mpi.h>
#include <scr.h>
#include <sion.h>
#include <stdio.h>

/* mode: "bw" or "br". 1: all of this rank's values went through. */
static int transfer(const char *mode, const char *path, double *values, int n)
{
    sion_int64 chunksize = n * (sion_int64)sizeof *values;
    sion_int32 blocksize = -1;
    int files = 1, rank, sid;
    size_t done;
    MPI_Comm local = MPI_COMM_WORLD;

    sid = sion_paropen_mpi(path, mode, &files, MPI_COMM_WORLD, &local, &chunksize, &blocksize,
                           &rank, NULL, NULL);
    if (sid < 0)
        return 0;
    done = mode[1] == 'w' ? sion_fwrite(values, sizeof *values, (size_t)n, sid)
                          : sion_fread(values, sizeof *values, (size_t)n, sid);
    return sion_parclose_mpi(sid) == SION_SUCCESS && done == (size_t)n;
}

/* Between the calls of SCR: the path that it gives rank 0 for the container of a dataset. */
static int routed(const char *mode, const char *dataset, double *values, int n)
{
    char name[SCR_MAX_FILENAME + 16], path[SCR_MAX_FILENAME] = "";
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s/data.sion", dataset);
    if (rank == 0)
        SCR_Route_file(name, path);
    MPI_Bcast(path, SCR_MAX_FILENAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    return transfer(mode, path, values, n);
}

int main(int argc, char **argv)
{
    char dataset[SCR_MAX_FILENAME] = "";
    double values[1000] = {0};
    int restart = 0, valid = 1;

    MPI_Init(&argc, &argv);
    SCR_Init();
    SCR_Have_restart(&restart, dataset);
    if (restart) {
        SCR_Start_restart(dataset);
        valid = SCR_Complete_restart(routed("br", dataset, values, 1000)) == SCR_SUCCESS;
    }
    values[0]++; /* the program's work */
    snprintf(dataset, sizeof dataset, "ckpt.%.0f", values[0]);
    SCR_Start_output(dataset, SCR_FLAG_CHECKPOINT);
    valid &= SCR_Complete_output(routed("bw", dataset, values, 1000)) == SCR_SUCCESS;
    SCR_Finalize();
    MPI_Finalize();
    return !valid;
}
