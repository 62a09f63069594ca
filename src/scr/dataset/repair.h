/* What an index says of its datasets, checked, and which of them is the current one. */
#ifndef SCION_SCR_REPAIR_H
#define SCION_SCR_REPAIR_H

#include "scr/dataset/index.h"

/*
 * What an entry says. folder[SCION_PATH]: that of the dataset's map, relative to the prefix; "": it
 * has none of its own. An error if SCR cannot use the entry.
 */
int scion_index_dataset_describe(const char *prefix, const struct scion_index *index,
                                 const struct scion_index_dataset *indexed, char *folder,
                                 struct sion_scr_indexed *told);

/*
 * If the current dataset is not in the index, the newest complete checkpoint becomes it: *name;
 * NULL: nothing was changed, or there is no checkpoint, and then no current one.
 */
int scion_index_choose_current(const char *prefix, struct scion_index *index, const char **name);

/* As the functions of sion_scr.h; 0, what visit returned, or an error code. */
int scion_scr_index_visit(const char *prefix,
                          int (*visit)(void *user, const struct sion_scr_indexed *dataset),
                          void *user);
int scion_scr_index_make_current(const char *prefix, const char *name);
int scion_scr_index_add(const char *prefix, const char *name);
int scion_scr_index_repair(const char *prefix,
                           void (*tell)(void *user, const char *name, int failed, const char *text),
                           void *user);

#endif
