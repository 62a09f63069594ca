/*
 * A table of calls. Each one is made with each of a list of paths, in a process that has made its
 * files before, and its result and errno are printed. calls.sh runs this with the library and
 * without.
 *
 *   calls FOLDER [SESSION LIBRARY]     all calls; FOLDER is emptied for each
 *   calls --list                       their names
 */
#include "run/shown.h"

static const char *const paths[] = {"m/staged",
                                    "m/real",
                                    "m/rraised",
                                    "m/new",
                                    "m/rdir/new",
                                    "m/rdir",
                                    "m/rempty",
                                    "m/sdir",
                                    "m/sempty",
                                    "m/rdir/f",
                                    "m/rdir/sub/g",
                                    "m/sdir/h",
                                    "m/rboth",
                                    "m",
                                    "m/no/new",
                                    "m/real/x",
                                    "m/staged/x",
                                    "m/staged/",
                                    "m/rdir/",
                                    "m/new/",
                                    "m/./staged",
                                    "m/rdir/..",
                                    "m/sdir/.",
                                    "m//rboth//r",
                                    "u/f",
                                    "u/new",
                                    "",
                                    ".",
                                    long_name,
                                    "m/rlink",
                                    "m/rout",
                                    "m/rdangling",
                                    "m/rdirlink",
                                    "m/rdirlink/f",
                                    "m/slink",
                                    "m/sloop",
                                    "m/sdangling",
                                    "m/sdangling/x",
                                    "m/sdirlink",
                                    "m/sdirlink/f",
                                    "m/sdirlink/new2",
                                    "m/sdirlink2/h",
                                    "m/rprog",
                                    "m/sprog",
                                    "m/splain",
                                    "m/sout",
                                    "m/sabs",
                                    "m/slink/"};

enum { PATHS = sizeof paths / sizeof *paths };

/* ---- the table: name, what is done with the path p ---- */

#define CALLS(X)                                                                                   \
    X(stat, shown_status(stat(p, &status)))                                                        \
    X(lstat, shown_status(lstat(p, &status)))                                                      \
    X(stat64, shown_status(stat64(p, (void *)&status)))                                            \
    X(lstat64, shown_status(lstat64(p, (void *)&status)))                                          \
    X(fstatat, shown_status(fstatat(HERE, p, &status, 0)))                                         \
    X(fstatat_link, shown_status(fstatat(dot_fd, p, &status, AT_SYMLINK_NOFOLLOW)))                \
    X(fstatat64, shown_status(fstatat64(m_fd, p + 2, (void *)&status, 0)))                         \
    X(statx, shown_wide(statx(HERE, p, 0, STATX_MODE, &wide)))                                     \
    X(__xstat, shown_status(__xstat(1, p, &status)))                                               \
    X(__lxstat, shown_status(__lxstat(1, p, &status)))                                             \
    X(__fxstatat, shown_status(__fxstatat(1, HERE, p, &status, 0)))                                \
    X(access, number(access(p, F_OK)))                                                             \
    X(access_x, number(access(p, X_OK)))                                                           \
    X(eaccess, number(eaccess(p, R_OK)))                                                           \
    X(euidaccess, number(euidaccess(p, R_OK | X_OK)))                                              \
    X(faccessat, number(faccessat(dot_fd, p, W_OK, 0)))                                            \
    X(open, shown_fd(open(p, O_RDONLY)))                                                           \
    X(open_folder, shown_fd(open(p, O_RDONLY | O_DIRECTORY)))                                      \
    X(open_nofollow, shown_fd(open(p, O_RDONLY | O_NOFOLLOW)))                                     \
    X(open_path, shown_fd(open(p, O_PATH)))                                                        \
    X(open_path_nofollow, shown_fd(open(p, O_PATH | O_NOFOLLOW)))                                  \
    X(open_write, shown_fd(open(p, O_WRONLY)))                                                     \
    X(open_both, shown_fd(open(p, O_RDWR | O_APPEND)))                                             \
    X(open_cut, shown_fd(open(p, O_RDWR | O_TRUNC)))                                               \
    X(open_create, shown_fd(open(p, O_RDWR | O_CREAT, 0604)))                                      \
    X(open_create_read, shown_fd(open(p, O_RDONLY | O_CREAT, 0604)))                               \
    X(open_create_cut, shown_fd(open(p, O_WRONLY | O_CREAT | O_TRUNC, 0604)))                      \
    X(open_new, shown_fd(open(p, O_WRONLY | O_CREAT | O_EXCL, 0604)))                              \
    X(open_unnamed, shown_fd(open(p, O_RDWR | O_TMPFILE, 0600)))                                   \
    X(open64, shown_fd(open64(p, O_RDWR | O_CREAT, 0600)))                                         \
    X(openat, shown_fd(openat(m_fd, *p ? p + 2 : p, O_RDWR)))                                      \
    X(openat_create, shown_fd(openat(m_fd, *p ? p + 2 : p, O_RDWR | O_CREAT, 0600)))               \
    X(openat_sdir, shown_fd(openat(sdir_fd, "h", O_RDONLY)))                                       \
    X(openat_rdir, shown_fd(openat(rdir_fd, "x", O_WRONLY | O_CREAT, 0600)))                       \
    X(openat64, shown_fd(openat64(dot_fd, p, O_RDWR)))                                             \
    X(__open_2, shown_fd(__open_2(p, O_RDWR)))                                                     \
    X(__openat_2, shown_fd(__openat_2(dot_fd, p, O_RDWR)))                                         \
    X(creat, shown_fd(creat(p, 0640)))                                                             \
    X(creat64, shown_fd(creat64(p, 0640)))                                                         \
    X(fopen_r, shown_stream(fopen(p, "r")))                                                        \
    X(fopen_w, shown_stream(fopen(p, "w")))                                                        \
    X(fopen_a, shown_stream(fopen(p, "a")))                                                        \
    X(fopen_rp, shown_stream(fopen(p, "r+e")))                                                     \
    X(fopen_wp, shown_stream(fopen(p, "w+b")))                                                     \
    X(fopen_ap, shown_stream(fopen(p, "a+")))                                                      \
    X(fopen_x, shown_stream(fopen(p, "wx")))                                                       \
    X(fopen_bad, shown_stream(fopen(p, "q")))                                                      \
    X(fopen64, shown_stream(fopen64(p, "r+")))                                                     \
    X(freopen_r, shown_stream(freopen(p, "r", fopen("/dev/null", "r"))))                           \
    X(freopen_w, shown_stream(freopen(p, "w", fopen("/dev/null", "r"))))                           \
    X(freopen_a, shown_stream(freopen(p, "a+", fopen("/dev/null", "r"))))                          \
    X(freopen64, shown_stream(freopen64(p, "w+", fopen("/dev/null", "r"))))                        \
    X(mkstemp, (template(p, ""), shown_temporary(mkstemp(text))))                                  \
    X(mkostemps, (template(p, ".c"), shown_temporary(mkostemps(text, 2, O_APPEND))))               \
    X(mkstemp_bad, (same(p), shown_temporary(mkstemp(text))))                                      \
    X(mkdtemp, (template(p, ""), shown_folder(mkdtemp(text))))                                     \
    X(opendir, shown_names(opendir(p)))                                                            \
    X(fdopendir, shown_names(opened(open(p, O_RDONLY))))                                           \
    X(scandir, shown_scan(list, scandir(p, &list, NULL, alphasort)))                               \
    X(scandirat, shown_scan(list, scandirat(dot_fd, p, &list, NULL, alphasort)))                   \
    X(glob, shown_glob(p, 0))                                                                      \
    X(glob_mark, shown_glob(p, GLOB_MARK | GLOB_PERIOD))                                           \
    X(mkdir, number(mkdir(p, 0750)))                                                               \
    X(mkdirat, number(mkdirat(m_fd, *p ? p + 2 : p, 0750)))                                        \
    X(mknod, number(mknod(p, S_IFREG | 0600, 0)))                                                  \
    X(mknodat, number(mknodat(dot_fd, p, S_IFIFO | 0600, 0)))                                      \
    X(__xmknod, number(__xmknod(0, p, S_IFREG | 0600, &no_device)))                                \
    X(__xmknodat, number(__xmknodat(0, HERE, p, S_IFREG | 0600, &no_device)))                      \
    X(mkfifo, number(mkfifo(p, 0644)))                                                             \
    X(mkfifoat, number(mkfifoat(dot_fd, p, 0644)))                                                 \
    X(symlink, number(symlink("real", p)))                                                         \
    X(symlinkat, number(symlinkat("staged", dot_fd, p)))                                           \
    X(unlink, number(unlink(p)))                                                                   \
    X(unlinkat, number(unlinkat(m_fd, *p ? p + 2 : p, 0)))                                         \
    X(unlinkat_folder, number(unlinkat(dot_fd, p, AT_REMOVEDIR)))                                  \
    X(rmdir, number(rmdir(p)))                                                                     \
    X(remove, kept(remove(p)))                                                                     \
    X(readlink, shown_text(readlink(p, text, 4096)))                                               \
    X(readlinkat, shown_text(readlinkat(dot_fd, p, text, 4096)))                                   \
    X(readlink_short, shown_text(readlink(p, text, 2)))                                            \
    X(__readlink_chk, shown_text(__readlink_chk(p, text, 4096, 8192)))                             \
    X(__readlinkat_chk, shown_text(__readlinkat_chk(HERE, p, text, 4096, 8192)))                   \
    X(realpath, shown_path(realpath(p, text)))                                                     \
    X(__realpath_chk, shown_path(__realpath_chk(p, text, sizeof text)))                            \
    X(canonicalize_file_name, shown_path(canonicalize_file_name(p)))                               \
    X(chdir, shown_cwd(chdir(p)))                                                                  \
    X(truncate, (number(truncate(p, 3))))                                                          \
    X(truncate64, (number(truncate64(p, 30))))                                                     \
    X(chmod, number(chmod(p, 0705)))                                                               \
    X(lchmod, number(lchmod(p, 0705)))                                                             \
    X(fchmodat, number(fchmodat(m_fd, *p ? p + 2 : p, 0704, 0)))                                   \
    X(chown, number(chown(p, getuid(), getgid())))                                                 \
    X(lchown, number(lchown(p, getuid(), (gid_t)-1)))                                              \
    X(fchownat, number(fchownat(dot_fd, p, (uid_t)-1, getgid(), 0)))                               \
    X(utime, shown_time(utime(same(p), &old_utime)))                                               \
    X(utimes, shown_time(utimes(same(p), old_times)))                                              \
    X(lutimes, shown_time(lutimes(same(p), old_times)))                                            \
    X(futimesat, shown_time(futimesat(dot_fd, same(p), old_times)))                                \
    X(utimensat, shown_time(utimensat(HERE, same(p), old_ns, 0)))                                  \
    X(setxattr, number(setxattr(p, "user.a", "1", 1, 0)))                                          \
    X(lsetxattr, number(lsetxattr(p, "user.a", "1", 1, XATTR_REPLACE)))                            \
    X(getxattr, number(getxattr(p, "user.none", text, 10)))                                        \
    X(lgetxattr, number(lgetxattr(p, "user.none", text, 10)))                                      \
    X(listxattr, number(listxattr(p, NULL, 0)))                                                    \
    X(llistxattr, number(llistxattr(p, NULL, 0)))                                                  \
    X(removexattr, number(removexattr(p, "user.none")))                                            \
    X(lremovexattr, number(lremovexattr(p, "user.none")))                                          \
    X(statfs, number(statfs(p, &fs)))                                                              \
    X(statfs64, number(statfs64(p, (void *)&fs)))                                                  \
    X(statvfs, number(statvfs(p, &vfs)))                                                           \
    X(statvfs64, number(statvfs64(p, (void *)&vfs)))                                               \
    X(pathconf, number(pathconf(p, _PC_NAME_MAX)))                                                 \
    X(inotify_add_watch, number(inotify_add_watch(inotify_init(), p, IN_CREATE)))                  \
    X(fchdir, shown_cwd(fchdir(open(p, O_RDONLY))))                                                \
    X(cwd, shown_here(chdir(p)))                                                                   \
    X(readdir64, shown_names64(opendir(p)))                                                        \
    X(readdir_r, shown_count(opendir(p)))                                                          \
    X(telldir, shown_seek(opendir(p)))                                                             \
    X(scandir64, shown_scan((void *)list, scandir64(p, (void *)&list, NULL, alphasort64)))         \
    X(scandirat64,                                                                                 \
      shown_scan((void *)list, scandirat64(m_fd, ".", (void *)&list, NULL, alphasort64)))          \
    X(ftok, number(ftok(p, 1) != -1))                                                              \
    X(glob64, number(glob64(p, GLOB_NOSORT, NULL, &globbed)))                                      \
    X(ftw, has_one_way(p) ? shown_walk(ftw(p, remember_simple, 5)) : (void)0)                      \
    X(nftw, has_one_way(p) ? shown_walk(nftw(p, remember, 5, 0)) : (void)0)                        \
    X(nftw_phys, shown_walk(nftw(p, remember, 5, FTW_PHYS)))                                       \
    X(nftw_depth, shown_walk(nftw(p, remember, 5, FTW_PHYS | FTW_DEPTH)))                          \
    X(nftw_chdir, shown_walk(nftw(p, remember, 5, FTW_PHYS | FTW_CHDIR)))                          \
    X(nftw_stop, shown_walk(nftw(p, stop, 5, FTW_PHYS)))                                           \
    X(nftw_skip, shown_walk(nftw(p, skip, 5, FTW_PHYS | FTW_ACTIONRETVAL)))                        \
    X(ftw64, has_one_way(p)                                                                        \
                 ? shown_walk(ftw64(p, (__ftw64_func_t)(void (*)(void))remember_simple, 5))        \
                 : (void)0)                                                                        \
    X(nftw64, shown_walk(nftw64(p, (__nftw64_func_t)(void (*)(void))remember, 5, FTW_PHYS)))       \
    X(__lxstat64, shown_status(__lxstat64(1, p, (void *)&status)))                                 \
    X(__xstat64, shown_status(__xstat64(1, p, (void *)&status)))                                   \
    X(__fxstatat64, shown_status(__fxstatat64(1, dot_fd, p, (void *)&status, 0)))                  \
    X(__open64_2, shown_fd(__open64_2(p, O_RDONLY)))                                               \
    X(__openat64_2, shown_fd(__openat64_2(HERE, p, O_RDONLY)))                                     \
    X(mkstemp64, (template(p, ""), shown_temporary(mkstemp64(text))))                              \
    X(mkostemp, (template(p, ""), shown_temporary(mkostemp(text, O_APPEND))))                      \
    X(mkostemp64, (template(p, ""), shown_temporary(mkostemp64(text, O_APPEND))))                  \
    X(mkstemps, (template(p, ".f"), shown_temporary(mkstemps(text, 2))))                           \
    X(mkstemps64, (template(p, ".f"), shown_temporary(mkstemps64(text, 2))))                       \
    X(mkostemps64, (template(p, ".f"), shown_temporary(mkostemps64(text, 2, O_APPEND))))           \
    X(execl, shown_exec(EXECL, p))                                                                 \
    X(execv, shown_exec(EXECV, p))                                                                 \
    X(execve, shown_exec(EXECVE, p))                                                               \
    X(execle, shown_exec(EXECLE, p))                                                               \
    X(execlp, shown_search(EXECLP, p))                                                             \
    X(execvp, shown_search(EXECVP, p))                                                             \
    X(execvpe, shown_search(EXECVPE, p))                                                           \
    X(execvp_path, shown_exec(EXECVP, p))                                                          \
    X(execveat, shown_exec(EXECVEAT, p))                                                           \
    X(execveat_link, shown_exec(EXECVEAT_LINK, p))                                                 \
    X(fexecve, shown_exec(FEXECVE, p))                                                             \
    X(posix_spawn, shown_spawn(0, p))                                                              \
    X(posix_spawnp, shown_spawn(1, p))                                                             \
    X(posix_spawn_file_actions_addchdir_np, shown_spawn_there(p))

/* ---- each one ---- */

#define CASE(name, action)                                                                         \
    static void try_##name(const char *p)                                                          \
    {                                                                                              \
        (void)p;                                                                                   \
        action;                                                                                    \
    }
CALLS(CASE)

#define ENTRY(name, action) {#name, try_##name},
static const struct {
    const char *name;
    void (*try)(const char *path);
} calls[] = {CALLS(ENTRY)};

enum { COUNT = sizeof calls / sizeof *calls };

static void run_call(size_t i, int has_links)
{
    size_t k;

    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    umask(022);
    make_staged(has_links);
    m_fd = open("m", O_RDONLY);
    sdir_fd = open("m/sdir", O_RDONLY);
    rdir_fd = open("m/rdir", O_RDONLY);
    dot_fd = open(".", O_RDONLY);
    must(m_fd >= 0 && sdir_fd >= 0 && rdir_fd >= 0 && dot_fd >= 0, "open");
    for (k = 0; k < PATHS; k++) {
        int first = *paths[k] == 'm' && paths[k][1] == '/';

        printf("%s(%.40s): ", calls[i].name, paths[k]);
        if (!first && strstr(calls[i].name, "at_create"))
            continue; /* these are relative to m */
        errno = BEFORE;
        calls[i].try(paths[k]);
        printf(" %s\n", errno == BEFORE ? "-" : error_name(errno));
    }
    show_tree("m", 0);
    show_tree("u", 0);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char number[16];
    size_t i;

    if (argc == 4 && strcmp(argv[1], "--run") == 0) {
        must(getcwd(folder, sizeof folder) != NULL, "getcwd");
        run_call((size_t)atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
    for (i = 0; i < COUNT; i++) {
        snprintf(number, sizeof number, "%zu", i);
        if (argc == 2 && strcmp(argv[1], "--list") == 0) {
            printf("%s\n", calls[i].name);
        } else {
            start(argc, argv, number, "0");
            start(argc, argv, number, "1");
        }
    }
    return 0;
}
