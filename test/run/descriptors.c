/*
 * The library keeps a descriptor of the session's folder. Programs that close it, in
 * every way, or use its number, find their files as before.
 *
 *   descriptors LIBRARY
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "process.h"

/* ---- the descriptor ---- */

enum { NUMBERS = 1100 };

/* Its number; -1: there is none. */
static int find_number(void)
{
    char name[64], path[600];
    ssize_t length;
    int fd;

    for (fd = 3; fd < NUMBERS; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        length = syscall(SYS_readlinkat, AT_FDCWD, name, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        if (strcmp(path, getenv("SION_RUN_SESSION")) == 0)
            return fd;
    }
    return -1;
}

/* After its first use. */
static int number_of_library(void)
{
    struct rlimit limit;
    int fd;

    must(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max >= NUMBERS, "RLIMIT_NOFILE");
    limit.rlim_cur = NUMBERS;
    must(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
    write_file("m/first", "first");
    fd = find_number();
    must(fd >= 1000 && (syscall(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC), "the descriptor");
    return fd;
}

static int is_open(int fd)
{
    return syscall(SYS_fcntl, fd, F_GETFD) >= 0;
}

/* ---- what programs do to it ---- */

/* As if there were no such descriptor. */
static void it_is_hidden(void)
{
    int own = number_of_library();

    must(close(own) == -1 && errno == EBADF, "close");
    must(dup(own) == -1 && errno == EBADF, "dup");
    must(dup2(own, 7) == -1 && errno == EBADF, "dup2");
    must(dup3(own, 7, O_CLOEXEC) == -1 && errno == EBADF, "dup3");
    must(fcntl(own, F_GETFD) == -1 && errno == EBADF, "fcntl");
    must(is_open(own) && has_text("m/first", "first"), "m/first");
}

static void ranges_spare_it(void)
{
    int own = number_of_library(), low = open("/dev/null", O_RDONLY),
        high = fcntl(low, F_DUPFD, own + 1);

    must(low >= 0 && high > own, "/dev/null");
    must(close_range((unsigned)low, (unsigned)own, 0) == 0 && !is_open(low) && is_open(own), "to");
    must(close_range((unsigned)own, (unsigned)own, 0) == 0 && is_open(own), "itself");
    must(is_open(high) && close_range((unsigned)own, ~0U, 0) == 0, "from");
    must(!is_open(high) && is_open(own), "behind");
    must(close_range(9, 8, 0) == -1 && errno == EINVAL, "no range");
    low = open("/dev/null", O_RDONLY);
    high = fcntl(low, F_DUPFD, own + 1);
    closefrom(low);
    must(!is_open(low) && !is_open(high) && is_open(own), "closefrom");
    must(has_text("m/first", "first"), "m/first");
}

/* Its number becomes the program's. */
static void the_number_is_taken(void)
{
    int own = number_of_library(), file;

    write_file("m/other", "other");
    file = open("m/other", O_RDONLY);
    must(dup2(file, own) == own && fcntl(own, F_GETFD) == 0, "dup2");
    must(has_text("m/first", "first"), "m/first");
    write_file("m/second", "second");
    must(is_staged("m/second") && close(own) == 0 && !is_open(own), "close");
}

/* The child has descriptors of its own, but not memory of its own. */
static void a_child_takes_the_number(void)
{
    int own = number_of_library(), folder = open(".", O_RDONLY | O_DIRECTORY), end;
    pid_t pid = vfork();

    if (pid == 0) {
        dup2(folder, own);
        if (access("m/first", F_OK) != 0 || access("m/none", F_OK) == 0)
            _exit(1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    must(waitpid(pid, &end, 0) == pid && end == 0, "vfork");
    write_file("m/second", "second");
    must(is_staged("m/second") && has_text("m/first", "first"), "m/second");
}

/* What a child has opened is not there for its parent. */
static void a_child_is_first(void)
{
    int end;
    pid_t pid = vfork();

    if (pid == 0) {
        if (access("m/none", F_OK) == 0 || access("m/there", F_OK) != 0)
            _exit(1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    must(waitpid(pid, &end, 0) == pid && end == 0, "vfork");
    number_of_library();
}

/* ---- behind the library's back ---- */

static void make_folder(void)
{
    must(mkdir("m/new", 0700) == 0 && is_staged("m/new"), "m/new");
}

static void make_file(void)
{
    int fd = open("m/new", O_WRONLY | O_CREAT | O_EXCL, 0600);

    must(fd >= 0 && close(fd) == 0 && is_staged("m/new"), "m/new");
}

static void make_or_cut(void)
{
    write_file("m/new", "new");
    must(is_staged("m/new"), "m/new");
}

static void make_stream(void)
{
    FILE *stream = fopen("m/new", "w");

    must(stream && fclose(stream) == 0 && is_staged("m/new"), "m/new");
}

static void make_link(void)
{
    must(symlink("first", "m/new") == 0 && is_staged("m/new"), "m/new");
    must(has_text("m/new", "first"), "m/new");
}

static void read_file(void)
{
    must(has_text("m/first", "first"), "m/first");
}

static void look(void)
{
    struct stat status;

    must(stat("m/first", &status) == 0 && status.st_size == 5, "m/first");
}

static void look_in_vain(void)
{
    struct stat status;

    must(stat("m/none", &status) == -1 && errno == ENOENT, "m/none");
}

static void change(void)
{
    struct stat status;

    must(chmod("m/first", 0640) == 0, "chmod");
    must(lstat("m/first", &status) == 0 && (status.st_mode & 0777) == 0640, "m/first");
}

static void remove_file(void)
{
    must(unlink("m/first") == 0 && !is_staged("m/first"), "m/first");
}

static void rename_file(void)
{
    must(rename("m/first", "m/new") == 0 && is_staged("m/new"), "m/new");
    must(!is_staged("m/first"), "m/first");
}

static void list(void)
{
    DIR *dir = opendir("m");
    struct dirent *entry;
    int n = 0;

    must(dir != NULL, "m");
    while ((entry = readdir(dir)))
        n += strcmp(entry->d_name, "first") == 0;
    must(closedir(dir) == 0 && n == 1, "m/first");
}

static void (*const calls[])(void) = {make_folder, make_file,   make_or_cut, make_stream,
                                      make_link,   read_file,   look,        look_in_vain,
                                      change,      remove_file, rename_file, list};

/* Each call is the first one that finds it so. In the real folder are other files of these names,
   which nothing may happen to. */
static void each_call(void (*prepare)(int own))
{
    int own = number_of_library(), end;
    struct stat status;
    size_t i;

    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (fork() == 0) {
            prepare(own);
            calls[i]();
            must(native_stat("other/m/new", &status, AT_SYMLINK_NOFOLLOW) != 0, "other/m/new");
            must(native_stat("other/m/first", &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                     status.st_size == 0 && (status.st_mode & 0777) == 0600,
                 "other/m/first");
            remove("m/new");
            write_file("m/first", "first");
            _exit(0);
        }
        must(wait(&end) > 0, "wait");
        if (end != 0)
            fprintf(stderr, "# call %zu\n", i);
        must(end == 0, "a call");
    }
}

static void close_it(int own)
{
    must(syscall(SYS_close, own) == 0, "close");
}

static void make_file_it(int own)
{
    int file = open("/dev/null", O_RDONLY);

    must(file >= 0 && syscall(SYS_dup3, file, own, 0) == own, "dup3");
}

static void make_folder_it(int own)
{
    int folder = open("other", O_RDONLY | O_DIRECTORY);

    must(folder >= 0 && syscall(SYS_dup3, folder, own, 0) == own, "dup3");
}

static void prepare_folder(void)
{
    must(mkdir("other", 0700) == 0 && mkdir("other/m", 0700) == 0, "other/m");
    must(mkdir("other/tree", 0700) == 0 && symlink("../m", "other/tree/m") == 0, "other/tree");
    write_file("other/m/first", "");
}

static void closed_directly(void)
{
    prepare_folder();
    each_call(close_it);
}

static void a_file_gets_the_number(void)
{
    prepare_folder();
    each_call(make_file_it);
}

static void a_folder_gets_the_number(void)
{
    prepare_folder();
    each_call(make_folder_it);
}

/* ---- without one ---- */

static void few_descriptors(void)
{
    struct rlimit limit;

    must(getrlimit(RLIMIT_NOFILE, &limit) == 0, "getrlimit");
    limit.rlim_cur = 256;
    must(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
    write_file("m/first", "first");
    must(find_number() == -1 && is_staged("m/first") && has_text("m/first", "first"), "m/first");
    must(rename("m/first", "m/second") == 0 && unlink("m/second") == 0, "m/second");
}

/* ---- other processes, and threads ---- */

/* A new program does not get it, and a child of a fork goes on with it. */
static void children(void)
{
    int own = number_of_library(), end;

    if (fork() == 0) {
        write_file("m/child", "child");
        must(is_staged("m/child") && find_number() == own, "m/child");
        must(syscall(SYS_close, own) == 0 && has_text("m/first", "first"), "m/first");
        _exit(0);
    }
    must(wait(&end) > 0 && end == 0 && is_open(own) && has_text("m/child", "child"), "m/child");
    if (fork() == 0) {
        execl("/bin/sh", "sh", "-c", "test ! -e /proc/$$/fd/$0 && echo x >m/sh", "1000",
              (char *)NULL);
        _exit(1);
    }
    must(wait(&end) > 0 && end == 0 && is_staged("m/sh"), "m/sh");
}

static _Atomic int stop;

static void *use(void *number)
{
    char name[32];

    snprintf(name, sizeof name, "m/t%d", (int)(intptr_t)number);
    while (!atomic_load(&stop)) {
        write_file(name, name);
        must(has_text(name, name) && unlink(name) == 0, name);
    }
    return NULL;
}

/* Threads use it while another one closes it and gives its number away. */
static void threads_lose_it(void)
{
    pthread_t all[3];
    int own = number_of_library(), folder = open(".", O_RDONLY | O_DIRECTORY), i;

    for (i = 0; i < 3; i++)
        must(pthread_create(&all[i], NULL, use, (void *)(intptr_t)i) == 0, "pthread_create");
    must(syscall(SYS_dup3, folder, own, 0) == own, "dup3");
    for (i = 0; i < 100; i++)
        must(has_text("m/first", "first"), "m/first");
    atomic_store(&stop, 1);
    for (i = 0; i < 3; i++)
        pthread_join(all[i], NULL);
}

static const struct process_case cases[] = {
    {.name = "the descriptor is hidden", .run = it_is_hidden},
    {.name = "ranges that are closed spare it", .run = ranges_spare_it},
    {.name = "its number is taken", .run = the_number_is_taken},
    {.name = "its number is taken in a child that shares memory", .run = a_child_takes_the_number},
    {.name = "a child that shares memory is first", .run = a_child_is_first},
    {.name = "it is closed directly", .run = closed_directly},
    {.name = "a file gets its number", .run = a_file_gets_the_number},
    {.name = "a folder gets its number", .run = a_folder_gets_the_number},
    {.name = "few descriptors", .run = few_descriptors},
    {.name = "forks and other programs", .run = children},
    {.name = "threads lose it", .run = threads_lose_it},
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
