/* Functions for the bindings: exported, but in no public header. */
#ifndef SCION_API_BINDINGS_H
#define SCION_API_BINDINGS_H

#pragma GCC visibility push(default)

/*
 * The descriptor of the selected task's physical file, in ansi mode too, where its offset means
 * nothing; for fsync and the like. -1 with a message: invalid sid.
 */
int sion_layer_fileno(int sid);

/* The ranks of the tasks of a mapped container in this process. 0; -1 with a message: invalid sid,
   or it is not mapped. */
int sion_layer_task_ranks(int sid, int *ranks);

#pragma GCC visibility pop

#endif
