/* Options of commands that read maps, in the form of the library. */
#ifndef UTILS_SIONSCR_MAPS_H
#define UTILS_SIONSCR_MAPS_H

#include "sionscr/commands.h"

/* The options of fetch and check from the command line. */
struct sion_scr_fetch_options scr_fetch_options(const struct scr_settings *settings);

#endif
