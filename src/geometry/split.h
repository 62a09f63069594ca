/* Which physical file a task belongs to. Pure. */
#ifndef SCION_GEOMETRY_SPLIT_H
#define SCION_GEOMETRY_SPLIT_H

struct scion_seat {
    int filenumber;
    int lrank; /* task in that file */
    int lsize; /* tasks of that file */
};

/*
 * Divide ntasks tasks over nfiles files (1 <= nfiles <= ntasks): equal shares; the last file also
 * takes the rest.
 */
struct scion_seat scion_split_evenly(int rank, int ntasks, int nfiles);

/*
 * One file for each local communicator: leaders[r] is the global rank of the first task of rank r's
 * communicator. Files are numbered in the order of their leaders' ranks. Fills filenumbers[ntasks].
 * O(ntasks). Returns the number of files, or an error if a leader has another leader.
 */
int scion_split_by_leader(const int *leaders, int ntasks, int *filenumbers);

/*
 * Whether every place of each file is taken by exactly one task. Returns ntasks if so, else the
 * first task that does not fit, or -1 - f if file f has no task. Fills first[nfiles + 1]: the
 * number of tasks in the files before f. taken[ntasks]: scratch, zeroed. O(ntasks + nfiles).
 */
int scion_split_check(const int *filenumbers, const int *lranks, int ntasks, int nfiles, int *first,
                      char *taken);

#endif
