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

struct settling {
    struct scion_mapping *mapping;
    struct scion_physical **files;
    int nfiles;
    unsigned char **named; /* [nfiles][ntasks] by a pair that agrees, or that has got the task */
    int *bad;              /* ranks whose pairs do not agree */
    int nbad;
};

static int *pair_of(const struct settling *settling, int rank)
{
    return settling->mapping->pairs + 2 * (size_t)rank;
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

static int make(struct settling *settling)
{
    int i;

    settling->named = calloc((size_t)settling->nfiles, sizeof *settling->named);
    settling->bad = scion_array((size_t)settling->mapping->size, sizeof *settling->bad);
    if (!settling->named || !settling->bad)
        return scion_fail_memory("mapping");
    for (i = 0; i < settling->nfiles; i++) {
        settling->named[i] = calloc((size_t)settling->files[i]->head.ntasks, 1);
        if (!settling->named[i])
            return scion_fail_memory("mapping");
    }
    return 0;
}

static void compare(struct settling *settling)
{
    int rank;

    for (rank = 0; rank < settling->mapping->size; rank++) {
        const int *pair = pair_of(settling, rank);

        if (scion_mapping_has_file(pair, settling->nfiles) &&
            scion_mapping_agrees(pair, settling->files[pair[0]], rank))
            settling->named[pair[0]][pair[1]] = 1;
        else
            settling->bad[settling->nbad++] = rank;
    }
}

static int is_left(const struct settling *settling, int file, int lrank)
{
    return !settling->named[file][lrank] &&
           !scion_physical_has_place_holder(settling->files[file], lrank);
}

/* The next task that no pair has; 0: there is none. */
static int next_left(const struct settling *settling, int *place)
{
    for (; place[0] < settling->nfiles; place[0]++, place[1] = -1) {
        while (++place[1] < settling->files[place[0]]->head.ntasks) {
            if (is_left(settling, place[0], place[1]))
                return 1;
        }
    }
    return 0;
}

/* There are as many tasks left as ranks that have none. */
static int check_numbers(const struct settling *settling)
{
    int place[2] = {0, -1}, n = 0, last[2] = {0, 0};

    while (next_left(settling, place)) {
        last[0] = place[0];
        last[1] = place[1];
        n++;
    }
    if (n == settling->nbad)
        return 0;
    if (n < settling->nbad)
        return scion_fail(SION_ERR_DAMAGED,
                          "mapping has %d tasks, which is more than there are in its files",
                          settling->mapping->size);
    return scion_fail(SION_ERR_DAMAGED, "mapping has %d tasks, and none of them is task %d of %s",
                      settling->mapping->size, last[1], settling->files[last[0]]->path);
}

/* ---- the others ---- */

/* The rank gets a task, so that it has a place, and the task is not read. */
static int lock_out(struct settling *settling, int rank, int file, int lrank)
{
    const struct scion_damage damage = scion_mapping_damage(lrank, rank);
    struct scion_physical *physical = settling->files[file];
    int *pair = pair_of(settling, rank);

    pair[0] = file;
    pair[1] = lrank;
    settling->named[file][lrank] = 1;
    physical->globalranks[lrank] = rank;
    return scion_physical_lock_out(physical, &damage);
}

/* Those whose pair names a task that is left, of which the rank is damaged. */
static int keep_pairs(struct settling *settling)
{
    int i, n = 0, rc = 0;

    for (i = 0; i < settling->nbad && rc == 0; i++) {
        int rank = settling->bad[i];
        const int *pair = pair_of(settling, rank);

        if (scion_mapping_has_file(pair, settling->nfiles) &&
            pair[1] < settling->files[pair[0]]->head.ntasks && is_left(settling, pair[0], pair[1]))
            rc = lock_out(settling, rank, pair[0], pair[1]);
        else
            settling->bad[n++] = rank;
    }
    settling->nbad = n;
    return rc;
}

/* Which of the ranks without a task the task says that it has; the first, if it says none of them.
 */
static int find_bad(const struct settling *settling, const int *where, sion_int64 said)
{
    return said >= 0 && said < settling->mapping->size && where[said] > 0 ? where[said] - 1 : 0;
}

/* The other ranks have none. Those that the tasks say are tried first. */
static int give_tasks(struct settling *settling)
{
    int *where =
        calloc((size_t)settling->mapping->size + 1, sizeof *where); /* [rank] in bad: + 1 */
    int place[2] = {0, -1}, i, last, rc = where ? 0 : scion_fail_memory("mapping");

    for (i = 0; i < settling->nbad && rc == 0; i++)
        where[settling->bad[i]] = i + 1;
    while (rc == 0 && settling->nbad > 0 && next_left(settling, place)) {
        i = find_bad(settling, where, settling->files[place[0]]->globalranks[place[1]]);
        rc = lock_out(settling, settling->bad[i], place[0], place[1]);
        where[settling->bad[i]] = 0;
        last = settling->bad[--settling->nbad];
        if (i < settling->nbad) {
            settling->bad[i] = last;
            where[last] = i + 1;
        }
    }
    free(where);
    return rc;
}

static int settle(struct settling *settling)
{
    int rc = make(settling), first, n;

    if (rc == 0)
        compare(settling);
    if (rc == 0)
        rc = check_numbers(settling);
    if (rc != 0 || settling->nbad == 0)
        return rc;
    first = settling->bad[0];
    n = settling->nbad;
    rc = keep_pairs(settling);
    if (rc == 0)
        rc = give_tasks(settling);
    if (rc == 0) {
        const struct scion_damage damage = scion_mapping_damage(0, first);

        scion_physical_warn(settling->files[0], &damage, n);
    }
    return rc;
}

int scion_mapping_settle(struct scion_physical **files, int nfiles)
{
    struct settling settling = {.mapping = &files[0]->mapping, .files = files, .nfiles = nfiles};
    int rc = settle(&settling), i;

    for (i = 0; settling.named && i < nfiles; i++)
        free(settling.named[i]);
    free(settling.named);
    free(settling.bad);
    return rc;
}
