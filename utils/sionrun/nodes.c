#include "sionrun/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"
#include "lib/tool.h"
#include "sionrun/notes.h"

enum { SHORTEST_MS = 1, LONGEST_MS = 200, BEAT_SECONDS = 2, TELL_SECONDS = 10, NAME = 48 };

struct node {
    int first, ended; /* lowest rank; how many programs of it have ended */
    sion_int64 beat;
    sion_int64 token; /* of the process that packs */
};

struct nodes {
    struct scion_comm comm;
    char folder[SCION_PATH];
    int first; /* lowest rank of this node */
    int ended;
    sion_int64 beat, token;
    uint32_t attempt; /* made of all tokens: what an earlier attempt has left is not read */
    time_t beaten;    /* when this node gave its last sign of life */
    int calls;        /* collective ones */
    int patience;
    struct node *all; /* [size] by first rank */
};

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static time_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void rest(int *milliseconds)
{
    const struct timespec time = {*milliseconds / 1000, *milliseconds % 1000 * 1000000L};

    nanosleep(&time, NULL);
    *milliseconds = 2 * *milliseconds < LONGEST_MS ? 2 * *milliseconds : LONGEST_MS;
}

/* ---- signs of life ---- */

static int path_of(const struct nodes *nodes, const char *name, char path[SCION_PATH])
{
    return scion_path(path, nodes->folder, name);
}

/* What is written appears at once: readers list the folder. */
static int publish(const struct nodes *nodes, const char *name, const void *bytes, size_t size)
{
    char path[SCION_PATH], beside[SCION_PATH], hidden[NAME + 16];
    int rc, errnum;

    snprintf(hidden, sizeof hidden, ".%d.%s", nodes->first, name);
    rc = path_of(nodes, name, path);
    if (rc == 0)
        rc = path_of(nodes, hidden, beside);
    if (rc == 0)
        rc = scion_write_whole(beside, bytes, size);
    if (rc != 0)
        return rc;
    errnum = scion_path_move(beside, path);
    return errnum == 0
               ? 0
               : scion_fail(SION_ERR_SYSTEM, "cannot rename %s: %s", beside, strerror(errnum));
}

static int beat(struct nodes *nodes)
{
    struct notes notes = {0};
    char name[32];
    int rc;

    nodes->beat++;
    nodes->beaten = now();
    notes_add_number(&notes, "ended", nodes->ended);
    notes_add_number(&notes, "beat", nodes->beat);
    notes_add_number(&notes, "token", nodes->token);
    snprintf(name, sizeof name, "node.%d", nodes->first);
    rc = notes.text ? publish(nodes, name, notes.text, notes.bytes) : scion_fail_memory("a note");
    notes_free(&notes);
    return rc;
}

void nodes_live(void *comm)
{
    struct nodes *nodes = comm;

    if (nodes && now() - nodes->beaten >= BEAT_SECONDS)
        beat(nodes); /* if it fails, the others wait as long as they have patience */
}

/* ---- who is there ---- */

static int read_node(const struct nodes *nodes, const char *name, struct node *node)
{
    struct notes notes;
    char path[SCION_PATH];

    if (path_of(nodes, name, path) != 0 || notes_read(&notes, path) != 0)
        return -1;
    node->first = (int)strtol(name + strlen("node."), NULL, 10);
    node->ended = (int)notes_number(&notes, "ended", 0);
    node->beat = notes_number(&notes, "beat", 0);
    node->token = notes_number(&notes, "token", 0);
    notes_free(&notes);
    return 0;
}

/* Sorted by their lowest ranks, because names are sorted by numbers. */
static int list_nodes(const struct nodes *nodes, struct node **all, int *n)
{
    char **names;
    int found, i;

    *all = NULL;
    *n = 0;
    if (scion_folder_sorted(nodes->folder, &names, &found) != 0)
        return failed();
    *all = calloc((size_t)found + 1, sizeof **all);
    for (i = 0; *all && i < found; i++) {
        if (strncmp(names[i], "node.", strlen("node.")) == 0 &&
            read_node(nodes, names[i], *all + *n) == 0)
            ++*n;
    }
    scion_folder_free(names, found);
    if (*all)
        return TOOL_RUN;
    tool_error("out of memory for %d nodes", found);
    return TOOL_FAILED;
}

static int count_ended(const struct node *all, int n)
{
    int ended = 0;

    while (n-- > 0)
        ended += all[n].ended;
    return ended;
}

static sion_int64 count_beats(const struct node *all, int n)
{
    sion_int64 beats = 0;

    while (n-- > 0)
        beats += all[n].beat;
    return beats;
}

/* How long the others have been silent. */
struct silence {
    time_t since, told;
    sion_int64 heard;
};

static int is_too_long(struct silence *silence, sion_int64 heard, int patience)
{
    if (heard != silence->heard)
        *silence = (struct silence){now(), silence->told, heard};
    return now() - silence->since >= patience;
}

static void tell_wait(struct silence *silence, int ended, int size)
{
    if (now() - silence->told < TELL_SECONDS)
        return;
    if (silence->told > 0)
        tool_warning("waiting for the ends of %d of %d programs", size - ended, size);
    silence->told = now() + (silence->told > 0 ? 5 * TELL_SECONDS : 0);
}

/* What has been killed has ended, too, where nobody waits for programs. */
static int count_of(const struct folder_members *members, const struct nodes_wait *wait)
{
    return wait->while_running ? members->known
           : wait->impatient   ? members->ended + members->lost
                               : members->ended;
}

/* This node's own number of ended programs may grow meanwhile. */
static int gather_nodes(struct nodes *nodes, const struct folder *folder,
                        const struct nodes_wait *wait)
{
    struct silence silence = {now(), 0, -1};
    int pause = SHORTEST_MS, n = 0, ended = 0, status = TOOL_RUN;

    while (status == TOOL_RUN && ended < folder->size) {
        struct folder_members members;

        free(nodes->all);
        nodes->all = NULL;
        status = folder_count(folder, &members);
        if (status == TOOL_RUN && count_of(&members, wait) != nodes->ended) {
            nodes->ended = count_of(&members, wait);
            status = beat(nodes) == 0 ? TOOL_RUN : failed();
        }
        nodes_live(nodes);
        if (status == TOOL_RUN)
            status = list_nodes(nodes, &nodes->all, &n);
        ended = count_ended(nodes->all, n);
        if (status != TOOL_RUN || ended >= folder->size)
            break;
        if (wait->is_over && wait->is_over(wait->context)) {
            status = NODES_GO_ALONE;
            break;
        }
        if (wait->impatient && is_too_long(&silence, ended, wait->patience)) {
            if (wait->reduced)
                break;
            tool_error("%d of %d programs of the job are on nodes that do not take part: run "
                       "\"sionrun --pack\" there, too, or use --reduced",
                       folder->size - ended, folder->size);
            status = TOOL_FAILED;
        }
        if (!wait->impatient)
            tell_wait(&silence, ended, folder->size);
        if (wait->idle)
            wait->idle(wait->context);
        rest(&pause);
    }
    nodes->comm.size = n;
    return status;
}

static int find_self(struct nodes *nodes)
{
    int i;

    for (i = 0; i < nodes->comm.size; i++) {
        if (nodes->all[i].first == nodes->first)
            nodes->comm.rank = i;
        nodes->attempt = scion_crc32c(nodes->attempt, &nodes->all[i].token, sizeof(sion_int64));
    }
    return nodes->comm.size;
}

/* ---- the communicator ---- */

/*
 * Wait for a file that another node writes. Its folder is listed, because network file systems
 * remember for a while that a name was not there.
 */
static int await(struct nodes *nodes, const char *name, void *to, size_t bytes)
{
    struct silence silence = {now(), now(), -1};
    char path[SCION_PATH];
    int pause = SHORTEST_MS, rc = path_of(nodes, name, path), n;
    struct scion_file *file;
    struct node *all;

    while (rc == 0 && !scion_path_is_taken(path)) {
        nodes_live(nodes);
        if (list_nodes(nodes, &all, &n) != TOOL_RUN)
            return scion_fail(SION_ERR_SYSTEM, "cannot list %s", nodes->folder);
        if (is_too_long(&silence, count_beats(all, n) - nodes->beat, nodes->patience))
            rc = scion_fail(SION_ERR_SYSTEM, "no node has said anything for %d seconds",
                            nodes->patience);
        free(all);
        rest(&pause);
    }
    if (rc == 0)
        rc = scion_file_open(path, SCION_OPEN_READ, 0, &file);
    if (rc != 0)
        return rc;
    rc = scion_file_read(file, to, bytes, 0);
    scion_file_close(file);
    return rc;
}

static struct nodes *nodes_of(struct scion_comm *comm)
{
    return (struct nodes *)comm;
}

static void name_call(const struct nodes *nodes, int rank, char name[NAME])
{
    snprintf(name, NAME, "%08x.%d.%d", nodes->attempt, nodes->calls, rank);
}

static int nodes_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    struct nodes *nodes = nodes_of(comm);
    char name[NAME];

    nodes->calls++;
    name_call(nodes, root, name);
    return comm->rank == root ? publish(nodes, name, data, bytes) : await(nodes, name, data, bytes);
}

/* counts, first: in bytes. */
static int collect(struct nodes *nodes, const void *from, size_t bytes, char *to,
                   const sion_int64 *counts, const sion_int64 *first, int root)
{
    char name[NAME];
    int rank, rc = 0;

    nodes->calls++;
    name_call(nodes, nodes->comm.rank, name);
    if (nodes->comm.rank != root)
        return publish(nodes, name, from, bytes);
    for (rank = 0; rank < nodes->comm.size && rc == 0; rank++) {
        name_call(nodes, rank, name);
        if (rank == root)
            memcpy(to + first[rank], from, bytes);
        else
            rc = await(nodes, name, to + first[rank], (size_t)counts[rank]);
    }
    return rc;
}

static int nodes_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                         const int *counts, const int *first, int root)
{
    size_t n = (size_t)comm->size;
    sion_int64 *bytes = calloc(n + 1, sizeof *bytes), *at = scion_array(n + 1, sizeof *at);
    int rc = bytes && at ? 0 : scion_fail_memory("nodes"), i;

    for (i = 0; rc == 0 && comm->rank == root && i < comm->size; i++) {
        bytes[i] = counts[i] * (sion_int64)sizeof *to;
        at[i] = first[i] * (sion_int64)sizeof *to;
    }
    if (rc == 0)
        rc = collect(nodes_of(comm), from, (size_t)count * sizeof *from, (char *)to, bytes, at,
                     root);
    free(bytes);
    free(at);
    return rc;
}

static int nodes_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    size_t n = (size_t)comm->size;
    sion_int64 *counts = calloc(n + 1, sizeof *counts), *at = scion_array(n + 1, sizeof *at);
    int rc = counts && at ? 0 : scion_fail_memory("nodes"), i;

    for (i = 0; rc == 0 && i < comm->size; i++) {
        counts[i] = (sion_int64)bytes;
        at[i] = i * (sion_int64)bytes;
    }
    if (rc == 0)
        rc = collect(nodes_of(comm), from, bytes, to, counts, at, root);
    free(counts);
    free(at);
    return rc;
}

static int nodes_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    sion_int64 result[1 + SCION_TOLD_MOST] = {0};
    sion_int64 *all = calloc((size_t)comm->size, sizeof *all);
    int rc = all ? nodes_gather(comm, value, all, sizeof *value, 0) : scion_fail_memory("nodes"), i;

    for (i = 0; rc == 0 && comm->rank == 0 && i < comm->size; i++)
        *value = all[i] < *value ? all[i] : *value;
    free(all);
    result[0] = *value;
    for (i = 0; i < n; i++)
        result[1 + i] = told[i];
    if (rc == 0)
        rc = nodes_bcast(comm, result, sizeof result, 0);
    *value = result[0];
    for (i = 0; i < n; i++)
        told[i] = result[1 + i];
    return rc;
}

static void remove_all(const struct nodes *nodes)
{
    char **names, path[SCION_PATH];
    int n, i;

    if (scion_folder_sorted(nodes->folder, &names, &n) != 0)
        return;
    for (i = 0; i < n; i++) {
        if (path_of(nodes, names[i], path) == 0)
            scion_path_remove(path);
    }
    scion_folder_free(names, n);
    scion_remove_folder(nodes->folder);
}

/* The last one to read is not known to be the last, so each says that it has gone. */
static void nodes_free(struct scion_comm *comm)
{
    struct nodes *nodes = nodes_of(comm);
    sion_int64 word = 0, *words = calloc((size_t)comm->size, sizeof *words);

    if (words && nodes_gather(comm, &word, words, sizeof word, 0) == 0 && comm->rank == 0)
        remove_all(nodes);
    free(words);
    free(nodes->all);
    free(nodes);
}

static const struct scion_comm_ops ops = {.bcast = nodes_bcast,
                                          .gather = nodes_gather,
                                          .gatherv = nodes_gatherv,
                                          .minimum = nodes_minimum,
                                          .free = nodes_free};

/* ---- meeting ---- */

static int name_folder(const struct folder *folder, const char *job, char path[SCION_PATH])
{
    char above[SCION_PATH], *base = NULL;
    int rc = scion_path_folder(above, folder->output);

    if (rc == 0 && asprintf(&base, ".%s.%s.sionrun", scion_basename(folder->output), job) < 0)
        rc = scion_fail_memory("a name");
    if (rc == 0)
        rc = scion_path(path, above, base);
    free(base);
    return rc;
}

int nodes_are_met(const struct folder *folder, const char *job)
{
    char path[SCION_PATH];

    return *job && name_folder(folder, job, path) == 0 && scion_path_is_taken(path);
}

/*
 * The others may begin later on this node. If they are on other nodes, nothing tells which of these
 * belong together.
 */
static int await_own(struct nodes *nodes, const struct folder *folder,
                     const struct nodes_wait *wait)
{
    struct silence silence = {now(), 0, -1};
    int pause = SHORTEST_MS;

    for (;;) {
        struct folder_members members;

        if (folder_count(folder, &members) != TOOL_RUN)
            return TOOL_FAILED;
        nodes->ended = count_of(&members, wait);
        if (nodes->ended >= folder->size || wait->reduced)
            return TOOL_RUN;
        if (is_too_long(&silence, members.known + members.ended, wait->patience)) {
            tool_error("%d of %d programs of the job have not ended on this node, and neither MPI "
                       "nor the launcher tells which job it is on others",
                       folder->size - nodes->ended, folder->size);
            return TOOL_FAILED;
        }
        tell_wait(&silence, nodes->ended, folder->size);
        rest(&pause);
    }
}

static int meet_others(struct nodes *nodes, const struct folder *folder, const char *job,
                       const struct nodes_wait *wait)
{
    if (!*job)
        return await_own(nodes, folder, wait);
    if (name_folder(folder, job, nodes->folder) != 0 || scion_make_folder(nodes->folder) != 0 ||
        beat(nodes) != 0)
        return failed();
    return gather_nodes(nodes, folder, wait);
}

/* The folder stays as long as others are in it. */
static void leave(const struct nodes *nodes)
{
    char name[32], path[SCION_PATH];

    snprintf(name, sizeof name, "node.%d", nodes->first);
    if (path_of(nodes, name, path) == 0)
        scion_path_remove(path);
    scion_remove_folder(nodes->folder);
}

int nodes_meet(const struct folder *folder, const char *job, const struct nodes_wait *wait,
               struct scion_comm **comm, int *is_reduced)
{
    struct folder_members members;
    struct nodes *nodes = calloc(1, sizeof *nodes);
    int status = folder_count(folder, &members);

    *comm = NULL;
    *is_reduced = 0;
    if (!nodes) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    nodes->comm.ops = &ops;
    nodes->first = members.first;
    nodes->ended = count_of(&members, wait);
    nodes->patience = wait->patience;
    nodes->token = (sion_int64)getpid() << 32 ^ (sion_int64)time(NULL);
    if (status == TOOL_RUN && nodes->ended < folder->size)
        status = meet_others(nodes, folder, job, wait);
    *is_reduced =
        (nodes->all ? count_ended(nodes->all, nodes->comm.size) : nodes->ended) < folder->size;
    if (status == TOOL_RUN && find_self(nodes) > 1) {
        *comm = &nodes->comm;
        return status;
    }
    if (nodes->folder[0])
        leave(nodes);
    free(nodes->all);
    free(nodes);
    return status;
}
