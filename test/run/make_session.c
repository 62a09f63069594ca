/*
 * Makes a session for the tests of the library, as sionrun does.
 *
 *   make_session FOLDER ROOT [f:PATTERN | e:PATTERN | w:PATTERN]...    files, except, when
 *   make_session --owners FOLDER        prints the owner and the path of each thing in the tree
 *   make_session --head FOLDER          prints world, job, changes
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/owners.h"
#include "run/session.h"

enum { MOST = 16 };

static struct scion_owners owners;
static size_t tree_length;

static int fail(const char *what)
{
    perror(what);
    return 1;
}

static int print_owner(const char *path, const struct stat *status, int type, struct FTW *where)
{
    struct scion_owner_record record;

    (void)status, (void)type, (void)where;
    if (path[tree_length] && scion_owners_find(&owners, path + tree_length + 1, &record))
        printf("%u %u %s\n", (unsigned)record.owner, (unsigned)record.what, path + tree_length + 1);
    else if (path[tree_length])
        printf("none %s\n", path + tree_length + 1);
    return 0;
}

static int print(const char *what, const char *folder)
{
    struct scion_session session;

    if (scion_session_open(folder, &session) != 0)
        return fail(folder);
    if (strcmp(what, "--head") == 0) {
        printf("world %d\njob %s\nchanges %s\n", (int)session.head->world,
               session.head->job ? "yes" : "no", session.head->changes ? "yes" : "no");
        return 0;
    }
    if (scion_owners_read(&session, &owners) != 0)
        return fail(folder);
    tree_length = session.tree_length;
    return nftw(session.tree, print_owner, 16, FTW_PHYS) != 0;
}

int main(int argc, char **argv)
{
    static const char kinds[] = "few";
    const char *list[SCION_RUN_LISTS][MOST + 1] = {{NULL}}, *at;
    size_t n[SCION_RUN_LISTS] = {0};
    struct scion_run_plan plan = {0};
    char *real;
    int i;

    if (argc < 3)
        return fprintf(stderr, "usage: make_session FOLDER ROOT KIND:PATTERN...\n"), 2;
    if (argv[1][0] == '-')
        return print(argv[1], argv[2]);
    real = realpath(argv[2], NULL);
    if (!real)
        return fail(argv[2]);
    plan.root = argv[2];
    plan.root_real = real;
    for (i = 3; i < argc; i++) {
        at = argv[i][0] ? strchr(kinds, argv[i][0]) : NULL;
        if (at && n[at - kinds] < MOST)
            list[at - kinds][n[at - kinds]++] = argv[i] + 2;
    }
    for (i = 0; i < SCION_RUN_LISTS; i++)
        plan.list[i] = list[i];
    if (mkdir(argv[1], 0700) != 0 && errno != EEXIST)
        return fail(argv[1]);
    i = scion_session_create(argv[1], &plan) != 0 ? fail(argv[1]) : 0;
    free(real);
    return i;
}
