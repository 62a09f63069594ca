/*
 * Each allocation of one task fails in turn: its open or close fails on all tasks, or its own
 * transfer fails, or, if the task could not even report that, the program ends with a message. No
 * task waits for ever. Only copies of a buddy checkpoint may be left out.
 */
#include <stdlib.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lack.h"

/* The callbacks' own allocations do not fail. */
#define malloc __real_malloc
#define calloc __real_calloc
#include "generic_opens.h"
#include "sion_checksum.h"
#include "support.h"

enum { ALIKE = 0, ENDED, NOT_REACHED, WORKED, DIFFERENT };

static struct {
    const char *mode;
    int odd_one;
    long nth;
    int results[GENERIC_TASKS], reached;
    int ended; /* times that the program ended */
} lacking;

static void *open_lacking(void *argument)
{
    struct scion_comm *comm = argument;
    int is_odd = comm->rank == lacking.odd_one;

    lack_in = is_odd ? lacking.nth : 0;
    lacking.results[comm->rank] = generic_open_and_close(comm, lacking.mode);
    if (is_odd)
        lacking.reached = lack_in == 0;
    lack_in = 0;
    comm->ops->free(comm);
    return NULL;
}

static int try_in_process(void)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(20); /* ends a program that waits forever */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (!freopen("/dev/null", "w", stderr))
            _exit(DIFFERENT);
        generic_run_threads(GENERIC_TASKS, open_lacking);
        _exit(!lacking.reached                                                         ? NOT_REACHED
              : lacking.results[0] != lacking.results[1]                               ? DIFFERENT
              : lacking.results[0] == 0 && generic_sample.transferred[lacking.odd_one] ? WORKED
                                                                                       : ALIKE);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return DIFFERENT;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGABRT ? ENDED : DIFFERENT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : DIFFERENT;
}

/* Without memory, copies of buddy checkpoints are left out, and checksums are computed at the end.
 */
static int may_work(const char *mode)
{
    return strstr(mode, "buddy") || strstr(mode, "bw,checksum");
}

static int is_wrong(int outcome, const char *mode)
{
    return outcome == DIFFERENT || (outcome == WORKED && !may_work(mode));
}

/* What was written without a failure can be read. */
static void read_back(const char *reader)
{
    const char *mode = lacking.mode;
    long nth = lacking.nth;

    lacking.mode = reader;
    lacking.nth = 0;
    CHECK_INT(try_in_process(), WORKED);
    lacking.mode = mode;
    lacking.nth = nth;
}

static void each_allocation_fails(const char *mode, const char *reader)
{
    int outcome;

    lacking.mode = mode;
    for (lacking.odd_one = 0; lacking.odd_one < GENERIC_TASKS; lacking.odd_one++) {
        lacking.nth = 0;
        do {
            lacking.nth++;
            outcome = try_in_process();
            lacking.ended += outcome == ENDED;
            CHECK_INT(is_wrong(outcome, mode) ? lacking.nth : 0, 0);
            if (outcome == WORKED && reader)
                read_back(reader);
        } while (outcome != NOT_REACHED && lacking.nth < 1000);
        CHECK_INT(outcome, NOT_REACHED);
        CHECK(lacking.nth > 3);
    }
}

/*
 * most: times that the program may end instead: without its communicator, without the message that
 * it is about to receive, or without the requests of all others, a task cannot say anything.
 */
static void write_and_read(const char *writer, const char *reader, int nfiles, int mapped, int most)
{
    generic_sample.nfiles = nfiles;
    generic_sample.mapped = mapped;
    lacking.ended = 0;
    each_allocation_fails(writer, reader);
    each_allocation_fails(reader, NULL);
    CHECK(lacking.ended <= most);
    if (lacking.ended > most)
        printf("# %s ended %d times\n", writer, lacking.ended);
}

static void one_file(void)
{
    write_and_read("bw", "br", 1, 0, 10);
}

static void a_set_of_files(void)
{
    write_and_read("bw", "br", 2, 0, 24);
}

static void mapped(void)
{
    write_and_read("bw", "br", 2, 1, 26);
}

static void collective(void)
{
    write_and_read("bw,collective,collsize=2", "br,collective,collsize=2", 1, 0, 16);
}

static void merged(void)
{
    write_and_read("bw,cmerge,collective,collsize=2", "br,cmerge,collective,collsize=2", 1, 0, 16);
    write_and_read("bw,collective,collsize=2,posix", "br,collective,collread,collsize=2", 1, 0, 16);
}

static void that_can_be_recovered(void)
{
    write_and_read("bw,recover", "br", 1, 0, 18);
    write_and_read("bw,atomic,recover", "br", 2, 0, 32);
}

static void key_values(void)
{
    generic_sample.keys = 1;
    write_and_read("bw,keyval=inline", "br,keyval=inline", 2, 0, 24);
    write_and_read("bw,keyval=inline", "br,keyval=inline", 1, 1, 25);
    generic_sample.keys = 0;
}

static void shared(void)
{
    generic_sample.shared = 1;
    write_and_read("bw", "br", 2, 0, 24);
    generic_sample.shared = 0;
}

static void checksums(void)
{
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
    write_and_read("bw,checksum", "br,checksum", 2, 0, 50);
    write_and_read("bw,checksum", "br,checksum", 2, 1, 36);
#else
    SKIP("no function for checksums");
#endif
}

static void buddy_checkpoints(void)
{
    write_and_read("bw,buddy", "br,buddy", 2, 0, 88);
    write_and_read("bw,buddy,recover", "br,buddy", 2, 0, 96);
}

int main(void)
{
    support_enter_folder();
    generic_sample.aid = generic_make_api();
    generic_add_transfers(generic_sample.aid);
    RUN(one_file);
    RUN(a_set_of_files);
    RUN(mapped);
    RUN(collective);
    RUN(merged);
    RUN(that_can_be_recovered);
    RUN(key_values);
    RUN(shared);
    RUN(checksums);
    RUN(buddy_checkpoints);
    CHECK_INT(sion_generic_free_api(generic_sample.aid), 1);
    support_leave_folder();
    return check_done();
}
