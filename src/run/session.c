#include "run/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run/match.h"
#include "run/native.h"
#include "run/owners.h"

static const char magic[8] = "SIONRUN";

enum { FORMAT = 3, LARGEST = 1 << 24 };

/* ---- making ---- */

/* Write all bytes to a new file. */
static int write_new(const char *path, const void *bytes, size_t size)
{
    int fd = native_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    size_t done = 0;
    ssize_t n = 0;

    while (fd >= 0 && done < size && n >= 0) {
        n = write(fd, (const char *)bytes + done, size - done);
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd < 0)
        return -1;
    return native_close(fd) == 0 && n >= 0 ? 0 : -1;
}

/* Put a string at *at, if there is memory; returns its offset. */
static uint32_t put(char *memory, size_t *at, const char *text)
{
    size_t size = strlen(text) + 1, offset = *at;

    if (memory)
        memcpy(memory + offset, text, size);
    *at += size;
    return (uint32_t)offset;
}

int scion_session_tree(const char *folder, char *to, size_t room)
{
    const char *slash = strrchr(folder, '/');
    int n = snprintf(to, room, "%s/tree.%s", folder, slash ? slash + 1 : folder);

    return n >= 0 && (size_t)n < room;
}

/* Fills the head, if there is memory for it and the strings; returns the size of both. */
static size_t lay_out(const char *tree_path, const struct scion_run_plan *plan, char *memory)
{
    static const struct scion_run_head none;
    struct scion_run_head *head = (struct scion_run_head *)(void *)memory;
    size_t size = sizeof none, offset;
    uint32_t i, list, root = put(memory, &size, plan->root),
                      real = put(memory, &size, plan->root_real),
                      tree = put(memory, &size, tree_path);

    for (list = 0; list < SCION_RUN_LISTS; list++) {
        for (offset = size, i = 0; plan->list[list] && plan->list[list][i]; i++)
            put(memory, &size, plan->list[list][i]);
        if (head) {
            head->list[list] = (uint32_t)offset;
            head->count[list] = i;
        }
    }
    if (head) {
        memcpy(head->magic, magic, sizeof magic);
        head->version = FORMAT;
        head->bytes = sizeof *head;
        head->size = size;
        head->root = root;
        head->root_real = real;
        head->tree = tree;
        head->has_input = plan->has_input != 0;
    }
    return size;
}

static int make_parts(const char *folder, const char *tree, const struct scion_run_plan *plan)
{
    char path[PATH_MAX];

    if (native_mkdir(tree, 0700) != 0)
        return -1;
    sprintf(path, "%s/new", folder);
    if (native_mkdir(path, 0700) != 0)
        return -1;
    if (scion_owners_make(folder) != 0)
        return -1;
    sprintf(path, "%s/notify", folder);
    return plan->list[SCION_RUN_WHEN] && plan->list[SCION_RUN_WHEN][0] ? mkfifo(path, 0600) : 0;
}

int scion_session_create(const char *folder, const struct scion_run_plan *plan)
{
    char path[PATH_MAX], final[PATH_MAX], *memory;
    size_t size = 0;
    int rc = -1;

    if (strlen(folder) + 16 <= sizeof path && scion_session_tree(folder, path, sizeof path))
        size = lay_out(path, plan, NULL);
    if (size == 0 || size > LARGEST) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memory = calloc(1, size);
    if (!memory)
        return -1;
    lay_out(path, plan, memory);
    if (make_parts(folder, path, plan) == 0) {
        sprintf(path, "%s/.session", folder);
        sprintf(final, "%s/session", folder);
        rc = write_new(path, memory, size);
    }
    free(memory);
    return rc == 0 ? native_rename(path, final) : -1;
}

/* ---- opening ---- */

static int damaged(void)
{
    errno = EBADMSG;
    return -1;
}

/* Whether `count` strings stand at an offset. */
static int has_strings(const struct scion_run_head *head, uint64_t offset, uint32_t count)
{
    const char *text = (const char *)head;

    for (; count > 0 && offset >= head->bytes && offset < head->size; count--)
        offset += strlen(text + offset) + 1;
    return count == 0;
}

/* The file ends in a NUL, so every string in it has an end. */
static int check(const struct scion_run_head *head, size_t size)
{
    int list;

    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return damaged();
    if (head->version != FORMAT || head->bytes != sizeof *head) {
        errno = EPROTONOSUPPORT;
        return -1;
    }
    if (head->size != size || ((const char *)head)[size - 1] != '\0' ||
        !has_strings(head, head->root, 1) || !has_strings(head, head->root_real, 1) ||
        !has_strings(head, head->tree, 1))
        return damaged();
    for (list = 0; list < SCION_RUN_LISTS; list++) {
        if (!has_strings(head, head->list[list], head->count[list]))
            return damaged();
    }
    return 0;
}

static void *map(const char *path, size_t *size)
{
    struct stat status;
    int fd = native_open(path, O_RDWR, 0), why;
    void *memory = MAP_FAILED;

    if (fd < 0)
        return MAP_FAILED;
    errno = EBADMSG;
    if (native_fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size > (off_t)sizeof(struct scion_run_head) && status.st_size <= LARGEST) {
        *size = (size_t)status.st_size;
        memory = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    why = errno;
    native_close(fd);
    errno = why;
    return memory;
}

static int take(const char *folder, struct scion_session *session)
{
    const char *text = (const char *)session->head;
    char tree[PATH_MAX];

    session->root = text + session->head->root;
    session->root_real = text + session->head->root_real;
    session->root_length = strlen(session->root);
    session->real_length = strlen(session->root_real);
    session->tree = text + session->head->tree;
    session->tree_length = strlen(session->tree);
    session->folder_length = strlen(folder);
    if (!scion_session_tree(folder, tree, sizeof tree) || strcmp(session->tree, tree) != 0)
        return damaged(); /* it was moved */
    if (session->root[0] != '/' || session->root_real[0] != '/')
        return damaged();
    session->is_beneath = scion_beneath(session->root, session->root_length, folder) ||
                          scion_beneath(session->root_real, session->real_length, folder);
    return 0;
}

int scion_session_open(const char *folder, struct scion_session *session)
{
    char path[PATH_MAX];
    size_t size;
    void *memory;
    int why;

    *session = (struct scion_session){0};
    if (folder[0] != '/' || strlen(folder) + 16 > sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    sprintf(path, "%s/session", folder);
    memory = map(path, &size);
    if (memory == MAP_FAILED)
        return -1;
    session->head = memory;
    if (check(session->head, size) != 0 || take(folder, session) != 0) {
        why = errno;
        munmap(memory, size);
        session->head = NULL;
        errno = why;
        return -1;
    }
    return 0;
}

void scion_session_close(struct scion_session *session)
{
    if (session->head)
        munmap(session->head, (size_t)session->head->size); /* as it was mapped */
    session->head = NULL;
}

/* ---- questions ---- */

const char *scion_session_inside(const struct scion_session *session, const char *path)
{
    const char *inside = scion_beneath(session->root, session->root_length, path);

    if (!inside)
        inside = scion_beneath(session->root_real, session->real_length, path);
    if (inside && session->is_beneath && scion_beneath(session->tree, session->folder_length, path))
        return NULL;
    return inside;
}

const char *scion_session_pattern(const struct scion_session *session, enum scion_run_list list,
                                  uint32_t i)
{
    const char *text = (const char *)session->head + session->head->list[list];

    for (; i > 0; i--)
        text += strlen(text) + 1;
    return text;
}

static int is_listed(const struct scion_session *session, enum scion_run_list list,
                     const char *path)
{
    const char *text = (const char *)session->head + session->head->list[list];
    uint32_t i;

    for (i = 0; i < session->head->count[list]; i++, text += strlen(text) + 1) {
        if (scion_match(text, path))
            return 1;
    }
    return 0;
}

int scion_session_redirects(const struct scion_session *session, const char *path)
{
    return *path && is_listed(session, SCION_RUN_FILES, path) &&
           !is_listed(session, SCION_RUN_EXCEPT, path);
}

int scion_session_tells(const struct scion_session *session, const char *path)
{
    return is_listed(session, SCION_RUN_WHEN, path);
}

size_t scion_session_relative(const char *root, const char *root_real, const char *pattern,
                              char *to, size_t room)
{
    char path[PATH_MAX];
    enum scion_path_end end;
    const char *inside;
    size_t length;

    if (scion_lexical(root, pattern, path, sizeof path, &end) == 0)
        return 0;
    inside = scion_beneath(root, strlen(root), path);
    if (!inside)
        inside = scion_beneath(root_real, strlen(root_real), path);
    length = inside ? strlen(inside) : 0;
    if (length == 0 || length >= room)
        return 0;
    memcpy(to, inside, length + 1);
    return length;
}
