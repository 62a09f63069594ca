/*
 * Each allocation of one task, or of all, fails in turn: the open or close fails on all tasks, or
 * the task's own transfer fails, or the reserve is used and nothing fails. No task waits for ever,
 * and the program does not end.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lack.h"

/* The callbacks' own allocations do not fail. */
#define malloc __real_malloc
#define calloc __real_calloc
#include "opens.h"
#include "sion_checksum.h"
#include "support.h"

enum { ALIKE = 0, NOT_REACHED, WORKED, DIFFERENT };
enum { ALL = GENERIC_TASKS };

static struct {
    const char *mode;
    int odd_one;
    long nth;
    int results[GENERIC_TASKS];
    atomic_int reached;
} lacking;

static void *open_lacking(void *argument)
{
    struct scion_comm *comm = argument;
    int is_odd = lacking.odd_one == ALL || comm->rank == lacking.odd_one;

    lack_in = is_odd ? lacking.nth : 0;
    lacking.results[comm->rank] = generic_open_and_close(comm, lacking.mode);
    if (is_odd)
        lacking.reached += lack_in == 0;
    lack_in = 0;
    comm->ops->free(comm);
    return NULL;
}

static int all_transferred(void)
{
    return generic_sample.transferred[0] && generic_sample.transferred[1];
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
        _exit(lacking.results[0] != lacking.results[1]       ? DIFFERENT
              : !lacking.reached                             ? NOT_REACHED
              : lacking.results[0] == 0 && all_transferred() ? WORKED
                                                             : ALIKE);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return DIFFERENT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : DIFFERENT;
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
    for (lacking.odd_one = 0; lacking.odd_one <= ALL; lacking.odd_one++) {
        lacking.nth = 0;
        do {
            lacking.nth++;
            outcome = try_in_process();
            CHECK_INT(outcome == DIFFERENT ? lacking.nth : 0, 0);
            if (outcome == WORKED && reader)
                read_back(reader);
        } while (outcome != NOT_REACHED && lacking.nth < 1000);
        CHECK_INT(outcome, NOT_REACHED);
        CHECK(lacking.nth > 3);
    }
}

static void write_and_read(const char *writer, const char *reader, int nfiles, int mapped)
{
    generic_sample.nfiles = nfiles;
    generic_sample.mapped = mapped;
    each_allocation_fails(writer, reader);
    each_allocation_fails(reader, NULL);
}

static void one_file(void)
{
    write_and_read("bw", "br", 1, 0);
}

static void a_set_of_files(void)
{
    write_and_read("bw", "br", 2, 0);
}

static void mapped(void)
{
    write_and_read("bw", "br", 2, 1);
}

static void collective(void)
{
    write_and_read("bw,collective,collsize=2", "br,collective,collsize=2", 1, 0);
}

static void merged(void)
{
    write_and_read("bw,cmerge,collective,collsize=2", "br,cmerge,collective,collsize=2", 1, 0);
    write_and_read("bw,collective,collsize=2,posix", "br,collective,collread,collsize=2", 1, 0);
}

static void that_can_be_recovered(void)
{
    write_and_read("bw,recover", "br", 1, 0);
    write_and_read("bw,atomic,recover", "br", 2, 0);
    write_and_read("bw,atomic,recover", "br", 2, 1);
}

static void key_values(void)
{
    generic_sample.keys = 1;
    write_and_read("bw,keyval=inline", "br,keyval=inline", 2, 0);
    write_and_read("bw,keyval=inline", "br,keyval=inline", 1, 1);
    generic_sample.keys = 0;
}

static void shared(void)
{
    generic_sample.shared = 1;
    write_and_read("bw", "br", 2, 0);
    generic_sample.shared = 0;
}

static void duplicates(void)
{
    generic_sample.duplicates = 1;
    write_and_read("bw", "br", 1, 0);
    write_and_read("bw", "br", 2, 1);
    generic_sample.duplicates = 0;
}

static void checksums(void)
{
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
    write_and_read("bw,checksum", "br,checksum", 2, 0);
    write_and_read("bw,checksum", "br,checksum", 2, 1);
#else
    SKIP("no function for checksums");
#endif
}

static void buddy_checkpoints(void)
{
    write_and_read("bw,buddy", "br,buddy", 2, 0);
    write_and_read("bw,buddy,recover", "br,buddy", 2, 0);
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
    RUN(duplicates);
    RUN(checksums);
    RUN(buddy_checkpoints);
    CHECK_INT(sion_generic_free_api(generic_sample.aid), 1);
    support_leave_folder();
    return check_done();
}
