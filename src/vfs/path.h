/*
 * Names of files and folders, and whole files: what is done with a name before and after a file is
 * open. The calls go through the table of vfs.h, so they can be made to fail.
 */
#ifndef SCION_VFS_PATH_H
#define SCION_VFS_PATH_H

#include <limits.h>

#include "vfs/vfs.h"

enum { SCION_PATH = 4096 /* bytes of a path with its NUL */ };

/* ---- names alone ---- */

/* folder/name, or name alone where folder is NULL; into path[SCION_PATH]. */
int scion_path(char *path, const char *folder, const char *name);

/* The same without "." and ".."; an error if the result would be above the folder to which
   `folder` is relative. */
int scion_path_reduced(char *path, const char *folder, const char *name);

/* folder/name in memory of the caller's own; NULL: out of memory. */
char *scion_path_new(const char *folder, const char *name);

/* The text after the last slash. */
const char *scion_basename(const char *path);

/*
 * What names next to a name without a folder have of it: all, or if that is too long, its beginning
 * and its end, by which copies of several levels differ.
 */
void scion_path_core(const char *base, char core[NAME_MAX + 1]);

/* Remove the last part; "/name" becomes "/", and a name without a slash stays as it is. */
void scion_path_up(char *path);

/* The folder of a name, "." if it has none, into folder[SCION_PATH]. */
int scion_path_folder(char *folder, const char *name);

/* An error if a name is empty, ends with "/" or "/.", is absolute, or has ".." in it; the last two
 * are allowed if allow_outside is set. */
int scion_check_name(const char *name, int allow_outside);

/* ---- what the system knows about a name ---- */

/* What stat() says. 0, or the errno of the failure; the error record is not touched. */
int scion_path_status(const char *path, struct stat *status);

/* The same of the link itself, if the name is one. */
int scion_path_own_status(const char *path, struct stat *status);

/* 1 if the name leads to this file. */
int scion_path_is(const char *path, const struct stat *file);

/* 1 if both lead to one file that is there: an output must not be an input. */
int scion_path_is_same(const char *path, const char *other);

/* 1 if something has this name, even a link that leads nowhere. */
int scion_path_is_taken(const char *path);

/* 1 if something of this name exists. */
int scion_file_exists(const char *path);

/* The same if a wrong "no" would do harm: 0, or an error code if it cannot be found out. */
int scion_file_look_for(const char *path, int *exists);

/* Read, write and execute bits of a file; those of a private file if it cannot be found. */
mode_t scion_path_permissions(const char *path);

/* Whether an existing file may be written, or read, and setting its permissions: 0, or the errno of
   the failure. */
int scion_path_check_writable(const char *path);
int scion_path_check_readable(const char *path);
int scion_path_check_folder(const char *path); /* whether files can be made in its folder */
int scion_path_set_permissions(const char *path, mode_t permissions);

/* Absolute and without links, into real[SCION_PATH]; an error if it does not exist. */
int scion_path_real(const char *path, char *real);

/* `path` relative to the folder `base`; an error if it is not below it. The base exists; the path
   need not. */
int scion_relative(const char *base, const char *path, char *relative);

/*
 * The file that a name from outside means, base/name, into path[SCION_PATH]. An error if it is not
 * in the folder `base`, by its name or by way of links. It need not exist.
 */
int scion_path_inside(char *path, const char *base, const char *name, int allow_outside);

/* The folder of a name that was inside; "": none yet. */
struct scion_inside {
    char folder[SCION_PATH];
};

/*
 * The same for many names of one base: a name in the folder of the last one costs one system call,
 * where resolving it costs one for each part of the path.
 */
int scion_path_inside_again(struct scion_inside *last, char *path, const char *base,
                            const char *name, int allow_outside);

/* ---- folders ---- */

/* Make a folder; no error if it is there. */
int scion_make_folder(const char *path);

/* Make a private folder, which must not exist. 0, or the errno of the failure. */
int scion_make_private_folder(const char *path);

/* Remove an empty folder. 0, or the errno of the failure. */
int scion_remove_folder(const char *path);

/* Make a folder and those above it that are missing. */
int scion_make_folders(const char *path);

/* Make the folders above a file. */
int scion_make_folders_of(const char *path);

struct scion_folder;

/* Begin to read a folder; *folder is NULL, without an error, if there is no folder of this name. */
int scion_folder_open(const char *path, struct scion_folder **folder);

/* The next name in it, the library's until the next call; NULL: no more. */
int scion_folder_next(struct scion_folder *folder, const char **name);

void scion_folder_close(struct scion_folder *folder); /* NULL: nothing */

/* All names in it, with numbers in their order (9 before 10); NULL: there is no folder of this
   name. */
int scion_folder_sorted(const char *path, char ***names, int *count);
void scion_folder_free(char **names, int count);

/* ---- whole files ---- */

/* Give a file another name. If a file of that name exists, it is replaced: at any moment the name
   is that of the old file or the new one. 0, or the errno of the failure. */
int scion_path_move(const char *from, const char *to);

/* The same, and on the disk when this returns 0; an error is recorded. */
int scion_file_rename(const char *from, const char *to);

/* Remove a regular file that was left behind by a failure. Errors are ignored. */
void scion_file_remove(const char *path);

/* Give a file one more name, which must not be taken; of the second, 0, or an errno. */
int scion_path_link(const char *from, const char *to);
int scion_path_try_link(const char *from, const char *to);

/* Rename a file, unless the new name is taken: EEXIST. 0, or an errno. On a file system that can
   neither rename in this way nor make hard links, this is only so if nobody takes it now. */
int scion_path_move_new(const char *from, const char *to);

/* Remove a name; no error if there is none. */
int scion_path_remove(const char *path);

/* Write a file with these bytes and no others, and wait until it is on the disk. It is removed if
   that fails. */
int scion_write_whole(const char *path, const void *bytes, size_t size);

/* The same for a file that must not exist, not even as a link. permissions: those that the umask
   leaves. */
int scion_make_whole(const char *path, mode_t permissions, const void *bytes, size_t size);

/*
 * A name for a new file in the same folder, which nobody can guess; to be freed. NULL: out of
 * memory, or the system has no random numbers.
 */
char *scion_path_beside(const char *path);

/*
 * The same as scion_write_whole for a file that may exist: at any moment it is the old or the new
 * one. The new file is made next to the old one and keeps what is said of it (older.h). A link is
 * replaced, not followed.
 */
int scion_replace_whole(const char *path, const void *bytes, size_t size);

/* Wait until a file that was written is on the disk; until its folder is, and so its name. */
int scion_sync_whole(const char *path);
int scion_sync_folder_of(const char *path);

#endif
