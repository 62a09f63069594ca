#include "siondrain/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "lib/text.h"
#include "vfs/writer_lock.h"

static enum outcome outcome_of(const struct scion_stage_part *part)
{
    switch (part->state) {
    case SCION_STAGE_DRAINED:
        return *part->reason ? OUTCOME_FAILED : OUTCOME_DRAINED;
    case SCION_STAGE_FAILED:
        return OUTCOME_FAILED;
    default:
        return scion_stage_is_closed(part) ? OUTCOME_STAGED : OUTCOME_OPEN;
    }
}

static void note_writer(struct found_part *found)
{
    struct scion_writer writer = {0};
    char text[SCION_WRITER_TEXT];

    scion_writer_find(found->part.record, &writer);
    snprintf(found->reason, sizeof found->reason, "%s", scion_writer_text(&writer, text));
    found->outcome = OUTCOME_BUSY;
}

int part_take(const char *record, struct found_part *found)
{
    *found = (struct found_part){.outcome = OUTCOME_STAGED};
    if (scion_stage_part_read(record, &found->part) != 0) {
        tool_error("%s", scion_error_text());
        return TOOL_FAILED;
    }
    if (scion_stage_bytes(&found->part, &found->bytes) != 0)
        part_fail(found);
    if (scion_writer_lock_take(record, 0, &found->lock) != 0) {
        note_writer(found);
        return TOOL_RUN;
    }
    found->outcome = outcome_of(&found->part);
    snprintf(found->reason, sizeof found->reason, "%s", found->part.reason);
    return TOOL_RUN;
}

void part_release(struct found_part *found)
{
    scion_writer_lock_release(found->lock, 0);
    scion_stage_part_free(&found->part);
}

void part_fail(struct found_part *found)
{
    found->outcome = OUTCOME_FAILED;
    snprintf(found->reason, sizeof found->reason, "%s", scion_error_text());
}

/* ---- output ---- */

static const char *name_of(enum outcome outcome)
{
    static const char *const names[] = {"staged",  "open",    "busy",      "drained", "complete",
                                        "rescued", "reduced", "discarded", "failed"};

    return names[outcome];
}

static void say(const struct found_part *found, char *text, size_t size)
{
    const struct scion_stage_part *part = &found->part;

    switch (found->outcome) {
    case OUTCOME_STAGED:
        snprintf(text, size, "waits for its drain");
        break;
    case OUTCOME_OPEN:
        snprintf(text, size, "was not closed");
        break;
    case OUTCOME_BUSY:
        snprintf(text, size, "in use by %s", found->reason);
        break;
    case OUTCOME_DRAINED:
        snprintf(text, size, "drained, and waits for node %d", scion_stage_missing(part, 0));
        break;
    case OUTCOME_COMPLETE:
        snprintf(text, size, "complete");
        break;
    case OUTCOME_RESCUED:
        snprintf(text, size, "was not closed: 'sionrecover' reads %s", found->reason);
        break;
    case OUTCOME_REDUCED:
        snprintf(text, size, "%s", found->reason);
        break;
    case OUTCOME_DISCARDED:
        snprintf(text, size, "discarded");
        break;
    case OUTCOME_FAILED:
        snprintf(text, size, "failed: %s", found->reason);
        break;
    }
}

void part_print(const struct found_part *found)
{
    const struct scion_stage_part *part = &found->part;
    char text[1024];

    say(found, text, sizeof text);
    scion_print_escaped(stdout, part->target);
    printf(": node %d of %d, %lld byte%s: ", part->node, part->nodes, found->bytes,
           text_plural(found->bytes));
    scion_print_escaped(stdout, text);
    putchar('\n');
}

void part_print_json(const struct found_part *found, int is_first)
{
    const struct scion_stage_part *part = &found->part;

    printf("%s\n    {\"container\": ", is_first ? "" : ",");
    scion_json_string(stdout, part->target);
    printf(", \"record\": ");
    scion_json_string(stdout, part->record);
    printf(", \"node\": %d, \"nodes\": %d, \"bytes\": %lld, \"state\": \"%s\", \"reason\": ",
           part->node, part->nodes, found->bytes, name_of(found->outcome));
    scion_json_string(stdout, found->reason);
    putchar('}');
}
