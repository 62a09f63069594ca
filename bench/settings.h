/* Prints the settings when a program starts. */
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include "options.h"

/*
 * Print the lines from the first to the collective options, which are the same in both programs.
 *
 * task: the word for a task; type: the name of the test; total: bytes of all tasks
 */
void bench_print_settings(const struct bench_options *options, const char *task, const char *type,
                          long long total);

/* Print "partest parameter:   (who)    name = number", aligned with the other lines. */
void bench_print_number(const char *who, const char *name, int number);

/* Print the line with the time at which a program begins or ends. */
void bench_print_time(const char *program, const char *what);

#endif
