/* Names of files: absolute ones without detours, and the patterns that they match. */
#ifndef SCION_RUN_MATCH_H
#define SCION_RUN_MATCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whether a path, or a folder above it, matches a pattern. Both are relative to the same folder and
 * have no empty component, "." or "..". A component is matched as by fnmatch() in UTF-8: `*`, `?`,
 * sets in brackets and `\`; a dot at its beginning is like any other character. The component `**`
 * stands for any number of components, also for none.
 */
int scion_match(const char *pattern, const char *path);

/* How a path ended that has lost its detours. The system looks at these ends. */
enum scion_path_end {
    SCION_END_NAME,  /* in a name */
    SCION_END_SLASH, /* in a name and "/": must be a folder */
    SCION_END_DOT    /* in "." or "..": also cannot be removed */
};

/*
 * The absolute path of `path` in `folder` (an absolute path without detours, "/" for the root),
 * without "//", "." and ".."; `..` removes the component before it, whatever that is. Returns the
 * length, or 0 if that and a NUL do not fit into `room` bytes.
 */
size_t scion_lexical(const char *folder, const char *path, char *to, size_t room,
                     enum scion_path_end *end);

/* What follows the folder in an absolute path without detours: "" for the folder itself; NULL: the
   path is not beneath it. */
const char *scion_beneath(const char *folder, size_t length, const char *path);

/* What stands for a path in tables: a hash of its bytes. */
uint64_t scion_path_hash(const char *path, size_t length);

/* What stands for a name in a folder, of which that is known; never 0. */
uint64_t scion_hash_in(uint64_t folder, const char *name, size_t length);

/* The same for a path relative to the root. */
uint64_t scion_name_hash(const char *path, size_t length);

#endif
