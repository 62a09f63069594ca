/* Communicators of threads, and pairs of them, compared with computed values. */
#include "comm/agree.h"
#include "comm/pair.h"
#include "comm/threads.h"

#include <pthread.h>

#include "base/error.h"
#include "check.h"
#include "model.h"
#include "transfer.h"

enum { MOST = 16 };

/* One thread: its rank in the inner communicator, and that communicator's group in the outer one.
 * */
struct place {
    pthread_t thread;
    struct scion_threads *inner, *outer;
    int rank, group, groups;
    int first, total; /* of the group; of all */
    int cut;          /* number of tasks in the first half of the groups */
    void (*run)(struct scion_comm *comm, const struct place *place);
};

static void *start(void *argument)
{
    struct place *place = argument;
    struct scion_comm *comm = scion_threads_join(place->inner, place->rank);

    if (place->outer)
        comm = scion_comm_pair(
            place->rank == 0 ? scion_threads_join(place->outer, place->group) : NULL, comm);
    place->run(comm, place);
    scion_comm_free(comm);
    return NULL;
}

static void run_places(struct place *places, int n)
{
    int i;

    model_wrong = 0;
    for (i = 0; i < n; i++)
        pthread_create(&places[i].thread, NULL, start, &places[i]);
    for (i = 0; i < n; i++)
        pthread_join(places[i].thread, NULL);
    CHECK_INT(model_wrong, 0);
}

static void run_threads(int n, void (*run)(struct scion_comm *, const struct place *))
{
    struct scion_threads *threads = scion_threads_new(n);
    struct place places[MOST];
    int i;

    for (i = 0; i < n; i++)
        places[i] = (struct place){.inner = threads, .rank = i, .total = n, .run = run};
    run_places(places, n);
}

/* sizes: number of threads in each group; 0 ends the list. */
static void run_pairs(const int *sizes, void (*run)(struct scion_comm *, const struct place *))
{
    struct place places[MOST];
    struct scion_threads *outer, *inner;
    int groups = 0, total = 0, cut = 0, n = 0, group, i;

    while (sizes[groups])
        total += sizes[groups++];
    for (group = 0; group < groups / 2; group++)
        cut += sizes[group];
    outer = scion_threads_new(groups);
    for (group = 0; group < groups; group++) {
        int first = n;

        inner = scion_threads_new(sizes[group]);
        for (i = 0; i < sizes[group]; i++)
            places[n++] = (struct place){.inner = inner,
                                         .outer = outer,
                                         .rank = i,
                                         .group = group,
                                         .groups = groups,
                                         .first = first,
                                         .total = total,
                                         .cut = cut,
                                         .run = run};
    }
    run_places(places, n);
}

static void use_all(struct scion_comm *comm, const struct place *place)
{
    MODEL(comm->size == place->total && comm->rank == place->first + place->rank);
    model_check(comm, 40);
}

static const int unequal[][6] = {{1, 0},       {3, 0},          {1, 1, 0},      {2, 2, 0},
                                 {1, 4, 2, 0}, {3, 1, 4, 2, 0}, {4, 4, 4, 4, 0}};

enum { SHAPES = sizeof unequal / sizeof unequal[0] };

static void threads_behave_like_a_communicator(void)
{
    int n;

    for (n = 1; n <= 8; n++)
        run_threads(n, use_all);
}

static void a_pair_behaves_like_a_communicator(void)
{
    int i;

    for (i = 0; i < SHAPES; i++)
        run_pairs(unequal[i], use_all);
}

/* Splits into odd and even ranks, in descending order. */
static void split_any_way(struct scion_comm *comm, const struct place *place)
{
    int parity = comm->rank % 2, peers = (comm->size + 1 - parity) / 2;
    struct scion_comm *part;

    (void)place;
    MODEL(scion_split(comm, parity, -comm->rank, &part) == 0);
    MODEL(part->size == peers && part->rank == peers - 1 - comm->rank / 2);
    model_check(part, 20 + 10 * parity);
    scion_comm_free(part);
    model_check(comm, 5);
}

static void threads_split_in_any_way(void)
{
    int n;

    for (n = 1; n <= 8; n++)
        run_threads(n, split_any_way);
}

/* The groups of a pair stay together: splits into odd and even groups, in descending order. */
static void split_groups(struct scion_comm *comm, const struct place *place)
{
    int parity = place->group % 2;
    struct scion_comm *part;

    MODEL(scion_split(comm, parity, 1000 * (place->groups - place->group) + place->rank, &part) ==
          0);
    if (place->group >= place->groups - 2)
        MODEL(part->rank == place->rank);
    model_check(part, 20 + 10 * parity);
    scion_comm_free(part);
    model_check(comm, 5);
}

static void a_pair_splits_between_groups(void)
{
    int i;

    for (i = 0; i < SHAPES; i++)
        run_pairs(unequal[i], split_groups);
}

/* Groups that are in no part get none; the others get theirs. */
static void leave_groups_out(struct scion_comm *comm, const struct place *place)
{
    int is_in = place->group % 2 == 0;
    struct scion_comm *part = comm;

    MODEL(scion_split(comm, is_in ? 0 : -1 - place->rank, comm->rank, &part) == 0);
    MODEL((part != NULL) == is_in);
    if (part)
        model_check(part, 10);
    scion_comm_free(part);
    model_check(comm, 5);
    MODEL(scion_split(comm, -1, 0, &part) == 0 && !part);
}

static void a_group_of_a_pair_can_be_in_no_part(void)
{
    int i;

    for (i = 0; i < SHAPES; i++)
        run_pairs(unequal[i], leave_groups_out);
}

/* A split that would tear or reorder only one group fails on all tasks. */
static void tear_groups(struct scion_comm *comm, const struct place *place)
{
    int is_last = place->group == place->groups - 1;
    struct scion_comm *part = NULL;

    MODEL(scion_split(comm, is_last ? place->rank : 0, comm->rank, &part) == SCION_COMM_TORN);
    MODEL(strstr(scion_error_text(), "different physical files") != NULL);
    MODEL(scion_split(comm, 0, is_last ? -place->rank : comm->rank, &part) == SCION_COMM_TORN);
    MODEL(part == NULL);
    model_check(comm, 5);
}

static void a_pair_refuses_to_tear_a_group(void)
{
    static const int shapes[][4] = {{2, 0}, {1, 4, 2, 0}, {3, 3, 0}};
    int i;

    for (i = 0; i < 3; i++)
        run_pairs(shapes[i], tear_groups);
}

static void fail_one(struct scion_comm *comm, const struct place *place)
{
    int who;

    (void)place;
    for (who = 0; who < comm->size; who++) {
        int rc = comm->rank == who ? scion_fail(SION_ERR_DAMAGED - who, "reason %d", who) : 0;
        char text[32];

        snprintf(text, sizeof text, "reason %d", who);
        MODEL(scion_agree(comm, rc) == SION_ERR_DAMAGED - who);
        MODEL(strcmp(scion_error_text(), text) == 0);
    }
}

static void all_tasks_see_the_failure_of_one(void)
{
    int i;

    run_threads(5, fail_one);
    for (i = 0; i < SHAPES; i++)
        run_pairs(unequal[i], fail_one);
}

/* ---- transfers ---- */

/* One group of all tasks, then two groups of whole groups: those before `cut`, and the others. */
static void transfer_in_groups(struct scion_comm *comm, const struct place *place)
{
    int cut = place->groups / 2, first = place->group < cut ? 0 : place->cut;
    int size = place->group < cut ? place->cut : place->total - place->cut;
    struct scion_comm *group;

    MODEL(scion_capability(comm) == (place->rank == 0 ? SCION_COLLECTS : SCION_ONLY_SENDS));
    MODEL(scion_form_group(comm, 0, &group) == 0);
    MODEL(group->rank == comm->rank && group->size == comm->size);
    transfer_check(group, 30);
    scion_comm_free(group);
    MODEL(scion_form_group(comm, first, &group) == 0);
    MODEL(group->rank == comm->rank - first && group->size == size);
    transfer_check(group, 30);
    scion_comm_free(group);
}

static void records_reach_the_first_thread(void)
{
    int i;

    for (i = 1; i <= 8; i++)
        run_threads(i, transfer_in_groups);
    for (i = 0; i < SHAPES; i++)
        run_pairs(unequal[i], transfer_in_groups);
}

/* Each task has its own last call; then the group can be used again. */
static void leave_group(struct scion_comm *comm, const struct place *place)
{
    struct scion_comm *group;
    int scatters;

    (void)place;
    MODEL(scion_form_group(comm, 0, &group) == 0);
    MODEL(scion_must_leave(group) != SCION_MUST_LEAVE_FIRST);
    for (scatters = 0; scatters < 2; scatters++) {
        transfer_leave(group, scatters);
        transfer_check(group, 3);
    }
    scion_comm_free(group);
}

static void tasks_leave_in_different_calls(void)
{
    int i;

    for (i = 1; i <= 8; i++)
        run_threads(i, leave_group);
    for (i = 0; i < SHAPES; i++)
        run_pairs(unequal[i], leave_group);
}

/* ---- messages through rank 0 ---- */

static const struct scion_comm_ops *watched;
static atomic_llong most_words; /* largest gather to rank 0 */

static int watch_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                         const int *counts, const int *first, int root)
{
    long long words = 0;
    int i;

    for (i = 0; comm->rank == root && i < comm->size; i++)
        words += counts[i];
    if (words > most_words)
        most_words = words;
    return watched->gatherv(comm, from, count, to, counts, first, root);
}

enum { UNIT = 100000, ROUND = 1 << 20, HEAD = 2 }; /* words */

static void exchange_much(struct scion_comm *comm, const struct place *place)
{
    const struct scion_comm_ops *whole = comm->ops;
    struct scion_comm_ops ops = *whole;

    (void)place;
    ops.gatherv = watch_gatherv;
    comm->ops = &ops;
    model_exchange(comm, UNIT);
    comm->ops = whole;
}

static void rank_0_never_holds_all_messages(void)
{
    struct scion_threads *one = scion_threads_new(1);
    struct scion_comm *comm = scion_threads_join(one, 0);
    long long words = 0;
    int from, to;

    watched = comm->ops;
    scion_comm_free(comm);
    most_words = 0;
    for (from = 0; from < 8; from++) {
        for (to = 0; to < 8; to++)
            words += model_message(from, to, UNIT) > 0 ? model_message(from, to, UNIT) : 0;
    }
    CHECK(words > 5 * ROUND);
    run_threads(8, exchange_much);
    CHECK(most_words > UNIT);
    CHECK(most_words <= ROUND + HEAD + 4 * UNIT);
}

/* ---- an outer communicator that breaks ---- */

static int broken(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    (void)comm, (void)value, (void)told, (void)n;
    return 42;
}

static int broken_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                           struct scion_record **records, int n, const int *counts)
{
    (void)comm, (void)transfer, (void)records, (void)n, (void)counts;
    return 43;
}

static void break_outer(struct scion_comm *comm, const struct place *place)
{
    struct scion_comm *outer = scion_pair_outer(comm);
    const struct scion_comm_ops *whole = outer ? outer->ops : NULL;
    const struct scion_transfer transfer = {0};
    struct scion_record record = {0};
    struct scion_comm_ops ops = {0};
    sion_int64 value = 1;

    (void)place;
    if (outer) {
        ops = *whole;
        ops.minimum = broken;
        ops.transfer = broken_transfer;
        outer->ops = &ops;
    }
    MODEL(scion_minimum(comm, &value, NULL, 0) == SION_ERR_COMM);
    MODEL(scion_transfer(comm, &transfer, &record) == SION_ERR_COMM);
    if (outer)
        outer->ops = whole;
}

static void an_outer_failure_is_seen_by_all_threads(void)
{
    static const int shapes[][3] = {{3, 0}, {2, 3, 0}};
    int i;

    for (i = 0; i < 2; i++)
        run_pairs(shapes[i], break_outer);
}

int main(void)
{
    RUN(threads_behave_like_a_communicator);
    RUN(a_pair_behaves_like_a_communicator);
    RUN(threads_split_in_any_way);
    RUN(a_pair_splits_between_groups);
    RUN(a_group_of_a_pair_can_be_in_no_part);
    RUN(a_pair_refuses_to_tear_a_group);
    RUN(all_tasks_see_the_failure_of_one);
    RUN(records_reach_the_first_thread);
    RUN(tasks_leave_in_different_calls);
    RUN(rank_0_never_holds_all_messages);
    RUN(an_outer_failure_is_seen_by_all_threads);
    return check_done();
}
