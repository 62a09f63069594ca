/* Containers of a variable that has become larger. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "ftiff/image.h"

/* What is known of one variable. */
struct track {
    int32_t id, idx;
    int32_t count;       /* containers so far */
    sion_int64 capacity; /* bytes of them */
    sion_int64 left;     /* bytes that have no container yet */
    int has_ended;       /* 1: containers from here on have no content */
};

static int compare_tracks(const void *a, const void *b)
{
    int32_t id_a = ((const struct track *)a)->id, id_b = ((const struct track *)b)->id;

    return (id_a > id_b) - (id_a < id_b);
}

static struct track *find_track(struct track *tracks, int n, int32_t id)
{
    const struct track wanted = {.id = id};

    return n > 0 ? bsearch(&wanted, tracks, (size_t)n, sizeof *tracks, compare_tracks) : NULL;
}

/*
 * Variables of old checkpoints that are no longer protected follow the others. *n: tracks before
 * and after.
 */
static void add_forgotten(const struct scion_fti_image *old, struct track *tracks, int *n)
{
    int protected = *n, at;

    for (at = 0; at < old->nvars;) {
        struct scion_fti_variable variable = scion_fti_variable_at(old, at);

        if (!find_track(tracks, protected, variable.id)) {
            tracks[*n] = (struct track){.id = variable.id, .idx = *n, .has_ended = 1};
            ++*n;
        }
        at += variable.count;
    }
    qsort(tracks, (size_t)*n, sizeof *tracks, compare_tracks);
}

/*
 * The variable ends in the first container that holds all that is left, even if nothing is left.
 * What FTI noted at a restart stays, from the release on that notes it.
 */
static void add_container(struct scion_fti_image *next, struct track *track, sion_int64 size,
                          int flags)
{
    sion_int64 chunksize = track->left < size ? track->left : size;
    int kept = next->era > SCION_FTI_B ? flags & SCION_FTI_CKPT : 0;

    if (next->idx)
        next->idx[next->nvars] = track->idx;
    next->flags[next->nvars] = (unsigned char)(kept | (track->has_ended ? 0 : SCION_FTI_CONTENT));
    next->vars[next->nvars++] = (struct scion_fti_var){.id = track->id,
                                                       .containerid = track->count,
                                                       .dptr = track->capacity,
                                                       .chunksize = chunksize,
                                                       .containersize = size};
    track->count++;
    track->capacity += size;
    track->left -= chunksize;
    track->has_ended |= track->left == 0;
}

/* Fill the old containers with the present data. */
static void fill_old(const struct scion_fti_image *old, struct track *tracks, int n,
                     struct scion_fti_image *next)
{
    int i;

    if (old->nblocks > 0)
        memcpy(next->first, old->first, ((size_t)old->nblocks + 1) * sizeof *next->first);
    next->nblocks = old->nblocks;
    for (i = 0; i < old->nvars; i++) {
        struct track *track = find_track(tracks, n, old->vars[i].id);

        add_container(next, track, old->vars[i].containersize, old->flags[i]);
    }
}

/* Add a block for variables that are new or have grown, if there are any. */
static void append_block(const struct scion_fti_demand *demands, int n, struct track *tracks,
                         int ntracks, struct scion_fti_image *next)
{
    int i;

    for (i = 0; i < n; i++) {
        struct track *track = find_track(tracks, ntracks, demands[i].id);

        if (track->count == 0 || track->left > 0)
            add_container(next, track, track->left, 0);
    }
    if (next->nvars > next->first[next->nblocks])
        next->first[++next->nblocks] = next->nvars;
}

static int make_tracks(const struct scion_fti_image *old, const struct scion_fti_demand *demands,
                       int n, struct track **tracks, int *ntracks)
{
    sion_int64 sum = 0;
    int i;

    *tracks = calloc((size_t)n + (size_t)old->nvars + 1, sizeof **tracks);
    if (!*tracks)
        return scion_fail_memory("structure of a checkpoint");
    for (i = 0; i < n; i++) {
        if (demands[i].size < 0 || scion_add(sum, demands[i].size, &sum)) {
            free(*tracks);
            return scion_fail(SION_ERR_ARGUMENT, "variable %d has %lld bytes", demands[i].id,
                              demands[i].size);
        }
        (*tracks)[i] = (struct track){.id = demands[i].id, .idx = i, .left = demands[i].size};
    }
    qsort(*tracks, (size_t)n, sizeof **tracks, compare_tracks);
    *ntracks = n;
    add_forgotten(old, *tracks, ntracks);
    return 0;
}

int scion_fti_grow(const struct scion_fti_image *old, const struct scion_fti_demand *demands, int n,
                   struct scion_fti_image *next)
{
    struct track *tracks;
    int ntracks = 0, rc = make_tracks(old, demands, n, &tracks, &ntracks);

    if (rc != 0)
        return rc;
    rc = scion_fti_image_reserve(next, (sion_int64)old->nblocks + 1, (sion_int64)old->nvars + n);
    if (rc == 0) {
        fill_old(old, tracks, ntracks, next);
        append_block(demands, n, tracks, ntracks, next);
        scion_fti_image_sort(next);
        rc = scion_fti_lay_out(next);
    }
    free(tracks);
    if (rc != 0)
        scion_fti_image_clear(next);
    return rc;
}
