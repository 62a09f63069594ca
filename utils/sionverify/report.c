#include "sionverify/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "lib/message.h"
#include "lib/text.h"

/* Further pieces of a container are counted, and listed only in JSON. */
enum { LISTED = 20 };

void report_begin(const struct report *report)
{
    if (report->json)
        printf("{\n  \"schema\": \"sionverify\",\n  \"schema_version\": 1,\n  \"containers\": [");
}

void report_end(const struct report *report)
{
    if (report->json)
        printf("\n  ]\n}\n");
}

void report_container(struct report *report, const char *name)
{
    report->bad = 0;
    if (!report->json)
        return;
    printf("%s\n    {\"name\": ", report->count++ > 0 ? "," : "");
    scion_json_string(stdout, name);
    printf(", \"damaged\": [");
}

static void put_piece(const struct report *report, const struct scion_physical *file, int task,
                      const struct scion_bad_piece *piece, sion_int64 offset)
{
    printf("%s\n      {\"file\": ", report->bad > 0 ? "," : "");
    scion_json_string(stdout, file->path);
    printf(", \"task\": %d, \"chunk\": %lld, \"piece\": %lld, \"offset\": %lld", task, piece->chunk,
           piece->piece, offset);
    if (piece->rc != 0) {
        printf(", \"error\": ");
        scion_json_string(stdout, scion_error_text());
    } else {
        printf(", \"expected\": \"%08x\", \"found\": \"%08x\"", piece->expected, piece->found);
    }
    putchar('}');
}

void report_piece(struct report *report, const struct scion_physical *file, int task,
                  const struct scion_bad_piece *piece, sion_int64 offset)
{
    if (report->json)
        put_piece(report, file, task, piece, offset);
    else if (report->bad < LISTED && piece->rc != 0)
        tool_error("%s: task %d, chunk %lld, piece %lld: %s", file->path, task, piece->chunk,
                   piece->piece, scion_error_text());
    else if (report->bad < LISTED)
        tool_error("%s: task %d, chunk %lld, piece %lld, from byte %lld of the file on: the "
                   "checksum is %08x, not %08x",
                   file->path, task, piece->chunk, piece->piece, offset, piece->found,
                   piece->expected);
    report->bad++;
}

static const char *name_sums(enum sums sums)
{
    static const char *const names[] = {"none", "some", "all"};

    return names[sums];
}

static void put_verdict(const struct verdict *verdict)
{
    printf("%s],\n     \"good\": %s, \"tasks\": %d, \"files\": %d, \"bytes\": %lld, "
           "\"checksums\": \"%s\", \"pieces\": %lld, \"damaged_pieces\": %lld",
           verdict->bad > 0 ? "\n     " : "",
           verdict->reason || verdict->bad > 0 ? "false" : "true", verdict->ntasks, verdict->nfiles,
           verdict->bytes, name_sums(verdict->sums), verdict->pieces, verdict->bad);
    if (verdict->reason) {
        printf(", \"error\": ");
        scion_json_string(stdout, verdict->reason);
    }
    putchar('}');
}

static void say_good(const struct verdict *verdict)
{
    char size[TEXT_SIZE], *name = text_escaped(verdict->name);

    text_size(size, verdict->bytes);
    if (verdict->parts > 1)
        printf("part %d of %d of ", verdict->part + 1, verdict->parts);
    if (verdict->sums == SUMS_GOOD)
        printf("%s: good: %d task%s, %s, %lld checksum%s\n", name ? name : "", verdict->ntasks,
               text_plural(verdict->ntasks), size, verdict->pieces, text_plural(verdict->pieces));
    else
        printf("%s: good as far as can be checked, but %s: %d task%s, %s\n", name ? name : "",
               verdict->sums == SUMS_NONE ? "it has no checksums" : "some files have no checksums",
               verdict->ntasks, text_plural(verdict->ntasks), size);
    free(name);
}

void report_verdict(struct report *report, const struct verdict *verdict)
{
    if (report->json)
        put_verdict(verdict);
    else if (verdict->reason)
        tool_error("%s", verdict->reason);
    else if (verdict->bad > 0)
        tool_error("%s: %lld of %lld piece%s %s damaged", verdict->name, verdict->bad,
                   verdict->pieces, text_plural(verdict->pieces), verdict->bad == 1 ? "is" : "are");
    else
        say_good(verdict);
}
