#include "siondiff/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/tool.h"
#include "pack/tree.h"
#include "vfs/path.h"

static int refused(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- begin and end ---- */

static int open_folder(struct tree *tree)
{
    size_t n;

    if (scion_pack_walk(tree->name, NULL, NULL, &tree->list) != 0) {
        scion_pack_list_free(&tree->list);
        return refused();
    }
    tool_print_warnings();
    for (n = 0; n < tree->list.count; n++)
        tree->total += tree->list.entries[n].size;
    return TOOL_RUN;
}

static int open_container(struct tree *tree)
{
    int status = input_open_members(tree->name, &tree->input);

    if (status != TOOL_RUN)
        return status;
    status = packed_open(&tree->input, &tree->packed);
    if (status != TOOL_RUN)
        return input_close(&tree->input, status);
    scion_packed_begin(tree->packed.files, &tree->cursor);
    scion_packed_begin(tree->packed.files, &tree->targets);
    tree->total = tree->input.total;
    return TOOL_RUN;
}

int tree_open(struct tree *tree, char *name)
{
    struct stat status;

    *tree = (struct tree){.name = name};
    tree->is_folder = scion_path_status(name, &status) == 0 && S_ISDIR(status.st_mode);
    return tree->is_folder ? open_folder(tree) : open_container(tree);
}

int tree_close(struct tree *tree, int status)
{
    if (tree->is_folder) {
        scion_pack_list_free(&tree->list);
        return status;
    }
    scion_packed_end(&tree->cursor);
    scion_packed_end(&tree->targets);
    packed_close(&tree->packed);
    return input_close(&tree->input, status);
}

/* ---- entries ---- */

int tree_next(struct tree *tree, const struct scion_pack_entry **entry)
{
    if (!tree->is_folder)
        return scion_packed_next(&tree->cursor, entry) == 0 ? TOOL_RUN
                                                            : packed_failed(&tree->packed);
    *entry = tree->next < tree->list.count ? &tree->list.entries[tree->next++] : NULL;
    return TOOL_RUN;
}

static int by_path(const void *path, const void *entry)
{
    return scion_pack_compare(path, ((const struct scion_pack_entry *)entry)->path);
}

static int find(struct tree *tree, const char *path, const struct scion_pack_entry **entry)
{
    int is_folder;

    if (!tree->is_folder)
        return scion_packed_find(&tree->targets, path, entry, &is_folder) == 0
                   ? TOOL_RUN
                   : packed_failed(&tree->packed);
    *entry = bsearch(path, tree->list.entries, tree->list.count, sizeof **entry, by_path);
    return TOOL_RUN;
}

int tree_original(struct tree *tree, const struct scion_pack_entry *link,
                  const struct scion_pack_entry **original)
{
    int status;

    *original = link;
    if (link->type != SCION_PACK_HARD)
        return TOOL_RUN;
    status = find(tree, link->target, original);
    if (status != TOOL_RUN || (*original && (*original)->type == SCION_PACK_FILE))
        return status;
    tool_error("%s: %s is a link to %s, which is no file there", tree->name, link->path,
               link->target);
    return TOOL_FAILED;
}

/* ---- data ---- */

int tree_begin_file(struct tree *tree, const struct scion_pack_entry *file)
{
    char *path;
    int rc;

    if (!tree->is_folder)
        return scion_packed_check(tree->packed.files, file) == 0 ? TOOL_RUN
                                                                 : packed_failed(&tree->packed);
    path = scion_path_new(tree->name, file->path);
    rc = path ? scion_file_open(path, SCION_OPEN_READ, 0, &tree->file) : SION_ERR_MEMORY;
    free(path);
    return rc == 0 ? TOOL_RUN : refused();
}

int tree_read(struct tree *tree, const struct scion_pack_entry *file, void *to, size_t bytes,
              sion_int64 pos)
{
    if (tree->is_folder)
        return scion_file_read(tree->file, to, bytes, pos) == 0 ? TOOL_RUN : refused();
    return scion_packed_read(tree->packed.files, file, to, bytes, pos) == 0
               ? TOOL_RUN
               : packed_failed(&tree->packed);
}

void tree_end_file(struct tree *tree)
{
    scion_file_close(tree->file);
    tree->file = NULL;
}
