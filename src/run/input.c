#include "run/input.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run/native.h"

static const char magic[8] = "SIONINP";

enum { FORMAT = 1 };

/* The file: this, the entries, a table of their numbers by hash, extents, sources, strings. */
struct scion_input_head {
    char magic[8];
    uint32_t version;
    uint32_t n, nsources, nextents;
    uint64_t slots;   /* of the table, a power of two */
    uint64_t strings; /* offset of the first one; the file ends with the last one's NUL */
    uint64_t size;
};

struct stored {
    uint64_t path, target; /* offsets of strings in the file */
    uint64_t size;
    int64_t seconds, nanoseconds;
    uint32_t mode;
    uint32_t extent, nextents; /* the first one */
    uint32_t end;
    char type, unused[7];
};

static const uint32_t none = UINT32_MAX;

/* ---- places in the file ---- */

static const struct stored *entries_of(const struct scion_input_head *head)
{
    return (const struct stored *)(head + 1);
}

static const uint64_t *table_of(const struct scion_input_head *head)
{
    return (const uint64_t *)(entries_of(head) + head->n);
}

static const struct scion_input_extent *extents_of(const struct scion_input_head *head)
{
    return (const struct scion_input_extent *)(table_of(head) + head->slots);
}

static const uint64_t *sources_of(const struct scion_input_head *head)
{
    return (const uint64_t *)(extents_of(head) + head->nextents);
}

static const char *string_at(const struct scion_input_head *head, uint64_t offset)
{
    return (const char *)head + offset;
}

static uint64_t hash(const char *path)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *path; path++)
        h = (h ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

int scion_input_compare(const char *left, const char *right)
{
    for (; *left == *right; left++, right++) {
        if (!*left)
            return 0;
    }
    if (!*left || !*right)
        return *left ? 1 : -1;
    if (*left == '/' || *right == '/')
        return *left == '/' ? -1 : 1;
    return (unsigned char)*left < (unsigned char)*right ? -1 : 1;
}

/* ---- making ---- */

/* A map while it is made. The strings of stored entries are offsets in `strings` until the end. */
struct making {
    struct stored *entries;
    size_t n, room;
    struct scion_input_extent *extents;
    size_t nextents, extent_room;
    char *strings;
    size_t length, string_room;
    uint32_t *open; /* folders that contain what comes next, the outermost first */
    size_t nopen, open_room;
};

/* Room for n more elements; 0, or -1 without memory. */
static int make_room(void *array, size_t *room, size_t used, size_t n, size_t size)
{
    void **pointer = array, *grown;
    size_t wanted = used + n > 2 * *room ? used + n : 2 * *room;

    if (used + n <= *room)
        return 0;
    grown = wanted > PTRDIFF_MAX / size ? NULL : realloc(*pointer, wanted * size);
    if (!grown) {
        errno = ENOMEM;
        return -1;
    }
    *pointer = grown;
    *room = wanted;
    return 0;
}

static int add_string(struct making *making, const char *text, size_t length, uint64_t *offset)
{
    if (make_room(&making->strings, &making->string_room, making->length, length + 1, 1) != 0)
        return -1;
    memcpy(making->strings + making->length, text, length);
    making->strings[making->length + length] = '\0';
    *offset = making->length;
    making->length += length + 1;
    return 0;
}

static int add(struct making *making, const struct scion_input_entry *entry, size_t length)
{
    struct stored stored = {.size = entry->size,
                            .seconds = entry->seconds,
                            .nanoseconds = entry->nanoseconds,
                            .mode = entry->mode,
                            .type = entry->type,
                            .extent = (uint32_t)making->nextents,
                            .nextents = entry->nextents};

    if (make_room(&making->entries, &making->room, making->n, 1, sizeof stored) != 0 ||
        make_room(&making->extents, &making->extent_room, making->nextents, entry->nextents,
                  sizeof *making->extents) != 0 ||
        make_room(&making->open, &making->open_room, making->nopen, 1, sizeof *making->open) != 0 ||
        add_string(making, entry->path, length, &stored.path) != 0 ||
        add_string(making, entry->target, strlen(entry->target), &stored.target) != 0)
        return -1;
    if (entry->nextents > 0)
        memcpy(making->extents + making->nextents, entry->extents,
               entry->nextents * sizeof *making->extents);
    making->nextents += entry->nextents;
    if (entry->type == 'd')
        making->open[making->nopen++] = (uint32_t)making->n;
    making->entries[making->n++] = stored;
    return 0;
}

/* Close the folders that do not contain a path. */
static void leave_folders(struct making *making, const char *path)
{
    while (making->nopen > 0) {
        struct stored *folder = &making->entries[making->open[making->nopen - 1]];
        const char *name = making->strings + folder->path;
        size_t length = strlen(name);

        if (path && strncmp(path, name, length) == 0 && path[length] == '/')
            return;
        folder->end = (uint32_t)making->n;
        making->nopen--;
    }
}

/* Add the folders of a path that are not in the list. */
static int enter_folders(struct making *making, const char *path)
{
    const struct scion_input_entry folder = {.path = path, .target = "", .type = 'd', .mode = 0755};
    const char *slash = path;

    if (making->nopen > 0)
        slash +=
            strlen(making->strings + making->entries[making->open[making->nopen - 1]].path) + 1;
    while ((slash = strchr(slash, '/')) != NULL) {
        if (add(making, &folder, (size_t)(slash - path)) != 0)
            return -1;
        slash++;
    }
    return 0;
}

static int is_good_path(const char *path)
{
    size_t n;

    for (;; path += n + 1) {
        n = strcspn(path, "/");
        if (n == 0 || (n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.'))
            return 0;
        if (!path[n])
            return 1;
    }
}

static int has_good_extents(const struct scion_input_entry *entry, uint32_t nsources)
{
    uint64_t at = 0;
    uint32_t i;

    for (i = 0; i < entry->nextents; i++) {
        const struct scion_input_extent *extent = &entry->extents[i];

        if (extent->at < at || extent->at > entry->size || extent->source >= nsources ||
            extent->bytes > entry->size - extent->at || extent->offset > INT64_MAX ||
            extent->bytes > INT64_MAX - extent->offset)
            return 0;
        at = extent->at + extent->bytes;
    }
    return entry->size <= INT64_MAX && (entry->type == 'f' || entry->nextents == 0);
}

/* Whether an entry may stand behind the one before it. */
static int follows(const struct scion_input_entry *before, const char *path)
{
    size_t length = strlen(before->path);
    int is_in = strncmp(before->path, path, length) == 0 && path[length] == '/';

    return scion_input_compare(before->path, path) < 0 && (!is_in || before->type == 'd');
}

static int collect(struct making *making, const struct scion_input_entry *entries, uint32_t n,
                   uint32_t nsources)
{
    uint32_t i;

    for (i = 0; i < n; i++) {
        const struct scion_input_entry *entry = &entries[i];

        if (!is_good_path(entry->path) || !strchr("fdlhp", entry->type) || !entry->type ||
            !has_good_extents(entry, nsources) ||
            (i > 0 && !follows(&entries[i - 1], entry->path))) {
            errno = EINVAL;
            return -1;
        }
        leave_folders(making, entry->path);
        if (enter_folders(making, entry->path) != 0 || add(making, entry, strlen(entry->path)) != 0)
            return -1;
    }
    leave_folders(making, NULL);
    if (making->n >= none || making->nextents >= none) {
        errno = EOVERFLOW;
        return -1;
    }
    return 0;
}

/* The table by hash: number + 1, or 0; the next slot if one is taken. */
static uint64_t *make_table(const struct making *making, uint64_t *slots)
{
    uint64_t *table, i, slot;

    for (*slots = 2; *slots < 2 * (uint64_t)making->n; *slots *= 2)
        ;
    table = calloc((size_t)*slots, sizeof *table);
    for (i = 0; table && i < making->n; i++) {
        slot = hash(making->strings + making->entries[i].path) & (*slots - 1);
        while (table[slot])
            slot = (slot + 1) & (*slots - 1);
        table[slot] = i + 1;
    }
    return table;
}

/* There may be none, at no address. */
static void put(const void *items, size_t size, size_t n, FILE *file)
{
    if (n > 0)
        fwrite(items, size, n, file);
}

static int write_parts(const char *path, const struct making *making, const uint64_t *table,
                       const uint64_t *sources, const struct scion_input_head *head)
{
    int fd = native_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (!file)
        return -1;
    put(head, sizeof *head, 1, file);
    put(making->entries, sizeof *making->entries, making->n, file);
    put(table, sizeof *table, (size_t)head->slots, file);
    put(making->extents, sizeof *making->extents, making->nextents, file);
    put(sources, sizeof *sources, head->nsources, file);
    put(making->strings, 1, making->length, file);
    fflush(file);
    if (ferror(file)) {
        int why = errno;

        fclose(file);
        errno = why;
        return -1;
    }
    return fclose(file);
}

/* Strings have their offsets in the file from here on. */
static void place_strings(struct making *making, uint64_t *sources, struct scion_input_head *head)
{
    size_t i;

    head->strings = sizeof *head + making->n * sizeof(struct stored) + head->slots * 8 +
                    making->nextents * sizeof(struct scion_input_extent) +
                    (uint64_t)head->nsources * 8;
    head->size = head->strings + making->length;
    for (i = 0; i < making->n; i++) {
        making->entries[i].path += head->strings;
        making->entries[i].target += head->strings;
    }
    for (i = 0; i < head->nsources; i++)
        sources[i] += head->strings;
}

static int write_map(const char *path, struct making *making, const char *const *names,
                     uint32_t nsources)
{
    struct scion_input_head head = {.version = FORMAT,
                                    .n = (uint32_t)making->n,
                                    .nsources = nsources,
                                    .nextents = (uint32_t)making->nextents};
    uint64_t *table = make_table(making, &head.slots);
    uint64_t *sources = calloc((size_t)nsources + 1, sizeof *sources);
    uint32_t i;
    int rc = table && sources ? 0 : -1;

    memcpy(head.magic, magic, sizeof magic);
    for (i = 0; i < nsources && rc == 0; i++)
        rc = add_string(making, names[i], strlen(names[i]), &sources[i]);
    if (rc == 0)
        rc = add_string(making, "", 0, &(uint64_t){0}); /* so that there is one */
    if (rc == 0) {
        place_strings(making, sources, &head);
        rc = write_parts(path, making, table, sources, &head);
    }
    free(table);
    free(sources);
    return rc;
}

/* So many zeros, in blocks of the file system: a hole could end a program on a full disk. */
static int write_zeros(const char *path, size_t bytes)
{
    static const char zeros[4096];
    int fd = native_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    ssize_t n = 0;

    if (fd < 0)
        return -1;
    for (; bytes > 0 && n >= 0; bytes -= (size_t)(n > 0 ? n : 0))
        n = write(fd, zeros, bytes < sizeof zeros ? bytes : sizeof zeros);
    return native_close(fd) == 0 && n >= 0 ? 0 : -1;
}

int scion_input_make(const char *folder, const char *const *sources, uint32_t nsources,
                     const struct scion_input_entry *entries, uint32_t n)
{
    char path[PATH_MAX];
    struct making making = {0};
    int rc = collect(&making, entries, n, nsources);

    if (rc == 0 && snprintf(path, sizeof path, "%s/input", folder) < (int)sizeof path - 8) {
        rc = write_map(path, &making, sources, nsources);
        snprintf(path, sizeof path, "%s/filled", folder);
        if (rc == 0)
            rc = write_zeros(path, making.n + 1);
    } else if (rc == 0) {
        errno = ENAMETOOLONG;
        rc = -1;
    }
    free(making.entries);
    free(making.extents);
    free(making.strings);
    free(making.open);
    return rc;
}

/* ---- reading ---- */

static void *map_file(const char *folder, const char *name, int flags, size_t *size)
{
    char path[PATH_MAX];
    struct stat status;
    void *memory = MAP_FAILED;
    int fd, why;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return MAP_FAILED;
    }
    fd = native_open(path, flags, 0);
    if (fd < 0)
        return MAP_FAILED;
    errno = EBADMSG;
    if (native_fstat(fd, &status) == 0 && status.st_size > 0) {
        *size = (size_t)status.st_size;
        memory = mmap(NULL, *size, flags == O_RDWR ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                      fd, 0);
    }
    why = errno;
    native_close(fd);
    errno = why;
    return memory;
}

/* The session's files are private, and made by the same version: this finds a file that was cut. */
static int is_whole(const struct scion_input_head *head, size_t size)
{
    return size > sizeof *head && memcmp(head->magic, magic, sizeof magic) == 0 &&
           head->version == FORMAT && head->size == size && head->strings < size &&
           ((const char *)head)[size - 1] == '\0';
}

int scion_input_open(const char *folder, struct scion_input *input)
{
    size_t filled = 0;
    void *memory = map_file(folder, "input", O_RDONLY, &input->size);

    if (memory == MAP_FAILED)
        return -1;
    input->head = memory;
    if (is_whole(input->head, input->size)) {
        input->n = input->head->n;
        memory = map_file(folder, "filled", O_RDWR, &filled);
        if (memory != MAP_FAILED && filled == (size_t)input->n + 1) {
            input->filled = memory;
            return 0;
        }
        if (memory != MAP_FAILED)
            munmap(memory, filled);
    }
    munmap((void *)(uintptr_t)input->head, input->size);
    *input = (struct scion_input){0};
    errno = EBADMSG;
    return -1;
}

void scion_input_close(struct scion_input *input)
{
    if (!input->head)
        return;
    munmap((void *)(uintptr_t)input->head, input->size);
    munmap(input->filled, (size_t)input->n + 1);
    *input = (struct scion_input){0};
}

uint32_t scion_input_find(const struct scion_input *input, const char *path)
{
    const struct scion_input_head *head = input->head;
    const uint64_t *table = table_of(head);
    uint64_t slot;

    if (!*path)
        return input->n;
    for (slot = hash(path) & (head->slots - 1); table[slot];
         slot = (slot + 1) & (head->slots - 1)) {
        uint32_t number = (uint32_t)(table[slot] - 1);

        if (strcmp(string_at(head, entries_of(head)[number].path), path) == 0)
            return number;
    }
    return none;
}

void scion_input_get(const struct scion_input *input, uint32_t number,
                     struct scion_input_entry *entry)
{
    const struct stored *stored = &entries_of(input->head)[number];

    *entry = (struct scion_input_entry){.path = string_at(input->head, stored->path),
                                        .target = string_at(input->head, stored->target),
                                        .type = stored->type,
                                        .mode = stored->mode,
                                        .seconds = stored->seconds,
                                        .nanoseconds = stored->nanoseconds,
                                        .size = stored->size,
                                        .extents = extents_of(input->head) + stored->extent,
                                        .nextents = stored->nextents,
                                        .end = stored->end};
}

const char *scion_input_source(const struct scion_input *input, uint32_t number)
{
    return string_at(input->head, sources_of(input->head)[number]);
}

static uint32_t end_of(const struct scion_input *input, uint32_t folder)
{
    return folder == input->n ? input->n : entries_of(input->head)[folder].end;
}

uint32_t scion_input_first(const struct scion_input *input, uint32_t folder)
{
    uint32_t first = folder == input->n ? 0 : folder + 1;

    return first < end_of(input, folder) ? first : none;
}

uint32_t scion_input_next(const struct scion_input *input, uint32_t folder, uint32_t number)
{
    const struct stored *stored = &entries_of(input->head)[number];
    uint32_t next = stored->type == 'd' ? stored->end : number + 1;

    return next < end_of(input, folder) ? next : none;
}
