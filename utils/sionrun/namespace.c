#include "sionrun/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "lib/tool.h"
#include "run/session.h"
#include "sionrun/launcher.h"
#include "sionrun/notes.h"

enum { LOOK_MS = 100, MAKING_PAUSES = 100, DESCRIPTORS = 1024, TEXT = 2 * SCION_PATH };

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int system_failed(const char *what)
{
    tool_error("cannot %s: %s", what, strerror(errno));
    return TOOL_FAILED;
}

static void doze(void)
{
    const struct timespec pause = {0, LOOK_MS * 1000000L};

    nanosleep(&pause, NULL);
}

/* ---- which folders ---- */

/* The folder of a pattern "FOLDER/" "**" or "FOLDER", into name[SCION_PATH]; 0: it is another one.
 */
static int folder_of(const char *pattern, char *name)
{
    size_t length = strlen(pattern);

    if (length > 3 && strcmp(pattern + length - 3, "/**") == 0)
        length -= 3;
    if (length == 0 || length >= SCION_PATH)
        return 0;
    memcpy(name, pattern, length);
    name[length] = '\0';
    return strpbrk(name, "*?[\\") == NULL;
}

int namespace_check(const struct settings *settings)
{
    char name[SCION_PATH];
    int i;

    if (settings->inputs.n > 0 || settings->except.n > 0 || settings->when.n > 0) {
        tool_error("-i, --except and --pack-when do not go with --namespace");
        return TOOL_USAGE;
    }
    for (i = 0; i < settings->files.n; i++) {
        if (!folder_of(settings->files.text[i], name)) {
            tool_error("with --namespace, --files takes whole folders, as 'out/**', not '%s'",
                       settings->files.text[i]);
            return TOOL_USAGE;
        }
    }
    return TOOL_RUN;
}

/* Call a function for each folder, with its name relative to the root. */
static int for_folders(const struct folder *folder,
                       int each(const struct folder *folder, const char *name, void *context),
                       void *context)
{
    struct scion_session session;
    char name[SCION_PATH];
    uint32_t i;
    int status = TOOL_RUN;

    if (scion_session_open(folder->path, &session) != 0)
        return system_failed("open the session");
    for (i = 0; i < session.head->count[SCION_RUN_FILES] && status == TOOL_RUN; i++) {
        if (folder_of(scion_session_pattern(&session, SCION_RUN_FILES, i), name))
            status = each(folder, name, context);
    }
    scion_session_close(&session);
    return status;
}

/* ---- places for mounts ---- */

static int make_one(const char *path, struct notes *notes)
{
    int rc;

    if (scion_path_is_taken(path))
        return TOOL_RUN;
    if (strchr(path, '\n')) {
        tool_error("the name of a folder has a newline: %s", path);
        return TOOL_FAILED;
    }
    rc = scion_make_folder(path);
    if (rc == 0)
        notes_add(notes, "made", path);
    return rc == 0 ? TOOL_RUN : failed();
}

/* Each folder above it first. */
static int make_place(const struct folder *folder, const char *name, void *notes)
{
    char path[SCION_PATH];
    size_t at = strlen(folder->root);
    int status = scion_path(path, at > 1 ? folder->root : "", name) == 0 ? TOOL_RUN : failed();

    at = at > 1 ? at + 1 : 1;
    while (status == TOOL_RUN && path[at]) {
        size_t length = strcspn(path + at, "/");
        char slash = path[at + length];

        path[at + length] = '\0';
        status = make_one(path, notes);
        path[at + length] = slash;
        at += length + (slash != '\0');
    }
    return status;
}

/* ---- the namespace ---- */

/* What is written to a file of /proc/self. */
static int put(const char *name, const char *text)
{
    char path[64];
    int file, is_good;

    snprintf(path, sizeof path, "/proc/self/%s", name);
    file = open(path, O_WRONLY | O_CLOEXEC);
    is_good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return is_good;
}

/* The user keeps the own number, because programs compare it. */
static int map_ids(uid_t user, gid_t group)
{
    char users[64], groups[64];

    snprintf(users, sizeof users, "%lu %lu 1", (unsigned long)user, (unsigned long)user);
    snprintf(groups, sizeof groups, "%lu %lu 1", (unsigned long)group, (unsigned long)group);
    return put("uid_map", users) && put("setgroups", "deny") && put("gid_map", groups)
               ? TOOL_RUN
               : system_failed("keep the user's number in a namespace");
}

/* *has_users: it needed a user namespace, too. */
static int separate(int *has_users)
{
    uid_t user = geteuid();
    gid_t group = getegid();
    int status;

    *has_users = unshare(CLONE_NEWNS) != 0;
    if (*has_users && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return system_failed("make a namespace, which this system may not let users do");
    status = *has_users ? map_ids(user, group) : TOOL_RUN;
    if (status == TOOL_RUN && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
        status = system_failed("keep mounts apart");
    return status;
}

/* ---- what it shows ---- */

static int is_empty(const char *path)
{
    char **names;
    int n, i, found = 0;

    if (scion_folder_sorted(path, &names, &n) != 0)
        return 0;
    for (i = 0; i < n; i++)
        found += strcmp(names[i], ".") != 0 && strcmp(names[i], "..") != 0;
    scion_folder_free(names, n);
    return found == 0;
}

struct show {
    int has_users, number;
};

/* What is in the folder already is shown, and stays as it is. Whether a program has a file open is
   not seen through an overlay. */
static int overlay(const struct folder *folder, const char *real, const char *tree,
                   const struct show *show)
{
    char work[SCION_PATH], name[32], options[4 * SCION_PATH];

    if (folder->is_numbered) {
        tool_error("%s is not empty, so --pack-on does not go with --namespace", real);
        return TOOL_FAILED;
    }
    snprintf(name, sizeof name, "work.%d", show->number);
    if (scion_path(work, folder->path, name) != 0 || scion_make_folder(work) != 0)
        return failed();
    if (strpbrk(real, ",:\\") || strpbrk(tree, ",:\\")) {
        tool_error("%s is not empty, and has a comma, colon or backslash in its name or that of %s",
                   real, folder->path);
        return TOOL_FAILED;
    }
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s%s", real, tree, work,
             show->has_users ? ",userxattr" : "");
    if (mount("overlay", real, "overlay", 0, options) == 0)
        return TOOL_RUN;
    tool_error("%s is not empty, and the system cannot show its files beside new ones: %s", real,
               strerror(errno));
    return TOOL_FAILED;
}

static int show_folder(const struct folder *folder, const char *name, void *context)
{
    struct show *show = context;
    char real[SCION_PATH], tree[SCION_PATH], all[SCION_PATH];
    struct stat status;

    if (scion_path(real, strcmp(folder->root, "/") == 0 ? "" : folder->root, name) != 0 ||
        !scion_session_tree(folder->path, all, sizeof all) || scion_path(tree, all, name) != 0 ||
        scion_make_folders(tree) != 0)
        return failed();
    if (scion_path_status(real, &status) == 0)
        scion_path_set_permissions(tree, status.st_mode & 07777);
    show->number++;
    if (!is_empty(real))
        return overlay(folder, real, tree, show);
    return mount(tree, real, NULL, MS_BIND, NULL) == 0 ? TOOL_RUN : system_failed(real);
}

/* ---- the process that keeps it ---- */

/* The sionrun that makes the session, and joins it last. */
struct maker {
    long process;
    sion_int64 started;
};

/* Whether the last program of this node has ended, or all of their sionruns were killed. */
static int is_over(const struct folder *folder, const struct maker *maker)
{
    struct folder_members members;

    if (folder_count(folder, &members) != TOOL_RUN)
        return 1;
    return members.known > 0 ? members.ended + members.lost == members.known
                             : launcher_start_of(maker->process) != maker->started;
}

/* Nothing of it may keep others waiting: a terminal, a pipe of the launcher. */
static void let_go(void)
{
    int null = open("/dev/null", O_RDWR), i;

    setsid();
    for (i = 0; null >= 0 && i < 3; i++)
        dup2(null, i);
    for (i = 3; i < DESCRIPTORS; i++)
        close(i);
}

/* Says "PID HAS_USERS", or why it has failed. */
static void keep(const struct folder *folder, const struct maker *maker, int pipe)
{
    struct show show = {0, 0};
    char text[TEXT] = "";
    int status;

    tool_keep_error(text, sizeof text);
    status = separate(&show.has_users);
    if (status == TOOL_RUN)
        status = for_folders(folder, show_folder, &show);
    if (status == TOOL_RUN)
        snprintf(text, sizeof text, "%ld %d", (long)getpid(), show.has_users);
    if (write(pipe, text, strlen(text)) < 0 || status != TOOL_RUN)
        return;
    let_go();
    do
        doze();
    while (!is_over(folder, maker));
}

/* It is nobody's child, because sionrun waits for all that it has. */
static void start_keeper(const struct folder *folder, int pipe)
{
    const struct maker maker = {(long)getpid(), launcher_start_of((long)getpid())};
    pid_t process = fork();

    if (process == 0) {
        if (fork() == 0)
            keep(folder, &maker, pipe);
        _exit(0);
    }
    if (process > 0)
        waitpid(process, NULL, 0);
}

static int add_keeper(const struct folder *folder, struct notes *notes)
{
    char text[TEXT];
    int ends[2], has_users;
    ssize_t got;
    size_t bytes = 0;
    long process;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return system_failed("make a pipe");
    fflush(NULL);
    start_keeper(folder, ends[1]);
    close(ends[1]);
    while ((got = read(ends[0], text + bytes, sizeof text - 1 - bytes)) > 0)
        bytes += (size_t)got;
    close(ends[0]);
    text[bytes] = '\0';
    if (sscanf(text, "%ld %d", &process, &has_users) != 2) {
        tool_error("%s", bytes > 0 ? text : "the process that makes a namespace was killed");
        return TOOL_FAILED;
    }
    notes_add_number(notes, "process", process);
    notes_add_number(notes, "started", launcher_start_of(process));
    notes_add_number(notes, "users", has_users);
    return TOOL_RUN;
}

static int write_note(const struct folder *folder, struct notes *notes)
{
    char *path = folder_file(folder, "namespace");
    int status = TOOL_FAILED;

    if (path)
        status = notes_write(notes, path) == 0 ? TOOL_RUN : failed();
    free(path);
    return status;
}

/* The places are noted first: whoever finds them after a kill removes them. */
int namespace_make(const struct folder *folder)
{
    struct notes notes = {0};
    int status = for_folders(folder, make_place, &notes), noted;

    notes_add(&notes, "job", folder->output);
    noted = write_note(folder, &notes);
    status = status == TOOL_RUN ? noted : status;
    if (status == TOOL_RUN)
        status = add_keeper(folder, &notes);
    if (status == TOOL_RUN)
        status = write_note(folder, &notes);
    notes_free(&notes);
    return status;
}

/* ---- entering it ---- */

static int read_note(const struct folder *folder, struct notes *notes)
{
    char *path = folder_file(folder, "namespace");
    int is_there = path && scion_path_is_taken(path) && notes_read(notes, path) == 0;

    free(path);
    return is_there;
}

/* Another process of the job makes it. */
static int await(const struct folder *folder, struct notes *notes)
{
    int times = 0;

    for (;;) {
        if (read_note(folder, notes)) {
            if (notes_number(notes, "process", 0) > 0)
                return TOOL_RUN;
            notes_free(notes);
        }
        if (times++ == MAKING_PAUSES || !folder_is_begun(folder))
            break;
        doze();
    }
    tool_error("nobody makes the namespace of %s", folder->path);
    return TOOL_FAILED;
}

static int enter_one(long process, const char *kind, int type)
{
    char path[64];
    int file, rc;

    snprintf(path, sizeof path, "/proc/%ld/ns/%s", process, kind);
    file = open(path, O_RDONLY | O_CLOEXEC);
    rc = file >= 0 ? setns(file, type) : -1;
    if (file >= 0)
        close(file);
    return rc == 0 ? TOOL_RUN : system_failed("enter the namespace of the job");
}

/* The working folder is what its name is in the namespace. */
int namespace_enter(const struct folder *folder)
{
    struct notes notes;
    char here[SCION_PATH];
    int status = await(folder, &notes);
    long process;

    if (status != TOOL_RUN)
        return status;
    process = (long)notes_number(&notes, "process", 0);
    if (!getcwd(here, sizeof here)) {
        status = system_failed("find the working folder");
    } else if (launcher_start_of(process) != notes_number(&notes, "started", 0)) {
        tool_error("process %ld, which keeps the namespace of the job, has ended", process);
        status = TOOL_FAILED;
    }
    if (status == TOOL_RUN && notes_number(&notes, "users", 0))
        status = enter_one(process, "user", CLONE_NEWUSER);
    if (status == TOOL_RUN)
        status = enter_one(process, "mnt", CLONE_NEWNS);
    if (status == TOOL_RUN && chdir(here) != 0)
        status = system_failed("go to the working folder");
    notes_free(&notes);
    return status;
}

/* ---- the end ---- */

/* The last one that was made first. Those that somebody else uses by now stay. */
static void remove_from(const struct notes *notes, size_t at)
{
    char *path = notes_find(notes, "made", &at);

    if (!path)
        return;
    remove_from(notes, at);
    scion_remove_folder(path);
    free(path);
}

/* Once: what has these names later is somebody else's. */
void namespace_end(const struct folder *folder)
{
    char *path = folder_file(folder, "namespace");
    struct notes notes;

    if (read_note(folder, &notes)) {
        remove_from(&notes, 0);
        notes_free(&notes);
        if (path)
            scion_path_remove(path);
    }
    free(path);
}
