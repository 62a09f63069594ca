/* Communicators of SCR's functions: one task alone, and those of the generic interface. */
#include "comm/comm.h"

#include "api/parallel.h"
#include "scr/public.h"
#include "scr/report.h"

sion_scr_comm *sion_scr_comm_self(void)
{
    struct scion_comm *comm = NULL;

    scion_comm_self(&comm);
    return scion_scr_object(__func__, comm);
}

sion_scr_comm *sion_scr_comm_generic(int aid, void *group, int rank, int size)
{
    return sion_layer_generic_comm(__func__, aid, group, rank, size);
}

void sion_scr_comm_free(sion_scr_comm *comm)
{
    scion_comm_free(comm);
}
