/* Buddy checkpoints: moving records, which writing and reading have in common. */
#include "parallel/buddy.h"

#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "file/checksum_tap.h"
#include "parallel/files.h"
#include "parallel/opening.h"

void scion_buddy_free(struct scion_parallel *parallel, int remove)
{
    struct scion_buddies *buddies = parallel->buddies;
    int i;

    if (!buddies)
        return;
    for (i = 0; i < buddies->nexchanges; i++) {
        struct scion_exchange *exchange = &buddies->exchanges[i];

        if (exchange->group != exchange->comm)
            scion_comm_free(exchange->group);
        scion_comm_free(exchange->comm);
        if (exchange->physical && remove)
            scion_file_remove(exchange->physical->path);
        scion_physical_close(exchange->physical);
        scion_length_gather_free(&exchange->gather);
    }
    for (i = 0; buddies->copies && i < buddies->levels; i++) {
        scion_stream_close(&buddies->copies[i].stream);
        free(buddies->copies[i].commit);
        scion_checksum_tap_free(buddies->copies[i].sums);
        scion_lengths_free(&buddies->copies[i].lengths);
        free(buddies->copies[i].own_name);
        free(buddies->copies[i].kept_name);
        free(buddies->mappings[i].pairs);
    }
    free(buddies->exchanges);
    free(buddies->record_move);
    free(buddies->copies);
    free(buddies->mappings);
    free(buddies->leaders);
    free(buddies->sizes);
    free(buddies);
    parallel->buddies = NULL;
}

struct scion_physical *scion_buddy_kept_file(const struct scion_buddies *buddies, int i)
{
    int e;

    for (e = 0; e < buddies->nexchanges; e++) {
        if (buddies->exchanges[e].physical && i-- == 0)
            return buddies->exchanges[e].physical;
    }
    return NULL;
}

char *scion_buddy_name(const struct scion_parallel_args *args, int level, int filenumber)
{
    char base[SCION_NAME_BYTES + 16];

    if (level == SCION_NORMAL)
        return scion_member_name(args->name_of_file, args->name, filenumber);
    snprintf(base, sizeof base, "%s_BUDDY_%02d", args->name, level);
    return scion_member_name(args->name_of_file, base, filenumber);
}

int scion_buddy_join(struct scion_exchange *exchange)
{
    exchange->group = exchange->comm;
    return exchange->comm->ops->transfer ? 0
                                         : scion_form_group(exchange->comm, 0, &exchange->group);
}

int scion_buddy_is_on(const struct scion_container *container)
{
    return scion_parallel_of(container) && scion_parallel_of(container)->buddies;
}

static void prepare(struct scion_record_move *record_move, const struct scion_exchange *exchange,
                    int writing, int fsblksize, int sid)
{
    record_move->stream = exchange->stream;
    record_move->group = exchange->group;
    record_move->collector = 0;
    record_move->transfer = (struct scion_transfer){
        .scatters = !writing,
        .fsblksize = fsblksize,
        .sid = sid,
        .move = writing ? scion_store_piece : scion_load_piece,
        .context = exchange->physical ? exchange->physical->file : NULL,
    };
}

/*
 * Writing with trailers: the keeper writes the slot after the record, since the owner of the data
 * has no file. Collective over the exchange.
 */
static int commit_copy(const struct scion_exchange *exchange, struct scion_record_move *record_move,
                       int rc)
{
    unsigned char bytes[SCION_SLOT_SIZE];
    struct scion_stream *stream = exchange->stream;
    struct scion_record *record = &record_move->record;
    struct scion_slot slot;
    sion_int64 pos, offset;

    *record = (struct scion_record){.position = SCION_NOWHERE};
    if (stream && rc == 1 && scion_stream_pos(stream, &pos) == 0 &&
        scion_commit_prepare(exchange->commit, &stream->place, stream->chunk, pos, 1, &slot,
                             &offset)) {
        scion_slot_encode(&slot, bytes);
        *record = (struct scion_record){.data = bytes, .position = offset, .bytes = sizeof bytes};
    }
    if (scion_transfer(record_move->group, &record_move->transfer, record) != 0)
        return SION_ERR_COMM;
    if (record->verdict.code != 0)
        return scion_fail((int)record->verdict.code, "keeper of a copy: %s", record->verdict.text);
    if (record->bytes > 0)
        scion_commit_done(exchange->commit, &slot);
    return rc;
}

/*
 * Take part in all exchanges of this task, in their order: with its record if it has a stream
 * there, else as the keeper only. After a failure, take part in the others without a record.
 */
static int exchange_all(struct scion_container *container, int sid, int rc, void *data,
                        sion_int64 bytes, struct scion_record_move *record_move)
{
    const struct scion_buddies *buddies = scion_parallel_of(container)->buddies;
    int i;

    for (i = 0; i < buddies->nexchanges; i++) {
        const struct scion_exchange *exchange = &buddies->exchanges[i];
        int has_record = exchange->stream && rc == 1, moved;

        prepare(&record_move[i], exchange, scion_container_is_writing(container),
                scion_container_head(container)->fsblksize, sid);
        moved = exchange->stream
                    ? scion_move(&record_move[i], rc < 0 ? rc : 0, data, has_record ? bytes : 0)
                    : scion_move(&record_move[i], 0, NULL, 0);
        if (scion_container_commits(container))
            moved = commit_copy(exchange, &record_move[i], moved);
        /* What a keeper does for others does not change its own result. */
        if (exchange->stream && rc == 1)
            rc = moved;
        else if (moved < 0 && rc == 1)
            rc = moved;
    }
    return rc;
}

/* The normal file first; if any copy fails, none has the record. */
int scion_buddy_write(struct scion_container *container, int sid, int status, const void *data,
                      sion_int64 bytes)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    const struct scion_buddies *buddies = parallel->buddies;
    struct scion_record_move *record_move = buddies->record_move,
                             *normal = &record_move[buddies->nexchanges];
    int rc, i;

    parallel->collective.sid = sid;
    parallel->buddies->is_used = 1;
    scion_move_through_collector(normal, container, sid);
    rc = scion_move(normal, status, scion_not_const(data), bytes);
    rc = exchange_all(container, sid, rc, scion_not_const(data), bytes, record_move);
    for (i = 0; i <= buddies->nexchanges && rc < 0; i++) {
        if (record_move[i].stream)
            scion_record_move_undo(&record_move[i]);
    }
    return rc;
}

int scion_buddy_read(struct scion_container *container, int sid, int status, void *data,
                     sion_int64 bytes)
{
    struct scion_parallel *parallel = scion_parallel_of(container);

    parallel->collective.sid = sid;
    parallel->buddies->is_used = 1;
    return exchange_all(container, sid, status != 0 ? status : 1, data, bytes,
                        parallel->buddies->record_move);
}

/* ---- queries ---- */

int scion_buddy_entry(struct scion_container *container, int index, struct scion_io_entry *entry)
{
    const struct scion_buddies *buddies = scion_parallel_of(container)->buddies;
    const struct scion_copy *copy;
    sion_int64 bytes = 0;

    if (!buddies)
        return -1;
    if (!scion_container_is_writing(container) || index > 2 * buddies->levels)
        return 0;
    if (scion_stream_total(scion_container_stream(container), &bytes) != 0)
        return 0;
    if (index == 0) {
        *entry = (struct scion_io_entry){scion_container_name(container), bytes, SION_ROLE_WRITER};
        return 1;
    }
    copy = &buddies->copies[(index - 1) / 2];
    if (index % 2 == 0) {
        scion_stream_total(&buddies->copies[(index - 1) / 2].stream, &bytes);
        *entry = (struct scion_io_entry){copy->own_name, bytes, SION_ROLE_SENDER};
    } else {
        *entry = (struct scion_io_entry){
            copy->kept_name, 0,
            scion_container_lrank(container) == 0 ? SION_ROLE_COLLECTOR : SION_ROLE_NOWRITER};
    }
    return 1;
}
