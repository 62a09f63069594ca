#include "scr/map/names.h"

#include <string.h>

#include "vfs/path.h"

static int name_from_base(const struct scion_names *names, const char *file, char *path)
{
    int rc = scion_check_name(file, names->allow_outside);

    return rc == 0 ? scion_path(path, NULL, file) : rc;
}

/* *is_there: whether the base has a file of this name. */
static int look_for(const struct scion_names *names, const char *name, int *is_there)
{
    char path[SCION_PATH];
    int rc = scion_path(path, names->base, name);

    return rc == 0 ? scion_file_look_for(path, is_there) : rc;
}

int scion_segment_name(const struct scion_names *names, const char *file, char *path)
{
    int leads_up = strncmp(file, "../", 3) == 0, is_there = 1, rc;

    if (!names->below || !names->below[0] || *file == '/' || !*file)
        return name_from_base(names, file, path);
    rc = names->allow_outside ? scion_path(path, names->below, file)
                              : scion_path_reduced(path, names->below, file);
    if (rc == 0 && !leads_up)
        rc = look_for(names, path, &is_there);
    return rc == 0 && !is_there ? name_from_base(names, file, path) : rc;
}
