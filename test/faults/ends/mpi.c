/*
 * MPI programs that end without a close. mpi HOW MODE: every rank writes its letter to x.sion, and
 * ends. HOW: return (after MPI_Finalize), exit, abort; collective, mapped (and MPI_Finalize); or
 * over: what is called before MPI_Init, after MPI_Finalize, and after the communicator was freed.
 */
#include <mpi.h>

#include "ends.h"
#include "sion_error.h"
#include "sion_mpi.h"

static int rank, size;

static int open_by(const char *mode, MPI_Comm comm)
{
    sion_int64 chunksize = 20000;
    sion_int32 fsblksize = 4096;
    int files = 1, number = rank;

    return sion_paropen_mpi("x.sion", mode, &files, comm, &comm, &chunksize, &fsblksize, &number,
                            NULL, NULL);
}

/* Two tasks of each rank. */
static int open_mapped(const char *mode)
{
    int ntasks = 2, ranks[] = {2 * rank, 2 * rank + 1}, files[] = {0, 0}, *lranks = ranks;
    int *globalranks = ranks, *filenumbers = files, nfiles = 1;
    sion_int64 sizes[] = {20000, 20000}, *chunksizes = sizes;
    sion_int32 fsblksize = 4096;

    return sion_paropen_mapped_mpi((char[]){"x.sion"}, mode, &nfiles, MPI_COMM_WORLD, &ntasks,
                                   &globalranks, &chunksizes, &filenumbers, &lranks, &fsblksize,
                                   NULL);
}

static int write_mapped(const char *mode)
{
    int sid = open_mapped(mode), good = 1, i;

    for (i = 2 * rank; i < 2 * rank + 2; i++) {
        good &= sion_seek(sid, i, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS;
        good &= write_records(sid, i, sion_fwrite);
    }
    return good;
}

static int write_container(const char *how, const char *mode)
{
    if (strcmp(how, "mapped") == 0)
        return write_mapped(mode);
    return write_records(open_by(mode, MPI_COMM_WORLD), rank,
                         strcmp(how, "collective") == 0 ? sion_coll_fwrite_mpi : sion_fwrite);
}

/* ---- calls without MPI ---- */

static char text[1024];
static int messages;

static void note(int level, int at, int rc, const char *message, void *user)
{
    (void)level, (void)at, (void)rc, (void)user;
    snprintf(text, sizeof text, "%s", message);
    messages++;
}

static int expect(const char *what, int refused, const char *why)
{
    int good = refused && messages == 1 && strstr(text, why);

    if (!good)
        printf("%s: refused %d, %d messages, the last one '%s'\n", what, refused, messages, text);
    messages = 0;
    text[0] = '\0';
    return good;
}

static int try_opens(const char *why)
{
    sion_file_check_par_args_mpi *args = sion_file_check_par_args_init_mpi("br", 0, 1, 0);
    int good = expect("open", open_by("bw", MPI_COMM_WORLD) < 0, why), ntasks, *ranks;

    good &= expect("mapped open", open_mapped("bw") < 0, why);
    good &= expect("shared open",
                   sion_paropen_shared_mpi("x.sion", "br", MPI_COMM_WORLD, 0, &ntasks, &ranks) < 0,
               why);
    good &= expect("check", sion_file_check_par_cb_mpi((char[]){"x.sion"}, args) == 0, why);
    sion_file_check_par_args_free_mpi(args);
    return good;
}

static int try_calls(int sid, const char *why)
{
    int good = expect("start of a transaction", sion_startof_transaction_mpi(sid) == 0, why);

    good &= expect("end of a transaction", sion_endof_transaction_mpi(sid) == 0, why);
    good &= expect("new start", sion_parreinit_mpi(sid, 100) != SION_SUCCESS, why);
    good &= expect("collective write", sion_coll_fwrite_mpi("AAAA", 1, 4, sid) == 0, why);
    good &= expect("close", sion_parclose_mpi(sid) == -1, why);
    return good;
}

static int call_without_mpi(int *argc, char ***argv)
{
    int good, sid, other;
    MPI_Comm comm;

    sion_error_set_handler(note, NULL);
    good = try_opens("MPI has not been initialized");
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    good &= expect("null", open_by("bw", MPI_COMM_NULL) < 0, "no communicator");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    sid = open_by("bw,collective,collsize=2", comm);
    MPI_Comm_free(&comm);
    messages = 0;
    good &= try_calls(sid, "has been freed");
    other = open_by("bw,collective,collsize=2,lock=no", MPI_COMM_WORLD);
    MPI_Finalize();
    messages = 0;
    good &= try_calls(other, "MPI has been finalized");
    good &= try_opens("MPI has been finalized");
    sion_error_set_handler(NULL, NULL);
    return good;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *mode = argc > 2 ? argv[2] : "bw";

    if (strcmp(how, "over") == 0)
        return call_without_mpi(&argc, &argv) ? 0 : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!write_container(how, mode))
        return 1;
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Finalize();
    return 0;
}
