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

void scr_hint_failed(const char *prefix, const struct sion_scr_indexed *dataset)
{
    if (dataset->failed && !dataset->is_current && dataset->complete == 1)
        tool_warning("%s is marked as failed, as after a restart with a wrong number of processes: "
                     "'sionscr index -u %s %s' makes SCR restart from it",
                     dataset->name, dataset->name, prefix);
}
