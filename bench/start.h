/* What a program does before MPI starts. */
#ifndef BENCH_START_H
#define BENCH_START_H

#include "options.h"

/*
 * Read the command line; call it before MPI_Init. If the command line asks for the usage or is
 * wrong, the program ends here, without MPI; of several processes that a launcher started, one
 * prints.
 */
void bench_arguments(int argc, char **argv, const char *program, struct bench_options *options);

#endif
