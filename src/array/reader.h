/* The arrays of a container that is read. */
#ifndef SCION_ARRAY_READER_H
#define SCION_ARRAY_READER_H

#include "array/index.h"
#include "array/streams.h"
#include "base/error.h"

/* Where the index comes from. */
enum scion_array_source {
    SCION_ARRAY_FROM_WHOLE,  /* that of all tasks */
    SCION_ARRAY_FROM_TASKS,  /* those of the tasks */
    SCION_ARRAY_FROM_HEADERS /* the headers of the blocks, for at least one task */
};

struct sion_array_reader {
    char *file;
    struct scion_array_streams *streams;
    struct scion_array_index *index;
    enum scion_array_source source;
    int damaged;    /* headers that were searched, found, and cannot be read */
    int unknown;    /* the highest task whose blocks are not known, as it is damaged; -1: none */
    int incomplete; /* a task that has such a header, so that a block is not known; -1: none */
    unsigned char *confirmed;          /* [tasks] 1: its stream has what the index of all says */
    int is_settled;                    /* so have all streams */
    struct scion_array_index *disused; /* was of other streams; its strings may be in use */
    unsigned char *buffer;             /* for parts of blocks, made when first needed */
    struct scion_array_unpacked *unpacked; /* the same of compressed blocks */
    int has_generations;                   /* an index is that of one */
    int uses_device;                       /* sion_layer_device_hold was called */
};

/* Fill arrays->index from arrays->streams, and warn of damaged headers. */
int scion_array_load(struct sion_array_reader *arrays);

/* The same by the index of all tasks alone; *is_there is 0 if there is none. */
int scion_array_load_whole(struct sion_array_reader *arrays, int *is_there);

/* Fill it again, by the index of each stream: that of all tasks is of other streams. Pointers into
   the old one stay valid, but its blocks are wrong. After a failure nothing has changed. */
int scion_array_load_again(struct sion_array_reader *arrays);

/* ---- whether the index is of these streams ---- */

/* Returned instead of an error, without a message: the index is of other streams. */
enum { SCION_ARRAY_MOVED = 1 };

/*
 * The index of all tasks has their numbers. sionmerge, or whoever copies streams, may have given
 * them others; so the first time that a stream is read, the header of a block is compared.
 */
int scion_array_confirm(struct sion_array_reader *arrays,
                        const struct scion_array_block_entry *block);

/* Confirm all streams with blocks, and load the index again if it is of others. Call it before
   anything that takes places of blocks from the index. */
int scion_array_settle(struct sion_array_reader *arrays);

/* An array by its name, or NULL with a reason. */
struct scion_array *scion_arrays_find(const struct sion_array_reader *arrays, const char *name);

/* Read a part of one block into the caller's slab; both are given by offset and count in the
   array. */
struct scion_array_slab {
    const struct scion_array *array;
    const sion_int64 *offset, *count;
    unsigned char *data;
};

/* Read a part of an array; the arguments have been checked. May return SCION_ARRAY_MOVED if
   scion_array_settle has not been called. */
int scion_array_read_slab(struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                          sion_int64 step);

/* The same into a slab whose data are of another type. */
int scion_array_read_slab_as(struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                             sion_int64 step, int type);

/* The same into memory of a device. */
struct scion_device_place;
int scion_array_store_slab(struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                           sion_int64 step, int type, const struct scion_device_place *place);

/*
 * Read the data of a block in the byte order in which they were written, and compare what is in the
 * file with its CRC if there is one: the header says so. *has_crc may be NULL. to: as many bytes as
 * the block has.
 */
int scion_array_read_block(struct sion_array_reader *arrays,
                           const struct scion_array_block_entry *block, void *to, int *has_crc);

/* The same as it is stored: compressed data are not in `to`, but in *stored until the next call of
   one of those below. */
int scion_array_read_record(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block, void *to,
                            const unsigned char **stored, int *has_crc);

/* ---- compressed blocks ---- */

/*
 * Read the data as they are stored; *stored is valid until the next call of one of these. Then they
 * can be decompressed into memory with room for the block's data.
 */
int scion_array_read_stored(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block,
                            const unsigned char **stored);
int scion_array_unpack_stored(struct sion_array_reader *arrays,
                              const struct scion_array_block_entry *block, void *to);

/* Both. */
int scion_array_unpack_into(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block, void *to);

/* The same into memory of the reader, which keeps the last ones. */
int scion_array_unpack_kept(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block,
                            const unsigned char **data);

/* The index has changed. */
void scion_array_forget_unpacked(struct sion_array_reader *arrays);
void scion_array_unpacked_free(struct scion_array_unpacked *unpacked); /* NULL: nothing */

/* 1: tasks are damaged; the text is about one of them, and says how many others there are. */
int scion_arrays_locked(const struct sion_array_reader *arrays, char text[SCION_ERROR_TEXT]);

/* 1: headers are damaged, and the text says how many. */
int scion_arrays_damage(const struct sion_array_reader *arrays, char text[SCION_ERROR_TEXT]);

#endif
