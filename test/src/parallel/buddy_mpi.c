/*
 * Buddy checkpoints: writes the sample files again; then tries every loss that the copies cover,
 * with a folder for each group and with one folder.
 */
#include "buddy_mpi.h"

#include <errno.h>

static const size_t sample_sizes[6][2] = {{100, 10}, {200, 20}, {300, 1},
                                          {400, 40}, {500, 13}, {600, 60}};

static void same_as_golden(const char *name, int nfiles)
{
    char ours[80], sample[100];
    int i;

    for (i = 0; i < nfiles && mpi_rank == 0; i++) {
        snprintf(ours, sizeof ours, i ? "%.60s.%06d" : "%.60s", name, i);
        snprintf(sample, sizeof sample, "buddy/%s", ours);
        CHECK(support_same_files(ours, support_golden(sample)));
    }
}

static void sample_again(const char *name, const char *mode, const char *colors, int levels)
{
    char copy[80];
    int sid, level;

    form_groups(colors);
    sid = open_with(name, mode, 100 * (mpi_rank + 1));
    CHECK(sid >= 0);
    write_records(sid, sample_sizes[mpi_rank], 2);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    same_as_golden(name, ngroups);
    for (level = 0; level < levels; level++) {
        snprintf(copy, sizeof copy, "%.50s_BUDDY_%02d", name, level);
        same_as_golden(copy, ngroups);
    }
}

static void samples_are_written_again(void)
{
    if (mpi_size != 6) {
        SKIP("needs 6 ranks");
        return;
    }
    sample_again("m06_buddy.sion", "bw,buddy", "001111", 1);
    sample_again("m06c_buddy3.sion", "bw,buddy", "001122", 1);
    sample_again("m06d_buddy3l2.sion", "bw,buddy=2", "001122", 2);
}

static void read_sample(const char *path, const char *mode, const char *colors)
{
    int sid;

    form_groups(colors);
    sid = open_with(path, mode, 0);
    CHECK(sid >= 0);
    CHECK_INT(read_all(sid, 400, 4), sample_sizes[mpi_rank][0] + sample_sizes[mpi_rank][1]);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void copy_samples(const char *name, int nfiles)
{
    char from[100], to[80];
    int i;

    for (i = 0; i < nfiles && mpi_rank == 0; i++) {
        snprintf(to, sizeof to, i ? "%.60s.%06d" : "%.60s", name, i);
        snprintf(from, sizeof from, "buddy/%s", to);
        support_copy(support_golden(from), to);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void samples_are_read(void)
{
    static const char name[] = "m06d_buddy3l2.sion";
    int sid;

    if (mpi_size != 6) {
        SKIP("needs 6 ranks");
        return;
    }
    copy_samples("m06d_buddy3l2.sion", 3);
    copy_samples("m06d_buddy3l2.sion_BUDDY_00", 3);
    copy_samples("m06d_buddy3l2.sion_BUDDY_01", 3);
    read_sample(name, "br,buddy=2", "001122");
    lose(name, 0);
    read_sample(name, "br,buddy=2", "001122");
    lose(name, 2);
    lose("m06d_buddy3l2.sion_BUDDY_00", 2);
    read_sample(name, "br,buddy=2", "001122");
    /* Other groups of readers, as many as before. */
    read_sample(name, "br,buddy=2", "012221");
    lose("m06d_buddy3l2.sion_BUDDY_01", 2);
    form_groups("001122");
    sid = open_with(name, "br,buddy=2", 0);
    CHECK_INT(sid, -1);
    CHECK_CONTAINS(sion_error_text(), "not all files available: neither file 2");
    CHECK_INT(support_errors, mpi_rank == 0);
}

/* ---- groups with folders of their own, as on nodes ---- */

static void folder_of(int g, char *path, size_t size)
{
    snprintf(path, size, "%s/node%d", support_folder, g);
}

static void make_folders(int make)
{
    char path[sizeof support_folder + 20];
    int g;

    MPI_Barrier(MPI_COMM_WORLD);
    for (g = 0; g < MOST_GROUPS && mpi_rank == 0; g++) {
        folder_of(g, path, sizeof path);
        if (make)
            CHECK_INT(mkdir(path, 0777), 0);
        else
            CHECK(rmdir(path) == 0 || errno == ENOENT);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* File `number` of a level, -1 being the files themselves, in a group's folder. */
static void path_of(int g, int level, int number, char *path, size_t size)
{
    size_t n;

    folder_of(g, path, size);
    n = strlen(path);
    n += (size_t)snprintf(path + n, size - n, "/t.sion");
    if (level >= 0)
        n += (size_t)snprintf(path + n, size - n, "_BUDDY_%02d", level);
    if (number > 0)
        snprintf(path + n, size - n, ".%06d", number);
}

static void write_on_nodes(const char *mode)
{
    char path[200];
    int sid;

    choose_sizes();
    path_of(group, -1, 0, path, sizeof path);
    sid = open_with(path, mode, 1200);
    CHECK(sid >= 0);
    write_records(sid, sizes_of_rank, RECORDS);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static int read_on_nodes(const char *mode)
{
    char path[200];
    int sid;

    path_of(group, -1, 0, path, sizeof path);
    support_errors = 0;
    sid = open_with(path, mode, 0);
    CHECK_SAME(sid < 0);
    if (sid < 0)
        return -1;
    CHECK_INT(read_all(sid, 700, 5), 1500 + mpi_rank);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    return 0;
}

/* Ways to damage a file: remove it, truncate it, overwrite its tables. */
enum damage { DELETED, TRUNCATED, SCRIBBLED };

static unsigned char *saved;
static size_t saved_size;

static void damage_file(const char *path, enum damage damage)
{
    saved = support_load(path, &saved_size);
    if (!saved) {
        perror(path);
        exit(99);
    }
    if (damage == DELETED) {
        unlink(path);
    } else if (damage == TRUNCATED) {
        support_store(path, saved, saved_size / 2);
    } else {
        unsigned char *copy = malloc(saved_size);

        memcpy(copy, saved, saved_size);
        memset(copy + 1056, 255, 64);
        support_store(path, copy, saved_size);
        free(copy);
    }
}

static void repair_file(const char *path)
{
    support_store(path, saved, saved_size);
    free(saved);
}

/* Each file of each level is lost in turn, in different ways. */
static void every_single_loss_is_covered(void)
{
    char path[200];
    int g, level;

    form_groups(four_groups());
    make_folders(1);
    write_on_nodes("bw,buddy");
    CHECK_INT(read_on_nodes("br,buddy"), 0);
    for (g = 0; g < ngroups; g++) {
        for (level = -1; level < 1; level++) {
            path_of((g - level - 1 + ngroups) % ngroups, level, g, path, sizeof path);
            MPI_Barrier(MPI_COMM_WORLD);
            if (mpi_rank == 0)
                damage_file(path, (enum damage)((g + level + 1) % 3));
            MPI_Barrier(MPI_COMM_WORLD);
            CHECK_INT(read_on_nodes("br,buddy"), 0);
            MPI_Barrier(MPI_COMM_WORLD);
            if (mpi_rank == 0)
                repair_file(path);
        }
    }
}

static void remove_if_there(int g, int level, int number, unsigned *files)
{
    char path[200];

    path_of(g, level, number, path, sizeof path);
    if (mpi_rank == 0)
        *files += unlink(path) == 0;
}

static void remove_node(int g)
{
    unsigned files = 0;
    int level, number;

    MPI_Barrier(MPI_COMM_WORLD);
    for (level = -1; level < 3; level++) {
        for (number = 0; number < ngroups; number++)
            remove_if_there(g, level, number, &files);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void rewrite_and_lose_nodes(const char *mode, int first, int second, int expected)
{
    write_on_nodes(mode);
    remove_node(first);
    if (second >= 0)
        remove_node(second);
    CHECK_INT(read_on_nodes(mode[1] == 'w' && strchr(mode, '=') ? "br,buddy=2" : "br,buddy"),
              expected);
}

/* Two levels on four groups, which are not coprime: any two nodes may be lost. */
static void whole_nodes_may_be_lost(void)
{
    form_groups(four_groups());
    rewrite_and_lose_nodes("bw,buddy", 2, -1, 0);
    rewrite_and_lose_nodes("bw,buddy=2", 0, 1, 0);
    rewrite_and_lose_nodes("bw,buddy=2", 1, 3, 0);
    rewrite_and_lose_nodes("bw,buddy=2", 3, 0, 0);
    /* With one level, a group's data and their copy at its keeper are both lost. */
    rewrite_and_lose_nodes("bw,buddy", 1, 0, -1);
    CHECK_CONTAINS(sion_error_text(), "neither file 1 of");
    CHECK_INT(support_errors, mpi_rank == 0);
}

static void move_file(int from, int to, int level, int number)
{
    char a[200], b[200];

    path_of(from, level, number, a, sizeof a);
    path_of(to, level, number, b, sizeof b);
    if (mpi_rank == 0)
        CHECK_INT(rename(a, b), 0);
}

/* All files are moved to one folder, so that one task reads them all; then the originals are
   removed, so that only copies are left. */
static void files_may_have_moved(void)
{
    int g;

    form_groups(four_groups());
    write_on_nodes("bw,buddy");
    MPI_Barrier(MPI_COMM_WORLD);
    for (g = 0; g < ngroups; g++) {
        if (g != 2)
            move_file(g, 2, -1, g);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(read_on_nodes("br,buddy"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (g = 0; g < ngroups; g++) {
        unsigned files = 0;

        remove_if_there(2, -1, g, &files);
        if ((g - 1 + ngroups) % ngroups != 1)
            move_file((g - 1 + ngroups) % ngroups, 1, 0, g);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(read_on_nodes("br,buddy"), 0);
    for (g = 0; g < ngroups; g++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (mpi_rank == 0) {
            unsigned files = 0;

            remove_if_there(1, 0, g, &files);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (g = 0; g < ngroups; g++)
        remove_node(g);
    make_folders(0);
}

/* The file check opens the files as a reader does, and prints nothing. */
static void file_check(void)
{
    sion_file_check_par_args_mpi *args;
    static char name[] = "chk.sion";
    int sid;

    form_groups(four_groups());
    sid = open_with(name, "bw,buddy=2", 1200);
    choose_sizes();
    write_records(sid, sizes_of_rank, RECORDS);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    args = sion_file_check_par_args_init_mpi("br,buddy=2", MPI_COMM_WORLD, 1, local);
    support_errors = 0;
    CHECK_INT(sion_file_check_par_cb_mpi(name, args), 1);
    lose(name, 2);
    CHECK_INT(sion_file_check_par_cb_mpi(name, args), 1);
    lose("chk.sion_BUDDY_00", 2);
    CHECK_INT(sion_file_check_par_cb_mpi(name, args), 1);
    lose("chk.sion_BUDDY_01", 2);
    CHECK_INT(sion_file_check_par_cb_mpi(name, args), 0);
    CHECK_INT(support_errors, 0);
    sion_file_check_par_args_free_mpi(args);
}

static void nothing_leaks(void)
{
    int before = 0, i, sid;

    form_groups("01");
    choose_sizes();
    for (i = 0; i < 2000; i++) {
        sid = open_with("l.sion", "bw,buddy", 1200);
        write_records(sid, sizes_of_rank, RECORDS);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = open_with("l.sion", "br,buddy", 1200);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        if (i == 0) /* MPI has its connections by now */
            before = support_descriptors();
    }
    CHECK_INT(support_descriptors(), before);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    if (mpi_size == 2) {
        RUN_MPI(nothing_leaks);
        MPI_Comm_free(&local);
        return mpi_end();
    }
    if (mpi_size > 4) {
        RUN_MPI(samples_are_written_again);
        RUN_MPI(samples_are_read);
    }
    RUN_MPI(every_single_loss_is_covered);
    RUN_MPI(whole_nodes_may_be_lost);
    RUN_MPI(files_may_have_moved);
    RUN_MPI(file_check);
    MPI_Comm_free(&local);
    return mpi_end();
}
