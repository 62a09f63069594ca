/* The mapping of a set against the global ranks in its files. */
#ifndef SCION_FILE_MAPPING_H
#define SCION_FILE_MAPPING_H

#include "file/physical.h"

/* Whether a rank's pair names one of the files; a task of this file, which is that one, with this
 * rank. */
int scion_mapping_has_file(const int *pair, int nfiles);
int scion_mapping_agrees(const int *pair, const struct scion_physical *physical, int rank);

/* What is wrong with a rank whose pair does not agree; task: as in struct scion_damage. */
struct scion_damage scion_mapping_damage(int task, int rank);

/* A place-holder of a buddy set, which no pair names. */
int scion_physical_has_place_holder(const struct scion_physical *physical, int lrank);

/*
 * files[nfiles]: of a set, all of which have been read. After it each pair names another task, that
 * has its rank. Ranks of which this was not so before are damaged, of which it warns once. Fails if
 * it is not known which ranks there are.
 */
int scion_mapping_settle(struct scion_physical **files, int nfiles);

#endif
