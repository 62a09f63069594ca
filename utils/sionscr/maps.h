/* What commands that read maps are told, for the library. */
#ifndef UTILS_SIONSCR_MAPS_H
#define UTILS_SIONSCR_MAPS_H

#include "sionscr/commands.h"

/* Options of fetch and check as the command line says. */
struct sion_scr_fetch_options scr_fetch_options(const struct scr_settings *settings);

#endif
