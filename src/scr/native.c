#include "scr/native.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "comm/agree.h"
#include "scr/map/entry.h"
#include "scr/tasks/words.h"

/* On every task: the files of all, as words: size and name of each. */
struct size_gather {
    struct scion_comm *comm;
    const char *base;
    struct scion_post came; /* on rank 0: names, by task */
    struct scion_words all;
    sion_int64 bytes;          /* of all files */
    struct scion_words pieces; /* number of the file, bytes and CRC of what was read here */
};

/* On rank 0, when all tasks have arrived, and so have written their part of the files. */
static int find_sizes(struct size_gather *size_gather)
{
    const sion_int64 *at = size_gather->came.list.words, *end = at + size_gather->came.list.count;
    struct scion_source source;
    char name[SCION_PATH];
    int rc = 0;

    scion_source_begin(&source, size_gather->base, 1);
    while (at < end && rc == 0) {
        sion_int64 size = 0;

        at = scion_words_text(at, name, sizeof name);
        rc = scion_source_size(&source, name, &size);
        scion_words_append(&size_gather->all, size);
        scion_words_append_text(&size_gather->all, name);
    }
    scion_source_end(&source);
    return rc;
}

/* Send the list of all files to all tasks. */
static int tell_all(struct size_gather *size_gather)
{
    struct scion_comm *comm = size_gather->comm;
    int status = comm->rank == 0 ? find_sizes(size_gather) : 0;
    int rc = scion_agree(comm, scion_name_rank(comm, status));

    return rc == 0 ? scion_words_bcast(comm, &size_gather->all) : rc;
}

/* Of all bytes, one after the other, task m of M reads those from m*N/M to (m+1)*N/M. */
static sion_int64 share_of(const struct size_gather *size_gather, int task)
{
    sion_int64 whole = size_gather->bytes / size_gather->comm->size;
    sion_int64 rest = size_gather->bytes % size_gather->comm->size;

    return whole * task + rest * task / size_gather->comm->size;
}

static int read_piece(struct scion_source *source, struct size_gather *size_gather,
                      sion_int64 number, const struct scion_segment *piece)
{
    struct scion_segments segments = {0};
    uint32_t crc = 0;
    int rc = scion_segments_add(&segments, piece->file, piece->offset, piece->length);

    if (rc == 0)
        rc = scion_source_read(source, &segments, &crc, NULL, NULL);
    scion_segments_free(&segments);
    scion_words_append(&size_gather->pieces, number);
    scion_words_append(&size_gather->pieces, piece->length);
    scion_words_append(&size_gather->pieces, crc);
    return rc;
}

static int read_share(struct size_gather *size_gather)
{
    const sion_int64 *at = size_gather->all.words, *end = at + size_gather->all.count;
    sion_int64 first = share_of(size_gather, size_gather->comm->rank), start = 0, number;
    sion_int64 last = share_of(size_gather, size_gather->comm->rank + 1);
    struct scion_source source;
    char name[SCION_PATH];
    int rc = 0;

    scion_source_begin(&source, size_gather->base, 1);
    for (number = 0; at < end && rc == 0; number++) {
        sion_int64 size = *at, from = first > start ? first - start : 0;
        sion_int64 to = last - start < size ? last - start : size;

        at = scion_words_text(at + 1, name, sizeof name);
        if (from < to)
            rc = read_piece(&source, size_gather, number,
                            &(struct scion_segment){name, from, to - from});
        start += size;
    }
    scion_source_end(&source);
    return rc;
}

static void add_up(struct size_gather *size_gather)
{
    const sion_int64 *at = size_gather->all.words, *end = at + size_gather->all.count;
    char name[SCION_PATH];

    while (at < end) {
        size_gather->bytes += *at;
        at = scion_words_text(at + 1, name, sizeof name);
    }
}

/* On rank 0: the pieces of each file are in their order, as the tasks have read them. */
static void join_pieces(const struct scion_post *pieces, sion_int64 *crcs)
{
    const sion_int64 *at = pieces->list.words, *end = at + pieces->list.count;

    for (; at < end; at += 3)
        crcs[at[0]] = (sion_int64)crc32_combine((uLong)crcs[at[0]], (uLong)at[2], (z_off_t)at[1]);
}

/* Send every task the sizes and CRCs of its own files. */
static void write_results(const struct size_gather *size_gather, const sion_int64 *crcs,
                          struct scion_post *results)
{
    const sion_int64 *names = size_gather->came.list.words, *at = size_gather->all.words;
    int tasks = size_gather->comm->size, t, number = 0;
    char name[SCION_PATH];

    results->counts = scion_must_allocate((size_t)tasks, sizeof *results->counts);
    for (t = 0; t < tasks; t++) {
        const sion_int64 *end = names + size_gather->came.counts[t];

        for (; names < end; number++, results->counts[t] += 2) {
            scion_words_append(&results->list, *at);
            scion_words_append(&results->list, crcs[number]);
            at = scion_words_text(at + 1, name, sizeof name);
            names = scion_words_text(names, name, sizeof name);
        }
    }
}

static int send_results(struct size_gather *size_gather, const struct scion_post *pieces,
                        struct scion_native *files, int n)
{
    struct scion_post results = {0};
    struct scion_word_inbox received;
    int rc, i;

    if (size_gather->comm->rank == 0) {
        sion_int64 *crcs = scion_must_allocate((size_t)size_gather->all.count + 1, sizeof *crcs);

        join_pieces(pieces, crcs);
        write_results(size_gather, crcs, &results);
        free(crcs);
    }
    rc = scion_post_scatter(size_gather->comm, 0, &results, 0, &received);
    for (i = 0; rc == 0 && i < n; i++) {
        files[i].size = received.words[2 * i];
        files[i].crc = (uint32_t)received.words[2 * i + 1];
    }
    free(received.words);
    scion_post_free(&results);
    return rc;
}

int scion_native_measure(struct scion_comm *comm, int status, const char *base, int crc,
                         struct scion_native *files, int n)
{
    struct size_gather size_gather = {.comm = comm, .base = base};
    struct scion_words names = {0};
    struct scion_post pieces = {0};
    int rc, i;

    for (i = 0; status == 0 && i < n; i++)
        scion_words_append_text(&names, files[i].name);
    rc = scion_post_gather(comm, status, names.words, names.count, &size_gather.came);
    if (rc == 0)
        rc = tell_all(&size_gather);
    if (rc == 0) {
        add_up(&size_gather);
        status = scion_name_rank(comm, crc ? read_share(&size_gather) : 0);
        rc = scion_post_gather(comm, status, size_gather.pieces.words, size_gather.pieces.count,
                               &pieces);
    }
    if (rc == 0)
        rc = send_results(&size_gather, &pieces, files, n);
    free(names.words);
    free(size_gather.all.words);
    free(size_gather.pieces.words);
    scion_post_free(&size_gather.came);
    scion_post_free(&pieces);
    return rc;
}
