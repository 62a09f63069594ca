#include "sionrun/preload.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "lib/tool.h"

/* SCION_BINDIR, SCION_PKGLIBDIR: where tools and library are installed, unless the tree was moved.
 */
#define LIBRARY "libsion_run.so"

/* How many bytes both begin with, up to a slash. */
static size_t common_part(const char *a, const char *b)
{
    size_t i, common = 0;

    for (i = 0; a[i] && a[i] == b[i]; i++) {
        if (a[i] == '/')
            common = i + 1;
    }
    return common;
}

/* In a tree that was moved, it is as far from the tools as before. */
static int is_moved(const char *tools, char *library)
{
    size_t common = common_part(SCION_BINDIR "/", SCION_PKGLIBDIR "/");
    const char *tail = &(SCION_BINDIR "/")[common];
    size_t length = strlen(tools), end = strlen(tail);
    char name[SCION_PATH];

    if (length < end || strcmp(tools + length - end, tail) != 0)
        return 0;
    if (snprintf(name, sizeof name, "%.*s%s/%s", (int)(length - end), tools,
                 &SCION_PKGLIBDIR[common], LIBRARY) >= (int)sizeof name)
        return 0;
    return scion_file_exists(name) && scion_path_real(name, library) == 0;
}

/* Before the installation, it is where libtool makes libraries. */
static int is_built(const char *tools, char *library)
{
    char name[SCION_PATH];

    return scion_path(name, tools, ".libs/" LIBRARY) == 0 && scion_file_exists(name) &&
           scion_path_real(name, library) == 0;
}

/* The folder of this tool, with a slash at its end. */
static int find_tools(char *tools)
{
    if (scion_path_real("/proc/self/exe", tools) != 0)
        return 0;
    tools[scion_basename(tools) - tools] = '\0';
    return 1;
}

int preload_find(char *library)
{
    const char *wanted = scion_env("RUN_LIBRARY");
    char tools[SCION_PATH];

    if ((wanted || !find_tools(tools) ||
         (!is_moved(tools, library) && !is_built(tools, library))) &&
        scion_path_real(wanted ? wanted : SCION_PKGLIBDIR "/" LIBRARY, library) != 0)
        tool_error("%s", scion_error_text());
    else if (strpbrk(library, ": "))
        tool_error("the name of %s has a blank or a colon, which LD_PRELOAD does not allow",
                   library);
    else
        return TOOL_RUN;
    return TOOL_FAILED;
}
