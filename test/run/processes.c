/*
 * Processes of all kinds under the library: threads, forks, signals, children that share memory,
 * programs that close all descriptors. Each case is a process of its own.
 *
 *   processes LIBRARY
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/time.h>
#include <stdatomic.h>

#include "process.h"

extern char **environ;

/* ---- threads ---- */

enum { THREADS = 6, FILES = 150 };

static void *work(void *number)
{
    char name[64], other[64], text[16];
    int i, t = (int)(intptr_t)number;

    for (i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "m/d%d/f%d", i % 7, t);
        snprintf(other, sizeof other, "m/t%d-%d", t, i);
        snprintf(text, sizeof text, "%d-%d", t, i);
        write_file(name, text);
        must(rename(name, other) == 0 && has_text(other, text), other);
        must(access(name, F_OK) != 0 && errno == ENOENT, name);
        if (i % 2)
            must(unlink(other) == 0, other);
    }
    return NULL;
}

static void start_threads(pthread_t *threads)
{
    int i;

    for (i = 0; i < 7; i++) {
        char name[64];

        snprintf(name, sizeof name, "m/d%d", i);
        must(mkdir(name, 0700) == 0, name);
    }
    for (i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i) == 0, "pthread_create");
}

static void threads(void)
{
    pthread_t all[THREADS];
    char name[64];
    int i, n = 0, t;

    start_threads(all);
    for (i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    for (t = 0; t < THREADS; t++) {
        for (i = 0; i < FILES; i++) {
            snprintf(name, sizeof name, "m/t%d-%d", t, i);
            n += access(name, F_OK) == 0 && is_staged(name);
        }
    }
    must(n == THREADS * FILES / 2, "not all files");
}

/* Children of a process whose threads are at work: no lock stays taken in them. */
static void forks_with_threads(void)
{
    pthread_t all[THREADS];
    char name[64];
    int i, end;

    start_threads(all);
    for (i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "m/child%d", i);
        if (fork() == 0) {
            alarm(20);
            write_file(name, "child");
            must(chdir("m") == 0 && has_text(name + 2, "child") && chdir("..") == 0, name);
            _exit(0);
        }
        must(wait(&end) > 0 && end == 0, name);
    }
    for (i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

static atomic_int is_done;

/* Names in folders, and names relative to their descriptors. */
static void look_around(int folder)
{
    struct stat status;
    struct dirent *entry;
    DIR *dir = opendir("m/both");
    int n = 0;

    must(dir != NULL, "m/both");
    while ((entry = readdir(dir)) != NULL)
        n += entry->d_name[0] == 'f';
    must(closedir(dir) == 0 && n == 2, "m/both does not have two files");
    must(fstatat(folder, "fstaged", &status, 0) == 0, "fstaged");
}

static void *look(void *folder)
{
    while (!is_done)
        look_around((int)(intptr_t)folder);
    return NULL;
}

/* The same while threads have folders of both layers, and look at paths of descriptors. */
static void forks_with_folders(void)
{
    pthread_t all[THREADS];
    int i, end, folder;

    must(native_mkdir("m/both", 0700) == 0, "m/both");
    i = native_open("m/both/freal", O_WRONLY | O_CREAT, 0600);
    must(i >= 0 && native_close(i) == 0, "freal");
    write_file("m/both/fstaged", "staged");
    folder = open("m/both", O_RDONLY | O_DIRECTORY);
    must(folder >= 0, "m/both");
    for (i = 0; i < THREADS; i++)
        must(pthread_create(&all[i], NULL, look, (void *)(intptr_t)folder) == 0, "pthread_create");
    for (i = 0; i < 100; i++) {
        if (fork() == 0) {
            alarm(20);
            look_around(folder);
            look_around(folder);
            _exit(0);
        }
        must(wait(&end) > 0 && end == 0, "a child");
    }
    is_done = 1;
    for (i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

static void *go_about(void *unused)
{
    while (!is_done)
        must(chdir("m/here") == 0 && chdir("../..") == 0, "chdir");
    return unused;
}

/* A name that is relative to whatever folder another thread is in is one of two, and never a wrong
 * one. */
static void a_thread_changes_the_folder(void)
{
    pthread_t other;
    char text[64];
    int i, found = 0;

    must(mkdir("m/here", 0700) == 0, "m/here");
    write_file("m/x", "outer");
    must(mkdir("m/here/m", 0700) == 0, "m/here/m");
    write_file("m/here/m/x", "inner");
    must(pthread_create(&other, NULL, go_about, NULL) == 0, "pthread_create");
    for (i = 0; i < 3000; i++) {
        read_text("m/x", text);
        found += strcmp(text, "outer") == 0 || strcmp(text, "inner") == 0;
    }
    is_done = 1;
    pthread_join(other, NULL);
    must(found == 3000, "not found");
}

/* ---- small stacks ---- */

static void *open_there(void *unused)
{
    write_file("m/small/deep/file", "small");
    must(has_text("m/small/deep/file", "small"), "file");
    return unused;
}

static void a_small_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    must(mkdir("m/small", 0700) == 0 && mkdir("m/small/deep", 0700) == 0, "m/small");
    pthread_attr_init(&attributes);
    must(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0, "stack");
    must(pthread_create(&thread, &attributes, open_there, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
}

static atomic_int handled;

static void handler(int signal)
{
    int fd = open("m/handler", O_WRONLY | O_CREAT | O_APPEND, 0600);

    (void)signal;
    if (fd >= 0 && close(fd) == 0)
        handled++;
}

/* Signals interrupt calls at any place, and have a stack of their own. */
static void signals(void)
{
    static char stack[16384];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct itimerval often = {{0, 500}, {0, 500}};
    int i;

    must(sigaltstack(&own, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
    must(setitimer(ITIMER_REAL, &often, NULL) == 0, "setitimer");
    for (i = 0; i < 2000 || (handled < 20 && i < 2000000); i++) {
        write_file("m/main", "main");
        must(rename("m/main", "m/other") == 0 && has_text("m/other", "main"), "m/other");
        must(chdir("m") == 0 && chdir("..") == 0 && unlink("m/other") == 0, "chdir");
    }
    must(handled >= 20, "too few signals");
}

/* ---- children ---- */

static void fork_without_exec(void)
{
    int end;

    write_file("m/parent", "parent");
    if (fork() == 0) {
        write_file("m/child", "child");
        must(has_text("m/parent", "parent"), "m/parent");
        exit(0);
    }
    must(wait(&end) > 0 && end == 0, "child");
    must(has_text("m/child", "child"), "m/child");
    write_file("m/later", "later");
}

/* The parent has made all that has a p at its beginning, and programs what has a c. */
static void other_names(void)
{
    int end;

    must(mkdir("m/e", 0700) == 0, "m/e");
    write_file("m/e/1", "");
    run_command("echo >m/e/2");
    must(renameat2(AT_FDCWD, "m/e/1", AT_FDCWD, "m/e/2", 2 /* RENAME_EXCHANGE */) == 0, "m/e/2");
    must(rename("m/e/2", "m/e/p5") == 0 && rename("m/e/1", "m/e/c5") == 0, "m/e/p5");
    write_file("m/e/1", "");
    must(rename("m/e/1", "m/e/p1") == 0, "m/e/p1");
    write_file("m/e/1", "");
    run_command("mv m/e/1 m/e/p2 && echo >m/e/1");
    must(rename("m/e/1", "m/e/c1") == 0, "m/e/c1");
    write_file("m/e/1", "");
    must(unlink("m/e/1") == 0, "m/e/1");
    run_command("echo >m/e/1");
    must(rename("m/e/1", "m/e/c2") == 0 && rename("m/e/c2", "m/e/1") == 0 &&
             rename("m/e/1", "m/e/c2") == 0,
         "m/e/c2");
    write_file("m/e/1", "");
    if (fork() == 0)
        _exit(rename("m/e/1", "m/e/p6") != 0);
    must(wait(&end) > 0 && end == 0 && symlink("e/p6", "m/e/l") == 0, "m/e/p6");
    write_file("m/e/1", "");
    run_command("mv m/e/1 m/e/p7 && echo >m/e/1 && mv m/e/1 m/e/c7");
    must(mkdir("m/f", 0700) == 0 && mkdir("m/f/g", 0700) == 0, "m/f");
    write_file("m/f/g/1", "");
    run_command("echo >m/f/g/c3; mv m/f/g m/f/h; ln m/f/h/1 m/f/h/p3; ln m/f/h/c3 m/f/c3");
    must(rename("m/f", "m/k") == 0 && rename("m/k/h/1", "m/k/h/p4") == 0, "m/k");
    must(rename("m/k/h", "m/there/h") == 0, "m/there");
}

static int swap(const char *one, const char *other)
{
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, 2 /* RENAME_EXCHANGE */) == 0 ? 0 : errno;
}

/* A real file comes into the tree for that. The system would do none of the others, either, where
   the folders were file systems of their own. */
static void swapped_names(void)
{
    must(native_close(native_open("m/there/real", O_WRONLY | O_CREAT, 0600)) == 0 &&
             native_mkdir("m/there/folder", 0700) == 0 && native_mkdir("m/there/other", 0700) == 0,
         "m/there");
    run_command("echo child >m/there/c1");
    must(swap("m/there/real", "m/there/c1") == 0 && has_text("m/there/real", "child\n") &&
             has_text("m/there/c1", "") && is_staged("m/there/c1"),
         "m/there/c1");
    must(rename("m/there/real", "m/there/c2") == 0 && access("m/there/real", F_OK) != 0,
         "m/there/c2");
    must(mkdir("m/there/made", 0700) == 0 && swap("m/there/made", "m/there/folder") == EINVAL &&
             swap("m/there/folder", "m/there/c1") == EINVAL,
         "m/there/made");
    must(swap("m/there/folder", "m/there/other") == 0, "m/there/other");
    write_file("outside", "");
    must(swap("m/there/c1", "outside") == EXDEV && swap("outside", "m/there/c1") == EXDEV &&
             swap("m/there/none", "outside") == ENOENT && swap("m/there/c1", "m/none") == ENOENT,
         "outside");
}

/* The folder of a child that shares our memory is not ours. m/there is a real folder, so that only
   the library finds what is relative to it in the tree. */
static void vfork_with_chdir(void)
{
    static char *const arguments[] = {(char *)(uintptr_t) "program", NULL};
    char before[PATH_MAX], after[PATH_MAX];
    int end, i;
    pid_t pid;

    must(getcwd(before, sizeof before) != NULL, "getcwd");
    write_file("m/there/program", "#!/bin/sh\necho there >made\n");
    must(chmod("m/there/program", 0700) == 0, "chmod");
    for (i = 0; i < 3; i++) {
        pid = vfork();
        if (pid == 0) {
            if (chdir("m/there") != 0)
                _exit(1);
            execv("./program", arguments);
            _exit(1);
        }
        must(waitpid(pid, &end, 0) == pid && end == 0, "program");
        must(getcwd(after, sizeof after) && strcmp(before, after) == 0, after);
        must(has_text("m/there/made", "there\n"), "a name that is relative to the folder before");
    }
    must(is_staged("m/there/made"), "made");
}

/* A daemon goes to the root in its own way. */
static void a_daemon(void)
{
    struct stat status;
    char text[4] = "";
    int ends[2];

    write_file("m/file", "text");
    must(pipe(ends) == 0, "pipe");
    if (fork() == 0) {
        must(daemon(0, 1) == 0 && stat("m/file", &status) != 0 && errno == ENOENT, "m/file");
        must(write(ends[1], "yes", 3) == 3, "pipe");
        _exit(0);
    }
    must(close(ends[1]) == 0 && wait(NULL) > 0, "fork");
    must(read(ends[0], text, 3) == 3 && strcmp(text, "yes") == 0, "the daemon");
    if (fork() == 0) {
        must(daemon(1, 1) == 0 && stat("m/file", &status) == 0, "m/file");
        _exit(0);
    }
    must(wait(NULL) > 0, "fork");
}

/* A program with an environment of its own is redirected, too. */
static void spawn_without_environment(void)
{
    static char *const arguments[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                                      (char *)(uintptr_t) "cat m/given >m/copy", NULL};
    static char *const none[] = {(char *)(uintptr_t) "PATH=/bin:/usr/bin", NULL};
    pid_t pid;
    int end;

    write_file("m/given", "given");
    must(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, none) == 0, "posix_spawn");
    must(waitpid(pid, &end, 0) == pid && end == 0 && is_staged("m/copy"), "m/copy");
    if (fork() == 0) {
        clearenv();
        execle("/bin/sh", "sh", "-c", "/bin/cat m/given >m/second", (char *)NULL, none);
        _exit(1);
    }
    must(wait(&end) > 0 && end == 0 && is_staged("m/second"), "m/second");
}

static void close_all(void)
{
    int fd;

    write_file("m/before", "before");
    for (fd = 3; fd < 1024; fd++)
        close(fd);
    write_file("m/a", "a");
    must(close_range(3, ~0U, 0) == 0 && has_text("m/before", "before"), "m/before");
    write_file("m/b", "b");
    for (fd = 0; fd < 3; fd++)
        close(fd);
    if (!has_text("m/a", "a") || !is_staged("m/b"))
        _exit(2);
}

/* A child that starts in a folder of the tree does not see that. */
static void start_in_the_tree(void)
{
    int end;

    must(mkdir("m/start", 0700) == 0 && chdir("m/start") == 0, "m/start");
    if (fork() == 0) {
        execl("/bin/sh", "sh", "-c",
              "case $(pwd -P) in */root/m/start) echo x >x ;; *) exit 3 ;; esac", (char *)NULL);
        _exit(1);
    }
    must(wait(&end) > 0 && end == 0, "sh");
    must(chdir("../..") == 0 && is_staged("m/start/x"), "m/start/x");
}

/* ---- folders that are renamed ---- */

/* In another process, which redirects, too. */
static void rename_elsewhere(const char *from, const char *to)
{
    int end;

    if (fork() == 0) {
        execlp("mv", "mv", "-T", from, to, (char *)NULL);
        _exit(1);
    }
    must(wait(&end) > 0 && end == 0, "mv");
}

static void write_at(int folder, const char *name)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

    must(fd >= 0 && close(fd) == 0, name);
}

/* What ".." of a working folder is depends on where that has gone, whoever has moved it. */
static void a_working_folder_moves(void)
{
    must(mkdir("n", 0700) == 0 && mkdir("n/a", 0700) == 0 && mkdir("n/m", 0700) == 0, "n");
    must(chdir("n/a") == 0, "n/a");
    write_at(AT_FDCWD, "../m/before");
    must(rename("../a", "../../b") == 0, "rename");
    write_at(AT_FDCWD, "../m/after");
    rename_elsewhere("../b", "../n/c");
    write_at(AT_FDCWD, "../m/again");
    must(!is_staged("n/m/before") && is_staged("m/after") && !is_staged("m/again"), "files");
    must(access("../../n/m/before", F_OK) == 0 && access("../../n/m/again", F_OK) == 0, "again");
}

/* The same for a folder that is open; a number of a descriptor, too, may be another folder's. */
static void an_open_folder_moves(void)
{
    int folder, other;

    must(mkdir("n", 0700) == 0 && mkdir("n/a", 0700) == 0 && mkdir("n/m", 0700) == 0, "n");
    folder = open("n/a", O_RDONLY);
    must(folder >= 0, "n/a");
    write_at(folder, "../m/1");
    write_at(folder, "../m/2");
    must(renameat(folder, "../a", AT_FDCWD, "b") == 0, "renameat");
    write_at(folder, "../m/3");
    rename_elsewhere("b", "n/c");
    write_at(folder, "../m/4");
    must(close(folder) == 0 && rmdir("n/c") == 0 && mkdir("b", 0700) == 0, "b");
    other = open("b", O_RDONLY);
    must(other == folder, "another number");
    write_at(other, "../m/5");
    must(!is_staged("n/m/1") && !is_staged("n/m/2") && is_staged("m/3"), "3");
    must(access("n/m/4", F_OK) == 0 && is_staged("m/5"), "5");
}

/* Where a real folder gets the name of a pattern, names in it are redirected from then on. */
static void an_open_real_folder_moves(void)
{
    struct stat status;
    int folder;

    must(mkdir("before", 0700) == 0, "before");
    folder = open("before", O_RDONLY | O_DIRECTORY);
    write_at(folder, "out1");
    write_at(folder, "out2");
    must(native_stat("before/out2", &status, 0) == 0, "before/out2");
    rename_elsewhere("before", "after");
    write_at(folder, "out3");
    must(is_staged("after/out3") && native_stat("after/out3", &status, 0) != 0, "after/out3");
}

/* The library knows nothing of it before. */
static void a_folder_is_the_first_number(void)
{
    int folder = native_open("m/there", O_RDONLY | O_DIRECTORY, 0);

    must(folder > 0 && syscall(SYS_dup3, folder, 0, 0) == 0, "m/there");
    write_at(0, "zero");
    must(is_staged("m/there/zero"), "m/there/zero");
}

/* The folder that the parent was in is not that of a child that shares its memory. */
static void vfork_in_no_folder(void)
{
    int end;
    pid_t pid;

    write_file("m/here", "");
    must(access("m/here", F_OK) == 0 && mkdir("m/gone", 0700) == 0, "m/gone");
    pid = vfork();
    if (pid == 0)
        _exit(chdir("m/gone") != 0 || syscall(SYS_rmdir, "../gone") != 0 ||
              access("m/here", F_OK) == 0);
    must(waitpid(pid, &end, 0) == pid && end == 0, "a child in no folder");
}

/* ---- the test ---- */

static uint32_t owner_of(const struct scion_session *opened, const char *name)
{
    struct scion_owner_record record = {0};
    struct scion_owners owners;

    if (scion_owners_read(opened, &owners) != 0)
        return 0;
    scion_owners_find(&owners, name, &record);
    scion_owners_free(&owners);
    return record.owner;
}

/* Each has made a file, and the parent another one. */
static void are_of_two(const char *of_parent, const char *of_child, const char *of_parent_too)
{
    struct scion_session opened;
    uint32_t parent, child;

    CHECK_INT(scion_session_open(session, &opened), 0);
    parent = owner_of(&opened, of_parent);
    child = owner_of(&opened, of_child);
    CHECK(parent >= SCION_OWNER_ALONE && child >= SCION_OWNER_ALONE && parent != child);
    CHECK_INT(owner_of(&opened, of_parent_too), parent);
    scion_session_close(&opened);
}

/* Processes without a rank are each for themselves, also if they have only forked. */
static void each_has_its_number(void)
{
    are_of_two("m/parent", "m/child", "m/later");
}

static void swapped_owners(void)
{
    are_of_two("m/there/c1", "m/there/c2", "m/there/made");
}

static void names_keep_their_owners(void)
{
    static const char *const parents[] = {"e/p1", "e/p2", "there/h/p3", "there/h/p4",
                                          "e/p5", "e/p6", "e/p7"},
                             *const children[] = {"e/c1", "e/c2", "there/h/c3",
                                                  "k/c3", "e/c5", "e/c7"};
    struct scion_session opened;
    uint32_t parent, child;
    char path[60];
    size_t i;

    CHECK_INT(scion_session_open(session, &opened), 0);
    parent = owner_of(&opened, "m/k");
    CHECK(parent >= SCION_OWNER_ALONE);
    CHECK_INT(owner_of(&opened, "m/there/h"), parent);
    for (i = 0; i < sizeof parents / sizeof *parents; i++) {
        snprintf(path, sizeof path, "m/%s", parents[i]);
        CHECK_INT(owner_of(&opened, path), parent);
    }
    for (i = 0; i < sizeof children / sizeof *children; i++) {
        snprintf(path, sizeof path, "m/%s", children[i]);
        child = owner_of(&opened, path);
        CHECK(child >= SCION_OWNER_ALONE && child != parent);
    }
    scion_session_close(&opened);
}

/* One line says so, and the files are real. */
static void a_session_that_is_not_there(void)
{
    char line[1000] = "";
    int end = 0;

    if (fork() == 0) {
        if (chdir(scratch_directory) != 0 || !freopen("said", "w", stderr) || mkdir("m", 0700) != 0)
            _exit(96);
        setenv("SION_RUN_SESSION", "/nowhere/session", 1);
        setenv("LD_PRELOAD", library, 1);
        execl("/bin/sh", "sh", "-c", "echo x >m/real", (char *)NULL);
        _exit(99);
    }
    wait(&end);
    CHECK_INT(end, 0);
    scratch_read(scratch_path("said"), line, sizeof line - 1);
    CHECK_STR(line, "libsion_run: /nowhere/session: no session (No such file or directory); files "
                    "are not redirected\n");
    CHECK_INT(scratch_size(scratch_path("m/real")), 2);
}

static const struct process_case cases[] = {
    {.name = "threads", .run = threads},
    {.name = "forks of a process with threads", .run = forks_with_threads},
    {.name = "forks while folders are read", .run = forks_with_folders},
    {.name = "a thread that changes the working folder", .run = a_thread_changes_the_folder},
    {.name = "a small stack", .run = a_small_stack},
    {.name = "signals", .run = signals},
    {.name = "fork without exec", .run = fork_without_exec, .look = each_has_its_number},
    {.name = "other names", .run = other_names, .look = names_keep_their_owners},
    {.name = "swapped names", .run = swapped_names, .look = swapped_owners},
    {.name = "a daemon", .run = a_daemon},
    {.name = "vfork with chdir", .run = vfork_with_chdir},
    {.name = "children without an environment", .run = spawn_without_environment},
    {.name = "a program that closes all descriptors", .run = close_all},
    {.name = "a start in a folder of the tree", .run = start_in_the_tree},
    {.name = "a working folder that is renamed", .run = a_working_folder_moves},
    {.name = "an open folder that is renamed", .run = an_open_folder_moves},
    {.name = "an open folder that gets the name of a pattern", .run = an_open_real_folder_moves},
    {.name = "a folder that is the descriptor 0", .run = a_folder_is_the_first_number},
    {.name = "vfork in no folder", .run = vfork_in_no_folder},
    {.name = "a session that is not there", .look = a_session_that_is_not_there},
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
