/* What calls.c prints of its calls: results that must be equal with and without the library. */
#ifndef TEST_RUN_SHOWN_H
#define TEST_RUN_SHOWN_H

#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#include "run/frame.h"

/* What glibc has, but its headers do not declare. */
int __xstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstatat(int version, int folder, const char *path, struct stat *status, int flags);
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);
int __xmknodat(int version, int folder, const char *path, mode_t mode, dev_t *device);
int __xstat64(int version, const char *path, struct stat64 *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
int __fxstatat64(int version, int folder, const char *path, struct stat64 *status, int flags);
int __open64_2(const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
int __open_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
ssize_t __readlink_chk(const char *path, char *to, size_t room, size_t all);
ssize_t __readlinkat_chk(int folder, const char *path, char *to, size_t room, size_t all);
char *__getcwd_chk(char *to, size_t room, size_t all);
char *__realpath_chk(const char *path, char *to, size_t room);

enum { HERE = AT_FDCWD, BEFORE = EDOM };

/* Folders that are open: of both kinds. */
static int m_fd, sdir_fd, rdir_fd, dot_fd;
static char folder[4096];

/* ---- results ---- */

static struct stat status;
static char text[8192];

static void number(long long result)
{
    printf("%lld", result);
}

/* Of a call that may set errno where it succeeds. */
static void kept(int rc)
{
    number(rc);
    if (rc == 0)
        errno = BEFORE;
}

static void shown_status(int rc)
{
    number(rc);
    if (rc == 0)
        show_status(&status);
}

/* A descriptor: its bytes, and flags that tell how it was opened. */
static void shown_fd(int fd)
{
    int flags;

    if (fd < 0) {
        number(fd);
        return;
    }
    flags = fcntl(fd, F_GETFL);
    printf("open %d", flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
    fstat(fd, &status);
    show_status(&status);
    if (S_ISREG(status.st_mode) && (flags & O_ACCMODE) != O_WRONLY && !(flags & O_PATH))
        show_bytes(fd);
    if ((flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH))
        printf(" wrote %d", (int)write(fd, "w\n", 2));
    close(fd);
}

static void shown_stream(FILE *stream)
{
    long at;

    if (!stream) {
        printf("NULL");
        return;
    }
    at = ftell(stream);
    printf("at %ld ", at);
    fputs("x\n", stream);
    fflush(stream);
    rewind(stream);
    printf("%d", fgetc(stream) == EOF);
    fclose(stream);
}

/* A path, without the folder of the test. */
static void shown_path(const char *path)
{
    size_t length = strlen(folder);

    if (!path)
        printf("NULL");
    else
        printf("%s", strncmp(path, folder, length) == 0 ? path + length : path);
    if (path)
        errno = BEFORE; /* realpath() may set it where it succeeds */
}

static void shown_text(ssize_t n)
{
    number(n);
    if (n >= 0) {
        text[n] = '\0';
        printf(" ");
        shown_path(text);
    }
}

static void shown_names(DIR *dir)
{
    char *names[200];
    size_t n, i;

    if (!dir) {
        printf("NULL");
        return;
    }
    n = names_of(dir, names, 200);
    for (i = 0; i < n; i++) {
        printf("%s ", names[i]);
        free(names[i]);
    }
}

static void shown_cwd(int rc)
{
    number(rc);
    if (rc != 0)
        return;
    shown_path(getcwd(text, sizeof text));
    must(chdir(folder) == 0, folder);
}

static DIR *opened(int fd)
{
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    int why = errno;

    if (fd >= 0 && !dir)
        close(fd);
    errno = why;
    return dir;
}

static void shown_scan(struct dirent **entries, int n)
{
    int i;

    number(n);
    for (i = 0; i < n; i++) {
        printf(" %s", entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

/* text: the template, as it was filled in */
static void shown_temporary(int fd)
{
    printf("%s ", fd < 0 ? "none" : strstr(text, "XXXXXX") ? "not filled in" : "new");
    shown_fd(fd);
    if (fd >= 0)
        printf(" removed %d", unlink(text));
}

static void template(const char *path, const char *suffix)
{
    snprintf(text, sizeof text, "%s/tXXXXXX%s", path, suffix);
}

static void shown_folder(const char *made)
{
    printf("%s", made ? "made" : "NULL");
    if (made)
        printf(" removed %d", rmdir(made));
}

static int first_error(const char *path, int error)
{
    (void)path;
    printf("[%s] ", error_name(error));
    return 0;
}

static void shown_glob(const char *path, int flags)
{
    glob_t found = {0};
    char pattern[4096];
    size_t i;
    int rc;

    snprintf(pattern, sizeof pattern, "%s*/*", path);
    rc = glob(pattern, flags, first_error, &found);
    number(rc);
    for (i = 0; rc == 0 && i < found.gl_pathc; i++)
        printf(" %s", found.gl_pathv[i]);
    globfree(&found);
    errno = BEFORE; /* that of the last folder of several, in any order */
}

static const struct timeval old_times[2] = {{1000, 5}, {2000, 7}};
static const struct timespec old_ns[2] = {{1000, 5}, {2000, 7}};
static const struct utimbuf old_utime = {1000, 2000};
static struct statx wide;
static struct statfs fs;
static struct statvfs vfs;
static struct dirent **list;
static dev_t no_device;
static glob64_t globbed;

static void shown_time(int rc)
{
    number(rc);
    if (rc == 0 && fstatat(HERE, text, &status, AT_SYMLINK_NOFOLLOW) == 0)
        printf(" %lld.%09ld", S_ISLNK(status.st_mode) ? 0 : (long long)status.st_mtim.tv_sec,
               S_ISLNK(status.st_mode) ? 0 : status.st_mtim.tv_nsec);
}

/* For calls whose result is looked at by a path. */
static const char *same(const char *path)
{
    snprintf(text, sizeof text, "%s", path);
    return path;
}

static void shown_wide(int rc)
{
    number(rc);
    if (rc == 0)
        printf(" %o", wide.stx_mode);
}

/* ---- folders, by other calls ---- */

static void shown_names64(DIR *dir)
{
    char *names[200];
    struct dirent64 *entry;
    size_t n = 0, i;

    if (!dir) {
        printf("NULL");
        return;
    }
    while (n < 200 && (entry = readdir64(dir)) != NULL)
        names[n++] = strdup(entry->d_name);
    qsort(names, n, sizeof *names, by_text);
    for (i = 0; i < n; i++) {
        printf("%s ", names[i]);
        free(names[i]);
    }
    closedir(dir);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* How many names readdir_r() tells, and again after rewinddir(). */
static void shown_count(DIR *dir)
{
    struct dirent entry, *found = NULL;
    struct dirent64 entry64, *found64 = NULL;
    int n = 0, n64 = 0;

    if (!dir) {
        printf("NULL");
        return;
    }
    while (readdir_r(dir, &entry, &found) == 0 && found)
        n++;
    rewinddir(dir);
    while (readdir64_r(dir, &entry64, &found64) == 0 && found64)
        n64++;
    printf("%d %d", n, n64);
    closedir(dir);
}

/* Whether seekdir() goes back to where telldir() was. */
static void shown_seek(DIR *dir)
{
    struct dirent *entry;
    char name[300] = "";
    long at;

    if (!dir) {
        printf("NULL");
        return;
    }
    readdir(dir);
    at = telldir(dir);
    entry = readdir(dir);
    if (entry)
        snprintf(name, sizeof name, "%s", entry->d_name);
    while (readdir(dir))
        ;
    seekdir(dir, at);
    entry = readdir(dir);
    printf("%s", entry && strcmp(entry->d_name, name) == 0 ? "same" : "other");
    closedir(dir);
}

/* ---- walks ---- */

static char *visited[300];
static size_t nvisited;

static int remember(const char *path, const struct stat *s, int type, struct FTW *where)
{
    char line[5000];

    snprintf(line, sizeof line, "%s %o %d %d %d %s", path, S_ISDIR(s->st_mode) ? 0 : s->st_mode,
             type, where ? where->base : 0, where ? where->level : 0,
             where && access(path + where->base, F_OK) == 0 ? "here" : "");
    if (nvisited < 300)
        visited[nvisited++] = strdup(line);
    return 0;
}

static int remember_simple(const char *path, const struct stat *s, int type)
{
    return remember(path, s, type, NULL);
}

static int stop(const char *path, const struct stat *s, int type, struct FTW *where)
{
    (void)s, (void)type;
    return strcmp(path + where->base, "sub") == 0 ? 7 : 0;
}

/* A folder that comes before or behind what is in it. */
static int skip(const char *path, const struct stat *s, int type, struct FTW *where)
{
    remember(path, s, type, where);
    return strcmp(path + where->base, "sub") == 0 ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
}

/* Whether a walk that follows links finds no folder twice: which of the names it tells then is
 * open. */
static int has_one_way(const char *path)
{
    return strcmp(path, "m") != 0 && strcmp(path, ".") != 0 && strcmp(path, "m/rdir/..") != 0;
}

static void shown_walk(int rc)
{
    size_t i;
    int is_first = 0;

    if (rc >= 0)
        errno = BEFORE;
    if (nvisited > 0)
        is_first = !strstr(visited[0], "/");
    qsort(visited, nvisited, sizeof *visited, by_text);
    printf("%d %s", rc, is_first ? "top first" : "");
    for (i = 0; i < nvisited; i++) {
        printf("\n    %s", visited[i]);
        free(visited[i]);
    }
    nvisited = 0;
}

/* ---- programs ---- */

static char *const words[] = {"program", "a", "b", NULL};
static char *const variables[] = {"VARIABLE=value", "PATH=/bin:/usr/bin", NULL};

enum exec {
    EXECL,
    EXECV,
    EXECVE,
    EXECLE,
    EXECLP,
    EXECVP,
    EXECVPE,
    EXECVEAT,
    EXECVEAT_LINK,
    FEXECVE
};

static int call_exec(enum exec call, const char *path)
{
    switch (call) {
    case EXECL:
        return execl(path, "program", "a", (char *)NULL);
    case EXECV:
        return execv(path, words);
    case EXECVE:
        return execve(path, words, variables);
    case EXECLE:
        return execle(path, "program", "a", "b", "c", (char *)NULL, variables);
    case EXECLP:
        return execlp(path, "program", (char *)NULL);
    case EXECVP:
        return execvp(path, words);
    case EXECVPE:
        return execvpe(path, words, variables);
    case EXECVEAT:
        return execveat(dot_fd, path, words, variables, 0);
    case EXECVEAT_LINK:
        return execveat(AT_FDCWD, path, words, variables, AT_SYMLINK_NOFOLLOW);
    default:
        return fexecve(open(path, O_RDONLY), words, variables);
    }
}

static void shown_end(pid_t pid)
{
    int end = 0;

    waitpid(pid, &end, 0);
    printf(" %d", WEXITSTATUS(end));
}

static void shown_exec(enum exec call, const char *path)
{
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        call_exec(call, path);
        printf("%s", error_name(errno));
        fflush(stdout);
        _exit(1);
    }
    shown_end(pid);
    errno = BEFORE;
}

/* A program of this name in the search path. */
static void shown_search(enum exec call, const char *path)
{
    const char *name = strrchr(path, '/');
    char before[4096];

    snprintf(before, sizeof before, "%s", getenv("PATH"));
    setenv("PATH", "/nowhere:m/rdir:m:/bin", 1);
    shown_exec(call, name && name[1] ? name + 1 : path);
    setenv("PATH", before, 1);
}

static void shown_spawn(int is_searched, const char *path)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int rc;

    fflush(stdout);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "m/output", O_WRONLY | O_CREAT | O_APPEND, 0600);
    rc = (is_searched ? posix_spawnp : posix_spawn)(&pid, path, &actions, NULL, words, variables);
    posix_spawn_file_actions_destroy(&actions);
    printf("%s", error_name(rc));
    if (rc == 0)
        shown_end(pid);
    errno = BEFORE;
}

/* A shell tells where it is. */
static void shown_spawn_there(const char *path)
{
    static char *const shell[] = {"sh", "-c", "pwd -P | sed 's|.*/||'", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int rc;

    fflush(stdout);
    posix_spawn_file_actions_init(&actions);
    rc = posix_spawn_file_actions_addchdir_np(&actions, path);
    if (rc == 0)
        rc = posix_spawn(&pid, "/bin/sh", &actions, NULL, shell, variables);
    posix_spawn_file_actions_destroy(&actions);
    printf("%s", error_name(rc));
    if (rc == 0)
        shown_end(pid);
    errno = BEFORE;
}

/* The working folder by other calls. */
static void shown_here(int rc)
{
    char *name;

    number(rc);
    if (rc != 0)
        return;
    unsetenv("PWD");
    printf(" ");
    shown_path(getwd(text));
    printf(" ");
    shown_path(__getcwd_chk(text, 4096, sizeof text));
    printf(" ");
    name = get_current_dir_name();
    shown_path(name);
    free(name);
    printf(" %d", getcwd(text, 3) == NULL && errno == ERANGE);
    must(chdir(folder) == 0, folder);
    errno = BEFORE;
}

#endif
