/* Mapped opens: processes write and read any tasks of any files, and write the sample files again.
 * */
#include "mapped_mpi.h"

static sion_int64 hundreds(int g)
{
    return 100 * (g + 1);
}

/* Records of the sample files. */
static int records_of_m05(int g, size_t *sizes)
{
    sizes[0] = (size_t)(60 + g);
    sizes[1] = (size_t)(40 * g);
    return 2;
}

static int records_of_m12(int g, size_t *sizes)
{
    sizes[0] = (size_t)(60 + g);
    sizes[1] = (size_t)(g % 3 * 90);
    sizes[2] = (size_t)(g % 2 * 100);
    sizes[3] = (size_t)(g % 4 == 3 ? 100 : 0);
    return 4;
}

static long length_of(records_function *records, int g)
{
    size_t sizes[4];
    int n = records(g, sizes), i;
    long total = 0;

    for (i = 0; i < n; i++)
        total += (long)sizes[i];
    return total;
}

static void read_list(char *name, const char *mode, int n, int *list, records_function *records)
{
    int nfiles = 0, sid, i;

    sid = sion_paropen_mapped_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &n, &list, NULL, NULL, NULL,
                                  NULL, NULL);
    CHECK(sid >= 0);
    for (i = 0; i < n && sid >= 0; i++) {
        CHECK_INT(sion_seek(sid, list[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        /* A task that is listed twice was already read. */
        if (i == 0 || list[i] != list[i - 1])
            CHECK_INT(read_task(sid, list[i]), length_of(records, list[i]));
        CHECK_INT(sion_feof(sid), 1);
    }
    CHECK_INT(sion_seek(sid, 100000, SION_CURRENT_BLK, SION_CURRENT_POS), 0);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

/* Read backwards, all tasks on every process, and one task twice. */
static void read_in_all_ways(char *name, int ntasks, records_function *records)
{
    int list[MOST], n = 0, g;

    for (g = ntasks - 1; g >= 0; g--)
        list[n++] = g;
    read_list(name, "br", n, list, records);
    list[n++] = 0;
    read_list(name, "br,posix", n, list, records);
    for (n = 0, g = mpi_rank; g < ntasks; g += mpi_size + 1)
        list[n++] = g;
    read_list(name, "br", mpi_rank == 0 ? 0 : n, list, records);
    read_list(name, "br", 0, list, records);
}

/* The library deals out the tasks: equal runs, and the last process takes the rest. */
static void read_own_share(char *name, int ntasks, int nfiles_written, records_function *records)
{
    int nfiles = 0, n = -1, *list = NULL, *file_of = NULL, *place_of = NULL, sid, i;
    int share = ntasks / mpi_size;
    sion_int64 *sizes = NULL;
    sion_int32 fsblksize = 0;

    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &list, &sizes, &file_of,
                                  &place_of, &fsblksize, NULL);
    CHECK(sid >= 0);
    CHECK_INT(nfiles, nfiles_written);
    CHECK_INT(n, mpi_rank == mpi_size - 1 ? ntasks - share * mpi_rank : share);
    for (i = 0; i < n && sid >= 0; i++) {
        CHECK_INT(list[i], share * mpi_rank + i);
        CHECK_INT(file_of[i], list[i] % nfiles);
        CHECK_INT(place_of[i], list[i] / nfiles);
        CHECK_INT(sizes[i] % fsblksize, 0);
        CHECK_INT(sion_seek(sid, list[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(read_task(sid, list[i]), length_of(records, list[i]));
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    free(list);
    free(file_of);
    free(place_of);
    free(sizes);
}

/* Unused entries of META2 are -1 in this sample, but the library writes 0. */
static int same_but_for_unused(const char *path, const char *sample)
{
    size_t na = 0, nb = 0, i = 0;
    unsigned char *a = support_load(path, &na), *b = support_load(sample, &nb);
    static const unsigned char zero[8], minus[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    int same = a && b && na == nb, replaced = 0;

    while (same && i < na) {
        if (a[i] == b[i]) {
            i++;
        } else if (i % 8 == 0 && memcmp(a + i, zero, 8) == 0 && memcmp(b + i, minus, 8) == 0) {
            i += 8;
            replaced++;
        } else {
            same = 0;
        }
    }
    free(a);
    free(b);
    return same && replaced > 0;
}

static void sample_again(char *name, int ntasks, int nfiles_wanted, sion_int32 fsblksize,
                         records_function *records)
{
    int nfiles = nfiles_wanted, sid;

    deal(ntasks, nfiles, hundreds);
    sid = open_writing(name, "bw", &nfiles, &fsblksize);
    CHECK(sid >= 0);
    write_tasks(sid, records);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

/* 2 or 4 processes wrote the samples; any number must write the same bytes. */
static void samples_are_written_again(void)
{
    static char m05[] = "m05_mapped.sion", m051[] = "m05_mapped1.sion",
                m12[] = "m12_mapped_chunks.sion";

    sample_again(m05, 12, 2, 512, records_of_m05);
    CHECK(support_same_files(m05, support_golden("mpi/m05_mapped.sion")));
    CHECK(
        support_same_files("m05_mapped.sion.000001", support_golden("mpi/m05_mapped.sion.000001")));
    sample_again(m051, 6, 1, 512, records_of_m05);
    CHECK(support_same_files(m051, support_golden("mpi/m05_mapped1.sion")));
    sample_again(m12, 6, 2, 16, records_of_m12);
    CHECK(support_same_files(m12, support_golden("mpi/m12_mapped_chunks.sion")));
    CHECK(same_but_for_unused("m12_mapped_chunks.sion.000001",
                              support_golden("mpi/m12_mapped_chunks.sion.000001")));
    read_in_all_ways(m05, 12, records_of_m05);
    read_own_share(m12, 6, 2, records_of_m12);
}

static void samples_are_read(void)
{
    char path[600];

    snprintf(path, sizeof path, "%s", support_golden("mpi/m05_mapped.sion"));
    read_in_all_ways(path, 12, records_of_m05);
    read_own_share(path, 12, 2, records_of_m05);
    snprintf(path, sizeof path, "%s", support_golden("mpi/m05_mapped1.sion"));
    read_in_all_ways(path, 6, records_of_m05);
    read_own_share(path, 6, 1, records_of_m05);
    snprintf(path, sizeof path, "%s", support_golden("mpi/m12_mapped_chunks.sion"));
    read_in_all_ways(path, 6, records_of_m12);
}

/* Any number of processes write twenty tasks in three files. */
static void many_tasks_in_some_files(void)
{
    static char name[] = "c.sion";

    write_twenty(name, "bw", 3);
    read_in_all_ways(name, 20, twice_500);
    read_own_share(name, 20, 3, twice_500);
    write_twenty(name, "bw,posix,collective,collsize=4", 20);
    read_in_all_ways(name, 20, twice_500);
    setenv("SION_COLLSIZE", "4", 1);
    read_own_share(name, 20, 20, twice_500);
    unsetenv("SION_COLLSIZE");
}

/* Write with paropen, with one task per process, and read with a mapped open; and the reverse. */
static void normal_containers_are_read(void)
{
    static char name[] = "n.sion";
    MPI_Comm none = MPI_COMM_NULL;
    sion_int64 chunk = 1000;
    sion_int32 fsblksize = 100;
    int nfiles = mpi_size > 1 ? 2 : 1, globalrank, sid, i;
    size_t sizes[4];
    long total = 0;

    sid = sion_paropen_mpi(name, "bw", &nfiles, MPI_COMM_WORLD, &none, &chunk, &fsblksize,
                           &globalrank, NULL, NULL);
    for (i = 0; i < twice_500(mpi_rank, sizes); i++)
        total = write_piece(sid, mpi_rank, total, sizes[i]);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    read_in_all_ways(name, mpi_size, twice_500);

    nfiles = 1;
    deal(mpi_size, 1, thousand);
    sid = open_writing(name, "bw", &nfiles, &fsblksize);
    write_tasks(sid, twice_500);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    sid =
        sion_paropen_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &none, NULL, NULL, NULL, NULL, NULL);
    CHECK_INT(read_task(sid, mpi_rank), 2 * (500 + mpi_rank));
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Ranks in a serial container may be any numbers, by which mapped opens name the tasks. */
static void serial_containers_are_read_by_their_ranks(void)
{
    static char name[] = "s.sion";
    int ntasks = 3, nfiles = 1, sid, g, n = 2;
    int stored[3] = {7, 4, 900}, *stored_list = stored, wanted[2] = {900, 4}, *list = wanted;
    sion_int64 sizes[3] = {4000, 4000, 4000}, *chunk_list = sizes;
    sion_int32 fsblksize = 512;

    if (mpi_rank == 0) {
        sid = sion_open(name, "bw", &ntasks, &nfiles, &chunk_list, &fsblksize, &stored_list, NULL);
        for (g = 0; g < 3; g++) {
            CHECK_INT(sion_seek(sid, g, 0, 0), 1);
            write_piece(sid, stored[g], 0, (size_t)(1000 + g));
        }
        CHECK_INT(sion_close(sid), 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &list, NULL, NULL, NULL,
                                  NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(read_task(sid, 900), 1002);
    CHECK_INT(sion_seek(sid, 4, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(read_task(sid, 4), 1001);
    CHECK_INT(sion_seek(sid, 7, SION_CURRENT_BLK, SION_CURRENT_POS), 0);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    n = -1;
    list = NULL;
    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &list, NULL, NULL, NULL,
                                  NULL, NULL);
    if (mpi_rank == mpi_size - 1 && n > 0)
        CHECK_INT(list[n - 1], 900);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    free(list);
}

/* A writer knows the number of all tasks, and the file of the selected task. */
static void a_writer_knows_the_mapping(void)
{
    static char name[] = "w.sion";
    sion_int32 fsblksize = 100, untouched = 0, *mapping = &untouched;
    int nfiles = 3, sid, i, size = 0, found = 0;

    deal(20, nfiles, thousand);
    sid = open_writing(name, "bw", &nfiles, &fsblksize);
    CHECK_INT(sion_get_mapping(sid, &size, &mapping, &found), 1);
    CHECK(size == 20 && found == 3 && !mapping);
    for (i = 0; i < own.n; i++) {
        CHECK_INT(sion_seek(sid, own.ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_get_filenumber(sid), own.files[i]);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static int count_known_keys(int sid)
{
    uint64_t key;
    int n = 0;

    while (sion_key_list_iterator_next(sid, &key))
        n++;
    return n;
}

/* Duplicates list the four keys of the task at once, or the key that they show. */
static void check_known_keys(int sid)
{
    int i, copy;

    for (i = 0; i < own.n; i++) {
        copy = sion_dup(sid, SION_DUP_ALL, 0, 0);
        CHECK_INT(sion_seek(copy, own.ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(count_known_keys(copy), 4);
        CHECK_INT(sion_dedup(copy), 1);
        copy = sion_dup(sid, SION_DUP_RANK, own.ranks[i], 0);
        CHECK_INT(count_known_keys(copy), 4);
        CHECK_INT(sion_dedup(copy), 1);
        copy = sion_dup(sid, SION_DUP_RANK_KEY, own.ranks[i], 3);
        CHECK_INT(count_known_keys(copy), 1);
        CHECK_INT(sion_dedup(copy), 1);
    }
}

static void key_value_records(void)
{
    static char name[] = "k.sion";
    sion_int32 fsblksize = 100;
    int nfiles = 3, sid, i, j;
    char text[32];
    uint64_t key;
    size_t size;

    deal(20, nfiles, thousand);
    sid = open_writing(name, "bw,keyval=inline", &nfiles, &fsblksize);
    for (j = 0; j < 40; j++) {
        for (i = 0; i < own.n; i++) {
            CHECK_INT(sion_seek(sid, own.ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            snprintf(text, sizeof text, "task %d record %d", own.ranks[i], j);
            CHECK_INT(sion_fwrite_key(text, (uint64_t)j % 4, 1, 32, sid), 32);
        }
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);

    i = own.n;
    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &i, &own.ranks, NULL, NULL,
                                  NULL, NULL, NULL);
    for (j = 0; j < 40; j++) {
        for (i = 0; i < own.n; i++) {
            char expected[32];

            CHECK_INT(sion_seek(sid, own.ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_fread_key_iterator_next(sid, &key, &size), 1);
            CHECK(key == (uint64_t)j % 4 && size == 32);
            CHECK_INT(sion_fread_key(text, key, 1, 32, sid), 32);
            snprintf(expected, sizeof expected, "task %d record %d", own.ranks[i], j);
            CHECK_STR(text, expected);
        }
    }
    check_known_keys(sid);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

/* Duplicates have positions of their own, and the original may be closed first. */
static void duplicates(void)
{
    static char name[] = "d.sion";
    static unsigned char data[1000];
    int nfiles = 2, n = 20, list[20], *pointer = list, sid, all, one, g;

    write_twenty(name, "bw", 2);
    for (g = 0; g < 20; g++)
        list[g] = g;
    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &pointer, NULL, NULL,
                                  NULL, NULL, NULL);
    CHECK_INT(sion_seek(sid, 7, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fread(data, 1, 507, sid), 507);
    CHECK_INT(sion_seek(sid, 3, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    all = sion_dup(sid, SION_DUP_ALL, 0, 0);
    one = sion_dup(sid, SION_DUP_RANK, 7, 0);
    CHECK(all >= 0 && one >= 0);
    CHECK_INT(sion_dup(sid, SION_DUP_RANK, 20, 0), -1);
    CHECK_INT(sion_dup(sid, SION_DUP_RANK_KEY, 7, 0), -1);
    CHECK_INT(sion_dedup(sid), 0);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    CHECK_INT(read_task(all, 3), 1006);
    CHECK_INT(sion_seek(all, 7, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fread(data, 1, 507, one), 507);
    CHECK_INT(check_compare(data, 7, 507, 507), -1);
    CHECK_INT(sion_feof(one), 1);
    CHECK_INT(sion_feof(all), 0);
    CHECK_INT(sion_get_bytes_read(all), 507);
    CHECK_INT(sion_dedup(one), 1);
    CHECK_INT(sion_dedup(all), 1);
    CHECK_INT(sion_dedup(all), -1);
}

/* The FILE* follows sion_seek. */
static void the_file_follows_the_task(void)
{
    static char name[] = "f.sion";
    sion_int32 fsblksize = 100;
    int nfiles = 2, sid, i, n;
    FILE *fp = NULL;

    deal(10, nfiles, thousand);
    n = own.n;
    sid = sion_paropen_mapped_mpi(name, "bw", &nfiles, MPI_COMM_WORLD, &n, &own.ranks, &own.chunks,
                                  &own.files, &own.places, &fsblksize, &fp);
    CHECK(sid >= 0 && (fp != NULL) == (n > 0));
    for (i = 0; i < n; i++) {
        static unsigned char data[600];

        CHECK_INT(sion_seek(sid, own.ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        check_fill(data, own.ranks[i], 0, 600);
        CHECK_INT(fwrite(data, 1, 600, fp), 600);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &own.ranks, NULL, NULL,
                                  NULL, NULL, NULL);
    for (i = 0; i < n; i++) {
        CHECK_INT(sion_seek(sid, own.ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(read_task(sid, own.ranks[i]), 600);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

/* Each process reads all tasks, from more files than it keeps open, and continues at its position.
 * */
static void each_process_reads_all_tasks(void)
{
    enum { TASKS = 80, BYTES = 300 };
    static char name[] = "all.sion";
    static unsigned char data[TASKS * BYTES];
    sion_int64 starts[TASKS + 1];
    sion_int32 fsblksize = 100;
    int nfiles = TASKS, n = TASKS, list[TASKS], *pointer = list, sid, g;

    deal(TASKS, TASKS, thousand);
    sid = open_writing(name, "bw", &nfiles, &fsblksize);
    for (g = 0; g < own.n; g++) {
        CHECK_INT(sion_seek(sid, own.ranks[g], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        write_piece(sid, own.ranks[g], 0, BYTES);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    for (g = 0; g < TASKS; g++)
        list[g] = g;
    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &pointer, NULL, NULL,
                                  NULL, NULL, NULL);
    CHECK_INT(sion_seek(sid, 3, SION_ABSOLUTE_POS, 50), 1);
    CHECK_INT(sion_stream_sizes(sid, TASKS, list, starts), sizeof data);
    CHECK_INT(sion_stream_read_tasks(sid, TASKS, list, starts, data, sizeof data), sizeof data);
    for (g = 0; g < TASKS; g++)
        CHECK_INT(check_compare(data + starts[g], g, 0, BYTES), -1);
    CHECK_INT(sion_stream_read(sid, data, BYTES), BYTES - 50);
    CHECK_INT(check_compare(data, 3, 50, BYTES - 50), -1);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

/* A process without tasks gets a sid that does nothing, and does no harm. */
static void write_without_tasks(char *name, const char *mode)
{
    sion_int32 fsblksize = 100;
    int nfiles = 1, sid;
    char data[10] = "123456789";

    deal(1, 1, thousand);
    sid = open_writing(name, mode, &nfiles, &fsblksize);
    CHECK(sid >= 0);
    if (own.n == 0) {
        CHECK_INT(sion_fwrite(data, 1, 10, sid), 0);
        CHECK_INT(sion_ensure_free_space(sid, 10), 0);
        CHECK_INT(sion_get_bytes_written(sid), 0);
        CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 0);
        CHECK(sion_get_fp(sid) == NULL);
        CHECK_INT(sion_get_fd(sid), -1);
    } else {
        CHECK_INT(sion_fwrite(data, 1, 10, sid), 10);
    }
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static void a_process_without_tasks_does_no_harm(void)
{
    static char name[] = "e.sion";
    int nfiles = 1, n = 0, sid, none = 0;
    char data[10];
    FILE *fp = stdin;

    write_without_tasks(name, "bw,posix");
    write_without_tasks(name, "bw");
    own.ranks = NULL;
    sid = sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &own.ranks, NULL, NULL,
                                  NULL, NULL, &fp);
    CHECK(sid >= 0 && fp == NULL);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_bytes_avail_in_block(sid), 0);
    CHECK_INT(sion_fread(data, 1, 10, sid), 0);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, 0, 0), 0);
    CHECK_INT(sion_is_serial_opened(sid), 0);
    none = sion_dup(sid, SION_DUP_ALL, 0, 0);
    CHECK(none >= 0);
    CHECK_INT(sion_dedup(none), 1);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

/* The calls of the checkpoint library FTI: one file, only the own task, and sion_open as a probe.
 * */
static void the_calls_of_fti_work(void)
{
    static char name[] = "Ckpt1-sionlib.fti";
    int nfiles = 1, n = 1, rank = mpi_rank, file = 0, *rank_map = &rank, *file_map = &file;
    int *list = &rank, ntasks = 0, probe, sid;
    sion_int64 size = 1000 + mpi_rank, *sizes = &size, *all_sizes;
    sion_int32 fsblksize = -1;
    int *all_ranks, *all_files, *all_places;

    sid = sion_paropen_mapped_mpi(name, "wb,posix", &nfiles, MPI_COMM_WORLD, &n, &list, &sizes,
                                  &file_map, &rank_map, &fsblksize, NULL);
    CHECK(sid >= 0 && fsblksize > 0);
    CHECK_INT(sion_seek(sid, mpi_rank, SION_CURRENT_BLK, SION_CURRENT_POS), SION_SUCCESS);
    write_piece(sid, mpi_rank, write_piece(sid, mpi_rank, 0, 900), (size_t)(100 + mpi_rank));
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);

    all_sizes = calloc((size_t)mpi_size, sizeof *all_sizes);
    all_ranks = calloc((size_t)mpi_size, sizeof *all_ranks);
    all_files = calloc((size_t)mpi_size, sizeof *all_files);
    all_places = calloc((size_t)mpi_size, sizeof *all_places);
    probe = sion_open(name, "rb,posix", &ntasks, &nfiles, &all_sizes, &fsblksize, &all_ranks, NULL);
    CHECK(probe >= 0 && ntasks == mpi_size);
    sid = sion_paropen_mapped_mpi(name, "rb,posix", &nfiles, MPI_COMM_WORLD, &ntasks, &all_ranks,
                                  &all_sizes, &all_files, &all_places, &fsblksize, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_seek(sid, mpi_rank, SION_CURRENT_BLK, SION_CURRENT_POS), SION_SUCCESS);
    CHECK_INT(read_task(sid, mpi_rank), 1000 + mpi_rank);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    CHECK_INT(sion_close(probe), 1);
    free(all_sizes);
    free(all_ranks);
    free(all_files);
    free(all_places);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(samples_are_written_again);
    RUN_MPI(samples_are_read);
    RUN_MPI(many_tasks_in_some_files);
    RUN_MPI(normal_containers_are_read);
    RUN_MPI(serial_containers_are_read_by_their_ranks);
    RUN_MPI(key_value_records);
    RUN_MPI(a_writer_knows_the_mapping);
    RUN_MPI(duplicates);
    RUN_MPI(the_file_follows_the_task);
    RUN_MPI(each_process_reads_all_tasks);
    RUN_MPI(a_process_without_tasks_does_no_harm);
    RUN_MPI(the_calls_of_fti_work);
    return mpi_end();
}
