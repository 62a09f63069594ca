/* Copies between files, and files that replace others. */
#include "vfs/fault.h"

#include <errno.h>

#include "base/error.h"
#include "vfs/path.h"

#include "check.h"
#include "scratch.h"

enum { SIZE = 200000 };

static unsigned char data[SIZE], got[SIZE];

static void copy_and_compare(void)
{
    struct scion_file *from, *to;

    CHECK_INT(scion_file_open(scratch_path("from"), SCION_OPEN_READ, 0, &from), 0);
    CHECK_INT(scion_file_open(scratch_path("to"), SCION_OPEN_CREATE, 0600, &to), 0);
    CHECK_INT(scion_file_truncate(to, 0), 0);
    CHECK_INT(scion_file_copy(from, 1234, to, 77, SIZE - 5000), 0);
    CHECK_INT(scion_file_read(to, got, SIZE - 5000, 77), 0);
    CHECK(memcmp(got, data + 1234, SIZE - 5000) == 0);
    CHECK_INT(scratch_size(scratch_path("to")), 77 + SIZE - 5000);
    CHECK_INT(scion_file_copy(from, 0, to, 0, 0), 0);
    scion_file_close(from);
    scion_file_close(to);
}

static void bytes_are_copied_with_or_without_the_systems_help(void)
{
    static const int reasons[] = {EXDEV, ENOSYS, EINVAL, EOPNOTSUPP};
    size_t i;

    check_fill(data, 3, 0, SIZE);
    scratch_write(scratch_path("from"), data, SIZE);
    copy_and_compare();
    for (i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        scion_fault_arm(1 << SCION_FAULT_COPY, 1, 1000, reasons[i]);
        copy_and_compare();
        CHECK_INT(scion_fault_hits(), 1);
        scion_fault_disarm();
    }
    scion_fault_limit_transfers(999);
    scion_fault_arm(1 << SCION_FAULT_COPY, 7, 1, EINTR);
    copy_and_compare();
    CHECK(scion_fault_count(SCION_FAULT_COPY) > 190);
    scion_fault_disarm();
}

static void a_failed_copy_returns_an_error(void)
{
    struct scion_file *from, *to;

    CHECK_INT(scion_file_open(scratch_path("from"), SCION_OPEN_READ, 0, &from), 0);
    scion_fault_arm(1 << SCION_FAULT_COPY, 1, 1, ENOSPC);
    CHECK_INT(scion_file_open(scratch_path("to"), SCION_OPEN_CREATE, 0600, &to), 0);
    CHECK_INT(scion_file_copy(from, 0, to, 0, 10), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "No space left on device");
    CHECK_INT(scion_file_copy(from, SIZE - 5, to, 0, 10), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "from is cut off");
    scion_fault_disarm();
    scion_file_close(from);
    scion_file_close(to);
}

static void a_file_replaces_another(void)
{
    scratch_write(scratch_path("new"), "new", 3);
    scratch_write(scratch_path("old"), "older", 5);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_file_rename(scratch_path("new"), scratch_path("old")), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC), 1);
    scion_fault_disarm();
    CHECK_INT(scratch_size(scratch_path("new")), -1);
    CHECK_INT(scratch_size(scratch_path("old")), 3);
}

static void a_failed_rename_changes_nothing(void)
{
    scratch_write(scratch_path("new"), "new", 3);
    scratch_write(scratch_path("old"), "older", 5);
    scion_fault_arm(1 << SCION_FAULT_RENAME, 1, 1, EACCES);
    CHECK_INT(scion_file_rename(scratch_path("new"), scratch_path("old")), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "cannot rename ");
    CHECK_INT(scratch_size(scratch_path("old")), 5);
    scion_fault_arm(1 << SCION_FAULT_FSYNC, 1, 1, EIO);
    CHECK_INT(scion_file_rename(scratch_path("new"), scratch_path("old")), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "cannot flush folder ");
    scion_fault_disarm();
    CHECK_INT(scion_file_rename(scratch_path("none"), scratch_path("old")), SION_ERR_SYSTEM);
}

static int refuse_link(const char *from, const char *to)
{
    (void)from;
    (void)to;
    errno = EPERM;
    return -1;
}

static void move_to_a_name_that_is_not_taken(void)
{
    scratch_write(scratch_path("new"), "new", 3);
    scratch_write(scratch_path("old"), "older", 5);
    CHECK_INT(scion_path_move_new(scratch_path("new"), scratch_path("old")), EEXIST);
    CHECK_INT(scratch_size(scratch_path("old")), 5);
    CHECK_INT(scratch_size(scratch_path("new")), 3);
    CHECK_INT(scion_path_remove(scratch_path("old")), 0);
    CHECK_INT(scion_path_move_new(scratch_path("new"), scratch_path("old")), 0);
    CHECK_INT(scratch_size(scratch_path("old")), 3);
    CHECK(!scion_path_is_taken(scratch_path("new")));
}

static void a_new_name_replaces_no_other(void)
{
    struct scion_vfs without_links = scion_vfs_posix;

    move_to_a_name_that_is_not_taken();
    without_links.link = refuse_link;
    scion_vfs_use(&without_links);
    move_to_a_name_that_is_not_taken();
    scion_vfs_use(NULL);
}

int main(void)
{
    scratch_begin();
    RUN(bytes_are_copied_with_or_without_the_systems_help);
    RUN(a_failed_copy_returns_an_error);
    RUN(a_file_replaces_another);
    RUN(a_failed_rename_changes_nothing);
    RUN(a_new_name_replaces_no_other);
    scratch_end();
    return check_done();
}
