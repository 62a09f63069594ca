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
