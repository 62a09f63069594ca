/**
 * @file sion_array.h
 * Arrays in containers: named, typed, with a global shape, written by blocks and read by any part.
 *
 * Every task writes the blocks that it has into its own stream, as records that describe
 * themselves. Nothing is collective between open and close. Readers need no MPI, and any number of
 * processes may read any part.
 *
 *     sion_int64 shape[] = {1024, 1024}, offset[] = {256 * rank, 0}, count[] = {256, 1024};
 *     sion_array_define(sid, "T", SION_F64, 2, shape);
 *     sion_array_set_attribute(sid, "T", "units", "K");
 *     sion_array_put(sid, "T", step, offset, count, SION_F64, field, 256 * 1024 * sizeof *field);
 *     ...
 *     sion_array_reader *arrays = sion_array_reader_open("x.sion");
 *     sion_array_reader_get(arrays, "T", step, from, n, SION_F64, part, sizeof part);
 *     sion_array_reader_close(arrays);
 *
 * This header goes beyond SIONlib 1.7. Its functions are in a library of their own
 * (libsionarray_64, libsion_array). The sid is one of a container that is open for writing by any
 * interface: MPI, OpenMP, both, serial or generic; key-value containers, merged ones (cmerge) and
 * buddy checkpoints are refused. A container with arrays is an ordinary container: all tools work
 * on it, and the application may write other bytes between the records. All functions are local; a
 * failure prints one message (sion_error.h). Dimensions are in C's order: the last index changes
 * fastest.
 *
 * @param sid    a container that is open for writing
 * @param arrays what sion_array_reader_open returned
 * @threads different sids, and different handles, may be used by different threads at once
 * @see doc/arrays.md
 */
#ifndef SION_ARRAY_H
#define SION_ARRAY_H

#include <stddef.h>

#include "sion_const.h"
#include "sion_datatypes.h"
#include "sion_error.h"

/* Most dimensions of an array; most bytes of its name. */
#define SION_ARRAY_DIMS 8
#define SION_ARRAY_NAME 1023

/* In place of a step: the latest step that has an element, for each element. */
#define SION_ARRAY_NEWEST (-1)

#ifdef __cplusplus
extern "C" {
#endif

/** Types of elements. */
enum sion_array_type {
    SION_I8 = 1,   /**< integers with a sign, of 8 bits */
    SION_U8 = 2,   /**< without a sign */
    SION_I16 = 3,  /**< 16 bits */
    SION_U16 = 4,  /**< 16 bits, no sign */
    SION_I32 = 5,  /**< 32 bits */
    SION_U32 = 6,  /**< 32 bits, no sign */
    SION_I64 = 7,  /**< 64 bits */
    SION_U64 = 8,  /**< 64 bits, no sign */
    SION_F32 = 9,  /**< float */
    SION_F64 = 10, /**< double */
    SION_C64 = 11, /**< two floats */
    SION_C128 = 12 /**< two doubles */
};

/** A number of an array's type: the member for that type is set. */
union sion_array_value {
    sion_int64 i;         /**< SION_I8 to SION_I64 */
    unsigned long long u; /**< SION_U8 to SION_U64 */
    double f;             /**< SION_F32, SION_F64 */
};

/** Properties of an array. */
struct sion_array_info {
    size_t size;                       /**< of this struct: SION_INIT sets it */
    int type;                          /**< enum sion_array_type */
    int ndims;                         /**< dimensions */
    sion_int64 shape[SION_ARRAY_DIMS]; /**< elements in each */
    sion_int64 element_size;           /**< bytes of an element */
    sion_int64 blocks;                 /**< blocks of all steps that have elements */
    sion_int64 bytes;                  /**< bytes in all blocks */
    sion_int64 steps;                  /**< steps that were put, also without elements */
    int has_range; /**< 1: low and high are known, from the index of all blocks */
    union sion_array_value low, high; /**< smallest and largest element; NaN does not count */
    sion_int64 stored; /**< bytes that the blocks take in the container: of compressed ones fewer */
    const char *codec; /**< of the blocks, as for sion_array_codec, without a level; "": they are
                          not compressed; "mixed": they differ */
};

/** One block, and where it is. */
struct sion_array_block {
    size_t size;         /**< of this struct: SION_INIT sets that of the first one of a list */
    sion_int64 step;     /**< its step */
    int task;            /**< the task that wrote it */
    const char *file;    /**< its physical file; owned by the handle */
    sion_int64 position; /**< offset of its data in the file; -1: they are not in one piece, or are
                              compressed */
    sion_int64 bytes;    /**< of its data */
    int big_endian;      /**< 1: high bytes first */
    sion_int64 offset[SION_ARRAY_DIMS]; /**< its first element */
    sion_int64 count[SION_ARRAY_DIMS];  /**< its elements in each dimension */
    int has_range;                      /**< 1: low and high are known */
    union sion_array_value low, high;   /**< smallest and largest element */
    sion_int64 stored;          /**< bytes of its data in the file; of compressed ones fewer */
    sion_int64 stored_position; /**< offset of these in the file; -1: they are not in one piece */
    const char *codec;          /**< as of sion_array_info; doc/arrays.md says how to undo it */
};

/** The arrays of a container. */
typedef struct sion_array_reader sion_array_reader;

/* ---- writing ---- */

/**
 * Define an array.
 *
 * Local; every task must define the same arrays before it puts blocks into them, even if it has no
 * blocks. The close compares the definitions: if they differ, or a task has not defined any while
 * others have, it fails on all tasks. The data are in the container then, too, but not the index.
 * In a container that is written on (mode "a"), an array keeps its type and its shape.
 *
 * @param name  1 to SION_ARRAY_NAME bytes of UTF-8 without control characters; copied
 * @param type  enum sion_array_type
 * @param ndims number of dimensions, 0 to SION_ARRAY_DIMS; 0: one number
 * @param shape [ndims] elements in each dimension, >= 0
 * @return SION_SUCCESS, also if the same definition was made before; SION_NOT_SUCCESS with a
 *         message
 */
int sion_array_define(int sid, const char *name, int type, int ndims, const sion_int64 *shape);

/**
 * Write one block of an array into the selected task's stream.
 *
 * Local. A task may put any number of blocks, of any steps in any order, with gaps between them and
 * over each other: where blocks of a step overlap, that of the task with the higher number counts,
 * and of blocks of one task, the last one put. A block that does not fit into the rest of the chunk
 * goes into the next one; a block that is larger than a chunk is written as several, cut in the
 * slowest dimension. A block without elements has a header, too, so that its step is there; in
 * chunks that have no room for a header, it is not written.
 *
 * @param name   as defined
 * @param step   >= 0
 * @param offset [ndims] the block's first element in the array
 * @param count  [ndims] its elements in each dimension
 * @param type   enum sion_array_type of the data, which must be that of the array
 * @param data   [in] the elements without gaps, the last dimension fastest; they may be in memory
 * of a CUDA or HIP device (sion(7)); may be NULL if bytes is 0
 * @param bytes  of data: at least as many as the block has
 * @return SION_SUCCESS; SION_NOT_SUCCESS with a message: not defined, of another type, not within
 *         the shape, fewer bytes than the block has, no space, a chunk that has no room for one
 *         element
 */
int sion_array_put(int sid, const char *name, sion_int64 step, const sion_int64 *offset,
                   const sion_int64 *count, int type, const void *data, size_t bytes);

/**
 * Choose whether a CRC of the data is stored with each block that is put from now on.
 *
 * Local. The default is SION_ARRAY_CRC in the environment, or else no. `sionarray stats` compares
 * the CRCs.
 *
 * @param on not 0: store it
 * @return SION_SUCCESS; SION_NOT_SUCCESS with a message if the sid cannot have arrays
 */
int sion_array_set_crc(int sid, int on);

/**
 * Choose whether the smallest and largest element of each block that is put from now on are
 * searched and stored.
 *
 * Local. The default is SION_ARRAY_RANGE in the environment, or else yes.
 *
 * @param on 0: do not search them
 * @return as sion_array_set_crc
 */
int sion_array_set_range(int sid, int on);

/**
 * Choose how the blocks of an array are compressed that are put from now on.
 *
 * Local. All tasks do it, after sion_array_define and before the first block of the array: the
 * close compares it as the definitions, but for the level. Each block is compressed by itself while
 * it is put, and a read decompresses the blocks that it needs, as a whole; so they should be
 * neither tiny nor much larger than what is read at a time. A task needs memory for a compressed
 * and a shuffled copy of its largest block until the close. Of a block that does not shrink, zstd
 * stores the bytes as they are. Older versions of Scion do not read such arrays: they report
 * damaged headers and find no array.
 *
 * @param name  of the array
 * @param codec "zstd" or "zstd:LEVEL", level 1 if there is none, up to 22, negative ones are
 *              faster. Behind that perhaps ",shuffle": first come the first bytes of all elements
 *              of a block, then their second ones, and so on, which of numbers is mostly much
 *              smaller. "zfp:accuracy=NUMBER", of floats and doubles in 1 to 4 dimensions: each
 *              element that is read differs by at most that number. "zfp:rate=BITS": each takes
 *              about so many bits, and differs by whatever that needs. Or "none"
 * @return SION_SUCCESS; SION_NOT_SUCCESS with a message: the array is not defined, or has blocks,
 *         or cannot have this codec, or the library for it is missing
 */
int sion_array_codec(int sid, const char *name, const char *codec);

/**
 * Store a text with an array, or with the container.
 *
 * Local. One task may do it, or all do the same: the close fails if two tasks give a key different
 * values. The value of the key _FillValue is the number that readers get for elements that no block
 * has, such as "-1" or, of complex types, "1.5-2j" (without an imaginary part, that is 0); the
 * default is 0 for integers and NaN for other types.
 *
 * @param name  an array that is defined; NULL: the container
 * @param key   1 to SION_ARRAY_NAME bytes of UTF-8; copied
 * @param value up to 65535 bytes of UTF-8; copied
 * @return SION_SUCCESS; SION_NOT_SUCCESS with a message: not UTF-8, too long, or no number where
 *         one is needed
 */
int sion_array_set_attribute(int sid, const char *name, const char *key, const char *value);

/* ---- reading ---- */

/**
 * Open the arrays of a container, of one file or of a set.
 *
 * Local: each process that reads opens them, without MPI. The call reads the index; if there is
 * none, it reads the headers of all blocks. A container that was never closed cannot be opened:
 * sionrecover closes it, and then the blocks that were flushed are found by their headers. A header
 * that is damaged hides its block, and a warning says how many such headers there are; then a read
 * fails if it would give the value of missing elements, or asks for SION_ARRAY_NEWEST.
 *
 * @param fname the container's name
 * @return a handle, which the caller closes with sion_array_reader_close; NULL with a message
 */
sion_array_reader *sion_array_reader_open(const char *fname);

/**
 * Open the arrays of a container as sion_array_reader_open does, with the words of a mode: of what
 * is read, those that say which generation it is (mode word `keep`), and whether checksums are
 * compared.
 *
 * @param fname the container's name
 * @param mode  as of sion_open for reading: `rb,generation=-1` has the steps of the generation
 * before the newest one, `rb,generation=all` those of all that are left
 * @return a handle, which the caller closes with sion_array_reader_close; NULL with a message, also
 *         if there is no such generation, or the mode is one for writing
 */
sion_array_reader *sion_array_reader_open_mode(const char *fname, const char *mode);

/** The number of arrays; 0 for NULL. */
int sion_array_reader_count(const sion_array_reader *arrays);

/**
 * The name of an array.
 *
 * @param index 0 .. sion_array_reader_count - 1, in the order of definition
 * @return a string of the handle; NULL without a message if index is out of range
 */
const char *sion_array_reader_name(const sion_array_reader *arrays, int index);

/**
 * Get the properties of an array.
 *
 * @param name its name
 * @param info [out] prepared by SION_INIT
 * @return SION_SUCCESS; SION_NOT_SUCCESS with a message if there is no such array, or the size of
 *         info is not set
 */
int sion_array_reader_info(const sion_array_reader *arrays, const char *name,
                           struct sion_array_info *info);

/**
 * The steps of an array: those of its blocks, also of blocks without elements.
 *
 * @param name  its name
 * @param index 0 .. info.steps - 1, in ascending order
 * @return the step; -1 without a message if there is none
 */
sion_int64 sion_array_reader_step(const sion_array_reader *arrays, const char *name,
                                  sion_int64 index);

/**
 * A text that was stored with an array, or with the container.
 *
 * @param name of an array; NULL: the container
 * @param key  of the text
 * @return a string of the handle; NULL without a message if there is none
 */
const char *sion_array_reader_attribute(const sion_array_reader *arrays, const char *name,
                                        const char *key);

/**
 * The keys of such texts.
 *
 * @param name  as for sion_array_reader_attribute
 * @param index 0 ..
 * @return a string of the handle; NULL without a message: there are not so many
 */
const char *sion_array_reader_key(const sion_array_reader *arrays, const char *name, int index);

/**
 * Read any part of an array.
 *
 * The call reads only the bytes that it needs, and, the first time that it reads from a task's
 * stream, the header of a block, to see that the index is of these streams. Elements that no block
 * has get the fill value.
 *
 * @param name   of the array
 * @param step   any step; elements of a step without blocks get the fill value, but in a container
 *               that keeps generations (mode word `keep`) it is a failure: they may be forgotten.
 *               SION_ARRAY_NEWEST: each element of the latest step that has it
 * @param offset [ndims] the first element
 * @param count  [ndims] elements in each dimension
 * @param type   enum sion_array_type of the memory, which must be that of the array: only
 *               sion_array_reader_get_as converts
 * @param data   [out] count elements without gaps, the last dimension fastest, in the byte order of
 *               this machine; as for sion_array_put, also on a device; may be NULL if bytes is 0
 * @param bytes  of data: at least as many as the elements have; the rest does not change
 * @return SION_SUCCESS; SION_NOT_SUCCESS with a message: no such array, another type, not within
 *         the shape, fewer bytes than the elements have, a block that cannot be read. Then the
 * contents of data are undefined. CRCs of data are not compared; sionarray stats does that
 */
int sion_array_reader_get(sion_array_reader *arrays, const char *name, sion_int64 step,
                          const sion_int64 *offset, const sion_int64 *count, int type, void *data,
                          size_t bytes);

/**
 * Read any part of an array into memory of any type.
 *
 * As sion_array_reader_get, but each element is converted to the type of the memory, and the call
 * fails if that type cannot represent the element's value. An integer type has neither numbers with
 * a fractional part nor NaN and infinity. Of integers, a float or double has those that it can
 * store exactly. A real type has complex numbers whose imaginary part is 0. The only loss is that a
 * double is rounded to the nearest float; if that is infinity, the call fails. Missing elements are
 * converted from the fill value. The call needs up to 4 MiB of memory for a while.
 *
 * @param name,step,offset,count as for sion_array_reader_get
 * @param type  enum sion_array_type of the memory
 * @param data  [out] as for sion_array_reader_get
 * @param bytes of data: at least as many as the elements have in this type
 * @return as sion_array_reader_get. If an element cannot be represented, the code of the failure is
 *         SION_ERR_MISMATCH, and the message has the array, the element's index in it, its value,
 *         and both types
 */
int sion_array_reader_get_as(sion_array_reader *arrays, const char *name, sion_int64 step,
                             const sion_int64 *offset, const sion_int64 *count, int type,
                             void *data, size_t bytes);

/**
 * The blocks of an array, for programs that place the bytes themselves.
 *
 * @param name   of the array
 * @param step   whose blocks; SION_ARRAY_NEWEST: those of all steps
 * @param first  how many are skipped
 * @param n      elements of blocks
 * @param blocks [out] [n] in the order of steps, tasks, and puts: where two overlap, the later one
 *               counts. SION_INIT has prepared the first one. May be NULL if n is 0
 * @return the number of blocks that follow `first`, of which up to n were stored; -1 with a message
 *         if there is no such array
 */
sion_int64 sion_array_reader_blocks(sion_array_reader *arrays, const char *name, sion_int64 step,
                                    sion_int64 first, sion_int64 n,
                                    struct sion_array_block *blocks);

/**
 * Close the arrays of a container.
 *
 * @param arrays invalid afterwards; NULL is ignored
 */
void sion_array_reader_close(sion_array_reader *arrays);

#ifdef __cplusplus
}
#endif

#endif
