/*
 * Random collective containers, read back in several ways: any sizes, groups and files, records
 * that do not fit, individual calls in between. And samples of other formats.
 */
#include "mpi_check.h"

#define NAME "c.sion"

enum { MOST = 5000, RECORDS = 10 };

static struct {
    int nfiles, fsblksize, chunksize;
    char writer[80];
    int sizes[RECORDS], accepted[RECORDS], individual[RECORDS];
} sample;

static int open_any(const char *name, const char *mode)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = sample.chunksize;
    sion_int32 fsblksize = sample.fsblksize;
    int nfiles = sample.nfiles, globalrank;
    int sid = sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                               &globalrank, NULL, NULL);

    CHECK(sid >= 0);
    return sid;
}

/* Choose a case. All ranks get the same numbers, except for the sizes. */
static void random_case(void)
{
    int r, i;

    sample.nfiles = 1 + (int)check_below((size_t)mpi_size);
    sample.fsblksize = 1 + (int)check_below(2000);
    snprintf(sample.writer, sizeof sample.writer, "bw,collective,collsize=%d%s%s",
             (int)check_below(6), check_below(3) ? "" : ",posix", check_below(4) ? "" : ",collmsa");
    for (i = 0; i < RECORDS; i++)
        sample.individual[i] = check_below(4) == 0;
    for (r = 0; r < mpi_size; r++) {
        int chunksize = 1 + (int)check_below(MOST);

        sample.chunksize = r <= mpi_rank ? chunksize : sample.chunksize;
        for (i = 0; i < RECORDS; i++) {
            int size = check_below(3) ? (int)check_below((size_t)chunksize + 1) : 0;

            size = check_below(20) ? size : 3 * MOST;
            sample.sizes[i] = r <= mpi_rank ? size : sample.sizes[i];
        }
    }
}

static void write_random(void)
{
    static unsigned char data[3 * MOST];
    int sid = open_any(NAME, sample.writer), i;
    long total = 0;

    for (i = 0; i < RECORDS; i++) {
        size_t size = (size_t)sample.sizes[i], done;

        check_fill(data, mpi_rank, total, size);
        done = sample.individual[i] ? sion_fwrite(data, 1, size, sid)
                                    : sion_coll_fwrite(data, 1, size, sid);
        CHECK(done == size || done == 0);
        CHECK(done == size || size == 3 * MOST);
        sample.accepted[i] = done == size;
        total += (long)done;
        CHECK_INT(sion_get_bytes_written(sid), total);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void read_random(const char *reader)
{
    static unsigned char data[3 * MOST];
    int sid = open_any(NAME, reader), i;
    long total = 0;

    for (i = 0; i < RECORDS; i++) {
        size_t size = sample.accepted[i] ? (size_t)sample.sizes[i] : 0, done;

        memset(data, 0xee, sizeof data);
        done = i % 4 == 3 ? sion_fread(data, 1, size, sid) : sion_coll_fread(data, 1, size, sid);
        CHECK_INT(done, size);
        CHECK_INT(check_compare(data, mpi_rank, total, size), -1);
        CHECK(data[size] == 0xee);
        total += (long)size;
        CHECK_INT(sion_get_bytes_read(sid), total);
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void random_containers_are_read_back(void)
{
    static const char *const readers[] = {"br", "br,collective,collsize=8,collread",
                                          "br,collective",
                                          "br,collective,collsize=2,posix,collread"};
    int round;

    check_random_state = 20261121;
    if (getenv("CHECK_SEED"))
        check_random_state = strtoull(getenv("CHECK_SEED"), NULL, 0);
    if (mpi_rank == 0)
        printf("# seed %llu\n", (unsigned long long)check_random_state);
    for (round = 0; round < 25; round++) {
        random_case();
        write_random();
        read_random(readers[round % 4]);
        read_random(readers[(round + 1) % 4]);
    }
}

/* Compare every byte that the ranks get from a sample, chunk after chunk. */
static long read_sample(const char *name, const char *mode, unsigned char *all)
{
    int sid = open_any(name, mode), busy = 1;
    long total = 0;

    while (busy) {
        int at_end = sion_feof(sid);
        size_t left = at_end ? 0 : (size_t)sion_bytes_avail_in_block(sid);

        CHECK_INT(sion_coll_fread(all + total, 1, left, sid), left);
        total += (long)left;
        busy = !at_end;
        MPI_Allreduce(MPI_IN_PLACE, &busy, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    return total;
}

static void samples_read_the_same_as_by_each_task_alone(void)
{
    static const char *const names[] = {"old/v2.sion",
                                        "old/v3.sion",
                                        "old/v4.sion",
                                        "swapped/b01_bigmeta_biguser.sion",
                                        "serial/s02_unequal4.sion",
                                        "mpi/m02_coll2.sion",
                                        "mpi/m03_cmerge.sion",
                                        "mpi/m03b_cmergeonly.sion",
                                        "mpi/m11_collheur.sion"};
    static unsigned char alone[100000], together[100000];
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = support_golden(names[i]);
        long bytes = read_sample(path, "br", alone);

        CHECK_INT(read_sample(path, "br,collective,collsize=8", together), bytes);
        CHECK(memcmp(alone, together, (size_t)bytes) == 0);
        CHECK(bytes > 0 || mpi_rank > 0);
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(random_containers_are_read_back);
    if (mpi_size == 2)
        RUN_MPI(samples_read_the_same_as_by_each_task_alone);
    return mpi_end();
}
