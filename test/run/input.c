/*
 * Files of containers that the library shows in the tree: they are listed without being read,
 * filled when they are opened, and what the program removes or changes stays so.
 *
 *   input LIBRARY
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "check.h"
#include "run/input.h"
#include "run/session.h"
#include "scratch.h"

static char root[300], session[300], source[300];
static const char *library;

/* ---- the container: only its bytes matter here ---- */

static const char bytes[] = "....first second large";

static const struct scion_input_extent first[] = {{0, 4, 5, 0, 0}}, second[] = {{2, 10, 6, 0, 0}},
                                       large[] = {{0, 17, 5, 0, 0}, {100000, 17, 5, 0, 0}},
                                       lost[] = {{0, 1000, 5, 0, 0}};

#define TIME .seconds = 1000, .nanoseconds = 7

static const struct scion_input_entry entries[] = {
    {.path = "m/d", .target = "", .type = 'd', .mode = 0555, TIME},
    {.path = "m/d/deep/x",
     .target = "",
     .type = 'f',
     .mode = 0600,
     .size = 5,
     .extents = first,
     .nextents = 1,
     TIME},
    {.path = "m/d/first",
     .target = "",
     .type = 'f',
     .mode = 0444,
     .size = 5,
     .extents = first,
     .nextents = 1,
     TIME},
    {.path = "m/d/second",
     .target = "",
     .type = 'f',
     .mode = 0640,
     .size = 10,
     .extents = second,
     .nextents = 1,
     TIME},
    {.path = "m/empty", .target = "", .type = 'f', .mode = 0600, .size = 3, TIME},
    {.path = "m/hard", .target = "m/d/first", .type = 'h', .mode = 0600, TIME},
    {.path = "m/large",
     .target = "",
     .type = 'f',
     .mode = 0600,
     .size = 200000,
     .extents = large,
     .nextents = 2,
     TIME},
    {.path = "m/link", .target = "d/first", .type = 'l', .mode = 0777, TIME},
    {.path = "m/lost",
     .target = "",
     .type = 'f',
     .mode = 0600,
     .size = 5,
     .extents = lost,
     .nextents = 1,
     TIME},
};

enum { N = sizeof entries / sizeof *entries };

/* ---- the programs ---- */

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "# %s: %s\n", what, strerror(errno));
        _exit(1);
    }
}

static int has(const char *path, const char *text, size_t size)
{
    char found[64] = "";
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, found, sizeof found) : -1;

    if (fd >= 0)
        close(fd);
    return n == (ssize_t)size && memcmp(found, text, size) == 0;
}

static int has_time(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && status.st_mtim.tv_sec == 1000 && status.st_mtim.tv_nsec == 7;
}

static void look(void)
{
    struct stat status;
    DIR *dir = opendir("m/d");
    int n = 0;

    must(stat("m/d/second", &status) == 0 && status.st_size == 10, "m/d/second");
    must((status.st_mode & 0777) == 0640 && has_time("m/d/second") && has_time("m/d"), "its time");
    while (dir && readdir(dir))
        n++;
    must(n == 5, "the names of m/d"); /* with "." and ".." */
    must(lstat("m/link", &status) == 0 && S_ISLNK(status.st_mode), "m/link");
}

static void read_all(void)
{
    char byte = 1;
    int fd;

    must(has("m/d/first", "first", 5) && has_time("m/d/first"), "m/d/first");
    must(has("m/d/second", "\0\0second\0\0", 10) && has_time("m/d/second"), "m/d/second");
    must(has("m/d/deep/x", "first", 5) && has("m/link", "first", 5), "m/d/deep/x");
    must(has("m/hard", "first", 5) && has("m/empty", "\0\0\0", 3), "m/hard");
    fd = open("m/large", O_RDONLY);
    must(fd >= 0 && pread(fd, &byte, 1, 100001) == 1 && byte == 'a', "m/large");
    must(pread(fd, &byte, 1, 150000) == 1 && byte == 0 && has_time("m/large"), "m/large, hole");
    must(has_time("m/d"), "m/d");
}

static void change(void)
{
    int fd = open("m/d/second", O_WRONLY | O_APPEND);

    must(fd >= 0 && write(fd, "more", 4) == 4 && close(fd) == 0, "m/d/second");
    must(has("m/d/second", "\0\0second\0\0more", 14), "more");
    must(truncate("m/large", 3) == 0 && has("m/large", "lar", 3), "m/large");
    fd = open("m/hard", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0 && close(fd) == 0 && has("m/hard", "", 0), "m/hard");
}

static void remove_some(void)
{
    int fd;

    must(unlink("m/empty") == 0 && unlink("m/hard") == 0, "unlink");
    must(access("m/empty", F_OK) != 0 && errno == ENOENT, "m/empty");
    fd = open("m/hard", O_WRONLY | O_CREAT | O_EXCL, 0600);
    must(fd >= 0 && write(fd, "new", 3) == 3 && close(fd) == 0 && has("m/hard", "new", 3), "new");
    must(chmod("m/d", 0755) == 0, "m/d");
    must(rename("m/d/deep", "m/moved") == 0 && has("m/moved/x", "first", 5), "m/moved");
    must(rename("m/large", "m/other") == 0, "m/other");
    must(link("m/d/first", "m/again") == 0 && has("m/again", "first", 5), "m/again");
    must(chmod("m/d/second", 0600) == 0 && has("m/d/second", "\0\0second\0\0", 10), "chmod");
}

/* Another process, later. */
static void still_removed(void)
{
    must(access("m/empty", F_OK) != 0 && has("m/hard", "new", 3), "m/hard");
    must(access("m/d/deep", F_OK) != 0 && has("m/moved/x", "first", 5), "m/d/deep");
}

/* What is said of a folder before its names are looked at. */
static void change_folder(void)
{
    static const struct timespec times[2] = {{3000, 0}, {3000, 0}};
    struct stat status;

    must(chmod("m/d", 0711) == 0 && utimensat(AT_FDCWD, "m/d", times, 0) == 0, "m/d");
    must(has("m/d/first", "first", 5) && stat("m/d", &status) == 0, "m/d/first");
    must((status.st_mode & 0777) == 0711 && status.st_mtim.tv_sec == 3000, "its mode and time");
}

static void lose(void)
{
    struct stat status;

    must(stat("m/lost", &status) == 0 && status.st_size == 5, "m/lost");
    must(open("m/lost", O_RDONLY) < 0 && errno == EIO, "m/lost is read");
}

static void rush(void)
{
    must(has("m/d/deep/x", "first", 5) && has("m/d/second", "\0\0second\0\0", 10), "rush");
}

static void (*const programs[])(void) = {look,          read_all, change, remove_some,
                                         still_removed, lose,     rush,   change_folder};
enum { LOOK, READ_ALL, CHANGE, REMOVE_SOME, STILL_REMOVED, LOSE, RUSH, CHANGE_FOLDER };

/* ---- the tests ---- */

static void begin(const char *name)
{
    static const char *const files[] = {"m/**", NULL}, *sources[1];
    struct scion_run_plan plan = {.root = root, .root_real = root, .list = {files}, .has_input = 1};

    snprintf(root, sizeof root, "%s/%s", scratch_directory, name);
    snprintf(session, sizeof session, "%s/%s.s", scratch_directory, name);
    snprintf(source, sizeof source, "%s/source", scratch_directory);
    sources[0] = source;
    scratch_write(source, bytes, sizeof bytes - 1);
    must(mkdir(root, 0700) == 0 && mkdir(session, 0700) == 0, root);
    CHECK_INT(scion_input_make(session, sources, 1, entries, N), 0);
    CHECK_INT(scion_session_create(session, &plan), 0);
}

static void start(int program)
{
    char number[16];

    snprintf(number, sizeof number, "%d", program);
    if (fork() != 0)
        return;
    if (chdir(root) != 0)
        _exit(96);
    setenv("SION_RUN_SESSION", session, 1);
    setenv("LD_PRELOAD", library, 1);
    execl("/proc/self/exe", "input", "--run", number, (char *)NULL);
    _exit(99);
}

static void run(int program)
{
    int end = 1;

    start(program);
    wait(&end);
    CHECK_INT(end, 0);
}

static int state(const char *path)
{
    struct scion_input input;
    int found = -1;

    if (scion_input_open(session, &input) == 0) {
        found = input.filled[scion_input_find(&input, path)];
        scion_input_close(&input);
    }
    return found;
}

static void files_are_listed_without_being_filled(void)
{
    begin("look");
    CHECK_INT(state("m"), SCION_INPUT_EMPTY);
    run(LOOK);
    CHECK_INT(state("m/d"), SCION_INPUT_MADE);
    CHECK_INT(state("m/d/second"), SCION_INPUT_EMPTY);
    CHECK_INT(state("m/d/deep"), SCION_INPUT_EMPTY);
}

static void files_are_filled_when_they_are_opened(void)
{
    begin("read");
    run(READ_ALL);
    CHECK_INT(state("m/d/second"), SCION_INPUT_FILLED);
    CHECK_INT(state("m/lost"), SCION_INPUT_EMPTY);
    run(READ_ALL);
}

static void files_are_changed(void)
{
    begin("change");
    run(CHANGE);
}

static void what_is_removed_stays_so(void)
{
    begin("remove");
    run(REMOVE_SOME);
    run(STILL_REMOVED);
}

static void a_source_that_was_cut_is_an_error(void)
{
    begin("lose");
    run(LOSE);
    CHECK_INT(state("m/lost"), SCION_INPUT_EMPTY);
}

static void many_processes_fill_at_once(void)
{
    int i, end, good = 0;

    begin("rush");
    for (i = 0; i < 12; i++)
        start(RUSH);
    for (i = 0; i < 12; i++)
        good += wait(&end) > 0 && end == 0;
    CHECK_INT(good, 12);
}

static void a_folder_stays_as_the_program_has_made_it(void)
{
    begin("folder");
    run(CHANGE_FOLDER);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        programs[atoi(argv[2])]();
        return 0;
    }
    library = argv[1];
    scratch_begin();
    RUN(files_are_listed_without_being_filled);
    RUN(files_are_filled_when_they_are_opened);
    RUN(files_are_changed);
    RUN(what_is_removed_stays_so);
    RUN(a_source_that_was_cut_is_an_error);
    RUN(many_processes_fill_at_once);
    RUN(a_folder_stays_as_the_program_has_made_it);
    if (fork() == 0)
        execlp("sh", "sh", "-c", "chmod -R u+rwx \"$1\"; rm -rf \"$1\"", "sh", scratch_directory,
               (char *)NULL);
    wait(NULL);
    return check_done();
}
