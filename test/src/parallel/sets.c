/*
 * Sets of 3 to 300 files, of which only some have a descriptor at a time: random seeks, writes and
 * reads through the library, the FILE* or the descriptor, compared with a model. A mapped writer of
 * one process writes; serial and mapped readers read.
 */
#include <sys/resource.h>

#include "sion.h"

#include "callbacks.h"
#include "support.h"

enum { MOST = 600, CHUNK = 100, PIECE = 60, ROUNDS = 3000 };

/* What an application uses. */
enum hold { LIBRARY, OPENED_FILE, LATER_FILE, DESCRIPTOR, HOLDS };

static const char *const modes[][HOLDS] = {{"br", "br", "br", "br,posix"},
                                           {"bw", "bw", "bw", "bw,posix"}};
static char name[] = "s.sion";
static int aid, ntasks;
static long lengths[MOST], positions[MOST]; /* of the streams: bytes written, bytes read */
static int ranks[MOST], files[MOST], places[MOST];
static sion_int64 chunks[MOST];

/* An open container, and what the application holds of it. */
struct user {
    int sid, fd;
    FILE *fp;
    enum hold hold;
};

static void deal(int nfiles)
{
    int t;

    ntasks = 2 * nfiles;
    for (t = 0; t < ntasks; t++) {
        ranks[t] = t;
        files[t] = t % nfiles;
        places[t] = t / nfiles;
        chunks[t] = CHUNK;
        lengths[t] = positions[t] = 0;
    }
}

static struct scion_comm *single(void)
{
    return thread_comm_new(thread_group_new(1), 0);
}

static void open_mapped(struct user *user, struct scion_comm *comm, int writing, int nfiles)
{
    int n = ntasks, *r = ranks, *f = files, *p = places;
    sion_int64 *c = chunks;
    sion_int32 fsblksize = 100;

    user->sid = sion_generic_paropen_mapped(aid, name, modes[writing][user->hold], &nfiles, comm, 0,
                                            1, &n, &r, writing ? &c : NULL, writing ? &f : NULL,
                                            writing ? &p : NULL, &fsblksize,
                                            user->hold == OPENED_FILE ? &user->fp : NULL);
    CHECK(user->sid >= 0);
}

static void open_serial(struct user *user)
{
    int n, nfiles;

    user->sid = sion_open(name, modes[0][user->hold], &n, &nfiles, NULL, NULL, NULL,
                          user->hold == OPENED_FILE ? &user->fp : NULL);
    CHECK(user->sid >= 0);
    CHECK_INT(n, ntasks);
}

/* What the application got first stays valid for all tasks. */
static void need_hold(struct user *user)
{
    if (user->hold == LATER_FILE && !user->fp)
        user->fp = sion_get_fp(user->sid);
    if (user->hold == DESCRIPTOR && user->fd < 0)
        user->fd = sion_get_fd(user->sid);
    CHECK(user->hold == LIBRARY || user->hold == DESCRIPTOR || user->fp == sion_get_fp(user->sid));
    CHECK(user->hold != DESCRIPTOR || user->fd == sion_get_fd(user->sid));
}

static int by_library(const struct user *user)
{
    return user->hold == LIBRARY || check_below(3) == 0;
}

static int write_piece(struct user *user, int task)
{
    unsigned char data[PIECE];
    size_t bytes = 1 + check_below(PIECE);

    check_fill(data, task, lengths[task], bytes);
    lengths[task] += (long)bytes;
    if (by_library(user))
        return sion_fwrite(data, 1, bytes, user->sid) == bytes;
    if (sion_ensure_free_space(user->sid, (sion_int64)bytes) != 1)
        return 0;
    return user->hold == DESCRIPTOR ? write(user->fd, data, bytes) == (ssize_t)bytes
                                    : fwrite(data, 1, bytes, user->fp) == bytes;
}

static int read_piece(struct user *user, int task, size_t most)
{
    unsigned char data[CHUNK];
    size_t bytes, got;

    if (sion_feof(user->sid))
        return positions[task] == lengths[task];
    bytes = (size_t)sion_bytes_avail_in_block(user->sid);
    bytes = bytes < most ? bytes : most;
    if (by_library(user))
        got = sion_fread(data, 1, bytes, user->sid);
    else if (user->hold == DESCRIPTOR)
        got = (size_t)read(user->fd, data, bytes);
    else
        got = fread(data, 1, bytes, user->fp);
    if (bytes == 0 || got != bytes || check_compare(data, task, positions[task], bytes) != -1)
        return 0;
    positions[task] += (long)bytes;
    return 1;
}

static int go_to(struct user *user, int task, int to_start)
{
    int rc = to_start ? sion_seek(user->sid, task, 0, 0)
                      : sion_seek(user->sid, task, SION_CURRENT_BLK, SION_CURRENT_POS);

    if (to_start)
        positions[task] = 0;
    need_hold(user);
    return rc == 1;
}

static void write_at_random(struct user *user)
{
    int i, good = 1;

    for (i = 0; i < ROUNDS && good; i++) {
        int task = (int)check_below((size_t)ntasks);

        good = go_to(user, task, 0) && write_piece(user, task);
    }
    CHECK(good);
}

static void read_at_random(struct user *user)
{
    int i, good = 1;

    for (i = 0; i < ROUNDS && good; i++) {
        int task = (int)check_below((size_t)ntasks);

        good = go_to(user, task, check_below(4) == 0) &&
               read_piece(user, task, 1 + check_below(PIECE));
    }
    for (i = 0; i < ntasks && good; i++) {
        good = go_to(user, i, 0);
        while (good && positions[i] < lengths[i])
            good = read_piece(user, i, CHUNK);
        positions[i] = 0;
    }
    CHECK(good);
}

static void try_one(int nfiles, enum hold hold)
{
    struct user user = {.fd = -1, .hold = hold};
    struct scion_comm *comm = single();

    deal(nfiles);
    open_mapped(&user, comm, 1, nfiles);
    write_at_random(&user);
    CHECK_INT(sion_generic_parclose_mapped(user.sid), 1);
    comm->ops->free(comm);

    user = (struct user){.fd = -1, .hold = hold};
    open_serial(&user);
    read_at_random(&user);
    CHECK_INT(sion_close(user.sid), 1);

    user = (struct user){.fd = -1, .hold = hold};
    comm = single();
    open_mapped(&user, comm, 0, nfiles);
    read_at_random(&user);
    CHECK_INT(sion_generic_parclose_mapped(user.sid), 1);
    comm->ops->free(comm);
}

static void try_each_hold(int nfiles)
{
    int hold;

    for (hold = 0; hold < HOLDS; hold++) {
        int failed = check_failed_here;

        try_one(nfiles, (enum hold)hold);
        if (check_failed_here > failed)
            printf("# that was with %d files, way %d\n", nfiles, hold);
    }
}

static void a_few_files(void)
{
    try_each_hold(3);
}

static void more_files_than_descriptors(void)
{
    try_each_hold(70);
}

static void the_process_may_have_40_descriptors(void)
{
    const struct rlimit few = {40, 40};

    if (setrlimit(RLIMIT_NOFILE, &few) == 0)
        try_each_hold(300);
    else
        SKIP("the limit cannot be set"); /* by valgrind */
}

/* It has its own file: the library says so, and it can be used as before. */
static void a_second_file_stays_where_it_is(void)
{
    struct user user = {.fd = -1, .hold = LIBRARY};
    unsigned char byte;
    FILE *second;

    open_serial(&user);
    CHECK_INT(sion_seek(user.sid, 0, 0, 0), 1);
    second = fopen(name, "rb");
    CHECK(second && fseek(second, (long)sion_get_position(user.sid), SEEK_SET) == 0);
    CHECK_INT(sion_set_second_fp(user.sid, second), 1);
    support_catch();
    CHECK_INT(sion_seek(user.sid, 1, 0, 0), 0);
    CHECK_CONTAINS(support_message, "the second FILE* cannot go from");
    CHECK_INT(fread(&byte, 1, 1, second), 1);
    CHECK_INT(byte, check_payload(0, 0));
    CHECK_INT(sion_fread(&byte, 1, 1, user.sid), 1);
    CHECK_INT(byte, check_payload(0, 1));
    CHECK_INT(sion_close(user.sid), 1);
}

int main(void)
{
    check_seed(20261125);
    support_enter_folder();
    aid = generic_make_api();
    RUN(a_few_files);
    RUN(more_files_than_descriptors);
    RUN(a_second_file_stays_where_it_is);
    RUN(the_process_may_have_40_descriptors);
    support_leave_folder();
    return check_done();
}
