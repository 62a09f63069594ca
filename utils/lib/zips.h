/* What a container whose streams are compressed stores of them. */
#ifndef UTILS_LIB_ZIPS_H
#define UTILS_LIB_ZIPS_H

#include "file/unzip_view.h"
#include "lib/input.h"

/* Of a container that was opened to be read plain; 0: none of it, or of that task, is known. */
int zips_of_task(const struct input *input, int task, struct scion_zipped_facts *facts);

/* Of all tasks; the head is that of the first one that has one. */
int zips_of_all(const struct input *input, struct scion_zipped_facts *facts);

/* "zstd, frames of 1.0 MiB, shuffle 8" */
enum { ZIPS_TEXT = 80 };
const char *zips_text(char text[ZIPS_TEXT], const struct scion_zipped_facts *facts);

/* How many times smaller they are. */
double zips_ratio(const struct scion_zipped_facts *facts);

#endif
