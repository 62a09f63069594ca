#include "base/loaded.h"

#include <dlfcn.h>

/* In older C libraries, these are in a library of their own, which legacy link lines do not name.
 */
#pragma weak dladdr
#pragma weak dlopen

void scion_stay_loaded(void)
{
    static const char here;
    Dl_info self;

    if (dladdr && dlopen && dladdr(&here, &self) && self.dli_fname)
        (void)dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
