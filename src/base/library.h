/* Libraries of the system that are loaded when they are first needed: nothing is linked with them.
 */
#ifndef SCION_BASE_LIBRARY_H
#define SCION_BASE_LIBRARY_H

/*
 * The addresses of the named functions, in this order; NULL ends the names. *loaded is NULL before
 * the first call, and remembers them. NULL: the library, or one of the functions, is not there. The
 * library stays loaded. Threads may come here at the same time.
 */
const void *scion_library_functions(void **loaded, const char *file, const char *const *names);

#endif
