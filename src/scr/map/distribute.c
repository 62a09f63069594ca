/* The ranks of a map are divided evenly among the tasks: task 0 decides who sends what to whom. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/map/map.h"
#include "scr/tasks/words.h"

/* An entry as rank 0 sees it. */
struct item {
    sion_int64 rank, words;
    int sender, place; /* place: among the sender's entries */
    int owner;         /* the task that gets it */
};

static int by_rank(const void *a, const void *b)
{
    const struct item *left = a, *right = b;

    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static int by_owner(const void *a, const void *b)
{
    const struct item *left = a, *right = b;

    if (left->owner != right->owner)
        return left->owner < right->owner ? -1 : 1;
    return left->sender != right->sender ? (left->sender < right->sender ? -1 : 1) : by_rank(a, b);
}

/* The original order: that of the senders, and of each sender's entries. */
static int by_sender(const void *a, const void *b)
{
    const struct item *left = a, *right = b;

    if (left->sender != right->sender)
        return left->sender < right->sender ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

static struct item *list_items(const struct scion_post *came, int tasks, int *n)
{
    struct item *items;
    const sion_int64 *at = came->list.words;
    int t, i, k = 0;

    *n = (int)(came->list.count / 2);
    items = scion_must_allocate((size_t)*n + 1, sizeof *items);
    for (t = 0; t < tasks; t++) {
        for (i = 0; i < came->counts[t] / 2; i++, at += 2)
            items[k++] = (struct item){at[0], at[1], t, i, 0};
    }
    return items;
}

static int refuse_missing(int n, sion_int64 least)
{
    return scion_fail(SION_ERR_DAMAGED, "the map is incomplete: %d of %lld ranks", n, least);
}

/* Sorted by rank: place p of n belongs to the task m with m*n/M <= p < (m+1)*n/M. */
static int choose_owners(struct item *items, int n, int tasks, sion_int64 least)
{
    int i, owner = 0;

    qsort(items, (size_t)n, sizeof *items, by_rank);
    for (i = 0; i < n; i++) {
        if (i > 0 && items[i].rank == items[i - 1].rank)
            return scion_fail(SION_ERR_DAMAGED, "rank %lld is in two files of the map",
                              items[i].rank);
        while ((sion_int64)(owner + 1) * n / tasks <= i)
            owner++;
        items[i].owner = owner;
    }
    if (n < least)
        return refuse_missing(n, least);
    return 0;
}

/* The entries are sorted by owner. List which task sends how many words to each task, and where
   each task's list ends. */
static void list_senders(const struct item *items, int n, int tasks, struct scion_words *list,
                         sion_int64 *ends)
{
    int t, k = 0;

    for (t = 0; t < tasks; t++) {
        while (k < n && items[k].owner == t) {
            sion_int64 words = 0;
            int from = items[k].sender;

            for (; k < n && items[k].owner == t && items[k].sender == from; k++)
                words += items[k].words;
            scion_words_append(list, from);
            scion_words_append(list, words);
        }
        ends[t] = list->count;
    }
}

/* Each task's orders: the number of its entries, and who gets each; then who sends how many words.
 * */
static void write_orders(struct item *items, int n, int tasks, struct scion_post *orders)
{
    sion_int64 *ends = scion_must_allocate((size_t)tasks, sizeof *ends), begin = 0;
    struct scion_words senders = {0}, *list = &orders->list;
    int t, i = 0;

    qsort(items, (size_t)n, sizeof *items, by_owner);
    list_senders(items, n, tasks, &senders, ends);
    qsort(items, (size_t)n, sizeof *items, by_sender);
    for (t = 0; t < tasks; begin = ends[t++]) {
        sion_int64 before = list->count;

        scion_words_append(list, 0);
        for (; i < n && items[i].sender == t; i++, list->words[before]++)
            scion_words_append(list, items[i].owner);
        if (ends[t] > begin)
            scion_words_append_all(list, senders.words + begin, ends[t] - begin);
        orders->counts[t] = (int)(list->count - before);
    }
    free(senders.words);
    free(ends);
}

static int decide(const struct scion_post *came, int tasks, sion_int64 least,
                  struct scion_post *orders, int *n)
{
    struct item *items = list_items(came, tasks, n);
    int rc = choose_owners(items, *n, tasks, least);

    orders->counts = scion_must_allocate((size_t)tasks, sizeof *orders->counts);
    if (rc == 0)
        write_orders(items, *n, tasks, orders);
    free(items);
    return rc;
}

static int move(struct scion_comm *comm, const struct sion_scr_ranks *held,
                const struct scion_word_inbox *orders, struct sion_scr_ranks *ranks)
{
    const sion_int64 *owners = orders->words + 1, *senders = owners + held->count;
    int nin = (int)(orders->count - 1 - held->count) / 2, nout = 0, i, rc;
    struct scion_message *in = scion_must_allocate((size_t)nin + 1, sizeof *in);
    struct scion_message *out = scion_must_allocate((size_t)held->count + 1, sizeof *out);

    /* Every task has sorted its entries by rank, so those for one owner are neighbours. */
    for (i = 0; i < held->count; nout++) {
        int first = i;

        while (i < held->count && owners[i] == owners[first])
            i++;
        out[nout].peer = (int)owners[first];
        out[nout].words = scion_ranks_to_words(held, first, i - first, &out[nout].count);
    }
    for (i = 0; i < nin; i++) {
        in[i].peer = (int)senders[2 * i];
        in[i].count = senders[2 * i + 1];
        in[i].words = scion_must_allocate((size_t)in[i].count, sizeof *in[i].words);
    }
    rc = scion_exchange(comm, out, nout, in, nin);
    for (i = 0; i < nin; i++) {
        if (rc == 0)
            rc = scion_ranks_from_words(ranks, in[i].words, in[i].count);
        free(in[i].words);
    }
    for (i = 0; i < nout; i++)
        free(out[i].words);
    free(in);
    free(out);
    return rc != 0 ? rc : scion_ranks_sort(ranks);
}

/* A single task keeps its entries, without a copy. */
static int keep(struct sion_scr_ranks *held, sion_int64 least, struct sion_scr_ranks *ranks,
                sion_int64 *total)
{
    int rc = scion_ranks_sort(held);

    *total = held->count;
    if (rc == 0 && held->count < least)
        rc = refuse_missing(held->count, least);
    if (rc != 0)
        return rc;
    *ranks = *held;
    *held = (struct sion_scr_ranks){0};
    return 0;
}

int scion_ranks_distribute(struct scion_comm *comm, struct sion_scr_ranks *held, sion_int64 least,
                           struct sion_scr_ranks *ranks, sion_int64 *total)
{
    struct scion_post came, orders = {0};
    struct scion_words mine = {0};
    struct scion_word_inbox received;
    int rc, i, n = 0;

    if (comm->size == 1)
        return keep(held, least, ranks, total);
    rc = scion_ranks_sort(held);
    for (i = 0; rc == 0 && i < held->count; i++) {
        scion_words_append(&mine, held->entries[i].rank);
        scion_words_append(&mine, scion_rank_words((sion_int64)held->entries[i].size));
    }
    rc = scion_post_gather(comm, scion_name_rank(comm, rc), mine.words, mine.count, &came);
    if (rc == 0) {
        if (comm->rank == 0)
            rc = decide(&came, comm->size, least, &orders, &n);
        rc = scion_post_scatter(comm, rc, &orders, n, &received);
        *total = received.flag;
        if (rc == 0)
            rc = scion_agree(comm, scion_name_rank(comm, move(comm, held, &received, ranks)));
        free(received.words);
    }
    free(mine.words);
    scion_post_free(&came);
    scion_post_free(&orders);
    return rc;
}
