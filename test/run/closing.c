/*
 * Which closes are told to sionrun: once for each file of a pattern that was written, when nobody
 * in the process has it open any more.
 *
 *   closing LIBRARY
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "check.h"
#include "run/session.h"
#include "scratch.h"

static char root[300], session[300], notify[320];
static const char *library;
static int fifo;

/* ---- the program ---- */

static int open_done(void)
{
    return open("ck/done", O_WRONLY | O_CREAT, 0600);
}

/* Seen among what the library tells. */
static void mark(void)
{
    int fd = open(getenv("NOTIFY"), O_WRONLY | O_NONBLOCK);

    if (fd < 0 || write(fd, "mark", 5) != 5)
        _exit(98);
    close(fd);
}

static void by_close(void)
{
    int fd = open_done();

    mark();
    close(fd);
    close(fd); /* another time, it is nobody's */
}

static void by_fclose(void)
{
    FILE *file = fopen("ck/done", "w");

    fputs("x", file);
    mark();
    fclose(file);
}

static void not_read(void)
{
    close(open("ck/old", O_RDONLY));
    close(open("ck/none", O_WRONLY | O_CREAT, 0600));
}

static void by_dup(void)
{
    int fd = open_done(), copy = dup(fd);

    close(fd);
    mark();
    close(copy);
}

static void by_fcntl(void)
{
    int fd = open_done(), copy = fcntl(fd, F_DUPFD, 100), other = fcntl64(fd, F_DUPFD_CLOEXEC, 50);

    close(fd);
    close(other);
    mark();
    close(copy);
}

static void by_dup2(void)
{
    int fd = open_done(), other = open("/dev/null", O_WRONLY);

    mark();
    dup2(other, fd);
    close(fd);
}

static void by_dup3(void)
{
    int fd = open_done(), other = open("/dev/null", O_WRONLY);

    dup3(fd, other, O_CLOEXEC);
    close(fd);
    mark();
    dup3(open("/dev/null", O_WRONLY), other, 0);
}

static void by_exit(void)
{
    FILE *file = fopen("ck/done", "w");

    fputs("bytes", file);
    mark();
}

static void by_exit_now(void)
{
    open_done();
    mark();
    _exit(0);
}

static void by_exit_now_c(void)
{
    open_done();
    mark();
    _Exit(0);
}

static void not_by_a_child(void)
{
    int fd = open_done();

    if (fork() == 0) {
        close(fd);
        exit(0);
    }
    wait(NULL);
    mark();
    close(fd);
}

static void by_a_shell(void)
{
    if (system("echo x >ck/done") != 0)
        _exit(97);
}

static void by_rename(void)
{
    close(open("ck/new", O_WRONLY | O_CREAT, 0600));
    mark();
    rename("ck/new", "ck/done");
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *expected;
} cases[] = {
    {"close", by_close, "mark ck/done "},
    {"fclose", by_fclose, "mark ck/done "},
    {"a file that is only read, or of another name", not_read, ""},
    {"dup", by_dup, "mark ck/done "},
    {"fcntl", by_fcntl, "mark ck/done "},
    {"dup2", by_dup2, "mark ck/done "},
    {"dup3", by_dup3, "mark ck/done "},
    {"exit", by_exit, "mark ck/done "},
    {"_exit", by_exit_now, "mark ck/done "},
    {"_Exit", by_exit_now_c, "mark ck/done "},
    {"the child of a fork", not_by_a_child, "mark ck/done "},
    {"a shell", by_a_shell, "ck/done "},
    {"rename", by_rename, "mark ck/done "},
};

/* ---- the test ---- */

static const char *told(void)
{
    static char text[1000];
    ssize_t n = read(fifo, text, sizeof text - 1), i;

    for (i = 0; i < n; i++)
        text[i] = text[i] ? text[i] : ' ';
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void run_case(size_t i)
{
    char number[16];
    int end = 0;

    snprintf(number, sizeof number, "%zu", i);
    if (fork() == 0) {
        if (chdir(root) != 0)
            _exit(96);
        setenv("SION_RUN_SESSION", session, 1);
        setenv("LD_PRELOAD", library, 1);
        setenv("NOTIFY", notify, 1);
        execl("/proc/self/exe", "closing", "--run", number, (char *)NULL);
        _exit(99);
    }
    wait(&end);
    CHECK_INT(WEXITSTATUS(end), 0);
    CHECK_STR(told(), cases[i].expected);
}

static void begin(void)
{
    static const char *const files[] = {"ck/**", NULL}, *const when[] = {"ck/done", "ck/old", NULL};
    struct scion_run_plan plan = {.root = root, .root_real = root, .list = {files, NULL, when}};

    scratch_begin();
    snprintf(root, sizeof root, "%s/root", scratch_directory);
    snprintf(session, sizeof session, "%s/session", scratch_directory);
    snprintf(notify, sizeof notify, "%s/notify", session);
    mkdir(root, 0700);
    mkdir(session, 0700);
    mkdir(scratch_path("root/ck"), 0700);
    scratch_write(scratch_path("root/ck/old"), "x", 1);
    CHECK_INT(scion_session_create(session, &plan), 0);
    fifo = open(notify, O_RDONLY | O_NONBLOCK);
}

int main(int argc, char **argv)
{
    size_t i;

    if (argc == 3) {
        cases[atoi(argv[2])].run();
        return 0;
    }
    library = argv[1];
    begin();
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_failed_here = 0;
        run_case(i);
        check_report(cases[i].name);
    }
    if (fork() == 0)
        execlp("rm", "rm", "-rf", scratch_directory, (char *)NULL);
    wait(NULL);
    return check_done();
}
