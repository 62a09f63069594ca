/*
 * check.h for OpenMP programs: threads count failures, and the test checks the count after the
 * parallel region.
 */
#ifndef TEST_OMP_TEAM_H
#define TEST_OMP_TEAM_H

#include <omp.h>

#include "support.h"

static int team_failures;

/* A CHECK that several threads may call at the same time. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            team_fail(__FILE__, __LINE__, #condition);                                             \
    } while (0)

static inline void team_fail(const char *file, int line, const char *text)
{
#pragma omp critical(team_report)
    {
        team_failures++;
        if (team_failures < 20)
            printf("# %s:%d: thread %d: failed: %s\n", file, line, omp_get_thread_num(), text);
    }
}

/* Call it after a parallel region: the failures of its threads count for the test. */
static inline void team_done(void)
{
    check_failed_here += team_failures;
    team_failures = 0;
}

#endif
