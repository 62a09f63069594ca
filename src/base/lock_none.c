/* The lock of programs without threads: none. */
#include "base/lock.h"

void scion_builtin_lock(void)
{
}

void scion_builtin_unlock(void)
{
}
