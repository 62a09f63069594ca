/* Shared by the files that read the metadata of a physical file; nobody else includes this. */
#ifndef SCION_FILE_PHYSICAL_READ_H
#define SCION_FILE_PHYSICAL_READ_H

#include "file/physical.h"

/* Small tables are close together: a system call reads all that are within so many bytes. */
enum { SCION_WINDOW = 4096 };

/* So often a file is read again whose states are published meanwhile. */
enum { SCION_MOST_ATTEMPTS = 100 };

struct scion_window {
    sion_int64 first; /* offset in the file */
    size_t bytes;
    unsigned char data[SCION_WINDOW];
};

/*
 * Open a file and read of it what `read` reads. Failures begin with the path. Also after one,
 * *physical is to be closed: what was read so far, or NULL.
 */
int scion_physical_begin(const char *path, int (*read)(struct scion_physical *physical),
                         struct scion_physical **physical);

/* The same; a failure says who writes the file, if that is the reason, and then the file is closed.
 */
int scion_physical_read_by(const char *path, int (*read)(struct scion_physical *physical),
                           struct scion_physical **physical);

/* Read the tables again, as those of the state with this number. */
int scion_physical_read_back(struct scion_physical *physical, sion_int64 generation,
                             int (*read)(struct scion_physical *physical));

/* Note which file it is, and how large. */
void scion_physical_identify(struct scion_physical *physical, const struct stat *status);

/* As scion_file_read_some(), of a few bytes. */
int scion_physical_read_some(struct scion_physical *physical, void *to, size_t bytes,
                             sion_int64 offset, size_t *got);

/* As scion_file_read(). */
int scion_physical_read_whole(struct scion_physical *physical, void *to, size_t bytes,
                              sion_int64 offset);

/* All tables, as scion_physical_read() does. */
int scion_physical_read_all(struct scion_physical *physical);

/* The header and where META2 begins; no number of a task yet. */
int scion_physical_read_sizes(struct scion_physical *physical);

/*
 * Whether what was read of the tables is of one state: where a writer publishes, those of the state
 * before last are written over. If not, it is to be read again. Other files cannot change.
 */
int scion_physical_is_steady(struct scion_physical *physical);

/* Whether the state whose tables were read, and found to be of one state, is still in the file: it
   is until the next but one is published. Else a failure says that it has gone. */
int scion_physical_is_there(struct scion_physical *physical);
int scion_physical_fail_moved(void);

/* The same as a failure, by which scion_physical_read_by() begins again. */
int scion_physical_check_steady(struct scion_physical *physical);

/* Whether the file still says that the state which was read is the newest one. */
int scion_physical_is_newest(struct scion_physical *physical);

/* Whether this is file 0 of a set: then the size of the mapping table, which begins at this offset.
 */
int scion_physical_is_set(const struct scion_physical *physical);
int scion_physical_read_mapping_size(struct scion_physical *physical, sion_int64 at);

/* What META2 is checked against: arrays and layout have been read. */
struct scion_chunk_plan scion_physical_plan(const struct scion_physical *physical);

/* Where data end, with META2 ending at `end`: where META2 begins, unless it is before the data.
 */
sion_int64 scion_physical_limit(const struct scion_physical *physical, sion_int64 end);

/* Find entries of META2 that no writer makes, with warnings; chunks of unknown length become empty.
 */
void scion_physical_mend(struct scion_physical *physical, const struct scion_chunk_plan *plan,
                         const sion_int64 *counts, sion_int64 *used);

#endif
