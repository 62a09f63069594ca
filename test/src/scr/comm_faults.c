/* Every call of the communicator fails once: each time, the operation fails with its reason. */
#include "check.h"

#include "comm/comm.h"
#include "operations.h"

static const struct scion_comm_ops *real;
static struct scion_comm_ops failing;
static long fail_in; /* counts the calls down to the one that fails; 0: none */

static int fails(void)
{
    return fail_in > 0 && --fail_in == 0;
}

static int do_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    return fails() ? 7 : real->bcast(comm, data, bytes, root);
}

static int do_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    return fails() ? 7 : real->gather(comm, from, to, bytes, root);
}

static int do_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    return fails() ? 7 : real->scatter(comm, from, to, bytes, root);
}

static int do_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                      const int *counts, const int *first, int root)
{
    return fails() ? 7 : real->gatherv(comm, from, count, to, counts, first, root);
}

static int do_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                       const int *first, sion_int64 *to, int count, int root)
{
    return fails() ? 7 : real->scatterv(comm, from, counts, first, to, count, root);
}

static int do_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    return fails() ? 7 : real->minimum(comm, value, told, n);
}

static int do_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    int rc = fails() ? 7 : real->split(comm, color, key, part);

    if (rc == 0)
        (*part)->ops = &failing;
    return rc;
}

static int write_filemap(void)
{
    sion_kvtree *map = sion_kvtree_new();
    const struct sion_scr_cached_file file = {
        .size = sizeof file, .path = "/tmp/one", .name = "one", .home = "/tmp"};
    int rc = code_of(sion_scr_filemap_add(map, 1, 0, &file));

    if (rc == 0)
        rc = code_of(sion_scr_filemap_write(self, map, "set"));
    sion_kvtree_free(map);
    return rc;
}

static int seal(void)
{
    return code_of(sion_scr_seal(self, "set", NULL));
}

/* least: number of calls that the operation makes, at least. */
static void each_call_fails(int (*operation)(void), void (*prepare)(void), int least)
{
    long n = 0, left;
    int rc;

    do {
        clean_up();
        begin_operations();
        prepare();
        support_catch();
        fail_in = ++n;
        rc = operation();
        left = fail_in;
        fail_in = 0;
        if (left == 0) {
            CHECK(rc != 0);
            CHECK_CONTAINS(sion_error_text(), "between the tasks failed (7)");
        }
    } while (left == 0 && n < 1000);
    CHECK_INT(rc, 0);
    CHECK(n > least);
    printf("# %ld calls\n", n - 1);
}

static void a_map_is_written(void)
{
    each_call_fails(write_map, nothing, 5);
    each_call_fails(write_map, map_is_there, 5);
}

static void a_map_is_read(void)
{
    each_call_fails(read_map, map_is_there, 3);
}

static void files_are_packed(void)
{
    each_call_fails(pack, nothing, 10);
    each_call_fails(pack, set_is_packed, 10);
}

static void files_are_fetched(void)
{
    each_call_fails(fetch, set_is_packed, 3);
}

static void a_map_is_sealed(void)
{
    each_call_fails(seal, set_is_packed, 3);
}

static void a_filemap_is_written(void)
{
    each_call_fails(write_filemap, nothing, 3);
}

int main(void)
{
    support_enter_folder();
    begin_operations();
    real = self->ops;
    failing = (struct scion_comm_ops){.bcast = do_bcast,
                                      .gather = do_gather,
                                      .scatter = do_scatter,
                                      .gatherv = do_gatherv,
                                      .scatterv = do_scatterv,
                                      .minimum = do_minimum,
                                      .split = do_split,
                                      .free = real->free};
    self->ops = &failing;
    RUN(a_map_is_written);
    RUN(a_map_is_read);
    RUN(files_are_packed);
    RUN(files_are_fetched);
    RUN(a_map_is_sealed);
    RUN(a_filemap_is_written);
    sion_scr_comm_free(self);
    clean_up();
    support_leave_folder();
    return check_done();
}
