/* The public header, its functions visible in the shared library; everything else is hidden. */
#ifndef SCION_SCR_PUBLIC_H
#define SCION_SCR_PUBLIC_H

#pragma GCC visibility push(default)
#include "sion_scr.h"
#pragma GCC visibility pop

#endif
