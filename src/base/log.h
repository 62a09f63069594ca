/*
 * Where messages go: stderr, in the form that users of SIONlib know, or the application's handler.
 * Only the API layer and the tools call these.
 */
#ifndef SCION_BASE_LOG_H
#define SCION_BASE_LOG_H

#include "sion_error.h"

/* Print the pending warnings of this thread. rank: -1 if the call is tied to none. */
void scion_log_warnings(int rank);

/* Discard the pending warnings, because another rank prints the same ones. */
void scion_log_drop_warnings(void);

/* Print this thread's error record as the failure of a function that returns rc. */
void scion_log_error(int rank, int rc);

/* Print a warning that did not come from the error record. */
void scion_log_warning(int rank, const char *text);

/* The same at the end of the process, when nobody knows what the handler still finds: on stderr. */
void scion_log_at_end(int rank, const char *text);

/*
 * Between begin and end the calling thread's messages go nowhere, neither to stderr nor to the
 * handler. Pairs may be nested.
 */
void scion_log_begin_quiet(void);
void scion_log_end_quiet(void);

void scion_log_set_handler(sion_error_handler_t *handler, void *user);

#endif
