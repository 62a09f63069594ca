#include "pack/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pack/tar.h"

struct scion_packed {
    struct scion_pack_streams streams;
    struct scion_index *index;   /* or NULL: */
    struct scion_pack_list list; /* what the headers say */
    int is_incomplete;
};

static sion_int64 bytes_of(const struct scion_packed *packed, int task)
{
    return packed->streams.bytes(packed->streams.context, task);
}

static int read_stream(const struct scion_packed *packed, int task, void *to, size_t bytes,
                       sion_int64 pos)
{
    return packed->streams.read(packed->streams.context, task, to, bytes, pos);
}

/* ---- the streams, header by header ---- */

struct one_stream {
    const struct scion_packed *packed;
    int task;
};

static int read_one(void *context, void *to, size_t bytes, sion_int64 offset)
{
    const struct one_stream *stream = context;

    return read_stream(stream->packed, stream->task, to, bytes, offset);
}

/* What is before the damage of a tar is listed. */
static int scan(struct scion_packed *packed, int task, struct scion_tar_reader *reader)
{
    struct one_stream stream = {packed, task};
    const struct scion_pack_source source = {.read = read_one, .context = &stream};
    const struct scion_pack_entry *entry;
    int rc;

    scion_tar_open(reader, &source, bytes_of(packed, task), task);
    while ((rc = scion_tar_next(reader, &entry)) == 0 && entry) {
        rc = scion_pack_list_add(&packed->list, entry);
        if (rc != 0)
            return rc;
    }
    if (rc == SION_ERR_MEMORY)
        return rc;
    if (rc != 0) {
        scion_warn("%s; the files behind it are left out", scion_error_text());
        packed->is_incomplete = 1;
    }
    return 0;
}

static int scan_all(struct scion_packed *packed)
{
    struct scion_tar_reader *reader = malloc(sizeof *reader);
    int task, rc = reader ? 0 : scion_fail_memory("tar header");

    for (task = 0; task < packed->streams.ntasks && rc == 0; task++) {
        if (bytes_of(packed, task) < 0)
            packed->is_incomplete = 1;
        else
            rc = scan(packed, task, reader);
    }
    free(reader);
    if (rc == 0)
        scion_pack_list_sort(&packed->list);
    return rc;
}

/* Whether all streams that can be read, and one at least, begin as tars do. */
static int are_tars(const struct scion_packed *packed)
{
    unsigned char header[SCION_TAR_BLOCK];
    int task, tars = 0;

    for (task = 0; task < packed->streams.ntasks; task++) {
        sion_int64 bytes = bytes_of(packed, task);

        if (bytes <= 0)
            continue;
        if (bytes < SCION_TAR_BLOCK || read_stream(packed, task, header, sizeof header, 0) != 0 ||
            !scion_tar_is_header(header))
            return 0;
        tars++;
    }
    return tars > 0;
}

/* ---- open ---- */

/* *damaged: there is an index, and why it is not used has been said. */
static int open_index(struct scion_packed *packed, int *damaged)
{
    const struct scion_pack_streams *streams = &packed->streams;
    struct scion_index_key key = {0};
    int task, rc;

    for (task = 0; task < streams->ntasks; task++)
        scion_index_key_add(&key, bytes_of(packed, task));
    rc = scion_index_open(&streams->file, streams->file_size, &key, &packed->index);
    *damaged = rc != 0;
    if (rc == 0 || rc == SION_ERR_MEMORY)
        return rc;
    scion_warn("%s; the tars are read instead", scion_error_text());
    return 0;
}

int scion_packed_open(const struct scion_pack_streams *streams, struct scion_packed **packed)
{
    struct scion_packed *new = calloc(1, sizeof *new);
    int damaged = 0, rc = new ? 0 : scion_fail_memory("packed files");

    *packed = NULL;
    if (rc != 0)
        return rc;
    new->streams = *streams;
    rc = open_index(new, &damaged);
    if (rc == 0 && !new->index && !damaged && !are_tars(new)) {
        scion_packed_close(new);
        return 0;
    }
    if (rc == 0 && !new->index)
        rc = scan_all(new);
    if (rc != 0)
        scion_packed_close(new);
    else
        *packed = new;
    return rc;
}

void scion_packed_close(struct scion_packed *packed)
{
    if (!packed)
        return;
    scion_index_close(packed->index);
    scion_pack_list_free(&packed->list);
    free(packed);
}

int scion_packed_is_incomplete(const struct scion_packed *packed)
{
    return packed->is_incomplete;
}

int scion_packed_is_indexed(const struct scion_packed *packed)
{
    return packed->index != NULL;
}

sion_int64 scion_packed_count(const struct scion_packed *packed)
{
    return packed->index ? scion_index_count(packed->index) : (sion_int64)packed->list.count;
}

/* ---- cursors ---- */

void scion_packed_begin(struct scion_packed *packed, struct scion_packed_cursor *cursor)
{
    cursor->packed = packed;
    cursor->next = 0;
    scion_index_cursor_begin(packed->index, &cursor->in_index);
}

void scion_packed_end(struct scion_packed_cursor *cursor)
{
    scion_index_cursor_end(&cursor->in_index);
}

static void search_list(struct scion_packed_cursor *cursor, const char *path, int is_after)
{
    const struct scion_pack_list *list = &cursor->packed->list;
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (scion_pack_is_before(list->entries[middle].path, path, is_after))
            low = middle + 1;
        else
            high = middle;
    }
    cursor->next = low;
}

int scion_packed_seek(struct scion_packed_cursor *cursor, const char *path)
{
    if (cursor->packed->index)
        return scion_index_seek(&cursor->in_index, path);
    search_list(cursor, path, 0);
    return 0;
}

int scion_packed_skip(struct scion_packed_cursor *cursor, const char *path)
{
    if (cursor->packed->index)
        return scion_index_skip(&cursor->in_index, path);
    search_list(cursor, path, 1);
    return 0;
}

int scion_packed_next(struct scion_packed_cursor *cursor, const struct scion_pack_entry **entry)
{
    const struct scion_pack_list *list = &cursor->packed->list;

    if (cursor->packed->index)
        return scion_index_next(&cursor->in_index, entry);
    *entry = cursor->next < list->count ? &list->entries[cursor->next++] : NULL;
    return 0;
}

int scion_packed_find(struct scion_packed_cursor *cursor, const char *path,
                      const struct scion_pack_entry **entry, int *is_folder)
{
    int rc = scion_packed_seek(cursor, path);

    if (rc == 0)
        rc = scion_packed_next(cursor, entry);
    if (rc != 0)
        return rc;
    *is_folder = path[0] == '\0' || (*entry && scion_pack_is_below((*entry)->path, path));
    if (!*entry || strcmp((*entry)->path, path) != 0)
        *entry = NULL;
    else
        *is_folder = (*entry)->type == SCION_PACK_FOLDER;
    return 0;
}

sion_int64 scion_packed_number(const struct scion_packed_cursor *cursor)
{
    return cursor->packed->index ? scion_index_number(&cursor->in_index) : (sion_int64)cursor->next;
}

int scion_packed_go(struct scion_packed_cursor *cursor, sion_int64 number)
{
    size_t count = cursor->packed->list.count;

    if (cursor->packed->index)
        return scion_index_go(&cursor->in_index, number);
    cursor->next = number < (sion_int64)count ? (size_t)number : count;
    return 0;
}

static void unread(struct scion_packed_cursor *cursor)
{
    if (cursor->packed->index)
        scion_index_unread(&cursor->in_index);
    else
        cursor->next--;
}

/* Entries of the folder itself, and those that no folder can show. */
static int is_passed(const struct scion_pack_entry *entry, const char *folder)
{
    return strcmp(entry->path, folder) == 0 || !scion_pack_is_clean(entry->path);
}

/* Behind all that is below a path: mostly that is where the cursor is. */
static int leave(struct scion_packed_cursor *cursor, const char *path)
{
    const struct scion_pack_entry *next;
    int rc = scion_packed_next(cursor, &next);

    if (rc != 0 || !next)
        return rc;
    if (scion_pack_is_below(next->path, path))
        return scion_packed_skip(cursor, path);
    unread(cursor);
    return 0;
}

int scion_packed_child(struct scion_packed_cursor *cursor, const char *folder,
                       struct scion_packed_child *child)
{
    char path[SCION_PACK_PATH];
    const struct scion_pack_entry *entry;
    size_t begin = strlen(folder) + (folder[0] != '\0'), length;
    int rc;

    child->name[0] = '\0';
    do {
        child->number = scion_packed_number(cursor);
        rc = scion_packed_next(cursor, &entry);
    } while (rc == 0 && entry && is_passed(entry, folder));
    if (rc != 0 || !entry || !scion_pack_is_below(entry->path, folder))
        return rc;
    length = strcspn(entry->path + begin, "/");
    memcpy(child->name, entry->path + begin, length);
    child->name[length] = '\0';
    child->is_implied = entry->path[begin + length] != '\0';
    child->type = child->is_implied ? SCION_PACK_FOLDER : entry->type;
    memcpy(path, entry->path, begin + length);
    path[begin + length] = '\0';
    return leave(cursor, path);
}

/* ---- data ---- */

int scion_packed_read(const struct scion_packed *packed, const struct scion_pack_entry *entry,
                      void *to, size_t bytes, sion_int64 pos)
{
    sion_int64 all = bytes_of(packed, entry->task);

    if (all < entry->data || all - entry->data < entry->size || pos < 0 || pos > entry->size ||
        (sion_int64)bytes > entry->size - pos)
        return scion_fail(SION_ERR_DAMAGED, "%s is not in the stream of task %d", entry->path,
                          entry->task);
    return bytes > 0 ? read_stream(packed, entry->task, to, bytes, entry->data + pos) : 0;
}

/* Of an index that says what it was written with, the header is that of the writer, too. */
int scion_packed_check(const struct scion_packed *packed, const struct scion_pack_entry *entry)
{
    unsigned char wanted[SCION_TAR_HEAD_MOST], found[SCION_TAR_BLOCK];
    sion_int64 at = entry->data - SCION_TAR_BLOCK;
    int rc;

    if (!packed->index)
        return 0;
    if (at < 0 || bytes_of(packed, entry->task) < entry->data)
        return scion_fail(SION_ERR_DAMAGED, "%s is not in the stream of task %d", entry->path,
                          entry->task);
    rc = read_stream(packed, entry->task, found, sizeof found, at);
    if (rc != 0)
        return rc;
    scion_tar_encode(entry, wanted);
    return memcmp(found, wanted + scion_tar_head_size(entry) - SCION_TAR_BLOCK, sizeof found) == 0
               ? 0
               : scion_fail(SION_ERR_DAMAGED, "%s is not where the index says, in task %d",
                            entry->path, entry->task);
}
