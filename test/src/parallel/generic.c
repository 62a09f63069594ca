/*
 * The generic interface with callbacks made of plain threads: registration, levels, opens of one
 * file and of sets in any distribution, names, key-value records, new starts, failures.
 */
#include "sion.h"

#include "callbacks.h"
#include "support.h"

enum { MOST = 6 };

static char *name_of_file(const char *fname, int filenumber)
{
    char *name = malloc(strlen(fname) + 20);

    sprintf(name, filenumber ? "%s-part%d" : "%s", fname, filenumber);
    return name;
}

static int make_api(int with_names)
{
    int aid = generic_make_api();

    if (with_names)
        CHECK_INT(sion_generic_register_get_multi_filename_cb(aid, name_of_file), 0);
    return aid;
}

/* One case, and its results on each thread. */
static struct {
    int aid, tasks, nfiles, reversed, bad_task, keyval;
    int opened[MOST], closed[MOST], wrong[MOST];
    char names[MOST][64];
} sample;

/* Tasks go to the files in turn; with `reversed`, the places in a file are in reverse order. */
static void choose_seat(int rank, int *filenumber, int *lrank, int *lsize)
{
    *filenumber = rank % sample.nfiles;
    *lsize = (sample.tasks - *filenumber + sample.nfiles - 1) / sample.nfiles;
    *lrank = rank / sample.nfiles;
    if (sample.reversed)
        *lrank = *lsize - 1 - *lrank;
    if (rank == sample.bad_task)
        *lrank = 99;
}

static int write_own(int sid, int rank)
{
    unsigned char data[250];
    int wrong = 0;

    check_fill(data, rank, 0, sizeof data);
    if (sample.keyval)
        return sion_fwrite_key(data, 7, 1, 250, sid) != 250;
    wrong += sion_fwrite(data, 1, 100, sid) != 100;
    wrong += sion_coll_fwrite(data + 100, 1, 50, sid) != 50;
    return wrong + (sion_fwrite(data + 150, 1, 100, sid) != 100);
}

static int read_own(int sid, int rank)
{
    unsigned char data[250];
    size_t got = 0;

    if (sample.keyval)
        got = sion_fread_key(data, 7, 1, 250, sid);
    while (!sample.keyval && !sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        if (got + left > sizeof data || sion_coll_fread(data + got, 1, left, sid) != left)
            return 1;
        got += left;
    }
    return got != sizeof data || check_compare(data, rank, 0, sizeof data) != -1;
}

static void *write_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int rank = comm->rank, filenumber, lrank, lsize, nfiles = sample.nfiles, sid;
    sion_int64 chunksize = 100;
    sion_int32 fsblksize = 10;
    char *name = NULL;

    choose_seat(rank, &filenumber, &lrank, &lsize);
    sid = sion_generic_paropen(sample.aid, "g.sion", sample.keyval ? "bw,keyval" : "bw", &chunksize,
                               &fsblksize, comm, rank, comm->size, &filenumber, &nfiles, &lrank,
                               &lsize, NULL, &name);
    sample.opened[rank] = sid >= 0;
    if (sid >= 0) {
        sample.wrong[rank] += sion_fwrite("x", 1, 1, sid) != 1;
        sample.wrong[rank] += sion_generic_parreinit(sid, 100) != 1;
        sample.wrong[rank] += write_own(sid, rank);
        snprintf(sample.names[rank], sizeof sample.names[rank], "%s", name);
        free(name);
        sample.closed[rank] = sion_generic_parclose(sid) == 1;
    }
    comm->ops->free(comm);
    return NULL;
}

static void *read_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int rank = comm->rank, filenumber = -5, nfiles = -5, wanted, lrank, lsize, sid;
    sion_int64 chunksize = 0;
    sion_int32 fsblksize = 0;

    choose_seat(rank, &wanted, &lrank, &lsize);
    sid = sion_generic_paropen(sample.aid, "g.sion", "br", &chunksize, &fsblksize, comm, rank,
                               comm->size, &filenumber, &nfiles, NULL, NULL, NULL, NULL);
    sample.opened[rank] = sid >= 0;
    if (sid >= 0) {
        sample.wrong[rank] += nfiles != sample.nfiles || fsblksize != 10 || chunksize != 100;
        sample.wrong[rank] += filenumber != wanted;
        sample.wrong[rank] += read_own(sid, rank);
        sample.closed[rank] = sion_generic_parclose(sid) == 1;
    }
    comm->ops->free(comm);
    return NULL;
}

static void run_threads(void *(*function)(void *))
{
    memset(sample.opened, 0, sizeof sample.opened);
    memset(sample.closed, 0, sizeof sample.closed);
    memset(sample.wrong, 0, sizeof sample.wrong);
    generic_run_threads(sample.tasks, function);
}

static void check_success(void)
{
    int i;

    for (i = 0; i < sample.tasks; i++)
        CHECK(sample.opened[i] && sample.closed[i] && sample.wrong[i] == 0);
}

static void all_distributions_are_read_back(void)
{
    sample.aid = make_api(0);
    sample.bad_task = -1;
    for (sample.tasks = 1; sample.tasks <= MOST; sample.tasks++) {
        for (sample.nfiles = 1; sample.nfiles <= sample.tasks; sample.nfiles++) {
            sample.reversed = sample.nfiles > 1 && sample.tasks % 2;
            sample.keyval = sample.tasks % 3 == 0;
            run_threads(write_in_thread);
            check_success();
            run_threads(read_in_thread);
            check_success();
        }
    }
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

/* One file whose places are not the ranks: task t of the file has another rank. */
static void places_in_one_file_may_have_any_order(void)
{
    char name[] = "g.sion";
    int n, nfiles, sid, task, *ranks = NULL;

    sample.aid = make_api(0);
    sample.tasks = 4;
    sample.nfiles = 1;
    sample.reversed = 1;
    sample.keyval = 0;
    run_threads(write_in_thread);
    check_success();
    sid = sion_open(name, "br", &n, &nfiles, NULL, NULL, &ranks, NULL);
    CHECK(sid >= 0 && n == 4 && nfiles == 1);
    for (task = 0; sid >= 0 && task < 4; task++) {
        CHECK_INT(ranks[task], 3 - task);
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        CHECK_INT(read_own(sid, 3 - task), 0);
    }
    CHECK_INT(sion_close(sid), 1);
    free(ranks);
    run_threads(read_in_thread);
    check_success();
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void the_application_names_the_files(void)
{
    int i;

    sample.aid = make_api(1);
    sample.tasks = 5;
    sample.nfiles = 3;
    sample.reversed = 0;
    run_threads(write_in_thread);
    check_success();
    for (i = 0; i < 5; i++)
        CHECK_STR(sample.names[i], i % 3 == 0   ? "g.sion"
                                   : i % 3 == 1 ? "g.sion-part1"
                                                : "g.sion-part2");
    run_threads(read_in_thread);
    check_success();
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void a_wrong_place_fails_on_all(void)
{
    int i;

    support_catch();
    sample.aid = make_api(0);
    sample.tasks = 4;
    sample.nfiles = 2;
    for (sample.bad_task = 0; sample.bad_task < 4; sample.bad_task++) {
        run_threads(write_in_thread);
        for (i = 0; i < 4; i++)
            CHECK_INT(sample.opened[i], 0);
        CHECK_CONTAINS(support_message, "chooses place 99");
    }
    CHECK_INT(support_errors, 4);
    sample.bad_task = -1;
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
}

static void registration_is_checked(void)
{
    char name[] = "half";
    int aid, filenumber = 0, nfiles = 1, lrank = 0, lsize = 1;
    sion_int64 chunksize = 10;
    sion_int32 fsblksize = 10;

    support_catch();
    CHECK_INT(sion_generic_create_api(NULL), -1);
    aid = sion_generic_create_api(name);
    CHECK_INT(aid, 0);
    CHECK_INT(sion_generic_register_barrier_cb(aid, NULL), 0);
    CHECK_INT(sion_generic_register_barrier_cb(aid, generic_wait_for_all), 1);
    CHECK_INT(sion_generic_register_barrier_cb(aid, generic_wait_for_all), 0);
    CHECK_INT(sion_generic_register_barrier_cb(77, generic_wait_for_all), 0);
    CHECK_INT(sion_generic_register_get_multi_filename_cb(77, name_of_file), -1);
    CHECK_INT(sion_generic_paropen(aid, "g.sion", "bw", &chunksize, &fsblksize, NULL, 0, 1,
                                   &filenumber, &nfiles, &lrank, &lsize, NULL, NULL),
              -1);
    CHECK_CONTAINS(support_message, "not correctly initalized");
    CHECK_INT(support_errors, 6);
    CHECK_INT(sion_generic_free_api(aid), 1);
    CHECK_INT(sion_generic_free_api(aid), 0);
    aid = make_api(0);
    CHECK_INT(sion_generic_paropen(aid, "g.sion", "bw", &chunksize, &fsblksize, NULL, 1, 1,
                                   &filenumber, &nfiles, &lrank, &lsize, NULL, NULL),
              -1);
    CHECK_INT(sion_generic_paropen(aid + 50, "g.sion", "bw", &chunksize, &fsblksize, NULL, 0, 1,
                                   &filenumber, &nfiles, &lrank, &lsize, NULL, NULL),
              -1);
    CHECK_INT(sion_generic_free_api(aid), 1);
    CHECK(sion_coll_fwrite("x", 1, 1, 88) == (size_t)-1);
    CHECK(sion_coll_fread(name, 1, 1, 88) == (size_t)-1);
}

int main(void)
{
    support_enter_folder();
    RUN(registration_is_checked);
    RUN(all_distributions_are_read_back);
    RUN(places_in_one_file_may_have_any_order);
    RUN(the_application_names_the_files);
    RUN(a_wrong_place_fails_on_all);
    support_leave_folder();
    return check_done();
}
