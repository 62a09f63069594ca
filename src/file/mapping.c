/*
 * The mapping of a set: a pair says which task has a rank, and the task's file says which rank the
 * task has. Where the two do not agree, one of them is damaged: nobody can tell whose bytes these
 * are, so that rank cannot be read. If there are more or fewer tasks than pairs, nobody can tell
 * which ranks there are.
 */
#include "file/mapping.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/physical_read.h"

struct pair_check {
    struct scion_mapping *mapping;
    struct scion_physical **files;
    int nfiles;
    unsigned char **named; /* [nfiles][ntasks] by a pair that agrees, or that has got the task */
    int *bad;              /* ranks whose pairs do not agree */
    int nbad;
};

static int *pair_of(const struct pair_check *pair_check, int rank)
{
    return pair_check->mapping->pairs + 2 * (size_t)rank;
}

int scion_mapping_agrees(const int *pair, const struct scion_physical *physical, int rank)
{
    return pair[1] >= 0 && pair[1] < physical->head.ntasks &&
           physical->globalranks[pair[1]] == rank;
}

int scion_mapping_has_file(const int *pair, int nfiles)
{
    return pair[0] >= 0 && pair[0] < nfiles && pair[1] >= 0;
}

struct scion_damage scion_mapping_damage(int task, int rank)
{
    return (struct scion_damage){.kind = SCION_DAMAGE_PAIR, .task = task, .bound = rank};
}

int scion_physical_has_place_holder(const struct scion_physical *physical, int lrank)
{
    return physical->globalranks[lrank] < 0 && physical->chunksizes[lrank] == 0;
}

/* ---- which pairs agree ---- */

static int make(struct pair_check *pair_check)
{
    int i;

    pair_check->named = calloc((size_t)pair_check->nfiles, sizeof *pair_check->named);
    pair_check->bad = scion_array((size_t)pair_check->mapping->size, sizeof *pair_check->bad);
    if (!pair_check->named || !pair_check->bad)
        return scion_fail_memory("mapping");
    for (i = 0; i < pair_check->nfiles; i++) {
        pair_check->named[i] = calloc((size_t)pair_check->files[i]->head.ntasks, 1);
        if (!pair_check->named[i])
            return scion_fail_memory("mapping");
    }
    return 0;
}

static void compare(struct pair_check *pair_check)
{
    int rank;

    for (rank = 0; rank < pair_check->mapping->size; rank++) {
        const int *pair = pair_of(pair_check, rank);

        if (scion_mapping_has_file(pair, pair_check->nfiles) &&
            scion_mapping_agrees(pair, pair_check->files[pair[0]], rank))
            pair_check->named[pair[0]][pair[1]] = 1;
        else
            pair_check->bad[pair_check->nbad++] = rank;
    }
}

static int is_left(const struct pair_check *pair_check, int file, int lrank)
{
    return !pair_check->named[file][lrank] &&
           !scion_physical_has_place_holder(pair_check->files[file], lrank);
}

/* The next task that no pair has; 0: there is none. */
static int next_left(const struct pair_check *pair_check, int *place)
{
    for (; place[0] < pair_check->nfiles; place[0]++, place[1] = -1) {
        while (++place[1] < pair_check->files[place[0]]->head.ntasks) {
            if (is_left(pair_check, place[0], place[1]))
                return 1;
        }
    }
    return 0;
}

/* There are as many tasks left as ranks that have none. */
static int check_numbers(const struct pair_check *pair_check)
{
    int place[2] = {0, -1}, n = 0, last[2] = {0, 0};

    while (next_left(pair_check, place)) {
        last[0] = place[0];
        last[1] = place[1];
        n++;
    }
    if (n == pair_check->nbad)
        return 0;
    if (n < pair_check->nbad)
        return scion_fail(SION_ERR_DAMAGED,
                          "mapping has %d tasks, more than its files have",
                          pair_check->mapping->size);
    return scion_fail(SION_ERR_DAMAGED, "mapping has %d tasks, and none of them is task %d of %s",
                      pair_check->mapping->size, last[1], pair_check->files[last[0]]->path);
}

/* ---- the others ---- */

/* The rank gets a task, so that it has a place, and the task is not read. */
static int lock_out(struct pair_check *pair_check, int rank, int file, int lrank)
{
    const struct scion_damage damage = scion_mapping_damage(lrank, rank);
    struct scion_physical *physical = pair_check->files[file];
    int *pair = pair_of(pair_check, rank);

    pair[0] = file;
    pair[1] = lrank;
    pair_check->named[file][lrank] = 1;
    physical->globalranks[lrank] = rank;
    return scion_physical_lock_out(physical, &damage);
}

/* Those whose pair names a task that is left, of which the rank is damaged. */
static int keep_pairs(struct pair_check *pair_check)
{
    int i, n = 0, rc = 0;

    for (i = 0; i < pair_check->nbad && rc == 0; i++) {
        int rank = pair_check->bad[i];
        const int *pair = pair_of(pair_check, rank);

        if (scion_mapping_has_file(pair, pair_check->nfiles) &&
            pair[1] < pair_check->files[pair[0]]->head.ntasks &&
            is_left(pair_check, pair[0], pair[1]))
            rc = lock_out(pair_check, rank, pair[0], pair[1]);
        else
            pair_check->bad[n++] = rank;
    }
    pair_check->nbad = n;
    return rc;
}

/* Which of the ranks without a task the task says that it has; the first, if it says none of them.
 */
static int find_bad(const struct pair_check *pair_check, const int *where, sion_int64 said)
{
    return said >= 0 && said < pair_check->mapping->size && where[said] > 0 ? where[said] - 1 : 0;
}

/* The other ranks have none. Those that the tasks say are tried first. */
static int give_tasks(struct pair_check *pair_check)
{
    int *where =
        calloc((size_t)pair_check->mapping->size + 1, sizeof *where); /* [rank] in bad: + 1 */
    int place[2] = {0, -1}, i, last, rc = where ? 0 : scion_fail_memory("mapping");

    for (i = 0; i < pair_check->nbad && rc == 0; i++)
        where[pair_check->bad[i]] = i + 1;
    while (rc == 0 && pair_check->nbad > 0 && next_left(pair_check, place)) {
        i = find_bad(pair_check, where, pair_check->files[place[0]]->globalranks[place[1]]);
        rc = lock_out(pair_check, pair_check->bad[i], place[0], place[1]);
        where[pair_check->bad[i]] = 0;
        last = pair_check->bad[--pair_check->nbad];
        if (i < pair_check->nbad) {
            pair_check->bad[i] = last;
            where[last] = i + 1;
        }
    }
    free(where);
    return rc;
}

static int settle(struct pair_check *pair_check)
{
    int rc = make(pair_check), first, n;

    if (rc == 0)
        compare(pair_check);
    if (rc == 0)
        rc = check_numbers(pair_check);
    if (rc != 0 || pair_check->nbad == 0)
        return rc;
    first = pair_check->bad[0];
    n = pair_check->nbad;
    rc = keep_pairs(pair_check);
    if (rc == 0)
        rc = give_tasks(pair_check);
    if (rc == 0) {
        const struct scion_damage damage = scion_mapping_damage(0, first);

        scion_physical_warn(pair_check->files[0], &damage, n);
    }
    return rc;
}

int scion_mapping_settle(struct scion_physical **files, int nfiles)
{
    struct pair_check pair_check = {
        .mapping = &files[0]->mapping, .files = files, .nfiles = nfiles};
    int rc = settle(&pair_check), i;

    for (i = 0; pair_check.named && i < nfiles; i++)
        free(pair_check.named[i]);
    free(pair_check.named);
    free(pair_check.bad);
    return rc;
}
