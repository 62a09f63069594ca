#include "geometry/split.h"

#include "base/error.h"

struct scion_seat scion_split_evenly(int rank, int ntasks, int nfiles)
{
    int share = ntasks / nfiles;
    struct scion_seat seat = {.filenumber = rank / share};

    if (seat.filenumber >= nfiles)
        seat.filenumber = nfiles - 1;
    seat.lrank = rank - seat.filenumber * share;
    seat.lsize = seat.filenumber == nfiles - 1 ? ntasks - (nfiles - 1) * share : share;
    return seat;
}

int scion_split_by_leader(const int *leaders, int ntasks, int *filenumbers)
{
    int rank, files = 0;

    for (rank = 0; rank < ntasks; rank++) {
        int leader = leaders[rank];

        if (leader < 0 || leader >= ntasks || leaders[leader] != leader)
            return scion_fail(SION_ERR_MISMATCH,
                              "local communicator of rank %d is not a part of a partition", rank);
        if (leader == rank)
            filenumbers[rank] = files++;
    }
    for (rank = 0; rank < ntasks; rank++)
        filenumbers[rank] = filenumbers[leaders[rank]];
    return files;
}

int scion_split_check(const int *filenumbers, const int *lranks, int ntasks, int nfiles, int *first,
                      char *taken)
{
    int t, f;

    for (f = 0; f <= nfiles; f++)
        first[f] = 0;
    for (t = 0; t < ntasks; t++) {
        if (filenumbers[t] < 0 || filenumbers[t] >= nfiles)
            return t;
        first[filenumbers[t] + 1]++;
    }
    for (f = 0; f < nfiles; f++) {
        if (first[f + 1] == 0)
            return -1 - f;
        first[f + 1] += first[f];
    }
    for (t = 0; t < ntasks; t++) {
        int begin = first[filenumbers[t]], end = first[filenumbers[t] + 1];

        if (lranks[t] < 0 || lranks[t] >= end - begin || taken[begin + lranks[t]]++)
            return t;
    }
    return ntasks;
}
