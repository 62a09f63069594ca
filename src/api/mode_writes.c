#include "api/mode_writes.h"

#include <string.h>

int scion_mode_writes(const char *file_mode)
{
    static const char *const words[] = {"w", "wb", "bw"};
    size_t i, length;

    for (; file_mode && *file_mode; file_mode += length + (file_mode[length] == ',')) {
        length = strcspn(file_mode, ",");
        for (i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strlen(words[i]) == length && strncmp(file_mode, words[i], length) == 0)
                return 1;
        }
    }
    return 0;
}
