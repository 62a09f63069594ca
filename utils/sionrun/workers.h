/* Processes that share the work of this one: those that its processors can run at once. */
#ifndef UTILS_SIONRUN_WORKERS_H
#define UTILS_SIONRUN_WORKERS_H

struct workers_job {
    /* Do the share of worker `number` of n: TOOL_RUN, or TOOL_FAILED after a message. */
    int (*work)(void *context, int number, int n);
    void (*wait)(void *context); /* called now and then in this process meanwhile; or NULL */
    void *context;
};

/*
 * Do it with at most so many processes; files that are open stay open in them, and what they change
 * in memory is lost. TOOL_RUN, or TOOL_FAILED after the message of one that has failed.
 */
int workers_run(const struct workers_job *job, int most);

#endif
