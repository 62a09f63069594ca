/* The error record and its switch, for programs. */
#include "api/public.h"

#include "base/error.h"
#include "base/log.h"

int sion_error_code(void)
{
    return scion_error_code();
}

const char *sion_error_text(void)
{
    return scion_error_text();
}

void sion_error_set_handler(sion_error_handler_t *handler, void *user)
{
    scion_log_set_handler(handler, user);
}
