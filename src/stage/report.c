#include "stage/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "file/physical.h"
#include "file/stats.h"
#include "vfs/path.h"

/* One call writes it, so that a reader finds the old or the new one; nothing is left beside it. */
enum { REPORT = 512 };

static int store(const char *name, const char *text)
{
    struct scion_file *file;
    int rc = scion_file_open(name, SCION_OPEN_CREATE_OWN, 0666, &file), closed;

    if (rc != 0)
        return rc;
    rc = scion_file_write(file, text, REPORT, 0, NULL);
    closed = scion_file_close(file);
    return scion_first_failure(rc, closed);
}

int scion_report_write(const struct scion_stage_part *part)
{
    static unsigned beat;
    char text[REPORT], host[64] = "", *name = scion_stage_report(part, part->node);
    int length, rc;

    if (!name)
        return SION_ERR_MEMORY;
    gethostname(host, sizeof host - 1);
    memset(text, '\n', sizeof text);
    length = snprintf(text, sizeof text, "%c %u %ld %s\n%s", (char)part->state,
                      __atomic_add_fetch(&beat, 1, __ATOMIC_RELAXED), (long)getpid(),
                      *host ? host : "-", part->reason);
    text[length] = '\n';
    rc = store(name, text);
    free(name);
    return rc;
}

void scion_report_beat(const struct scion_stage_part *part, int patience, double *last)
{
    double seconds = patience > 0 && patience < 20 ? patience / 4.0 : 5;

    if (scion_seconds() - *last < seconds)
        return;
    scion_report_write(part);
    *last = scion_seconds();
}

static int decode(char *text, struct scion_report *report)
{
    char state;
    char *reason = strchr(text, '\n'), *end;

    if (!reason || sscanf(text, "%c %u", &state, &report->beat) != 2 || !strchr("cfd", state))
        return -1;
    end = strchr(reason + 1, '\n');
    if (!end)
        return -1;
    *end = '\0';
    report->state = state;
    snprintf(report->reason, sizeof report->reason, "%s", reason + 1);
    return 0;
}

static int read_text(const char *name, char *text, size_t room)
{
    struct scion_file *file;
    size_t got = 0;
    int rc;

    if (!scion_file_exists(name) || scion_file_open(name, SCION_OPEN_READ, 0, &file) != 0)
        return -1;
    rc = scion_file_read_some(file, text, room - 1, 0, &got);
    scion_file_close(file);
    text[got] = '\0';
    return rc;
}

int scion_report_read(const struct scion_stage_part *part, int node, struct scion_report *report)
{
    const int code = scion_error_code();
    char text[REPORT + 1], before[SCION_ERROR_TEXT];
    char *name = scion_stage_report(part, node);
    int rc;

    snprintf(before, sizeof before, "%s", scion_error_text());
    rc = name && read_text(name, text, sizeof text) == 0 ? decode(text, report) : -1;
    scion_error_set(code, before);
    free(name);
    return rc;
}

void scion_report_remove(const struct scion_stage_part *part, int node)
{
    char *name = scion_stage_report(part, node);

    if (name)
        scion_file_remove(name);
    free(name);
}
