/*
 * Writes sample containers again, with as many ranks as wrote them: they are identical byte by
 * byte. Then reads them back, with paropen and task by task. Runs the recipes for this number of
 * ranks.
 */
#include "mpi_check.h"

struct recipe {
    const char *name, *mode;
    int ranks, nfiles, fsblksize;
    const char *chunks; /* of each rank */
    const char *writes; /* of each rank, separated by ';': BYTES, or kKEY:BYTES */
    const char *colors; /* of each rank; NULL: no local communicators */
};

static const struct recipe recipes[] = {
    {"m01_multi.sion", "bw", 8, 3, 512, "100,200,600,512,513,1024,1,700",
     "10,20;200;600,500;1,2,3;500,20,513;1000;1;", NULL},
    {"m04_keyval.sion", "bw,keyval=inline", 4, 1, 512, "200,512,1000,600",
     "k5:100,k5:600,k6:3;k1:0,k1:1,k2:480,k2:496,k3:1500;k9:10;", NULL},
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

/* Byte i of this rank's jth record of a key. */
static void fill_record(unsigned char *to, unsigned key, int j, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        to[i] = (unsigned char)((unsigned)mpi_rank * 131 + key * 17 + (unsigned)j * 29 + i * 7);
}

static void write_piece(int sid, FILE *fp, long total, size_t bytes)
{
    static unsigned char data[2000];

    check_fill(data, mpi_rank, total, bytes);
    if (fp) {
        CHECK_INT(sion_ensure_free_space(sid, (sion_int64)bytes), 1);
        CHECK_INT(fwrite(data, 1, bytes, fp), bytes);
    } else {
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    }
}

static long write_plain(int sid, FILE *fp)
{
    const char *at = field(recipe->writes, ';', mpi_rank);
    long total = 0;

    while (*at && *at != ';') {
        char *end;
        long times = 1, bytes = strtol(at, &end, 10);

        if (*end == 'x') {
            times = bytes;
            bytes = strtol(end + 1, &end, 10);
        }
        for (; times > 0; times--, total += bytes)
            write_piece(sid, fp, total, (size_t)bytes);
        at = *end == ',' ? end + 1 : end;
    }
    return total;
}

/* Write the records of this rank or, if `reading`, find them again in order. */
static long do_records(int sid, int reading)
{
    static unsigned char data[2000], got[2000];
    const char *at = field(recipe->writes, ';', mpi_rank);
    int seen[16] = {0};
    long total = 0;

    while (*at == 'k') {
        char *end;
        unsigned key = (unsigned)strtol(at + 1, &end, 10);
        size_t bytes = (size_t)strtol(end + 1, &end, 10), size = 0;
        uint64_t found = 0;

        fill_record(data, key, seen[key]++, bytes);
        if (!reading) {
            CHECK_INT(sion_fwrite_key(data, key, 1, bytes, sid), bytes);
        } else {
            CHECK_INT(sion_fread_key_iterator_next(sid, &found, &size), 1);
            CHECK(found == key && size == bytes);
            CHECK_INT(sion_fread_key(got, key, 1, bytes, sid), bytes);
            CHECK(memcmp(data, got, bytes) == 0);
        }
        total += 16 + (long)bytes;
        at = *end == ',' ? end + 1 : end;
    }
    return total;
}

static int is_keyval(void)
{
    return strstr(recipe->mode, "keyval") != NULL;
}

static long write_own(int sid, FILE *fp)
{
    return is_keyval() ? do_records(sid, 0) : write_plain(sid, fp);
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

/* A duplicate for one key shows only its records, and knows at once what the original knows. */
static void check_duplicate(int sid)
{
    const char *at = field(recipe->writes, ';', mpi_rank);
    uint64_t key = *at == 'k' ? strtoull(at + 1, NULL, 10) : 0, found;
    int copy, n = 0;

    CHECK_INT(sion_key_full_scan(sid), 1);
    copy = sion_dup(sid, SION_DUP_RANK_KEY, -1, key);
    CHECK(copy >= 0);
    CHECK_INT(sion_key_list_iterator_next(copy, &found), *at == 'k');
    CHECK(*at != 'k' || found == key);
    CHECK_INT(sion_key_list_iterator_next(copy, &found), 0);
    while (sion_fread_key_iterator_next(copy, &found, NULL)) {
        CHECK(found == key);
        n++;
    }
    CHECK_INT(n > 0, *at == 'k');
    CHECK_INT(sion_dedup(copy), 1);
}

static long read_own(int sid)
{
    static unsigned char data[2000];
    long total = 0;

    if (is_keyval()) {
        if (!sion_is_serial_opened(sid))
            check_duplicate(sid);
        total = do_records(sid, 1);
        CHECK_INT(sion_fread_key_iterator_next(sid, NULL, NULL), 0);
        return total;
    }
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
