/* The files of a container: made, read, and given up. */
#ifndef SCION_PARALLEL_FILES_H
#define SCION_PARALLEL_FILES_H

#include "comm/comm.h"
#include "file/container.h"

/* Name of file `number` of a set, by the application's rule if it has one; the caller frees it. */
char *scion_member_name(char *(*name_of_file)(const char *name, int number), const char *base,
                        int number);

struct scion_staging;

/* What the files of a container that is written have in common. */
struct scion_creation {
    const char *name;
    const struct scion_mode *mode;
    char *(*name_of_file)(const char *name, int number);
    int nfiles;
    sion_int64 flag2;
    int is_atomic;
    struct scion_staging *staging; /* or NULL */
};

/* The name under which file `number`, called `path`, is made, to be freed; NULL: that itself. */
int scion_name_beside(const struct scion_creation *creation, const char *path, int number,
                      char **beside);

/*
 * Create file `number`. The caller has filled the plan, but not its permissions; of plan->head it
 * has set the number of tasks and the block size.
 */
int scion_create_member(const struct scion_creation *creation, int number,
                        struct scion_physical_plan *plan, struct scion_physical **physical);

/*
 * Read the metadata of file `number` of a set, unless files[number] has been read. files[0] has
 * been read. Keeps no descriptor. is_own: this program writes on the set, and is not the reason if
 * the file cannot be read.
 */
int scion_need_member(struct scion_physical **files, int number, const char *name,
                      char *(*name_of_file)(const char *name, int number), int is_own);

/* Allocate a mapping table for `size` tasks, in place of an earlier one. */
int scion_mapping_make(struct scion_mapping *mapping, int size);

/* Collective: gather the mapping table on rank `root`, where it was made at the open. */
int scion_gather_mapping(struct scion_comm *comm, int root, int file, int lrank,
                         struct scion_mapping *mapping);

/*
 * Free the files and the array. remove: also delete them from the file system. The array, or any of
 * its elements, may be NULL.
 */
void scion_files_free(struct scion_physical **files, int nfiles, int remove);

#endif
