#include "sionfti/fail.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/text.h"
#include "lib/tool.h"

/* Functions of the public interface put their names before it. */
static const char *reason(void)
{
    const char *text = scion_error_text(), *colon = strstr(text, ": ");

    return strncmp(text, "sion_", 5) == 0 && colon ? colon + 2 : text;
}

int fti_failed(const char *label)
{
    const char *text = reason();
    char *shown = text_escaped(label); /* as in the text */

    if (shown && strstr(text, shown))
        tool_error("%s", text);
    else
        tool_error("%s: %s", label, text);
    free(shown);
    return TOOL_FAILED;
}

int fti_out_of_memory(void)
{
    tool_error("out of memory");
    return TOOL_FAILED;
}
