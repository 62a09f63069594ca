/* Which physical file a task belongs to. Pure. */
#ifndef SCION_GEOMETRY_SPLIT_H
#define SCION_GEOMETRY_SPLIT_H

struct scion_seat {
    int filenumber;
    int lrank; /* task in that file */
    int lsize; /* tasks of that file */
};

/* ntasks tasks over nfiles files (1 <= nfiles <= ntasks): equal shares, the last takes the rest. */
struct scion_seat scion_split_evenly(int rank, int ntasks, int nfiles);

/*
 * Files by communicator: leaders[r] is the global rank of the local rank 0 of r's communicator.
 * Files are numbered in the order of their leaders' ranks; filenumbers[r] is set for every r.
 * O(ntasks). Returns the number of files, or an error if a leader does not lead itself.
 */
int scion_split_by_leader(const int *leaders, int ntasks, int *filenumbers);

/*
 * Whether tasks who say their file and their place in it take every place of each file once.
 * Returns ntasks if so, else the first task that does not fit, or -1 - f if nobody is in file f.
 * first[nfiles + 1]: where each file's tasks begin, one file after the other; taken[ntasks]:
 * scratch, zeroed. O(ntasks + nfiles).
 */
int scion_split_check(const int *filenumbers, const int *lranks, int ntasks, int nfiles, int *first,
                      char *taken);

#endif
