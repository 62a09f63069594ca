#include "run/preload/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>

#include "run/native.h"
#include "run/preload/fill.h"
#include "run/preload/known.h"
#include "run/preload/state.h"
#include "run/preload/union.h"

/* A name in the layers. */
struct name {
    int is_in_tree, is_real;
    mode_t type; /* of what the program sees */
};

static struct name look_for(struct run_place *place)
{
    struct stat real = {0}, tree = {0};
    struct name name = {0};
    int is_ours = place->where == RUN_OURS;

    name.is_in_tree = (is_ours || (place->begin > 0 && run_place_tree(place))) &&
                      native_stat(place->tree, &tree, AT_SYMLINK_NOFOLLOW) == 0;
    name.is_real = (is_ours ? run_real(place, &real)
                            : native_stat(place->real, &real, AT_SYMLINK_NOFOLLOW)) == 0;
    name.type = (is_ours && name.is_in_tree ? tree : real).st_mode & S_IFMT;
    return name;
}

static int exchange(const char *from, const char *to)
{
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 2 /* RENAME_EXCHANGE */);
}

static int swap_real(struct run_place *from, struct run_place *to)
{
    if (exchange(from->real, to->real) != 0)
        return -1;
    run_made_real_link(); /* what the one was may be the other now */
    atomic_fetch_add(&run_session.head->real_folders, 1);
    if (from->where == RUN_OURS) {
        run_touch_folder(from);
        run_touch_folder(to);
    }
    return 0;
}

/* With all that it needs in the tree. */
static int bring(struct run_place *place, const struct name *name)
{
    if (S_ISDIR(name->type))
        return run_input_fill_all(place);
    if (!name->is_in_tree && run_copy_up(place, 1) != 0)
        return -1;
    return run_input_fill(place);
}

static int swap_in_tree(struct run_place *from, struct run_place *to)
{
    atomic_fetch_add(&run_session.head->links, 1);
    run_comes(run_name_hash(from));
    run_comes(run_name_hash(to));
    if (exchange(from->tree, to->tree) != 0)
        return -1;
    run_moved(from, to, SCION_OWNER_SWAPPED);
    return 0;
}

int run_swap(struct run_place *from, struct run_place *to)
{
    struct name old = look_for(from), new = look_for(to);
    int are_ours = from->where == RUN_OURS, has_folder = S_ISDIR(old.type) || S_ISDIR(new.type);

    if (are_ours != (to->where == RUN_OURS)) {
        errno = EXDEV;
        return -1;
    }
    if (!old.is_in_tree && !new.is_in_tree)
        return swap_real(from, to);
    if (!are_ours || (has_folder && (old.is_real || new.is_real ||
                                     run_session.head->count[SCION_RUN_EXCEPT] > 0))) {
        errno = EINVAL;
        return -1;
    }
    if (bring(from, &old) != 0 || bring(to, &new) != 0)
        return -1;
    return swap_in_tree(from, to);
}
