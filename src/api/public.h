/* The public headers, their functions visible in shared libraries; everything else is hidden. */
#ifndef SCION_API_PUBLIC_H
#define SCION_API_PUBLIC_H

#pragma GCC visibility push(default)
#include "sion_checksum.h"
#include "sion_common.h"
#include "sion_debug.h"
#include "sion_drain.h"
#include "sion_error.h"
#include "sion_recover.h"
#include "sion_serial.h"
#include "sion_stats.h"
#include "sion_stream.h"
#pragma GCC visibility pop

#endif
