/*
 * Every system call of every operation fails once: each time, the operation returns an error with a
 * reason, no incomplete result looks complete, and no descriptor stays open.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "operations.h"
#include "sion.h"
#include "vfs/fault.h"
#include "vfs/writer_lock.h"

static const unsigned all = (1u << SCION_FAULT_CALLS) - 1;
/* ---- the files before an operation, and after a failure: see also operations.h ---- */

/* Old containers of the same names, whose map must not seem to belong to the new ones. With ranks
   the other way round, its containers have other bytes. */
static void set_is_other(void)
{
    static const struct packed_file files[] = {{0, "two"}, {1, "one"}};

    CHECK_INT(code_of(pack_files(self, "set", 70, files, 2, NULL)), 0);
}

static void old_index(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(read_kvtree(".scr/index.scr", &tree), 0);
    CHECK(sion_kvtree_get(sion_kvtree_get(tree, "DIR"), "one") != NULL);
    CHECK_INT(leftovers(".scr"), 0);
    sion_kvtree_free(tree);
}

static void old_flush(void)
{
    sion_kvtree *tree = NULL;

    CHECK_INT(read_kvtree(".scr/flush.scr", &tree), 0);
    CHECK(sion_kvtree_get(sion_kvtree_get(tree, "DATASET"), "1") != NULL);
    CHECK_INT(leftovers(".scr"), 0);
    sion_kvtree_free(tree);
}

/* Without an older map: none, or all of the new one, if only what follows it has failed. */
static void no_root(void)
{
    CHECK_INT(leftovers("set/.scr"), 0);
    CHECK(access("set/.scr/rank2file.scr", F_OK) != 0 || read_map() == 0);
}

/* The old map or the new one. */
static void a_map(void)
{
    CHECK_INT(leftovers("set/.scr"), 0);
    CHECK_INT(read_map(), 0);
}

/* The old dataset or the new one: all of it, with all its bytes. */
static void a_dataset(void)
{
    CHECK_INT(check(), 0);
    CHECK_INT(fetch(), 0);
    CHECK(support_same_files("one", "out/one") && support_same_files("two", "out/two"));
}

static void no_dataset(void)
{
    CHECK_INT(leftovers("set/.scr"), 0);
    if (access("set/.scr/rank2file.scr", F_OK) == 0)
        a_dataset();
    else
        CHECK(access("set/.scr/ctr.0.scr", F_OK) != 0 && access("set/.scr/ctr.2.scr", F_OK) != 0);
}

/* A file that was to replace another one (.new) stays after a kill; nobody reads it. */
static void only_files_of_the_new_dataset(void)
{
    static const char *const names[] = {".",
                                        "..",
                                        "ctr.0.scr",
                                        "ctr.1.scr",
                                        "ctr.2.scr",
                                        "rank2file.0.0.scr",
                                        "rank2file.scr",
                                        "summary.scr"};
    DIR *folder = opendir("set/.scr");
    const struct dirent *entry;
    size_t found = 0, i;

    while (folder && (entry = readdir(folder)) != NULL) {
        if (strstr(entry->d_name, ".new"))
            continue;
        for (i = 0; i < sizeof names / sizeof *names && strcmp(entry->d_name, names[i]) != 0; i++)
            ;
        CHECK(i < sizeof names / sizeof *names);
        found++;
    }
    if (folder)
        closedir(folder);
    CHECK_INT(found, sizeof names / sizeof *names);
}

/* The next operation that succeeds removes what a failure or a kill has left. */
static void a_dataset_that_can_be_replaced(void)
{
    a_dataset();
    CHECK_INT(pack(), 0);
    CHECK_INT(check(), 0);
    only_files_of_the_new_dataset();
}

static void a_clean_dataset_that_can_be_replaced(void)
{
    CHECK_INT(leftovers("set/.scr"), 0);
    a_dataset_that_can_be_replaced();
}

static void no_container(void)
{
    CHECK(access("c.sion", F_OK) != 0);
}

/* Every existing file is complete. */
static void whole_files(void)
{
    CHECK(access("out/one", F_OK) != 0 || support_same_files("one", "out/one"));
    CHECK(access("out/two", F_OK) != 0 || support_same_files("two", "out/two"));
}

/*
 * Closes and removals may fail without harm to the data that were read. times: how many calls fail
 * from the nth on; if they all do, nothing changes any more, as after a kill.
 */
static void fail_from_turn(int (*operation)(void), void (*before)(void), void (*after)(void),
                           unsigned calls, long times)
{
    long n = 1, hits = 1;
    int failed = 0, descriptors = support_descriptors();

    while (hits > 0 && n < 500) {
        int rc;

        before();
        scion_fault_arm(calls, n, times, EIO);
        rc = operation();
        hits = scion_fault_hits();
        scion_fault_disarm();
        if (hits > 0 && rc != 0) {
            failed++;
            CHECK(sion_error_text()[0] != '\0');
            after();
        }
        if (hits == 0)
            CHECK_INT(rc, 0);
        CHECK_INT(support_descriptors(), descriptors);
        clean_up();
        n++;
    }
    CHECK(failed > 3);
}

static void fail_in_turn(int (*operation)(void), void (*before)(void), void (*after)(void),
                         unsigned calls)
{
    fail_from_turn(operation, before, after, calls, 1);
}

/* Reads do not matter here. */
static void kill_in_turn(int (*operation)(void), void (*before)(void), void (*after)(void))
{
    fail_from_turn(operation, before, after,
                   1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_FSYNC | 1 << SCION_FAULT_RENAME |
                       1 << SCION_FAULT_UNLINK | 1 << SCION_FAULT_LINK,
                   LONG_MAX);
}

static const unsigned reads =
    1 << SCION_FAULT_OPEN | 1 << SCION_FAULT_PREAD | 1 << SCION_FAULT_FSTAT;

/* Each of these calls matters: if one fails, the operation must fail, unless all that is wrong is
   that the lock could not be looked at, and stays as an empty file. */
static void all_matter(int (*operation)(void), void (*before)(void), unsigned calls)
{
    long n, total;

    before();
    scion_fault_arm(calls, 0, 0, EIO);
    CHECK_INT(operation(), 0);
    total = scion_fault_count_all();
    scion_fault_disarm();
    clean_up();
    CHECK(total > 0);
    for (n = 1; n < 500; n++) {
        int rc, left;

        before();
        scion_fault_arm(calls, n, 1, EIO);
        rc = operation();
        total = scion_fault_hits();
        scion_fault_disarm();
        left = access("set/.scr/pack.lock", F_OK) == 0;
        clean_up();
        if (total == 0)
            break;
        CHECK(rc != 0 || left);
    }
}

static void maps(void)
{
    fail_in_turn(write_map, nothing, no_root, all & ~(1u << SCION_FAULT_FSTAT));
    fail_in_turn(write_map, map_is_there, a_map, all & ~(1u << SCION_FAULT_FSTAT));
    fail_in_turn(index_two, index_is_there, old_index,
                 all & ~(1u << SCION_FAULT_FSTAT | 1u << SCION_FAULT_UNLINK));
    fail_in_turn(flush_two, flush_is_there, old_flush,
                 all & ~(1u << SCION_FAULT_FSTAT | 1u << SCION_FAULT_UNLINK));
    fail_in_turn(read_map, map_is_there, nothing, all);
    kill_in_turn(write_map, map_is_there, a_map);
    all_matter(write_map, nothing, reads | 1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_FSYNC);
    all_matter(write_map, map_is_there, reads | 1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_FSYNC);
    all_matter(read_map, map_is_there, reads);
}

static int check_with_summary(void)
{
    return code_of(sion_scr_check("set", NULL));
}

static void containers_of_scr(void)
{
    fail_in_turn(pack, nothing, no_dataset, all & ~(1u << SCION_FAULT_FSTAT));
    fail_in_turn(pack, set_is_other, a_clean_dataset_that_can_be_replaced,
                 all & ~(1u << SCION_FAULT_FSTAT));
    kill_in_turn(pack, set_is_other, a_dataset_that_can_be_replaced);
    fail_in_turn(fetch, set_is_packed, whole_files, all);
    fail_in_turn(check, set_is_packed, nothing, all);
    all_matter(pack, nothing, reads | 1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_FSYNC);
    all_matter(pack, set_is_other, reads | 1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_FSYNC);
    all_matter(fetch, set_is_packed, reads | 1 << SCION_FAULT_PWRITE);
    all_matter(check_with_summary, set_is_packed, reads);
}

/* A container that no operation here has made: the dataset gets the name of its folder. */
static void a_plain_container_is_there(void)
{
    int n = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 512;
    char name[] = "set/c.sion";

    nothing();
    mkdir("set", 0777);
    sid = sion_open(name, "bw", &n, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_fwrite("abcd", 1, 4, sid), 4);
    CHECK_INT(sion_close(sid), 1);
}

static int export_plain(void)
{
    return code_of(sion_scr_export("set/c.sion", NULL));
}

static void the_folder_of_a_plain_container(void)
{
    all_matter(export_plain, a_plain_container_is_there, 1u << SCION_FAULT_REALPATH);
}

static long syncs_of_pack(sion_int64 size)
{
    static const struct packed_file files[] = {{0, "one"}, {1, "two"}};
    long syncs;

    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(code_of(pack_files(self, "set", size, files, 2, NULL)), 0);
    syncs = scion_fault_count(SCION_FAULT_FSYNC);
    scion_fault_disarm();
    clean_up();
    return syncs;
}

/* 155 bytes in one container, in two, in three. Each is synced when it is made, as nobody may write
   to one that is all hole, and when it is written. */
static void containers_are_on_the_disk_before_the_map(void)
{
    CHECK_INT(syncs_of_pack(100), syncs_of_pack(1000) + 2);
    CHECK_INT(syncs_of_pack(70), syncs_of_pack(1000) + 4);
}

static int write_at(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    int rc;

    sion_kvtree_put(tree, "KEY", "value");
    rc = code_of(sion_kvtree_write_at(tree, "set/tree", 0, NULL));
    sion_kvtree_free(tree);
    return rc;
}

static int write_tree(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    int rc;

    sion_kvtree_put(tree, "KEY", "value");
    rc = code_of(sion_kvtree_write(tree, "out/tree"));
    sion_kvtree_free(tree);
    return rc;
}

static void out_is_there(void)
{
    mkdir("out", 0777);
}

static void a_tree_that_cannot_be_written(void)
{
    all_matter(write_tree, out_is_there, reads | 1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_FSYNC);
}

static long syncs_of(int (*operation)(void), void (*before)(void))
{
    long syncs;

    before();
    mkdir("set", 0777);
    mkdir("out", 0777);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(operation(), 0);
    syncs = scion_fault_count(SCION_FAULT_FSYNC);
    scion_fault_disarm();
    clean_up();
    return syncs;
}

/* A dataset is a container, its name, a map of two files, summary and index, and their names. */
static void what_was_written_is_on_the_disk(void)
{
    CHECK_INT(syncs_of(write_at, nothing), 2);    /* and its name */
    CHECK_INT(syncs_of(fetch, set_is_packed), 4); /* the files and their names */
    CHECK_INT(syncs_of(pack, nothing), 14);
}

/* The lock of one that was killed is a file that nobody has locked. */
static void one_packs_at_a_time(void)
{
    const char *path = "set/.scr/pack.lock";
    struct scion_writer_lock *lock;

    set_is_other();
    CHECK_INT(scion_writer_lock_take_folder("set/.scr", "pack.lock", &lock), 0);
    CHECK_INT(pack(), SION_ERR_BUSY);
    CHECK(strstr(sion_error_text(), "set/.scr/pack.lock is being written by process") != NULL);
    CHECK_INT(scion_writer_lock_release(lock, 0), 0);
    CHECK(access(path, F_OK) != 0);
    CHECK(close(open(path, O_CREAT | O_WRONLY, 0600)) == 0);
    CHECK_INT(check(), 0);
    CHECK_INT(pack(), 0);
    CHECK(access(path, F_OK) != 0);
    a_dataset();
    clean_up();
}

/* The lock is a file of its own: neither data, nor a link to a file elsewhere, nor an input. */
static void nothing_else_is_a_lock(void)
{
    static const struct packed_file lock_file = {0, "set/.scr/pack.lock"};
    char bytes[] = "data";

    set_is_other();
    support_store("set/.scr/pack.lock", bytes, sizeof bytes);
    CHECK_INT(pack(), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(sion_error_text(), "pack.lock has data, so it is not a lock file");
    support_store("set/.scr/pack.lock", bytes, 0);
    CHECK_INT(code_of(pack_files(self, "set", 70, &lock_file, 1, NULL)), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(sion_error_text(), "is an input, and would be replaced");
    CHECK_INT(remove("set/.scr/pack.lock"), 0);
    CHECK_INT(symlink("../../elsewhere", "set/.scr/pack.lock"), 0);
    CHECK_INT(pack(), SION_ERR_SYSTEM);
    CHECK_CONTAINS(sion_error_text(), "cannot open set/.scr/pack.lock");
    CHECK(access("elsewhere", F_OK) != 0);
    CHECK_INT(remove("set/.scr/pack.lock"), 0);
    CHECK_INT(check(), 0);
    clean_up();
}

/* Who may write to the folder, may take the lock of one that was killed. */
static void the_lock_has_the_permissions_of_the_folder(void)
{
    struct scion_writer_lock *lock;
    mode_t before = umask(077);
    struct stat status;

    set_is_other();
    CHECK_INT(chmod("set/.scr", 0775), 0);
    CHECK_INT(scion_writer_lock_take_folder("set/.scr", "pack.lock", &lock), 0);
    CHECK_INT(stat("set/.scr/pack.lock", &status), 0);
    CHECK_INT(status.st_mode & 0777, 0664);
    CHECK_INT(scion_writer_lock_release_folder(lock, 0), 0);
    CHECK(access("set/.scr/pack.lock", F_OK) != 0);
    umask(before);
    clean_up();
}

static void our_containers(void)
{
    fail_in_turn(import, set_is_packed, no_container, all);
    fail_in_turn(export, container_is_there, nothing, all);
    all_matter(export, container_is_there, reads | 1 << SCION_FAULT_PWRITE);
}

int main(void)
{
    support_enter_folder();
    support_catch();
    begin_operations();
    RUN(maps);
    RUN(containers_of_scr);
    RUN(a_tree_that_cannot_be_written);
    RUN(the_folder_of_a_plain_container);
    RUN(containers_are_on_the_disk_before_the_map);
    RUN(what_was_written_is_on_the_disk);
    RUN(one_packs_at_a_time);
    RUN(nothing_else_is_a_lock);
    RUN(the_lock_has_the_permissions_of_the_folder);
    RUN(our_containers);
    sion_scr_comm_free(self);
    support_leave_folder();
    return check_done();
}
