/* The arrays of a container that is being written, on one process. */
#ifndef SCION_ARRAY_WRITER_H
#define SCION_ARRAY_WRITER_H

#include "api/private_abi.h"
#include "array/pack.h"
#include "array/payload.h"
#include "base/table.h"

struct scion_array_definition_entry {
    struct scion_array_definition definition; /* its name is after this */
    uint64_t number;
    struct scion_array_packing packing; /* of its blocks; its coding is the definition's, too */
    int is_put;                         /* a block of it was put */
    UT_hash_handle hh;
};

struct scion_array_attribute_entry {
    struct scion_array_text_of attribute; /* key and value are after this */
    UT_hash_handle hh;
    unsigned char id[]; /* array and key */
};

/*
 * The indexes that a stream already has. The next one goes on the last of them: then the two say
 * what both have. If it is not known what blocks the stream has, no index may follow.
 */
enum scion_array_past { SCION_ARRAY_NEW, SCION_ARRAY_BEHIND, SCION_ARRAY_LOST };

struct scion_array_chain {
    enum scion_array_past past;
    sion_int64 end;  /* SCION_ARRAY_BEHIND: of the last trailer, in the stream */
    sion_int64 next; /* of the one that was written since then; 0: none */
};

/* A task of this process. */
struct scion_array_task {
    int is_used;
    int rank;                       /* for sion_seek */
    struct scion_array_chain chain; /* of its own indexes */
    uint64_t blocks;                /* since the last index, as all that follows */
    struct scion_array_bytes code;  /* of the blocks, as in the index */
    struct scion_array_before before;
    sion_int64 **boxes; /* [nboxes] of the last block of each array: offsets, then counts */
    size_t nboxes;
};

struct scion_array_writer {
    int sid, has_crc, has_ranges;
    int appends;                       /* to a container that was written before */
    int keeps;                         /* generations, of which each has indexes of its own */
    int has_generation;                /* older than the one that is written now */
    struct scion_array_index *past;    /* keeps, appends: what the newest generation has named */
    int is_told;                       /* the indexes have all definitions and attributes */
    struct scion_array_packer *packer; /* made by the first array that is compressed */
    struct scion_device_place place;   /* of the data of this call; driver NULL: the host */
    struct scion_array_definition_entry
        *old;                       /* what that container has defined, where it is known */
    struct scion_array_chain whole; /* of indexes of all tasks, on the process that has task 0 */
    struct scion_array_definition_entry *defined; /* in the order of their numbers */
    struct scion_array_attribute_entry *attributes;
    uint64_t ndefinitions, nattributes;
    struct scion_array_task *tasks; /* [ntasks], those that have blocks or were written to */
    int ntasks;
};

/* The writer of a sid, made if there is none yet; 0 or an error. */
int scion_array_writer_of(int sid, struct scion_array_writer **writer);

/* The selected task, and its position. */
int scion_array_find_room(struct scion_array_writer *writer, struct sion_layer_room *room,
                          struct scion_array_task **task);

/* NULL, with a failure: there is no such array. */
struct scion_array_definition_entry *scion_array_must_find(const struct scion_array_writer *writer,
                                                           const char *name);

/* Messages of the functions that are called here are suppressed: the error record has the
   reason. */
#define SCION_ARRAY_CALL(call)                                                                     \
    do {                                                                                           \
        int rc;                                                                                    \
                                                                                                   \
        sion_layer_quiet(1);                                                                       \
        rc = call;                                                                                 \
        sion_layer_quiet(0);                                                                       \
        if (rc == 0)                                                                               \
            return SION_SUCCESS;                                                                   \
        sion_layer_report(__func__, 0, 1, rc);                                                     \
        return SION_NOT_SUCCESS;                                                                   \
    } while (0)

/* NULL: there is no such array. */
struct scion_array_definition_entry *
scion_array_find_definition(const struct scion_array_definition_entry *defined, const char *name,
                            size_t length);

/* Add a definition to a table; number: it gets. */
int scion_array_add_definition(struct scion_array_definition_entry **defined,
                               const struct scion_array_definition *definition, uint64_t number);

void scion_array_free_definitions(struct scion_array_definition_entry *all);

/* Find out what the container has from before, if it is one that is written on. */
int scion_array_look_back(struct scion_array_writer *writer);

/* The same of the selected task, before anything of an array is written for it. */
int scion_array_look_back_at(const struct scion_array_writer *writer,
                             const struct sion_layer_room *room, struct scion_array_chain *chain);

/*
 * Write a record into the selected task's chunk, which has room for it. range receives the range of
 * the data; NULL: the record is not a block. *position: of the data in the stream.
 */
int scion_array_write_record(struct scion_array_writer *writer, const struct sion_layer_room *room,
                             struct scion_array_header *header, const void *data,
                             struct scion_array_range *range, sion_int64 *position);

/*
 * Write a block as it is to be stored, of which the chunk has to hold all: plain, or compressed by
 * its array's codec. block: its header, whose name ends with a NUL. range: of its elements.
 */
int scion_array_put_stored(int sid, const struct scion_array_header *block, const void *data,
                           const struct scion_array_range *range);

/* Bytes from the position up to the data, if the record's header begins at `offset` of the file. */
sion_int64 scion_array_pad(sion_int64 offset);

/* Make sure that `bytes` of header and data fit where the task stands, or else go to its next
   chunk; *fits is 0 if no chunk is large enough. room is updated. */
int scion_array_make_room(int sid, sion_int64 bytes, struct sion_layer_room *room, int *fits);

/* Write the indexes of what was put since the last ones, at the close or when it is published. */
int scion_array_end(void *writer, struct scion_comm *comm, int is_mapped);

/* These indexes are published. */
void scion_array_published(void *writer);

/*
 * Merge the definitions and attributes of all processes and the sections of their blocks. Local, on
 * the process that has all indexes.
 */
struct scion_array_merge;
int scion_array_merge_begin(struct scion_array_merge **merge);
/* Add the index of a process; its bytes must stay until the end. rank: for messages. has_codings:
   as that of the trailer. */
int scion_array_merge_add(struct scion_array_merge *merge, int rank, int has_codings,
                          const unsigned char *bytes, size_t length);
/* Before the end: what is named there, and by no process, stays so. */
struct scion_array_index;
int scion_array_merge_inherit(struct scion_array_merge *merge,
                              const struct scion_array_index *past);
/* The merged index, of so many blocks; has_codings: as it needs it. */
int scion_array_merge_end(struct scion_array_merge *merge, struct scion_array_bytes *bytes,
                          uint64_t *blocks, int *has_codings);
void scion_array_merge_free(struct scion_array_merge *merge);

#endif
