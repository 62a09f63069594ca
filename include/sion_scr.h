/**
 * @file sion_scr.h
 * Files of SCR, the Scalable Checkpoint/Restart library: rank2file maps, containers, filemaps; and
 * maps through which SCR understands our containers. This header includes sion_scr_dataset.h, for
 * the datasets in a prefix and its index, and sion_kvtree.h, for the trees of keys of which all
 * files of SCR consist.
 *
 * This header goes beyond SIONlib 1.7. Its functions are in a library of their own (libsionscr_64.a
 * or libsion_scr.so; sion_scr_mpi.h declares what needs MPI), which uses the common, serial and
 * generic interfaces and zlib.
 *
 * Functions return SION_SUCCESS or an object, or after a failure SION_NOT_SUCCESS or NULL, with a
 * message, whose code is named here (sion_error.h). Functions that take a communicator are
 * collective over it, and return the same failure on all its tasks, of which one prints the message;
 * with the communicator of sion_scr_comm_self() they are serial. In their descriptions, [collective]
 * marks a parameter that must be equal on all tasks, and [local] one that every task chooses for
 * itself.
 *
 * Pointers must not be NULL unless a comment allows it. The library does not keep texts and options
 * after the call. Structs of a program begin with their size, which SION_INIT sets. A function fails
 * with SION_ERR_ARGUMENT if the size is not set, and with SION_ERR_VERSION if a member that this
 * version of the library does not know is not 0.
 *
 * @param comm [local] the communicator of the tasks that call the function together; not freed
 * @threads different objects may be used by different threads at once
 * @see doc/scr.md
 */
#ifndef SION_SCR_H
#define SION_SCR_H

#include <stddef.h>
#include <stdio.h>

#include "sion_datatypes.h"
#include "sion_error.h"
#include "sion_kvtree.h"
#include "sion_scr_dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- communicators ---- */

/** The tasks that call a collective function of this header together. */
typedef struct scion_comm sion_scr_comm;

/** Create a communicator of this task alone. Local. NULL with a message: out of memory. */
sion_scr_comm *sion_scr_comm_self(void);

/**
 * Create a communicator of the tasks of an application's own group, from the callbacks of an
 * interface that sion_generic_create_api created. All messages go through rank 0, a few MiB at a
 * time. Local.
 *
 * @param aid   the interface, with all callbacks that sion_generic_paropen needs
 * @param group the application's communicator; must live until the communicator is freed
 * @param rank  the caller's rank in group
 * @param size  the number of tasks in group
 * @return the communicator; NULL: SION_ERR_HANDLE: no such interface; SION_ERR_ARGUMENT: callbacks
 *         are missing, or no such rank; SION_ERR_MEMORY
 */
sion_scr_comm *sion_scr_comm_generic(int aid, void *group, int rank, int size);

/**
 * Free a communicator. Collective over it if sion_scr_comm_mpi created it.
 *
 * @param comm what a function of this header or of sion_scr_mpi.h created; NULL is ignored
 */
void sion_scr_comm_free(sion_scr_comm *comm);

/* ---- rank2file maps ---- */

/** About how many bytes of a map one process reads at most; a file may have twice as many. */
#define SION_SCR_SEGMENT 1048576

/** How to write or read a map. NULL, or a member that is 0, means the default. */
struct sion_scr_map_options {
    size_t size;        /**< of this struct: SION_INIT sets it */
    sion_int64 segment; /**< writing: bytes; the default is SION_SCR_SEGMENT */
    int wrapper;        /**< writing: 1: leaves have all their keys below RANK2FILE */
    int allow_outside;  /**< reading: 1: names may be absolute, have ".." in them, or be links to
                             elsewhere */
    const char *base;   /**< reading: folder that names are relative to, not the one found */
};

/** Per-rank trees of a map: { FILE -> { name -> { SIZE, CRC, SEG } } }. */
typedef struct sion_scr_ranks sion_scr_ranks;

/** Create an empty list of ranks. Local, as all functions on ranks. NULL: out of memory. */
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
 * @param rank  0 to 2147483647
 * @param tree  copied; may be empty
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: another rank, or a tree of more than
 *         128 levels; SION_ERR_MEMORY
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
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all tasks: SION_ERR_ARGUMENT: the ranks do not ascend,
 *         or there are none; SION_ERR_DAMAGED: a task has a rank twice; SION_ERR_SYSTEM
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

/* ---- maps of our containers ---- */

/** How to export a container. NULL, or a member that is 0, means the default. */
struct sion_scr_export_options {
    size_t size;                 /**< of this struct: SION_INIT sets it */
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
    const struct sion_scr_map_options *map; /**< NULL: the defaults */
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
 * dataset, unless the options specify others. The function also writes summary.scr next to the map.
 * Time: O(chunks), and a pass over the data for the CRCs.
 *
 * SCR cannot restart from a merged container (cmerge), because the collectors hold the bytes of all
 * tasks. The function recognises such a container by its sizes: tasks without data follow one with
 * room for theirs.
 *
 * Before anything is written, number and name are compared with those in the index and of all maps
 * in the prefix. Except with SION_SCR_LAYOUT_DATASET, where the dataset is the folder, those of
 * another dataset are refused, and so is replacing the map of other files that are there.
 *
 * @param fname   the container: name of its file 0
 * @param options NULL: the defaults
 * @return SION_SUCCESS; SION_NOT_SUCCESS: the codes of a serial open; SION_ERR_ARGUMENT: also if
 *         the container is not below base, or number or name are those of another dataset;
 *         SION_ERR_MODE: it is merged and options->force is 0, or the index is that of a release of
 *         SCR that looks for maps of another layout
 */
int sion_scr_export(const char *fname, const struct sion_scr_export_options *options);

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
 * @param sid     [local] a container opened in parallel for writing, by any interface, mapped or
 *                not
 * @param options [collective] NULL: the defaults
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_HANDLE, SION_ERR_MODE (another kind of
 *         container, already attached, merged and options->force is 0, or, on the first task, an
 *         index of a release that looks for maps of another layout), SION_ERR_ARGUMENT (not below
 *         base, or, on the first task, number or name of another dataset), SION_ERR_SYSTEM,
 *         SION_ERR_MEMORY
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
    size_t size; /**< of this struct: SION_INIT sets it */
    int force;  /**< 1: accept files that are marked as incomplete */
    int no_crc; /**< 1: do not compare CRCs */
    int plain;  /**< import: 1: keep no names, and nothing of the dataset */
    const struct sion_scr_map_options *map; /**< NULL: the defaults */

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
 * @param out     [local] folder for the new files, created if it is missing; they keep their
 *                relative names. An existing file is not replaced; it makes the call fail
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
 * @return SION_SUCCESS: no faults; SION_NOT_SUCCESS: SION_ERR_DAMAGED: a file has a fault; as
 *         sion_scr_map_read if no map can be read
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
 * @param options [collective] NULL: the defaults. no_crc: add SIZE only; force: files that are
 *                marked as incomplete stay as they are
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all tasks: a file is missing (SION_ERR_SYSTEM),
 *         differs, or is incomplete (SION_ERR_DAMAGED); otherwise as sion_scr_map_read
 */
int sion_scr_seal(sion_scr_comm *comm, const char *folder,
                  const struct sion_scr_fetch_options *options);

/**
 * Write a container of one task for each file of a map, in the order of ranks and names in the map.
 *
 * Local. The stored global ranks are those of the map if every rank has one file, or else the
 * numbers of the tasks. All files are needed: if one fails, no container is left.
 *
 * Names, ranks and the dataset (from summary.scr next to the map) are kept in one additional task
 * after the others, whose global rank is -1, unless sion_scr_export makes such a map anyway: one
 * file of each rank, called CONTAINER.task.RANK, of dataset 1. From it sion_scr_export makes the
 * same map again. A program with as many processes as the map has ranks can open the container in
 * parallel only without this task: set `plain` for that.
 *
 * @param folder  where the map is, as for sion_scr_map_read
 * @param fname   name of the new container; a file of that name must not exist
 * @param options NULL: the defaults. Their functions are not called: the first file that fails ends
 *                the import
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: the container exists, or the map names
 *         no files; as sion_scr_fetch
 */
int sion_scr_import(const char *folder, const char *fname,
                    const struct sion_scr_fetch_options *options);

/* ---- SCR's containers ---- */

/** How to pack. NULL, or a member that is 0, means the default. */
struct sion_scr_pack_options {
    size_t size;        /**< of this struct: SION_INIT sets it */
    const char *prefix; /**< also record the dataset in flush.scr and index.scr of this folder; the
                             form of the index then decides where the map is */
    int id;             /**< number of the dataset; default: with a prefix as in
                             sion_scr_export_options, else 1 */
    const struct sion_scr_map_options *map; /**< NULL: the defaults */
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
 * tasks share a node. The files are written next to an older dataset of this folder, and replace it
 * when all are complete. Only one pack at a time works in a folder: it has locked .scr/pack.lock.
 *
 * @param folder  [collective] folder of the dataset, whose name is that of the dataset; created if
 *                it is missing
 * @param n       [local] number of files of this task; may be 0
 * @param ranks   [local] n ranks that own the files; they ascend over all tasks. May be NULL if n
 *                is 0
 * @param paths   [local] n names of files; the last part of each is its name in the dataset, and
 *                those of one rank differ. May be NULL if n is 0
 * @param bytes   [collective] size of a container, > 0; the last one is shorter
 * @param options [collective] NULL: the defaults
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all tasks: SION_ERR_ARGUMENT: also if a file is one of
 *         those that would be replaced, or number or name are those of another dataset;
 *         SION_ERR_MODE: the prefix is that of SCR 3; SION_ERR_SYSTEM: also if another process
 *         packs into this folder
 */
int sion_scr_pack(sion_scr_comm *comm, const char *folder, int n, const sion_int64 *ranks,
                  const char *const *paths, sion_int64 bytes,
                  const struct sion_scr_pack_options *options);

/* ---- filemaps: what is in the cache of a node ---- */

/** A file in the cache. The caller owns the texts, which must be set unless a comment allows NULL.
 */
struct sion_scr_cached_file {
    size_t size;      /**< of this struct: SION_INIT sets it */
    const char *path; /**< where it is, absolute */
    const char *name; /**< its name in the dataset */
    const char *orig; /**< the name that the application gave it; NULL: name */
    const char *home; /**< the folder that it belongs to */
    int ranks;        /**< number of ranks of the job */
    sion_int64 bytes; /**< its size */
    int complete;     /**< 1 or 0 */
    int has_crc;      /**< 1: crc is known */
    unsigned int crc; /**< as computed by zlib's crc32() */
};

/** How the cache is protected. The caller owns the texts, which must be set. */
struct sion_scr_redundancy {
    size_t size; /**< of this struct: SION_INIT sets it */
    int enabled, interval;
    const char *store, *directory; /**< of the cache */
    const char *type;              /**< SINGLE, PARTNER, XOR */
    int groups, group_id, group_size, group_rank;
    int preserve, container; /**< how SCR shall flush the dataset */
};

/**
 * Add a file of a rank to a map: { DSET -> d -> RANK, RANK -> r -> DSET -> d -> { FILES, FILE } }.
 * An entry of the same path is replaced.
 *
 * Local.
 *
 * @param map  gets the file; what sion_kvtree_new or sion_scr_filemap_read returned
 * @param id   number of the dataset
 * @param rank rank that owns the file
 * @param file what is known of it; copied
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT, SION_ERR_MEMORY
 */
int sion_scr_filemap_add(sion_kvtree *map, int id, sion_int64 rank,
                         const struct sion_scr_cached_file *file);

/**
 * Describe a rank's dataset in a map.
 *
 * Local.
 *
 * @param map        as for sion_scr_filemap_add
 * @param dataset    the dataset, identified by its id; copied
 * @param rank       rank whose part is described
 * @param redundancy copied; NULL: the redundancy is not described
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT, SION_ERR_MEMORY
 */
int sion_scr_filemap_describe(sion_kvtree *map, const struct sion_scr_dataset *dataset,
                              sion_int64 rank, const struct sion_scr_redundancy *redundancy);

/**
 * Write the maps of all tasks: filemap_<n>.scrinfo by the nth task on each node, and
 * filemap.scrinfo, which names them, by the first.
 *
 * Collective.
 *
 * @param map    [local] this task's map; not changed
 * @param folder [local] this task's control folder; created if it is missing
 * @return SION_SUCCESS; SION_NOT_SUCCESS on all tasks: SION_ERR_ARGUMENT: a name is too long, or
 *         the map has more than 128 levels; SION_ERR_SYSTEM; SION_ERR_MEMORY; SION_ERR_COMM
 */
int sion_scr_filemap_write(sion_scr_comm *comm, const sion_kvtree *map, const char *folder);

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
 *         of the files; SION_ERR_SYSTEM: also if there are none
 */
sion_kvtree *sion_scr_filemap_read(const char *folder, int allow_outside);

#ifdef __cplusplus
}
#endif

#endif
