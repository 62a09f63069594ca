#include "comm/agree.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

struct verdict {
    sion_int64 code;
    char text[SCION_ERROR_TEXT];
};

int scion_name_rank(const struct scion_comm *comm, int rc)
{
    if (rc != 0 && comm->size > 1)
        scion_fail_prefix("rank %d", comm->rank);
    return rc;
}

int scion_agree_on(struct scion_comm *comm, int rc, int failing)
{
    struct verdict verdict = {.code = rc};
    int sent;

    if (comm->rank == failing)
        snprintf(verdict.text, sizeof verdict.text, "%s", scion_error_text());
    sent = scion_bcast(comm, &verdict, sizeof verdict, failing);
    if (sent != 0)
        return sent;
    return scion_fail((int)verdict.code, "%s", verdict.text);
}

/* The minimum is the lowest failing rank; or, from size on, the highest of the other results. */
static int agree(struct scion_comm *comm, int rc, sion_int64 *told, int n)
{
    int is_failing = rc != 0 && rc != SCION_MORE && rc != SCION_FIRST;
    sion_int64 none = comm->size + (sion_int64)SCION_FIRST;
    sion_int64 failing = is_failing ? comm->rank : none - rc;
    int sent = scion_minimum(comm, &failing, told, n);

    if (sent != 0)
        return sent;
    if (failing >= comm->size)
        return (int)(none - failing);
    return scion_agree_on(comm, rc, (int)failing);
}

int scion_agree(struct scion_comm *comm, int rc)
{
    return agree(comm, rc, NULL, 0);
}

int scion_agree_telling(struct scion_comm *comm, int rc, sion_int64 *told, int n)
{
    return agree(comm, rc, told, n);
}

int scion_agree_least(struct scion_comm *comm, int rc, sion_int64 *least)
{
    sion_int64 number = rc != 0 ? comm->rank : comm->size + *least;
    int sent = scion_minimum(comm, &number, NULL, 0);

    if (sent != 0)
        return sent;
    if (number < comm->size)
        return scion_agree_on(comm, rc, (int)number);
    *least = number - comm->size;
    return 0;
}

int scion_agree_or_more(struct scion_comm *comm, int rc)
{
    return agree(comm, rc, NULL, 0);
}
