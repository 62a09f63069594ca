/**
 * @file sion_scr.h
 * Files of SCR, the Scalable Checkpoint/Restart library: rank2file maps, containers, filemaps; and
 * maps through which SCR understands our containers. sion_kvtree.h, which this header includes,
 * declares the trees of keys of which they consist.
 *
 * This header goes beyond SIONlib 1.7. Its functions are in a library of their own (libsionscr_64.a
 * or libsion_scr.so; sion_scr_mpi.h declares what needs MPI), which uses the common, serial and
 * generic interfaces and zlib.
 *
 * Functions return SION_SUCCESS or an object, or after a failure SION_NOT_SUCCESS or NULL, with a
 * message that names file, rank and reason; the codes are those of sion_error.h. Functions that take
 * a communicator are collective over it, and return the same failure on all its tasks, of which one
 * prints the message; with the communicator of sion_scr_comm_self() they are serial. In their
 * descriptions, [collective] marks a parameter that must be equal on all tasks, and [local] one that
 * every task chooses for itself.
 *
 * Pointers must not be NULL unless a comment allows it. The library does not keep texts and options
 * after the call.
 *
 * @param comm [local] the communicator of the tasks that call the function together; not freed
 * @threads different objects may be used by different threads at once
 */
#ifndef SION_SCR_H
#define SION_SCR_H

#include <stddef.h>
#include <stdio.h>

#include "sion_datatypes.h"
#include "sion_error.h"
#include "sion_kvtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- communicators ---- */

/** The tasks that call a collective function of this header together. */
typedef struct scion_comm sion_scr_comm;

/** Create a communicator of this task alone. NULL: out of memory. Local. */
sion_scr_comm *sion_scr_comm_self(void);

/**
 * Create a communicator of the tasks of an application's own group, from the callbacks of an
 * interface that sion_generic_create_api created. All messages go through rank 0, a few MiB at a
 * time.
 *
 * @param aid   the interface, with all callbacks that sion_generic_paropen needs
 * @param group the application's communicator; must live until the communicator is freed
 * @param rank  the caller's rank in group
 * @param size  the number of tasks in group
 * @return the communicator; NULL with a message on stderr: no such interface, or callbacks are
 *         missing. Local.
 */
sion_scr_comm *sion_scr_comm_generic(int aid, void *group, int rank, int size);

/**
 * Free a communicator. Collective over it if sion_scr_comm_mpi created it.
 *
 * @param comm what a function of this header or of sion_scr_mpi.h created; NULL is ignored
 */
void sion_scr_comm_free(sion_scr_comm *comm);

/* ---- rank2file maps ---- */

/** Where the files of a map are, and to which folder the names in it are relative. */
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
    int id;           /**< id of the dataset; not used by SION_SCR_LAYOUT_DATASET */
};

/** About how many bytes of a map one process reads at most; a file may have twice as many. */
#define SION_SCR_SEGMENT 1048576

/** How to write or read a map. NULL, or a member that is 0, means the default. */
struct sion_scr_map_options {
    sion_int64 segment; /**< writing: bytes; the default is SION_SCR_SEGMENT */
    int wrapper;        /**< writing: 1: leaves have all their keys below RANK2FILE */
    int allow_outside;  /**< reading: 1: names may be absolute, have ".." in them, or be links to
                             elsewhere */
    const char *base;   /**< reading: folder that names are relative to, not the one found */
};

/** Per-rank trees of a map: { FILE -> { name -> { SIZE, CRC, SEG } } }. */
typedef struct sion_scr_ranks sion_scr_ranks;

/** Create an empty list of ranks; NULL: out of memory. Local, as all functions on ranks. */
sion_scr_ranks *sion_scr_ranks_new(void);
/**
 * Free all ranks and their trees.
 *
 * @param ranks what sion_scr_ranks_new or sion_scr_map_read returned; NULL is ignored
 */
void sion_scr_ranks_free(sion_scr_ranks *ranks);
/**
 * Add a rank and its tree.
 *
 * @param ranks gets the rank
 * @param rank  not negative
 * @param tree  copied; may be empty
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: a negative rank, or a tree of more than 128 levels; SION_ERR_MEMORY
 */
int sion_scr_ranks_add(sion_scr_ranks *ranks, sion_int64 rank, const sion_kvtree *tree);
/**
 * Count the ranks.
 *
 * @param ranks the list
 * @return their number
 */
int sion_scr_ranks_count(const sion_scr_ranks *ranks);
/**
 * Get entry i, 0 <= i < count; after a map was read or written, the entries ascend by rank.
 *
 * @param ranks the list
 * @param i     number of the entry
 * @param rank  [out] its rank
 * @param tree  [out] a copy of its tree, which the caller frees with sion_kvtree_free; may be NULL
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: no such entry; SION_ERR_MEMORY
 */
int sion_scr_ranks_get(const sion_scr_ranks *ranks, int i, sion_int64 *rank, sion_kvtree **tree);

/**
 * Write a map: its root file and the files below. The task that has the first rank of a file writes
 * it.
 *
 * Collective. Missing folders are created. The root is written last: until then, an older map stays
 * as it was, and after any failure one of the two is there. Over an older map, the files are
 * written twice, first with names that the older one does not have.
 *
 * @param place   [collective] where the map is written
 * @param ranks   [local] this task's ranks, any number; the call sorts them. The lowest rank of a
 *                task must be above all ranks of the tasks before it. All tasks together need at
 *                least one.
 * @param options [collective] NULL: the defaults
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all tasks: SION_ERR_ARGUMENT: the ranks do not ascend, or there
 *         are none; SION_ERR_DAMAGED: a task has a rank twice; SION_ERR_SYSTEM
 */
int sion_scr_map_write(sion_scr_comm *comm, const struct sion_scr_place *place,
                       sion_scr_ranks *ranks, const struct sion_scr_map_options *options);

/**
 * Read a map of any layout, with any number of tasks.
 *
 * Collective. Task m of M gets ranks floor(m*N/M) .. floor((m+1)*N/M)-1 of N. The function looks
 * for the map in folder and folder/.scr; in a prefix it takes the map of the dataset that the index
 * calls the current one, or else the only one in folder/.scr/scr.dataset.*. A prefix whose index
 * cannot be read, or has no map for the current dataset, is an error.
 *
 * @param folder  [collective] where the map is; the value of task 0 counts
 * @param options [collective] NULL: the defaults
 * @return this task's ranks, which the caller frees with sion_scr_ranks_free; NULL on all tasks on
 *         an error: there is no map, or there are several (SION_ERR_ARGUMENT); files are missing
 *         (SION_ERR_SYSTEM); files are damaged or contradict each other, or names lead out of their
 *         folder (SION_ERR_DAMAGED)
 */
sion_scr_ranks *sion_scr_map_read(sion_scr_comm *comm, const char *folder,
                                  const struct sion_scr_map_options *options);

/* ---- datasets ---- */

/**
 * What SCR stores about a dataset. The caller owns the texts. name must be set. If user is NULL,
 * the system's name of the user is used; other texts that are NULL are omitted.
 */
struct sion_scr_dataset {
    int id;
    const char *name;
    sion_int64 created; /**< microseconds since 1970 */
    const char *user, *jobname, *jobid, *cluster;
    int ckpt;         /**< number of the checkpoint */
    sion_int64 files; /**< number of files of all ranks */
    sion_int64 size;  /**< bytes of all files */
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
 * checkpoint are 1. All others are 0 or NULL.
 *
 * Local.
 *
 * @param dataset [out] overwritten; texts are not copied
 * @param id      number of the dataset and of the checkpoint
 * @param name    name of the dataset; must live as long as dataset is used
 */
void sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name);

/**
 * Write summary.scr beside a map.
 *
 * Local, as the next two functions: one task calls it for all. A missing folder is created. An
 * existing file is replaced atomically.
 *
 * @param place   where the map is
 * @param dataset what to write
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: a name is too long; SION_ERR_SYSTEM; SION_ERR_MEMORY
 */
int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset);

/**
 * Record in PREFIX/.scr/flush.scr that a dataset exists, and whether it is also in the cache.
 *
 * The entries of other datasets stay, and so does the form of the file: that of SCR 1.1, which has
 * the name, or that of later releases. A new file gets the form of index.scr if that exists, or
 * else the form of the dataset's layout.
 *
 * @param prefix   SCR's prefix folder; created if it is missing
 * @param dataset  the call records its id, and its name if the form has one
 * @param in_cache not 0: the dataset is also in the cache of the nodes
 * @return as sion_scr_summary_write, and as sion_kvtree_read for an existing file;
 *         SION_ERR_VERSION: its form is unknown, and the file stays as it is
 */
int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache);

/**
 * Record a dataset in PREFIX/.scr/index.scr, with the time of its creation as the time of its
 * flush. A checkpoint becomes the current one.
 *
 * The entries of other datasets stay, and so does the form of the file. There are three forms: that
 * of SCR 1.1, that of 1.2 and 2.0, and that of 3. A new file gets the form of the dataset's layout.
 *
 * @param prefix  SCR's prefix folder; created if it is missing
 * @param dataset what to record
 * @return as sion_scr_flush_write; also SION_ERR_ARGUMENT: the name leads out of the prefix, or
 *         another dataset in the file has this number or name (never in SCR 1.1, where a dataset is
 *         in the folder of its name)
 */
int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset);

/* ---- the datasets in a prefix ---- */

/** A dataset as described by the index of a prefix. Its texts are valid during the visit. */
struct sion_scr_indexed {
    enum sion_scr_layout form; /**< form of the index: the layout of the releases that write it */
    int id;                    /**< 0: the index has no number for it */
    const char *name;          /**< "": none; otherwise any text from the file: do not trust it */
    int is_current;            /**< 1: SCR restarts from it */
    int complete;              /**< 1 or 0; -1: unknown */
    const char *flushed;       /**< time; NULL: unknown */
    const char *failed;        /**< time when SCR failed to fetch it; NULL: never */
    int is_checkpoint, is_output;
    sion_int64 files, size; /**< number of files, and bytes of all files; -1: unknown */
    const char *map;        /**< folder of the map, relative to the prefix; NULL: it has none */
    const char *problem;    /**< why SCR cannot use the entry; NULL: it can */
};

/**
 * Visit the datasets in PREFIX/.scr/index.scr of any of the three forms, in the order of their
 * numbers.
 *
 * Local, as all functions on indexes. Besides the index, the summary beside the map of each dataset
 * is read: a map that is of another dataset is none of this one, but a problem.
 *
 * @param prefix SCR's prefix folder
 * @param visit  called for each dataset; a result other than 0 ends the visits
 * @param user   passed to it
 * @return the number of datasets that were visited; -1: SION_ERR_ARGUMENT: there is no index;
 *         SION_ERR_VERSION: its form is unknown; SION_ERR_DAMAGED: also, after all were visited, if
 *         the current dataset is not one of them, or if there are none, but maps in the prefix;
 *         otherwise as sion_kvtree_read
 */
int sion_scr_index_visit(const char *prefix,
                         int (*visit)(void *user, const struct sion_scr_indexed *dataset),
                         void *user);

/**
 * Test whether there is an index.
 *
 * @param prefix SCR's prefix folder
 * @return SION_SUCCESS if PREFIX/.scr/index.scr exists, else SION_NOT_SUCCESS, without a message
 */
int sion_scr_index_exists(const char *prefix);

/**
 * Choose the dataset of the index from which SCR restarts.
 *
 * @param prefix SCR's prefix folder
 * @param name   of the dataset
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there is no index, or no such dataset in it; SION_ERR_DAMAGED,
 *         SION_ERR_SYSTEM: SCR could not use it: it has no map, its map is that of another dataset,
 * or nothing says whose it is; as sion_scr_index_write
 */
int sion_scr_index_make_current(const char *prefix, const char *name);

/**
 * Add a dataset of a prefix to its index, or correct its entry.
 *
 * The dataset must have a map, and summary.scr, from which number, name and everything else are
 * taken. The index keeps its form; a missing index is created in the form of the dataset's layout.
 * The dataset becomes the current one only if there is no current one.
 *
 * @param prefix SCR's prefix folder
 * @param name   of the dataset; in the layout of SCR 1.1 its folder, relative to the prefix
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there is no such dataset; as sion_scr_index_write
 */
int sion_scr_index_add(const char *prefix, const char *name);

/**
 * Add all datasets of a prefix that are missing in the index or have a wrong entry, as
 * sion_scr_index_add does.
 *
 * Entries whose map is that of another dataset now are removed; others stay. If no dataset is the
 * current one, the newest complete checkpoint becomes it.
 * An index that cannot be read is kept as index.scr.damaged, and a new one is created.
 *
 * @param prefix SCR's prefix folder
 * @param tell   called for each dataset that was added, corrected or removed, or for which this
 * failed; may be NULL
 * @param user   passed to it
 * @return SION_SUCCESS, also if some could not be added; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there is no dataset; as
 *         sion_scr_index_write
 */
int sion_scr_index_repair(const char *prefix,
                          void (*tell)(void *user, const char *name, int failed, const char *text),
                          void *user);

/**
 * Build the maps of datasets that a scavenge copied into a prefix, from the filemaps that it left:
 * fmap.N.scr, or filemap_N of SCR 3, in PREFIX/.scr/scr.dataset.ID, or in PREFIX/NAME/.scr, where SCR
 * 1.1 has them. Then repair the index, as sion_scr_index_repair does.
 *
 * A dataset whose map can be read, and whose summary does not say that it is incomplete, keeps both.
 * For every other one, each file is looked for where its META says, at its path in the cache, and by
 * its last part in the folder of the dataset, and compared with SIZE and COMPLETE. The map gets the
 * layout of the place, CRCs where the filemaps have them, and as many ranks as META says; summary.scr
 * is written from DSETDESC. If a file or rank is missing, or a file has a wrong size, the map marks
 * the file, and summary and index mark the dataset, as incomplete. Names do not lead out of the
 * prefix, or with the layout of SCR 1.1 the dataset's folder. No map is written if filemaps cannot be
 * read, or contradict each other. A map is there as a whole or not at all.
 *
 * @param prefix  SCR's prefix folder
 * @param dry_run 1: write nothing, and tell only of maps and summaries
 * @param tell    called for each map, for each file or rank that is missing or wrong (failed), and as
 *                sion_scr_index_repair does; may be NULL
 * @param user    passed to it
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there are no filemaps; SION_ERR_DAMAGED: a dataset is incomplete, or
 *         its map could not be built; as sion_scr_index_repair
 */
int sion_scr_index_build(const char *prefix, int dry_run,
                         void (*tell)(void *user, const char *name, int failed, const char *text),
                         void *user);

/** Which datasets sion_scr_index_drop takes out of an index. */
struct sion_scr_drop {
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
 * @param prefix SCR's prefix folder
 * @param what   which datasets
 * @param tell   called for each of them, and for the new current one; failed: its files, or some of
 *               them, are still there; may be NULL
 * @param user   passed to it
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: there is no index, no such dataset, or nothing is to be kept;
 *         SION_ERR_DAMAGED: also if delete_files is 1 and a map cannot be read, and then nothing is
 *         changed; SION_ERR_SYSTEM; as sion_scr_index_write
 */
int sion_scr_index_drop(const char *prefix, const struct sion_scr_drop *what,
                        void (*tell)(void *user, const char *name, int failed, const char *text),
                        void *user);

/* ---- maps of our containers ---- */

/** How to export a container. NULL, or a member that is 0, means the default. */
struct sion_scr_export_options {
    enum sion_scr_layout layout; /**< SION_SCR_LAYOUT_DATASET */
    const char *base; /**< default: the folder of the container, or for the other layouts the one
                         above it; the container must be below this folder */
    int id;           /**< number of the dataset; default: that which the container, or the dataset
                         of this name, has in the prefix, or else one more than the greatest */
    const char *name; /**< template for the names of the ranks' files, relative to base: %c is the
                         container's name, %r the rank, %% a %; default "%c.task.%r" */
    int no_crc;       /**< 1: do not compute CRCs of the data */
    int segments; /**< with SION_SCR_LAYOUT_3, 1: the map lists the ranks' files with segments, for
                     readers like sion_scr_fetch; 0: it lists the physical files, which SCR 3
                     accepts. The other layouts always have segments */
    int force;    /**< 1: also export a merged container */

    /** Name of the dataset; default: that of the map that the container has in the prefix without a
        number being given, else "scr.dataset.ID". With SION_SCR_LAYOUT_DATASET it must be the
        name of its folder, where SCR 1.1 looks for it. */
    const char *dataset;
    int no_checkpoint; /**< 1: SCR must not restart from it (1.2 and later) */
    int output;        /**< 1: it holds results, which SCR keeps (1.2 and later) */
    int index; /**< 1: also record it in index.scr of the prefix, as the current dataset, from which
                  SCR restarts. The prefix is the base, or with SION_SCR_LAYOUT_DATASET the folder
                  above it */
    struct sion_scr_map_options map;
};

/**
 * Write the map of a container, so that SCR can extract each rank's file from it.
 *
 * Local. The logical file of every task gets SIZE, CRC and a segment for each run of bytes in the
 * physical files; in a key-value container it is the raw stream. Its rank is the stored global rank
 * if these are unique, or else the number of the task; place-holders in buddy files are left out.
 * With SION_SCR_LAYOUT_3, the first task of each physical file gets that file, with SIZE and CRC,
 * and all other tasks get none, unless the options request segments: SCR 3 reads no segments. If
 * sion_scr_import created the container, the map is the imported one, with its names, ranks and
 * dataset, unless the options specify others. The function also writes summary.scr beside the map.
 * Time: O(chunks), and a pass over the data for the CRCs.
 *
 * SCR cannot restart from a merged container (cmerge), because the collectors hold the bytes of all
 * tasks. The function recognises such a container by its sizes: tasks without data follow one with
 * room for theirs.
 *
 * @param container name of file 0
 * @param options   NULL: the defaults
 * Before anything is written, number and name are compared with those in the index and of all maps
 * in the prefix. Except with SION_SCR_LAYOUT_DATASET, where the dataset is the folder, those of
 * another dataset are refused, and so is replacing the map of other files that are there.
 *
 * @return SION_SUCCESS; SION_NOT_SUCCESS: also SION_ERR_ARGUMENT if the container is not below base, or number or
 *         name are those of another dataset, and SION_ERR_MODE if it is merged and options->force
 * is 0, or if the index is that of a release of SCR that looks for maps of another layout
 */
int sion_scr_export(const char *container, const struct sion_scr_export_options *options);

/**
 * Write the map of an open container when it closes.
 *
 * Local, but all processes must call it, with equal options, before they write. An existing map is
 * removed, because the container that it describes no longer exists; if it was opened with
 * "atomic", at the close, before the container is replaced. The container's parclose, which is
 * collective, writes the new map as sion_scr_export would; if that fails, the parclose fails, but
 * the data of the container are complete. CRCs are computed from the bytes as they are written.
 * Only what was written through an exported FILE* or descriptor is read back, once, at the close.
 *
 * Options that are not set are taken from the environment: SION_SCR_LAYOUT (dataset, prefix or
 * scr3), SION_SCR_DATASET, SION_SCR_ID, SION_SCR_FLAGS (a list of checkpoint and output) and
 * SION_SCR_INDEX (1). This way SCR can restart a program that writes without SCR.
 *
 * With SION_SCR_LAYOUT_3 and no segments, all processes together read the physical files once, at
 * the close, to compute their CRCs.
 *
 * After a failure the function can be called again. If the last call failed on some processes only,
 * the parclose fails on all, with the reason of the first of them. If it failed on all, no map is
 * written, and the parclose is not affected.
 *
 * @param sid     [local] a container opened in parallel for writing, by any interface, mapped or not
 * @param options [collective] NULL: the defaults
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_HANDLE, SION_ERR_MODE (another kind of container, already attached,
 *         merged and options->force is 0, or, on the first task, an index of a release that looks
 *         for maps of another layout), SION_ERR_ARGUMENT (not below base, or, on the first task,
 *         number or name of another dataset), SION_ERR_SYSTEM, SION_ERR_MEMORY
 */
int sion_scr_attach(int sid, const struct sion_scr_export_options *options);

/* ---- from a map to files ---- */

/** What happened to a file while a map is checked, fetched or imported. */
enum sion_scr_remark {
    SION_SCR_DONE,    /**< text: the name of the new file */
    SION_SCR_SKIPPED, /**< text: why */
    SION_SCR_FAILED   /**< text: why; the file is not in the result */
};

/** What is wrong with a file of a map, or with the map or its summary (the rank is -1 then). */
enum sion_scr_fault {
    SION_SCR_FAULT_ENTRY,      /**< its entry in the map */
    SION_SCR_FAULT_INCOMPLETE, /**< it is marked as incomplete */
    SION_SCR_FAULT_FILE,    /**< a file that holds its bytes is missing, truncated or unreadable */
    SION_SCR_FAULT_SIZE,    /**< it has another size */
    SION_SCR_FAULT_CRC,     /**< it has another CRC */
    SION_SCR_FAULT_OVERLAP, /**< it shares bytes with another file, or has some bytes twice */
    SION_SCR_FAULT_RANKS,   /**< a file of the map has another number of ranks than there are; or,
                                 for SCR 1.1, a rank has no file */
    SION_SCR_FAULT_SUMMARY, /**< summary.scr is missing or damaged, or does not agree with the map
                             */
    SION_SCR_FAULTS         /**< their number */
};

/** How to fetch or check. NULL, or a member that is 0, means the default. */
struct sion_scr_fetch_options {
    int force;  /**< 1: accept files that are marked as incomplete */
    int no_crc; /**< 1: do not compare CRCs */
    int plain;  /**< import: 1: keep no names, and nothing of the dataset */
    struct sion_scr_map_options map;

    /** Called on the task that has the file, for every file with a remark. */
    void (*tell)(void *user, enum sion_scr_remark remark, sion_int64 rank, const char *file,
                 const char *text);
    void *user; /**< passed to it */

    /** sion_scr_check calls it instead of tell, for every faulty file. NULL: it calls tell. */
    void (*fault)(void *user, enum sion_scr_fault fault, sion_int64 rank, const char *file,
                  const char *text);
    void *fault_user; /**< passed to it */
};

/**
 * Extract every rank's files, as located by the map: in SCR's containers, in a Scion container, or
 * as plain files.
 *
 * Collective; the ranks are divided as in sion_scr_map_read. A file that fails is reported and
 * removed, and the other files are still fetched. A file that shares bytes with another one fails,
 * if both belong to ranks of the same task.
 *
 * @param folder  [collective] where the map is; the value of task 0 counts
 * @param out     [local] folder for the new files, created if it is missing; they keep their relative
 *                names. An existing file is not replaced; it makes the call fail
 * @param options [local] NULL: the defaults; its member map must be equal on all tasks
 * @return SION_SUCCESS if all files were fetched; else SION_NOT_SUCCESS on all tasks
 */
int sion_scr_fetch(sion_scr_comm *comm, const char *folder, const char *out,
                   const struct sion_scr_fetch_options *options);

/**
 * Check a map: the tree is complete, every segment is inside its file, no two segments overlap,
 * sizes and CRCs are right, and, unless options->force is set, no file is marked as incomplete.
 * Also what SCR refuses: RANKS of a file of the map that is not the number of ranks, summary.scr
 * that is missing, damaged, marked as incomplete, or says other numbers of files and bytes, and in
 * the layout of SCR 1.1 a rank without a file.
 *
 * Local. Every fault is reported. O(segments) memory, O(n log n) time, and a pass over the data for
 * the CRCs.
 *
 * @param folder  where the map is
 * @param options NULL: the defaults, and nothing is reported
 * @return SION_SUCCESS: no faults; SION_NOT_SUCCESS: SION_ERR_DAMAGED: a file has a fault; as sion_scr_map_read if no map can be
 *         read
 */
int sion_scr_check(const char *folder, const struct sion_scr_fetch_options *options);

/**
 * Add SIZE and CRC of every file to a map that lacks them, like the maps that SCR 3 writes; SCR 3
 * accepts them. Values that the map already has are compared with the file. Entries with segments
 * stay as they are.
 *
 * Collective; the ranks are divided as in sion_scr_map_read. Nothing is changed before all files
 * have been read. Then rank 0 replaces the map's files one by one, each atomically: at any time
 * there is a map that SCR accepts.
 *
 * If folder is a prefix with several datasets, all maps in PREFIX/.scr/scr.dataset.* are sealed,
 * one after the other. Task 0 reports each of them, by its folder and the rank -1; if one fails,
 * the others are still sealed.
 *
 * @param folder  [collective] where the map is; the value of task 0 counts
 * @param options [collective] NULL: the defaults. no_crc: add SIZE only; force: files that are marked as
 *                incomplete stay as they are
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all tasks: a file is missing (SION_ERR_SYSTEM), differs, or is
 *         incomplete (SION_ERR_DAMAGED); otherwise as sion_scr_map_read
 */
int sion_scr_seal(sion_scr_comm *comm, const char *folder,
                  const struct sion_scr_fetch_options *options);

/**
 * Write a container of one task for each file of a map, in the order of ranks and names in the map.
 *
 * Local. The stored global ranks are those of the map if every rank has one file, or else the
 * numbers of the tasks. All files are needed: if one fails, no container is left.
 *
 * Names, ranks and the dataset (from summary.scr beside the map) are kept in one additional task
 * after the others, whose global rank is -1, unless sion_scr_export makes such a map anyway: one
 * file of each rank, called CONTAINER.task.RANK, of dataset 1. From it sion_scr_export makes the
 * same map again. A program with as many processes as the map has ranks can open the container in
 * parallel only without this task: set `plain` for that.
 *
 * @param folder    where the map is looked for
 * @param container name of the new container; a file of that name must not exist
 * @param options   NULL: the defaults. Their functions are not called: the first file that fails
 *                  ends the import
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: the container exists, or the map names no files; as sion_scr_fetch
 */
int sion_scr_import(const char *folder, const char *container,
                    const struct sion_scr_fetch_options *options);

/* ---- SCR's containers ---- */

/** A file to be packed. */
struct sion_scr_file {
    sion_int64 rank;  /**< rank that owns it */
    const char *path; /**< where it is now; its last part is its name in the dataset */
};

/** How to pack. NULL, or a member that is 0, means the default. */
struct sion_scr_pack_options {
    const char *prefix; /**< also record the dataset in flush.scr and index.scr of this folder; the
                             form of the index then decides where the map is */
    int id;             /**< number of the dataset; default: with a prefix as in
                             sion_scr_export_options, else 1 */
    struct sion_scr_map_options map;
};

/**
 * Pack files into containers of SCR, which are .scr/ctr.0.scr and so on in the dataset's folder,
 * and write the map and summary.scr.
 *
 * The map has the layout of SCR 1.1; with the index of SCR 1.2 or 2.0 in options->prefix, it has
 * the layout of these. SCR 3 reads no containers of its older releases.
 *
 * Collective. The files are stored one after the other: node by node (in the order of the nodes'
 * first tasks), task by task, file by file. MPI, or SION_NODE in a task's environment, tells which
 * tasks share a node. The files are written beside an older dataset of this folder, and replace it
 * when all are complete. Only one pack at a time works in a folder: it has locked .scr/pack.lock.
 *
 * @param folder  [collective] folder of the dataset, whose name is that of the dataset; created if it is
 *                missing
 * @param size    [collective] bytes of a container, > 0; the last one is shorter
 * @param files   [local] the n files of this task; ranks ascend over all tasks, and the names of one
 *                rank's files differ. May be NULL if n is 0
 * @param n       [local] number of files of this task; may be 0
 * @param options [collective] NULL: the defaults
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all tasks: SION_ERR_ARGUMENT: also if a file is one of those that
 *         would be replaced, or number or name are those of another dataset; SION_ERR_MODE: the
 * prefix is that of SCR 3; SION_ERR_SYSTEM: also if another process packs into this folder
 */
int sion_scr_pack(sion_scr_comm *comm, const char *folder, sion_int64 size,
                  const struct sion_scr_file *files, int n,
                  const struct sion_scr_pack_options *options);

/* ---- filemaps: what is in the cache of a node ---- */

/** A file in the cache. The caller owns the texts, which must be set unless a comment allows NULL.
 */
struct sion_scr_cached_file {
    const char *path; /**< where it is, absolute */
    const char *name; /**< its name in the dataset */
    const char *orig; /**< the name that the application gave it; NULL: name */
    const char *home; /**< the folder that it belongs to */
    int ranks;        /**< number of ranks of the job */
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
    int preserve, container; /**< how SCR shall flush the dataset */
};

/**
 * Add a file of a rank to a map: { DSET -> d -> RANK, RANK -> r -> DSET -> d -> { FILES, FILE } }.
 * Local, as the next function. An existing entry is replaced.
 *
 * @param map     gets the file; what sion_kvtree_new or sion_scr_filemap_read returned
 * @param dataset id of the dataset
 * @param rank    rank that owns the file
 * @param file    copied
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_MEMORY
 */
int sion_scr_filemap_add(sion_kvtree *map, int dataset, sion_int64 rank,
                         const struct sion_scr_cached_file *file);

/**
 * Describe a rank's dataset in a map.
 *
 * @param map        as for sion_scr_filemap_add
 * @param dataset    copied; identified by its id
 * @param rank       rank whose part is described
 * @param redundancy copied, with all texts set; NULL: the redundancy is not described
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_MEMORY
 */
int sion_scr_filemap_describe(sion_kvtree *map, const struct sion_scr_dataset *dataset,
                              sion_int64 rank, const struct sion_scr_redundancy *redundancy);

/**
 * Write the maps of all processes: filemap_<n>.scrinfo by the nth process on each node, and
 * filemap.scrinfo, which names them, by the first.
 *
 * Collective.
 *
 * @param folder [local] this process's control folder; created if it is missing
 * @param map    [local] this process's map; not changed
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all processes: SION_ERR_ARGUMENT, SION_ERR_SYSTEM,
 *         SION_ERR_MEMORY
 */
int sion_scr_filemap_write(sion_scr_comm *comm, const char *folder, const sion_kvtree *map);

/**
 * Read the maps of a node into one: those that filemap.scrinfo names, or where there is none, as in
 * the folder scr.dataset.ID/.scr of the cache of SCR 3, or after a scavenge, all filemap_RANK and
 * fmap.RANK.scr. All give the same keys.
 *
 * Local. If two maps have a file with different contents of META, the later one counts, with a
 * warning.
 *
 * @param folder        the folder of filemap.scrinfo
 * @param allow_outside 0: read the maps from this folder, even if filemap.scrinfo names another
 *                      one; 1: read them from where filemap.scrinfo says
 * @return the map, which the caller frees with sion_kvtree_free; NULL: as sion_kvtree_read, for any
 *         of the files
 */
sion_kvtree *sion_scr_filemap_read(const char *folder, int allow_outside);

#ifdef __cplusplus
}
#endif

#endif
