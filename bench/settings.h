/* The settings that the programs print at the start. */
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include "options.h"

/*
 * The lines from the beginning to the collective options, which the programs have in common.
 *
 * task   how a task is called type   what the test is called total  bytes of all tasks
 */
void bench_print_settings(const struct bench_options *options, const char *task, const char *type,
                          long long total);

/* "partest parameter:   (who)    name = number" in the width of the others. */
void bench_print_number(const char *who, const char *name, int number);

/* The line with which a program begins or ends, and the time. */
void bench_print_time(const char *program, const char *what);

#endif
