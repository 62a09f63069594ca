/*
 * Which files of a buddy checkpoint are left. The first task of every group of readers looks for
 * files: first for the one of its own number, on all levels; what nobody has found by that is then
 * looked for by all. Rank 0 decides whose file counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/checksum.h"
#include "format/slot.h"
#include "parallel/buddy_read.h"

static int is_member(const struct scion_buddy_reader *reader, const struct scion_physical *physical,
                     int number)
{
    return physical->head.nfiles == reader->ngroups && physical->head.filenumber == number;
}

/* Keeps what is wrong. */
static void keep(struct scion_buddy_reader *reader, const char *text)
{
    free(reader->damage);
    reader->damage = text ? strdup(text) : NULL;
}

/*
 * Whether the data are as their checksums say, if they are asked for. damaged: or only some of its
 * tasks are not, which cannot be read.
 */
static int is_good(struct scion_buddy_reader *reader, struct scion_physical *physical, int damaged)
{
    int known = physical->damages.n, rc;

    if (!reader->checksum)
        return 1;
    rc = scion_checksum_verify_physical(physical, -1);
    if (rc == 0 && physical->damages.n > known) {
        if (damaged) {
            scion_physical_warn(physical, &physical->damages.list[known],
                                physical->damages.n - known);
            keep(reader, NULL);
            return 1;
        }
        rc = scion_damage_fail(&physical->damages.list[known], physical->path);
    }
    if (rc != 0)
        keep(reader, scion_error_text());
    return rc == 0;
}

/* Once file 0 is known: a file with this flag2 may have been written together with it. */
static int fits(const struct scion_buddy_reader *reader, sion_int64 flag2)
{
    return reader->files[0].keeper < 0 || scion_marker_fits(flag2, reader->files[0].flag2);
}

/* Keeps the name of one that does not fit. */
static int is_together(struct scion_buddy_reader *reader, const struct scion_physical *physical)
{
    if (fits(reader, physical->head.flag2))
        return 1;
    free(reader->misfit);
    reader->misfit = strdup(physical->path);
    return 0;
}

/*
 * The file of this number at a level, if it is complete; else NULL. damaged: some of its tasks may
 * be, if no copy is better.
 */
static struct scion_physical *look_at_level(struct scion_buddy_reader *reader, int number,
                                            int level, int damaged)
{
    struct scion_physical *physical = NULL;
    char *name = scion_buddy_name(reader->args, level, number);

    if (name && scion_physical_read(name, &physical) != 0)
        physical = NULL;
    free(name);
    if (physical && is_member(reader, physical, number) && is_together(reader, physical) &&
        (damaged || physical->damages.n == 0) && is_good(reader, physical, damaged))
        return physical;
    scion_physical_close(physical);
    return NULL;
}

/* The first good file of this number: of the normal set, or a copy; else NULL. */
static struct scion_physical *look_for(struct scion_buddy_reader *reader, int number, int damaged)
{
    struct scion_physical *physical = NULL;
    int level;

    for (level = SCION_NORMAL; level < reader->args->mode.buddies && !physical; level++)
        physical = look_at_level(reader, number, level, damaged);
    return physical;
}

enum { FINDING = 2 /* numbers: that of a file, and its flag2 */ };

/*
 * On rank 0: the first task that has found a file keeps it. found: the findings of each task.
 * is_first: only file 0 is looked at, which all others must fit; else only these.
 */
static void choose_keepers(struct scion_buddy_reader *reader, const struct scion_rows *found,
                           int is_first)
{
    int rank, i;

    for (rank = 0; rank < found->n; rank++) {
        for (i = 0; i < found->counts[rank]; i += FINDING) {
            const sion_int64 *finding = scion_rows_of(found, rank) + i;
            struct scion_copy_file *file = &reader->files[finding[0]];

            if ((finding[0] == 0) == is_first && file->keeper < 0 && fits(reader, finding[1]))
                *file = (struct scion_copy_file){.keeper = rank, .flag2 = finding[1]};
        }
    }
}

/* List the files that this task has found and that have no keeper yet. */
static sion_int64 *list_findings(const struct scion_buddy_reader *reader, sion_int64 *n)
{
    sion_int64 *numbers = scion_must_allocate((size_t)reader->ngroups, FINDING * sizeof *numbers);
    int f;

    *n = 0;
    for (f = 0; reader->found && f < reader->ngroups; f++) {
        if (reader->found[f] && reader->files[f].keeper < 0) {
            numbers[(*n)++] = f;
            numbers[(*n)++] = reader->found[f]->head.flag2;
        }
    }
    return numbers;
}

/* Rank 0 gathers what the tasks have found, and broadcasts who keeps what. */
static int share_findings(struct scion_buddy_reader *reader)
{
    struct scion_comm *comm = reader->comm;
    struct scion_rows found;
    sion_int64 n, *mine = list_findings(reader, &n);
    int rc = scion_gather_rows(comm, mine, n, &found);

    if (rc == 0 && comm->rank == 0) {
        choose_keepers(reader, &found, 1);
        choose_keepers(reader, &found, 0);
    }
    if (rc == 0)
        rc = scion_bcast(comm, reader->files, (size_t)reader->ngroups * sizeof *reader->files, 0);
    free(mine);
    scion_rows_free(&found);
    return rc;
}

static int find_missing(const struct scion_buddy_reader *reader)
{
    int f = 0;

    while (f < reader->ngroups && reader->files[f].keeper >= 0)
        f++;
    return f;
}

/* Collective: all learn of a damaged file, which is not read; 0: nobody has found one. */
static int share_damage(const struct scion_buddy_reader *reader)
{
    int rc = reader->damage ? scion_fail(SION_ERR_DAMAGED, "%s", reader->damage) : 0;

    return reader->checksum ? scion_agree(reader->comm, scion_name_rank(reader->comm, rc)) : 0;
}

/* File f has no keeper: all learn why. */
static int fail_without(const struct scion_buddy_reader *reader, int f)
{
    int rc = reader->misfit ? scion_physical_fail_together(reader->misfit) : 0;

    rc = scion_agree(reader->comm, scion_name_rank(reader->comm, rc));
    return rc != 0
               ? rc
               : scion_fail(SION_ERR_SYSTEM,
                            "cannot open file, not all files available: neither file %d of %s nor "
                            "a copy of it",
                            f, reader->args->name);
}

/* All look for the files that nobody has, or that do not fit. */
static int look_for_missing(struct scion_buddy_reader *reader, int damaged)
{
    int f;

    for (f = 0; reader->found && f < reader->ngroups; f++) {
        if (reader->files[f].keeper < 0) {
            scion_physical_close(reader->found[f]);
            reader->found[f] = look_for(reader, f, damaged);
        }
    }
    return share_findings(reader);
}

/* Each leader looks for its own file; then all look for others, at last for damaged ones. */
static int look_for_all(struct scion_buddy_reader *reader)
{
    int rc, f;

    for (f = 0; f < reader->ngroups; f++)
        reader->files[f].keeper = -1;
    if (reader->group >= 0) {
        reader->found = scion_must_allocate((size_t)reader->ngroups, sizeof *reader->found);
        reader->found[reader->group] = look_for(reader, reader->group, 0);
    }
    rc = share_findings(reader);
    for (f = 0; f < 2 && rc == 0 && find_missing(reader) < reader->ngroups; f++)
        rc = look_for_missing(reader, f);
    return rc;
}

int scion_buddy_find(struct scion_buddy_reader *reader)
{
    int rc = look_for_all(reader), f;

    if (rc != 0)
        return rc;
    f = find_missing(reader);
    rc = share_damage(reader);
    if (rc == SION_ERR_COMM)
        return rc;
    if (f < reader->ngroups)
        return rc != 0 ? rc : fail_without(reader, f);
    if (rc != 0)
        scion_warn("%s; its copy is read", scion_error_text());
    for (f = 0; reader->found && f < reader->ngroups; f++) {
        if (reader->files[f].keeper == reader->comm->rank)
            continue;
        scion_physical_close(reader->found[f]);
        reader->found[f] = NULL;
    }
    return 0;
}
