/* Containers that grow, by teams of threads. Before: open_team, publish_team, close_team, NAME. */
#ifndef TEST_GROW_OMP_H
#define TEST_GROW_OMP_H

#include "team_omp.h"

enum { ROUNDS = 4, LARGEST = 260 };

/* What a task writes in a round. */
static size_t bytes_of(int task, int round)
{
    return (size_t)(LARGEST - 60 * round + task);
}

static void write_round(int sid, int task, int round, int collective)
{
    unsigned char data[LARGEST + 64];
    size_t bytes = bytes_of(task, round);
    long before = 0;
    int i;

    for (i = 0; i < round; i++)
        before += (long)bytes_of(task, i);
    check_fill(data, task, before, bytes);
    EXPECT((collective ? (sion_int64)sion_coll_fwrite(data, 1, bytes, sid)
                       : sion_stream_write(sid, data, (sion_int64)bytes)) == (sion_int64)bytes);
}

/* One process reads all tasks after so many rounds; fewer: of the last thread of each team. */
static void check_rounds_of(int ntasks, int rounds, int threads, int fewer)
{
    unsigned char data[ROUNDS * (LARGEST + 64)];
    int found, nfiles, sid, task, i;
    sion_int32 fsblksize;

    sid = sion_open(NAME, "r,generation=all", &found, &nfiles, NULL, &fsblksize, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(found, ntasks);
    for (task = 0; sid >= 0 && task < ntasks; task++) {
        int its_rounds = (task + 1) % threads == 0 ? fewer : rounds;
        size_t bytes = 0;

        for (i = 0; i < its_rounds; i++)
            bytes += bytes_of(task, i);
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        CHECK_INT(sion_stream_read(sid, data, sizeof data), bytes);
        CHECK_INT(check_compare(data, task, 0, bytes), -1);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void check_rounds(int ntasks, int rounds)
{
    check_rounds_of(ntasks, rounds, ntasks, rounds);
}

/* Each round is published. After two, the last thread of each team fails, and closes. */
static void write_by_clock(int threads, int first, int ntasks, int reads, void (*meet)(void))
{
#pragma omp parallel num_threads(threads)
    {
        int thread = omp_get_thread_num(), task = first + thread, round;
        int sid = open_team("w,publish=0,collective"), fails = thread == threads - 1;

        for (round = 0; round < 2; round++) {
            write_round(sid, task, round, 1);
#pragma omp barrier
#pragma omp master
            {
                meet();
                if (reads)
                    check_rounds(ntasks, round + 1);
                meet();
            }
#pragma omp barrier
        }
        if (fails)
            EXPECT(sion_coll_fwrite(NULL, 1, 1, sid) == 0);
        for (; !fails && round < ROUNDS; round++)
            write_round(sid, task, round, 1);
        EXPECT(close_team(sid) == 1);
    }
    meet();
    if (reads)
        check_rounds_of(ntasks, ROUNDS, threads, 2);
    meet();
    team_done();
}

/* A round that is published, one that is not, and then those that another team appends. */
static void write_and_append(int threads, int first, int ntasks, int reads, const char *words,
                             void (*meet)(void))
{
    char mode[2][32] = {"w", "a"};
    int part, collective = strcmp(words, ",collective") == 0;

    for (part = 0; part < 2; part++) {
        strcat(mode[part], words);
#pragma omp parallel num_threads(threads)
        {
            int task = first + omp_get_thread_num(), sid = open_team(mode[part]);

            write_round(sid, task, 2 * part, collective);
            EXPECT(publish_team(sid) == 1);
#pragma omp barrier
#pragma omp master
            {
                meet();
                if (reads)
                    check_rounds(ntasks, 2 * part + 1);
                meet();
            }
#pragma omp barrier
            write_round(sid, task, 2 * part + 1, collective);
            EXPECT(close_team(sid) == 1);
        }
        meet();
        if (reads)
            check_rounds(ntasks, 2 * part + 2);
        meet();
    }
    team_done();
}

#endif
