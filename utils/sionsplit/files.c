#include "sionsplit/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/packed.h"
#include "lib/progress.h"
#include "lib/tool.h"
#include "pack/extract.h"
#include "vfs/path.h"

struct splitting {
    const struct split_settings *settings;
    struct packed packed;
    char **paths; /* that are wanted; NULL: all */
    int count;
    struct scion_packed_cursor cursor, targets; /* for originals of hard links */
    struct scion_pack_list hard;                /* links, which come last */
    char last[SCION_PACK_PATH];                 /* path of the last entry that was wanted */
    int last_type;
    struct scion_extract *extract;
    struct progress progress;
    sion_int64 total;
};

/* ---- what is wanted ---- */

static int is_selected(const struct splitting *splitting, const char *path)
{
    int n;

    for (n = 0; n < splitting->count; n++) {
        if (scion_pack_is_below(path, splitting->paths[n]))
            return 1;
    }
    return splitting->count == 0;
}

static int has_task(const struct splitting *splitting, int task)
{
    return numbers_have(&splitting->settings->tasks, (uint64_t)task);
}

/* Left out, with the reason, while the others go on; but the disk can be full, and then all end. */
static int leave_out(struct splitting *splitting, int rc)
{
    if (rc != SION_ERR_ARGUMENT && rc != SION_ERR_DAMAGED)
        return rc > 0 ? rc : packed_failed(&splitting->packed);
    progress_clear(&splitting->progress);
    packed_failed(&splitting->packed);
    tool_note_left_out();
    return TOOL_RUN;
}

static int is_again(struct splitting *splitting, const struct scion_pack_entry *entry)
{
    int again = strcmp(entry->path, splitting->last) == 0 &&
                !(entry->type == SCION_PACK_FOLDER && splitting->last_type == SCION_PACK_FOLDER);

    strcpy(splitting->last, entry->path);
    splitting->last_type = entry->type;
    return again;
}

static int refuse_again(struct splitting *splitting, const struct scion_pack_entry *entry)
{
    return leave_out(
        splitting, scion_fail(SION_ERR_ARGUMENT,
                              "%s is also in task %d, which is left out: --task=%d takes that one",
                              entry->path, entry->task, entry->task));
}

/* ---- each entry of the paths that are wanted ---- */

typedef int visit(struct splitting *splitting, const struct scion_pack_entry *entry);

static int visit_below(struct splitting *splitting, const char *path, visit *do_one, int *found)
{
    const struct scion_pack_entry *entry;
    int rc = scion_packed_seek(&splitting->cursor, path), status = TOOL_RUN;

    while (rc == 0 && status == TOOL_RUN) {
        rc = scion_packed_next(&splitting->cursor, &entry);
        if (rc != 0 || !entry || !scion_pack_is_below(entry->path, path))
            break;
        *found = 1;
        if (has_task(splitting, entry->task))
            status = do_one(splitting, entry);
    }
    return rc == 0 ? status : packed_failed(&splitting->packed);
}

static int visit_all(struct splitting *splitting, visit *do_one)
{
    int n, found = 0, status = TOOL_RUN;

    splitting->last[0] = '\0';
    if (splitting->count == 0)
        return visit_below(splitting, "", do_one, &found);
    for (n = 0; n < splitting->count && status == TOOL_RUN; n++) {
        found = 0;
        status = visit_below(splitting, splitting->paths[n], do_one, &found);
        if (status == TOOL_RUN && !found) {
            tool_error("%s has no %s", splitting->packed.input->name, splitting->paths[n]);
            status = TOOL_FAILED;
        }
    }
    return status;
}

/* ---- what this process makes ---- */

static int is_mine(const struct splitting *splitting, const struct scion_pack_entry *entry)
{
    return share_has(&splitting->settings->share, entry->task);
}

static int count_bytes(struct splitting *splitting, const struct scion_pack_entry *entry)
{
    if (is_mine(splitting, entry))
        splitting->total += entry->size;
    return TOOL_RUN;
}

static void tell(struct splitting *splitting, const char *path)
{
    progress_step(&splitting->progress, 0);
    if (!splitting->settings->verbose)
        return;
    progress_clear(&splitting->progress);
    tool_line(stdout, 0, "", "%s", path);
}

static int make(struct splitting *splitting, const struct scion_pack_entry *entry)
{
    int rc;

    tell(splitting, entry->path);
    rc = scion_extract_entry(splitting->extract, entry);
    return rc == 0 ? TOOL_RUN : leave_out(splitting, rc);
}

static int make_copy(struct splitting *splitting, const struct scion_pack_entry *original,
                     const char *path)
{
    int rc;

    tell(splitting, path);
    rc = scion_extract_as(splitting->extract, original, path);
    return rc == 0 ? TOOL_RUN : leave_out(splitting, rc);
}

static int make_if_mine(struct splitting *splitting, const struct scion_pack_entry *entry)
{
    if (is_again(splitting, entry))
        return is_mine(splitting, entry) ? refuse_again(splitting, entry) : TOOL_RUN;
    if (entry->type == SCION_PACK_HARD)
        return scion_pack_list_add(&splitting->hard, entry) == 0
                   ? TOOL_RUN
                   : leave_out(splitting, SION_ERR_MEMORY);
    return is_mine(splitting, entry) ? make(splitting, entry) : TOOL_RUN;
}

/* A link to a file that is not wanted becomes a file itself; else who makes the file links it. */
static int make_hard(struct splitting *splitting, const struct scion_pack_entry *link)
{
    const struct scion_pack_entry *original;
    int is_folder, rc = scion_packed_find(&splitting->targets, link->target, &original, &is_folder);

    if (rc == 0 && (!original || original->type != SCION_PACK_FILE))
        rc = is_mine(splitting, link)
                 ? scion_fail(SION_ERR_ARGUMENT, "%s is a link to %s, which is no file here",
                              link->path, link->target)
                 : 0;
    if (rc != 0)
        return leave_out(splitting, rc);
    if (!original || original->type != SCION_PACK_FILE)
        return TOOL_RUN;
    if (is_selected(splitting, original->path) && has_task(splitting, original->task))
        return is_mine(splitting, original) ? make(splitting, link) : TOOL_RUN;
    return is_mine(splitting, link) ? make_copy(splitting, original, link->path) : TOOL_RUN;
}

static int make_all(struct splitting *splitting)
{
    size_t n;
    int status = visit_all(splitting, make_if_mine);

    for (n = 0; n < splitting->hard.count && status == TOOL_RUN; n++)
        status = make_hard(splitting, &splitting->hard.entries[n]);
    return status;
}

/* ---- begin and end ---- */

static int pass(void *context, sion_int64 bytes)
{
    struct splitting *splitting = context;

    progress_step(&splitting->progress, bytes);
    return 0;
}

static int run(void *context, int task, sion_int64 pos, sion_int64 *bytes, int *is_hole)
{
    struct splitting *splitting = context;

    return packed_run(&splitting->packed, task, pos, bytes, is_hole);
}

static int refused(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int make_below(struct splitting *splitting, const char *folder)
{
    const struct scion_extract_how how = {.links_anywhere = splitting->settings->links_anywhere,
                                          .pass = pass,
                                          .run = run,
                                          .context = splitting};
    int status;

    if (scion_make_folders(folder) != 0 ||
        scion_extract_begin(splitting->packed.files, folder, &how, &splitting->extract) != 0)
        return refused();
    progress_start(&splitting->progress, splitting->total, 0);
    status = make_all(splitting);
    progress_end(&splitting->progress);
    return scion_extract_end(splitting->extract, 0) == 0 || status != TOOL_RUN ? status : refused();
}

static int check_paths(char **paths, int count)
{
    int n;

    for (n = 0; n < count; n++) {
        scion_pack_clean_path(paths[n]);
        if (scion_pack_check_path(paths[n]) != 0)
            return refused();
    }
    return TOOL_RUN;
}

int split_files(const struct split_settings *settings, const struct input *input,
                const char *folder, char **paths, int count)
{
    struct splitting *splitting = calloc(1, sizeof *splitting);
    int status = check_paths(paths, count);

    if (!splitting) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    splitting->settings = settings;
    splitting->paths = paths;
    splitting->count = count;
    if (status == TOOL_RUN)
        status = packed_open(input, &splitting->packed);
    if (status == TOOL_RUN) {
        scion_packed_begin(splitting->packed.files, &splitting->cursor);
        scion_packed_begin(splitting->packed.files, &splitting->targets);
        status = visit_all(splitting, count_bytes);
        if (status == TOOL_RUN)
            status = make_below(splitting, folder);
        scion_packed_end(&splitting->cursor);
        scion_packed_end(&splitting->targets);
        scion_pack_list_free(&splitting->hard);
        packed_close(&splitting->packed);
    }
    free(splitting);
    return status;
}
