/*
 * Calls with two paths: all pairs of some paths, each in new files. As calls.c.
 *
 *   pairs FOLDER [SESSION LIBRARY]
 */
#include "run/frame.h"

static const char *const paths[] = {
    "m/staged",      "m/real",    "m/rraised",  "m/new",    "m/rdir",   "m/rempty",
    "m/sdir",        "m/sempty",  "m/rboth",    "m/rdir/f", "m/sdir/h", "m/no/new",
    "m/rdir/n",      "m/sdir/n/", "m/rdirlink", "m/slink",  "m/rlink",  "m/sdir/../staged",
    "m/sdirlink2/h", "u/f",       "u/new"};

enum { PATHS = sizeof paths / sizeof *paths, BEFORE = EDOM };

static const char *const names[] = {"rename", "renameat", "renameat2",
                                    "link",   "linkat",   "exchange"};

enum { LINK = 3, EXCHANGE = 5, KINDS = 3 };

static int make_call(int call, const char *from, const char *to)
{
    int here = open(".", O_RDONLY);

    must(here >= 0, "open");
    errno = BEFORE;
    switch (call) {
    case 0:
        return rename(from, to);
    case 1:
        return renameat(here, from, AT_FDCWD, to);
    case 2:
        return renameat2(AT_FDCWD, from, here, to, RENAME_NOREPLACE);
    case LINK:
        return link(from, to);
    case EXCHANGE:
        return renameat2(here, from, AT_FDCWD, to, RENAME_EXCHANGE);
    default:
        return linkat(here, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW);
    }
}

static int is_any(const char *path, const char *const *of)
{
    while (*of && strcmp(path, *of) != 0)
        of++;
    return *of != NULL;
}

/* A hard link cannot lead from one file system to another, and nothing is swapped between them; nor
   are folders with what may be in the other layer. */
static int is_skipped(int call, const char *from, const char *to)
{
    static const char *const real_folders[] = {"m/rdir", "m/rempty", NULL},
                             *const made_folders[] = {"m/sdir", "m/sempty", NULL},
                             *const real[] = {"m/real",     "m/rraised", "m/rdir/f",
                                              "m/rdirlink", "m/rlink",   NULL};

    if (call == EXCHANGE && (is_any(from, real_folders) != is_any(to, real_folders) ||
                             (is_any(from, made_folders) && is_any(to, real)) ||
                             (is_any(to, made_folders) && is_any(from, real)) ||
                             strstr(from, "rboth") || strstr(to, "rboth")))
        return 1;
    return call >= LINK && (*from == 'u') != (*to == 'u');
}

/* The number of a pair, and whether it is renamed, linked or swapped: some calls for that take
   turns. */
static void run_pair(int i, int has_links)
{
    int from = i / KINDS % PATHS, to = i / KINDS / PATHS, rc,
        call = i % KINDS == 0   ? (from + to) % LINK
               : i % KINDS == 1 ? LINK + (from + to) % 2
                                : EXCHANGE;

    if (is_skipped(call, paths[from], paths[to]))
        return;
    make_staged(has_links);
    rc = make_call(call, paths[from], paths[to]);
    printf("%s %s %s: %d %s\n", names[call], paths[from], paths[to], rc,
           errno == BEFORE ? "-" : error_name(errno));
    show_tree("m", 0);
    show_tree("u", 0);
}

int main(int argc, char **argv)
{
    char number[16];
    int i;

    if (argc == 4 && strcmp(argv[1], "--run") == 0) {
        run_pair(atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
    for (i = 0; i < KINDS * PATHS * PATHS; i++) {
        snprintf(number, sizeof number, "%d", i);
        start(argc, argv, number, "1");
    }
    return 0;
}
