/* SION_FAULT: calls of the library fail as users ask. Each case is a process of its own. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sion.h"

#include "support.h"

enum { WORKED = 0, NOT_OPENED, NOT_WRITTEN, NOT_CLOSED, KILLED };

static char printed[4096];

static int write_container(void)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid, written;
    sion_int64 size = 5000, *sizes = &size;
    sion_int32 fsblksize = 100;
    char data[5000] = {0};

    sid = sion_open("f.sion", "bw,posix", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    if (sid < 0)
        return NOT_OPENED;
    written = sion_fwrite(data, 1, sizeof data, sid) == sizeof data;
    if (sion_close(sid) != 1)
        return written ? NOT_CLOSED : NOT_WRITTEN;
    return written ? WORKED : NOT_WRITTEN;
}

/* What the child printed to stderr is in `printed`. */
static int try_with(const char *fault, const char *rank)
{
    FILE *file;
    int status = 0;
    pid_t child;

    fflush(stdout);
    unlink("f.sion");
    child = fork();
    if (child == 0) {
        setenv("SION_FAULT", fault, 1);
        if (rank)
            setenv("PMI_RANK", rank, 1);
        if (!freopen("printed", "w", stderr))
            _exit(99);
        exit(write_container());
    }
    if (waitpid(child, &status, 0) != child)
        return -1;
    memset(printed, 0, sizeof printed);
    file = fopen("printed", "r");
    if (file) {
        (void)!fread(printed, 1, sizeof printed - 1, file);
        fclose(file);
    }
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGKILL ? KILLED : -1;
    return WEXITSTATUS(status);
}

static int says(const char *text)
{
    return strstr(printed, text) != NULL;
}

static void calls_fail_by_name(void)
{
    CHECK_INT(try_with("open:EACCES", NULL), NOT_OPENED);
    CHECK(says("SION_FAULT=open:EACCES") && says(strerror(EACCES)));
    CHECK_INT(try_with("write:enospc:1+", NULL), NOT_OPENED);
    CHECK(says(strerror(ENOSPC)));
    CHECK_INT(try_with("write:enospc:2", NULL), NOT_WRITTEN);
    CHECK(says(strerror(ENOSPC)));
    CHECK_INT(try_with("write:eio:3", NULL), NOT_CLOSED);
    CHECK(says(strerror(EIO)));
    CHECK_INT(try_with("close:edquot:1+", NULL), NOT_OPENED); /* the lock of the new name */
    CHECK_INT(try_with("close:edquot:2+", NULL), NOT_CLOSED);
    CHECK_INT(try_with("sync:eio:1+", NULL), WORKED);
    CHECK(says("fail as requested"));
}

static void one_call_or_all_from_then_on(void)
{
    CHECK_INT(try_with("write:eintr:1", NULL), WORKED);
    CHECK_INT(try_with("write:enospc:1000", NULL), WORKED);
    CHECK_INT(try_with("write:enospc:1000+", NULL), WORKED);
    CHECK_INT(try_with("write:enospc:3+", NULL), NOT_CLOSED);
}

static void transfers_are_short_and_the_process_dies(void)
{
    CHECK_INT(try_with("any:short:7", NULL), WORKED);
    CHECK_INT(try_with("any:kill:1", NULL), KILLED);
    CHECK_INT(try_with("any:kill:1000", NULL), WORKED);
}

static void a_rank_is_chosen(void)
{
    CHECK_INT(try_with("open:eio@1", "1"), NOT_OPENED);
    CHECK_INT(try_with("open:eio:1+@1", "1"), NOT_OPENED);
    CHECK_INT(try_with("open:eio@1", "0"), WORKED);
    CHECK(!says("SION_FAULT"));
    CHECK_INT(try_with("open:eio@1", NULL), WORKED);
    CHECK_INT(try_with("open:eio@0", "0"), NOT_OPENED);
}

static void what_is_not_understood_is_said_and_ignored(void)
{
    static const char *const wrong[] = {
        "open",       "open:",        "open:nothing",  "opens:eio",    ":eio",
        "open:eio:0", "open:eio:1x",  "open:eio:+",    "open:eio:1++", "open:eio@",
        "open:eio@x", "open:eio@1@1", "write:short:7", "open:kill",    "open:eio:-1"};
    size_t i;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_INT(try_with(wrong[i], "1"), WORKED);
        CHECK(says(wrong[i]) && says("is ignored"));
        if (!says("is ignored"))
            printf("# %s: %s\n", wrong[i], printed);
    }
    CHECK_INT(try_with("", NULL), WORKED);
    CHECK_STR(printed, "");
}

int main(void)
{
    support_enter_folder();
    RUN(calls_fail_by_name);
    RUN(one_call_or_all_from_then_on);
    RUN(transfers_are_short_and_the_process_dies);
    RUN(a_rank_is_chosen);
    RUN(what_is_not_understood_is_said_and_ignored);
    support_leave_folder();
    return check_done();
}
