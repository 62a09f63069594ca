/* The public header, its functions visible in the shared library; everything else is hidden. */
#ifndef SCION_ARRAY_PUBLIC_H
#define SCION_ARRAY_PUBLIC_H

#pragma GCC visibility push(default)
#include "sion_array.h"
#pragma GCC visibility pop

#endif
