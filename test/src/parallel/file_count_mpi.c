/* The number of files that the mode word files= and SION_FILES ask for. */
#include <unistd.h>

#include "mpi_check.h"

#define NAME "count.sion"

enum { BYTES = 1000 };

static int nodes;

/* Write a container, read it, and return the number of its files; 0: something else went wrong. */
static int files_of(const char *mode, int asked, MPI_Comm part, sion_int64 chunksize)
{
    int nfiles = asked, rank = mpi_rank, read_files = -1, sid, failed;
    sion_int32 fsblksize = 512;
    unsigned char data[BYTES], back[BYTES];

    check_fill(data, mpi_rank, 0, sizeof data);
    sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &part, &chunksize, &fsblksize,
                           &rank, NULL, NULL);
    failed = sid < 0 || sion_fwrite(data, 1, BYTES, sid) != BYTES || sion_parclose_mpi(sid) != 1;
    sid = sion_paropen_mpi(NAME, "br", &read_files, MPI_COMM_WORLD, &part, &chunksize, &fsblksize,
                           &rank, NULL, NULL);
    failed |= sid < 0 || sion_fread(back, 1, BYTES, sid) != BYTES || sion_parclose_mpi(sid) != 1 ||
              memcmp(data, back, BYTES) != 0 || read_files != nfiles;
    return failed ? 0 : nfiles;
}

static int files(const char *mode)
{
    return files_of(mode, 1, MPI_COMM_WORLD, BYTES);
}

static int at_most(int wanted)
{
    return wanted > mpi_size ? mpi_size : wanted;
}

static void a_number_is_taken_up_to_that_of_the_tasks(void)
{
    CHECK_INT(files("bw"), 1);
    CHECK_INT(files("bw,files=1"), 1);
    CHECK_INT(files("bw,files=3"), at_most(3));
    CHECK_INT(files("bw,files=1000"), mpi_size);
    CHECK_INT(files("bw,files=writers"), mpi_size);
}

static void a_node_has_a_file(void)
{
    CHECK_INT(files("bw,files=node"), nodes);
    CHECK_INT(files("bw,collective,collmsa,files=node"), nodes);
    CHECK_INT(files("bw,collective,files=node,atomic"), nodes);
}

static void storage_decides(void)
{
    CHECK_INT(files("bw,files=auto"), 1);
    CHECK_INT(files_of("bw,posix,files=auto", 1, MPI_COMM_WORLD, 3 << 18),
              mpi_size == 1 ? 1 : 3 * mpi_size / 4);
    CHECK_INT(files_of("bw,posix,files=auto", 1, MPI_COMM_WORLD, 1 << 20), mpi_size);
    CHECK_INT(files_of("bw,posix,files=auto", 1, MPI_COMM_WORLD, 100 << 20), mpi_size);
}

static void the_program_decides_first(void)
{
    CHECK_INT(files_of("bw,files=4", at_most(2), MPI_COMM_WORLD, BYTES), mpi_size == 1 ? 1 : 2);
    CHECK_INT(files_of("bw,files=4", -1, MPI_COMM_SELF, BYTES), mpi_size);
    CHECK_INT(files_of("bw,files=4", -1, MPI_COMM_WORLD, BYTES), 1);
}

static void the_environment_of_rank_0_counts(void)
{
    setenv("SION_FILES", mpi_rank == 0 ? "2" : "writers", 1);
    CHECK_INT(files("bw"), at_most(2));
    CHECK_INT(files("bw,files=1"), 1);
    setenv("SION_FILES", "node", 1);
    CHECK_INT(files("bw"), nodes);
    setenv("SION_FILES", "many", 1);
    support_catch();
    CHECK_INT(files("bw"), 1);
    CHECK(mpi_rank > 0 || support_warnings > 0);
    unsetenv("SION_FILES");
    support_catch();
    CHECK_INT(files("bw,files=0"), 1);
    CHECK(mpi_rank > 0 || support_warnings > 0);
}

int main(int argc, char **argv)
{
    MPI_Comm shared;
    int is_first;

    mpi_begin(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, mpi_rank, MPI_INFO_NULL, &shared);
    MPI_Comm_rank(shared, &is_first);
    is_first = is_first == 0;
    MPI_Allreduce(&is_first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&shared);
    RUN_MPI(a_number_is_taken_up_to_that_of_the_tasks);
    RUN_MPI(a_node_has_a_file);
    RUN_MPI(storage_decides);
    RUN_MPI(the_program_decides_first);
    RUN_MPI(the_environment_of_rank_0_counts);
    return mpi_end();
}
