/* For the bindings, which need to know whether an open reads or sets their arrays. */
#ifndef SCION_API_MODE_WRITES_H
#define SCION_API_MODE_WRITES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a file mode says that the container is written. NULL: no. */
int scion_mode_writes(const char *file_mode);

#ifdef __cplusplus
}
#endif

#endif
