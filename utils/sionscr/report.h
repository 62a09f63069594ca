/* Messages of sionscr about datasets and failures. */
#ifndef UTILS_SIONSCR_REPORT_H
#define UTILS_SIONSCR_REPORT_H

#include "sionscr/commands.h"

/* A text from a file as scion_escape makes it, cut if it is too long; returns into[SCR_NAME]. */
enum { SCR_NAME = 1024 };
const char *scr_printable(const char *text, char *into);

/* One line on stderr with the dataset before it. */
void scr_dataset_error(const struct sion_scr_indexed *dataset, const char *text);

/* Name the cure of a dataset that SCR has marked as failed, and does not restart from. */
void scr_hint_failed(const char *prefix, const struct sion_scr_indexed *dataset);

/* If rc is an error, one line on stderr, of the process that has rank 0. Exit status. */
int scr_status(const struct scr_settings *settings, int rc);

#endif
