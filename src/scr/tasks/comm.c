#include "comm/comm.h"

#include "api/parallel.h"
#include "scr/public.h"

sion_scr_comm *sion_scr_comm_self(void)
{
    struct scion_comm *comm;

    return scion_comm_self(&comm) == 0 ? comm : NULL;
}

sion_scr_comm *sion_scr_comm_generic(int aid, void *group, int rank, int size)
{
    return sion_layer_generic_comm(__func__, aid, group, rank, size);
}

void sion_scr_comm_free(sion_scr_comm *comm)
{
    scion_comm_free(comm);
}
