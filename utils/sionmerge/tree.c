/*
 * Trees of files as tars in the streams of a container. The first process looks for the files, all
 * write some of the streams, and the first one writes the index of them all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/byteorder.h"
#include "base/error.h"
#include "base/memory.h"
#include "lib/builder.h"
#include "lib/progress.h"
#include "lib/tool.h"
#include "pack/tree.h"
#include "pack/write.h"
#include "sionmerge/settings.h"
#include "vfs/path.h"

struct packing {
    const struct merge_settings *settings;
    struct scion_pack_list list; /* the leader's: all files; else those of its tasks */
    mode_t permissions;          /* who may read all that is packed */
    int ntasks;
    sion_int64 total;
    struct progress progress;
    struct builder builder;
};

static int refused(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static const char *root_of(const struct merge_settings *settings)
{
    return settings->root ? settings->root : ".";
}

/* ---- what is packed ---- */

/* Nobody can read in the container what he cannot read in the tree. */
static int take(void *context, const char *path, const struct stat *status, int *task)
{
    struct packing *packing = context;

    (void)task;
    if (scion_path_is(packing->settings->outfile, status)) {
        tool_warning("%s is left out: it is the output", path);
        return 0;
    }
    if (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode))
        packing->permissions &= status->st_mode | 0222;
    return 1;
}

static int check_tree(char *tree)
{
    scion_pack_clean_path(tree);
    if (tree[0] && scion_pack_check_path(tree) != 0) {
        tool_error("%s is not below the working folder; --root names another one", tree);
        return TOOL_FAILED;
    }
    return TOOL_RUN;
}

static int find_files(struct packing *packing, char **trees, int count)
{
    const struct merge_settings *settings = packing->settings;
    int i, status = TOOL_RUN;

    for (i = 0; i < count && status == TOOL_RUN; i++)
        status = check_tree(trees[i]);
    if (status != TOOL_RUN)
        return status;
    if (scion_pack_walk_paths(root_of(settings), trees, count, take, packing, &packing->list) != 0)
        return refused();
    tool_print_warnings();
    scion_pack_share(&packing->list, packing->ntasks);
    return scion_pack_lay_out(&packing->list, packing->ntasks) == 0 ? TOOL_RUN : refused();
}

/* ---- the leader's list for all ---- */

struct bytes {
    unsigned char *at;
    size_t size, room;
};

static int append(void *context, const void *data, size_t bytes, sion_int64 offset)
{
    struct bytes *to = context;
    size_t end = (size_t)offset + bytes;

    if (end > to->room) {
        unsigned char *more = scion_array_grown(to->at, 2 * end, 1);

        if (!more)
            return scion_fail_memory("names of files");
        to->at = more;
        to->room = 2 * end;
    }
    memcpy(to->at + offset, data, bytes);
    to->size = end;
    return 0;
}

static int fetch(void *context, void *to, size_t bytes, sion_int64 offset)
{
    const struct bytes *from = context;

    memcpy(to, from->at + offset, bytes);
    return 0;
}

static int write_list(const struct packing *packing, struct bytes *bytes)
{
    const struct scion_pack_target target = {.write = append, .context = bytes};
    sion_int64 end;

    return scion_pack_write_index(&packing->list, 0, &target, &end) == 0 ? TOOL_RUN : refused();
}

/* Keep the files of some tasks. */
static int add_files(struct packing *packing, struct scion_index *index, int begin, int end)
{
    struct scion_index_cursor cursor;
    const struct scion_pack_entry *entry;
    int rc;

    scion_index_cursor_begin(index, &cursor);
    do {
        rc = scion_index_next(&cursor, &entry);
        if (rc == 0 && entry && entry->task >= begin && entry->task < end)
            rc = scion_pack_list_add(&packing->list, entry);
    } while (rc == 0 && entry);
    scion_index_cursor_end(&cursor);
    return rc;
}

static int read_list(struct packing *packing, struct bytes *bytes, int begin, int end)
{
    const struct scion_pack_source source = {.read = fetch, .context = bytes};
    struct scion_index_key key = {0};
    struct scion_index *index;
    int task, rc;

    for (task = 0; task < packing->ntasks; task++)
        scion_index_key_add(&key, packing->builder.used[task]);
    rc = scion_index_open(&source, (sion_int64)bytes->size, &key, &index);
    if (rc == 0) {
        rc = add_files(packing, index, begin, end);
        scion_index_close(index);
    }
    if (rc == 0)
        rc = scion_pack_lay_out(&packing->list, packing->ntasks);
    return rc == 0 ? TOOL_RUN : refused();
}

/* Collective; tasks from begin to end are this process's. */
static int share_list(struct packing *packing, int begin, int end)
{
    struct team *team = packing->settings->team;
    int leads = team_leads(team), status;
    struct bytes bytes = {NULL, 0, 0};
    sion_int64 size;

    if (!team_is_shared(team))
        return TOOL_RUN;
    status = team_agree(team, leads ? write_list(packing, &bytes) : TOOL_RUN);
    size = (sion_int64)bytes.size;
    if (status == TOOL_RUN)
        status = team_tell(team, &size, sizeof size);
    if (status == TOOL_RUN && !leads) {
        bytes.size = (size_t)size;
        bytes.at = scion_must_allocate(bytes.size + 1, 1);
    }
    if (status == TOOL_RUN)
        status = team_tell(team, bytes.at, bytes.size);
    if (status == TOOL_RUN)
        status = team_agree(team, leads ? TOOL_RUN : read_list(packing, &bytes, begin, end));
    free(bytes.at);
    return status;
}

/* ---- the container ---- */

static int create(struct packing *packing, sion_int64 *used)
{
    const struct merge_settings *settings = packing->settings;
    sion_int64 *ranks = scion_must_allocate((size_t)packing->ntasks, sizeof *ranks);
    const struct builder_plan plan = {.team = settings->team,
                                      .name = settings->outfile,
                                      .ntasks = packing->ntasks,
                                      .fsblksize = settings->fsblksize,
                                      .keyval = SION_KEYVAL_NONE,
                                      .big_endian = scion_host_is_big(),
                                      .permissions = packing->permissions,
                                      .used = used,
                                      .globalranks = ranks,
                                      .has_checksums = settings->has_checksums,
                                      .behind = scion_pack_index_file,
                                      .context = &packing->list};
    int task, status;

    for (task = 0; task < packing->ntasks; task++) {
        ranks[task] = task;
        packing->total += used[task];
    }
    status = builder_create(&packing->builder, &plan);
    free(ranks);
    return status;
}

/* The lengths of the streams, and who may read them, are the leader's. */
static int create_as_found(struct packing *packing)
{
    struct team *team = packing->settings->team;
    size_t bytes = (size_t)packing->ntasks * sizeof(sion_int64);
    sion_int64 *used = scion_must_allocate((size_t)packing->ntasks, sizeof *used);
    sion_int64 permissions = (sion_int64)packing->permissions;
    int status;

    if (team_leads(team))
        memcpy(used, packing->list.used, bytes);
    status = team_tell(team, used, bytes);
    if (status == TOOL_RUN)
        status = team_tell(team, &permissions, sizeof permissions);
    packing->permissions = (mode_t)permissions;
    if (status == TOOL_RUN)
        return create(packing, used);
    free(used);
    return status;
}

static int put(void *context, int task, sion_int64 pos, const void *data, size_t bytes)
{
    struct packing *packing = context;
    int status = builder_write(&packing->builder, task, pos, data, bytes);

    return status == TOOL_RUN ? 0 : status;
}

static int pass(void *context, sion_int64 bytes)
{
    struct packing *packing = context;
    int status = team_advance(packing->settings->team, &packing->progress, bytes);

    return status == TOOL_RUN ? 0 : status;
}

static int write_task(struct packing *packing, int task)
{
    const struct merge_settings *settings = packing->settings;
    const struct scion_pack_list *list = &packing->list;
    const struct scion_pack_sink sink = {.write = put, .pass = pass, .context = packing};
    size_t files = list->first[task + 1] - list->first[task];
    int rc;

    progress_step(&packing->progress, 0);
    if (settings->verbose) {
        progress_clear(&packing->progress);
        tool_line(stdout, 0, "", "task %5d: %12lld bytes of %zu files", task, list->used[task],
                  files);
    }
    rc = scion_pack_write_task(root_of(settings), list, task, &sink);
    return rc == 0 ? TOOL_RUN : rc < 0 ? refused() : rc;
}

static int write_all(struct packing *packing)
{
    struct team *team = packing->settings->team;
    int task, begin, end, status = builder_share(&packing->builder, &begin, &end);

    if (status == TOOL_RUN)
        status = share_list(packing, begin, end);
    if (status != TOOL_RUN)
        return status;
    progress_start(&packing->progress, packing->total, 0);
    for (task = begin; task < end && status == TOOL_RUN; task++)
        status = write_task(packing, task);
    if (status == TOOL_RUN)
        status = team_end_work(team, &packing->progress);
    progress_end(&packing->progress);
    return status;
}

int merge_trees(const struct merge_settings *settings, char **trees, int count)
{
    struct packing packing = {.settings = settings, .permissions = 0666};
    int status;

    packing.ntasks = settings->ntasks > 0 ? settings->ntasks : settings->team->size;
    status = team_agree(settings->team,
                        team_leads(settings->team) ? find_files(&packing, trees, count) : TOOL_RUN);
    if (status == TOOL_RUN)
        status = create_as_found(&packing);
    if (status == TOOL_RUN)
        status = builder_end(&packing.builder, write_all(&packing));
    scion_pack_list_free(&packing.list);
    return status;
}
