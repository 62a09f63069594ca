/* Calls only functions of the generic and the common archive. */
#include <sion.h>
int main(void)
{
    int aid = sion_generic_create_api("consumer"), version = 0;

    sion_get_version(&version, 0, 0, 0);
    return aid < 0 || sion_generic_free_api(aid) != 1 || version != SION_MAIN_VERSION;
}
