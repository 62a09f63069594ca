/* The processes of sionrun that use a session folder. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "lib/tool.h"
#include "sionrun/folder.h"
#include "sionrun/launcher.h"
#include "sionrun/notes.h"
#include "vfs/vfs.h"

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int write_member(const struct folder *folder, const char *state, int status)
{
    struct notes notes = {0};
    char name[32];

    notes_add(&notes, "state", state);
    notes_add_number(&notes, "rank", folder->rank);
    notes_add_number(&notes, "status", status);
    notes_add_number(&notes, "process", (sion_int64)getpid());
    notes_add_number(&notes, "started", launcher_start_of((long)getpid()));
    snprintf(name, sizeof name, "member.%d", folder->rank);
    return folder_write_notes(folder, &notes, name);
}

int folder_enter(const struct folder *folder)
{
    return write_member(folder, "running", 0);
}

static int is_member(const char *name)
{
    return strncmp(name, "member.", strlen("member.")) == 0;
}

/* A process that was killed before its program ended. */
static int is_lost(const struct notes *notes)
{
    sion_int64 process = notes_number(notes, "process", 0);

    return process <= 0 || launcher_start_of((long)process) != notes_number(notes, "started", -1);
}

static void count_member(const struct notes *notes, struct folder_members *members)
{
    char *state = notes_find(notes, "state", NULL);
    int rank = (int)notes_number(notes, "rank", 0);

    members->known++;
    if (state && strcmp(state, "ended") == 0)
        members->ended++;
    else if (is_lost(notes))
        members->lost++;
    if (members->first < 0 || rank < members->first)
        members->first = rank;
    free(state);
}

/* each: called for every member; the notes are the caller's until it returns. */
static int for_members(const struct folder *folder,
                       void each(const struct notes *notes, void *context), void *context)
{
    char **names;
    int n, i, status = TOOL_RUN;

    if (scion_folder_sorted(folder->path, &names, &n) != 0)
        return failed();
    if (!names) {
        tool_error("there is no %s any more", folder->path);
        return TOOL_FAILED;
    }
    for (i = 0; i < n && status == TOOL_RUN; i++) {
        char *path = is_member(names[i]) ? folder_file(folder, names[i]) : NULL;
        struct notes notes;

        if (path && notes_read(&notes, path) != 0) {
            status = failed();
        } else if (path) {
            each(&notes, context);
            notes_free(&notes);
        }
        free(path);
    }
    scion_folder_free(names, n);
    return status;
}

static void count_each(const struct notes *notes, void *members)
{
    count_member(notes, members);
}

int folder_count(const struct folder *folder, struct folder_members *members)
{
    *members = (struct folder_members){.first = -1};
    return for_members(folder, count_each, members);
}

struct ranks {
    int *rank, n;
};

static void add_rank(const struct notes *notes, void *context)
{
    struct ranks *ranks = context;
    int *grown = realloc(ranks->rank, ((size_t)ranks->n + 1) * sizeof *grown);

    if (!grown)
        return;
    ranks->rank = grown;
    ranks->rank[ranks->n++] = (int)notes_number(notes, "rank", 0);
}

int *folder_ranks(const struct folder *folder, int *n)
{
    struct ranks ranks = {malloc(sizeof(int)), 0};
    int status = ranks.rank ? for_members(folder, add_rank, &ranks) : TOOL_FAILED;

    *n = ranks.n;
    if (status == TOOL_RUN)
        return ranks.rank;
    free(ranks.rank);
    return NULL;
}

static int find_leader(const struct folder *folder)
{
    struct folder_members members;
    char *path;
    int leads = 0;

    if (folder_count(folder, &members) != TOOL_RUN)
        return -1;
    if (members.lost > 0 && members.ended + members.lost == members.known) {
        tool_error(
            "%d of the job's sionruns were killed: the files stay in %s: \"sionrun --pack %s\" "
            "packs them",
            members.lost, folder->path, folder->path);
        return -1;
    }
    if (members.ended < members.known)
        return 0;
    path = folder_file(folder, "leader");
    if (path)
        leads = scion_make_whole(path, 0600, "", 0) == 0;
    free(path);
    return leads;
}

/* Until it is closed, no other process leaves the folder. NULL: it has no file that can be locked.
 */
static struct scion_file *lock_leaving(const struct folder *folder)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path = folder_file(folder, "job");
    struct scion_file *file = NULL;

    if (path && scion_file_open(path, SCION_OPEN_WRITE, 0, &file) == 0)
        scion_file_lock(file, F_OFD_SETLKW, &whole);
    free(path);
    return file;
}

int folder_leave(const struct folder *folder, int status, int *leads)
{
    struct scion_file *lock = lock_leaving(folder);
    int result = write_member(folder, "ended", status);

    *leads = find_leader(folder);
    if (lock)
        scion_file_close(lock);
    return result;
}
