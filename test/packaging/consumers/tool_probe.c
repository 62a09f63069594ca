/* Calls what a tracing tool needs: the generic interface, key-value records, the basic functions.
 * */
#include <sion.h>
#include <stddef.h>

#if SION_MAIN_VERSION >= 2
#error too new
#endif

static void *volatile needed[] = {
    (void *)sion_generic_create_api,
    (void *)sion_generic_free_api,
    (void *)sion_generic_register_create_local_commgroup_cb,
    (void *)sion_generic_register_free_local_commgroup_cb,
    (void *)sion_generic_register_barrier_cb,
    (void *)sion_generic_register_bcastr_cb,
    (void *)sion_generic_register_gatherr_cb,
    (void *)sion_generic_register_gathervr_cb,
    (void *)sion_generic_register_scatterr_cb,
    (void *)sion_generic_register_scattervr_cb,
    (void *)sion_generic_paropen,
    (void *)sion_generic_parclose,
    (void *)sion_fwrite,
    (void *)sion_fread,
    (void *)sion_feof,
    (void *)sion_seek,
    (void *)sion_seek_fp,
    (void *)sion_flush,
    (void *)sion_get_locations,
    (void *)sion_bytes_avail_in_block,
    (void *)sion_fwrite_key,
    (void *)sion_fread_key,
    (void *)sion_seek_key,
    (void *)sion_key_full_scan,
    (void *)sion_fread_key_iterator_reset,
    (void *)sion_fread_key_iterator_next,
    (void *)sion_key_get_stat,
    (void *)sion_get_version,
    (void *)sion_lock_register_lock_callbacks,
};

int main(void)
{
    size_t i;

    for (i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!needed[i])
            return 1;
    }
    return sion_is_thread_safe() != 1;
}
