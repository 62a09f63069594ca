#include "sionrun/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "lib/tool.h"
#include "pack/tar.h"
#include "pack/tree.h"
#include "run/input.h"
#include "run/owners.h"

/* The owner of what has none: without ranks it goes to the first task that there is. */
#define NOBODY UINT32_MAX

/* What is asked for each file of the tree. */
struct look {
    struct scion_session session;
    struct scion_input input;
    int has_input;
    struct scion_owners log;
    uint32_t otherwise; /* lowest rank of the node, or NOBODY: owner of what has none */
    load_leaves_out *leaves_out;
    void *context;
    uint32_t *owners; /* [n] of the files that are taken, each once, sorted at the end */
    size_t n, room;
};

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- which files ---- */

static int is_as_it_came(const struct look *look, const char *path, const struct stat *status)
{
    struct scion_input_entry entry;
    uint32_t number;

    if (!look->has_input)
        return 0;
    number = scion_input_find(&look->input, path);
    if (number >= look->input.n || look->input.filled[number] == SCION_INPUT_GONE)
        return 0;
    scion_input_get(&look->input, number, &entry);
    if (S_ISDIR(status->st_mode))
        return entry.type == 'd';
    return status->st_mtim.tv_sec == entry.seconds &&
           status->st_mtim.tv_nsec == entry.nanoseconds &&
           (status->st_mode & 07777) == entry.mode &&
           (!S_ISREG(status->st_mode) || (uint64_t)status->st_size == entry.size);
}

static int note_owner(struct look *look, uint32_t owner)
{
    size_t i = look->n;

    while (i > 0 && look->owners[i - 1] > owner)
        i--;
    if (i > 0 && look->owners[i - 1] == owner)
        return 0;
    if (look->n == look->room) {
        size_t room = 2 * look->room + 16;
        uint32_t *grown = scion_array_grown(look->owners, room, sizeof *grown);

        if (!grown)
            return scion_fail_memory("owners of files");
        look->owners = grown;
        look->room = room;
    }
    memmove(look->owners + i + 1, look->owners + i, (look->n - i) * sizeof *look->owners);
    look->owners[i] = owner;
    look->n++;
    return 0;
}

/* By which an overlay hides what is in the folder below it (namespace.h). */
static int is_whiteout(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == 0;
}

/* The task is the owner's number until all are known. */
static int take(void *context, const char *path, const struct stat *status, int *task)
{
    struct look *look = context;
    struct scion_owner_record record = {.owner = look->otherwise, .what = SCION_OWNER_CREATED};
    uint32_t owner;
    int rc;

    if (!scion_session_redirects(&look->session, path) || is_as_it_came(look, path, status) ||
        is_whiteout(status) || (look->leaves_out && look->leaves_out(look->context, path, status)))
        return 0;
    scion_owners_find(&look->log, path, &record);
    if (record.what == SCION_OWNER_MIRRORED)
        return 0;
    owner = record.owner;
    rc = owner == NOBODY ? 0 : note_owner(look, owner);
    memcpy(task, &owner, sizeof *task);
    return rc != 0 ? rc : 1;
}

static int list_files(struct load *load, struct look *look, const struct folder *folder)
{
    int status = TOOL_FAILED;

    if (scion_session_open(folder->path, &look->session) != 0) {
        tool_error("cannot open the session in %s: %s", folder->path, strerror(errno));
        return TOOL_FAILED;
    }
    if (scion_path(load->tree, NULL, look->session.tree) != 0)
        return failed();
    look->has_input = look->session.head->has_input != 0;
    if (look->has_input && scion_input_open(folder->path, &look->input) != 0)
        tool_error("cannot open the map of input files in %s: %s", folder->path, strerror(errno));
    else if (scion_owners_read(&look->session, &look->log) != 0)
        tool_error("cannot read the owners of files in %s: %s", folder->path, strerror(errno));
    else if (scion_pack_walk(load->tree, take, look, &load->list) != 0)
        failed();
    else
        status = TOOL_RUN;
    return status;
}

static void end_look(struct look *look)
{
    if (look->has_input)
        scion_input_close(&look->input);
    if (look->session.head)
        scion_session_close(&look->session);
    scion_owners_free(&look->log);
    free(look->owners);
}

/* ---- which tasks ---- */

/* What each node says: how many ranks there are, as far as it knows; its owners without a rank; how
   many tasks it has. */
enum { RANKS, ALONE, TASKS, WORDS };

struct numbers_of_nodes {
    sion_int64 *words; /* [nodes][WORDS] */
    int *first;        /* [nodes + 1] for collecting */
};

static size_t count_ranks(const struct look *look)
{
    size_t n = 0;

    while (n < look->n && look->owners[n] < SCION_OWNER_ALONE)
        n++;
    return n;
}

static sion_int64 ranks_of(const struct look *look, const struct folder *folder)
{
    sion_int64 world = look->session.head ? look->session.head->world : 0, most = world;
    size_t n = count_ranks(look);

    if (folder->by_node)
        return 0;
    if (n > 0 && (sion_int64)look->owners[n - 1] + 1 > most)
        most = (sion_int64)look->owners[n - 1] + 1;
    if (folder->size > 1 && folder->size > most)
        most = folder->size;
    return most;
}

static int nodes_in(const struct team *team)
{
    return team_is_shared(team) ? team->size : 1;
}

static int node_of(const struct team *team)
{
    return team_is_shared(team) ? team->rank : 0;
}

static int collect(struct team *team, sion_int64 *numbers, const int *first)
{
    return team_is_shared(team) ? team_collect(team, numbers, first) : TOOL_RUN;
}

/* The numbers of this node's tasks, in the order of look->owners; *ntasks: of all nodes. */
static void number_tasks(const struct look *look, const struct folder *folder,
                         const sion_int64 *words, int nodes, int node, int *tasks, int *ntasks)
{
    sion_int64 ranks = 0, next, before = 0;
    size_t i;
    int k;

    for (k = 0; k < nodes; k++)
        ranks = words[k * WORDS + RANKS] > ranks ? words[k * WORDS + RANKS] : ranks;
    next = ranks;
    for (k = 0; k < nodes; k++) {
        if (k == node)
            before = next;
        next += words[k * WORDS + ALONE];
    }
    for (i = 0; i < look->n; i++) {
        if (folder->by_node)
            tasks[i] = node;
        else if (look->owners[i] < SCION_OWNER_ALONE)
            tasks[i] = (int)look->owners[i];
        else
            tasks[i] = (int)before++;
    }
    *ntasks = folder->by_node ? nodes : next > 0 ? (int)next : 1;
}

static int find_owner(const struct look *look, uint32_t owner)
{
    size_t low = 0, high = look->n;

    if (owner == NOBODY)
        return 0;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;

        if (look->owners[middle] <= owner)
            low = middle;
        else
            high = middle;
    }
    return (int)low;
}

static void give_tasks(struct load *load, const struct look *look, const int *tasks)
{
    size_t i;

    for (i = 0; i < load->list.count; i++) {
        uint32_t owner;

        memcpy(&owner, &load->list.entries[i].task, sizeof owner);
        load->list.entries[i].task = tasks[find_owner(look, owner)];
    }
}

/* ---- how long their streams are ---- */

static int mark_ours(struct load *load)
{
    size_t i;

    load->ours = calloc((size_t)load->ntasks, 1);
    load->used = scion_array((size_t)load->ntasks, sizeof *load->used);
    if (!load->ours || !load->used) {
        tool_error("out of memory for %d tasks", load->ntasks);
        return TOOL_FAILED;
    }
    if (scion_pack_lay_out(&load->list, load->ntasks) != 0)
        return failed();
    for (i = 0; i < load->list.count; i++)
        load->ours[load->list.entries[i].task] = 1;
    return TOOL_RUN;
}

/* pairs: of a task of each node's and its bytes. */
static int exchange_lengths(struct load *load, struct team *team, const sion_int64 *words)
{
    int nodes = nodes_in(team), *first = calloc((size_t)nodes + 1, sizeof *first), k, t, n = 0;
    sion_int64 *pairs;
    int status;

    for (k = 0; first && k < nodes; k++)
        first[k + 1] = first[k] + 2 * (int)words[k * WORDS + TASKS];
    pairs = first ? calloc((size_t)first[nodes] + 2, sizeof *pairs) : NULL;
    if (!pairs) {
        free(first);
        tool_error("out of memory for %d tasks", load->ntasks);
        return TOOL_FAILED;
    }
    for (t = 0, n = first[node_of(team)]; t < load->ntasks; t++) {
        if (load->ours[t]) {
            pairs[n++] = t;
            pairs[n++] = load->list.used[t];
        }
    }
    status = collect(team, pairs, first);
    for (t = 0; t < load->ntasks; t++)
        load->used[t] = SCION_TAR_END; /* a tar of no files, which are zeros */
    for (n = 0; status == TOOL_RUN && n < first[nodes]; n += 2)
        load->used[pairs[n]] = pairs[n + 1];
    memcpy(load->list.used, load->used, (size_t)load->ntasks * sizeof *load->used);
    free(pairs);
    free(first);
    return status;
}

static int agree_on_tasks(struct load *load, const struct look *look, const struct folder *folder,
                          struct team *team)
{
    int nodes = nodes_in(team), node = node_of(team), status, k;
    sion_int64 *words = calloc((size_t)nodes * WORDS, sizeof *words);
    int *first = calloc((size_t)nodes + 1, sizeof *first);
    int *tasks = calloc(look->n + 1, sizeof *tasks);

    status = words && first && tasks ? TOOL_RUN : TOOL_FAILED;
    for (k = 0; first && k < nodes; k++)
        first[k + 1] = first[k] + WORDS;
    status = team_agree(team, status);
    if (status == TOOL_RUN) {
        words[node * WORDS + RANKS] = ranks_of(look, folder);
        words[node * WORDS + ALONE] =
            folder->by_node ? 0 : (sion_int64)(look->n - count_ranks(look));
        words[node * WORDS + TASKS] = folder->by_node ? look->n > 0 : (sion_int64)look->n;
        status = collect(team, words, first);
    }
    if (status == TOOL_RUN) {
        number_tasks(look, folder, words, nodes, node, tasks, &load->ntasks);
        give_tasks(load, look, tasks);
        status = team_agree(team, mark_ours(load));
    }
    if (status == TOOL_RUN)
        status = exchange_lengths(load, team, words);
    free(words);
    free(first);
    free(tasks);
    return status;
}

int load_make(struct load *load, const struct folder *folder, struct team *team,
              load_leaves_out *leaves_out, void *context)
{
    struct look look = {.leaves_out = leaves_out, .context = context};
    struct folder_members members;
    int status = folder_count(folder, &members);

    *load = (struct load){0};
    look.otherwise = folder->size > 1 && members.first >= 0 ? (uint32_t)members.first : NOBODY;
    if (status == TOOL_RUN)
        status = list_files(load, &look, folder);
    if (status == TOOL_RUN && look.n == 0 && load->list.count > 0 &&
        note_owner(&look, SCION_OWNER_ALONE) != 0)
        status = failed();
    status = team_agree(team, status);
    if (status == TOOL_RUN)
        status = agree_on_tasks(load, &look, folder, team);
    end_look(&look);
    return status;
}

void load_free(struct load *load)
{
    scion_pack_list_free(&load->list);
    free(load->used);
    free(load->ours);
}
