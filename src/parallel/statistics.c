/* Lines about the groups of a file, for SION_COLLDEBUG. */
#include <stdio.h>

#include "base/env.h"
#include "parallel/collective.h"
#include "parallel/request.h"

/* Least, most and sum of some numbers. */
struct range {
    sion_int64 least, most, sum, count;
};

static void add(struct range *range, sion_int64 value)
{
    if (range->count == 0 || value < range->least)
        range->least = value;
    if (range->count == 0 || value > range->most)
        range->most = value;
    range->sum += value;
    range->count++;
}

static void print_number(const char *name, sion_int64 value)
{
    fprintf(stderr, "collective statistics: %-28s = %11lld\n", name, value);
}

static void print_range(const char *name, const struct range *range)
{
    static const char *const kinds[] = {"avg", "min", "max"};
    const sion_int64 values[] = {range->count > 0 ? range->sum / range->count : 0, range->least,
                                 range->most};
    char text[64];
    int i;

    for (i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s %s", kinds[i], name);
        print_number(text, values[i]);
    }
}

static void print_groups(const struct scion_group *groups, const struct scion_reply *replies, int n)
{
    struct range senders = {0}, collected = {0}, sent = {0};
    sion_int64 bytes = 0;
    int t;

    for (t = 0; t < n; t++) {
        bytes = groups[t].first == t ? 0 : bytes;
        bytes += replies[t].chunksize;
        if (groups[t].first != t)
            add(&sent, replies[t].chunksize);
        if (t == groups[t].first + groups[t].size - 1) {
            add(&senders, groups[t].size - 1);
            add(&collected, bytes);
        }
    }
    print_number("num_collectors", senders.count);
    print_range("senders per collector", &senders);
    print_range("size per collector", &collected);
    print_range("size per sender", &sent);
}

static void print_tasks(const struct scion_group *groups, const struct scion_reply *replies, int n)
{
    int t;

    for (t = 0; t < n; t++)
        fprintf(stderr,
                "collective statistics: task %6d: %-9s of group %6d, %6d tasks, start %lld\n", t,
                groups[t].first == t ? "COLLECTOR" : "SENDER", groups[t].first, groups[t].size,
                replies[t].start);
}

void scion_collective_print(const struct scion_group_criteria *criteria,
                            const struct scion_group *groups, const struct scion_reply *replies,
                            int n)
{
    long long level, requested = -1;

    if (!scion_env_number("COLLDEBUG", &level) || level < 1)
        return;
    scion_env_number("COLLSIZE", &requested);
    print_number("SION_COLLSIZE", requested);
    print_number("req_collsize", criteria->collsize > 0 ? criteria->collsize : -1);
    print_number("req_num_collectors",
                 criteria->collsize > 0
                     ? (n + (sion_int64)criteria->collsize - 1) / criteria->collsize
                     : -1);
    print_groups(groups, replies, n);
    if (level >= 3)
        print_tasks(groups, replies, n);
}
