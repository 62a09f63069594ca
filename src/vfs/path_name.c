/* Names alone: the system is not asked for anything. */
#include "vfs/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* What stands between a folder's name and a name in it. */
static const char *slash_behind(const char *folder)
{
    size_t length = strlen(folder);

    return length > 0 && folder[length - 1] == '/' ? "" : "/";
}

static int name_too_long(const char *path)
{
    return scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", path);
}

int scion_path(char *path, const char *folder, const char *name)
{
    int length = folder ? snprintf(path, SCION_PATH, "%s%s%s", folder, slash_behind(folder), name)
                        : snprintf(path, SCION_PATH, "%s", name);

    return length < SCION_PATH ? 0 : name_too_long(path);
}

char *scion_path_new(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);

    if (path)
        sprintf(path, "%s%s%s", folder, slash_behind(folder), name);
    return path;
}

const char *scion_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void scion_path_core(const char *base, char core[NAME_MAX + 1])
{
    enum { MOST = NAME_MAX - 30, END = 16 };
    size_t length = strlen(base);

    if (length <= MOST)
        memcpy(core, base, length + 1);
    else
        snprintf(core, MOST + 1, "%.*s%s", MOST - END, base, base + length - END);
}

void scion_path_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        slash[slash == path] = '\0';
}

int scion_path_folder(char *folder, const char *name)
{
    int rc = scion_path(folder, NULL, strchr(name, '/') ? name : "./");

    if (rc == 0)
        scion_path_up(folder);
    return rc;
}

static int leads_up(const char *name)
{
    const char *part = name;

    while (part) {
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return 1;
        part = strchr(part, '/');
        part = part ? part + 1 : NULL;
    }
    return 0;
}

int scion_check_name(const char *name, int allow_outside)
{
    const char *last = scion_basename(name);

    if (!*name)
        return scion_fail(SION_ERR_DAMAGED, "an empty file name");
    if (!*last || strcmp(last, ".") == 0)
        return scion_fail(SION_ERR_DAMAGED, "the name %.200s is that of a folder", name);
    if (allow_outside)
        return 0;
    if (*name == '/')
        return scion_fail(SION_ERR_DAMAGED, "the name %.200s is absolute", name);
    if (leads_up(name))
        return scion_fail(SION_ERR_DAMAGED, "the name %.200s leads out of its folder", name);
    return 0;
}

int scion_path_reduced(char *path, const char *folder, const char *name)
{
    char joined[SCION_PATH], *part, *rest, *slash;
    size_t used = 0;
    int rc = scion_path(joined, folder, name);

    for (part = strtok_r(rc == 0 ? joined : NULL, "/", &rest); rc == 0 && part;
         part = strtok_r(NULL, "/", &rest)) {
        if (strcmp(part, ".") == 0)
            continue;
        if (strcmp(part, "..") != 0) {
            used += (size_t)sprintf(path + used, "%s%s", used > 0 ? "/" : "", part);
            continue;
        }
        if (used == 0)
            return scion_fail(SION_ERR_DAMAGED, "the name %.200s leads out of its folder", name);
        path[used] = '\0';
        slash = strrchr(path, '/');
        used = slash ? (size_t)(slash - path) : 0;
    }
    path[used] = '\0';
    return rc;
}
