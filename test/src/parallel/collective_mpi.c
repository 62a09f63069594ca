/*
 * Collective reads and writes: the sample containers byte by byte, any sizes in any order, records
 * that do not fit, the ends of streams, and the words and variables that switch collective mode on.
 */
#include "collective_mpi.h"

/* ---- sample containers ---- */

static const struct recipe {
    const char *name, *mode;
    int ranks;
    int chunks[8];
    int writes[8][2];
} recipes[] = {
    {"m02_coll2.sion",
     "bw,collective,collsize=2",
     8,
     {100, 200, 600, 512, 513, 1024, 100, 700},
     {{10, 20}, {200, 200}, {600, 500}, {1, 2}, {500, 20}, {1000, 24}, {1, 1}, {0, 700}}},
    {"m03_cmerge.sion",
     "bw,collective,collectivemerge,collsize=4",
     8,
     {100, 200, 600, 512, 513, 1024, 100, 700},
     {{10, 20}, {200, 100}, {600, 500}, {1, 2}, {500, 20}, {1000, 24}, {1, 1}, {0, 700}}},
    {"m03b_cmergeonly.sion",
     "bw,cmerge,collsize=2",
     4,
     {100, 200, 600, 512},
     {{10, 20}, {200, 100}, {600, 500}, {1, 2}}},
    {"m11_collheur.sion",
     "bw,collective",
     6,
     {100, 200, 600, 512, 513, 1024},
     {{10, 20}, {200, 200}, {600, 500}, {1, 2}, {500, 20}, {1000, 24}}},
};

static const struct recipe *recipe;

static int open_sample(const char *name, const char *mode, long long chunksize, FILE **fp)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 size = chunksize;
    sion_int32 fsblksize = 512;
    int globalrank, nfiles = 1;

    return sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &world, &size, &fsblksize,
                            &globalrank, fp, NULL);
}

/* A merged container has a record of its members behind what SIONlib writes. */
static int same_as_sample(const char *name, const char *sample, int is_merged)
{
    size_t bytes = 0, least = 0;
    unsigned char *file, *golden;
    int same;

    if (!is_merged)
        return support_same_files(name, sample);
    file = support_load(name, &bytes);
    golden = support_load(sample, &least);
    same = bytes > least + 8 && memcmp(file, golden, least) == 0 &&
           memcmp(file + least, "SIONMBR1", 8) == 0;
    free(file);
    free(golden);
    return same;
}

static void write_sample(const char *mode, FILE **fp)
{
    const int *writes = recipe->writes[mpi_rank];
    int sid = open_sample(recipe->name, mode, recipe->chunks[mpi_rank], fp);
    char sample[80];

    CHECK_INT(put(sid, 0, (size_t)writes[0]), writes[0]);
    CHECK_INT(put(sid, writes[0], (size_t)writes[1]), writes[1]);
    if (!strstr(mode, "collectivemerge"))
        CHECK_INT(sion_get_bytes_written(sid), writes[0] + writes[1]);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    snprintf(sample, sizeof sample, "mpi/%s", recipe->name);
    if (mpi_rank == 0)
        CHECK(same_as_sample(recipe->name, support_golden(sample),
                             strstr(mode, "collectivemerge") != NULL));
}

/* All ranks make the same number of calls, until the last one is at its end. */
static long read_sample(const char *mode)
{
    int sid = open_sample(recipe->name, mode, 0, NULL), busy = 1;
    long total = 0;

    while (busy) {
        int at_end = sion_feof(sid);
        size_t left = at_end ? 0 : (size_t)sion_bytes_avail_in_block(sid);

        CHECK_INT(get(sid, mpi_rank, total, left), left);
        total += (long)left;
        CHECK_INT(sion_get_bytes_read(sid), total);
        busy = !at_end;
        MPI_Allreduce(MPI_IN_PLACE, &busy, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    return total;
}

static void sample_container(void)
{
    static const char *const readers[] = {"br", "br,collective",
                                          "br,collective,collsize=3,collread",
                                          "br,collective,collsize=8,posix,collread"};
    char mode[80];
    FILE *fp = NULL;
    size_t i;

    write_sample(recipe->mode, NULL);
    write_sample(recipe->mode, &fp);
    CHECK(fp != NULL);
    snprintf(mode, sizeof mode, "%s,posix", recipe->mode);
    write_sample(mode, NULL);
    for (i = 0; i < 4 && !strstr(recipe->mode, "collectivemerge"); i++)
        CHECK_INT(read_sample(readers[i]),
                  recipe->writes[mpi_rank][0] + recipe->writes[mpi_rank][1]);
}

/* ---- sequences ---- */

/* Write `times` records of `bytes` bytes (odd ranks none in every third call), and read them. */
static void write_and_read(const char *writer, const char *reader, int times, int bytes)
{
    int sid = do_open(writer, 1000), i;
    long total = 0;

    for (i = 0; i < times; i++) {
        int mine = mpi_rank % 2 && i % 3 == 1 ? 0 : bytes;

        CHECK_INT(put(sid, total, (size_t)mine), mine);
        total += mine;
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open(reader, 0);
    total = 0;
    for (i = 0; i < times; i++) {
        int mine = mpi_rank % 2 && i % 3 == 1 ? 0 : bytes;

        CHECK_INT(get(sid, mpi_rank, total, (size_t)mine), mine);
        total += mine;
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, total, 1), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void records_go_to_the_next_chunk_if_necessary(void)
{
    static const int sequences[][2] = {{3, 1000}, {6, 500}, {6, 750}, {20, 33}};
    static const char *const modes[] = {"", ",collective", ",collective,collsize=4"};
    char writer[60], reader[60];
    int i, w, r;

    for (i = 0; i < 4; i++) {
        for (w = 0; w < 3; w++) {
            for (r = (i + w) % 2; r < 3; r += 2) {
                usual(2500);
                snprintf(writer, sizeof writer, "bw%s", modes[w]);
                snprintf(reader, sizeof reader, "br%s,%s", modes[r],
                         (w + r) % 2 ? "collread" : "ansi");
                write_and_read(writer, reader, sequences[i][0], sequences[i][1]);
            }
        }
    }
    CHECK_INT(support_errors + support_warnings, 0);
}

/* Unless the mode requests collective reads, each rank can make any number of reads without the
   others. */
static void reads_do_not_wait_for_other_ranks(void)
{
    int sid, i;

    usual(512);
    sid = do_open("bw,collective,collsize=8", 1000);
    for (i = 0; i < 5; i++)
        CHECK_INT(put(sid, 100 * i, 100), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,collsize=8", 0);
    for (i = 0; i <= mpi_rank % 5; i++)
        CHECK_INT(get(sid, mpi_rank, 100 * i, 100), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Records larger than any message, in both directions, also in sets of files. */
static void large_records_arrive_complete(void)
{
    size_t bytes = (size_t)(MOST - 1000 * mpi_rank);
    int sid;

    for (call.nfiles = 0, usual(4096); call.nfiles <= 2 && call.nfiles <= mpi_size; call.nfiles++) {
        sid = do_open("bw,collective,collsize=8", MOST);
        CHECK_INT(put(sid, 0, 10), 10);
        CHECK_INT(put(sid, 10, bytes - 10), bytes - 10);
        CHECK_INT(put(sid, 0, bytes), bytes);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br,collective,collsize=8,collread", 0);
        CHECK_INT(get(sid, mpi_rank, 0, bytes), bytes);
        CHECK_INT(get(sid, mpi_rank, 0, bytes), bytes);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

/* Up to a size, records travel with what is said of them; sender and collector draw the same line.
 */
static void short_and_long_records_are_distinguished(void)
{
    int bytes, sid;

    usual(512);
    sid = do_open("bw,collective,collsize=8", 5000);
    for (bytes = 4095; bytes <= 4097; bytes++)
        CHECK_INT(put(sid, bytes, (size_t)bytes), bytes);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,collsize=8,collread", 0);
    for (bytes = 4095; bytes <= 4097; bytes++)
        CHECK_INT(get(sid, mpi_rank, bytes, (size_t)bytes), bytes);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* ---- records that do not fit, and ends ---- */

static void a_record_that_does_not_fit_fails_alone(void)
{
    int victim, sid;

    for (victim = 0; victim < mpi_size; victim++) {
        usual(512);
        sid = do_open("bw,collective,collsize=8", 1000);
        CHECK_INT(put(sid, 0, 300), 300);
        support_catch();
        CHECK_INT(put(sid, 300, mpi_rank == victim ? 9000 : 400), mpi_rank == victim ? 0 : 400);
        CHECK_INT(support_errors, mpi_rank == victim);
        CHECK_INT(sion_coll_fwrite(NULL, 1, mpi_rank == victim, sid), 0);
        CHECK_INT(sion_coll_fwrite(data, mpi_rank == victim ? (size_t)-1 : 0, 2, sid), 0);
        CHECK_INT(support_errors, mpi_rank == victim ? 3 : 0);
        CHECK_INT(sion_get_bytes_written(sid), mpi_rank == victim ? 300 : 700);
        CHECK_INT(put(sid, mpi_rank == victim ? 300 : 700, 90), 90);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br", 0);
        CHECK_INT(get(sid, mpi_rank, 0, 300), 300);
        if (mpi_rank != victim)
            CHECK_INT(get(sid, mpi_rank, 300, 400), 400);
        CHECK_INT(get(sid, mpi_rank, mpi_rank == victim ? 300 : 700, 90), 90);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

static void ends_and_short_rests_affect_one_task(void)
{
    int victim, sid, mine;

    for (victim = 0; victim < mpi_size; victim++) {
        usual(512);
        mine = mpi_rank == victim;
        sid = do_open("bw,collective", 1000);
        CHECK_INT(put(sid, 0, mine ? 100 : 300), mine ? 100 : 300);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br,collective,collsize=8,collread", 0);
        support_catch();
        CHECK_INT(get(sid, mpi_rank, 0, mine ? 0 : 50), mine ? 0 : 50);
        CHECK_INT(get(sid, mpi_rank, mine ? 0 : 50, 50), 50);
        CHECK_INT(sion_get_bytes_read(sid), mine ? 50 : 100);
        CHECK_INT(get(sid, mpi_rank, mine ? 50 : 100, 60), mine ? 0 : 60);
        CHECK_INT(support_errors, mine);
        CHECK_INT(get(sid, mpi_rank, mine ? 50 : 160, 50), 50);
        CHECK_INT(get(sid, mpi_rank, mine ? 100 : 210, 90), mine ? 0 : 90);
        CHECK_INT(support_errors, mine);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

static void individual_calls_may_come_in_between(void)
{
    int sid, with_file;

    for (with_file = 0; with_file < 2; with_file++) {
        usual(512);
        sid = do_open(with_file ? "bw,collective" : "bw,collective,posix", 1000);
        CHECK_INT(put(sid, 0, 100), 100);
        check_fill(data, mpi_rank, 100, 50);
        CHECK_INT(sion_fwrite(data, 1, 20, sid), 20);
        if (with_file)
            CHECK_INT(fwrite(data + 20, 1, 30, call.fp), 30);
        else
            CHECK_INT(sion_fwrite(data + 20, 1, 30, sid), 30);
        CHECK_INT(put(sid, 150, 100), 100);
        CHECK_INT(sion_get_bytes_written(sid), 250);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open(with_file ? "br,collective,collread" : "br,collective,posix,collread", 0);
        CHECK_INT(get(sid, mpi_rank, 0, 30), 30);
        CHECK_INT(sion_fread(data, 1, 100, sid), 100);
        CHECK_INT(check_compare(data, mpi_rank, 30, 100), -1);
        CHECK_INT(get(sid, mpi_rank, 130, 120), 120);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

/* ---- switching collective mode on ---- */

/* Chunk sizes of 100 with blocks of 512: the stored size shows the mode and the groups. */
static long long stored_size(const char *mode)
{
    int sid = do_open(mode, 100);

    CHECK_INT(put(sid, 0, 50), 50);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br", 0);
    CHECK_INT(get(sid, mpi_rank, 0, 50), 50);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    return call.chunksize;
}

/* Pairs of ranks on nodes of their own. */
static void groups_of_nodes(void)
{
    char node[20];
    int nfiles;

    snprintf(node, sizeof node, "node %d", mpi_rank / 2);
    setenv("SION_NODE", node, 1);
    for (nfiles = 1; nfiles <= (mpi_size + 1) / 2; nfiles++) {
        usual(512);
        call.nfiles = nfiles;
        if (mpi_size % nfiles == 0 && mpi_size / nfiles % 2 == 0)
            CHECK_INT(stored_size("bw,collective,collmsa"), mpi_rank % 2 ? 412 : 100);
    }
    unsetenv("SION_NODE");
}

/* What a task of a group stores: 100 bytes, and the last one the rest of the block. */
static long long stored_in_group(int rank, int size)
{
    return rank == size - 1 ? (100LL * size + 511) / 512 * 512 - 100 * (size - 1) : 100;
}

static long long stored_in_node(void)
{
    MPI_Comm node;
    int rank, size;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, mpi_rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    MPI_Comm_free(&node);
    return stored_in_group(rank, size);
}

static void words_and_environment_switch_it_on(void)
{
    long long together = stored_in_group(mpi_rank, mpi_size);
    int nobody = mpi_size > 1 && mpi_rank == 0;

    if (mpi_size > 5) {
        SKIP("the chunks do not fit into a block");
        return;
    }
    usual(512);
    CHECK_INT(stored_size("bw"), 512);
    CHECK_INT(stored_size("bw,collsize=4"), 512);
    CHECK_INT(stored_size("bw,collective"), together);
    CHECK_INT(stored_size("bw,collective,collsize=1"), together);
    CHECK_INT(stored_size("bw,collective,collmsa,collsize=1"), 512);
    CHECK_INT(stored_size("bw,collmsa"), stored_in_node());
    setenv("SION_COLLSIZE", nobody ? "-1" : "0", 1); /* rank 0's counts */
    CHECK_INT(stored_size("bw"), mpi_size > 1 ? together : 512);
    setenv("SION_COLLSIZE", mpi_rank ? "5" : "0", 1);
    CHECK_INT(stored_size("bw,collective"), 512);
    unsetenv("SION_COLLSIZE");
    setenv("SION_COLLNUM", "1", 1);
    CHECK_INT(stored_size("bw"), together);
    setenv("SION_COLLNUM", "0", 1);
    CHECK_INT(stored_size("bw,collective"), 512);
    setenv("SION_COLLSIZE", "4", 1);
    CHECK_INT(stored_size("bw"), together);
    usual(512);
}

static void tasks_of_no_bytes_form_one_group(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective", 0);
    support_catch();
    CHECK_INT(put(sid, 0, 0), 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(put(sid, 0, 1), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void key_value_containers_have_no_collective_records(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective,keyval", 100);
    support_catch();
    CHECK_INT(put(sid, 0, 10), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_fwrite_key("0123456789", 3, 1, 10, sid), 10);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective", 0);
    CHECK_INT(sion_fread_key(data, 3, 1, 10, sid), 10);
    CHECK(memcmp(data, "0123456789", 10) == 0);
    support_catch();
    CHECK_INT(sion_coll_fread(data, 1, 10, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void the_wrong_access_is_refused(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective", 100);
    support_catch();
    CHECK_INT(sion_coll_fread(data, 1, 10, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(put(sid, 0, 10), 10);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK(sion_coll_fwrite_mpi(data, 1, 1, sid) == (size_t)-1);
    CHECK(sion_coll_fread_mpi(data, 1, 1, sid) == (size_t)-1);
}

static void a_new_start_forms_new_groups(void)
{
    int sid;

    usual(100);
    setenv("SION_COLLSIZE", "4", 1);
    sid = do_open("bw", 2000);
    CHECK_INT(put(sid, 7, 1500), 1500);
    CHECK_INT(sion_parreinit_mpi(sid, 90), 1);
    CHECK_INT(put(sid, 0, 80), 80);
    CHECK_INT(put(sid, 80, 70), 70);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br", 0);
    CHECK(call.chunksize < 200);
    CHECK_INT(get(sid, mpi_rank, 0, 80), 80);
    CHECK_INT(get(sid, mpi_rank, 80, 70), 70);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    usual(512);
}

static void many_cycles_leave_nothing_behind(void)
{
    int descriptors = support_descriptors(), cycles = mpi_size <= 2 ? 2000 : 60, sid, i;

    for (i = 0; i < cycles; i++) {
        usual(512);
        sid = do_open(i % 2 ? "bw,collective,collsize=8" : "bw,collective,cmerge", 100);
        CHECK_INT(put(sid, 0, 100), 100);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br,collective", 0);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
    CHECK_INT(support_descriptors(), descriptors);
}

int main(int argc, char **argv)
{
    size_t i;

    mpi_begin(&argc, &argv);
    for (i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        recipe = &recipes[i];
        if (recipe->ranks == mpi_size)
            mpi_run_test(recipe->name, sample_container);
    }
    if (argc > 1 && strcmp(argv[1], "samples") == 0)
        return mpi_end();
    RUN_MPI(records_go_to_the_next_chunk_if_necessary);
    RUN_MPI(reads_do_not_wait_for_other_ranks);
    RUN_MPI(large_records_arrive_complete);
    RUN_MPI(short_and_long_records_are_distinguished);
    RUN_MPI(a_record_that_does_not_fit_fails_alone);
    RUN_MPI(ends_and_short_rests_affect_one_task);
    RUN_MPI(individual_calls_may_come_in_between);
    RUN_MPI(groups_of_nodes);
    RUN_MPI(words_and_environment_switch_it_on);
    RUN_MPI(tasks_of_no_bytes_form_one_group);
    RUN_MPI(key_value_containers_have_no_collective_records);
    RUN_MPI(the_wrong_access_is_refused);
    RUN_MPI(a_new_start_forms_new_groups);
    RUN_MPI(many_cycles_leave_nothing_behind);
    return mpi_end();
}
