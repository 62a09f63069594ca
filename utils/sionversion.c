/* sionversion: the versions of the interface and of the file format. */
#include <stdio.h>

#include "sion_const.h"

#include "tool.h"

int main(int argc, char **argv)
{
    printf("SIONlib Version %d.%d.%d (git_rev %s), fileformat version %d (%s)\n", SION_MAIN_VERSION,
           SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, GIT_REV, SION_FILEFORMAT_VERSION,
           argc > 0 ? argv[0] : "sionversion");
    return tool_finish(TOOL_DONE);
}
