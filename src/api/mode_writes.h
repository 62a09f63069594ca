/* For the bindings, which must know what an open will do with their arrays. */
#ifndef SCION_API_MODE_WRITES_H
#define SCION_API_MODE_WRITES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether one of the words of a file mode asks for writing. NULL: no. */
int scion_mode_writes(const char *file_mode);

#ifdef __cplusplus
}
#endif

#endif
