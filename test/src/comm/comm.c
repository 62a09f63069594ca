/*
 * The communicator of one task, the rule that no task leaves a collective call alone, and rows of
 * unequal length with callbacks of the application.
 */
#include "comm/agree.h"

#include "base/error.h"
#include "check.h"
#include "comm/user.h"
#include "src/parallel/callbacks.h"
#include "thread_comm.h"

static void one_task_talks_to_itself(void)
{
    struct scion_comm *self, *part;
    sion_int64 in[2] = {4, 5}, out[2] = {0, 0}, least = 7;
    const int counts[1] = {2}, first[1] = {0};

    CHECK_INT(scion_comm_self(&self), 0);
    CHECK(self->rank == 0 && self->size == 1);
    CHECK_INT(scion_bcast(self, in, sizeof in, 0), 0);
    CHECK_INT(scion_gather(self, in, out, sizeof in, 0), 0);
    CHECK(out[1] == 5);
    out[0] = out[1] = 0;
    CHECK_INT(scion_scatter(self, in, out, sizeof in, 0), 0);
    CHECK(out[0] == 4);
    out[0] = out[1] = 0;
    CHECK_INT(scion_gatherv(self, in, 2, out, counts, first, 0), 0);
    CHECK(out[1] == 5);
    CHECK_INT(scion_scatterv(self, in, counts, first, out, 2, 0), 0);
    CHECK_INT(scion_minimum(self, &least, NULL, 0), 0);
    CHECK_INT(least, 7);
    CHECK_INT(scion_split(self, 3, 0, &part), 0);
    CHECK(part->size == 1);
    scion_comm_free(part);
    CHECK_INT(scion_agree(self, 0), 0);
    scion_fail(SION_ERR_DAMAGED, "broken");
    CHECK_INT(scion_agree(self, scion_name_rank(self, SION_ERR_DAMAGED)), SION_ERR_DAMAGED);
    CHECK_STR(scion_error_text(), "broken");
    scion_comm_free(self);
    scion_comm_free(NULL);
}

enum { TASKS = 5 };

static int failing_mask;
static int codes[TASKS];
static char texts[TASKS][SCION_ERROR_TEXT];
static struct scion_comm *comms[TASKS];

static void *agree_in_thread(void *argument)
{
    struct scion_comm *comm = argument;
    int rc = 0;

    if (failing_mask & 1 << comm->rank)
        rc = scion_fail(SION_ERR_ARGUMENT - comm->rank, "reason %d", comm->rank);
    codes[comm->rank] = scion_agree(comm, scion_name_rank(comm, rc));
    strcpy(texts[comm->rank], codes[comm->rank] ? scion_error_text() : "");
    scion_comm_free(comm);
    return NULL;
}

static void all_tasks_return_the_failure_of_the_lowest_rank(void)
{
    pthread_t threads[TASKS];
    int i;

    for (failing_mask = 0; failing_mask < 1 << TASKS; failing_mask++) {
        struct thread_group *group = thread_group_new(TASKS);
        int lowest = failing_mask ? __builtin_ctz((unsigned)failing_mask) : -1;
        char expected[64] = "";

        for (i = 0; i < TASKS; i++)
            comms[i] = thread_comm_new(group, i);
        for (i = 0; i < TASKS; i++)
            pthread_create(&threads[i], NULL, agree_in_thread, comms[i]);
        for (i = 0; i < TASKS; i++)
            pthread_join(threads[i], NULL);
        if (lowest >= 0)
            snprintf(expected, sizeof expected, "rank %d: reason %d", lowest, lowest);
        for (i = 0; i < TASKS; i++) {
            CHECK_INT(codes[i], lowest < 0 ? 0 : SION_ERR_ARGUMENT - lowest);
            CHECK_STR(texts[i], expected);
        }
    }
}

static int broken_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    (void)comm, (void)data, (void)bytes, (void)root;
    return 42;
}

static void a_communicator_that_fails_is_an_error_with_a_text(void)
{
    static const struct scion_comm_ops ops = {.bcast = broken_bcast};
    struct scion_comm comm = {.ops = &ops, .size = 2};

    CHECK_INT(scion_bcast(&comm, NULL, 0, 0), SION_ERR_COMM);
    CHECK_CONTAINS(scion_error_text(), "broadcast between the tasks failed (42)");
}

static int broken_gatherv(struct scion_comm *comm, const sion_int64 *from, int count,
                          sion_int64 *to, const int *counts, const int *first, int root)
{
    (void)comm, (void)from, (void)count, (void)to, (void)counts, (void)first, (void)root;
    return 42;
}

static void a_missing_message_is_an_error(void)
{
    sion_int64 word = 5, got = 0;
    struct scion_message out = {0, &word, 1}, in = {0, &got, 1};
    struct scion_comm_ops broken;
    struct scion_comm *self;

    CHECK_INT(scion_comm_self(&self), 0);
    CHECK_INT(scion_exchange(self, &out, 1, &in, 1), 0);
    CHECK_INT(got, 5);
    CHECK_INT(scion_exchange(self, NULL, 0, &in, 1), SION_ERR_COMM);
    broken = *self->ops;
    broken.exchange = NULL;
    broken.gatherv = broken_gatherv;
    self->ops = &broken;
    CHECK_INT(scion_exchange(self, &out, 1, NULL, 0), SION_ERR_COMM);
    scion_comm_free(self);
}

static void a_node_is_known_by_its_name(void)
{
    static const char *const names[] = {"a", "b", "a"};
    sion_int64 nodes[3];
    struct scion_comm *self;
    int i;

    CHECK_INT(scion_comm_self(&self), 0);
    for (i = 0; i < 3; i++) {
        setenv("SION_NODE", names[i], 1);
        CHECK_INT(scion_node(self, &nodes[i]), 0);
    }
    unsetenv("SION_NODE");
    CHECK(nodes[0] != nodes[1] && nodes[0] == nodes[2]);
    scion_comm_free(self);
}

/* ---- rows of unequal length ---- */

/* Of a row: the longest here, its first block without the head, and any other block. */
enum { LONG_ROW = 300000, FIRST = 15, BLOCK = (1 << 20) / TASKS };

static const int lengths[][TASKS] = {
    {0, 0, 0, 0, 0},   {1, 0, 15, 2, 3},       {16, 0, 15, 17, 1},          {0, 40, 0, 16, 33},
    {1, 0, 16, 2, 15}, {7, 0, 0, 0, LONG_ROW}, {LONG_ROW, 1, 16, 0, 250000}};
static const int (*row)[TASKS];

static sion_int64 number_of(int rank, int i)
{
    return rank * (sion_int64)10000000 + i;
}

/* At root, there is a gap after each row, and the last rank's row comes first. */
static sion_int64 *lay_out_rows(int *first)
{
    sion_int64 *all = calloc(4 * LONG_ROW, sizeof *all);
    int next = 0, rank, i;

    for (rank = TASKS - 1; rank >= 0; rank--) {
        first[rank] = next;
        for (i = 0; i < (*row)[rank]; i++)
            all[next++] = number_of(rank, i);
        next++;
    }
    return all;
}

static int rounds, words; /* on rank 0 */

static int counting_scatter(void *in, void *out, void *group, int dtype, int nelem, int root)
{
    if (generic_comm_of(group)->rank == 0) {
        rounds++;
        words += nelem;
    }
    return generic_scatter(in, out, group, dtype, nelem, root);
}

static void *scatter_in_thread(void *argument)
{
    const struct scion_user_callbacks callbacks = {
        .scatterr = counting_scatter, .scattervr = generic_scatterv, .bcastr = generic_bcast};
    struct scion_comm *group = argument;
    struct scion_comm *comm = scion_comm_user(&callbacks, group, group->rank, group->size);
    int first[TASKS], root, i, count = (*row)[comm->rank], wrong = 0;

    for (root = 0; root < TASKS; root += TASKS - 1) {
        int at_root = comm->rank == root;
        sion_int64 *all = at_root ? lay_out_rows(first) : NULL;
        sion_int64 *own = malloc(((size_t)count + 1) * sizeof *own);

        own[count] = -1;
        wrong += scion_scatterv(comm, all, at_root ? *row : NULL, at_root ? first : NULL, own,
                                count, root) != 0;
        for (i = 0; i < count; i++)
            wrong += own[i] != number_of(comm->rank, i);
        wrong += own[count] != -1;
        free(own);
        free(all);
    }
    codes[comm->rank] = wrong;
    scion_comm_free(comm);
    scion_comm_free(group);
    return NULL;
}

/* From two roots, there are no more and no longer blocks than the longest row needs. */
static void check_blocks(void)
{
    int most = 0, block, blocks, rank;

    for (rank = 0; rank < TASKS; rank++)
        most = (*row)[rank] > most ? (*row)[rank] : most;
    block = most - FIRST < BLOCK ? most - FIRST : BLOCK;
    blocks = most > FIRST ? (most - FIRST + block - 1) / block : 0;
    CHECK_INT(rounds, 2 * (1 + blocks));
    CHECK_INT(words, 2 * (1 + FIRST + blocks * block));
}

static void rows_of_any_length_are_scattered_without_scattervr(void)
{
    size_t i;
    int rank;

    for (i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        row = &lengths[i];
        rounds = words = 0;
        generic_run_threads(TASKS, scatter_in_thread);
        for (rank = 0; rank < TASKS; rank++)
            CHECK_INT(codes[rank], 0);
        check_blocks();
    }
}

int main(void)
{
    RUN(one_task_talks_to_itself);
    RUN(all_tasks_return_the_failure_of_the_lowest_rank);
    RUN(a_communicator_that_fails_is_an_error_with_a_text);
    RUN(a_missing_message_is_an_error);
    RUN(a_node_is_known_by_its_name);
    RUN(rows_of_any_length_are_scattered_without_scattervr);
    return check_done();
}
