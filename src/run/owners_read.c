#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/match.h"
#include "run/native.h"
#include "run/owners.h"
#include "run/owners_log.h"

struct scion_owner_event {
    uint64_t name, slot, value;
};

/* ---- reading ---- */

/* The first bytes of a file, and a NUL. NULL with errno. */
static char *read_file(const struct scion_session *session, const char *name, size_t bytes)
{
    char path[PATH_MAX], *memory;
    size_t done = 0;
    ssize_t n = 1;
    int fd;

    memcpy(path, session->tree, session->folder_length);
    strcpy(path + session->folder_length, name);
    fd = native_open(path, O_RDONLY, 0);
    if (fd < 0)
        return NULL;
    memory = malloc(bytes + 1);
    while (memory && done < bytes && n > 0) {
        n = pread(fd, memory + done, bytes - done, (off_t)done);
        done += n > 0 ? (size_t)n : 0;
    }
    native_close(fd);
    if (memory && done < bytes) {
        errno = n == 0 ? EBADMSG : errno;
        free(memory);
        return NULL;
    }
    if (memory)
        memory[bytes] = '\0';
    return memory;
}

static int by_name(const void *left, const void *right)
{
    const struct scion_owner_event *a = left, *b = right;

    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static void sort(struct scion_owner_event *events, size_t n)
{
    if (n > 1)
        qsort(events, n, sizeof *events, by_name);
}

static int how_of(const struct scion_owner_event *event)
{
    return (int)(event->value & 0xff);
}

/* The names of a move; NULL: not such. */
static const char *names_of(const struct scion_owners *owners,
                            const struct scion_owner_event *event, const char **to)
{
    uint64_t at = event->value >> 8;
    size_t length;

    *to = NULL;
    if (at >= owners->ntexts)
        return NULL;
    length = strlen(owners->texts + at) + 1;
    if (at + length >= owners->ntexts)
        return NULL;
    *to = owners->texts + at + length;
    return owners->texts + at;
}

static void take_move(struct scion_owners *owners, struct scion_owner_event event)
{
    const char *to, *from = names_of(owners, &event, &to);

    if (!from)
        return;
    owners->moved[owners->nmoved++] = event;
    owners->nfolders +=
        how_of(&event) == SCION_OWNER_FOLDER || how_of(&event) == SCION_OWNER_SWAPPED;
    if (how_of(&event) == SCION_OWNER_SWAPPED) {
        event.name = scion_name_hash(from, strlen(from));
        owners->moved[owners->nmoved++] = event;
    }
}

/* Those whose process did not write them are left out. */
static void take(struct scion_owners *owners, const struct scion_owner_slot *slots, size_t n)
{
    struct scion_owner_event event;
    size_t i;

    for (i = 0; i < n; i++) {
        event = (struct scion_owner_event){slots[i].name, i, slots[i].value};
        if (event.name == 0)
            continue;
        if (how_of(&event) <= SCION_OWNER_MIRRORED)
            owners->made[owners->nmade++] = event;
        else
            take_move(owners, event);
    }
    sort(owners->made, owners->nmade);
    sort(owners->moved, owners->nmoved);
}

static size_t at_most(uint64_t n, uint64_t most)
{
    return (size_t)(n < most ? n : most);
}

int scion_owners_read(const struct scion_session *session, struct scion_owners *owners)
{
    size_t n = at_most(atomic_load(&session->head->records), SCION_OWNERS_MOST);
    char *slots = read_file(session, "/owners", n * sizeof(struct scion_owner_slot));
    int why;

    *owners = (struct scion_owners){
        .ntexts = at_most(atomic_load(&session->head->renames), SCION_OWNERS_TEXT)};
    owners->texts = slots ? read_file(session, "/renames", owners->ntexts) : NULL;
    owners->made = owners->texts ? malloc((n + 1) * sizeof *owners->made) : NULL;
    owners->moved = owners->made ? malloc((2 * n + 1) * sizeof *owners->moved) : NULL;
    if (owners->moved)
        take(owners, (const struct scion_owner_slot *)(const void *)slots, n);
    why = errno;
    free(slots);
    if (owners->moved)
        return 0;
    scion_owners_free(owners);
    errno = why;
    return -1;
}

void scion_owners_free(struct scion_owners *owners)
{
    free(owners->made);
    free(owners->moved);
    free(owners->texts);
    *owners = (struct scion_owners){0};
}

/* ---- finding ---- */

/* The last event of a name before a time; NULL: none. */
static const struct scion_owner_event *last_of(const struct scion_owner_event *events, size_t n,
                                               uint64_t name, uint64_t before)
{
    const struct scion_owner_event key = {.name = name, .slot = before};
    size_t from = 0, to = n, middle;

    while (from < to) {
        middle = from + (to - from) / 2;
        if (by_name(&events[middle], &key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && events[from - 1].name == name ? &events[from - 1] : NULL;
}

/* Where a thing was before its last move, or that of a folder above it. */
struct before {
    const char *from;
    size_t length; /* of the path, what was moved */
    uint64_t slot;
};

/* The path of so many bytes, if its last move is a later one. */
static void look_at(const struct scion_owners *owners, const char *path, size_t length,
                    uint64_t until, struct before *before)
{
    const struct scion_owner_event *event =
        last_of(owners->moved, owners->nmoved, scion_name_hash(path, length), until);
    const char *from, *to, *other;

    if (!event || (before->from && event->slot < before->slot))
        return;
    from = names_of(owners, event, &to);
    if (!from)
        return;
    if (how_of(event) == SCION_OWNER_SWAPPED && strncmp(from, path, length) == 0 && !from[length]) {
        other = from;
        from = to;
        to = other;
    }
    if (strncmp(to, path, length) == 0 && !to[length])
        *before = (struct before){from, length, event->slot};
}

static struct before last_move(const struct scion_owners *owners, const char *path, uint64_t until)
{
    struct before before = {NULL, 0, 0};
    size_t length = strlen(path);

    if (owners->nmoved > 0)
        look_at(owners, path, length, until, &before);
    while (owners->nfolders > 0 && length > 0) {
        while (length > 0 && path[length - 1] != '/')
            length--;
        length -= length > 0;
        if (length > 0)
            look_at(owners, path, length, until, &before);
    }
    return before;
}

/* Put the old name in the place of the new one. */
static int go_back(char *path, size_t room, const struct before *before)
{
    size_t from = strlen(before->from), rest = strlen(path + before->length) + 1;

    if (from + rest > room)
        return 0;
    memmove(path + from, path + before->length, rest);
    memcpy(path, before->from, from);
    return 1;
}

int scion_owners_find(const struct scion_owners *owners, const char *path,
                      struct scion_owner_record *record)
{
    char now[PATH_MAX];
    const struct scion_owner_event *made;
    struct before before;
    uint64_t until = UINT64_MAX;

    if (strlen(path) >= sizeof now)
        return 0;
    strcpy(now, path);
    for (;;) {
        made = last_of(owners->made, owners->nmade, scion_name_hash(now, strlen(now)), until);
        before = last_move(owners, now, until);
        if (made && (!before.from || made->slot > before.slot)) {
            record->owner = (uint32_t)(made->value >> 8);
            record->what = (enum scion_owner_what)how_of(made);
            return 1;
        }
        if (!before.from || !go_back(now, sizeof now, &before))
            return 0;
        until = before.slot;
    }
}
