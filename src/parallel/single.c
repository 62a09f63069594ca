/* Opens in which every task of the communicator has one task of the container. */
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/trace.h"
#include "base/warning.h"
#include "comm/agree.h"
#include "file/sound.h"
#include "file/stats.h"
#include "file/unzip.h"
#include "file/zips.h"
#include "parallel/buddy.h"
#include "parallel/checksum.h"
#include "parallel/files.h"
#include "parallel/generations.h"
#include "parallel/members.h"
#include "parallel/opening.h"
#include "parallel/staging.h"
#include "parallel/tables.h"
#include "vfs/writer_lock.h"

/* Take the decision of rank 0 of all. */
static void take_seat(struct scion_opening *opening)
{
    const struct scion_reply *reply = &opening->reply;

    opening->other_names = (reply->head.status & SCION_REPLY_NAME) != 0;
    if (scion_checksum_told(reply))
        opening->checksum = scion_checksum_told(reply);
    opening->is_sound = (reply->head.status & SCION_REPLY_SOUND) != 0;
    opening->members = (reply->head.status & SCION_REPLY_MEMBERS) != 0;
    opening->is_set = (reply->head.status & SCION_REPLY_SEAT) != 0;
    opening->appends = (reply->head.status & SCION_REPLY_APPEND) != 0;
    opening->keeps = (reply->head.status & SCION_REPLY_KEEP) != 0;
    opening->publishes = (reply->head.status & SCION_REPLY_PUBLISH) != 0;
    opening->nfiles = opening->is_set ? reply->nfiles : 1;
    opening->file = opening->is_set ? reply->file : 0;
    if (opening->args->mode.access == SCION_ACCESS_WRITE && !opening->appends)
        opening->flag2 = opening->is_set ? reply->flag2 : reply->used;
    opening->is_staged = (reply->head.status & SCION_REPLY_STAGED) != 0;
    opening->parallel->is_atomic = (reply->head.status & SCION_REPLY_ATOMIC) != 0;
    opening->lrank = reply->head.status & SCION_REPLY_GROUP ? opening->parallel->global->rank
                                                            : reply->head.number;
    opening->is_counted = (reply->head.status & SCION_REPLY_COUNT) != 0;
    opening->parallel->first_leader = opening->is_set ? reply->first_leader : 0;
}

/*
 * In a set of files: make a communicator for each, and ask its first task for the places. If the
 * threads of a process are in several files, which is possible when reading, rank 0 of all decides
 * on all places.
 */
static int ask_in_file(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    int rc;

    opening->request.lrank = opening->lrank;
    opening->request.leader = parallel->global->rank;
    if (opening->reply.head.status & SCION_REPLY_STATE) {
        sion_int64 words[2] = {opening->generation, opening->view};

        rc = scion_bcast(parallel->global, words, sizeof words, 0);
        if (rc != 0)
            return rc;
        opening->generation = words[0];
        opening->view = words[1];
    }
    rc = opening->likeness != SCION_DIFFER
             ? scion_split_alike(opening, &parallel->local)
             : scion_split(parallel->global, opening->file, opening->lrank, &parallel->local);
    if (rc == 0 && opening->likeness != SCION_DIFFER) {
        rc = scion_ask_alike_member(opening);
    } else if (rc == 0) {
        rc = scion_ask_member(opening);
    } else if (rc == SCION_COMM_TORN && opening->args->mode.access == SCION_ACCESS_WRITE) {
        return SION_ERR_COMM;
    } else if (rc == SCION_COMM_TORN) {
        parallel->local = parallel->global;
        rc = scion_ask_reader_of_all(opening);
    }
    if (rc == 0 && opening->lrank >= opening->facts.ntasks)
        opening->lrank = 0; /* of a damaged pair */
    return rc;
}

/* Make the name of this task's file from the base name that the file's first task passed. */
static char *agree_on_name(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;

    if (!opening->other_names)
        return scion_own_name(opening, opening->args->name);
    if (parallel->local == parallel->global) {
        strcpy(opening->base, opening->args->name);
        if (scion_bcast(parallel->local, opening->base, sizeof opening->base, 0) != 0)
            return NULL;
    }
    return scion_own_name(opening, opening->base);
}

/* Reading: receive the lengths of all chunks of this task, or what is wrong with it. */
static int receive_lengths(struct scion_opening *opening, struct scion_task *task)
{
    int has_several = opening->reply.head.status & SCION_REPLY_SEVERAL;
    sion_int64 numbers;

    if (opening->is_surveyed)
        return scion_read_own_column(opening, task);
    task->placed.count = has_several ? opening->reply.used : 1;
    numbers = scion_task_place_numbers(task->placed.count);
    task->used = scion_array((uint64_t)numbers, sizeof *task->used);
    if (!has_several && !task->used)
        return scion_fail_memory("chunks");
    if (!task->used)
        task->used = scion_must_allocate((size_t)numbers, sizeof *task->used);
    task->used[0] = opening->reply.used;
    return has_several
               ? scion_deal_rows(opening->parallel->local, &opening->lengths, task->used, numbers)
               : 0;
}

/* The library has made the name of its file, not the application. */
static int has_derived_name(const struct scion_opening *opening)
{
    return opening->parallel->is_atomic || (opening->file > 0 && !opening->args->name_of_file);
}

/* Tasks of a node make the node's part of a file together. */
static enum scion_open_how way_to_open(const struct scion_opening *opening)
{
    if (opening->args->mode.access != SCION_ACCESS_WRITE)
        return SCION_OPEN_READ;
    if (opening->parallel->staging)
        return SCION_OPEN_CREATE_OWN;
    return has_derived_name(opening) ? SCION_OPEN_OWN : SCION_OPEN_WRITE;
}

static int open_path(const struct scion_opening *opening, const char *path,
                     struct scion_file **file)
{
    const struct scion_physical *physical = opening->physical;

    if (physical && physical->file && strcmp(physical->path, path) == 0)
        return scion_file_again(physical->file, file);
    return scion_file_open(path, way_to_open(opening), 0600, file);
}

/*
 * Its own descriptor. The name is the one that the file has, or, if it is atomic, will have. The
 * task that has created the file, or has read its tables, does not open it once more.
 */
static int open_file(const struct scion_opening *opening, const char *name,
                     struct scion_file **file)
{
    const struct scion_creation creation = {.name = opening->other_names ? opening->base
                                                                         : opening->args->name,
                                            .flag2 = opening->flag2,
                                            .is_atomic = opening->parallel->is_atomic,
                                            .staging = opening->parallel->staging};
    char *beside;
    int rc = scion_name_beside(&creation, name, opening->file, &beside);

    if (rc == 0)
        rc = open_path(opening, beside ? beside : name, file);
    free(beside);
    return rc;
}

/*
 * Open the file on this task. Takes over name and task->used on success. The facts come later, with
 * the agreement.
 */
static int attach(struct scion_opening *opening, char *name, const struct scion_task *task)
{
    const struct scion_parallel_args *args = opening->args;
    const struct scion_meta1 unknown = {.filenumber = opening->file};
    struct scion_file *file;
    FILE *stream;
    int rc = open_file(opening, name, &file);

    if (rc != 0)
        return rc;
    rc = scion_container_attach(&unknown, &args->mode, file, name, task, &opening->container);
    if (rc != 0) {
        scion_file_close(file);
        return rc;
    }
    scion_container_own(opening->container, &scion_parallel_owner, opening->parallel);
    if (opening->checksum && !scion_crc_find())
        rc = scion_crc_missing();
    else if (opening->checksum && args->mode.access == SCION_ACCESS_WRITE)
        rc = scion_checksum_make(opening->container);
    if (rc != 0)
        return rc;
    if (args->want_stream && !args->mode.posix && !scion_mode_zips(&args->mode))
        rc = scion_stream_export(scion_container_stream(opening->container), &stream);
    return rc;
}

/* What the close needs of memory, except for what is written. */
static int reserve(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    int rank = parallel->global->rank;
    int rc = scion_length_gather_reserve(&parallel->gather, parallel->local);

    if (rc != 0 || opening->nfiles == 1)
        return rc;
    if (scion_gathers_mapping(parallel))
        rc = scion_comm_reserve(parallel->global);
    return rc == 0 && rank == parallel->first_leader
               ? scion_reserve_mapping(parallel, opening->nfiles)
               : rc;
}

static int join(struct scion_opening *opening)
{
    struct scion_task task = {
        .placed = {.rank = opening->parallel->global->rank,
                   .file = opening->file,
                   .lrank = opening->lrank,
                   .place = {.start = opening->reply.start, .chunksize = opening->reply.chunksize}},
    };
    char *name = agree_on_name(opening);
    int rc = name ? 0 : scion_error_code(), joined = 0;

    task.appends = opening->appends;

    if (opening->args->mode.access == SCION_ACCESS_READ || opening->appends) {
        int received = receive_lengths(opening, &task);

        rc = scion_first_failure(rc, received);
    }
    if (rc == 0)
        rc = attach(opening, name, &task);
    if (rc == 0 && opening->args->mode.access == SCION_ACCESS_WRITE)
        rc = reserve(opening);
    if (opening->reply.head.status & SCION_REPLY_GROUP)
        joined = scion_collective_join(opening->parallel, opening->reply.head.number);
    if (!opening->container) {
        free(name);
        free(task.used);
    }
    return scion_first_failure(rc, joined);
}

/*
 * Take the facts that came with the agreement. From here on no task can fail, except if memory is
 * short.
 */
static void learn_facts(struct scion_opening *opening)
{
    const struct scion_facts *facts = &opening->facts;
    const struct scion_meta1 head = scion_head_of(facts, opening->file);

    while (scion_container_learn(opening->container, &head, facts->globalskip, facts->maxchunks) !=
           0)
        scion_make_room();
    opening->parallel->grows = opening->appends || opening->keeps;
    opening->parallel->keeps = opening->keeps;
    if (opening->keeps)
        scion_container_keep(opening->container);
    if (opening->appends) {
        scion_container_stream(opening->container)->place.floor = facts->floor;
        while (scion_parallel_go_on(opening->container) != 0)
            scion_make_room();
        if (opening->keeps)
            scion_begin_generation(opening->container);
    }
    opening->parallel->collective.merge = facts->merge;
    opening->parallel->collective.reads = facts->reads;
    opening->parallel->collective.at_end =
        facts->at_end && opening->parallel->collective.collector == 0;
}

/*
 * Reading with checksums: compare, now or when it is read. If rank 0 has read all files, no task
 * has the checksums of one.
 */
static int compare(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;

    if (!opening->checksum || opening->args->mode.access == SCION_ACCESS_WRITE)
        return 0;
    if (opening->is_set && opening->parallel->local == global) {
        scion_warn("checksums are not compared where threads of a process read several files");
        return 0;
    }
    return scion_agree(global, scion_name_rank(global, scion_checksum_watch_parallel(opening)));
}

/* Collective, of a staged container. */
static int announce(const struct scion_opening *opening)
{
    const struct scion_parallel *parallel = opening->parallel;
    int rc;

    if (!scion_staging_announces(parallel->staging))
        return 0;
    rc = scion_staging_announce(parallel, opening->container, opening->physical);
    return scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
}

/* Returns SCION_MORE: the tasks cannot read their own numbers, and have to ask. */
static int try_together(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    sion_int64 words[SCION_FACTS_WORDS];
    int rc = scion_ask_all(opening);

    if (rc != 0)
        return rc;
    take_seat(opening);
    scion_trace(SCION_TRACE_STEP, "task %d of file %d, one of %d", opening->lrank, opening->file,
                opening->nfiles);
    if (opening->is_staged)
        rc = scion_staging_join(opening, &opening->is_refused);
    if (rc == 0 && opening->is_set && !opening->is_surveyed)
        rc = ask_in_file(opening);
    else if (rc != 0)
        return rc;
    if (rc == 0)
        rc = join(opening);
    scion_name_rank(global, rc < 0 ? rc : 0);
    memcpy(words, &opening->facts, sizeof words);
    rc = scion_agree_telling(global, rc == 0 ? opening->deal : rc, words,
                             opening->is_set ? 0 : SCION_FACTS_WORDS);
    memcpy(&opening->facts, words, sizeof words);
    if (rc == SCION_MORE && opening->is_surveyed)
        return rc;
    rc = scion_settle_deal(opening->parallel, opening->nfiles, rc);
    if (rc == 0)
        learn_facts(opening);
    if (rc == 0 && opening->parallel->staging)
        rc = announce(opening);
    if (rc == 0)
        rc = compare(opening);
    if (rc == 0 && opening->members)
        rc = scion_agree(global, scion_name_rank(global, scion_open_members(opening)));
    if (rc == 0 && opening->appends && scion_container_is_zipped(opening->container))
        rc = scion_agree(global, scion_name_rank(global, scion_zips_go_on(opening->container)));
    if (rc == 0 && scion_container_unzips(opening->container))
        rc = scion_agree(global,
                         scion_name_rank(global, scion_container_unzip_own(opening->container)));
    return rc;
}

static int open_together(struct scion_opening *opening)
{
    int warnings = scion_warnings_count(), rc = try_together(opening);

    if (rc != SCION_MORE)
        return rc;
    scion_warnings_cut(warnings);
    scion_forget_survey(opening);
    return try_together(opening);
}

/* For the next attempt: the communicator of all is not freed. */
static void let_go(struct scion_parallel *parallel)
{
    if (parallel->local != parallel->global)
        scion_comm_free(parallel->local);
    parallel->global = parallel->local = NULL;
}

/* Free everything, and delete the file if this task has created it. */
static void give_up(struct scion_opening *opening)
{
    if (opening->created)
        scion_file_remove(opening->physical->path);
    if (opening->physical)
        scion_sound_look(opening->physical, &opening->args->mode, &opening->seen);
    if (opening->is_refused || opening->args->mode.access == SCION_ACCESS_READ)
        let_go(opening->parallel);
    scion_buddy_free(opening->parallel, 1);
    scion_physical_close(opening->physical);
    scion_writer_lock_release(opening->parallel->lock, 1);
    opening->parallel->lock = NULL;
    if (opening->container)
        scion_container_close(opening->container);
    else
        scion_parallel_free(opening->parallel);
}

/* What the environment asks for is left out where it cannot be. */
static void begin_meetings(const struct scion_opening *opening)
{
    int is_on = opening->publishes &&
                scion_parallel_publish_check(opening->parallel, opening->container) == 0;

    scion_meetings_begin(opening->parallel, is_on, opening->args->mode.publish_seconds);
}

/* On the file's first task: what it needs to write tables. */
static void keep_physical(struct scion_opening *opening)
{
    if (opening->physical)
        scion_physical_forget_tables(opening->physical);
    scion_container_keep_physical(opening->container, opening->physical);
}

/* For a refresh. */
static struct scion_reopening *remember(const struct scion_opening *opening)
{
    return scion_reopening_keep(scion_reopening_new(opening->args, NULL, &opening->state),
                                opening->all ? opening->all : &opening->physical,
                                opening->all ? opening->nall : 1);
}

int scion_single_open(struct scion_opening *opening)
{
    int rc;

    scion_fill_request(opening);
    rc = open_together(opening);
    if (rc == 0 && opening->args->mode.buddies > 0)
        rc = scion_buddy_create(opening);
    scion_comm_free(opening->node);
    opening->node = NULL;
    scion_rows_free(&opening->lengths);
    scion_damages_free(&opening->strangers);
    scion_seats_free(&opening->seats);
    if (rc == 0 && opening->args->mode.access == SCION_ACCESS_READ)
        opening->parallel->again = remember(opening);
    scion_files_free(opening->all, opening->nall, 0);
    if (rc != 0) {
        give_up(opening);
        return rc;
    }
    if (opening->parallel->staging)
        opening->parallel->staging->is_open = 1;
    if (opening->is_counted)
        scion_container_count(opening->container);
    begin_meetings(opening);
    if (opening->args->mode.access == SCION_ACCESS_WRITE)
        keep_physical(opening);
    else
        scion_physical_close(opening->physical);
    return 0;
}
