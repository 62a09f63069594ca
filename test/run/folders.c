/*
 * Names relative to open folders and to a working folder that is in the private folder. What folder
 * a descriptor is, the library remembers: never longer than the descriptor is that folder.
 *
 *   folders LIBRARY
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "process.h"

/* ---- in a folder ---- */

/* "m/there" is a real folder whose names are redirected, "n" one whose names are not. */
static void make_folders(void)
{
    must(mkdir("n", 0700) == 0, "n");
}

static int open_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY);

    must(fd >= 0, path);
    return fd;
}

/* Past the library. */
static int open_directly(const char *path)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);

    must(fd >= 0, path);
    return fd;
}

/* Makes a file; returns whether it is redirected. */
static int makes_staged(int folder, const char *name)
{
    char path[100];
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600), is_there;
    struct stat status;

    must(fd >= 0 && close(fd) == 0 && fstatat(folder, name, &status, 0) == 0, name);
    snprintf(path, sizeof path, "m/there/%s", name);
    is_there = is_staged(path);
    snprintf(path, sizeof path, "n/%s", name);
    must(is_there != (native_stat(path, &status, 0) == 0), path);
    return is_there;
}

/* Folder "n", of which the library knows that. */
static int known_folder(void)
{
    struct stat status;
    int fd = open_folder("n"), i;

    for (i = 0; i < 2; i++)
        must(fstatat(fd, "none", &status, 0) != 0 && faccessat(fd, ".", F_OK, 0) == 0, "n");
    must(!makes_staged(fd, "first"), "first");
    return fd;
}

/* ---- the number becomes another folder's ---- */

static void by_close(int fd)
{
    must(close(fd) == 0, "close");
}

static void by_dup2(int fd)
{
    int other = open_directly("m/there");

    must(dup2(other, fd) == fd && close(other) == 0, "dup2");
}

static void by_dup3(int fd)
{
    int other = open_directly("m/there");

    must(dup3(other, fd, O_CLOEXEC) == fd && close(other) == 0, "dup3");
}

static void by_range(int fd)
{
    must(close_range((unsigned)fd, (unsigned)fd, 0) == 0, "close_range");
}

static void by_all(int fd)
{
    closefrom(fd);
}

static void by_closedir(int fd)
{
    DIR *dir = fdopendir(fd);

    must(dir && closedir(dir) == 0, "closedir");
}

static void by_fclose(int fd)
{
    FILE *stream = fdopen(fd, "r");

    must(stream && fclose(stream) == 0, "fclose");
}

static void by_freopen(int fd)
{
    FILE *stream = fdopen(fd, "r");

    must(stream && freopen("m/there", "r", stream) != NULL && fileno(stream) == fd, "freopen");
}

static void (*const ways[])(int fd) = {by_freopen, by_close, by_dup2,     by_dup3,
                                       by_range,   by_all,   by_closedir, by_fclose};

static void other_folders(void)
{
    size_t i;
    int end, other;

    make_folders();
    for (i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (fork() == 0) {
            int fd = known_folder();

            ways[i](fd);
            if (syscall(SYS_fcntl, fd, F_GETFD) < 0) {
                other = open_directly("m/there");
                must(other == fd, "another number");
            }
            must(makes_staged(fd, "second") && makes_staged(fd, "third"), "second");
            must(unlink("n/first") == 0 && unlink("m/there/second") == 0 &&
                     unlink("m/there/third") == 0,
                 "unlink");
            _exit(0);
        }
        must(wait(&end) > 0, "wait");
        if (end != 0)
            fprintf(stderr, "# way %zu\n", i);
        must(end == 0, "a way");
    }
}

/* A descriptor that the library has not seen open may be closed without it, too. */
static void unseen_folders(void)
{
    int fd;

    make_folders();
    fd = open_directly("n");
    must(!makes_staged(fd, "first") && !makes_staged(fd, "second"), "n");
    must(syscall(SYS_close, fd) == 0 && open_directly("m/there") == fd, "m/there");
    must(makes_staged(fd, "third"), "third");
}

/* The child of a vfork has the same memory, and another folder of this number. */
static void a_child_with_other_folders(void)
{
    int fd, end;
    pid_t pid;

    make_folders();
    fd = open_folder("m/there");
    pid = vfork();
    if (pid == 0) {
        close(fd);
        if (open("n", O_RDONLY | O_DIRECTORY) != fd || faccessat(fd, "none", F_OK, 0) == 0 ||
            faccessat(fd, ".", F_OK, 0) != 0)
            _exit(1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    must(waitpid(pid, &end, 0) == pid && end == 0, "vfork");
    must(makes_staged(fd, "first"), "first");
}

/* So has a thread that has left the descriptors of the others. */
static void *use_own(void *pointer)
{
    int fd = *(int *)pointer;

    must(unshare(CLONE_FILES) == 0 && close(fd) == 0 && open_folder("n") == fd, "n");
    must(!makes_staged(fd, "second") && !makes_staged(fd, "third"), "second");
    return NULL;
}

static void a_thread_with_other_folders(void)
{
    pthread_t thread;
    int fd;

    make_folders();
    fd = open_folder("m/there");
    must(makes_staged(fd, "first"), "first");
    must(pthread_create(&thread, NULL, use_own, &fd) == 0, "pthread_create");
    pthread_join(thread, NULL);
    must(makes_staged(fd, "fourth"), "fourth");
}

static void *use_both(void *number)
{
    char name[64];
    int i, fd;

    for (i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "%d-%d", (int)(intptr_t)number, i);
        fd = open_folder(i % 2 ? "n" : "m/there");
        must(makes_staged(fd, name) == (i % 2 == 0), name);
        must(unlinkat(fd, name, 0) == 0 && unlinkat(fd, name, 0) != 0, name);
        must(close(fd) == 0, name);
    }
    return NULL;
}

static void threads_with_many_folders(void)
{
    pthread_t all[4];
    int i;

    make_folders();
    for (i = 0; i < 4; i++)
        must(pthread_create(&all[i], NULL, use_both, (void *)(intptr_t)i) == 0, "pthread_create");
    for (i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

/* ---- folders of the private one ---- */

/* Names of both layers, by a descriptor of the one of the session. */
static void both_layers(void)
{
    struct stat status;
    int fd, file, real;

    fd = open_directly("m/there");
    file = (int)syscall(SYS_openat, fd, "real", O_WRONLY | O_CREAT, 0600);
    must(file >= 0 && write(file, "real", 4) == 4 && close(file) == 0 && close(fd) == 0, "real");
    real = open_folder("m/there");
    must(fstatat(real, "real", &status, 0) == 0 && fstatat(real, "real", &status, 0) == 0, "real");
    write_file("m/there/new", "new");
    must(fstatat(real, "new", &status, 0) == 0, "new");
    fd = open_folder("m/there");
    must(fstatat(fd, "new", &status, 0) == 0 && fstatat(fd, "new", &status, 0) == 0, "new");
    must(fstatat(fd, "real", &status, 0) == 0 && status.st_size == 4, "real");
    must(fstatat(fd, "none", &status, 0) != 0 && errno == ENOENT, "none");
    must(fchmodat(fd, "new", 0640, 0) == 0 && fstatat(fd, "../there/new", &status, 0) == 0 &&
             (status.st_mode & 0777) == 0640,
         "new");
    file = openat(fd, "real", O_RDWR);
    must(file >= 0 && pwrite(file, "staged", 6, 0) == 6 && is_staged("m/there/real"), "real");
    must(native_stat("m/there/real", &status, 0) == 0 && status.st_size == 4, "real");
    must(fstatat(fd, "real", &status, 0) == 0 && status.st_size == 6, "staged");
    must(fstatat(real, "real", &status, 0) == 0 && status.st_size == 6, "staged, by the real one");
    must(symlinkat("new", fd, "link") == 0 && has_text("m/there/link", "new"), "link");
    must(openat(fd, "link", O_RDONLY | O_NOFOLLOW) == -1 && errno == ELOOP, "link");
    must(openat(fd, "link", O_RDONLY) >= 0, "link");
}

/* The number of such a folder becomes that of a real one behind the library's back: then names are
   not redirected, but no other file is taken for them. */
static void a_number_that_is_lost(void)
{
    struct stat status;
    int fd;

    make_folders();
    must(mkdir("m/d", 0700) == 0, "m/d");
    write_file("m/d/file", "staged");
    write_file("n/file", "real file");
    fd = open_folder("m/d");
    must(fstatat(fd, "file", &status, 0) == 0 && status.st_size == 6, "m/d/file");
    must(syscall(SYS_close, fd) == 0 && open_directly("n") == fd, "n");
    must(fstatat(fd, "file", &status, 0) == 0 && status.st_size == 9, "n/file");
    must(unlinkat(fd, "file", 0) == 0 && native_stat("n/file", &status, 0) != 0, "n/file");
    must(is_staged("m/d/file") && unlinkat(fd, "file", 0) != 0 && is_staged("m/d/file"),
         "m/d/file");
}

static void a_working_folder(void)
{
    struct stat status;

    must(mkdir("m/d", 0700) == 0 && chdir("m/d") == 0, "m/d");
    write_file("a", "a");
    must(is_staged("m/d/a") && has_text("a", "a") && stat("./a", &status) == 0, "m/d/a");
    must(mkdir("e", 0700) == 0 && rename("a", "e/b") == 0 && is_staged("m/d/e/b"), "m/d/e/b");
    must(link("e/b", "c") == 0 && unlink("e/b") == 0 && rmdir("e/") == 0, "m/d/c");
    must(symlink("c", "s") == 0 && has_text("s", "a") && has_text("../d/s", "a"), "s");
    write_file("../../../root/m/d/h", "h");
    must(is_staged("m/d/h") && stat("../d/h", &status) == 0, "m/d/h");
    run_command("mv -T \"$PWD\" \"${PWD%/m/d}/m/f\"");
    write_file("g", "g");
    must(is_staged("m/f/g") && has_text("g", "g") && unlink("c") == 0, "m/f/g");
}

/* Another process makes a folder where this one has had a file. */
static void a_name_of_a_file_before(void)
{
    int fd, file;

    must(mkdir("m/e", 0700) == 0, "m/e");
    write_file("m/e/x", "");
    must(unlink("m/e/x") == 0, "m/e/x");
    run_command("mkdir m/e/x");
    fd = open_folder("m/e/x");
    file = openat(fd, "1", O_WRONLY | O_CREAT, 0600);
    must(file >= 0 && rename("m/e/x", "m/e/y") == 0, "m/e/y");
    file = openat(fd, "2", O_WRONLY | O_CREAT, 0600);
    must(file >= 0 && is_staged("m/e/y/1") && is_staged("m/e/y/2"), "m/e/y/2");
}

/* ---- the folder of the last name ---- */

/* The same names, in turns in two working folders, of which nothing but names in them is said. */
static void in_turns(void)
{
    int start = open_folder("."), folders[2] = {open_folder("m/there"), open_folder("n")}, i;
    char name[20], path[60];

    for (i = 0; i < 6; i++) {
        must(fchdir(folders[i % 2]) == 0, "fchdir");
        snprintf(name, sizeof name, "%d", i);
        write_file(name, "new");
        snprintf(path, sizeof path, "m/there/%d", i);
        must(is_staged(path) == (i % 2 == 0), path);
    }
    must(fchdir(start) == 0, "fchdir");
}

/* A child that shares memory is in another one. */
static void in_a_child(void)
{
    int start = open_folder("."), other = open_folder("n"), end;
    pid_t pid;

    must(chdir("m/there") == 0 && access("0", F_OK) == 0, "0");
    pid = vfork();
    if (pid == 0) {
        if (fchdir(other) != 0 || access("1", F_OK) != 0 || access("0", F_OK) == 0)
            _exit(1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    must(waitpid(pid, &end, 0) == pid && end == 0, "vfork");
    must(access("0", F_OK) == 0 && fchdir(start) == 0, "0");
}

static void is_real_path(const char *path, const char *of)
{
    char one[PATH_MAX], other[PATH_MAX];

    must(realpath(of, other) && access("m/d/e/none", F_OK) != 0 && realpath(path, one), path);
    must(strcmp(one, other) == 0, path);
}

/* After a name in m/d. */
static void is_same(const char *path, const char *other)
{
    struct stat one, two;

    must(stat(other, &two) == 0 && stat("m/d/none", &one) != 0 && stat(path, &one) == 0, path);
    must(one.st_dev == two.st_dev && one.st_ino == two.st_ino, path);
}

/* Some of what stands behind a folder is not a name in it. */
static void names_of_one_folder(void)
{
    struct stat status;

    make_folders();
    in_turns();
    in_a_child();
    must(stat("m/there/0", &status) == 0 && stat("m/there/1", &status) != 0, "m/there");
    must(stat("m/there/0/", &status) != 0 && errno == ENOTDIR, "m/there/0/");
    must(mkdir("m/d", 0700) == 0 && mkdir("m/d/e", 0700) == 0, "m/d");
    is_real_path("m/d/e/.", "m/d/e");
    is_real_path("m/d/e/..", "m/d");
    is_real_path("m/d/e/../../there//0", "m/there/0");
    is_real_path("n/..", ".");
    is_same("m/d/..", "m");
    is_same("m/d/.", "m/d");
    is_same("m/d/e", "m/d/../d/e");
}

/* The working folder is in the private folder, but not all names in it are. */
static void names_of_two_folders(void)
{
    struct stat status;
    char path[PATH_MAX];

    must(getcwd(path, sizeof path - 20) && strcat(path, "/m/d"), "getcwd");
    must(mkdir("m/d", 0700) == 0 && chdir("m/d") == 0, "m/d");
    must(syscall(SYS_mkdirat, AT_FDCWD, path, 0700) == 0, path);
    must(stat("none", &status) != 0, "none");
    write_file("real", "r");
    must(!is_staged("m/d/real") && has_text("real", "r"), "real");
    write_file("other", "o");
    must(is_staged("m/d/other") && has_text("other", "o"), "other");
    must(strcat(path, "/real") && native_stat(path, &status, 0) == 0, path);
}

/* Another process gives the descriptor's folder another name, and its name to another folder. */
static void a_folder_with_a_new_name(void)
{
    struct stat status;
    int fd = open_folder("m/there"), i;

    write_file("m/there/x", "first");
    for (i = 0; i < 2; i++)
        must(fstatat(fd, "x", &status, 0) == 0 && status.st_size == 5, "x");
    run_command("mv m/there m/new && mkdir m/there && echo another >m/there/x");
    for (i = 0; i < 2; i++)
        must(fstatat(fd, "x", &status, 0) == 0 && status.st_size == 5, "m/new/x");
}

static const struct process_case cases[] = {
    {.name = "a number becomes another folder's", .run = other_folders},
    {.name = "folders that were opened directly", .run = unseen_folders},
    {.name = "a child that shares memory has other folders", .run = a_child_with_other_folders},
    {.name = "a thread has other folders", .run = a_thread_with_other_folders},
    {.name = "threads with many folders", .run = threads_with_many_folders},
    {.name = "a folder of both layers", .run = both_layers},
    {.name = "a number that is lost", .run = a_number_that_is_lost},
    {.name = "a working folder of the session", .run = a_working_folder},
    {.name = "a name of a file before", .run = a_name_of_a_file_before},
    {.name = "names of one folder", .run = names_of_one_folder},
    {.name = "names of two folders", .run = names_of_two_folders, .except = "m/d/real"},
    {.name = "a folder with a new name", .run = a_folder_with_a_new_name},
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
