/* The functions of private_abi.h that only parallel containers have. */
#include "api/handle.h"
#include "api/private_abi.h"
#include "file/checksum_tap.h"
#include "parallel/parallel.h"

int sion_layer_attach(int sid, const struct scion_tap *tap, const struct scion_hook *hook)
{
    struct scion_container *container = scion_api_find(sid);

    if (!container)
        return scion_fail(SION_ERR_HANDLE, "invalid sion_filedesc, aborting %d ...", sid);
    if (!scion_container_is_shared(container) || !scion_container_is_writing(container))
        return scion_fail(SION_ERR_MODE, "sid %d was not opened in parallel for writing", sid);
    if (scion_container_is_zipped(container))
        return scion_fail(SION_ERR_MODE, "sid %d has compressed streams", sid);
    if (scion_parallel_hook(container))
        return scion_fail(SION_ERR_MODE, "sid %d has such a hook already", sid);
    scion_parallel_set_hook(container, hook);
    if (scion_checksum_tap_of(container))
        scion_checksum_tap_pass_on(scion_checksum_tap_of(container), tap);
    else
        scion_container_stream(container)->tap = *tap;
    if (scion_container_is_mapped(container) && scion_container_ntasks(container) > 0)
        scion_stream_turn_tap(scion_container_stream(container),
                              scion_container_selected(container));
    if (scion_container_stream(container)->exported != SCION_EXPORT_NONE)
        scion_stream_blind_tap(scion_container_stream(container));
    return 0;
}

const struct scion_hook *sion_layer_hook(int sid)
{
    const struct scion_container *container = scion_api_find(sid);

    return container ? scion_parallel_hook(container) : NULL;
}
