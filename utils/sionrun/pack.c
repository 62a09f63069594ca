#include "sionrun/pack.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "base/memory.h"
#include "lib/builder.h"
#include "lib/progress.h"
#include "lib/tool.h"
#include "pack/tar.h"
#include "pack/write.h"
#include "run/session.h"
#include "sionrun/done.h"
#include "sionrun/drains.h"
#include "sionrun/launcher.h"
#include "sionrun/merged.h"
#include "sionrun/nodes.h"
#include "sionrun/notes.h"
#include "sionrun/workers.h"

enum { LEAST_TO_SHARE = 1 << 22 /* bytes; with fewer, processes are not worth their start */ };

struct packing {
    const struct folder *folder;
    const char *output;
    int drains;            /* the container is to be staged */
    enum drains_state was; /* what a killed sionrun has staged */
    int is_over;           /* no program runs any more */
    struct done_list done; /* what is in containers already */
    struct team team;
    struct load load;
    struct scion_pack_list all; /* on the first of several nodes */
    struct builder builder;
    struct progress progress;
    int is_shared;  /* by workers: this process, which has started them, gives the signs of life */
    int twice;      /* files that several nodes have written */
    int is_reduced; /* nodes are lost */
};

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- the container ---- */

/* The builder has reported why. */
static int put(void *context, int task, sion_int64 pos, const void *data, size_t bytes)
{
    struct packing *packing = context;

    if (!packing->is_shared)
        nodes_live(packing->team.comm);
    return builder_write(&packing->builder, task, pos, data, bytes) == TOOL_RUN ? 0 : TOOL_FAILED;
}

static int commit(void *context, int task, sion_int64 pos)
{
    struct packing *packing = context;

    return builder_commit(&packing->builder, task, pos) == TOOL_RUN ? 0 : TOOL_FAILED;
}

static int pass(void *context, sion_int64 bytes)
{
    struct packing *packing = context;

    progress_step(&packing->progress, bytes);
    return 0;
}

static sion_int64 bytes_of(const struct load *load)
{
    sion_int64 bytes = 0;
    int t;

    for (t = 0; t < load->ntasks; t++)
        bytes += load->ours[t] ? load->used[t] : 0;
    return bytes;
}

/* Each of the workers writes every n-th stream. */
static int write_share(void *context, int number, int n)
{
    struct packing *packing = context;
    const struct scion_pack_sink sink = {.write = put,
                                         .pass = n == 1 ? pass : NULL,
                                         .whole = packing->folder->recover ? commit : NULL,
                                         .context = packing};
    const struct load *load = &packing->load;
    int status = TOOL_RUN, t, mine = 0;

    packing->is_shared = n > 1;
    for (t = 0; t < load->ntasks && status == TOOL_RUN; t++) {
        int rc = load->ours[t] && mine++ % n == number
                     ? scion_pack_write_task(load->tree, &load->list, t, &sink)
                     : 0;

        if (rc != 0)
            status = rc < 0 ? failed() : TOOL_FAILED;
    }
    return status;
}

static void live(void *context)
{
    const struct packing *packing = context;

    nodes_live(packing->team.comm);
}

/* The file is open before others write to it. */
static int write_streams(struct packing *packing)
{
    const struct workers_job job = {write_share, live, packing};
    const struct load *load = &packing->load;
    int status = TOOL_RUN, tasks = 0, first = -1, t;

    for (t = 0; t < load->ntasks; t++) {
        tasks += load->ours[t];
        first = first < 0 && load->ours[t] ? t : first;
    }
    if (tasks > 0)
        status = builder_write(&packing->builder, first, 0, "", 0);
    progress_start(&packing->progress, bytes_of(load), 0);
    if (status == TOOL_RUN)
        status = workers_run(&job, bytes_of(load) > LEAST_TO_SHARE ? tasks : 1);
    progress_end(&packing->progress);
    return status;
}

/* Processes without ranks can be many, with a file or two each: then blocks would be mostly empty.
 */
static int create(struct packing *packing, const struct staged_plan *staged)
{
    const struct load *load = &packing->load;
    size_t n = (size_t)load->ntasks, t;
    sion_int64 *ranks = scion_array(n, sizeof *ranks), *used = scion_array(n, sizeof *used);
    struct builder_plan plan = {.team = &packing->team,
                                .name = packing->output,
                                .ntasks = load->ntasks,
                                .keyval = SION_KEYVAL_NONE,
                                .fsblksize = packing->folder->size > 1 ? 0 : SCION_TAR_BLOCK,
                                .permissions = 0666,
                                .used = used,
                                .globalranks = ranks,
                                .has_checksums = packing->folder->checksum,
                                .recovers = packing->folder->recover,
                                .staged = staged,
                                .behind = scion_pack_index_file,
                                .context = team_is_shared(&packing->team) ? &packing->all
                                                                          : &packing->load.list};
    int status = ranks && used ? TOOL_RUN : TOOL_FAILED;

    for (t = 0; status == TOOL_RUN && t < n; t++) {
        ranks[t] = (sion_int64)t;
        used[t] = load->used[t];
    }
    if (status != TOOL_RUN) {
        free(used);
        tool_error("out of memory for %d tasks", load->ntasks);
    } else {
        status = builder_create(&packing->builder, &plan);
    }
    free(ranks);
    return status;
}

static int make_container(struct packing *packing)
{
    struct staged_plan staged;
    char stage[SCION_PATH];
    int status = TOOL_RUN, drains = 0;

    if (team_is_shared(&packing->team))
        status = merged_make(&packing->load, &packing->team, &packing->all, &packing->twice);
    if (status == TOOL_RUN && packing->drains)
        status = drains_can_begin(packing->folder, &packing->load, &packing->team, &drains);
    if (status == TOOL_RUN && drains)
        status = drains_plan(packing->folder, &packing->load, stage, &staged);
    if (status == TOOL_RUN)
        status = create(packing, drains ? &staged : NULL);
    if (status == TOOL_RUN)
        status = builder_end(&packing->builder, write_streams(packing));
    if (team_is_shared(&packing->team))
        merged_free(&packing->all);
    return status;
}

/* ---- containers with numbers ---- */

/* Where the number stands: before the last dot of the name. */
static size_t stem_of(const char *output)
{
    const char *base = scion_basename(output), *dot = strrchr(base, '.');

    return dot && dot > base ? (size_t)(dot - output) : strlen(output);
}

/* Whether the end of a name is that of a container of this name, or of the file that it is drained
   to. */
static int is_end(const char *end, const char *base_end, int is_hidden)
{
    size_t length = strlen(base_end), all = strlen(end);

    if (!is_hidden)
        return strcmp(end, base_end) == 0;
    return strncmp(end, base_end, length) == 0 && all > length + 4 && end[length] == '.' &&
           strcmp(end + all - 4, ".new") == 0;
}

/* The number that a name of the folder has, as the container of this number would have it; or 0. */
static int number_in(const char *name, const char *base, size_t stem)
{
    int is_hidden = name[0] == '.' && base[0] != '.';
    char *end;
    long number;

    name += is_hidden;
    if (strncmp(name, base, stem) != 0 || name[stem] != '.')
        return 0;
    number = strtol(name + stem + 1, &end, 10);
    return end > name + stem + 1 && is_end(end, base + stem, is_hidden) && number > 0 &&
                   number < 1000000
               ? (int)number
               : 0;
}

/* Behind all that are there, also those of earlier jobs: one may be the input of this one. */
static int name_next(const char *output, char name[SCION_PATH])
{
    const char *base = scion_basename(output);
    size_t stem = stem_of(output), before = (size_t)(base - output);
    char folder[SCION_PATH], **names;
    int n, i, last = 0;

    if (scion_path_folder(folder, output) != 0 || scion_folder_sorted(folder, &names, &n) != 0)
        return failed();
    for (i = 0; i < n; i++) {
        int number = number_in(names[i], base, stem - before);

        last = number > last ? number : last;
    }
    scion_folder_free(names, n);
    if (snprintf(name, SCION_PATH, "%.*s.%06d%s", (int)stem, output, last + 1, output + stem) <
        SCION_PATH)
        return TOOL_RUN;
    tool_error("the name %s is too long", output);
    return TOOL_FAILED;
}

static int is_being_written(const char *tree, const char *path)
{
    char *name = scion_path_new(tree, path);
    struct scion_file *file;
    int is_written = 0;

    if (name && scion_file_open(name, SCION_OPEN_READ, 0, &file) == 0) {
        is_written = scion_file_has_writer(file);
        scion_file_close(file);
    }
    free(name);
    return is_written;
}

/* ---- a session ---- */

enum { JOB = 64 };

/* What all processes of the job have in common and no other job has; "": that is not known. */
static int name_job(const struct folder *folder, char job[JOB])
{
    struct scion_session session;
    uint64_t number;

    if (scion_session_open(folder->path, &session) != 0) {
        tool_error("the session in %s is damaged", folder->path);
        return TOOL_FAILED;
    }
    number = session.head->job;
    scion_session_close(&session);
    if (number != 0)
        snprintf(job, JOB, "%016" PRIx64, number);
    else
        launcher_name_job(job, JOB);
    return TOOL_RUN;
}

/* Whether a file is left out because it is in a container already, or is being written. */
static int is_not_new(void *context, const char *path, const struct stat *status)
{
    const struct packing *packing = context;

    return done_has(&packing->done, path, status) ||
           (!packing->is_over && S_ISREG(status->st_mode) &&
            is_being_written(packing->load.tree, path));
}

/* Of all nodes: no file is new. */
static int is_empty(const struct load *load)
{
    int t;

    for (t = 0; t < load->ntasks; t++) {
        if (load->used[t] > SCION_TAR_END)
            return 0;
    }
    return 1;
}

/* With numbers, a container has what no earlier one has, and is not made if that is nothing. */
static int make_next(struct packing *packing)
{
    const struct folder *folder = packing->folder;
    char name[SCION_PATH] = "", *path = folder_file(folder, "done");
    int status = path ? done_read(&packing->done, path) : TOOL_FAILED;

    status = team_agree(&packing->team, status);
    if (status == TOOL_RUN)
        status = load_make(&packing->load, folder, &packing->team, is_not_new, packing);
    if (status == TOOL_RUN && !is_empty(&packing->load)) {
        if (team_leads(&packing->team))
            status = name_next(folder->output, name);
        status = team_agree(&packing->team, status);
        if (status == TOOL_RUN && team_is_shared(&packing->team))
            status = team_tell(&packing->team, name, sizeof name);
        packing->output = name;
        if (status == TOOL_RUN)
            status = make_container(packing);
        if (status == TOOL_RUN)
            status = done_add(&packing->done, &packing->load.list);
        if (status == TOOL_RUN)
            status = done_write(&packing->done, path);
    }
    done_free(&packing->done);
    free(path);
    return status;
}

/* What other nodes may make of their files must not replace it, nor the other way round. */
static int make_only(struct packing *packing)
{
    const char *output = packing->folder->output;
    int status = load_make(&packing->load, packing->folder, &packing->team, NULL, NULL);
    char *reduced = NULL;

    if (status == TOOL_RUN && packing->is_reduced && asprintf(&reduced, "%s.reduced", output) < 0) {
        tool_error("out of memory for %s", output);
        return TOOL_FAILED;
    }
    packing->output = reduced ? reduced : output;
    if (status == TOOL_RUN)
        status = make_container(packing);
    free(reduced);
    return status;
}

enum { REDUCED = TOOL_FAILED + 1 /* a result of pack(): without the nodes that are lost */ };

static int make_only_unless_staged(struct packing *packing)
{
    int status = drains_agree(packing->folder, &packing->team, packing->is_reduced, &packing->was);

    return status == TOOL_RUN && packing->was != DRAINS_PACKED ? make_only(packing) : status;
}

static int pack(const struct folder *folder, const char *job, const struct nodes_wait *wait,
                int drains, enum drains_state was)
{
    struct packing packing = {
        .folder = folder, .is_over = !wait->while_running, .drains = drains, .was = was};
    struct scion_comm *comm;
    int status = nodes_meet(folder, job, wait, &comm, &packing.is_reduced);

    if (status != TOOL_RUN)
        return status == NODES_GO_ALONE ? TOOL_RUN : status;
    team_open(&packing.team, comm);
    status = folder->is_numbered ? make_next(&packing) : make_only_unless_staged(&packing);
    load_free(&packing.load);
    team_close(&packing.team);
    if (status != TOOL_RUN)
        return status;
    return packing.is_reduced ? REDUCED : packing.twice > 0 ? TOOL_DONE : TOOL_RUN;
}

/* ---- at the end ---- */

/* A lost node may come back, so nothing is removed. */
static int tell_reduced(const struct folder *folder)
{
    tool_warning("the container has the files of the nodes that are left; they also stay in %s",
                 folder->path);
    return TOOL_RUN;
}

/* TOOL_DONE: complete, but some files have several parts, which was told. */
static int pack_and_remove(const struct folder *folder, const struct nodes_wait *wait, int drains,
                           enum drains_state was)
{
    char job[JOB] = "";
    int status = TOOL_RUN;

    if (folder->output[0])
        status = name_job(folder, job);
    if (folder->output[0] && status == TOOL_RUN)
        status = pack(folder, job, wait, drains, was);
    if (status == REDUCED)
        return tell_reduced(folder);
    if (status != TOOL_RUN && status != TOOL_DONE) {
        tool_error("the files stay in %s: \"sionrun --pack %s\" packs them", folder->path,
                   folder->path);
        return TOOL_FAILED;
    }
    if (folder_set_packed(folder) != TOOL_RUN || folder_remove(folder) != TOOL_RUN)
        return TOOL_FAILED;
    return status == TOOL_DONE ? TOOL_FAILED : TOOL_RUN;
}

struct at_end {
    const struct folder *folder;
    const struct settings *settings;
};

/* Programs still run on other nodes. */
static void join_others(void *context)
{
    const struct at_end *at_end = context;

    if (at_end->folder->is_numbered && pack_is_wanted(at_end->folder))
        pack_meanwhile(at_end->folder, at_end->settings);
}

int pack_at_end(const struct folder *folder, const struct settings *settings)
{
    struct at_end at_end = {folder, settings};
    const struct nodes_wait wait = {
        .patience = settings->wait, .idle = join_others, .context = &at_end};

    return pack_and_remove(folder, &wait, settings->drain, DRAINS_NOTHING);
}

/* One that knew that all parts are complete has nothing to pack, and does not come. */
static int have_others_begun(void *context)
{
    const struct at_end *at_end = context;

    return drains_have_begun(at_end->folder);
}

int pack_later(const struct folder *folder, const struct settings *settings)
{
    struct at_end at_end = {folder, settings};
    struct nodes_wait wait = {.patience = settings->wait,
                              .impatient = 1,
                              .reduced = settings->reduced,
                              .context = &at_end};
    enum drains_state was = DRAINS_NOTHING;
    int is_packed = folder_is_packed(folder), status = TOOL_RUN;

    if (!is_packed)
        status = drains_settle(folder, &was);
    if (status != TOOL_RUN)
        return status;
    if (is_packed || (was == DRAINS_PACKED && !folder->is_numbered))
        return folder_remove(folder);
    if (was == DRAINS_CLOSED && !folder->is_numbered)
        wait.is_over = have_others_begun;
    return pack_and_remove(folder, &wait, 0, was);
}

/* ---- meanwhile ---- */

/* How often this node has packed meanwhile: all nodes count alike. */
static int read_turn(const struct folder *folder)
{
    char *path = folder_file(folder, "turn");
    struct notes notes;
    int turn = 0;

    if (path && scion_path_is_taken(path) && notes_read(&notes, path) == 0) {
        turn = (int)notes_number(&notes, "turn", 0);
        notes_free(&notes);
    }
    free(path);
    return turn;
}

static int write_turn(const struct folder *folder, int turn)
{
    char *path = folder_file(folder, "turn");
    struct notes notes = {0};
    int rc = -1;

    notes_add_number(&notes, "turn", turn);
    if (path)
        rc = notes_write(&notes, path);
    notes_free(&notes);
    free(path);
    return rc == 0 ? TOOL_RUN : failed();
}

/* The job's name for this turn; "" if it has none. */
static int name_turn(const struct folder *folder, int turn, char job[2 * JOB])
{
    char name[JOB] = "";
    int status = name_job(folder, name);

    job[0] = '\0';
    if (status == TOOL_RUN && name[0])
        snprintf(job, 2 * JOB, "%s.%d", name, turn);
    return status;
}

int pack_is_wanted(const struct folder *folder)
{
    char job[2 * JOB];

    return name_turn(folder, read_turn(folder), job) == TOOL_RUN && nodes_are_met(folder, job);
}

static int pack_turn(const struct folder *folder, const struct settings *settings)
{
    const struct nodes_wait wait = {.patience = settings->wait, .impatient = 1, .while_running = 1};
    int turn = read_turn(folder), told;
    char job[2 * JOB];
    int status = name_turn(folder, turn, job);

    if (status == TOOL_RUN)
        status = pack(folder, job, &wait, settings->drain, DRAINS_NOTHING);
    told = write_turn(folder, turn + 1);
    return status == TOOL_RUN ? told : status;
}

int pack_meanwhile(const struct folder *folder, const struct settings *settings)
{
    char *path = folder_file(folder, "packing");
    int status = TOOL_RUN;

    /* A program that opens a file just now must not end this process. */
    signal(SIGIO, SIG_IGN);
    /* Else another process of this node has been told the same, and does it. */
    if (path && scion_make_whole(path, 0600, "", 0) == 0) {
        status = pack_turn(folder, settings);
        scion_path_remove(path);
        if (status != TOOL_RUN)
            tool_error("the files stay on the node until the next container");
    }
    free(path);
    return status;
}
