/* Closing a container that one process has opened. */
#include <stdio.h>
#include <stdlib.h>

#include "api/handle.h"
#include "api/public.h"
#include "api/stats.h"
#include "api/unclosed.h"

static void free_numbers(void *data)
{
    struct scion_api_numbers *files = data;
    int i;

    for (i = 0; files && i < files->n; i++)
        scion_handle_free(files->numbers[i]);
    free(files);
}

const struct scion_owner scion_api_owner = {.layer = SCION_OWNER_API, .free = free_numbers};

int scion_api_dispose(int sid, struct scion_container *container)
{
    scion_unclosed_remove(container);
    free_numbers(scion_container_disown(container, SCION_OWNER_API));
    scion_handle_free(sid);
    return scion_container_close(container);
}

int scion_api_close(const char *function, int sid)
{
    struct scion_container *container = scion_api_get(function, sid, SION_NOT_SUCCESS);
    const struct scion_ending *ending;
    char reason[SCION_ERROR_TEXT];
    int ended = 0, rc;
    struct scion_stats_report stats_report;

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_container_is_shared(container)) {
        scion_fail(SION_ERR_MODE,
                   "invalid file open state (!SEROPEN), sid %d was opened in parallel", sid);
        return scion_api_fail(function, container, SION_NOT_SUCCESS);
    }
    ending = scion_container_ending(container);
    if (ending)
        ended = ending->run(ending->user, NULL, 0);
    if (ended != 0)
        snprintf(reason, sizeof reason, "%s", scion_error_text());
    scion_api_begin_close(&stats_report, container);
    rc = scion_api_dispose(sid, container);
    scion_api_end_close(&stats_report);
    if (rc == 0 && ended != 0)
        rc = scion_fail(ended, "%s", reason);
    if (rc != 0)
        return scion_api_fail(function, NULL, SION_NOT_SUCCESS);
    scion_log_warnings(-1);
    return SION_SUCCESS;
}

int _sion_close_sid(int sid)
{
    return scion_api_result(__func__, scion_api_close(__func__, sid));
}
