/* The close of a container with arrays, or when it is published: it writes each task's index, and
   into task 0 the index of all tasks. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/parallel.h"
#include "array/numbers.h"
#include "array/writer.h"
#include "base/byteorder.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "sion_common.h"

/* ---- an index in a stream ---- */

enum { LEAST = 4096 }; /* a part of an index that is worth a record, if there is more of it */

/* Go where the next part begins; *capacity: bytes that it may have. */
static int find_room(int sid, sion_int64 wanted, sion_int64 head, struct sion_layer_room *room,
                     sion_int64 *capacity)
{
    sion_int64 least = wanted < LEAST ? wanted : LEAST;
    int rc = sion_layer_room(sid, room), fits;

    if (rc == 0)
        rc = scion_array_make_room(sid, head + least, room, &fits);
    if (rc == 0 && !fits) /* chunks are small */
        rc = scion_array_make_room(sid, room->chunksize - scion_array_pad(room->next), room, &fits);
    *capacity = room->left - scion_array_pad(room->offset) - head;
    return rc;
}

static int write_parts(struct scion_array_writer *writer, const struct scion_array_bytes *index,
                       struct scion_array_trailer *trailer)
{
    struct scion_array_header header = {.kind = SCION_ARRAY_INDEX};
    sion_int64 head = (sion_int64)scion_array_header_size(0, 0), left = trailer->bytes, capacity;
    struct sion_layer_room room;
    sion_int64 position;
    int rc = 0;

    for (; left > 0 && rc == 0; left -= header.bytes, trailer->parts++) {
        rc = find_room(writer->sid, left, head, &room, &capacity);
        if (rc != 0)
            return rc;
        header.step = trailer->bytes - left;
        header.bytes = left < capacity ? left : capacity;
        header.flags = 0;
        rc = scion_array_write_record(writer, &room, &header, index->at + header.step, NULL,
                                      &position);
        if (header.step == 0)
            trailer->start = position - head;
    }
    return rc;
}

/* An index, and whether it says how blocks are stored. */
struct index_bytes {
    struct scion_array_bytes bytes;
    uint64_t blocks;
    int has_codings;
    int has_news; /* there will be a generation, even if no block is in it */
};

/* Write an index into the selected task's stream. If a chunk has no room for it, there is no index,
   and readers use the headers. */
static int write_index(struct scion_array_writer *writer, const struct index_bytes *made,
                       int is_whole, struct scion_array_chain *chain)
{
    const struct scion_array_bytes *index = &made->bytes;
    struct scion_array_trailer trailer = {.has_codings = made->has_codings,
                                          .is_whole = is_whole,
                                          .crc = scion_crc32c(0, index->at, index->length),
                                          .bytes = (sion_int64)index->length,
                                          .blocks = (sion_int64)made->blocks};
    unsigned char bytes[SCION_ARRAY_TRAILER];
    struct sion_layer_room room;
    int rc = sion_layer_room(writer->sid, &room);

    if (rc != 0)
        return rc;
    if (chain->past == SCION_ARRAY_LOST || room.chunksize < 4 * SCION_ARRAY_ALIGN)
        return 0;
    rc = write_parts(writer, index, &trailer);
    if (rc != 0)
        return rc;
    trailer.before = chain->past == SCION_ARRAY_BEHIND ? chain->end : 0;
    rc = sion_layer_room(writer->sid, &room);
    if (rc != 0)
        return rc;
    if (writer->keeps)
        trailer.generation = room.stream + (sion_int64)sizeof bytes;
    scion_array_trailer_encode(&trailer, bytes);
    if (sion_fwrite(bytes, 1, sizeof bytes, writer->sid) != sizeof bytes)
        return sion_error_code();
    rc = sion_layer_room(writer->sid, &room);
    chain->next = room.stream;
    return rc;
}

/* ---- the index of this process ---- */

static int has_codings(const struct scion_array_writer *writer)
{
    const struct scion_array_definition_entry *defined = writer->defined;

    while (defined && defined->definition.coding.codec == SCION_ARRAY_PLAIN)
        defined = defined->hh.next;
    return defined != NULL;
}

/* The beginning of an index: definitions and attributes. */
static int put_names(const struct scion_array_writer *writer, int has_codings,
                     struct scion_array_bytes *bytes)
{
    const struct scion_array_definition_entry *defined;
    const struct scion_array_attribute_entry *attributes;
    int rc = scion_array_put_number(bytes, writer->ndefinitions);

    for (defined = writer->defined; defined && rc == 0; defined = defined->hh.next)
        rc = scion_array_put_definition(bytes, has_codings, &defined->definition);
    if (rc == 0)
        rc = scion_array_put_number(bytes, writer->nattributes);
    for (attributes = writer->attributes; attributes && rc == 0; attributes = attributes->hh.next)
        rc = scion_array_put_attribute(bytes, &attributes->attribute);
    return rc;
}

static int put_blocks(const struct scion_array_task *task, int number,
                      struct scion_array_bytes *bytes)
{
    const struct scion_array_section section = {
        .task = (uint64_t)number,
        .flags = scion_host_is_big() ? SCION_ARRAY_BIG_ENDIAN : 0,
        .blocks = task->blocks,
        .bytes = task->code.length};
    int rc = scion_array_put_section(bytes, &section);

    return rc != 0 ? rc : scion_array_put_raw(bytes, task->code.at, task->code.length);
}

static int select_task(const struct scion_array_writer *writer, int rank)
{
    return sion_seek(writer->sid, rank, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS
               ? 0
               : sion_error_code();
}

/* Write the task's own index into its stream. names: the beginning of the index, not changed. */
static int write_own(struct scion_array_writer *writer, struct scion_array_task *task, int number,
                     int selects, struct index_bytes *names)
{
    size_t length = names->bytes.length;
    int rc = scion_array_put_number(&names->bytes, 1);

    if (rc == 0)
        rc = put_blocks(task, number, &names->bytes);
    if (rc == 0 && selects)
        rc = select_task(writer, task->rank);
    names->blocks = task->blocks;
    if (rc == 0)
        rc = write_index(writer, names, 0, &task->chain);
    names->bytes.length = length;
    return rc;
}

/* Whether the task is task 0 and its index is that of all tasks. */
static int is_for_whole(const struct scion_array_writer *writer, int number)
{
    return number == 0 && writer->whole.past != SCION_ARRAY_LOST;
}

static int number_of(const struct scion_array_writer *writer, const int *numbers, int t)
{
    return numbers ? numbers[t] : writer->tasks[t].rank;
}

/* Write the indexes of the tasks but for that of all. */
static int write_all_own(struct scion_array_writer *writer, const int *numbers, int selects)
{
    struct index_bytes names = {.has_codings = has_codings(writer)};
    int rc = put_names(writer, names.has_codings, &names.bytes), t;

    for (t = 0; t < writer->ntasks && rc == 0; t++) {
        int number = number_of(writer, numbers, t);

        if (writer->tasks[t].blocks > 0 && !is_for_whole(writer, number))
            rc = write_own(writer, &writer->tasks[t], number, selects, &names);
    }
    scion_array_bytes_free(&names.bytes);
    return rc;
}

/* A generation has an index of all also if bytes of the application are all that is new. */
static int find_news(const struct scion_array_writer *writer, struct index_bytes *made)
{
    int news = writer->keeps ? sion_layer_has_news(writer->sid) : 0;

    made->has_news = news > 0;
    return news < 0 ? news : 0;
}

/* Write these, and make the index of the whole process, which has what has_codings says. */
static int index_tasks(struct scion_array_writer *writer, const int *numbers, int selects,
                       struct index_bytes *made)
{
    uint64_t sections = 0;
    int rc = find_news(writer, made), t;

    if (rc == 0)
        rc = write_all_own(writer, numbers, selects);
    for (t = 0; t < writer->ntasks; t++) {
        sections += writer->tasks[t].blocks > 0;
        made->blocks += writer->tasks[t].blocks;
    }
    if (rc == 0)
        rc = put_names(writer, made->has_codings, &made->bytes);
    if (rc == 0)
        rc = scion_array_put_number(&made->bytes, sections);
    for (t = 0; t < writer->ntasks && rc == 0; t++) {
        if (writer->tasks[t].blocks > 0)
            rc = put_blocks(&writer->tasks[t], number_of(writer, numbers, t), &made->bytes);
    }
    return rc;
}

/*
 * Write the index of all tasks into the selected stream, which is task 0's. Its own indexes are in
 * these; they end where these end.
 */
static int write_whole(struct scion_array_writer *writer, const struct index_bytes *made)
{
    struct sion_layer_room room;
    int rc = sion_layer_room(writer->sid, &room), t;

    if (rc == 0 && made->blocks == 0 && !made->has_news &&
        (writer->is_told || writer->has_generation) && room.stream == writer->whole.end)
        return 0;
    if (rc == 0)
        rc = write_index(writer, made, 1, &writer->whole);
    for (t = 0; t < writer->ntasks && rc == 0; t++) {
        if (writer->tasks[t].is_used && writer->tasks[t].rank == room.rank)
            writer->tasks[t].chain.next = writer->whole.next;
    }
    return rc;
}

/* ---- one process ---- */

/* Add what is named by the newest generation of a container that is written on. */
static int inherit(const struct scion_array_writer *writer, struct index_bytes *made)
{
    static const unsigned char zeros[sizeof(sion_int64)];
    struct index_bytes all = {.has_news = made->has_news};
    struct scion_array_merge *merge = NULL;
    size_t length = made->bytes.length;
    int rc = scion_array_put_raw(&made->bytes, zeros, sizeof zeros);

    if (rc == 0)
        rc = scion_array_merge_begin(&merge);
    if (rc == 0)
        rc = scion_array_merge_add(merge, 0, made->has_codings, made->bytes.at, length);
    if (rc == 0)
        rc = scion_array_merge_inherit(merge, writer->past);
    if (rc == 0)
        rc = scion_array_merge_end(merge, &all.bytes, &all.blocks, &all.has_codings);
    scion_array_merge_free(merge);
    scion_array_bytes_free(&made->bytes);
    *made = all;
    return rc;
}

static int end_serial(struct scion_array_writer *writer)
{
    struct index_bytes made = {.has_codings = has_codings(writer)};
    sion_int64 *ranks;
    int n, rc, t, *numbers;

    if (sion_get_locations(writer->sid, &n, NULL, NULL, NULL, NULL, &ranks, NULL, NULL) !=
        SION_SUCCESS)
        return sion_error_code();
    numbers = scion_array((uint64_t)n, sizeof *numbers);
    if (!numbers)
        return scion_fail_memory("numbers of tasks");
    scion_array_number_tasks(ranks, n, numbers);
    rc = index_tasks(writer, numbers, 1, &made);
    if (rc == 0 && writer->past)
        rc = inherit(writer, &made);
    for (t = 0; numbers[t] != 0;)
        t++;
    if (rc == 0)
        rc = select_task(writer, t);
    if (rc == 0)
        rc = write_whole(writer, &made);
    scion_array_bytes_free(&made.bytes);
    free(numbers);
    return rc;
}

/* ---- all processes ---- */

/* An index as 64-bit words; words < 0: it is too long, or could not be made. */
struct share {
    sion_int64 words, bytes, flags;
};

enum { HAS_CODINGS = 1, HAS_NEWS = 2 };

struct index_gather {
    struct share *shares;
    int *counts, *first;
    sion_int64 *words;
};

static void prepare(struct index_gather *index_gather, int size)
{
    int i, total = 0;

    index_gather->counts = scion_must_allocate((size_t)size, sizeof *index_gather->counts);
    index_gather->first = scion_must_allocate((size_t)size, sizeof *index_gather->first);
    for (i = 0; i < size; i++) {
        index_gather->first[i] = total;
        index_gather->counts[i] =
            index_gather->shares[i].words > 0 ? (int)index_gather->shares[i].words : 0;
        total += index_gather->counts[i];
    }
    index_gather->words = scion_must_allocate((size_t)total + 1, sizeof *index_gather->words);
}

/* Gather all indexes on the root. Collective; the caller frees *gathered in any case. */
static int gather(struct scion_comm *comm, int root, int status, struct index_bytes *made,
                  struct index_gather *index_gather)
{
    struct scion_array_bytes *bytes = &made->bytes;
    static const unsigned char zeros[2 * sizeof(sion_int64)];
    struct share share = {.words = -1,
                          .bytes = (sion_int64)bytes->length,
                          .flags = (made->has_codings ? HAS_CODINGS : 0) |
                                   (made->has_news ? HAS_NEWS : 0)};
    sion_int64 words = (share.bytes + 7) / 8 + 1, *aligned = NULL; /* with bytes beyond the end */
    int rc;

    if (status == 0 && words <= INT_MAX / comm->size &&
        scion_array_put_raw(bytes, zeros, sizeof zeros) == 0)
        aligned = calloc((size_t)words, sizeof *aligned);
    if (aligned) {
        share.words = words;
        memcpy(aligned, bytes->at, (size_t)share.bytes);
    }
    if (comm->rank == root)
        index_gather->shares =
            scion_must_allocate((size_t)comm->size, sizeof *index_gather->shares);
    rc = scion_gather(comm, &share, index_gather->shares, sizeof share, root);
    if (rc == 0 && comm->rank == root)
        prepare(index_gather, comm->size);
    if (rc == 0)
        rc = scion_gatherv(comm, aligned, share.words > 0 ? (int)share.words : 0,
                           index_gather->words, index_gather->counts, index_gather->first, root);
    free(aligned);
    return rc;
}

static void free_index_gather(struct index_gather *index_gather)
{
    free(index_gather->shares);
    free(index_gather->counts);
    free(index_gather->first);
    free(index_gather->words);
}

/* On the root: one index of all, unless one is missing. */
static int merge_all(const struct scion_array_index *past, const struct index_gather *index_gather,
                     int size, struct index_bytes *whole, int *is_complete)
{
    struct scion_array_merge *merge = NULL;
    int rc = scion_array_merge_begin(&merge), i;

    *is_complete = 1;
    for (i = 0; i < size && rc == 0; i++) {
        const struct share *share = &index_gather->shares[i];

        whole->has_news |= (share->flags & HAS_NEWS) != 0;
        if (share->words < 0)
            *is_complete = 0;
        else
            rc = scion_array_merge_add(
                merge, i, (share->flags & HAS_CODINGS) != 0,
                (const unsigned char *)(index_gather->words + index_gather->first[i]),
                (size_t)share->bytes);
    }
    if (rc == 0 && past)
        rc = scion_array_merge_inherit(merge, past);
    if (rc == 0 && *is_complete)
        rc = scion_array_merge_end(merge, &whole->bytes, &whole->blocks, &whole->has_codings);
    scion_array_merge_free(merge);
    return rc;
}

static int write_gathered(struct scion_array_writer *writer,
                          const struct index_gather *index_gather, int size, int selects)
{
    struct index_bytes whole = {0};
    int is_complete, rc = merge_all(writer->past, index_gather, size, &whole, &is_complete);

    if (rc == 0 && is_complete && selects)
        rc = select_task(writer, 0);
    if (rc == 0 && is_complete)
        rc = write_whole(writer, &whole);
    scion_array_bytes_free(&whole.bytes);
    return rc;
}

/* Find the process that has task 0, which in a mapped container can be any. Collective. */
static int find_root(const struct scion_array_writer *writer, struct scion_comm *comm,
                     int is_mapped, int *root)
{
    sion_int64 lowest = sion_layer_has_rank(writer->sid, 0) ? comm->rank : comm->size;
    int rc = is_mapped ? scion_minimum(comm, &lowest, NULL, 0) : 0;

    *root = is_mapped ? (int)lowest : 0;
    if (rc == 0 && *root >= comm->size)
        rc = scion_fail(SION_ERR_MISMATCH, "no process has task 0");
    return rc;
}

static int end_together(struct scion_array_writer *writer, struct scion_comm *comm, int is_mapped)
{
    struct index_bytes made = {.has_codings = has_codings(writer)};
    struct index_gather index_gather = {0};
    int root, rc, other = find_root(writer, comm, is_mapped, &root);

    if (other != 0)
        return other;
    rc = index_tasks(writer, NULL, is_mapped, &made);
    other = gather(comm, root, rc, &made, &index_gather);
    if (other == 0 && comm->rank == root)
        other = write_gathered(writer, &index_gather, comm->size, is_mapped);
    free_index_gather(&index_gather);
    scion_array_bytes_free(&made.bytes);
    return rc != 0 ? rc : other;
}

int scion_array_end(void *user, struct scion_comm *comm, int is_mapped)
{
    struct scion_array_writer *writer = user;
    int rc;

    sion_layer_quiet(1);
    rc = comm ? end_together(writer, comm, is_mapped) : end_serial(writer);
    sion_layer_quiet(0);
    return rc;
}
