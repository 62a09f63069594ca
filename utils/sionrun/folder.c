#include "sionrun/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "lib/share.h"
#include "lib/tool.h"
#include "run/session.h"
#include "sionrun/inputs.h"
#include "sionrun/launcher.h"
#include "sionrun/namespace.h"
#include "sionrun/notes.h"
#include "sionrun/stages.h"

enum { MAKING_PAUSES = 2000 };

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

char *folder_file(const struct folder *folder, const char *name)
{
    char *path = scion_path_new(folder->path, name);

    if (!path)
        tool_error("out of memory");
    return path;
}

int folder_write_notes(const struct folder *folder, struct notes *notes, const char *name)
{
    char *path = folder_file(folder, name);
    int status = TOOL_FAILED;

    if (path)
        status = notes_write(notes, path) == 0 ? TOOL_RUN : failed();
    free(path);
    notes_free(notes);
    return status;
}

/* ---- the job ---- */

static int write_job(const struct folder *folder)
{
    struct notes notes = {0};

    notes_add(&notes, "output", folder->output);
    notes_add(&notes, "root", folder->root);
    notes_add(&notes, "host", folder->host);
    notes_add_number(&notes, "size", folder->size);
    notes_add_number(&notes, "by_node", folder->by_node);
    notes_add_number(&notes, "checksum", folder->checksum);
    notes_add_number(&notes, "recover", folder->recover);
    notes_add_number(&notes, "numbered", folder->is_numbered);
    return folder_write_notes(folder, &notes, "job");
}

static int read_text(const struct notes *notes, const char *name, char *into, size_t size)
{
    char *value = notes_find(notes, name, NULL);
    int good = value && strlen(value) < size;

    if (good)
        snprintf(into, size, "%s", value);
    free(value);
    return good;
}

static int read_job(struct folder *folder)
{
    struct notes notes;
    char *path = folder_file(folder, "job");
    int status = TOOL_FAILED;

    if (!path)
        return status;
    if (notes_read(&notes, path) != 0) {
        failed();
    } else if (!read_text(&notes, "output", folder->output, sizeof folder->output) ||
               !read_text(&notes, "root", folder->root, sizeof folder->root) ||
               !read_text(&notes, "host", folder->host, sizeof folder->host)) {
        tool_error("%s is damaged", path);
    } else {
        folder->size = (int)notes_number(&notes, "size", 1);
        folder->by_node = (int)notes_number(&notes, "by_node", 0);
        folder->checksum = (int)notes_number(&notes, "checksum", 0);
        folder->recover = (int)notes_number(&notes, "recover", 0);
        folder->is_numbered = (int)notes_number(&notes, "numbered", 0);
        status = TOOL_RUN;
    }
    notes_free(&notes);
    free(path);
    return status;
}

/* Folders for staging are open to all users, and names can be guessed. */
static int check_owner(const char *path)
{
    struct stat status;
    int errnum = scion_path_own_status(path, &status);

    if (errnum != 0)
        tool_error("cannot open %s: %s", path, strerror(errnum));
    else if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077))
        tool_error("%s is not a private folder of this user", path);
    else
        return TOOL_RUN;
    return TOOL_FAILED;
}

int folder_open(struct folder *folder, const char *path)
{
    *folder = (struct folder){.rank = -1};
    if (check_owner(path) != TOOL_RUN)
        return TOOL_FAILED;
    if (scion_path_real(path, folder->path) != 0)
        return failed();
    return folder_is_begun(folder) ? read_job(folder) : TOOL_RUN;
}

static int has(const struct folder *folder, const char *name)
{
    char *path = folder_file(folder, name);
    int is_there = path && scion_path_is_taken(path);

    free(path);
    return is_there;
}

/* The first file that it gets. */
int folder_is_begun(const struct folder *folder)
{
    return has(folder, "job");
}

/* ---- making and joining it ---- */

/* Names are relative to the root, which must be known by one line. */
static int take_name(const char *what, const char *name, char into[SCION_PATH])
{
    if (strchr(name, '\n')) {
        tool_error("the name of the %s has a newline: %s", what, name);
        return TOOL_FAILED;
    }
    return scion_path(into, NULL, name) == 0 ? TOOL_RUN : failed();
}

/* The output's name from the root of the file system on: its folder must exist. */
static int find_output(struct folder *folder, const struct settings *settings)
{
    const char *output = settings->output;
    char name[SCION_PATH], real[SCION_PATH];

    if (!output)
        return TOOL_RUN;
    if (scion_path_folder(name, output) != 0 || scion_path_real(name, real) != 0 ||
        scion_path(name, strcmp(real, "/") == 0 ? "" : real, scion_basename(output)) != 0)
        return failed();
    return take_name("container", name, folder->output);
}

/* The patterns, relative to the root: [n] and NULL, to be freed with free_patterns(). */
static char **take_patterns(const struct folder *folder, const char *spelling,
                            const struct texts *texts)
{
    char **all = calloc((size_t)texts->n + 1, sizeof *all), pattern[SCION_PATH];
    int i;

    for (i = 0; all && i < texts->n; i++) {
        if (scion_session_relative(spelling, folder->root, texts->text[i], pattern,
                                   sizeof pattern) == 0) {
            tool_error("the pattern %s is not beneath %s: see --root", texts->text[i],
                       folder->root);
            scion_folder_free(all, i);
            return NULL;
        }
        all[i] = strdup(pattern);
    }
    return all;
}

static int create(const struct folder *folder, const char *spelling, char **patterns[])
{
    struct scion_run_plan plan = {
        .root = spelling, .root_real = folder->root, .has_input = folder->has_input};
    int i;

    for (i = 0; i < SCION_RUN_LISTS; i++)
        plan.list[i] = (const char *const *)patterns[i];
    if (scion_session_create(folder->path, &plan) == 0)
        return TOOL_RUN;
    tool_error("cannot make %s: %s", folder->path, strerror(errno));
    return TOOL_FAILED;
}

/* As the shell spells the working folder, if that is the root. */
static const char *spelling_of(const struct folder *folder, const char *root)
{
    const char *shell = secure_getenv("PWD");
    struct stat real, said;

    if (strcmp(root, ".") == 0)
        root = shell;
    return root && root[0] == '/' && scion_path_status(root, &said) == 0 &&
                   scion_path_status(folder->root, &real) == 0 && scion_is_same_file(&real, &said)
               ? root
               : folder->root;
}

static int make_session(const struct folder *folder, const struct settings *settings)
{
    const char *spelling = spelling_of(folder, settings->root);
    const struct texts *const texts[SCION_RUN_LISTS] = {[SCION_RUN_FILES] = &settings->files,
                                                        [SCION_RUN_EXCEPT] = &settings->except,
                                                        [SCION_RUN_WHEN] = &settings->when};
    char **patterns[SCION_RUN_LISTS] = {NULL};
    int status = TOOL_RUN, i;

    for (i = 0; i < SCION_RUN_LISTS && status == TOOL_RUN; i++) {
        patterns[i] = take_patterns(folder, spelling, texts[i]);
        status = patterns[i] ? TOOL_RUN : TOOL_FAILED;
    }
    if (status == TOOL_RUN)
        status = create(folder, spelling, patterns);
    for (i = 0; i < SCION_RUN_LISTS; i++) {
        if (patterns[i])
            scion_folder_free(patterns[i], texts[i]->n);
    }
    return status;
}

/* The session comes last: whoever finds it finds all that belongs to it. */
static int make(struct folder *folder, const struct settings *settings)
{
    int status = write_job(folder);

    if (status == TOOL_RUN && settings->inputs.n > 0) {
        folder->has_input = 1;
        status = inputs_map(folder->path, settings);
    }
    if (status == TOOL_RUN)
        status = make_session(folder, settings);
    if (status == TOOL_RUN && settings->namespace)
        status = namespace_make(folder);
    if (status != TOOL_RUN)
        folder_remove(folder);
    return status;
}

static int check_joined(const struct folder *own, const struct folder *found)
{
    struct folder_members members;
    int status = folder_count(found, &members);

    if (status != TOOL_RUN)
        return status;
    if (strcmp(own->output, found->output) != 0 || strcmp(own->root, found->root) != 0 ||
        own->size != found->size) {
        tool_error("%s is in use by a job that makes %s", found->path, found->output);
    } else if (members.lost > 0) {
        tool_error("an earlier job has left files for %s: pack them by \"sionrun --pack %s\"",
                   found->output, found->path);
    } else {
        return TOOL_RUN;
    }
    return TOOL_FAILED;
}

/* Another process of the job makes it. */
static int await(const struct folder *folder)
{
    const struct timespec pause = {0, 5000000};
    char *path = folder_file(folder, "session");
    int times = 0, status = TOOL_RUN;

    while (path && !scion_path_is_taken(path) && times++ < MAKING_PAUSES)
        nanosleep(&pause, NULL);
    if (path && !scion_path_is_taken(path)) {
        tool_error(
            "%s has been begun, but nobody completes it: \"sionrun --discard %s\" removes it",
            folder->path, folder->path);
        status = TOOL_FAILED;
    }
    free(path);
    return path ? status : TOOL_FAILED;
}

static int make_or_join(struct folder *folder, const struct settings *settings)
{
    struct folder found;
    int errnum = scion_make_private_folder(folder->path), status;

    if (errnum == 0)
        return make(folder, settings);
    if (errnum != EEXIST) {
        tool_error("cannot make %s: %s", folder->path, strerror(errnum));
        return TOOL_FAILED;
    }
    status = await(folder);
    if (status == TOOL_RUN)
        status = folder_open(&found, folder->path);
    return status == TOOL_RUN ? check_joined(folder, &found) : status;
}

int folder_join(struct folder *folder, const struct settings *settings)
{
    const struct share share = share_find();
    char name[SCION_PATH], stage[SCION_PATH];
    int status;

    *folder = (struct folder){.size = share.size,
                              .rank = share.rank,
                              .by_node = settings->by_node,
                              .checksum = settings->checksum,
                              .recover = settings->recover,
                              .has_namespace = settings->namespace,
                              .is_numbered = settings->signal > 0 || settings->when.n > 0};
    gethostname(folder->host, sizeof folder->host - 1);
    status = find_output(folder, settings);
    if (status == TOOL_RUN)
        status = scion_path_real(settings->root, folder->root) == 0 ? TOOL_RUN : failed();
    if (status == TOOL_RUN)
        status = take_name("folder", folder->root, name);
    if (status == TOOL_RUN)
        status = stage_choose(settings->stage, stage);
    if (status == TOOL_RUN)
        status = launcher_name_session(stage, folder->output, folder->path);
    if (status == TOOL_RUN)
        status = make_or_join(folder, settings);
    return status == TOOL_RUN ? folder_enter(folder) : status;
}

int folder_set_packed(const struct folder *folder)
{
    char *path = folder_file(folder, FOLDER_PACKED);
    int status = path && scion_write_whole(path, "", 0) == 0 ? TOOL_RUN : TOOL_FAILED;

    free(path);
    return status;
}

int folder_is_packed(const struct folder *folder)
{
    return has(folder, FOLDER_PACKED);
}

long folder_user(const struct folder *folder)
{
    struct scion_folder *all;
    const char *name;
    long found = 0;

    if (scion_folder_open("/proc", &all) != 0 || !all)
        return 0;
    while (found == 0 && scion_folder_next(all, &name) == 0 && name) {
        long process = strtol(name, NULL, 10);

        if (process > 0 && process != (long)getpid() && launcher_has_session(process, folder->path))
            found = process;
    }
    scion_folder_close(all);
    return found;
}

/* ---- finding them ---- */

char **folder_find(const char *stage, int *n)
{
    char start[32], **names;
    int found, i;

    *n = 0;
    snprintf(start, sizeof start, "sionrun-%ld-", (long)getuid());
    if (scion_folder_sorted(stage, &names, &found) != 0) {
        failed();
        return NULL;
    }
    if (!names) {
        tool_error("there is no folder %s", stage);
        return NULL;
    }
    for (i = 0; i < found; i++) {
        char *path = NULL;

        if (strncmp(names[i], start, strlen(start)) == 0)
            path = scion_path_new(stage, names[i]);
        free(names[i]);
        names[i] = NULL;
        if (path)
            names[(*n)++] = path;
    }
    return names;
}

void folder_free_names(char **names, int n)
{
    scion_folder_free(names, n);
}
