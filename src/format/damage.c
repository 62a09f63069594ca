#include "format/damage.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

const struct scion_damage *scion_damages_find(const struct scion_damages *damages, int task)
{
    int number = damages->n > 0 ? damages->numbers[task] : 0;

    return number > 0 ? &damages->list[number - 1] : NULL;
}

static int make_room(struct scion_damages *damages, int ntasks)
{
    int n = damages->n;
    struct scion_damage *list;

    if (!damages->numbers)
        damages->numbers = calloc((size_t)ntasks, sizeof *damages->numbers);
    if ((n & (n - 1)) == 0) { /* the list is full when its number is a power of two */
        list = scion_array_grown(damages->list, n > 0 ? 2 * (uint64_t)n : 1, sizeof *list);
        if (!list)
            return scion_fail_memory("damaged tasks");
        damages->list = list;
    }
    return damages->numbers ? 0 : scion_fail_memory("damaged tasks");
}

int scion_damages_add(struct scion_damages *damages, int ntasks, const struct scion_damage *damage)
{
    int rc;

    if (scion_damages_find(damages, (int)damage->task))
        return 0;
    rc = make_room(damages, ntasks);
    if (rc != 0)
        return rc;
    damages->list[damages->n++] = *damage;
    damages->numbers[damage->task] = damages->n;
    return 0;
}

void scion_damages_free(struct scion_damages *damages)
{
    free(damages->list);
    free(damages->numbers);
    *damages = (struct scion_damages){0};
}

void scion_damages_share(struct scion_damages *damages, int task, int other)
{
    damages->numbers[other] = damages->numbers[task];
}

struct scion_damage scion_damage_of_piece(int task, sion_int64 chunk, sion_int64 piece,
                                          uint32_t stored, uint32_t found)
{
    return (struct scion_damage){SCION_DAMAGE_SUM, task, chunk, piece,
                                 (sion_int64)((uint64_t)stored << 32 | found)};
}

void scion_damage_describe(const struct scion_damage *damage, char text[SCION_DAMAGE_TEXT])
{
    const struct scion_damage d = *damage;

    switch ((enum scion_damage_kind)d.kind) {
    case SCION_DAMAGE_COUNT:
        snprintf(text, SCION_DAMAGE_TEXT, "task %lld says %lld chunks, of at most %lld", d.task,
                 d.found, d.bound);
        break;
    case SCION_DAMAGE_ROWS:
        snprintf(text, SCION_DAMAGE_TEXT,
                 "task %lld says %lld chunks, but its chunk %lld has bytes, and the header says "
                 "%lld chunks",
                 d.task, d.found, d.chunk, d.bound);
        break;
    case SCION_DAMAGE_BEYOND:
        snprintf(text, SCION_DAMAGE_TEXT,
                 "data of chunk %lld of task %lld, %lld bytes, would be beyond offset %lld",
                 d.chunk, d.task, d.found, d.bound);
        break;
    case SCION_DAMAGE_PARTLY:
        snprintf(text, SCION_DAMAGE_TEXT,
                 "key-value file, but chunk %lld of task %lld is only partly filled", d.chunk,
                 d.task);
        break;
    case SCION_DAMAGE_SUM:
        snprintf(text, SCION_DAMAGE_TEXT,
                 "piece %lld of chunk %lld of task %lld is damaged: its checksum is %08x, not %08x",
                 d.found, d.chunk, d.task, (unsigned)((uint64_t)d.bound & UINT32_MAX),
                 (unsigned)((uint64_t)d.bound >> 32));
        break;
    case SCION_DAMAGE_PAIR:
        snprintf(text, SCION_DAMAGE_TEXT,
                 "rank %lld is not where the mapping says, or has another number there", d.bound);
        break;
    case SCION_DAMAGE_RUN:
        snprintf(text, SCION_DAMAGE_TEXT,
                 "the record of members: run %lld of task %lld is not valid", d.found, d.task);
        break;
    case SCION_DAMAGE_MEMBERS:
        if (d.found == d.bound)
            snprintf(
                text, SCION_DAMAGE_TEXT,
                "the record of members: pieces of the stream of task %lld overlap or are behind "
                "its end",
                d.task);
        else
            snprintf(text, SCION_DAMAGE_TEXT,
                     "the record of members has %lld of the %lld bytes of task %lld", d.found,
                     d.bound, d.task);
        break;
    case SCION_DAMAGE_ZIP:
        snprintf(text, SCION_DAMAGE_TEXT,
                 d.bound == 1
                     ? "where frames begin in the %lld stored bytes of task %lld cannot be read"
                     : "the %lld stored bytes of task %lld do not begin as a compressed stream",
                 d.found, d.task);
        break;
    default:
        snprintf(text, SCION_DAMAGE_TEXT, "chunk %lld of task %lld says %lld bytes used of %lld",
                 d.chunk, d.task, d.found, d.bound);
    }
}

/* Whether sionrecover --in-place mends it. */
static int is_mendable(const struct scion_damage *damage)
{
    return damage->kind == SCION_DAMAGE_USED || damage->kind == SCION_DAMAGE_BEYOND;
}

int scion_damage_fail(const struct scion_damage *damage, const char *path)
{
    char text[SCION_DAMAGE_TEXT];

    scion_damage_describe(damage, text);
    return scion_fail(SION_ERR_DAMAGED, "%s%s%s: nothing is read of this task%s", path ? path : "",
                      path ? ": " : "", text,
                      is_mendable(damage) ? "; sionrecover --in-place counts the chunk as 0 bytes"
                                          : "");
}
