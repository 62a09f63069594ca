#include "siondiff/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "lib/progress.h"
#include "siondiff/tree.h"

struct work {
    const struct settings *settings;
    struct tree trees[2];
    const struct scion_pack_entry *entries[2]; /* the next ones; NULL: no more */
    char passed[2][SCION_PACK_PATH];           /* the last folder, which several tasks may have */
    unsigned char *pieces[2];                  /* [PIECE] */
    struct progress progress;
};

/* ---- what is said ---- */

static void say(struct work *work, const char *path)
{
    int side;

    progress_clear(&work->progress);
    for (side = 0; side < 2; side++) {
        scion_print_escaped(stdout, work->trees[side].name);
        putchar(' ');
    }
    printf("differ: ");
    scion_print_escaped(stdout, path);
}

static int is_quiet(const struct work *work)
{
    return work->settings->quiet;
}

static int say_alone(struct work *work, int side)
{
    if (!is_quiet(work)) {
        say(work, work->entries[side]->path);
        printf(" is in ");
        scion_print_escaped(stdout, work->trees[side].name);
        printf(" alone\n");
    }
    return DIFFERENT;
}

static int say_texts(struct work *work, const char *what, const char *left, const char *right)
{
    if (!is_quiet(work)) {
        say(work, work->entries[0]->path);
        printf(": %s", what);
        scion_print_escaped(stdout, left);
        printf(" and ");
        scion_print_escaped(stdout, right);
        putchar('\n');
    }
    return DIFFERENT;
}

static int say_sizes(struct work *work, sion_int64 left, sion_int64 right)
{
    if (!is_quiet(work)) {
        say(work, work->entries[0]->path);
        printf(": %lld and %lld bytes\n", left, right);
    }
    return DIFFERENT;
}

static int say_offset(struct work *work, sion_int64 offset)
{
    if (!is_quiet(work)) {
        say(work, work->entries[0]->path);
        printf(", offset %lld\n", offset);
    }
    return DIFFERENT;
}

/* ---- data ---- */

static int compare_piece(struct work *work, const struct scion_pack_entry *const *files,
                         size_t bytes, sion_int64 pos)
{
    size_t n = 0;

    if (tree_read(&work->trees[0], files[0], work->pieces[0], bytes, pos) != TOOL_RUN ||
        tree_read(&work->trees[1], files[1], work->pieces[1], bytes, pos) != TOOL_RUN)
        return TOOL_FAILED;
    if (memcmp(work->pieces[0], work->pieces[1], bytes) == 0)
        return SAME;
    while (work->pieces[0][n] == work->pieces[1][n])
        n++;
    return say_offset(work, pos + (sion_int64)n);
}

static int compare_opened(struct work *work, const struct scion_pack_entry *const *files)
{
    sion_int64 size = files[0]->size, pos;
    int status = SAME;

    for (pos = 0; pos < size && status == SAME; pos += PIECE) {
        size_t bytes = size - pos < PIECE ? (size_t)(size - pos) : PIECE;

        status = compare_piece(work, files, bytes, pos);
        progress_step(&work->progress, 2 * (sion_int64)bytes);
    }
    return status;
}

static int compare_data(struct work *work)
{
    const struct scion_pack_entry *files[2];
    int side, status = TOOL_RUN;

    for (side = 0; side < 2 && status == TOOL_RUN; side++)
        status = tree_original(&work->trees[side], work->entries[side], &files[side]);
    if (status != TOOL_RUN)
        return status;
    if (files[0]->size != files[1]->size)
        return say_sizes(work, files[0]->size, files[1]->size);
    for (side = 0; side < 2 && status == TOOL_RUN; side++)
        status = tree_begin_file(&work->trees[side], files[side]);
    if (status == TOOL_RUN)
        status = compare_opened(work, files);
    tree_end_file(&work->trees[0]);
    tree_end_file(&work->trees[1]);
    return status;
}

/* ---- entries ---- */

/* Another name of a file is a file. */
static int type_of(const struct scion_pack_entry *entry)
{
    return entry->type == SCION_PACK_HARD ? SCION_PACK_FILE : entry->type;
}

static int compare_modes(struct work *work)
{
    char texts[2][16];
    int side;

    if (work->entries[0]->mode == work->entries[1]->mode)
        return SAME;
    for (side = 0; side < 2; side++)
        snprintf(texts[side], sizeof texts[side], "%04o", work->entries[side]->mode);
    return say_texts(work, "modes ", texts[0], texts[1]);
}

static int compare_times(struct work *work)
{
    char texts[2][64];
    int side;

    if (!work->settings->times || (work->entries[0]->mtime == work->entries[1]->mtime &&
                                   work->entries[0]->mtime_ns == work->entries[1]->mtime_ns))
        return SAME;
    for (side = 0; side < 2; side++)
        snprintf(texts[side], sizeof texts[side], "%lld s %u ns",
                 (long long)work->entries[side]->mtime, work->entries[side]->mtime_ns);
    return say_texts(work, "times ", texts[0], texts[1]);
}

/* The worse of two results. */
static int both(int status, int other)
{
    return status == TOOL_FAILED || other == TOOL_FAILED ? TOOL_FAILED
           : status == SAME                              ? other
                                                         : status;
}

static int compare_pair(struct work *work)
{
    const struct scion_pack_entry *left = work->entries[0], *right = work->entries[1];
    int status = SAME;

    if (type_of(left) != type_of(right))
        return say_texts(work, "", packed_type(type_of(left)), packed_type(type_of(right)));
    if (left->type == SCION_PACK_LINK)
        return strcmp(left->target, right->target) == 0
                   ? compare_times(work)
                   : say_texts(work, "links to ", left->target, right->target);
    if (type_of(left) == SCION_PACK_FILE)
        status = compare_data(work);
    status = both(status, compare_modes(work));
    return both(status, compare_times(work));
}

/* A folder is also where something below it is, whether it has an entry or not. */
static int is_implied(const struct work *work, int side)
{
    const struct scion_pack_entry *entry = work->entries[side], *other = work->entries[1 - side];

    return entry->type == SCION_PACK_FOLDER && other &&
           scion_pack_is_below(other->path, entry->path);
}

/* Folders are entries of each task that has files in them: only the first one counts. */
static int advance(struct work *work, int side)
{
    const struct scion_pack_entry *entry = work->entries[side];
    int status;

    if (entry && entry->type == SCION_PACK_FOLDER)
        strcpy(work->passed[side], entry->path);
    do {
        status = tree_next(&work->trees[side], &work->entries[side]);
        entry = work->entries[side];
    } while (status == TOOL_RUN && entry && entry->type == SCION_PACK_FOLDER &&
             strcmp(entry->path, work->passed[side]) == 0);
    return status == TOOL_RUN ? SAME : status;
}

static int step(struct work *work)
{
    const struct scion_pack_entry *left = work->entries[0], *right = work->entries[1];
    int order = !left ? 1 : !right ? -1 : scion_pack_compare(left->path, right->path);
    int side = order > 0, status;

    if (order == 0) {
        status = compare_pair(work);
        status = both(status, advance(work, 0));
        return both(status, advance(work, 1));
    }
    status = is_implied(work, side) ? SAME : say_alone(work, side);
    return both(status, advance(work, side));
}

static int compare(struct work *work)
{
    int status = both(advance(work, 0), advance(work, 1));

    while ((work->entries[0] || work->entries[1]) && status != TOOL_FAILED &&
           !(status == DIFFERENT && is_quiet(work)))
        status = both(status, step(work));
    return status;
}

static int compare_with_memory(struct work *work)
{
    int status = TOOL_FAILED;

    work->pieces[0] = malloc(PIECE);
    work->pieces[1] = malloc(PIECE);
    progress_start(&work->progress, work->trees[0].total + work->trees[1].total, 1);
    if (work->pieces[0] && work->pieces[1])
        status = compare(work);
    else
        tool_error("out of memory");
    progress_end(&work->progress);
    free(work->pieces[0]);
    free(work->pieces[1]);
    return status;
}

int diff_files(const struct settings *settings, char **names)
{
    struct work *work = calloc(1, sizeof *work);
    int status;

    if (!work) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    work->settings = settings;
    status = tree_open(&work->trees[0], names[0]);
    if (status == TOOL_RUN) {
        status = tree_open(&work->trees[1], names[1]);
        if (status == TOOL_RUN)
            status = tree_close(&work->trees[1], compare_with_memory(work));
        status = tree_close(&work->trees[0], status);
    }
    free(work);
    return status;
}
