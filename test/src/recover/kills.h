/*
 * Writers that a timer kills, and the judgement of what they have left. A program is run twice, in
 * the same folder, which has the container and the journal:
 *
 *     PROGRAM write FLAVOUR SEED MICROSECONDS VICTIM   VICTIM: a process; -1: all of them are
 * killed PROGRAM judge FLAVOUR                            one process checks what is left
 */
#ifndef TEST_RECOVER_KILLS_H
#define TEST_RECOVER_KILLS_H

#include <signal.h>
#include <sys/time.h>

#include "sion_common.h"
#include "sion_error.h"
#include "sion_serial.h"

#include "check.h"
#include "journal.h"

#ifdef WITH_CHECKSUM
#include "sion_checksum.h"
#endif

static struct journal *kills_journal;

/* ---- the writer ---- */

static int kills_all;

/* With TEST_NODE_DIES, all processes of this one's node die: they have numbers of their own. */
static inline void kills_end(int signal)
{
    (void)signal;
    if (kills_all)
        kill(-1, SIGKILL);
    kill(getpid(), SIGKILL);
}

/* Nothing but the timer may end a writer. */
static inline void kills_note_crash(int signal)
{
    kills_journal->has_crashed = signal;
    _exit(1);
}

/* 0: never. */
static inline void kills_set_timer(long microseconds)
{
    const struct itimerval when = {.it_value = {microseconds / 1000000, microseconds % 1000000}};

    kills_all = getenv("TEST_NODE_DIES") != NULL;
    signal(SIGALRM, kills_end);
    setitimer(ITIMER_REAL, &when, NULL);
}

static inline void kills_begin(int ntasks, int is_keyval)
{
    kills_journal = journal_map("journal");
    kills_journal->ntasks = ntasks;
    kills_journal->is_keyval = is_keyval;
    signal(SIGSEGV, kills_note_crash);
    signal(SIGBUS, kills_note_crash);
    signal(SIGABRT, kills_note_crash);
#ifdef WITH_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
}

/* ---- the judgement ---- */

/* Check what the commit records tell, and again after the recovery has closed the container. */
static inline int kills_judge(char *container, int may_be_missing,
                              int compare(const sion_recovery *recovery, const char *where))
{
    int faults = 0, again, n, nfiles, sid;

    for (again = 0; again < 2; again++) {
        const char *where = again ? "closed" : "killed";
        sion_recovery *recovery = sion_recover_open(container, 0);

        if (!recovery) {
            if (may_be_missing && !again)
                return 0;
            printf("# %s: %s: %s\n", container, where, sion_error_text());
            return 1;
        }
        faults += compare(recovery, where);
        if (sion_recover_in_place(recovery) != 1) {
            printf("# %s: %s\n", container, sion_error_text());
            faults++;
        }
        sion_recover_close(recovery);
    }
    sid = sion_open(container, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    if (sid < 0)
        printf("# %s: %s\n", container, sion_error_text());
    return faults + (sid < 0 || sion_close(sid) != 1);
}

/* Not on stderr, because a container that was being created is not a fault. */
static inline void kills_ignore(int level, int about, int rc, const char *text, void *user)
{
    (void)level, (void)about, (void)rc, (void)text, (void)user;
}

/* Prints what is wrong, or what was flushed. copy: a buddy's container, or NULL. */
static inline int kills_run_judge(const char *flavour, char *container, char *copy,
                                  int compare(const sion_recovery *recovery, const char *where))
{
    int t, flushed = 0, faults;

    sion_error_set_handler(kills_ignore, NULL);
    kills_journal = journal_map("journal");
    if (kills_journal->has_crashed) {
        printf("# %s: the writer ended by signal %d\n", flavour, kills_journal->has_crashed);
        return 1;
    }
    if (kills_journal->is_between) {
        printf("# %s: killed during a new start\n", flavour);
        return 0;
    }
    faults = kills_judge(container, !kills_journal->is_open, compare);
    if (copy)
        faults += kills_judge(copy, !kills_journal->is_open, compare);
    for (t = 0; t < kills_journal->ntasks; t++)
        flushed += kills_journal->tasks[t].flushed;
    printf("# %s: %d records were flushed%s\n", flavour, flushed,
           kills_journal->is_closed ? ", and closed" : "");
    return faults > 0;
}

#endif
