#include "sionmv/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/message.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- what has the names ---- */

int lock_name(const char *name, struct scion_writer_lock **lock)
{
    int errnum = scion_path_is_taken(name) ? scion_path_check_writable(name) : 0;
    int rc;

    *lock = NULL;
    rc = errnum == 0 ? scion_writer_lock_take(name, 0, lock) : scion_writer_lock_check(name);
    tool_print_warnings();
    return rc == 0 ? TOOL_RUN : failed();
}

/* Whether something has the name that a member is to get; also a folder. */
static struct stat there;

static int look(const char *path)
{
    return scion_path_own_status(path, &there);
}

static int refuse(const char *name, const struct member *member, const char *reason)
{
    tool_error("%s%s %s", name, member->suffix, reason);
    return TOOL_FAILED;
}

static int check_name(const char *name, const struct member *member, const struct members *set,
                      int is_forced, int may_be_begun)
{
    int errnum = members_do(look, name, member);
    const struct member *same;

    if (errnum == ENOENT)
        return TOOL_RUN;
    if (errnum != 0)
        return refuse(name, member, strerror(errnum));
    same = members_which(set, &there);
    if (same && may_be_begun && same != &set->member[0] &&
        strcmp(same->suffix, member->suffix) == 0)
        return TOOL_RUN;
    if (same)
        return refuse(name, member, "is a file of the container itself");
    if (S_ISDIR(there.st_mode))
        return refuse(name, member, "is a folder");
    return is_forced ? TOOL_RUN : refuse(name, member, "exists (-f replaces it)");
}

/* Of what has names like these only files of an older container are removed, and those that are in
   the way. */
static void leave_others(struct members *old, const struct members *set)
{
    size_t kept = 0, i;

    for (i = 0; i < old->count; i++) {
        const struct member *member = &old->member[i];

        if (!members_which(set, &member->file) &&
            ((old->nfiles > 0 && !member->is_other) || members_with(set, member)))
            old->member[kept++] = *member;
        else
            free(member->suffix);
    }
    old->count = kept;
}

int target_find(struct target *target, const char *name, const struct members *set, int is_forced,
                int may_be_begun)
{
    int status = TOOL_RUN;
    size_t i;

    *target = (struct target){.name = name};
    for (i = 0; i < set->count && status == TOOL_RUN; i++)
        status = check_name(name, &set->member[i], set, is_forced, may_be_begun);
    if (status == TOOL_RUN)
        status = lock_name(name, &target->lock);
    if (status == TOOL_RUN && is_forced)
        status = members_find(name, 1, &target->old);
    if (status == TOOL_RUN && is_forced)
        leave_others(&target->old, set);
    if (status != TOOL_RUN)
        target_free(target);
    return status;
}

void target_free(struct target *target)
{
    members_free(&target->old);
    scion_writer_lock_release(target->lock, 0);
    target->lock = NULL;
}

/* ---- other names ---- */

static int remove_path(const char *path)
{
    return scion_path_remove(path) == 0 ? 0 : EIO;
}

static int move_back(const char *to, const char *from)
{
    return scion_path_move_new(from, to);
}

/* A link that is there already is left of a move that was killed. */
static int link_path(const char *from, const char *to)
{
    int errnum = scion_path_try_link(from, to);

    return errnum == EEXIST && scion_path_is_same(from, to) ? 0 : errnum;
}

static int remove_second(const char *from, const char *to)
{
    (void)from;
    return remove_path(to);
}

/* Two ways to give the files but file 0 their names, and to take them back. */
struct way {
    members_call_two *give, *take_back;
    int has_links;
};

static const struct way by_links = {link_path, remove_second, 1},
                        by_renames = {scion_path_move_new, move_back, 0};

/* Reasons why a file system, or a rule of the system, forbids links. */
static int has_no_links(int errnum)
{
    return errnum == EPERM || errnum == EOPNOTSUPP || errnum == ENOSYS || errnum == EMLINK ||
           errnum == EACCES || errnum == EINVAL;
}

static int report(const char *name, const struct member *member, int errnum)
{
    tool_error("cannot make %s%s: %s", name, member->suffix, strerror(errnum));
    return TOOL_FAILED;
}

/* Files first .. count - 1, the last one first; after a failure none of them. *at: which. */
static int give(const struct members *set, const char *from, const char *to, size_t first,
                const struct way *way, size_t *at)
{
    int errnum = 0;
    size_t i;

    for (*at = set->count; *at > first && errnum == 0;) {
        errnum = members_do_two(way->give, from, to, &set->member[*at - 1]);
        *at -= errnum == 0;
    }
    for (i = *at; i < set->count && errnum != 0; i++)
        members_do_two(way->take_back, from, to, &set->member[i]);
    if (errnum != 0)
        --*at;
    return errnum;
}

static void take_back(const struct members *set, const char *from, const char *to,
                      const struct way *way)
{
    size_t i;

    for (i = 1; i < set->count; i++)
        members_do_two(way->take_back, from, to, &set->member[i]);
}

/* Rename file 0, from `first`: this is the moment in which the container moves. */
static int commit(const struct members *set, const char *first, const char *from,
                  const struct target *target, const struct way *way, int is_replaced)
{
    const char *to = target->name;
    int errnum = set->count > 1 && scion_sync_folder_of(to) != 0 ? EIO : 0;

    if (errnum == 0)
        errnum = is_replaced ? scion_path_move(first, to) : scion_path_move_new(first, to);
    if (errnum != 0)
        take_back(set, from, to, way);
    return errnum;
}

static int move_by_renames(const struct members *set, const char *from, const struct target *target,
                           int is_replaced, size_t *at)
{
    char *aside = scion_path_beside(from);
    int errnum = aside ? scion_path_move_new(from, aside) : ENOMEM;

    *at = 0;
    if (errnum == 0) {
        errnum = give(set, from, target->name, 1, &by_renames, at);
        if (errnum == 0) {
            *at = 0;
            errnum = commit(set, aside, from, target, &by_renames, is_replaced);
        }
        if (errnum != 0 && scion_path_move_new(aside, from) != 0)
            tool_error("file 0 of %s is now %s", from, aside);
    }
    free(aside);
    return errnum;
}

/* Files first .. count - 1, even if some of them stay. */
static int remove_from(const struct members *set, const char *name, size_t first)
{
    int status = TOOL_RUN;
    size_t i;

    for (i = first; i < set->count; i++) {
        if (members_do(remove_path, name, &set->member[i]) != 0)
            status = failed();
    }
    return status;
}

static int move(const struct members *set, const char *from, const struct target *target,
                int is_replaced, int *is_moved)
{
    size_t at;
    int errnum = give(set, from, target->name, 1, &by_links, &at);
    int is_linked = errnum == 0;

    if (errnum == 0) {
        at = 0;
        errnum = commit(set, from, from, target, &by_links, is_replaced);
    } else if (has_no_links(errnum)) {
        errnum = move_by_renames(set, from, target, is_replaced, &at);
    }
    *is_moved = errnum == 0;
    if (errnum == EXDEV)
        return PLACE_ELSEWHERE;
    if (errnum != 0)
        return report(target->name, &set->member[at], errnum);
    return is_linked ? remove_from(set, from, 1) : TOOL_RUN;
}

/* ---- older files ---- */

/* A single older file is replaced by the rename of file 0. */
static int is_single(const struct members *old)
{
    return old->count == 1 && members_have_first(old);
}

static int park(const struct target *target, const char *aside)
{
    const struct members *old = &target->old;
    size_t i, k;
    int errnum;

    for (i = 0; i < old->count; i++) {
        errnum = members_do_two(scion_path_move_new, target->name, aside, &old->member[i]);
        for (k = i; errnum != 0 && k > 0; k--)
            members_do_two(scion_path_move_new, aside, target->name, &old->member[k - 1]);
        if (errnum != 0) {
            tool_error("cannot rename %s%s: %s", target->name, old->member[i].suffix,
                       strerror(errnum));
            return TOOL_FAILED;
        }
    }
    return TOOL_RUN;
}

static void bring_back(const struct target *target, const char *aside)
{
    const struct members *old = &target->old;
    size_t i;

    for (i = old->count; i > 0; i--) {
        const struct member *member = &old->member[i - 1];
        int errnum = members_do_two(scion_path_move_new, aside, target->name, member);

        if (errnum != 0)
            tool_error("the older %s%s is now %s%s: %s", target->name, member->suffix, aside,
                       member->suffix, strerror(errnum));
    }
}

static int place_aside(const struct members *set, const char *from, const struct target *target,
                       const char *aside)
{
    int status = park(target, aside), is_moved;

    if (status != TOOL_RUN)
        return status;
    status = move(set, from, target, 0, &is_moved);
    if (!is_moved)
        bring_back(target, aside);
    else if (remove_all(&target->old, aside) != TOOL_RUN)
        status = TOOL_FAILED;
    return status;
}

int place(const struct members *set, const char *from, const struct target *target)
{
    char *aside = NULL;
    int status, is_moved;

    if (target->old.count == 0 || is_single(&target->old)) {
        status = move(set, from, target, target->old.count > 0, &is_moved);
    } else {
        aside = scion_path_beside(target->name);
        status = aside ? place_aside(set, from, target, aside) : TOOL_FAILED;
        if (!aside)
            tool_error("out of memory");
        free(aside);
    }
    if (status == TOOL_RUN &&
        (scion_sync_folder_of(target->name) != 0 || scion_sync_folder_of(from) != 0))
        return failed();
    return status;
}

int remove_all(const struct members *set, const char *name)
{
    int has_first = members_have_first(set);

    if (has_first && members_do(remove_path, name, &set->member[0]) != 0)
        return failed();
    return remove_from(set, name, (size_t)has_first);
}
