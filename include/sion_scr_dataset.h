/**
 * @file sion_scr_dataset.h
 * The datasets in a prefix of SCR: where the map of each is, its summary, and the index, which says
 * from which dataset SCR restarts.
 *
 * This header goes beyond SIONlib 1.7. sion_scr.h, whose library has the functions, includes it. All
 * functions are local: one task calls them for all. They return SION_SUCCESS, or SION_NOT_SUCCESS
 * with a message, whose code is named here (sion_error.h).
 *
 * Pointers must not be NULL unless a comment allows it. The library does not keep texts after the
 * call. Structs of a program begin with their size, which SION_INIT sets; an error with
 * SION_ERR_ARGUMENT: it is not set; with SION_ERR_VERSION: a member that this version of the library
 * does not know is not 0.
 *
 * @param prefix SCR's prefix folder
 * @threads any thread may call them; calls that change the same prefix must not overlap
 * @see doc/scr.md
 */
#ifndef SION_SCR_DATASET_H
#define SION_SCR_DATASET_H

#include <stddef.h>

#include "sion_datatypes.h"
#include "sion_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where the files of a map are, and to which folder the names in it are relative. */
enum sion_scr_layout {
    SION_SCR_LAYOUT_DATASET =
        1,                  /**< SCR 1.1: DATASET/.scr/rank2file.scr; to the dataset's folder */
    SION_SCR_LAYOUT_PREFIX, /**< SCR 1.2, 2.0: PREFIX/.scr/scr.dataset.ID/rank2file.scr; to
                                 PREFIX */
    SION_SCR_LAYOUT_3       /**< SCR 3: PREFIX/.scr/scr.dataset.ID/rank2file; to PREFIX */
};

/** Where a map is. */
struct sion_scr_place {
    size_t size; /**< of this struct: SION_INIT sets it */
    enum sion_scr_layout layout;
    const char *base; /**< the dataset's folder, or PREFIX */
    int id;           /**< id of the dataset; not used by SION_SCR_LAYOUT_DATASET */
};

/* ---- a dataset ---- */

/**
 * What SCR stores about a dataset. The caller owns the texts. name must be set. If user is NULL,
 * the system's name of the user is used; other texts that are NULL are omitted.
 */
struct sion_scr_dataset {
    size_t size; /**< of this struct: SION_INIT sets it */
    int id;
    const char *name;
    sion_int64 created; /**< microseconds since 1970 */
    const char *user, *jobname, *jobid, *cluster;
    int ckpt;         /**< number of the checkpoint */
    sion_int64 files; /**< number of files of all ranks */
    sion_int64 bytes; /**< bytes of all files */
    int complete;     /**< 1 or 0 */

    /** 1: SCR may restart from it; 0: it may not. SCR 1.1 knows neither this nor `output`. */
    int checkpoint;
    int output; /**< 1: it holds results, which SCR keeps; 0: it holds none */

    enum sion_scr_layout layout; /**< layout of its map; decides the form of new flush.scr and
                                    index.scr files; 0: SION_SCR_LAYOUT_DATASET */
};

/**
 * Set the members that are known: id and ckpt, name, created (the current time), jobname, jobid and
 * cluster (from SCR_JOB_NAME, SCR_JOB_ID and SCR_CLUSTER_NAME in the environment); complete and
 * checkpoint become 1, all others 0 or NULL.
 *
 * @param dataset [out] SION_INIT has set its size; texts are not copied
 * @param id      number of the dataset and of the checkpoint
 * @param name    name of the dataset; must live as long as dataset is used
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT
 */
int sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name);

/**
 * Write summary.scr into the folder of a map. A missing folder is created. An existing file is
 * replaced atomically.
 *
 * @param place   where the map is
 * @param dataset what to write
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: also if a name is too long;
 *         SION_ERR_SYSTEM; SION_ERR_MEMORY
 */
int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset);

/**
 * Record in PREFIX/.scr/flush.scr that a dataset exists, and whether it is also in the cache.
 *
 * The entries of other datasets stay, and so does the form of the file: that of SCR 1.1, which has
 * the name, or that of later releases. A new file gets the form of index.scr if that exists, or
 * else the form of the dataset's layout. A missing prefix is created.
 *
 * @param dataset  the call records its id, and its name if the form has one
 * @param in_cache not 0: the dataset is also in the cache of the nodes
 * @return as sion_scr_summary_write, and as sion_kvtree_read for an existing file;
 *         SION_ERR_VERSION: also if its form is unknown, and then the file stays as it is
 */
int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache);

/* ---- the index ---- */

/**
 * Record a dataset in PREFIX/.scr/index.scr, with the time of its creation as the time of its
 * flush. A checkpoint becomes the current one. A missing prefix is created.
 *
 * The entries of other datasets stay, and so does the form of the file. There are three forms: that
 * of SCR 1.1, that of 1.2 and 2.0, and that of 3. A new file gets the form of the dataset's layout.
 *
 * @param dataset what to record
 * @return as sion_scr_flush_write; SION_ERR_ARGUMENT: also if the id is not positive, the name
 *         leads out of the prefix, or another dataset in the file has this number or name (never in
 *         SCR 1.1, where a dataset is in the folder of its name)
 */
int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset);

/** A dataset as described by the index of a prefix. Its texts are valid during the visit. */
struct sion_scr_indexed {
    size_t size;               /**< of this struct in the library: it has no members beyond that */
    enum sion_scr_layout form; /**< form of the index: the layout of the releases that write it */
    int id;                    /**< 0: the index has no number for it */
    const char *name;          /**< "": none; otherwise any text from the file: do not trust it */
    int is_current;            /**< 1: SCR restarts from it */
    int complete;              /**< 1 or 0; -1: unknown */
    const char *flushed;       /**< time; NULL: unknown */
    const char *failed;        /**< time when SCR failed to fetch it; NULL: never */
    int is_checkpoint, is_output;
    sion_int64 files, bytes; /**< number of files, and bytes of all files; -1: unknown */
    const char *map;         /**< folder of the map, relative to the prefix; NULL: it has none */
    const char *problem;     /**< why SCR cannot use the entry; NULL: it can */
};

/**
 * Visit the datasets in PREFIX/.scr/index.scr of any of the three forms, in the order of their
 * numbers. For each, also the summary in the folder of its map is read: a map of another dataset is
 * none of this one, but a problem.
 *
 * @param visit called for each dataset; a result other than 0 ends the visits, which is no failure
 * @param user  passed to it; may be NULL
 * @return the number of visits; -1: SION_ERR_ARGUMENT: there is no index; SION_ERR_VERSION: its
 *         form is unknown; SION_ERR_DAMAGED: also, after all were visited, if the current dataset
 *         is not one of them, or if there are none, but maps in the prefix; otherwise as
 *         sion_kvtree_read
 */
int sion_scr_index_visit(const char *prefix,
                         int (*visit)(void *user, const struct sion_scr_indexed *dataset),
                         void *user);

/**
 * Test whether there is an index.
 *
 * @return SION_SUCCESS if PREFIX/.scr/index.scr exists, else SION_NOT_SUCCESS, without a message
 */
int sion_scr_index_exists(const char *prefix);

/**
 * Choose the dataset of the index from which SCR restarts.
 *
 * @param name of the dataset
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there is no index, or no such dataset
 *         in it; SION_ERR_DAMAGED, SION_ERR_SYSTEM: SCR could not use it: it has no map, its map is
 *         that of another dataset, or nothing says whose it is; as sion_scr_index_write
 */
int sion_scr_index_make_current(const char *prefix, const char *name);

/**
 * Add a dataset of a prefix to its index, or correct its entry.
 *
 * The dataset must have a map, and summary.scr, from which number, name and everything else are
 * taken. The index keeps its form; a missing index is created in the form of the dataset's layout.
 * The dataset becomes the current one only if there is no current one.
 *
 * @param name of the dataset; in the layout of SCR 1.1 its folder, relative to the prefix
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there is no such dataset; as
 *         sion_scr_index_write
 */
int sion_scr_index_add(const char *prefix, const char *name);

/**
 * Add all datasets of a prefix that are missing in the index or have a wrong entry, as
 * sion_scr_index_add does.
 *
 * Entries whose map is that of another dataset now are removed; others stay. If no dataset is the
 * current one, the newest complete checkpoint becomes it. An index that cannot be read is kept as
 * index.scr.damaged, and a new one is created.
 *
 * @param tell called for each dataset that was added, corrected or removed, or for which this
 *             failed; may be NULL
 * @param user passed to it; may be NULL
 * @return SION_SUCCESS, also if some could not be added; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there
 *         is no dataset; as sion_scr_index_write
 */
int sion_scr_index_repair(const char *prefix,
                          void (*tell)(void *user, const char *name, int failed, const char *text),
                          void *user);

/**
 * Build the maps of datasets that a scavenge copied into a prefix, from the filemaps that it left:
 * fmap.N.scr, or filemap_N of SCR 3, in PREFIX/.scr/scr.dataset.ID, or in PREFIX/NAME/.scr, where
 * SCR 1.1 has them. Then repair the index, as sion_scr_index_repair does.
 *
 * A dataset whose map can be read, and whose summary does not say that it is incomplete, keeps both.
 * For every other one, each file is looked for where its META says, at its path in the cache, and by
 * its last part in the folder of the dataset, and compared with SIZE and COMPLETE. The map gets the
 * layout of the place, CRCs where the filemaps have them, and as many ranks as META says;
 * summary.scr is written from DSETDESC. If a file or rank is missing, or a file has a wrong size,
 * the map marks the file, and summary and index mark the dataset, as incomplete. Names do not lead
 * out of the prefix, or with the layout of SCR 1.1 the dataset's folder. No map is written if
 * filemaps cannot be read, or contradict each other. A map is there as a whole or not at all.
 *
 * @param dry_run 1: write nothing, and tell only of maps and summaries
 * @param tell    called for each map, for each file or rank that is missing or wrong (failed), and
 *                as sion_scr_index_repair does; may be NULL
 * @param user    passed to it; may be NULL
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there are no filemaps;
 *         SION_ERR_DAMAGED: a dataset is incomplete, or its map could not be built; as
 *         sion_scr_index_repair
 */
int sion_scr_index_build(const char *prefix, int dry_run,
                         void (*tell)(void *user, const char *name, int failed, const char *text),
                         void *user);

/** Which datasets sion_scr_index_drop takes out of an index. */
struct sion_scr_drop {
    size_t size;      /**< of this struct: SION_INIT sets it */
    const char *name; /**< this dataset; NULL: those that `keep` does not keep */
    int keep;         /**< > 0: the number of usable checkpoints, the newest ones, that stay; so do
                           the current dataset and output */
    int delete_files; /**< 1: remove also their maps, and the files that these name, unless a dataset
                           that stays names them, too */
    int dry_run;      /**< 1: tell only what would be done */
};

/**
 * Take datasets out of the index of a prefix. If the current one was among them, the newest complete
 * checkpoint becomes it.
 *
 * The index is replaced before any file is removed, and the map of a dataset goes before its files.
 *
 * @param what which datasets
 * @param tell called for each of them, and for the new current one; failed: its files, or some of
 *             them, are still there; may be NULL
 * @param user passed to it; may be NULL
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there is no index, no such dataset, or
 *         nothing is to be kept; SION_ERR_DAMAGED: also if delete_files is 1 and a map cannot be
 *         read, and then nothing is changed; SION_ERR_SYSTEM; as sion_scr_index_write
 */
int sion_scr_index_drop(const char *prefix, const struct sion_scr_drop *what,
                        void (*tell)(void *user, const char *name, int failed, const char *text),
                        void *user);

#ifdef __cplusplus
}
#endif

#endif
