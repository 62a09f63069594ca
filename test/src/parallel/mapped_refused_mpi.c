/* Mapped opens that are refused, and leave nothing behind. */
#include <unistd.h>

#include "mapped_mpi.h"

/* The text on all processes names the last process as the one that failed. */
static void blames_the_last(void)
{
    char prefix[32];

    snprintf(prefix, sizeof prefix, "rank %d: ", mpi_size - 1);
    if (mpi_size > 1)
        CHECK_CONTAINS(sion_error_text(), prefix);
}

/* A wrong list on the last process is a failure on all, and nothing is created. */
static void check_refused(char *name, int nfiles, const char *reason)
{
    sion_int32 fsblksize = 100;
    int sid;

    support_errors = 0;
    sid = open_writing(name, "bw", &nfiles, &fsblksize);
    CHECK_INT(sid, -1);
    CHECK_CONTAINS(sion_error_text(), reason);
    CHECK_INT(support_errors, mpi_rank == 0);
    CHECK(access(name, F_OK) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_maps_are_refused_by_all(void)
{
    static char name[] = "w.sion";
    int last = mpi_rank == mpi_size - 1, n = 4 + 2 * mpi_size;

    deal(n, 2, thousand);
    if (last)
        own.ranks[0] = n;
    check_refused(name, 2, "maps");
    blames_the_last();
    deal(n, 2, thousand);
    if (last)
        own.ranks[0] = own.ranks[1];
    check_refused(name, 2, "maps");
    deal(n, 2, thousand);
    if (last)
        own.files[1] = 2;
    check_refused(name, 2, "maps");
    deal(n, 2, thousand);
    if (last)
        own.places[1] = n - 1;
    check_refused(name, 2, "maps");
    deal(n, 2, thousand);
    if (last)
        own.places[1] = 2147483647;
    check_refused(name, 2, "maps");
    blames_the_last();
    deal(n, 2, thousand);
    if (last)
        own.chunks[1] = -1;
    check_refused(name, 2, "chunk size");
    blames_the_last();
    deal(n, 2, thousand);
    if (last)
        own.places = NULL;
    check_refused(name, 2, "NULL");
    deal(n, 2, thousand);
    check_refused(name, 0, "0 files");
    deal(n, 2, thousand);
    check_refused(name, 3, "no task of file 2");
    deal(0, 1, thousand);
    check_refused(name, 1, "1 files for 0 tasks");
    if (mpi_size > 1) {
        deal(n, 2, thousand);
        check_refused(name, mpi_rank == 0 ? 2 : 3, "3 files");
    }
    deal(n, 2, thousand);
    check_refused("missing/w.sion", 2, "missing");
}

static void wrong_reads_are_refused_by_all(void)
{
    static char name[] = "r.sion";
    int list[2] = {0, 1}, sid, last = mpi_rank == mpi_size - 1;

    CHECK_INT(open_reading(name, 1, list), -1);
    CHECK_CONTAINS(sion_error_text(), name);
    write_twenty(name, "bw", 2);
    list[1] = last ? 20 : 1;
    CHECK_INT(open_reading(name, 2, list), -1);
    CHECK_CONTAINS(sion_error_text(), "no task 20");
    blames_the_last();
    CHECK_INT(support_errors, mpi_rank == 0);
    CHECK_INT(open_reading(name, last ? -1 : 1, list), -1);
    CHECK_CONTAINS(sion_error_text(), "must be NULL");
    CHECK_INT(open_reading(name, last ? -2 : 1, list), -1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        unlink("r.sion.000001");
    MPI_Barrier(MPI_COMM_WORLD);
    list[1] = last ? 19 : 0;
    CHECK_INT(open_reading(name, 2, list), -1);
    CHECK_CONTAINS(sion_error_text(), "r.sion.000001");
    /* No process reads a task of the missing file. */
    list[1] = 2;
    sid = open_reading(name, 2, list);
    CHECK(sid >= 0);
    CHECK_INT(read_task(sid, 0), 1000);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static void note_rank(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rc, (void)text;
    *(int *)user = rank;
}

/* The message does not name the task's index in the list of the process. */
static void a_message_names_the_rank_of_the_selected_task(void)
{
    static char name[] = "n.sion";
    int list[2] = {7, 13}, sid, noted = -2;

    write_twenty(name, "bw", 2);
    sid = open_reading(name, 2, list);
    CHECK_INT(sion_seek(sid, 7, 0, 0), 1);
    sion_error_set_handler(note_rank, &noted);
    CHECK_INT(sion_ensure_free_space(sid, 1), 0);
    CHECK_INT(noted, 7);
    CHECK_INT(sion_seek(sid, 13, 0, 0), 1);
    CHECK_INT(sion_ensure_free_space(sid, 1), 0);
    CHECK_INT(noted, 13);
    support_catch();
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static void mapped_containers_need_their_own_close(void)
{
    static char name[] = "x.sion";
    MPI_Comm none = MPI_COMM_NULL;
    sion_int64 chunk = 100;
    sion_int32 fsblksize = 100;
    int nfiles = 1, globalrank, sid;

    deal(4, 1, thousand);
    sid = open_writing(name, "bw", &nfiles, &fsblksize);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK_INT(sion_generic_parclose(sid), -1);
    CHECK_INT(sion_close(sid), 0);
    CHECK_INT(sion_parreinit_mpi(sid, 10), -1);
    CHECK_INT(sion_startof_transaction_mpi(sid), 0);
    CHECK_INT(sion_generic_parclose_mapped(sid), 1);
    CHECK_INT(sion_parclose_mapped_mpi(sid), -1);
    sid = sion_paropen_mpi(name, "bw", &nfiles, MPI_COMM_WORLD, &none, &chunk, &fsblksize,
                           &globalrank, NULL, NULL);
    CHECK_INT(sion_parclose_mapped_mpi(sid), -1);
    CHECK_INT(sion_generic_parclose_mapped(sid), -1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void nothing_leaks(void)
{
    static char name[] = "l.sion";
    int before, i, list[2] = {1, 3};
    sion_int32 fsblksize = 100;
    int nfiles = 2, sid;

    write_twenty(name, "bw", 2);
    before = support_descriptors();
    for (i = 0; i < (mpi_size <= 2 ? 2000 : 100); i++) {
        deal(8, 2, thousand);
        sid = open_writing(name, "bw", &nfiles, &fsblksize);
        CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
        sid = open_reading(name, 2, list);
        CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    }
    CHECK_INT(support_descriptors(), before);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(wrong_maps_are_refused_by_all);
    RUN_MPI(wrong_reads_are_refused_by_all);
    RUN_MPI(a_message_names_the_rank_of_the_selected_task);
    RUN_MPI(mapped_containers_need_their_own_close);
    RUN_MPI(nothing_leaks);
    return mpi_end();
}
