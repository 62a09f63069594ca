/* The functions whose next definition is called (hook.h). */
#ifndef SCION_PRELOAD_NAMES_H
#define SCION_PRELOAD_NAMES_H

/* clang-format off */
#define RUN_NAMES(X)                                                                              \
    X(_Exit) X(access) X(chdir) X(chmod) X(chown) X(close) X(closedir) X(closefrom) X(creat) X(creat64) X(daemon)       \
    X(dup) X(dup2) X(dup3) X(eaccess) X(euidaccess) X(execve) X(execvp) X(execvpe) X(_exit)       \
    X(faccessat) X(fchdir) X(fchmodat) X(fchownat) X(fclose) X(fcntl) X(fcntl64) X(fdopendir)     \
    X(fexecve) X(fopen) X(fopen64) X(freopen) X(freopen64) X(fstatat) X(fstatat64) X(ftw)         \
    X(ftw64) X(futimesat) X(__fxstatat) X(__fxstatat64) X(get_current_dir_name) X(getcwd)         \
    X(__getcwd_chk) X(getwd) X(getxattr) X(glob) X(glob64) X(inotify_add_watch) X(lchmod)         \
    X(lchown) X(lgetxattr) X(linkat) X(listxattr) X(llistxattr) X(lremovexattr) X(lsetxattr)      \
    X(lstat) X(lstat64) X(lutimes) X(__lxstat) X(__lxstat64) X(mkdirat) X(mkdtemp) X(mknodat)     \
    X(mkostemp) X(mkostemp64) X(mkostemps) X(mkostemps64) X(mkstemp) X(mkstemp64) X(mkstemps)     \
    X(mkstemps64) X(nftw) X(nftw64) X(open) X(open64) X(__open64_2) X(__open_2) X(openat)         \
    X(openat64) X(__openat64_2) X(__openat_2) X(opendir) X(pathconf) X(posix_spawn)               \
    X(posix_spawn_file_actions_addchdir_np) X(posix_spawn_file_actions_addopen) X(posix_spawnp)   \
    X(readdir) X(readdir64) X(readdir64_r) X(readdir_r) X(readlink) X(__readlink_chk)             \
    X(readlinkat) X(__readlinkat_chk) X(realpath) X(__realpath_chk) X(removexattr) X(renameat)    \
    X(renameat2) X(rewinddir) X(scandir) X(scandir64) X(scandirat) X(scandirat64) X(seekdir)      \
    X(setxattr) X(stat) X(stat64) X(statfs) X(statfs64) X(statvfs) X(statvfs64) X(statx)          \
    X(symlinkat) X(telldir) X(truncate) X(truncate64) X(unlinkat) X(unshare) X(utime) X(utimensat)           \
    X(utimes) X(__xstat) X(__xstat64)
/* clang-format on */

#define RUN_NUMBER(name) NEXT_##name,
enum { RUN_NAMES(RUN_NUMBER) NEXT_COUNT };

#endif
