/* The index of a container's arrays: as it was written, or, without one, from the headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/reader.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"

enum { SPARE = 8 }; /* bytes after what a decoder gets */

/* ---- headers in a stream ---- */

enum { SHORT = 512, LONG = 1 << 20 }; /* bytes that are searched at a time */

struct scanner {
    struct sion_array_reader *arrays;
    int task;
    sion_int64 position, length; /* the next byte to look at, and those of the stream */
    unsigned char *window;       /* [LONG] */
    int damaged;                 /* headers that were found, and cannot be read */
};

/* Offset of the magic in the bytes; -1: it is not there. */
static sion_int64 find_magic(const unsigned char *bytes, size_t length)
{
    const unsigned char *at = bytes, *end = bytes + length;

    while ((size_t)(end - at) >= SCION_ARRAY_MAGIC &&
           (at = memchr(at, scion_array_magic[0], (size_t)(end - at) - SCION_ARRAY_MAGIC + 1))) {
        if (memcmp(at, scion_array_magic, SCION_ARRAY_MAGIC) == 0)
            return at - bytes;
        at++;
    }
    return -1;
}

/* Read the header at the position, so that its bytes are in the window. Returns its size; 0: there
   is no header. */
static int read_header(struct scanner *scanner, struct scion_array_header *header, size_t *size)
{
    sion_int64 left = scanner->length - scanner->position;
    size_t length = left < SCION_ARRAY_HEADER ? (size_t)left : SCION_ARRAY_HEADER;
    int rc;

    *size = 0;
    if (length < SCION_ARRAY_ALIGN)
        return 0;
    rc = scion_array_streams_read(scanner->arrays->streams, scanner->task, scanner->position,
                                  scanner->window, (sion_int64)length);
    if (rc == 0)
        *size = scion_array_header_decode(scanner->window, length, header);
    if (*size > length)
        *size = 0;
    return rc;
}

/*
 * Go to the next header and read it; *size is 0 at the end of the stream. Fewer than 64 bytes are
 * between two records, so only a few bytes are searched at first; if the application has written
 * bytes of its own between them, more and more at a time. Holes are not searched.
 */
static int next_header(struct scanner *scanner, struct scion_array_header *header, size_t *size)
{
    sion_int64 window = SHORT, left, found, hole;
    int rc = 0, resembles;

    *size = 0;
    while (rc == 0 && *size == 0) {
        left = scanner->length - scanner->position;
        if (left < SCION_ARRAY_ALIGN)
            return 0;
        rc = scion_array_streams_hole(scanner->arrays->streams, scanner->task, scanner->position,
                                      left, &hole);
        scanner->position += hole;
        if (rc != 0 || hole > 0)
            continue;
        left = left < window ? left : window;
        rc = scion_array_streams_read(scanner->arrays->streams, scanner->task, scanner->position,
                                      scanner->window, left);
        if (rc != 0)
            return rc;
        found = find_magic(scanner->window, (size_t)left);
        scanner->position += found >= 0 ? found : left - SCION_ARRAY_MAGIC + 1;
        window = window < LONG / 8 ? 8 * window : LONG;
        if (found < 0 || left - found < SCION_ARRAY_FIXED)
            continue; /* a header that is cut off here is at the start of the next bytes */
        resembles = scion_array_header_resembles(scanner->window + found);
        *size = scion_array_header_decode(scanner->window + found, (size_t)(left - found), header);
        if (*size > (size_t)(left - found))
            rc = read_header(scanner, header, size);
        if (rc == 0 && *size == 0) {
            scanner->position++;
            scanner->damaged += resembles;
        }
    }
    return rc;
}

/* Attributes wait until all arrays are known: name and data, each with its length. */
static int keep_attribute(struct scanner *scanner, const struct scion_array_header *header,
                          sion_int64 position, struct scion_array_bytes *texts)
{
    char *data = malloc((size_t)header->bytes + 1);
    int rc = data ? scion_array_put_text(texts, header->name, header->name_length)
                  : scion_fail_memory("attribute");

    if (rc == 0)
        rc = scion_array_streams_read(scanner->arrays->streams, scanner->task, position, data,
                                      header->bytes);
    if (rc == 0)
        rc = scion_array_put_text(texts, data, (size_t)header->bytes);
    free(data);
    return rc;
}

/* All records of a stream whose bytes are all there. */
static int scan(struct scanner *scanner, struct scion_array_bytes *texts)
{
    struct scion_array_header header;
    sion_int64 position;
    size_t size;
    int rc;

    scanner->damaged = 0;
    while ((rc = next_header(scanner, &header, &size)) == 0 && size > 0) {
        position = scanner->position + (sion_int64)size;
        scanner->position = position;
        if (header.bytes > scanner->length - position)
            continue;
        scanner->position += header.bytes;
        if (header.kind == SCION_ARRAY_BLOCK)
            rc = scion_array_index_add(scanner->arrays->index, scanner->task, &header, position);
        else if (header.kind == SCION_ARRAY_ATTRIBUTE)
            rc = keep_attribute(scanner, &header, position, texts);
        if (rc != 0)
            return rc;
    }
    scanner->arrays->damaged += scanner->damaged;
    if (scanner->damaged > 0)
        scanner->arrays->incomplete = scanner->task;
    return rc;
}

static int add_texts(struct scion_array_index *index, struct scion_array_bytes *texts)
{
    static const unsigned char zeros[SPARE];
    struct scion_array_header header = {.kind = SCION_ARRAY_ATTRIBUTE};
    struct scion_array_reader reader;
    const char *data;
    size_t length, all = texts->length;
    int rc = scion_array_put_raw(texts, zeros, sizeof zeros);

    reader = (struct scion_array_reader){.at = texts->at, .end = texts->at + all};
    while (rc == 0 && reader.at < reader.end) {
        header.name = scion_array_get_text(&reader, &header.name_length);
        data = scion_array_get_text(&reader, &length);
        header.bytes = (sion_int64)length;
        rc = scion_array_index_add_text(index, &header, data);
    }
    return rc;
}

/* ---- indexes ---- */

/* The trailer that ends at a byte of a stream; *is_there is 0 if there is none. */
static int read_trailer(struct scanner *scanner, sion_int64 end,
                        struct scion_array_trailer *trailer, int *is_there)
{
    unsigned char bytes[SCION_ARRAY_TRAILER];
    int rc, is_later = 0;

    *is_there = 0;
    if (end < SCION_ARRAY_TRAILER)
        return 0;
    rc = scion_array_streams_read(scanner->arrays->streams, scanner->task,
                                  end - SCION_ARRAY_TRAILER, bytes, sizeof bytes);
    if (rc == 0)
        *is_there = scion_array_trailer_decode(bytes, trailer, &is_later) &&
                    trailer->bytes <= end && trailer->start <= end;
    if (*is_there && trailer->generation > 0) { /* of several in a row, the headers tell */
        scanner->arrays->has_generations = 1;
        *is_there = trailer->generation == end;
    }
    return is_later ? scion_fail(SION_ERR_VERSION,
                                 "%s: the index of the arrays of task %d is of a later version of "
                                 "the format, which this version of Scion does not read",
                                 scanner->arrays->file, scanner->task)
                    : rc;
}

/* The indexes at the end of a stream: each goes on the one before it. */
struct chain {
    struct scion_array_trailer *trailers; /* [n], the last one first */
    size_t n, room;
    sion_int64 blocks;
};

static int add_link(struct chain *chain, const struct scion_array_trailer *trailer)
{
    size_t room = 2 * chain->n + 8;

    if (chain->n == chain->room) {
        struct scion_array_trailer *larger =
            scion_array_grown(chain->trailers, room, sizeof *larger);

        if (!larger)
            return scion_fail_memory("index of arrays");
        chain->trailers = larger;
        chain->room = room;
    }
    chain->trailers[chain->n++] = *trailer;
    /* A block takes at least three bytes, so there cannot be more. */
    chain->blocks += trailer->blocks <= trailer->bytes / 3 ? trailer->blocks : 0;
    return 0;
}

/* chain->n is 0 if the stream does not end with an index, or one before it is missing. The caller
   frees chain->trailers in any case. */
static int find_chain(struct scanner *scanner, struct chain *chain)
{
    struct scion_array_trailer trailer = {.before = scanner->length};
    int rc = 0, is_there = 1;

    *chain = (struct chain){0};
    while (rc == 0 && is_there && trailer.before > 0) {
        rc = read_trailer(scanner, trailer.before, &trailer, &is_there);
        if (rc == 0 && is_there)
            rc = add_link(chain, &trailer);
    }
    if (!is_there)
        chain->n = 0;
    return rc;
}

/* Read the parts of an index one after the other; -1, without a message: they are damaged. */
static int read_parts(struct scanner *scanner, const struct scion_array_trailer *trailer,
                      unsigned char *bytes)
{
    struct scion_array_header header;
    sion_int64 done = 0;
    size_t size;
    int rc = 0;

    scanner->position = trailer->start;
    while (done < trailer->bytes && rc == 0) {
        rc = next_header(scanner, &header, &size);
        if (rc != 0)
            return rc;
        scanner->position += (sion_int64)size;
        if (size == 0 || header.kind != SCION_ARRAY_INDEX || header.step != done ||
            header.bytes < 1 || header.bytes > trailer->bytes - done ||
            header.bytes > scanner->length - scanner->position)
            return -1;
        rc = scion_array_streams_read(scanner->arrays->streams, scanner->task, scanner->position,
                                      bytes + done, header.bytes);
        scanner->position += header.bytes;
        done += header.bytes;
    }
    return rc != 0 ? rc : scion_crc32c(0, bytes, (size_t)trailer->bytes) == trailer->crc ? 0 : -1;
}

/* The blocks of a damaged task can be anywhere: they are not read. */
static sion_int64 stream_length(void *data, int task)
{
    return scion_array_streams_is_damaged(data, task) ? INT64_MAX
                                                      : scion_array_streams_length(data, task);
}

/* Add the bytes to the index, all of them or those of one stream. -1: they are damaged; if it has
   begun to add them, the index can only be freed. */
static int read_index(struct scanner *scanner, const struct scion_array_trailer *trailer,
                      int stream, int *has_begun)
{
    unsigned char *bytes =
        scion_is_size(trailer->bytes + SPARE) ? calloc((size_t)trailer->bytes + SPARE, 1) : NULL;
    int rc = bytes ? read_parts(scanner, trailer, bytes) : scion_fail_memory("index of arrays");

    *has_begun |= rc == 0;
    if (rc == 0)
        rc = scion_array_index_decode(scanner->arrays->index, bytes, (size_t)trailer->bytes, stream,
                                      trailer, stream_length, scanner->arrays->streams);
    free(bytes);
    return rc;
}

/* The same with all indexes of a stream, in the order in which they were written. */
static int read_indexes(struct scanner *scanner, const struct chain *chain, int stream,
                        int *has_begun)
{
    size_t i = chain->n;
    int rc = scion_array_index_reserve(scanner->arrays->index, chain->blocks);

    *has_begun = 0;
    while (rc == 0 && i-- > 0)
        rc = read_index(scanner, &chain->trailers[i], stream, has_begun);
    return rc;
}

static int renew(struct sion_array_reader *arrays)
{
    scion_array_index_free(arrays->index);
    arrays->damaged = 0;
    arrays->unknown = arrays->incomplete = -1;
    arrays->index = scion_array_index_new(scion_array_streams_count(arrays->streams));
    return arrays->index ? 0 : SION_ERR_MEMORY;
}

static int turn_to(struct scanner *scanner, int task)
{
    scanner->task = task;
    scanner->position = 0;
    scanner->length = scion_array_streams_length(scanner->arrays->streams, task);
    return scanner->length < 0 ? SION_ERR_MEMORY : 0;
}

/* 1: the task is damaged, so its blocks are not known. */
static int is_unknown(struct scanner *scanner, int task)
{
    if (!scion_array_streams_is_damaged(scanner->arrays->streams, task))
        return 0;
    if (scanner->arrays->unknown < task)
        scanner->arrays->unknown = task;
    return 1;
}

/* A task is locked out if bytes that say what its blocks are differ from their checksum. */
static int accept_damage(struct scanner *scanner, int task, int rc)
{
    int locked = rc != 0 ? scion_array_streams_lock_out(scanner->arrays->streams, task) : 0;

    if (locked == 1)
        is_unknown(scanner, task);
    return locked == 1 ? 0 : locked < 0 ? locked : rc;
}

/*
 * Whether a stream of which the index of all tasks knows no block ends with an index: then that one
 * is of other streams. Most streams without blocks are empty, and nothing is read of them.
 */
static int find_unknown(struct scanner *scanner, int *is_there)
{
    const struct scion_array_index *index = scanner->arrays->index;
    unsigned char *is_known = calloc((size_t)index->ntasks + 1, 1);
    struct scion_array_trailer trailer;
    int rc = is_known ? 0 : scion_fail_memory("tasks"), t;
    uint32_t i;

    *is_there = 0;
    for (i = 0; i < index->nblocks && rc == 0; i++)
        is_known[index->blocks[i].task] = 1;
    for (t = 1; t < index->ntasks && rc == 0 && !*is_there; t++) {
        if (is_known[t] || is_unknown(scanner, t))
            continue;
        rc = turn_to(scanner, t);
        if (rc == 0)
            rc = accept_damage(scanner, t,
                               read_trailer(scanner, scanner->length, &trailer, is_there));
    }
    free(is_known);
    return rc;
}

/* The index of all tasks in the stream of task 0, if it is there. */
static int read_whole(struct scanner *scanner, int *is_there)
{
    struct chain chain = {0};
    int rc = turn_to(scanner, 0), has_begun;
    size_t i;

    if (rc == 0)
        rc = find_chain(scanner, &chain);
    *is_there = rc == 0 && chain.n > 0;
    for (i = 0; i < chain.n && *is_there; i++)
        *is_there = chain.trailers[i].is_whole;
    if (*is_there)
        rc = read_indexes(scanner, &chain, -1, &has_begun);
    free(chain.trailers);
    return rc;
}

/* *is_done is 0 if there is no such index, or a damaged one, or one of other streams. */
static int load_whole(struct scanner *scanner, int *is_done)
{
    int rc, is_there = 0, is_of_others = 0;

    *is_done = 0;
    if (scion_array_streams_count(scanner->arrays->streams) < 1 ||
        scion_array_streams_is_damaged(scanner->arrays->streams, 0))
        return 0;
    rc = read_whole(scanner, &is_there);
    if (rc != 0 && rc != -1) {
        rc = accept_damage(scanner, 0, rc);
        return rc == 0 ? renew(scanner->arrays) : rc;
    }
    if (rc == 0 && is_there)
        rc = find_unknown(scanner, &is_of_others);
    *is_done = rc == 0 && is_there && !is_of_others;
    return rc == -1 || is_of_others ? renew(scanner->arrays) : rc;
}

/*
 * Find a task's blocks by the index at the end of its stream, or else by their headers. An index
 * that has the right CRC and is damaged all the same leaves the index in memory incomplete.
 */
static int load_task(struct scanner *scanner, int task, struct scion_array_bytes *texts,
                     int *is_damaged)
{
    struct chain chain = {0};
    int has_begun = 0, is_there, rc;

    *is_damaged = 0;
    if (is_unknown(scanner, task))
        return 0;
    rc = turn_to(scanner, task);
    if (rc == 0)
        rc = find_chain(scanner, &chain);
    is_there = rc == 0 && chain.n > 0;
    if (is_there)
        rc = read_indexes(scanner, &chain, task, &has_begun);
    free(chain.trailers);
    *is_damaged = rc == -1 && has_begun;
    if (is_there && (rc == 0 || *is_damaged))
        return 0;
    if (rc != 0 && rc != -1)
        return rc;
    if (scanner->length > 0)
        scanner->arrays->source = SCION_ARRAY_FROM_HEADERS;
    scanner->position = 0;
    return scan(scanner, texts);
}

static int scan_task(struct scanner *scanner, int task, struct scion_array_bytes *texts)
{
    int rc;

    scanner->arrays->source = SCION_ARRAY_FROM_HEADERS;
    if (is_unknown(scanner, task))
        return 0;
    rc = turn_to(scanner, task);
    return rc != 0 ? rc : scan(scanner, texts);
}

/* Load the index of each task; if one is damaged, read the headers of that task's blocks. */
static int load_tasks(struct scanner *scanner)
{
    int n = scion_array_streams_count(scanner->arrays->streams), t, rc = 0, is_damaged = 0;
    struct scion_array_bytes texts = {0};

    scanner->arrays->source = SCION_ARRAY_FROM_TASKS;
    for (t = 0; t < n && rc == 0 && !is_damaged; t++)
        rc = accept_damage(scanner, t, load_task(scanner, t, &texts, &is_damaged));
    if (rc == 0 && is_damaged) {
        scion_array_bytes_free(&texts);
        rc = renew(scanner->arrays);
        for (t = 0; t < n && rc == 0; t++)
            rc = accept_damage(scanner, t, scan_task(scanner, t, &texts));
    }
    if (rc == 0)
        rc = add_texts(scanner->arrays->index, &texts);
    scion_array_bytes_free(&texts);
    return rc;
}

/* The range of an array is that of all its blocks, and some are not known. */
static void forget_ranges(struct scion_array_index *index)
{
    uint32_t i;

    for (i = 0; i < index->narrays; i++)
        index->arrays[i]->lacks_range = 1;
}

int scion_arrays_locked(const struct sion_array_reader *arrays, char text[SCION_ERROR_TEXT])
{
    int t = scion_array_streams_count(arrays->streams), n = 0;

    while (t-- > 0)
        n += scion_array_streams_is_damaged(arrays->streams, t);
    if (n > 1)
        snprintf(text, SCION_ERROR_TEXT, "%.480s, nor of %d other%s", scion_error_text(), n - 1,
                 n > 2 ? "s" : "");
    else if (n == 1)
        snprintf(text, SCION_ERROR_TEXT, "%s", scion_error_text());
    return n > 0;
}

int scion_arrays_damage(const struct sion_array_reader *arrays, char text[SCION_ERROR_TEXT])
{
    int is_one = arrays->damaged == 1;

    snprintf(text, SCION_ERROR_TEXT,
             "%.400s: %d header%s of records %s damaged, so their blocks are missing", arrays->file,
             arrays->damaged, is_one ? "" : "s", is_one ? "is" : "are");
    return arrays->damaged > 0;
}

/* After this, the index can be used. */
static int finish(const struct sion_array_reader *arrays)
{
    char text[SCION_ERROR_TEXT];
    int rc;

    if (arrays->unknown >= 0 || arrays->incomplete >= 0)
        forget_ranges(arrays->index);
    rc = scion_array_index_finish(arrays->index);
    if (rc == 0 && scion_arrays_locked(arrays, text))
        sion_layer_warn(text);
    if (rc == 0 && scion_arrays_damage(arrays, text))
        sion_layer_warn(text);
    return rc;
}

int scion_array_load(struct sion_array_reader *arrays)
{
    struct scanner scanner = {.arrays = arrays, .window = malloc(LONG)};
    int rc = scanner.window ? renew(arrays) : scion_fail_memory("index of arrays"), is_done;

    if (rc == 0)
        rc = load_whole(&scanner, &is_done);
    if (rc == 0 && !is_done)
        rc = load_tasks(&scanner);
    free(scanner.window);
    return rc != 0 ? rc : finish(arrays);
}

int scion_array_load_whole(struct sion_array_reader *arrays, int *is_there)
{
    struct scanner scanner = {.arrays = arrays, .window = malloc(LONG)};
    int rc = scanner.window ? renew(arrays) : scion_fail_memory("index of arrays");

    if (rc == 0)
        rc = load_whole(&scanner, is_there);
    free(scanner.window);
    return rc;
}

int scion_array_load_again(struct sion_array_reader *arrays)
{
    struct scanner scanner = {.arrays = arrays, .window = malloc(LONG)};
    struct scion_array_index *old = arrays->index;
    int rc;

    arrays->index = NULL;
    scion_array_forget_unpacked(arrays);
    rc = scanner.window ? renew(arrays) : scion_fail_memory("index of arrays");
    if (rc == 0)
        rc = load_tasks(&scanner);
    if (rc == 0)
        rc = finish(arrays);
    if (rc != 0) {
        scion_array_index_free(arrays->index);
        arrays->index = old;
        arrays->source = SCION_ARRAY_FROM_WHOLE;
    } else {
        arrays->disused = old;
    }
    free(scanner.window);
    return rc;
}
