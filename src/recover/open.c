/* The files of a container that may never have been closed, and what is in each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "recover/private.h"

enum { MOST_FILES = 1000000 }; /* that are looked for when some are missing */

/* The tables of a closed file, which may be in a hole: they are not copied. */
static void take_tables(struct scion_salvaged_file *file)
{
    const struct scion_physical *physical = file->physical;
    int t, n = physical->head.ntasks;

    for (t = 0; t < n; t++) {
        struct scion_salvaged_task *task = &file->tasks[t];

        scion_lengths_view(&task->lengths, physical->used + t, (size_t)n, physical->counts[t]);
        task->certain = scion_salvage_bytes(task);
    }
}

static int need_lengths(struct scion_salvaged_file *file)
{
    int rc = 0, t;

    for (t = 0; t < file->physical->head.ntasks && rc == 0; t++)
        rc = scion_lengths_new(&file->tasks[t].lengths);
    return rc;
}

/* A file that was closed says where its tables begin. What was behind its present end, nothing
 * tells. */
static int find_cut(struct scion_salvaged_file *file)
{
    const struct scion_physical *physical = file->physical;
    unsigned char tail[SCION_META1_TAIL];
    sion_int64 tables;
    sion_int64 end = scion_meta1_size(physical->head.ntasks);
    int maxchunks, rc;

    if (file->size < end)
        return 0;
    rc = scion_file_read(physical->file, tail, sizeof tail, end - SCION_META1_TAIL);
    if (rc != 0)
        return rc;
    scion_meta1_decode_tail(tail, physical->head.swapped, &maxchunks, &tables);
    file->is_cut = maxchunks > 0 && tables > file->size;
    if (file->is_cut)
        scion_warn("%s was closed and is cut off: it has %lld bytes, and its tables began at "
                   "%lld; what else was behind its end is lost",
                   physical->path, file->size, tables);
    return 0;
}

static int look_into(struct scion_salvaged_file *file)
{
    int rc;

    file->tasks = calloc((size_t)file->physical->head.ntasks, sizeof *file->tasks);
    if (!file->tasks)
        return scion_fail_memory("tasks");
    if (file->evidence == SCION_EVIDENCE_TABLES) {
        rc = file->physical->damages.n > 0 ? scion_salvage_mend(file) : 0;
        take_tables(file);
        return rc;
    }
    rc = need_lengths(file);
    if (rc == 0)
        rc = scion_file_size(file->physical->file, &file->size);
    if (rc == 0)
        rc = find_cut(file);
    if (rc == 0 && file->evidence == SCION_EVIDENCE_SLOTS)
        rc = scion_salvage_follow_slots(file);
    if (rc == 0)
        rc = scion_salvage_walk_data(file);
    return rc == 0 ? scion_salvage_cut_records(file) : rc;
}

/* A file whose tables cannot be read may have been closed when the machine went down. */
static int open_file(const char *path, struct scion_salvaged_file *file)
{
    int rc = scion_physical_read(path, &file->physical);

    file->evidence = SCION_EVIDENCE_TABLES;
    if (rc == 0 && file->physical->damages.n > 0 &&
        scion_marker_trailer(file->physical->head.flag2, NULL) > 0) {
        scion_physical_close(file->physical); /* commit records say what damaged tasks have */
        rc = SION_ERR_DAMAGED;
    }
    if (rc == SION_ERR_NOT_CLOSED || rc == SION_ERR_DAMAGED) {
        int first = scion_physical_read_first(path, &file->physical);

        if (first == 0)
            file->evidence =
                file->physical->trailer > 0 ? SCION_EVIDENCE_SLOTS : SCION_EVIDENCE_HOLES;
        /* Damaged tables can be replaced by commit records, but not by guesses. */
        if (first == 0 && rc == SION_ERR_DAMAGED && file->evidence == SCION_EVIDENCE_HOLES) {
            scion_physical_close(file->physical);
            file->evidence = SCION_EVIDENCE_TABLES;
            first = scion_physical_read(path, &file->physical); /* says again what is damaged */
        }
        rc = first;
    }
    if (rc != 0)
        file->physical = NULL;
    return rc == 0 ? look_into(file) : rc;
}

static int open_number(struct scion_salvage *salvage, int number, int allow_missing)
{
    struct scion_salvaged_file *file = &salvage->files[number];
    char *path = scion_physical_name(salvage->name, number);
    int exists = 1, rc = path ? 0 : SION_ERR_MEMORY;

    if (rc == 0 && allow_missing)
        rc = scion_file_look_for(path, &exists);
    file->chunks = salvage->chunks;
    if (rc == 0 && exists)
        rc = open_file(path, file);
    salvage->chunks = file->chunks;
    if (rc == 0 && exists)
        file->physical->is_derived = number > 0;
    if (rc == 0 && !exists)
        salvage->nmissing++;
    /* A set may have many files. */
    if (rc == 0 && exists && salvage->nfiles > 1)
        rc = scion_physical_suspend(file->physical);
    free(path);
    return rc;
}

static int allocate_files(struct scion_salvage *salvage, int nfiles)
{
    struct scion_salvaged_file *files =
        scion_array_grown(salvage->files, (size_t)nfiles, sizeof *salvage->files);

    if (!files)
        return scion_fail_memory("files");
    memset(files + salvage->nfiles, 0, (size_t)(nfiles - salvage->nfiles) * sizeof *files);
    salvage->files = files;
    salvage->nfiles = nfiles;
    return 0;
}

static void free_file(struct scion_salvaged_file *file)
{
    scion_salvage_free_tasks(file);
    free(file->mended);
    scion_physical_close(file->physical);
    *file = (struct scion_salvaged_file){0};
}

/* 1 if this file is one of a set, with this number; then it stays open. */
static int is_of_set(struct scion_salvage *salvage, int number)
{
    const struct scion_physical *physical;

    if (open_number(salvage, number, 0) == 0) {
        physical = salvage->files[number].physical;
        if (physical->head.nfiles > number && physical->head.filenumber == number)
            return 1;
    }
    free_file(&salvage->files[number]);
    return 0;
}

/* The number of a file of the set by its name without folder; 0: it is none, or file 0. */
static int number_in(const char *name, const char *of_file_0)
{
    size_t length = strlen(of_file_0), digits;
    long number;

    if (strncmp(name, of_file_0, length) != 0 || name[length] != '.')
        return 0;
    name += length + 1;
    digits = strspn(name, "0123456789");
    number = digits >= 6 && digits <= 7 && name[digits] == '\0' ? strtol(name, NULL, 10) : 0;
    return number < MOST_FILES ? (int)number : 0;
}

static int use_one_of(struct scion_salvage *salvage, char **names, int count)
{
    int i, rc = 0;

    for (i = 0; i < count && rc == 0 && salvage->first == 0; i++) {
        int number = number_in(names[i], scion_basename(salvage->name));

        if (number == 0)
            continue;
        if (number >= salvage->nfiles)
            rc = allocate_files(salvage, number + 1);
        if (rc == 0 && is_of_set(salvage, number))
            salvage->first = number;
    }
    return rc;
}

/* File 0 cannot be read: another one tells as much about the set. */
static int find_other(struct scion_salvage *salvage, int rc)
{
    char reason[SCION_ERROR_TEXT], *folder = strdup(salvage->name), **names = NULL;
    int count = 0, looked = folder ? 0 : scion_fail_memory("name of a folder");

    snprintf(reason, sizeof reason, "%s", scion_error_text());
    if (folder && strchr(folder, '/'))
        scion_path_up(folder);
    else if (folder)
        strcpy(folder, ".");
    if (looked == 0)
        looked = scion_folder_sorted(folder, &names, &count);
    if (looked == 0)
        looked = use_one_of(salvage, names, count);
    scion_folder_free(names, count);
    free(folder);
    if (looked == 0 && salvage->first == 0) {
        scion_error_set(rc, reason);
        return rc;
    }
    return looked;
}

/* Open the first file that can be read: it says how many files the set has. */
static int open_first(struct scion_salvage *salvage, int allow_missing)
{
    int rc = allocate_files(salvage, 1);

    if (rc == 0)
        rc = open_number(salvage, 0, 0);
    if (rc == 0 || rc == SION_ERR_MEMORY || !allow_missing)
        return rc;
    free_file(&salvage->files[0]);
    return find_other(salvage, rc);
}

/* After a power failure, a file may be empty or torn. What the others hold is not lost for that. */
static int take_as_missing(struct scion_salvage *salvage, int number)
{
    scion_warn("file %d of %s is treated as missing: %s", number, salvage->name,
               scion_error_text());
    free_file(&salvage->files[number]);
    salvage->nmissing++;
    return 0;
}

static int open_rest(struct scion_salvage *salvage, int allow_missing)
{
    const struct scion_physical *first = salvage->files[salvage->first].physical;
    int nfiles = first->head.nfiles, number, rc;

    if (nfiles <= 1 || (salvage->first == 0 && first->head.filenumber != 0))
        return 0;
    if (nfiles > MOST_FILES)
        return scion_fail(SION_ERR_DAMAGED, "%s says that it is one of %d files", first->path,
                          nfiles);
    rc = scion_physical_suspend(salvage->files[salvage->first].physical);
    if (rc == 0 && nfiles > salvage->nfiles)
        rc = allocate_files(salvage, nfiles);
    for (number = 0; number < nfiles && rc == 0; number++) {
        const struct scion_physical *physical;

        if (number != salvage->first)
            rc = open_number(salvage, number, allow_missing);
        physical = salvage->files[number].physical;
        if (rc == 0 && physical)
            rc = scion_physical_check_member(physical, &first->head, number);
        if (rc != 0 && rc != SION_ERR_MEMORY && allow_missing && number != salvage->first)
            rc = take_as_missing(salvage, number);
    }
    return rc;
}

/* ---- the tasks of the whole ---- */

static int compare_places(const void *a, const void *b)
{
    const struct scion_salvaged_place *one = a, *two = b;

    if (one->globalrank != two->globalrank)
        return one->globalrank < two->globalrank ? -1 : 1;
    return one->file != two->file ? one->file - two->file : one->lrank - two->lrank;
}

int scion_salvage_list_places(struct scion_salvage *salvage, int has_gaps)
{
    size_t n = 0;
    int is_set = salvage->nfiles > 1, i, t;

    for (i = 0; i < salvage->nfiles; i++)
        n += salvage->files[i].physical ? (size_t)salvage->files[i].physical->head.ntasks : 0;
    salvage->places = scion_array(n + 1, sizeof *salvage->places);
    if (!salvage->places)
        return scion_fail_memory("tasks");
    for (i = 0; i < salvage->nfiles; i++) {
        const struct scion_physical *physical = salvage->files[i].physical;

        for (t = 0; physical && t < physical->head.ntasks; t++) {
            if ((!is_set && !has_gaps) || physical->globalranks[t] >= 0)
                salvage->places[salvage->ntasks++] =
                    (struct scion_salvaged_place){i, t, physical->globalranks[t]};
        }
        if (physical && salvage->files[i].evidence > salvage->evidence)
            salvage->evidence = salvage->files[i].evidence;
    }
    if (is_set)
        qsort(salvage->places, (size_t)salvage->ntasks, sizeof *salvage->places, compare_places);
    return 0;
}

int scion_salvage_open(const char *name, int allow_missing, struct scion_salvage **salvage)
{
    struct scion_salvage *new = calloc(1, sizeof *new);
    int rc = scion_name_check(name);

    if (new)
        new->name = rc == 0 ? strdup(name) : NULL;
    if (rc == 0 && (!new || !new->name))
        rc = scion_fail_memory("recovery");
    if (rc == 0)
        rc = open_first(new, allow_missing);
    if (rc == 0)
        rc = open_rest(new, allow_missing);
    if (rc == 0)
        rc = scion_salvage_list_places(new, 0);
    if (rc != 0) {
        scion_salvage_free(new);
        return rc;
    }
    *salvage = new;
    return 0;
}

void scion_salvage_free_tasks(struct scion_salvaged_file *file)
{
    int t;

    for (t = 0; file->tasks && t < file->physical->head.ntasks; t++)
        scion_lengths_free(&file->tasks[t].lengths);
    free(file->tasks);
    file->tasks = NULL;
}

void scion_salvage_free(struct scion_salvage *salvage)
{
    int i;

    if (!salvage)
        return;
    for (i = 0; i < salvage->nfiles; i++)
        free_file(&salvage->files[i]);
    free(salvage->files);
    free(salvage->places);
    free(salvage->name);
    free(salvage);
}

const struct scion_salvaged_task *scion_salvage_task(const struct scion_salvage *salvage, int task)
{
    const struct scion_salvaged_place *place = &salvage->places[task];

    return &salvage->files[place->file].tasks[place->lrank];
}
