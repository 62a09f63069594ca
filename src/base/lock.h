/*
 * The one lock of the library. It protects the handle table's changes and one-time set-up, never
 * a read or a write. Built-in: a pthread mutex or nothing, by the lock archive that is linked;
 * an application may put its own callbacks in its place.
 */
#ifndef SCION_BASE_LOCK_H
#define SCION_BASE_LOCK_H

void scion_lock(void);
void scion_unlock(void);

/* Provided by lock_pthreads.c or lock_none.c. */
void scion_builtin_lock(void);
void scion_builtin_unlock(void);

#endif
