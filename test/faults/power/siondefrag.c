/* The tool as a function, so that what it does is recorded. */
#include "lib/tool.h"

int siondefrag_main(int argc, char **argv);

/* It would close stdout. */
#define tool_finish(status) ((status) == TOOL_DONE ? 0 : 1)
#define main                siondefrag_main
#include "../../../utils/siondefrag/siondefrag.c"
