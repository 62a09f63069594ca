/* What programs that are started must have in their environment. */
#ifndef SCION_PRELOAD_EXEC_H
#define SCION_PRELOAD_EXEC_H

/* Remember the folder of the session, and this library. */
void run_exec_start(const char *folder);

#endif
