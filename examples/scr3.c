/* Checkpoints of SCR 3 in one container: rank 0 routes the file, all ranks write and read it. */
#include <mpi.h>
#include <scr.h>
#include <sion.h>
#include <stdio.h>

/* Write or read x (mode "w" or "r") between the calls of SCR. Returns 1 if that succeeded. */
static int transfer(const char *mode, const char *dataset, double *x)
{
    char name[SCR_MAX_FILENAME + 16], path[SCR_MAX_FILENAME] = "";
    int files = 1, block = -1, rank, sid, ok;
    sion_int64 chunk = sizeof *x;
    MPI_Comm all = MPI_COMM_WORLD, local;

    MPI_Comm_rank(all, &rank);
    snprintf(name, sizeof name, "%s/data.sion", dataset);
    if (rank == 0 && SCR_Route_file(name, path) != SCR_SUCCESS)
        path[0] = '\0'; /* an empty name, which no rank can open */
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, all);
    sid = sion_paropen_mpi(path, mode, &files, all, &local, &chunk, &block, &rank, NULL, NULL);
    ok = sid >= 0 &&
         (*mode == 'w' ? sion_fwrite(x, sizeof *x, 1, sid) : sion_fread(x, sizeof *x, 1, sid)) == 1;
    return sid >= 0 && sion_parclose_mpi(sid) == SION_SUCCESS && ok;
}

int main(int argc, char **argv)
{
    char dataset[SCR_MAX_FILENAME] = "";
    int restart = 0, ok = MPI_Init(&argc, &argv) == MPI_SUCCESS && SCR_Init() == SCR_SUCCESS;
    double step = 0;

    ok = ok && SCR_Have_restart(&restart, dataset) == SCR_SUCCESS &&
         (!restart || (SCR_Start_restart(dataset) == SCR_SUCCESS &&
                       SCR_Complete_restart(transfer("r", dataset, &step)) == SCR_SUCCESS));
    snprintf(dataset, sizeof dataset, "ckpt.%.0f", ++step);
    ok = ok && SCR_Start_output(dataset, SCR_FLAG_CHECKPOINT) == SCR_SUCCESS &&
         SCR_Complete_output(transfer("w", dataset, &step)) == SCR_SUCCESS;
    ok = SCR_Finalize() == SCR_SUCCESS && ok;
    return MPI_Finalize() != MPI_SUCCESS || !ok;
}
