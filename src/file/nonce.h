/* flag2 of a header that is written: the nonce of an open, and whether chunks have trailers. */
#ifndef SCION_FILE_NONCE_H
#define SCION_FILE_NONCE_H

#include "base/mode.h"
#include "sion_datatypes.h"

/*
 * Whether a container that is to be written gets trailers: by the mode, or else the environment
 * variable SION_RECOVER. flag2 for its header, with a new nonce, or 0.
 */
sion_int64 scion_recovery_choose(const struct scion_mode *mode);

/* flag2 of a set without trailers, with a new nonce; and of a container with trailers. */
sion_int64 scion_recovery_none(void);
sion_int64 scion_recovery_new(void);

/* flag2 of the same container after it has been emptied: a nonce that the old data do not have. */
sion_int64 scion_recovery_renew(sion_int64 flag2);

#endif
