#include "api/unclosed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "api/bindings.h"
#include "api/handle.h"
#include "api/parallel.h"
#include "base/escape.h"
#include "stage/queue.h"

/* Later ones first. */
static struct scion_container *listed;
static struct scion_hold hold;

void scion_unclosed_add(struct scion_container *container, int kind, int speaks)
{
    struct scion_unclosed *entry = scion_container_unclosed(container);
    SCION_HOLD(&hold);

    if (!scion_container_is_writing(container))
        return;
    *entry = (struct scion_unclosed){.next = listed,
                                     .is_listed = 1,
                                     .process = (int)getpid(),
                                     .kind = kind & ~SION_LAYER_MAPPED,
                                     .speaks = speaks};
    if (listed)
        scion_container_unclosed(listed)->previous = container;
    listed = container;
}

void scion_unclosed_remove(struct scion_container *container)
{
    struct scion_unclosed *entry = scion_container_unclosed(container);
    SCION_HOLD(&hold);

    if (!entry->is_listed)
        return;
    if (entry->previous)
        scion_container_unclosed(entry->previous)->next = entry->next;
    else
        listed = entry->next;
    if (entry->next)
        scion_container_unclosed(entry->next)->previous = entry->previous;
    entry->is_listed = 0;
}

/* ---- what is reported ---- */

/* Of one container, or of all threads' parts of it. */
struct report {
    struct report *next;
    char *name, *reason;            /* NULL: nothing has failed */
    int kind, rank, tasks, commits; /* tasks: of a mapped container; else 0 */
    int parts;
    int is_published; /* readers see what it was before `news` bytes were written */
    sion_int64 bytes, news;
};

static int has_threads(int kind)
{
    return kind == SION_LAYER_OMP || kind == SION_LAYER_OMPI;
}

/* The report on another thread's part of the same container. */
static struct report *find_report(struct report *reports, const struct report *new)
{
    while (reports &&
           (reports->reason || reports->kind != new->kind || strcmp(reports->name, new->name) != 0))
        reports = reports->next;
    return reports;
}

static void add_report(struct report **reports, struct report *new)
{
    struct report *other =
        has_threads(new->kind) && !new->reason ? find_report(*reports, new) : NULL;

    if (!other) {
        new->next = *reports;
        *reports = new;
        return;
    }
    other->bytes += new->bytes;
    other->news += new->news;
    other->is_published |= new->is_published;
    other->parts++;
    free(new->name);
    free(new);
}

static struct report *make_report(struct scion_container *container, sion_int64 bytes, int rc)
{
    struct report *new = calloc(1, sizeof *new);

    if (!new)
        return NULL;
    new->name = scion_container_unclosed_name(container);
    new->reason = rc != 0 ? strdup(scion_error_text()) : NULL;
    new->kind = scion_container_unclosed(container)->kind;
    new->rank = new->kind == 0 ? -1 : scion_container_rank(container);
    new->tasks = scion_container_is_mapped(container) ? scion_container_ntasks(container) : 0;
    new->parts = 1;
    new->commits = scion_container_commits(container);
    new->bytes = bytes;
    new->is_published = scion_container_was_published(container, &new->news);
    if (new->name)
        return new;
    free(new->reason);
    free(new);
    return NULL;
}

static void say_bytes(const struct report *report, char *text, size_t size)
{
    int n = snprintf(text, size, "%lld bytes", report->bytes);

    if (report->parts > 1)
        snprintf(text + n, size - (size_t)n, " of %d threads", report->parts);
    else if (report->tasks > 0)
        snprintf(text + n, size - (size_t)n, " of %d tasks", report->tasks);
    else if (report->rank >= 0)
        snprintf(text + n, size - (size_t)n, " of rank %d", report->rank);
}

enum { LINE = 4096 }; /* two file names, and more */

static void compose(const struct report *report, char text[LINE])
{
    char raw[LINE], bytes[80];

    say_bytes(report, bytes, sizeof bytes);
    if (report->reason)
        snprintf(raw, sizeof raw, "%s was not closed: not all of its %s are in the file: %s",
                 report->name, bytes, report->reason);
    else if (report->commits)
        snprintf(raw, sizeof raw,
                 "%s was not closed: its %s are certain; 'sionrecover --in-place %s' "
                 "closes it",
                 report->name, bytes, report->name);
    else if (report->is_published && report->news == 0)
        snprintf(raw, sizeof raw, "%s was not closed: its %s were published, and can be read",
                 report->name, bytes);
    else if (report->is_published)
        snprintf(raw, sizeof raw,
                 "%s was not closed: of its %s, readers see all but the last %lld, which were not "
                 "published",
                 report->name, bytes, report->news);
    else
        snprintf(raw, sizeof raw,
                 "%s was not closed: its %s are in the file, but not the tables that are "
                 "needed to read it; 'sionrecover --upper-bound -o OUT %s' saves what it finds",
                 report->name, bytes, report->name);
    scion_escape(raw, text, LINE);
}

static void print_reports(struct report *report, void (*print)(int rank, const char *text))
{
    char text[LINE];

    while (report) {
        struct report *next = report->next;

        compose(report, text);
        print(report->rank, text);
        free(report->name);
        free(report->reason);
        free(report);
        report = next;
    }
}

/* ---- the end ---- */

enum end { END_OF_PROCESS, END_OF_MPI, END_OF_SID };

/* A second end reports no more than what failed, and not twice. */
static int is_worth_telling(struct scion_unclosed *entry, enum end end, sion_int64 bytes, int rc)
{
    int is_known = entry->is_told && (rc == 0 || bytes == entry->written);

    entry->is_told = 1;
    entry->written = bytes;
    return !is_known && (rc != 0 || end == END_OF_PROCESS || entry->speaks);
}

static void save(struct scion_container *container, enum end end, struct report **reports)
{
    struct scion_unclosed *entry = scion_container_unclosed(container);
    struct report *new;
    sion_int64 bytes;
    int rc;

    if (entry->process != (int)getpid()) {
        scion_container_forget(container);
        return;
    }
    rc = scion_container_save(container, &bytes);
    if (!is_worth_telling(entry, end, bytes, rc))
        return;
    new = make_report(container, bytes, rc);
    if (new)
        add_report(reports, new);
}

static int ends_with_mpi(const struct scion_unclosed *entry)
{
    return entry->kind == SION_LAYER_MPI || entry->kind == SION_LAYER_OMPI;
}

/* only: NULL: all that the end concerns. */
static void save_all(enum end end, const struct scion_container *only, struct report **reports)
{
    struct scion_container *container;

    if (!scion_hold_try(&hold))
        return; /* the end began in the middle of an open or a close */
    for (container = listed; container; container = scion_container_unclosed(container)->next) {
        if (only ? container == only
                 : end != END_OF_MPI || ends_with_mpi(scion_container_unclosed(container)))
            save(container, end, reports);
    }
    scion_hold_release(&hold);
}

/*
 * After all handlers and destructors of the program, which may still close their containers, and
 * before stdio writes its buffers. That a drain has failed, only the exit status can still tell
 * the program's caller, and only _exit() can change it here.
 */
__attribute__((destructor(101))) static void end_process(void)
{
    struct report *reports = NULL;

    save_all(END_OF_PROCESS, NULL, &reports);
    print_reports(reports, scion_log_at_end);
    if (scion_staged_end(scion_log_at_end)) {
        fflush(NULL);
        _exit(EX_IOERR);
    }
}

void sion_layer_end_mpi(void)
{
    struct report *reports = NULL;

    save_all(END_OF_MPI, NULL, &reports);
    print_reports(reports, scion_log_warning);
    scion_staged_end(scion_log_warning);
}

void sion_layer_lose(int sid)
{
    const struct scion_container *container = scion_api_find(sid);
    struct report *reports = NULL;

    if (!container)
        return;
    save_all(END_OF_SID, container, &reports);
    print_reports(reports, scion_log_warning);
}
