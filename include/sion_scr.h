/**
 * @file sion_scr.h
 * Files of SCR, the Scalable Checkpoint/Restart library: trees of keys (kvtree files), rank2file
 * maps, containers, filemaps; and maps through which SCR understands our containers.
 *
 * This header goes beyond SIONlib 1.7. Its functions are in a library of their own (libsionscr_64.a
 * or libsion_scr.so; sion_scr_mpi.h has what needs MPI), which stands on the common, serial and
 * generic interface and needs zlib.
 *
 * Functions that can fail return 0 or a code of sion_error.h, and sion_error_text() then tells
 * file, rank and reason. They print nothing. Functions that take a communicator are collective over
 * it, and return the same failure on all its tasks; with that of sion_scr_comm_self() they are
 * serial.
 *
 * Threads: different objects may be used by different threads at once.
 */
#ifndef SION_SCR_H
#define SION_SCR_H

#include <stddef.h>
#include <stdio.h>

#include "sion_datatypes.h"
#include "sion_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- trees of keys ---- */

/**
 * A tree of keys: every key is a string without NUL, may be empty, is there once on its level, and
 * has a tree below it. A value is a key below which there is nothing. There are no types: numbers
 * are text. Keys stand in the order of the file or of their making; the order means nothing.
 */
typedef struct sion_kvtree sion_kvtree;

/** An empty tree, to be freed by sion_kvtree_free; NULL: out of memory. Local. */
sion_kvtree *sion_kvtree_new(void);

/** Free a whole tree (not a part of one); NULL: nothing. */
void sion_kvtree_free(sion_kvtree *tree);

/**
 * The tree below a key, which is added if it is not there. Constant time on average.
 *
 * @param tree where to look; NULL gives NULL, so that calls can be nested
 * @param key  copied
 * @return the tree below key, a part of tree; NULL: out of memory
 */
sion_kvtree *sion_kvtree_set(sion_kvtree *tree, const char *key);

/**
 * Make `value` the only key below `key`: "KEY = VALUE".
 *
 * @return the tree below key; NULL: out of memory
 */
sion_kvtree *sion_kvtree_put(sion_kvtree *tree, const char *key, const char *value);
/** The same with a number, in decimal. */
sion_kvtree *sion_kvtree_put_int(sion_kvtree *tree, const char *key, long long value);
/** The same with a CRC-32, as SCR writes it: "0x28eeb9e", and "0" for 0. */
sion_kvtree *sion_kvtree_put_crc(sion_kvtree *tree, const char *key, unsigned int crc);

/** The tree below a key; NULL: no such key, or tree is NULL. Constant time on average. */
sion_kvtree *sion_kvtree_get(const sion_kvtree *tree, const char *key);

/**
 * The value of a key: the last one below it.
 *
 * @param key NULL: tree itself is what stands below the key
 * @return a part of the tree; NULL: no such key, or nothing below it
 */
const char *sion_kvtree_value(const sion_kvtree *tree, const char *key);

/**
 * The value of a key as a number (decimal, 0x hexadecimal, 0 octal).
 *
 * @param value [out] set on success only
 * @return 0; SION_ERR_DAMAGED: no such key, or its value is no number of 64 bits
 */
int sion_kvtree_int(const sion_kvtree *tree, const char *key, long long *value);

/** Remove a key and all below it: 1; 0 if there is none. O(keys on the level). */
int sion_kvtree_remove(sion_kvtree *tree, const char *key);

/** Add all keys of `from`, on all levels. 0, or SION_ERR_MEMORY (then some are added). */
int sion_kvtree_merge(sion_kvtree *tree, const sion_kvtree *from);

/** The first key of a level, as the tree below it; NULL: none. */
const sion_kvtree *sion_kvtree_first(const sion_kvtree *tree);
/** The key behind it on its level; NULL: it was the last. */
const sion_kvtree *sion_kvtree_next(const sion_kvtree *child);
/** The key above a tree that sion_kvtree_first, _next, _get or _set gave. */
const char *sion_kvtree_key(const sion_kvtree *child);
/** Number of keys on a level; NULL has none. */
unsigned int sion_kvtree_count(const sion_kvtree *tree);

/**
 * Encode a tree as the bytes of a file.
 *
 * @param bytes [out] to be freed by free()
 * @param size  [out] their number
 * @return 0; SION_ERR_ARGUMENT: more than 128 levels; SION_ERR_MEMORY
 */
int sion_kvtree_encode(const sion_kvtree *tree, void **bytes, size_t *size);

/**
 * Decode one record; more bytes may follow it. No bytes are an empty tree. Needs memory in
 * proportion to size, whatever the bytes say. A key that is there twice on a level counts once,
 * with what is below both.
 *
 * @param tree [out] to be freed by sion_kvtree_free
 * @param used [out] bytes of the record; NULL: not wanted
 * @return 0; SION_ERR_NOT_SION: no such record at all; SION_ERR_DAMAGED: cut off, wrong CRC,
 *         contradicting itself, or more than 128 levels; SION_ERR_VERSION: another type, version,
 * or unknown flags; SION_ERR_MEMORY
 */
int sion_kvtree_decode(const void *bytes, size_t size, sion_kvtree **tree, size_t *used);

/**
 * Write a file that holds one tree. Replaces what was there; on the disk when it returns. After an
 * error while writing there is no such file.
 */
int sion_kvtree_write(const char *path, const sion_kvtree *tree);

/**
 * Write a tree at an offset in bytes; the file is made if it is missing, its other bytes stay.
 *
 * @param used [out] bytes written, so that the next record can begin behind; NULL: not wanted
 */
int sion_kvtree_write_at(const char *path, sion_int64 offset, const sion_kvtree *tree,
                         sion_int64 *used);

/** Read the tree at the beginning of a file. An empty file is an empty tree. Errors: _decode. */
int sion_kvtree_read(const char *path, sion_kvtree **tree);

/** Read the tree at an offset in bytes; used: as in sion_kvtree_decode. */
int sion_kvtree_read_at(const char *path, sion_int64 offset, sion_kvtree **tree, sion_int64 *used);

/** Print as SCR's tool does: one key on a line, two more spaces for each level. */
void sion_kvtree_print(const sion_kvtree *tree, FILE *to);

/**
 * Print as a JSON object: a key with one value as a string, every other key as an object. Bytes
 * that are not UTF-8 become \u00XX.
 */
void sion_kvtree_print_json(const sion_kvtree *tree, FILE *to);

/* ---- communicators ---- */

/** The tasks that call a collective function of this header together. */
typedef struct scion_comm sion_scr_comm;

/** The communicator of this task alone. NULL: out of memory. Local. */
sion_scr_comm *sion_scr_comm_self(void);

/**
 * A communicator of the tasks of an application's own group, by the callbacks of an interface that
 * sion_generic_create_api made. All messages go by way of rank 0, a few MiB at a time.
 *
 * @param aid   the interface, with all callbacks that sion_generic_paropen needs
 * @param group the application's communicator; must live until the communicator is freed
 * @param rank  of the caller in group
 * @param size  tasks of the group
 * @return NULL with a message on stderr: no such interface, or callbacks are missing. Local.
 */
sion_scr_comm *sion_scr_comm_generic(int aid, void *group, int rank, int size);

/** Free a communicator; NULL: nothing. Collective over it where MPI made it. */
void sion_scr_comm_free(sion_scr_comm *comm);

/* ---- rank2file maps ---- */

/** Where the files of a map lie, and what the names in it are relative to. */
enum sion_scr_layout {
    SION_SCR_LAYOUT_DATASET =
        1,                  /**< SCR 1.1: DATASET/.scr/rank2file.scr; to the dataset's folder */
    SION_SCR_LAYOUT_PREFIX, /**< SCR 1.2, 2.0: PREFIX/.scr/scr.dataset.ID/rank2file.scr; to
                                 PREFIX */
    SION_SCR_LAYOUT_3       /**< SCR 3: PREFIX/.scr/scr.dataset.ID/rank2file; to PREFIX */
};

struct sion_scr_place {
    enum sion_scr_layout layout;
    const char *base; /**< the dataset's folder, or PREFIX */
    int id;           /**< of the dataset; not used by SION_SCR_LAYOUT_DATASET */
};

/** Bytes of a map that one process reads at most, about; a file may have twice as many. */
#define SION_SCR_SEGMENT 1048576

/** How to write or read a map. NULL, or a member that is 0, means the default. */
struct sion_scr_map_options {
    sion_int64 segment; /**< writing: bytes, in place of SION_SCR_SEGMENT */
    int wrapper;        /**< writing: 1: leaves have all their keys below RANK2FILE */
    int allow_outside;  /**< reading: 1: names may be absolute, have ".." in them, or be links to
                             elsewhere */
    const char *base;   /**< reading: what names are relative to, in place of what is found */
};

/** Per-rank trees of a map: { FILE -> { name -> { SIZE, CRC, SEG } } }. */
typedef struct sion_scr_ranks sion_scr_ranks;

/** No ranks yet; NULL: out of memory. Local, as all functions on ranks. */
sion_scr_ranks *sion_scr_ranks_new(void);
/** NULL: nothing. */
void sion_scr_ranks_free(sion_scr_ranks *ranks);
/** Add a rank (not negative) and its tree, which is copied; it may be empty. */
int sion_scr_ranks_add(sion_scr_ranks *ranks, sion_int64 rank, const sion_kvtree *tree);
/** How many there are. */
int sion_scr_ranks_count(const sion_scr_ranks *ranks);
/**
 * Entry i, 0 <= i < count; after a map was read or written they ascend.
 *
 * @param tree [out] a copy, to be freed by sion_kvtree_free; NULL: not wanted
 */
int sion_scr_ranks_get(const sion_scr_ranks *ranks, int i, sion_int64 *rank, sion_kvtree **tree);

/**
 * Write a map: the root, and the files below it, each by the first rank in it.
 *
 * Collective. Folders are made as needed. The root is written last: without it there is no map.
 *
 * @param place the same on all tasks
 * @param ranks this task's, any number; sorted here. The lowest of a task must be above all of the
 *              tasks before it. All tasks together need at least one.
 * @return 0, or the same error on all tasks: SION_ERR_ARGUMENT: ranks that do not ascend, or none;
 *         SION_ERR_DAMAGED: a rank twice on a task; SION_ERR_SYSTEM
 */
int sion_scr_map_write(sion_scr_comm *comm, const struct sion_scr_place *place,
                       sion_scr_ranks *ranks, const struct sion_scr_map_options *options);

/**
 * Read a map of any layout, by as many tasks as one likes.
 *
 * Collective. Task m of M gets ranks floor(m*N/M) .. floor((m+1)*N/M)-1 of N. The map is looked for
 * in folder, folder/.scr, and folder/.scr/scr.dataset.*.
 *
 * @param folder that of task 0 counts
 * @return this task's ranks, to be freed by sion_scr_ranks_free; NULL on all tasks on an error:
 *         no map or several (SION_ERR_ARGUMENT), files that are missing (SION_ERR_SYSTEM), damaged
 *         or contradict each other, names that lead out of their folder (SION_ERR_DAMAGED)
 */
sion_scr_ranks *sion_scr_map_read(sion_scr_comm *comm, const char *folder,
                                  const struct sion_scr_map_options *options);

/* ---- datasets ---- */

/** What SCR says of a dataset. Texts are the caller's; NULL: left out, or the system's user. */
struct sion_scr_dataset {
    int id;
    const char *name;
    sion_int64 created; /**< microseconds since 1970 */
    const char *user, *jobname, *jobid;
    int ckpt;         /**< number of the checkpoint */
    sion_int64 files; /**< of all ranks */
    sion_int64 size;  /**< bytes of all files */
    int complete;     /**< 1 or 0 */
};

/**
 * Fill in what is known: id, which is that of the checkpoint too, name, the present time, the job
 * as SCR_JOB_NAME and SCR_JOB_ID in the environment say, complete.
 */
void sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name);

/** Write summary.scr beside a map. Local, as the next two: one task does it for all. */
int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset);

/** Note in PREFIX/.scr/flush.scr that a dataset is there, and whether it is in the cache, too. */
int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache);

/** Note a dataset in PREFIX/.scr/index.scr as the current one, flushed when it was created. */
int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset);

/* ---- maps of our containers ---- */

/** How to export a container. NULL, or a member that is 0, means the default. */
struct sion_scr_export_options {
    enum sion_scr_layout layout; /**< SION_SCR_LAYOUT_DATASET */
    const char *base;            /**< the folder of the container, or for the other layouts
                                      the one above it; the container must lie below */
    int id;                      /**< of the dataset: 1 */
    const char *name;            /**< template of the ranks' files, relative to base: %c is the
                                      container's name, %r the rank, %% a %: "%c.task.%r" */
    int no_crc;                  /**< 1: no CRC of the data */
    struct sion_scr_map_options map;
};

/**
 * Write the map of a container, so that SCR can take each rank's file out of it.
 *
 * Local. The logical file of every task gets SIZE, CRC and a segment for each run of bytes in the
 * physical files; of a key-value container it is the raw stream. Its rank is the stored global rank
 * where these are unique, else the number of the task; place-holders in buddy files are left out.
 * summary.scr is written beside the map. Time: O(chunks), and a pass over the data for the CRCs.
 *
 * @param container name of file 0
 * @return 0, or an error: also SION_ERR_ARGUMENT for a container that is not below base
 */
int sion_scr_export(const char *container, const struct sion_scr_export_options *options);

/**
 * Write the map of a container that is open, as it closes.
 *
 * Local, but all processes must call it, with equal options, before they write. A map that is
 * there already is removed, as the container that it describes is no more. The new one is written
 * in the container's parclose, collectively, as sion_scr_export would; a failure is one of the
 * parclose, whose data are complete all the same. CRCs are made of the bytes on their way to the
 * file. Only what was written through an exported FILE* or descriptor is read back once, at the
 * close.
 *
 * After a failure it can be called again. What fails to the end on some processes only makes the
 * parclose fail on all, with the reason of the first of them; if it fails on all there is no map,
 * and the parclose is as without.
 *
 * @param sid a container opened in parallel for writing, by any interface, mapped or not
 * @return 0, or SION_ERR_HANDLE, SION_ERR_MODE (another kind of container, or attached already),
 *         SION_ERR_ARGUMENT (not below base), SION_ERR_SYSTEM, SION_ERR_MEMORY
 */
int sion_scr_attach(int sid, const struct sion_scr_export_options *options);

/* ---- from a map to files ---- */

/** What is told of a file while a map is checked, fetched or imported. */
enum sion_scr_remark {
    SION_SCR_DONE,    /**< text: the name of the file made */
    SION_SCR_SKIPPED, /**< text: why */
    SION_SCR_FAILED   /**< text: why; it is no file of the result */
};

/** How to fetch or check. NULL, or a member that is 0, means the default. */
struct sion_scr_fetch_options {
    int force;  /**< 1: take files that are marked as incomplete */
    int no_crc; /**< 1: do not compare CRCs */
    struct sion_scr_map_options map;

    /** Called for every file that there is something to tell of, on the task that has it. */
    void (*tell)(void *user, enum sion_scr_remark remark, sion_int64 rank, const char *file,
                 const char *text);
    void *user; /**< passed to it */
};

/**
 * Take every rank's files out of what the map says they lie in: SCR's containers, a container of
 * ours, or the files themselves.
 *
 * Collective; the ranks are divided as in sion_scr_map_read. A file that fails is told and removed,
 * and the others are fetched all the same. One with bytes of another file fails, as far as the task
 * can see: it looks at its own ranks' files.
 *
 * @param folder where the map is looked for
 * @param out    folder of the new files, made if it is missing; they keep their relative names.
 *               Files that exist are not replaced: that is a failure
 * @return 0 if all files were fetched; else the same error on all tasks
 */
int sion_scr_fetch(sion_scr_comm *comm, const char *folder, const char *out,
                   const struct sion_scr_fetch_options *options);

/**
 * Check a map: the tree complete, every segment inside its file, no two segments on the same bytes,
 * sizes and CRCs right, nothing marked as incomplete unless forced.
 *
 * Local. Everything that is wrong is told. O(segments) memory, O(n log n) time, and a pass over the
 * data for the CRCs.
 *
 * @return 0: nothing is wrong
 */
int sion_scr_check(const char *folder, const struct sion_scr_fetch_options *options);

/**
 * Write a container of one task for each file of a map, in the order of ranks and names in the map.
 *
 * Local. Stored global ranks are those of the map where every rank has one file, else the number of
 * the task. Needs all files: nothing is left where one fails.
 *
 * @param container name of the new container; a file of that name must not exist
 */
int sion_scr_import(const char *folder, const char *container,
                    const struct sion_scr_fetch_options *options);

/* ---- SCR's containers ---- */

/** A file to be packed. */
struct sion_scr_file {
    sion_int64 rank;  /**< whose it is */
    const char *path; /**< where it is now; its last part is its name in the dataset */
};

/** How to pack. NULL, or a member that is 0, means the default. */
struct sion_scr_pack_options {
    const char *prefix; /**< note the dataset in flush.scr and index.scr of this folder, too */
    int id;             /**< of the dataset: 1 */
    struct sion_scr_map_options map;
};

/**
 * Pack files into containers of SCR 1.1: .scr/ctr.0.scr and so on in the dataset's folder, with map
 * and summary.scr.
 *
 * Collective. The files stand one after the other: node by node (in the order of their first
 * tasks), task by task, file by file. Tasks are on a node as MPI says, or as SION_NODE in a task's
 * environment says.
 *
 * @param folder of the dataset, which gives it its name; made if it is missing
 * @param size   bytes of a container, > 0; the last one is shorter
 * @param files  [n] of this task, ranks ascending over all tasks; names of one rank differ
 */
int sion_scr_pack(sion_scr_comm *comm, const char *folder, sion_int64 size,
                  const struct sion_scr_file *files, int n,
                  const struct sion_scr_pack_options *options);

/* ---- filemaps: what is in the cache of a node ---- */

/** A file in the cache. Texts are the caller's. */
struct sion_scr_cached_file {
    const char *path; /**< where it is, absolute */
    const char *name; /**< its name in the dataset */
    const char *orig; /**< the name that the application gave it; NULL: name */
    const char *home; /**< the folder that it belongs to */
    int ranks;        /**< of the job */
    sion_int64 size;  /**< bytes */
    int complete;     /**< 1 or 0 */
    int has_crc;      /**< 1: crc is known */
    unsigned int crc;
};

/** How the cache is protected. */
struct sion_scr_redundancy {
    int enabled, interval;
    const char *store, *directory; /**< of the cache */
    const char *type;              /**< SINGLE, PARTNER, XOR */
    int groups, group_id, group_size, group_rank;
    int preserve, container; /**< how the dataset is to be flushed */
};

/**
 * Add a file of a rank to a map: { DSET -> d -> RANK, RANK -> r -> DSET -> d -> { FILES, FILE } }.
 * Local, as the next one. A file that is there already is replaced.
 */
int sion_scr_filemap_add(sion_kvtree *map, int dataset, sion_int64 rank,
                         const struct sion_scr_cached_file *file);

/** Describe a rank's dataset in a map; redundancy NULL: not described. */
int sion_scr_filemap_describe(sion_kvtree *map, const struct sion_scr_dataset *dataset,
                              sion_int64 rank, const struct sion_scr_redundancy *redundancy);

/**
 * Write the maps of all processes: filemap_<n>.scrinfo by the nth process on each node, and
 * filemap.scrinfo, which names them, by the first.
 *
 * Collective.
 *
 * @param folder this process's control folder; made if it is missing
 */
int sion_scr_filemap_write(sion_scr_comm *comm, const char *folder, const sion_kvtree *map);

/**
 * Read the maps of a node into one.
 *
 * Local. Where two maps have a file with different contents of META the later one counts, with a
 * warning.
 *
 * @param folder        with filemap.scrinfo
 * @param allow_outside 0: the maps are in the same folder, whatever other folder is named; 1: they
 *                      are where filemap.scrinfo says
 * @param map           [out] to be freed by sion_kvtree_free
 */
int sion_scr_filemap_read(const char *folder, int allow_outside, sion_kvtree **map);

#ifdef __cplusplus
}
#endif

#endif
