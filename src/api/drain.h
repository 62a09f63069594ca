/* Staged containers, for the opens of all interfaces. */
#ifndef SCION_API_DRAIN_H
#define SCION_API_DRAIN_H

#include "base/mode.h"

/* Warn if the mode string asks for the staging of something that cannot be staged. */
void scion_api_cannot_stage(const char *fname, const struct scion_mode *mode, const char *what);

/*
 * Before an open: wait for the drains of the container, unless it will be staged again. An error if
 * it is to be read, and a drain has failed.
 */
int scion_api_settle(const char *fname, const struct scion_mode *mode);

#endif
