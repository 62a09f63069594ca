/* Runs a function on several tasks, which are threads with a communicator of their own. */
#ifndef TEST_THREAD_TASKS_H
#define TEST_THREAD_TASKS_H

#include "thread_comm.h"

enum { MAX_TASKS = 9 };

struct task {
    struct scion_comm *comm;
    void (*work)(struct scion_comm *comm, void *data);
    void *data;
};

static inline void *start_task(void *argument)
{
    struct task *task = argument;

    task->work(task->comm, task->data);
    scion_comm_free(task->comm);
    return NULL;
}

static inline void run_tasks(int n, void (*work)(struct scion_comm *comm, void *data), void *data)
{
    struct thread_group *group = thread_group_new(n);
    struct task tasks[MAX_TASKS];
    pthread_t threads[MAX_TASKS];
    int i;

    for (i = 0; i < n; i++) {
        tasks[i] = (struct task){thread_comm_new(group, i), work, data};
        pthread_create(&threads[i], NULL, start_task, &tasks[i]);
    }
    for (i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

#endif
