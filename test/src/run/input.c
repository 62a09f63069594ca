/* The map of the input's files: what is put in is found, and wrong lists are refused. */
#include "run/input.h"

#include <errno.h>

#include "check.h"
#include "scratch.h"

static const char *const sources[] = {"/data/in.sion", "/data/in.sion.000001"};

static const struct scion_input_extent extents[] = {{0, 5000, 100, 0, 0}, {300, 70, 12, 1, 0}};

static const struct scion_input_entry list[] = {
    {.path = "a", .target = "", .type = 'd', .mode = 0750, .seconds = 5, .nanoseconds = 7},
    {.path = "a/f",
     .target = "",
     .type = 'f',
     .mode = 0644,
     .size = 400,
     .extents = extents,
     .nextents = 2,
     .seconds = -3},
    {.path = "a/link", .target = "f", .type = 'l', .mode = 0777},
    {.path = "a.b", .target = "", .type = 'f', .size = 9},
    {.path = "deep/er/x", .target = "", .type = 'f'},
    {.path = "deep/er/y", .target = "deep/er/x", .type = 'h'},
    {.path = "deep/z", .target = "", .type = 'p', .mode = 0600},
};

enum { N = sizeof list / sizeof *list };

static struct scion_input input;

static void remove_map(void)
{
    unlink(scratch_path("input"));
    unlink(scratch_path("filled"));
}

static void a_map_is_made_and_read(void)
{
    CHECK_INT(scion_input_make(scratch_directory, sources, 2, list, N), 0);
    CHECK_INT(scion_input_open(scratch_directory, &input), 0);
    CHECK_INT(input.n, N + 2); /* with deep and deep/er */
    CHECK_STR(scion_input_source(&input, 1), sources[1]);
    CHECK_INT(input.filled[input.n], SCION_INPUT_EMPTY);
}

static void every_entry_is_found(void)
{
    struct scion_input_entry entry;
    size_t i;

    for (i = 0; i < N; i++) {
        uint32_t number = scion_input_find(&input, list[i].path);

        CHECK(number < input.n);
        scion_input_get(&input, number, &entry);
        CHECK_STR(entry.path, list[i].path);
        CHECK_STR(entry.target, list[i].target);
        CHECK_INT(entry.type, list[i].type);
        CHECK_INT(entry.mode, list[i].mode);
        CHECK_INT(entry.size, list[i].size);
        CHECK_INT(entry.seconds, list[i].seconds);
        CHECK_INT(entry.nanoseconds, list[i].nanoseconds);
        CHECK_INT(entry.nextents, list[i].nextents);
        if (entry.nextents == 2)
            CHECK(memcmp(entry.extents, extents, sizeof extents) == 0);
    }
    CHECK_INT(scion_input_find(&input, "a/g"), UINT32_MAX);
    CHECK_INT(scion_input_find(&input, "deep/e"), UINT32_MAX);
    CHECK_INT(scion_input_find(&input, ""), input.n);
}

static void missing_folders_are_added(void)
{
    struct scion_input_entry entry;

    scion_input_get(&input, scion_input_find(&input, "deep/er"), &entry);
    CHECK_INT(entry.type, 'd');
    CHECK_INT(entry.mode, 0755);
}

/* The names in a folder, each with a space behind it. */
static const char *names(const char *folder)
{
    static char text[256];
    struct scion_input_entry entry;
    uint32_t parent = scion_input_find(&input, folder), i;

    text[0] = '\0';
    for (i = scion_input_first(&input, parent); i != UINT32_MAX;
         i = scion_input_next(&input, parent, i)) {
        scion_input_get(&input, i, &entry);
        strcat(strcat(text, entry.path), " ");
    }
    return text;
}

static void folders_are_listed(void)
{
    CHECK_STR(names(""), "a a.b deep ");
    CHECK_STR(names("a"), "a/f a/link ");
    CHECK_STR(names("deep"), "deep/er deep/z ");
    CHECK_STR(names("deep/er"), "deep/er/x deep/er/y ");
}

static void what_is_filled_is_shared(void)
{
    struct scion_input again;

    input.filled[3] = SCION_INPUT_FILLED;
    CHECK_INT(scion_input_open(scratch_directory, &again), 0);
    CHECK_INT(again.filled[3], SCION_INPUT_FILLED);
    scion_input_close(&again);
    scion_input_close(&input);
}

static int refused(const struct scion_input_entry *entries, uint32_t n)
{
    int rc;

    remove_map();
    errno = 0;
    rc = scion_input_make(scratch_directory, sources, 2, entries, n);
    return rc == -1 && errno == EINVAL;
}

static void wrong_lists_are_refused(void)
{
    static const char *const paths[] = {"", "/a", "a/", "a//b", "..", "a/../b", ".", "a/./b"};
    struct scion_input_extent extent = {0, 0, 1, 0, 0};
    struct scion_input_entry two[2] = {list[3], list[4]};
    size_t i;

    for (i = 0; i < sizeof paths / sizeof *paths; i++) {
        two[0].path = paths[i];
        CHECK(refused(two, 1));
    }
    two[0].path = "b", two[1].path = "a";
    CHECK(refused(two, 2));
    two[1].path = "b";
    CHECK(refused(two, 2));
    two[1].path = "b/c"; /* in a file */
    CHECK(refused(two, 2));
    two[0].type = 'x';
    CHECK(refused(two, 1));
    two[0] = list[1];
    two[0].size = 311;
    CHECK(refused(two, 1));
    two[0].extents = &extent, two[0].nextents = 1;
    extent.source = 2;
    CHECK(refused(two, 1));
    extent.source = 1, extent.offset = INT64_MAX;
    CHECK(refused(two, 1));
    extent.offset = 0;
    CHECK(!refused(two, 1));
}

static void an_empty_list_is_a_map(void)
{
    remove_map();
    CHECK_INT(scion_input_make(scratch_directory, NULL, 0, NULL, 0), 0);
    CHECK_INT(scion_input_open(scratch_directory, &input), 0);
    CHECK_INT(scion_input_first(&input, input.n), UINT32_MAX);
    CHECK_INT(scion_input_find(&input, "a"), UINT32_MAX);
    scion_input_close(&input);
}

static void a_map_that_was_cut_is_refused(void)
{
    long long size;

    remove_map();
    CHECK_INT(scion_input_make(scratch_directory, sources, 2, list, N), 0);
    for (size = scratch_size(scratch_path("input")) - 1; size >= 0; size -= 13) {
        CHECK_INT(truncate(scratch_path("input"), (off_t)size), 0);
        CHECK_INT(scion_input_open(scratch_directory, &input), -1);
        CHECK_INT(errno, EBADMSG);
    }
    remove_map();
    CHECK_INT(scion_input_make(scratch_directory, sources, 2, list, N), 0);
    CHECK_INT(truncate(scratch_path("filled"), 3), 0);
    CHECK_INT(scion_input_open(scratch_directory, &input), -1);
    CHECK_INT(errno, EBADMSG);
}

int main(void)
{
    scratch_begin();
    RUN(a_map_is_made_and_read);
    RUN(every_entry_is_found);
    RUN(missing_folders_are_added);
    RUN(folders_are_listed);
    RUN(what_is_filled_is_shared);
    RUN(wrong_lists_are_refused);
    RUN(an_empty_list_is_a_map);
    RUN(a_map_that_was_cut_is_refused);
    scratch_end();
    return check_done();
}
