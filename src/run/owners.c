#include "run/owners.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "run/native.h"

/* Records are mapped by windows, each a multiple of every page size. */
enum {
    WINDOW = 1 << 13, /* records */
    WINDOWS = SCION_OWNERS_MOST / WINDOW
};

static const size_t window_bytes = WINDOW * sizeof(struct scion_owner_record);

static const char *owners_path(const struct scion_session *session, char *path)
{
    memcpy(path, session->tree, session->folder_length);
    strcpy(path + session->folder_length, "/owners");
    return path;
}

int scion_owners_make(const char *path)
{
    int fd = native_open(path, O_RDWR | O_CREAT | O_EXCL, 0600), rc;

    if (fd < 0)
        return -1;
    rc = ftruncate(fd, (off_t)window_bytes * WINDOWS);
    return native_close(fd) == 0 ? rc : -1;
}

uint32_t scion_owners_next(struct scion_session *session)
{
    return SCION_OWNER_ALONE + atomic_fetch_add(&session->head->next_owner, 1);
}

/* ---- adding ---- */

/* Map a window. Its bytes get their place first: without, a store would end the program when the
   file system is full. */
static struct scion_owner_record *map_window(const struct scion_session *session, size_t number)
{
    char path[PATH_MAX];
    int fd = native_open(owners_path(session, path), O_RDWR, 0);
    off_t at = (off_t)(number * window_bytes);
    void *memory = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (fallocate(fd, 0, at, (off_t)window_bytes) == 0 || errno == EOPNOTSUPP)
        memory = mmap(NULL, window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
    native_close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Those of this process, which has one session. Without locks, because signal handlers add, too. */
static struct scion_owner_record *window(const struct scion_session *session, size_t number)
{
    static _Atomic(struct scion_owner_record *) windows[WINDOWS];
    struct scion_owner_record *there = atomic_load(&windows[number]), *mine;

    if (there)
        return there;
    mine = map_window(session, number);
    if (mine && !atomic_compare_exchange_strong(&windows[number], &there, mine)) {
        munmap(mine, window_bytes);
        return there;
    }
    return mine;
}

void scion_owners_add(struct scion_session *session, uint64_t inode, uint32_t owner,
                      enum scion_owner_what what)
{
    int why = errno;
    uint64_t slot = atomic_fetch_add(&session->head->records, 1);
    struct scion_owner_record *record =
        slot < SCION_OWNERS_MOST ? window(session, (size_t)slot / WINDOW) : NULL;
    struct timespec now;

    if (record) {
        record += slot % WINDOW;
        clock_gettime(CLOCK_REALTIME, &now);
        record->time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        record->owner = owner;
        record->what = what;
        __atomic_store_n(&record->inode, inode, __ATOMIC_RELEASE); /* last: a killed process
                                                                      leaves no half record */
    }
    errno = why;
}

/* ---- reading ---- */

static int by_inode(const void *left, const void *right)
{
    const struct scion_owner_record *a = left, *b = right;

    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    return a->time < b->time ? -1 : a->time > b->time;
}

/* Those whose process did not write them are left out, and all but the last of each inode. */
static size_t last_ones(struct scion_owner_record *records, size_t n)
{
    size_t i, kept = 0;

    if (n > 1)
        qsort(records, n, sizeof *records, by_inode);
    for (i = 0; i < n; i++) {
        if (records[i].inode != 0 && (i + 1 == n || records[i].inode != records[i + 1].inode))
            records[kept++] = records[i];
    }
    return kept;
}

static int read_all(int fd, void *to, size_t bytes)
{
    size_t done = 0;
    ssize_t n;

    while (done < bytes) {
        n = pread(fd, (char *)to + done, bytes - done, (off_t)done);
        if (n < 0)
            return -1;
        if (n == 0) {
            errno = EBADMSG;
            return -1;
        }
        done += (size_t)n;
    }
    return 0;
}

int scion_owners_read(const struct scion_session *session, struct scion_owner_record **records,
                      size_t *n)
{
    char path[PATH_MAX];
    uint64_t taken = atomic_load(&session->head->records);
    size_t count = (size_t)(taken < SCION_OWNERS_MOST ? taken : SCION_OWNERS_MOST);
    int fd = native_open(owners_path(session, path), O_RDONLY, 0), rc = -1;

    if (fd < 0)
        return -1;
    *records = malloc((count + 1) * sizeof **records);
    if (*records)
        rc = read_all(fd, *records, count * sizeof **records);
    if (rc == 0)
        *n = last_ones(*records, count);
    else
        free(*records);
    native_close(fd);
    return rc;
}

const struct scion_owner_record *scion_owners_find(const struct scion_owner_record *records,
                                                   size_t n, uint64_t inode)
{
    size_t from = 0, to = n, middle;

    while (from < to) {
        middle = from + (to - from) / 2;
        if (records[middle].inode < inode)
            from = middle + 1;
        else
            to = middle;
    }
    return from < n && records[from].inode == inode ? &records[from] : NULL;
}
