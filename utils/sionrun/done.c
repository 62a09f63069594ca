#include "sionrun/done.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/error.h"
#include "base/memory.h"
#include "lib/tool.h"
#include "vfs/path.h"

/* What is compared. It is stored as it is in memory: only this node reads it. */
struct state {
    int64_t seconds, nanoseconds, size;
    uint32_t mode, length; /* of the path, which follows */
};

struct done {
    struct state state;
    UT_hash_handle hh;
    char path[];
};

static int out_of_memory(void)
{
    tool_error("out of memory for names of files");
    return TOOL_FAILED;
}

static int set(struct done_list *list, const char *path, size_t length, const struct state *state)
{
    struct done *done;

    HASH_FIND(hh, list->files, path, length, done);
    if (!done) {
        done = calloc(1, sizeof *done + length + 1);
        if (!done)
            return out_of_memory();
        memcpy(done->path, path, length);
        HASH_ADD_KEYPTR(hh, list->files, done->path, length, done);
    }
    done->state = *state;
    done->state.length = (uint32_t)length;
    return TOOL_RUN;
}

/* ---- the file ---- */

static int decode(struct done_list *list, const char *text, size_t bytes)
{
    size_t at = 0;
    struct state state;
    int status = TOOL_RUN;

    while (at < bytes && status == TOOL_RUN) {
        if (bytes - at < sizeof state)
            return TOOL_FAILED;
        memcpy(&state, text + at, sizeof state);
        at += sizeof state;
        if (state.length > bytes - at)
            return TOOL_FAILED;
        status = set(list, text + at, state.length, &state);
        at += state.length;
    }
    return status;
}

int done_read(struct done_list *list, const char *path)
{
    struct scion_file *file;
    sion_int64 size = 0;
    char *text = NULL;
    int rc;

    *list = (struct done_list){0};
    if (!scion_path_is_taken(path))
        return TOOL_RUN;
    rc = scion_file_open(path, SCION_OPEN_READ, 0, &file);
    if (rc == 0) {
        rc = scion_file_size(file, &size);
        text = rc == 0 ? malloc((size_t)size + 1) : NULL;
        if (rc == 0)
            rc = text ? scion_file_read(file, text, (size_t)size, 0) : scion_fail_memory(path);
        scion_file_close(file);
    }
    if (rc != 0)
        tool_error("%s", scion_error_text());
    else if (decode(list, text, (size_t)size) != TOOL_RUN)
        rc = scion_fail(SION_ERR_DAMAGED, "%s is damaged", path);
    free(text);
    return rc == 0 ? TOOL_RUN : TOOL_FAILED;
}

int done_write(const struct done_list *list, const char *path)
{
    size_t bytes = 0, at = 0;
    struct done *done, *next;
    char *text;
    int rc;

    HASH_ITER(hh, list->files, done, next)
    bytes += sizeof done->state + done->state.length;
    text = malloc(bytes + 1);
    if (!text)
        return out_of_memory();
    HASH_ITER(hh, list->files, done, next)
    {
        memcpy(text + at, &done->state, sizeof done->state);
        at += sizeof done->state;
        memcpy(text + at, done->path, done->state.length);
        at += done->state.length;
    }
    rc = scion_replace_whole(path, text, bytes);
    free(text);
    if (rc == 0)
        return TOOL_RUN;
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

void done_free(struct done_list *list)
{
    struct done *done, *next;

    HASH_ITER(hh, list->files, done, next)
    {
        HASH_DEL(list->files, done);
        free(done);
    }
}

/* ---- its files ---- */

int done_has(const struct done_list *list, const char *path, const struct stat *status)
{
    struct done *done;

    HASH_FIND(hh, list->files, path, strlen(path), done);
    return done && done->state.mode == (uint32_t)(status->st_mode & 07777) &&
           (S_ISDIR(status->st_mode) ||
            (done->state.seconds == status->st_mtim.tv_sec &&
             done->state.nanoseconds == status->st_mtim.tv_nsec &&
             (!S_ISREG(status->st_mode) || done->state.size == status->st_size)));
}

int done_add(struct done_list *list, const struct scion_pack_list *packed)
{
    size_t i;
    int status = TOOL_RUN;

    for (i = 0; i < packed->count && status == TOOL_RUN; i++) {
        const struct scion_pack_entry *entry = &packed->entries[i];
        const struct state state = {.seconds = entry->mtime,
                                    .nanoseconds = entry->mtime_ns,
                                    .size = entry->size,
                                    .mode = entry->mode};

        status = set(list, entry->path, strlen(entry->path), &state);
    }
    return status;
}
