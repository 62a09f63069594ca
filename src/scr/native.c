#include "scr/native.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/map/entry.h"
#include "scr/tasks/words.h"

/* On every task: the files of all, as words: size and name of each. */
struct measuring {
    struct scion_comm *comm;
    const char *base;
    struct scion_post came; /* on rank 0: names, by task */
    struct scion_words all;
    sion_int64 bytes;          /* of all files */
    struct scion_words pieces; /* number of the file, bytes and CRC of what was read here */
};

/* On rank 0, when all tasks have arrived, and so have written their part of the files. */
static int find_sizes(struct measuring *measuring)
{
    const sion_int64 *at = measuring->came.list.words, *end = at + measuring->came.list.count;
    struct scion_source source;
    char name[SCION_PATH];
    int rc = 0;

    scion_source_begin(&source, measuring->base, 1);
    while (at < end && rc == 0) {
        sion_int64 size = 0;

        at = scion_words_text(at, name, sizeof name);
        rc = scion_source_size(&source, name, &size);
        scion_words_append(&measuring->all, size);
        scion_words_append_text(&measuring->all, name);
    }
    scion_source_end(&source);
    return rc;
}

/* Send the list of all files to all tasks. */
static int tell_all(struct measuring *measuring)
{
    struct scion_comm *comm = measuring->comm;
    int status = comm->rank == 0 ? find_sizes(measuring) : 0;
    int rc = scion_agree(comm, scion_name_rank(comm, status));

    return rc == 0 ? scion_words_bcast(comm, &measuring->all) : rc;
}

/* Of all bytes, one after the other, task m of M reads those from m*N/M to (m+1)*N/M. */
static sion_int64 share_of(const struct measuring *measuring, int task)
{
    sion_int64 whole = measuring->bytes / measuring->comm->size;
    sion_int64 rest = measuring->bytes % measuring->comm->size;

    return whole * task + rest * task / measuring->comm->size;
}

static int read_piece(struct scion_source *source, struct measuring *measuring, sion_int64 number,
                      const struct scion_segment *piece)
{
    struct scion_segments segments = {0};
    uint32_t crc = 0;
    int rc = scion_segments_add(&segments, piece->file, piece->offset, piece->length);

    if (rc == 0)
        rc = scion_source_read(source, &segments, &crc, NULL, NULL);
    scion_segments_free(&segments);
    scion_words_append(&measuring->pieces, number);
    scion_words_append(&measuring->pieces, piece->length);
    scion_words_append(&measuring->pieces, crc);
    return rc;
}

static int read_share(struct measuring *measuring)
{
    const sion_int64 *at = measuring->all.words, *end = at + measuring->all.count;
    sion_int64 first = share_of(measuring, measuring->comm->rank), start = 0, number;
    sion_int64 last = share_of(measuring, measuring->comm->rank + 1);
    struct scion_source source;
    char name[SCION_PATH];
    int rc = 0;

    scion_source_begin(&source, measuring->base, 1);
    for (number = 0; at < end && rc == 0; number++) {
        sion_int64 size = *at, from = first > start ? first - start : 0;
        sion_int64 to = last - start < size ? last - start : size;

        at = scion_words_text(at + 1, name, sizeof name);
        if (from < to)
            rc = read_piece(&source, measuring, number,
                            &(struct scion_segment){name, from, to - from});
        start += size;
    }
    scion_source_end(&source);
    return rc;
}

static void add_up(struct measuring *measuring)
{
    const sion_int64 *at = measuring->all.words, *end = at + measuring->all.count;
    char name[SCION_PATH];

    while (at < end) {
        measuring->bytes += *at;
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
static void write_results(const struct measuring *measuring, const sion_int64 *crcs,
                          struct scion_post *results)
{
    const sion_int64 *names = measuring->came.list.words, *at = measuring->all.words;
    int tasks = measuring->comm->size, t, number = 0;
    char name[SCION_PATH];

    results->counts = scion_must_allocate((size_t)tasks, sizeof *results->counts);
    for (t = 0; t < tasks; t++) {
        const sion_int64 *end = names + measuring->came.counts[t];

        for (; names < end; number++, results->counts[t] += 2) {
            scion_words_append(&results->list, *at);
            scion_words_append(&results->list, crcs[number]);
            at = scion_words_text(at + 1, name, sizeof name);
            names = scion_words_text(names, name, sizeof name);
        }
    }
}

static int send_results(struct measuring *measuring, const struct scion_post *pieces,
                        struct scion_native *files, int n)
{
    struct scion_post results = {0};
    struct scion_received received;
    int rc, i;

    if (measuring->comm->rank == 0) {
        sion_int64 *crcs = scion_must_allocate((size_t)measuring->all.count + 1, sizeof *crcs);

        join_pieces(pieces, crcs);
        write_results(measuring, crcs, &results);
        free(crcs);
    }
    rc = scion_post_scatter(measuring->comm, 0, &results, 0, &received);
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
    struct measuring measuring = {.comm = comm, .base = base};
    struct scion_words names = {0};
    struct scion_post pieces = {0};
    int rc, i;

    for (i = 0; status == 0 && i < n; i++)
        scion_words_append_text(&names, files[i].name);
    rc = scion_post_gather(comm, status, names.words, names.count, &measuring.came);
    if (rc == 0)
        rc = tell_all(&measuring);
    if (rc == 0) {
        add_up(&measuring);
        status = scion_name_rank(comm, crc ? read_share(&measuring) : 0);
        rc = scion_post_gather(comm, status, measuring.pieces.words, measuring.pieces.count,
                               &pieces);
    }
    if (rc == 0)
        rc = send_results(&measuring, &pieces, files, n);
    free(names.words);
    free(measuring.all.words);
    free(measuring.pieces.words);
    scion_post_free(&measuring.came);
    scion_post_free(&pieces);
    return rc;
}
