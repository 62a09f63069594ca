#include "sionmount/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "lib/tool.h"
#include "pack/entry.h"
#include "sion_const.h"
#include "sionmount/files.h"
#include "vfs/vfs.h"

/* Numbers of inodes: the first three as they are, those of tasks from here on, and of keys above.
 */
#define TASKS_FROM   ((uint64_t)1 << 40)
#define KEYS_OF_FROM ((uint64_t)1 << 41)
#define KEYS_FROM    ((uint64_t)1 << 63)
#define KEY_BITS     32

enum { NUMBER_ROOT = 1, NUMBER_META, NUMBER_KEYS };

/* ---- inodes ---- */

static struct node node_of(enum node_kind kind, int task, sion_int64 key)
{
    struct node node = {.kind = kind, .task = task, .key = key};

    switch (kind) {
    case NODE_ROOT:
        node.number = NUMBER_ROOT;
        break;
    case NODE_META:
        node.number = NUMBER_META;
        break;
    case NODE_KEYS:
        node.number = NUMBER_KEYS;
        break;
    case NODE_TASK:
        node.number = TASKS_FROM + (uint64_t)task;
        break;
    case NODE_KEYS_OF:
        node.number = KEYS_OF_FROM + (uint64_t)task;
        break;
    default:
        node.number = KEYS_FROM | (uint64_t)task << KEY_BITS | (uint64_t)key;
    }
    return node;
}

struct node tree_node(struct tree *tree, uint64_t number)
{
    if (tree->files)
        return files_node(tree, number);
    if (number >= KEYS_FROM)
        return node_of(NODE_KEY, (int)((number - KEYS_FROM) >> KEY_BITS),
                       (sion_int64)(number & (((uint64_t)1 << KEY_BITS) - 1)));
    if (number >= KEYS_OF_FROM)
        return node_of(NODE_KEYS_OF, (int)(number - KEYS_OF_FROM), 0);
    if (number >= TASKS_FROM)
        return node_of(NODE_TASK, (int)(number - TASKS_FROM), 0);
    return node_of(number == NUMBER_META   ? NODE_META
                   : number == NUMBER_KEYS ? NODE_KEYS
                                           : NODE_ROOT,
                   0, 0);
}

int node_is_folder(const struct node *node)
{
    return (node->kind == NODE_FILE && node->type == SCION_PACK_FOLDER) ||
           node->kind == NODE_ROOT || node->kind == NODE_KEYS || node->kind == NODE_KEYS_OF;
}

mode_t node_type(const struct node *node)
{
    if (node_is_folder(node))
        return S_IFDIR;
    return node->kind != NODE_FILE         ? S_IFREG
           : node->type == SCION_PACK_LINK ? S_IFLNK
           : node->type == SCION_PACK_PIPE ? S_IFIFO
                                           : S_IFREG;
}

/* ---- what is made when it is asked for ---- */

static void write_meta(FILE *to, const struct input *input)
{
    int task, damaged = 0;

    fprintf(to, "{\n  \"schema\": \"sionmount\",\n  \"schema_version\": 1,\n  \"file\": ");
    scion_json_string(to, input->name);
    fprintf(to,
            ",\n  \"format_version\": %d,\n  \"data_endianness\": \"%s\",\n"
            "  \"keyval\": %s,\n  \"fsblksize\": %d,\n  \"number_of_files\": %d,\n"
            "  \"number_of_tasks\": %d,\n  \"max_chunks\": %d,\n  \"bytes\": %lld,\n",
            input->head->format_version, input->head->big_endian ? "big" : "little",
            input->keyval == SION_KEYVAL_INLINE ? "true" : "false", input->fsblksize, input->nfiles,
            input->ntasks, input->maxchunks, input->total);
    fprintf(to, "  \"global_ranks\": [");
    for (task = 0; task < input->ntasks; task++)
        fprintf(to, "%s%lld", task > 0 ? ", " : "", input_globalrank(input, task));
    fprintf(to, "],\n  \"chunks\": [");
    for (task = 0; task < input->ntasks; task++)
        fprintf(to, "%s%lld", task > 0 ? ", " : "", input_count(input, task));
    fprintf(to, "],\n  \"damaged_tasks\": [");
    for (task = 0; task < input->ntasks; task++) {
        if (input_damage(input, task))
            fprintf(to, "%s%d", damaged++ > 0 ? ", " : "", task);
    }
    fprintf(to, "]\n}\n");
}

static void make_meta(struct tree *tree)
{
    FILE *to = open_memstream(&tree->meta, &tree->meta_bytes);
    int failed = 1;

    if (to) {
        write_meta(to, tree->input);
        failed = ferror(to);
        failed |= fclose(to) != 0;
    }
    if (failed) {
        free(tree->meta);
        tree->meta = NULL;
    }
}

const char *tree_meta(struct tree *tree, size_t *bytes)
{
    pthread_mutex_lock(&tree->lock);
    if (!tree->meta)
        make_meta(tree);
    *bytes = tree->meta_bytes;
    pthread_mutex_unlock(&tree->lock);
    return tree->meta;
}

const struct key_index *tree_keys(struct tree *tree, int task)
{
    const struct key_index *index;

    pthread_mutex_lock(&tree->lock);
    if (!tree->keys[task])
        tree->keys[task] = key_index_make(tree->input, task);
    index = tree->keys[task];
    pthread_mutex_unlock(&tree->lock);
    return index;
}

/* ---- names ---- */

/* Read a number in the form that names have: no sign, no blank, no leading zero. */
static int parse(const char *name, uint64_t *number)
{
    char again[NODE_NAME], *end;

    errno = 0;
    *number = strtoull(name, &end, 10);
    snprintf(again, sizeof again, "%" PRIu64, *number);
    return errno == 0 && strcmp(name, again) == 0;
}

/* The same with leading zeros, as in the names of tasks. */
static int parse_task(const struct tree *tree, const char *name, int *task)
{
    uint64_t number;

    if (strlen(name) != (size_t)tree->digits)
        return ENOENT;
    while (name[0] == '0' && name[1])
        name++;
    if (!parse(name, &number) || number >= (uint64_t)tree->input->ntasks)
        return ENOENT;
    *task = (int)number;
    return 0;
}

static int find_in_root(const struct tree *tree, const char *name, struct node *found)
{
    int task, status = 0;

    if (strcmp(name, "meta.json") == 0)
        *found = node_of(NODE_META, 0, 0);
    else if (tree->keys && strcmp(name, "keys") == 0)
        *found = node_of(NODE_KEYS, 0, 0);
    else if ((status = parse_task(tree, name, &task)) == 0)
        *found = node_of(NODE_TASK, task, 0);
    return status;
}

static int find_key(struct tree *tree, int task, const char *name, struct node *found)
{
    const struct key_index *index;
    const struct key *key;
    uint64_t number;

    if (!parse(name, &number))
        return ENOENT;
    index = tree_keys(tree, task);
    if (!index)
        return EIO;
    key = keys_find(index->keys, number);
    if (!key)
        return ENOENT;
    *found = node_of(NODE_KEY, task, key->found);
    return 0;
}

int tree_find(struct tree *tree, const struct node *folder, const char *name, struct node *found)
{
    int task, status;

    if (tree->files)
        return files_find(tree, folder, name, found);
    switch (folder->kind) {
    case NODE_ROOT:
        return find_in_root(tree, name, found);
    case NODE_KEYS:
        status = parse_task(tree, name, &task);
        if (status == 0)
            *found = node_of(NODE_KEYS_OF, task, 0);
        return status;
    case NODE_KEYS_OF:
        return find_key(tree, folder->task, name, found);
    default:
        return ENOTDIR;
    }
}

static int task_entry(const struct tree *tree, enum node_kind kind, sion_int64 task,
                      struct entry *entry)
{
    if (task >= tree->input->ntasks)
        return ENOENT;
    entry->node = node_of(kind, (int)task, 0);
    snprintf(entry->name, sizeof entry->name, "%0*lld", tree->digits, task);
    return 0;
}

static int root_entry(const struct tree *tree, sion_int64 n, struct entry *entry)
{
    if (n == 0) {
        entry->node = node_of(NODE_META, 0, 0);
        strcpy(entry->name, "meta.json");
        return 0;
    }
    if (n == 1 && tree->keys) {
        entry->node = node_of(NODE_KEYS, 0, 0);
        strcpy(entry->name, "keys");
        return 0;
    }
    return task_entry(tree, NODE_TASK, n - 1 - (tree->keys != NULL), entry);
}

static int key_entry(struct tree *tree, int task, sion_int64 n, struct entry *entry)
{
    const struct key_index *index = tree_keys(tree, task);

    if (!index)
        return EIO;
    if (n >= index->count)
        return ENOENT;
    entry->node = node_of(NODE_KEY, task, n);
    snprintf(entry->name, sizeof entry->name, "%" PRIu64, index->by_number[n]->key);
    return 0;
}

static int nth_entry(struct tree *tree, const struct node *folder, sion_int64 n,
                     struct entry *entry)
{
    switch (folder->kind) {
    case NODE_ROOT:
        return root_entry(tree, n, entry);
    case NODE_KEYS:
        return task_entry(tree, NODE_KEYS_OF, n, entry);
    case NODE_KEYS_OF:
        return key_entry(tree, folder->task, n, entry);
    default:
        return ENOTDIR;
    }
}

int tree_entry(struct tree *tree, const struct node *folder, sion_int64 *n, struct entry *entry)
{
    return tree->files ? files_entry(tree, folder, n, entry)
                       : nth_entry(tree, folder, (*n)++, entry);
}

/* ---- attributes ---- */

static int size_of(struct tree *tree, const struct node *node, off_t *size)
{
    const struct key_index *index;
    size_t bytes = 0;

    switch (node->kind) {
    case NODE_META:
        if (!tree_meta(tree, &bytes))
            return ENOMEM;
        *size = (off_t)bytes;
        return 0;
    case NODE_TASK:
        *size = input_bytes(tree->input, node->task);
        return 0;
    case NODE_KEY:
        index = tree_keys(tree, node->task);
        if (!index || node->key >= index->count)
            return EIO;
        *size = index->by_number[node->key]->bytes;
        return 0;
    default:
        *size = 0;
        return 0;
    }
}

/* Users who may read the container may read the files; nobody may write. */
int tree_status(struct tree *tree, const struct node *node, struct stat *status)
{
    mode_t readers = tree->status.st_mode & 0444;
    const struct stat nothing = {0};

    *status = nothing;
    status->st_ino = (ino_t)node->number;
    status->st_uid = tree->status.st_uid;
    status->st_gid = tree->status.st_gid;
    status->st_atim = tree->status.st_mtim;
    status->st_mtim = tree->status.st_mtim;
    status->st_ctim = tree->status.st_mtim;
    status->st_blksize = tree->input->fsblksize;
    if (node->kind == NODE_FILE)
        return files_status(tree, node, status);
    if (node_is_folder(node)) {
        status->st_mode = S_IFDIR | readers | readers >> 2;
        status->st_nlink = 2;
        return 0;
    }
    status->st_mode = S_IFREG | readers;
    status->st_nlink = 1;
    if (size_of(tree, node, &status->st_size) != 0)
        return EIO;
    status->st_blocks = status->st_size / 512 + (status->st_size % 512 != 0);
    return 0;
}

/* ---- begin and end ---- */

int tree_make(struct tree *tree, struct input *input, int shows_files)
{
    const struct tree nothing = {.input = input};
    char last[NODE_NAME];

    *tree = nothing;
    if (scion_vfs_current()->stat(input->name, &tree->status) != 0) {
        tool_error("%s: %s", input->name, strerror(errno));
        return TOOL_FAILED;
    }
    tree->digits = snprintf(last, sizeof last, "%d", input->ntasks - 1);
    if (input->keyval == SION_KEYVAL_INLINE) {
        tree->keys = calloc((size_t)input->ntasks, sizeof(struct key_index *));
        if (!tree->keys) {
            tool_error("out of memory for %d tasks of %s", input->ntasks, input->name);
            return TOOL_FAILED;
        }
    }
    pthread_mutex_init(&tree->lock, NULL);
    return shows_files ? files_make(tree) : TOOL_RUN;
}

void tree_free(struct tree *tree)
{
    int task;

    for (task = 0; tree->keys && task < tree->input->ntasks; task++)
        key_index_free(tree->keys[task]);
    files_free(tree);
    free(tree->keys);
    free(tree->meta);
    pthread_mutex_destroy(&tree->lock);
}
