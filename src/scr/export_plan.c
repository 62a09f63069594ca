#include "scr/export_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/claim.h"
#include "vfs/path.h"

/* The folder above a file or folder, with all links resolved, `levels` up. */
static int folder_above(const char *path, int levels, char *folder)
{
    int rc = scion_relative("/", path, folder + 1);

    folder[0] = '/';
    while (rc == 0 && levels-- > 0)
        scion_path_up(folder);
    return rc;
}

/* Check the description of the dataset; SCR 1.1 finds it by the name of its folder. */
static int take_told(const struct sion_scr_export_options *given, struct scion_export_plan *export)
{
    struct scion_dataset_facts *told = &export->told;

    *told = (struct scion_dataset_facts){
        .no_checkpoint = given->no_checkpoint, .output = given->output, .index = given->index};
    if (!given->dataset)
        return 0;
    if (strlen(given->dataset) >= sizeof told->name || !given->dataset[0])
        return scion_fail(SION_ERR_ARGUMENT, "'%.60s' cannot be the name of a dataset",
                          given->dataset);
    if (scion_check_name(given->dataset, 0) != 0)
        return sion_error_code();
    strcpy(told->name, given->dataset);
    if (export->place.layout == SION_SCR_LAYOUT_DATASET &&
        strcmp(told->name, scion_basename(export->base)) != 0)
        return scion_fail(SION_ERR_ARGUMENT,
                          "the dataset %.200s is in the folder %.200s: SCR 1.1 needs equal names",
                          told->name, scion_basename(export->base));
    return 0;
}

int scion_export_begin(const char *path, const struct sion_scr_export_options *given,
                       struct scion_export_plan *export)
{
    int rc;

    *export = (struct scion_export_plan){.map = *given->map, .crc = !given->no_crc};
    export->place.layout = given->layout ? given->layout : SION_SCR_LAYOUT_DATASET;
    export->native = export->place.layout == SION_SCR_LAYOUT_3 && !given->segments;
    export->prefix = export->place.layout == SION_SCR_LAYOUT_PREFIX ? "../../" : "";
    if (export->native && given->name)
        return scion_fail(SION_ERR_ARGUMENT,
                          "the files of this layout have the names of the container, not %.200s",
                          given->name);
    export->place.id = given->id > 0 ? given->id : 0;
    rc = scion_path(export->name, NULL, given->name ? given->name : "%c.task.%r");
    if (rc != 0)
        return rc;
    if (given->base)
        rc = folder_above(given->base, 0, export->base);
    else
        rc = folder_above(path, export->place.layout == SION_SCR_LAYOUT_DATASET ? 1 : 2,
                          export->base);
    export->place.base = export->base;
    if (rc == 0)
        rc = take_told(given, export);
    return rc != 0 ? rc : scion_relative(export->base, path, export->container);
}

int scion_export_claim(struct scion_export_plan *export)
{
    struct scion_claim *claim = scion_must_allocate(1, sizeof *claim);
    char above[SCION_PATH];
    int rc;

    claim->layout = export->place.layout;
    claim->prefix = scion_dataset_prefix(&export->place, above, sizeof above);
    claim->folder = scion_basename(export->base);
    claim->data = export->container;
    claim->id = export->place.id;
    claim->is_indexed = export->told.index;
    strcpy(claim->name, export->told.name);
    rc = scion_claim(claim);
    if (rc == 0 && strlen(claim->name) >= sizeof export->told.name)
        rc = scion_fail(SION_ERR_ARGUMENT, "'%.60s...' is too long as the name of a dataset",
                        claim->name);
    if (rc == 0) {
        export->place.id = claim->id;
        strcpy(export->told.name, claim->name);
    }
    free(claim);
    return rc;
}

int scion_export_name(const struct scion_export_plan *export, sion_int64 rank, char *name)
{
    const char *from;
    size_t used = 0;

    for (from = export->name; *from && used < SCION_PATH; from++) {
        size_t room = SCION_PATH - used;

        if (from[0] == '%' && from[1] == 'r')
            used += (size_t)snprintf(name + used, room, "%lld", rank);
        else if (from[0] == '%' && from[1] == 'c')
            used += (size_t)snprintf(name + used, room, "%s", export->container);
        else
            used += (size_t)snprintf(name + used, room, "%c", *from);
        from += from[0] == '%' && from[1] && strchr("rc%", from[1]);
    }
    if (used >= SCION_PATH)
        return scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", export->name);
    return scion_check_name(name, 0);
}

mode_t scion_export_permissions(const struct scion_export_plan *export)
{
    char path[SCION_PATH];
    struct stat status;

    if (scion_path(path, export->base, export->container) != 0 ||
        scion_path_status(path, &status) != 0)
        return 0666;
    return (status.st_mode & 0666) | S_IRUSR | S_IWUSR;
}
