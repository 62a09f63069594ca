/*
 * Sample containers written again by as many ranks as wrote them: identical byte by byte. Then
 * read back, by paropen and task by task. Runs the recipes that fit the number of ranks.
 */
#include "mpi_check.h"

struct recipe {
    const char *name, *mode;
    int ranks, nfiles, fsblksize;
    const char *chunks; /* of each rank */
    const char *writes; /* of each rank, ranks separated by ; */
    const char *colors; /* of each rank, NULL: no local communicators */
};

static const struct recipe recipes[] = {
    {"m01_multi.sion", "bw", 8, 3, 512, "100,200,600,512,513,1024,1,700",
     "10,20;200;600,500;1,2,3;500,20,513;1000;1;", NULL},
    {"m07_single.sion", "bw", 4, 1, 512, "100,600,512,1024", "100,100;600,500;;1000", NULL},
    {"m08_posix.sion", "bw,posix", 4, 1, 512, "100,600,512,1024", "100,100;600,500;;1000", NULL},
    {"m09_chunks130.sion", "bw", 2, 1, 16, "16,10", "130x10;1,2", NULL},
    {"m10_lcomm.sion", "bw", 6, -1, 512, "100,200,300,400,500,600", "100;200;300;400;500;600",
     "1,0,1,0,0,2"},
};

static const struct recipe *recipe;
static int with_file;

/* The nth field of a list. */
static const char *field(const char *list, char separator, int n)
{
    while (n-- > 0)
        list = strchr(list, separator) + 1;
    return list;
}

static long write_own(int sid, FILE *fp)
{
    static unsigned char data[2000];
    const char *at = field(recipe->writes, ';', mpi_rank);
    long total = 0;

    while (*at && *at != ';') {
        char *end;
        long times = 1, bytes = strtol(at, &end, 10);

        if (*end == 'x') {
            times = bytes;
            bytes = strtol(end + 1, &end, 10);
        }
        for (; times > 0; times--) {
            check_fill(data, mpi_rank, total, (size_t)bytes);
            if (fp) {
                CHECK_INT(sion_ensure_free_space(sid, bytes), 1);
                CHECK_INT(fwrite(data, 1, (size_t)bytes, fp), bytes);
            } else {
                CHECK_INT(sion_fwrite(data, 1, (size_t)bytes, sid), bytes);
            }
            total += bytes;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return total;
}

static void compare_with_golden(int nfiles)
{
    char ours[80], sample[80];
    int i;

    for (i = 0; i < nfiles; i++) {
        snprintf(ours, sizeof ours, i ? "%s.%06d" : "%s", recipe->name, i);
        snprintf(sample, sizeof sample, "mpi/%.60s", ours);
        CHECK(support_same_files(ours, support_golden(sample)));
    }
}

static long read_own(int sid)
{
    static unsigned char data[2000];
    long total = 0;

    while (!sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        if (sion_fread(data, 1, left, sid) != left)
            return -1;
        CHECK_INT(check_compare(data, mpi_rank, total, left), -1);
        total += (long)left;
    }
    return total;
}

static void read_back(long total)
{
    int nfiles = 0, globalrank = -1, sid, rank = mpi_rank;
    sion_int64 chunksize = 0;
    sion_int32 fsblksize = 0;
    MPI_Comm none = MPI_COMM_NULL;
    char name[80];

    sid = sion_paropen_mpi(recipe->name, "br", &nfiles, MPI_COMM_WORLD, &none, &chunksize,
                           &fsblksize, &globalrank, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(globalrank, mpi_rank);
    CHECK_INT(fsblksize, recipe->fsblksize);
    CHECK_INT(chunksize % fsblksize, 0);
    CHECK_INT(read_own(sid), total);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    snprintf(name, sizeof name, "%s", recipe->name);
    sid = sion_open_rank(name, "br", NULL, NULL, &rank, NULL);
    CHECK_INT(read_own(sid), total);
    CHECK_INT(sion_close(sid), 1);
}

static void write_again(void)
{
    MPI_Comm local = MPI_COMM_WORLD;
    sion_int64 chunksize = atoll(field(recipe->chunks, ',', mpi_rank));
    sion_int32 fsblksize = recipe->fsblksize;
    int nfiles = recipe->nfiles, globalrank = -7, sid;
    char *newname = NULL;
    FILE *fp = NULL;
    long total;

    if (recipe->colors)
        MPI_Comm_split(MPI_COMM_WORLD, atoi(field(recipe->colors, ',', mpi_rank)), mpi_rank,
                       &local);
    sid = sion_paropen_mpi(recipe->name, recipe->mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                           &fsblksize, &globalrank, with_file ? &fp : NULL, &newname);
    if (recipe->colors)
        MPI_Comm_free(&local);
    CHECK(sid >= 0);
    CHECK_INT(chunksize, atoll(field(recipe->chunks, ',', mpi_rank)));
    CHECK_INT(globalrank, mpi_rank);
    CHECK_INT(nfiles, recipe->nfiles > 0 ? recipe->nfiles : 3);
    CHECK(newname && strncmp(newname, recipe->name, strlen(recipe->name)) == 0);
    free(newname);
    total = write_own(sid, fp);
    CHECK_INT(sion_get_bytes_written(sid), total);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    if (mpi_rank == 0)
        compare_with_golden(nfiles);
    read_back(total);
}

int main(int argc, char **argv)
{
    char test[80];
    size_t i;

    mpi_begin(&argc, &argv);
    for (i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        for (with_file = 0; with_file < 2 && recipes[i].ranks == mpi_size; with_file++) {
            recipe = &recipes[i];
            snprintf(test, sizeof test, "%s%s", recipe->name,
                     with_file ? " through the FILE*" : "");
            mpi_run_test(test, write_again);
        }
    }
    return mpi_end();
}
