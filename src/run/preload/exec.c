/*
 * exec and posix_spawn: programs in the tree are found, and what they start is under sionrun, too,
 * even if the program gives it an environment of its own.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/call.h"
#include "run/preload/exec.h"
#include "run/preload/fill.h"
#include "run/preload/hook.h"
#include "run/preload/open.h"
#include "run/preload/opened.h"
#include "run/preload/union.h"

extern char **environ;

/* ---- the environment ---- */

static char session_variable[PATH_MAX + 32], library[PATH_MAX];

void run_exec_start(const char *folder)
{
    Dl_info own;

    snprintf(session_variable, sizeof session_variable, "SION_RUN_SESSION=%s", folder);
    if (dladdr(session_variable, &own) && own.dli_fname)
        snprintf(library, sizeof library, "%s", own.dli_fname);
}

static size_t count(char *const *strings)
{
    size_t n = 0;

    while (strings && strings[n])
        n++;
    return n;
}

static const char *value_in(char *const *environment, const char *name, size_t length)
{
    size_t i;

    for (i = 0; environment && environment[i]; i++) {
        if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
            return environment[i] + length + 1;
    }
    return NULL;
}

/* Bytes that `complete` needs for a text and an array; 0: nothing is missing. */
static size_t room_for(char *const *environment)
{
    const char *preload = value_in(environment, "LD_PRELOAD", 10);

    if (!run_is_on() || !library[0] ||
        (value_in(environment, "SION_RUN_SESSION", 16) && preload && strstr(preload, library)))
        return 0;
    return (count(environment) + 3) * sizeof(char *) + strlen(library) +
           (preload ? strlen(preload) : 0) + 16;
}

/* The environment with what was taken away, in so many bytes of memory. */
static char *const *complete(char *const *environment, void *memory)
{
    const char *preload = value_in(environment, "LD_PRELOAD", 10);
    size_t n = count(environment), i, kept = 0;
    char **to = memory, *text = (char *)(to + n + 3);

    for (i = 0; i < n; i++) {
        if (strncmp(environment[i], "LD_PRELOAD=", 11) != 0 &&
            strncmp(environment[i], "SION_RUN_SESSION=", 17) != 0)
            to[kept++] = environment[i];
    }
    if (preload && strstr(preload, library))
        sprintf(text, "LD_PRELOAD=%s", preload);
    else
        sprintf(text, "LD_PRELOAD=%s%s%s", library, preload && *preload ? ":" : "",
                preload ? preload : "");
    to[kept++] = session_variable;
    to[kept++] = text;
    to[kept] = NULL;
    return to;
}

/* Memory of the caller's frame, because no other may be taken in the child of a vfork. */
#define COMPLETE(environment)                                                                      \
    do {                                                                                           \
        size_t bytes = room_for(environment);                                                      \
                                                                                                   \
        if (bytes > 0)                                                                             \
            (environment) = (char **)(uintptr_t)complete(environment, alloca(bytes));              \
    } while (0)

/* ---- the program ---- */

/* The native path of a program, in `place` if it is not the given one. NULL with errno. */
static const char *program_once(struct run_place *place, int folder, const char *path, int follows)
{
    struct stat status;
    int layer;

    if (run_locate(place, folder, path, follows) != 0)
        return NULL;
    if (place->where == RUN_NATIVE)
        return path;
    if (follows && run_follow(place) != 0)
        return NULL;
    if (place->where != RUN_OURS)
        return place->real;
    layer = run_find(place, &status);
    if (layer < 0 || (layer == RUN_TREE && run_input_fill(place) != 0))
        return NULL;
    return run_path(place, layer == RUN_TREE ? RUN_TREE : RUN_REAL);
}

static const char *program_in(struct run_place *place, int folder, const char *path, int follows)
{
    struct run_watch watch = run_watch();
    const char *native;

    if (!run_is_on())
        return path;
    place->memo.is_set = 0; /* it may be of a stack */
    do
        native = program_once(place, folder, path, follows);
    while (!native && run_has_moved(&watch, path));
    return native;
}

static const char *program(struct run_place *place, const char *path)
{
    return program_in(place, AT_FDCWD, path, 1);
}

HOOK(int, execve, const char *path, char *const *arguments, char *const *environment)
{
    struct run_place place; /* not taken: in the child of a vfork it would never be given back */
    const char *native = program(&place, path);

    if (!native)
        return -1;
    COMPLETE(environment);
    return NEXT(execve)(native, arguments, environment);
}

HOOK(int, execv, const char *path, char *const *arguments)
{
    return hook_execve(path, arguments, environ);
}

HOOK(int, fexecve, int fd, char *const *arguments, char *const *environment)
{
    COMPLETE(environment);
    return NEXT(fexecve)(fd, arguments, environment);
}

#ifdef SYS_execveat
HOOK(int, execveat, int folder, const char *path, char *const *arguments, char *const *environment,
     int flags)
{
    struct run_place place;
    const char *native = path;

    if (path && *path)
        native = program_in(&place, folder, path, !(flags & AT_SYMLINK_NOFOLLOW));
    if (!native && path)
        return -1;
    COMPLETE(environment);
    return (int)syscall(SYS_execveat, native == path ? folder : AT_FDCWD, native, arguments,
                        environment, flags);
}
#endif

/* A file without a format that the system knows is a script of the shell. */
static int run_script(const char *path, char *const *arguments, char *const *environment)
{
    size_t n = count(arguments), i;
    const char **more = alloca((n + 3) * sizeof *more);

    more[0] = _PATH_BSHELL;
    more[1] = path;
    for (i = 1; i <= n; i++)
        more[i + 1] = arguments[i];
    more[n + 1 + (n == 0)] = NULL;
    return hook_execve(_PATH_BSHELL, (char *const *)(uintptr_t)more, environment);
}

static int try_program(const char *path, char *const *arguments, char *const *environment)
{
    hook_execve(path, arguments, environment);
    return errno == ENOEXEC ? run_script(path, arguments, environment) : -1;
}

static const char *search_path(void)
{
    const char *folders = secure_getenv("PATH");

    return folders ? folders : "/bin:/usr/bin";
}

/* The next folder of a search path and the program in it, to `path`; returns what follows, or NULL.
 */
static const char *next_program(const char *folders, const char *name, char *path)
{
    size_t length = strcspn(folders, ":");

    path[0] = '\0';
    if (length + strlen(name) + 2 <= PATH_MAX)
        snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folders, length > 0 ? "/" : "", name);
    return folders[length] ? folders + length + 1 : NULL;
}

static int search(const char *name, char *const *arguments, char *const *environment)
{
    const char *folders = search_path();
    char path[PATH_MAX];
    int was_refused = 0;

    if (strchr(name, '/') || !*name)
        return *name ? try_program(name, arguments, environment)
                     : hook_execve(name, arguments, environment);
    while (folders) {
        folders = next_program(folders, name, path);
        if (*path)
            try_program(path, arguments, environment);
        was_refused |= errno == EACCES;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ESTALE &&
            errno != ENODEV && errno != ETIMEDOUT)
            return -1;
    }
    if (was_refused)
        errno = EACCES;
    return -1;
}

HOOK(int, execvpe, const char *name, char *const *arguments, char *const *environment)
{
    return run_is_on() ? search(name, arguments, environment)
                       : NEXT(execvpe)(name, arguments, environment);
}

HOOK(int, execvp, const char *name, char *const *arguments)
{
    return run_is_on() ? search(name, arguments, environ) : NEXT(execvp)(name, arguments);
}

/* Arguments one by one, up to a NULL: as an array. */
#define LIST(first, list, arguments)                                                               \
    do {                                                                                           \
        va_list counted;                                                                           \
        size_t n = 1, i;                                                                           \
                                                                                                   \
        va_copy(counted, list);                                                                    \
        while ((first) && va_arg(counted, char *))                                                 \
            n++;                                                                                   \
        va_end(counted);                                                                           \
        (arguments) = alloca((n + 1) * sizeof(char *));                                            \
        (arguments)[0] = (char *)(uintptr_t)(first);                                               \
        for (i = 1; (first) && i <= n; i++)                                                        \
            (arguments)[i] = va_arg(list, char *);                                                 \
    } while (0)

HOOK(int, execl, const char *path, const char *first, ...)
{
    char **arguments;
    va_list list;

    va_start(list, first);
    LIST(first, list, arguments);
    va_end(list);
    return hook_execve(path, arguments, environ);
}

HOOK(int, execle, const char *path, const char *first, ...)
{
    char **arguments, **environment;
    va_list list;

    va_start(list, first);
    LIST(first, list, arguments);
    environment = va_arg(list, char **);
    va_end(list);
    return hook_execve(path, arguments, environment);
}

HOOK(int, execlp, const char *name, const char *first, ...)
{
    char **arguments;
    va_list list;

    va_start(list, first);
    LIST(first, list, arguments);
    va_end(list);
    return run_is_on() ? search(name, arguments, environ) : NEXT(execvp)(name, arguments);
}

/* ---- posix_spawn ---- */

HOOK(int, posix_spawn, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
     const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    struct run_place place;
    int why = errno, rc;
    const char *native = program(&place, path);

    if (!native) {
        rc = errno;
        errno = why;
        return rc;
    }
    if (!environment)
        environment = environ;
    COMPLETE(environment);
    return NEXT(posix_spawn)(pid, native, actions, attributes, arguments, environment);
}

/* The path of the program that a search would start; the name itself if there is none. */
static const char *found_program(const char *name, char *path)
{
    const char *folders = search_path(), *native;
    struct run_place *place;
    int is_there = 0, why = errno;

    if (strchr(name, '/') || !*name)
        return name;
    place = run_take();
    while (folders && !is_there) {
        folders = next_program(folders, name, path);
        native = *path ? program(place, path) : NULL;
        is_there = native && syscall(SYS_faccessat, AT_FDCWD, native, X_OK) == 0;
    }
    run_give(place);
    errno = why;
    return is_there ? path : name;
}

HOOK(int, posix_spawnp, pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
     const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    char path[PATH_MAX];
    struct run_place place;
    const char *found = run_is_on() ? found_program(name, path) : name, *native;

    if (!environment)
        environment = environ;
    COMPLETE(environment);
    native = strchr(found, '/') ? program(&place, found) : found;
    return native ? NEXT(posix_spawnp)(pid, native, actions, attributes, arguments, environment)
                  : errno;
}

/* The C library opens the file in the child, without us. So it is made now, if it is to be made. */
HOOK(int, posix_spawn_file_actions_addopen, posix_spawn_file_actions_t *actions, int fd,
     const char *path, int flags, mode_t mode)
{
    struct run_place *place;
    int made, why = errno, rc;

    if (!run_is_on())
        return NEXT(posix_spawn_file_actions_addopen)(actions, fd, path, flags, mode);
    place = run_placed(AT_FDCWD, path, 1);
    if (place && place->where != RUN_NATIVE) {
        made = run_open(place, flags | O_CLOEXEC, mode);
        path = place->where == RUN_OURS ? place->tree : place->real;
        if (made >= 0) {
            run_opened_name(made, place->spare);
            path = place->spare;
            flags &= ~O_EXCL;
            native_close(made);
        }
    }
    rc = NEXT(posix_spawn_file_actions_addopen)(actions, fd, path, flags, mode);
    if (place)
        run_give(place);
    errno = why;
    return rc;
}

/* As chdir() chooses: the real folder, if there is one. */
static const char *folder_of(struct run_place *place)
{
    struct stat status;

    if (run_follow(place) != 0)
        return place->tree; /* it fails there, too */
    if (place->where != RUN_OURS || native_stat(place->real, &status, 0) == 0 ||
        (native_stat(place->tree, &status, 0) != 0 && errno == ENOENT))
        return place->real;
    return place->tree;
}

HOOK(int, posix_spawn_file_actions_addchdir_np, posix_spawn_file_actions_t *actions,
     const char *path)
{
    struct run_place *place;
    int rc, why = errno;

    if (!run_is_on())
        return NEXT(posix_spawn_file_actions_addchdir_np)(actions, path);
    place = run_placed(AT_FDCWD, path, 1);
    if (place && place->where != RUN_NATIVE)
        path = folder_of(place);
    rc = NEXT(posix_spawn_file_actions_addchdir_np)(actions, path);
    if (place)
        run_give(place);
    errno = why;
    return rc;
}
