/*
 * Another process renames the folder that a program works in or has open, at the moment when it
 * looks for a name there. The moment is made here: the folder is renamed without the library, as
 * one that is told of to other processes, but is not done.
 *
 *   moves LIBRARY
 */
#include <dirent.h>
#include <spawn.h>
#include <stdatomic.h>

#include "process.h"

extern char **environ;

static struct scion_session opened;
static struct stat status;

static void join_session(void)
{
    must(scion_session_open(getenv("SION_RUN_SESSION"), &opened) == 0, "the session");
}

/* "m/d" and "m/e" take turns, in one layer or both. */
static void begin(int is_back, int is_both)
{
    char from[700], to[700];

    snprintf(from, sizeof from, "%s/m/%s", opened.tree, is_back ? "e" : "d");
    snprintf(to, sizeof to, "%s/m/%s", opened.tree, is_back ? "d" : "e");
    atomic_fetch_add(&opened.head->moving, 1);
    must(native_rename(from, to) == 0, "the tree's");
    if (!is_both)
        return;
    snprintf(from, sizeof from, "%s/m/%s", opened.root, is_back ? "e" : "d");
    snprintf(to, sizeof to, "%s/m/%s", opened.root, is_back ? "d" : "e");
    must(native_rename(from, to) == 0, "the real one");
}

/* Then the library asks for the path again. */
static void end(void)
{
    atomic_fetch_add(&opened.head->moves, 1);
    must(access(".", F_OK) == 0, "the working folder");
}

/* ---- each call ---- */

static int folder; /* "m/d", open */

static int is_done_stat(void)
{
    return stat("file", &status) == 0;
}

static int is_done_truncate(void)
{
    return truncate("file", 3) == 0;
}

static int is_done_chmod(void)
{
    return chmod("file", 0600) == 0;
}

static int is_done_open(void)
{
    int fd = open("file", O_RDWR);

    return fd >= 0 && close(fd) == 0;
}

static int is_done_create(void)
{
    int fd = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    return fd >= 0 && close(fd) == 0;
}

static int is_done_create_first(void)
{
    int fd = open("newer", O_WRONLY | O_CREAT | O_EXCL, 0600);

    return fd >= 0 && close(fd) == 0;
}

static int is_done_unlink(void)
{
    return unlink("newer") == 0;
}

static int is_done_fopen(void)
{
    FILE *stream = fopen("file", "r");

    return stream && fclose(stream) == 0;
}

/* A stream that is closed if the file is not found. */
static int is_done_freopen_of(const char *path, const char *mode)
{
    FILE *stream = fopen("/dev/null", "r");
    int is_done = stream && freopen(path, mode, stream) != NULL;

    return is_done && fclose(stream) == 0;
}

static int is_done_freopen(void)
{
    return is_done_freopen_of("file", "r");
}

static int is_done_freopen_new(void)
{
    return is_done_freopen_of("reopened", "w") && is_done_freopen_of("reopened", "a");
}

static int is_done_mkdir(void)
{
    return mkdir("folder", 0700) == 0;
}

static int is_done_opendir(void)
{
    DIR *dir = opendir("folder");

    return dir && closedir(dir) == 0;
}

static int is_done_chdir(void)
{
    return chdir("folder") == 0;
}

static int is_done_chdir_up(void)
{
    return chdir("..") == 0;
}

static int is_done_rename_folder(void)
{
    return rename("folder", "folder2") == 0;
}

static int is_done_rmdir(void)
{
    return rmdir("folder2") == 0;
}

static int is_done_rename(void)
{
    return rename("new", "new2") == 0;
}

static int is_done_link(void)
{
    return link("new2", "new3") == 0;
}

static int is_done_realpath(void)
{
    char path[PATH_MAX];

    return realpath("file", path) != NULL && access(path, F_OK) == 0;
}

static int is_done_spawn(void)
{
    char *const arguments[] = {(char *)(uintptr_t) "script", NULL};
    pid_t pid;
    int code;

    return posix_spawn(&pid, "./script", NULL, NULL, arguments, environ) == 0 &&
           waitpid(pid, &code, 0) == pid && code == 0;
}

static int is_done_symlink(void)
{
    return symlink("file", "link") == 0;
}

static int is_done_readlink(void)
{
    char text[10];

    return readlink("link", text, sizeof text) == 4;
}

static int is_done_stat_with_links(void)
{
    return stat("link", &status) == 0;
}

static int (*const calls[])(void) = {
    is_done_stat,    is_done_truncate,     is_done_chmod,          is_done_open,
    is_done_create,  is_done_create_first, is_done_unlink,         is_done_fopen,
    is_done_freopen, is_done_freopen_new,  is_done_mkdir,          is_done_opendir,
    is_done_chdir,   is_done_chdir_up,     is_done_rename_folder,  is_done_rmdir,
    is_done_rename,  is_done_link,         is_done_realpath,       is_done_spawn,
    is_done_symlink, is_done_readlink,     is_done_stat_with_links};

static void make_files(void)
{
    must(chdir("m/d") == 0, "m/d");
    write_file("file", "file");
    write_file("script", "#!/bin/sh\n");
    must(chmod("script", 0700) == 0, "script");
}

static void each_call(int is_both)
{
    size_t i;

    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        begin(i % 2, is_both);
        if (!calls[i]()) {
            fprintf(stderr, "# call %zu\n", i);
            must(0, "a call");
        }
        end();
    }
}

static void a_folder_of_the_session(void)
{
    join_session();
    must(mkdir("m/d", 0700) == 0, "m/d");
    make_files();
    each_call(0);
}

static void a_folder_of_both_layers(void)
{
    join_session();
    must(native_mkdir("m/d", 0700) == 0, "m/d");
    make_files();
    must(is_staged("m/d/file"), "m/d/file");
    each_call(1);
}

static void an_open_folder(void)
{
    int i;

    join_session();
    must(native_mkdir("m/d", 0700) == 0, "m/d");
    folder = open("m/d", O_RDONLY | O_DIRECTORY);
    write_file("m/d/file", "file");
    must(folder >= 0 && fstatat(folder, "file", &status, 0) == 0, "file");
    for (i = 0; i < 4; i++) {
        begin(0, 1);
        must(fstatat(folder, "file", &status, 0) == 0, "fstatat");
        end();
        begin(1, 1);
        must(openat(folder, "file", O_RDONLY) >= 0, "openat");
        end();
    }
}

/* ---- renames that do not end ---- */

/* How often the library has waited. */
static _Atomic int waits;

__attribute__((visibility("default"))) int sched_yield(void)
{
    waits++;
    return (int)syscall(SYS_sched_yield);
}

static int has_waited_for_none(void)
{
    waits = 0;
    must(stat("none", &status) == -1 && errno == ENOENT, "none");
    return waits > 0;
}

/* A process that renames a folder is killed: it is waited for once, and once more when others have
   renamed one. */
static void a_rename_that_was_killed(void)
{
    join_session();
    must(mkdir("m/d", 0700) == 0, "m/d");
    make_files();
    must(!has_waited_for_none(), "a rename");
    atomic_fetch_add(&opened.head->moving, 1);
    must(has_waited_for_none() && !has_waited_for_none() && !has_waited_for_none(), "one");
    begin(0, 0);
    must(stat("file", &status) == 0, "file");
    end();
    must(has_waited_for_none() && !has_waited_for_none(), "another one");
    begin(1, 0);
    must(stat("file", &status) == 0, "file");
    end();
}

/* A rename that fails, or is one of a file, is told to nobody: all would ask for their paths again.
 */
static void what_is_told(void)
{
    uint32_t moves;

    join_session();
    must(mkdir("m/d", 0700) == 0, "m/d");
    make_files();
    moves = atomic_load(&opened.head->moves);
    must(rename("file", "other") == 0 && rename("none", "more") == -1, "rename");
    must(atomic_load(&opened.head->moves) == moves, "moves");
    must(atomic_load(&opened.head->moving) == moves, "moving");
    must(rename("../d", "../e") == 0 && atomic_load(&opened.head->moves) == moves + 1, "../e");
    must(atomic_load(&opened.head->moving) == moves + 1, "moving");
}

/* ---- another process ---- */

static void many_renames(void)
{
    int i, code;

    must(mkdir("m/d", 0700) == 0, "m/d");
    make_files();
    if (fork() == 0) {
        must(chdir("../..") == 0, "..");
        for (i = 0; i < 1000; i++)
            must(rename(i % 2 ? "m/e" : "m/d", i % 2 ? "m/d" : "m/e") == 0, "rename");
        _exit(0);
    }
    for (i = 0; waitpid(-1, &code, WNOHANG) == 0; i++) {
        must(stat("file", &status) == 0, "stat");
        write_file("new", "new");
        must(has_text("new", "new") && rename("new", "newer") == 0, "rename");
        must(unlink("newer") == 0 && access("newer", F_OK) == -1 && errno == ENOENT, "unlink");
    }
    must(code == 0, "the other process");
}

static const struct process_case cases[] = {
    {.name = "a folder of the session", .run = a_folder_of_the_session},
    {.name = "a folder of both layers", .run = a_folder_of_both_layers},
    {.name = "an open folder", .run = an_open_folder},
    {.name = "a rename that was killed", .run = a_rename_that_was_killed},
    {.name = "what is told", .run = what_is_told},
    {.name = "many renames", .run = many_renames},
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
