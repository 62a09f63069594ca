#define FUSE_USE_VERSION 32
#include "sionmount/serve.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tool.h"
#include "pack/entry.h"
#include "sionmount/caller.h"
#include "sionmount/files.h"
#include "sionmount/reader.h"

/* Nothing changes while the container is mounted: the kernel may keep what it knows, in seconds. */
static const double keep = 86400;

static struct tree *tree_of(fuse_req_t request)
{
    return fuse_req_userdata(request);
}

static struct reader *reader_of(const struct fuse_file_info *info)
{
    return (struct reader *)(uintptr_t)info->fh;
}

static int describe(struct tree *tree, const struct node *node, struct fuse_entry_param *entry)
{
    const struct fuse_entry_param nothing = {.attr_timeout = keep, .entry_timeout = keep};

    *entry = nothing;
    entry->ino = node->number;
    return tree_status(tree, node, &entry->attr);
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct node folder = tree_node(tree_of(request), parent), found;
    struct fuse_entry_param entry;
    int status = tree_find(tree_of(request), &folder, name, &found);

    if (status == 0)
        status = describe(tree_of(request), &found, &entry);
    if (status == 0)
        fuse_reply_entry(request, &entry);
    else
        fuse_reply_err(request, status);
}

static void on_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
    struct node node = tree_node(tree_of(request), number);
    struct stat attributes;
    int status = tree_status(tree_of(request), &node, &attributes);

    (void)info;
    if (status == 0)
        fuse_reply_attr(request, &attributes, keep);
    else
        fuse_reply_err(request, status);
}

/* ---- folders ---- */

/* The file with what a node shows. */
static const char *file_of(const struct tree *tree, const struct node *node)
{
    const struct scion_container *container = tree->input->container;
    int file = 0, index;

    if (node->kind != NODE_ROOT && node->kind != NODE_META && node->kind != NODE_KEYS &&
        node->kind != NODE_NONE)
        scion_container_locate(container, node->task, &file, &index);
    return scion_container_file(container, file)->path;
}

static void on_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
    struct node node = tree_node(tree_of(request), number);
    int status =
        node_is_folder(&node) ? caller_check(request, file_of(tree_of(request), &node)) : ENOTDIR;

    if (status != 0) {
        fuse_reply_err(request, status);
        return;
    }
    info->cache_readdir = 1;
    info->keep_cache = 1;
    fuse_reply_open(request, info);
}

/* "." and "..", which stand first; a folder's parent need not be known. */
static void dot_entry(const struct node *folder, off_t n, struct entry *entry)
{
    entry->node = *folder;
    strcpy(entry->name, n == 0 ? "." : "..");
}

static int is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Add an entry to what the kernel gets; returns the bytes that it takes. With attributes on wish.
 */
static size_t add_entry(fuse_req_t request, char *to, size_t room, const struct entry *entry,
                        off_t next, int with_attributes)
{
    struct fuse_entry_param param;
    const struct fuse_entry_param nothing = {0};

    if (!with_attributes) {
        struct stat attributes = {.st_ino = (ino_t)entry->node.number,
                                  .st_mode = node_type(&entry->node)};

        return fuse_add_direntry(request, to, room, entry->name, &attributes, next);
    }
    if (describe(tree_of(request), &entry->node, &param) != 0)
        param = nothing; /* number 0: the kernel asks again */
    param.attr.st_ino = (ino_t)entry->node.number;
    if (is_dot(entry->name))
        param.ino = 0; /* these two are not looked up */
    return fuse_add_direntry_plus(request, to, room, entry->name, &param, next);
}

static int fill(fuse_req_t request, const struct node *folder, char *to, size_t room, off_t n,
                int with_attributes, size_t *used)
{
    struct entry entry;
    sion_int64 place = n > 2 ? n - 2 : 0;
    size_t bytes;
    int status;

    for (*used = 0;; *used += bytes) {
        if (n < 2)
            dot_entry(folder, n, &entry);
        else if ((status = tree_entry(tree_of(request), folder, &place, &entry)) != 0)
            return status == ENOENT || *used > 0 ? 0 : status;
        n = n < 2 ? n + 1 : place + 2;
        bytes = add_entry(request, to + *used, room - *used, &entry, n, with_attributes);
        if (bytes > room - *used)
            return 0;
    }
}

static void read_folder(fuse_req_t request, fuse_ino_t number, size_t room, off_t from,
                        int with_attributes)
{
    struct node folder = tree_node(tree_of(request), number);
    char *buffer = malloc(room);
    size_t used = 0;
    int status =
        buffer ? fill(request, &folder, buffer, room, from, with_attributes, &used) : ENOMEM;

    if (status == 0)
        fuse_reply_buf(request, buffer, used);
    else
        fuse_reply_err(request, status);
    free(buffer);
}

static void on_readdir(fuse_req_t request, fuse_ino_t number, size_t room, off_t from,
                       struct fuse_file_info *info)
{
    (void)info;
    read_folder(request, number, room, from, 0);
}

static void on_readdirplus(fuse_req_t request, fuse_ino_t number, size_t room, off_t from,
                           struct fuse_file_info *info)
{
    (void)info;
    read_folder(request, number, room, from, 1);
}

/* ---- files ---- */

static void on_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
    struct node node = tree_node(tree_of(request), number);
    struct reader *reader = NULL;
    int status = node_is_folder(&node)    ? EISDIR
                 : node.kind == NODE_NONE ? EIO
                 : (info->flags & O_ACCMODE) != O_RDONLY
                     ? EROFS
                     : caller_check(request, file_of(tree_of(request), &node));

    if (status == 0)
        status = reader_open(tree_of(request), &node, &reader);
    if (status != 0) {
        fuse_reply_err(request, status);
        return;
    }
    info->fh = (uintptr_t)reader;
    info->keep_cache = 1;
    if (fuse_reply_open(request, info) != 0)
        reader_close(reader); /* who asked has gone */
}

static void on_readlink(fuse_req_t request, fuse_ino_t number)
{
    struct node node = tree_node(tree_of(request), number);
    char target[SCION_PACK_PATH];
    int status = node.kind == NODE_FILE ? files_target(tree_of(request), &node, target) : EINVAL;

    if (status == 0)
        fuse_reply_readlink(request, target);
    else
        fuse_reply_err(request, status);
}

static void on_release(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
    (void)number;
    reader_close(reader_of(info));
    fuse_reply_err(request, 0);
}

static void on_read(fuse_req_t request, fuse_ino_t number, size_t bytes, off_t from,
                    struct fuse_file_info *info)
{
    char *buffer = malloc(bytes);
    size_t got = 0;
    int status = buffer ? reader_read(reader_of(info), from, buffer, bytes, &got) : ENOMEM;

    (void)number;
    if (status == 0)
        fuse_reply_buf(request, buffer, got);
    else
        fuse_reply_err(request, status);
    free(buffer);
}

static void on_lseek(fuse_req_t request, fuse_ino_t number, off_t from, int whence,
                     struct fuse_file_info *info)
{
    sion_int64 found;
    int status = reader_seek(reader_of(info), from, whence, &found);

    (void)number;
    if (status == 0)
        fuse_reply_lseek(request, found);
    else
        fuse_reply_err(request, status);
}

static void on_statfs(fuse_req_t request, fuse_ino_t number)
{
    const struct tree *tree = tree_of(request);
    const struct input *input = tree->input;
    sion_int64 files = tree->files ? files_count(tree) + 1 : (sion_int64)input->ntasks + 2;
    const struct statvfs status = {.f_bsize = 512,
                                   .f_frsize = 512,
                                   .f_blocks = (fsblkcnt_t)(input->total / 512 + 1),
                                   .f_files = (fsfilcnt_t)files,
                                   .f_namemax = NODE_NAME - 1};

    (void)number;
    fuse_reply_statfs(request, &status);
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = on_lookup,
    .getattr = on_getattr,
    .opendir = on_opendir,
    .readdir = on_readdir,
    .readdirplus = on_readdirplus,
    .open = on_open,
    .readlink = on_readlink,
    .release = on_release,
    .read = on_read,
    .lseek = on_lseek,
    .statfs = on_statfs,
};

/* ---- the session ---- */

static void on_message(enum fuse_log_level level, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* What libfuse says, perhaps in pieces, as lines of ours. Before there are threads, mostly. */
static void on_message(enum fuse_log_level level, const char *format, va_list arguments)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const char library[] = "fuse: ";
    static char line[1024];
    size_t used;

    (void)level;
    pthread_mutex_lock(&lock);
    used = strlen(line);
    vsnprintf(line + used, sizeof line - used, format, arguments);
    used = strlen(line);
    if (used + 1 == sizeof line || (used > 0 && line[used - 1] == '\n')) {
        line[strcspn(line, "\n")] = '\0';
        used = strncmp(line, library, strlen(library)) == 0 ? strlen(library) : 0;
        tool_error("%s", line + used);
        line[0] = '\0';
    }
    pthread_mutex_unlock(&lock);
}

static int loop(struct fuse_session *session, int foreground)
{
    struct fuse_loop_config config = {.clone_fd = 0, .max_idle_threads = 10};

    if (fuse_daemonize(foreground) != 0) {
        tool_error("cannot go into the background: %s", strerror(errno));
        return TOOL_FAILED;
    }
    if (fuse_set_signal_handlers(session) != 0)
        return TOOL_FAILED;
    /* Above 0 is the signal that asked for the end. */
    return fuse_session_loop_mt(session, &config) < 0 ? TOOL_FAILED : TOOL_DONE;
}

static int mount_and_loop(struct fuse_session *session, const char *folder, int foreground)
{
    int status;

    if (fuse_session_mount(session, folder) != 0)
        return TOOL_FAILED; /* it has said why */
    status = loop(session, foreground);
    fuse_remove_signal_handlers(session);
    fuse_session_unmount(session);
    return status;
}

/* The container stands in the list of mounts. What the user says comes after, and wins. */
static int set_options(struct fuse_args *args, const struct tree *tree, const char *options)
{
    char *all = NULL, *source = NULL;
    int failed = asprintf(&source, "fsname=%s", tree->input->name) < 0;

    failed = failed || fuse_opt_add_opt(&all, "ro,default_permissions,subtype=sion") != 0 ||
             fuse_opt_add_opt_escaped(&all, source) != 0 ||
             (options && fuse_opt_add_opt(&all, options) != 0) ||
             fuse_opt_add_arg(args, "sionmount") != 0 || fuse_opt_add_arg(args, "-o") != 0 ||
             fuse_opt_add_arg(args, all) != 0;
    free(source);
    free(all);
    return failed ? TOOL_FAILED : TOOL_RUN;
}

int serve(struct tree *tree, const char *folder, const char *options, int foreground)
{
    struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
    struct fuse_session *session = NULL;
    int status;

    status = caller_check_options(options);
    if (status != TOOL_RUN)
        return status;
    fuse_set_log_func(on_message);
    status = set_options(&args, tree, options);
    if (status == TOOL_RUN)
        session = fuse_session_new(&args, &operations, sizeof operations, tree);
    else
        tool_error("out of memory");
    fuse_opt_free_args(&args);
    if (!session)
        return TOOL_FAILED; /* it has said why */
    status = mount_and_loop(session, folder, foreground);
    fuse_session_destroy(session);
    return status;
}
