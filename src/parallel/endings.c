#include "parallel/endings.h"

#include "base/error.h"
#include "comm/agree.h"

int scion_lack_ending(void)
{
    return scion_fail(SION_ERR_MISMATCH, "it has defined none of the arrays that other tasks have");
}

int scion_run_endings(struct scion_comm *global, const struct scion_container *container)
{
    const struct scion_ending *ending = scion_container_ending(container);
    int rc = scion_agree(global, scion_name_rank(global, ending ? 0 : scion_lack_ending()));

    if (rc == 0) {
        rc = ending->run(ending->user, global, scion_container_is_mapped(container));
        rc = scion_agree(global, scion_name_rank(global, rc));
    }
    return rc;
}
