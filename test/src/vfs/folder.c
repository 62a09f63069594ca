/* Folders that are held open: no link leads out of them, whenever it is made. */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "scratch.h"
#include "vfs/folder_handle.h"
#include "vfs/vfs.h"

static struct scion_folder_handle held;

static int make_file(const char *name)
{
    char path[SCION_PATH];
    struct scion_file *file;
    int rc = scion_path(path, held.way, name);

    if (rc == 0)
        rc = scion_file_open(path, SCION_OPEN_NEW, 0666, &file);
    return rc == 0 ? scion_file_close(file) : scion_folder_handle_result(&held, rc);
}

static int is_there(const char *name)
{
    return access(scratch_path(name), F_OK) == 0;
}

static void missing_folders_are_made(void)
{
    CHECK_INT(scion_hold_folder_of(scratch_path(""), "one//./two/file", &held), 0);
    CHECK_INT(make_file("file"), 0);
    scion_folder_handle_release(&held);
    CHECK(is_there("one/two/file"));
    CHECK_INT(scion_hold_folder_of(scratch_path("one"), "file", &held), 0);
    CHECK_INT(make_file("file"), 0);
    scion_folder_handle_release(&held);
    CHECK(is_there("one/file"));
}

static void a_link_is_refused(void)
{
    CHECK_INT(scion_make_folder(scratch_path("elsewhere")), 0);
    CHECK_INT(symlink("elsewhere", scratch_path("link")), 0);
    CHECK_INT(scion_hold_folder_of(scratch_path(""), "link/sub/file", &held), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(scion_error_text(), "link is a link, which could lead elsewhere");
    CHECK(!is_there("elsewhere/sub"));
    scratch_write(scratch_path("plain"), "x", 1);
    CHECK_INT(scion_hold_folder_of(scratch_path(""), "plain/file", &held), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "/plain: Not a directory");
    CHECK_INT(scion_hold_folder_of(scratch_path("none"), "file", &held), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "cannot open folder");
}

static void a_link_made_later_leads_nowhere(void)
{
    if (access("/proc/self/fd", X_OK) != 0) {
        SKIP("no /proc");
        return;
    }
    CHECK_INT(scion_hold_folder_of(scratch_path(""), "swapped/file", &held), 0);
    CHECK_INT(rename(scratch_path("swapped"), scratch_path("moved")), 0);
    CHECK_INT(symlink("elsewhere", scratch_path("swapped")), 0);
    CHECK_INT(make_file("file"), 0);
    CHECK_INT(make_file("file"), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), scratch_path("swapped/file"));
    scion_folder_handle_release(&held);
    CHECK(is_there("moved/file"));
    CHECK(!is_there("elsewhere/file"));
}

int main(void)
{
    scratch_begin();
    RUN(missing_folders_are_made);
    RUN(a_link_is_refused);
    RUN(a_link_made_later_leads_nowhere);
    scratch_end();
    return check_done();
}
