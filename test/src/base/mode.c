/* The mode string of every open. */
#include "check.h"

#include "sion_const.h"

#include "base/mode.h"
#include "bytes.h"
#include "warnings.h"

/* Parse a string that is accepted without a warning. */
static struct scion_mode parse(const char *text)
{
    struct scion_mode mode;

    CHECK_INT(scion_mode_parse(text, &mode), 0);
    CHECK_INT(warnings_take(), 0);
    return mode;
}

/* Parse a string that is accepted with exactly one warning, which contains `part`. */
static struct scion_mode parse_with_warning(const char *text, const char *part)
{
    struct scion_mode mode;
    char *warning;

    CHECK_INT(scion_mode_parse(text, &mode), 0);
    warning = scion_warning_take();
    CHECK(warning != NULL);
    if (warning)
        CHECK_CONTAINS(warning, part);
    free(warning);
    CHECK_INT(warnings_take(), 0);
    return mode;
}

static void refuse(const char *text, const char *part)
{
    struct scion_mode mode;

    CHECK_INT(scion_mode_parse(text, &mode), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(scion_error_text(), part);
    CHECK_INT(warnings_take(), 0);
}

static void access_has_three_spellings_each(void)
{
    static const char *const writing[] = {"w", "wb", "bw"}, *const reading[] = {"r", "rb", "br"};
    int i;

    for (i = 0; i < 3; i++) {
        CHECK_INT(parse(writing[i]).access, SCION_ACCESS_WRITE);
        CHECK_INT(parse(reading[i]).access, SCION_ACCESS_READ);
    }
    CHECK_INT(parse("posix").access, SCION_ACCESS_NONE);
}

static void an_empty_string_sets_the_defaults(void)
{
    struct scion_mode mode = parse("");

    CHECK_INT(mode.access, SCION_ACCESS_NONE);
    CHECK_INT(mode.posix, 0);
    CHECK_INT(mode.keyval, SION_KEYVAL_NOTSET);
    CHECK_INT(mode.big_endian, bytes_host_is_big());
    CHECK_INT(mode.collective, 0);
    CHECK_INT(mode.merge, 0);
    CHECK_INT(mode.node_aware, 0);
    CHECK_INT(mode.collsize, 0);
    CHECK_INT(mode.buddies, 0);
}

static void a_missing_string_is_refused(void)
{
    refuse(NULL, "no file mode");
}

static void reading_and_writing_together_is_refused(void)
{
    refuse("r,w", "reading and for writing");
    refuse("rb,wb", "reading and for writing");
    refuse("bw,posix,br", "reading and for writing");
    CHECK_INT(parse("w,wb,bw").access, SCION_ACCESS_WRITE);
}

static void the_later_of_posix_and_ansi_wins(void)
{
    CHECK_INT(parse("w,posix").posix, 1);
    CHECK_INT(parse("w,ansi").posix, 0);
    CHECK_INT(parse("w,posix,ansi").posix, 0);
    CHECK_INT(parse("ansi,w,posix").posix, 1);
}

static void sionfwd_is_refused(void)
{
    refuse("w,sionfwd", "sionfwd");
}

static void keyval_values_are_known(void)
{
    CHECK_INT(parse("w,keyval").keyval, SION_KEYVAL_INLINE);
    CHECK_INT(parse("w,keyval=").keyval, SION_KEYVAL_INLINE);
    CHECK_INT(parse("w,keyval=default").keyval, SION_KEYVAL_INLINE);
    CHECK_INT(parse("w,keyval=inline").keyval, SION_KEYVAL_INLINE);
    CHECK_INT(parse("w,keyval=none").keyval, SION_KEYVAL_NONE);
    CHECK_INT(parse("w,keyval=meta").keyval, SION_KEYVAL_META);
    CHECK_INT(parse("w,keyval=hash").keyval, SION_KEYVAL_HASH);
    CHECK_INT(parse("r,keyval=unknown").keyval, SION_KEYVAL_NOTSET);
    CHECK_INT(parse_with_warning("w,keyval=other", "keyval=other").keyval, SION_KEYVAL_NOTSET);
}

static void endianness_is_big_or_little(void)
{
    CHECK_INT(parse("w,endianness=big").big_endian, 1);
    CHECK_INT(parse("w,endianness=little").big_endian, 0);
    CHECK_INT(parse("w,endianness").big_endian, 0);
    CHECK_INT(parse_with_warning("w,endianness=Big", "'endianness=Big'").big_endian, 0);
    CHECK_INT(parse("w,endianness=big,endianness=little").big_endian, 1);
    CHECK_INT(parse("w,endianness=little,endianness=big").big_endian, 1);
}

static void collective_words_are_known(void)
{
    CHECK_INT(parse("w,collective").collective, 1);
    CHECK_INT(parse("w,collective").merge, 0);
    CHECK_INT(parse("w,collectivemerge").merge, 1);
    CHECK_INT(parse("w,cmerge").merge, 1);
    CHECK_INT(parse("w,cmerge").collective, 0);
    CHECK_INT(parse("w,collmsa").node_aware, 1);
    CHECK_INT(parse("w,collsize=16").collsize, 16);
    CHECK_INT(parse("w,collsize=16").collective, 0);
    CHECK_INT(parse("w,collsize=-1").collsize, -1);
    CHECK_INT(parse("w,collsize").collsize, 0);
}

static void buddy_means_one_copy_by_default(void)
{
    CHECK_INT(parse("w,buddy").buddies, 1);
    CHECK_INT(parse("w,buddy=").buddies, 1);
    CHECK_INT(parse("w,buddy=0").buddies, 1);
    CHECK_INT(parse("w,buddy=3").buddies, 3);
}

/* Cut to an int, 4294967298 would be 2, and 4294967295 would be -1. */
static void numbers_that_do_not_fit_are_ignored_with_a_warning(void)
{
    static const char *const values[] = {
        "4294967298", "4294967295", "2147483648", "-2147483649", "99999999999999999999",
        "-99999999999999999999", "4x", "four", "1.5", "2 "};
    char word[64], mode[80];
    size_t i;

    for (i = 0; i < sizeof values / sizeof values[0]; i++) {
        snprintf(word, sizeof word, "'collsize=%s'", values[i]);
        snprintf(mode, sizeof mode, "w,collsize=%s,collective", values[i]);
        CHECK_INT(parse_with_warning(mode, word).collsize, 0);
        snprintf(word, sizeof word, "'buddy=%s'", values[i]);
        snprintf(mode, sizeof mode, "w,buddy=%s", values[i]);
        CHECK_INT(parse_with_warning(mode, word).buddies, 1);
    }
    CHECK_INT(parse("w,collsize=2147483647").collsize, 2147483647);
    CHECK_INT(parse("w,collsize=-2147483648").collsize, -2147483647 - 1);
    CHECK_INT(parse("w,buddy=2147483647").buddies, 2147483647);
}

static void words_without_effect_are_accepted(void)
{
    parse("w,buffered,compress,cache");
    parse("w,hints,hints=1,hints_gpfs,hintsx=y");
}

static void unknown_words_are_accepted_with_one_warning(void)
{
    struct scion_mode mode = parse_with_warning("keyfoo=valfoo,wb,k=v1=v2,l=,posix", "keyfoo");

    CHECK_INT(mode.access, SCION_ACCESS_WRITE);
    CHECK_INT(mode.posix, 1);
    parse_with_warning("w,k=v1=v2", "'k=v1=v2'");
    parse_with_warning("w,what", "'what'");
    parse_with_warning("w,buffered=abc", "'buffered=abc'");
    parse_with_warning("w,endianness=middle", "'endianness=middle'");
    CHECK_INT(parse_with_warning("w,checksum=md5", "'checksum=md5'").checksum, SCION_CHECKSUM_ON);
    CHECK_INT(parse("r,checksum").at_open, 0);
    CHECK_INT(parse("r,checksum=open").checksum, SCION_CHECKSUM_ON);
    CHECK_INT(parse("r,checksum=open").at_open, 1);
}

static void a_word_is_neither_trimmed_nor_folded(void)
{
    CHECK_INT(parse_with_warning("w, posix", "' posix'").posix, 0);
    CHECK_INT(parse_with_warning("W,r", "'W'").access, SCION_ACCESS_READ);
}

static void empty_words_are_ignored(void)
{
    CHECK_INT(parse(",,w,,posix,").posix, 1);
    CHECK_INT(parse(",").access, SCION_ACCESS_NONE);
}

static void many_unknown_words_make_one_bounded_warning(void)
{
    char text[4096] = "w", *warning;
    struct scion_mode mode;
    int i;

    for (i = 0; i < 300; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",nonsense%d", i);
    CHECK_INT(scion_mode_parse(text, &mode), 0);
    warning = scion_warning_take();
    CHECK(warning && strlen(warning) < SCION_ERROR_TEXT);
    free(warning);
    CHECK_INT(warnings_take(), 0);
}

static void mistyped_variables_give_a_warning(void)
{
    static const struct {
        const char *name, *wrong, *right, *text;
    } table[] = {
        {"SION_RECOVER", "yes", "1", "SION_RECOVER=yes is ignored: it takes a number"},
        {"SION_CHECKSUM", "true", "0", "SION_CHECKSUM=true is ignored"},
        {"SION_ATOMIC", "on", "1", "SION_ATOMIC=on is ignored"},
        {"SION_SYNC", "always", "flush", "SION_SYNC=always is ignored: it takes none"},
        {"SION_PUBLISH", "often", "60", "SION_PUBLISH=often is ignored: it takes a number"},
        {"SION_LOCK", "off", "no", "SION_LOCK=off is ignored: it takes yes or no"},
    };
    struct scion_mode mode;
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        setenv(table[i].name, table[i].wrong, 1);
        parse_with_warning("bw", table[i].text);
        setenv(table[i].name, table[i].right, 1);
        CHECK_INT(scion_mode_parse("bw", &mode), 0);
        setenv(table[i].name, "", 1);
        CHECK_INT(scion_mode_parse("bw", &mode), 0);
        unsetenv(table[i].name);
        CHECK_INT(warnings_take(), 0);
    }
}

/* The key-value mode in which a container is written, or the error. */
static int written_keyval(const char *text, const char *environment)
{
    struct scion_mode mode;
    int keyval = -1, rc;

    if (environment)
        setenv("SION_KEYVALUE_MODE", environment, 1);
    else
        unsetenv("SION_KEYVALUE_MODE");
    CHECK_INT(scion_mode_parse(text, &mode), 0);
    rc = scion_mode_keyval_for_writing(&mode, &keyval);
    unsetenv("SION_KEYVALUE_MODE");
    return rc == 0 ? keyval : rc;
}

static void writing_prefers_the_string_to_the_environment(void)
{
    CHECK_INT(written_keyval("w", NULL), SION_KEYVAL_NONE);
    CHECK_INT(written_keyval("w,keyval", NULL), SION_KEYVAL_INLINE);
    CHECK_INT(written_keyval("w,keyval=unknown", NULL), SION_KEYVAL_NONE);
    CHECK_INT(written_keyval("w", "inline"), SION_KEYVAL_INLINE);
    CHECK_INT(written_keyval("w", "xx-inline-yy"), SION_KEYVAL_INLINE);
    CHECK_INT(written_keyval("w", "none"), SION_KEYVAL_NONE);
    CHECK_INT(written_keyval("w", "unknown"), SION_KEYVAL_NONE);
    CHECK_INT(written_keyval("w", "nonsense"), SION_KEYVAL_NONE);
    CHECK_INT(written_keyval("w,keyval=none", "inline"), SION_KEYVAL_NONE);
    CHECK_INT(written_keyval("w,keyval", "none"), SION_KEYVAL_INLINE);
    CHECK_INT(written_keyval("w,keyval=unknown", "inline"), SION_KEYVAL_INLINE);
}

static void meta_and_hash_cannot_be_written(void)
{
    CHECK_INT(written_keyval("w,keyval=meta", NULL), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(scion_error_text(), "SION_KEYVAL_META");
    CHECK_INT(written_keyval("w,keyval=hash", NULL), SION_ERR_ARGUMENT);
    CHECK_INT(written_keyval("w", "meta"), SION_ERR_ARGUMENT);
    CHECK_INT(written_keyval("w", "hash"), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(scion_error_text(), "SION_KEYVAL_HASH");
    CHECK_INT(written_keyval("w,keyval=inline", "hash"), SION_KEYVAL_INLINE);
}

static int warnings_for_reading(const char *text, const char *environment, int keyval_of_file)
{
    struct scion_mode mode;
    int n;

    if (environment)
        setenv("SION_KEYVALUE_MODE", environment, 1);
    CHECK_INT(scion_mode_parse(text, &mode), 0);
    scion_mode_compare_keyval(&mode, keyval_of_file);
    n = warnings_take();
    unsetenv("SION_KEYVALUE_MODE");
    return n;
}

static void reading_warns_if_the_file_has_another_mode(void)
{
    CHECK_INT(warnings_for_reading("r", NULL, SION_KEYVAL_INLINE), 0);
    CHECK_INT(warnings_for_reading("r,keyval=unknown", NULL, SION_KEYVAL_INLINE), 0);
    CHECK_INT(warnings_for_reading("r,keyval", NULL, SION_KEYVAL_INLINE), 0);
    CHECK_INT(warnings_for_reading("r,keyval", NULL, SION_KEYVAL_NONE), 1);
    CHECK_INT(warnings_for_reading("r,keyval=none", NULL, SION_KEYVAL_INLINE), 1);
    CHECK_INT(warnings_for_reading("r", "inline", SION_KEYVAL_NONE), 1);
    CHECK_INT(warnings_for_reading("r", "inline", SION_KEYVAL_INLINE), 0);
    CHECK_INT(warnings_for_reading("r,keyval", "none", SION_KEYVAL_INLINE), 0);
}

static void every_keyval_mode_has_a_name(void)
{
    CHECK_STR(scion_keyval_name(SION_KEYVAL_NONE), "SION_KEYVAL_NONE");
    CHECK_STR(scion_keyval_name(SION_KEYVAL_INLINE), "SION_KEYVAL_INLINE");
    CHECK_STR(scion_keyval_name(SION_KEYVAL_META), "SION_KEYVAL_META");
    CHECK_STR(scion_keyval_name(SION_KEYVAL_HASH), "SION_KEYVAL_HASH");
    CHECK_STR(scion_keyval_name(SION_KEYVAL_UNKNOWN), "SION_KEYVAL_UNKNOWN");
    CHECK_STR(scion_keyval_name(49), "unknown");
    CHECK_STR(scion_keyval_name(55), "unknown");
    CHECK_STR(scion_keyval_name(-1), "unknown");
}

/* Any string is accepted or refused, with at most one warning, and never a crash. */
static void random_strings_do_no_harm(void)
{
    static const char letters[] = "rwbposixanskeyval=,,,=collsize0123buddy ";
    int round;

    for (round = 0; round < 20000; round++) {
        struct scion_mode mode;
        char text[64];
        size_t n = check_below(sizeof text), i;

        for (i = 0; i < n; i++)
            text[i] = letters[check_below(sizeof letters - 1)];
        text[i < sizeof text ? i : sizeof text - 1] = '\0';
        if (scion_mode_parse(text, &mode) == 0)
            CHECK(warnings_take() <= 1);
    }
}

int main(void)
{
    check_seed(1);
    RUN(access_has_three_spellings_each);
    RUN(an_empty_string_sets_the_defaults);
    RUN(a_missing_string_is_refused);
    RUN(reading_and_writing_together_is_refused);
    RUN(the_later_of_posix_and_ansi_wins);
    RUN(sionfwd_is_refused);
    RUN(keyval_values_are_known);
    RUN(endianness_is_big_or_little);
    RUN(collective_words_are_known);
    RUN(buddy_means_one_copy_by_default);
    RUN(numbers_that_do_not_fit_are_ignored_with_a_warning);
    RUN(words_without_effect_are_accepted);
    RUN(unknown_words_are_accepted_with_one_warning);
    RUN(a_word_is_neither_trimmed_nor_folded);
    RUN(empty_words_are_ignored);
    RUN(many_unknown_words_make_one_bounded_warning);
    RUN(mistyped_variables_give_a_warning);
    RUN(writing_prefers_the_string_to_the_environment);
    RUN(meta_and_hash_cannot_be_written);
    RUN(reading_warns_if_the_file_has_another_mode);
    RUN(every_keyval_mode_has_a_name);
    RUN(random_strings_do_no_harm);
    return check_done();
}
