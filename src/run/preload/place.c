#include "run/preload/place.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run/native.h"
#include "run/preload/opened.h"
#include "run/preload/state.h"

/* ---- places ---- */

/* One that is not given back, because a thread was cancelled or a handler has jumped, is lost. */
enum { PLACES = 64 };

static struct run_place places[PLACES];

/* Threads begin to look at different places. */
static unsigned first_place(void)
{
    static _Atomic unsigned count;
    static __thread unsigned first __attribute__((tls_model("initial-exec")));

    if (first == 0)
        first = 1 + atomic_fetch_add_explicit(&count, 7, memory_order_relaxed) % PLACES;
    return first - 1;
}

static struct run_place *new_place(void)
{
    void *memory = mmap(NULL, sizeof(struct run_place), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        abort();
    return memory;
}

struct run_place *run_take(void)
{
    unsigned first = first_place(), i;

    for (i = 0; i < PLACES; i++) {
        struct run_place *place = &places[(first + i) % PLACES];

        if (!atomic_load_explicit(&place->is_taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&place->is_taken, 1, memory_order_acquire))
            return place;
    }
    return new_place();
}

void run_give(struct run_place *place)
{
    if (place >= places && place < places + PLACES)
        atomic_store_explicit(&place->is_taken, 0, memory_order_release);
    else
        munmap(place, sizeof *place);
}

void run_cut(struct run_place *place, size_t at, struct run_cut *cut)
{
    int i;

    cut->ends[0] = place->tree + run_session.tree_length + (at > 0) + at;
    cut->ends[1] = place->real + place->begin + at - (at == 0 && place->begin > 1);
    for (i = 0; i < 2; i++) {
        cut->bytes[i] = *cut->ends[i];
        *cut->ends[i] = '\0';
    }
}

void run_uncut(const struct run_cut *cut)
{
    *cut->ends[0] = cut->bytes[0];
    *cut->ends[1] = cut->bytes[1];
}

/* ---- paths ---- */

/* "/" or "/.", as the program wrote it. */
static void put_end(char *path, size_t length, enum scion_path_end end)
{
    if (length > 1) {
        path[length] = end != SCION_END_NAME ? '/' : '\0';
        path[length + 1] = end == SCION_END_DOT ? '.' : '\0';
        path[length + 2] = '\0';
    }
}

int run_place_tree(struct run_place *place)
{
    const struct scion_session *session = &run_session;
    size_t length = session->tree_length;

    if (!place->begin || length + 1 + place->inside_length >= PATH_MAX)
        return 0;
    memcpy(place->tree, session->tree, length);
    if (place->inside_length > 0) {
        place->tree[length++] = '/';
        memcpy(place->tree + length, run_inside(place), place->inside_length);
        length += place->inside_length;
    }
    put_end(place->tree, length, place->end);
    return 1;
}

/* `real` has a path without detours, which is in the tree: that of the same name beneath the root.
 */
static void leave_tree(struct run_place *place)
{
    size_t length = run_shown(place->real, place->real_length);

    place->real[length] = '\0';
    place->real_length = length;
}

/* `real` has a path without detours: what it is. Returns whether it is to be named by `real`, if it
   is not redirected. */
static int judge(struct run_place *place, int is_moved)
{
    const struct scion_session *session = &run_session;
    const char *inside;

    if (place->real_length >= session->tree_length &&
        place->real[session->tree_length - 1] == session->tree[session->tree_length - 1] &&
        scion_beneath(session->tree, session->tree_length, place->real)) {
        leave_tree(place);
        is_moved = 1;
    }
    place->where = is_moved ? RUN_MOVED : RUN_NATIVE;
    inside = scion_session_inside(session, place->real);
    if (inside) {
        place->begin = (size_t)(inside - place->real);
        place->inside_length = place->real_length - place->begin;
        if (place->inside_length > 0 && scion_session_redirects(session, inside) &&
            run_place_tree(place))
            place->where = RUN_OURS;
    }
    put_end(place->real, place->real_length, place->end);
    return is_moved;
}

struct finding {
    int is_moved;
    int is_lasting; /* a later path may be found in the same way while this is so: */
    struct run_memo_key key;
};

/* Returns whether the working folder has a path, and that and the given one fit. */
static int beneath_cwd(struct run_place *place, const char *path, struct finding *finding)
{
    struct run_cwd cwd;

    do {
        cwd = run_cwd_read(&finding->key.version, place->spare);
        finding->is_moved = cwd.is_in_tree;
        finding->is_lasting = cwd.path != place->spare;
        place->real_length =
            cwd.path ? scion_lexical(cwd.path, path, place->real, PATH_MAX, &place->end) : 0;
    } while (!run_cwd_is_same(finding->key.version));
    return place->real_length > 0;
}

static int beneath_folder(struct run_place *place, int fd, const char *path,
                          struct finding *finding)
{
    char *folder = place->spare;
    int has_key = run_opened_key(fd, &finding->key.opened);
    size_t length = place->is_recalled ? run_opened_recall(fd, folder) : 0;

    place->is_recalled = length > 0;
    finding->is_lasting = has_key && place->is_recalled;
    if (length == 0)
        length = run_opened_path(fd, folder);
    if (length == 0)
        return 0;
    finding->is_moved = scion_beneath(run_session.tree, run_session.tree_length, folder) != NULL;
    if (finding->is_moved)
        folder[run_shown(folder, length)] = '\0';
    place->real_length = scion_lexical(folder, path, place->real, PATH_MAX, &place->end);
    return place->real_length > 0;
}

/* Whether a path leads through a folder that is redirected and out of it again, by "..". The system
   would look for that one among the real folders. */
static int leads_through(struct run_place *place, int folder, const char *path)
{
    struct run_place *other;
    const char *up = strchr(path, '.') ? strstr(path, "..") : NULL;
    int is_ours = 0;

    while (up && !((up == path || up[-1] == '/') && (up[2] == '/' || !up[2])))
        up = strstr(up + 1, "..");
    if (!up || up == path || up - path >= PATH_MAX)
        return 0;
    other = run_take();
    memcpy(place->target, path, (size_t)(up - path));
    place->target[up - path] = '\0';
    run_place(other, folder, place->target);
    is_ours = other->where == RUN_OURS;
    run_give(other);
    return is_ours;
}

/* Returns whether there is one. */
static int find_real(struct run_place *place, int folder, const char *path, struct finding *finding)
{
    *finding = (struct finding){.key = {.folder = *path != '/' ? folder : AT_FDCWD}};
    if (folder != AT_FDCWD && *path != '/')
        return beneath_folder(place, folder, path, finding);
    place->is_recalled = 0;
    if (*path != '/')
        return beneath_cwd(place, path, finding);
    finding->is_lasting = 1;
    place->real_length = scion_lexical("/", path, place->real, PATH_MAX, &place->end);
    return place->real_length > 0;
}

/* place->is_recalled: whether it may be. */
static void find_place(struct run_place *place, int folder, const char *path)
{
    int is_named = path && *path, is_of_folder = is_named && folder != AT_FDCWD && *path != '/';
    struct finding finding;

    if (is_named && run_memo_use(place, folder, path, place->is_recalled))
        return;
    place->is_near = 0;
    place->where = RUN_NATIVE;
    place->begin = place->real_length = 0;
    place->real[0] = '\0';
    place->folder_hash = place->name_hash = 0;
    if (!is_named || !find_real(place, folder, path, &finding)) {
        place->is_recalled = 0;
        place->real[0] = '\0';
        return;
    }
    finding.is_moved = judge(place, finding.is_moved);
    if (is_of_folder)
        place->is_near = finding.is_moved && place->where == RUN_OURS && !strstr(path, "..");
    if (finding.is_lasting)
        run_memo_set(place, &finding.key, path, finding.is_moved);
    if (place->where == RUN_NATIVE && leads_through(place, folder, path))
        place->where = RUN_MOVED;
}

void run_place(struct run_place *place, int folder, const char *path)
{
    place->is_recalled = 0;
    find_place(place, folder, path);
}

void run_place_quickly(struct run_place *place, int folder, const char *path)
{
    place->is_recalled = 1;
    find_place(place, folder, path);
}

int run_place_of(struct run_place *place, int fd)
{
    place->where = RUN_NATIVE;
    place->begin = 0;
    place->folder_hash = place->name_hash = 0;
    place->is_recalled = place->is_near = 0;
    place->end = SCION_END_NAME;
    place->real_length = run_opened_path(fd, place->real);
    if (place->real_length == 0)
        return 0;
    judge(place, 0);
    return 1;
}

/* The place of a path that was written to `spare`. */
static int replace(struct run_place *place, int length)
{
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    run_place(place, AT_FDCWD, place->spare);
    return 0;
}

int run_place_link(struct run_place *place, size_t at)
{
    size_t folder = place->begin + at;
    const char *rest = place->real + folder;

    while (folder > 0 && place->real[folder - 1] != '/')
        folder--;
    if (place->target[0] == '/')
        folder = 0;
    if (replace(place, snprintf(place->spare, PATH_MAX, "%.*s%s%s", (int)folder, place->real,
                                place->target, rest)) != 0)
        return -1;
    if (place->where == RUN_NATIVE)
        place->where = RUN_MOVED;
    return 0;
}

int run_place_in(struct run_place *place, const struct run_place *folder, const char *name)
{
    return replace(place, snprintf(place->spare, PATH_MAX, "%.*s/%s", (int)folder->real_length,
                                   folder->real, name));
}
