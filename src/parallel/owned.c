/* Apart from the owner, whose functions need the tag, so that no two files need each other. */
#include "parallel/private.h"

const char scion_parallel_tag = 0;
