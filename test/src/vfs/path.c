/* Names, folders and whole files, with failures of each system call. */
#include "vfs/path.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "vfs/fault.h"

#include "check.h"
#include "scratch.h"

static void names_are_joined_with_one_slash(void)
{
    char path[SCION_PATH], name[SCION_PATH], *new;

    CHECK_INT(scion_path(path, "a/b", "c"), 0);
    CHECK_STR(path, "a/b/c");
    CHECK_INT(scion_path(path, "/", "c"), 0);
    CHECK_STR(path, "/c");
    CHECK_INT(scion_path(path, NULL, "c"), 0);
    CHECK_STR(path, "c");
    new = scion_path_new("a/", "c");
    CHECK_STR(new, "a/c");
    free(new);
    memset(name, 'x', sizeof name);
    name[SCION_PATH - 2] = '\0';
    CHECK_INT(scion_path(path, "a", name), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(scion_error_text(), "name too long");
    name[SCION_PATH - 3] = '\0';
    CHECK_INT(scion_path(path, "ab", name), SION_ERR_ARGUMENT);
    CHECK_INT(scion_path(path, "a", name), 0);
}

static void names_are_taken_apart(void)
{
    char path[] = "/a/b";

    CHECK_STR(scion_basename("a/b/c"), "c");
    CHECK_STR(scion_basename("c"), "c");
    CHECK_STR(scion_basename("c/"), "");
    scion_path_up(path);
    CHECK_STR(path, "/a");
    scion_path_up(path);
    CHECK_STR(path, "/");
    scion_path_up(path);
    CHECK_STR(path, "/");
}

static void outside_names_cannot_leave_the_folder(void)
{
    static const char *const bad[] = {"", ".", "a/", "a/.", "/a", "..", "../a", "a/../b", "a/.."};
    static const char *const good[] = {"a", "a/b", "..a", "a..", "...", "a/..b/c", "./a"};
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_INT(scion_check_name(bad[i], 0), SION_ERR_DAMAGED);
    for (i = 0; i < sizeof good / sizeof *good; i++)
        CHECK_INT(scion_check_name(good[i], 0), 0);
    CHECK_INT(scion_check_name("/a", 1), 0);
    CHECK_INT(scion_check_name("../a", 1), 0);
    CHECK_INT(scion_check_name("a/", 1), SION_ERR_DAMAGED);
}

static void dots_in_a_name_are_resolved(void)
{
    char path[SCION_PATH];

    CHECK_INT(scion_path_reduced(path, NULL, "a/./b"), 0);
    CHECK_STR(path, "a/b");
    CHECK_INT(scion_path_reduced(path, "base", "a/../../c"), 0);
    CHECK_STR(path, "c");
    CHECK_INT(scion_path_reduced(path, "base", "../.."), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "leads out of its folder");
}

static void links_do_not_lead_out(void)
{
    char path[SCION_PATH], base[SCION_PATH];

    snprintf(base, sizeof base, "%s", scratch_path("base"));
    CHECK_INT(scion_make_folder(base), 0);
    scratch_write(scratch_path("secret"), "x", 1);
    CHECK_INT(symlink("../secret", scratch_path("base/link")), 0);
    scratch_write(scratch_path("base/own"), "x", 1);
    CHECK_INT(symlink("own", scratch_path("base/alias")), 0);
    CHECK_INT(scion_path_inside(path, base, "link", 0), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "leads out of its folder, by a link");
    CHECK_INT(scion_path_inside(path, base, "link", 1), 0);
    CHECK_INT(scion_path_inside(path, base, "alias", 0), 0);
    CHECK_INT(scion_path_inside(path, base, "missing", 0), 0);
    CHECK_STR(scion_basename(path), "missing");
    CHECK_INT(scion_relative(base, scratch_path("base/alias"), path), 0);
    CHECK_STR(path, "own");
    CHECK_INT(scion_relative(base, scratch_path("secret"), path), SION_ERR_ARGUMENT);
    CHECK_INT(scion_relative(base, scratch_path("base/new"), path), 0); /* it need not exist */
    CHECK_STR(path, "new");
    CHECK_INT(scion_relative(base, scratch_path("new"), path), SION_ERR_ARGUMENT);
    CHECK_INT(scion_relative(base, scratch_path("base/none/new"), path), 0);
    CHECK_STR(path, "none/new");
    CHECK_INT(scion_relative("/", scratch_path("secret"), path), 0);
}

/* A file that cannot be examined does not count as missing. */
static void a_refused_stat_is_an_error(void)
{
    char path[SCION_PATH];
    int exists = 7;

    scion_fault_arm(1 << SCION_FAULT_STAT, 1, 1, EACCES);
    CHECK_INT(scion_path_inside(path, scratch_path("base"), "link", 0), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "cannot look for ");
    scion_fault_arm(1 << SCION_FAULT_STAT, 1, 1, EIO);
    CHECK_INT(scion_file_look_for(scratch_path("base"), &exists), SION_ERR_SYSTEM);
    CHECK_INT(exists, 0);
    scion_fault_arm(1 << SCION_FAULT_REALPATH, 2, 1, EIO);
    CHECK_INT(scion_path_inside(path, scratch_path("base"), "own", 0), SION_ERR_SYSTEM);
    CHECK_INT(scion_fault_hits(), 1);
    scion_fault_disarm();
    CHECK_INT(scion_file_look_for(scratch_path("base"), &exists), 0);
    CHECK_INT(exists, 1);
    CHECK_INT(scion_file_look_for(scratch_path("secret/below"), &exists), 0);
    CHECK_INT(exists, 0);
}

static void folders_are_made_once(void)
{
    CHECK_INT(scion_make_folders_of(scratch_path("x/y/z/file")), 0);
    CHECK_INT(scion_make_folders(scratch_path("x/y/z")), 0);
    scratch_write(scratch_path("x/y/z/file"), "x", 1);
    CHECK_INT(scion_make_folder(scratch_path("x/y/z/file")), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "cannot make folder ");
    scion_fault_arm(1 << SCION_FAULT_MKDIR, 1, 1, ENOSPC);
    CHECK_INT(scion_make_folder(scratch_path("new")), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "No space left on device");
    scion_fault_disarm();
    scion_fault_arm(1 << SCION_FAULT_STAT, 1, 1, EIO); /* it exists, but is it a folder? */
    CHECK_INT(scion_make_folder(scratch_path("x")), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "Input/output error");
    scion_fault_disarm();
}

static void a_folder_lists_its_names(void)
{
    struct scion_folder *folder;
    const char *name;
    int names = 0;

    CHECK_INT(scion_folder_open(scratch_path("none"), &folder), 0);
    CHECK(!folder);
    CHECK_INT(scion_folder_open(scratch_path("secret"), &folder), 0);
    CHECK(!folder);
    scion_folder_close(folder);
    scion_fault_arm(1 << SCION_FAULT_OPEN, 1, 1, EMFILE);
    CHECK_INT(scion_folder_open(scratch_path("base"), &folder), SION_ERR_SYSTEM);
    scion_fault_arm(1 << SCION_FAULT_READDIR, 4, 1, EIO);
    CHECK_INT(scion_folder_open(scratch_path("base"), &folder), 0);
    while (names < 10 && scion_folder_next(folder, &name) == 0)
        names += name != NULL;
    CHECK_INT(names, 3);
    CHECK_CONTAINS(scion_error_text(), "cannot read folder ");
    while (scion_folder_next(folder, &name) == 0 && name)
        names++;
    CHECK_INT(names, 5); /* ".", "..", own, link, alias */
    scion_folder_close(folder);
    scion_fault_disarm();
}

/* Names sort by their numbers; the list grows several times. */
static void names_of_a_folder_are_sorted(void)
{
    static const char *const expected[] = {".", "..", "f1", "f2", "f3", "f4", "f9", "f10", "f11"};
    static const char *const made[] = {"f10", "f2", "f11", "f9", "f1", "f4", "f3"};
    char **names, name[40];
    int count, i;

    CHECK_INT(mkdir(scratch_path("sorted"), 0700), 0);
    for (i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "sorted/%s", made[i]);
        CHECK_INT(symlink("nowhere", scratch_path(name)), 0);
    }
    CHECK_INT(scion_folder_sorted(scratch_path("sorted"), &names, &count), 0);
    CHECK_INT(count, 9);
    for (i = 0; i < count && i < 9; i++)
        CHECK_STR(names[i], expected[i]);
    scion_folder_free(names, count);
    for (i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "sorted/%s", made[i]);
        CHECK_INT(unlink(scratch_path(name)), 0);
    }
    CHECK_INT(rmdir(scratch_path("sorted")), 0);
    CHECK_INT(scion_folder_sorted(scratch_path("sorted"), &names, &count), 0);
    CHECK(!names && count == 0);
}

static int has(const char *name, const char *bytes)
{
    char got[16];
    size_t length = scratch_read(scratch_path(name), got, sizeof got);

    return length == strlen(bytes) && memcmp(got, bytes, length) == 0;
}

/* The number of temporary files. */
static int leftovers(void)
{
    struct scion_folder *folder;
    const char *name;
    int count = 0;

    CHECK_INT(scion_folder_open(scratch_directory, &folder), 0);
    while (scion_folder_next(folder, &name) == 0 && name)
        count += strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".new") == 0;
    scion_folder_close(folder);
    return count;
}

static void a_replaced_file_is_old_or_new(void)
{
    long n, calls;

    CHECK_INT(scion_write_whole(scratch_path("whole"), "longer", 6), 0);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_replace_whole(scratch_path("whole"), "old", 3), 0);
    calls = scion_fault_count_all();
    CHECK(calls > 5);
    for (n = 1; n <= calls; n++) {
        int rc;

        CHECK_INT(scion_write_whole(scratch_path("whole"), "old", 3), 0);
        scion_fault_arm((1u << SCION_FAULT_CALLS) - 1, n, 1, EIO);
        rc = scion_replace_whole(scratch_path("whole"), "new", 3);
        scion_fault_disarm();
        CHECK_INT(rc, n < calls ? SION_ERR_SYSTEM : 0); /* the last one closes the folder */
        CHECK(has("whole", "old") || (n > calls - 3 && has("whole", "new")));
        CHECK_INT(leftovers(), 0);
    }
}

static void files_beside_a_replaced_file_stay(void)
{
    char *one = scion_path_beside("a/b"), *two = scion_path_beside("a/b");
    struct stat status;

    CHECK(strncmp(one, "a/.sion-", 8) == 0 && strcmp(one, two) != 0);
    free(one);
    free(two);
    CHECK_INT(scion_write_whole(scratch_path("victim"), "mine", 4), 0);
    CHECK_INT(symlink("victim", scratch_path("whole.new")), 0);
    CHECK_INT(chmod(scratch_path("whole"), 0600), 0);
    CHECK_INT(scion_replace_whole(scratch_path("whole"), "new", 3), 0);
    CHECK(has("whole", "new") && has("victim", "mine"));
    CHECK_INT(scion_path_status(scratch_path("whole"), &status), 0);
    CHECK_INT(status.st_mode & 0777, 0600);
    CHECK_INT(unlink(scratch_path("whole.new")), 0);
    CHECK_INT(symlink("victim", scratch_path("link")), 0);
    CHECK_INT(scion_replace_whole(scratch_path("link"), "new", 3), 0);
    CHECK(has("link", "new") && has("victim", "mine"));
    CHECK_INT(leftovers(), 0);
    CHECK_INT(scion_replace_whole(scratch_path("none/whole"), "new", 3), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "none/whole: cannot open ");
}

static void an_incomplete_file_is_removed(void)
{
    scion_fault_arm(1 << SCION_FAULT_FSYNC, 1, 1, EIO);
    CHECK_INT(scion_write_whole(scratch_path("part"), "part", 4), SION_ERR_SYSTEM);
    scion_fault_disarm();
    CHECK_INT(scion_file_exists(scratch_path("part")), 0);
    CHECK_INT(scion_path_remove(scratch_path("part")), 0);
    scion_fault_arm(1 << SCION_FAULT_UNLINK, 1, 1, EROFS);
    CHECK_INT(scion_path_remove(scratch_path("secret")), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "cannot remove ");
    scion_fault_disarm();
    CHECK_INT(scion_path_remove(scratch_path("secret")), 0);
    CHECK_INT(scion_file_exists(scratch_path("secret")), 0);
}

static void one_file_has_many_names(void)
{
    struct stat file;

    CHECK_INT(scion_path_status(scratch_path("base/own"), &file), 0);
    CHECK_INT(scion_path_is(scratch_path("base/alias"), &file), 1);
    CHECK_INT(scion_path_is(scratch_path("whole"), &file), 0);
    CHECK_INT(scion_path_is(scratch_path("none"), &file), 0);
    CHECK_INT(scion_path_is_same(scratch_path("base/own"), scratch_path("base/alias")), 1);
    CHECK_INT(scion_path_is_same(scratch_path("base/own"), scratch_path("whole")), 0);
    CHECK_INT(scion_path_is_same(scratch_path("none"), scratch_path("none")), 0);
    CHECK_INT(scion_path_link(scratch_path("whole"), scratch_path("second")), 0);
    CHECK_INT(scion_path_is_same(scratch_path("whole"), scratch_path("second")), 1);
    CHECK_INT(scion_path_link(scratch_path("whole"), scratch_path("second")), SION_ERR_SYSTEM);
    CHECK_INT(scion_path_remove(scratch_path("second")), 0);
    CHECK_INT(scion_path_status(scratch_path("none"), &file), ENOENT);
    CHECK_INT(scion_path_is_taken(scratch_path("base/link")), 1);
    CHECK_INT(scion_file_exists(scratch_path("base/link")), 0);
    CHECK_INT(scion_path_set_permissions(scratch_path("whole"), 0640), 0);
    CHECK_INT(scion_path_permissions(scratch_path("whole")), 0640);
    CHECK_INT(scion_path_permissions(scratch_path("none")), 0600);
    CHECK_INT(scion_path_check_writable(scratch_path("whole")), 0);
    CHECK_INT(scion_path_check_writable(scratch_path("none")), ENOENT);
}

int main(void)
{
    scratch_begin();
    RUN(names_are_joined_with_one_slash);
    RUN(names_are_taken_apart);
    RUN(outside_names_cannot_leave_the_folder);
    RUN(dots_in_a_name_are_resolved);
    RUN(links_do_not_lead_out);
    RUN(a_refused_stat_is_an_error);
    RUN(folders_are_made_once);
    RUN(a_folder_lists_its_names);
    RUN(names_of_a_folder_are_sorted);
    RUN(a_replaced_file_is_old_or_new);
    RUN(files_beside_a_replaced_file_stay);
    RUN(an_incomplete_file_is_removed);
    RUN(one_file_has_many_names);
    scratch_end();
    return check_done();
}
