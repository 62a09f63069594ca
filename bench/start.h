/* What happens before MPI starts. */
#ifndef BENCH_START_H
#define BENCH_START_H

#include "options.h"

/*
 * Read the command line; to be called before MPI_Init. If it asks for the usage, or is wrong, the
 * program ends here, without MPI; if a launcher has started several processes, one of them prints.
 */
void bench_arguments(int argc, char **argv, const char *program, struct bench_options *options);

#endif
