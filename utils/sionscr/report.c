#include "sionscr/report.h"

#include "base/escape.h"
#include "lib/message.h"

const char *scr_printable(const char *text, char *into)
{
    return scion_escape(text, into, SCR_NAME);
}

void scr_dataset_error(const struct sion_scr_indexed *dataset, const char *text)
{
    tool_error("dataset %d, %s: %s", dataset->id, dataset->name, text);
}

int scr_status(const struct scr_settings *settings, int rc)
{
    if (rc == 0)
        return TOOL_DONE;
    if (settings->rank == 0)
        tool_error("%s", sion_error_text());
    return TOOL_FAILED;
}
