/*
 * Tasks that are threads stop at their own first failures, in different calls, and close. A
 * watchdog names the case that does not end.
 */
#ifndef TEST_OMP_STOPS_H
#define TEST_OMP_STOPS_H

#include <errno.h>
#include <signal.h>

#include "team_omp.h"
#include "vfs/fault.h"

enum { CALLS = 8, LARGEST = 6000, PATIENCE = 120 };

static const char *const writers[] = {
    "bw,collective",         "bw,collective,posix",  "bw,collective,collsize=2",
    "bw,collective,recover", "bw,collective,cmerge", "bw,collective,cmerge,recover"};
static const char *const readers[] = {
    "br,collective,collread", "br,collective,collread,collsize=2,posix", "br,collective,cmerge"};
static const size_t sizes[] = {1, 17, 300, LARGEST};

static struct {
    const char *mode;
    size_t bytes;
    int tasks;
    int victim, n; /* who fails, in which call: all in different ones, if that is `tasks` */
    int refuses;   /* the argument of that call is wrong; else a call of the system fails */
    long hits;     /* calls of the system that have failed */
    char text[200];
} now;

static void cry(int signal)
{
    static const char hangs[] = "# hangs: ";

    (void)signal;
    if (write(1, hangs, sizeof hangs - 1) < 0 || write(1, now.text, strlen(now.text)) < 0)
        _exit(98);
    _exit(99);
}

static inline int is_wrong(int task, int i)
{
    return now.refuses && (now.victim == now.tasks ? i == (now.n + 3 * task) % CALLS
                                                   : task == now.victim && i == now.n - 1);
}

/* The number of records that were moved. */
static inline int move_until_failure(int sid, int task)
{
    unsigned char data[LARGEST];
    size_t n = now.bytes, done;
    int i = 0, is_read = now.mode[1] == 'r';

    for (; i < CALLS + is_read; i++) {
        check_fill(data, task, i * (long)n, n);
        done = is_read ? sion_coll_fread(is_wrong(task, i) ? NULL : data, 1, n, sid)
                       : sion_coll_fwrite(is_wrong(task, i) ? NULL : data, 1, n, sid);
        if (done != n)
            break;
        if (!strstr(now.mode, "cmerge"))
            EXPECT(check_compare(data, task, i * (long)n, n) == -1);
    }
    return i;
}

static inline void check_accepted(int sid, int task, int accepted)
{
    unsigned char data[LARGEST];
    size_t n = now.bytes;
    int i;

    for (i = 0; i < accepted; i++)
        EXPECT(sion_fread(data, 1, n, sid) == n && check_compare(data, task, i * (long)n, n) == -1);
    EXPECT(sion_feof(sid) == 1);
}

/* The mode that writes what the present one reads. */
static inline const char *writer_of(const char *reader)
{
    return strstr(reader, "cmerge") ? "bw,collective,cmerge" : "bw,collective";
}

/* Before the open, because files take the table then. */
static inline void prepare_to_arm(void)
{
    scion_fault_arm(0, 0, 0, 0);
}

static inline void disarm(void)
{
    now.hits += scion_fault_hits();
    scion_fault_disarm();
}

static inline void arm(int is_here)
{
    int is_read = now.mode[1] == 'r';

    if (!now.refuses && is_here)
        scion_fault_arm(1u << (is_read ? SCION_FAULT_PREAD : SCION_FAULT_PWRITE), 1 + 2 * now.n,
                        now.n % 2 ? 1000 : 1, is_read ? EIO : ENOSPC);
}

typedef void case_function(void);

/* All modes and victims, with a record size and a call that go round. */
static inline void try_all(const char *const *modes, int nmodes, case_function *run)
{
    static int next;
    int m;

    signal(SIGALRM, cry);
    for (now.refuses = 0; now.refuses < 2; now.refuses++) {
        for (m = 0; m < nmodes; m++) {
            for (now.victim = 0; now.victim <= now.tasks; now.victim++) {
                now.mode = modes[m];
                now.n = next % 5 + 1;
                now.bytes = sizes[next++ % 4];
                snprintf(now.text, sizeof now.text, "%s, %d tasks, %zu bytes, %s: %d of task %d\n",
                         now.mode, now.tasks, now.bytes,
                         now.refuses ? "wrong argument" : "no access", now.n, now.victim);
                alarm(PATIENCE);
                run();
                if (team_failures > 0)
                    printf("# in: %s", now.text);
                team_done();
            }
        }
    }
    alarm(0);
}

#endif
