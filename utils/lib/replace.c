#include "lib/replace.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "lib/tool.h"
#include "vfs/path.h"

static int refused(const char *name, const char *reason)
{
    tool_error("cannot open outfile %s , aborting ... (%s)", name, reason);
    return TOOL_FAILED;
}

int replace_failed(const struct replace *replace)
{
    const char *text = scion_error_text();
    const char *at = replace->beside ? strstr(text, replace->beside) : NULL;

    if (at)
        tool_error("%.*s%s%s", (int)(at - text), text, replace->name, at + strlen(replace->beside));
    else
        tool_error("%s", text);
    return TOOL_FAILED;
}

static int is_descriptor(const char *name)
{
    return strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/proc/", 6) == 0;
}

/* In the folder of the name; the longest name of a file has room for it. */
static char *make_name(const char *name)
{
    int folder = (int)(scion_basename(name) - name);
    size_t size = (size_t)folder + 40;
    char *beside = malloc(size);
    uint64_t number;

    if (beside && getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number)
        snprintf(beside, size, "%.*s.sion-%016llx.new", folder, name, (unsigned long long)number);
    return beside;
}

static int make_file(struct replace *replace)
{
    struct scion_file *file;
    int rc;

    replace->beside = make_name(replace->name);
    if (!replace->beside) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    rc = scion_file_open(replace->beside, SCION_OPEN_NEW, replace->permissions | S_IRUSR | S_IWUSR,
                         &file);
    if (rc == 0)
        return scion_file_close(file) == 0 ? TOOL_RUN : replace_failed(replace);
    free(replace->beside);
    replace->beside = NULL;
    return refused(replace->name, strerror(errno));
}

int replace_begin(struct replace *replace, const char *name, mode_t permissions)
{
    struct stat file;
    int errnum;

    *replace = (struct replace){.name = name, .permissions = permissions & 0777};
    if (!*name)
        return refused(name, "no name");
    errnum = scion_path_status(name, &file);
    if (errnum == 0) {
        if (S_ISDIR(file.st_mode))
            return refused(name, strerror(EISDIR));
        if (!S_ISREG(file.st_mode) || is_descriptor(name))
            return TOOL_RUN;
        errnum = scion_path_check_writable(name);
        if (errnum != 0)
            return refused(name, strerror(errnum));
    } else if (errnum != ENOENT) {
        return refused(name, strerror(errnum));
    }
    replace->is_new = !scion_path_is_taken(name);
    return make_file(replace);
}

const char *replace_path(const struct replace *replace)
{
    return replace->beside ? replace->beside : replace->name;
}

/* The file was writable for its owner as long as it was made. */
static int set_permissions(const struct replace *replace)
{
    struct stat file;
    int errnum = scion_path_status(replace->beside, &file);

    if (errnum == 0)
        errnum = scion_path_set_permissions(replace->beside, file.st_mode & replace->permissions);
    if (errnum == 0)
        return TOOL_RUN;
    tool_error("cannot set the permissions of %s: %s", replace->name, strerror(errnum));
    return TOOL_FAILED;
}

/* A new name can be lost with the power; an old file must not be. */
static int put_in_place(const struct replace *replace)
{
    int rc = replace->is_new ? 0 : scion_sync_whole(replace->beside), errnum = 0;

    if (rc == 0 && set_permissions(replace) != TOOL_RUN)
        return TOOL_FAILED;
    if (rc == 0 && !replace->is_new)
        rc = scion_file_rename(replace->beside, replace->name);
    if (rc == 0 && replace->is_new)
        errnum = scion_path_move(replace->beside, replace->name);
    if (errnum != 0)
        return refused(replace->name, strerror(errnum));
    return rc == 0 ? TOOL_RUN : replace_failed(replace);
}

int replace_end(struct replace *replace, int status)
{
    if (!replace->beside)
        return status;
    if ((status == TOOL_RUN || status == TOOL_DONE) && put_in_place(replace) != TOOL_RUN)
        status = TOOL_FAILED;
    if (status == TOOL_FAILED || status == TOOL_USAGE)
        scion_file_remove(replace->beside);
    free(replace->beside);
    replace->beside = NULL;
    return status;
}
