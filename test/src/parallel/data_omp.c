/* The OpenMP interface, with teams of 1 to 8 threads. */
#include "sion.h"

#include <unistd.h>

#include "team_omp.h"

#define NAME "c.sion"

static int open_usual(const char *mode)
{
    sion_int64 chunksize = 100 + omp_get_thread_num();
    sion_int32 fsblksize = 16;
    int globalrank = -9;

    return sion_paropen_omp(NAME, mode, &chunksize, &fsblksize, &globalrank, NULL, NULL);
}

static void write_all(int sid, long task, const size_t *sizes, int n)
{
    unsigned char data[1000];
    long total = 0;
    int i;

    for (i = 0; i < n; i++) {
        check_fill(data, task, total, sizes[i]);
        EXPECT(sion_fwrite(data, 1, sizes[i], sid) == sizes[i]);
        total += (long)sizes[i];
    }
}

static void read_all(int sid, long task, long expected)
{
    unsigned char data[1000];
    long total = 0;

    while (!sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        EXPECT(sion_fread(data, 1, left, sid) == left);
        EXPECT(check_compare(data, task, total, left) == -1);
        total += (long)left;
    }
    EXPECT(total == expected);
}

/* 4 threads; thread r writes r + 1 records of 100 + 50 * r bytes. */
static void write_sample(const char *mode)
{
#pragma omp parallel num_threads(4)
    {
        const size_t size = 100 + 50 * (size_t)omp_get_thread_num();
        const size_t sizes[4] = {size, size, size, size};
        sion_int64 chunksize = 100 * (omp_get_thread_num() + 1);
        sion_int32 fsblksize = 512;
        int globalrank = -9, r = omp_get_thread_num(), sid;
        char *newfname = NULL;

        sid = sion_paropen_omp("o01_omp.sion", mode, &chunksize, &fsblksize, &globalrank, NULL,
                               &newfname);
        EXPECT(sid >= 0 && globalrank == r);
        EXPECT(newfname && strcmp(newfname, "o01_omp.sion") == 0);
        free(newfname);
        write_all(sid, r, sizes, r + 1);
        EXPECT(sion_parclose_omp(sid) == 1);
    }
    team_done();
}

static void the_sample_is_written_byte_by_byte(void)
{
    write_sample("bw");
    CHECK(support_same_as_sample("o01_omp.sion", support_golden("omp/o01_omp.sion"), "bw"));
    write_sample("bw,posix");
    CHECK(support_same_as_sample("o01_omp.sion", support_golden("omp/o01_omp.sion"), "bw"));
}

static void the_sample_is_read(void)
{
    char path[512];

    snprintf(path, sizeof path, "%s", support_golden("omp/o01_omp.sion"));
#pragma omp parallel num_threads(4)
    {
        static const long totals[] = {100, 300, 600, 1000};
        int r = omp_get_thread_num(), globalrank = -9;
        sion_int64 chunksize = 0;
        sion_int32 fsblksize = 0;
        FILE *file = NULL;
        int sid = sion_paropen_omp(path, "br", &chunksize, &fsblksize, &globalrank, &file, NULL);

        EXPECT(sid >= 0 && globalrank == r && file != NULL);
        EXPECT(chunksize == 512 && fsblksize == 512);
        read_all(sid, r, totals[r]);
        EXPECT(sion_parclose_omp(sid) == 1);
    }
    team_done();
}

/* Chunks of 100 bytes in blocks of 16: stored as 112. */
static void records_of_100_50_100_bytes_come_back(void)
{
    static const size_t sizes[] = {100, 50, 100};
    int threads;

    for (threads = 1; threads <= 8; threads++) {
#pragma omp parallel num_threads(threads)
        {
            sion_int64 chunksize = 100;
            sion_int32 fsblksize = 16;
            int r = omp_get_thread_num(), globalrank, sid;

            sid = sion_paropen_omp(NAME, "bw", &chunksize, &fsblksize, &globalrank, NULL, NULL);
            EXPECT(sid >= 0 && chunksize == 100);
            write_all(sid, r, sizes, 3);
            EXPECT(sion_parclose_omp(sid) == 1);
            sid = sion_paropen_omp(NAME, "br", &chunksize, &fsblksize, &globalrank, NULL, NULL);
            EXPECT(sid >= 0 && chunksize == 112 && globalrank == r);
            read_all(sid, r, 250);
            EXPECT(sion_parclose_omp(sid) == 1);
        }
        team_done();
    }
}

static void outside_a_parallel_region_the_team_has_one_thread(void)
{
    static const size_t sizes[] = {60};
    int sid = open_usual("bw");

    CHECK(sid >= 0);
    write_all(sid, 0, sizes, 1);
    CHECK_INT(sion_parclose_omp(sid), 1);
    sid = open_usual("br");
    read_all(sid, 0, 60);
    CHECK_INT(sion_parclose_omp(sid), 1);
    team_done();
}

/* Four sids in parts[], one for each thread. */
static void open_four(const char *mode, int *sids)
{
#pragma omp parallel num_threads(4)
    sids[omp_get_thread_num()] = open_usual(mode);
}

static int close_four(const int *sids)
{
    int closed = 0;

#pragma omp parallel num_threads(4) reduction(+ : closed)
    closed = sion_parclose_omp(sids[omp_get_thread_num()]) == 1;
    return closed;
}

static void another_team_size_at_the_close_is_refused(void)
{
    int sids[4], threads, refused;

    support_catch();
    open_four("bw", sids);
    for (threads = 1; threads <= 6; threads++) {
        if (threads == 4)
            continue;
        refused = 0;
        support_catch();
#pragma omp parallel num_threads(threads) reduction(+ : refused)
        {
            char text[80];

            refused = sion_parclose_omp(sids[omp_get_thread_num() % 4]) == 0;
            snprintf(text, sizeof text, "invalid number of OpenMP threads, %d <> 4", threads);
            EXPECT(strstr(sion_error_text(), text) != NULL);
        }
        CHECK_INT(refused, threads);
        CHECK_INT(support_errors, 1);
    }
    team_done();
    CHECK_INT(close_four(sids), 4);
}

static void a_wrong_sid_on_one_thread_closes_nothing(void)
{
    int sids[4], bad, refused;

    open_four("bw", sids);
    for (bad = 0; bad < 4; bad++) {
        int wrong = bad == 0 ? -1 : bad == 1 ? 77777 : sids[0];

        refused = 0;
        support_catch();
#pragma omp parallel num_threads(4) reduction(+ : refused)
        {
            int r = omp_get_thread_num();

            refused = sion_parclose_omp(r == bad ? wrong : sids[r]) == -1;
        }
        CHECK_INT(refused, 4);
        CHECK_INT(support_errors, 1);
    }
    CHECK_INT(close_four(sids), 4);
}

static void a_serial_sid_is_refused(void)
{
    int n = 1, nfiles = 1, ranks[1] = {0}, *r = ranks, sid;
    sion_int64 sizes[1] = {100}, *s = sizes;
    sion_int32 fs = 100;

    support_catch();
    sid = sion_open("s.sion", "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_parclose_omp(sid), -1);
    CHECK_CONTAINS(support_message, "was not opened in parallel");
    CHECK_INT(sion_close(sid), 1);
    sid = open_usual("bw");
    CHECK_INT(sion_close(sid), 0);
    CHECK_INT(sion_parclose_omp(sid), 1);
    CHECK_INT(sion_parclose_omp(sid), -1);
}

static void the_generic_interface_closes_and_starts_anew(void)
{
#pragma omp parallel num_threads(4)
    {
        int sid = open_usual("bw");

        EXPECT(sion_generic_parreinit(sid, 300) == 1);
        EXPECT(sion_fwrite("x", 1, 1, sid) == 1);
        EXPECT(sion_generic_parclose(sid) == 1);
    }
    team_done();
}

/* Each thread in turn passes each bad argument. */
static void a_bad_argument_on_one_thread_fails_on_all(void)
{
    static const struct {
        const char *name, *mode, *part;
        sion_int64 chunksize;
        int no_chunksize;
    } bad[] = {
        {NAME, "rw", "unknown file mode", 10, 0}, {NAME, "bw,buddy", "buddy", 10, 0},
        {NAME, "br,buddy", "buddy", 10, 0},       {"", "bw", "no file name", 10, 0},
        {NULL, "bw", "no file name", 10, 0},      {NAME, "bw", "chunk size is -1", -1, 0},
        {NAME, "bw", "is NULL", 10, 1},
    };
    size_t i;
    int who, failed;

    unlink(NAME);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (who = 0; who < 3; who++) {
            failed = 0;
            support_catch();
#pragma omp parallel num_threads(3) reduction(+ : failed)
            {
                int is_bad = omp_get_thread_num() == who, globalrank = -9;
                sion_int64 chunksize = is_bad ? bad[i].chunksize : 10;
                sion_int32 fsblksize = 16;

                failed = sion_paropen_omp(is_bad ? bad[i].name : NAME, is_bad ? bad[i].mode : "bw",
                                          is_bad && bad[i].no_chunksize ? NULL : &chunksize,
                                          &fsblksize, &globalrank, NULL, NULL) == -1;
                EXPECT(strstr(sion_error_text(), bad[i].part) != NULL);
                EXPECT(globalrank == -9);
            }
            CHECK_INT(failed, 3);
            CHECK_INT(support_errors, 1);
            CHECK(access(NAME, F_OK) != 0);
        }
    }
    team_done();
}

static int fail_in_team(const char *name, const char *mode, int threads)
{
    int failed = 0;

    support_catch();
#pragma omp parallel num_threads(threads) reduction(+ : failed)
    {
        sion_int64 chunksize = 10;
        sion_int32 fsblksize = 16;
        int rank;

        failed = sion_paropen_omp(name, mode, &chunksize, &fsblksize, &rank, NULL, NULL) == -1;
    }
    return failed;
}

static void opens_that_fail_do_so_on_all_threads(void)
{
    int descriptors = support_descriptors();

    CHECK_INT(fail_in_team("no/such/folder", "bw", 4), 4);
    CHECK_INT(support_errors, 1);
    CHECK_INT(fail_in_team("no/such/folder", "br", 4), 4);
    CHECK_INT(fail_in_team("not-there", "br", 8), 8);
    /* More threads than tasks. */
    CHECK_INT(fail_in_team(support_golden("omp/o01_omp.sion"), "br", 5), 5);
    CHECK_CONTAINS(support_message, "4 tasks");
    CHECK_INT(support_descriptors(), descriptors);
}

static void several_containers_are_open_at_once(void)
{
    static const size_t sizes[] = {30, 90};
    enum { CONTAINERS = 5 };

#pragma omp parallel num_threads(3)
    {
        int sids[CONTAINERS], r = omp_get_thread_num(), i, rank;
        sion_int64 chunksize = 100;
        sion_int32 fsblksize = 16;
        char name[16];

        for (i = 0; i < CONTAINERS; i++) {
            snprintf(name, sizeof name, "c%d.sion", i);
            sids[i] = sion_paropen_omp(name, "bw", &chunksize, &fsblksize, &rank, NULL, NULL);
            EXPECT(sids[i] >= 0);
        }
        for (i = 0; i < CONTAINERS; i++)
            write_all(sids[i], r + i, sizes, 2);
        for (i = CONTAINERS - 1; i >= 0; i--)
            EXPECT(sion_parclose_omp(sids[i]) == 1);
        for (i = 0; i < CONTAINERS; i++) {
            snprintf(name, sizeof name, "c%d.sion", i);
            sids[i] = sion_paropen_omp(name, "br", &chunksize, &fsblksize, &rank, NULL, NULL);
            read_all(sids[i], r + i, 120);
        }
        for (i = 0; i < CONTAINERS; i++)
            EXPECT(sion_parclose_omp(sids[i]) == 1);
    }
    team_done();
}

/* Nested teams of different sizes at the same time. */
static void nested_teams_have_containers_of_their_own(void)
{
    static const size_t sizes[] = {80, 70};

    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
    {
        int outer = omp_get_thread_num(), cycle;

        for (cycle = 0; cycle < 10; cycle++) {
#pragma omp parallel num_threads(outer + 1)
            {
                sion_int64 chunksize = 100;
                sion_int32 fsblksize = 16;
                char name[16];
                int rank, sid;

                snprintf(name, sizeof name, "n%d.sion", outer);
                sid = sion_paropen_omp(name, "bw", &chunksize, &fsblksize, &rank, NULL, NULL);
                EXPECT(sid >= 0 && rank == omp_get_thread_num());
                write_all(sid, 10 * outer + rank, sizes, 2);
                EXPECT(sion_parclose_omp(sid) == 1);
                sid = sion_paropen_omp(name, "br", &chunksize, &fsblksize, &rank, NULL, NULL);
                read_all(sid, 10 * outer + rank, 150);
                EXPECT(sion_parclose_omp(sid) == 1);
            }
        }
    }
    omp_set_max_active_levels(1);
    team_done();
}

static void two_thousand_cycles_leave_nothing_open(void)
{
    int descriptors = support_descriptors(), cycle, highest = 0;

    for (cycle = 0; cycle < 2000; cycle++) {
        int sids[4], i;

        open_four(cycle % 2 ? "br" : "bw", sids);
        for (i = 0; i < 4; i++)
            highest = sids[i] > highest ? sids[i] : highest;
        CHECK_INT(close_four(sids), 4);
    }
    CHECK_INT(support_descriptors(), descriptors);
    /* sids are reused. */
    CHECK(highest < 64);
}

static void the_library_has_registered_a_lock(void)
{
    CHECK_INT(sion_lock_user_callbacks_defined(), 1);
}

static void keys_and_direct_writes_work_per_thread(void)
{
#pragma omp parallel num_threads(4)
    {
        int r = omp_get_thread_num(), rank, sid;
        sion_int64 chunksize = 200;
        sion_int32 fsblksize = 16;
        char text[16] = "";
        FILE *file = NULL;

        sid = sion_paropen_omp(NAME, "bw,keyval=inline", &chunksize, &fsblksize, &rank, NULL, NULL);
        EXPECT(sion_fwrite_key("thread", (uint64_t)r, 1, 6, sid) == 6);
        EXPECT(sion_parclose_omp(sid) == 1);
        sid = sion_paropen_omp(NAME, "br,keyval=inline", &chunksize, &fsblksize, &rank, NULL, NULL);
        EXPECT(sion_fread_key(text, (uint64_t)r, 1, 6, sid) == 6 && strcmp(text, "thread") == 0);
        EXPECT(sion_parclose_omp(sid) == 1);
        sid = sion_paropen_omp(NAME, "bw", &chunksize, &fsblksize, &rank, &file, NULL);
        EXPECT(file && fprintf(file, "thread %d", r) == 8);
        EXPECT(sion_parclose_omp(sid) == 1);
        sid = sion_paropen_omp(NAME, "br", &chunksize, &fsblksize, &rank, NULL, NULL);
        EXPECT(sion_fread(text, 1, 8, sid) == 8 && text[7] == '0' + r);
        EXPECT(sion_parclose_omp(sid) == 1);
    }
    team_done();
}

int main(void)
{
    /* Threads that wait for each other for ever are a failure, not a pause. */
    alarm(300);
    omp_set_dynamic(0);
    support_enter_folder();
    RUN(the_sample_is_written_byte_by_byte);
    RUN(the_sample_is_read);
    RUN(records_of_100_50_100_bytes_come_back);
    RUN(outside_a_parallel_region_the_team_has_one_thread);
    RUN(another_team_size_at_the_close_is_refused);
    RUN(a_wrong_sid_on_one_thread_closes_nothing);
    RUN(a_serial_sid_is_refused);
    RUN(the_generic_interface_closes_and_starts_anew);
    RUN(a_bad_argument_on_one_thread_fails_on_all);
    RUN(opens_that_fail_do_so_on_all_threads);
    RUN(several_containers_are_open_at_once);
    RUN(nested_teams_have_containers_of_their_own);
    RUN(two_thousand_cycles_leave_nothing_open);
    RUN(the_library_has_registered_a_lock);
    RUN(keys_and_direct_writes_work_per_thread);
    support_leave_folder();
    return check_done();
}
