/* A lock by OpenMP for the handle table, for programs that link no other lock. */
#ifndef SCION_API_OMP_LOCK_H
#define SCION_API_OMP_LOCK_H

/* Register it, unless the application or an earlier call has registered one. Local. */
void scion_omp_need_lock(void);

#endif
