/*
 * What is below a folder that is held open by its descriptor. No link is followed: a name is that
 * of something in the folder itself. Functions return 0 or the errno of the failure, unless said
 * otherwise; the error record is not touched.
 */
#ifndef SCION_VFS_BELOW_H
#define SCION_VFS_BELOW_H

#include <time.h>

#include "vfs/path.h"

/* Hold a folder by its path, which may lead through links; by its name in another one, not. */
int scion_below_open(const char *path, int *folder);
int scion_below_enter(int folder, const char *name, int *inner);

/* Negative: nothing. */
void scion_below_close(int folder);

/* All names in it, in the order of their bytes; to be freed by scion_folder_free(). */
int scion_below_names(int folder, char ***names, int *count);

int scion_below_status(int folder, const char *name, struct stat *status);

/* Where a link leads, into target[SCION_PATH]; ENAMETOOLONG if it does not fit. */
int scion_below_target(int folder, const char *name, char *target);

int scion_below_make_folder(int folder, const char *name, mode_t mode);
int scion_below_make_pipe(int folder, const char *name, mode_t mode);
int scion_below_make_link(int folder, const char *name, const char *target);

/* Another name of what is called `from` in a folder. */
int scion_below_link(int from_folder, const char *from, int folder, const char *name);

/* As rename() within a folder; and as unlink(): not of a folder. */
int scion_below_rename(int folder, const char *from, const char *to);
int scion_below_remove(int folder, const char *name);

/* When it was last changed, also of a link itself. */
int scion_below_set_time(int folder, const char *name, const struct timespec *time);

/* Of the folder that is held. */
int scion_below_set_mode(int folder, mode_t mode);
int scion_below_set_own_time(int folder, const struct timespec *time);

/*
 * Open a file of a folder; SCION_OPEN_NEW: made; else it must be a regular file. path: for
 * messages. 0 or an error code, with a message.
 */
int scion_below_file(int folder, const char *name, enum scion_open_how how, mode_t permissions,
                     const char *path, struct scion_file **file);

#endif
