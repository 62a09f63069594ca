/*
 * A buddy checkpoint of sixteen tasks in five groups, each with a folder of its own, as on nodes.
 * Tests which files may be lost, one after the other, with one copy and with two. Tasks are
 * threads.
 */
#include <stdatomic.h>

#include "sion.h"

#include "callbacks.h"
#include "support.h"

enum { TASKS = 16, GROUPS = 5, PIECES = 3 };

static const int group_sizes[GROUPS] = {2, 3, 4, 5, 2};

static struct {
    int aid, copies;
    atomic_int opened, wrong;
} sample;

static void find_group(int rank, int *group, int *lrank)
{
    for (*group = 0, *lrank = rank; *lrank >= group_sizes[*group]; (*group)++)
        *lrank -= group_sizes[*group];
}

static int open_own(struct scion_comm *comm, int writing)
{
    int filenumber, lrank, nfiles = GROUPS;
    sion_int64 chunksize = 1200;
    sion_int32 fsblksize = 100;
    char name[60], mode[20];

    find_group(comm->rank, &filenumber, &lrank);
    snprintf(name, sizeof name, "node%03d/testB.out", filenumber);
    snprintf(mode, sizeof mode, "b%c,buddy=%d", writing ? 'w' : 'r', sample.copies);
    return sion_generic_paropen(sample.aid, name, mode, &chunksize, &fsblksize, comm, comm->rank,
                                comm->size, &filenumber, &nfiles, &lrank, &group_sizes[filenumber],
                                NULL, NULL);
}

static size_t piece(int rank, int i)
{
    return i == 0 ? (size_t)rank : i == 1 ? 500 : 1000;
}

static void *write_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = open_own(comm, 1), i;
    unsigned char data[1000];
    long total = 0;

    for (i = 0; sid >= 0 && i < PIECES; i++) {
        size_t n = piece(comm->rank, i);

        check_fill(data, comm->rank, total, n);
        sample.wrong += sion_coll_fwrite(data, 1, n, sid) != n;
        total += (long)n;
    }
    sample.wrong += sion_generic_parclose(sid) != 1;
    comm->ops->free(comm);
    return NULL;
}

static void *read_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int sid = open_own(comm, 0), i;
    unsigned char data[1000];
    long total = 0;

    sample.opened += sid >= 0;
    for (i = 0; sid >= 0 && i < PIECES; i++) {
        size_t n = piece(comm->rank, i);

        sample.wrong += sion_coll_fread(data, 1, n, sid) != n;
        sample.wrong += check_compare(data, comm->rank, total, n) != -1;
        total += (long)n;
    }
    if (sid >= 0)
        sample.wrong += !sion_feof(sid) || sion_generic_parclose(sid) != 1;
    comm->ops->free(comm);
    return NULL;
}

static void write_all(int copies)
{
    sample.copies = copies;
    sample.wrong = 0;
    generic_run_threads(TASKS, write_in_thread);
    CHECK_INT(sample.wrong, 0);
}

/* Either all tasks read their own data, or the open fails on all tasks. */
static void check_readable(int readable)
{
    sample.opened = sample.wrong = 0;
    support_catch();
    generic_run_threads(TASKS, read_in_thread);
    CHECK_INT(sample.opened, readable ? TASKS : 0);
    CHECK_INT(sample.wrong, 0);
    CHECK_INT(support_errors, !readable);
}

static void lose(const char *path, int still_readable)
{
    CHECK_INT(unlink(path), 0);
    check_readable(still_readable);
}

static void move(const char *file, int from, int to)
{
    char a[100], b[100];

    snprintf(a, sizeof a, "node%03d/%s", from, file);
    snprintf(b, sizeof b, "node%03d/%s", to, file);
    CHECK_INT(rename(a, b), 0);
}

static void files_are_lost_with_one_copy(void)
{
    write_all(1);
    check_readable(1);
    lose("node002/testB.out.000002", 1);
    lose("node001/testB.out_BUDDY_00.000002", 0);
    write_all(1);
    lose("node000/testB.out", 1);
    lose("node004/testB.out_BUDDY_00", 0);
}

static void files_are_lost_with_two_copies(void)
{
    write_all(2);
    check_readable(1);
    lose("node002/testB.out.000002", 1);
    lose("node001/testB.out_BUDDY_00.000002", 1);
    lose("node000/testB.out_BUDDY_01.000002", 0);
    write_all(2);
    lose("node000/testB.out", 1);
    lose("node004/testB.out_BUDDY_00", 1);
    lose("node003/testB.out_BUDDY_01", 0);
    write_all(2);
    lose("node002/testB.out.000002", 1);
    lose("node001/testB.out_BUDDY_00.000002", 1);
    lose("node003/testB.out_BUDDY_01", 1);
}

/* Copies on another node; all originals on one node; all copies on one node, no originals. */
static void files_are_moved(void)
{
    char file[60];
    int g;

    write_all(1);
    lose("node002/testB.out.000002", 1);
    move("testB.out_BUDDY_00.000002", 1, 4);
    check_readable(1);
    write_all(1);
    for (g = 1; g < GROUPS; g++) {
        snprintf(file, sizeof file, "testB.out.%06d", g);
        move(file, g, 0);
    }
    check_readable(1);
    CHECK_INT(unlink("node000/testB.out"), 0);
    for (g = 1; g < GROUPS; g++) {
        snprintf(file, sizeof file, "node000/testB.out.%06d", g);
        lose(file, 1);
    }
    move("testB.out_BUDDY_00", 4, 3);
    for (g = 1; g < GROUPS; g++) {
        snprintf(file, sizeof file, "testB.out_BUDDY_00.%06d", g);
        if (g - 1 != 3)
            move(file, g - 1, 3);
    }
    check_readable(1);
}

static void make_folders(void)
{
    char path[20];
    int g;

    for (g = 0; g < GROUPS; g++) {
        snprintf(path, sizeof path, "node%03d", g);
        CHECK_INT(mkdir(path, 0777), 0);
    }
}

static void remove_folders(void)
{
    char command[200];

    snprintf(command, sizeof command, "rm -rf %s/node00?", support_folder);
    CHECK_INT(system(command), 0);
}

int main(void)
{
    support_enter_folder();
    make_folders();
    sample.aid = generic_make_api();
    generic_add_transfers(sample.aid);
    RUN(files_are_lost_with_one_copy);
    RUN(files_are_lost_with_two_copies);
    RUN(files_are_moved);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
    remove_folders();
    support_leave_folder();
    return check_done();
}
