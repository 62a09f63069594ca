/* Whether the library may be unloaded. */
#ifndef SCION_BASE_LOADED_H
#define SCION_BASE_LOADED_H

/* From now on the library stays until the process ends, if the system can do that. */
void scion_stay_loaded(void);

#endif
