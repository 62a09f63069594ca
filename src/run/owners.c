#include "run/owners.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "run/match.h"
#include "run/native.h"
#include "run/owners_log.h"

enum { RECORDS, RENAMES, LOGS };

/* They are mapped by windows, each a multiple of every page size. */
enum {
    WINDOW = 1 << 17, /* bytes */
    MOST_WINDOWS = SCION_OWNERS_TEXT / WINDOW
};

static const char *const names[LOGS] = {"/owners", "/renames"};
static const int64_t sizes[LOGS] = {
    (int64_t)SCION_OWNERS_MOST * (int64_t)sizeof(struct scion_owner_slot), SCION_OWNERS_TEXT};

/* Those of this process, which has one session. Without locks, because signal handlers add, too. */
static _Atomic(char *) windows[LOGS][MOST_WINDOWS];

int scion_owners_make(const char *folder)
{
    char path[PATH_MAX];
    int log, fd, rc = 0;

    for (log = 0; log < LOGS && rc == 0; log++) {
        strcat(strcpy(path, folder), names[log]);
        fd = native_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd < 0)
            return -1;
        rc = ftruncate(fd, (off_t)sizes[log]);
        if (native_close(fd) != 0)
            return -1;
    }
    return rc;
}

uint32_t scion_owners_next(struct scion_session *session)
{
    return SCION_OWNER_ALONE + atomic_fetch_add(&session->head->next_owner, 1);
}

/* Map a window. Its bytes get their place first: without, a store would end the program when the
   file system is full. */
static char *map_window(const struct scion_session *session, int log, uint64_t number)
{
    char path[PATH_MAX];
    off_t at = (off_t)(number * WINDOW);
    void *memory = MAP_FAILED;
    int fd;

    memcpy(path, session->tree, session->folder_length);
    strcpy(path + session->folder_length, names[log]);
    fd = native_open(path, O_RDWR, 0);
    if (fd < 0)
        return NULL;
    if (fallocate(fd, 0, at, WINDOW) == 0 || errno == EOPNOTSUPP)
        memory = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
    native_close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Where so many bytes, or fewer until the end of a window, are in memory; NULL: there is no room.
 */
static char *bytes_at(const struct scion_session *session, int log, uint64_t at, size_t *n)
{
    uint64_t number = at / WINDOW;
    char *there, *mine;

    if (at >= (uint64_t)sizes[log])
        return NULL;
    if (*n > WINDOW - at % WINDOW)
        *n = WINDOW - (size_t)(at % WINDOW);
    there = atomic_load_explicit(&windows[log][number], memory_order_acquire);
    if (!there) {
        mine = map_window(session, log, number);
        if (mine && !atomic_compare_exchange_strong(&windows[log][number], &there, mine))
            munmap(mine, WINDOW);
        else
            there = mine;
    }
    return there ? there + at % WINDOW : NULL;
}

/* The number is written last: a killed process leaves no half record. */
static void add(struct scion_session *session, uint64_t name, uint64_t value)
{
    uint64_t slot = atomic_fetch_add_explicit(&session->head->records, 1, memory_order_relaxed);
    struct scion_owner_slot *there;
    size_t n = sizeof *there;

    there = (struct scion_owner_slot *)(void *)bytes_at(session, RECORDS, slot * n, &n);
    if (there) {
        there->value = value;
        __atomic_store_n(&there->name, name, __ATOMIC_RELEASE);
    }
}

void scion_owners_add(struct scion_session *session, uint64_t name, uint32_t owner,
                      enum scion_owner_what what)
{
    int why = errno;

    add(session, name, (uint64_t)owner << 8 | what);
    errno = why;
}

/* Returns whether there was room. */
static int put_text(struct scion_session *session, uint64_t at, const char *text, size_t bytes)
{
    size_t done, n;
    char *there;

    for (done = 0; done < bytes; done += n) {
        n = bytes - done;
        there = bytes_at(session, RENAMES, at + done, &n);
        if (!there)
            return 0;
        memcpy(there, text + done, n);
    }
    return 1;
}

void scion_owners_move(struct scion_session *session, enum scion_owner_move how, const char *from,
                       const char *to)
{
    size_t from_bytes = strlen(from) + 1, to_bytes = strlen(to) + 1;
    uint64_t at = atomic_fetch_add(&session->head->renames, from_bytes + to_bytes);
    int why = errno;

    if (put_text(session, at, from, from_bytes) && put_text(session, at + from_bytes, to, to_bytes))
        add(session, scion_name_hash(to, strlen(to)), at << 8 | how);
    errno = why;
}
