/* Patterns are compared with fnmatch() of the C library, component by component. */
#include "run/match.h"

#include <fnmatch.h>
#include <locale.h>

#include "check.h"

static void check_match(const char *pattern, const char *path, int expected)
{
    if (scion_match(pattern, path) != expected)
        printf("# pattern %s, path %s\n", pattern, path);
    CHECK_INT(scion_match(pattern, path), expected);
}

static void components_match(void)
{
    check_match("processor*", "processor0", 1);
    check_match("processor*", "processor", 1);
    check_match("processor*", "process", 0);
    check_match("a?c", "abc", 1);
    check_match("a?c", "a/c", 0);
    check_match("*", ".hidden", 1);
    check_match("*.log", ".log", 1);
    check_match("*.log", "a.b.log", 1);
    check_match("*a*b", "xaybzb", 1);
    check_match("*a*b", "xaybz", 0);
    check_match("a\\*", "a*", 1);
    check_match("a\\*", "ab", 0);
    check_match("\\[a]", "[a]", 1);
    check_match("[", "[", 1);
    check_match("[a", "[a", 1);
    check_match("x[", "xy", 0);
}

static void sets_match(void)
{
    check_match("[abc]", "b", 1);
    check_match("[!abc]", "b", 0);
    check_match("[^abc]", "d", 1);
    check_match("[]]", "]", 1);
    check_match("[!]]", "]", 0);
    check_match("rank[0-9]", "rank7", 1);
    check_match("rank[0-9]", "rankx", 0);
    check_match("[a-]", "-", 1);
    check_match("[[:digit:][:upper:]]x", "Ax", 1);
    check_match("[[:digit:]]", "a", 0);
    check_match("[a/b]", "[a/b]", 1); /* a set does not contain '/' */
}

static void characters_of_utf8_count_as_one(void)
{
    check_match("?", "\xc3\xa4", 1);
    check_match("??", "\xc3\xa4", 0);
    check_match("[\xc3\xa0-\xc3\xbc]", "\xc3\xa4", 1);
    check_match("[\xc3\xa0-\xc3\xbc]", "x", 0);
    check_match("?", "\xff", 1); /* a byte of no character */
    check_match("?", "\xe2\x82", 0);
    check_match("??", "\xe2\x82", 1);
    check_match("*\xc3\xa4", "x\xc3\xa4", 1);
}

static void a_folder_covers_what_is_beneath(void)
{
    check_match("out", "out/a/b", 1);
    check_match("out", "output/a", 0);
    check_match("out/a", "out", 0);
    check_match("*/b", "a/b/c", 1);
    check_match("*/b", "a/c/b", 0);
}

static void two_stars_stand_for_any_number_of_components(void)
{
    check_match("a/**", "a", 1);
    check_match("a/**", "a/b/c", 1);
    check_match("a/**", "b", 0);
    check_match("**/c", "c", 1);
    check_match("**/c", "a/b/c", 1);
    check_match("**/c", "a/b/d", 0);
    check_match("a/**/c", "a/c", 1);
    check_match("a/**/c", "a/b/b/c/x", 1);
    check_match("a/**/c", "b/c", 0);
    check_match("**/b/**/d", "a/b/c/b/d", 1);
    check_match("**/b/**/d", "a/d/c/b", 0);
    check_match("a**b", "axyb", 1);
    check_match("a**b", "a/b", 0);
    check_match("**", "x", 1);
    check_match("**/x", "", 0);
}

/* The same by recursion and fnmatch(): all ways to divide the path. */
static int model_matches(const char *pattern, const char *path)
{
    char part[64], name[64];
    size_t n = strcspn(pattern, "/"), m = strcspn(path, "/");
    const char *rest = pattern + n + (pattern[n] == '/'), *deeper = path + m + (path[m] == '/');

    if (!*pattern)
        return 1;
    if (n == 2 && strncmp(pattern, "**", 2) == 0)
        return model_matches(rest, path) || (*path && model_matches(pattern, deeper));
    snprintf(part, sizeof part, "%.*s", (int)n, pattern);
    snprintf(name, sizeof name, "%.*s", (int)m, path);
    return *path && fnmatch(part, name, 0) == 0 && model_matches(rest, deeper);
}

static void draw(char *to, const char *letters, size_t most)
{
    size_t i, n = 1 + check_below(most);

    for (i = 0; i < n; i++) {
        to[i] = letters[check_below(strlen(letters))];
        if (to[i] == '/' && (i == 0 || i + 1 == n || to[i - 1] == '/'))
            to[i] = 'a';
    }
    to[n] = '\0';
}

static void random_patterns_match_as_by_fnmatch(void)
{
    char pattern[32], path[32];
    int i, matched = 0, expected;

    check_seed(41);
    for (i = 0; i < 300000; i++) {
        draw(pattern, "aab//***?[]-!\\", 10);
        draw(path, "aaabb//-]", 8);
        if (strchr(pattern, '\\') && (strstr(pattern, "\\/") || strchr(pattern, '[') ||
                                      pattern[strlen(pattern) - 1] == '\\'))
            continue; /* what these mean is not defined, or differs between C libraries */
        if (strchr(pattern, '[') && strchr(strchr(pattern, '['), '-'))
            continue; /* ranges that are upside down */
        expected = model_matches(pattern, path);
        matched += expected;
        if (scion_match(pattern, path) != expected) {
            printf("# pattern %s, path %s\n", pattern, path);
            CHECK(scion_match(pattern, path) == expected);
            return;
        }
    }
    CHECK(matched > 10000);
}

/* It must not take exponential time. */
static void many_stars_end_soon(void)
{
    char path[4000];
    size_t i;

    for (i = 0; i + 2 < sizeof path; i += 2)
        memcpy(path + i, "a/", 3);
    strcpy(path + i, "a");
    check_match("**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b", path, 0);
    check_match("*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0);
}

static void check_path(const char *folder, const char *path, const char *expected,
                       enum scion_path_end expected_end)
{
    char to[64];
    enum scion_path_end end;

    CHECK_INT(scion_lexical(folder, path, to, sizeof to, &end), strlen(expected));
    CHECK_STR(to, expected);
    CHECK_INT(end, expected_end);
}

static void detours_are_removed(void)
{
    check_path("/w", "a", "/w/a", SCION_END_NAME);
    check_path("/w", "./a//b/", "/w/a/b", SCION_END_SLASH);
    check_path("/w", "a/../b", "/w/b", SCION_END_NAME);
    check_path("/w", "..", "/", SCION_END_DOT);
    check_path("/w", "../../..", "/", SCION_END_DOT);
    check_path("/w", "a/.", "/w/a", SCION_END_DOT);
    check_path("/w", "/a/b/../..", "/", SCION_END_DOT);
    check_path("/w", "/", "/", SCION_END_SLASH);
    check_path("/", "a", "/a", SCION_END_NAME);
    check_path("/w/x", "/usr//lib", "/usr/lib", SCION_END_NAME);
    check_path("/w", "...", "/w/...", SCION_END_NAME);
    check_path("/w", ".a/..b", "/w/.a/..b", SCION_END_NAME);
}

static void a_path_without_room_is_refused(void)
{
    char to[8] = "", one[1];
    enum scion_path_end end;

    CHECK_INT(scion_lexical("/w", "abcd", to, 7, &end), 0);
    CHECK_INT(scion_lexical("/w", "abcd", to, 8, &end), 7);
    CHECK_INT(scion_lexical("/longer/than", "a", to, 8, &end), 0);
    CHECK_INT(scion_lexical("/", "/", one, 1, &end), 0);
}

static void what_is_beneath_a_folder(void)
{
    CHECK_STR(scion_beneath("/w", 2, "/w/a/b"), "a/b");
    CHECK_STR(scion_beneath("/w", 2, "/w"), "");
    CHECK_STR(scion_beneath("/", 1, "/w"), "w");
    CHECK(scion_beneath("/w", 2, "/wx") == NULL);
    CHECK(scion_beneath("/w", 2, "/") == NULL);
}

int main(void)
{
    RUN(components_match);
    RUN(sets_match);
    RUN(characters_of_utf8_count_as_one);
    RUN(a_folder_covers_what_is_beneath);
    RUN(two_stars_stand_for_any_number_of_components);
    RUN(random_patterns_match_as_by_fnmatch);
    RUN(many_stars_end_soon);
    RUN(detours_are_removed);
    RUN(a_path_without_room_is_refused);
    RUN(what_is_beneath_a_folder);
    return check_done();
}
