/* Functions for the bindings: exported, but in no public header. */
#ifndef SCION_API_BINDINGS_H
#define SCION_API_BINDINGS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * The descriptor of the selected task's physical file, in ansi mode too, where its offset means
 * nothing; for fsync and the like. -1 with a message: invalid sid.
 */
int sion_layer_fileno(int sid);

/* The ranks of the tasks of a mapped container in this process. 0; -1 with a message: invalid sid,
   or it is not mapped. */
int sion_layer_task_ranks(int sid, int *ranks);

/*
 * The program has lost a sid without a close. What the container's buffers hold is written, and a
 * line says so. Local.
 */
void sion_layer_lose(int sid);

/*
 * Whether the name of the task's physical file has more than `room` bytes; then the first task of
 * the file warns that it was cut off. `function` opened it.
 */
int sion_layer_cuts_name(const char *function, int sid, size_t room);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
