/*
 * Calls that name one file and are made with the path where that is. Each line: type, name, folder
 * and path among the parameters, what the call does with the file, parameters, and the arguments of
 * the native call.
 */
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <utime.h>

#include "run/preload/call.h"
#include "run/preload/hook.h"

#define BARE(...) __VA_ARGS__

#define FRAME(type, name, folder, given, use, parameters, native)                                  \
    HOOK(type, name, BARE parameters)                                                              \
    {                                                                                              \
        struct run_call call;                                                                      \
        type rc = -1;                                                                              \
                                                                                                   \
        if (run_begin(&call, folder, given, use) == 0)                                             \
            do                                                                                     \
                rc = native;                                                                       \
            while (run_again(&call, rc == -1));                                                    \
        run_end(&call);                                                                            \
        return rc;                                                                                 \
    }

#define SIMPLE(type, name, folder, given, use, parameters, arguments)                              \
    FRAME(type, name, folder, given, use, parameters, NEXT(name) arguments)

/* A call without a folder; `at` is its form with one. */
#define TWIN(type, name, use, parameters, arguments, at, at_arguments)                             \
    FRAME(type, name, AT_FDCWD, p, use, parameters,                                                \
          call.fd == AT_FDCWD ? NEXT(name) arguments : NEXT(at) at_arguments)

/* Whether a flag says that a link itself is meant. */
#define LINK(flags) ((flags)&AT_SYMLINK_NOFOLLOW ? RUN_NOFOLLOW : 0)
#define HERE        AT_FDCWD

/* clang-format off */
SIMPLE(int, fstatat, d, p, LINK(f), (int d, const char *p, struct stat *s, int f), (call.fd, call.path, s, f))
SIMPLE(int, fstatat64, d, p, LINK(f), (int d, const char *p, struct stat *s, int f), (call.fd, call.path, s, f))
SIMPLE(int, statx, d, p, LINK(f), (int d, const char *p, int f, unsigned m, struct statx *s), (call.fd, call.path, f, m, s))
SIMPLE(int, __fxstatat, d, p, LINK(f), (int v, int d, const char *p, struct stat *s, int f), (v, call.fd, call.path, s, f))
SIMPLE(int, __fxstatat64, d, p, LINK(f), (int v, int d, const char *p, struct stat *s, int f), (v, call.fd, call.path, s, f))
SIMPLE(int, eaccess, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, int m), (call.path, m))
SIMPLE(int, euidaccess, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, int m), (call.path, m))
SIMPLE(int, faccessat, d, p, LINK(f), (int d, const char *p, int m, int f), (call.fd, call.path, m, f))
SIMPLE(int, statfs, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, struct statfs *s), (call.path, s))
SIMPLE(int, statfs64, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, struct statfs *s), (call.path, s))
SIMPLE(int, statvfs, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, struct statvfs *s), (call.path, s))
SIMPLE(int, statvfs64, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, struct statvfs *s), (call.path, s))
SIMPLE(long, pathconf, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, int n), (call.path, n))
SIMPLE(int, inotify_add_watch, HERE, p, RUN_LOOK | RUN_WHOLE, (int i, const char *p, uint32_t m), (i, call.path, m))

SIMPLE(int, lchmod, HERE, p, RUN_CHANGE | RUN_NOFOLLOW | RUN_WHOLE, (const char *p, mode_t m), (call.path, m))
SIMPLE(int, fchmodat, d, p, RUN_CHANGE | LINK(f), (int d, const char *p, mode_t m, int f), (call.fd, call.path, m, f))
SIMPLE(int, fchownat, d, p, RUN_CHANGE | LINK(f), (int d, const char *p, uid_t u, gid_t g, int f), (call.fd, call.path, u, g, f))
SIMPLE(int, utime, HERE, p, RUN_CHANGE | RUN_WHOLE, (const char *p, const struct utimbuf *t), (call.path, t))
SIMPLE(int, lutimes, HERE, p, RUN_CHANGE | RUN_NOFOLLOW | RUN_WHOLE, (const char *p, const struct timeval *t), (call.path, t))
SIMPLE(int, futimesat, d, p, RUN_CHANGE, (int d, const char *p, const struct timeval *t), (call.fd, call.path, t))
SIMPLE(int, utimensat, d, p, RUN_CHANGE | LINK(f), (int d, const char *p, const struct timespec *t, int f), (call.fd, call.path, t, f))
SIMPLE(int, truncate, HERE, p, RUN_CHANGE | RUN_WHOLE, (const char *p, off_t n), (call.path, n))
SIMPLE(int, truncate64, HERE, p, RUN_CHANGE | RUN_WHOLE, (const char *p, off_t n), (call.path, n))

TWIN(int, stat, RUN_LOOK, (const char *p, struct stat *s), (call.path, s), fstatat, (call.fd, call.path, s, 0))
TWIN(int, stat64, RUN_LOOK, (const char *p, struct stat *s), (call.path, s), fstatat64, (call.fd, call.path, s, 0))
TWIN(int, lstat, RUN_NOFOLLOW, (const char *p, struct stat *s), (call.path, s), fstatat, (call.fd, call.path, s, AT_SYMLINK_NOFOLLOW))
TWIN(int, lstat64, RUN_NOFOLLOW, (const char *p, struct stat *s), (call.path, s), fstatat64, (call.fd, call.path, s, AT_SYMLINK_NOFOLLOW))
TWIN(int, __xstat, RUN_LOOK, (int v, const char *p, struct stat *s), (v, call.path, s), __fxstatat, (v, call.fd, call.path, s, 0))
TWIN(int, __xstat64, RUN_LOOK, (int v, const char *p, struct stat *s), (v, call.path, s), __fxstatat64, (v, call.fd, call.path, s, 0))
TWIN(int, __lxstat, RUN_NOFOLLOW, (int v, const char *p, struct stat *s), (v, call.path, s), __fxstatat, (v, call.fd, call.path, s, AT_SYMLINK_NOFOLLOW))
TWIN(int, __lxstat64, RUN_NOFOLLOW, (int v, const char *p, struct stat *s), (v, call.path, s), __fxstatat64, (v, call.fd, call.path, s, AT_SYMLINK_NOFOLLOW))
TWIN(int, access, RUN_LOOK, (const char *p, int m), (call.path, m), faccessat, (call.fd, call.path, m, 0))
TWIN(int, chmod, RUN_CHANGE, (const char *p, mode_t m), (call.path, m), fchmodat, (call.fd, call.path, m, 0))
TWIN(int, chown, RUN_CHANGE, (const char *p, uid_t u, gid_t g), (call.path, u, g), fchownat, (call.fd, call.path, u, g, 0))
TWIN(int, lchown, RUN_CHANGE | RUN_NOFOLLOW, (const char *p, uid_t u, gid_t g), (call.path, u, g), fchownat, (call.fd, call.path, u, g, AT_SYMLINK_NOFOLLOW))
TWIN(int, utimes, RUN_CHANGE, (const char *p, const struct timeval *t), (call.path, t), futimesat, (call.fd, call.path, t))

SIMPLE(ssize_t, getxattr, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, const char *n, void *v, size_t s), (call.path, n, v, s))
SIMPLE(ssize_t, lgetxattr, HERE, p, RUN_NOFOLLOW | RUN_WHOLE, (const char *p, const char *n, void *v, size_t s), (call.path, n, v, s))
SIMPLE(ssize_t, listxattr, HERE, p, RUN_LOOK | RUN_WHOLE, (const char *p, char *l, size_t s), (call.path, l, s))
SIMPLE(ssize_t, llistxattr, HERE, p, RUN_NOFOLLOW | RUN_WHOLE, (const char *p, char *l, size_t s), (call.path, l, s))
SIMPLE(int, setxattr, HERE, p, RUN_CHANGE | RUN_WHOLE, (const char *p, const char *n, const void *v, size_t s, int f), (call.path, n, v, s, f))
SIMPLE(int, lsetxattr, HERE, p, RUN_CHANGE | RUN_NOFOLLOW | RUN_WHOLE, (const char *p, const char *n, const void *v, size_t s, int f), (call.path, n, v, s, f))
SIMPLE(int, removexattr, HERE, p, RUN_CHANGE | RUN_WHOLE, (const char *p, const char *n), (call.path, n))
SIMPLE(int, lremovexattr, HERE, p, RUN_CHANGE | RUN_NOFOLLOW | RUN_WHOLE, (const char *p, const char *n), (call.path, n))
/* clang-format on */
