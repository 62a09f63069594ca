#include "file/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/checksum_area.h"
#include "file/growth.h"
#include "file/guard.h"
#include "file/physical_read.h"

enum { PORTION = 1 << 20 /* bytes that are read at a time */ };

sion_int64 scion_checksum_count(const struct scion_lengths *lengths, sion_int64 piece)
{
    sion_int64 count = 0, chunk;

    for (chunk = 0; chunk < lengths->count; chunk++)
        count += scion_checksum_pieces(scion_lengths_used(lengths, chunk), piece);
    return count;
}

/* ---- making them ---- */

/* buffer[PORTION]; crc: of what is before, in and out. */
static int add_range(struct scion_file *file, sion_int64 offset, sion_int64 bytes,
                     unsigned char *buffer, scion_crc_function *function, uint32_t *crc)
{
    while (bytes > 0) {
        size_t now = bytes < PORTION ? (size_t)bytes : PORTION;
        int rc = scion_file_read(file, buffer, now, offset);

        if (rc != 0)
            return rc;
        *crc = function(*crc, buffer, now);
        offset += (sion_int64)now;
        bytes -= (sion_int64)now;
    }
    return 0;
}

/* One piece after the other; their CRCs, or the reason why there is none, go to `take`. */
struct pieces {
    struct scion_file *file;
    const struct scion_place *place;
    const struct scion_lengths *lengths;
    sion_int64 piece;
    scion_crc_function *crc;
    int (*take)(void *user, sion_int64 chunk, sion_int64 piece, int rc, uint32_t crc);
    void *user;
};

static int visit_chunk(const struct pieces *pieces, sion_int64 chunk, unsigned char *buffer)
{
    sion_int64 used = scion_lengths_used(pieces->lengths, chunk), offset, pos, number = 0;
    int rc = 0;

    if (scion_chunk_start(pieces->place, chunk, &offset))
        return scion_fail(SION_ERR_DAMAGED, "chunk %lld is beyond the end of any file", chunk);
    for (pos = 0; pos < used && rc == 0; pos += pieces->piece) {
        sion_int64 left = used - pos;
        uint32_t crc = 0;

        rc = add_range(pieces->file, offset + pos, left < pieces->piece ? left : pieces->piece,
                       buffer, pieces->crc, &crc);
        rc = pieces->take(pieces->user, chunk, number++, rc, crc);
    }
    return rc;
}

static int visit_task(const struct pieces *pieces)
{
    unsigned char *buffer = malloc(PORTION);
    sion_int64 chunk;
    int rc = buffer ? 0 : scion_fail_memory("checksums");

    for (chunk = 0; chunk < pieces->lengths->count && rc == 0; chunk++)
        rc = visit_chunk(pieces, chunk, buffer);
    free(buffer);
    return rc;
}

static int keep(void *user, sion_int64 chunk, sion_int64 piece, int rc, uint32_t crc)
{
    uint32_t **next = user;

    (void)chunk, (void)piece;
    *(*next)++ = crc;
    return rc;
}

int scion_checksum_of_task(struct scion_file *file, const struct scion_place *place,
                           const struct scion_lengths *lengths, sion_int64 piece,
                           scion_crc_function *crc, uint32_t *crcs)
{
    const struct pieces pieces = {file, place, lengths, piece, crc, keep, &crcs};

    return visit_task(&pieces);
}

/* ---- the tables ---- */

static int sum_range(struct scion_file *file, sion_int64 begin, sion_int64 end,
                     scion_crc_function *crc, uint32_t *sum)
{
    unsigned char *buffer = malloc(PORTION);
    int rc = buffer ? 0 : scion_fail_memory("checksums");

    *sum = 0;
    if (rc == 0)
        rc = add_range(file, begin, end - begin, buffer, crc, sum);
    free(buffer);
    return rc;
}

/* With the tail that belongs to these tables: the file may have that of older or newer ones. */
int scion_checksum_of_meta1(const struct scion_physical *physical, scion_crc_function *crc,
                            uint32_t *sum)
{
    const struct scion_meta1 *meta1 = &physical->head;
    sion_int64 bytes = (sion_int64)scion_meta1_fixed_size(meta1) + 16 * (sion_int64)meta1->ntasks;
    unsigned char tail[SCION_META1_TAIL];
    int rc = sum_range(physical->file, 0, bytes, crc, sum);

    scion_meta1_encode_tail(physical->maxchunks, physical->start_of_varheader, tail);
    if (meta1->swapped) {
        scion_swap_copy(tail, tail, 4, 1);
        scion_swap_copy(tail + 4, tail + 4, 8, 1);
    }
    if (rc == 0)
        *sum = crc(*sum, tail, sizeof tail);
    return rc;
}

/* META2, and the mapping if `end` is behind it. */
static int sum_meta2(const struct scion_physical *physical, sion_int64 end, scion_crc_function *crc,
                     uint32_t *sum)
{
    return sum_range(physical->file, physical->start_of_varheader, end, crc, sum);
}

static int sum_tables(const struct scion_physical *physical, sion_int64 end,
                      scion_crc_function *crc, struct scion_checksum_head *head)
{
    int rc = scion_checksum_of_meta1(physical, crc, &head->of_meta1);

    return rc == 0 ? sum_meta2(physical, end, crc, &head->of_tables) : rc;
}

static sion_int64 end_of_meta2(const struct scion_physical *physical)
{
    sion_int64 size = 0;

    /* Cannot overflow: META2 is there. */
    scion_meta2_size(physical->head.ntasks, physical->maxchunks, &size);
    return physical->start_of_varheader + size;
}

int scion_checksum_write(struct scion_physical *physical, const struct scion_mapping *mapping,
                         const uint32_t *crcs, sion_int64 count)
{
    sion_int64 end = end_of_meta2(physical);
    struct scion_checksum_head head = {.piece = SCION_CHECKSUM_PIECE, .count = count};
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    scion_crc_function *crc = scion_crc_find();
    int rc;

    if (mapping->size >= 0)
        end += (sion_int64)scion_mapping_bytes(mapping->size);
    rc = sum_tables(physical, end, crc, &head);
    if (rc != 0) {
        physical->is_ready = 0;
        return rc;
    }
    physical->behind = end + SCION_CHECKSUM_HEAD + count * (sion_int64)sizeof *crcs;
    head.of_all = crc(0, crcs, (size_t)count * sizeof *crcs);
    scion_checksum_encode(&head, crc, bytes);
    rc = scion_file_write(physical->file, crcs, (size_t)count * sizeof *crcs,
                          end + SCION_CHECKSUM_HEAD, NULL);
    /* Without the head, the CRCs that were written before it do not count. */
    if (rc == 0)
        rc = scion_file_write(physical->file, bytes, sizeof bytes, end, NULL);
    if (rc != 0)
        physical->is_ready = 0;
    return rc == 0 && physical->is_durable ? scion_file_sync(physical->file) : rc;
}

static int write_behind(struct scion_physical *physical, const struct scion_mapping *mapping,
                        const struct scion_task_crcs *tasks)
{
    sion_int64 total = 0;
    uint32_t *crcs, *next;
    int rc, t;

    for (t = 0; t < physical->head.ntasks; t++)
        total += tasks[t].count;
    crcs = next = scion_array((uint64_t)total + 1, sizeof *crcs);
    if (!crcs)
        return scion_fail_memory("checksums");
    for (t = 0; t < physical->head.ntasks; t++) {
        if (tasks[t].count > 0)
            memcpy(next, tasks[t].crcs, (size_t)tasks[t].count * sizeof *crcs);
        next += tasks[t].count;
    }
    rc = scion_checksum_write(physical, mapping, crcs, total);
    free(crcs);
    return rc;
}

int scion_checksum_write_tasks(struct scion_physical *physical, const struct scion_mapping *mapping,
                               const struct scion_task_crcs *tasks)
{
    int rc;

    if (!scion_growth_is_in_area(physical))
        return write_behind(physical, mapping, tasks);
    rc = physical->growth->publish_sums(physical, mapping, tasks);
    if (rc != 0)
        physical->is_ready = 0;
    return rc == 0 && physical->is_durable ? scion_file_sync(physical->file) : rc;
}

/* ---- reading ---- */

/* Where a head may be: bytes that are there. */
struct head_place {
    sion_int64 at;
    size_t got;
    unsigned char bytes[SCION_CHECKSUM_HEAD];
};

enum { PLACES = 3 };

/*
 * After META2, after the empty mapping of a serial writer, whatever it contains, and after a
 * mapping with pairs. Returns the first place that has a head, or PLACES; *rc: a failure.
 */
static int find_head(struct scion_physical *physical, struct head_place *places, int *rc)
{
    sion_int64 end = end_of_meta2(physical), pairs = 0;
    int n;

    for (n = 0; n < PLACES; n++) {
        struct head_place *place = &places[n];

        place->at = n == 0 ? end : end + 4 + (n == 1 ? 0 : 8 * pairs);
        *rc = scion_file_read_some(physical->file, place->bytes, sizeof place->bytes, place->at,
                                   &place->got);
        if (*rc != 0 || place->got < 4)
            return PLACES;
        if (scion_checksum_is_head(place->bytes, place->got))
            return n;
        if (n == 0)
            pairs = (uint32_t)scion_load_i32(place->bytes, physical->head.swapped);
    }
    return PLACES;
}

/*
 * There is no head, but perhaps one of which the first bytes are damaged: its CRCs of META1 and
 * META2 tell it from what an older file has left there.
 */
static int check_absence(const struct scion_physical *physical, const struct head_place *places,
                         scion_crc_function *crc)
{
    struct scion_checksum_head now = {0}, head;
    int rc = 0, known = 0, n;

    for (n = 0; crc && n < PLACES && rc == 0; n++) {
        if (places[n].got < SCION_CHECKSUM_HEAD)
            continue;
        if (!known++)
            rc = scion_checksum_of_meta1(physical, crc, &now.of_meta1);
        scion_checksum_load(places[n].bytes, physical->head.swapped, &head);
        if (rc != 0 || head.of_meta1 != now.of_meta1)
            continue;
        rc = sum_meta2(physical, places[n].at, crc, &now.of_tables);
        if (rc == 0 && head.of_tables == now.of_tables)
            rc = scion_fail(SION_ERR_DAMAGED, "the first bytes of the checksums are damaged");
    }
    return rc;
}

/* Check by the CRCs in the head that head, CRCs and tables belong together. */
static int check_tables(const struct scion_physical *physical,
                        const struct scion_checksum_head *head, sion_int64 at,
                        scion_crc_function *crc)
{
    struct scion_checksum_head now;
    int rc = sum_tables(physical, at, crc, &now);

    if (rc == 0 && (now.of_meta1 != head->of_meta1 || now.of_tables != head->of_tables))
        rc = scion_fail(SION_ERR_DAMAGED,
                        "%s has changed since its checksums were made: they are of another "
                        "file, or it is damaged",
                        now.of_meta1 != head->of_meta1 ? "META1" : "META2");
    return rc;
}

static int read_crcs(struct scion_physical *physical, const struct scion_checksum_head *head,
                     sion_int64 at, struct scion_checksum_table *checksums)
{
    size_t bytes = (size_t)head->count * sizeof *checksums->crcs, i;
    int rc;

    checksums->crcs = scion_array((uint64_t)head->count + 1, sizeof *checksums->crcs);
    if (!checksums->crcs)
        return scion_fail_memory("checksums");
    rc = scion_file_read(physical->file, checksums->crcs, bytes, at + SCION_CHECKSUM_HEAD);
    /* Each task's data tell which of them are not damaged. */
    checksums->are_damaged = rc == 0 && checksums->crc(0, checksums->crcs, bytes) != head->of_all;
    for (i = 0; rc == 0 && physical->head.swapped && i < (size_t)head->count; i++)
        checksums->crcs[i] = __builtin_bswap32(checksums->crcs[i]);
    return rc;
}

static void view_lengths(struct scion_physical *physical, int task, struct scion_lengths *lengths)
{
    scion_lengths_view(lengths, physical->used + task, (size_t)physical->head.ntasks,
                       physical->counts[task]);
}

/* Those of generations that are not seen, too. */
static void view_all_lengths(const struct scion_physical *physical, int task,
                             struct scion_lengths *lengths)
{
    sion_int64 *used = physical->all_used ? physical->all_used : physical->used;

    scion_lengths_view(lengths, used + task, (size_t)physical->head.ntasks, physical->counts[task]);
}

/* The first CRC of a task is that of the generation that is seen. */
static void pass_older(const struct scion_physical *physical,
                       struct scion_checksum_table *checksums)
{
    int n = physical->all_used ? physical->head.ntasks : 0, t;

    for (t = 0; t < n; t++) {
        struct scion_lengths older;

        view_all_lengths(physical, t, &older);
        if (older.count > physical->view_first)
            older.count = physical->view_first;
        checksums->first[t] += scion_checksum_count(&older, checksums->piece);
    }
}

/* checksums->first: of all generations. */
static int count_crcs(struct scion_physical *physical, const struct scion_checksum_head *head,
                      struct scion_checksum_table *checksums)
{
    int n = physical->head.ntasks, t;

    checksums->first = scion_array((uint64_t)n + 1, sizeof *checksums->first);
    if (!checksums->first)
        return scion_fail_memory("checksums");
    checksums->first[0] = 0;
    for (t = 0; t < n; t++) {
        struct scion_lengths lengths;

        view_all_lengths(physical, t, &lengths);
        if (scion_add(checksums->first[t], scion_checksum_count(&lengths, checksums->piece),
                      &checksums->first[t + 1]))
            break;
    }
    if (t < n || (!head->is_in_area && checksums->first[n] != head->count))
        return scion_fail(SION_ERR_DAMAGED, "%lld checksums, but not for the data that META2 says",
                          head->count);
    return 0;
}

/* Those of a state in an area are read in any case, and at once: nobody has changed them so far. */
static int take_crcs(struct scion_physical *physical, const struct head_place *place,
                     const struct scion_checksum_head *head, struct scion_checksum_table *checksums,
                     int with_crcs)
{
    int rc = 0;

    checksums->are_early = head->is_in_area;
    if (head->is_in_area)
        rc = scion_checksum_read_area(physical, head, checksums);
    else if (with_crcs)
        rc = read_crcs(physical, head, place->at, checksums);
    if (rc == 0)
        pass_older(physical, checksums);
    return rc;
}

static int read_head(struct scion_physical *physical, const struct head_place *place,
                     scion_crc_function *crc, struct scion_checksum_head *head)
{
    int rc = scion_file_size(physical->file, &physical->size);

    if (rc == 0)
        rc = scion_checksum_decode(place->bytes, place->got, physical->head.swapped,
                                   physical->size - place->at - SCION_CHECKSUM_HEAD, crc, head);
    return rc == 0 ? check_tables(physical, head, place->at, crc) : rc;
}

static int read_all(struct scion_physical *physical, const struct head_place *place,
                    struct scion_checksum_table *checksums, int with_crcs)
{
    struct scion_checksum_head head;
    int rc = read_head(physical, place, checksums->crc, &head);

    if (rc != 0)
        return rc;
    checksums->piece = head.piece;
    checksums->at = place->at + SCION_CHECKSUM_HEAD;
    rc = count_crcs(physical, &head, checksums);
    return rc == 0 ? take_crcs(physical, place, &head, checksums, with_crcs) : rc;
}

/* *checksums: new, of the head at this place. */
static int read_at(struct scion_physical *physical, const struct head_place *place,
                   struct scion_checksum_table **checksums, int with_crcs)
{
    struct scion_checksum_table *new = calloc(1, sizeof *new);
    int rc;

    if (!new)
        return scion_fail_memory("checksums");
    new->crc = scion_crc_find();
    rc = new->crc ? read_all(physical, place, new, with_crcs) : scion_crc_missing();
    if (rc == 0)
        *checksums = new;
    else
        scion_checksum_table_free(new);
    return rc;
}

static int read_table(struct scion_physical *physical, struct scion_checksum_table **checksums,
                      int with_crcs)
{
    struct head_place places[PLACES] = {{0}};
    int rc, n = find_head(physical, places, &rc);

    *checksums = NULL;
    if (rc != 0)
        return rc;
    rc = n < PLACES ? read_at(physical, &places[n], checksums, with_crcs)
                    : check_absence(physical, places, scion_crc_find());
    if (!scion_physical_is_there(physical))
        rc = scion_physical_fail_moved(); /* that, and not what was found */
    if (rc != 0)
        scion_fail_prefix("%s", physical->path);
    return rc;
}

int scion_checksum_table_read(struct scion_physical *physical,
                              struct scion_checksum_table **checksums)
{
    return read_table(physical, checksums, 1);
}

int scion_checksum_table_find(struct scion_physical *physical,
                              struct scion_checksum_table **checksums)
{
    return read_table(physical, checksums, 0);
}

static int in_area(const struct scion_physical *physical)
{
    return scion_fail(SION_ERR_MODE, "%s has the checksums of a state", physical->path);
}

int scion_checksum_span_find(struct scion_physical *physical, struct scion_checksum_span *span)
{
    struct head_place places[PLACES] = {{0}};
    struct scion_checksum_head head;
    scion_crc_function *crc = scion_crc_find();
    int rc, n = find_head(physical, places, &rc);

    *span = (struct scion_checksum_span){0};
    if (rc != 0 || !crc)
        return rc != 0 ? rc : scion_crc_missing();
    if (n == PLACES)
        return check_absence(physical, places, crc);
    rc = read_head(physical, &places[n], crc, &head);
    if (rc != 0 || head.is_in_area)
        return rc != 0 ? rc : in_area(physical);
    *span =
        (struct scion_checksum_span){head.piece, places[n].at + SCION_CHECKSUM_HEAD, head.count};
    return 0;
}

void scion_checksum_table_free(struct scion_checksum_table *checksums)
{
    if (!checksums)
        return;
    free(checksums->crcs);
    free(checksums->first);
    free(checksums);
}

sion_int64 scion_checksum_place(const struct scion_checksum_table *checksums, int task)
{
    return checksums->at + checksums->first[task] * (sion_int64)sizeof(uint32_t);
}

/* ---- comparing ---- */

struct comparison {
    int task;
    sion_int64 piece;
    const uint32_t *next;
    int (*bad)(void *user, const struct scion_bad_piece *piece);
    void *user;
};

static int compare_piece(void *user, sion_int64 chunk, sion_int64 piece, int rc, uint32_t crc)
{
    struct comparison *comparison = user;
    const struct scion_bad_piece bad = {.task = comparison->task,
                                        .chunk = chunk,
                                        .piece = piece,
                                        .size = comparison->piece,
                                        .expected = *comparison->next++,
                                        .found = crc,
                                        .rc = rc};

    return rc == 0 && crc == bad.expected ? 0 : comparison->bad(comparison->user, &bad);
}

int scion_checksum_table_check(const struct scion_checksum_table *checksums,
                               struct scion_physical *physical, int task,
                               int (*bad)(void *user, const struct scion_bad_piece *piece),
                               void *user)
{
    struct scion_lengths lengths;
    const struct scion_place place = scion_physical_place(physical, task);
    struct comparison comparison = {task, checksums->piece,
                                    checksums->crcs + checksums->first[task], bad, user};
    const struct pieces pieces = {physical->file,   &place,        &lengths,   checksums->piece,
                                  scion_crc_find(), compare_piece, &comparison};

    view_lengths(physical, task, &lengths);
    return visit_task(&pieces);
}

enum { IS_DAMAGED = 1 };

/* Ends the comparison of a task. */
static int note(void *user, const struct scion_bad_piece *bad)
{
    struct scion_damage *damage = user;

    if (bad->rc != 0)
        return bad->rc;
    *damage = scion_damage_of_piece(bad->task, bad->chunk, bad->piece, bad->expected, bad->found);
    return IS_DAMAGED;
}

static int verify_task(const struct scion_checksum_table *checksums,
                       struct scion_physical *physical, int task)
{
    struct scion_damage damage;
    int rc = scion_checksum_table_check(checksums, physical, task, note, &damage);

    return rc == IS_DAMAGED ? scion_physical_lock_out(physical, &damage) : rc;
}

int scion_checksum_verify_physical(struct scion_physical *physical, int task)
{
    int first = task < 0 ? 0 : task, end = task < 0 ? physical->head.ntasks : task + 1;
    struct scion_checksum_table *checksums;
    int rc = scion_checksum_table_read(physical, &checksums);

    for (task = first; rc == 0 && checksums && task < end; task++)
        rc = verify_task(checksums, physical, task);
    scion_checksum_table_free(checksums);
    return rc;
}
