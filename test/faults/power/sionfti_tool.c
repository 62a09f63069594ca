/* The tool as a function, so that what it does is recorded. */
#include "lib/tool.h"

int sionfti_main(int argc, char **argv);

/* It would close stdout. */
#define tool_finish(status) ((status) == TOOL_DONE ? 0 : 1)
#define main                sionfti_main
#include "../../../utils/sionfti/sionfti.c"
