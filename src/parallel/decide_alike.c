/* What rank 0 of all and the first task of each file decide for tasks that ask for the same. */
#include <stdint.h>

#include "comm/agree.h"
#include "file/nonce.h"
#include "parallel/files.h"
#include "parallel/opening.h"
#include "parallel/staging.h"

enum scion_way scion_way_to_write(const struct scion_opening *opening, int n)
{
    const struct scion_mode *mode = &opening->args->mode;
    int asks = opening->request.head.status, number = opening->request.head.number;
    int has_number = mode->files > 0 || mode->files == SCION_FILES_WRITERS;

    if (asks < 0 || asks % SCION_ASKS_CAPABILITY != SCION_ASKS_WRITING || asks >= SCION_ASKS_COPIES)
        return SCION_ASKS_IN_ANOTHER_WAY;
    if (scion_collective_size(mode, n) >= 0)
        return number == 1 && mode->files == 0 && scion_collective_is_simple(opening, n)
                   ? SCION_WRITES_IN_GROUPS
                   : SCION_ASKS_IN_ANOTHER_WAY;
    if (number == 1 && mode->files != 0 && !has_number)
        return mode->files == SCION_FILES_NODE ? SCION_WRITES_BY_NODE : SCION_WRITES_FOR_STORAGE;
    if (number == 1 && has_number)
        number = scion_files_for_writers(mode->files, n);
    return number == 1  ? SCION_WRITES_ONE_FILE
           : number > 1 ? SCION_WRITES_EVENLY
                        : SCION_WRITES_BY_LEADER;
}

/* What rank 0 chooses for all files. */
static int begin_alike(struct scion_opening *opening)
{
    int rc;

    opening->seats.nfiles = opening->nfiles;
    opening->seats.first_leader = opening->parallel->first_leader;
    opening->keeps = opening->args->mode.keep > 0;
    opening->publishes = opening->args->mode.publish > 0;
    opening->flag2 = scion_recovery_choose(&opening->args->mode);
    opening->parallel->is_atomic = scion_mode_is_atomic(&opening->args->mode);
    rc = scion_staging_choose(opening);
    if (rc == 0 && !opening->parallel->staging)
        rc = scion_lock_file_0(opening);
    return rc == 0 ? scion_mode_find_checksum(&opening->args->mode, &opening->checksum) : rc;
}

static int create_alike(struct scion_opening *opening, int n, struct scion_reply *reply)
{
    sion_int64 next = 0;
    int rc =
        opening->way == SCION_WRITES_IN_GROUPS ? scion_collective_choose_evenly(opening, n) : 0;

    if (rc == 0)
        rc = scion_create_own_file(opening, &opening->request, n);
    if (rc != 0)
        return rc;
    scion_describe_file(opening->physical, &opening->facts);
    opening->facts.nfiles = opening->nfiles;
    *reply =
        scion_tell_next_place(opening, &opening->request, 0, scion_common_flags(opening), &next);
    return 0;
}

int scion_decide_alike(struct scion_opening *opening, int n, struct scion_reply *reply)
{
    int rc;

    opening->nfiles = 1;
    rc = begin_alike(opening);
    return rc == 0 ? create_alike(opening, n, reply) : rc;
}

int scion_decide_set(struct scion_opening *opening, int n, struct scion_reply *reply)
{
    int number = opening->request.head.number, rc;

    if (opening->way == SCION_WRITES_EVENLY && number > 1)
        opening->nfiles = number;
    else if (opening->way == SCION_WRITES_EVENLY && opening->args->mode.files != SCION_FILES_AUTO)
        opening->nfiles = scion_files_for_writers(opening->args->mode.files, n);
    rc = scion_check_shares(opening->nfiles, n);
    if (rc == 0)
        rc = begin_alike(opening);
    *reply = (struct scion_reply){
        .head.status = SCION_REPLY_SEAT | scion_common_flags(opening),
        .nfiles = opening->nfiles,
        .flag2 = opening->flag2,
    };
    return rc;
}

static int are_rising(const uint32_t *ranks, int stride, int n)
{
    int i = 1;

    while (i < n && ranks[(size_t)stride * (size_t)i] > ranks[(size_t)stride * (size_t)(i - 1)])
        i++;
    return i >= n;
}

int scion_decide_alike_member(struct scion_opening *opening, const uint32_t *gathered, int n,
                              struct scion_reply *reply)
{
    int rc;

    opening->small = gathered;
    if (!opening->is_in_a_row &&
        !are_rising(gathered + opening->has_sizes, opening->has_sizes + 1, n))
        opening->deal = SCION_FIRST;
    rc = create_alike(opening, n, reply);
    opening->small = NULL;
    return rc;
}
