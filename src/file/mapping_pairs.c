#include "file/mapping_pairs.h"

#include <string.h>

#include "geometry/split.h"

enum { PIECE = 512 };

static void fill_pair(const struct scion_mapping *mapping, int rank, int *pair)
{
    struct scion_seat seat;

    if (mapping->counts) {
        pair[0] = mapping->pairs[rank];
        pair[1] = mapping->counts[pair[0]]++;
        return;
    }
    seat = scion_split_evenly(rank, mapping->size, mapping->nfiles);
    pair[0] = seat.filenumber;
    pair[1] = seat.lrank;
}

int scion_mapping_each(const struct scion_mapping *mapping, scion_pairs_function *function,
                       void *user)
{
    int pairs[2 * PIECE], first, n, i, rc = 0;

    if (mapping->size <= 0)
        return 0;
    if (mapping->pairs && !mapping->counts)
        return function(user, mapping->pairs, mapping->size);
    if (mapping->counts)
        memset(mapping->counts, 0, (size_t)mapping->nfiles * sizeof *mapping->counts);
    for (first = 0; first < mapping->size && rc == 0; first += n) {
        n = mapping->size - first < PIECE ? mapping->size - first : PIECE;
        for (i = 0; i < n; i++)
            fill_pair(mapping, first + i, pairs + 2 * (size_t)i);
        rc = function(user, pairs, n);
    }
    return rc;
}
