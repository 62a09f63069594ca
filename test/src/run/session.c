/* Sessions: what is made is found again, and what is damaged is refused. */
#include "run/session.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "check.h"
#include "scratch.h"

static const char *const files[] = {"processor*/**", "log.*", NULL};
static const char *const except[] = {"processor*/keep", NULL};
static const char *const when[] = {"ckpt*/done", NULL};

static const char *new_folder(const char *name)
{
    const char *folder = scratch_path(name);

    if (mkdir(folder, 0700) != 0)
        perror(folder);
    return folder;
}

static struct scion_run_plan plan_of(const char *root)
{
    return (struct scion_run_plan){
        .root = root, .root_real = "/real/top", .list = {files, except, when}};
}

static void a_session_is_found_again(void)
{
    const char *folder = new_folder("s1");
    struct scion_run_plan plan = plan_of("/top");
    struct scion_session session;
    struct stat status;
    char tree[600];

    CHECK_INT(scion_session_create(folder, &plan), 0);
    CHECK_INT(scion_session_open(folder, &session), 0);
    snprintf(tree, sizeof tree, "%s/tree.%s", folder, strrchr(folder, '/') + 1);
    CHECK_STR(session.root, "/top");
    CHECK_STR(session.root_real, "/real/top");
    CHECK_STR(session.tree, tree);
    CHECK_INT(session.head->has_input, 0);
    CHECK_INT(session.head->count[SCION_RUN_FILES], 2);
    CHECK_STR(scion_session_pattern(&session, SCION_RUN_FILES, 1), "log.*");
    CHECK_STR(scion_session_pattern(&session, SCION_RUN_WHEN, 0), "ckpt*/done");
    CHECK(stat(tree, &status) == 0 && S_ISDIR(status.st_mode) && (status.st_mode & 0777) == 0700);
    CHECK(stat(scratch_path("s1/notify"), &status) == 0 && S_ISFIFO(status.st_mode));
    session.head->world = 7;
    scion_session_close(&session);
    CHECK_INT(scion_session_open(folder, &session), 0);
    CHECK_INT(session.head->world, 7); /* it is shared memory */
    scion_session_close(&session);
}

static void patterns_say_what_is_redirected(void)
{
    struct scion_run_plan plan = plan_of("/top");
    struct scion_session session;

    CHECK_INT(scion_session_create(new_folder("s2"), &plan), 0);
    CHECK_INT(scion_session_open(scratch_path("s2"), &session), 0);
    CHECK_INT(scion_session_redirects(&session, "processor0/0.1/U"), 1);
    CHECK_INT(scion_session_redirects(&session, "processor0/keep"), 0);
    CHECK_INT(scion_session_redirects(&session, "log.lammps"), 1);
    CHECK_INT(scion_session_redirects(&session, "system/log.a"), 0);
    CHECK_INT(scion_session_redirects(&session, ""), 0);
    CHECK_INT(scion_session_tells(&session, "ckpt3/done"), 1);
    CHECK_INT(scion_session_tells(&session, "ckpt3/data"), 0);
    scion_session_close(&session);
}

static void the_root_itself_is_not_redirected(void)
{
    static const char *const all[] = {"**", NULL};
    struct scion_run_plan plan = {.root = "/w", .root_real = "/w", .list = {all}};
    struct scion_session session;
    struct stat status;

    CHECK_INT(scion_session_create(new_folder("s3"), &plan), 0);
    CHECK_INT(scion_session_open(scratch_path("s3"), &session), 0);
    CHECK_INT(scion_session_redirects(&session, ""), 0);
    CHECK_INT(scion_session_redirects(&session, "x"), 1);
    CHECK(stat(scratch_path("s3/notify"), &status) != 0);
    scion_session_close(&session);
}

static void both_spellings_are_inside(void)
{
    struct scion_run_plan plan = plan_of(scratch_directory);
    struct scion_session session;
    char path[600];

    CHECK_INT(scion_session_create(new_folder("s4"), &plan), 0);
    CHECK_INT(scion_session_open(scratch_path("s4"), &session), 0);
    snprintf(path, sizeof path, "%s/a/b", scratch_directory);
    CHECK_STR(scion_session_inside(&session, path), "a/b");
    CHECK_STR(scion_session_inside(&session, "/real/top/a"), "a");
    CHECK_STR(scion_session_inside(&session, "/real/top"), "");
    CHECK(scion_session_inside(&session, "/real/topmost") == NULL);
    CHECK(scion_session_inside(&session, "/") == NULL);
    CHECK(scion_session_inside(&session, scratch_path("s4")) == NULL);
    CHECK(scion_session_inside(&session, scratch_path("s4/tree.s4/a")) == NULL);
    CHECK_STR(scion_session_inside(&session, scratch_path("s44")), "s44");
    scion_session_close(&session);
}

static void patterns_become_relative(void)
{
    char to[32];

    CHECK_INT(scion_session_relative("/w", "/real", "./a//*", to, sizeof to), 3);
    CHECK_STR(to, "a/*");
    CHECK_INT(scion_session_relative("/w", "/real", "/w/b/**", to, sizeof to), 4);
    CHECK_STR(to, "b/**");
    CHECK_INT(scion_session_relative("/w", "/real", "/real/c", to, sizeof to), 1);
    CHECK_STR(to, "c");
    CHECK_INT(scion_session_relative("/w", "/real", "../x", to, sizeof to), 0);
    CHECK_INT(scion_session_relative("/w", "/real", "/etc/x", to, sizeof to), 0);
    CHECK_INT(scion_session_relative("/w", "/real", ".", to, sizeof to), 0);
    CHECK_INT(scion_session_relative("/w", "/real", "abc", to, 3), 0);
    CHECK_INT(scion_session_relative("/", "/", "abc", to, 4), 3);
}

/* Change bytes of the file `session`, or cut it. */
static int open_changed(size_t at, unsigned char value, long long size)
{
    struct scion_session session;
    const char *path = scratch_path("s5/session");
    unsigned char bytes[1 << 15];
    size_t length = scratch_read(path, bytes, sizeof bytes);
    int rc, why;

    if (at < length)
        bytes[at] = value;
    scratch_write(scratch_path("s5/session"), bytes, size < 0 ? length : (size_t)size);
    rc = scion_session_open(scratch_path("s5"), &session);
    why = errno;
    if (rc == 0)
        scion_session_close(&session);
    bytes[0] = 'S';
    return rc == 0 ? 0 : why;
}

static void remake(void)
{
    static const char *const names[] = {"s5/session", "s5/owners", "s5/renames", "s5/notify"};
    struct scion_run_plan plan = plan_of("/top");
    size_t i;

    for (i = 0; i < 4; i++)
        unlink(scratch_path(names[i]));
    rmdir(scratch_path("s5/tree.s5"));
    rmdir(scratch_path("s5/new"));
    rmdir(scratch_path("s5"));
    CHECK_INT(scion_session_create(new_folder("s5"), &plan), 0);
}

static void damage_is_refused(void)
{
    long long size;
    size_t i;

    remake();
    size = scratch_size(scratch_path("s5/session"));
    CHECK_INT(open_changed(SIZE_MAX, 0, -1), 0);
    CHECK_INT(open_changed(0, 'X', -1), EBADMSG);
    remake();
    CHECK_INT(open_changed(offsetof(struct scion_run_head, version), 77, -1), EPROTONOSUPPORT);
    remake();
    CHECK_INT(open_changed((size_t)size - 1, 'x', -1), EBADMSG);
    for (i = 0; i < 3 + 2 * SCION_RUN_LISTS; i++) {
        remake();
        CHECK_INT(open_changed(offsetof(struct scion_run_head, root) + 4 * i + 2, 200, -1),
                  EBADMSG);
    }
    for (i = 0; i < (size_t)size; i += i < 200 ? 7 : 101) {
        remake();
        CHECK_INT(open_changed(SIZE_MAX, 0, (long long)i), EBADMSG);
    }
    unlink(scratch_path("s5/session"));
    {
        struct scion_session session;

        CHECK_INT(scion_session_open(scratch_path("s5"), &session), -1);
        CHECK_INT(errno, ENOENT);
    }
}

static void a_moved_session_is_refused(void)
{
    struct scion_run_plan plan = plan_of("/top");
    struct scion_session session;

    CHECK_INT(scion_session_create(new_folder("s6"), &plan), 0);
    CHECK_INT(rename(scratch_path("s6"), scratch_path("s7")), 0);
    CHECK_INT(scion_session_open(scratch_path("s7"), &session), -1);
    CHECK_INT(errno, EBADMSG);
}

static void a_session_is_not_made_twice(void)
{
    struct scion_run_plan plan = plan_of("/top");

    CHECK_INT(scion_session_create(new_folder("s8"), &plan), 0);
    CHECK_INT(scion_session_create(scratch_path("s8"), &plan), -1);
    CHECK_INT(errno, EEXIST);
}

int main(void)
{
    scratch_begin();
    RUN(a_session_is_found_again);
    RUN(patterns_say_what_is_redirected);
    RUN(the_root_itself_is_not_redirected);
    RUN(both_spellings_are_inside);
    RUN(patterns_become_relative);
    RUN(damage_is_refused);
    RUN(a_moved_session_is_refused);
    RUN(a_session_is_not_made_twice);
    if (fork() == 0) {
        execlp("rm", "rm", "-rf", scratch_directory, (char *)NULL);
        _exit(127);
    }
    return check_done();
}
