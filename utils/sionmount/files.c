#include "sionmount/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/packed.h"
#include "lib/tool.h"

/*
 * An inode's number has that of the entry, its type, and, of a folder without an entry, how deep it
 * is on the way to the first entry below it. So folders can be used without a look at their
 * entries, which are in other blocks of the index than those of their files.
 */
#define FILES_FROM 2

enum { TYPE_SHIFT = 44, DEPTH_SHIFT = 47 };

static const char types[] = {SCION_PACK_FILE, SCION_PACK_FOLDER, SCION_PACK_LINK, SCION_PACK_HARD,
                             SCION_PACK_PIPE};

struct files {
    struct packed packed;
    struct scion_packed_cursor look, find, walk; /* by number, by path, and along folders */
    uint64_t folder;                             /* whose path was asked for last; 0: none */
    char path[SCION_PACK_PATH];
};

static int failed(const struct tree *tree)
{
    packed_failed(&tree->files->packed);
    return EIO;
}

/* ---- nodes ---- */

static uint64_t number_of(sion_int64 entry, int type, int depth)
{
    const char *at = memchr(types, type, sizeof types);

    return FILES_FROM + (uint64_t)entry + ((uint64_t)(at - types) << TYPE_SHIFT) +
           ((uint64_t)depth << DEPTH_SHIFT);
}

static struct node node_of(sion_int64 entry, int type, int depth, int task)
{
    return (struct node){.kind = NODE_FILE,
                         .task = task,
                         .type = type,
                         .entry = entry,
                         .depth = depth,
                         .number = number_of(entry, type, depth)};
}

static const struct node root = {.kind = NODE_ROOT, .number = 1};
static const struct node nothing = {.kind = NODE_NONE};

/* The entry of a number, which is the cursor's; NULL: none, or it cannot be read. */
static const struct scion_pack_entry *entry_of(struct tree *tree, sion_int64 number)
{
    struct scion_packed_cursor *look = &tree->files->look;
    const struct scion_pack_entry *entry = NULL;
    int rc = scion_packed_go(look, number);

    if (rc == 0)
        rc = scion_packed_next(look, &entry);
    if (rc != 0)
        failed(tree);
    return rc == 0 ? entry : NULL;
}

static struct node make_node(struct tree *tree, uint64_t number)
{
    const uint64_t mask = ((uint64_t)1 << TYPE_SHIFT) - 1;
    const struct scion_pack_entry *entry;
    sion_int64 n = (sion_int64)((number - FILES_FROM) & mask);
    int type;

    if (number < FILES_FROM)
        return root;
    type = types[((number - FILES_FROM) >> TYPE_SHIFT & 7) % sizeof types];
    if (type == SCION_PACK_FOLDER)
        return node_of(n, type, (int)((number - FILES_FROM) >> DEPTH_SHIFT), 0);
    entry = entry_of(tree, n);
    return entry ? node_of(n, type, 0, entry->task) : nothing;
}

struct node files_node(struct tree *tree, uint64_t number)
{
    struct node node;

    pthread_mutex_lock(&tree->lock);
    node = make_node(tree, number);
    pthread_mutex_unlock(&tree->lock);
    return node;
}

static int read_path(struct tree *tree, const struct node *folder, char *path)
{
    const struct scion_pack_entry *entry = entry_of(tree, folder->entry);
    char *end = path;
    int depth;

    if (!entry)
        return EIO;
    strcpy(path, entry->path);
    for (depth = 0; depth < folder->depth; depth++)
        end += strcspn(end, "/") + 1;
    if (folder->depth > 0)
        end[-1] = '\0';
    return 0;
}

/* The path of a folder, "" of the root. All its names are asked for one after the other. */
static int path_of(struct tree *tree, const struct node *folder, char *path)
{
    struct files *files = tree->files;

    path[0] = '\0';
    if (folder->kind == NODE_ROOT)
        return 0;
    if (files->folder != folder->number) {
        files->folder = 0;
        if (read_path(tree, folder, files->path) != 0)
            return EIO;
        files->folder = folder->number;
    }
    strcpy(path, files->path);
    return 0;
}

static int depth_of(const char *path)
{
    int depth = 1;

    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

/* ---- names ---- */

/* Another name of a file has the file's inode. */
static int find_path(struct tree *tree, const char *path, int may_be_hard, struct node *found)
{
    struct scion_packed_cursor *find = &tree->files->find;
    const struct scion_pack_entry *entry;
    char target[SCION_PACK_PATH];
    sion_int64 number;
    int rc = scion_packed_seek(find, path);

    number = scion_packed_number(find);
    if (rc == 0)
        rc = scion_packed_next(find, &entry);
    if (rc != 0)
        return failed(tree);
    if (!entry || !scion_pack_is_below(entry->path, path))
        return ENOENT;
    if (strcmp(entry->path, path) != 0) {
        *found = node_of(number, SCION_PACK_FOLDER, depth_of(path), 0);
        return 0;
    }
    *found = node_of(number, entry->type, 0, entry->task);
    if (entry->type != SCION_PACK_HARD || !may_be_hard)
        return 0;
    strcpy(target, entry->target);
    return find_path(tree, target, 0, found);
}

int files_find(struct tree *tree, const struct node *folder, const char *name, struct node *found)
{
    char path[SCION_PACK_PATH];
    size_t length;
    int status;

    if (!node_is_folder(folder))
        return ENOTDIR;
    pthread_mutex_lock(&tree->lock);
    status = path_of(tree, folder, path);
    length = strlen(path);
    if (status == 0 && length + strlen(name) + 2 > sizeof path)
        status = ENAMETOOLONG;
    if (status == 0) {
        if (length > 0)
            path[length++] = '/';
        strcpy(path + length, name);
        status = scion_pack_is_clean(path) ? find_path(tree, path, 1, found) : ENOENT;
    }
    pthread_mutex_unlock(&tree->lock);
    return status;
}

/* From the place n on: 0, or one more than the number of an entry. */
static int next_child(struct tree *tree, const char *folder, sion_int64 *n,
                      struct scion_packed_child *child)
{
    struct scion_packed_cursor *walk = &tree->files->walk;
    int rc = *n == 0 ? scion_packed_seek(walk, folder) : scion_packed_go(walk, *n - 1);

    do { /* no file system has longer names */
        if (rc == 0)
            rc = scion_packed_child(walk, folder, child);
    } while (rc == 0 && strlen(child->name) >= NODE_NAME);
    if (rc != 0)
        return failed(tree);
    *n = scion_packed_number(walk) + 1;
    return child->name[0] ? 0 : ENOENT;
}

/* In a listed folder, another name of a file has the file's inode, too; if that is not there, it is
   listed, and cannot be opened. */
static void choose_node(struct tree *tree, const char *folder,
                        const struct scion_packed_child *child, struct node *node)
{
    int depth = child->is_implied ? depth_of(folder) + (folder[0] != '\0') : 0;
    char path[SCION_PACK_PATH];
    size_t length = strlen(folder);

    *node = node_of(child->number, child->type, depth, 0);
    if (child->type != SCION_PACK_HARD || length + strlen(child->name) + 2 > sizeof path)
        return;
    memcpy(path, folder, length);
    path[length] = '/';
    strcpy(path + length + (length > 0), child->name);
    find_path(tree, path, 1, node);
}

static int list_next(struct tree *tree, const struct node *folder, sion_int64 *n,
                     struct entry *entry)
{
    char path[SCION_PACK_PATH];
    struct scion_packed_child child;
    int status = path_of(tree, folder, path);

    if (status == 0)
        status = next_child(tree, path, n, &child);
    if (status != 0)
        return status;
    choose_node(tree, path, &child, &entry->node);
    strcpy(entry->name, child.name);
    return 0;
}

int files_entry(struct tree *tree, const struct node *folder, sion_int64 *n, struct entry *entry)
{
    int status;

    if (!node_is_folder(folder))
        return ENOTDIR;
    pthread_mutex_lock(&tree->lock);
    status = list_next(tree, folder, n, entry);
    pthread_mutex_unlock(&tree->lock);
    return status;
}

/* ---- attributes ---- */

static void describe(const struct node *node, const struct scion_pack_entry *entry, mode_t readers,
                     struct stat *status)
{
    static const struct {
        int type;
        mode_t mode;
    } modes[] = {
        {SCION_PACK_FOLDER, S_IFDIR}, {SCION_PACK_LINK, S_IFLNK}, {SCION_PACK_PIPE, S_IFIFO}};
    mode_t mode = S_IFREG;
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++)
        mode = modes[i].type == node->type ? modes[i].mode : mode;
    status->st_mode = mode | readers;
    if (node->type == SCION_PACK_FOLDER || entry->mode & 0111)
        status->st_mode |= readers >> 2;
    status->st_nlink = node->type == SCION_PACK_FOLDER ? 2 : 1;
    if (node->depth > 0) /* the entry is of something below it */
        return;
    status->st_mtim.tv_sec = (time_t)entry->mtime;
    status->st_mtim.tv_nsec = (long)entry->mtime_ns;
    status->st_ctim = status->st_atim = status->st_mtim;
    status->st_size = node->type == SCION_PACK_LINK ? (off_t)strlen(entry->target) : entry->size;
    status->st_blocks = entry->size / 512 + (entry->size % 512 != 0);
}

/* status: what the tree says of all its inodes. */
int files_status(struct tree *tree, const struct node *node, struct stat *status)
{
    const struct scion_pack_entry *entry;

    pthread_mutex_lock(&tree->lock);
    entry = entry_of(tree, node->entry);
    if (entry)
        describe(node, entry, tree->status.st_mode & 0444, status);
    pthread_mutex_unlock(&tree->lock);
    return entry ? 0 : EIO;
}

int files_target(struct tree *tree, const struct node *node, char *target)
{
    const struct scion_pack_entry *entry;
    int status = node->type == SCION_PACK_LINK ? EIO : EINVAL;

    pthread_mutex_lock(&tree->lock);
    entry = status == EIO ? entry_of(tree, node->entry) : NULL;
    if (entry && entry->target) {
        strcpy(target, entry->target);
        status = 0;
    }
    pthread_mutex_unlock(&tree->lock);
    return status;
}

/* The header in the stream must be the one that the index was written with. */
int files_place(struct tree *tree, const struct node *node, sion_int64 *data, sion_int64 *size)
{
    const struct scion_pack_entry *entry;
    int rc = -1;

    pthread_mutex_lock(&tree->lock);
    entry = entry_of(tree, node->entry);
    if (entry) {
        *data = entry->data;
        *size = entry->size;
        rc = node->type == SCION_PACK_FILE
                 ? scion_packed_check(tree->files->packed.files, entry)
                 : scion_fail(SION_ERR_DAMAGED, "%s: its file is not there", entry->path);
        if (rc != 0)
            failed(tree);
    }
    pthread_mutex_unlock(&tree->lock);
    return rc == 0 ? 0 : EIO;
}

/* ---- begin and end ---- */

sion_int64 files_count(const struct tree *tree)
{
    return scion_packed_count(tree->files->packed.files);
}

int files_make(struct tree *tree)
{
    struct files *files = calloc(1, sizeof *files);
    int status;

    if (!files) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    status = packed_open(tree->input, &files->packed);
    if (status != TOOL_RUN) {
        free(files);
        return status;
    }
    scion_packed_begin(files->packed.files, &files->look);
    scion_packed_begin(files->packed.files, &files->find);
    scion_packed_begin(files->packed.files, &files->walk);
    tree->files = files;
    return TOOL_RUN;
}

void files_free(struct tree *tree)
{
    if (!tree->files)
        return;
    scion_packed_end(&tree->files->look);
    scion_packed_end(&tree->files->find);
    scion_packed_end(&tree->files->walk);
    packed_close(&tree->files->packed);
    free(tree->files);
    tree->files = NULL;
}
