/* The error record, and the lines that users see. */
#include "check.h"

#include <errno.h>
#include <unistd.h>
#ifdef HAVE_PTHREADS
#include <pthread.h>
#endif

#include "base/env.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/log.h"
#include "warnings.h"

/* The output of a function on stderr. */
static const char *printed_by(void (*function)(void))
{
    static char text[8192];
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    size_t n;

    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    function();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

static void a_failure_leaves_code_and_text(void)
{
    CHECK_INT(scion_fail(SION_ERR_MODE, "%s %d", "number", 7), SION_ERR_MODE);
    CHECK_INT(scion_error_code(), SION_ERR_MODE);
    CHECK_STR(scion_error_text(), "number 7");
}

static void a_failure_of_the_system_names_its_reason(void)
{
    CHECK_INT(scion_fail_errno(ENOSPC, "cannot write %s", "x"), SION_ERR_SYSTEM);
    CHECK_INT(scion_error_code(), SION_ERR_SYSTEM);
    CHECK_STR(scion_error_text(), "cannot write x: No space left on device");
}

static void out_of_memory_names_the_purpose(void)
{
    CHECK_INT(scion_fail_memory("buffer"), SION_ERR_MEMORY);
    CHECK_CONTAINS(scion_error_text(), "buffer");
}

static void a_prefix_goes_before_the_text(void)
{
    scion_fail(SION_ERR_DAMAGED, "cut off");
    scion_fail_prefix("file %d", 3);
    CHECK_STR(scion_error_text(), "file 3: cut off");
    CHECK_INT(scion_error_code(), SION_ERR_DAMAGED);
}

/* Names in files may contain anything. */
static void texts_stay_in_one_line(void)
{
    static const char text[] = "a\033[2Jb\nc\td\x7f \xc3\xa9 \xe9 \xc2\x9b \\n";
    char cut[8], *printed = NULL;
    size_t size;
    FILE *to = open_memstream(&printed, &size);

    scion_fail(SION_ERR_DAMAGED, "name %s", text);
    CHECK_STR(scion_error_text(), "name a\\x1b[2Jb\\nc\\td\\x7f \xc3\xa9 \\xe9 \\xc2\\x9b \\n");
    scion_print_escaped(to, text);
    fclose(to);
    CHECK_STR(printed, scion_error_text() + 5);
    free(printed);
    CHECK_STR(scion_escape("abc\033d", cut, sizeof cut), "abc\\x1b");
    CHECK_STR(scion_escape("abcd\033", cut, sizeof cut), "abcd");
    CHECK_STR(scion_escape("abcdef\xc3\xa9", cut, sizeof cut), "abcdef");
}

static void long_texts_are_truncated(void)
{
    char text[3 * SCION_ERROR_TEXT];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    scion_fail(SION_ERR_MODE, "%s", text);
    CHECK_INT(strlen(scion_error_text()), SCION_ERROR_TEXT - 1);
    scion_fail_prefix("%s", text);
    CHECK_INT(strlen(scion_error_text()), SCION_ERROR_TEXT - 1);
    scion_fail_errno(EIO, "%s", text);
    CHECK_INT(strlen(scion_error_text()), SCION_ERROR_TEXT - 1);
    scion_fail(SION_ERR_MODE, "short");
    scion_fail_prefix("%s", text);
    CHECK_INT(strlen(scion_error_text()), SCION_ERROR_TEXT - 1);
}

static void long_warnings_are_truncated(void)
{
    char text[3 * SCION_ERROR_TEXT], *warning;

    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    scion_warn("%s", text);
    warning = scion_warning_take();
    CHECK(warning && strlen(warning) == SCION_ERROR_TEXT - 1);
    free(warning);
}

static void take_and_compare(const char *expected)
{
    char *text = scion_warning_take();

    CHECK(text != NULL);
    if (text)
        CHECK_STR(text, expected);
    free(text);
}

static void warnings_come_in_order(void)
{
    scion_warn("first");
    scion_warn("second %d", 2);
    take_and_compare("first");
    scion_warn("third");
    take_and_compare("second 2");
    take_and_compare("third");
    CHECK(scion_warning_take() == NULL);
}

static void log_an_error(void)
{
    scion_fail(SION_ERR_HANDLE, "text of the failure");
    scion_log_error(-1, 0);
    scion_log_error(3, -1);
}

static void an_error_is_one_line_with_rank_and_rc(void)
{
    CHECK_STR(printed_by(log_an_error),
              "SION_ERROR_RETURN on rank -1, rc=0: text of the failure\n"
              "SION_ERROR_RETURN on rank 3, rc=-1: text of the failure\n");
}

static void log_warnings(void)
{
    scion_warn("one");
    scion_warn("two");
    scion_log_warnings(-1);
    scion_log_warnings(-1);
}

static void a_warning_is_printed_once(void)
{
    CHECK_STR(printed_by(log_warnings), "SION_ERROR_WARN on rank -1, rc=0: one\n"
                                        "SION_ERROR_WARN on rank -1, rc=0: two\n");
}

static void drop_warnings(void)
{
    scion_warn("one");
    scion_warn("two");
    scion_log_drop_warnings();
    scion_log_warnings(0);
}

static void dropped_warnings_are_not_printed(void)
{
    CHECK_STR(printed_by(drop_warnings), "");
}

static void log_ranks(void)
{
    scion_fail(SION_ERR_MODE, "t");
    scion_log_error(-1, 0);
    scion_log_error(0, 0);
    scion_log_error(1, 0);
    scion_warn("w");
    scion_log_warnings(0);
}

static const char *lines_with_filter(const char *value)
{
    const char *text;

    setenv("SION_ERROR_MSG_RANK", value, 1);
    text = printed_by(log_ranks);
    unsetenv("SION_ERROR_MSG_RANK");
    return text;
}

static void the_environment_silences_other_ranks(void)
{
    CHECK_STR(lines_with_filter("1"), "SION_ERROR_RETURN on rank -1, rc=0: t\n"
                                      "SION_ERROR_RETURN on rank 1, rc=0: t\n");
    CHECK_STR(lines_with_filter("0"), "SION_ERROR_RETURN on rank -1, rc=0: t\n"
                                      "SION_ERROR_RETURN on rank 0, rc=0: t\n"
                                      "SION_ERROR_WARN on rank 0, rc=0: w\n");
}

static void a_filter_that_names_no_rank_silences_no_rank(void)
{
    static const char *const values[] = {"-1", "", "all", "1x"};
    size_t i;

    for (i = 0; i < sizeof values / sizeof values[0]; i++) {
        const char *text = lines_with_filter(values[i]);

        CHECK_CONTAINS(text, "rank 0, rc=0: t");
        CHECK_CONTAINS(text, "rank 1, rc=0: t");
        CHECK_CONTAINS(text, "rank 0, rc=0: w");
    }
}

static char handled[512];

static void collect(int level, int rank, int rc, const char *text, void *user)
{
    size_t used = strlen(handled);

    CHECK(user == handled);
    snprintf(handled + used, sizeof handled - used, "%d/%d/%d/%s;", level, rank, rc, text);
}

static void a_handler_receives_all_and_nothing_is_printed(void)
{
    handled[0] = '\0';
    scion_log_set_handler(collect, handled);
    CHECK_STR(lines_with_filter("1"), "");
    scion_log_set_handler(NULL, NULL);
    CHECK_STR(handled, "2/-1/0/t;2/0/0/t;2/1/0/t;1/0/0/w;");
    CHECK_CONTAINS(printed_by(log_an_error), "SION_ERROR_RETURN");
}

static void numbers_in_the_environment_are_checked(void)
{
    long long value = 5;

    unsetenv("SION_TEST_NUMBER");
    CHECK(scion_env("TEST_NUMBER") == NULL);
    CHECK_INT(scion_env_number("TEST_NUMBER", &value), 0);
    CHECK_INT(value, 5);
    setenv("SION_TEST_NUMBER", "", 1);
    CHECK_INT(scion_env_number("TEST_NUMBER", &value), 0);
    setenv("SION_TEST_NUMBER", "12x", 1);
    CHECK_INT(scion_env_number("TEST_NUMBER", &value), 0);
    CHECK_INT(value, 5);
    setenv("SION_TEST_NUMBER", "-12", 1);
    CHECK_STR(scion_env("TEST_NUMBER"), "-12");
    CHECK_INT(scion_env_number("TEST_NUMBER", &value), 1);
    CHECK_INT(value, -12);
    unsetenv("SION_TEST_NUMBER");
}

static void white_space_at_the_end_is_no_part_of_a_value(void)
{
    const char *first;
    long long value = 0;

    setenv("SION_TEST_NUMBER", "1\r", 1);
    first = scion_env("TEST_NUMBER");
    CHECK_STR(first, "1");
    CHECK_INT(scion_env_number("TEST_NUMBER", &value), 1);
    CHECK_INT(value, 1);
    setenv("SION_TEST_NUMBER", " a name \t\r\n", 1);
    CHECK_STR(scion_env("TEST_NUMBER"), " a name");
    CHECK_STR(first, "1");
    setenv("SION_TEST_NUMBER", "1 ", 1);
    CHECK(scion_env("TEST_NUMBER") == first);
    setenv("SION_TEST_NUMBER", "\r\n", 1);
    CHECK_STR(scion_env("TEST_NUMBER"), "");
    unsetenv("SION_TEST_NUMBER");
}

#ifdef HAVE_PTHREADS
static void *fail_elsewhere(void *unused)
{
    if (scion_error_code() == SION_ERR_NONE && scion_warning_take() == NULL)
        scion_fail(SION_ERR_SYSTEM, "of the other thread");
    scion_warn("of the other thread");
    scion_log_drop_warnings();
    return unused;
}

static void every_thread_has_its_own_record(void)
{
    pthread_t thread;

    scion_fail(SION_ERR_MODE, "of this thread");
    scion_warn("of this thread");
    CHECK_INT(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_INT(scion_error_code(), SION_ERR_MODE);
    CHECK_STR(scion_error_text(), "of this thread");
    take_and_compare("of this thread");
    CHECK_INT(warnings_take(), 0);
}
#endif

static void json_strings_show_every_byte(void)
{
    static const char text[] =
        "a\"b\\\n\001\177 \302\233\302\240 \303\244 \344 \342\202\254 \342\202";
    char *got = NULL;
    size_t size;
    FILE *to = open_memstream(&got, &size);

    scion_json_string(to, text);
    CHECK_INT(fclose(to), 0);
    CHECK_STR(got,
              "\"a\\\"b\\\\\\u000a\\u0001\\u007f \\u009b\302\240 \303\244 \\u00e4 \342\202\254 "
              "\\u00e2\\u0082\"");
    free(got);
}

static void json_strings_can_be_ascii(void)
{
    char *got = NULL;
    size_t size;
    FILE *to = open_memstream(&got, &size);

    scion_json_ascii(
        to, "a\"\n \303\244 \344 \342\202\254 \357\277\277 \360\220\200\200 \360\237\230\200 "
            "\364\217\277\277");
    CHECK_INT(fclose(to), 0);
    CHECK_STR(got, "\"a\\\"\\u000a \\u00e4 \\u00e4 \\u20ac \\uffff \\ud800\\udc00 \\ud83d\\ude00 "
                   "\\udbff\\udfff\"");
    free(got);
}

int main(void)
{
    unsetenv("SION_ERROR_MSG_RANK");
    RUN(a_failure_leaves_code_and_text);
    RUN(a_failure_of_the_system_names_its_reason);
    RUN(out_of_memory_names_the_purpose);
    RUN(a_prefix_goes_before_the_text);
    RUN(texts_stay_in_one_line);
    RUN(long_texts_are_truncated);
    RUN(long_warnings_are_truncated);
    RUN(warnings_come_in_order);
    RUN(an_error_is_one_line_with_rank_and_rc);
    RUN(a_warning_is_printed_once);
    RUN(dropped_warnings_are_not_printed);
    RUN(the_environment_silences_other_ranks);
    RUN(a_filter_that_names_no_rank_silences_no_rank);
    RUN(a_handler_receives_all_and_nothing_is_printed);
    RUN(numbers_in_the_environment_are_checked);
    RUN(white_space_at_the_end_is_no_part_of_a_value);
    RUN(json_strings_show_every_byte);
    RUN(json_strings_can_be_ascii);
#ifdef HAVE_PTHREADS
    RUN(every_thread_has_its_own_record);
#endif
    return check_done();
}
