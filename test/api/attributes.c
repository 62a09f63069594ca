/* A container that replaces an older one keeps its owner, group, permissions, ACL and extended
 * attributes, as one that is written again does. */
#include <errno.h>
#include <sys/xattr.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

#define NAME "attributes.sion"

static const char acl[] = "system.posix_acl_access", default_acl[] = "system.posix_acl_default";

/* user::rw- user:4711:rw- group::r-- mask::rw- other::---, as Linux stores it */
static const unsigned char list[] = {2,   0,   0,   0,    1,   0,    6,    0,   255, 255, 255,
                                     255, 2,   0,   6,    0,   0x67, 0x12, 0,   0,   4,   0,
                                     4,   0,   255, 255,  255, 255,  0x10, 0,   6,   0,   255,
                                     255, 255, 255, 0x20, 0,   0,    0,    255, 255, 255, 255};

static int write_container(const char *mode)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 512;

    support_catch();
    sid = sion_open(NAME, mode, &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    return sid >= 0 && sion_fwrite("0123456789", 1, 10, sid) == 10 && sion_close(sid) == 1;
}

static void make_old(mode_t permissions)
{
    unlink(NAME);
    CHECK(write_container("wb"));
    CHECK_INT(chmod(NAME, permissions), 0);
}

/* What is said of the file, as text: the inode is not part of it. */
static const char *describe(void)
{
    static char text[2000];
    char names[1000], value[1000], *name;
    ssize_t bytes = listxattr(NAME, names, sizeof names), n, i;
    struct stat status = {0};
    size_t at;

    CHECK_INT(stat(NAME, &status), 0);
    at = (size_t)snprintf(text, sizeof text, "%u:%u %o", (unsigned)status.st_uid,
                          (unsigned)status.st_gid, (unsigned)status.st_mode);
    for (name = names; bytes > 0 && name < names + bytes; name += strlen(name) + 1) {
        n = getxattr(NAME, name, value, sizeof value);
        at += (size_t)snprintf(text + at, sizeof text - at, " %s=", name);
        for (i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%02x", (unsigned char)value[i]);
    }
    return text;
}

static void check_kept(const char *mode)
{
    char before[2000];
    struct stat old, new;

    snprintf(before, sizeof before, "%s", describe());
    CHECK_INT(stat(NAME, &old), 0);
    CHECK(write_container(mode));
    CHECK_INT(support_warnings, 0);
    CHECK_INT(stat(NAME, &new), 0);
    CHECK(new.st_ino != old.st_ino);
    CHECK_STR(describe(), before);
}

static void permissions_are_kept_in_spite_of_the_umask(void)
{
    static const mode_t permissions[] = {0664, 0600, 0646, 0644, 0777};
    mode_t mask = umask(027);
    size_t i;

    for (i = 0; i < sizeof permissions / sizeof *permissions; i++) {
        make_old(permissions[i]);
        check_kept("wb,atomic");
    }
    umask(mask);
    unlink(NAME);
    CHECK(write_container("wb,atomic")); /* nothing is there to keep */
    CHECK_CONTAINS(describe(), " 100644");
}

static void owner_and_group_are_kept(void)
{
    make_old(0664);
    if (chown(NAME, 4711, 4712) != 0)
        return; /* only root may do that */
    check_kept("wb,atomic");
    check_kept("wb,atomic,recover");
}

static void attributes_are_kept(void)
{
    make_old(0640);
    if (setxattr(NAME, "user.origin", "here", 4, 0) != 0 && errno == EOPNOTSUPP)
        return;
    CHECK_INT(setxattr(NAME, "user.empty", "", 0, 0), 0);
    check_kept("wb,atomic");
    if (setxattr(NAME, acl, list, sizeof list, 0) == 0)
        check_kept("wb,atomic");
    CHECK_CONTAINS(describe(), "user.origin=68657265");
}

/* The folder's default ACL is for files that were not there. */
static void the_default_acl_is_for_new_files(void)
{
    char plain[2000];

    make_old(0664);
    if (setxattr(".", default_acl, list, sizeof list, 0) != 0)
        return;
    check_kept("wb,atomic");
    CHECK(strstr(describe(), acl) == NULL);
    unlink(NAME);
    CHECK(write_container("wb"));
    snprintf(plain, sizeof plain, "%s", describe());
    CHECK_CONTAINS(plain, acl);
    unlink(NAME);
    CHECK(write_container("wb,atomic"));
    CHECK_STR(describe(), plain);
    CHECK_INT(removexattr(".", default_acl), 0);
}

/* What happened to it while the new one was written counts, too. */
static void later_changes_are_kept(void)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 512;
    struct stat status = {0};

    make_old(0600);
    sid = sion_open(NAME, "wb,atomic", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    CHECK_INT(chmod(NAME, 0660), 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(stat(NAME, &status), 0);
    CHECK_INT(status.st_mode & 0777, 0660);
}

static void what_cannot_be_kept_is_named(void)
{
    struct stat status = {0};

    make_old(0660);
    if (setxattr(NAME, "user.origin", "here", 4, 0) == 0) {
        scion_fault_arm(1u << SCION_FAULT_XATTR, 1, 100, EPERM);
        CHECK(write_container("wb,atomic"));
        scion_fault_disarm();
        CHECK_INT(support_warnings, 1);
        CHECK_CONTAINS(support_message, NAME ": its user.origin could not be kept");
    }
    make_old(0660);
    if (chown(NAME, 4711, 4712) != 0)
        return;
    scion_fault_arm(1u << SCION_FAULT_CHOWN, 1, 100, EPERM);
    CHECK(write_container("wb,atomic"));
    scion_fault_disarm();
    CHECK_INT(support_warnings, 2);
    CHECK_CONTAINS(support_message, NAME ": its group could not be kept");
    CHECK_INT(stat(NAME, &status), 0);
    CHECK_INT(status.st_mode & 0777, 0600); /* another group must not get what that one had */
}

int main(void)
{
    umask(022);
    support_enter_folder();
    RUN(permissions_are_kept_in_spite_of_the_umask);
    RUN(owner_and_group_are_kept);
    RUN(attributes_are_kept);
    RUN(the_default_acl_is_for_new_files);
    RUN(later_changes_are_kept);
    RUN(what_cannot_be_kept_is_named);
    support_leave_folder();
    return check_done();
}
