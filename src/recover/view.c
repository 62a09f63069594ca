/* A container that was never closed, as readers see one that was: by tables made from what is left.
 */
#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "recover/private.h"

static sion_int64 most_chunks(const struct scion_salvaged_file *file)
{
    sion_int64 most = 1;
    int t;

    for (t = 0; t < file->physical->head.ntasks; t++) {
        if (file->tasks[t].lengths.count > most)
            most = file->tasks[t].lengths.count;
    }
    return most;
}

static int make_tables(struct scion_salvaged_file *file)
{
    struct scion_physical *physical = file->physical;
    size_t n = (size_t)physical->head.ntasks, t;
    sion_int64 most = most_chunks(file), b;

    free(physical->counts);
    free(physical->used);
    physical->counts = scion_array(n, sizeof *physical->counts);
    physical->used = most <= INT_MAX ? calloc((size_t)most, n * sizeof *physical->used) : NULL;
    if (!physical->counts || !physical->used)
        return scion_fail_memory("chunks");
    physical->maxchunks = (int)most;
    for (t = 0; t < n; t++) {
        const struct scion_lengths *lengths = &file->tasks[t].lengths;

        physical->counts[t] = lengths->count;
        for (b = 0; b < lengths->count; b++)
            physical->used[(size_t)b * n + t] = scion_lengths_used(lengths, b);
    }
    return 0;
}

/* In file 0, as that of a set that was closed. */
static int make_mapping(struct scion_salvage *salvage)
{
    struct scion_mapping *mapping = &salvage->files[0].physical->mapping;
    int i;

    free(mapping->pairs);
    mapping->size = salvage->ntasks;
    mapping->pairs = scion_array(2 * (uint64_t)salvage->ntasks + 1, sizeof *mapping->pairs);
    if (!mapping->pairs)
        return scion_fail_memory("mapping");
    for (i = 0; i < salvage->ntasks; i++) {
        mapping->pairs[2 * (size_t)i] = salvage->places[i].file;
        mapping->pairs[2 * (size_t)i + 1] = salvage->places[i].lrank;
    }
    return 0;
}

/* The files are the container's from now on. */
static struct scion_physical **take_files(struct scion_salvage *salvage)
{
    struct scion_physical **files = scion_array((size_t)salvage->nfiles, sizeof(void *));
    int i;

    for (i = 0; files && i < salvage->nfiles; i++) {
        files[i] = salvage->files[i].physical;
        scion_salvage_free_tasks(&salvage->files[i]);
        salvage->files[i].physical = NULL;
    }
    return files;
}

int scion_salvage_view(struct scion_salvage *salvage, const struct scion_mode *mode,
                       struct scion_container **container)
{
    struct scion_physical **files;
    int rc = 0, i, nfiles = salvage->nfiles;

    for (i = 0; i < nfiles && rc == 0; i++)
        rc = salvage->files[i].evidence == SCION_EVIDENCE_TABLES ? 0
                                                                 : make_tables(&salvage->files[i]);
    if (rc == 0 && nfiles > 1)
        rc = make_mapping(salvage);
    if (rc != 0)
        return rc;
    files = take_files(salvage);
    return files ? scion_container_of_files(files, nfiles, mode, container)
                 : scion_fail_memory("files");
}
