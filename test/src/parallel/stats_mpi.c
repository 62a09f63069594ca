/* For each kind of open, one report for all ranks; rank 0 decides whether there is a report. */
#include "sion_stats.h"

#include "mpi_check.h"

enum { BYTES = 3000 };

static char data[BYTES];

/* Rank r writes r + 1 records. */
static void write_all(const char *name, const char *mode, int nfiles)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunk = 4096;
    sion_int32 fsblksize = 512;
    int rank, sid, i;

    sid =
        sion_paropen_mpi(name, mode, &nfiles, world, &world, &chunk, &fsblksize, &rank, NULL, NULL);
    CHECK(sid >= 0);
    for (i = 0; i <= mpi_rank; i++)
        CHECK_INT(sion_fwrite(data, 1, BYTES, sid), BYTES);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Barrier(world);
}

static void read_all(const char *name)
{
    int n, *ranks, sid, i;

    sid = sion_paropen_shared_mpi(name, "br", MPI_COMM_WORLD, SION_SHARE_TASKS, &n, &ranks);
    for (i = 0; i < n; i++) {
        CHECK_INT(sion_seek(sid, ranks[i], 0, 0), 1);
        CHECK_INT(sion_fread(data, 1, BYTES, sid), BYTES);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* On rank 0. */
static void expect(const char *file, const char *text)
{
    size_t size = 0;
    unsigned char *bytes = support_load(file, &size);

    CHECK(bytes != NULL);
    if (!bytes)
        return;
    bytes[size] = '\0';
    CHECK_CONTAINS((char *)bytes, text);
    free(bytes);
}

static void the_whole_job_is_in_one_report(void)
{
    int records = mpi_size * (mpi_size + 1) / 2;
    char text[200];

    setenv("SION_STATS", "whole.json", 1);
    write_all("w.sion", "bw", 1);
    if (mpi_rank == 0) {
        snprintf(text, sizeof text,
                 "\"access\": \"write\", \"ranks\": %d, \"files\": 1, \"fsblksize\": 512, "
                 "\"tasks\": %d, \"calls\": %d, \"bytes\": %d, ",
                 mpi_size, mpi_size, records, records * BYTES);
        expect("whole.json", text);
        snprintf(text, sizeof text, "\"most_chunks\": %d, ", mpi_size);
        expect("whole.json", text);
    }
    unsetenv("SION_STATS");
}

static void all_kinds_of_opens_report(void)
{
    char text[100];

    setenv("SION_STATS", "kinds", 1);
    write_all("k.sion", "bw", mpi_size > 1 ? 2 : 1);
    write_all("c.sion", "bw,collective", 1);
    read_all("k.sion");
    if (mpi_rank == 0) {
        snprintf(text, sizeof text, "sion: k.sion, written by %d rank", mpi_size);
        expect("kinds", text);
        snprintf(text, sizeof text, "sion: c.sion, written by %d rank", mpi_size);
        expect("kinds", text);
        snprintf(text, sizeof text, "sion: k.sion, read by %d rank", mpi_size);
        expect("kinds", text);
    }
    unsetenv("SION_STATS");
}

/* No rank waits for the others, whatever they request. */
static void rank_0_decides(void)
{
    sion_stats_t stats = {.size = sizeof stats};
    struct stat status;
    MPI_Comm world = MPI_COMM_WORLD;
    int nfiles, sid, requester;

    for (requester = 0; requester < 2; requester++) { /* rank 0 alone, or all others */
        const char *name = requester == 0 ? "alone" : "others";

        if ((mpi_rank == 0) == (requester == 0))
            setenv("SION_STATS", name, 1);
        write_all("r.sion", "bw", 1);
        sid =
            sion_paropen_mpi("r.sion", "br", &nfiles, world, &world, NULL, NULL, NULL, NULL, NULL);
        CHECK_INT(sion_get_stats(sid, &stats), requester == 0);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        read_all("r.sion");
        unsetenv("SION_STATS");
        MPI_Barrier(world);
        CHECK_INT(stat(name, &status) == 0, requester == 0);
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(the_whole_job_is_in_one_report);
    RUN_MPI(all_kinds_of_opens_report);
    RUN_MPI(rank_0_decides);
    return mpi_end();
}
