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
 * Pointers must not be NULL, if nothing else is said. Texts and options that are passed are not
 * kept after the call.
 *
 * @param comm the tasks that call the function together; not freed
 * @threads different objects may be used by different threads at once
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

/**
 * Free a tree. Local.
 *
 * @param tree a whole one, not a part of another, with all that is below it; NULL: nothing
 */
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
 * Make `value` the only key below `key`: "KEY = VALUE". What was below it is freed.
 *
 * @param tree  where to put it; NULL gives NULL, so that calls can be nested
 * @param key   copied
 * @param value copied
 * @return the tree below key, a part of tree; NULL: out of memory
 */
sion_kvtree *sion_kvtree_put(sion_kvtree *tree, const char *key, const char *value);
/**
 * The same with a number, in decimal.
 *
 * @param tree,key as for sion_kvtree_put
 * @param value    any number
 * @return as sion_kvtree_put
 */
sion_kvtree *sion_kvtree_put_int(sion_kvtree *tree, const char *key, long long value);
/**
 * The same with a CRC-32, as SCR writes it: "0x28eeb9e", and "0" for 0.
 *
 * @param tree,key as for sion_kvtree_put
 * @param crc      that of zlib's crc32()
 * @return as sion_kvtree_put
 */
sion_kvtree *sion_kvtree_put_crc(sion_kvtree *tree, const char *key, unsigned int crc);

/**
 * The tree below a key. Constant time on average.
 *
 * @param tree where to look; NULL gives NULL, so that calls can be nested
 * @param key  to look for
 * @return a part of tree, which may be changed if tree may be; NULL: no such key
 */
sion_kvtree *sion_kvtree_get(const sion_kvtree *tree, const char *key);

/**
 * The value of a key: the last one below it.
 *
 * @param tree where to look; NULL gives NULL
 * @param key  NULL: tree itself is what stands below the key
 * @return a part of the tree; NULL: no such key, or nothing below it
 */
const char *sion_kvtree_value(const sion_kvtree *tree, const char *key);

/**
 * The value of a key as a number (decimal, 0x hexadecimal, 0 octal).
 *
 * @param tree  where to look; NULL has no keys
 * @param key   to look for
 * @param value [out] set on success only
 * @return 0; SION_ERR_DAMAGED: no such key, or its value is no number of 64 bits
 */
int sion_kvtree_int(const sion_kvtree *tree, const char *key, long long *value);

/**
 * Remove a key, and free all below it. O(keys on the level).
 *
 * @param tree where to look; NULL has no keys
 * @param key  to be removed
 * @return 1; 0 if there is no such key
 */
int sion_kvtree_remove(sion_kvtree *tree, const char *key);

/**
 * Add all keys of another tree, on all levels.
 *
 * @param tree takes them; keys that it has already stay where they are
 * @param from copied, not changed; not a part of tree
 * @return 0; SION_ERR_MEMORY (then some are added)
 */
int sion_kvtree_merge(sion_kvtree *tree, const sion_kvtree *from);

/**
 * The first key of a level.
 *
 * @param tree NULL has no keys
 * @return the tree below that key, a part of tree; NULL: there is no key
 */
const sion_kvtree *sion_kvtree_first(const sion_kvtree *tree);
/**
 * The key behind another one on its level.
 *
 * @param child what sion_kvtree_first, _next, _get or _set gave
 * @return the tree below the next key; NULL: it was the last
 */
const sion_kvtree *sion_kvtree_next(const sion_kvtree *child);
/**
 * The key above a tree.
 *
 * @param child what sion_kvtree_first, _next, _get or _set gave
 * @return a part of the tree, valid as long as child is
 */
const char *sion_kvtree_key(const sion_kvtree *child);
/**
 * Number of keys on a level.
 *
 * @param tree NULL has none
 * @return those on tree's own level, without what is below them
 */
unsigned int sion_kvtree_count(const sion_kvtree *tree);

/**
 * Encode a tree as the bytes of a file.
 *
 * @param tree  not changed
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
 * @param bytes [in] that begin with the record; not kept. NULL if size is 0
 * @param size  their number
 * @param tree  [out] to be freed by sion_kvtree_free; set on success only
 * @param used  [out] bytes of the record; NULL: not wanted
 * @return 0; SION_ERR_NOT_SION: no such record at all; SION_ERR_DAMAGED: cut off, wrong CRC,
 *         contradicting itself, or more than 128 levels; SION_ERR_VERSION: another type, version,
 *         or unknown flags; SION_ERR_MEMORY
 */
int sion_kvtree_decode(const void *bytes, size_t size, sion_kvtree **tree, size_t *used);

/**
 * Write a file that holds one tree. Replaces what was there; on the disk when it returns. After an
 * error while writing there is no such file.
 *
 * @param path name of the file; its folder must exist
 * @param tree not changed
 * @return 0; SION_ERR_ARGUMENT: more than 128 levels; SION_ERR_SYSTEM; SION_ERR_MEMORY
 */
int sion_kvtree_write(const char *path, const sion_kvtree *tree);

/**
 * Write a tree at an offset in bytes; the file is made if it is missing, its other bytes stay.
 *
 * @param path   name of the file; its folder must exist
 * @param offset of its first byte, >= 0
 * @param tree   not changed
 * @param used   [out] bytes written, so that the next record can begin behind; NULL: not wanted
 * @return as sion_kvtree_write; also SION_ERR_ARGUMENT: offset is negative
 */
int sion_kvtree_write_at(const char *path, sion_int64 offset, const sion_kvtree *tree,
                         sion_int64 *used);

/**
 * Read the tree at the beginning of a file. An empty file is an empty tree.
 *
 * @param path name of the file
 * @param tree [out] to be freed by sion_kvtree_free; set on success only
 * @return as sion_kvtree_decode; also SION_ERR_SYSTEM: the file cannot be read
 */
int sion_kvtree_read(const char *path, sion_kvtree **tree);

/**
 * Read the tree at an offset in bytes.
 *
 * @param path   name of the file
 * @param offset of its first byte
 * @param tree   [out] to be freed by sion_kvtree_free; set on success only
 * @param used   [out] bytes of the record; NULL: not wanted
 * @return as sion_kvtree_read; also SION_ERR_DAMAGED: the file has no byte there
 */
int sion_kvtree_read_at(const char *path, sion_int64 offset, sion_kvtree **tree, sion_int64 *used);

/**
 * Print as SCR's tool does: one key on a line, two more spaces for each level.
 *
 * @param tree not changed
 * @param to   open for writing; errors show in its ferror()
 */
void sion_kvtree_print(const sion_kvtree *tree, FILE *to);

/**
 * Print as a JSON object: a key with one value as a string, every other key as an object. Bytes
 * that are not UTF-8 become \u00XX.
 *
 * @param tree not changed
 * @param to   open for writing; errors show in its ferror()
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

/**
 * Free a communicator. Collective over it where MPI made it.
 *
 * @param comm what a function of this header or of sion_scr_mpi.h made; NULL: nothing
 */
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
/**
 * Free all ranks and their trees.
 *
 * @param ranks what sion_scr_ranks_new or sion_scr_map_read gave; NULL: nothing
 */
void sion_scr_ranks_free(sion_scr_ranks *ranks);
/**
 * Add a rank and its tree.
 *
 * @param ranks takes them
 * @param rank  not negative
 * @param tree  copied; may be empty
 * @return 0; SION_ERR_ARGUMENT: a negative rank, or a tree of more than 128 levels; SION_ERR_MEMORY
 */
int sion_scr_ranks_add(sion_scr_ranks *ranks, sion_int64 rank, const sion_kvtree *tree);
/**
 * How many there are.
 *
 * @param ranks to be counted
 * @return their number
 */
int sion_scr_ranks_count(const sion_scr_ranks *ranks);
/**
 * Entry i, 0 <= i < count; after a map was read or written they ascend.
 *
 * @param ranks where to look
 * @param i     number of the entry
 * @param rank  [out] its rank
 * @param tree  [out] a copy of its tree, to be freed by sion_kvtree_free; NULL: not wanted
 * @return 0; SION_ERR_ARGUMENT: no such entry; SION_ERR_MEMORY
 */
int sion_scr_ranks_get(const sion_scr_ranks *ranks, int i, sion_int64 *rank, sion_kvtree **tree);

/**
 * Write a map: the root, and the files below it, each by the first rank in it.
 *
 * Collective. Folders are made as needed. The root is written last: without it there is no map.
 *
 * @param place   the same on all tasks
 * @param ranks   this task's, any number; sorted here. The lowest of a task must be above all of
 *                the tasks before it. All tasks together need at least one.
 * @param options the same on all tasks; NULL: the defaults
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
 * @param folder  that of task 0 counts
 * @param options the same on all tasks; NULL: the defaults
 * @return this task's ranks, to be freed by sion_scr_ranks_free; NULL on all tasks on an error:
 *         no map or several (SION_ERR_ARGUMENT), files that are missing (SION_ERR_SYSTEM), damaged
 *         or contradict each other, names that lead out of their folder (SION_ERR_DAMAGED)
 */
sion_scr_ranks *sion_scr_map_read(sion_scr_comm *comm, const char *folder,
                                  const struct sion_scr_map_options *options);

/* ---- datasets ---- */

/**
 * What SCR says of a dataset. Texts are the caller's. There must be a name; of the others NULL
 * means: the system's name of the user; left out.
 */
struct sion_scr_dataset {
    int id;
    const char *name;
    sion_int64 created; /**< microseconds since 1970 */
    const char *user, *jobname, *jobid, *cluster;
    int ckpt;         /**< number of the checkpoint */
    sion_int64 files; /**< of all ranks */
    sion_int64 size;  /**< bytes of all files */
    int complete;     /**< 1 or 0 */

    /** 1: SCR may restart from it; 0: it may not. SCR 1.1 does not know this, nor `output`. */
    int checkpoint;
    int output; /**< 1: results, which SCR keeps; 0: no results */

    enum sion_scr_layout layout; /**< of its map: decides the form of flush.scr and index.scr where
                                      they are new; 0: SION_SCR_LAYOUT_DATASET */
};

/**
 * Fill in what is known: id, which is that of the checkpoint too, name, the present time, the job
 * as SCR_JOB_NAME, SCR_JOB_ID and SCR_CLUSTER_NAME in the environment say, complete, a checkpoint.
 * All else is 0 or NULL.
 *
 * Local.
 *
 * @param dataset [out] what was in it is lost; its texts are not copied
 * @param id      of the dataset and of the checkpoint
 * @param name    of the dataset; must live as long as dataset is used
 */
void sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name);

/**
 * Write summary.scr beside a map.
 *
 * Local, as the next two: one task does it for all. The folder is made if it is missing, and a file
 * that is there replaced at once.
 *
 * @param place   of the map
 * @param dataset what to write
 * @return 0; SION_ERR_ARGUMENT: a name is too long; SION_ERR_SYSTEM; SION_ERR_MEMORY
 */
int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset);

/**
 * Note in PREFIX/.scr/flush.scr that a dataset is there, and whether it is in the cache, too.
 *
 * What the file says of other datasets stays, and so does its form: that of SCR 1.1, with the name,
 * or that of later releases. In a new file it is that of index.scr, if there is one, or else that
 * of the dataset's layout.
 *
 * @param prefix   SCR's prefix folder; made if it is missing
 * @param dataset  its id is noted, and its name where the form has one
 * @param in_cache not 0: it is in the cache of the nodes, too
 * @return as sion_scr_summary_write, and as sion_kvtree_read for a file that is there already;
 *         SION_ERR_VERSION: its form is unknown, and it stays as it is
 */
int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache);

/**
 * Note a dataset in PREFIX/.scr/index.scr, flushed when it was created; a checkpoint as the current
 * one.
 *
 * What the file says of other datasets stays, and so does its form, of which there are three: that
 * of SCR 1.1, of 1.2 and 2.0, and of 3. The layout of the dataset decides it in a new file.
 *
 * @param prefix  SCR's prefix folder; made if it is missing
 * @param dataset all of it is noted
 * @return as sion_scr_flush_write; also SION_ERR_ARGUMENT: the name leads out of the prefix, or the
 *         file has the number or the name for another dataset (of SCR 1.1: never, a dataset is in
 *         the folder of its name)
 */
int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset);

/* ---- the datasets in a prefix ---- */

/** A dataset as the index of a prefix tells of it. Its texts are valid during the visit. */
struct sion_scr_indexed {
    enum sion_scr_layout form; /**< of the index: the layout of the releases that write it */
    int id;                    /**< 0: the index has no number for it */
    const char *name;          /**< "": none; any other text of the file, also a hostile one */
    int is_current;            /**< 1: SCR restarts from it */
    int complete;              /**< 1, 0; -1: not said */
    const char *flushed;       /**< when; NULL: not said */
    const char *failed;        /**< when SCR could not fetch it; NULL: it never failed */
    int is_checkpoint, is_output;
    sion_int64 files, size; /**< their number, and all their bytes; -1: not said */
    const char *map;        /**< folder of the map, relative to the prefix; NULL: there is none */
    const char *problem;    /**< why SCR cannot use the entry; NULL: nothing is wrong with it */
};

/**
 * Visit the datasets in PREFIX/.scr/index.scr of any of the three forms, in the order of their
 * numbers.
 *
 * Local, as all functions on indexes. Nothing is read but the index; for each dataset the map is
 * looked for.
 *
 * @param prefix SCR's prefix folder
 * @param visit  called for each dataset; another result than 0 ends the visit, which returns it
 * @param user   passed to it
 * @return 0, what visit returned, or an error: SION_ERR_ARGUMENT: there is no index;
 *         SION_ERR_VERSION: of an unknown form; SION_ERR_DAMAGED: also, when all were visited, if
 * the current dataset is none of them; as sion_kvtree_read
 */
int sion_scr_index_visit(const char *prefix,
                         int (*visit)(void *user, const struct sion_scr_indexed *dataset),
                         void *user);

/**
 * Whether there is an index.
 *
 * @param prefix SCR's prefix folder
 * @return 1: PREFIX/.scr/index.scr exists; 0
 */
int sion_scr_index_exists(const char *prefix);

/**
 * Make a dataset of the index the one that SCR restarts from.
 *
 * @param prefix SCR's prefix folder
 * @param name   of the dataset
 * @return 0; SION_ERR_ARGUMENT: there is no index, or no such dataset in it; as
 *         sion_scr_index_write
 */
int sion_scr_index_make_current(const char *prefix, const char *name);

/**
 * Note a dataset that lies in a prefix in its index, or mend what the index says of it.
 *
 * The dataset has a map and summary.scr, which tells number, name and all else. The index keeps its
 * form; it is made if there is none, in the form of the dataset's layout. The dataset becomes the
 * current one only if there is none.
 *
 * @param prefix SCR's prefix folder
 * @param name   of the dataset; in the layout of SCR 1.1 its folder, relative to the prefix
 * @return 0; SION_ERR_ARGUMENT: there is no such dataset; as sion_scr_index_write
 */
int sion_scr_index_add(const char *prefix, const char *name);

/**
 * Note all datasets that lie in a prefix and that the index does not have, or not rightly, as
 * sion_scr_index_add does.
 *
 * What the index says of others stays. Where no dataset of it is current the newest complete
 * checkpoint becomes it. An index that cannot be read is kept as index.scr.damaged, and a new one
 * is made.
 *
 * @param prefix SCR's prefix folder
 * @param tell   called for each dataset that was added, mended, or could not be; NULL: nobody is
 * told
 * @param user   passed to it
 * @return 0, also if some could not be added; SION_ERR_ARGUMENT: there is no dataset; as
 *         sion_scr_index_write
 */
int sion_scr_index_repair(const char *prefix,
                          void (*tell)(void *user, const char *name, int failed, const char *text),
                          void *user);

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
    int segments; /**< SION_SCR_LAYOUT_3: 1: the ranks' files with segments, for readers like
                       sion_scr_fetch; 0: the physical files, which SCR 3 takes. The other
                       layouts always have segments */
    int force;    /**< 1: a merged container, too */

    const char *dataset; /**< its name: "scr.dataset.ID". In SION_SCR_LAYOUT_DATASET the name of its
                              folder, and no other, as SCR 1.1 looks there */
    int no_checkpoint;   /**< 1: SCR must not restart from it (1.2 and later) */
    int output;          /**< 1: results, which SCR keeps (1.2 and later) */
    int index; /**< 1: note it in index.scr of the prefix, too, as the current dataset: SCR
                    restarts from it. The prefix is the base, or in
                    SION_SCR_LAYOUT_DATASET the folder above it */
    struct sion_scr_map_options map;
};

/**
 * Write the map of a container, so that SCR can take each rank's file out of it.
 *
 * Local. The logical file of every task gets SIZE, CRC and a segment for each run of bytes in the
 * physical files; of a key-value container it is the raw stream. Its rank is the stored global rank
 * where these are unique, else the number of the task; place-holders in buddy files are left out.
 * In SION_SCR_LAYOUT_3 the first task of each physical file has that file, with SIZE and CRC, and
 * all others have none, unless segments are asked for: SCR 3 reads no segments.
 * Of a container that sion_scr_import has made it is the map that was imported, with its names,
 * ranks and dataset, as far as the options say nothing else.
 * summary.scr is written beside the map. Time: O(chunks), and a pass over the data for the CRCs.
 *
 * Of a merged container (cmerge) SCR cannot restart, as the collectors have the bytes of all. It is
 * known by its sizes: the tasks without data come behind one with room for theirs.
 *
 * @param container name of file 0
 * @param options   NULL: the defaults
 * @return 0, or an error: also SION_ERR_ARGUMENT for a container that is not below base, and
 *         SION_ERR_MODE for one that is merged, unless forced
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
 * What is not set in the options is taken from the environment: SION_SCR_LAYOUT (dataset, prefix or
 * scr3), SION_SCR_DATASET, SION_SCR_ID, SION_SCR_FLAGS (a list of checkpoint and output) and
 * SION_SCR_INDEX (1). So SCR can restart a program that writes without SCR.
 *
 * In SION_SCR_LAYOUT_3 without segments all processes together read the physical files once, at the
 * close, for their CRCs.
 *
 * After a failure it can be called again. What fails to the end on some processes only makes the
 * parclose fail on all, with the reason of the first of them; if it fails on all there is no map,
 * and the parclose is as without.
 *
 * @param sid     a container opened in parallel for writing, by any interface, mapped or not
 * @param options the same on all processes; NULL: the defaults
 * @return 0, or SION_ERR_HANDLE, SION_ERR_MODE (another kind of container, attached already, or
 *         merged and not forced),
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

/** What is wrong with a file of a map. */
enum sion_scr_fault {
    SION_SCR_FAULT_ENTRY,      /**< what the map says of it */
    SION_SCR_FAULT_INCOMPLETE, /**< it is marked as incomplete */
    SION_SCR_FAULT_FILE,       /**< where its bytes lie is missing, cut off or unreadable */
    SION_SCR_FAULT_SIZE,       /**< it has another size */
    SION_SCR_FAULT_CRC,        /**< it has another CRC */
    SION_SCR_FAULT_OVERLAP,    /**< it has bytes that another one has, or some twice */
    SION_SCR_FAULTS            /**< their number */
};

/** How to fetch or check. NULL, or a member that is 0, means the default. */
struct sion_scr_fetch_options {
    int force;  /**< 1: take files that are marked as incomplete */
    int no_crc; /**< 1: do not compare CRCs */
    int plain;  /**< import: 1: keep no names, and nothing of the dataset */
    struct sion_scr_map_options map;

    /** Called for every file that there is something to tell of, on the task that has it. */
    void (*tell)(void *user, enum sion_scr_remark remark, sion_int64 rank, const char *file,
                 const char *text);
    void *user; /**< passed to it */

    /** sion_scr_check: called for every file that is wrong, in place of tell. NULL: tell is. */
    void (*fault)(void *user, enum sion_scr_fault fault, sion_int64 rank, const char *file,
                  const char *text);
    void *fault_user; /**< passed to it */
};

/**
 * Take every rank's files out of what the map says they lie in: SCR's containers, a container of
 * ours, or the files themselves.
 *
 * Collective; the ranks are divided as in sion_scr_map_read. A file that fails is told and removed,
 * and the others are fetched all the same. One with bytes of another file fails, as far as the task
 * can see: it looks at its own ranks' files.
 *
 * @param folder  where the map is looked for; that of task 0 counts
 * @param out     folder of the new files, made if it is missing; they keep their relative names.
 *                Files that exist are not replaced: that is a failure
 * @param options NULL: the defaults
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
 * @param folder  where the map is looked for
 * @param options NULL: the defaults, and nothing is told
 * @return 0: nothing is wrong; SION_ERR_DAMAGED: a file is; as sion_scr_map_read if there is no map
 *         that can be read
 */
int sion_scr_check(const char *folder, const struct sion_scr_fetch_options *options);

/**
 * Add SIZE and CRC of every file to a map that has none, as those of SCR 3 are, which tolerates
 * them. What the map says already is compared with the file. Files in segments are left as they
 * are.
 *
 * Collective; the ranks are divided as in sion_scr_map_read. Nothing is changed before all files
 * have been read. Then the map's files are replaced by rank 0, one by one, each at once: at any
 * time there is a map that SCR takes.
 *
 * Of a prefix with several datasets all maps in PREFIX/.scr/scr.dataset.* are sealed, one after the
 * other; each is told on task 0, by its folder and the rank -1, and one that fails does not keep
 * the others from it.
 *
 * @param folder  where the map is looked for; that of task 0 counts
 * @param options NULL: the defaults. no_crc: SIZE only; force: files that are marked as incomplete
 *                are left as they are
 * @return 0, or the same error on all tasks: a file that is missing (SION_ERR_SYSTEM), that
 * differs, or is incomplete (SION_ERR_DAMAGED); as sion_scr_map_read
 */
int sion_scr_seal(sion_scr_comm *comm, const char *folder,
                  const struct sion_scr_fetch_options *options);

/**
 * Write a container of one task for each file of a map, in the order of ranks and names in the map.
 *
 * Local. Stored global ranks are those of the map where every rank has one file, else the number of
 * the task. Needs all files: nothing is left where one fails.
 *
 * Names, ranks and dataset, as summary.scr beside the map says it, are kept in one task more behind
 * the others, whose global rank is -1, unless sion_scr_export makes such a map anyhow: one file of
 * each rank, called CONTAINER.task.RANK, of dataset 1. From it sion_scr_export makes the same map
 * again. A program of as many processes as the map has ranks can open the container in parallel
 * without that task only: that is what `plain` is for.
 *
 * @param folder    where the map is looked for
 * @param container name of the new container; a file of that name must not exist
 * @param options   NULL: the defaults. Nothing is told here: the first file that fails ends it
 * @return 0; SION_ERR_ARGUMENT: the container exists, or the map names no files; as sion_scr_fetch
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
 * @param folder  of the dataset, which gives it its name; made if it is missing; the same on all
 *                tasks
 * @param size    bytes of a container, > 0; the last one is shorter; the same on all tasks
 * @param files   [n] of this task, ranks ascending over all tasks; names of one rank differ. NULL
 *                if n is 0
 * @param n       files of this task; 0 is allowed
 * @param options the same on all tasks; NULL: the defaults
 * @return 0, or the same error on all tasks: SION_ERR_ARGUMENT, SION_ERR_SYSTEM, ...
 */
int sion_scr_pack(sion_scr_comm *comm, const char *folder, sion_int64 size,
                  const struct sion_scr_file *files, int n,
                  const struct sion_scr_pack_options *options);

/* ---- filemaps: what is in the cache of a node ---- */

/** A file in the cache. Texts are the caller's, and needed where nothing else is said. */
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
 *
 * @param map     takes it; what sion_kvtree_new or sion_scr_filemap_read gave
 * @param dataset id of the dataset
 * @param rank    whose file it is
 * @param file    copied
 * @return 0; SION_ERR_MEMORY
 */
int sion_scr_filemap_add(sion_kvtree *map, int dataset, sion_int64 rank,
                         const struct sion_scr_cached_file *file);

/**
 * Describe a rank's dataset in a map.
 *
 * @param map        as for sion_scr_filemap_add
 * @param dataset    copied; its id says which one it is
 * @param rank       whose part of it is described
 * @param redundancy copied, with all texts set; NULL: not described
 * @return 0; SION_ERR_MEMORY
 */
int sion_scr_filemap_describe(sion_kvtree *map, const struct sion_scr_dataset *dataset,
                              sion_int64 rank, const struct sion_scr_redundancy *redundancy);

/**
 * Write the maps of all processes: filemap_<n>.scrinfo by the nth process on each node, and
 * filemap.scrinfo, which names them, by the first.
 *
 * Collective.
 *
 * @param folder this process's control folder; made if it is missing
 * @param map    this process's; not changed
 * @return 0, or the same error on all processes: SION_ERR_ARGUMENT, SION_ERR_SYSTEM,
 *         SION_ERR_MEMORY
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
 * @param map           [out] to be freed by sion_kvtree_free; set on success only
 * @return as sion_kvtree_read, for any of the files
 */
int sion_scr_filemap_read(const char *folder, int allow_outside, sion_kvtree **map);

#ifdef __cplusplus
}
#endif

#endif
