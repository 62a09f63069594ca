/* When the progress of a copy is shown, and how. The test has its own clock and terminals. */
#include <locale.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "lib/progress.h"

enum { MIB = 1 << 20 };

#define QUARTER "[#####               ]  25.0%  1 MiB of 4 MiB"
#define HALF    "[##########          ]  50.0%  2 MiB of 4 MiB"
#define ALL     "[####################] 100.0%  4 MiB of 4 MiB"

static double seconds;       /* the time on the clock */
static int is_terminal[3];   /* by descriptor */
static struct progress copy; /* of 4 MB */

/* They replace those of the C library. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    time->tv_sec = (time_t)seconds;
    time->tv_nsec = (long)((seconds - (double)time->tv_sec) * 1e9);
    return 0;
}

int isatty(int fd)
{
    return is_terminal[fd];
}

static void begin(const char *when, int out, int err, int stdout_is_data)
{
    is_terminal[STDOUT_FILENO] = out;
    is_terminal[STDERR_FILENO] = err;
    seconds = 100.0;
    CHECK_INT(progress_choose(when), 0);
    progress_start(&copy, 4 * (sion_int64)MIB, stdout_is_data);
}

/* The output to stderr since the last call. */
static const char *shown(void)
{
    static char text[1024];
    ssize_t length;

    fflush(stderr);
    lseek(STDERR_FILENO, 0, SEEK_SET);
    length = read(STDERR_FILENO, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    if (ftruncate(STDERR_FILENO, 0) != 0 || lseek(STDERR_FILENO, 0, SEEK_SET) != 0)
        return "cannot empty stderr";
    return text;
}

static const char *step_at(double second, sion_int64 bytes)
{
    seconds = second;
    progress_step(&copy, bytes);
    return shown();
}

static const char *end(void)
{
    progress_end(&copy);
    return shown();
}

static void a_long_copy_is_shown_on_a_terminal_after_a_second(void)
{
    begin("auto", 1, 1, 0);
    CHECK_STR(step_at(100.9, MIB), "");
    CHECK_STR(step_at(101.1, MIB), HALF "  1.8 MiB/s  0:02 left\033[K\r");
    CHECK_STR(step_at(101.2, MIB), "");
    CHECK_STR(step_at(101.4, MIB), ALL "  2.9 MiB/s  in 0:02\033[K\r");
    CHECK_STR(end(), "\033[K");
}

static void a_line_is_removed_once_before_other_output(void)
{
    begin("auto", 1, 1, 0);
    CHECK_STR(step_at(102, MIB), QUARTER "  512 KiB/s  0:06 left\033[K\r");
    progress_clear(&copy);
    CHECK_STR(shown(), "\033[K");
    CHECK_STR(end(), "");
}

static void a_short_copy_shows_nothing(void)
{
    begin("auto", 1, 1, 0);
    CHECK_STR(step_at(100.5, 4 * MIB), "");
    CHECK_STR(end(), "");
}

static void nothing_is_shown_without_a_terminal_or_among_data(void)
{
    begin("auto", 1, 0, 0);
    CHECK_STR(step_at(200, MIB), "");
    begin("auto", 1, 1, 1);
    CHECK_STR(step_at(200, MIB), "");
    begin("never", 1, 1, 0);
    CHECK_STR(step_at(200, 4 * MIB), "");
    CHECK_STR(end(), "");
}

static void data_in_a_file_leave_the_terminal_free(void)
{
    begin("auto", 0, 1, 1);
    CHECK_STR(step_at(102, MIB), QUARTER "  512 KiB/s  0:06 left\033[K\r");
    CHECK_STR(end(), "\033[K");
}

static void always_prints_lines_if_stderr_is_no_terminal(void)
{
    begin("always", 0, 0, 1);
    CHECK_STR(step_at(100.1, MIB), "");
    CHECK_STR(step_at(100.3, MIB), HALF "  6.7 MiB/s  0:01 left\n");
    CHECK_STR(step_at(100.4, 2 * MIB), "");
    CHECK_STR(end(), ALL "  10.0 MiB/s  in 0:01\n");
    begin("always", 1, 1, 0);
    CHECK_STR(step_at(100.3, MIB), QUARTER "  3.3 MiB/s  0:01 left\033[K\r");
    CHECK_STR(step_at(100.4, 3 * MIB), "");
    CHECK_STR(end(), ALL "  10.0 MiB/s  in 0:01\033[K\r\n");
}

static void long_times_have_hours(void)
{
    begin("always", 0, 0, 0);
    CHECK_STR(step_at(4600, MIB), QUARTER "  233 B/s  3:45:00 left\n");
    begin("always", 0, 0, 0);
    CHECK_STR(step_at(200, MIB), QUARTER "  10.2 KiB/s  5:00 left\n");
}

/* Not every step reads the clock. */
static void many_small_steps_are_also_shown(void)
{
    int i, first = 0;

    begin("auto", 1, 1, 0);
    for (i = 1; i <= 100 && !first; i++)
        first = *step_at(102, 1) ? i : 0;
    CHECK_INT(first, 64);
    CHECK_STR(end(), "\033[K");
}

static void an_empty_copy_is_complete(void)
{
    begin("always", 0, 0, 0);
    progress_start(&copy, 0, 0);
    CHECK_STR(end(), "[####################] 100.0%  0 B of 0 B\n");
}

static void an_unknown_word_is_refused(void)
{
    CHECK_INT(progress_choose("maybe"), -1);
}

int main(void)
{
    FILE *file = tmpfile();

    setlocale(LC_ALL, "C"); /* as tools do */
    if (!file || dup2(fileno(file), STDERR_FILENO) < 0)
        return 99;
    RUN(a_long_copy_is_shown_on_a_terminal_after_a_second);
    RUN(a_line_is_removed_once_before_other_output);
    RUN(a_short_copy_shows_nothing);
    RUN(nothing_is_shown_without_a_terminal_or_among_data);
    RUN(data_in_a_file_leave_the_terminal_free);
    RUN(always_prints_lines_if_stderr_is_no_terminal);
    RUN(long_times_have_hours);
    RUN(many_small_steps_are_also_shown);
    RUN(an_empty_copy_is_complete);
    RUN(an_unknown_word_is_refused);
    return check_done();
}
