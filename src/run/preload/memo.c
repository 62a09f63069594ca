#include "run/preload/memo.h"

#include <fcntl.h>
#include <string.h>

#include "run/preload/place.h"
#include "run/preload/state.h"

/* The length of a name that is not "." or ".."; else 0. */
static size_t name_length(const char *name)
{
    const char *end = strchrnul(name, '/');
    size_t n = (size_t)(end - name);

    return *end || (name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.'))) ? 0 : n;
}

static int is_same_cwd(struct run_place *place)
{
    unsigned version;
    struct run_cwd cwd = run_cwd_read(&version, place->spare);

    return cwd.path && cwd.path != place->spare && version == place->memo.key.version;
}

static int is_same_descriptor(const struct run_memo_key *memo)
{
    struct run_opened_key key;

    return run_opened_key(memo->folder, &key) && key.stamp == memo->opened.stamp &&
           key.moves == memo->opened.moves;
}

static void put(char *to, const char *folder, size_t length, const char *name, size_t n)
{
    memcpy(to, folder, length);
    memcpy(to + length, name, n + 1);
}

int run_memo_use(struct run_place *place, int folder, const char *path, int may_recall)
{
    const struct run_memo *memo = &place->memo;
    const char *name = path + memo->given;
    int is_relative = *path != '/', is_of_descriptor = is_relative && folder != AT_FDCWD;
    size_t n;

    if (!memo->is_set || memo->key.folder != (is_relative ? folder : AT_FDCWD) ||
        strncmp(path, memo->given_path, memo->given) != 0 || (n = name_length(name)) == 0 ||
        (is_of_descriptor ? !may_recall || !is_same_descriptor(&memo->key)
         : is_relative    ? !is_same_cwd(place)
                          : 0))
        return 0;
    if (memo->real + n >= PATH_MAX || memo->tree + n >= PATH_MAX)
        return 0;
    put(place->real, memo->real_path, memo->real, name, n);
    place->real_length = memo->real + n;
    place->begin = memo->begin;
    place->inside_length = memo->begin > 0 ? place->real_length - memo->begin : 0;
    place->end = SCION_END_NAME;
    place->folder_hash = memo->hash;
    place->name_hash = 0;
    place->where = memo->is_moved ? RUN_MOVED : RUN_NATIVE;
    if (memo->is_ours ||
        (memo->begin > 0 && scion_session_redirects(&run_session, run_inside(place)))) {
        put(place->tree, memo->tree_path, memo->tree, name, n);
        place->where = RUN_OURS;
    }
    place->is_recalled = is_of_descriptor;
    place->is_near = is_of_descriptor && memo->is_moved && place->where == RUN_OURS;
    return 1;
}

/* Whether all names in the folder, of so many bytes with its "/", are on the same side of the root,
   and of the session's folder. */
static int is_aside(const char *folder, size_t length)
{
    const struct scion_session *session = &run_session;

    return strncmp(session->root, folder, length) != 0 &&
           strncmp(session->root_real, folder, length) != 0 &&
           strncmp(session->tree, folder, length) != 0;
}

/* The folder's path in the tree, of `length` bytes. */
static void put_tree(char *to, const char *inside, size_t length)
{
    size_t tree = run_session.tree_length;

    memcpy(to, run_session.tree, tree);
    to[tree] = '/';
    memcpy(to + tree + 1, inside, length - tree - 1);
}

/* Whether a pattern has the folder itself, so that it has all that is in it. */
static int holds_ours(struct run_place *place)
{
    size_t length = run_folder_length(place);
    struct run_cut cut;
    int is_ours;

    if (length == 0 || run_session.head->count[SCION_RUN_EXCEPT] > 0)
        return 0;
    run_cut(place, length, &cut);
    is_ours = scion_session_redirects(&run_session, run_inside(place));
    run_uncut(&cut);
    return is_ours;
}

void run_memo_set(struct run_place *place, const struct run_memo_key *key, const char *path,
                  int is_moved)
{
    struct run_memo *memo = &place->memo;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = name_length(name), given = (size_t)(name - path), real = place->real_length - n,
           tree = run_session.tree_length + 1;

    memo->is_set = 0;
    if (n == 0 || strstr(path, "..") || given > sizeof memo->given_path ||
        real > sizeof memo->real_path || !is_aside(place->real, real))
        return;
    if (place->begin > 0)
        tree += real - place->begin;
    if (tree > sizeof memo->tree_path)
        return;
    memcpy(memo->given_path, path, given);
    memcpy(memo->real_path, place->real, real);
    put_tree(memo->tree_path, place->real + place->begin, tree);
    memo->given = given;
    memo->real = real;
    memo->tree = tree;
    memo->begin = place->begin;
    memo->is_moved = is_moved;
    memo->key = *key;
    memo->is_ours = place->where == RUN_OURS && holds_ours(place);
    memo->hash = place->begin > 0 ? run_parent_hash(place) : 0;
    memo->is_set = 1;
}
