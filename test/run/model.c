/*
 * Random programs of file calls, run with the library and without in equal folders. Each call must
 * have the same result, and the tree of the session put over the real folder must be what is there
 * without it.
 *
 *   model LIBRARY          CHECK_SEED=... repeats a program, CHECK_ROUNDS=... tries so many,
 *                          CHECK_ALL=1 prints what was equal before a difference
 */
#include <limits.h>
#include <stdarg.h>
#include <sys/time.h>

#include "check.h"
#include "run/frame.h"
#include "scratch.h"

enum { STEPS = 120 };

/* ---- the program ---- */

static int has_hard_links, has_links, is_excepted, dir_fd = -1;
static char root[PATH_MAX];

static const char *const names[] = {"a", "b", "c", "real", "rdir", "rboth", "sub"};

static const char *name(void)
{
    return names[check_below(sizeof names / sizeof *names)];
}

/* A path of up to four names; mostly of what is redirected. */
static const char *path(void)
{
    static char paths[4][200];
    static unsigned next;
    char *to = paths[next++ % 4];
    size_t i, depth = check_below(3);

    strcpy(to, check_below(6) == 0 ? "u" : "m");
    for (i = 0; i <= depth; i++)
        strcat(strcat(to, check_below(12) == 0 ? "//" : "/"), name());
    if (check_below(15) == 0)
        strcat(to, "/");
    return to;
}

/* With exceptions, nothing of the name b is redirected. */
static int is_ours(const char *p)
{
    return *p == 'm' && !(is_excepted && strstr(p, "/b") && !strstr(p, "/rboth"));
}

static int is_across(const char *from, const char *to)
{
    return is_ours(from) != is_ours(to) || (is_excepted && strstr(from, "rboth"));
}

/* The same with the root before it, or relative to a folder that the program has gone to. */
static const char *spelled(const char *path)
{
    static char absolute[PATH_MAX + 300];

    if (check_below(4) != 0)
        return path;
    snprintf(absolute, sizeof absolute, "%s/%s", root, path);
    return absolute;
}

static void tell(const char *format, ...)
{
    va_list list;
    int why = errno;

    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    errno = why;
}

/* What is not redirected, but is in a folder of the tree, is looked for where that folder is not:
   the system does not know what is in its place. */
static void result(int rc)
{
    if (is_excepted && errno == ENOTDIR)
        errno = ENOENT;
    printf(": %d %s\n", rc, rc < 0 ? error_name(errno) : "");
}

static void do_open(void)
{
    static const int flags[] = {O_RDONLY,
                                O_WRONLY,
                                O_RDWR | O_APPEND,
                                O_RDWR | O_CREAT,
                                O_WRONLY | O_CREAT | O_TRUNC,
                                O_WRONLY | O_CREAT | O_EXCL,
                                O_RDONLY | O_NOFOLLOW,
                                O_RDONLY | O_DIRECTORY};
    const char *p = spelled(path());
    int flag = flags[check_below(sizeof flags / sizeof *flags)];
    mode_t mode = check_below(2) ? 0644 : 0600;
    char text[32];
    int fd = open(p, flag, mode);

    tell("open %s %x", p + (*p == '/' ? strlen(root) + 1 : 0), (unsigned)flag);
    if (fd >= 0 && (flag & O_ACCMODE) != O_RDONLY) {
        snprintf(text, sizeof text, "%d|", (int)check_below(1000));
        must(write(fd, text, strlen(text)) > 0, "write");
    } else if (fd >= 0 && !(flag & O_DIRECTORY)) {
        show_bytes(fd);
    }
    result(fd < 0 ? -1 : 0);
    if (fd >= 0)
        close(fd);
}

static void do_stream(void)
{
    static const char *const modes[] = {"r", "w", "a", "r+", "a+", "wx"};
    const char *p = path(), *mode = modes[check_below(6)];
    FILE *stream = fopen(p, mode);

    tell("fopen %s %s", p, mode);
    if (stream && *mode != 'r')
        fprintf(stream, "s%d|", (int)check_below(1000));
    result(stream ? 0 : -1);
    if (stream)
        fclose(stream);
}

static void do_make(void)
{
    const char *p = spelled(path());
    int rc = check_below(5) ? mkdir(p, check_below(3) ? 0755 : 0711) : mknod(p, S_IFREG | 0600, 0);

    tell("make %s", p + (*p == '/' ? strlen(root) + 1 : 0));
    result(rc);
}

static void do_remove(void)
{
    const char *p = path();
    int kind = (int)check_below(3), rc = kind == 0 ? unlink(p) : kind == 1 ? rmdir(p) : remove(p);

    tell("remove%d %s", kind, p);
    result(rc);
}

/* Whether a name is a link, or the folder of one. */
static int has_link(const char *p)
{
    struct stat status;

    return lstat(p, &status) == 0 &&
           (S_ISLNK(status.st_mode) || (has_links && S_ISDIR(status.st_mode)));
}

/* Across the border a file is copied: its other names stay behind. */
static void do_rename(void)
{
    const char *from = path(), *to = path();
    int rc;

    if ((has_hard_links || has_link(from)) && (is_across(from, to) || is_excepted))
        return;
    rc = rename(from, to);
    tell("rename %s %s", from, to);
    result(rc);
}

static void do_link(void)
{
    const char *from = path(), *to = path();
    int rc;

    if (is_across(from, to) || is_excepted)
        return;
    rc = link(from, to);
    has_hard_links |= rc == 0;
    tell("link %s %s", from, to);
    result(rc);
}

/* To a name beside it, or to any by an absolute path. Not from u to u: a real link to another real
   link that leads into m is not followed. */
static void do_symlink(void)
{
    char target[PATH_MAX + 300];
    const char *p = path(), *other = path();
    int rc;

    if (other[strlen(other) - 1] == '/' || (!is_ours(p) && !is_ours(other)) || is_excepted)
        return;
    if (!is_ours(p) || check_below(4) == 0)
        snprintf(target, sizeof target, "%s/%s", root, other);
    else
        snprintf(target, sizeof target, "%s", name());
    rc = symlink(target, p);
    has_links |= rc == 0;
    tell("symlink %s %s", *target == '/' ? other : target, p);
    result(rc);
}

static void do_attributes(void)
{
    static const struct timespec times[2] = {{1000, 1}, {2000, 2}};
    const char *p = spelled(path());
    int kind = (int)check_below(4), rc;

    if (kind == 0)
        rc = chmod(p, check_below(2) ? 0755 : 0700);
    else if (kind == 1)
        rc = utimensat(AT_FDCWD, p, times, check_below(2) ? AT_SYMLINK_NOFOLLOW : 0);
    else if (kind == 2)
        rc = truncate(p, (off_t)check_below(20));
    else
        rc = access(p, check_below(2) ? F_OK : X_OK);
    tell("attribute%d %s", kind, p + (*p == '/' ? strlen(root) + 1 : 0));
    result(rc);
}

static void do_look(void)
{
    const char *p = path();
    struct stat status;
    char target[PATH_MAX];
    ssize_t n;
    int kind = (int)check_below(4), rc;

    tell("look%d %s", kind, p);
    if (kind < 2) {
        rc = kind ? stat(p, &status) : lstat(p, &status);
        if (rc == 0)
            show_status(&status);
    } else if (kind == 2) {
        n = readlink(p, target, sizeof target);
        rc = n < 0 ? -1 : 0;
    } else {
        rc = realpath(p, target) ? 0 : -1;
        if (rc == 0)
            tell(" %s", target + strlen(root));
    }
    result(rc);
}

static void do_list(void)
{
    const char *p = path();
    DIR *dir = opendir(p);
    char *found[50];
    size_t n, i;

    tell("list %s", p);
    result(dir ? 0 : -1);
    n = dir ? names_of(dir, found, 50) : 0;
    for (i = 0; i < n; i++) {
        printf("    %s\n", found[i]);
        free(found[i]);
    }
}

/* Calls in a folder that the program has gone to, or has open. */
static void do_there(void)
{
    const char *p = path(), *file = name();
    char there[PATH_MAX] = "";
    int fd, rc = chdir(p);

    tell("chdir %s", p);
    result(rc);
    if (rc == 0) {
        must(getcwd(there, sizeof there) != NULL, "getcwd");
        fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0640);
        tell("in %s, open %s", there + strlen(root), file);
        result(fd < 0 ? -1 : 0);
        if (fd >= 0)
            close(fd);
        must(chdir(root) == 0, root);
    }
    if (dir_fd < 0)
        return;
    fd = openat(dir_fd, file, O_WRONLY | O_CREAT | O_APPEND, 0640);
    tell("openat %s", file);
    result(fd < 0 ? -1 : 0);
    if (fd >= 0)
        close(fd);
    rc = unlinkat(dir_fd, name(), check_below(3) ? 0 : AT_REMOVEDIR);
    tell("unlinkat");
    result(rc);
    close(dir_fd);
    dir_fd = -1;
}

/* A descriptor for the next call of do_there(), if nothing is renamed before. */
static void do_hold(void)
{
    const char *p = path();

    if (dir_fd >= 0)
        close(dir_fd);
    dir_fd = open(p, O_RDONLY | O_DIRECTORY);
    tell("hold %s", p);
    result(dir_fd < 0 ? -1 : 0);
    do_there();
}

/* What programs of this seed do: without links, the library does less; with exceptions, parts of m
 * are real. */
static int makes_links(uint64_t seed)
{
    return seed % 3 != 0;
}

static int has_exceptions(uint64_t seed)
{
    return seed % 4 == 0;
}

static void run_program(uint64_t seed)
{
    static void (*const steps[])(void) = {
        do_open,   do_open,       do_open,       do_stream, do_make,    do_make,
        do_remove, do_rename,     do_look,       do_rename, do_list,    do_there,
        do_hold,   do_attributes, do_attributes, do_link,   do_symlink, do_symlink};
    const size_t nsteps = sizeof steps / sizeof *steps;
    int i;

    check_random_state = seed;
    is_excepted = has_exceptions(seed);
    umask(022);
    must(getcwd(root, sizeof root) != NULL, "getcwd");
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    for (i = 0; i < STEPS; i++)
        steps[check_below(makes_links(seed) ? nsteps : nsteps - 3)]();
    show_tree("m", 0);
    show_tree("u", 0);
}

/* ---- what is there in the end, without the library ---- */

/* The tree over the real folder, or only that; `path` is relative to both. */
static void show_over(FILE *to, const char *tree, const char *real, const char *path);

static int read_name(FILE *to, const char *where, const char *path, const struct stat *status)
{
    char full[PATH_MAX], text[300];
    ssize_t n;
    int fd;

    snprintf(full, sizeof full, "%s/%s", where, path);
    if (S_ISLNK(status->st_mode)) {
        n = readlink(full, text, sizeof text - 1);
        text[n > 0 ? n : 0] = '\0';
        return fprintf(to, " -> %s",
                       *text == '/' && strstr(text, "/m/") ? strstr(text, "/m/") : text);
    }
    fd = S_ISREG(status->st_mode) ? open(full, O_RDONLY) : -1;
    n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
    return fprintf(to, " \"%s\"", text);
}

static void list_both(FILE *to, const char *tree, const char *real, const char *path)
{
    char full[PATH_MAX], *found[100];
    size_t n = 0, i;
    DIR *dir;

    for (i = 0; i < 2; i++) {
        struct dirent *entry;

        snprintf(full, sizeof full, "%s/%s", i ? real : tree, path);
        dir = opendir(full);
        while (dir && n < 100 && (entry = readdir(dir)) != NULL) {
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                found[n++] = strdup(entry->d_name);
        }
        if (dir)
            closedir(dir);
    }
    qsort(found, n, sizeof *found, by_text);
    for (i = 0; i < n; i++) {
        snprintf(full, sizeof full, "%s/%s", path, found[i]);
        if (i == 0 || strcmp(found[i - 1], found[i]) != 0)
            show_over(to, tree, real, full);
    }
    while (n > 0)
        free(found[--n]);
}

static void show_over(FILE *to, const char *tree, const char *real, const char *path)
{
    char full[PATH_MAX];
    struct stat status;
    const char *where = tree;

    snprintf(full, sizeof full, "%s/%s", tree, path);
    if (lstat(full, &status) != 0) {
        where = real;
        snprintf(full, sizeof full, "%s/%s", real, path);
        must(lstat(full, &status) == 0, full);
    }
    fprintf(to, "%s %o", path, status.st_mode);
    if (!S_ISDIR(status.st_mode))
        fprintf(to, " %lld", (long long)status.st_size);
    /* Times that the program has set; what is not redirected does not change those of a folder in
     * the tree. */
    if (status.st_mtim.tv_sec < 100000 && !start_except)
        fprintf(to, " %lld.%09ld", (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    read_name(to, where, path, &status);
    fprintf(to, "\n");
    if (S_ISDIR(status.st_mode))
        list_both(to, tree, real, path);
}

/* ---- the comparison ---- */

static char *texts[2][2]; /* output and final files, without and with */

static char *load(const char *path)
{
    size_t size = (size_t)scratch_size(path);
    char *text = calloc(1, size + 1);

    scratch_read(path, text, size);
    return text;
}

/* Runs the program, and takes what it prints and leaves. */
static void run_once(int with, const char *library, const char *seed)
{
    char folder[300], session[300], tree[320];
    char *arguments[] = {(char *)(uintptr_t) "model", folder, session, (char *)(uintptr_t)library};
    const char *real;
    FILE *out;
    int saved = dup(1);

    snprintf(folder, sizeof folder, "%s/w", scratch_directory);
    snprintf(session, sizeof session, "%s/s", scratch_directory);
    fflush(stdout);
    must(freopen(scratch_path("out"), "w", stdout) != NULL, "stdout");
    start(with ? 4 : 1 + 1, arguments, seed, "0");
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    texts[with][0] = load(scratch_path("out"));
    out = fopen(scratch_path("end"), "w");
    must(out != NULL, "end");
    real = folder;
    snprintf(tree, sizeof tree, "%s/%s", session, with ? "tree.s" : "nothing");
    show_over(out, tree, real, "m");
    show_over(out, tree, real, "u");
    fclose(out);
    texts[with][1] = load(scratch_path("end"));
}

/* The first line that differs; 0: none does. */
static int differs(const char *what, const char *without, const char *with)
{
    size_t i = 0, line = 0;

    if (strcmp(without, with) == 0)
        return 0;
    for (; without[i] && without[i] == with[i]; i++)
        line = without[i] == '\n' ? i + 1 : line;
    if (getenv("CHECK_ALL"))
        printf("%.*s", (int)line, without);
    printf("# %s differs:\n#   without: %.*s\n#   with:    %.*s\n", what,
           (int)strcspn(without + line, "\n"), without + line, (int)strcspn(with + line, "\n"),
           with + line);
    return 1;
}

static int run_round(const char *library, uint64_t seed)
{
    char number[32];
    int i, failed;

    snprintf(number, sizeof number, "%" PRIu64, seed);
    start_except = has_exceptions(seed) ? "m/**/b" : NULL;
    for (i = 0; i < 2; i++)
        run_once(i, library, number);
    failed = differs("a result", texts[0][0], texts[1][0]);
    failed |= differs("what is left", texts[0][1], texts[1][1]);
    if (failed)
        printf("# with CHECK_SEED=%s CHECK_ROUNDS=1\n", number);
    for (i = 0; i < 4; i++)
        free(texts[i / 2][i % 2]);
    return failed;
}

int main(int argc, char **argv)
{
    const char *given = getenv("CHECK_ROUNDS");
    int rounds = given ? atoi(given) : 60, i, failed = 0;
    uint64_t seed;

    if (argc == 4) {
        run_program(strtoull(argv[2], NULL, 0));
        return 0;
    }
    check_seed(7);
    seed = check_random_state;
    scratch_begin();
    for (i = 0; i < rounds && failed < 5; i++)
        failed += run_round(argv[1], seed + (uint64_t)i);
    check_failed_here = failed;
    check_report("random programs have the same results and leave the same files");
    must(chdir("/") == 0, "/");
    make_empty(scratch_directory);
    rmdir(scratch_directory);
    return check_done();
}
