/* sionverify: check whether containers are undamaged: their tables, and all data that have
   checksums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "base/memory.h"
#include "file/container.h"
#include "file/members.h"
#include "format/places.h"
#include "lib/input.h"
#include "lib/progress.h"
#include "lib/records.h"
#include "lib/share.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "lib/zips.h"
#include "sionverify/report.h"
#ifdef HAVE_CHECKSUM
#include "sion_checksum.h"
#endif

enum { PIECE = 1 << 20 /* bytes that are read at once */ };

struct settings {
    int json, needs_checksums;
};

static const char usage[] =
    "Usage: %s options <sionfn>...\n\n"
    "Checks containers: their metadata, the records of key-value containers, and\n"
    "all data of those that were written with checksums. The exit status is 0 only\n"
    "if all are good.\n\n"
    "Options:\n"
    "  [-j]   print JSON\n"
    "  [-c]   a container without checksums is a failure, too\n"
    "  [-V]   show version of SIONlib\n"
    "  [-h]   show this help\n";

/* ---- the data of one physical file ---- */

struct work {
    struct report report;
    struct verdict verdict;
    struct progress progress;
    struct scion_physical *file;
    struct share share;
    int is_set;
    int nsums; /* files with checksums */
};

/* In a set, the number in the set. */
static int number_of(const struct work *work, int task)
{
    return work->is_set ? (int)work->file->globalranks[task] : task;
}

static int note_bad(void *user, const struct scion_bad_piece *bad)
{
    struct work *work = user;
    const struct scion_place place = scion_physical_place(work->file, bad->task);
    sion_int64 offset = 0;

    scion_chunk_start(&place, bad->chunk, &offset);
    progress_clear(&work->progress);
    report_piece(&work->report, work->file, number_of(work, bad->task), bad,
                 offset + bad->piece * bad->size);
    work->verdict.bad++;
    return 0;
}

static sion_int64 bytes_of(const struct scion_physical *file, int task)
{
    size_t n = (size_t)file->head.ntasks;
    sion_int64 bytes = 0, chunk;

    for (chunk = 0; chunk < file->counts[task]; chunk++)
        bytes += file->used[(size_t)chunk * n + (size_t)task];
    return bytes;
}

static int check_data(struct work *work)
{
    struct scion_checksum_table *checksums;
    int rc = scion_checksum_table_read(work->file, &checksums), task;

    if (rc == 0 && checksums && checksums->are_damaged)
        rc = scion_fail(SION_ERR_DAMAGED, "%s: the checksums are damaged", work->file->path);
    for (task = 0; rc == 0 && checksums && task < work->file->head.ntasks; task++) {
        if (!share_has(&work->share, task))
            continue;
        rc = scion_checksum_table_check(checksums, work->file, task, note_bad, work);
        work->verdict.pieces += checksums->first[task + 1] - checksums->first[task];
        progress_step(&work->progress, bytes_of(work->file, task));
    }
    if (rc == 0 && checksums)
        work->nsums++;
    scion_checksum_table_free(checksums);
    return rc;
}

/* A close that finds no room behind the data puts the tables before them, and fails. */
static int check_close(const struct scion_physical *file)
{
    if (file->start_of_varheader >= file->layout.start_of_data)
        return 0;
    return scion_fail(SION_ERR_DAMAGED,
                      "%s was closed on a full disk, so data may be missing: its tables are before "
                      "the data",
                      file->path);
}

/* A task that readers do not read, and how many there are. */
static int fail_damaged(const struct scion_physical *file)
{
    int others = file->damages.n - 1;

    scion_damage_fail(file->damages.list, file->path);
    if (others > 0)
        scion_fail_prefix("%d other damaged task%s", others, text_plural(others));
    return SION_ERR_DAMAGED;
}

/* Places of tasks are those that the chunk sizes make. */
static int check_places(const struct scion_physical *file)
{
    struct scion_places places;
    int found = scion_places_decode(&file->head, &places), i;
    int is_good = found >= 0 && (found == 0 || places.globalskip == file->layout.globalskip);

    for (i = 0; i < places.n && is_good; i++)
        is_good = file->starts[(i + 1) * places.step] == file->layout.start_of_data + places.at[i];
    return is_good ? 0
                   : scion_fail(SION_ERR_DAMAGED,
                                "the header of %s says other places of tasks than its chunk sizes",
                                file->path);
}

/* What other readers warn of. */
static int check_numbers(const struct scion_physical *file)
{
    const struct scion_meta2_entries *unknown = &file->odd.unknown, *behind = &file->odd.behind;

    if (file->head.nfiles < 1)
        return scion_fail(SION_ERR_DAMAGED, "the header of %s says that it has %d files",
                          file->path, file->head.nfiles);
    if (!scion_meta1_has_usual_keyval(&file->head))
        return scion_fail(SION_ERR_DAMAGED, "the header of %s says key-value mode %lld", file->path,
                          file->head.flag1 >> 32);
    if (scion_physical_is_misnamed(file))
        return scion_fail(SION_ERR_DAMAGED,
                          "the header of %s says that it is file %d of a set, its name does not",
                          file->path, file->head.filenumber);
    if (unknown->number > 0)
        return scion_fail(SION_ERR_DAMAGED, "%s does not say how many bytes %lld chunk%s ha%s",
                          file->path, unknown->number, text_plural(unknown->number),
                          unknown->number == 1 ? "s" : "ve");
    if (file->damages.n > 0)
        return fail_damaged(file);
    if (behind->number > 0)
        return scion_fail(SION_ERR_DAMAGED,
                          "%s has lengths of %lld chunk%s behind the last ones of their tasks",
                          file->path, behind->number, text_plural(behind->number));
    return check_places(file);
}

/* Whose the bytes of merged streams are. */
static int check_members(struct scion_physical *file)
{
    struct scion_members members;
    int rc = scion_members_read(file, &members);

    if (rc == 0 && members.damages.n > 0)
        rc = scion_damage_fail(members.damages.list, file->path);
    scion_members_free(&members);
    return rc;
}

/* The data are compared, whatever is wrong with the numbers; rc, and the reason, come first. */
static int check_data_also(struct work *work, int rc)
{
    char reason[SCION_ERROR_TEXT];

    if (rc == 0)
        return check_data(work);
    snprintf(reason, sizeof reason, "%s", scion_error_text());
    if (work->file->damages.n > 0) /* the checksums are those of sound tables */
        return rc;
    check_data(work);
    return scion_fail(rc, "%s", reason);
}

static int check_file(struct work *work, const char *name, int number)
{
    char *path = scion_physical_name(name, number);
    int rc = path ? scion_physical_read(path, &work->file) : SION_ERR_MEMORY;

    free(path);
    if (rc != 0)
        return rc;
    rc = check_close(work->file);
    if (rc == 0)
        rc = check_numbers(work->file);
    if (rc == 0)
        rc = check_members(work->file);
    rc = check_data_also(work, rc);
    scion_physical_close(work->file);
    return rc;
}

/* ---- one container ---- */

/* Damaged records are reported where they are found, as in the other tools. */
static int check_records(const struct work *work, const struct input *input)
{
    struct records records;
    int task, next, status = TOOL_RUN;

    for (task = 0; task < input->ntasks; task++) {
        if (!share_has(&work->share, task))
            continue;
        records_start(&records, input, task, NULL);
        while ((next = records_next(&records)) == TOOL_RUN)
            ;
        if (next != TOOL_DONE)
            status = TOOL_FAILED;
    }
    return status;
}

/* reason: of the first file that is damaged. */
static int check_files(struct work *work, const char *name, char *reason, size_t size)
{
    int nfiles = work->verdict.nfiles, rc = 0, i;

    progress_start(&work->progress, work->verdict.bytes, 0);
    for (i = 0; i < nfiles; i++) {
        int other = check_file(work, name, i);

        if (rc == 0 && other != 0)
            snprintf(reason, size, "%s", scion_error_text());
        rc = scion_first_failure(rc, other);
    }
    progress_end(&work->progress);
    if (work->nsums > 0)
        work->verdict.sums = work->nsums == nfiles ? SUMS_GOOD : SUMS_SOME;
    return rc;
}

/* The tasks of each file are shared, by their place in it. */
static void note_part(struct work *work, const struct input *input)
{
    int task, file, index;

    work->verdict.ntasks = 0;
    work->verdict.bytes = 0;
    for (task = 0; task < input->ntasks; task++) {
        scion_container_locate(input->container, task, &file, &index);
        if (share_has(&work->share, index)) {
            work->verdict.ntasks++;
            work->verdict.bytes += input_bytes(input, task);
        }
    }
}

/* Ranks that are not where the mapping says; what is wrong with other tasks is said of their file.
 */
static void check_pairs(const struct input *input)
{
    int task;

    for (task = 0; task < input->ntasks; task++) {
        const struct scion_damage *damage = input_damage(input, task);

        if (damage && damage->kind == SCION_DAMAGE_PAIR) {
            scion_damage_fail(damage, input->name);
            tool_error("%s", scion_error_text());
        }
    }
}

/* All frames of a compressed stream, which have checksums of their plain bytes. */
static int check_stream(const struct input *input, int task, void *piece)
{
    const struct scion_damage *damage = input_damage(input, task);
    struct scion_zipped_facts facts;
    sion_int64 left = damage ? 0 : input_bytes(input, task), at = 0, bytes;
    int status = TOOL_RUN;

    if (damage && damage->kind == SCION_DAMAGE_ZIP) {
        scion_damage_fail(damage, input->name);
        tool_error("%s", scion_error_text());
        return TOOL_FAILED;
    }
    if (!damage && zips_of_task(input, task, &facts) && facts.unread > 0) {
        tool_error("%s: the last %lld stored bytes of the compressed stream of task %d are neither "
                   "a frame nor its seek table",
                   input->name, facts.unread, task);
        return TOOL_FAILED;
    }
    for (; left > 0 && status == TOOL_RUN; at += bytes, left -= bytes) {
        bytes = left < PIECE ? left : PIECE;
        status = input_read(input, task, 0, at, piece, (size_t)bytes);
    }
    return status;
}

/* Up to the first one that is damaged, which is the reason; the files are compared nevertheless. */
static void check_streams(const struct work *work, const struct input *input)
{
    void *piece = scion_must_allocate(PIECE, 1);
    int task, status = TOOL_RUN;

    for (task = 0; task < input->ntasks && status == TOOL_RUN; task++) {
        if (share_has(&work->share, task))
            status = check_stream(input, task, piece);
    }
    free(piece);
}

static int check_tables(struct work *work, char *name)
{
    struct input input;
    int status = input_open(name, &input);

    if (status != TOOL_RUN)
        return TOOL_FAILED;
    work->is_set = input.is_set;
    work->verdict.ntasks = input.ntasks;
    work->verdict.nfiles = scion_container_nopen(input.container);
    work->verdict.bytes = input.total;
    if (work->share.size > 1)
        note_part(work, &input);
    if (input.keyval == SION_KEYVAL_INLINE)
        status = check_records(work, &input);
    check_pairs(&input);
    if (status == TOOL_RUN && input_is_zipped(&input))
        check_streams(work, &input);
    return input_close(&input, status);
}

/* The first message of the reader is the reason in the report; it is not printed by itself. */
static int verify(struct work *work, const struct settings *settings, char *name)
{
    char reason[1200] = "";
    int status;

    work->verdict =
        (struct verdict){.name = name, .part = work->share.rank, .parts = work->share.size};
    work->nsums = 0;
    report_container(&work->report, name);
    tool_keep_error(reason, sizeof reason);
    status = check_tables(work, name);
    tool_keep_error(NULL, 0);
    if (status == TOOL_RUN)
        check_files(work, name, reason, sizeof reason);
    if (!reason[0] && settings->needs_checksums && work->verdict.sums != SUMS_GOOD)
        snprintf(reason, sizeof reason, "%s has no checksums%s", name,
                 work->verdict.sums == SUMS_SOME ? " in some of its files" : "");
    work->verdict.reason = reason[0] ? reason : NULL;
    report_verdict(&work->report, &work->verdict);
    return work->verdict.reason || work->verdict.bad > 0 ? TOOL_FAILED : TOOL_DONE;
}

static const struct tool_option options[] = {
    TOOL_FLAG("json", 'j', struct settings, json),
    TOOL_FLAG("checksums", 'c', struct settings, needs_checksums),
    TOOL_PROGRESS_OPTION,
    TOOL_ALONE_OPTION,
    TOOL_FORCE_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionverify",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = TOOL_ALONE_HELP TOOL_PROGRESS_HELP TOOL_FORCE_HELP,
                                 .operands = 1,
                                 .more_operands = 1};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    struct work work = {.is_set = 0};
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status != TOOL_RUN)
        return tool_finish(status);
    work.share = share_find();
    if (settings.json && work.share.size > 1) {
        tool_error("-j is one document, of one process: use --alone");
        return tool_finish(TOOL_USAGE);
    }
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    status = TOOL_DONE;
    work.report.json = settings.json;
    report_begin(&work.report);
    for (; optind < argc; optind++) {
        if (verify(&work, &settings, argv[optind]) != TOOL_DONE)
            status = TOOL_FAILED;
    }
    report_end(&work.report);
    return tool_finish(status);
}
