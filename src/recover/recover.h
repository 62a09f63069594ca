/*
 * What is left of a container that was never closed: found by the commit records in its chunks, or
 * else by the holes of its files (doc/format.md, "Recovery").
 */
#ifndef SCION_RECOVER_RECOVER_H
#define SCION_RECOVER_RECOVER_H

#include "file/column.h"
#include "file/container.h"

enum scion_evidence {
    SCION_EVIDENCE_TABLES, /* the file was closed: META2 */
    SCION_EVIDENCE_SLOTS,  /* commit records */
    SCION_EVIDENCE_HOLES   /* bytes that are not in holes: no more than an upper bound */
};

struct scion_salvaged_task {
    struct scion_lengths lengths; /* of the bytes that the recovered container has */
    sion_int64 certain;           /* bytes that the tables or commit records vouch for */
    sion_int64 possible;          /* bytes after these that seem to have been written */
    sion_int64 lost;              /* bytes with commit records, after bytes that have none */
    sion_int64 flushed;  /* those of the certain bytes that were written before the last flush */
    sion_int64 sequence; /* of the last commit */
};

/* Without commit records: chunks in which data were found, and those before them. */
struct scion_salvaged_chunks {
    sion_int64 filled, empty;
};

struct scion_salvaged_file {
    struct scion_physical *physical; /* NULL: the file is missing */
    enum scion_evidence evidence;
    sion_int64 size;
    int is_cut;                          /* it was closed, but ends before its tables */
    struct scion_salvaged_chunks chunks; /* of this file and those that were opened before */
    struct scion_salvaged_task *tasks;   /* [ntasks] */
    struct scion_chunk_repair *mended;   /* [nmended] closed, but these chunks say bytes that they
                                      cannot   have: they count as 0 bytes */
    int nmended;
};

/* A task of the whole container. */
struct scion_salvaged_place {
    int file, lrank;
    sion_int64 globalrank;
};

struct scion_salvage {
    char *name;
    struct scion_salvaged_file *files; /* [nfiles] */
    int nfiles, nmissing, first;       /* first: number of the first file that is there */
    enum scion_evidence evidence;      /* the weakest of any file */
    struct scion_salvaged_chunks chunks;
    struct scion_salvaged_place *places; /* [ntasks] in the order of the container */
    int ntasks;
};

/*
 * Find out all that can be known. Nothing is changed. allow_missing: missing files of a set are not
 * an error; the tasks are those of the other files.
 */
int scion_salvage_open(const char *name, int allow_missing, struct scion_salvage **salvage);
void scion_salvage_free(struct scion_salvage *salvage);

/* What is known of a task without the tables of its file. */
struct scion_given_task {
    int file, lrank;
    sion_int64 globalrank;
    sion_int64 start, chunksize, globalskip; /* as stored */
    sion_int64 *used; /* [count] malloc'd; NULL: what its commit records say. What is taken over
                         becomes NULL */
    sion_int64 count;
};

/*
 * The same without looking at any tables. Of the header, what all files have in common is used.
 * Files of which no task is given count as missing.
 */
int scion_salvage_given(const char *name, const struct scion_meta1 *head,
                        struct scion_given_task *tasks, int n, struct scion_salvage **salvage);

const struct scion_salvaged_task *scion_salvage_task(const struct scion_salvage *salvage, int task);

/* Length of the recovered stream. */
sion_int64 scion_salvage_bytes(const struct scion_salvaged_task *task);

/* Read recovered bytes of a task's stream; they must be there. */
int scion_salvage_read(const struct scion_salvage *salvage, int task, sion_int64 offset, void *to,
                       size_t bytes);

/* How far a task's stream has been read; {0}: its beginning. */
struct scion_salvaged_cursor {
    sion_int64 chunk, pos;
};

struct scion_salvaged_run {
    void *bytes; /* the caller's */
    size_t space;
    sion_int64 length; /* [out] 0: the end of the stream */
    int is_hole;       /* [out] then there are no bytes, and it may be of any length */
};

/* Read the next bytes of a task's stream, up to a hole; or find how long the hole is. */
int scion_salvage_read_run(const struct scion_salvage *salvage, int task,
                           struct scion_salvaged_cursor *cursor, struct scion_salvaged_run *run);

/*
 * An atomic set of which the writer was killed, or failed, while its files got their names: give
 * the others theirs, and then copies of the set. *completed: there was something to do. Sets with
 * names of the application's own are not found. The same for a container whose files are all
 * complete, where there is no older one.
 */
int scion_salvage_complete(const char *name, int *completed);

/* 1 if it would find something to do, and nobody writes the container. Nothing is changed. */
int scion_salvage_can_complete(const char *name);

/*
 * A container to be read, as scion_container_open_metadata opens one, of what is left; nothing is
 * changed on the disk. None of its files may be missing. The files are the container's from then
 * on, also after a failure; of the salvage nothing may be asked any more, it is only freed.
 */
int scion_salvage_view(struct scion_salvage *salvage, const struct scion_mode *mode,
                       struct scion_container **container);

/*
 * Close the container where it is. Bytes that are there stay, META2 goes after them. After an
 * interruption at any point it can be done again, with the same result. Of files that were closed
 * only the numbers of the mended chunks change. Only with commit records: what holes tell is no
 * ground to change a file.
 */
int scion_salvage_in_place(struct scion_salvage *salvage);

/* The reasons for which it refuses to begin, as an error; 0: none. */
int scion_salvage_check_in_place(const struct scion_salvage *salvage);

#endif
