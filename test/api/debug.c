/* The debug trace: what switches it on, where it goes, what it shows, and that nothing is printed
   when it is off. */
#include "sion.h"
#include "sion_debug.h"

#include <sys/wait.h>

#include "support.h"

static char name[] = "c.sion";

/* Read and remove a trace; "" if there is none. */
static const char *take(const char *path)
{
    static char text[1 << 16];
    size_t size = 0;
    unsigned char *bytes = support_load(path, &size);

    size = size < sizeof text ? size : sizeof text - 1;
    if (bytes)
        memcpy(text, bytes, size);
    text[bytes ? size : 0] = '\0';
    free(bytes);
    unlink(path);
    return text;
}

/* That of sion_debug_on: the file has the name that was given. */
static const char *take_trace(void)
{
    CHECK_INT(access("trace.00000", F_OK), -1);
    return take("trace");
}

/* That of SION_DEBUG: the rank is added. */
static const char *take_ranked(void)
{
    CHECK_INT(access("trace", F_OK), -1);
    return take("trace.00000");
}

static int lines_with(const char *text, const char *part)
{
    int n = 0;

    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        n++;
    return n;
}

static int create(const char *mode)
{
    int n = 1, nfiles = 1, rank = 0, *ranks = &rank;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 100;

    return sion_open(name, mode, &n, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

static void use_library(void)
{
    char data[8];
    int n, nfiles, sid = create("bw");

    CHECK_INT(sion_fwrite("abcdefgh", 1, 8, sid), 8);
    CHECK_INT(sion_fwrite("abcdefgh", 1, 8, sid), 8);
    CHECK_INT(sion_close(sid), 1);
    sid = sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    CHECK_INT(sion_fread(data, 1, 8, sid), 8);
    CHECK_INT(sion_feof(sid), 0);
    CHECK_INT(sion_close(sid), 1);
}

static const char *trace_with(int mask)
{
    sion_debug_on(mask, "trace");
    use_library();
    sion_debug_off();
    return take_trace();
}

static void nothing_is_traced_by_default(void)
{
    CHECK_INT(sion_isdebug(), 0);
    CHECK(sion_get_dfile() == NULL);
    CHECK_INT(sion_dprintf(1, "not seen\n"), 0);
    CHECK_INT(sion_dprintfp(1023, "f", 3, "not seen\n"), 0);
    sion_debug_off();
    sion_dclose();
    CHECK_INT(sion_isdebug(), 0);
}

static void public_functions_are_bit_1(void)
{
    const char *trace = trace_with(SION_DEBUG_FUNCTION);

    CHECK_INT(lines_with(trace, "sion_open: 'c.sion', mode 'bw'"), 1);
    CHECK_INT(lines_with(trace, "sion_open: 'c.sion', mode 'br'"), 1);
    CHECK_INT(lines_with(trace, "sion_open: returns 0"), 2);
    CHECK_INT(lines_with(trace, "sion_close: sid 0"), 2);
    CHECK_INT(lines_with(trace, "sion_close: returns 1"), 2);
    CHECK_INT(lines_with(trace, "sion_fwrite"), 0);
    CHECK_INT(lines_with(trace, "sion_feof"), 0);
    CHECK_INT(lines_with(trace, "scion_"), 0);
}

static void names_stay_in_their_lines(void)
{
    int n, nfiles;
    const char *trace;

    support_catch();
    sion_debug_on(SION_DEBUG_FUNCTION, "trace");
    sion_open("no\nforged\033", "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    sion_debug_off();
    trace = take_trace();
    CHECK_INT(lines_with(trace, "sion_open: 'no\\nforged\\x1b', mode 'br'"), 1);
    CHECK_INT(lines_with(trace, "\nforged"), 0);
}

static void records_are_bits_8_and_16(void)
{
    const char *trace = trace_with(SION_DEBUG_RECORD);

    CHECK_INT(lines_with(trace, "sion_fwrite: sid 0, 8 items of 1 bytes"), 2);
    CHECK_INT(lines_with(trace, "sion_fwrite: returns 8"), 2);
    CHECK_INT(lines_with(trace, "sion_fread: sid 0, 8 items of 1 bytes"), 1);
    CHECK_INT(lines_with(trace, "sion_fread: returns 8"), 1);
    CHECK_INT(lines_with(trace, "sion_feof: sid 0"), 1);
    CHECK_INT(lines_with(trace, "sion_open"), 0);
    trace = trace_with(SION_DEBUG_RECORD_INTERNAL);
    CHECK_INT(lines_with(trace, "sion_fwrite: task 0 stands in chunk 0 at 16"), 1);
    CHECK_INT(lines_with(trace, "returns"), 0);
}

static void internals_and_descriptors_have_their_bits(void)
{
    const char *trace = trace_with(SION_DEBUG_INTERNAL);

    CHECK_INT(lines_with(trace, "scion_container_create"), 1);
    CHECK_INT(lines_with(trace, "scion_container_open"), 1);
    CHECK_INT(lines_with(trace, "scion_container_close"), 2);
    trace = trace_with(SION_DEBUG_INTERNAL_STEP);
    CHECK_INT(lines_with(trace, "scion_physical_create: c.sion, 1 tasks"), 1);
    trace = trace_with(SION_DEBUG_DESCRIPTOR);
    /* A writer has another descriptor for its lock. */
    CHECK_INT(lines_with(trace, "scion_file_open: c.sion is descriptor"), 3);
    CHECK_INT(lines_with(trace, "scion_file_suspend: descriptor"), 3);
}

static void records_of_open_containers_are_traced_from_here_on(void)
{
    int sid = create("bw");

    sion_fwrite("abcdefgh", 1, 8, sid);
    sion_debug_on(SION_DEBUG_RECORD, "trace");
    sion_fwrite("abcdefgh", 1, 8, sid);
    CHECK_INT(sion_fread(name, 1, 1, sid), 0);
    sion_debug_off();
    sion_fwrite("abcdefgh", 1, 8, sid);
    CHECK_INT(lines_with(take_trace(), "sion_fwrite: returns 8"), 1);
    CHECK_INT(sion_get_bytes_written(sid), 24);
    CHECK_INT(sion_close(sid), 1);
}

static void failures_are_traced_with_their_reason(void)
{
    sion_debug_on(SION_DEBUG_FUNCTION, "trace");
    CHECK_INT(sion_close(77), 0);
    sion_debug_off();
    CHECK_CONTAINS(take_trace(), "sion_close: fails: invalid sion_filedesc, aborting 77");
}

static int thread_number(void)
{
    return 5;
}

static void applications_add_lines_of_their_own(void)
{
    const char *trace;
    char long_text[3000];
    int bit = 0, rank = 0, thread = 0;

    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    sion_debug_on(64 | 128, "trace");
    CHECK_INT(sion_isdebug(), 1);
    CHECK(sion_get_dfile() != NULL);
    CHECK(sion_dprintf(64, "number %d\n", 7) > 0);
    _sion_debug_set_query_thread_num_function(thread_number);
    CHECK(sion_dprintfp(64, "solve", 12, "step %s", "one") > 0);
    _sion_debug_set_query_thread_num_function(NULL);
    CHECK_INT(sion_dprintf(1, "not seen"), 0);
    sion_print_time_stamp(0, long_text + 2990);
    CHECK(sion_dprintf(64, "%s", long_text) < 1200);
    sion_dclose();
    CHECK(sion_dprintf(64, "after the close") > 0);
    sion_debug_off();
    trace = take_trace();
    CHECK_CONTAINS(trace, "number 7\n");
    CHECK_INT(lines_with(trace, "\n\n"), 0);
    CHECK_INT(lines_with(trace, "not seen"), 0);
    CHECK_CONTAINS(trace, "solve: step one\n");
    CHECK_CONTAINS(trace, "xxxxxxxxx\n");
    CHECK_CONTAINS(trace, "after the close\n");
    trace = strstr(trace, "number 7\n");
    CHECK(trace && sscanf(trace, "number 7 sion %*[0-9.] %d %d %d", &rank, &thread, &bit) == 3);
    CHECK_INT(rank, 12);
    CHECK_INT(thread, 5);
    CHECK_INT(bit, 64);
}

static void times_hardly_run_backwards(void)
{
    double first = _sion_get_time();

    CHECK(first > 1.6e9);
    CHECK(_sion_get_time() >= first - 1.0);
}

static void a_trace_that_cannot_be_written_is_switched_off(void)
{
    support_catch();
    sion_debug_on(1, "no/such/folder/trace");
    use_library();
    CHECK_INT(sion_isdebug(), 0);
    CHECK(support_warnings > 0);
    CHECK_CONTAINS(support_message, "no/such/folder/trace");
}

/* Only a process that has not used the library yet reads the environment, or _sion_debug_init. */
static void read_environment(const char *debug, const char *mask, const char *rank1,
                             const char *silent)
{
    unsetenv("SION_DEBUG_RANK");
    unsetenv("SION_DEBUG_RANK2");
    if (debug)
        setenv("SION_DEBUG", debug, 1);
    else
        unsetenv("SION_DEBUG");
    if (mask)
        setenv("SION_DEBUG_MASK", mask, 1);
    else
        unsetenv("SION_DEBUG_MASK");
    if (rank1)
        setenv("SION_DEBUG_RANK1", rank1, 1);
    else
        unsetenv("SION_DEBUG_RANK1");
    setenv("SION_DEBUG_SILENT", silent, 1);
    _sion_debug_init();
}

static void the_environment_switches_the_trace(void)
{
    read_environment("trace", NULL, NULL, "0");
    use_library();
    CHECK_INT(lines_with(take_ranked(), "sion_close: returns 1"), 2);
    read_environment("trace", "512", NULL, "0");
    use_library();
    CHECK_INT(strncmp(take_ranked(), "sion trace, mask 512", 20), 0);
    read_environment("trace", "512", NULL, "1");
    use_library();
    CHECK_INT(lines_with(take_ranked(), "sion trace"), 0);
    read_environment(NULL, "1", NULL, "0");
    CHECK_INT(sion_isdebug(), 0);
}

static void only_the_ranks_named_are_traced(void)
{
    read_environment("trace", "64", "3", "1");
    CHECK_INT(sion_dprintf(64, "of this process"), 0);
    CHECK(sion_dprintfp(64, "f", 3, "of rank 3") > 0);
    setenv("SION_DEBUG_RANK2", "0", 1);
    _sion_debug_init();
    CHECK(sion_dprintf(64, "of this process") > 0);
    CHECK_INT(sion_dprintfp(64, "f", 4, "of rank 4"), 0);
    unsetenv("SION_DEBUG_RANK1");
    unsetenv("SION_DEBUG_RANK2");
    setenv("SION_DEBUG_RANK", "3", 1);
    _sion_debug_init();
    CHECK_INT(sion_dprintf(64, "of this process"), 0);
    read_environment(NULL, NULL, NULL, "0");
    CHECK_INT(lines_with(take_ranked(), "of rank"), 1);
}

/* A link is followed where the program has given its name, and not where the library has made it. */
static void only_a_name_that_was_given_may_be_a_link(void)
{
    CHECK_INT(symlink("other", "trace"), 0);
    CHECK_INT(symlink("other.00000", "trace.00000"), 0);
    sion_debug_on(SION_DEBUG_USER_STEP, "trace");
    CHECK(sion_dprintf(SION_DEBUG_USER_STEP, "a line") > 0);
    sion_debug_off();
    CHECK_CONTAINS(take("other"), "a line\n");
    CHECK_INT(access("other.00000", F_OK), -1);
    unlink("trace");
    read_environment("trace", "64", NULL, "0");
    CHECK_INT(sion_dprintf(SION_DEBUG_USER_STEP, "a line"), 0);
    CHECK_INT(access("other.00000", F_OK), -1);
    unlink("trace.00000");
    read_environment(NULL, NULL, NULL, "0");
}

/* The name of the environment keeps its rank where sion_debug_on names no file. */
static void no_name_is_the_previous_one(void)
{
    read_environment("trace", "64", NULL, "0");
    sion_debug_on(SION_DEBUG_TIMING, NULL);
    CHECK(sion_dprintf(SION_DEBUG_TIMING, "of the environment") > 0);
    sion_debug_off();
    CHECK_CONTAINS(take_ranked(), "of the environment\n");
    sion_debug_on(SION_DEBUG_TIMING, "trace");
    sion_debug_off();
    sion_debug_on(SION_DEBUG_TIMING, NULL);
    CHECK(sion_dprintf(SION_DEBUG_TIMING, "of the program") > 0);
    sion_debug_off();
    CHECK_CONTAINS(take_trace(), "of the program\n");
    read_environment(NULL, NULL, NULL, "0");
}

/* Check what a child prints if SION_DEBUG names a standard stream; `descriptor` is captured. */
static void check_standard_stream(const char *where, int descriptor)
{
    int status = 1, fds[2];
    char text[1000];
    ssize_t size;
    pid_t child;

    fflush(stdout);
    CHECK_INT(pipe(fds), 0);
    child = fork();
    if (child == 0) {
        dup2(fds[1], descriptor);
        read_environment(where, "64", NULL, "1");
        _exit(sion_dprintf(64, "a line") > 0 ? 0 : 1);
    }
    close(fds[1]);
    size = read(fds[0], text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    close(fds[0]);
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    CHECK_CONTAINS(text, "a line\n");
}

static void the_trace_goes_to_stdout_or_stderr(void)
{
    check_standard_stream("stdout", 1);
    check_standard_stream("stderr", 2);
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(nothing_is_traced_by_default);
    RUN(public_functions_are_bit_1);
    RUN(names_stay_in_their_lines);
    RUN(records_are_bits_8_and_16);
    RUN(internals_and_descriptors_have_their_bits);
    RUN(records_of_open_containers_are_traced_from_here_on);
    RUN(failures_are_traced_with_their_reason);
    RUN(applications_add_lines_of_their_own);
    RUN(times_hardly_run_backwards);
    RUN(a_trace_that_cannot_be_written_is_switched_off);
    RUN(the_environment_switches_the_trace);
    RUN(only_the_ranks_named_are_traced);
    RUN(only_a_name_that_was_given_may_be_a_link);
    RUN(no_name_is_the_previous_one);
    RUN(the_trace_goes_to_stdout_or_stderr);
    support_leave_folder();
    return check_done();
}
